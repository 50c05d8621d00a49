// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How much arithmetic a product of matrices or a convolution is.
#ifndef TENON_KERNEL_WORK_H_
#define TENON_KERNEL_WORK_H_

#include "ir/ir.h"

// Multiplications and additions of dot, dot_general and convolution by their definition, products
// with padding included; 0 of other operations. As much as a kernel that saves some is compared
// with.
uint64_t tn__node_work(const tn_node_t* node);

#endif  // TENON_KERNEL_WORK_H_
