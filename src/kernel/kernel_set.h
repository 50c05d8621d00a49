// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A set of kernels: one table, one author, one instruction set. kernel.c asks the sets in order.
#ifndef TENON_KERNEL_KERNEL_SET_H_
#define TENON_KERNEL_KERNEL_SET_H_

#include "kernel/kernel.h"

typedef struct tn_kernel_set {
  const tn_kernel_t* rows;
  size_t count;
  // Made when first needed: 1 + the first row of each operation of the table, and of each row the
  // next one of its operation; 0: there is none.
  uint16_t *first, *next;
} tn_kernel_set_t;

extern const tn_kernel_set_t tn__kernel_set_lib;        // lib/table.c
extern const tn_kernel_set_t tn__kernel_set_cpu;        // ref/table.c
extern const tn_kernel_set_t tn__kernel_set_reference;  // reference/table.c
extern const tn_kernel_set_t tn__kernel_set_strict;     // reference/table.c
extern const tn_kernel_set_t tn__kernel_set_cublas;     // gpu/cublas_dot.c

#endif  // TENON_KERNEL_KERNEL_SET_H_
