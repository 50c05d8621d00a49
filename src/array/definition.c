// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "array/definition.h"

#include "array/common.h"
#include "array/rule.h"
#include "base/options.h"
#include "base/type.h"
#include "call/check.h"
#include "call/fitted.h"
#include "call/infer.h"
#include "call/operation.h"
#include "call/registry.h"
#include "call/signature.h"
#include "ir/builder.h"

tn_status_t tn_context_register_op(tn_context_t* context, const tn_op_def_t* definition) {
  static const char name[] = "tn_op_register";
  TN_RETURN_IF_NULL(definition);
  // Definitions of older libraries end before what was added since.
  if (definition->struct_size < offsetof(tn_op_def_t, eval_cpu) || !definition->handler) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: there is no handler, or struct_size is too small", name);
  }
  const tn_ffi_op_t* op = definition->handler;
  tn_target_spec_t spec = tn__target_spec_of(op);
  spec.definition = definition;
  return tn__registry_add(context, &spec, TN_REGISTER_STRICT);
}

tn_status_t tn_op_register(const tn_op_def_t* definition) {
  return tn_context_register_op(tn__library_context(), definition);
}

// One use that is being checked.
typedef struct use {
  tn_scope_t* scope;
  const tn_ffi_op_t* signature;   // NULL: there is none
  const tn_op_def_t* definition;  // NULL: there is none
  const tn_application_t* application;
  const char* name;  // of the operation, for messages
  tn_arena_t arena;
  tn_fitted_t* fitted;    // retained
  tn_array_t** operands;  // promoted and broadcast
  tn_array_type_t* types;
} use_t;

// --- operands and results

static bool accepts(const tn_ffi_param_t* param, tn_dtype_t dtype) {
  return !param || (dtype < 64 && param->dtypes >> dtype & 1);
}

// The dtype in which an element-wise operation computes.
static tn_status_t choose_dtype(const use_t* use, tn_dtype_t* out_dtype) {
  const tn_ffi_param_t* param = tn__op_value_param(use->signature, TN_FFI_PARAM_ARG, 0);
  const tn_array_t* error =
      tn__result_type(use->scope, use->application->operand_count, use->operands, out_dtype);
  if (error) return tn_array_status(error);
  if (accepts(param, *out_dtype)) return TN_OK;
  if (!tn_issubdtype(*out_dtype, TN_CATEGORY_INEXACT) && accepts(param, TN_DTYPE_F32)) {
    *out_dtype = TN_DTYPE_F32;
    return TN_OK;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: it does not take %s; expected %s",
                          use->name, tn_dtype_name(*out_dtype), TN_DTYPES_TEXT(param->dtypes));
}

// Whether the operands have one dtype, which the operation takes, and one shape.
static bool are_alike(const use_t* use) {
  const tn_array_t* first = use->operands[0];
  for (size_t i = 1; i < use->application->operand_count; ++i) {
    const tn_array_t* it = use->operands[i];
    if (it->dtype != first->dtype || it->rank != first->rank) return false;
    for (size_t axis = 0; axis < it->rank; ++axis) {
      if (it->dims[axis] != first->dims[axis]) return false;
    }
  }
  return accepts(tn__op_value_param(use->signature, TN_FFI_PARAM_ARG, 0), first->dtype);
}

static tn_status_t broadcast_operands(use_t* use, tn_array_shape_t* out_shape) {
  const tn_application_t* application = use->application;
  const size_t count = application->operand_count;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (are_alike(use)) {
    const tn_array_t* first = use->operands[0];
    out_shape->rank = first->rank;
    if (first->rank) memcpy(out_shape->dims, first->dims, first->rank * sizeof *first->dims);
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(choose_dtype(use, &dtype));
  const tn_array_t* error = tn__broadcast_shapes(use->scope, count, use->operands, out_shape);
  if (error) return tn_array_status(error);
  for (size_t i = 0; i < count; ++i) {
    tn_array_t* operand = tn_array_astype(use->scope, use->operands[i], dtype);
    use->operands[i] = tn_array_broadcast_to(use->scope, operand, out_shape->rank, out_shape->dims);
  }
  // What the author infers is of arrays with shapes.
  return tn__scope_check(use->scope, use->name, count, use->operands);
}

// Types of tensors, for checks.
static tn_status_t tensors(tn_arena_t* arena, size_t count, tn_type_t** out_types,
                           const tn_type_t*** out_list) {
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, out_types));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, out_list));
  for (size_t i = 0; i < count; ++i) (*out_list)[i] = &(*out_types)[i];
  return TN_OK;
}

