// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What Tenon knows of an operation, built in or registered: the descriptor that IR points to, and
// the rules over types.
//
// The rows of ops.def become these descriptors. Components above add what is theirs (kernels,
// syntax with its own shape, gradients) in tables of their own, joined by the operation's name.
#ifndef TENON_OPS_OP_H_
#define TENON_OPS_OP_H_

#include <stdatomic.h>

#include "base/spelling.h"
#include "base/visibility.h"
#include "ops/attr.h"

typedef struct tn_op tn_op_t;

// ops.def: any number from `minimum` on.
enum { TN_VARIADIC = -1 };

typedef enum tn_trait {
  // No effect but its results: may be removed, merged, folded. An operation with regions is as pure
  // as what they hold.
  TN_PURE = 1 << 0,
  // Element i of the result depends on element i of the operands alone (on the only element of a
  // scalar operand: clamp, select).
  TN_ELEMENTWISE = 1 << 1,
  TN_COMMUTATIVE = 1 << 2,  // two operands that may be exchanged
  TN_TERMINATOR = 1 << 3,   // ends a region; its operands are the region's results
  TN_FORWARDS =
      1 << 4,  // the results are the operands' own bytes: reshape, tuple, optimization_barrier
  TN_ISOLATED = 1 << 5,    // its regions see no values from outside (none of StableHLO's own)
  TN_DEPRECATED = 1 << 6,  // read, but not written by current producers
  TN_REPLACED = 1 << 7,    // a pass that always runs puts other operations in its place
  // Computed by code from outside, which may take any time. The node itself says whether it has
  // effects (has_side_effect), which results are the memory of operands (output_operand_aliases)
  // and which layouts it wants.
  TN_FOREIGN = 1 << 8,
  // The results are the first operands, for derivatives and batches something else: of lazy arrays
  // alone.
  TN_IDENTITY = 1 << 9,
  // The result's elements are the operand's, read with other strides (ops/view.h).
  TN_VIEW = 1 << 10,
} tn_trait_t;

// What an attribute may be. A specification is matched before the operation's own rule runs.
typedef enum tn_attr_type {
  TN_ATTR_TYPE_ANY,
  TN_ATTR_TYPE_BOOL,
  TN_ATTR_TYPE_UNIT,
  TN_ATTR_TYPE_I32,
  TN_ATTR_TYPE_I64,
  TN_ATTR_TYPE_U64,
  TN_ATTR_TYPE_F32,
  TN_ATTR_TYPE_F64,
  TN_ATTR_TYPE_STRING,
  TN_ATTR_TYPE_SYMBOL,
  TN_ATTR_TYPE_SYMBOL_LIST,
  TN_ATTR_TYPE_I64_LIST,  // array<i64: ...>; older text: dense<...> : tensor<Nxi64>
  TN_ATTR_TYPE_BOOL_LIST,
  TN_ATTR_TYPE_I64_PAIRS,  // dense<...> : tensor<Nx2xi64>
  TN_ATTR_TYPE_ELEMENTS,
  TN_ATTR_TYPE_ENUM,  // `name` says which: "comparison_direction"
  TN_ATTR_TYPE_ENUM_LIST,
  TN_ATTR_TYPE_STRUCT,  // `name` says which: "gather"
  TN_ATTR_TYPE_STRUCT_LIST,
  TN_ATTR_TYPE_LAYOUT_LIST,  // [dense<[1, 0]> : tensor<2xindex>, ...]
  TN_ATTR_TYPE_DICTIONARY,
  TN_ATTR_TYPE_TYPE,  // f32, tensor<2xf32>
} tn_attr_type_t;

typedef struct tn_attr_spec {
  const char* name;  // NULL ends a list
  tn_attr_type_t type;
  const char* of;  // ENUM, STRUCT and their lists: which one; else NULL
  bool optional;
} tn_attr_spec_t;

// What a region takes and gives, as far as types go.
typedef struct tn_region_signature {
  size_t argument_count;
  const tn_type_t* const* argument_types;
  size_t result_count;
  const tn_type_t* const* result_types;  // of its terminator's operands
  const struct tn_region* region;        // ir/ir.h; NULL: only its types are known
} tn_region_signature_t;

// One use of an operation as a rule sees it: types and attributes, no values.
typedef struct tn_op_use {
  const tn_op_t* op;
  size_t operand_count;
  const tn_type_t* const* operand_types;
  size_t result_count;  // as stated by the program; when inferring for a builder that states
  const tn_type_t* const* result_types;  // nothing: 0 and NULL
  tn_attr_dictionary_t attrs;            // inherent and discardable ones together
  size_t region_count;
  const tn_region_signature_t* regions;
  tn_arena_t* arena;  // for what a rule makes: result types, expanded lists
} tn_op_use_t;

// What a rule of inference gives: result types, and the constraint that each of them follows from.
// That may be several: "C7|C8" for the shape and the element type, "C7|C8|C9" with the rank's.
typedef struct tn_op_results {
  size_t capacity, count;
  const tn_type_t** types;
  const char** constraints;
  const char* count_constraint;  // which says how many there are; NULL: none
} tn_op_results_t;

// Checks the constraints on operands and attributes and gives the result types. Messages begin with
// the constraint: "clamp (C1): min has shape 2x3; expected scalar or 4x3".
typedef tn_status_t (*tn_infer_fn)(const tn_op_use_t* use, tn_op_results_t* results);
// Checks what needs the stated result types (operations whose results cannot be inferred: iota,
// reshape, convert...).
typedef tn_status_t (*tn_verify_fn)(const tn_op_use_t* use);

