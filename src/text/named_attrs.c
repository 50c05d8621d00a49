// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes whose specification is known where they are read: in pretty forms, and as fields of
// structures.
#include <stdio.h>

#include "base/spelling.h"
#include "text/parser.h"

tn_status_t tn__parser_i64_list(tn_parser_t* parser, const tn_attr_t** out_attr) {
  size_t first = parser->integer_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '[', "`[` of a list of integers"));
  if (!tn__parser_at(parser, ']')) {
    do {
      int64_t value = 0;
      TN_RETURN_IF_ERROR(tn__parser_integer(parser, &value));
      TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, value));
    } while (tn__parser_accept(parser, ','));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ']', "`,` or `]` in the list of integers"));
  size_t count = parser->integer_stack.count - first;
  parser->integer_stack.count = first;
  return tn__attr_i64_array(parser->arena, count, parser->integer_stack.items + first, out_attr);
}

// --- enumerators

static tn_status_t unknown_enumerator(tn_parser_t* parser, const char* enumeration,
                                      tn_string_view_t name) {
  enum { MOST_ENUMERATORS = 16 };
  char all[256] = "";
  size_t length = 0;
  for (int i = 0; i < MOST_ENUMERATORS; ++i) {
    const char* other = tn__enum_name(enumeration, i);
    if (!other || length + strlen(other) + 3 > sizeof all) continue;
    length +=
        (size_t)snprintf(all + length, sizeof all - length, "%s%s", length ? ", " : "", other);
  }
  return tn__parser_fail(parser, parser->lexer.token.begin,
                         "\"%.*s\" is not a valid %s; expected one of %s", TN_SV(name), enumeration,
                         all);
}

tn_status_t tn__parser_enumerator(tn_parser_t* parser, const char* enumeration,
                                  const tn_attr_t** out_attr) {
  const tn_token_t* token = &parser->lexer.token;
  if (token->kind != TN_TOKEN_IDENTIFIER) return tn__parser_wanted(parser, "an enumerator");
  tn_string_view_t name = tn__token_text(token);
  if (tn__enum_value(enumeration, name) < 0) return unknown_enumerator(parser, enumeration, name);
  TN_RETURN_IF_ERROR(tn__attr_enum(parser->arena, enumeration, name, out_attr));
  tn__lexer_next(&parser->lexer);
  return TN_OK;
}

// [A, B], each item read by `item`.
static tn_status_t natural_list(tn_parser_t* parser, const tn_attr_spec_t* spec,
                                tn_status_t (*item)(tn_parser_t* parser, const tn_attr_spec_t* spec,
                                                    const tn_attr_t** out_attr),
                                const tn_attr_t** out_attr) {
  size_t first = parser->item_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '[', "`[` of a list"));
  if (!tn__parser_at(parser, ']')) {
    do {
      const tn_attr_t* attr = NULL;
      TN_RETURN_IF_ERROR(item(parser, spec, &attr));
      TN_RETURN_IF_ERROR(tn__parser_push_item(parser, attr));
    } while (tn__parser_accept(parser, ','));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ']', "`,` or `]` in the list"));
  size_t count = parser->item_stack.count - first;
  parser->item_stack.count = first;
  return tn__attr_array(parser->arena, count, parser->item_stack.items + first, out_attr);
}

static tn_status_t enumerator_item(tn_parser_t* parser, const tn_attr_spec_t* spec,
                                   const tn_attr_t** out_attr) {
  return tn__parser_enumerator(parser, spec->of, out_attr);
}

static tn_status_t natural_integer(tn_parser_t* parser, tn_dtype_t dtype,
                                   const tn_attr_t** out_attr) {
  const char* position = parser->lexer.token.begin;
  const bool negative = tn__parser_accept(parser, '-');
  tn_token_t token = parser->lexer.token;
  uint64_t magnitude = 0;
  int64_t fitted = 0;
  if (token.kind != TN_TOKEN_INTEGER) return tn__parser_wanted(parser, "an integer");
  tn__lexer_next(&parser->lexer);
  if (!tn__number_parse_unsigned(token.begin, token.end, &magnitude) ||
      !tn__number_fit_integer(dtype, negative, magnitude, &fitted)) {
    return tn__parser_fail(parser, position, "the integer does not fit %s", tn_dtype_name(dtype));
  }
  return tn__attr_integer(parser->arena, dtype, fitted, out_attr);
}

// Without a type, whose colon would belong to the context.
static tn_status_t natural_float(tn_parser_t* parser, tn_dtype_t dtype,
                                 const tn_attr_t** out_attr) {
  bool negative = tn__parser_accept(parser, '-');
  tn_token_t token = parser->lexer.token;
  if (token.kind != TN_TOKEN_FLOAT) {
    return tn__parser_wanted(parser, "a number with a decimal point");
  }
  double value = tn__number_parse_double(token.begin, token.end);
  tn__lexer_next(&parser->lexer);
  if (dtype == TN_DTYPE_F32) value = (double)(float)value;
  return tn__attr_float(parser->arena, dtype, negative ? -value : value, out_attr);
}

