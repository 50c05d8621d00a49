// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the handlers share: LAPACK's routines in their four types, and loops over batches.
#ifndef TENON_CALL_LAPACK_BATCH_H_
#define TENON_CALL_LAPACK_BATCH_H_

#include <tenon/custom.h>

// The handlers stay inside of the library.
#undef TN_EXPORT
#define TN_EXPORT __attribute__((visibility("hidden")))

// A target under jaxlib's name; the C names begin as those of all internal functions do.
#define TN_LAPACK_OP(target, LIST, doc) TN_OP_ON(TN__HOST, #target, 0, tn__##target, LIST, doc)

// --- routines

// By the letters s, d, c and z; `functions` are OpenBLAS's, found when they are first needed.
typedef struct tn_lapack_routine {
  const char* names[4];
  void* functions[4];
} tn_lapack_routine_t;

#define TN_LAPACK_ROUTINE(name) TN_LAPACK_ROUTINE_OF(name, name)
// Where real and complex ones have other names.
#define TN_LAPACK_ROUTINE_OF(real, complex)                               \
  {                                                                       \
    {"s" #real "_", "d" #real "_", "c" #complex "_", "z" #complex "_"}, { \
      0                                                                   \
    }                                                                     \
  }

// OpenBLAS's, or Tenon's own (plain/plain.h) where that is not there or not allowed; UNAVAILABLE
// when there is none of these. Thread-safe.
tn_status_t tn__lapack_function(const tn_call_t* call, tn_lapack_routine_t* routine,
                                tn_ffi_dtype_t dtype, void** out_function);

static inline bool tn__lapack_is_complex(tn_ffi_dtype_t dtype) {
  return dtype == TN_FFI_C64 || dtype == TN_FFI_C128;
}
static inline bool tn__lapack_is_single(tn_ffi_dtype_t dtype) {
  return dtype == TN_FFI_F32 || dtype == TN_FFI_C64;
}
static inline tn_ffi_dtype_t tn__lapack_real(tn_ffi_dtype_t dtype) {
  return tn__lapack_is_single(dtype) ? TN_FFI_F32 : TN_FFI_F64;
}
static inline tn_ffi_dtype_t tn__lapack_complex(tn_ffi_dtype_t dtype) {
  return tn__lapack_is_single(dtype) ? TN_FFI_C64 : TN_FFI_C128;
}

// --- shapes

// Some matrices, one behind the other, each column by column.
typedef struct tn_matrices {
  tn_ffi_dtype_t dtype;
  int64_t batch;
  int rows, columns, least;  // the smaller of the two
  int stride;                // of columns, in elements: what LAPACK calls the leading dimension
  size_t element_size, byte_size;  // of one matrix
} tn_matrices_t;

// The last two dimensions; numbers that LAPACK cannot count are refused.
tn_status_t tn__lapack_matrices(const tn_call_t* call, const char* name, const tn_arg_any_t* value,
                                tn_matrices_t* out_matrices);
// The same, square.
tn_status_t tn__lapack_squares(const tn_call_t* call, const char* name, const tn_arg_any_t* value,
                               tn_matrices_t* out_matrices);
// That `value` has this dtype and a batch of x's with these dimensions for each matrix.
tn_status_t tn__lapack_expect(const tn_call_t* call, const char* name, const tn_arg_any_t* value,
                              tn_ffi_dtype_t dtype, const tn_arg_any_t* x, size_t rank,
                              const int64_t* dims);
// A letter that LAPACK takes: one of `letters`.
tn_status_t tn__lapack_letter(const tn_call_t* call, const char* name, uint8_t value,
                              const char* letters);

// The body of a handler sees arguments and results as types of their own; all have one layout.
#define TN_LAPACK_VALUE(call, value) (const tn_arg_any_t*)(const void*)&(call)->value
#define TN_LAPACK_EXPECT(call, value, dtype, x, ...)                                     \
  TN_TRY(tn__lapack_expect(                                                              \
      (call)->tn, #value, TN_LAPACK_VALUE(call, value), dtype, TN_LAPACK_VALUE(call, x), \
      sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (int64_t[]){__VA_ARGS__}))
// One number for each matrix.
#define TN_LAPACK_EXPECT_EACH(call, value, dtype, x)                                \
  TN_TRY(tn__lapack_expect((call)->tn, #value, TN_LAPACK_VALUE(call, value), dtype, \
                           TN_LAPACK_VALUE(call, x), 0, NULL))
#define TN_LAPACK_MATRICES(call, value, out) \
  TN_TRY(tn__lapack_matrices((call)->tn, #value, TN_LAPACK_VALUE(call, value), out))
#define TN_LAPACK_SQUARES(call, value, out) \
  TN_TRY(tn__lapack_squares((call)->tn, #value, TN_LAPACK_VALUE(call, value), out))

// --- loops

// `run` does matrix `index` with `work_length` bytes of its own, on any thread.
typedef struct tn_lapack_loop {
  void (*run)(const void* job, int64_t index, char* work);
  const void* job;
  size_t work_length;
} tn_lapack_loop_t;

tn_status_t tn__lapack_run(const tn_call_t* call, const tn_matrices_t* matrices,
                           const tn_lapack_loop_t* loop);

// Copies an operand to its result, unless they are in one place.
static inline void tn__lapack_copy(const void* operand, void* result, size_t byte_size) {
  if (operand != result && byte_size) memcpy(result, operand, byte_size);
}

// How much work space a query asks for: the number that it left in `answer`, an element of `dtype`.
int tn__lapack_answer(tn_ffi_dtype_t dtype, const void* answer);

static inline size_t tn__lapack_align(size_t length) {
  return (length + 63) / 64 * 64;
}
// Takes a part of the work space.
static inline void* tn__lapack_part(char** work, size_t length) {
  void* part = *work;
  *work += tn__lapack_align(length);
  return part;
}

#endif  // TENON_CALL_LAPACK_BATCH_H_
