// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions of modules as functions of arrays.
#include "import/import.h"

#include <stdio.h>
#include <tenon/detail/transform.h>

#include "pass/pass.h"
#include "pass/refine.h"

// One function, ready to be applied. Immutable.
typedef struct entry {
  tn_function_t* function;
  size_t piece_count;
  tn_module_piece_t* pieces;
  size_t operand_limit;  // of one piece, with what it captures
  size_t result_limit;
} entry_t;

struct tn_imported {
  atomic_uint references;
  tn_evaluator_t* evaluator;  // retained
  tn_module_t* module;        // flat; everything else lives in its arena
  size_t entry_count;
  entry_t* entries;
};

// --- life

tn_imported_t* tn_imported_retain(tn_imported_t* imported) {
  if (imported) atomic_fetch_add(&imported->references, 1);
  return imported;
}

void tn_imported_release(tn_imported_t* imported) {
  if (!imported || atomic_fetch_sub(&imported->references, 1) != 1) return;
  tn_evaluator_t* evaluator = imported->evaluator;
  for (size_t i = 0; i < imported->entry_count; ++i) {
    const entry_t* entry = &imported->entries[i];
    for (size_t k = 0; k < entry->piece_count; ++k) tn__piece_deinit(&entry->pieces[k]);
  }
  tn_module_release(imported->module);
  tn__free(evaluator->allocator, imported, sizeof *imported);
  tn__evaluator_release(evaluator);
}

static tn_status_t check_types(const tn_function_t* function) {
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    const tn_type_t* type = function->argument_types[i];
    if (tn__type_is_tensor(type) && tn__type_is_static(type)) continue;
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "parameter %u is a %s; arrays are tensors of a fixed shape", i,
                            TN_TYPE_TEXT(type));
  }
  return TN_OK;
}

static tn_status_t fill_entry(entry_t* entry, tn_scope_t* scope, tn_module_t* module) {
  tn_function_t* function = entry->function;
  size_t count = 0;
  TN_RETURN_IF_ERROR(check_types(function));
  TN_FOR_EACH_NODE (node, function->body) ++count;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&module->arena, count, &entry->pieces));
  entry->result_limit = 1;
  TN_FOR_EACH_NODE (node, function->body) {
    if (node->result_count == 0) continue;  // its execution has no effect on results
    tn_module_piece_t* piece = &entry->pieces[entry->piece_count++];
    tn_status_t status = tn__piece_init(piece, scope, node, &module->arena);
    if (status) return tn__node_locate(node, status);
    const size_t operand_count =
        node->operand_count + (piece->excerpt ? piece->excerpt->captured.count : 0);
    if (operand_count > entry->operand_limit) entry->operand_limit = operand_count;
    if (node->result_count > entry->result_limit) entry->result_limit = node->result_count;
  }
  return TN_OK;
}

// --- regions

static void replace_in(const tn_region_t* region, const tn_value_t* value, tn_value_t* with) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      if (node->operands[i] == value) node->operands[i] = with;
    }
    for (uint32_t i = 0; i < node->region_count; ++i) replace_in(node->regions[i], value, with);
  }
}

// Constants that the node's only region uses from outside, again at its beginning: a region that
// uses nothing else from outside is the body of a step.
static tn_status_t sink_constants(tn_node_t* node, tn_arena_t* arena) {
  tn_captured_values_t captured;
  if (node->region_count != 1) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_captured(node, arena, &captured));
  for (size_t i = 0; i < captured.count; ++i) {
    const tn_node_t* constant = captured.values[i]->node;
    if (!constant || constant->op != TN__OP(constant)) continue;
    const tn_node_spec_t spec = {
        .op = constant->op,
        .result_count = 1,
        .result_types = &captured.values[i]->type,
        .attrs = constant->attrs,
        .location = constant->location,
    };
    tn_node_t* copy = NULL;
    TN_RETURN_IF_ERROR(tn__node_insert(node->regions[0]->first, &spec, &copy));
    replace_in(node->regions[0], captured.values[i], &copy->results[0]);
  }
  return TN_OK;
}

// Calls that have sizes as operands become operations that have them as attributes, where all sizes
// are known.
static tn_status_t fix_sizes(tn_module_t* module, tn_function_t* function) {
  if (!tn__pass_must_refine(module)) return TN_OK;
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    if (!tn__type_is_static(function->argument_types[i])) return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__pass_refine(module, function, function->argument_types));
  return tn__pass_flatten(module, function);  // bodies that were functions
}

