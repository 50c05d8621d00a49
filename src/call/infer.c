// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/infer.h"

#include <stdio.h>

#include "base/type.h"
#include "call/array.h"
#include "call/check.h"
#include "call/dims.h"
#include "call/operation.h"
#include "call/signature.h"
#include "call/site.h"
#include "ir/builder.h"
#include "kernel/target.h"
#include "ops/rule.h"

// --- what `infer` sees: operands that are shapes and dtypes, and functions that make no arrays

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define TN_RULE_FUNCTION(name)                                     \
  static tn_array_t* no_##name(tn_scope_t* scope, tn_array_t* x) { \
    return NULL;                                                   \
  }
TN_RULE_UNARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name)                                                    \
  static tn_array_t* no_##name(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) { \
    return NULL;                                                                  \
  }
TN_RULE_BINARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name, parameters, arguments)                          \
  static tn_array_t* no_##name(tn_scope_t* scope, TN_RULE_UNWRAP parameters) { \
    return NULL;                                                               \
  }
TN_RULE_OTHER(TN_RULE_FUNCTION)
TN_RULE_ADDED(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
static tn_status_t no_vmap(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn_status_create(TN_CODE_FAILED_PRECONDITION, "`infer` has no batch");
}
#pragma GCC diagnostic pop

static void no_results(tn_scope_t* scope, const tn_application_t* application,
                       tn_array_t** out_results) {
  (void)scope;
  for (size_t i = 0; i < application->result_count; ++i) out_results[i] = NULL;
}
static tn_dtype_t dtype_of(const tn_array_t* array) {
  return array ? array->dtype : TN_DTYPE_INVALID;
}
static size_t rank_of(const tn_array_t* array) {
  return array ? array->rank : 0;
}
static const int64_t* dims_of(const tn_array_t* array) {
  return rank_of(array) ? array->dims : NULL;
}
static tn_status_t create_error(tn_code_t code, const char* message) {
  return tn_status_create(code, "%s", message);
}

static const tn_rule_api_t shapes_alone = {
    .struct_size = sizeof(tn_rule_api_t),
#define TN_RULE_FUNCTION(name) .name = no_##name,
    TN_RULE_UNARY(TN_RULE_FUNCTION) TN_RULE_BINARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name, parameters, arguments) .name = no_##name,
        TN_RULE_OTHER(TN_RULE_FUNCTION) TN_RULE_ADDED(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
            .vmap_leading = no_vmap,
    .vmap_sequential = no_vmap,
    .apply = no_results,
    .dtype = dtype_of,
    .rank = rank_of,
    .dims = dims_of,
    .error = create_error,
};

static tn_status_t make_operand(tn_arena_t* arena, const tn_type_t* type, tn_array_t** out_array) {
  void* memory = NULL;
  const size_t rank = tn__type_is_tensor(type) ? type->rank : 0;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate(arena, sizeof(tn_array_t) + rank * sizeof(int64_t), &memory));
  tn_array_t* array = memory;
  atomic_init(&array->references, 1);
  atomic_init(&array->state, TN_ARRAY_PENDING);
  array->flags = TN_ARRAY_ABSTRACT;
  array->dtype = tn_type_dtype(type);
  array->rank = (uint32_t)rank;
  if (rank) memcpy(array->dims, type->dims, rank * sizeof *array->dims);
  *out_array = array;
  return TN_OK;
}

// --- by the definition

static tn_status_t check_type(size_t index, const tn_array_type_t* type) {
  const bool has_dims = type->rank <= TN_MAX_RANK && (type->dims || !type->rank);
  tn_status_t status = has_dims ? tn__type_check(type->dtype, type->rank, type->dims)
                                : tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                                   "rank %zu without dimensions", type->rank);
  return tn_status_prefix(status, "`infer` gives result %zu a type that is not valid", index);
}

