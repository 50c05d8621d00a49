// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "plan/print.h"

const char* tn__plan_buffer_kind_name(tn_plan_buffer_kind_t kind) {
  switch (kind) {
    case TN_PLAN_TEMPORARY: return "temporary";
    case TN_PLAN_PARAMETER: return "input";
    case TN_PLAN_RESULT: return "output";
    case TN_PLAN_CONSTANT: return "constant";
    case TN_PLAN_HOST_TEMPORARY: return "host temporary";
    case TN_PLAN_HOST_CONSTANT: return "host constant";
  }
  return "";
}

void tn__plan_print_value(const tn_value_t* value, tn_writer_t* writer) {
  if (!value) {
    tn__write_string(writer, "scratch");
  } else if (value->name.length) {
    tn__writef(writer, "%%%.*s", TN_SV(value->name));
  } else {
    tn__writef(writer, "%%%u", value->id);
  }
}

const char* tn__plan_step_name(const tn_plan_step_t* step) {
  return step->reason ? "copy" : tn__op_short_name(tn__op_written(step->node->op));
}

tn_string_view_t tn__plan_step_target(const tn_plan_step_t* step) {
  if (step->reason) return (tn_string_view_t){0};
  if (step->callee) return step->callee->name;
  return tn__attr_get_string(&step->node->attrs, "call_target_name");
}

void tn__plan_print_reader(const tn_plan_step_t* step, tn_writer_t* writer) {
  const tn_node_t* reader = step->reader;
  if (!reader) return;
  tn__writef(writer, "  (stored for %s", tn__op_short_name(tn__op_written(reader->op)));
  tn_string_view_t target = tn__attr_get_string(&reader->attrs, "call_target_name");
  if (target.length) tn__writef(writer, " @%.*s", TN_SV(target));
  tn__write_string(writer, ")");
}

static bool is_view(const tn_plan_step_t* step, size_t operand) {
  const tn_view_t* views = step->site.views;
  return views && (views[operand].byte_offset || views[operand].strides);
}

// "[offset 16, strides 4 0]".
static void print_view(const tn_plan_step_t* step, size_t operand, tn_writer_t* writer) {
  const tn_view_t* view = &step->site.views[operand];
  const size_t rank = step->site.use->operand_types[operand]->rank;
  tn__write_string(writer, "[");
  if (view->byte_offset) tn__writef(writer, "offset %lld", (long long)view->byte_offset);
  if (view->strides) tn__write_string(writer, view->byte_offset ? ", strides" : "strides");
  for (size_t d = 0; view->strides && d < rank; ++d) {
    tn__writef(writer, " %lld", (long long)view->strides[d]);
  }
  tn__write_string(writer, "]");
}

void tn__plan_print_views(const tn_plan_step_t* step, tn_writer_t* writer) {
  for (size_t i = 0; i < step->operand_count; ++i) {
    if (!is_view(step, i)) continue;
    tn__writef(writer, "  operand %zu", i);
    print_view(step, i, writer);
  }
}

// --- text

static void print_buffer(const tn_plan_t* plan, size_t index, tn_writer_t* writer) {
  const tn_plan_buffer_t* buffer = &plan->buffers[index];
  tn__writef(writer, "  b%-4zu %-9s ", index, tn__plan_buffer_kind_name(buffer->kind));
  tn__write_grouped(writer, buffer->byte_size);
  tn__write_string(writer, " bytes");
  switch (buffer->kind) {
    case TN_PLAN_TEMPORARY:
    case TN_PLAN_HOST_TEMPORARY:
      tn__writef(writer, " at %zu, live %u..%u", buffer->offset, buffer->begin, buffer->end);
      break;
    case TN_PLAN_PARAMETER: tn__writef(writer, ", input %u", buffer->index); break;
    case TN_PLAN_RESULT:
      tn__writef(writer, ", output %u", buffer->index);
      if (buffer->parameter != TN_PLAN_NONE) {
        tn__writef(writer, ", begins as input %lld", (long long)buffer->parameter);
      }
      break;
    case TN_PLAN_CONSTANT:
    case TN_PLAN_HOST_CONSTANT: break;
  }
  tn__write_string(writer, "  ");
  tn__plan_print_value(buffer->value, writer);
  if (buffer->value && tn__type_is_tensor(buffer->value->type)) {
    tn__writef(writer, " : %s", TN_TYPE_TEXT(buffer->value->type));
  }
  tn__write_string(writer, "\n");
}

