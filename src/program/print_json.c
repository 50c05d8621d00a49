// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A program's stages as JSON, from which a reader can build the graph again.
#include "plan/print.h"
#include "program/print.h"
#include "text/writer.h"

// --- modules: functions, operations, attributes, types

static tn_status_t write_escaped(void* user, const char* text, size_t length) {
  tn__write_json_text(user, text, length);
  return TN_OK;
}

static void keep_error(tn_writer_t* writer, tn_status_t status) {
  if (writer->status) {
    tn_status_release(status);
  } else {
    writer->status = status;
  }
}

static void json_type(const tn_module_t* module, const tn_type_t* type, tn_writer_t* writer) {
  tn__write_string(writer, "\"");
  keep_error(writer, tn__text_write_type(module->allocator, type, write_escaped, writer));
  tn__write_string(writer, "\"");
}

static void json_types(const tn_module_t* module, size_t count, const tn_type_t* const* types,
                       tn_writer_t* writer) {
  tn__write_string(writer, "[");
  for (size_t i = 0; i < count; ++i) {
    if (i) tn__write_string(writer, ", ");
    json_type(module, types[i], writer);
  }
  tn__write_string(writer, "]");
}

// Names, and values as the text of the module has them.
static void json_attributes(const tn_module_t* module, const tn_attr_dictionary_t* attrs,
                            tn_writer_t* writer) {
  tn__write_string(writer, "{");
  for (size_t i = 0; i < attrs->count; ++i) {
    if (i) tn__write_string(writer, ", ");
    tn__write_json_string(writer, attrs->entries[i].name);
    tn__write_string(writer, ": \"");
    keep_error(writer, tn__text_write_attribute(module->allocator, attrs->entries[i].attr,
                                                write_escaped, writer));
    tn__write_string(writer, "\"");
  }
  tn__write_string(writer, "}");
}

static void json_attribute_list(const tn_module_t* module, size_t count,
                                const tn_attr_dictionary_t* attrs, tn_writer_t* writer) {
  tn__write_string(writer, "[");
  for (size_t i = 0; i < count; ++i) {
    if (i) tn__write_string(writer, ", ");
    json_attributes(module, &attrs[i], writer);
  }
  tn__write_string(writer, "]");
}

static void json_values(const tn_module_t* module, size_t count, const tn_value_t* values,
                        tn_writer_t* writer) {
  tn__write_string(writer, "[");
  for (size_t i = 0; i < count; ++i) {
    tn__writef(writer, "%s{\"id\": %u, ", i ? ", " : "", values[i].id);
    if (values[i].name.length) {
      tn__write_string(writer, "\"name\": ");
      tn__write_json_string(writer, values[i].name);
      tn__write_string(writer, ", ");
    }
    tn__write_string(writer, "\"type\": ");
    json_type(module, values[i].type, writer);
    tn__write_string(writer, "}");
  }
  tn__write_string(writer, "]");
}

static void json_target(tn_string_view_t target, tn_writer_t* writer) {
  if (!target.length) return;
  tn__write_string(writer, ", \"target\": ");
  tn__write_json_string(writer, target);
}

static void json_region(const tn_region_t* region, tn_writer_t* writer);

static void json_operation(const tn_node_t* node, tn_writer_t* writer) {
  const tn_module_t* module = node->region->function->module;
  tn__writef(writer, "{\"operation\": \"%s\"", tn__op_written(node->op)->name);
  json_target(tn__attr_get_string(&node->attrs, "call_target_name"), writer);
  tn__writef(writer, ", \"line\": %u, \"operands\": [", node->location.line);
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn__writef(writer, "%s%u", i ? ", " : "", node->operands[i]->id);
  }
  tn__write_string(writer, "], \"results\": ");
  json_values(module, node->result_count, node->results, writer);
  tn__write_string(writer, ", \"attributes\": ");
  json_attributes(module, &node->attrs, writer);
  for (uint32_t i = 0; i < node->region_count; ++i) {
    tn__write_string(writer, i ? ", " : ", \"regions\": [");
    json_region(node->regions[i], writer);
  }
  tn__write_string(writer, node->region_count ? "]}" : "}");
}

