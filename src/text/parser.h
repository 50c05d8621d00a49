// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The state that the parts of the reader share, and what each part offers to the others. Inside of
// text/ only; from outside see reader.h.
#ifndef TENON_TEXT_PARSER_H_
#define TENON_TEXT_PARSER_H_

#include "base/limits.h"
#include "base/names.h"
#include "ir/ir.h"
#include "text/lexer.h"
#include "text/numbers.h"

// Something read, and where it is.
typedef struct tn_read_type {
  const tn_type_t* type;
  const char* position;
} tn_read_type_t;
typedef struct tn_read_attr {
  tn_string_view_t name;
  const tn_attr_t* attr;
  const char* position;
} tn_read_attr_t;
typedef struct tn_read_value {
  tn_value_t* value;
  const char* position;
} tn_read_value_t;
typedef struct tn_read_name {
  tn_string_view_t name;
  const char* position;
  uint32_t count;          // of %name:count
  tn_string_view_t label;  // of an argument: the name in its location; empty: none
} tn_read_name_t;

// Lists under construction: each user notes `count`, pushes, and cuts back to what was.
#define TN_STACK(type)      \
  struct {                  \
    type* items;            \
    size_t count, capacity; \
  }

// Attributes that uses of an operation share.
typedef struct tn_shared_attrs {
  const tn_op_t* op;  // NULL: none
  tn_attr_dictionary_t attrs;
} tn_shared_attrs_t;
enum { TN_SHARED_ATTRS = 256 };

typedef struct tn_parser {
  tn_lexer_t lexer;
  const tn_allocator_t* allocator;
  tn_module_t* module;  // under construction
  tn_arena_t* arena;    // the module's
  tn_function_t* function;
  uint32_t depth;
  uint32_t module_count;  // that have begun
  bool aliases_indexed, resources_indexed;
  tn_names_t values;     // in scope; pointer: the first tn_value_t, number: how many
  tn_names_t types;      // by their text; pointer: tn_type_t
  tn_names_t aliases;    // with their # or !; pointer: tn_alias_t (attrs.c)
  tn_names_t resources;  // pointer: the string token
  TN_STACK(tn_read_value_t) operand_stack;
  TN_STACK(tn_read_type_t) type_stack;
  TN_STACK(tn_read_attr_t) attr_stack;
  TN_STACK(tn_read_name_t) name_stack;
  TN_STACK(const tn_attr_t*) item_stack;
  TN_STACK(tn_region_t*) region_stack;
  TN_STACK(int64_t) integer_stack;
  TN_STACK(tn_attr_dictionary_t) dictionary_stack;
  TN_STACK(char) preamble;  // of the module
  // Filled and used at once.
  TN_STACK(const tn_type_t*) plain_types;
  TN_STACK(tn_value_t*) plain_values;
  // What was put into the arena, apart from attributes, that outlives the operation it is in: types
  // and aliases, counted.
  size_t kept;
  tn_shared_attrs_t shared[TN_SHARED_ATTRS];  // by hash
} tn_parser_t;

// --- parser.c: errors, tokens, stacks

// Without a module and a text yet. Wants deinit also after an error.
TN_MUST_USE tn_status_t tn__parser_init(tn_parser_t* parser, const tn_allocator_t* allocator);
void tn__parser_deinit(tn_parser_t* parser);

// INVALID_ARGUMENT at `position`, with its line and a caret.
__attribute__((returns_nonnull)) tn_status_t tn__parser_fail(tn_parser_t* parser,
                                                             const char* position,
                                                             const char* format, ...)
    TN_PRINTF(3, 4);
// UNIMPLEMENTED there.
__attribute__((returns_nonnull)) tn_status_t tn__parser_unsupported(tn_parser_t* parser,
                                                                    const char* position,
                                                                    const char* format, ...)
    TN_PRINTF(3, 4);
// Gives a status from elsewhere that place. Takes and returns it.
tn_status_t tn__parser_locate(tn_parser_t* parser, const char* position, tn_status_t status);
// "expected <wanted>; found <token>"; the lexer's own problem when the token is invalid.
__attribute__((returns_nonnull)) tn_status_t tn__parser_wanted(tn_parser_t* parser,
                                                               const char* wanted);