static tn_status_t infer_by_definition(const tn_inference_t* inference,
                                       tn_inferred_t* out_results) {
  tn_array_t** operands = NULL;
  tn_array_type_t* types = NULL;
  int64_t(*dims)[TN_MAX_RANK] = NULL;
  tn_arena_t* arena = inference->arena;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, inference->operand_count, &operands));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, inference->result_count, &types));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, inference->result_count, &dims));
  for (size_t i = 0; i < inference->operand_count; ++i) {
    TN_RETURN_IF_ERROR(make_operand(arena, inference->operands[i], &operands[i]));
  }
  const tn_rule_t rule = {
      .struct_size = sizeof rule,
      .api = &shapes_alone,
      .name = inference->name,
      .op = inference->definition,
      .attribute_count = inference->attribute_count,
      .attributes = inference->attributes,
      .operand_count = inference->operand_count,
      .operands = operands,
      .result_count = inference->result_count,
  };
  TN_RETURN_IF_ERROR(inference->definition->infer(&rule, dims, types));
  for (size_t i = 0; i < inference->result_count; ++i) {
    TN_RETURN_IF_ERROR(check_type(i, &types[i]));
    out_results[i] = (tn_inferred_t){types[i].dtype, true, types[i].rank, types[i].dims};
  }
  return TN_OK;
}

// --- by the signature

static const tn_type_t* operand_named(const tn_inference_t* inference, const char* name) {
  const size_t index = name ? tn__op_operand_index(inference->signature, name) : SIZE_MAX;
  return index < inference->operand_count ? inference->operands[index] : NULL;
}

static void take_shape(const tn_type_t* type, tn_inferred_t* out) {
  if (!tn__type_is_tensor(type)) return;
  out->has_shape = true;
  out->rank = type->rank;
  out->dims = type->dims;
}

static tn_status_t infer_by_signature(const tn_inference_t* inference, const tn__sizes_t* sizes,
                                      tn_inferred_t* out_results) {
  const tn_op_def_t* definition = inference->definition;
  const bool is_elementwise = definition && definition->flags & TN_OP_ELEMENTWISE;
  for (size_t i = 0; i < inference->result_count; ++i) {
    const tn_ffi_param_t* param = tn__op_value_param(inference->signature, TN_FFI_PARAM_RET, i);
    tn_inferred_t* out = &out_results[i];
    *out = (tn_inferred_t){.dtype = TN_DTYPE_INVALID};
    if (is_elementwise && inference->operand_count) take_shape(inference->operands[0], out);
    if (!param) continue;
    const tn_type_t* shape = operand_named(inference, param->same_shape_as);
    const tn_type_t* element = operand_named(inference, param->same_dtype_as);
    if (!element && param->flags & TN_FFI_PARAM_LIKE) element = shape;
    out->dtype = element ? tn_type_dtype(element) : tn__dtypes_only(param->dtypes);
    if (shape) take_shape(shape, out);
    if (param->rank == 0) *out = (tn_inferred_t){.dtype = out->dtype, .has_shape = true};
    const char* dims = tn__param_dims(inference->signature, param);
    if (dims) TN_RETURN_IF_ERROR(tn__dims_infer(inference, dims, sizes, out));
  }
  return TN_OK;
}

static bool are_known(size_t count, const tn_type_t* const* types) {
  for (size_t i = 0; i < count; ++i) {
    if (!tn__type_is_static(types[i])) return false;
  }
  return true;
}

tn_status_t tn__call_infer(const tn_inference_t* inference, tn_inferred_t* out_results) {
  const tn_op_def_t* definition = inference->definition;
  tn__sizes_t sizes;
  TN_RETURN_IF_ERROR(tn__dims_learn(inference, NULL, &sizes));
  TN_RETURN_IF_ERROR(infer_by_signature(inference, &sizes, out_results));
  if (!definition || !definition->infer) return TN_OK;
  if (!are_known(inference->operand_count, inference->operands)) return TN_OK;
  return infer_by_definition(inference, out_results);
}

// --- what a call states