static void json_region(const tn_region_t* region, tn_writer_t* writer) {
  tn__write_string(writer, "{\"arguments\": ");
  json_values(region->function->module, region->argument_count, region->arguments, writer);
  tn__write_string(writer, ", \"operations\": [");
  TN_FOR_EACH_NODE (node, region) {
    tn__write_string(writer, node == region->first ? "\n  " : ",\n  ");
    json_operation(node, writer);
  }
  tn__write_string(writer, "]}");
}

static void json_function(const tn_function_t* f, tn_writer_t* writer) {
  const tn_module_t* module = f->module;
  tn__write_string(writer, "{\"name\": ");
  tn__write_json_string(writer, f->name);
  tn__write_string(writer, ", \"visibility\": ");
  tn__write_json_string(writer, f->visibility);
  tn__write_string(writer, ", \"attributes\": ");
  json_attributes(module, &f->attrs, writer);
  tn__write_string(writer, ", \"arguments\": ");
  json_types(module, f->argument_count, f->argument_types, writer);
  tn__write_string(writer, ", \"argument_attributes\": ");
  json_attribute_list(module, f->argument_count, f->argument_attrs, writer);
  tn__write_string(writer, ", \"results\": ");
  json_types(module, f->result_count, f->result_types, writer);
  tn__write_string(writer, ", \"result_attributes\": ");
  json_attribute_list(module, f->result_count, f->result_attrs, writer);
  if (f->body) {
    tn__write_string(writer, ", \"body\": ");
    json_region(f->body, writer);
  }
  tn__write_string(writer, "}");
}

void tn__print_module_json(const tn_module_t* module, tn_writer_t* writer) {
  tn__write_string(writer, "{\"module\": ");
  tn__write_json_string(writer, module->name);
  tn__write_string(writer, ", \"attributes\": ");
  json_attributes(module, &module->attrs, writer);
  tn__write_string(writer, ", \"functions\": [");
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    tn__write_string(writer, f == module->first_function ? "\n " : ",\n ");
    json_function(f, writer);
  }
  tn__write_string(writer, "]}\n");
}

// --- the program

static void json_fusion(const tn_instruction_t* instruction, tn_writer_t* writer) {
  const tn_fusion_spec_t* fusion = tn__instruction_fusion(instruction);
  if (!fusion) return;
  tn__writef(writer, ", \"elements_at_a_time\": %lld, \"operations\": [",
             (long long)tn__fusion_tile_length(instruction->state));
  const char* comma = "";
  TN_FOR_EACH_FUSED (step, fusion) {
    tn__writef(writer, "%s{\"kernel\": \"%s\", \"operation\": \"%s\"", comma, step->kernel->name,
               tn__op_written(step->node->op)->name);
    json_target(tn__attr_get_string(&step->node->attrs, "call_target_name"), writer);
    tn__writef(writer, ", \"line\": %u}", step->node->location.line);
    comma = ", ";
  }
  tn__write_string(writer, "]");
}

static void json_members(const tn_instruction_t* instruction, tn_writer_t* writer) {
  const tn_region_t* region = tn__instruction_members(instruction);
  if (!region) return;
  tn__write_string(writer, ", \"operations\": [");
  const char* comma = "";
  TN_FOR_EACH_MEMBER(node, region) {
    tn__writef(writer, "%s{\"operation\": \"%s\", \"line\": %u}", comma,
               tn__op_written(node->op)->name, node->location.line);
    comma = ", ";
  }
  tn__write_string(writer, "]");
}

// The buffers behind pointers of the program.
static void json_pointers(const tn_program_t* program, const char* name, uint32_t first,
                          uint32_t count, tn_writer_t* writer) {
  tn__writef(writer, ", \"%s\": [", name);
  for (uint32_t i = 0; i < count; ++i) {
    tn__writef(writer, "%s%u", i ? ", " : "", program->pointer_buffers[first + i]);
  }
  tn__write_string(writer, "]");
}