static tn_status_t simplify(tn_module_t* module, tn_function_t* function) {
  TN_RETURN_IF_ERROR(tn__pass_flatten(module, function));
  TN_RETURN_IF_ERROR(fix_sizes(module, function));
  TN_FOR_EACH_NODE (node, function->body) {
    TN_RETURN_IF_ERROR(sink_constants(node, &module->arena));
  }
  tn__function_number(function);
  return TN_OK;
}

// --- entries

static bool is_public(const tn_function_t* function) {
  return function->body && !tn__sv_equal(function->visibility, TN_SV_LITERAL("private"));
}

// Which functions are wanted: the one named, or all that others may call.
static tn_status_t choose(tn_imported_t* imported, const char* name) {
  tn_module_t* module = imported->module;
  const tn_function_t* wanted = name ? tn__module_find_function(module, tn__sv(name)) : NULL;
  if (name && !(wanted && wanted->body)) {
    return tn_status_create(TN_CODE_NOT_FOUND, "the module has no function @%s", name);
  }
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(&module->arena, tn_module_function_count(module), &imported->entries));
  for (tn_function_t* f = module->first_function; f; f = f->next) {
    if (name ? f == wanted : is_public(f)) imported->entries[imported->entry_count++].function = f;
  }
  if (imported->entry_count) return TN_OK;
  return tn_status_create(TN_CODE_NOT_FOUND, "the module has no public function");
}

static tn_status_t fill(tn_imported_t* imported, tn_scope_t* scope, const char* name) {
  TN_RETURN_IF_ERROR(choose(imported, name));
  for (size_t i = 0; i < imported->entry_count; ++i) {
    TN_RETURN_IF_ERROR(simplify(imported->module, imported->entries[i].function));
  }
  for (size_t i = 0; i < imported->entry_count; ++i) {
    entry_t* entry = &imported->entries[i];
    TN_RETURN_IF_ERROR(tn_status_prefix(fill_entry(entry, scope, imported->module), "@%.*s",
                                        TN_SV(entry->function->name)));
  }
  return TN_OK;
}

tn_status_t tn_import_function(tn_scope_t* scope, tn_module_t* module, const char* function,
                               tn_imported_t** out_imported) {
  tn_status_t status = TN_OK;
  tn_scope_t* inner = NULL;
  tn_imported_t* imported = NULL;
  void* memory = NULL;
  *out_imported = NULL;
  TN_RETURN_IF_NULL(scope);
  TN_RETURN_IF_NULL(module);
  tn_evaluator_t* evaluator = tn__scope_evaluator(scope);
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &inner));
  TN_DONE_IF_ERROR(tn__allocate(evaluator->allocator, sizeof(tn_imported_t), &memory));
  imported = memory;
  atomic_init(&imported->references, 1);
  imported->evaluator = tn__evaluator_retain(evaluator);
  TN_DONE_IF_ERROR(tn__module_clone(module, &imported->module));
  imported->module->target = evaluator->device->target;
  TN_DONE_IF_ERROR(fill(imported, inner, function));
  *out_imported = imported;
  imported = NULL;
done:
  tn_imported_release(imported);
  tn_scope_destroy(inner);
  return tn_status_prefix(status, "tn_import_function");
}

// --- calling

static bool has_type(const tn_array_t* array, const tn_type_t* type) {
  return array->dtype == type->dtype && array->rank == type->rank &&
         (array->rank == 0 ||
          memcmp(array->dims, type->dims, array->rank * sizeof *array->dims) == 0);
}

// Why an entry does not take these inputs; false: it does.
static bool differs(const entry_t* entry, size_t input_count, tn_array_t* const* inputs,
                    size_t output_count, char* out_why, size_t capacity) {
  const tn_function_t* function = entry->function;
  if (input_count != function->argument_count || output_count != function->result_count) {
    snprintf(out_why, capacity, "@%.*s takes %u inputs and gives %u outputs; asked for %zu and %zu",
             TN_SV(function->name), function->argument_count, function->result_count, input_count,
             output_count);
    return true;
  }
  for (size_t i = 0; i < input_count; ++i) {
    const tn_type_t* type = function->argument_types[i];
    if (has_type(inputs[i], type)) continue;
    const tn_string_view_t name = function->body->arguments[i].name;
    snprintf(
        out_why, capacity, "@%.*s: input %zu%s%.*s%s is %s of shape %s; expected %s of shape %s",
        TN_SV(function->name), i, name.length ? " (%" : "", TN_SV(name), name.length ? ")" : "",
        tn_dtype_name(inputs[i]->dtype), TN_SHAPE_TEXT(inputs[i]->rank, inputs[i]->dims),
        tn_dtype_name(type->dtype), TN_SHAPE_TEXT(type->rank, type->dims));
    return true;
  }
  return false;
}

