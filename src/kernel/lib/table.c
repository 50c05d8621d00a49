// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The table of the kernels of libraries.
#include "kernel/common/site.h"
#include "kernel/contraction/dot.h"
#include "kernel/kernel_set.h"
#include "kernel/lib/library.h"
#include "kernel/lib/onednn_convolution.h"
#include "kernel/lib/onednn_dot.h"
#include "kernel/lib/openblas_dot.h"
#include "kernel/lib/openblas_linear.h"

static const tn_kernel_t rows[] = {
#define TN_KERNEL(NAME, text, operation, ...) \
  {.op = operation,                           \
   .name = text "." operation,                \
   .tier = "library " text,                   \
   .library = TN_KERNEL_##NAME + 1,           \
   __VA_ARGS__},
#include "kernel/lib/kernels.def"
#undef TN_KERNEL
};

static uint16_t first[TN_OP_ID_COUNT], next[sizeof rows / sizeof *rows];
const tn_kernel_set_t tn__kernel_set_lib = {rows, sizeof rows / sizeof *rows, first, next};
