// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Derivatives of functions: the tape forwards (jvp) and backwards (vjp).
#include "base/type.h"
#include "transform/rules/rules.h"
#include "transform/tape.h"

// What a transform under way owns.
typedef struct tn_derivation {
  tn_evaluator_t* evaluator;  // a view: that of the scope
  tn_scope_t* scope;          // inside of the caller's: what is made on the way
  tn_tape_t tape;
  size_t list_count;
  tn_array_t** inputs;
  tn_array_t** outputs;
  size_t change_count;
  tn_array_t** changes;  // tangents or cotangents by the number of the value; NULL: zero
  tn_array_t** list;     // room for the operands and results of one step, thrice
  size_t* argnums;
  void* memory;
  size_t byte_size;
} tn_derivation_t;

static void deinit(tn_derivation_t* d) {
  if (!d->evaluator) return;
  tn__tape_deinit(&d->tape);
  atomic_fetch_sub(&d->evaluator->transform_count, 1);
  tn__free(d->evaluator->allocator, d->memory, d->byte_size);
  tn__free(d->evaluator->allocator, d->changes, d->change_count * sizeof *d->changes);
  tn__free(d->evaluator->allocator, d->list, d->list_count * sizeof *d->list);
  tn__free(d->evaluator->allocator, d->argnums, d->list_count * sizeof *d->argnums);
  tn_scope_destroy(d->scope);
}

static tn_status_t allocate_lists(tn_derivation_t* d) {
  const tn_allocator_t* allocator = d->evaluator->allocator;
  void* memory = NULL;
  d->list_count = 1;
  for (size_t i = 0; i < d->tape.step_count; ++i) {
    const tn_step_t* step = d->tape.steps[i].step;
    const size_t count = 3 * ((size_t)step->operand_count + step->result_count);
    if (count > d->list_count) d->list_count = count;
  }
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, d->list_count, sizeof *d->argnums, &memory));
  d->argnums = memory;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, d->list_count, sizeof *d->list, &memory));
  d->list = memory;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(allocator, d->tape.value_count, sizeof *d->changes, &memory));
  d->changes = memory;
  d->change_count = d->tape.value_count;
  return TN_OK;
}

// Calls the function with handles on the inputs that can be told from them: `tracers`, if they have
// been made.
static tn_status_t init(tn_derivation_t* d, const char* name, tn_scope_t* scope,
                        const tn_closure_t* function, size_t input_count, tn_array_t* const* inputs,
                        tn_array_t* const* tracers, size_t output_count) {
  *d = (tn_derivation_t){0};
  TN_RETURN_IF_ERROR(tn__scope_check(scope, name, input_count, inputs));
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &d->scope));
  d->evaluator = tn__scope_evaluator(scope);
  d->tape.allocator = d->evaluator->allocator;
  atomic_fetch_add(&d->evaluator->transform_count, 1);
  d->byte_size = (input_count + output_count) * sizeof(tn_array_t*);
  TN_RETURN_IF_ERROR(tn__allocate(d->evaluator->allocator, d->byte_size, &d->memory));
  d->inputs = d->memory;
  d->outputs = d->inputs + input_count;
  for (size_t i = 0; i < input_count; ++i) {
    d->inputs[i] = tracers ? tracers[i] : tn__identity(d->scope, inputs[i], TN_ARRAY_TRACED);
  }
  TN_RETURN_IF_ERROR(tn__tape_record(name, d->scope, function, input_count, d->inputs, output_count,
                                     d->outputs, &d->tape));
  return allocate_lists(d);
}

// One step of the tape as rules see it.
typedef struct tn_step_view {
  const tn_step_t* step;
  const uint32_t* operands;  // numbers
  uint32_t first_result;
  tn_array_t** results;
} tn_step_view_t;

static tn_step_view_t view_of(const tn_derivation_t* d, size_t index) {
  const tn_tape_step_t* step = &d->tape.steps[index];
  return (tn_step_view_t){step->step, d->tape.operands + step->first_operand, step->first_result,
                          d->tape.values + step->first_result};
}

static tn_array_type_t type_of(const tn_array_t* array) {
  return (tn_array_type_t){array->dtype, array->rank, array->dims};
}

