// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What tests see of the cuBLAS that is simulated: its variable `simulated_cublas`.
#ifndef SIMULATED_CUDA_CUBLAS_H_
#define SIMULATED_CUDA_CUBLAS_H_

#include <stdint.h>

typedef struct simulated_cublas {
  int64_t handle_count, live_handle_count;  // that were created, that are not destroyed
  int64_t product_count;                    // that were begun
  int32_t next_status;  // of the next product, which is not begun; 0: as it goes
} simulated_cublas_t;

#endif  // SIMULATED_CUDA_CUBLAS_H_
