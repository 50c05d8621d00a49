// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A product of matrices on the host. cublas.c has the same custom call for CUDA.
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libproduct.so
#include <tenon/custom.h>

#define PRODUCT(ARG, ATTR, RET) \
  ARG(x, f32, dims(n, k))       \
  ARG(w, f32, dims(k, m))       \
  RET(y, f32, dims(n, m))

TN_OP(product, PRODUCT, "y = x w") {
  const int64_t rows = tn_dim(call->x, 0), depth = tn_dim(call->x, 1), columns = tn_dim(call->w, 1);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < depth; ++p) {
        sum += call->x.data[i * depth + p] * call->w.data[p * columns + j];
      }
      call->y.data[i * columns + j] = sum;
    }
  }
  return TN_OK;
}

TN_LIBRARY(product)
