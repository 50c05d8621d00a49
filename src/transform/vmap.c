// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions over batches: the tape is done again, each operation over the whole batch.
#include <stdio.h>

#include "base/type.h"
#include "transform/rules/rules.h"
#include "transform/tape.h"

typedef struct tn_batching {
  tn_evaluator_t* evaluator;  // a view
  tn_scope_t* scope;          // inside of the caller's
  tn_tape_t tape;
  int64_t batch_size;
  size_t input_count;
  tn_array_t** inputs;
  tn_array_t** outputs;
  tn_array_t** operands;  // of one step
  tn_array_t** results;
  int64_t* operand_axes;
  int64_t* result_axes;
  tn_array_t** values;  // by number, over the batch; NULL: without a rule there is none
  int64_t* axes;        // where the batch is; TN_NO_AXIS: the same for all
  tn_status_t missing;  // why; of the first of them
  void* memory[2];
  size_t byte_lengths[2];
} tn_batching_t;

static void deinit(tn_batching_t* b) {
  if (!b->evaluator) return;
  tn__tape_deinit(&b->tape);
  tn_status_release(b->missing);
  atomic_fetch_sub(&b->evaluator->transform_count, 1);
  for (size_t i = 0; i < 2; ++i) {
    tn__free(b->evaluator->allocator, b->memory[i], b->byte_lengths[i]);
  }
  tn_scope_destroy(b->scope);
}

// --- the inputs

static tn_status_t check_input(size_t index, const tn_array_t* input, int64_t* axis,
                               int64_t* batch_size) {
  if (*axis == TN_NO_AXIS) return TN_OK;
  const int64_t rank = input->rank;
  if (*axis < -rank || *axis >= rank) {
    return tn_status_create(TN_CODE_OUT_OF_RANGE,
                            "tn_vmap: input %zu has shape %s, and no axis %lld for the batch",
                            index, TN_SHAPE_TEXT(input->rank, input->dims), (long long)*axis);
  }
  if (*axis < 0) *axis += rank;
  if (*batch_size >= 0 && input->dims[*axis] != *batch_size) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_vmap: input %zu has a batch of %lld; others have %lld", index,
                            (long long)input->dims[*axis], (long long)*batch_size);
  }
  *batch_size = input->dims[*axis];
  return TN_OK;
}

// An input of the function: one element of the batch, or the array itself.
static tn_array_t* element_of(tn_scope_t* scope, tn_array_t* input, int64_t axis) {
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  if (axis == TN_NO_AXIS) return tn__identity(scope, input, TN_ARRAY_TRACED);
  for (size_t i = 0; i < input->rank; ++i) {
    if ((int64_t)i != axis) dims[rank++] = input->dims[i];
  }
  return tn__abstract(scope, input->dtype, rank, dims);
}

// `out_elements` NULL: only checks the inputs.
static tn_status_t make_elements(tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                                 const int64_t* in_axes, int64_t* out_batch_size,
                                 tn_array_t** out_elements) {
  *out_batch_size = -1;
  for (size_t i = 0; i < input_count; ++i) {
    int64_t axis = in_axes ? in_axes[i] : 0;
    TN_RETURN_IF_ERROR(check_input(i, inputs[i], &axis, out_batch_size));
    if (out_elements) out_elements[i] = element_of(scope, inputs[i], axis);
  }
  if (*out_batch_size >= 0) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_vmap: no input has a batch");
}

tn_status_t tn__vmap_elements(tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                              const int64_t* in_axes, tn_array_t** out_elements) {
  int64_t batch_size = 0;
  return make_elements(scope, input_count, inputs, in_axes, &batch_size, out_elements);
}

// --- the steps

static bool is_batched(const tn_batching_t* b, const uint32_t* operands, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (operands[i] != TN_TAPE_CONSTANT && b->axes[operands[i]] != TN_NO_AXIS) return true;
  }
  return false;
}

// Whether a rule made an operand anew that is the same for all elements: what the function made of
// it belongs to one element, and so does what the step gave.
static bool is_renewed(const tn_batching_t* b, const uint32_t* operands, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t number = operands[i];
    if (number == TN_TAPE_CONSTANT || number < b->input_count) continue;
    if (b->values[number] != b->tape.values[number]) return true;
  }
  return false;
}

