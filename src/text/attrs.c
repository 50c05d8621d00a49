// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdio.h>

#include "base/float_format.h"
#include "text/parser.h"

// --- numbers

static tn_status_t wrap_float(tn_parser_t* parser, tn_dtype_t dtype, double value,
                              const tn_attr_t** out_attr) {
  const tn_float_format_t* format = tn__float_format(dtype);
  value = tn__float_decode(format, tn__float_encode(format, value));
  return tn__attr_float(parser->arena, dtype, value, out_attr);
}

// The bits of a float: 0x7FC0 : bf16.
static tn_status_t float_of_bits(tn_parser_t* parser, const char* position, bool negative,
                                 uint64_t bits, tn_dtype_t dtype, const tn_attr_t** out_attr) {
  const tn_float_format_t* format = tn__float_format(dtype);
  if (negative) {
    return tn__parser_fail(parser, position, "the bits of a float have no sign before them");
  }
  if (format->bits < 64 && bits >> format->bits) {
    return tn__parser_fail(parser, position, "the bits do not fit %s", tn_dtype_name(dtype));
  }
  return tn__attr_float(parser->arena, dtype, tn__float_decode(format, bits), out_attr);
}

// : T behind a number; INVALID when there is none.
static tn_status_t number_type(tn_parser_t* parser, tn_dtype_t* out_dtype) {
  *out_dtype = TN_DTYPE_INVALID;
  if (!tn__parser_accept(parser, ':')) return TN_OK;
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_element_type(parser, out_dtype));
  tn_kind_t kind = tn_dtype_kind(*out_dtype);
  if (kind & (TN_KIND_INTEGER | TN_KIND_FLOAT | TN_KIND_BOOL)) return TN_OK;
  return tn__parser_fail(parser, position, "expected the type of a number");
}

TN_APART static tn_status_t parse_number(tn_parser_t* parser, const tn_attr_t** out_attr) {
  const char* position = parser->lexer.token.begin;
  bool negative = tn__parser_accept(parser, '-');
  tn_token_t token = parser->lexer.token;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (token.kind == TN_TOKEN_FLOAT) {
    double value = tn__number_parse_double(token.begin, token.end);
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(number_type(parser, &dtype));
    if (dtype == TN_DTYPE_INVALID) dtype = TN_DTYPE_F64;
    if (tn_dtype_kind(dtype) != TN_KIND_FLOAT) {
      return tn__parser_fail(parser, position, "a number with a decimal point is not of type %s",
                             tn_dtype_name(dtype));
    }
    return wrap_float(parser, dtype, negative ? -value : value, out_attr);
  }
  if (token.kind != TN_TOKEN_INTEGER) return tn__parser_wanted(parser, "a number");
  uint64_t magnitude = 0;
  if (!tn__number_parse_unsigned(token.begin, token.end, &magnitude)) {
    return tn__parser_fail(parser, position, "the integer does not fit 64 bits");
  }
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(number_type(parser, &dtype));
  if (dtype == TN_DTYPE_INVALID) dtype = TN_DTYPE_S64;
  if (tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
    bool is_hex = token.end - token.begin > 2 && token.begin[1] == 'x';
    if (!is_hex) {
      return tn__parser_fail(parser, position, "a number of type %s needs a decimal point",
                             tn_dtype_name(dtype));
    }
    return float_of_bits(parser, position, negative, magnitude, dtype, out_attr);
  }
  int64_t value = 0;
  if (!tn__number_fit_integer(dtype, negative, magnitude, &value)) {
    return tn__parser_fail(parser, position, "the integer does not fit %s", tn_dtype_name(dtype));
  }
  if (dtype == TN_DTYPE_PRED) return tn__attr_bool(parser->arena, value != 0, out_attr);
  return tn__attr_integer(parser->arena, dtype, value, out_attr);
}

// --- lists and dictionaries

static tn_status_t parse_list(tn_parser_t* parser, const tn_attr_t** out_attr) {
  const char* position = parser->lexer.token.begin;
  size_t first = parser->item_stack.count;
  tn__lexer_next(&parser->lexer);
  if (!tn__parser_at(parser, ']')) {
    do {
      const tn_attr_t* item = NULL;
      TN_RETURN_IF_ERROR(tn__parser_attr(parser, &item));
      TN_RETURN_IF_ERROR(tn__parser_push_item(parser, item));
    } while (tn__parser_accept(parser, ','));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ']', "`,` or `]` in the list"));
  size_t count = parser->item_stack.count - first;
  parser->item_stack.count = first;
  return tn__parser_locate(
      parser, position,
      tn__attr_array(parser->arena, count, parser->item_stack.items + first, out_attr));
}