// Of an operation that is not in the table: who counts its users.
typedef struct tn_op_owner {
  atomic_uint references;
  void (*destroy)(struct tn_op_owner* owner);
} tn_op_owner_t;

struct tn_compile_target;  // kernel/target.h

struct tn_op {
  const char* name;      // with its dialect: "stablehlo.add"; as it was registered: "axpby"
  int operands;          // a number, or TN_VARIADIC
  int minimum_operands;  // of a variadic one
  int results;           // a number, or TN_VARIADIC
  int regions;           // a number, or TN_VARIADIC
  uint32_t traits;       // TN_PURE | ...
  const tn_attr_spec_t* attrs;
  tn_infer_fn infer;  // at least one of infer and verify
  tn_verify_fn verify;
  const char* syntax;  // pretty form in the language of ops.def; NULL: generic form, or a form of
                       // its own in text/
  const char* doc;
  // Operations that custom calls name (call/operation.h); those of the table have neither.
  tn_op_owner_t* owner;  // NULL: it is never freed
  // The kernel for a use on a target: it comes with the operation. NULL, or returns NULL: see
  // kernel/target.h.
  const struct tn_kernel* (*find_kernel)(const struct tn_compile_target* target,
                                         const tn_op_use_t* use);
};

// Returns `op`. An operation of the table is never freed.
const tn_op_t* tn__op_retain(const tn_op_t* op);
TN_FOR_INSPECT void tn__op_release(const tn_op_t* op);  // NULL is fine

// Whether custom calls name it, and text says it as one.
static inline bool tn__op_is_called(const tn_op_t* op) {
  return op->find_kernel != NULL;
}

static inline bool tn__op_has(const tn_op_t* op, uint32_t traits) {
  return (op->traits & traits) == traits;
}
// Without the dialect: "add". The whole name of an operation that was registered.
const char* tn__op_short_name(const tn_op_t* op);

// NULL when there is no such operation. `name` with its dialect.
const tn_op_t* tn__op_find(tn_string_view_t name);
// The closest names to a misspelt one, for "did you mean"; NULL when nothing is near.
const tn_op_t* tn__op_suggest(tn_string_view_t name);
// All operations in the order of the table.
size_t tn__op_count(void);
const tn_op_t* tn__op_at(size_t index);

// Direct access to rows that code must name: TN__OP(constant).
typedef enum tn_op_id {
#define TN_OP(dialect, name, ...) TN_OP_ID_##dialect##_##name,
#include "ops/ops.def"
#undef TN_OP
  TN_OP_ID_COUNT
} tn_op_id_t;
extern const tn_op_t tn__ops[TN_OP_ID_COUNT];
// TN_OP_ID_COUNT: it is not one of the table.
static inline size_t tn__op_id(const tn_op_t* op) {
  const uintptr_t offset = (uintptr_t)op - (uintptr_t)tn__ops;
  return offset < sizeof tn__ops ? offset / sizeof *tn__ops : TN_OP_ID_COUNT;
}
#define TN__OP(name) (&tn__ops[TN_OP_ID_stablehlo_##name])
#define TN__OP_OF(dialect, name) (&tn__ops[TN_OP_ID_##dialect##_##name])

// The operation of the table that text and documents write for it.
static inline const tn_op_t* tn__op_written(const tn_op_t* op) {
  return tn__op_is_called(op) ? TN__OP(custom_call) : op;
}

// The whole check of one use: operand, result and region counts, attributes against their
// specifications, then infer (compared with the stated types) and verify. An attribute that the
// operation does not have is discardable and passes, unless it looks like a misspelt one that is
// missing. Messages start with the operation's short name.
TN_MUST_USE tn_status_t tn__op_check(const tn_op_use_t* use);
// For a builder: checks the use and gives its result types. When the operation cannot infer them,
// those that `use` states; when it states none, an error. `*out_count` <= `capacity`.
TN_MUST_USE tn_status_t tn__op_infer(const tn_op_use_t* use, size_t capacity,
                                     const tn_type_t** out_types, size_t* out_count);
// A number of operands, results or regions. No maximum: SIZE_MAX.
TN_MUST_USE tn_status_t tn__op_check_count(const char* what, size_t found, size_t minimum,
                                           size_t maximum);

// The errors of attributes that do not fit, whichever kind of signature they are fitted to.
TN_MUST_USE tn_status_t tn__attr_missing(const char* name, const char* expected);
TN_MUST_USE tn_status_t tn__attr_misfit(const char* name, const tn_attr_t* found,
                                        const char* expected);
// `search` has considered the names that exist.
TN_MUST_USE tn_status_t tn__attr_unknown(const tn_spelling_t* search);

// One attribute against its specification; the message names it.
TN_MUST_USE tn_status_t tn__attr_check(const tn_attr_spec_t* spec, const tn_attr_t* attr);
// What it takes, in words: "an integer of type i64".
const char* tn__attr_wanted(tn_attr_type_t type);

// Enumerators (enums.def) by name and number; -1 and NULL when there is none.
int tn__enum_value(const char* enum_name, tn_string_view_t enumerator);
const char* tn__enum_name(const char* enum_name, int value);
enum {
#define TN_ENUM(of, name, number) TN_ENUM_##of##_##name = (number),
#include "ops/enums.def"
#undef TN_ENUM
};
// Of an ENUM attribute of `dictionary`; `fallback` when it is absent.
int tn__attr_get_enum(const tn_attr_dictionary_t* dictionary, const char* name, int fallback);

// The fields of a structure (structs.def), ended by a NULL name; NULL when there is no such
// structure.
const tn_attr_spec_t* tn__struct_fields(tn_string_view_t struct_name);

#endif  // TENON_OPS_OP_H_
