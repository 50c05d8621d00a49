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
const tn_kernel_set_t tn__kernel_set_reference = {rows, sizeof rows / sizeof *rows, first, next};
static const tn_kernel_set_t* const sets[] = {&tn__kernel_set_reference};

// What strict arithmetic computes in another way: reference kernels round its sums once.
#define STRICT(operation, function, supports_)                                     \
  {                                                                                \
    .op = operation, .name = "strict." operation, .supports = supports_,           \
    .prepare = tn__reference_prepare_strict, .run = tn__reference_##function##_run \
  }
static const tn_kernel_t strict_rows[] = {
    STRICT("dot_general", dot, NULL),
    STRICT("dot", dot, NULL),
    STRICT("convolution", convolution, NULL),
    STRICT("reduce", reduce, tn__reference_fold_supports),
    STRICT("reduce_window", reduce_window, tn__reference_fold_supports),
    STRICT("select_and_scatter", select_and_scatter, NULL),
    STRICT("scatter", scatter, tn__reference_fold_supports),
};
#undef STRICT

static uint16_t strict_first[TN_OP_ID_COUNT], strict_next[sizeof strict_rows / sizeof *strict_rows];
const tn_kernel_set_t tn__kernel_set_strict = {
    strict_rows, sizeof strict_rows / sizeof *strict_rows, strict_first, strict_next};

const tn_compile_target_t tn__compile_target_reference = {
    .platform = "reference",
    .host = &tn__compile_target_host,
    .set_count = 1,
    .sets = sets,
};
