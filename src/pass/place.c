// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Says which nodes the device computes and which the host, for devices whose memory is not the
// host's, and puts copies between the two.
//
// Arguments and results are on the device, and so is every value unless a kernel of the host gives
// it. What the device has no kernel for, the host computes, with everything in its regions. A
// region that a kernel of the device calls works in the host's memory, since it is called from
// there. A value that is needed on the other side is copied once, before the first node of its
// region that needs it: until then, the host need not wait for the device, nor for a call whose
// results come later. Of a view that is needed there, what it is a view of is copied.
#include "ir/trace.h"
#include "kernel/placement.h"
#include "pass/passes.h"

typedef struct placer {
  const tn_compile_target_t* target;
  tn_arena_t* scratch;
  // By value id: what stands for the value on the other side; NULL: it is not needed there yet.
  tn_value_t** counterparts;
} placer_t;

static bool is_shared_by_all(const tn_node_t* node) {
  return node->op == TN__OP(constant) || tn__op_has(node->op, TN_FORWARDS) ||
         tn__op_has(node->op, TN_TERMINATOR);
}

static tn_status_t has_kernel(placer_t* placer, const tn_node_t* node, bool* out_has) {
  tn_op_use_t use;
  *out_has = false;
  TN_RETURN_IF_ERROR(tn__node_use(node, placer->scratch, &use));
  *out_has = tn__kernel_find(placer->target, &use) != NULL;
  return TN_OK;
}

// --- copies

static tn_node_t* place_of_copy(const tn_value_t* value, tn_node_t* user) {
  const tn_region_t* region = value->node ? value->node->region : value->region;
  while (user->region != region) user = user->region->parent;
  return user;
}

// The elements of the constant that `value` is, or that it shows one element of; NULL: neither.
static const tn_attr_t* constant_of(tn_value_t* value) {
  const tn_value_t* root = tn__value_root(value);
  const tn_attr_t* constant = tn__pass_constant_of(root);
  if (root == value || !constant) return constant;
  const bool is_same = constant->elements.splat || tn__type_size(root->type) == 1;
  return is_same && tn__type_size(value->type) == 1 ? constant : NULL;
}

// A constant is given again: kernels of the device have its element in their text.
static tn_status_t make_constant(tn_value_t* value, const tn_attr_t* elements, tn_node_t* user,
                                 tn_value_t** out_value) {
  const tn_placement_t placement = tn__value_is_on_host(value) ? TN_ON_DEVICE : TN_ON_HOST;
  tn_pass_attrs_t attrs = {.arena = &user->region->function->module->arena};
  if (value->node->op != TN__OP(constant)) {
    TN_RETURN_IF_ERROR(
        tn__attr_elements(attrs.arena, value->type, true, elements->elements.data, &elements));
  }
  tn__pass_add_attr(&attrs, "value", elements);
  TN_RETURN_IF_ERROR(tn__pass_insert(place_of_copy(value, user), TN__OP(constant), 0, NULL, &attrs,
                                     value->type, out_value));
  (*out_value)->node->placement = placement;
  (*out_value)->node->location = value->node->location;
  (*out_value)->name = value->name;
  return TN_OK;
}

static tn_status_t make_counterpart(tn_value_t* value, tn_node_t* user, tn_value_t** out_value) {
  const tn_attr_t* constant = constant_of(value);
  if (constant) return make_constant(value, constant, user, out_value);
  const tn_op_t* copy = tn__value_is_on_host(value) ? &tn__op_to_device : &tn__op_to_host;
  const tn_node_spec_t spec = {
      .op = copy,
      .operand_count = 1,
      .operands = &value,
      .result_count = 1,
      .result_types = &value->type,
      .location = value->node ? value->node->location : user->location,
  };
  tn_node_t* node = NULL;
  TN_RETURN_IF_ERROR(tn__node_insert(place_of_copy(value, user), &spec, &node));
  node->results[0].name = value->name;
  *out_value = &node->results[0];
  return TN_OK;
}

static bool makes_view(const tn_value_t* value) {
  return value->node && tn__op_has(value->node->op, TN_VIEW);
}

// The same view of the operand's counterpart, which may be NULL.
static tn_status_t make_view(tn_value_t* value, tn_node_t* user, tn_value_t** operand,
                             tn_value_t** out_value) {
  const tn_node_t* maker = value->node;
  const bool to_host = !tn__value_is_on_host(value);
  tn_node_t* node = NULL;
  if (!*operand) TN_RETURN_IF_ERROR(make_counterpart(maker->operands[0], user, operand));
  TN_RETURN_IF_ERROR(tn__node_insert(place_of_copy(value, user),
                                     &(tn_node_spec_t){.op = maker->op,
                                                       .operand_count = 1,
                                                       .operands = operand,
                                                       .result_count = 1,
                                                       .result_types = &value->type,
                                                       .attrs = maker->attrs,
                                                       .location = maker->location},
                                     &node));
  node->placement = to_host ? TN_ON_HOST : TN_ON_DEVICE;
  node->results[0].name = value->name;
  *out_value = &node->results[0];
  return TN_OK;
}