static tn_status_t natural_bool(tn_parser_t* parser, const tn_attr_t** out_attr) {
  bool value = tn__parser_at_word(parser, "true");
  if (!value && !tn__parser_at_word(parser, "false")) {
    return tn__parser_wanted(parser, "true or false");
  }
  tn__lexer_next(&parser->lexer);
  return tn__attr_bool(parser->arena, value, out_attr);
}

static tn_status_t natural_structure(tn_parser_t* parser, const tn_attr_spec_t* spec,
                                     const tn_attr_t** out_attr) {
  if (!tn__parser_at(parser, '<')) return tn__parser_attr(parser, out_attr);
  tn_string_view_t name = tn__sv(spec->of);
  return tn__parser_struct(parser, name, tn__struct_fields(name), out_attr);
}

tn_status_t tn__parser_natural_attr(tn_parser_t* parser, const tn_attr_spec_t* spec,
                                    const tn_attr_t** out_attr) {
  *out_attr = NULL;
  switch (spec->type) {
    case TN_ATTR_TYPE_BOOL: return natural_bool(parser, out_attr);
    case TN_ATTR_TYPE_I32: return natural_integer(parser, TN_DTYPE_S32, out_attr);
    case TN_ATTR_TYPE_I64: return natural_integer(parser, TN_DTYPE_S64, out_attr);
    case TN_ATTR_TYPE_U64: return natural_integer(parser, TN_DTYPE_U64, out_attr);
    case TN_ATTR_TYPE_F32: return natural_float(parser, TN_DTYPE_F32, out_attr);
    case TN_ATTR_TYPE_F64: return natural_float(parser, TN_DTYPE_F64, out_attr);
    case TN_ATTR_TYPE_I64_LIST:
      if (tn__parser_at(parser, '[')) return tn__parser_i64_list(parser, out_attr);
      break;
    case TN_ATTR_TYPE_ENUM:
      if (tn__parser_at(parser, TN_TOKEN_IDENTIFIER)) {
        return tn__parser_enumerator(parser, spec->of, out_attr);
      }
      break;
    case TN_ATTR_TYPE_ENUM_LIST: return natural_list(parser, spec, enumerator_item, out_attr);
    case TN_ATTR_TYPE_STRUCT: return natural_structure(parser, spec, out_attr);
    default: break;
  }
  return tn__parser_attr(parser, out_attr);
}

// --- structures

// An absent list is empty and an absent number is 0: they are left out, so that equal structures
// have one form. Of a convolution, every dimension is kept.
static bool is_default(const tn_attr_t* attr) {
  if (!attr) return false;
  return (attr->kind == TN_ATTR_DENSE_ARRAY && attr->dense_array.count == 0) ||
         (attr->kind == TN_ATTR_INTEGER && attr->integer == 0);
}

static const tn_attr_spec_t* find_field(const tn_attr_spec_t* fields, tn_string_view_t name) {
  for (; fields->name; ++fields) {
    if (tn__sv_is(name, fields->name)) return fields;
  }
  return NULL;
}

static tn_status_t unknown_field(tn_parser_t* parser, tn_string_view_t structure,
                                 const tn_attr_spec_t* fields, tn_string_view_t name) {
  tn_status_t status =
      tn__parser_fail(parser, parser->lexer.token.begin, "\"%.*s\" is not a field of %.*s",
                      TN_SV(name), TN_SV(structure));
  tn_spelling_t search = {.word = name};
  for (; fields->name; ++fields) (void)tn__spelling_consider(&search, tn__sv(fields->name));
  return tn__spelling_note(&search, "", status);
}

