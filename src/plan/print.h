// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A plan to look at.
#ifndef TENON_PLAN_PRINT_H_
#define TENON_PLAN_PRINT_H_

#include "base/writer.h"
#include "plan/plan.h"

void tn__plan_print_text(const tn_plan_t* plan, tn_writer_t* writer);
// The members of an object, without its braces.
void tn__plan_print_json(const tn_plan_t* plan, tn_writer_t* writer);
void tn__plan_print_json_buffer(const tn_plan_buffer_t* buffer, size_t id, tn_writer_t* writer);
// Bytes over time: one bar for each temporary, at its offset, from its first to its last position;
// above them the line of what is live, below it the steps.
void tn__plan_print_svg(const tn_plan_t* plan, tn_writer_t* writer);

// "%3", "%arg0"; for values without a name, their number.
void tn__plan_print_value(const tn_value_t* value, tn_writer_t* writer);
// "add", and "copy" for those that the plan added; the function or custom call it calls, if any.
const char* tn__plan_step_name(const tn_plan_step_t* step);
tn_string_view_t tn__plan_step_target(const tn_plan_step_t* step);
// Of a step that stores a view: " (stored for dot_general)"; of others nothing.
void tn__plan_print_reader(const tn_plan_step_t* step, tn_writer_t* writer);
// Operands that are views: " operand 1[offset 16, strides 4 0]"; nothing when all are whole.
void tn__plan_print_views(const tn_plan_step_t* step, tn_writer_t* writer);
// The operands' views, as a member of the step's object; nothing when all are whole.
void tn__plan_print_json_views(const tn_plan_step_t* step, tn_writer_t* writer);
const char* tn__plan_buffer_kind_name(tn_plan_buffer_kind_t kind);

#endif  // TENON_PLAN_PRINT_H_
