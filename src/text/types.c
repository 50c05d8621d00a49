// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/spelling.h"
#include "text/parser.h"

// --- tensors

// Up to where a shape and an element type without brackets go; NULL when the text is not so simple.
static const char* simple_tensor_end(const char* p) {
  while (tn__is_identifier_character(*p) || *p == '?') ++p;
  return *p == '>' ? p + 1 : NULL;
}

// Raw dimensions, "2x?x"; *position is then at the element type.
static tn_status_t read_dimensions(tn_parser_t* parser, const char** position) {
  const tn_lexer_t* lexer = &parser->lexer;
  const char* p = tn__lexer_skip_blanks(lexer, *position);
  if (*p == '*') {
    return tn__parser_unsupported(parser, p, "tensors without a rank are not supported");
  }
  while (*p == '?' || (*p >= '0' && *p <= '9')) {
    const char* begin = p;
    int64_t dimension = TN_DIM_DYNAMIC;
    if (*p == '?') {
      ++p;
    } else {
      uint64_t value = 0;
      while (*p >= '0' && *p <= '9') ++p;
      if (!tn__number_parse_unsigned(begin, p, &value) || value > INT64_MAX) {
        return tn__parser_fail(parser, begin, "the dimension does not fit 64 bits");
      }
      dimension = (int64_t)value;
    }
    TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, dimension));
    p = tn__lexer_skip_blanks(lexer, p);
    if (*p != 'x') return tn__parser_fail(parser, p, "expected `x` after a dimension");
    p = tn__lexer_skip_blanks(lexer, p + 1);
  }
  *position = p;
  return TN_OK;
}

