// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The inside of tn_builder_t (public in <tenon/builder.h>).
#ifndef TENON_IR_BUILDER_H_
#define TENON_IR_BUILDER_H_

#include <tenon/builder.h>

#include "ir/ir.h"

struct tn_computation {
  tn_region_t* region;
  tn_computation_t* outer;  // the one that was open before
  uint32_t depth;           // computations around it, itself included
  bool is_open, is_used;
};

struct tn_builder {
  const tn_allocator_t* allocator;
  tn_module_t* module;  // NULL after build
  tn_function_t* function;
  tn_computation_t* open;  // innermost; NULL: the function's body
  tn_arena_t scratch;      // of one operation
  tn_status_t status;      // the first mistake
  size_t operation_count;  // for messages
  size_t parameter_capacity, parameter_count;
  tn_value_t** parameters;  // by number; NULL: not yet given
};

// Whether a caller's attribute means something: its pointers, its nesting and number of parts, and
// that its number fits its dtype. Errors name the attribute. attribute_check.c.
TN_MUST_USE tn_status_t tn__attribute_check(const tn_attribute_t* attribute);
// The same for elements in memory. `what` has them, for the message.
TN_MUST_USE tn_status_t tn__elements_check(const char* what, tn_dtype_t dtype, const void* data,
                                           size_t count);

// Attributes that were checked, as a dictionary of the IR in `arena`; builder_attr.c. And the way
// back, attribute_list.c: the entries have the order of the dictionary, and point into it. False:
// one of them is nothing that a caller can write down.
TN_MUST_USE tn_status_t tn__attribute_dictionary(size_t count, const tn_attribute_t* attributes,
                                                 tn_arena_t* arena, const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__attribute_list(const tn_attr_dictionary_t* dictionary,
                                           tn_arena_t* arena, tn_attribute_t** out_attributes,
                                           bool* out_is_complete);

// Records the first mistake; takes `status`.
void tn__builder_fail(tn_builder_t* builder, tn_status_t status);
// Whether anything can still be added.
static inline bool tn__builder_is_good(const tn_builder_t* builder) {
  return builder && builder->module && !builder->status;
}
tn_arena_t* tn__builder_arena(tn_builder_t* builder);
// By its name with the dialect, or without it if it is StableHLO's; NULL when there is none.
const tn_op_t* tn__builder_find_op(const char* name);

// The caller's type as one of the builder's: he may have it from another module. NULL for NULL, and
// after a failure, which is recorded.
const tn_type_t* tn__builder_type(tn_builder_t* builder, const tn_type_t* type);
// Whether a list is there; if not, it is recorded that `what` of `name` is NULL.
bool tn__builder_has_list(tn_builder_t* builder, const char* name, const char* what, size_t count,
                          const void* list);

// Adds an operation. `name` without or with its dialect; `result_types` NULL: inferred. Results are
// in the node.
tn_node_t* tn__builder_add(tn_builder_t* builder, const char* name, size_t operand_count,
                           tn_value_t* const* operands, size_t attr_count,
                           const tn_named_attr_t* attrs, size_t computation_count,
                           tn_computation_t* const* computations, size_t result_count,
                           const tn_type_t* const* result_types);
// The one result of an operation with inferred type; NULL after a mistake.
tn_value_t* tn__builder_add_one(tn_builder_t* builder, const char* name, size_t operand_count,
                                tn_value_t* const* operands, size_t attr_count,
                                const tn_named_attr_t* attrs);

// Adds a copy of a node of another module, which the builder's module keeps: see tn__node_copy.
// out_results gets its results; NULLs after a mistake.
void tn__builder_add_copy(tn_builder_t* builder, const tn_node_t* node, tn_value_t* const* operands,
                          const tn_captured_values_t* captured, tn_value_t* const* replacements,
                          tn_value_t** out_results);

// The computation that is a copy of a region of another module, which the builder's module keeps:
// see tn__region_copy. NULL after a mistake.
tn_computation_t* tn__builder_copy_computation(tn_builder_t* builder, const tn_region_t* region,
                                               size_t extra_count,
                                               const tn_type_t* const* extra_types);

// Attributes made in the builder's arena; a failure is recorded and gives {name, NULL}.
tn_named_attr_t tn__builder_i64(tn_builder_t* builder, const char* name, int64_t value);
tn_named_attr_t tn__builder_i64_list(tn_builder_t* builder, const char* name, size_t count,
                                     const int64_t* values);
tn_named_attr_t tn__builder_attr(tn_builder_t* builder, const tn_attribute_t* attribute);
// The same as the operation's specification wants it: strings become enumerators and symbols,
// dictionaries structures, lists pairs.
tn_named_attr_t tn__builder_specified_attr(tn_builder_t* builder, const tn_op_t* op,
                                           const tn_attribute_t* attribute);
// The type of one operand, or NULL when the operand is missing (recorded).
const tn_type_t* tn__builder_operand_type(tn_builder_t* builder, const char* name,
                                          const tn_value_t* value, size_t index);

#endif  // TENON_IR_BUILDER_H_
