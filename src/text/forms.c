// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Reads operations whose pretty form follows no pattern.
#include "text/parser.h"

// --- constant, check.expect_eq_const

// stablehlo.constant {attrs} dense<...> : T; stablehlo.constant() <{value = ...}> : () -> T
static tn_status_t read_constant(tn_parser_t* parser, tn_draft_t* draft) {
  const tn_attr_t* value = NULL;
  if (tn__parser_accept(parser, '(')) {
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)`"));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<{`"));
    TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`>` after the properties"));
    TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type of the operation"));
    return tn__parser_op_function_type(parser, draft);
  }
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_attr(parser, &value));
  if (value->kind != TN_ATTR_ELEMENTS) {
    return tn__parser_fail(parser, position, "constant: the value is %s; expected dense<...>",
                           tn__attr_kind_name(value->kind));
  }
  TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, "value", value, position));
  draft->result_count = 1;
  return tn__parser_push_type(parser, value->elements.type, position);
}

static tn_status_t read_tolerance(tn_parser_t* parser) {
  static const tn_attr_spec_t spec = {"tolerance", TN_ATTR_TYPE_F64, NULL, true};
  if (!tn__parser_accept(parser, ',')) return TN_OK;
  const char* position = parser->lexer.token.begin;
  const tn_attr_t* tolerance = NULL;
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "tolerance"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
  TN_RETURN_IF_ERROR(tn__parser_natural_attr(parser, &spec, &tolerance));
  return tn__parser_draft_attr(parser, "tolerance", tolerance, position);
}

// check.expect_eq_const %a, dense<...> : T[, tolerance = 0.1]
static tn_status_t read_check_const(tn_parser_t* parser, tn_draft_t* draft) {
  const tn_attr_t* value = NULL;
  TN_RETURN_IF_ERROR(tn__parser_operand(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`,` and the expected elements"));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_attr(parser, &value));
  TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, "value", value, position));
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  if (draft->op->attrs[1].name) TN_RETURN_IF_ERROR(read_tolerance(parser));
  return tn__parser_optional_attr_entries(parser);
}

// --- reduce_precision %x, format = e5m10 : SAME

static bool read_format(tn_string_view_t word, uint64_t* out_exponent, uint64_t* out_mantissa) {
  const char *p = word.data, *end = word.data + word.length;
  const char* m = word.length ? memchr(p, 'm', word.length) : NULL;
  if (!m || *p != 'e' || m == p + 1 || m + 1 == end) return false;
  for (const char* c = p + 1; c < end; ++c) {
    if (c != m && (*c < '0' || *c > '9')) return false;
  }
  return tn__number_parse_unsigned(p + 1, m, out_exponent) &&
         tn__number_parse_unsigned(m + 1, end, out_mantissa) && *out_exponent <= INT32_MAX &&
         *out_mantissa <= INT32_MAX;
}

static tn_status_t integer_attr(tn_parser_t* parser, tn_draft_t* draft, const char* name,
                                tn_dtype_t dtype, int64_t value) {
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_integer(parser->arena, dtype, value, &attr));
  return tn__parser_draft_attr(parser, name, attr, draft->position);
}