static tn_status_t check_result(const tn_batching_t* b, const tn_step_t* step, size_t index,
                                const tn_array_t* value) {
  const tn_array_t* result = b->results[index];
  const int64_t axis = b->result_axes[index];
  if (!result) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "the vmap of %s left result %zu NULL",
                            tn__step_name(step), index);
  }
  TN_RETURN_IF_ERROR(
      tn_status_prefix(tn_array_status(result), "in the vmap of %s", tn__step_name(step)));
  const int64_t rank = (int64_t)value->rank + (axis != TN_NO_AXIS);
  bool is_right = result->dtype == value->dtype && result->rank == rank;
  if (axis != TN_NO_AXIS) {
    is_right = is_right && axis >= 0 && axis < rank && result->dims[axis] == b->batch_size;
  }
  for (size_t i = 0, d = 0; is_right && i < value->rank; ++i, ++d) {
    if ((int64_t)d == axis) ++d;
    is_right = result->dims[d] == value->dims[i];
  }
  if (is_right) return TN_OK;
  char batch[48] = "unbatched";
  if (axis != TN_NO_AXIS) snprintf(batch, sizeof batch, "batched along %lld", (long long)axis);
  return tn_status_create(
      TN_CODE_INVALID_ARGUMENT,
      "the vmap of %s gave %s of shape %s, %s; expected %s of shape %s for each "
      "of %lld",
      tn__step_name(step), tn_dtype_name(result->dtype), TN_SHAPE_TEXT(result->rank, result->dims),
      batch, tn_dtype_name(value->dtype), TN_SHAPE_TEXT(value->rank, value->dims),
      (long long)b->batch_size);
}

// A step that is the same for all elements.
static tn_status_t do_common_step(tn_batching_t* b, const tn_tape_step_t* at,
                                  const tn_array_type_t* types) {
  const tn_step_t* step = at->step;
  tn_array_t** values = b->tape.values + at->first_result;
  const bool is_new = is_renewed(b, b->tape.operands + at->first_operand, step->operand_count);
  const tn_step_spec_t spec = {
      .op = step->op,
      .program = step->program,
      .excerpt = step->excerpt,
      .operand_count = step->operand_count,
      .operands = b->operands,
      .attributes = step->fitted ? (tn_attr_dictionary_t){0} : step->attributes,
      .fitted = step->fitted,
      .body = step->body,
      .result_count = step->result_count,
      .result_types = types,
  };
  if (is_new) tn__step_add(b->scope, &spec, b->results);
  for (uint32_t i = 0; i < step->result_count; ++i) {
    b->values[at->first_result + i] = is_new ? b->results[i] : values[i];
    b->axes[at->first_result + i] = TN_NO_AXIS;
    TN_RETURN_IF_ERROR(tn_array_status(b->values[at->first_result + i]));
  }
  return TN_OK;
}

// Rules make lists of a result's dimensions with that of the batch among them.
static tn_status_t check_room(const tn_step_t* step, tn_array_t* const* values) {
  for (uint32_t i = 0; i < step->result_count; ++i) {
    if (values[i]->rank < TN_MAX_RANK) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the vmap of %s: a result has %d dimensions, and no room for the batch",
                            tn__step_name(step), TN_MAX_RANK);
  }
  return TN_OK;
}

// The results of a step that has no rule. That is an error if something needs them: the body of a
// function with a rule of its own does not. Takes `status`.
static tn_status_t leave_out(tn_batching_t* b, const tn_tape_step_t* at, tn_status_t status) {
  for (uint32_t i = 0; i < at->step->result_count; ++i) {
    b->values[at->first_result + i] = NULL;
    b->axes[at->first_result + i] = 0;
  }
  if (b->missing) {
    tn_status_release(status);
  } else {
    b->missing = status;
  }
  return TN_OK;
}

static bool has_operands(const tn_batching_t* b, const tn_step_t* step) {
  for (uint32_t i = tn__custom_has_vmap(step) ? step->result_count : 0; i < step->operand_count;
       ++i) {
    if (!b->operands[i]) return false;
  }
  return true;
}

