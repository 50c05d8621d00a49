// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What is odd about a program and was not refused.
#include "program/program.h"

// --- attributes that no operation reads

enum { MOST_ATTRIBUTES = 16 };  // of one program that are told

// Names with a dot are another dialect's business, and those that begin with _ a tool's.
static bool is_unread(const tn_node_t* node, tn_string_view_t name) {
  const bool is_ours = strncmp(node->op->name, "stablehlo.", strlen("stablehlo.")) == 0 ||
                       strncmp(node->op->name, "chlo.", strlen("chlo.")) == 0;
  if (!is_ours || !name.length || name.data[0] == '_' || memchr(name.data, '.', name.length)) {
    return false;
  }
  for (const tn_attr_spec_t* spec = node->op->attrs; spec && spec->name; ++spec) {
    if (tn__sv_is(name, spec->name)) return false;
  }
  return true;
}

// The region's warning number *index; OK when it has fewer, which *index is less then.
static tn_status_t warn_of_attributes(const tn_region_t* region, size_t* index, size_t* count) {
  TN_FOR_EACH_NODE (node, region) {
    for (size_t i = 0; i < node->attrs.count && *count < MOST_ATTRIBUTES; ++i) {
      const tn_string_view_t name = node->attrs.entries[i].name;
      if (!is_unread(node, name)) continue;
      ++*count;
      if ((*index)--) continue;
      return tn__node_locate(node,
                             tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                              "%s: attribute \"%.*s\" is unknown and has no effect",
                                              tn__op_short_name(node->op), TN_SV(name)));
    }
    for (uint32_t i = 0; i < node->region_count && *count < MOST_ATTRIBUTES; ++i) {
      tn_status_t warning = warn_of_attributes(node->regions[i], index, count);
      if (warning) return warning;
    }
  }
  return TN_OK;
}

// --- all of them

static tn_status_t find(const tn_program_t* program, size_t index) {
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_plan_step_t* step = program->instructions[i].step;
    if (!step->site.warning || index--) continue;
    return tn__node_locate(step->node,
                           tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s", step->site.warning));
  }
  size_t count = 0;
  const tn_function_t* f = program->source->first_function;
  for (; f && count < MOST_ATTRIBUTES; f = f->next) {
    tn_status_t warning = f->body ? warn_of_attributes(f->body, &index, &count) : TN_OK;
    if (warning) return warning;
  }
  return TN_OK;
}

bool tn_program_warning(const tn_program_t* program, size_t index, tn_status_t* out_warning) {
  *out_warning = find(program, index);
  return *out_warning != NULL;
}
