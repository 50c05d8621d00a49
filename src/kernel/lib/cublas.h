// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// cuBLAS: matrix products on devices of CUDA. It comes with CUDA and is found at run time; its
// types and numbers are those of its documentation.
#ifndef TENON_KERNEL_LIB_CUBLAS_H_
#define TENON_KERNEL_LIB_CUBLAS_H_

#include "kernel/lib/library.h"

typedef struct tn_cublas_object* tn_cublas_handle_t;

enum {
  TN_CUBLAS_SUCCESS = 0,
  TN_CUBLAS_ALLOC_FAILED = 3,
  TN_CUBLAS_AS_IS = 0,
  TN_CUBLAS_TRANSPOSED = 1,
  // Sums below 32 bits stay in single precision to their end.
  TN_CUBLAS_NO_REDUCED_SUMS = 16,
  // Types of elements.
  TN_CUBLAS_F32 = 0,
  TN_CUBLAS_F64 = 1,
  TN_CUBLAS_F16 = 2,
  TN_CUBLAS_C64 = 4,
  TN_CUBLAS_C128 = 5,
  TN_CUBLAS_BF16 = 14,
  // What is computed in.
  TN_CUBLAS_COMPUTE_F32 = 68,
  TN_CUBLAS_COMPUTE_F64 = 70,
  TN_CUBLAS_COMPUTE_TF32 = 77,  // from f32 that are rounded to 10 bits behind the point
  TN_CUBLAS_ANY_ALGORITHM = -1,
};

// The functions, by their names without "cublas".
typedef struct tn_cublas {
#define TN_CUBLAS_FUNCTION(result, name, suffix, ...) result (*name)(__VA_ARGS__);
#include "kernel/lib/cublas.def"
#undef TN_CUBLAS_FUNCTION
} tn_cublas_t;

// Loads the library when first called, of a version that the driver takes. NULL when it is not
// there or unfit; `out_reason`, which may be NULL, says so in static text.
const tn_cublas_t* tn__cublas(const char** out_reason);
// Which one it is: "12.4.5 (libcublas.so.12)", or NULL.
const char* tn__cublas_version(const char** out_reason);

#endif  // TENON_KERNEL_LIB_CUBLAS_H_
