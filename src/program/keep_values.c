// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs whose results are all arrays that their operations compute: to compare devices value by
// value, and to look inside.
#include "base/options.h"
#include "pass/pass.h"
#include "program/program.h"

static bool is_kept(const tn_node_t* node, uint32_t result) {
  return node->op != TN__OP(constant) && tn__type_is_tensor(node->results[result].type);
}

static size_t count_kept(const tn_region_t* body) {
  size_t count = 0;
  TN_FOR_EACH_NODE (node, body) {
    for (uint32_t i = 0; i < node->result_count; ++i) count += is_kept(node, i);
  }
  return count;
}

// The name in the text is part of a line; this one ends.
static tn_status_t set_origin(tn_program_t* program, const tn_node_t* node, const tn_value_t* value,
                              tn_output_origin_t* out_origin) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(&program->arena, value->name.length + 1, &memory));
  char* name = memory;
  if (value->name.length) memcpy(name, value->name.data, value->name.length);
  name[value->name.length] = 0;
  *out_origin = (tn_output_origin_t){
      .operation = tn__op_short_name(node->op),
      .name = name,
      .line = node->location.line,
  };
  return TN_OK;
}

tn_status_t tn__program_keep_values(tn_program_t* program, tn_function_t* entry) {
  tn_module_t* module = program->module;
  TN_RETURN_IF_ERROR(tn__pass_flatten(module, entry));
  const size_t count = count_kept(entry->body);
  tn_node_t* terminator = entry->body->last;
  entry->result_count = terminator->operand_count = 0;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&module->arena, count, &terminator->operands));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&module->arena, count, &entry->result_types));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&module->arena, count, &entry->result_attrs));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&program->arena, count, &program->origins));
  TN_FOR_EACH_NODE (node, entry->body) {
    for (uint32_t i = 0; i < node->result_count; ++i) {
      if (!is_kept(node, i)) continue;
      terminator->operands[entry->result_count] = &node->results[i];
      entry->result_types[entry->result_count] = node->results[i].type;
      TN_RETURN_IF_ERROR(
          set_origin(program, node, &node->results[i], &program->origins[entry->result_count++]));
    }
  }
  terminator->operand_count = entry->result_count;
  // Which named results that are gone.
  for (uint32_t i = 0; i < entry->argument_count; ++i) {
    entry->argument_attrs[i] = (tn_attr_dictionary_t){0};
  }
  tn__function_number(entry);
  return TN_OK;
}

void tn_program_output_origin(const tn_program_t* program, size_t index,
                              tn_output_origin_t* origin) {
  tn_output_origin_t known = {.operation = "", .name = ""};
  if (program->origins && index < tn_program_output_count(program)) known = program->origins[index];
  tn__options_fill(origin, &known, sizeof known);
}