static tn_status_t bring(placer_t* placer, tn_node_t* user, tn_value_t** value, bool to_host) {
  tn_value_t* from = *value;
  bool is_view = false;
  if (tn__value_is_on_host(from) == to_host) return TN_OK;
  tn_value_t** counterpart = &placer->counterparts[from->id];
  // Of views of views the last one is stored: chains may be as long as the program.
  if (!*counterpart && makes_view(from) && !makes_view(from->node->operands[0])) {
    is_view = to_host;
    if (!to_host) TN_RETURN_IF_ERROR(has_kernel(placer, from->node, &is_view));
  }
  if (is_view) {
    tn_value_t** operand = &placer->counterparts[from->node->operands[0]->id];
    TN_RETURN_IF_ERROR(make_view(from, user, operand, counterpart));
  }
  if (!*counterpart) TN_RETURN_IF_ERROR(make_counterpart(from, user, counterpart));
  *value = *counterpart;
  return TN_OK;
}

static tn_status_t bring_operands(placer_t* placer, tn_node_t* node, bool to_host) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    TN_RETURN_IF_ERROR(bring(placer, node, &node->operands[i], to_host));
  }
  return TN_OK;
}

static bool operands_are_on_host(const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (!tn__value_is_on_host(node->operands[i])) return false;
  }
  return node->operand_count > 0;
}

// --- regions

// All in a region of a node that kernels call or the host runs; `by_device`: kernels of the device
// first.
static tn_status_t place_body(placer_t* placer, const tn_region_t* region, bool by_device) {
  TN_FOR_EACH_NODE (node, region) {
    if (node->op == TN__OP_OF(func, call)) {
      return tn__node_locate(
          node, tn_status_create(TN_CODE_UNIMPLEMENTED,
                                 "call: in a region that runs on the host, on a device that is not "
                                 "the host; inline the function"));
    }
    bool has = by_device && is_shared_by_all(node);
    if (by_device && !has) TN_RETURN_IF_ERROR(has_kernel(placer, node, &has));
    node->placement = has ? TN_IN_BODY : TN_ON_HOST;
    TN_RETURN_IF_ERROR(bring_operands(placer, node, true));
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(place_body(placer, node->regions[i], by_device));
    }
  }
  return TN_OK;
}

static tn_status_t place_region(placer_t* placer, const tn_region_t* region);

static tn_status_t place_node(placer_t* placer, tn_node_t* node) {
  const bool is_control = tn__op_is_control(node->op);
  bool is_devices = is_control || node->op == TN__OP_OF(func, call) || is_shared_by_all(node);
  const bool moves_nothing = tn__op_has(node->op, TN_FORWARDS) || tn__op_has(node->op, TN_VIEW);
  if (moves_nothing && operands_are_on_host(node)) {
    node->placement = TN_ON_HOST;
    return TN_OK;
  }
  if (!is_devices) TN_RETURN_IF_ERROR(has_kernel(placer, node, &is_devices));
  if (!is_devices) node->placement = TN_ON_HOST;
  TN_RETURN_IF_ERROR(bring_operands(placer, node, !is_devices));
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_RETURN_IF_ERROR(is_control ? place_region(placer, node->regions[i])
                                  : place_body(placer, node->regions[i], is_devices));
  }
  return TN_OK;
}

// Of the function, or of control flow on the device.
static tn_status_t place_region(placer_t* placer, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    TN_RETURN_IF_ERROR(place_node(placer, node));
  }
  return TN_OK;
}

static tn_status_t place_function(tn_function_t* function, tn_arena_t* scratch) {
  placer_t placer = {.target = function->module->target, .scratch = scratch};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &placer.counterparts));
  TN_RETURN_IF_ERROR(place_region(&placer, function->body));
  tn__function_number(function);
  return TN_OK;
}

// A function that a body calls would be needed on both sides.
static bool bodies_call(const tn_region_t* region, bool is_body) {
  TN_FOR_EACH_NODE (node, region) {
    if (is_body && node->op == TN__OP_OF(func, call)) return true;
    const bool are_bodies = is_body || !tn__op_is_control(node->op);
    for (uint32_t i = 0; i < node->region_count; ++i) {
      if (bodies_call(node->regions[i], are_bodies)) return true;
    }
  }
  return false;
}

tn_status_t tn__pass_place(tn_module_t* module, tn_function_t* entry) {
  bool must_inline = false;
  if (module->target->is_host) return TN_OK;
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    must_inline = must_inline || (f->body && bodies_call(f->body, false));
  }
  if (must_inline) TN_RETURN_IF_ERROR(tn__pass_inline_all(module, entry));
  return tn__pass_for_each_function(module, entry, place_function);
}
