// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The table of the CPU's own kernels.
#include "kernel/common/site.h"
#include "kernel/contraction/dot.h"
#include "kernel/contraction/ragged_dot.h"
#include "kernel/control/check.h"
#include "kernel/control/control.h"
#include "kernel/convolution/convolution.h"
#include "kernel/elementwise/elementwise.h"
#include "kernel/fourier/fft.h"
#include "kernel/fusion/fusion.h"
#include "kernel/gather_scatter/gather.h"
#include "kernel/gather_scatter/scatter.h"
#include "kernel/kernel_set.h"
#include "kernel/linalg/linear.h"
#include "kernel/movement/dynamic.h"
#include "kernel/movement/generate.h"
#include "kernel/movement/movement.h"
#include "kernel/random/random.h"
#include "kernel/reduction/batch_norm.h"
#include "kernel/reduction/map_region.h"
#include "kernel/reduction/reduce.h"
#include "kernel/reduction/reduce_window.h"
#include "kernel/reduction/scan_region.h"
#include "kernel/reduction/select_and_scatter.h"
#include "kernel/row_blocks/row_blocks.h"
#include "kernel/sort/sort.h"
#include "kernel/sort/top_k.h"
#include "ops/scalar.h"

static const tn_kernel_t rows[] = {
#define TN_KERNEL(operation, ...) {.op = operation, .name = "cpu." operation, __VA_ARGS__},
#include "kernel/kernels.def"
#undef TN_KERNEL
};

static uint16_t first[TN_OP_ID_COUNT], next[sizeof rows / sizeof *rows];
const tn_kernel_set_t tn__kernel_set_cpu = {rows, sizeof rows / sizeof *rows, first, next};