static tn_status_t parse_entry(tn_parser_t* parser) {
  tn_token_t token = parser->lexer.token;
  tn_string_view_t name = tn__token_text(&token);
  const tn_attr_t* attr = NULL;
  if (token.kind == TN_TOKEN_STRING) {
    TN_RETURN_IF_ERROR(tn__parser_unescape(parser, name, &name));
  } else if (token.kind != TN_TOKEN_IDENTIFIER) {
    return tn__parser_wanted(parser, "the name of an attribute");
  }
  tn__lexer_next(&parser->lexer);
  if (tn__parser_accept(parser, '=')) {
    TN_RETURN_IF_ERROR(tn__parser_attr(parser, &attr));
  } else {
    TN_RETURN_IF_ERROR(tn__attr_unit(parser->arena, &attr));
  }
  return tn__parser_push_attr(parser, name, attr, token.begin);
}

tn_status_t tn__parser_attr_entries(tn_parser_t* parser) {
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{`"));
  if (!tn__parser_at(parser, '}')) {
    do {
      TN_RETURN_IF_ERROR(parse_entry(parser));
    } while (tn__parser_accept(parser, ','));
  }
  return tn__parser_expect(parser, '}', "`,` or `}` in the attributes");
}

tn_status_t tn__parser_optional_attr_entries(tn_parser_t* parser) {
  return tn__parser_at(parser, '{') ? tn__parser_attr_entries(parser) : TN_OK;
}

tn_status_t tn__parser_pop_structure(tn_parser_t* parser, tn_attr_kind_t kind,
                                     tn_string_view_t name, size_t first,
                                     const tn_attr_t** out_attr) {
  tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(parser->arena, &attr));
  attr->kind = kind;
  attr->name = name;
  TN_RETURN_IF_ERROR(tn__parser_pop_dictionary(parser, first, &attr->dictionary));
  // What was taken from the stack is still there, in the same order.
  for (size_t i = 0; i < attr->dictionary.count; ++i) {
    const tn_named_attr_t* entry = &attr->dictionary.entries[i];
    TN_RETURN_IF_ERROR(tn__parser_locate(parser, parser->attr_stack.items[first + i].position,
                                         tn__attr_add_inner(attr, entry->name, entry->attr)));
  }
  *out_attr = attr;
  return TN_OK;
}

static tn_status_t parse_dictionary(tn_parser_t* parser, const tn_attr_t** out_attr) {
  size_t first = parser->attr_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
  return tn__parser_pop_structure(parser, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, first,
                                  out_attr);
}

// --- array<i64: 1, 2>

static tn_status_t array_item(tn_parser_t* parser, tn_dtype_t dtype, void* out_item) {
  const char* position = parser->lexer.token.begin;
  bool is_bool = tn__parser_at_word(parser, "true") || tn__parser_at_word(parser, "false");
  if (dtype == TN_DTYPE_PRED) {
    if (!is_bool) return tn__parser_wanted(parser, "true or false");
    *(uint8_t*)out_item = tn__parser_at_word(parser, "true");
    tn__lexer_next(&parser->lexer);
    return TN_OK;
  }
  bool negative = tn__parser_accept(parser, '-');
  tn_token_t token = parser->lexer.token;
  tn__lexer_next(&parser->lexer);
  const tn_float_format_t* format = tn__float_format(dtype);
  uint64_t magnitude = 0;
  if (format && token.kind == TN_TOKEN_FLOAT) {
    double value = tn__number_parse_double(token.begin, token.end);
    tn__float_store(dtype, negative ? -value : value, out_item);
    return TN_OK;
  }
  if (token.kind != TN_TOKEN_INTEGER) {
    return tn__parser_fail(parser, position, "expected an element of type %s",
                           tn_dtype_name(dtype));
  }
  if (!tn__number_parse_unsigned(token.begin, token.end, &magnitude)) {
    return tn__parser_fail(parser, position, "the integer does not fit 64 bits");
  }
  if (format) {
    const tn_attr_t* attr = NULL;
    if (token.end - token.begin < 3 || token.begin[1] != 'x') {
      return tn__parser_fail(parser, position, "a number of type %s needs a decimal point",
                             tn_dtype_name(dtype));
    }
    TN_RETURN_IF_ERROR(float_of_bits(parser, position, negative, magnitude, dtype, &attr));
    tn__number_store_integer(dtype, (int64_t)magnitude, out_item);
    return TN_OK;
  }
  int64_t value = 0;
  if (!tn__number_fit_integer(dtype, negative, magnitude, &value)) {
    return tn__parser_fail(parser, position, "the integer does not fit %s", tn_dtype_name(dtype));
  }
  tn__number_store_integer(dtype, value, out_item);
  return TN_OK;
}

static tn_status_t parse_dense_array(tn_parser_t* parser, const tn_attr_t** out_attr) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  size_t first = parser->integer_stack.count;
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<` after array"));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_element_type(parser, &dtype));
  if (!(tn_dtype_kind(dtype) & (TN_KIND_INTEGER | TN_KIND_FLOAT | TN_KIND_BOOL))) {
    return tn__parser_fail(parser, position, "expected the type of a number");
  }
  if (tn__parser_accept(parser, ':')) {
    do {  // an element takes at most the eight bytes of an entry
      int64_t item = 0;
      TN_RETURN_IF_ERROR(array_item(parser, dtype, &item));
      TN_RETURN_IF_ERROR(tn__parser_push_integer(parser, item));
    } while (tn__parser_accept(parser, ','));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`,` or `>` in the array"));
  size_t count = parser->integer_stack.count - first;
  size_t size = tn_dtype_byte_size(dtype);
  char* items = (char*)(parser->integer_stack.items + first);
  for (size_t i = 1; i < count; ++i) memmove(items + i * size, items + i * sizeof(int64_t), size);
  parser->integer_stack.count = first;
  return tn__attr_dense_array(parser->arena, dtype, (int64_t)count, items, out_attr);
}

// --- strings, symbols, opaque text

TN_APART static tn_status_t parse_string(tn_parser_t* parser, const tn_attr_t** out_attr) {
  tn_string_view_t text = tn__token_text(&parser->lexer.token);
  TN_RETURN_IF_ERROR(tn__parser_unescape(parser, text, &text));
  tn__lexer_next(&parser->lexer);
  return tn__attr_text(parser->arena, TN_ATTR_STRING, text, out_attr);
}

tn_status_t tn__parser_symbol(tn_parser_t* parser, tn_string_view_t* out_name) {
  const tn_token_t* token = &parser->lexer.token;
  *out_name = (tn_string_view_t){0};
  if (token->kind != TN_TOKEN_SYMBOL) return tn__parser_wanted(parser, "a name that begins with @");
  tn_string_view_t name = tn__token_text(token);
  const char* begin = name.data;
  if (tn__lexer_peek(&parser->lexer) != ':' || tn__token_text(token).data[-1] == '"') {
    TN_RETURN_IF_ERROR(tn__parser_unescape(parser, name, out_name));
    tn__lexer_next(&parser->lexer);
    return TN_OK;
  }
  tn__lexer_next(&parser->lexer);
  while (tn__parser_at(parser, TN_TOKEN_COLONS)) {  // a::@b stays as it is written
    tn__lexer_next(&parser->lexer);
    if (!tn__parser_at(parser, TN_TOKEN_SYMBOL)) {
      return tn__parser_wanted(parser, "a name that begins with @");
    }
    name.length = (size_t)(parser->lexer.token.end - begin);
    tn__lexer_next(&parser->lexer);
  }
  *out_name = name;
  return TN_OK;
}

TN_APART static tn_status_t parse_symbol(tn_parser_t* parser, const tn_attr_t** out_attr) {
  tn_string_view_t name = {0};
  TN_RETURN_IF_ERROR(tn__parser_symbol(parser, &name));
  return tn__attr_text(parser->arena, TN_ATTR_SYMBOL, name, out_attr);
}

// From `begin` to before the current token, without the blanks at the end.
static tn_status_t opaque_since(tn_parser_t* parser, const char* begin, const char* end,
                                const tn_attr_t** out_attr) {
  return tn__attr_text(parser->arena, TN_ATTR_OPAQUE,
                       (tn_string_view_t){begin, (size_t)(end - begin)}, out_attr);
}

// The token and, if a bracket follows, all up to its partner.
static tn_status_t parse_opaque(tn_parser_t* parser, const tn_attr_t** out_attr) {
  const char* begin = parser->lexer.token.begin;
  const char* end = parser->lexer.token.end;
  tn__lexer_next(&parser->lexer);
  while (tn__parser_at(parser, '<') || tn__parser_at(parser, '[') || tn__parser_at(parser, '(')) {
    const char* bad = NULL;
    if (parser->lexer.token.begin != end) break;  // a separate bracket belongs to the context
    end = tn__lexer_skip_brackets(&parser->lexer, parser->lexer.token.begin, &bad);
    if (!end) return tn__parser_fail(parser, bad, "the brackets do not match");
    tn__lexer_seek(&parser->lexer, end);
  }
  return opaque_since(parser, begin, end, out_attr);
}

// Writes types with commas between, up to the end of the buffer; the length that they have.
static size_t put_types(const tn_read_type_t* types, size_t count, char* out, size_t capacity) {
  size_t length = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = length < capacity ? length : capacity;
    if (i) length += (size_t)snprintf(out + at, capacity - at, ", ");
    const size_t next = length < capacity ? length : capacity;
    length += tn_type_format(types[i].type, out + next, capacity - next);
  }
  return length;
}

