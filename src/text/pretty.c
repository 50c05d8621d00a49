// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Reads operations by the .syntax of their row in ops.def; the language is described there.
#include <stdlib.h>

#include "text/parser.h"

// --- the part before the types

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The word at `*syntax`, which is moved behind it.
static tn_string_view_t take_word(const char** syntax) {
  const char* begin = *syntax;
  while (is_word(**syntax) || (**syntax >= '0' && **syntax <= '9')) ++*syntax;
  return (tn_string_view_t){begin, (size_t)(*syntax - begin)};
}

// Goes past the literal word or character at `*syntax`, and past the token if it is that.
static bool accept_literal(tn_parser_t* parser, const char** syntax) {
  if (!is_word(**syntax)) return tn__parser_accept(parser, *(*syntax)++);
  tn_string_view_t word = take_word(syntax);
  bool same = tn__parser_at(parser, TN_TOKEN_IDENTIFIER) &&
              tn__sv_equal(tn__token_text(&parser->lexer.token), word);
  if (same) tn__lexer_next(&parser->lexer);
  return same;
}

static tn_status_t expect_literal(tn_parser_t* parser, const char** syntax) {
  char wanted[64];
  const char* begin = *syntax;
  tn_lexer_t before = parser->lexer;
  if (accept_literal(parser, syntax)) return TN_OK;
  parser->lexer = before;
  size_t length = (size_t)(*syntax - begin);
  if (length > sizeof wanted - 3) length = sizeof wanted - 3;
  wanted[0] = '`';
  memcpy(wanted + 1, begin, length);
  memcpy(wanted + 1 + length, "`", 2);
  return tn__parser_wanted(parser, wanted);
}

// $operands, $0, $name; *syntax is behind the $.
static tn_status_t read_variable(tn_parser_t* parser, const tn_draft_t* draft,
                                 const char** syntax) {
  tn_string_view_t name = take_word(syntax);
  if (tn__sv_is(name, "operands")) return tn__parser_operands(parser);
  if (name.data[0] >= '0' && name.data[0] <= '9') return tn__parser_operand(parser);
  for (const tn_attr_spec_t* spec = draft->op->attrs; spec && spec->name; ++spec) {
    if (!tn__sv_is(name, spec->name)) continue;
    const char* position = parser->lexer.token.begin;
    const tn_attr_t* attr = NULL;
    TN_RETURN_IF_ERROR(tn__parser_natural_attr(parser, spec, &attr));
    return tn__parser_draft_attr(parser, spec->name, attr, position);
  }
  return tn_status_create(TN_CODE_INTERNAL, "%s: its syntax names %.*s, which it does not have",
                          draft->op->name, TN_SV(name));
}

// Whether the literals that a group begins with are here; then they are passed.
static bool group_begins(tn_parser_t* parser, const char** syntax) {
  tn_lexer_t before = parser->lexer;
  const char* p = *syntax;
  while (*p != '$' && *p != ')') {
    if (*p == ' ') {
      ++p;
    } else if (!accept_literal(parser, &p)) {
      parser->lexer = before;
      return false;
    }
  }
  *syntax = p;
  return true;
}

// Up to the colon before the types, or the parenthesis that ends a group.
static tn_status_t read_parts(tn_parser_t* parser, const tn_draft_t* draft, const char** syntax,
                              bool in_group) {
  for (;;) {
    char c = **syntax;
    if (c == 0 || c == ':' || (in_group && c == ')')) return TN_OK;
    if (c == ' ') {
      ++*syntax;
    } else if (c == '$') {
      ++*syntax;
      TN_RETURN_IF_ERROR(read_variable(parser, draft, syntax));
    } else if (c == '?') {
      *syntax += 2;  // ?(
      if (group_begins(parser, syntax)) TN_RETURN_IF_ERROR(read_parts(parser, draft, syntax, true));
      *syntax = strchr(*syntax, ')') + 1;
    } else {
      TN_RETURN_IF_ERROR(expect_literal(parser, syntax));
    }
  }
}

// --- the types

static size_t result_count(const tn_draft_t* draft) {
  return draft->op->results == TN_VARIADIC ? 0 : (size_t)draft->op->results;
}

// So many results of the type at the top of the stack, which goes away.
static tn_status_t repeat_as_results(tn_parser_t* parser, tn_draft_t* draft, size_t count) {
  tn_read_type_t type = parser->type_stack.items[--parser->type_stack.count];
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(tn__parser_push_type(parser, type.type, type.position));
  }
  draft->result_count = count;
  return TN_OK;
}

static tn_status_t wrong_operand(tn_parser_t* parser, const tn_draft_t* draft, size_t index,
                                 const char* position, const tn_type_t* given) {
  const tn_type_t* type = parser->operand_stack.items[draft->operands + index].value->type;
  return tn__parser_fail(parser, position, "%s: operand %zu has type %s; it is given as %s",
                         tn__op_short_name(draft->op), index, TN_TYPE_TEXT(type),
                         TN_TYPE_TEXT(given));
}

static tn_status_t push_type(tn_parser_t* parser, tn_read_type_t* out) {
  out->position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_type(parser, &out->type));
  return tn__parser_push_type(parser, out->type, out->position);
}

static size_t operand_count(const tn_parser_t* parser, const tn_draft_t* draft) {
  return parser->operand_stack.count - draft->operands;
}

static const tn_type_t* operand_type(const tn_parser_t* parser, const tn_draft_t* draft,
                                     size_t index) {
  return parser->operand_stack.items[draft->operands + index].value->type;
}

