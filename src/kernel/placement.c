// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/placement.h"

const tn_op_t tn__op_to_host = {
    .name = "tenon.to_host",
    .operands = 1,
    .results = 1,
    .traits = TN_PURE,
    .doc = "The operand in the host's memory.",
};

const tn_op_t tn__op_to_device = {
    .name = "tenon.to_device",
    .operands = 1,
    .results = 1,
    .traits = TN_PURE,
    .doc = "The operand in the device's memory.",
};

const tn_kernel_t tn__kernel_to_host = {.op = "tenon.to_host", .name = "copy.to_host"};
const tn_kernel_t tn__kernel_to_device = {.op = "tenon.to_device", .name = "copy.to_device"};

static const tn_compile_target_t* module_target(const tn_region_t* region) {
  return region->function->module->target;
}

const tn_compile_target_t* tn__node_target(const tn_node_t* node) {
  const bool is_hosts = node->placement == TN_ON_HOST || tn__op_is_control(node->op);
  return is_hosts ? module_target(node->region)->host : module_target(node->region);
}

bool tn__value_is_on_host(const tn_value_t* value) {
  if (module_target(value->region)->is_host) return false;
  const tn_node_t* node = value->node;
  if (node) return node->op == &tn__op_to_host || node->placement != TN_ON_DEVICE;
  const tn_node_t* owner = value->region->parent;
  if (!owner) return false;
  return owner->placement != TN_ON_DEVICE || !tn__op_is_control(owner->op);
}
