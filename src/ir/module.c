// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdio.h>

#include "ir/ir.h"

tn_status_t tn__module_create(const tn_allocator_t* allocator, tn_module_t** out_module) {
  void* memory = NULL;
  *out_module = NULL;
  if (!allocator) allocator = tn_allocator_system();
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_module_t), &memory));
  tn_module_t* module = memory;
  atomic_init(&module->references, 1);
  module->allocator = allocator;
  tn__arena_init(&module->arena, allocator);
  tn__names_init(&module->functions, allocator);
  *out_module = module;
  return TN_OK;
}

// Something that nodes of the module point to.
typedef struct tn_module_link {
  tn_module_t* module;
  const tn_op_t* op;
  struct tn_module_link* next;
} tn_module_link_t;

static tn_status_t add_link(tn_module_t* module, tn_module_t* other, const tn_op_t* op) {
  tn_module_link_t* link = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(&module->arena, &link));
  *link = (tn_module_link_t){tn_module_retain(other), tn__op_retain(op), module->kept};
  module->kept = link;
  return TN_OK;
}

tn_status_t tn__module_keep(tn_module_t* module, tn_module_t* other) {
  for (const tn_module_link_t* link = module->kept; link; link = link->next) {
    if (link->module == other) return TN_OK;
  }
  return add_link(module, other, NULL);
}

tn_status_t tn__module_keep_op(tn_module_t* module, const tn_op_t* op) {
  return op->owner ? add_link(module, NULL, op) : TN_OK;
}

tn_module_t* tn_module_retain(tn_module_t* module) {
  if (module) atomic_fetch_add(&module->references, 1);
  return module;
}

void tn_module_release(tn_module_t* module) {
  if (!module || atomic_fetch_sub(&module->references, 1) != 1) return;
  tn_module_release(module->origin);
  for (tn_module_link_t* link = module->kept; link; link = link->next) {
    tn_module_release(link->module);
    tn__op_release(link->op);
  }
  tn__source_release(module->source);
  tn__names_deinit(&module->functions);
  tn__arena_deinit(&module->arena);
  tn__free(module->allocator, module, sizeof *module);
}

tn_function_t* tn__module_find_function(const tn_module_t* module, tn_string_view_t name) {
  const tn_name_entry_t* entry = tn__names_find(&module->functions, name);
  return entry ? entry->pointer : NULL;
}

tn_function_t* tn__module_entry(const tn_module_t* module) {
  tn_function_t* function = tn__module_find_function(module, TN_SV_LITERAL("main"));
  if (function) return function;
  return module->first_function == module->last_function ? module->first_function : NULL;
}

static tn_status_t allocate_dictionaries(tn_arena_t* arena, size_t count,
                                         tn_attr_dictionary_t** out) {
  *out = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, out));
  return TN_OK;
}

tn_status_t tn__function_create(tn_module_t* module, tn_string_view_t name, size_t argument_count,
                                const tn_type_t* const* argument_types, size_t result_count,
                                const tn_type_t* const* result_types, bool is_declaration,
                                tn_function_t** out_function) {
  *out_function = NULL;
  if (argument_count > UINT32_MAX || result_count > UINT32_MAX) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "function @%.*s has too many values",
                            TN_SV(name));
  }
  if (tn__names_find(&module->functions, name)) {
    return tn_status_create(TN_CODE_ALREADY_EXISTS, "function @%.*s is already defined",
                            TN_SV(name));
  }
  tn_function_t* function = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(&module->arena, &function));
  function->module = module;
  function->argument_count = (uint32_t)argument_count;
  function->result_count = (uint32_t)result_count;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(&module->arena, name, &function->name));
  TN_RETURN_IF_ERROR(
      TN_ARENA_COPY(&module->arena, argument_count, argument_types, &function->argument_types));
  TN_RETURN_IF_ERROR(
      TN_ARENA_COPY(&module->arena, result_count, result_types, &function->result_types));
  TN_RETURN_IF_ERROR(
      allocate_dictionaries(&module->arena, argument_count, &function->argument_attrs));
  TN_RETURN_IF_ERROR(allocate_dictionaries(&module->arena, result_count, &function->result_attrs));
  if (!is_declaration) {
    TN_RETURN_IF_ERROR(
        tn__region_create(function, argument_count, argument_types, &function->body));
  }
  TN_RETURN_IF_ERROR(tn__names_add(&module->functions, function->name, 0, function));
  if (module->last_function) {
    module->last_function->next = function;
  } else {
    module->first_function = function;
  }
  module->last_function = function;
  *out_function = function;
  return TN_OK;
}

// --- the public accessors

static const tn_function_t* function_at(const tn_module_t* module, size_t index) {
  const tn_function_t* function = module->first_function;
  for (size_t i = 0; function && i < index; ++i) function = function->next;
  return function;
}

size_t tn_module_function_count(const tn_module_t* module) {
  size_t count = 0;
  for (const tn_function_t* f = module->first_function; f; f = f->next) ++count;
  return count;
}

const char* tn_module_function_name(const tn_module_t* module, size_t index) {
  const tn_function_t* function = function_at(module, index);
  return function ? function->name.data : NULL;
}

size_t tn_module_find(const tn_module_t* module, const char* name) {
  const tn_function_t* wanted =
      name ? tn__module_find_function(module, tn__sv(name)) : tn__module_entry(module);
  size_t index = 0;
  for (const tn_function_t* f = module->first_function; f; f = f->next, ++index) {
    if (f == wanted) return index;
  }
  return SIZE_MAX;
}

size_t tn_module_input_count(const tn_module_t* module, size_t function) {
  const tn_function_t* f = function_at(module, function);
  return f ? f->argument_count : 0;
}

const tn_type_t* tn_module_input_type(const tn_module_t* module, size_t function, size_t index) {
  const tn_function_t* f = function_at(module, function);
  return f && index < f->argument_count ? f->argument_types[index] : NULL;
}

const char* tn_module_input_name(const tn_module_t* module, size_t function, size_t index) {
  const tn_function_t* f = function_at(module, function);
  if (!f || !f->body || index >= f->argument_count) return "";
  tn_string_view_t name = f->body->arguments[index].name;
  return name.length ? name.data : "";
}

size_t tn_module_output_count(const tn_module_t* module, size_t function) {
  const tn_function_t* f = function_at(module, function);
  return f ? f->result_count : 0;
}

const tn_type_t* tn_module_output_type(const tn_module_t* module, size_t function, size_t index) {
  const tn_function_t* f = function_at(module, function);
  return f && index < f->result_count ? f->result_types[index] : NULL;
}
