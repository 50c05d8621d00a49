// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transforms of the operations that cases name, nested as the case says.
#include <stdlib.h>
#include <string.h>

#include "array_transforms.h"

static const char* const names[] = {"jvp", "vjp", "vmap", "checkpoint", "compile"};
enum { TRANSFORM_COUNT = sizeof names / sizeof *names };

static bool read_numbers(char** text, tn_case_numbers_t* out_numbers) {
  const int64_t count = strtoll(*text, text, 10);
  if (count < 0 || count > TN_CASE_INPUT_LIMIT) return false;
  out_numbers->count = (size_t)count;
  for (size_t i = 0; i < out_numbers->count; ++i) {
    out_numbers->values[i] = strtoll(*text, text, 10);
  }
  return true;
}

bool tn_case_level_read(tn_case_stack_t* stack, const char* text) {
  char* rest = NULL;
  if (stack->level_count == TN_CASE_LEVEL_LIMIT) return false;
  tn_case_level_t* level = &stack->levels[stack->level_count];
  while (*text == ' ') ++text;
  for (size_t i = 0; i < TRANSFORM_COUNT; ++i) {
    const size_t length = strlen(names[i]);
    if (strncmp(text, names[i], length) != 0 || text[length] != ' ') continue;
    level->transform = (tn_case_transform_t)i;
    level->input_count = (size_t)strtoull(text + length, &rest, 10);
    level->output_count = (size_t)strtoull(rest, &rest, 10);
  }
  if (!rest || level->input_count > TN_CASE_INPUT_LIMIT ||
      level->output_count > TN_CASE_INPUT_LIMIT || !read_numbers(&rest, &level->inputs) ||
      !read_numbers(&rest, &level->outputs)) {
    return false;
  }
  ++stack->level_count;
  return true;
}

// The operation, of these operands in the place of the case's.
static tn_status_t call_operation(void* user, tn_scope_t* scope, size_t input_count,
                                  tn_array_t* const* inputs, size_t output_count,
                                  tn_array_t** out_outputs) {
  const tn_case_stack_t* stack = user;
  tn_case_t* it = stack->it;
  tn_array_t* own[TN_CASE_LIMIT];
  size_t next = 0;
  memcpy(own, it->arrays, sizeof own);
  for (size_t i = 0; i < it->array_count; ++i) {
    if (own[i] && next < input_count) it->arrays[i] = inputs[next++];
  }
  memset(it->results, 0, sizeof it->results);
  tn_case_run(stack->operation, scope, it);
  memcpy(it->arrays, own, sizeof own);
  for (size_t i = 0; i < output_count; ++i) {
    if (i == TN_CASE_LIMIT || !it->results[i]) {
      return tn_status_create(TN_CODE_INTERNAL, "%s gave fewer results than the case expects",
                              stack->operation->name);
    }
    out_outputs[i] = it->results[i];
  }
  return TN_OK;
}

static tn_status_t call_jvp(const tn_case_level_t* level, tn_scope_t* scope,
                            tn_array_t* const* inputs, tn_array_t** out_outputs) {
  tn_array_t* tangents[TN_CASE_INPUT_LIMIT] = {NULL};
  tn_array_t *values[TN_CASE_INPUT_LIMIT], *changes[TN_CASE_INPUT_LIMIT];
  for (size_t i = 0; i < level->inputs.count; ++i) {
    tangents[level->inputs.values[i]] = inputs[level->input_count + i];
  }
  tn_status_t status = tn_jvp(scope, &level->function, level->input_count, inputs, tangents,
                              level->output_count, values, changes);
  if (status) return status;
  for (size_t i = 0; i < level->outputs.count; ++i) {
    out_outputs[i] = changes[level->outputs.values[i]];
  }
  return TN_OK;
}

static tn_status_t call_vjp(const tn_case_level_t* level, tn_scope_t* scope,
                            tn_array_t* const* inputs, tn_array_t** out_outputs) {
  tn_array_t* cotangents[TN_CASE_INPUT_LIMIT] = {NULL};
  tn_array_t *values[TN_CASE_INPUT_LIMIT], *gradients[TN_CASE_INPUT_LIMIT];
  for (size_t i = 0; i < level->outputs.count; ++i) {
    cotangents[level->outputs.values[i]] = inputs[level->input_count + i];
  }
  tn_status_t status = tn_vjp(scope, &level->function, level->input_count, inputs,
                              level->output_count, cotangents, values, gradients);
  if (status) return status;
  for (size_t i = 0; i < level->inputs.count; ++i) {
    out_outputs[i] = gradients[level->inputs.values[i]];
  }
  return TN_OK;
}