static tn_status_t operand_types(use_t* use, tn_type_t** out_types, const tn_type_t*** out_list) {
  TN_RETURN_IF_ERROR(tensors(&use->arena, use->application->operand_count, out_types, out_list));
  for (size_t i = 0; i < use->application->operand_count; ++i) {
    const tn_array_t* it = use->operands[i];
    (*out_types)[i] =
        (tn_type_t){.kind = TN_TYPE_TENSOR, .dtype = it->dtype, .rank = it->rank, .dims = it->dims};
  }
  return TN_OK;
}

static tn_status_t make_inference(use_t* use, tn_inference_t* out) {
  tn_type_t* operands = NULL;
  const tn_type_t** list = NULL;
  TN_RETURN_IF_ERROR(operand_types(use, &operands, &list));
  *out = (tn_inference_t){.name = use->name,
                          .definition = use->definition,
                          .signature = use->signature,
                          .attribute_count = use->fitted->dictionary.count,
                          .attributes = use->fitted->list,
                          .operand_count = use->application->operand_count,
                          .result_count = use->application->result_count,
                          .operands = list,
                          .arena = &use->arena};
  return TN_OK;
}

// "row_sums: x has rank 3", whether or not its author begins with the name.
static tn_status_t name_error(tn_status_t status, const char* name) {
  const char* message = tn_status_message(status);
  const size_t length = strlen(name);
  if (strncmp(message, name, length) == 0 && message[length] == ':') return status;
  return tn_status_prefix(status, "%s", name);
}

static bool is_known(const tn_inferred_t* it) {
  for (size_t axis = 0; axis < it->rank; ++axis) {
    if (it->dims[axis] == TN_DIM_DYNAMIC) return false;
  }
  return it->has_shape;
}

static tn_status_t refuse_open(const char* name, size_t result, const char* what) {
  tn_status_t status = tn_status_create(
      TN_CODE_INVALID_ARGUMENT,
      "%s: the %s of result %zu does not follow from its operands; expected a signature from which "
      "it follows, such as dims(n, k) or like(x), or `infer` in the definition",
      name, what, result);
  return tn_status_note(status,
                        "in C, the application may state it: tn_application_t.result_types");
}

// An error when something is left open.
static tn_status_t infer_all(use_t* use) {
  tn_inference_t inference;
  tn_inferred_t* results = NULL;
  TN_RETURN_IF_ERROR(make_inference(use, &inference));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&use->arena, inference.result_count, &results));
  tn_status_t status = tn__call_infer(&inference, results);
  if (status) return name_error(status, inference.name);
  for (size_t i = 0; i < inference.result_count; ++i) {
    const tn_inferred_t* it = &results[i];
    if (it->dtype == TN_DTYPE_INVALID || !is_known(it)) {
      return refuse_open(inference.name, i, is_known(it) ? "dtype" : "shape");
    }
    use->types[i] = (tn_array_type_t){it->dtype, it->rank, it->dims};
  }
  return TN_OK;
}

// One shape, and the operands' dtype unless the signature has one of the result's own.
static void infer_elementwise(use_t* use, const tn_array_shape_t* shape) {
  for (size_t i = 0; i < use->application->result_count; ++i) {
    const tn_ffi_param_t* param = tn__op_value_param(use->signature, TN_FFI_PARAM_RET, i);
    const bool is_own = param && tn__dtypes_only(param->dtypes) && !param->same_dtype_as &&
                        !(param->flags & TN_FFI_PARAM_LIKE);
    const tn_dtype_t dtype = use->operands[0]->dtype;
    use->types[i] = (tn_array_type_t){is_own ? tn__dtypes_only(param->dtypes) : dtype, shape->rank,
                                      shape->dims};
  }
}

static tn_status_t infer(use_t* use, const tn_array_shape_t* shape) {
  const bool has_rule = use->definition && use->definition->infer;
  if (has_rule || !shape) return infer_all(use);
  infer_elementwise(use, shape);
  return TN_OK;
}

static tn_status_t check_counts(const use_t* use) {
  const tn_ffi_op_t* op = use->signature;
  const tn_application_t* application = use->application;
  if (!op) return TN_OK;
  tn_status_t status = tn__call_check_count(op, TN_FFI_PARAM_ARG, application->operand_count);
  if (!status) status = tn__call_check_count(op, TN_FFI_PARAM_RET, application->result_count);
  return tn_status_prefix(status, "%s", use->name);
}

// Whether the signature has such operands and results, and infers no others.
static tn_status_t check_types(use_t* use) {
  const tn_application_t* application = use->application;
  tn_inference_t inference;
  tn_type_t* results = NULL;
  const tn_type_t** list = NULL;
  TN_RETURN_IF_ERROR(make_inference(use, &inference));
  TN_RETURN_IF_ERROR(tensors(&use->arena, inference.result_count, &results, &list));
  for (size_t i = 0; i < inference.result_count; ++i) {
    const tn_array_type_t* it = &use->types[i];
    results[i] =
        (tn_type_t){.kind = TN_TYPE_TENSOR, .dtype = it->dtype, .rank = it->rank, .dims = it->dims};
  }
  tn_status_t status = tn__call_check_types(use->signature, inference.operand_count,
                                            inference.operands, inference.result_count, list);
  if (!status && application->result_types) status = tn__call_check_results(&inference, list);
  return tn_status_prefix(status, "%s", use->name);
}