// One step over the batch, on its stream.
static tn_status_t do_step(tn_batching_t* b, const tn_tape_step_t* at) {
  const tn_step_t* step = at->step;
  const uint32_t* operands = b->tape.operands + at->first_operand;
  tn_array_t** values = b->tape.values + at->first_result;
  const tn_array_type_t type = {values[0]->dtype, values[0]->rank, values[0]->dims};
  const tn_array_type_t* types = step->result_types ? step->result_types : &type;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    const bool is_constant = operands[i] == TN_TAPE_CONSTANT;
    b->operands[i] = is_constant ? step->operands[i] : b->values[operands[i]];
    b->operand_axes[i] = is_constant ? TN_NO_AXIS : b->axes[operands[i]];
  }
  TN_RETURN_IF_ERROR(tn_scope_set_stream(b->scope, step->stream));
  if (!is_batched(b, operands, step->operand_count)) return do_common_step(b, at, types);
  if (!has_operands(b, step)) return leave_out(b, at, TN_OK);
  const tn_rules_t rules = tn__step_rules(step);
  if (!rules.vmap) return leave_out(b, at, tn__step_no_rule(step, "vmap"));
  TN_RETURN_IF_ERROR(check_room(step, values));
  const tn_rule_t rule = tn__step_rule(step, b->scope, b->operands, types);
  for (uint32_t i = 0; i < step->result_count; ++i) b->results[i] = NULL;
  const tn_vmap_call_t call = {.struct_size = sizeof call,
                               .batch_size = b->batch_size,
                               .axes = b->operand_axes,
                               .out_results = b->results,
                               .out_axes = b->result_axes};
  tn_status_t status =
      tn_status_prefix(rules.vmap(&rule, &call), "in the vmap of %s", tn__step_name(step));
  if (tn_status_code(status) == TN_CODE_UNIMPLEMENTED) return leave_out(b, at, status);
  TN_RETURN_IF_ERROR(status);
  for (uint32_t i = 0; i < step->result_count; ++i) {
    TN_RETURN_IF_ERROR(check_result(b, step, i, values[i]));
    b->values[at->first_result + i] = b->results[i];
    b->axes[at->first_result + i] = b->result_axes[i];
  }
  return TN_OK;
}

// --- all of it

static tn_status_t allocate(tn_batching_t* b, size_t which, size_t byte_size) {
  b->byte_lengths[which] = byte_size;
  return tn__allocate(b->evaluator->allocator, byte_size, &b->memory[which]);
}

static tn_status_t allocate_lists(tn_batching_t* b) {
  size_t operand_limit = 1, result_limit = 1;
  for (size_t i = 0; i < b->tape.step_count; ++i) {
    const tn_step_t* step = b->tape.steps[i].step;
    if (step->operand_count > operand_limit) operand_limit = step->operand_count;
    if (step->result_count > result_limit) result_limit = step->result_count;
  }
  const size_t count = operand_limit + result_limit + b->tape.value_count;
  TN_RETURN_IF_ERROR(allocate(b, 1, count * (sizeof(tn_array_t*) + sizeof(int64_t))));
  b->operands = b->memory[1];
  b->results = b->operands + operand_limit;
  b->values = b->results + result_limit;
  b->operand_axes = (int64_t*)(b->values + b->tape.value_count);
  b->result_axes = b->operand_axes + operand_limit;
  b->axes = b->result_axes + result_limit;
  return TN_OK;
}

static tn_status_t trace(tn_batching_t* b, tn_scope_t* scope, const tn_closure_t* function,
                         size_t input_count, tn_array_t* const* inputs, const int64_t* in_axes,
                         tn_array_t* const* tracers, size_t output_count) {
  TN_RETURN_IF_ERROR(tn__scope_check(scope, "tn_vmap", input_count, inputs));
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &b->scope));
  b->evaluator = tn__scope_evaluator(scope);
  b->tape.allocator = b->evaluator->allocator;
  atomic_fetch_add(&b->evaluator->transform_count, 1);
  TN_RETURN_IF_ERROR(allocate(b, 0, (input_count + output_count) * sizeof(tn_array_t*)));
  b->inputs = b->memory[0];
  b->outputs = b->inputs + input_count;
  b->input_count = input_count;
  TN_RETURN_IF_ERROR(make_elements(b->scope, input_count, inputs, in_axes, &b->batch_size,
                                   tracers ? NULL : b->inputs));
  for (size_t i = 0; tracers && i < input_count; ++i) b->inputs[i] = tracers[i];
  TN_RETURN_IF_ERROR(tn__tape_record("tn_vmap", b->scope, function, input_count, b->inputs,
                                     output_count, b->outputs, &b->tape));
  return allocate_lists(b);
}

