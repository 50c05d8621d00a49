// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Recognising what a region computes, so that kernels need not run it element by element.
#ifndef TENON_KERNEL_BODY_SHAPE_H_
#define TENON_KERNEL_BODY_SHAPE_H_

#include "ir/ir.h"
#include "kernel/kernel.h"

// Lists are in the arena.
TN_MUST_USE tn_status_t tn__body_shape(const tn_region_t* region, tn_arena_t* arena,
                                       tn_body_shape_t* out_shape);

#endif  // TENON_KERNEL_BODY_SHAPE_H_