static tn_rule_t rule_of(const tn_derivation_t* d, const tn_step_view_t* view,
                         tn_array_type_t* type) {
  *type = type_of(view->results[0]);
  const tn_array_type_t* types = view->step->result_types ? view->step->result_types : type;
  return tn__step_rule(view->step, d->scope, view->step->operands, types);
}

// What a rule gave has the shape and dtype of what it belongs to.
static tn_status_t check_change(const tn_step_view_t* view, const char* rule, size_t index,
                                const tn_array_t* change, const tn_array_t* value) {
  if (!change) return TN_OK;
  TN_RETURN_IF_ERROR(tn_status_prefix(tn_array_status(change), "in the %s of %s", rule,
                                      tn__step_name(view->step)));
  const bool is_same = change->rank == value->rank && change->dtype == value->dtype &&
                       (value->rank == 0 ||
                        memcmp(change->dims, value->dims, value->rank * sizeof *value->dims) == 0);
  if (is_same) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "the %s of %s gave %s of shape %s for %s %zu; expected %s of shape %s",
                          rule, tn__step_name(view->step), tn_dtype_name(change->dtype),
                          TN_SHAPE_TEXT(change->rank, change->dims),
                          strcmp(rule, "jvp") == 0 ? "result" : "operand", index,
                          tn_dtype_name(value->dtype), TN_SHAPE_TEXT(value->rank, value->dims));
}

// The outputs without what makes them traced, in the caller's scope.
static tn_status_t hand_out(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                            tn_array_t** out_arrays) {
  for (size_t i = 0; i < count; ++i) {
    out_arrays[i] = tn__scope_give(scope, tn_array_retain(arrays[i]));
    TN_RETURN_IF_ERROR(tn_array_status(out_arrays[i]));
  }
  return TN_OK;
}

// A tangent or cotangent that the caller gave for a value: of its shape, in its dtype.
static tn_status_t take_change(const tn_derivation_t* d, const char* name, const char* what,
                               size_t index, tn_array_t* change, const tn_array_t* value,
                               tn_array_t** out_change) {
  *out_change = NULL;
  if (!change || !tn__is_differentiable(value)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__scope_check(d->scope, name, 1, &change));
  if (change->rank != value->rank ||
      (value->rank && memcmp(change->dims, value->dims, value->rank * sizeof *value->dims) != 0)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %s %zu has shape %s; expected %s", name,
                            what, index, TN_SHAPE_TEXT(change->rank, change->dims),
                            TN_SHAPE_TEXT(value->rank, value->dims));
  }
  *out_change = tn_array_astype(d->scope, change, value->dtype);
  return tn_array_status(*out_change);
}

static tn_array_t* change_or_zeros(const tn_derivation_t* d, tn_array_t* change,
                                   const tn_array_t* value) {
  return change ? change : tn__zeros_like(d->scope, value);
}

static tn_status_t check_changes(const char* name, const char* what, size_t count,
                                 tn_array_t* const* changes) {
  if (changes || count == 0) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %s is NULL; expected a list of %zu", name,
                          what, count);
}

// Whether small changes can show in a result.
static bool has_derivative(const tn_step_view_t* view) {
  for (uint32_t i = 0; i < view->step->result_count; ++i) {
    if (tn__is_differentiable(view->results[i])) return true;
  }
  return false;
}

// --- forwards

// The tangents of one step, on its stream.
static tn_status_t push(tn_derivation_t* d, size_t index) {
  const tn_step_view_t view = view_of(d, index);
  const tn_step_t* step = view.step;
  const tn_rules_t rules = tn__step_rules(step);
  tn_array_type_t type;
  tn_array_t** tangents = d->list;
  tn_array_t** out_tangents = tangents + step->operand_count;
  size_t count = 0;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    const uint32_t number = view.operands[i];
    if (number == TN_TAPE_CONSTANT || !d->changes[number]) continue;
    d->argnums[count] = i;
    tangents[count++] = d->changes[number];
  }
  if (count == 0) return TN_OK;
  if (!rules.jvp) return has_derivative(&view) ? tn__step_no_rule(step, "jvp") : TN_OK;
  TN_RETURN_IF_ERROR(tn_scope_set_stream(d->scope, step->stream));
  for (uint32_t i = 0; i < step->result_count; ++i) out_tangents[i] = NULL;
  const tn_rule_t rule = rule_of(d, &view, &type);
  const tn_jvp_call_t call = {.struct_size = sizeof call,
                              .argnum_count = count,
                              .argnums = d->argnums,
                              .tangents = tangents,
                              .outputs = view.results,
                              .out_tangents = out_tangents};
  TN_RETURN_IF_ERROR(
      tn_status_prefix(rules.jvp(&rule, &call), "in the jvp of %s", tn__step_name(step)));
  for (uint32_t i = 0; i < step->result_count; ++i) {
    TN_RETURN_IF_ERROR(check_change(&view, "jvp", i, out_tangents[i], view.results[i]));
    d->changes[view.first_result + i] = out_tangents[i];
  }
  return TN_OK;
}