static size_t put_function_type(const tn_read_type_t* types, size_t operands, size_t results,
                                char* out, size_t capacity) {
  const bool is_single = results == 1;
  size_t length = (size_t)snprintf(out, capacity, "(");
  for (int part = 0; part < 2; ++part) {
    const size_t at = length < capacity ? length : capacity;
    length += part ? put_types(types + operands, results, out + at, capacity - at)
                   : put_types(types, operands, out + at, capacity - at);
    const size_t end = length < capacity ? length : capacity;
    length += (size_t)snprintf(out + end, capacity - end, "%s",
                               part        ? is_single ? "" : ")"
                               : is_single ? ") -> "
                                           : ") -> (");
  }
  return length;
}

// (T) -> T as an attribute: kept as text, with the types that aliases in it stand for.
TN_APART static tn_status_t parse_function_type(tn_parser_t* parser, const tn_attr_t** out_attr) {
  size_t first = parser->type_stack.count, operands = 0, results = 0;
  char small[1];
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__parser_function_type(parser, &operands, &results));
  const tn_read_type_t* types = parser->type_stack.items + first;
  const size_t length = put_function_type(types, operands, results, small, sizeof small);
  TN_RETURN_IF_ERROR(tn__arena_allocate(parser->arena, length + 1, &memory));
  put_function_type(types, operands, results, memory, length + 1);
  parser->type_stack.count = first;
  ++parser->kept;
  return tn__attr_text(parser->arena, TN_ATTR_OPAQUE, (tn_string_view_t){memory, length}, out_attr);
}

