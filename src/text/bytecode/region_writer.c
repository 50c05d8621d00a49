// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Modules, functions and their operations.
#include "text/bytecode/artifact.h"
#include "text/bytecode/codes.h"
#include "text/bytecode/container.h"

// What an operation is, up to its results: name, what it has, place, attributes.
static void put_head(tn_artifact_t* artifact, tn_bytes_t* out, uint64_t name, uint8_t has,
                     uint64_t properties, uint64_t dictionary) {
  if (properties != TN_ARTIFACT_NOTHING) has |= TN_HAS_PROPERTIES;
  if (dictionary != TN_ARTIFACT_NOTHING) has |= TN_HAS_DICTIONARY;
  tn__bytes_varint(out, name);
  tn__bytes_byte(out, has);
  tn__bytes_varint(out, artifact->place);
  if (has & TN_HAS_DICTIONARY) tn__bytes_varint(out, dictionary);
  if (has & TN_HAS_PROPERTIES) tn__bytes_varint(out, properties);
}

// --- operations

static void put_region(tn_artifact_t* artifact, tn_bytes_t* out, const tn_region_t* region,
                       uint64_t first);

static void put_node(tn_artifact_t* artifact, tn_bytes_t* out, const tn_node_t* node,
                     uint64_t next) {
  uint64_t properties, dictionary;
  uint8_t has = 0;
  artifact->node = node;
  tn_artifact_op_t* op = tn__artifact_choose_op(artifact, node);
  if (!op || artifact->status) return;
  tn__artifact_node_attrs(artifact, op, node, &properties, &dictionary);
  if (node->result_count) has |= TN_HAS_RESULTS;
  if (node->operand_count) has |= TN_HAS_OPERANDS;
  if (node->region_count) has |= TN_HAS_REGIONS;
  put_head(artifact, out, tn__artifact_op_name(artifact, op), has, properties, dictionary);
  if (has & TN_HAS_RESULTS) tn__bytes_varint(out, node->result_count);
  for (uint32_t i = 0; i < node->result_count; ++i) {
    tn__bytes_varint(out, tn__artifact_type(artifact, node->results[i].type));
  }
  if (has & TN_HAS_OPERANDS) tn__bytes_varint(out, node->operand_count);
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn__bytes_varint(out, artifact->values[tn__value_resolve(node->operands[i])->id]);
  }
  if (has & TN_HAS_REGIONS) tn__bytes_flagged(out, node->region_count, false);
  for (uint32_t i = 0; i < node->region_count; ++i) {
    put_region(artifact, out, node->regions[i], next);
  }
}

// --- regions

static void put_arguments(tn_artifact_t* artifact, tn_bytes_t* out, const tn_region_t* region) {
  tn__bytes_varint(out, region->argument_count);
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    tn__bytes_flagged(out, tn__artifact_type(artifact, region->arguments[i].type), false);
  }
  tn__bytes_byte(out, 0);  // no orders of uses
}

// Values are numbered as they come: a region's from `first` on, those of regions inside behind
// them.
static void put_region(tn_artifact_t* artifact, tn_bytes_t* out, const tn_region_t* region,
                       uint64_t first) {
  uint64_t nodes = 0, count = region->argument_count;
  TN_FOR_EACH_NODE (node, region) {
    ++nodes;
    count += node->result_count;
  }
  tn__bytes_varint(out, count || nodes ? 1 : 0);  // blocks
  if (!count && !nodes) return;
  tn__bytes_varint(out, count);
  tn__bytes_flagged(out, nodes, region->argument_count != 0);
  if (region->argument_count) put_arguments(artifact, out, region);
  uint64_t id = first;
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    artifact->values[region->arguments[i].id] = id++;
  }
  TN_FOR_EACH_NODE (node, region) {
    if (artifact->status) return;
    for (uint32_t i = 0; i < node->result_count; ++i) artifact->values[node->results[i].id] = id++;
    put_node(artifact, out, node, first + count);
  }
}

// --- functions

// arg_attrs, res_attrs: a dictionary each, or none at all.
static uint64_t attrs_of_each(tn_artifact_t* artifact, size_t count,
                              const tn_attr_dictionary_t* attrs) {
  const size_t mark = tn__artifact_mark(artifact);
  size_t all = 0;
  for (size_t i = 0; i < count; ++i) all += attrs[i].count;
  for (size_t i = 0; all && i < count; ++i) {
    tn__artifact_push(artifact, tn__artifact_attrs(artifact, &attrs[i]));
  }
  return tn__artifact_list(artifact, mark);
}