static tn_status_t jvp(tn_derivation_t* d, tn_scope_t* scope, size_t input_count,
                       tn_array_t* const* tangents, size_t output_count, tn_array_t** out_outputs,
                       tn_array_t** out_tangents) {
  TN_RETURN_IF_ERROR(check_changes("tn_jvp", "tangents", input_count, tangents));
  for (size_t i = 0; i < input_count; ++i) {
    TN_RETURN_IF_ERROR(
        take_change(d, "tn_jvp", "tangent", i, tangents[i], d->inputs[i], &d->changes[i]));
  }
  for (size_t i = 0; i < d->tape.step_count; ++i) TN_RETURN_IF_ERROR(push(d, i));
  TN_RETURN_IF_ERROR(tn_scope_set_stream(d->scope, tn_scope_stream(scope)));
  for (size_t i = 0; i < output_count; ++i) {
    const uint32_t number = d->tape.outputs[i];
    tn_array_t* tangent = number == TN_TAPE_CONSTANT ? NULL : d->changes[number];
    out_tangents[i] = change_or_zeros(d, tangent, d->outputs[i]);
    TN_RETURN_IF_ERROR(tn_array_status(out_tangents[i]));
  }
  TN_RETURN_IF_ERROR(hand_out(scope, output_count, out_tangents, out_tangents));
  return hand_out(scope, output_count, d->outputs, out_outputs);
}

static void forget(size_t count, tn_array_t** arrays) {
  for (size_t i = 0; arrays && i < count; ++i) arrays[i] = NULL;
}

// Ends a derivation. After an error nothing is handed out.
static tn_status_t finish(tn_derivation_t* d, tn_status_t status, size_t output_count,
                          tn_array_t** outputs, size_t change_count, tn_array_t** changes) {
  deinit(d);
  if (status) {
    forget(output_count, outputs);
    forget(change_count, changes);
  }
  return status;
}

tn_status_t tn__jvp(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                    tn_array_t* const* inputs, tn_array_t* const* tracers,
                    tn_array_t* const* tangents, size_t output_count, tn_array_t** out_outputs,
                    tn_array_t** out_tangents) {
  tn_derivation_t d;
  forget(output_count, out_outputs);
  forget(output_count, out_tangents);
  tn_status_t status =
      init(&d, "tn_jvp", scope, function, input_count, inputs, tracers, output_count);
  if (!status) {
    status = jvp(&d, scope, input_count, tangents, output_count, out_outputs, out_tangents);
  }
  return finish(&d, status, output_count, out_outputs, output_count, out_tangents);
}

tn_status_t tn_jvp(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                   tn_array_t* const* inputs, tn_array_t* const* tangents, size_t output_count,
                   tn_array_t** out_outputs, tn_array_t** out_tangents) {
  return tn__jvp(scope, function, input_count, inputs, NULL, tangents, output_count, out_outputs,
                 out_tangents);
}

// --- backwards

