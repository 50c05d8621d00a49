// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The kernels of the device `reference`, and its compile target.
#include "kernel/kernel_set.h"
#include "kernel/reference/kernels.h"
#include "kernel/target.h"

static const tn_kernel_t rows[] = {
#define TN_KERNEL(operation, function, supports_, in_place_) \
  {.op = operation,                                          \
   .name = "reference." operation,                           \
   .supports = supports_,                                    \
   .prepare = tn__reference_prepare,                         \
   .run = tn__reference_##function##_run,                    \
   .in_place = in_place_},
#include "kernel/reference/kernels.def"
#undef TN_KERNEL
};

static uint16_t first[TN_OP_ID_COUNT], next[sizeof rows / sizeof *rows];
static const tn_kernel_set_t set = {rows, sizeof rows / sizeof *rows, first, next};
static const tn_kernel_set_t* const sets[] = {&set};

const tn_compile_target_t tn__compile_target_reference = {
    .platform = "reference",
    .host = &tn__compile_target_host,
    .set_count = 1,
    .sets = sets,
};
