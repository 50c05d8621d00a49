// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The passes, private to this component, and what several of them need.
#ifndef TENON_PASS_PASSES_H_
#define TENON_PASS_PASSES_H_

#include "pass/pass.h"

tn_status_t tn__pass_exact_top_k(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_split_argmax(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_check_recursion(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_lower_composites(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_single_process_collectives(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_decompose(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_resolve_calls(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_defer_missing_calls(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_normalize_layouts(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_inline_calls(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_inline_all(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_split_splats(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_simplify(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_unroll_loops(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_loop_invariant_carries(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_hoist_invariants(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_delay_carries(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_shift_divisions(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_fold_constants(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_eliminate_common_subexpressions(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_vectorize_bodies(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_schedule_calls(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_fuse(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_block_rows(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_place(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_index_singly(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_drop_unit_dimensions(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_fold_transposes(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_fold_converts(tn_module_t* module, tn_function_t* entry);
tn_status_t tn__pass_eliminate_dead_code(tn_module_t* module, tn_function_t* entry);

// Calls `rewrite` for every function with a body that `entry` reaches, callees first, with a
// scratch arena of its own.
TN_MUST_USE tn_status_t tn__pass_for_each_function(tn_module_t* module, tn_function_t* entry,
                                                   tn_status_t (*rewrite)(tn_function_t* function,
                                                                          tn_arena_t* scratch));

// The function that a call or composite runs; NULL for other nodes, and for names that do not
// exist.
tn_function_t* tn__pass_callee(const tn_node_t* node);

// Adds the uses of each value, by its number (dead_code.c).
void tn__pass_count_uses(const tn_region_t* region, uint32_t* uses);

// The size of arrays from which on the target makes fusions.
int64_t tn__pass_fewest_fused(const struct tn_compile_target* target);

// Whether a function has one: passes for loops cost others nothing.
bool tn__pass_has_loops(const tn_module_t* module);

// No effect but its results, inner regions included.
bool tn__pass_is_pure(const tn_node_t* node);

// The elements of a constant; NULL for any other value.
const tn_attr_t* tn__pass_constant_of(const tn_value_t* value);
// Replaces a node by a constant if it is small and its operands are (fold.c).
TN_MUST_USE tn_status_t tn__pass_fold_node(tn_node_t* node, tn_arena_t* scratch);
// Gives a node its static form, in place, if it has one and the operands for it are constants.
TN_MUST_USE tn_status_t tn__pass_fix_node(tn_node_t* node, tn_arena_t* scratch);

// Gives a call that nothing is registered for the operation that its name stands for, if any
// (named_calls.c).
TN_MUST_USE tn_status_t tn__pass_name_operation(tn_node_t* node);
// The dimension that @ApproxTopK searches along; -1: the call does not say (exact_top_k.c).
int64_t tn__pass_top_k_dimension(const tn_node_t* node);

// Attributes of a node that is made; at most 8 in a module's arena.
typedef struct tn_pass_attrs {
  tn_arena_t* arena;
  size_t count;
  tn_named_attr_t entries[8];
} tn_pass_attrs_t;
TN_MUST_USE tn_status_t tn__pass_add_list(tn_pass_attrs_t* attrs, const char* name, size_t count,
                                          const int64_t* values);
void tn__pass_add_attr(tn_pass_attrs_t* attrs, const char* name, const tn_attr_t* attr);

// Makes a node with one result before `position`, at its place in the source. `attrs` NULL: none.
TN_MUST_USE tn_status_t tn__pass_insert(tn_node_t* position, const tn_op_t* op,
                                        size_t operand_count, tn_value_t* const* operands,
                                        const tn_pass_attrs_t* attrs, const tn_type_t* type,
                                        tn_value_t** out_value);

// `value`, or what it is a reshape of, as a value of this type.
TN_MUST_USE tn_status_t tn__pass_insert_reshape(tn_node_t* position, tn_value_t* value,
                                                const tn_type_t* type, tn_value_t** out_value);

// The same for a reduction by one binary operation.
TN_MUST_USE tn_status_t tn__pass_insert_reduce(tn_node_t* position, const tn_op_t* op,
                                               tn_value_t* input, tn_value_t* initial, size_t count,
                                               const int64_t* dimensions, const tn_type_t* type,
                                               tn_value_t** out_value);

// A region for `node` that calls a function with its arguments and returns what that gives.
TN_MUST_USE tn_status_t tn__pass_calling_region(const tn_node_t* node,
                                                const tn_function_t* function,
                                                tn_region_t** out_region);

#endif  // TENON_PASS_PASSES_H_