// The cotangents of one step, on its stream.
static tn_status_t pull(tn_derivation_t* d, size_t index) {
  const tn_step_view_t view = view_of(d, index);
  const tn_step_t* step = view.step;
  const tn_rules_t rules = tn__step_rules(step);
  tn_array_type_t type;
  tn_array_t** cotangents = d->list;
  tn_array_t** out_cotangents = cotangents + step->result_count;
  size_t count = 0;
  bool is_needed = false;
  for (uint32_t i = 0; i < step->result_count; ++i) {
    if (d->changes[view.first_result + i]) is_needed = true;
  }
  if (!is_needed) return TN_OK;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    if (view.operands[i] == TN_TAPE_CONSTANT || !tn__is_differentiable(step->operands[i])) continue;
    out_cotangents[count] = NULL;
    d->argnums[count++] = i;
  }
  if (count == 0) return TN_OK;
  if (!rules.vjp) return tn__step_no_rule(step, "vjp");
  TN_RETURN_IF_ERROR(tn_scope_set_stream(d->scope, step->stream));
  for (uint32_t i = 0; i < step->result_count; ++i) {
    cotangents[i] = change_or_zeros(d, d->changes[view.first_result + i], view.results[i]);
    TN_RETURN_IF_ERROR(tn_array_status(cotangents[i]));  // rules get arrays with shapes
  }
  const tn_rule_t rule = rule_of(d, &view, &type);
  const tn_vjp_call_t call = {.struct_size = sizeof call,
                              .argnum_count = count,
                              .argnums = d->argnums,
                              .cotangents = cotangents,
                              .outputs = view.results,
                              .out_cotangents = out_cotangents};
  TN_RETURN_IF_ERROR(
      tn_status_prefix(rules.vjp(&rule, &call), "in the vjp of %s", tn__step_name(step)));
  for (size_t i = 0; i < count; ++i) {
    const size_t operand = d->argnums[i];
    tn_array_t** change = &d->changes[view.operands[operand]];
    TN_RETURN_IF_ERROR(
        check_change(&view, "vjp", operand, out_cotangents[i], step->operands[operand]));
    *change = tn__add_or_either(d->scope, *change, out_cotangents[i]);
  }
  return TN_OK;
}

static tn_status_t pull_all(tn_derivation_t* d, const tn_scope_t* scope) {
  for (size_t i = d->tape.step_count; i-- > 0;) TN_RETURN_IF_ERROR(pull(d, i));
  return tn_scope_set_stream(d->scope, tn_scope_stream(scope));
}

static tn_status_t vjp(tn_derivation_t* d, tn_scope_t* scope, size_t input_count,
                       size_t output_count, tn_array_t* const* cotangents, tn_array_t** out_outputs,
                       tn_array_t** out_gradients) {
  TN_RETURN_IF_ERROR(check_changes("tn_vjp", "cotangents", output_count, cotangents));
  for (size_t i = 0; i < output_count; ++i) {
    tn_array_t* cotangent = NULL;
    TN_RETURN_IF_ERROR(
        take_change(d, "tn_vjp", "cotangent", i, cotangents[i], d->outputs[i], &cotangent));
    const uint32_t number = d->tape.outputs[i];
    if (number == TN_TAPE_CONSTANT) continue;
    d->changes[number] = tn__add_or_either(d->scope, d->changes[number], cotangent);
  }
  TN_RETURN_IF_ERROR(pull_all(d, scope));
  for (size_t i = 0; i < input_count; ++i) {
    out_gradients[i] = change_or_zeros(d, d->changes[i], d->inputs[i]);
    TN_RETURN_IF_ERROR(tn_array_status(out_gradients[i]));
  }
  TN_RETURN_IF_ERROR(hand_out(scope, input_count, out_gradients, out_gradients));
  return out_outputs ? hand_out(scope, output_count, d->outputs, out_outputs) : TN_OK;
}

tn_status_t tn__vjp(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                    tn_array_t* const* inputs, tn_array_t* const* tracers, size_t output_count,
                    tn_array_t* const* cotangents, tn_array_t** out_outputs,
                    tn_array_t** out_gradients) {
  tn_derivation_t d;
  forget(output_count, out_outputs);
  forget(input_count, out_gradients);
  tn_status_t status =
      init(&d, "tn_vjp", scope, function, input_count, inputs, tracers, output_count);
  if (!status) {
    status = vjp(&d, scope, input_count, output_count, cotangents, out_outputs, out_gradients);
  }
  return finish(&d, status, output_count, out_outputs, input_count, out_gradients);
}

tn_status_t tn_vjp(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                   tn_array_t* const* inputs, size_t output_count, tn_array_t* const* cotangents,
                   tn_array_t** out_outputs, tn_array_t** out_gradients) {
  return tn__vjp(scope, function, input_count, inputs, NULL, output_count, cotangents, out_outputs,
                 out_gradients);
}