tn_status_t tn__parser_element_type(tn_parser_t* parser, tn_dtype_t* out_dtype) {
  tn_token_t token = parser->lexer.token;
  *out_dtype = TN_DTYPE_INVALID;
  if (token.kind != TN_TOKEN_IDENTIFIER) return TN_OK;
  if (!tn__token_is(&token, "complex")) {
    tn_string_view_t name = tn__token_text(&token);
    tn_dtype_t dtype = tn_dtype_from_name(name.data, name.length);
    // The same function knows NumPy's names, which are not MLIR's.
    if (dtype == TN_DTYPE_INVALID || !tn__sv_is(name, tn_dtype_name(dtype))) return TN_OK;
    *out_dtype = dtype;
    tn__lexer_next(&parser->lexer);
    return TN_OK;
  }
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<` after complex"));
  const char* position = parser->lexer.token.begin;
  if (tn__parser_accept_word(parser, "f32")) {
    *out_dtype = TN_DTYPE_C64;
  } else if (tn__parser_accept_word(parser, "f64")) {
    *out_dtype = TN_DTYPE_C128;
  } else {
    return tn__parser_fail(parser, position, "expected f32 or f64 in complex<...>");
  }
  return tn__parser_expect(parser, '>', "`>` after complex<...");
}

// What other languages call them.
static const char* const foreign_names[][2] = {
    {"bool", "i1"},     {"char", "i8"},     {"short", "i16"},   {"int", "i32"},
    {"long", "i64"},    {"half", "f16"},    {"float", "f32"},   {"double", "f64"},
    {"int8", "i8"},     {"int16", "i16"},   {"int32", "i32"},   {"int64", "i64"},
    {"uint8", "ui8"},   {"uint16", "ui16"}, {"uint32", "ui32"}, {"uint64", "ui64"},
    {"float16", "f16"}, {"float32", "f32"}, {"float64", "f64"}, {"bfloat16", "bf16"},
    {"pred", "i1"},     {"s8", "i8"},       {"s16", "i16"},     {"s32", "i32"},
    {"s64", "i64"},     {"u8", "ui8"},      {"u16", "ui16"},    {"u32", "ui32"},
    {"u64", "ui64"},
};

static tn_status_t unknown_element_type(tn_parser_t* parser) {
  const tn_token_t* token = &parser->lexer.token;
  if (token->kind == TN_TOKEN_BANG) {
    return tn__parser_unsupported(parser, token->begin, "element type %.*s is not supported",
                                  (int)(token->end - token->begin), token->begin);
  }
  if (token->kind != TN_TOKEN_IDENTIFIER) return tn__parser_wanted(parser, "an element type");
  tn_spelling_t search = {.word = tn__token_text(token)};
  for (int dtype = 0; dtype < TN_DTYPE_LIMIT; ++dtype) {
    if (!tn_dtype_is_valid(dtype)) continue;
    (void)tn__spelling_consider(&search, tn__sv(tn_dtype_name((tn_dtype_t)dtype)));
  }
  for (size_t i = 0; i < sizeof foreign_names / sizeof *foreign_names; ++i) {
    if (tn__sv_is(search.word, foreign_names[i][0])) search.nearest = tn__sv(foreign_names[i][1]);
  }
  return tn__spelling_note(
      &search, "",
      tn__parser_fail(parser, token->begin, "unknown element type \"%.*s\"", TN_SV(search.word)));
}

// ?, 5 up to the closing bracket: one bound for each dimension, from `first` on on the integers.
static tn_status_t read_bounds(tn_parser_t* parser, int close, size_t first, size_t rank) {
  const char* position = parser->lexer.token.begin;
  size_t count = 0;
  while (!tn__parser_at(parser, close)) {
    if (count) TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`,` between bounds"));
    int64_t bound = TN_DIM_DYNAMIC;
    const char* at = parser->lexer.token.begin;
    if (!tn__parser_accept(parser, '?')) {
      TN_RETURN_IF_ERROR(tn__parser_integer(parser, &bound));
      if (bound < 0) return tn__parser_fail(parser, at, "a bound is negative");
      if (count < rank && parser->integer_stack.items[first + count] != TN_DIM_DYNAMIC) {
        return tn__parser_fail(parser, at, "dimension %zu has a bound, but it is not `?`", count);
      }
    }
    TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, bound));
    ++count;
  }
  tn__lexer_next(&parser->lexer);
  if (count == rank) return TN_OK;
  return tn__parser_fail(parser, position, "%zu bounds for a tensor of rank %zu", count, rank);
}

// #stablehlo.bounds<?, 5> or #stablehlo.type_extensions<bounds = [?, 5]>.
static tn_status_t read_encoding(tn_parser_t* parser, size_t first, size_t rank) {
  tn_string_view_t name = tn__token_text(&parser->lexer.token);
  const char* position = parser->lexer.token.begin;
  bool is_hash = tn__parser_at(parser, TN_TOKEN_HASH);
  if (is_hash && tn__sv_is(name, "stablehlo.bounds")) {
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<`"));
    return read_bounds(parser, '>', first, rank);
  }
  if (is_hash && tn__sv_is(name, "stablehlo.type_extensions")) {
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<`"));
    TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "bounds"));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '[', "`[`"));
    TN_RETURN_IF_ERROR(read_bounds(parser, ']', first, rank));
    return tn__parser_expect(parser, '>', "`>`");
  }
  return tn__parser_unsupported(parser, position,
                                "only #stablehlo.bounds is supported as a tensor's encoding");
}

// From behind the `<` of tensor<.
static tn_status_t read_tensor(tn_parser_t* parser, const char* begin, const char* position,
                               const tn_type_t** out_type) {
  size_t first = parser->integer_stack.count;
  const char* p = begin;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(read_dimensions(parser, &p));
  tn__lexer_seek(&parser->lexer, p);
  size_t rank = parser->integer_stack.count - first;
  TN_RETURN_IF_ERROR(tn__parser_element_type(parser, &dtype));
  if (dtype == TN_DTYPE_INVALID) return unknown_element_type(parser);
  ++parser->kept;
  bool bounded = tn__parser_accept(parser, ',');
  if (bounded) TN_RETURN_IF_ERROR(read_encoding(parser, first, rank));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`>` at the end of the tensor type"));
  const int64_t* dims = parser->integer_stack.items + first;
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(tn__parser_locate(parser, position,
                                       tn__type_tensor(parser->arena, dtype, rank, dims, &type)));
  if (bounded && rank) {
    // Ours until it is handed out.
    TN_RETURN_IF_ERROR(
        TN_ARENA_COPY(parser->arena, rank, dims + rank, &((tn_type_t*)type)->bounds));
  }
  parser->integer_stack.count = first;
  *out_type = type;
  return TN_OK;
}

// A program has few types and many mentions of them: those of simple spelling are found by it.
static tn_status_t parse_tensor(tn_parser_t* parser, const tn_type_t** out_type) {
  const char* position = parser->lexer.token.begin;
  tn__lexer_next(&parser->lexer);
  if (!tn__parser_at(parser, '<')) return tn__parser_wanted(parser, "`<` after tensor");
  const char* begin = parser->lexer.token.end;
  const char* end = simple_tensor_end(begin);
  if (!end) return read_tensor(parser, begin, position, out_type);
  tn_string_view_t text = {begin, (size_t)(end - begin)};
  tn_name_entry_t* known = tn__names_find(&parser->types, text);
  if (known) {
    *out_type = known->pointer;
    parser->lexer.token.end = end;
    tn__lexer_next(&parser->lexer);
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(read_tensor(parser, begin, position, out_type));
  return tn__names_add(&parser->types, text, 0, (void*)*out_type);
}

// --- all types

// tuple<T, T>; a future is written alike.
static tn_status_t parse_tuple(tn_parser_t* parser, bool is_future, const tn_type_t** out_type) {
  const char* position = parser->lexer.token.begin;
  size_t first = parser->type_stack.count;
  size_t count = 0;
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(
      tn__parser_expect(parser, '<', is_future ? "`<` after future" : "`<` after tuple"));
  if (!tn__parser_at(parser, '>')) TN_RETURN_IF_ERROR(tn__parser_type_list(parser, &count));
  TN_RETURN_IF_ERROR(tn__parser_expect(
      parser, '>',
      is_future ? "`,` or `>` in the type of a future" : "`,` or `>` in the tuple type"));
  ++parser->kept;
  const tn_type_t** elements = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(parser->arena, count, &elements));
  for (size_t i = 0; i < count; ++i) elements[i] = parser->type_stack.items[first + i].type;
  parser->type_stack.count = first;
  return tn__parser_locate(parser, position,
                           is_future ? tn__type_future(parser->arena, count, elements, out_type)
                                     : tn__type_tuple(parser->arena, count, elements, out_type));
}

static tn_status_t parse_dialect_type(tn_parser_t* parser, const tn_type_t** out_type) {
  tn_token_t token = parser->lexer.token;
  tn_string_view_t name = tn__token_text(&token);
  if (tn__sv_is(name, "stablehlo.token")) {
    tn__lexer_next(&parser->lexer);
    *out_type = tn__type_token();
    return TN_OK;
  }
  if (tn__sv_is(name, "stablehlo.future")) return parse_tuple(parser, true, out_type);
  if (memchr(name.data, '.', name.length)) {
    return tn__parser_unsupported(parser, token.begin, "type !%.*s is not supported", TN_SV(name));
  }
  return tn__parser_alias_type(parser, out_type);
}

static tn_status_t parse_type(tn_parser_t* parser, const tn_type_t** out_type) {
  static const char* const known[] = {"memref", "vector", "none", "index", "function"};
  tn_token_t token = parser->lexer.token;
  if (tn__token_is(&token, "tensor")) return parse_tensor(parser, out_type);
  if (tn__token_is(&token, "tuple")) return parse_tuple(parser, false, out_type);
  if (token.kind == TN_TOKEN_BANG) return parse_dialect_type(parser, out_type);
  if (token.kind != TN_TOKEN_IDENTIFIER) return tn__parser_wanted(parser, "a type");
  tn_string_view_t name = tn__token_text(&token);
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (tn__sv_is(name, known[i])) {
      return tn__parser_unsupported(parser, token.begin, "type %s is not supported here", known[i]);
    }
  }
  if (tn_dtype_from_name(name.data, name.length) != TN_DTYPE_INVALID) {
    return tn__parser_fail(parser, token.begin,
                           "expected the type of a value; found an element type: write "
                           "tensor<%.*s>",
                           TN_SV(name));
  }
  tn_spelling_t search = {.word = name};
  (void)tn__spelling_consider(&search, TN_SV_LITERAL("tensor"));
  (void)tn__spelling_consider(&search, TN_SV_LITERAL("tuple"));
  return tn__spelling_note(
      &search, "", tn__parser_fail(parser, token.begin, "unknown type \"%.*s\"", TN_SV(name)));
}

tn_status_t tn__parser_type(tn_parser_t* parser, const tn_type_t** out_type) {
  *out_type = NULL;
  TN_RETURN_IF_ERROR(tn__parser_enter(parser));
  TN_RETURN_IF_ERROR(parse_type(parser, out_type));
  tn__parser_leave(parser);
  return TN_OK;
}

tn_status_t tn__parser_type_list(tn_parser_t* parser, size_t* out_count) {
  size_t count = 0;
  *out_count = 0;
  do {
    const char* position = parser->lexer.token.begin;
    const tn_type_t* type = NULL;
    TN_RETURN_IF_ERROR(tn__parser_type(parser, &type));
    TN_RETURN_IF_ERROR(tn__parser_push_type(parser, type, position));
    ++count;
  } while (tn__parser_accept(parser, ','));
  *out_count = count;
  return TN_OK;
}

tn_status_t tn__parser_result_types(tn_parser_t* parser, size_t* out_count) {
  *out_count = 0;
  if (!tn__parser_accept(parser, '(')) {
    const char* position = parser->lexer.token.begin;
    const tn_type_t* type = NULL;
    TN_RETURN_IF_ERROR(tn__parser_type(parser, &type));
    *out_count = 1;
    return tn__parser_push_type(parser, type, position);
  }
  if (!tn__parser_at(parser, ')')) TN_RETURN_IF_ERROR(tn__parser_type_list(parser, out_count));
  return tn__parser_expect(parser, ')', "`,` or `)` in the list of types");
}

tn_status_t tn__parser_function_type(tn_parser_t* parser, size_t* out_operand_count,
                                     size_t* out_result_count) {
  *out_operand_count = *out_result_count = 0;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the operands' types"));
  if (!tn__parser_at(parser, ')')) {
    TN_RETURN_IF_ERROR(tn__parser_type_list(parser, out_operand_count));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`,` or `)` in the list of types"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, TN_TOKEN_ARROW, "`->`"));
  return tn__parser_result_types(parser, out_result_count);
}