static tn_status_t read_same(tn_parser_t* parser, tn_draft_t* draft) {
  tn_read_type_t type;
  TN_RETURN_IF_ERROR(push_type(parser, &type));
  for (size_t i = 0; i < operand_count(parser, draft); ++i) {
    if (!tn_type_equal(operand_type(parser, draft, i), type.type)) {
      return wrong_operand(parser, draft, i, type.position, type.type);
    }
  }
  return repeat_as_results(parser, draft, result_count(draft));
}

static tn_status_t read_result(tn_parser_t* parser, tn_draft_t* draft) {
  tn_read_type_t type;
  TN_RETURN_IF_ERROR(push_type(parser, &type));
  return repeat_as_results(parser, draft, result_count(draft));
}

static tn_status_t read_tuple(tn_parser_t* parser, tn_draft_t* draft) {
  tn_read_type_t type;
  TN_RETURN_IF_ERROR(push_type(parser, &type));
  size_t count = operand_count(parser, draft);
  if (type.type->kind != TN_TYPE_TUPLE || type.type->element_count != count) {
    return tn__parser_fail(parser, type.position, "%s: %s is not a tuple of the %zu operands",
                           tn__op_short_name(draft->op), TN_TYPE_TEXT(type.type), count);
  }
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* element = type.type->elements[i];
    if (!tn_type_equal(operand_type(parser, draft, i), element)) {
      return wrong_operand(parser, draft, i, type.position, element);
    }
  }
  return repeat_as_results(parser, draft, result_count(draft));
}

static tn_status_t read_complex(tn_parser_t* parser, tn_draft_t* draft) {
  tn_read_type_t type;
  TN_RETURN_IF_ERROR(push_type(parser, &type));
  if (tn_dtype_kind(tn_type_dtype(type.type)) != TN_KIND_COMPLEX) {
    return tn__parser_fail(parser, type.position, "%s: %s is not complex",
                           tn__op_short_name(draft->op), TN_TYPE_TEXT(type.type));
  }
  tn_dtype_t part = type.type->dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  for (size_t i = 0; i < operand_count(parser, draft); ++i) {
    const tn_type_t* operand = operand_type(parser, draft, i);
    if (tn_type_dtype(operand) != part || !tn__type_same_shape(operand, type.type)) {
      return wrong_operand(parser, draft, i, type.position, type.type);
    }
  }
  return repeat_as_results(parser, draft, result_count(draft));
}

static tn_status_t read_select(tn_parser_t* parser, tn_draft_t* draft) {
  tn_read_type_t first, rest;
  TN_RETURN_IF_ERROR(push_type(parser, &first));
  --parser->type_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`,` between the types"));
  TN_RETURN_IF_ERROR(push_type(parser, &rest));
  for (size_t i = 0; i < operand_count(parser, draft); ++i) {
    const tn_read_type_t* stated = i ? &rest : &first;
    if (!tn_type_equal(operand_type(parser, draft, i), stated->type)) {
      return wrong_operand(parser, draft, i, stated->position, stated->type);
    }
  }
  return repeat_as_results(parser, draft, result_count(draft));
}

// T, T: the operands', and the results', too, if the operation has any.
static tn_status_t read_list(tn_parser_t* parser, tn_draft_t* draft) {
  size_t first = parser->type_stack.count, count = 0;
  TN_RETURN_IF_ERROR(tn__parser_type_list(parser, &count));
  TN_RETURN_IF_ERROR(tn__parser_check_operands(parser, draft, first, count));
  if (draft->op->results == 0) count = 0;
  parser->type_stack.count = first + count;
  draft->result_count = count;
  return TN_OK;
}

// T, T -> T
static tn_status_t read_arrow(tn_parser_t* parser, tn_draft_t* draft) {
  size_t first = parser->type_stack.count, operands = 0;
  TN_RETURN_IF_ERROR(tn__parser_type_list(parser, &operands));
  TN_RETURN_IF_ERROR(tn__parser_check_operands(parser, draft, first, operands));
  parser->type_stack.count = first;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, TN_TOKEN_ARROW, "`->`"));
  return tn__parser_result_types(parser, &draft->result_count);
}

static tn_status_t read_types(tn_parser_t* parser, tn_draft_t* draft, const char* form) {
  static const struct {
    const char* name;
    tn_status_t (*read)(tn_parser_t* parser, tn_draft_t* draft);
  } forms[] = {
      {"SAME", read_same},       {"RESULT", read_result}, {"TUPLE", read_tuple},
      {"COMPLEX", read_complex}, {"SELECT", read_select}, {"TYPES", read_list},
      {"ARROW", read_arrow},
  };
  // No type of a value begins with a parenthesis: this is a function type.
  if (tn__parser_at(parser, '(')) return tn__parser_op_function_type(parser, draft);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    if (strcmp(form, forms[i].name) == 0) return forms[i].read(parser, draft);
  }
  return tn__parser_wanted(parser, "`(` of the type of the operation");
}

tn_status_t tn__parser_pretty_types(tn_parser_t* parser, tn_draft_t* draft, const char* form) {
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  if (strcmp(form, "TYPES") == 0 && operand_count(parser, draft) == 0) return TN_OK;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the types"));
  return read_types(parser, draft, form);
}

tn_status_t tn__parser_pretty(tn_parser_t* parser, tn_draft_t* draft) {
  const char* syntax = draft->op->syntax;
  TN_RETURN_IF_ERROR(read_parts(parser, draft, &syntax, false));
  if (*syntax == ':') ++syntax;
  while (*syntax == ' ') ++syntax;
  return tn__parser_pretty_types(parser, draft, syntax);
}
