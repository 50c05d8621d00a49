// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "transform/tape.h"

#include "base/process.h"

typedef struct tn_tape_frame {
  tn_array_t* array;
  uint32_t next;
} tn_tape_frame_t;

void tn__tape_deinit(tn_tape_t* tape) {
  for (size_t i = 0; i < tape->value_count; ++i) tn_array_release(tape->values[i]);
  tn__free(tape->allocator, tape->values, tape->value_capacity * sizeof *tape->values);
  tn__free(tape->allocator, tape->steps, tape->step_capacity * sizeof *tape->steps);
  tn__free(tape->allocator, tape->operands, tape->operand_capacity * sizeof *tape->operands);
  tn__free(tape->allocator, tape->outputs, tape->output_count * sizeof *tape->outputs);
  tn__free(tape->allocator, tape->stack, tape->stack_capacity * sizeof *tape->stack);
  *tape = (tn_tape_t){.allocator = tape->allocator};
}

#define GROW(tape, list, count, capacity) \
  grow_list((tape), (void**)&(tape)->list, (tape)->count, &(tape)->capacity, sizeof *(tape)->list)
static tn_status_t grow_list(const tn_tape_t* tape, void** list, size_t count, size_t* capacity,
                             size_t element_size) {
  if (count < *capacity) return TN_OK;
  return tn__grow(tape->allocator, list, capacity, count + 1, element_size);
}

// Takes the array.
static tn_status_t add_value(tn_tape_t* tape, tn_array_t* array, uint64_t mark) {
  tn_status_t status = GROW(tape, values, value_count, value_capacity);
  if (status) {
    tn_array_release(array);
    return status;
  }
  array->mark = mark;
  array->position = (uint32_t)tape->value_count;
  tape->values[tape->value_count++] = array;
  return TN_OK;
}

// A result without a reference, or the one that is there. A new reference.
static tn_array_t* get_result(tn_step_t* step, uint32_t index, tn_array_t* met) {
  if (!step->results) return tn_array_retain(met);
  tn_array_t* array = step->results[index];
  if (array && tn__array_retain_if_alive(array)) return array;
  const tn_array_type_t* type = &step->result_types[index];
  array = tn__array_create(step->evaluator, type->dtype, type->rank, type->dims);
  if (!array) return NULL;
  array->flags = TN_ARRAY_TRACED;
  array->index = index;
  array->step = tn__step_retain(step);
  step->results[index] = array;
  return array;
}

static tn_status_t finish_step(tn_tape_t* tape, tn_array_t* met, uint64_t mark) {
  tn_step_t* step = met->step;
  bool depends = false;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    if (step->operands[i]->position != TN_TAPE_CONSTANT) depends = true;
  }
  if (!depends) {
    met->mark = mark;
    met->position = TN_TAPE_CONSTANT;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(GROW(tape, steps, step_count, step_capacity));
  tape->steps[tape->step_count++] = (tn_tape_step_t){.step = step,
                                                     .first_operand = (uint32_t)tape->operand_count,
                                                     .first_result = (uint32_t)tape->value_count};
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    TN_RETURN_IF_ERROR(GROW(tape, operands, operand_count, operand_capacity));
    tape->operands[tape->operand_count++] = step->operands[i]->position;
  }
  for (uint32_t i = 0; i < step->result_count; ++i) {
    tn_array_t* result = get_result(step, i, met);
    if (!result) return tn__status_out_of_memory();
    TN_RETURN_IF_ERROR(add_value(tape, result, mark));
  }
  return TN_OK;
}

static tn_status_t visit(tn_tape_t* tape, tn_array_t* array, uint64_t mark) {
  if (array->mark == mark) return TN_OK;
  if (!(array->flags & TN_ARRAY_TRACED) || !array->step) {
    array->mark = mark;
    array->position = TN_TAPE_CONSTANT;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(GROW(tape, stack, stack_count, stack_capacity));
  tape->stack[tape->stack_count++] = (tn_tape_frame_t){.array = array};
  return TN_OK;
}

static tn_status_t walk(tn_tape_t* tape, tn_array_t* output, uint64_t mark) {
  TN_RETURN_IF_ERROR(visit(tape, output, mark));
  while (tape->stack_count) {
    tn_tape_frame_t* frame = &tape->stack[tape->stack_count - 1];
    tn_array_t* array = frame->array;
    if (array->mark == mark) {
      --tape->stack_count;
    } else if (frame->next < array->step->operand_count) {
      TN_RETURN_IF_ERROR(visit(tape, array->step->operands[frame->next++], mark));
    } else {
      --tape->stack_count;
      TN_RETURN_IF_ERROR(finish_step(tape, array, mark));
    }
  }
  return TN_OK;
}

// Under the mutex.
static tn_status_t collect(tn_tape_t* tape, size_t input_count, tn_array_t* const* inputs,
                           size_t output_count, tn_array_t* const* outputs, uint64_t mark) {
  void* memory = NULL;
  for (size_t i = 0; i < input_count; ++i) {
    TN_RETURN_IF_ERROR(add_value(tape, tn_array_retain(inputs[i]), mark));
  }
  TN_RETURN_IF_ERROR(
      tn__allocate_array(tape->allocator, output_count, sizeof *tape->outputs, &memory));
  tape->outputs = memory;
  tape->output_count = output_count;
  for (size_t i = 0; i < output_count; ++i) TN_RETURN_IF_ERROR(walk(tape, outputs[i], mark));
  for (size_t i = 0; i < output_count; ++i) tape->outputs[i] = outputs[i]->position;
  return TN_OK;
}

tn_status_t tn__closure_check(const char* name, const tn_closure_t* function) {
  if (function && function->call) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the function is NULL", name);
}

tn_status_t tn__closure_call(const char* name, const tn_closure_t* function, tn_scope_t* scope,
                             size_t input_count, tn_array_t* const* inputs, size_t output_count,
                             tn_array_t** out_outputs) {
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  TN_RETURN_IF_ERROR(tn__closure_check(name, function));
  TN_RETURN_IF_ERROR(
      function->call(function->user, scope, input_count, inputs, output_count, out_outputs));
  for (size_t i = 0; i < output_count; ++i) {
    if (!out_outputs[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the function left output %zu NULL",
                              name, i);
    }
    out_outputs[i] = tn__scope_own(scope, name, out_outputs[i]);
    TN_RETURN_IF_ERROR(tn_array_status(out_outputs[i]));
  }
  return TN_OK;
}

tn_status_t tn__tape_record(const char* name, tn_scope_t* scope, const tn_closure_t* function,
                            size_t input_count, tn_array_t* const* inputs, size_t output_count,
                            tn_array_t** out_outputs, tn_tape_t* out_tape) {
  tn_evaluator_t* evaluator = tn__scope_evaluator(scope);
  *out_tape = (tn_tape_t){.allocator = evaluator->allocator};
  TN_RETURN_IF_ERROR(tn__process_check());
  for (size_t i = 0; i < input_count; ++i) TN_RETURN_IF_ERROR(tn_array_status(inputs[i]));
  TN_RETURN_IF_ERROR(
      tn__closure_call(name, function, scope, input_count, inputs, output_count, out_outputs));
  pthread_mutex_lock(&evaluator->mutex);
  tn_status_t status = collect(out_tape, input_count, inputs, output_count, out_outputs,
                               tn__evaluator_next_mark(evaluator));
  pthread_mutex_unlock(&evaluator->mutex);
  return status;
}