static tn_status_t infer_types(use_t* use, const tn_array_shape_t* shape) {
  const tn_application_t* application = use->application;
  if (!application->result_types) return infer(use, shape);
  memcpy(use->types, application->result_types, application->result_count * sizeof *use->types);
  return TN_OK;
}

static tn_status_t prepare(use_t* use, const tn_op_t* op, const tn_target_t* target) {
  const tn_application_t* application = use->application;
  const tn_op_def_t* definition = use->definition;
  const size_t attribute_count = application->attribute_count;
  const bool is_elementwise = definition && definition->flags & TN_OP_ELEMENTWISE;
  tn_array_shape_t* shape = NULL;
  TN_RETURN_IF_ERROR(check_counts(use));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&use->arena, application->operand_count, &use->operands));
  if (application->operand_count) {
    memcpy(use->operands, application->operands,
           application->operand_count * sizeof *use->operands);
  }
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&use->arena, application->result_count, &use->types));
  TN_RETURN_IF_ERROR(tn_status_prefix(
      tn__op_fit(op, target, attribute_count, application->attributes, &use->fitted), "%s",
      use->name));
  if (is_elementwise && application->operand_count) {
    TN_RETURN_IF_ERROR(TN_ARENA_NEW(&use->arena, &shape));
    TN_RETURN_IF_ERROR(broadcast_operands(use, shape));
  }
  TN_RETURN_IF_ERROR(infer_types(use, shape));
  const bool is_checked =
      use->signature && tn__op_call_version(op, attribute_count) == TN_API_VERSION_TYPED_FFI;
  const bool is_stated = application->result_types;
  return is_checked && (is_stated || !is_elementwise) ? check_types(use) : TN_OK;
}

static void give_error(const tn_application_t* application, tn_array_t* error,
                       tn_array_t** out_results) {
  for (size_t i = 0; i < application->result_count; ++i) out_results[i] = error;
}

void tn__apply_op(tn_scope_t* scope, const tn_op_t* op, const tn_application_t* application,
                  tn_array_t** out_results) {
  const tn_target_t* target = tn__op_target_for(op, tn_device_platform(tn_scope_device(scope)));
  use_t use = {.scope = scope,
               .signature = target ? target->op : NULL,
               .definition = tn__op_definition(op),
               .application = application,
               .name = op->name};
  tn_arena_room_t room;
  TN__OPERATION(scope, op->name);
  tn_array_t* error = tn__check_operands(scope, application->operand_count, application->operands);
  if (error) {
    give_error(application, error, out_results);
    return;
  }
  tn__arena_init_in(&use.arena, tn__scope_evaluator(scope)->allocator, &room);
  tn_status_t status = prepare(&use, op, target);
  if (!status) {
    const tn_step_spec_t spec = {
        .op = op,
        .operand_count = application->operand_count,
        .operands = use.operands,
        .fitted = use.fitted,
        .result_count = application->result_count,
        .result_types = use.types,
    };
    tn__step_add(scope, &spec, out_results);
  } else {
    give_error(application, tn_array_error(scope, status), out_results);
  }
  tn__fitted_release(use.fitted);
  tn__arena_deinit(&use.arena);
}

void tn_op_apply(tn_scope_t* scope, const tn_application_t* application, tn_array_t** out_results) {
  tn_application_t copy;
  tn_status_t status;
  const size_t result_count = application->result_count;
  application = TN_OPTIONS_READ(tn_application_t, application, &copy, &status);
  if (!status && !application->name) {
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_op_apply: name is NULL");
  }
  if (status) {
    tn_array_t* error = tn_array_error(scope, status);
    for (size_t i = 0; i < result_count; ++i) out_results[i] = error;
    return;
  }
  const tn_string_view_t name = tn__sv(application->name);
  const char* platform = tn_device_platform(tn_scope_device(scope));
  tn_context_t* context = tn_device_context(tn_scope_device(scope));
  const tn_op_t* op = NULL;
  status = tn__call_find(context, name, &op);
  if (!status && !tn__op_target_for(op, platform))
    status = tn__registry_miss(context, name, platform);
  if (!status) {
    tn__apply_op(scope, op, application, out_results);
  } else {
    status = tn_status_prefix(status, "%s", TN_NAME_TEXT(name));
    give_error(application, tn_array_error(scope, status), out_results);
  }
  tn__op_release(op);
}
