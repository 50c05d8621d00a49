// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The state that the parts of the walk over the section of operations share, and what each part
// offers to the others. Inside of bytecode/ only; from outside see reader.h.
#ifndef TENON_TEXT_BYTECODE_WALK_H_
#define TENON_TEXT_BYTECODE_WALK_H_

#include "ir/ir.h"
#include "text/bytecode/convert.h"

// Operations that are no nodes of ours.
typedef enum tn_bytecode_special {
  TN_SPECIAL_NONE,
  TN_SPECIAL_MODULE,
  TN_SPECIAL_FUNCTION,
  TN_SPECIAL_FORWARD,  // its result is its operand
  TN_SPECIAL_INLINE,   // its results are those of its region, whose arguments are its operands
  TN_SPECIAL_YIELD,    // ends such a region
  TN_SPECIAL_NOTHING,  // a line of the module that says nothing to one process
  TN_SPECIAL_UNKNOWN,
} tn_bytecode_special_t;

// What the name of an operation stands for.
typedef struct tn_known_op {
  tn_bytecode_special_t special;
  const tn_vhlo_op_t* vhlo;  // TN_SPECIAL_NONE
  bool divides;              // TN_SPECIAL_INLINE: values are parts inside, and wholes outside
} tn_known_op_t;

// What a pair of properties and dictionary became for an operation: most are shared.
typedef struct tn_known_attrs {
  const tn_encoded_op_name_t* name;  // NULL: not yet
  uint64_t dictionary;
  tn_attr_dictionary_t attrs;
} tn_known_attrs_t;

#define TN_STACK(type)      \
  struct {                  \
    type* items;            \
    size_t count, capacity; \
  }

typedef struct tn_bytecode_reader {
  tn_bytecode_t bytecode;
  const tn_allocator_t* allocator;
  tn_module_t* module;
  tn_function_t* function;
  size_t scope;                    // where the values of the innermost isolated region begin
  size_t values_left;              // that regions may still claim: each takes a byte somewhere
  size_t signature_left;           // arguments and results that functions may still have
  tn_known_attrs_t* known;         // by number of properties
  TN_STACK(tn_value_t*) values;    // by id from `scope` on; NULL: not defined yet
  TN_STACK(tn_value_t*) operands;  // of operations being read; each cuts back to what was
  TN_STACK(const tn_type_t*) types;
  TN_STACK(tn_region_t*) regions;
} tn_bytecode_reader_t;

// Room for `more` items of a stack.
#define TN_RESERVE(reader, stack, more)                                                \
  tn__bytecode_reserve(reader, &(stack).items, &(stack).capacity, (stack).count, more, \
                       sizeof *(stack).items)
TN_MUST_USE tn_status_t tn__bytecode_reserve(tn_bytecode_reader_t* reader, void* items,
                                             size_t* capacity, size_t count, size_t more,
                                             size_t size);

// --- head.c: operations up to their regions

typedef struct tn_bytecode_head {
  const uint8_t* position;
  tn_encoded_op_name_t* name;
  const tn_known_op_t* known;
  tn_bytecode_op_attrs_t attrs;
  size_t types, result_count;      // on the stack of types
  size_t operands, operand_count;  // on the stack of operands
  size_t results;                  // place of the first one among the values
  uint64_t region_count;
  bool is_isolated;
} tn_bytecode_head_t;

// The values that a region defines itself, as they come.
typedef struct tn_bytecode_ids {
  size_t next, end;
} tn_bytecode_ids_t;

// "vhlo.add_v1"
#define TN_OP_NAME(head) TN_SV((head)->name->dialect_name), TN_SV((head)->name->name)

// Leaves types and operands on the stacks, until the head is dropped.
TN_MUST_USE tn_status_t tn__bytecode_head(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                          tn_bytecode_ids_t* ids, tn_bytecode_head_t* head);
static inline void tn__bytecode_drop_head(tn_bytecode_reader_t* reader,
                                          const tn_bytecode_head_t* head) {
  reader->types.count = head->types;
  reader->operands.count = head->operands;
}
__attribute__((returns_nonnull)) tn_status_t tn__bytecode_unknown_operation(
    tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head);
// `use lists` of `count` values.
void tn__bytecode_skip_use_lists(tn_cursor_t* cursor, size_t count);

// --- regions.c: regions and the nodes in them

// What a region's arguments become, and where its operations go.
typedef struct tn_bytecode_target {
  tn_region_t* region;  // NULL: made for the arguments that the region has
  const tn_bytecode_head_t*
      into;      // not NULL: operations go into `region`; the operands are the arguments
  bool is_body;  // of a function, whose arguments must be those of its type
  size_t yield, yield_count;  // of an inline region: on the stack of operands
  bool has_yield;
} tn_bytecode_target_t;

// The regions of an isolated operation stand in a section of their own, with a scope of values.
typedef struct tn_bytecode_inner {
  tn_cursor_t section;
  tn_cursor_t* cursor;
  size_t scope;
} tn_bytecode_inner_t;

TN_MUST_USE tn_status_t tn__bytecode_enter_regions(tn_bytecode_reader_t* reader,
                                                   tn_cursor_t* cursor,
                                                   const tn_bytecode_head_t* head,
                                                   tn_bytecode_inner_t* inner);
TN_MUST_USE tn_status_t tn__bytecode_leave_regions(tn_bytecode_reader_t* reader,
                                                   tn_cursor_t* cursor, tn_bytecode_inner_t* inner);
// `*out_is_empty` when the region has no block at all.
TN_MUST_USE tn_status_t tn__bytecode_region(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                            tn_bytecode_target_t* target, bool* out_is_empty);

// --- functions.c

TN_MUST_USE tn_status_t tn__bytecode_function(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                              const tn_bytecode_head_t* head);
// The string that attribute `index` is; empty when it is none.
TN_MUST_USE tn_status_t tn__bytecode_text_property(tn_bytecode_reader_t* reader,
                                                   const tn_bytecode_head_t* head, uint64_t index,
                                                   tn_string_view_t* out_text);

// --- modules.c

// A block of functions and modules.
TN_MUST_USE tn_status_t tn__bytecode_module_body(tn_bytecode_reader_t* reader, tn_cursor_t* cursor);

#endif  // TENON_TEXT_BYTECODE_WALK_H_
