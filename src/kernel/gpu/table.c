// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The kernels of GPUs, and their compile targets.
#include "kernel/gpu/gpu.h"
#include "kernel/kernel_set.h"
#include "kernel/target.h"
#include "ops/scalar.h"

#define ROW(operation, supports_, prepare_, takes_view_, in_place_) \
  {.op = operation,                                                 \
   .name = "gpu." operation,                                        \
   .supports = (supports_),                                         \
   .prepare = (prepare_),                                           \
   .run = tn__gpu_run,                                              \
   .takes_view = (takes_view_),                                     \
   .in_place = (in_place_)},

static const tn_kernel_t rows[] = {
#define TN_KERNEL(...) ROW(__VA_ARGS__)
#define TN_KERNEL_OF_LANES(...)
#include "kernel/gpu/kernels.def"
#undef TN_KERNEL
#undef TN_KERNEL_OF_LANES
};

static const tn_kernel_t rows_of_lanes[] = {
#define TN_KERNEL(...)
#define TN_KERNEL_OF_LANES(...) ROW(__VA_ARGS__)
#include "kernel/gpu/kernels.def"
#undef TN_KERNEL
#undef TN_KERNEL_OF_LANES
};
#undef ROW

static uint16_t first[TN_OP_ID_COUNT], next[sizeof rows / sizeof *rows];
static uint16_t first_of_lanes[TN_OP_ID_COUNT],
    next_of_lanes[sizeof rows_of_lanes / sizeof *rows_of_lanes];
static const tn_kernel_set_t set = {rows, sizeof rows / sizeof *rows, first, next};
static const tn_kernel_set_t set_of_lanes = {
    rows_of_lanes, sizeof rows_of_lanes / sizeof *rows_of_lanes, first_of_lanes, next_of_lanes};
static const tn_kernel_set_t* const sets[] = {&set};
static const tn_kernel_set_t* const cuda_sets[] = {&tn__kernel_set_cublas, &set, &set_of_lanes};

const tn_compile_target_t tn__compile_target_opencl = {
    .platform = "OpenCL",
    .has_encoder = true,
    .fusion = &tn__gpu_fusion_rules,
    .fusion_element_count = -1,
    .host = &tn__compile_target_host,
    .set_count = 1,
    .sets = sets,
};

const tn_compile_target_t tn__compile_target_cuda = {
    .platform = "CUDA",
    .has_encoder = true,
    .fusion = &tn__gpu_fusion_rules,
    .fusion_element_count = -1,
    .has_lanes = true,
    .host = &tn__compile_target_host,
    .set_count = sizeof cuda_sets / sizeof *cuda_sets,
    .sets = cuda_sets,
    .libraries = UINT32_MAX,
};
