// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Where the nodes of a program are computed when the device's memory is not the host's: on the
// device, or by kernels of the host, between copies (pass/place.c decides). On the host everything
// is TN_ON_DEVICE.
#ifndef TENON_KERNEL_PLACEMENT_H_
#define TENON_KERNEL_PLACEMENT_H_

#include "ir/ir.h"
#include "kernel/target.h"

// `tenon.to_host` and `tenon.to_device`: the operand's bytes in the other memory. They are in no
// table: no text has them, and the executor copies (program/encode.c).
extern const tn_op_t tn__op_to_host, tn__op_to_device;
extern const tn_kernel_t tn__kernel_to_host, tn__kernel_to_device;

// while, if, case: the runner reads their predicates and runs their regions.
static inline bool tn__op_is_control(const tn_op_t* op) {
  return op == TN__OP(while) || op == TN__OP(if) || op == TN__OP(case);
}

static inline bool tn__op_is_transfer(const tn_op_t* op) {
  return op == &tn__op_to_host || op == &tn__op_to_device;
}

// Whose kernels compute the node.
const tn_compile_target_t* tn__node_target(const tn_node_t* node);

// Whether the value is in the host's memory, and the device's is another.
bool tn__value_is_on_host(const tn_value_t* value);

#endif  // TENON_KERNEL_PLACEMENT_H_
