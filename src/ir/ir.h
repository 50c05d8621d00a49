// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The one intermediate representation: modules of functions, whose regions hold nodes, which use
// and make values.
//
// Everything in a module lives in its arena; types and attributes are immutable and may be shared.
// A module is built by one thread; once handed to a compiler it is read-only (passes work on a
// clone).
#ifndef TENON_IR_IR_H_
#define TENON_IR_IR_H_

#include <stdatomic.h>
#include <tenon/detail/module.h>

#include "base/limits.h"
#include "base/names.h"
#include "ops/op.h"

typedef struct tn_node tn_node_t;
typedef struct tn_region tn_region_t;
typedef struct tn_function tn_function_t;

// Where something is in the module's source; line 0 means unknown. Both are 1-based.
typedef struct tn_location {
  uint32_t line, column;
} tn_location_t;

// A result of a node or an argument of a region.
struct tn_value {
  const tn_type_t* type;
  tn_node_t* node;          // NULL for an argument
  tn_region_t* region;      // of the node, or whose argument it is
  uint32_t index;           // which result or argument
  uint32_t id;              // free for traversals: see tn__function_number
  tn_value_t* replacement;  // while a pass rewrites: use that one instead (tn__value_resolve)
  tn_string_view_t name;    // as the source says it, without "%"; may be empty
};

// Who computes a node, and where its operands and results are; see kernel/placement.h.
typedef enum tn_placement {
  TN_ON_DEVICE,
  TN_ON_HOST,
  TN_IN_BODY,  // in the host's memory, by the device's kernels: in a region that one of them calls
} tn_placement_t;

// One use of an operation.
struct tn_node {
  const tn_op_t* op;
  tn_region_t* region;  // that holds it
  tn_node_t *previous, *next;
  uint32_t operand_count, result_count, region_count;
  tn_value_t** operands;
  tn_value_t* results;
  tn_region_t** regions;
  tn_attr_dictionary_t attrs;
  tn_location_t location;
  uint32_t id;               // free for traversals
  tn_placement_t placement;  // of a module that is compiled
};

// One block of nodes with arguments; the last node is its terminator. Values of enclosing regions
// may be used inside.
struct tn_region {
  tn_function_t* function;
  tn_node_t* parent;  // NULL: the function's body
  uint32_t index;     // which region of `parent`
  uint32_t argument_count;
  tn_value_t* arguments;
  tn_node_t *first, *last;
};

struct tn_function {
  tn_module_t* module;
  tn_function_t* next;
  tn_string_view_t name;        // without "@"
  tn_string_view_t visibility;  // "public", "private", "nested", or empty
  uint32_t argument_count, result_count;
  const tn_type_t** argument_types;
  const tn_type_t** result_types;
  tn_attr_dictionary_t* argument_attrs;
  tn_attr_dictionary_t* result_attrs;
  tn_attr_dictionary_t attrs;
  tn_region_t* body;  // NULL: a declaration
  tn_location_t location;
  uint32_t value_count, node_count;  // as tn__function_number counted last
  uint32_t index;                    // free for traversals
};

// The text that a module was read from: for carets. Reference counted, immutable.
typedef struct tn_source {
  atomic_uint references;
  const tn_allocator_t* allocator;
  size_t byte_size;
  char* text;           // a NUL follows
  uint32_t first_line;  // the number of the first one, in the file that the text is a part of
  char name[];          // file name or "<string>", NUL-terminated
} tn_source_t;

struct tn_module {
  atomic_uint references;
  const tn_allocator_t* allocator;
  tn_arena_t arena;
  tn_module_t* origin;  // of a clone: retained, since types, attributes and names still live there
  // Modules whose nodes were copied into this one, and operations that were registered: retained.
  struct tn_module_link* kept;
  tn_source_t* source;                     // NULL: built, not read
  const struct tn_compile_target* target;  // kernel/target.h; NULL: it is not being compiled
  const struct tn_interrupt* interrupt;    // ends its compilation early; NULL: nothing does
  tn_string_view_t name;                   // may be empty
  tn_attr_dictionary_t attrs;
  tn_string_view_t
      preamble;  // lines of other dialects' operations (sdy.mesh), kept for the printer
  tn_function_t *first_function, *last_function;
  tn_names_t functions;  // by name; pointer: tn_function_t
};