// An output with the batch where the caller wants it.
static tn_status_t finish_output(const tn_batching_t* b, size_t index, int64_t wanted,
                                 tn_array_t** out_output) {
  const uint32_t number = b->tape.outputs[index];
  const tn_array_t* element = b->outputs[index];
  tn_array_t* value = number == TN_TAPE_CONSTANT ? b->outputs[index] : b->values[number];
  int64_t axis = number == TN_TAPE_CONSTANT ? TN_NO_AXIS : b->axes[number];
  const int64_t rank = (int64_t)element->rank + 1;
  if (!value) return tn_status_retain(b->missing);
  if (wanted == TN_NO_AXIS && axis == TN_NO_AXIS) {
    *out_output = value;
    return TN_OK;
  }
  if (wanted < -rank || wanted >= rank) {
    return tn_status_create(
        TN_CODE_OUT_OF_RANGE,
        wanted == TN_NO_AXIS ? "tn_vmap: output %zu differs from element to element, and needs an "
                               "axis (out_axes has %lld)"
                             : "tn_vmap: output %zu has no axis %lld for the batch",
        index, (long long)wanted);
  }
  if (axis == TN_NO_AXIS) {
    const int64_t none = TN_NO_AXIS;
    const tn_rule_t rule = {.scope = b->scope, .operands = &value};
    const tn_vmap_call_t call = {.batch_size = b->batch_size, .axes = &none};
    value = tn__batched(&rule, &call, 0);
    axis = 0;
  }
  *out_output = tn__move_axis(b->scope, value, axis, wanted < 0 ? wanted + rank : wanted);
  return tn_array_status(*out_output);
}

static tn_status_t vmap(tn_batching_t* b, tn_scope_t* scope, size_t input_count,
                        tn_array_t* const* inputs, const int64_t* in_axes, size_t output_count,
                        const int64_t* out_axes, tn_array_t** out_outputs) {
  for (size_t i = 0; i < input_count; ++i) {
    const int64_t axis = in_axes ? in_axes[i] : 0;
    b->values[i] = inputs[i];
    b->axes[i] = axis == TN_NO_AXIS || axis >= 0 ? axis : axis + (int64_t)inputs[i]->rank;
  }
  for (size_t i = 0; i < b->tape.step_count; ++i) {
    TN_RETURN_IF_ERROR(do_step(b, &b->tape.steps[i]));
  }
  TN_RETURN_IF_ERROR(tn_scope_set_stream(b->scope, tn_scope_stream(scope)));
  for (size_t i = 0; i < output_count; ++i) {
    TN_RETURN_IF_ERROR(finish_output(b, i, out_axes ? out_axes[i] : 0, &out_outputs[i]));
  }
  for (size_t i = 0; i < output_count; ++i) {
    out_outputs[i] = tn__scope_give(scope, tn_array_retain(out_outputs[i]));
    TN_RETURN_IF_ERROR(tn_array_status(out_outputs[i]));
  }
  return TN_OK;
}

tn_status_t tn__vmap(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                     tn_array_t* const* inputs, tn_array_t* const* tracers, const int64_t* in_axes,
                     size_t output_count, const int64_t* out_axes, tn_array_t** out_outputs) {
  tn_batching_t b = {0};
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  tn_status_t status =
      trace(&b, scope, function, input_count, inputs, in_axes, tracers, output_count);
  if (!status) {
    status = vmap(&b, scope, input_count, inputs, in_axes, output_count, out_axes, out_outputs);
  }
  deinit(&b);
  for (size_t i = 0; status && i < output_count; ++i) out_outputs[i] = NULL;
  return status;
}

tn_status_t tn_vmap(tn_scope_t* scope, const tn_closure_t* function, size_t input_count,
                    tn_array_t* const* inputs, const int64_t* in_axes, size_t output_count,
                    const int64_t* out_axes, tn_array_t** out_outputs) {
  return tn__vmap(scope, function, input_count, inputs, NULL, in_axes, output_count, out_axes,
                  out_outputs);
}
