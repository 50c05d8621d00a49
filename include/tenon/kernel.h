// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Strided kernels: operations whose kernel receives operands by their strides and may allocate,
// donate or alias its outputs (MLX's eval_cpu), and the loops over strided arrays that such kernels
// need.
#ifndef TENON_KERNEL_H_
#define TENON_KERNEL_H_

#include <tenon/detail/eval.h>
#include <tenon/detail/strided.h>

#endif  // TENON_KERNEL_H_
