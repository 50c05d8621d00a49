// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arguments and results of a run: leaves, tuples, and whose memory they are in.
#include "program/run.h"

// --- arguments

static const tn_function_t* function_of(const tn_program_t* program) {
  return program->units[0].plan->function;
}

static tn_status_t check_leaf(const tn_program_t* program, size_t index,
                              const tn_buffer_t* buffer) {
  const tn_type_t* type = tn_program_input_type(program, index);
  const char* name = tn_program_input_name(program, index);
  const char* space = *name ? " " : "";
  if (type->kind == TN_TYPE_TOKEN) return TN_OK;
  if (!buffer) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "input %zu%s%s is NULL; expected %s", index,
                            space, name, TN_TYPE_TEXT(type));
  }
  const tn_type_t* given = tn_buffer_type(buffer);
  if (given->kind != TN_TYPE_TENSOR || given->dtype != type->dtype ||
      !tn__type_same_shape(given, type)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "input %zu%s%s is %s; expected %s", index,
                            space, name, TN_TYPE_TEXT(given), TN_TYPE_TEXT(type));
  }
  if (tn_buffer_device(buffer) != program->device) {
    tn_status_t status =
        tn_status_create(TN_CODE_INVALID_ARGUMENT,
                         "input %zu%s%s is on another device than the one that the program was "
                         "compiled for",
                         index, space, name);
    return tn__device_explain(status, tn_buffer_device(buffer), program->device);
  }
  return TN_OK;
}

static tn_status_t take_leaves(tn_run_t* run, size_t argument, const tn_type_t* type,
                               tn_buffer_t* buffer, size_t* next) {
  if (type->kind != TN_TYPE_TUPLE) {
    run->arguments[(*next)++].buffer = tn_buffer_retain(buffer);
    return TN_OK;
  }
  const tn_type_t* given = buffer ? tn_buffer_type(buffer) : NULL;
  if (!given || given->kind != TN_TYPE_TUPLE || given->element_count != type->element_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "input %zu: there is %s in the place of %s",
                            argument, given ? TN_TYPE_TEXT(given) : "NULL", TN_TYPE_TEXT(type));
  }
  for (size_t i = 0; i < type->element_count; ++i) {
    TN_RETURN_IF_ERROR(
        take_leaves(run, argument, type->elements[i], tn_buffer_element(buffer, i), next));
  }
  return TN_OK;
}

tn_status_t tn__run_take_arguments(tn_run_t* run, size_t count, tn_buffer_t* const* given) {
  const tn_function_t* function = function_of(run->program);
  bool are_leaves = count == run->argument_count;
  for (size_t i = 0; are_leaves && i < count; ++i) {
    are_leaves = !given[i] || tn_buffer_type(given[i])->kind != TN_TYPE_TUPLE;
  }
  if (!are_leaves && count != function->argument_count) {
    tn_status_t status =
        tn_status_create(TN_CODE_INVALID_ARGUMENT, "the program takes %u input%s; found %zu",
                         function->argument_count, function->argument_count == 1 ? "" : "s", count);
    if (run->argument_count == function->argument_count) return status;
    return tn_status_note(status, "or %zu, when tuples are given as their elements",
                          run->argument_count);
  }
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (are_leaves) {
      run->arguments[next++].buffer = tn_buffer_retain(given[i]);
    } else {
      TN_RETURN_IF_ERROR(take_leaves(run, i, function->argument_types[i], given[i], &next));
    }
  }
  for (size_t i = 0; i < run->argument_count; ++i) {
    TN_RETURN_IF_ERROR(check_leaf(run->program, i, run->arguments[i].buffer));
  }
  return TN_OK;
}

// --- memory

static tn_status_t hold(tn_run_t* run, size_t index) {
  tn_run_argument_t* argument = &run->arguments[index];
  if (!argument->buffer) return TN_OK;
  tn_status_t status = tn__buffer_hold(argument->buffer, &argument->memory);
  argument->is_held = !status;
  return tn_status_prefix(status, "input %zu", index);
}

static tn_status_t take(tn_run_t* run, size_t index) {
  tn_run_argument_t* argument = &run->arguments[index];
  if (!argument->buffer || !tn__buffer_take_memory(argument->buffer, &argument->memory)) {
    return hold(run, index);
  }
  argument->is_taken = true;
  uint32_t target = run->program->donation_targets[index];
  argument->is_spent = target == TN_PROGRAM_NONE || run->results[target].given;
  if (!argument->is_spent) {
    tn_run_result_t* result = &run->results[target];
    result->memory = argument->memory;
    result->is_owned = result->is_inherited = true;
  }
  return TN_OK;
}

static tn_status_t create_buffers(tn_run_t* run, tn_event_t* ready) {
  for (size_t i = 0; i < run->result_count; ++i) {
    const tn_type_t* type = tn_program_output_type(run->program, i);
    if (type->kind == TN_TYPE_TOKEN) continue;
    TN_RETURN_IF_ERROR(tn__buffer_create_without_memory(
        run->program->device, type->dtype, type->rank, type->dims, ready, &run->results[i].buffer));
  }
  return TN_OK;
}