static inline tn_token_kind_t tn__parser_kind(const tn_parser_t* parser) {
  return parser->lexer.token.kind;
}
static inline bool tn__parser_at(const tn_parser_t* parser, int kind) {
  return parser->lexer.token.kind == (tn_token_kind_t)kind;
}
static inline bool tn__parser_at_word(const tn_parser_t* parser, const char* word) {
  return tn__token_is(&parser->lexer.token, word);
}
// Goes past the token if it is that.
static inline bool tn__parser_accept(tn_parser_t* parser, int kind) {
  if (!tn__parser_at(parser, kind)) return false;
  tn__lexer_next(&parser->lexer);
  return true;
}
// Of the current token.
static inline tn_location_t tn__parser_location(const tn_parser_t* parser) {
  const tn_lexer_t* lexer = &parser->lexer;
  return (tn_location_t){lexer->line, (uint32_t)(lexer->token.begin - lexer->line_begin) + 1};
}
bool tn__parser_accept_word(tn_parser_t* parser, const char* word);
TN_MUST_USE tn_status_t tn__parser_expect(tn_parser_t* parser, int kind, const char* wanted);
TN_MUST_USE tn_status_t tn__parser_expect_word(tn_parser_t* parser, const char* word);
// [-]integer that fits int64.
TN_MUST_USE tn_status_t tn__parser_integer(tn_parser_t* parser, int64_t* out);
// The contents of a STRING or quoted SYMBOL token with its escapes undone: a view of the source, or
// of a copy in the arena. Does not move.
TN_MUST_USE tn_status_t tn__parser_unescape(tn_parser_t* parser, tn_string_view_t raw,
                                            tn_string_view_t* out);
// Around everything that nests.
TN_MUST_USE tn_status_t tn__parser_enter(tn_parser_t* parser);
static inline void tn__parser_leave(tn_parser_t* parser) {
  --parser->depth;
}
// Past a bracket and all up to its partner, raw; the text from `begin` on.
TN_MUST_USE tn_status_t tn__parser_skip_brackets(tn_parser_t* parser);
// loc(...) if there is one.
TN_MUST_USE tn_status_t tn__parser_skip_location(tn_parser_t* parser);

TN_MUST_USE tn_status_t tn__parser_push_operand(tn_parser_t* parser, tn_value_t* value,
                                                const char* position);
TN_MUST_USE tn_status_t tn__parser_push_type(tn_parser_t* parser, const tn_type_t* type,
                                             const char* position);
TN_MUST_USE tn_status_t tn__parser_push_attr(tn_parser_t* parser, tn_string_view_t name,
                                             const tn_attr_t* attr, const char* position);
TN_MUST_USE tn_status_t tn__parser_push_name(tn_parser_t* parser, tn_string_view_t name,
                                             uint32_t count, const char* position);
TN_MUST_USE tn_status_t tn__parser_push_item(tn_parser_t* parser, const tn_attr_t* item);
TN_MUST_USE tn_status_t tn__parser_push_region(tn_parser_t* parser, tn_region_t* region);
TN_MUST_USE tn_status_t tn__parser_push_integer(tn_parser_t* parser, int64_t integer);
TN_MUST_USE tn_status_t tn__parser_push_dictionary(tn_parser_t* parser,
                                                   tn_attr_dictionary_t dictionary);
// The types from stack index `first` on as a plain list, valid until the next call.
TN_MUST_USE tn_status_t tn__parser_plain_types(tn_parser_t* parser, size_t first, size_t count,
                                               const tn_type_t* const** out_types);
// Adds a line to what is kept of the module's own operations; gives all of it, in the arena.
TN_MUST_USE tn_status_t tn__parser_keep_preamble(tn_parser_t* parser, tn_string_view_t line);
TN_MUST_USE tn_status_t tn__parser_take_preamble(tn_parser_t* parser, tn_string_view_t* out);
// Attributes from `first` on, sorted, in the arena, and off the stack. A name given twice is an
// error at its second place.
TN_MUST_USE tn_status_t tn__parser_pop_dictionary(tn_parser_t* parser, size_t first,
                                                  tn_attr_dictionary_t* out);

// --- types.c