static tn_status_t read_reduce_precision(tn_parser_t* parser, tn_draft_t* draft) {
  uint64_t exponent = 0, mantissa = 0;
  TN_RETURN_IF_ERROR(tn__parser_operand(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`, format = e5m10`"));
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "format"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
  if (!tn__parser_at(parser, TN_TOKEN_IDENTIFIER) ||
      !read_format(tn__token_text(&parser->lexer.token), &exponent, &mantissa)) {
    return tn__parser_wanted(parser, "a format such as e5m10");
  }
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(integer_attr(parser, draft, "exponent_bits", TN_DTYPE_S32, (int64_t)exponent));
  TN_RETURN_IF_ERROR(integer_attr(parser, draft, "mantissa_bits", TN_DTYPE_S32, (int64_t)mantissa));
  return tn__parser_pretty_types(parser, draft, "SAME");
}

// --- slice %x [0:2, 1:3:2] : FT

static tn_status_t list_attr(tn_parser_t* parser, const char* name, const char* position,
                             size_t first, size_t count, size_t step) {
  const tn_attr_t* attr = NULL;
  int64_t values[TN_MAX_RANK];
  for (size_t i = 0; i < count; ++i) {
    values[i] = parser->integer_stack.items[first + i * step];
  }
  TN_RETURN_IF_ERROR(tn__attr_i64_array(parser->arena, count, values, &attr));
  return tn__parser_draft_attr(parser, name, attr, position);
}

static tn_status_t read_slice(tn_parser_t* parser, tn_draft_t* draft) {
  size_t first = parser->integer_stack.count, count = 0;
  TN_RETURN_IF_ERROR(tn__parser_operand(parser));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '[', "`[` of the slices"));
  while (!tn__parser_at(parser, ']')) {
    int64_t start = 0, limit = 0, stride = 1;
    if (count == TN_MAX_RANK) {
      return tn__parser_fail(parser, parser->lexer.token.begin, "slice: more than %d dimensions",
                             TN_MAX_RANK);
    }
    if (count) TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`,` or `]` in the slices"));
    TN_RETURN_IF_ERROR(tn__parser_integer(parser, &start));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the limit"));
    TN_RETURN_IF_ERROR(tn__parser_integer(parser, &limit));
    if (tn__parser_accept(parser, ':')) TN_RETURN_IF_ERROR(tn__parser_integer(parser, &stride));
    TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, start));
    TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, limit));
    TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, stride));
    ++count;
  }
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(list_attr(parser, "start_indices", position, first, count, 3));
  TN_RETURN_IF_ERROR(list_attr(parser, "limit_indices", position, first + 1, count, 3));
  TN_RETURN_IF_ERROR(list_attr(parser, "strides", position, first + 2, count, 3));
  parser->integer_stack.count = first;
  return tn__parser_pretty_types(parser, draft, "FT");
}

// --- optimization_barrier %a, %b : T, T; optimization_barrier()

