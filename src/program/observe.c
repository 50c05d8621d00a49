// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/observe.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/linux/clock.h"
#include "base/writer.h"
#include "kernel/work.h"
#include "plan/print.h"
#include "program/print.h"

static bool runs_instructions(const tn_instruction_t* instruction) {
  if (!instruction->kernel || instruction->kind == TN_RUN_CONTROL) return true;
  const tn_node_t* node = instruction->step->node;  // NULL: a copy
  return node && (node->op == TN__OP(while) || node->op == TN__OP(if) || node->op == TN__OP(case));
}

tn_observation_t tn__observe_begin(tn_activation_t* activation, uint32_t instruction) {
  tn_observer_t* observer = activation->observer;
  if (!observer) return (tn_observation_t){0};
  const uint32_t depth = observer->depth++;
  if (!runs_instructions(&activation->program->instructions[instruction])) {
    activation->observer = NULL;
  }
  return (tn_observation_t){observer, depth, tn__clock_ns()};
}

void tn__observe_end(tn_activation_t* activation, tn_observation_t observation) {
  if (!observation.observer) return;
  activation->observer = observation.observer;
  --observation.observer->depth;
}

static uint64_t leaf_bytes(const tn_program_t* program, uint32_t first, uint32_t count) {
  uint64_t sum = 0;
  const tn_program_unit_t* unit = NULL;
  for (uint32_t i = first; i < first + count; ++i) {
    sum += tn__program_buffer(program, program->pointer_buffers[i], &unit)->byte_size;
  }
  return sum;
}

// Of a view the elements that are in it.
static uint64_t operand_bytes(const tn_program_t* program, const tn_instruction_t* instruction) {
  const tn_kernel_site_t* site = &instruction->step->site;
  uint64_t sum = 0;
  if (!instruction->kernel || !site->views) {
    return leaf_bytes(program, instruction->first_operand, instruction->operand_count);
  }
  for (uint32_t i = 0; i < instruction->operand_count; ++i) {
    sum += tn__type_byte_size(site->use->operand_types[i]);
  }
  return sum;
}

// --- texts of an event

typedef struct tn_event_text {
  char text[400];
  size_t length;
  bool is_full;
} tn_event_text_t;

// Appends a whole part, or "..." in the place of all that follow.
static void append(tn_event_text_t* out, const char* format, ...) TN_PRINTF(2, 3);
static void append(tn_event_text_t* out, const char* format, ...) {
  char part[200];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(part, sizeof part, format, arguments);
  va_end(arguments);
  if (out->is_full || length < 0) return;
  out->is_full = out->length + (size_t)length + sizeof "..." > sizeof out->text;
  out->length += (size_t)snprintf(out->text + out->length, sizeof out->text - out->length, "%s",
                                  out->is_full ? "..." : part);
}

static void append_types(tn_event_text_t* out, const tn_node_t* node) {
  append(out, "(");
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    append(out, "%s%s", i ? ", " : "", TN_TYPE_TEXT(node->operands[i]->type));
  }
  append(out, ") -> (");
  for (uint32_t i = 0; i < node->result_count; ++i) {
    append(out, "%s%s", i ? ", " : "", TN_TYPE_TEXT(node->results[i].type));
  }
  append(out, ")");
}

static void append_members(tn_event_text_t* out, const tn_region_t* region) {
  const char* separator = "";
  TN_FOR_EACH_MEMBER(node, region) {
    const tn_string_view_t target = tn__attr_get_string(&node->attrs, "call_target_name");
    const char* name = tn__op_short_name(tn__op_written(node->op));
    if (target.length) {
      append(out, "%s%.*s", separator, TN_SV(target));
    } else {
      append(out, "%s%s", separator, name);
    }
    separator = ", ";
  }
}

static bool has_members(const tn_node_t* node) {
  return node->op == TN__OP_OF(tenon, fusion) || node->op == TN__OP_OF(tenon, row_blocks);
}

static uint64_t work_of(const tn_node_t* node) {
  if (!has_members(node)) return tn__node_work(node);
  uint64_t sum = 0;
  TN_FOR_EACH_MEMBER(member, node->regions[0]) {
    sum += tn__node_work(member);
  }
  return sum;
}

void tn__observe_report(const tn_activation_t* activation, uint32_t index,
                        tn_observation_t observation, bool is_asynchronous) {
  if (!observation.observer) return;
  const tn_program_t* program = activation->program;
  const tn_instruction_t* instruction = &program->instructions[index];
  const tn_node_t* node = instruction->step->node;
  const tn_source_t* source = node ? tn__module_source(node->region->function->module) : NULL;
  const tn_string_view_t target = tn__plan_step_target(instruction->step);
  const int64_t end_ns = tn__clock_ns();
  tn_event_text_t types = {0}, members = {0};
  if (node && !instruction->step->reason) {
    append_types(&types, node);
    if (has_members(node)) append_members(&members, node->regions[0]);
  }
  const tn_run_event_t event = {
      .struct_size = sizeof event,
      .run_id = activation->environment.run_id,
      .instruction = index,
      .depth = observation.depth,
      .is_asynchronous = is_asynchronous,
      .operation = tn__plan_step_name(instruction->step),
      .target = target.length ? target.data : "",
      .target_length = target.length,
      .kernel = instruction->kernel ? instruction->kernel->name : "",
      .file = source ? source->name : "",
      .line = node ? node->location.line : 0,
      .column = node ? node->location.column : 0,
      .begin_ns = observation.begin_ns,
      .end_ns = end_ns,
      .read_byte_size = operand_bytes(program, instruction),
      .written_byte_size =
          leaf_bytes(program, instruction->first_result, instruction->result_count),
      .types = types.text,
      .members = members.text,
      .operation_count = node && !instruction->step->reason ? work_of(node) : 0,
  };
  observation.observer->observe(observation.observer->user, &event);
}

static void write_text(tn_writer_t* writer, const char* key, const char* text) {
  if (!*text) return;
  tn__writef(writer, ", \"%s\": ", key);
  tn__write_json_string(writer, tn__sv(text));
}

tn_status_t tn_run_event_write_json(const tn_run_event_t* event, tn_write_fn write, void* user) {
  TN_RETURN_IF_NULL(event);
  TN_RETURN_IF_NULL(write);
  const uint64_t bytes = event->read_byte_size + event->written_byte_size;
  const int64_t ns = event->end_ns - event->begin_ns;
  tn_writer_t writer;
  tn__writer_init(&writer, write, user);
  tn__writef(&writer, "{\"instruction\": %u, \"kernel\": ", event->instruction);
  tn__write_json_string(&writer, tn__sv(event->kernel));
  write_text(&writer, "types", event->types);
  write_text(&writer, "members", event->members);
  if (event->line) {
    write_text(&writer, "file", event->file);
    tn__writef(&writer, ", \"line\": %u", event->line);
  }
  if (event->operation_count) {
    tn__writef(&writer, ", \"operations\": %llu, \"gflop_per_s\": %.6g",
               (unsigned long long)event->operation_count,
               ns > 0 ? (double)event->operation_count / (double)ns : 0.0);
  }
  tn__writef(&writer,
             ", \"read_bytes\": %llu, \"written_bytes\": %llu, \"gb_per_s\": %.6g, \"run_id\": "
             "%lld}",
             (unsigned long long)event->read_byte_size,
             (unsigned long long)event->written_byte_size,
             ns > 0 ? (double)bytes / (double)ns : 0.0, (long long)event->run_id);
  return tn__writer_finish(&writer);
}