TN_MUST_USE tn_status_t tn__parser_type(tn_parser_t* parser, const tn_type_t** out_type);
// A dtype's name as the current token (complex<f32> is several); INVALID when there is none.
TN_MUST_USE tn_status_t tn__parser_element_type(tn_parser_t* parser, tn_dtype_t* out_dtype);
// Pushes types with commas between; at least one.
TN_MUST_USE tn_status_t tn__parser_type_list(tn_parser_t* parser, size_t* out_count);
// (T, T) -> T: pushes the operands' types, then the results'.
TN_MUST_USE tn_status_t tn__parser_function_type(tn_parser_t* parser, size_t* out_operand_count,
                                                 size_t* out_result_count);
// What may follow an arrow: T or (T, T); pushes them.
TN_MUST_USE tn_status_t tn__parser_result_types(tn_parser_t* parser, size_t* out_count);

// --- attrs.c

TN_MUST_USE tn_status_t tn__parser_attr(tn_parser_t* parser, const tn_attr_t** out_attr);
// {key = value, key}: pushes the entries.
TN_MUST_USE tn_status_t tn__parser_attr_entries(tn_parser_t* parser);
// The same where it may be missing.
TN_MUST_USE tn_status_t tn__parser_optional_attr_entries(tn_parser_t* parser);
// @name, @a::@b: the name, without the first @.
TN_MUST_USE tn_status_t tn__parser_symbol(tn_parser_t* parser, tn_string_view_t* out_name);
// Attributes from stack index `first` on as a DICTIONARY, or a STRUCT of that name.
TN_MUST_USE tn_status_t tn__parser_pop_structure(tn_parser_t* parser, tn_attr_kind_t kind,
                                                 tn_string_view_t name, size_t first,
                                                 const tn_attr_t** out_attr);

// --- aliases.c

// What `#name = ` or `!name = ` defines; the token is the name.
TN_MUST_USE tn_status_t tn__parser_alias_definition(tn_parser_t* parser);
TN_MUST_USE tn_status_t tn__parser_alias_type(tn_parser_t* parser, const tn_type_t** out_type);
TN_MUST_USE tn_status_t tn__parser_alias_attr(tn_parser_t* parser, const tn_attr_t** out_attr);

// --- named_attrs.c

// As the pretty form of an operation writes an attribute of that specification.
TN_MUST_USE tn_status_t tn__parser_natural_attr(tn_parser_t* parser, const tn_attr_spec_t* spec,
                                                const tn_attr_t** out_attr);
// [1, 2]: array<i64>.
TN_MUST_USE tn_status_t tn__parser_i64_list(tn_parser_t* parser, const tn_attr_t** out_attr);
// The stablehlo structure `name`, from its < on.
TN_MUST_USE tn_status_t tn__parser_struct(tn_parser_t* parser, tn_string_view_t name,
                                          const tn_attr_spec_t* fields, const tn_attr_t** out_attr);
// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], without < and >: a `conv` structure.
TN_MUST_USE tn_status_t tn__parser_convolution_numbers(tn_parser_t* parser,
                                                       const tn_attr_t** out_attr);
// An enumerator as an identifier.
TN_MUST_USE tn_status_t tn__parser_enumerator(tn_parser_t* parser, const char* enumeration,
                                              const tn_attr_t** out_attr);

// --- elements.c