static void print_places(const char* before, size_t count, const uint32_t* buffers,
                         tn_writer_t* writer) {
  for (size_t i = 0; i < count; ++i) tn__writef(writer, "%sb%u", i ? " " : before, buffers[i]);
}

static void print_operands(const tn_plan_step_t* step, tn_writer_t* writer) {
  for (size_t i = 0; i < step->operand_count; ++i) {
    tn__writef(writer, " b%u", step->operands[i]);
    if (is_view(step, i)) print_view(step, i, writer);
  }
}

static void print_block(const tn_plan_block_t* block, int depth, tn_writer_t* writer) {
  for (size_t i = 0; i < block->step_count; ++i) {
    const tn_plan_step_t* step = &block->steps[i];
    tn__writef(writer, "%*s%u: %s", 2 + 2 * depth, "", step->begin, tn__plan_step_name(step));
    tn_string_view_t target = tn__plan_step_target(step);
    if (target.length) tn__writef(writer, " @%.*s", TN_SV(target));
    print_operands(step, writer);
    print_places(" -> ", step->result_count, step->results, writer);
    if (step->scratch != UINT32_MAX) tn__writef(writer, " scratch b%u", step->scratch);
    if (step->reason) tn__writef(writer, "  (%s)", step->reason);
    if (!step->reason && step->kernel) tn__writef(writer, "  [%s]", step->kernel->name);
    tn__plan_print_reader(step, writer);
    tn__write_string(writer, "\n");
    for (size_t b = 0; b < step->block_count; ++b) {
      tn__writef(writer, "%*sregion %zu", 4 + 2 * depth, "", b);
      print_places(" takes ", step->blocks[b].argument_count, step->blocks[b].arguments, writer);
      print_places(" gives ", step->blocks[b].result_count, step->blocks[b].results, writer);
      tn__write_string(writer, "\n");
      print_block(&step->blocks[b], depth + 2, writer);
    }
  }
}

void tn__plan_print_text(const tn_plan_t* plan, tn_writer_t* writer) {
  tn__writef(writer, "plan of @%.*s\n  peak ", TN_SV(plan->function->name));
  tn__write_grouped(writer, plan->arena_byte_size);
  tn__write_string(writer, " bytes; lower bound ");
  tn__write_grouped(writer, plan->lower_bound_byte_size);
  tn__write_string(writer, "; all values ");
  tn__write_grouped(writer, plan->total_byte_size);
  tn__write_string(writer, "\nbuffers\n");
  for (size_t i = 0; i < plan->buffer_count; ++i) print_buffer(plan, i, writer);
  tn__write_string(writer, "steps\n");
  print_block(&plan->block, 0, writer);
}

// --- JSON

static void json_places(const char* before, const char* name, size_t count, const uint32_t* buffers,
                        tn_writer_t* writer) {
  tn__writef(writer, "%s\"%s\": [", before, name);
  for (size_t i = 0; i < count; ++i) tn__writef(writer, i ? ", %u" : "%u", buffers[i]);
  tn__write_string(writer, "]");
}

void tn__plan_print_json_views(const tn_plan_step_t* step, tn_writer_t* writer) {
  const tn_view_t* views = step->site.views;
  for (size_t i = 0; views && i < step->operand_count; ++i) {
    tn__writef(writer, "%s{\"offset\": %lld", i ? ", " : ", \"views\": [",
               (long long)views[i].byte_offset);
    const size_t rank = views[i].strides ? step->site.use->operand_types[i]->rank : 0;
    for (size_t d = 0; d < rank; ++d) {
      tn__writef(writer, d ? ", %lld" : ", \"strides\": [%lld", (long long)views[i].strides[d]);
    }
    tn__write_string(writer, rank ? "]}" : "}");
  }
  if (views) tn__write_string(writer, "]");
}