static tn_status_t read_optimization_barrier(tn_parser_t* parser, tn_draft_t* draft) {
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  if (tn__parser_accept(parser, '(')) {
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)`"));
    return tn__parser_optional_attr_entries(parser);
  }
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  return tn__parser_pretty_types(parser, draft, "TYPES");
}

// --- dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1],
//     precision = [DEFAULT, DEFAULT], algorithm = <...> : FT

// , word = : true when that is here, and then it is passed.
static bool accept_option(tn_parser_t* parser, const char* word) {
  tn_lexer_t before = parser->lexer;
  if (tn__parser_accept(parser, ',') && tn__parser_accept_word(parser, word) &&
      tn__parser_accept(parser, '=')) {
    return true;
  }
  parser->lexer = before;
  return false;
}

// [0] x [0], as two fields of a structure; empty lists are left out.
static tn_status_t read_pair(tn_parser_t* parser, const char* left, const char* right) {
  const char* names[2] = {left, right};
  for (int i = 0; i < 2; ++i) {
    const char* position = parser->lexer.token.begin;
    const tn_attr_t* list = NULL;
    if (i) TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "x"));
    TN_RETURN_IF_ERROR(tn__parser_i64_list(parser, &list));
    if (list->dense_array.count == 0) continue;
    TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, names[i], list, position));
  }
  return TN_OK;
}

static tn_status_t read_named(tn_parser_t* parser, tn_draft_t* draft, const char* name) {
  const tn_attr_spec_t* spec = draft->op->attrs;
  while (strcmp(spec->name, name) != 0) ++spec;
  const char* position = parser->lexer.token.begin;
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__parser_natural_attr(parser, spec, &attr));
  return tn__parser_draft_attr(parser, name, attr, position);
}

static tn_status_t read_dot_general(tn_parser_t* parser, tn_draft_t* draft) {
  const tn_attr_t* numbers = NULL;
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  size_t first = parser->attr_stack.count;
  const char* position = parser->lexer.token.begin;
  if (accept_option(parser, "batching_dims")) {
    TN_RETURN_IF_ERROR(read_pair(parser, "lhs_batching_dimensions", "rhs_batching_dimensions"));
  }
  if (accept_option(parser, "contracting_dims")) {
    TN_RETURN_IF_ERROR(
        read_pair(parser, "lhs_contracting_dimensions", "rhs_contracting_dimensions"));
  }
  TN_RETURN_IF_ERROR(
      tn__parser_pop_structure(parser, TN_ATTR_STRUCT, TN_SV_LITERAL("dot"), first, &numbers));
  TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, "dot_dimension_numbers", numbers, position));
  if (accept_option(parser, "precision")) {
    TN_RETURN_IF_ERROR(read_named(parser, draft, "precision_config"));
  }
  if (accept_option(parser, "algorithm")) {
    TN_RETURN_IF_ERROR(read_named(parser, draft, "algorithm"));
  }
  return tn__parser_pretty_types(parser, draft, "FT");
}

// --- convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
//     window = {stride = [2], pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1],
//     reverse = [false]} {attrs} : FT

// [[1, 1], [0, 2]]: dense<...> : tensor<Nx2xi64>.
static tn_status_t read_padding(tn_parser_t* parser, const tn_attr_t** out_attr) {
  size_t first = parser->integer_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '[', "`[` of the padding"));
  if (!tn__parser_at(parser, ']')) {
    do {
      for (int i = 0; i < 2; ++i) {
        int64_t value = 0;
        TN_RETURN_IF_ERROR(tn__parser_expect(parser, i ? ',' : '[', "a pair, [low, high]"));
        TN_RETURN_IF_ERROR(tn__parser_integer(parser, &value));
        TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, value));
      }
      TN_RETURN_IF_ERROR(tn__parser_expect(parser, ']', "`]` after a pair"));
    } while (tn__parser_accept(parser, ','));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ']', "`,` or `]` in the padding"));
  size_t count = parser->integer_stack.count - first;
  const int64_t* values = parser->integer_stack.items + first;
  bool splat = count != 0;
  for (size_t i = 1; i < count; ++i) splat = splat && values[i] == values[0];
  parser->integer_stack.count = first;
  const tn_type_t* type = NULL;
  int64_t dims[2] = {(int64_t)count / 2, 2};
  TN_RETURN_IF_ERROR(tn__type_tensor(parser->arena, TN_DTYPE_S64, 2, dims, &type));
  return tn__attr_elements(parser->arena, type, splat, values, out_attr);
}

// [false, true], or [0, 1]: array<i1>.
static tn_status_t read_reversal(tn_parser_t* parser, const tn_attr_t** out_attr) {
  size_t first = parser->integer_stack.count;
  uint8_t values[TN_MAX_RANK];
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '[', "`[` of a list"));
  while (!tn__parser_at(parser, ']')) {
    size_t count = parser->integer_stack.count - first;
    const char* position = parser->lexer.token.begin;
    if (count) TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`,` or `]` in the list"));
    int64_t value = tn__parser_at_word(parser, "true");
    if (value || tn__parser_at_word(parser, "false")) {
      tn__lexer_next(&parser->lexer);
    } else {
      TN_RETURN_IF_ERROR(tn__parser_integer(parser, &value));
    }
    if (count == TN_MAX_RANK) return tn__parser_fail(parser, position, "too many dimensions");
    TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, value));
    values[count] = value != 0;
  }
  tn__lexer_next(&parser->lexer);
  int64_t count = (int64_t)(parser->integer_stack.count - first);
  parser->integer_stack.count = first;
  return tn__attr_dense_array(parser->arena, TN_DTYPE_PRED, count, values, out_attr);
}

static tn_status_t read_window_entry(tn_parser_t* parser) {
  static const struct {
    const char *word, *name;
    tn_status_t (*read)(tn_parser_t* parser, const tn_attr_t** out_attr);
  } entries[] = {
      {"stride", "window_strides", tn__parser_i64_list},
      {"pad", "padding", read_padding},
      {"lhs_dilate", "lhs_dilation", tn__parser_i64_list},
      {"rhs_dilate", "rhs_dilation", tn__parser_i64_list},
      {"reverse", "window_reversal", read_reversal},
  };
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
    const char* position = parser->lexer.token.begin;
    const tn_attr_t* attr = NULL;
    if (!tn__parser_accept_word(parser, entries[i].word)) continue;
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
    TN_RETURN_IF_ERROR(entries[i].read(parser, &attr));
    return tn__parser_draft_attr(parser, entries[i].name, attr, position);
  }
  return tn__parser_wanted(parser, "stride, pad, lhs_dilate, rhs_dilate or reverse");
}

static tn_status_t read_convolution(tn_parser_t* parser, tn_draft_t* draft) {
  const tn_attr_t* numbers = NULL;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the operands"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`,` or `)` in the operands"));
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "dim_numbers"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_convolution_numbers(parser, &numbers));
  TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, "dimension_numbers", numbers, position));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`, window = {`"));
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "window"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{` of the window"));
  if (!tn__parser_at(parser, '}')) {
    do {
      TN_RETURN_IF_ERROR(read_window_entry(parser));
    } while (tn__parser_accept(parser, ','));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '}', "`,` or `}` in the window"));
  return tn__parser_pretty_types(parser, draft, "FT");
}