// dense<...> : T, sparse<...> : T, dense_resource<...> : T, from the < on.
TN_MUST_USE tn_status_t tn__parser_dense(tn_parser_t* parser, const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__parser_sparse(tn_parser_t* parser, const tn_attr_t** out_attr);
TN_MUST_USE tn_status_t tn__parser_resource(tn_parser_t* parser, const tn_attr_t** out_attr);

// --- operations.c

// An operation on its way into a region: what it has so far is on the parser's stacks from these
// marks on.
typedef struct tn_draft {
  const tn_op_t* op;
  const char* position;  // of its name
  tn_location_t location;
  size_t operands, types, attrs, regions;
  size_t result_count;  // so many types from `types` on
  size_t kept;          // of the parser, and the arena: where the operation begins
  tn_arena_mark_t mark;
} tn_draft_t;

// Where the arguments of a region begin on the stacks of names and types.
typedef struct tn_region_arguments {
  size_t count, names, types;
} tn_region_arguments_t;

// Nothing yet; the current token is the name.
tn_draft_t tn__parser_draft(const tn_parser_t* parser, const tn_op_t* op);
// Appends what was drafted and takes it off the stacks.
TN_MUST_USE tn_status_t tn__parser_finish(tn_parser_t* parser, tn_region_t* region,
                                          const tn_draft_t* draft, tn_node_t** out_node);
// Gives an operation without regions the attributes of an earlier one, if they are the same.
void tn__parser_share_attrs(tn_parser_t* parser, const tn_draft_t* draft,
                            tn_attr_dictionary_t* attrs);
// %name, %name#1: pushes it.
TN_MUST_USE tn_status_t tn__parser_operand(tn_parser_t* parser);
// %a, %b until a comma that no % follows; none is fine.
TN_MUST_USE tn_status_t tn__parser_operands(tn_parser_t* parser);
// Compares the operands with the `count` types from stack index `types` on.
TN_MUST_USE tn_status_t tn__parser_check_operands(tn_parser_t* parser, const tn_draft_t* draft,
                                                  size_t types, size_t count);
// (T, T) -> T: checks the operands and leaves the results' types.
TN_MUST_USE tn_status_t tn__parser_op_function_type(tn_parser_t* parser, tn_draft_t* draft);
TN_MUST_USE tn_status_t tn__parser_draft_attr(tn_parser_t* parser, const char* name,
                                              const tn_attr_t* attr, const char* position);
// %a: T, %b: T) with locations: pushes names and types; from behind the opening parenthesis.
TN_MUST_USE tn_status_t tn__parser_typed_names(tn_parser_t* parser);
// {...}: pushes the region. Its arguments are those given; without, a ^label may name them.
TN_MUST_USE tn_status_t tn__parser_region(tn_parser_t* parser,
                                          const tn_region_arguments_t* arguments);
// ({...}, {...}): pushes them all.
TN_MUST_USE tn_status_t tn__parser_region_list(tn_parser_t* parser);
// One operation, with the names of its results.
TN_MUST_USE tn_status_t tn__parser_operation(tn_parser_t* parser, tn_region_t* region);
// `name` stands for so many values from `values` on; one that is replaced, for its replacement.
TN_MUST_USE tn_status_t tn__parser_define(tn_parser_t* parser, const tn_read_name_t* name,
                                          tn_value_t* values);
// The operations up to the closing brace, in a region whose arguments take the names from stack
// index `names` on.
TN_MUST_USE tn_status_t tn__parser_block(tn_parser_t* parser, tn_region_t* region, size_t names);

// --- pretty.c, forms.c, region_forms.c: the rest of an operation after its name

// By its .syntax.
TN_MUST_USE tn_status_t tn__parser_pretty(tn_parser_t* parser, tn_draft_t* draft);
// {attrs} : and the types, as the last word of a syntax says.
TN_MUST_USE tn_status_t tn__parser_pretty_types(tn_parser_t* parser, tn_draft_t* draft,
                                                const char* form);
// What reads an operation with a form of its own; NULL for others.
typedef tn_status_t (*tn_read_form_t)(tn_parser_t* parser, tn_draft_t* draft);
tn_read_form_t tn__parser_form(const tn_op_t* op);
TN_MUST_USE tn_status_t tn__parser_reduce(tn_parser_t* parser, tn_draft_t* draft);
TN_MUST_USE tn_status_t tn__parser_scan(tn_parser_t* parser, tn_draft_t* draft);
TN_MUST_USE tn_status_t tn__parser_while(tn_parser_t* parser, tn_draft_t* draft);

// --- shardings.c: operations that distribute values over devices, and are no nodes

// What reads the operation at the current token; the names of its results are on the stack from
// `names` on. NULL: it is no such operation.
typedef tn_status_t (*tn_read_sharding_t)(tn_parser_t* parser, tn_region_t* region, size_t names);
tn_read_sharding_t tn__parser_sharding(const tn_parser_t* parser);

// --- implicit_broadcast.c: operations that broadcast their operands as NumPy does

// What reads the operation at the current token into a draft of `*out_op`, after the broadcasts
// that it implies. NULL: it is no such operation.
typedef tn_status_t (*tn_read_implicit_t)(tn_parser_t* parser, tn_region_t* region,
                                          tn_draft_t* draft);
tn_read_implicit_t tn__parser_implicit(const tn_parser_t* parser, const tn_op_t** out_op);

#endif  // TENON_TEXT_PARSER_H_
