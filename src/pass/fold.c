// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// constant-folding: computes small values whose operands are constants, with the kernels that would
// compute them at run time; and gives operations their static forms once the operands that say how
// large things are have become constants.
#include "kernel/kernel.h"
#include "kernel/static_form.h"
#include "kernel/target.h"
#include "pass/passes.h"

enum {
  RESULT_LIMIT_BYTES = 1024,    // of one folded value
  OPERAND_LIMIT_BYTES = 65536,  // of one operand
};

const tn_attr_t* tn__pass_constant_of(const tn_value_t* value) {
  return value->node && value->node->op == TN__OP(constant)
             ? tn__attr_find(&value->node->attrs, "value")
             : NULL;
}

// What others wrote is computed when the program runs, unless its author says that it is nothing
// but a function of elements.
static bool is_not_ours(const tn_op_t* op) {
  return tn__op_has(op, TN_FOREIGN) && !tn__op_has(op, TN_ELEMENTWISE);
}

TN_APART static bool can_fold(const tn_node_t* node) {
  if (node->op == TN__OP(constant) || is_not_ours(node->op) || node->region_count ||
      tn__static_form_of(node->op) || node->result_count != 1 || node->operand_count == 0 ||
      !tn__pass_is_pure(node)) {
    return false;
  }
  const tn_type_t* type = node->results[0].type;
  if (!tn__type_is_tensor(type) || !tn__type_is_static(type) ||
      tn__type_byte_size(type) > RESULT_LIMIT_BYTES) {
    return false;
  }
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* operand = tn__value_resolve(node->operands[i]);
    if (!tn__pass_constant_of(operand) || tn__type_byte_size(operand->type) > OPERAND_LIMIT_BYTES) {
      return false;
    }
  }
  return true;
}

static tn_status_t operand_data(const tn_value_t* value, tn_arena_t* scratch, const void** out) {
  const tn_attr_t* attr = tn__pass_constant_of(value);
  size_t byte_size = tn__type_byte_size(value->type);
  *out = attr->elements.data;
  if (!attr->elements.splat || tn__type_size(value->type) == 1) return TN_OK;
  void* memory = NULL;
  size_t size = tn_dtype_byte_size(value->type->dtype);
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(scratch, byte_size, 64, &memory));
  for (size_t i = 0; i < byte_size; i += size) {
    memcpy((char*)memory + i, attr->elements.data, size);
  }
  *out = memory;
  return TN_OK;
}

// What floats are rounded to is for a device to say that is not the host.
static bool is_devices(const tn_node_t* node) {
  const tn_compile_target_t* target = node->region->function->module->target;
  const tn_kind_t rounded = TN_KIND_FLOAT | TN_KIND_COMPLEX;
  bool has_floats = tn_dtype_kind(node->results[0].type->dtype) & rounded;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    has_floats = has_floats || tn_dtype_kind(node->operands[i]->type->dtype) & rounded;
  }
  return has_floats && target && !target->is_host;
}

// *out_data is NULL when the kernel needs more than a call.
static tn_status_t run_kernel(const tn_node_t* node, const tn_kernel_t* kernel,
                              const tn_kernel_site_t* site, tn_arena_t* scratch, void** out_data) {
  if (site->local_byte_size) return TN_OK;
  const void** operands = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, node->operand_count, &operands));
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    TN_RETURN_IF_ERROR(operand_data(tn__value_resolve(node->operands[i]), scratch, &operands[i]));
  }
  void *result = NULL, *work = NULL;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_aligned(scratch, tn__type_byte_size(node->results[0].type), 64, &result));
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(scratch, site->scratch_byte_size, 64, &work));
  tn_kernel_context_t context = {.pool = NULL};
  tn_kernel_call_t call = {.operands = operands,
                           .results = &result,
                           .state = site->state,
                           .scratch = work,
                           .context = &context};
  TN_RETURN_IF_ERROR(kernel->run(&call));
  *out_data = result;
  return TN_OK;
}

