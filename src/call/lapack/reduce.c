// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Reductions to Hessenberg and tridiagonal form.
#include "call/lapack/batch.h"

// --- gehrd

#define GEHRD(ARG, ATTR, RET)                                                    \
  ARG(x, of(f32, f64, c64, c128), any_rank)                                      \
  ATTR(low, int32_t, TN_REQUIRED, "the first row and column to reduce, from 1")  \
  ATTR(high, int32_t, TN_REQUIRED, "the last one")                               \
  RET(x_out, dtype_of(x), like(x), "the form, and Householder vectors below it") \
  RET(tau, dtype_of(x), any_rank, "the scalars of the reflectors")               \
  RET(info, s32, any_rank, "0")

typedef struct gehrd {
  void (*routine)(const int* n, const int* low, const int* high, void* a, const int* stride,
                  void* tau, void* work, const int* work_count, int* info);
  tn_matrices_t x;
  int low, high, work_count;
  char *factors, *tau;
  int64_t tau_count;
  int32_t* info;
} gehrd_t;

static void run_gehrd(const void* user, int64_t index, char* work) {
  const gehrd_t* job = user;
  job->routine(&job->x.rows, &job->low, &job->high, job->factors + (size_t)index * job->x.byte_size,
               &job->x.stride, job->tau + (size_t)(index * job->tau_count) * job->x.element_size,
               work, &job->work_count, &job->info[index]);
}

TN_LAPACK_OP(lapack_gehrd, GEHRD, "Hessenberg forms") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(gehrd);
  gehrd_t job = {
      .low = call->low,
      .high = call->high,
      .factors = call->x_out.data,
      .tau = call->tau.data,
      .info = call->info.data,
  };
  double answer[2] = {0};
  int info;
  TN_LAPACK_SQUARES(call, x, &job.x);
  job.tau_count = job.x.rows ? job.x.rows - 1 : 0;
  TN_LAPACK_EXPECT(call, tau, job.x.dtype, x, job.tau_count);
  TN_LAPACK_EXPECT_EACH(call, info, TN_FFI_S32, x);
  const int least = job.x.rows ? 1 : 0;
  if (call->low < 1 || call->high < least || call->high > job.x.rows ||
      (job.x.rows && call->low > call->high)) {
    return TN_ERROR(call, INVALID_ARGUMENT, "low, high: expected a part of 1 to %d, found %d to %d",
                    job.x.rows, call->low, call->high);
  }
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, (void**)&job.routine));
  job.routine(&job.x.rows, &job.low, &job.high, NULL, &job.x.stride, NULL, answer, &(int){-1},
              &info);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  tn__lapack_copy(call->x.data, job.factors, tn_byte_size(call->x));
  const size_t length = (size_t)job.work_count * job.x.element_size;
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_gehrd, &job, length});
}

// --- sytrd, hetrd

#define SYTRD(ARG, ATTR, RET)                                                     \
  ARG(x, of(f32, f64, c64, c128), any_rank)                                       \
  ATTR(uplo, uint8_t, TN_REQUIRED, "L or U: the triangle to use")                 \
  RET(x_out, dtype_of(x), like(x), "the form, and Householder vectors beside it") \
  RET(d, of(f32, f64), any_rank, "its diagonal")                                  \
  RET(e, of(f32, f64), any_rank, "the elements beside the diagonal")              \
  RET(tau, dtype_of(x), any_rank, "the scalars of the reflectors")                \
  RET(info, s32, any_rank, "0")

typedef struct sytrd {
  void (*routine)(const char* uplo, const int* n, void* a, const int* stride, void* d, void* e,
                  void* tau, void* work, const int* work_count, int* info, size_t);
  tn_matrices_t x;
  char uplo;
  int work_count;
  size_t real_size;
  int64_t off_count;  // beside the diagonal
  char *factors, *d, *e, *tau;
  int32_t* info;
} sytrd_t;

static void run_sytrd(const void* user, int64_t index, char* work) {
  const sytrd_t* job = user;
  job->routine(&job->uplo, &job->x.rows, job->factors + (size_t)index * job->x.byte_size,
               &job->x.stride, job->d + (size_t)(index * job->x.rows) * job->real_size,
               job->e + (size_t)(index * job->off_count) * job->real_size,
               job->tau + (size_t)(index * job->off_count) * job->x.element_size, work,
               &job->work_count, &job->info[index], 1);
}

TN_LAPACK_OP(lapack_sytrd, SYTRD, "tridiagonal forms of Hermitian matrices") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE_OF(sytrd, hetrd);
  sytrd_t job = {
      .uplo = (char)call->uplo,
      .factors = call->x_out.data,
      .d = call->d.data,
      .e = call->e.data,
      .tau = call->tau.data,
      .info = call->info.data,
  };
  double answer[2] = {0};
  int info;
  TN_LAPACK_SQUARES(call, x, &job.x);
  const tn_ffi_dtype_t real = tn__lapack_real(job.x.dtype);
  job.off_count = job.x.rows ? job.x.rows - 1 : 0;
  TN_LAPACK_EXPECT(call, d, real, x, job.x.rows);
  TN_LAPACK_EXPECT(call, e, real, x, job.off_count);
  TN_LAPACK_EXPECT(call, tau, job.x.dtype, x, job.off_count);
  TN_LAPACK_EXPECT_EACH(call, info, TN_FFI_S32, x);
  TN_TRY(tn__lapack_letter(call->tn, "uplo", call->uplo, "LU"));
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, (void**)&job.routine));
  job.real_size = tn_ffi_dtype_size(real);
  job.routine(&job.uplo, &job.x.rows, NULL, &job.x.stride, NULL, NULL, NULL, answer, &(int){-1},
              &info, 1);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  tn__lapack_copy(call->x.data, job.factors, tn_byte_size(call->x));
  const size_t length = (size_t)job.work_count * job.x.element_size;
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_sytrd, &job, length});
}
