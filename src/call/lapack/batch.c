// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/lapack/batch.h"

#include <math.h>

#include "call/lapack/lapack.h"
#include "call/lapack/plain/plain.h"
#include "kernel/lib/openblas.h"

tn_status_t tn__lapack_function(const tn_call_t* call, tn_lapack_routine_t* routine,
                                tn_ffi_dtype_t dtype, void** out_function) {
  const int type = (tn__lapack_is_complex(dtype) ? 2 : 0) + (tn__lapack_is_single(dtype) ? 0 : 1);
  const char *name = routine->names[type], *reason = NULL;
  if (tn__lapack_allows_openblas(call->frame->context)) {
    void** place = &routine->functions[type];
    *out_function = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (*out_function) return TN_OK;
    if (tn__openblas(&reason)) *out_function = tn__openblas_symbol(name);
    if (*out_function) {
      __atomic_store_n(place, *out_function, __ATOMIC_RELAXED);
      return TN_OK;
    }
  }
  const tn_plain_function_t plain = tn__plain_lapack(name);
  if (!plain) return TN_ERROR(call, INTERNAL, "LAPACK's %s is not there", name);
  _Static_assert(sizeof plain == sizeof *out_function, "as dlsym has it");
  memcpy(out_function, &plain, sizeof plain);
  return TN_OK;
}

// --- shapes

tn_status_t tn__lapack_matrices(const tn_call_t* call, const char* name, const tn_arg_any_t* value,
                                tn_matrices_t* out_matrices) {
  if (value->rank < 2) {
    return TN_ERROR(call, INVALID_ARGUMENT,
                    "%s: expected a matrix or a batch of them, found rank %d", name,
                    (int)value->rank);
  }
  const int64_t rows = value->dims[value->rank - 2], columns = value->dims[value->rank - 1];
  if (rows > INT32_MAX / 8 || columns > INT32_MAX / 8 || (columns && rows > INT32_MAX / columns)) {
    return TN_ERROR(call, UNIMPLEMENTED,
                    "%s: a matrix of %" PRId64 " by %" PRId64
                    " has more elements than LAPACK counts",
                    name, rows, columns);
  }
  tn_matrices_t matrices = {
      .dtype = value->dtype,
      .batch = 1,
      .rows = (int)rows,
      .columns = (int)columns,
      .least = (int)(rows < columns ? rows : columns),
      .stride = rows ? (int)rows : 1,
      .element_size = tn_ffi_dtype_size(value->dtype),
  };
  for (int64_t i = 0; i + 2 < value->rank; ++i) matrices.batch *= value->dims[i];
  matrices.byte_size = (size_t)(rows * columns) * matrices.element_size;
  *out_matrices = matrices;
  return TN_OK;
}

tn_status_t tn__lapack_squares(const tn_call_t* call, const char* name, const tn_arg_any_t* value,
                               tn_matrices_t* out_matrices) {
  TN_TRY(tn__lapack_matrices(call, name, value, out_matrices));
  if (out_matrices->rows == out_matrices->columns) return TN_OK;
  return TN_ERROR(call, INVALID_ARGUMENT, "%s: expected a square matrix, found %d by %d", name,
                  out_matrices->rows, out_matrices->columns);
}

tn_status_t tn__lapack_expect(const tn_call_t* call, const char* name, const tn_arg_any_t* value,
                              tn_ffi_dtype_t dtype, const tn_arg_any_t* x, size_t rank,
                              const int64_t* dims) {
  const int64_t batch_rank = x->rank - 2;
  if (value->dtype != dtype) {
    return TN_ERROR(call, INVALID_ARGUMENT, "%s: expected %s, found %s", name,
                    tn_ffi_dtype_name(dtype), tn_ffi_dtype_name(value->dtype));
  }
  if (value->rank != batch_rank + (int64_t)rank) {
    return TN_ERROR(call, INVALID_ARGUMENT, "%s: expected rank %d, found %d", name,
                    (int)(batch_rank + (int64_t)rank), (int)value->rank);
  }
  for (int64_t i = 0; i < value->rank; ++i) {
    const int64_t wanted = i < batch_rank ? x->dims[i] : dims[i - batch_rank];
    if (value->dims[i] == wanted) continue;
    return TN_ERROR(call, INVALID_ARGUMENT,
                    "%s: expected %" PRId64 " in dimension %d, found %" PRId64, name, wanted,
                    (int)i, value->dims[i]);
  }
  return TN_OK;
}

tn_status_t tn__lapack_letter(const tn_call_t* call, const char* name, uint8_t value,
                              const char* letters) {
  if (value && strchr(letters, value)) return TN_OK;
  return TN_ERROR(call, INVALID_ARGUMENT, "%s: expected one of the letters %s, found %d", name,
                  letters, value);
}

// --- loops

typedef struct slots {
  const tn_call_t* call;
  const tn_lapack_loop_t* loop;
  int64_t batch, count;
  char* work;
  size_t length;
} slots_t;

static void run_slot(const slots_t* slots, int64_t slot) {
  const int64_t last = slots->batch * (slot + 1) / slots->count;
  char* work = slots->work ? slots->work + (size_t)slot * slots->length : NULL;
  for (int64_t i = slots->batch * slot / slots->count; i < last; ++i) {
    if (tn__plain_is_interrupted()) return;
    slots->loop->run(slots->loop->job, i, work);
  }
}

static void run_slots(void* user, int64_t begin, int64_t end) {
  const slots_t* slots = user;
  tn__plain_watch(tn__lapack_interrupt(slots->call->frame->context));
  for (int64_t slot = begin; slot < end; ++slot) run_slot(slots, slot);
  tn__plain_watch(NULL);
}

tn_status_t tn__lapack_run(const tn_call_t* call, const tn_matrices_t* matrices,
                           const tn_lapack_loop_t* loop) {
  enum { LEAST_WORK = 1 << 17 };  // of a thread, in multiplications
  if (matrices->batch == 0) return TN_OK;
  const double work = (double)matrices->batch * (double)matrices->rows * (double)matrices->columns *
                      (double)matrices->least;
  int64_t count = matrices->batch > 1 && work > LEAST_WORK ? tn_thread_count(call) : 1;
  if (count > 1) count *= 2;  // matrices of one size may take different times
  if (count > matrices->batch) count = matrices->batch;
  slots_t slots = {call, loop, matrices->batch, count, NULL, tn__lapack_align(loop->work_length)};
  if (slots.length) {
    slots.work = tn_scratch(call, slots.length * (size_t)count);
    if (!slots.work) {
      return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory for %zu bytes of work space",
                      slots.length * (size_t)count);
    }
  }
  tn_parallel_for(call, count, 1, run_slots, &slots);
  return TN_OK;
}

int tn__lapack_answer(tn_ffi_dtype_t dtype, const void* answer) {
  // An f32 may have been rounded down.
  const double wanted = tn__lapack_is_single(dtype)
                            ? (double)nextafterf(*(const float*)answer, INFINITY)
                            : *(const double*)answer;
  return wanted >= INT32_MAX ? INT32_MAX : wanted < 1 ? 1 : (int)ceil(wanted);
}
