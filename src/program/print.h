// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What text and JSON say of a program alike; inside of program/ only.
#ifndef TENON_PROGRAM_PRINT_H_
#define TENON_PROGRAM_PRINT_H_

#include "base/writer.h"
#include "kernel/fusion/fusion.h"
#include "program/program.h"

// Why the instruction is there, or why its kernel is not one that comes first; may be NULL.
const char* tn__instruction_reason(const tn_instruction_t* instruction);
// What an instruction computes together in one kernel that has no parts, or by blocks of rows;
// NULL: it does neither.
const tn_region_t* tn__instruction_members(const tn_instruction_t* instruction);
// The operation after `node`, in order, those of fusions in their place; NULL: the first one, and
// after the last one.
const tn_node_t* tn__member_next(const tn_region_t* members, const tn_node_t* node);
#define TN_FOR_EACH_MEMBER(node, members)                                \
  for (const tn_node_t* node = tn__member_next((members), NULL); (node); \
       (node) = tn__member_next((members), (node)))
// What an instruction computes together; NULL when it is no fusion.
const tn_fusion_spec_t* tn__instruction_fusion(const tn_instruction_t* instruction);
// The operation after `step`, in order; NULL: the first one, and after the last one.
const tn_fusion_step_t* tn__fusion_next(const tn_fusion_spec_t* fusion,
                                        const tn_fusion_step_t* step);
#define TN_FOR_EACH_FUSED(step, fusion)                                      \
  for (const tn_fusion_step_t* step = tn__fusion_next((fusion), NULL); step; \
       step = tn__fusion_next((fusion), step))

// print_dot.c
void tn__print_dot(const tn_function_t* function, tn_writer_t* writer);
// print_json.c
void tn__print_module_json(const tn_module_t* module, tn_writer_t* writer);
void tn__print_program_json(const tn_program_t* program, tn_writer_t* writer);

#endif  // TENON_PROGRAM_PRINT_H_