static bool agrees(const tn_inferred_t* inferred, const tn_type_t* stated) {
  if (!tn__type_is_tensor(stated)) return inferred->dtype == tn_type_dtype(stated);
  if (inferred->dtype != TN_DTYPE_INVALID && inferred->dtype != stated->dtype) return false;
  if (!inferred->has_shape) return true;
  if (inferred->rank != stated->rank) return false;
  for (size_t axis = 0; axis < stated->rank; ++axis) {
    if (!tn__dims_agree(inferred->dims[axis], stated->dims[axis])) return false;
  }
  return true;
}

static tn_status_t refuse(const tn_inference_t* inference, int32_t kind, size_t index,
                          const tn_inferred_t* inferred, const tn_type_t* stated) {
  const tn_ffi_param_t* param = tn__op_value_param(inference->signature, kind, index);
  const bool is_named = param && *param->name;
  tn_type_t expected = {.kind = TN_TYPE_TENSOR, .dtype = inferred->dtype};
  if (expected.dtype == TN_DTYPE_INVALID) expected.dtype = tn_type_dtype(stated);
  if (expected.dtype == TN_DTYPE_TOKEN) expected.kind = TN_TYPE_TOKEN;
  expected.rank = inferred->has_shape ? inferred->rank : tn_type_rank(stated);
  expected.dims = inferred->has_shape ? inferred->dims : tn_type_dims(stated);
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s %zu%s%s%s: expected %s; found %s",
                          kind == TN_FFI_PARAM_ARG ? "operand" : "result", index,
                          is_named ? " (" : "", is_named ? param->name : "", is_named ? ")" : "",
                          TN_TYPE_TEXT(&expected), TN_TYPE_TEXT(stated));
}

// Elementwise operations have one shape.
static tn_status_t check_operands(const tn_inference_t* inference) {
  const tn_op_def_t* definition = inference->definition;
  tn_inferred_t shape = {.dtype = TN_DTYPE_INVALID};
  if (!definition || !(definition->flags & TN_OP_ELEMENTWISE)) return TN_OK;
  for (size_t i = 0; i < inference->operand_count; ++i) {
    const tn_type_t* operand = inference->operands[i];
    if (!shape.has_shape) take_shape(operand, &shape);
    if (shape.has_shape && !agrees(&shape, operand)) {
      return refuse(inference, TN_FFI_PARAM_ARG, i, &shape, operand);
    }
  }
  return TN_OK;
}

tn_status_t tn__call_check_results(const tn_inference_t* inference,
                                   const tn_type_t* const* results) {
  tn_inferred_t* inferred = NULL;
  TN_RETURN_IF_ERROR(check_operands(inference));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(inference->arena, inference->result_count, &inferred));
  TN_RETURN_IF_ERROR(tn__call_infer(inference, inferred));
  for (size_t i = 0; i < inference->result_count; ++i) {
    const bool is_open = inferred[i].dtype == TN_DTYPE_INVALID && !inferred[i].has_shape;
    if (is_open || agrees(&inferred[i], results[i])) continue;
    return refuse(inference, TN_FFI_PARAM_RET, i, &inferred[i], results[i]);
  }
  // Names that results alone have.
  tn__sizes_t sizes;
  return tn__dims_learn(inference, results, &sizes);
}

tn_status_t tn__call_inference(const tn_call_site_t* call, const tn_op_t* op,
                               const tn_ffi_op_t* signature, const tn_attr_dictionary_t* attrs,
                               tn_inference_t* out_inference) {
  tn_attribute_t* attributes = NULL;
  bool is_complete = true;
  tn_arena_t* arena = call->site->arena;
  TN_RETURN_IF_ERROR(tn__attribute_list(attrs, arena, &attributes, &is_complete));
  *out_inference = (tn_inference_t){.name = op->name,
                                    .definition = tn__op_definition(op),
                                    .signature = signature,
                                    .attribute_count = attrs->count,
                                    .attributes = attributes,
                                    .operand_count = call->operand_count,
                                    .result_count = call->result_count,
                                    .operands = call->operands,
                                    .arena = arena};
  return TN_OK;
}

