// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/dynamic.h"

#include "base/recent.h"
#include "base/type.h"
#include "ops/rule.h"

struct tn_dynamic {
  const tn_function_t* function;
  tn_compile_options_t options;
  tn_string_view_t name;  // of the function, for the options
  tn_recent_t programs;   // retained, one for each set of sizes; under the program's mutex
};

bool tn__function_is_dynamic(const tn_function_t* function) {
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    if (!tn__type_is_static(function->argument_types[i])) return true;
  }
  return false;
}

static tn_status_t check_tensor(const tn_function_t* function, const char* what, uint32_t index,
                                const tn_type_t* type) {
  if (tn__type_is_tensor(type)) return TN_OK;
  return tn__function_locate(
      function,
      tn_status_create(TN_CODE_UNIMPLEMENTED,
                       "%s %u has type %s; the inputs and outputs of a function with unknown "
                       "dimensions can only be tensors",
                       what, index, TN_TYPE_TEXT(type)));
}

tn_status_t tn__dynamic_create(tn_program_t* program, const tn_function_t* function,
                               const tn_compile_options_t* options) {
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    TN_RETURN_IF_ERROR(check_tensor(function, "input", i, function->argument_types[i]));
  }
  for (uint32_t i = 0; i < function->result_count; ++i) {
    TN_RETURN_IF_ERROR(check_tensor(function, "output", i, function->result_types[i]));
  }
  tn_dynamic_t* dynamic = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(&program->arena, &dynamic));
  TN_RETURN_IF_ERROR(tn__arena_copy_string(&program->arena, function->name, &dynamic->name));
  dynamic->function = function;
  dynamic->options = *options;
  dynamic->options.function = dynamic->name.data;
  program->dynamic = dynamic;
  return TN_OK;
}

void tn__dynamic_destroy(tn_program_t* program) {
  tn_dynamic_t* dynamic = program->dynamic;
  for (size_t i = 0; dynamic && i < dynamic->programs.count; ++i) {
    tn_program_release(dynamic->programs.entries[i]);
  }
}

const tn_function_t* tn__program_function(const tn_program_t* program) {
  return program->dynamic ? program->dynamic->function : program->units[0].plan->function;
}

// A dynamic dimension may have an upper bound (#stablehlo.bounds), on which the program relies.
static tn_status_t check_bounds(uint32_t index, tn_string_view_t name, const tn_type_t* given,
                                const tn_type_t* type) {
  for (size_t d = 0; type->bounds && d < type->rank; ++d) {
    if (type->bounds[d] == TN_DIM_DYNAMIC || given->dims[d] <= type->bounds[d]) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "input %u%s%.*s is %s: dimension %zu has size %lld, above its bound of "
                            "%lld in %s",
                            index, name.length ? " " : "", TN_SV(name), TN_TYPE_TEXT(given), d,
                            (long long)given->dims[d], (long long)type->bounds[d],
                            TN_TYPE_TEXT(type));
  }
  return TN_OK;
}

static tn_status_t check_argument(const tn_program_t* program, uint32_t index,
                                  const tn_buffer_t* buffer) {
  const tn_function_t* function = program->dynamic->function;
  const tn_type_t *type = function->argument_types[index], *given = NULL;
  const tn_string_view_t name = function->body->arguments[index].name;
  if (buffer) given = tn_buffer_type(buffer);
  if (given && given->kind == TN_TYPE_TENSOR && tn__types_agree(given, type)) {
    return check_bounds(index, name, given, type);
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "input %u%s%.*s is %s; expected %s", index,
                          name.length ? " " : "", TN_SV(name), given ? TN_TYPE_TEXT(given) : "NULL",
                          TN_TYPE_TEXT(type));
}

// Whether a program was made for arguments of these shapes; their dtypes and ranks are the same.
static bool fits(const void* entry, const void* user) {
  const tn_function_t* function = tn__program_function(entry);
  tn_buffer_t* const* arguments = user;
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    if (!tn_type_equal(function->argument_types[i], tn_buffer_type(arguments[i]))) return false;
  }
  return true;
}

// The program for these arguments, retained; NULL when there is none. Under the mutex.
static tn_program_t* find(tn_program_t* program, tn_buffer_t* const* arguments) {
  return tn_program_retain(tn__recent_find(&program->dynamic->programs, fits, arguments));
}

static tn_status_t compile(tn_program_t* program, tn_buffer_t* const* arguments,
                           const tn_interrupt_t* interrupt, tn_program_t** out_program) {
  const tn_dynamic_t* dynamic = program->dynamic;
  const uint32_t count = dynamic->function->argument_count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(program->allocator, count, sizeof(tn_type_t*), &memory));
  const tn_type_t** types = memory;
  for (uint32_t i = 0; i < count; ++i) types[i] = tn_buffer_type(arguments[i]);
  tn_status_t status = tn__program_compile_for(program->device, program->source, &dynamic->options,
                                               types, interrupt, out_program);
  tn__free(program->allocator, memory, count * sizeof *types);
  return status;
}

tn_status_t tn_program_specialise(tn_program_t* program, size_t input_count,
                                  tn_buffer_t* const* inputs, tn_program_t** out_program) {
  *out_program = NULL;
  TN_RETURN_IF_NULL(program);
  if (input_count) TN_RETURN_IF_NULL(inputs);
  if (program->dynamic) {
    return tn__dynamic_specialise(program, input_count, inputs, NULL, out_program);
  }
  *out_program = tn_program_retain(program);
  return TN_OK;
}

tn_status_t tn__dynamic_specialise(tn_program_t* program, size_t argument_count,
                                   tn_buffer_t* const* arguments, const tn_interrupt_t* interrupt,
                                   tn_program_t** out_program) {
  const tn_function_t* function = program->dynamic->function;
  tn_program_t *made = NULL, *old = NULL;
  *out_program = NULL;
  if (argument_count != function->argument_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "the program takes %u input%s; found %zu",
                            function->argument_count, function->argument_count == 1 ? "" : "s",
                            argument_count);
  }
  for (uint32_t i = 0; i < argument_count; ++i) {
    TN_RETURN_IF_ERROR(check_argument(program, i, arguments[i]));
  }
  pthread_mutex_lock(&program->mutex);
  *out_program = find(program, arguments);
  pthread_mutex_unlock(&program->mutex);
  if (*out_program) return TN_OK;
  TN_RETURN_IF_ERROR(compile(program, arguments, interrupt, &made));
  pthread_mutex_lock(&program->mutex);
  *out_program = find(program, arguments);
  if (*out_program) {  // another thread was quicker
    old = made;
  } else {
    old = tn__recent_add(&program->dynamic->programs, made);
    *out_program = tn_program_retain(made);
  }
  pthread_mutex_unlock(&program->mutex);
  tn_program_release(old);
  return TN_OK;
}
