// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Between the driver that is simulated and the kernels that its compiler makes, which are C++.
#ifndef SIMULATED_CUDA_KERNEL_H_
#define SIMULATED_CUDA_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

typedef struct sim_dims {
  uint32_t x, y, z;
} sim_dims_t;

// A block of threads while it runs. Whoever calls sim_kernel_t.run takes threads until none is
// left.
typedef struct sim_block {
  sim_dims_t block_index, block_dims, grid_dims;
  uint32_t next_thread, thread_count;
  // An address of the device to where it is in the process.
  void* (*translate)(struct sim_block* block, void* address);
  // Goes on when all threads of the block have come here, or have ended.
  void (*barrier)(struct sim_block* block);
  int has_failed;  // translate met an address that is no memory of the device
} sim_block_t;

// What a compiled kernel exports, as sim_kernel_<name>.
typedef struct sim_kernel {
  uint32_t parameter_count;
  const uint32_t* parameter_sizes;
  void (*run)(sim_block_t* block, void** parameters);
} sim_kernel_t;

// A "cubin", or "PTX": this, then a shared library, then the source that it was made of.
typedef struct sim_binary {
  char magic[16];
  uint32_t architecture;  // 90: sm_90, compute_90
  uint32_t byte_size;     // of the library
  uint32_t source_size;   // a NUL included
} sim_binary_t;
#define SIM_CUBIN "simulated cubin"
#define SIM_PTX "simulated PTX"

#endif  // SIMULATED_CUDA_KERNEL_H_