static void json_instruction(const tn_program_t* program, size_t index, tn_writer_t* writer) {
  const tn_instruction_t* instruction = &program->instructions[index];
  const tn_node_t* node = instruction->step->node;
  tn__writef(writer, "{\"id\": %zu, \"kernel\": \"%s\"", index,
             instruction->kernel ? instruction->kernel->name : "call");
  if (node) {
    tn__writef(writer, ", \"operation\": \"%s\", \"line\": %u", tn__op_written(node->op)->name,
               node->location.line);
  }
  json_target(tn__plan_step_target(instruction->step), writer);
  json_pointers(program, "operands", instruction->first_operand, instruction->operand_count,
                writer);
  tn__plan_print_json_views(instruction->step, writer);
  json_pointers(program, "results", instruction->first_result, instruction->result_count, writer);
  if (instruction->scratch != TN_PROGRAM_NONE) {
    tn__writef(writer, ", \"scratch\": %u", program->pointer_buffers[instruction->scratch]);
  }
  if (instruction->unit != TN_PROGRAM_NONE) {
    tn__writef(writer, ", \"function\": %u", instruction->unit);
  }
  for (uint32_t b = 0; b < instruction->block_count; ++b) {
    tn__writef(writer, "%s%u", b ? ", " : ", \"blocks\": [", instruction->first_block + b);
  }
  if (instruction->block_count) tn__write_string(writer, "]");
  json_fusion(instruction, writer);
  json_members(instruction, writer);
  const char* reason = tn__instruction_reason(instruction);
  if (reason) tn__writef(writer, ", \"reason\": \"%s\"", reason);
  if (instruction->kernel && instruction->kernel->tier) {
    tn__writef(writer, ", \"tier\": \"%s\"", instruction->kernel->tier);
  }
  tn__write_string(writer, "}");
}

static void json_unit(const tn_program_t* program, size_t index, tn_writer_t* writer) {
  const tn_program_unit_t* unit = &program->units[index];
  tn__writef(writer, "{\"id\": %zu, \"name\": ", index);
  tn__write_json_string(writer, unit->plan->function->name);
  tn__writef(writer, ", \"block\": %u, \"offset\": %zu, \"buffers\": [", unit->block,
             unit->arena_offset);
  for (size_t i = 0; i < unit->plan->buffer_count; ++i) {
    tn__write_string(writer, i ? ",\n    " : "\n    ");
    tn__plan_print_json_buffer(&unit->plan->buffers[i], unit->first_buffer + i, writer);
  }
  tn__write_string(writer, "]}");
}

static void json_block(const tn_program_t* program, size_t index, tn_writer_t* writer) {
  const tn_program_block_t* block = &program->blocks[index];
  tn__writef(writer, "{\"id\": %zu, \"first_instruction\": %u, \"instruction_count\": %u", index,
             block->first_instruction, block->instruction_count);
  json_pointers(program, "arguments", block->first_argument, block->argument_count, writer);
  json_pointers(program, "results", block->first_result, block->result_count, writer);
  tn__write_string(writer, "}");
}

// A list of `count` things, one a line.
static void json_list(const tn_program_t* program, const char* name, size_t count,
                      void (*print)(const tn_program_t*, size_t, tn_writer_t*),
                      tn_writer_t* writer) {
  tn__writef(writer, ",\n \"%s\": [", name);
  for (size_t i = 0; i < count; ++i) {
    tn__write_string(writer, i ? ",\n  " : "\n  ");
    print(program, i, writer);
  }
  tn__write_string(writer, "]");
}

void tn__print_program_json(const tn_program_t* program, tn_writer_t* writer) {
  tn__writef(writer, "{\"temporary_bytes\": %zu, \"frame_bytes\": %zu", program->arena_byte_size,
             program->local_byte_size);
  json_list(program, "functions", program->unit_count, json_unit, writer);
  json_list(program, "blocks", program->block_count, json_block, writer);
  json_list(program, "instructions", program->instruction_count, json_instruction, writer);
  tn__write_string(writer, "}\n");
}