static tn_status_t allocate_results(tn_run_t* run) {
  tn_device_t* device = run->program->device;
  for (size_t i = 0; i < run->result_count; ++i) {
    tn_run_result_t* result = &run->results[i];
    if (result->given) TN_RETURN_IF_ERROR(tn__run_wrap_result(run, i));
    if (result->is_inherited || result->is_wrapped) continue;
    size_t byte_size = tn__type_byte_size(tn_program_output_type(run->program, i));
    TN_RETURN_IF_ERROR(device->vtable->allocate(device, byte_size, 0, &result->memory));
    result->is_owned = true;
  }
  return TN_OK;
}

tn_status_t tn__run_bind(tn_run_t* run, const bool* donated, tn_event_t* ready) {
  const void* nothing = run->activation->temporaries;  // what tokens point to
  const tn_program_unit_t* unit = &run->program->units[0];
  TN_RETURN_IF_ERROR(create_buffers(run, ready));
  // First what is only read: a buffer that is also donated under another number is then declined,
  // not lost.
  for (size_t i = 0; i < run->argument_count; ++i) {
    if (!donated || !donated[i]) TN_RETURN_IF_ERROR(hold(run, i));
  }
  for (size_t i = 0; donated && i < run->argument_count; ++i) {
    if (donated[i]) TN_RETURN_IF_ERROR(take(run, i));
  }
  if (run->has_output_memory) TN_RETURN_IF_ERROR(tn__run_check_overlaps(run));
  TN_RETURN_IF_ERROR(allocate_results(run));
  // From here on nothing can fail.
  for (size_t i = 0; i < run->argument_count; ++i) {
    const tn_run_argument_t* argument = &run->arguments[i];
    tn__activation_bind(run->activation, &unit->parameters[i],
                        argument->buffer ? tn__memory_address(argument->memory) : nothing);
  }
  for (size_t i = 0; i < run->result_count; ++i) {
    tn_run_result_t* result = &run->results[i];
    tn__activation_bind(run->activation, &unit->results[i], tn__memory_address(result->memory));
    if (!result->buffer) continue;
    if (result->is_wrapped) {
      tn__buffer_put_wrapped(result->buffer, result->memory);
    } else {
      tn__buffer_put_memory(result->buffer, result->memory);
    }
    result->is_owned = false;
  }
  return TN_OK;
}

void tn__run_give_back(tn_run_t* run) {
  for (size_t i = 0; i < run->result_count; ++i) {
    tn_run_result_t* result = &run->results[i];
    if (!result->is_inherited) continue;
    if (!result->is_owned) (void)tn__buffer_take_memory(result->buffer, &result->memory);
    result->is_owned = result->is_inherited = false;
  }
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_run_argument_t* argument = &run->arguments[i];
    if (argument->is_taken) tn__buffer_put_memory(argument->buffer, argument->memory);
    argument->is_taken = argument->is_spent = false;
  }
}

void tn__run_give_back_unwritten(tn_run_t* run) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_run_argument_t* argument = &run->arguments[i];
    if (!argument->is_spent) continue;
    argument->is_taken = argument->is_spent = false;
    tn__buffer_put_memory(argument->buffer, argument->memory);
    argument->is_held = true;  // by handlers that are late
    tn_status_release(tn__buffer_hold(argument->buffer, &argument->memory));
  }
}

// --- results

size_t tn__run_result_count(const tn_program_t* program, bool is_nested) {
  return is_nested ? function_of(program)->result_count : tn_program_output_count(program);
}

static tn_status_t nest(const tn_run_t* run, const tn_type_t* type, size_t* next,
                        tn_buffer_t** out_buffer) {
  tn_status_t status = TN_OK;
  void* memory = NULL;
  *out_buffer = NULL;
  if (type->kind != TN_TYPE_TUPLE) {
    *out_buffer = tn_buffer_retain(run->results[(*next)++].buffer);
    return TN_OK;
  }
  const tn_allocator_t* allocator = run->program->allocator;
  size_t count = type->element_count;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, count, sizeof(tn_buffer_t*), &memory));
  tn_buffer_t** elements = memory;
  for (size_t i = 0; i < count; ++i) {
    TN_DONE_IF_ERROR(nest(run, type->elements[i], next, &elements[i]));
  }
  TN_DONE_IF_ERROR(tn_buffer_create_tuple(run->program->device, count, elements, out_buffer));
done:
  for (size_t i = 0; i < count; ++i) tn_buffer_release(elements[i]);
  tn__free(allocator, elements, count * sizeof *elements);
  return status;
}

tn_status_t tn__run_hand_out(const tn_run_t* run, bool is_nested, tn_buffer_t** out_results) {
  const tn_function_t* function = function_of(run->program);
  tn_status_t status = TN_OK;
  size_t next = 0;
  if (!is_nested) {
    for (size_t i = 0; i < run->result_count; ++i) {
      out_results[i] = tn_buffer_retain(run->results[i].buffer);
    }
    return TN_OK;
  }
  for (uint32_t i = 0; !status && i < function->result_count; ++i) {
    status = nest(run, function->result_types[i], &next, &out_results[i]);
  }
  for (uint32_t i = 0; status && i < function->result_count; ++i) {
    tn_buffer_release(out_results[i]);
    out_results[i] = NULL;
  }
  return status;
}