// --- sources

// Copies name and text (both may have any length).
TN_MUST_USE tn_status_t tn__source_create(const tn_allocator_t* allocator, tn_string_view_t name,
                                          tn_string_view_t text, tn_source_t** out_source);
tn_source_t* tn__source_retain(tn_source_t* source);
void tn__source_release(tn_source_t* source);
// Puts file, line, column and the line's text into a status. Takes and returns it. `source` may be
// NULL.
tn_status_t tn__source_locate(const tn_source_t* source, tn_location_t location,
                              tn_status_t status);

// --- modules and functions

TN_MUST_USE tn_status_t tn__module_create(const tn_allocator_t* allocator,
                                          tn_module_t** out_module);
// A copy of the functions and nodes of a verified module, to rewrite; shares types, attributes and
// names with `module`, which it retains.
TN_MUST_USE tn_status_t tn__module_clone(tn_module_t* module, tn_module_t** out_clone);

// The text that the module, or the one that it is a clone of, was read from; NULL: it was built.
const tn_source_t* tn__module_source(const tn_module_t* module);

// The name that a label such as params['w'] stands for, "params.w", and its length; 0 and "" when
// there is none. `out` has room for one byte more than the label has.
size_t tn__input_name(tn_string_view_t label, char* out);
// Calls an argument of a function so, if the label stands for a name.
TN_MUST_USE tn_status_t tn__value_set_name(tn_module_t* module, tn_value_t* value,
                                           tn_string_view_t label);

// Retains `other` for as long as `module` lives.
TN_MUST_USE tn_status_t tn__module_keep(tn_module_t* module, tn_module_t* other);
// Retains an operation that nodes of `module` use, for as long as that lives.
TN_MUST_USE tn_status_t tn__module_keep_op(tn_module_t* module, const tn_op_t* op);
// Copies a function of another, verified module under a new name; that module is kept. What the
// function calls must be in `module`.
TN_MUST_USE tn_status_t tn__module_copy_function(tn_module_t* module, tn_function_t* function,
                                                 tn_string_view_t name);

// Adds a function with a body whose arguments have the given types (copied list), or a declaration.
// A name that is taken is an ALREADY_EXISTS error.
TN_MUST_USE tn_status_t tn__function_create(tn_module_t* module, tn_string_view_t name,
                                            size_t argument_count,
                                            const tn_type_t* const* argument_types,
                                            size_t result_count,
                                            const tn_type_t* const* result_types,
                                            bool is_declaration, tn_function_t** out_function);
tn_function_t* tn__module_find_function(const tn_module_t* module, tn_string_view_t name);
// The function `main`, else the only one, else NULL.
tn_function_t* tn__module_entry(const tn_module_t* module);

// Copies the body of `function`, whose values are numbered, before `position`, with `arguments` in
// the place of its own; out_results gets what it returns. `position` may be in another function of
// the same module, not in this one.
TN_MUST_USE tn_status_t tn__function_splice(const tn_function_t* function, tn_node_t* position,
                                            tn_value_t* const* arguments, tn_value_t** out_results);

// The same of a region in whose nodes are no regions, inside its own function, whose values are
// numbered and uses of replaced ones resolved; new values have numbers as well.
TN_MUST_USE tn_status_t tn__region_splice(const tn_region_t* region, tn_node_t* position,
                                          tn_value_t* const* arguments, tn_value_t** out_results);

// Values from outside that the regions of a node use, as tn__node_copy wants them replaced. The
// function's values are numbered. The list is in `arena`.
typedef struct tn_captured_values {
  size_t count;
  tn_value_t** values;
} tn_captured_values_t;
TN_MUST_USE tn_status_t tn__node_captured(const tn_node_t* node, tn_arena_t* arena,
                                          tn_captured_values_t* out_captured);
// Copies a node of another module, whose values are numbered, to the end of `region`, with
// `operands` in the place of its own, and `replacements` in that of what its regions use from
// outside. The other module must be kept.
TN_MUST_USE tn_status_t tn__node_copy(const tn_node_t* node, tn_region_t* region,
                                      tn_value_t* const* operands,
                                      const tn_captured_values_t* captured,
                                      tn_value_t* const* replacements, tn_node_t** out_node);