// --- custom_call @target(%a) {attrs} : FT; composite "name" %a ({...}) {attrs} : FT

static tn_status_t read_custom_call(tn_parser_t* parser, tn_draft_t* draft) {
  const char* position = parser->lexer.token.begin;
  tn_string_view_t target = {0};
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__parser_symbol(parser, &target));
  TN_RETURN_IF_ERROR(tn__attr_text(parser->arena, TN_ATTR_STRING, target, &attr));
  TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, "call_target_name", attr, position));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the operands"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`,` or `)` in the operands"));
  return tn__parser_pretty_types(parser, draft, "FT");
}

static tn_status_t read_composite(tn_parser_t* parser, tn_draft_t* draft) {
  const char* position = parser->lexer.token.begin;
  const tn_attr_t* name = NULL;
  if (!tn__parser_at(parser, TN_TOKEN_STRING)) {
    return tn__parser_wanted(parser, "the composite's name as a string");
  }
  TN_RETURN_IF_ERROR(tn__parser_attr(parser, &name));
  TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, "name", name, position));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  if (tn__parser_at(parser, '(')) TN_RETURN_IF_ERROR(tn__parser_region_list(parser));
  return tn__parser_pretty_types(parser, draft, "FT");
}

// --- which operation has which

tn_read_form_t tn__parser_form(const tn_op_t* op) {
  static const struct {
    const char* op;
    tn_read_form_t read;
  } forms[] = {
      {"stablehlo.constant", read_constant},
      {"chlo.constant", read_constant},
      {"check.expect_eq_const", read_check_const},
      {"check.expect_almost_eq_const", read_check_const},
      {"stablehlo.reduce_precision", read_reduce_precision},
      {"stablehlo.slice", read_slice},
      {"stablehlo.optimization_barrier", read_optimization_barrier},
      {"stablehlo.dot_general", read_dot_general},
      {"stablehlo.convolution", read_convolution},
      {"stablehlo.custom_call", read_custom_call},
      {"stablehlo.composite", read_composite},
      {"stablehlo.reduce", tn__parser_reduce},
      {"stablehlo.while", tn__parser_while},
      {"chlo.scan", tn__parser_scan},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    if (strcmp(op->name, forms[i].op) == 0) return forms[i].read;
  }
  return NULL;
}
