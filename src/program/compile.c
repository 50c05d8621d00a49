// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdio.h>

#include "base/linux/clock.h"
#include "base/options.h"
#include "base/spelling.h"
#include "device/device.h"
#include "pass/pass.h"
#include "pass/refine.h"
#include "program/activation.h"
#include "program/dynamic.h"

// "@f, @g": the functions of the module, as far as the text has room.
static const char* list_functions(const tn_module_t* module, char* out, size_t capacity) {
  size_t length = 0;
  out[0] = 0;
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    int written =
        snprintf(out + length, capacity - length, "%s@%.*s", length ? ", " : "", TN_SV(f->name));
    if (written > 0 && (size_t)written < capacity - length) {
      length += (size_t)written;
    } else {
      snprintf(out + length, capacity - length, "...");
      break;
    }
  }
  return out;
}

static tn_status_t no_such_function(const tn_module_t* module, const char* name) {
  char functions[200];
  tn_status_t status = tn_status_create(TN_CODE_NOT_FOUND, "the module has no function @%s", name);
  tn_spelling_t search = {.word = tn__sv(name)};
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    (void)tn__spelling_consider(&search, f->name);
  }
  if (search.nearest.data) return tn__spelling_note(&search, "@", status);
  if (!module->first_function) return status;
  return tn_status_note(status, "it has %s",
                        list_functions(module, functions, sizeof functions - 4));
}

static tn_status_t find_function(const tn_module_t* module, const char* name,
                                 tn_function_t** out_function) {
  *out_function = name ? tn__module_find_function(module, tn__sv(name)) : tn__module_entry(module);
  if (*out_function) return TN_OK;
  if (name) return no_such_function(module, name);
  if (!module->first_function) {
    return tn_status_create(TN_CODE_NOT_FOUND, "the module has no function");
  }
  char functions[200];
  return tn_status_note(
      tn_status_create(TN_CODE_NOT_FOUND,
                       "the module has several functions and none is called @main"),
      "name one of %s (tn_compile_options_t.function, tenon --function NAME)",
      list_functions(module, functions, sizeof functions - 4));
}

static bool has_foreign(const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    if (tn__op_has(node->op, TN_FOREIGN)) return true;
  }
  return false;
}

// Loops, custom calls and other devices may take any time; for the rest the bytes tell.
static bool is_small(const tn_program_t* program) {
  enum { SMALL_BYTES = 64 << 10 };
  size_t byte_size = 0;
  if (!program->device->target->is_host) return false;
  for (size_t u = 0; u < program->unit_count; ++u) {
    byte_size += program->units[u].plan->total_byte_size;
  }
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_node_t* node = program->instructions[i].step->node;
    const bool is_fusion = node && node->op == TN__OP_OF(tenon, fusion);
    if (!node || (is_fusion && !has_foreign(node->regions[0]))) continue;
    if (node->region_count || tn__op_has(node->op, TN_FOREIGN)) return false;
  }
  return byte_size <= SMALL_BYTES;
}

// Sets what the module is compiled for: what the device says, or a variant of it.
static tn_status_t choose_target(tn_program_t* program, const tn_compile_options_t* options) {
  const tn_device_t* device = program->device;
  program->module->target = device->target;
  if (!options->guard_calls && !options->strict_arithmetic) return TN_OK;
  if (options->strict_arithmetic && device->target->has_encoder) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "strict arithmetic: device %s computes in an order of its own; use the "
                            "device cpu",
                            device->name);
  }
  if (options->guard_calls && !device->target->is_host && !device->target->has_encoder) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "guarded calls: device %s does not run custom calls on the host's "
                            "memory; use the device cpu",
                            device->name);
  }
  tn_compile_target_t* guarded = program->guarded;
  guarded[0] = *device->target;
  guarded[1] = *device->target->host;
  for (size_t i = 0; i < 2; ++i) {
    guarded[i].host = &guarded[device->target->is_host ? 0 : 1];
    guarded[i].guards_calls = options->guard_calls;
    if (options->strict_arithmetic) tn__compile_target_make_strict(&guarded[i]);
  }
  program->module->target = &guarded[0];
  return TN_OK;
}

tn_status_t tn__program_fix_platform(const tn_program_t* program, tn_module_t* module,
                                     tn_function_t* entry) {
  if (!program->has_platform_index || !entry->body) return TN_OK;
  return tn__pass_choose_platform(module, entry, program->platform_index);
}

tn_status_t tn__program_fix_sizes(tn_module_t* module, tn_function_t* entry,
                                  const tn_type_t* const* argument_types) {
  if (!entry->body || (!argument_types && !tn__pass_must_refine(module))) return TN_OK;
  return tn__pass_refine(module, entry, argument_types ? argument_types : entry->argument_types);
}

static tn_status_t compile(tn_program_t* program, const tn_compile_options_t* options,
                           const tn_type_t* const* argument_types,
                           const tn_interrupt_t* interrupt) {
  tn_function_t* entry = NULL;
  TN_RETURN_IF_ERROR(tn__interrupt_check(interrupt));
  TN_RETURN_IF_ERROR(tn__module_clone(program->source, &program->module));
  program->module->interrupt = interrupt;
  TN_RETURN_IF_ERROR(choose_target(program, options));
  TN_RETURN_IF_ERROR(find_function(program->module, options->function, &entry));
  program->has_platform_index = options->has_platform_index;
  program->platform_index = options->platform_index;
  TN_RETURN_IF_ERROR(tn__program_fix_platform(program, program->module, entry));
  if (!argument_types && entry->body && tn__function_is_dynamic(entry)) {
    TN_RETURN_IF_ERROR(tn__pass_check_calls(program->module, entry));
    return tn__dynamic_create(program, entry, options);
  }
  TN_RETURN_IF_ERROR(tn__program_fix_sizes(program->module, entry, argument_types));
  program->keep_all = options->keep_all || options->keep_values;
  program->is_strict = options->strict_arithmetic;
  if (options->keep_values) TN_RETURN_IF_ERROR(tn__program_keep_values(program, entry));
  tn_pass_options_t pass_options = {.target = program->module->target,
                                    .keep_all = program->keep_all,
                                    .is_strict = program->is_strict};
  TN_RETURN_IF_ERROR(tn__pass_run(program->module, entry, &pass_options));
  TN_RETURN_IF_ERROR(tn__program_build(program, entry));
  program->is_small = is_small(program);
  program->has_graph = tn__graph_is_possible(program);
  program->module->interrupt = NULL;
  return TN_OK;
}