static tn_status_t find_entry(const tn_imported_t* imported, size_t input_count,
                              tn_array_t* const* inputs, size_t output_count,
                              const entry_t** out_entry) {
  char why[1000] = "";
  size_t length = 0;
  for (size_t i = 0; i < imported->entry_count; ++i) {
    *out_entry = &imported->entries[i];
    char one[400] = "";
    if (!differs(*out_entry, input_count, inputs, output_count, one, sizeof one)) return TN_OK;
    const int added = snprintf(why + length, sizeof why - length, "%s%s", i ? "; " : "", one);
    length += (size_t)added < sizeof why - length ? (size_t)added : sizeof why - length - 1;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_imported_call: %s%s",
                          imported->entry_count > 1 ? "no function takes these inputs: " : "", why);
}

typedef struct lists {
  tn_array_t** values;    // by number
  tn_array_t** operands;  // of one piece
  tn_array_t** results;
} lists_t;

static void do_piece(tn_scope_t* scope, const tn_module_piece_t* piece, const lists_t* lists) {
  const tn_node_t* node = piece->node;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    lists->operands[i] = lists->values[node->operands[i]->id];
  }
  for (size_t i = 0; piece->excerpt && i < piece->excerpt->captured.count; ++i) {
    lists->operands[node->operand_count + i] =
        lists->values[piece->excerpt->captured.values[i]->id];
  }
  piece->apply(scope, piece, lists->operands, lists->results);
  for (uint32_t i = 0; i < node->result_count; ++i) {
    lists->values[node->results[i].id] = lists->results[i];
  }
}

static tn_status_t do_entry(const entry_t* entry, tn_scope_t* scope, tn_scope_t* inner,
                            tn_array_t* const* inputs, const lists_t* lists,
                            tn_array_t** out_outputs) {
  const tn_function_t* function = entry->function;
  const tn_node_t* last = function->body->last;
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    lists->values[function->body->arguments[i].id] = inputs[i];
  }
  for (size_t i = 0; i < entry->piece_count; ++i) do_piece(inner, &entry->pieces[i], lists);
  for (uint32_t i = 0; i < last->operand_count; ++i) {
    tn_array_t* output = lists->values[last->operands[i]->id];
    out_outputs[i] = tn__scope_give(scope, tn_array_retain(output));
    TN_RETURN_IF_ERROR(tn_array_status(out_outputs[i]));
  }
  return TN_OK;
}

tn_status_t tn_imported_call(tn_imported_t* imported, tn_scope_t* scope, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count,
                             tn_array_t** out_outputs) {
  const entry_t* entry = NULL;
  tn_scope_t* inner = NULL;
  void* memory = NULL;
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  TN_RETURN_IF_NULL(imported);
  TN_RETURN_IF_NULL(scope);
  if (input_count) TN_RETURN_IF_NULL(inputs);
  if (tn__scope_evaluator(scope) != imported->evaluator) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_imported_call: the function was imported in a scope that this one "
                            "is not nested with");
  }
  TN_RETURN_IF_ERROR(tn__scope_check(scope, "tn_imported_call", input_count, inputs));
  TN_RETURN_IF_ERROR(find_entry(imported, input_count, inputs, output_count, &entry));
  const tn_allocator_t* allocator = imported->evaluator->allocator;
  const size_t value_count = entry->function->value_count;
  const size_t count = value_count + entry->operand_limit + entry->result_limit;
  TN_RETURN_IF_ERROR(tn_scope_create_nested(scope, &inner));
  tn_status_t status = tn__allocate_array(allocator, count, sizeof(tn_array_t*), &memory);
  if (!status) {
    lists_t lists = {.values = memory};
    lists.operands = lists.values + value_count;
    lists.results = lists.operands + entry->operand_limit;
    status = do_entry(entry, scope, inner, inputs, &lists, out_outputs);
  }
  tn__free(allocator, memory, count * sizeof(tn_array_t*));
  tn_scope_destroy(inner);
  for (size_t i = 0; status && i < output_count; ++i) out_outputs[i] = NULL;
  return tn_status_prefix(status, "in @%.*s", TN_SV(entry->function->name));
}

static tn_status_t call_imported(void* user, tn_scope_t* scope, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count,
                                 tn_array_t** out_outputs) {
  return tn_imported_call(user, scope, input_count, inputs, output_count, out_outputs);
}

tn_closure_t tn_imported_closure(tn_imported_t* imported) {
  return (tn_closure_t){call_imported, imported};
}