void tn__plan_print_json_buffer(const tn_plan_buffer_t* buffer, size_t id, tn_writer_t* writer) {
  tn__writef(writer, "{\"id\": %zu, \"kind\": \"%s\", \"bytes\": %zu", id,
             tn__plan_buffer_kind_name(buffer->kind), buffer->byte_size);
  if (buffer->kind == TN_PLAN_TEMPORARY || buffer->kind == TN_PLAN_HOST_TEMPORARY) {
    tn__writef(writer, ", \"offset\": %zu, \"begin\": %u, \"end\": %u", buffer->offset,
               buffer->begin, buffer->end);
  }
  if (buffer->kind == TN_PLAN_PARAMETER || buffer->kind == TN_PLAN_RESULT) {
    tn__writef(writer, ", \"index\": %u", buffer->index);
  }
  if (buffer->parameter != TN_PLAN_NONE) {
    tn__writef(writer, ", \"input\": %lld", (long long)buffer->parameter);
  }
  if (buffer->value && buffer->value->name.length) {
    tn__write_string(writer, ", \"name\": ");
    tn__write_json_string(writer, buffer->value->name);
  }
  if (buffer->value) {
    tn__write_string(writer, ", \"type\": ");
    tn__write_json_string(writer, tn__sv(TN_TYPE_TEXT(buffer->value->type)));
  }
  tn__write_string(writer, "}");
}

// The members of a block's object.
static void json_block(const tn_plan_block_t* block, tn_writer_t* writer) {
  json_places("", "arguments", block->argument_count, block->arguments, writer);
  json_places(", ", "results", block->result_count, block->results, writer);
  tn__write_string(writer, ", \"steps\": [");
  for (size_t i = 0; i < block->step_count; ++i) {
    const tn_plan_step_t* step = &block->steps[i];
    tn__writef(writer, "%s\n    {\"position\": %u, \"operation\": \"%s\"", i ? "," : "",
               step->begin, tn__plan_step_name(step));
    if (step->kernel) tn__writef(writer, ", \"kernel\": \"%s\"", step->kernel->name);
    const tn_string_view_t target = tn__plan_step_target(step);
    if (target.length) {
      tn__write_string(writer, step->callee ? ", \"callee\": " : ", \"target\": ");
      tn__write_json_string(writer, target);
    }
    if (step->reason) tn__writef(writer, ", \"reason\": \"%s\"", step->reason);
    if (step->node && step->node->location.line) {
      tn__writef(writer, ", \"line\": %u", step->node->location.line);
    }
    json_places(", ", "operands", step->operand_count, step->operands, writer);
    tn__plan_print_json_views(step, writer);
    json_places(", ", "results", step->result_count, step->results, writer);
    if (step->scratch != UINT32_MAX) tn__writef(writer, ", \"scratch\": %u", step->scratch);
    for (size_t b = 0; b < step->block_count; ++b) {
      tn__write_string(writer, b ? ", {" : ", \"regions\": [{");
      json_block(&step->blocks[b], writer);
      tn__write_string(writer, "}");
    }
    tn__write_string(writer, step->block_count ? "]}" : "}");
  }
  tn__write_string(writer, "]");
}

void tn__plan_print_json(const tn_plan_t* plan, tn_writer_t* writer) {
  tn__write_string(writer, "\"function\": ");
  tn__write_json_string(writer, plan->function->name);
  tn__writef(writer,
             ",\n \"peak_bytes\": %zu, \"lower_bound_bytes\": %zu, \"total_bytes\": %zu,\n "
             "\"buffers\": [",
             plan->arena_byte_size, plan->lower_bound_byte_size, plan->total_byte_size);
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    tn__write_string(writer, i ? ",\n    " : "\n    ");
    tn__plan_print_json_buffer(&plan->buffers[i], i, writer);
  }
  tn__write_string(writer, "],\n ");
  json_block(&plan->block, writer);
}