TN_APART static tn_status_t parse_type_attr(tn_parser_t* parser, const tn_attr_t** out_attr) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(tn__parser_element_type(parser, &dtype));
  if (dtype != TN_DTYPE_INVALID) {
    return tn__attr_type(parser->arena, tn__type_scalar(dtype), true, out_attr);
  }
  TN_RETURN_IF_ERROR(tn__parser_type(parser, &type));
  return tn__attr_type(parser->arena, type, false, out_attr);
}

// --- #stablehlo<enumeration ENUMERATOR>, #stablehlo.structure<...>, #other..., #alias

// The token is #stablehlo, `<` follows.
static tn_status_t parse_stablehlo_enum(tn_parser_t* parser, const tn_attr_t** out_attr) {
  char enumeration[64];
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<`"));
  tn_token_t token = parser->lexer.token;
  if (token.kind != TN_TOKEN_IDENTIFIER) return tn__parser_wanted(parser, "an enumeration");
  tn_string_view_t name = tn__token_text(&token);
  bool known = name.length < sizeof enumeration;
  if (known) {
    memcpy(enumeration, name.data, name.length);
    enumeration[name.length] = 0;
    known = tn__enum_name(enumeration, 0) || tn__enum_name(enumeration, 1);
  }
  if (!known) {
    return tn__parser_fail(parser, token.begin, "unknown enumeration \"%.*s\"", TN_SV(name));
  }
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_enumerator(parser, enumeration, out_attr));
  return tn__parser_expect(parser, '>', "`>`");
}

static tn_status_t parse_stablehlo_attr(tn_parser_t* parser, tn_string_view_t name,
                                        const tn_attr_t** out_attr) {
  if (tn__sv_is(name, "result_accuracy_mode")) {
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<`"));
    TN_RETURN_IF_ERROR(tn__parser_enumerator(parser, "result_accuracy_mode", out_attr));
    return tn__parser_expect(parser, '>', "`>`");
  }
  const tn_attr_spec_t* fields = tn__struct_fields(name);
  if (!fields) return parse_opaque(parser, out_attr);
  tn__lexer_next(&parser->lexer);
  return tn__parser_struct(parser, name, fields, out_attr);
}