tn_status_t tn__call_check_inferred(const tn_call_site_t* call, const tn_ffi_op_t* signature,
                                    const tn_attr_dictionary_t* attrs) {
  tn_inference_t inference;
  TN_RETURN_IF_ERROR(tn__call_inference(call, call->site->use->op, signature, attrs, &inference));
  return tn__call_check_results(&inference, call->results);
}

// --- custom calls of a module

// Operands that give sizes to the compiler are not passed to the handler.
static tn_status_t drop_shape_operands(const tn_op_use_t* use, tn_call_site_t* call) {
  tn_i64_list_t dropped;
  size_t count = 0;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&use->attrs, "indices_of_shape_operands", use->arena, &dropped));
  for (size_t i = 0; i < call->operand_count; ++i) {
    bool is_dropped = false;
    for (size_t k = 0; k < dropped.count; ++k) is_dropped |= dropped.values[k] == (int64_t)i;
    if (!is_dropped) call->operands[count++] = call->operands[i];
  }
  call->operand_count = count;
  return TN_OK;
}

// *out_inference has neither definition nor signature where there is nothing to infer by.
static tn_status_t read_node(const tn_node_t* node, tn_arena_t* arena, tn_call_site_t* out_call,
                             tn_inference_t* out_inference) {
  tn_op_use_t* use = NULL;
  tn_kernel_site_t* site = NULL;
  tn_attr_dictionary_t attrs;
  const tn_compile_target_t* on = node->region->function->module->target;
  const tn_target_t* target = on ? tn__op_target_for(node->op, on->platform) : NULL;
  *out_inference = (tn_inference_t){.name = node->op->name, .arena = arena};
  if (!target) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &use));
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &site));
  TN_RETURN_IF_ERROR(tn__node_use(node, arena, use));
  if (tn__call_version(use) != TN_API_VERSION_TYPED_FFI) return TN_OK;
  *site = (tn_kernel_site_t){.use = use, .arena = arena, .target = on};
  TN_RETURN_IF_ERROR(tn__call_site_read(site, out_call));
  if (out_call->result_count != node->result_count) return TN_OK;
  if (out_call->operand_count != node->operand_count) return TN_OK;
  TN_RETURN_IF_ERROR(drop_shape_operands(use, out_call));
  attrs = out_call->attrs;
  if (target->op) {
    TN_RETURN_IF_ERROR(tn__call_fit_attributes(target->op, false, &out_call->attrs, arena, &attrs));
  }
  return tn__call_inference(out_call, node->op, target->op, &attrs, out_inference);
}

tn_status_t tn__call_infer_node(const tn_node_t* node, tn_arena_t* arena,
                                tn_inferred_t* out_results) {
  tn_call_site_t call = {0};
  tn_inference_t inference;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    out_results[i] = (tn_inferred_t){.dtype = TN_DTYPE_INVALID};
  }
  tn_status_t status = read_node(node, arena, &call, &inference);
  if (!status) status = tn__call_infer(&inference, out_results);
  return tn_status_prefix(status, "custom call @%s", node->op->name);
}

static tn_status_t check_node(const tn_node_t* node, tn_arena_t* arena) {
  tn_call_site_t call = {0};
  tn_inference_t inference;
  TN_RETURN_IF_ERROR(read_node(node, arena, &call, &inference));
  if (inference.signature) {
    TN_RETURN_IF_ERROR(tn__call_check_types(inference.signature, call.operand_count, call.operands,
                                            call.result_count, call.results));
  }
  return tn__call_check_results(&inference, call.results);
}

tn_status_t tn__call_check_node(const tn_node_t* node, tn_arena_t* arena) {
  tn_status_t status = check_node(node, arena);
  if (!status) return TN_OK;
  return tn__node_locate(node, tn_status_prefix(status, "custom call @%s", node->op->name));
}