static tn_status_t parse_field(tn_parser_t* parser, tn_string_view_t structure,
                               const tn_attr_spec_t* fields) {
  tn_token_t token = parser->lexer.token;
  tn_string_view_t name = tn__token_text(&token);
  const tn_attr_t* attr = NULL;
  if (token.kind != TN_TOKEN_IDENTIFIER) return tn__parser_wanted(parser, "a field's name");
  const tn_attr_spec_t* field = find_field(fields, name);
  if (!field) return unknown_field(parser, structure, fields, name);
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=` after the field's name"));
  if (field->type == TN_ATTR_TYPE_TYPE && tn__parser_at_word(parser, "tf32")) {
    // No element type of tensors: exists only in here.
    TN_RETURN_IF_ERROR(tn__attr_text(parser->arena, TN_ATTR_OPAQUE, TN_SV_LITERAL("tf32"), &attr));
    tn__lexer_next(&parser->lexer);
  } else if (field->type == TN_ATTR_TYPE_ENUM && tn__parser_at(parser, TN_TOKEN_HASH)) {
    TN_RETURN_IF_ERROR(tn__parser_attr(parser, &attr));
  } else {
    TN_RETURN_IF_ERROR(tn__parser_natural_attr(parser, field, &attr));
  }
  if (is_default(attr) && !tn__sv_is(structure, "conv")) return TN_OK;
  return tn__parser_push_attr(parser, tn__sv(field->name), attr, token.begin);
}

tn_status_t tn__parser_struct(tn_parser_t* parser, tn_string_view_t name,
                              const tn_attr_spec_t* fields, const tn_attr_t** out_attr) {
  size_t first = parser->attr_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<` of a structure"));
  if (tn__sv_is(name, "conv") && !tn__parser_accept_word(parser, "raw")) {
    TN_RETURN_IF_ERROR(tn__parser_convolution_numbers(parser, out_attr));
    return tn__parser_expect(parser, '>', "`>`");
  }
  while (!tn__parser_at(parser, '>')) {
    TN_RETURN_IF_ERROR(parse_field(parser, name, fields));
    if (!tn__parser_accept(parser, ',')) break;
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`,` or `>` in the structure"));
  return tn__parser_pop_structure(parser, TN_ATTR_STRUCT, name, first, out_attr);
}

// --- dimensions of a convolution

// What the letters of one bracket stand for.
typedef struct dimension_letters {
  char letters[2];
  const char* names[2];
  const char* spatial;
} dimension_letters_t;

// [b, 0, 1, f]: where each letter and each number is.
static tn_status_t dimension_list(tn_parser_t* parser, const dimension_letters_t* expected) {
  const char* position = parser->lexer.token.begin;
  int64_t places[2] = {-1, -1};
  int64_t spatial[TN_MAX_RANK];
  int64_t index = 0, spatial_count = 0;
  for (int64_t i = 0; i < TN_MAX_RANK; ++i) spatial[i] = -1;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '[', "`[` of the dimensions"));
  for (; !tn__parser_at(parser, ']'); ++index) {
    if (index) TN_RETURN_IF_ERROR(tn__parser_expect(parser, ',', "`,` or `]` in the dimensions"));
    tn_token_t token = parser->lexer.token;
    int64_t* place = NULL;
    if (index == TN_MAX_RANK) return tn__parser_fail(parser, token.begin, "too many dimensions");
    if (token.kind == TN_TOKEN_INTEGER) {
      int64_t number = 0;
      TN_RETURN_IF_ERROR(tn__parser_integer(parser, &number));
      if (number >= TN_MAX_RANK) {
        return tn__parser_fail(parser, token.begin, "no such spatial dimension");
      }
      place = &spatial[number];
      ++spatial_count;
    } else if (token.kind == TN_TOKEN_IDENTIFIER && token.end == token.begin + 1) {
      for (int i = 0; i < 2; ++i) {
        if (*token.begin == expected->letters[i]) place = &places[i];
      }
      tn__lexer_next(&parser->lexer);
    }
    if (!place) {
      return tn__parser_fail(parser, token.begin, "expected %c, %c or a spatial dimension",
                             expected->letters[0], expected->letters[1]);
    }
    if (*place >= 0) return tn__parser_fail(parser, token.begin, "a dimension is named twice");
    *place = index;
  }
  tn__lexer_next(&parser->lexer);
  for (int i = 0; i < 2; ++i) {
    const tn_attr_t* attr = NULL;
    if (places[i] < 0) {
      return tn__parser_fail(parser, position, "dimension %c is missing", expected->letters[i]);
    }
    TN_RETURN_IF_ERROR(tn__attr_integer(parser->arena, TN_DTYPE_S64, places[i], &attr));
    TN_RETURN_IF_ERROR(tn__parser_push_attr(parser, tn__sv(expected->names[i]), attr, position));
  }
  for (int64_t i = 0; i < spatial_count; ++i) {
    if (spatial[i] < 0) {
      return tn__parser_fail(parser, position, "spatial dimension %d is missing", (int)i);
    }
  }
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_i64_array(parser->arena, (size_t)spatial_count, spatial, &attr));
  return tn__parser_push_attr(parser, tn__sv(expected->spatial), attr, position);
}

tn_status_t tn__parser_convolution_numbers(tn_parser_t* parser, const tn_attr_t** out_attr) {
  static const dimension_letters_t input = {
      {'b', 'f'}, {"input_batch_dimension", "input_feature_dimension"}, "input_spatial_dimensions"};
  static const dimension_letters_t kernel = {
      {'i', 'o'},
      {"kernel_input_feature_dimension", "kernel_output_feature_dimension"},
      "kernel_spatial_dimensions"};
  static const dimension_letters_t output = {{'b', 'f'},
                                             {"output_batch_dimension", "output_feature_dimension"},
                                             "output_spatial_dimensions"};
  size_t first = parser->attr_stack.count;
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(dimension_list(parser, &input));
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "x"));
  TN_RETURN_IF_ERROR(dimension_list(parser, &kernel));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, TN_TOKEN_ARROW, "`->`"));
  TN_RETURN_IF_ERROR(dimension_list(parser, &output));
  return tn__parser_pop_structure(parser, TN_ATTR_STRUCT, TN_SV_LITERAL("conv"), first, out_attr);
}