// Copies a region of another module, whose values are numbered and which uses nothing from outside,
// for a node of `function`; with arguments behind its own, which nothing uses. The other module
// must be kept.
TN_MUST_USE tn_status_t tn__region_copy(const tn_region_t* region, tn_function_t* function,
                                        size_t extra_count, const tn_type_t* const* extra_types,
                                        tn_region_t** out_region);

// --- nodes and regions

// What a node is made of; lists are copied, their elements not.
typedef struct tn_node_spec {
  const tn_op_t* op;
  size_t operand_count;
  tn_value_t* const* operands;
  size_t result_count;
  const tn_type_t* const* result_types;
  tn_attr_dictionary_t attrs;
  size_t region_count;
  tn_region_t* const* regions;  // made by tn__region_create, not yet owned by a node
  tn_location_t location;
} tn_node_spec_t;

// Appends to `region`. Checks nothing.
TN_MUST_USE tn_status_t tn__node_append(tn_region_t* region, const tn_node_spec_t* spec,
                                        tn_node_t** out_node);
// As append, but before `position`.
TN_MUST_USE tn_status_t tn__node_insert(tn_node_t* position, const tn_node_spec_t* spec,
                                        tn_node_t** out_node);
void tn__node_remove(tn_node_t* node);
// Takes a node out of its place, and puts it before `position`, which may be in another region.
void tn__node_move(tn_node_t* node, tn_node_t* position);
TN_MUST_USE tn_status_t tn__region_create(tn_function_t* function, size_t argument_count,
                                          const tn_type_t* const* argument_types,
                                          tn_region_t** out_region);
#define TN_FOR_EACH_NODE(node, region) \
  for (tn_node_t* node = (region)->first; node; node = node->next)

// The value that stands for `value` after replacements.
static inline tn_value_t* tn__value_resolve(tn_value_t* value) {
  while (value->replacement) value = value->replacement;
  return value;
}

// Numbers all values (ids 0, 1, ... in order of definition: a region's arguments, then its nodes'
// results, inner regions before their node's results) and nodes (preorder) of a function, and keeps
// the counts. The verifier does this, so that a verified module can be cloned by several threads at
// once.
void tn__function_number(tn_function_t* function);

// Puts resolved values (tn__value_resolve) in the place of all operands. After it no value is
// replaced any more.
void tn__function_resolve(tn_function_t* function);

// Element i of the results depends on element i of the operands alone: by the operation's traits,
// or because its elements are read as others of the same width.
bool tn__node_is_elementwise(const tn_node_t* node);
// A gather of single elements of a list: element i of the result is that at element i of operand 1,
// so that it is elementwise but for operand 0.
bool tn__node_looks_up(const tn_node_t* node);
// One or the other: the members of fusions, but for reductions.
bool tn__node_has_elements(const tn_node_t* node);
// Whether any element of such a node's results may depend on any element of the operand.
bool tn__node_reads_all(const tn_node_t* node, size_t operand);

// `status` with the node's place and source line. Takes and returns it.
tn_status_t tn__node_locate(const tn_node_t* node, tn_status_t status);

// The same for a function.
tn_status_t tn__function_locate(const tn_function_t* function, tn_status_t status);

// The node as operations' rules see it. `arena` takes what rules make. The arrays live in `arena`.
TN_MUST_USE tn_status_t tn__node_use(const tn_node_t* node, tn_arena_t* arena,
                                     tn_op_use_t* out_use);

// --- the verifier (verify.c)

// Every node against its operation's rules, regions and terminators, values defined before use in
// scope, calls against their callees, functions against their signatures. The error carries the
// node's place.
TN_MUST_USE tn_status_t tn__module_verify(tn_module_t* module);

// The shape that a fusion goes over: what its reductions read, or else the largest that its
// operations give. NULL: it has none.
const tn_type_t* tn__fusion_shape(const tn_region_t* region);
// Of a fusion, whose region is verified: whether that holds what a fusion may (verify_fusion.c).
TN_MUST_USE tn_status_t tn__verify_fusion(const tn_node_t* fusion);

#endif  // TENON_IR_IR_H_