static tn_status_t call_compiled(const tn_case_level_t* level, tn_scope_t* scope,
                                 tn_array_t* const* inputs, tn_array_t** out_outputs) {
  tn_compiled_t* compiled = NULL;
  tn_status_t status = tn_closure_compile(scope, &level->function, NULL, &compiled);
  if (!status) {
    status = tn_compiled_call(compiled, scope, level->input_count, inputs, level->output_count,
                              out_outputs);
  }
  tn_compiled_release(compiled);
  return status;
}

static tn_status_t call_level(void* user, tn_scope_t* scope, size_t input_count,
                              tn_array_t* const* inputs, size_t output_count,
                              tn_array_t** out_outputs) {
  const tn_case_level_t* level = user;
  const bool is_fine =
      level->transform == TN_CASE_JVP ? input_count == level->input_count + level->inputs.count &&
                                            output_count == level->outputs.count
      : level->transform == TN_CASE_VJP
          ? input_count == level->input_count + level->outputs.count &&
                output_count == level->inputs.count
          : input_count == level->input_count && output_count == level->output_count;
  if (!is_fine) {
    return tn_status_create(TN_CODE_INTERNAL, "%s of %zu inputs and %zu outputs: the case is wrong",
                            names[level->transform], input_count, output_count);
  }
  switch (level->transform) {
    case TN_CASE_JVP: return call_jvp(level, scope, inputs, out_outputs);
    case TN_CASE_VJP: return call_vjp(level, scope, inputs, out_outputs);
    case TN_CASE_VMAP:
      return tn_vmap(scope, &level->function, input_count, inputs, level->inputs.values,
                     output_count, level->outputs.values, out_outputs);
    case TN_CASE_CHECKPOINT:
      return tn_checkpoint(scope, &level->function, input_count, inputs, output_count, out_outputs);
    default: return call_compiled(level, scope, inputs, out_outputs);
  }
}

// The levels below `level_count`, as a function.
static tn_closure_t closure_of(tn_case_stack_t* stack, size_t level_count) {
  tn_closure_t function = {call_operation, stack};
  for (size_t i = 0; i < level_count; ++i) {
    stack->levels[i].function = function;
    function = (tn_closure_t){call_level, &stack->levels[i]};
  }
  return function;
}

tn_status_t tn_case_stack_run(tn_case_stack_t* stack, tn_scope_t* scope, size_t input_count,
                              tn_array_t* const* inputs, size_t output_count,
                              tn_array_t** out_outputs) {
  const tn_closure_t function = closure_of(stack, stack->level_count);
  return function.call(function.user, scope, input_count, inputs, output_count, out_outputs);
}

tn_status_t tn_case_stack_difference(tn_case_stack_t* stack, tn_scope_t* scope, double step,
                                     tn_array_t* const* inputs, tn_array_t** out_outputs) {
  const tn_case_level_t* level = &stack->levels[stack->level_count - 1];
  const tn_closure_t function = closure_of(stack, stack->level_count - 1);
  tn_array_t* outputs[2][TN_CASE_INPUT_LIMIT];
  for (size_t side = 0; side < 2; ++side) {
    tn_array_t* moved[TN_CASE_INPUT_LIMIT];
    for (size_t i = 0; i < level->input_count; ++i) moved[i] = inputs[i];
    for (size_t i = 0; i < level->inputs.count; ++i) {
      tn_array_t* tangent = inputs[level->input_count + i];
      tn_array_t* size = tn_array_scalar(scope, tn_array_dtype(tangent), side ? -step : step);
      tn_array_t** input = &moved[level->inputs.values[i]];
      *input = tn_array_add(scope, *input, tn_array_multiply(scope, tangent, size));
    }
    tn_status_t status = function.call(function.user, scope, level->input_count, moved,
                                       level->output_count, outputs[side]);
    if (status) return status;
  }
  for (size_t i = 0; i < level->outputs.count; ++i) {
    const size_t number = (size_t)level->outputs.values[i];
    tn_array_t* difference = tn_array_subtract(scope, outputs[0][number], outputs[1][number]);
    tn_array_t* size = tn_array_scalar(scope, tn_array_dtype(difference), 0.5 / step);
    out_outputs[i] = tn_array_multiply(scope, difference, size);
  }
  return TN_OK;
}
