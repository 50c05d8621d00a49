// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A function as a graph for Graphviz.
#include "base/type.h"
#include "plan/print.h"
#include "program/print.h"
#include "text/writer.h"

enum { MOST_ELEMENTS = 4 };  // of a constant whose elements are printed

// Names of regions, where the operation has more than one.
static const struct {
  const tn_op_t* op;
  const char* names[2];
} region_names[] = {
    {TN__OP_OF(stablehlo, while), {"condition", "body"}},
    {TN__OP_OF(stablehlo, if), {"true", "false"}},
    {TN__OP_OF(stablehlo, select_and_scatter), {"select", "scatter"}},
};

static const char* region_name(const tn_node_t* node, uint32_t index) {
  for (size_t i = 0; i < sizeof region_names / sizeof *region_names; ++i) {
    if (node->op == region_names[i].op && index < 2) return region_names[i].names[index];
  }
  return NULL;
}

static void write_vertex(const tn_value_t* value, tn_writer_t* writer) {
  if (value->node) {
    tn__writef(writer, "n%u", value->node->id);
  } else {
    tn__writef(writer, "a%u", value->id);
  }
}

TN_APART static void write_arguments(const tn_region_t* region, tn_writer_t* writer) {
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    const tn_value_t* argument = &region->arguments[i];
    tn__writef(writer, "  a%u [shape=ellipse, label=\"", argument->id);
    tn__plan_print_value(argument, writer);
    tn__writef(writer, "\\n%s\"];\n", TN_TYPE_TEXT(argument->type));
  }
}

static tn_status_t write_quoted(void* user, const char* text, size_t length) {
  tn__write_json_text(user, text, length);
  return TN_OK;
}

static bool is_short(const tn_attr_t* elements) {
  return elements->elements.splat || tn__type_size(elements->elements.type) <= MOST_ELEMENTS;
}

// The elements, which are printed with their type, if they are few or all the same.
TN_APART static void write_constant(const tn_node_t* node, tn_writer_t* writer) {
  const tn_attr_t* value = tn__attr_find(&node->attrs, "value");
  tn__write_string(writer, "\\n");
  if (!value || value->kind != TN_ATTR_ELEMENTS || !is_short(value)) {
    tn__writef(writer, "%s\\n...", TN_TYPE_TEXT(node->results[0].type));
  } else if (!writer->status) {
    writer->status = tn__text_write_attribute(node->region->function->module->allocator, value,
                                              write_quoted, writer);
  }
}

// What a call calls: a function of the module, or the target of a custom call.
static tn_string_view_t called(const tn_node_t* node) {
  const tn_string_view_t target = tn__attr_get_string(&node->attrs, "call_target_name");
  return target.length ? target : tn__attr_get_string(&node->attrs, "callee");
}

static void write_called(const tn_node_t* node, tn_writer_t* writer) {
  const tn_string_view_t name = called(node);
  if (!name.length) return;
  tn__write_string(writer, "\\n@");
  tn__write_json_text(writer, name.data, name.length);
}

// Whether exchanging operands would change the results, so that each is numbered.
static bool has_order(const tn_node_t* node) {
  if (node->operand_count < 2 || tn__op_has(node->op, TN_COMMUTATIVE)) return false;
  for (uint32_t i = 1; i < node->operand_count; ++i) {
    if (node->operands[i] != node->operands[0]) return true;
  }
  return false;
}

TN_APART static void write_edges(const tn_node_t* node, tn_writer_t* writer) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* operand = node->operands[i];
    tn__write_string(writer, "  ");
    write_vertex(operand, writer);
    tn__writef(writer, " -> n%u", node->id);
    if (has_order(node)) tn__writef(writer, " [headlabel=\"%u\"]", i);
    if (operand->node && operand->node->result_count > 1) {
      tn__writef(writer, " [taillabel=\"%zu\"]", (size_t)(operand - operand->node->results));
    }
    tn__write_string(writer, ";\n");
  }
}

TN_APART static void write_node(const tn_node_t* node, tn_writer_t* writer) {
  tn__writef(writer, "  n%u [label=\"%s", node->id, tn__op_short_name(tn__op_written(node->op)));
  write_called(node, writer);
  if (node->op == TN__OP(constant)) {
    write_constant(node, writer);
  } else {
    for (uint32_t i = 0; i < node->result_count; ++i) {
      tn__writef(writer, "\\n%s", TN_TYPE_TEXT(node->results[i].type));
    }
  }
  tn__write_string(writer, called(node).length ? "\", style=filled];\n" : "\"];\n");
}

static void write_frame(const tn_node_t* node, uint32_t index, tn_writer_t* writer) {
  const char* name = region_name(node, index);
  tn__writef(writer, "  subgraph cluster_%u_%u {\n  label=\"%s", node->id, index,
             tn__op_short_name(tn__op_written(node->op)));
  if (name) {
    tn__writef(writer, ": %s", name);
  } else if (node->region_count > 1) {
    tn__writef(writer, ": region %u", index);
  }
  tn__write_string(writer, "\";\n");
}

static void write_vertices(const tn_region_t* region, tn_writer_t* writer) {
  write_arguments(region, writer);
  TN_FOR_EACH_NODE (node, region) {
    write_node(node, writer);
    for (uint32_t i = 0; i < node->region_count; ++i) {
      write_frame(node, i, writer);
      write_vertices(node->regions[i], writer);
      tn__write_string(writer, "  }\n");
    }
  }
}

// A dashed line from the operation to the frame of one of its regions. Graphviz draws it towards a
// vertex inside.
static void write_owner(const tn_node_t* node, uint32_t index, tn_writer_t* writer) {
  const tn_region_t* region = node->regions[index];
  if (!region->argument_count && !region->first) return;
  tn__writef(writer, "  n%u -> ", node->id);
  if (region->argument_count) {
    tn__writef(writer, "a%u", region->arguments[0].id);
  } else {
    tn__writef(writer, "n%u", region->first->id);
  }
  tn__writef(writer, " [lhead=cluster_%u_%u, style=dashed, arrowhead=none];\n", node->id, index);
}

// After all vertices, outside of the frames: an edge inside a frame would pull its ends into it.
static void write_all_edges(const tn_region_t* region, tn_writer_t* writer) {
  TN_FOR_EACH_NODE (node, region) {
    write_edges(node, writer);
    for (uint32_t i = 0; i < node->region_count; ++i) {
      write_owner(node, i, writer);
      write_all_edges(node->regions[i], writer);
    }
  }
}

void tn__print_dot(const tn_function_t* function, tn_writer_t* writer) {
  tn__write_string(writer, "digraph \"");
  tn__write_json_text(writer, function->name.data, function->name.length);
  tn__write_string(writer,
                   "\" {\n  graph [compound=true, fontname=\"sans-serif\", fontsize=10];\n"
                   "  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
                   "  edge [fontname=\"sans-serif\", fontsize=8, fontcolor=\"#57606a\", "
                   "labeldistance=1.8, labelangle=-35];\n");
  if (function->body) {
    write_vertices(function->body, writer);
    write_all_edges(function->body, writer);
  }
  tn__write_string(writer, "}\n");
}