// --- gradients

static const size_t first_argnum[] = {0};

static tn_status_t check_argnums(const char* name, size_t input_count, tn_array_t* const* inputs,
                                 size_t argnum_count, const size_t* argnums) {
  for (size_t i = 0; i < argnum_count; ++i) {
    if (argnums[i] >= input_count) {
      return tn_status_create(TN_CODE_OUT_OF_RANGE, "%s: argnum %zu of a function with %zu inputs",
                              name, argnums[i], input_count);
    }
    if (!tn__is_differentiable(inputs[argnums[i]])) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: input %zu is %s; gradients are with respect to floats", name,
                              argnums[i], tn_dtype_name(inputs[argnums[i]]->dtype));
    }
  }
  return TN_OK;
}

static tn_status_t value_and_grad(tn_derivation_t* d, const char* name, tn_scope_t* scope,
                                  size_t argnum_count, const size_t* argnums, size_t output_count,
                                  tn_array_t** out_outputs, tn_array_t** out_gradients) {
  tn_array_t* value = d->outputs[0];
  if (value->rank || !tn_issubdtype(value->dtype, TN_CATEGORY_FLOATING)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: output 0 of the function is %s of shape %s; expected a scalar of "
                            "floats",
                            name, tn_dtype_name(value->dtype),
                            TN_SHAPE_TEXT(value->rank, value->dims));
  }
  if (d->tape.outputs[0] != TN_TAPE_CONSTANT) {
    d->changes[d->tape.outputs[0]] = tn_array_scalar(d->scope, value->dtype, 1);
  }
  TN_RETURN_IF_ERROR(pull_all(d, scope));
  for (size_t i = 0; i < argnum_count; ++i) {
    out_gradients[i] = change_or_zeros(d, d->changes[argnums[i]], d->inputs[argnums[i]]);
    TN_RETURN_IF_ERROR(tn_array_status(out_gradients[i]));
  }
  TN_RETURN_IF_ERROR(hand_out(scope, argnum_count, out_gradients, out_gradients));
  return out_outputs ? hand_out(scope, output_count, d->outputs, out_outputs) : TN_OK;
}

static tn_status_t differentiate(const char* name, tn_scope_t* scope, const tn_closure_t* function,
                                 size_t input_count, tn_array_t* const* inputs, size_t argnum_count,
                                 const size_t* argnums, size_t output_count,
                                 tn_array_t** out_outputs, tn_array_t** out_gradients) {
  tn_derivation_t d;
  forget(output_count, out_outputs);
  forget(argnums ? argnum_count : 1, out_gradients);
  if (!argnums && argnum_count != 1) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: argnums is NULL, which stands for input 0 alone, and argnum_count "
                            "is %zu; expected 1",
                            name, argnum_count);
  }
  if (!argnums) argnums = first_argnum;
  TN_RETURN_IF_ERROR(tn__scope_check(scope, name, input_count, inputs));
  TN_RETURN_IF_ERROR(check_argnums(name, input_count, inputs, argnum_count, argnums));
  tn_status_t status = init(&d, name, scope, function, input_count, inputs, NULL, output_count);
  if (!status) {
    status = value_and_grad(&d, name, scope, argnum_count, argnums, output_count, out_outputs,
                            out_gradients);
  }
  return finish(&d, status, output_count, out_outputs, argnum_count, out_gradients);
}

tn_status_t tn_value_and_grad(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                              tn_array_t* const* inputs, size_t argnum_count, const size_t* argnums,
                              size_t output_count, tn_array_t** out_outputs,
                              tn_array_t** out_gradients) {
  if (output_count == 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_value_and_grad: no outputs");
  }
  return differentiate("tn_value_and_grad", scope, function, input_count, inputs, argnum_count,
                       argnums, output_count, out_outputs, out_gradients);
}

tn_status_t tn_grad(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                    tn_array_t* const* inputs, size_t argnum_count, const size_t* argnums,
                    tn_array_t** out_gradients) {
  return differentiate("tn_grad", scope, function, input_count, inputs, argnum_count, argnums, 1,
                       NULL, out_gradients);
}