static uint64_t function_property(tn_artifact_t* artifact, const tn_function_t* function,
                                  tn_vhlo_function_property_t property) {
  switch (property) {
    case TN_VHLO_FUNCTION_ARGUMENT_ATTRS:
      return attrs_of_each(artifact, function->argument_count, function->argument_attrs);
    case TN_VHLO_FUNCTION_TYPE:
      return tn__artifact_type_attr(artifact, tn__artifact_function_type(artifact, function));
    case TN_VHLO_FUNCTION_RESULT_ATTRS:
      return attrs_of_each(artifact, function->result_count, function->result_attrs);
    case TN_VHLO_FUNCTION_NAME: return tn__artifact_text(artifact, function->name);
    case TN_VHLO_FUNCTION_VISIBILITY: return tn__artifact_text(artifact, function->visibility);
    case TN_VHLO_FUNCTION_PROPERTY_COUNT: break;
  }
  return 0;
}

static uint64_t function_properties(tn_artifact_t* artifact, const tn_function_t* function) {
  const size_t mark = tn__artifact_mark(artifact);
  for (int i = 0; i < TN_VHLO_FUNCTION_PROPERTY_COUNT; ++i) {
    tn__artifact_push(artifact,
                      function_property(artifact, function, (tn_vhlo_function_property_t)i));
  }
  tn__artifact_pop(artifact, mark, tn__artifact_begin(artifact, TN_ENCODING_VHLO));
  return tn__artifact_end(artifact, &artifact->properties);
}

// The dictionary of a function or the module.
static uint64_t dictionary_of(tn_artifact_t* artifact, tn_artifact_form_t values,
                              const tn_attr_dictionary_t* attrs) {
  const size_t mark = tn__artifact_mark(artifact);
  for (size_t i = 0; i < attrs->count; ++i) {
    tn__artifact_push_entry(artifact, TN_FORM_BUILTIN, values, &attrs->entries[i]);
  }
  if (tn__artifact_mark(artifact) == mark) return TN_ARTIFACT_NOTHING;
  return tn__artifact_dictionary(artifact, TN_FORM_BUILTIN, mark);
}

static void put_body(tn_artifact_t* artifact, tn_bytes_t* body, const tn_function_t* function) {
  void* memory = NULL;
  if (!function->body) {
    tn__bytes_varint(body, 0);
    return;
  }
  if (artifact->status) return;
  artifact->status = tn__allocate_array(artifact->allocator, function->value_count,
                                        sizeof *artifact->values, &memory);
  if (artifact->status) return;
  artifact->values = memory;
  put_region(artifact, body, function->body, 0);
  tn__free(artifact->allocator, memory, function->value_count * sizeof *artifact->values);
}

static void put_function(tn_artifact_t* artifact, tn_bytes_t* out, const tn_function_t* function) {
  tn_bytes_t body;
  artifact->function = function;
  artifact->node = NULL;
  const uint64_t properties = function_properties(artifact, function);
  const uint64_t dictionary = dictionary_of(artifact, TN_FORM_VHLO, &function->attrs);
  put_head(artifact, out, TN_ARTIFACT_FUNCTION, TN_HAS_REGIONS, properties, dictionary);
  tn__bytes_flagged(out, 1, true);
  tn__bytes_init(&body, artifact->allocator, &artifact->status);
  put_body(artifact, &body, function);
  tn__bytes_section(out, TN_SECTION_OPERATIONS, &body);
  tn__bytes_deinit(&body);
}

// --- the module

// Optional ones: a number with a flag, or 0.
static uint64_t module_properties(tn_artifact_t* artifact) {
  const tn_string_view_t name = artifact->module->name;
  const uint64_t attr = name.length ? tn__artifact_builtin_text(artifact, name) : 0;
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_BUILTIN);
  tn__bytes_flagged(out, attr, name.length != 0);
  tn__bytes_flagged(out, 0, false);  // visibility
  return tn__artifact_end(artifact, &artifact->properties);
}

void tn__artifact_module(tn_artifact_t* artifact, tn_bytes_t* out) {
  const tn_module_t* module = artifact->module;
  tn_bytes_t body;
  uint64_t functions = 0;
  for (const tn_function_t* f = module->first_function; f; f = f->next) ++functions;
  tn__bytes_varint(tn__artifact_begin(artifact, TN_ENCODING_BUILTIN), TN_BUILTIN_UNKNOWN_PLACE);
  artifact->place = tn__artifact_end(artifact, &artifact->attrs);
  const uint64_t properties = module_properties(artifact);
  const uint64_t dictionary = dictionary_of(artifact, TN_FORM_BUILTIN, &module->attrs);
  tn__bytes_flagged(out, 1, false);  // a block of one operation
  put_head(artifact, out, TN_ARTIFACT_MODULE, TN_HAS_REGIONS, properties, dictionary);
  tn__bytes_flagged(out, 1, true);
  tn__bytes_init(&body, artifact->allocator, &artifact->status);
  tn__bytes_varint(&body, 1);  // blocks
  tn__bytes_varint(&body, 0);  // values
  tn__bytes_flagged(&body, functions, false);
  for (const tn_function_t* f = module->first_function; f && !artifact->status; f = f->next) {
    put_function(artifact, &body, f);
  }
  tn__bytes_section(out, TN_SECTION_OPERATIONS, &body);
  tn__bytes_deinit(&body);
}