// *out_data is NULL when no kernel wants to compute it now. What an author's kernel refuses is left
// for it to refuse when it runs.
static tn_status_t compute(const tn_node_t* node, tn_arena_t* scratch, void** out_data) {
  const tn_compile_target_t* target = node->region->function->module->target->host;
  tn_op_use_t use;
  *out_data = NULL;
  if (is_devices(node)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  const tn_kernel_t* kernel = tn__kernel_find(target, &use);
  if (!kernel) return TN_OK;
  tn_kernel_site_t site = {.use = &use, .arena = scratch, .target = target, .node = node};
  tn_status_t status = kernel->prepare ? kernel->prepare(&site) : TN_OK;
  if (!status) status = run_kernel(node, kernel, &site, scratch, out_data);
  if (site.state && site.state_deinit) site.state_deinit(site.state);
  if (!tn__op_has(node->op, TN_FOREIGN)) return status;
  tn_status_release(status);
  return TN_OK;
}

TN_APART tn_status_t tn__pass_fold_node(tn_node_t* node, tn_arena_t* scratch) {
  void* data = NULL;
  if (!can_fold(node)) return TN_OK;
  TN_RETURN_IF_ERROR(compute(node, scratch, &data));
  if (!data) return TN_OK;
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_type_t* type = node->results[0].type;
  const tn_attr_t *value = NULL, *dictionary = NULL;
  TN_RETURN_IF_ERROR(tn__attr_elements(arena, type, false, data, &value));
  tn_named_attr_t named = {TN_SV_LITERAL("value"), value};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &dictionary));
  tn_node_t* constant = NULL;
  TN_RETURN_IF_ERROR(tn__node_insert(node,
                                     &(tn_node_spec_t){.op = TN__OP(constant),
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = dictionary->dictionary,
                                                       .location = node->location},
                                     &constant));
  constant->results[0].name = node->results[0].name;
  node->results[0].replacement = &constant->results[0];
  tn__node_remove(node);
  return TN_OK;
}

// What does not fit its type stays as it is: it may be in a branch that is never taken.
TN_APART tn_status_t tn__pass_fix_node(tn_node_t* node, tn_arena_t* scratch) {
  const tn_static_form_t* form = tn__static_form_of(node->op);
  const int64_t* values[3];
  tn_op_use_t use, fixed;
  if (!form || !tn__type_is_static(node->results[0].type)) return TN_OK;
  for (size_t i = form->data_count; i < node->operand_count; ++i) {
    const tn_value_t* operand = tn__value_resolve(node->operands[i]);
    const tn_attr_t* attr = tn__pass_constant_of(operand);
    if (!attr) return TN_OK;
    TN_RETURN_IF_ERROR(tn__static_form_read(scratch, operand->type, attr->elements.data,
                                            attr->elements.splat, &values[i - form->data_count]));
  }
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  tn_arena_t* arena = &node->region->function->module->arena;
  tn_status_t status = tn__static_form_use(form, &use, values, arena, &fixed);
  if (status) {
    bool is_misfit = tn_status_code(status) == TN_CODE_INVALID_ARGUMENT;
    if (is_misfit) tn_status_release(status);
    return is_misfit ? TN_OK : status;
  }
  node->op = fixed.op;
  node->operand_count = (uint32_t)fixed.operand_count;
  node->attrs = fixed.attrs;
  return TN_OK;
}

static tn_status_t fold_region(tn_region_t* region, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(fold_region(node->regions[i], scratch));
    }
    TN_RETURN_IF_ERROR(tn__pass_fix_node(node, scratch));
    TN_RETURN_IF_ERROR(tn__pass_fold_node(node, scratch));
  }
  return TN_OK;
}

static tn_status_t fold_function(tn_function_t* function, tn_arena_t* scratch) {
  TN_RETURN_IF_ERROR(fold_region(function->body, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_fold_constants(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, fold_function);
}