// Of these dialects, enumerations and structures are understood.
static bool take_dialect(tn_string_view_t* name) {
  static const char* const dialects[] = {"stablehlo", "chlo"};
  for (size_t i = 0; i < sizeof dialects / sizeof *dialects; ++i) {
    size_t length = strlen(dialects[i]);
    if (name->length < length || memcmp(name->data, dialects[i], length) != 0) continue;
    if (name->length > length && name->data[length] != '.') continue;
    size_t taken = name->length > length ? length + 1 : length;
    name->data += taken;
    name->length -= taken;
    return true;
  }
  return false;
}

TN_APART static tn_status_t parse_hash(tn_parser_t* parser, const tn_attr_t** out_attr) {
  tn_token_t token = parser->lexer.token;
  tn_string_view_t name = tn__token_text(&token);
  bool bracket = *token.end == '<', has_dot = memchr(name.data, '.', name.length) != NULL;
  if ((bracket || has_dot) && take_dialect(&name)) {
    return name.length ? parse_stablehlo_attr(parser, name, out_attr)
                       : parse_stablehlo_enum(parser, out_attr);
  }
  if (bracket || has_dot) return parse_opaque(parser, out_attr);
  return tn__parser_alias_attr(parser, out_attr);
}

// --- any attribute

TN_APART static tn_status_t parse_word(tn_parser_t* parser, const tn_attr_t** out_attr) {
  // Of the builtin dialect, without a meaning here.
  static const char* const opaque[] = {"affine_map", "affine_set", "strided", "distinct", "loc"};
  tn_string_view_t word = tn__token_text(&parser->lexer.token);
  if (tn__sv_is(word, "true") || tn__sv_is(word, "false")) {
    tn__lexer_next(&parser->lexer);
    return tn__attr_bool(parser->arena, word.data[0] == 't', out_attr);
  }
  if (tn__sv_is(word, "unit")) {
    tn__lexer_next(&parser->lexer);
    return tn__attr_unit(parser->arena, out_attr);
  }
  if (tn__sv_is(word, "array")) return parse_dense_array(parser, out_attr);
  if (tn__sv_is(word, "dense")) return tn__parser_dense(parser, out_attr);
  if (tn__sv_is(word, "sparse")) return tn__parser_sparse(parser, out_attr);
  if (tn__sv_is(word, "dense_resource")) return tn__parser_resource(parser, out_attr);
  for (size_t i = 0; i < sizeof opaque / sizeof *opaque; ++i) {
    if (tn__sv_is(word, opaque[i])) return parse_opaque(parser, out_attr);
  }
  return parse_type_attr(parser, out_attr);
}

static tn_status_t parse_attr(tn_parser_t* parser, const tn_attr_t** out_attr) {
  switch ((int)tn__parser_kind(parser)) {
    case '-':
    case TN_TOKEN_INTEGER:
    case TN_TOKEN_FLOAT: return parse_number(parser, out_attr);
    case TN_TOKEN_STRING: return parse_string(parser, out_attr);
    case TN_TOKEN_SYMBOL: return parse_symbol(parser, out_attr);
    case '[': return parse_list(parser, out_attr);
    case '{': return parse_dictionary(parser, out_attr);
    case '(': return parse_function_type(parser, out_attr);
    case TN_TOKEN_HASH: return parse_hash(parser, out_attr);
    case TN_TOKEN_BANG: return parse_type_attr(parser, out_attr);
    case TN_TOKEN_IDENTIFIER: return parse_word(parser, out_attr);
    default: return tn__parser_wanted(parser, "an attribute");
  }
}

tn_status_t tn__parser_attr(tn_parser_t* parser, const tn_attr_t** out_attr) {
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__parser_enter(parser));
  TN_RETURN_IF_ERROR(parse_attr(parser, out_attr));
  tn__parser_leave(parser);
  return TN_OK;
}