tn_status_t tn_program_compile(tn_device_t* device, tn_module_t* module,
                               const tn_compile_options_t* options, tn_program_t** out_program) {
  *out_program = NULL;
  TN_RETURN_IF_NULL(device);
  TN_RETURN_IF_NULL(module);
  return tn__program_compile_for(device, module, options, NULL, NULL, out_program);
}

tn_status_t tn__program_compile_for(tn_device_t* device, tn_module_t* module,
                                    const tn_compile_options_t* options,
                                    const tn_type_t* const* argument_types,
                                    const tn_interrupt_t* interrupt, tn_program_t** out_program) {
  tn_compile_options_t copy;
  tn_status_t status;
  int64_t start_ns = tn__clock_ns();
  *out_program = NULL;
  options = TN_OPTIONS_READ(tn_compile_options_t, options, &copy, &status);
  TN_RETURN_IF_ERROR(status);
  const tn_allocator_t* allocator = options->allocator ? options->allocator : tn_allocator_system();
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_program_t), &memory));
  tn_program_t* program = memory;
  atomic_init(&program->references, 1);
  program->allocator = allocator;
  program->source = tn_module_retain(module);
  program->device = tn_device_retain(device);
  tn__arena_init(&program->arena, allocator);
  pthread_mutex_init(&program->mutex, NULL);
  status = compile(program, options, argument_types, interrupt);
  if (!status) status = tn__program_name_results(program);
  if (status) {
    tn_program_release(program);
    return status;
  }
  program->compile_ns = (uint64_t)(tn__clock_ns() - start_ns);
  *out_program = program;
  return TN_OK;
}

tn_program_t* tn_program_retain(tn_program_t* program) {
  if (program) atomic_fetch_add(&program->references, 1);
  return program;
}

void tn_program_release(tn_program_t* program) {
  if (!program || atomic_fetch_sub(&program->references, 1) != 1) return;
  tn__dynamic_destroy(program);
  tn__activation_release_all(program);
  for (size_t i = 0; i < program->unit_count; ++i) tn__plan_deinit(program->units[i].plan);
  pthread_mutex_destroy(&program->mutex);
  tn__arena_deinit(&program->arena);
  if (program->has_constant_memory) {
    program->device->vtable->free(program->device, program->constant_memory);
  }
  tn_module_release(program->module);
  tn_module_release(program->source);
  tn_device_release(program->device);
  tn__free(program->allocator, program, sizeof *program);
}

// --- queries

static const tn_plan_t* entry_plan(const tn_program_t* program) {
  return program->units[0].plan;
}

size_t tn_program_input_count(const tn_program_t* program) {
  return program->dynamic ? tn__program_function(program)->argument_count
                          : entry_plan(program)->parameter_leaf_count;
}

const tn_type_t* tn_program_input_type(const tn_program_t* program, size_t index) {
  if (index >= tn_program_input_count(program)) return NULL;
  return program->dynamic ? tn__program_function(program)->argument_types[index]
                          : entry_plan(program)->parameter_leaves[index];
}

// Leaves of a tuple bear the name of the argument that holds them.
const char* tn_program_input_name(const tn_program_t* program, size_t index) {
  if (index >= tn_program_input_count(program)) return "";
  const tn_value_t* value = program->dynamic
                                ? &tn__program_function(program)->body->arguments[index]
                                : entry_plan(program)->parameter_values[index];
  return value->name.length ? value->name.data : "";
}

bool tn_program_may_donate(const tn_program_t* program, size_t index) {
  return index < tn_program_input_count(program) && !program->dynamic &&
         program->donation_targets[index] != TN_PROGRAM_NONE;
}

size_t tn_program_output_count(const tn_program_t* program) {
  return program->dynamic ? tn__program_function(program)->result_count
                          : entry_plan(program)->result_leaf_count;
}

const tn_type_t* tn_program_output_type(const tn_program_t* program, size_t index) {
  if (index >= tn_program_output_count(program)) return NULL;
  return program->dynamic ? tn__program_function(program)->result_types[index]
                          : entry_plan(program)->result_leaves[index];
}

void tn_program_statistics(const tn_program_t* program, tn_program_statistics_t* statistics) {
  tn_program_statistics_t figures = {
      .instruction_count = program->instruction_count,
      .plan_byte_size = program->arena_byte_size,
      .lower_bound_byte_size = program->lower_bound_byte_size,
      .compile_ns = program->compile_ns,
  };
  for (size_t u = 0; u < program->unit_count; ++u) {
    const tn_plan_t* plan = program->units[u].plan;
    figures.total_byte_size += plan->total_byte_size;
    for (size_t b = 0; b < plan->buffer_count; ++b) {
      if (plan->buffers[b].kind == TN_PLAN_CONSTANT) {
        figures.constant_byte_size += plan->buffers[b].byte_size;
      }
    }
  }
  tn__options_fill(statistics, &figures, sizeof figures);
}
