// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// dense<...> : T, sparse<...> : T and dense_resource<...> : T: numbers straight into the arena. The
// type, which says how to read them, comes last; so the data is looked at after it.
#include "base/element.h"
#include "base/float_format.h"
#include "text/element_data.h"
#include "text/parser.h"

// Raw text being read against a type.
typedef struct data_reader {
  tn_parser_t* parser;
  const tn_type_t* type;
  const char* p;
  const char* end;  // the `>`; there is always a character that no number goes on with
  char* out;        // the next element
} data_reader_t;

static void skip_blanks(data_reader_t* reader) {
  if (*reader->p == ' ') ++reader->p;
  if (*reader->p <= ' ' || *reader->p == '/') {
    reader->p = tn__lexer_skip_blanks(&reader->parser->lexer, reader->p);
  }
}

// --- one element

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static tn_status_t wanted_element(data_reader_t* reader, tn_dtype_t dtype) {
  if (reader->p >= reader->end) {
    return tn__parser_fail(reader->parser, reader->end, "expected an element of type %s",
                           tn_dtype_name(dtype));
  }
  return tn__parser_fail(reader->parser, reader->p, "expected an element of type %s; found `%c`",
                         tn_dtype_name(dtype), *reader->p);
}

static tn_status_t does_not_fit(data_reader_t* reader, const char* begin, tn_dtype_t dtype) {
  return tn__parser_fail(reader->parser, begin, "%.*s does not fit %s",
                         (int)(reader->p - begin > 40 ? 40 : reader->p - begin), begin,
                         tn_dtype_name(dtype));
}

static bool accept_raw(data_reader_t* reader, const char* word) {
  size_t length = strlen(word);
  if ((size_t)(reader->end - reader->p) < length || memcmp(reader->p, word, length) != 0 ||
      tn__is_identifier_character(reader->p[length])) {
    return false;
  }
  reader->p += length;
  return true;
}

static tn_status_t read_integer(data_reader_t* reader, tn_dtype_t dtype, void* out) {
  const char* begin = reader->p;
  uint64_t magnitude = 0;
  int64_t value = 0;
  if (dtype == TN_DTYPE_PRED) {
    bool is_true = accept_raw(reader, "true");
    if (is_true || accept_raw(reader, "false")) {
      *(uint8_t*)out = is_true;
      return TN_OK;
    }
  }
  bool negative = *reader->p == '-';
  if (negative) ++reader->p;
  const char* digits = reader->p;
  if (!is_digit(*digits)) return wanted_element(reader, dtype);
  if (digits[0] == '0' && digits[1] == 'x' && is_hex_digit(digits[2])) {
    reader->p += 2;
    while (is_hex_digit(*reader->p)) ++reader->p;
  } else {
    while (is_digit(*reader->p)) ++reader->p;
  }
  if (*reader->p == '.') {
    return tn__parser_fail(reader->parser, begin, "a number with a decimal point is not of type %s",
                           tn_dtype_name(dtype));
  }
  if (!tn__number_parse_unsigned(digits, reader->p, &magnitude) ||
      !tn__number_fit_integer(dtype, negative, magnitude, &value)) {
    return does_not_fit(reader, begin, dtype);
  }
  tn__number_store_integer(dtype, value, out);
  return TN_OK;
}

static tn_status_t read_float(data_reader_t* reader, tn_dtype_t dtype, void* out) {
  const char* begin = reader->p;
  bool negative = *reader->p == '-';
  if (negative) ++reader->p;
  const char* digits = reader->p;
  if (!is_digit(*digits)) return wanted_element(reader, dtype);
  if (digits[0] == '0' && digits[1] == 'x' && is_hex_digit(digits[2])) {
    uint64_t bits = 0;
    uint32_t width = tn_dtype_bit_width(dtype);
    reader->p += 2;
    while (is_hex_digit(*reader->p)) ++reader->p;
    if (negative) {
      return tn__parser_fail(reader->parser, begin, "the bits of a float have no sign before them");
    }
    if (!tn__number_parse_unsigned(digits, reader->p, &bits) || (width < 64 && bits >> width)) {
      return does_not_fit(reader, begin, dtype);
    }
    tn__number_store_integer(dtype, (int64_t)bits, out);
    return TN_OK;
  }
  while (is_digit(*reader->p)) ++reader->p;
  if (*reader->p != '.') {
    return tn__parser_fail(reader->parser, begin, "a number of type %s needs a decimal point",
                           tn_dtype_name(dtype));
  }
  ++reader->p;
  while (is_digit(*reader->p)) ++reader->p;
  if (*reader->p == 'e' || *reader->p == 'E') {
    const char* exponent = reader->p + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    if (is_digit(*exponent)) {
      reader->p = exponent;
      while (is_digit(*reader->p)) ++reader->p;
    }
  }
  double value = tn__number_parse_double(digits, reader->p);
  tn__float_store(dtype, negative ? -value : value, out);
  return TN_OK;
}

static tn_status_t expect_raw(data_reader_t* reader, char c, const char* where) {
  skip_blanks(reader);
  if (reader->p >= reader->end || *reader->p != c) {
    return tn__parser_fail(reader->parser, reader->p < reader->end ? reader->p : reader->end,
                           "expected `%c` %s", c, where);
  }
  ++reader->p;
  skip_blanks(reader);
  return TN_OK;
}

static tn_status_t read_element(data_reader_t* reader, tn_dtype_t dtype, char* out) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT: return read_float(reader, dtype, out);
    case TN_KIND_COMPLEX: {
      tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
      TN_RETURN_IF_ERROR(expect_raw(reader, '(', "before a complex element"));
      TN_RETURN_IF_ERROR(read_float(reader, part, out));
      TN_RETURN_IF_ERROR(expect_raw(reader, ',', "between real and imaginary part"));
      TN_RETURN_IF_ERROR(read_float(reader, part, out + tn_dtype_byte_size(part)));
      return expect_raw(reader, ')', "after a complex element");
    }
    default: return read_integer(reader, dtype, out);
  }
}

// --- nested lists

static tn_status_t wrong_count(data_reader_t* reader, const char* begin, size_t dimension) {
  return tn__parser_fail(
      reader->parser, begin, "the list does not have the %lld items that dimension %zu of %s needs",
      (long long)reader->type->dims[dimension], dimension, TN_TYPE_TEXT(reader->type));
}

// The list of dimension `dimension`; at most TN_MAX_RANK of them nest.
static tn_status_t read_list(data_reader_t* reader, size_t dimension) {
  const tn_type_t* type = reader->type;
  const char* begin = reader->p;
  if (reader->p >= reader->end || *reader->p != '[') {
    return tn__parser_fail(reader->parser, reader->p < reader->end ? reader->p : reader->end,
                           "expected a list for dimension %zu of %s", dimension,
                           TN_TYPE_TEXT(type));
  }
  ++reader->p;
  skip_blanks(reader);
  bool innermost = dimension + 1 == type->rank;
  size_t size = tn_dtype_byte_size(type->dtype);
  for (int64_t i = 0; i < type->dims[dimension]; ++i) {
    if (i) {
      if (*reader->p != ',') {
        if (*reader->p == ']') return wrong_count(reader, begin, dimension);
        return expect_raw(reader, ',', "between the items of a list");
      }
      ++reader->p;
      skip_blanks(reader);
    }
    if (*reader->p == ']') return wrong_count(reader, begin, dimension);
    if (innermost) {
      if (*reader->p == '[') {
        return tn__parser_fail(reader->parser, reader->p, "the lists nest deeper than %s",
                               TN_TYPE_TEXT(type));
      }
      TN_RETURN_IF_ERROR(read_element(reader, type->dtype, reader->out));
      reader->out += size;
      skip_blanks(reader);
    } else {
      TN_RETURN_IF_ERROR(read_list(reader, dimension + 1));
    }
  }
  if (*reader->p == ',') return wrong_count(reader, begin, dimension);
  return expect_raw(reader, ']', "at the end of a list");
}

// --- results

static tn_status_t make_splat(tn_parser_t* parser, const tn_type_t* type, const char* element,
                              const tn_attr_t** out_attr) {
  tn_attr_t* attr = NULL;
  size_t size = tn__type_size(type) ? tn_dtype_byte_size(type->dtype) : 0;
  TN_RETURN_IF_ERROR(tn__element_data_make(parser->arena, type, size, &attr));
  if (size && element) memcpy((void*)attr->elements.data, element, size);
  attr->elements.splat = size != 0;
  *out_attr = attr;
  return TN_OK;
}

// --- hexadecimal strings: raw little-endian bytes

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// `count` bytes from twice as many digits.
static tn_status_t decode_hex(tn_parser_t* parser, const char* digits, size_t count, char* out) {
  for (size_t i = 0; i < count; ++i) {
    int high = hex_value(digits[2 * i]), low = hex_value(digits[2 * i + 1]);
    if ((high | low) < 0) {
      return tn__parser_fail(parser, digits + 2 * i + (high >= 0), "expected a hexadecimal digit");
    }
    out[i] = (char)(high << 4 | low);
  }
  return TN_OK;
}

// `begin` is behind the 0x; `position` is for messages.
static tn_status_t elements_of_hex(tn_parser_t* parser, const char* position, const char* begin,
                                   const char* end, const tn_type_t* type,
                                   const tn_attr_t** out_attr) {
  size_t digits = (size_t)(end - begin);
  size_t length = tn__type_byte_size(type), size = tn_dtype_byte_size(type->dtype);
  size_t byte_count = digits / 2;
  bool is_splat = byte_count == size && length != 0;
  tn_attr_t* attr = NULL;
  if (digits % 2) return tn__parser_fail(parser, position, "an odd number of hexadecimal digits");
  if (!is_splat && byte_count != length) {
    return tn__parser_fail(parser, position, "%zu bytes of data; %s needs %zu, or %zu for a splat",
                           byte_count, TN_TYPE_TEXT(type), length, size);
  }
  TN_RETURN_IF_ERROR(tn__element_data_make(parser->arena, type, byte_count, &attr));
  char* data = (char*)attr->elements.data;
  TN_RETURN_IF_ERROR(decode_hex(parser, begin, byte_count, data));
  tn__elements_tidy(type->dtype, data, byte_count);
  attr->elements.splat = is_splat;
  if (!is_splat) tn__element_data_note_splat(attr);
  *out_attr = attr;
  return TN_OK;
}

// --- dense

// `: T` behind the data; a static tensor of numbers.
static tn_status_t read_type(tn_parser_t* parser, const tn_type_t** out_type) {
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type of the elements"));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_type(parser, out_type));
  if (!tn__type_is_tensor(*out_type) || !tn__type_is_static(*out_type)) {
    return tn__parser_fail(parser, position, "elements have a static tensor type, not %s",
                           TN_TYPE_TEXT(*out_type));
  }
  return TN_OK;
}

// The current token is the `<`: gives the text up to the `>`, and goes on behind that.
static tn_status_t take_text(tn_parser_t* parser, const char** out_begin, const char** out_end) {
  const tn_lexer_t* lexer = &parser->lexer;
  if (!tn__parser_at(parser, '<')) return tn__parser_wanted(parser, "`<`");
  const char* open = lexer->token.begin;
  const char* begin = tn__lexer_skip_blanks(lexer, lexer->token.end);
  const char* end = NULL;
  if (*begin == '"') {
    const char* quote = memchr(begin + 1, '"', (size_t)(lexer->end - begin - 1));
    if (!quote) return tn__parser_fail(parser, begin, "a string that is not closed");
    end = tn__lexer_skip_blanks(lexer, quote + 1);
    if (*end != '>') return tn__parser_fail(parser, end, "expected `>` after the data");
  } else {
    end = memchr(begin, '>', (size_t)(lexer->end - begin));
    if (!end) return tn__parser_fail(parser, open, "the `<` is not closed");
  }
  *out_begin = begin;
  *out_end = end;
  tn__lexer_seek(&parser->lexer, end + 1);
  return TN_OK;
}

static tn_status_t elements_of_list(data_reader_t* reader, const tn_attr_t** out_attr) {
  tn_parser_t* parser = reader->parser;
  const tn_type_t* type = reader->type;
  tn_attr_t* attr = NULL;
  if (type->rank == 0) {
    return tn__parser_fail(parser, reader->p, "a list of elements for a scalar, %s",
                           TN_TYPE_TEXT(type));
  }
  // Each element takes a character and a comma: nothing is allocated for what cannot be there.
  if (tn__type_size(type) > (reader->end - reader->p) / 2) {
    return tn__parser_fail(parser, reader->p, "the list has fewer elements than %s",
                           TN_TYPE_TEXT(type));
  }
  TN_RETURN_IF_ERROR(tn__element_data_make(parser->arena, type, tn__type_byte_size(type), &attr));
  reader->out = (char*)attr->elements.data;
  TN_RETURN_IF_ERROR(read_list(reader, 0));
  tn__element_data_note_splat(attr);
  *out_attr = attr;
  return TN_OK;
}

tn_status_t tn__parser_dense(tn_parser_t* parser, const tn_attr_t** out_attr) {
  data_reader_t reader = {.parser = parser};
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(take_text(parser, &reader.p, &reader.end));
  TN_RETURN_IF_ERROR(read_type(parser, &reader.type));
  if (*reader.p == '"') {
    const char* position = reader.p;
    const char* begin = position + 3;
    const char* quote = memchr(position + 1, '"', (size_t)(reader.end - position - 1));
    if (quote < begin || memcmp(position + 1, "0x", 2) != 0) {
      return tn__parser_fail(parser, position, "expected \"0x...\", the bytes of the elements");
    }
    return elements_of_hex(parser, position, begin, quote, reader.type, out_attr);
  }
  if (reader.p == reader.end) {
    if (tn__type_size(reader.type) != 0) {
      return tn__parser_fail(parser, reader.end, "no elements for %s", TN_TYPE_TEXT(reader.type));
    }
    return make_splat(parser, reader.type, NULL, out_attr);
  }
  if (*reader.p == '[') {
    TN_RETURN_IF_ERROR(elements_of_list(&reader, out_attr));
  } else {
    _Alignas(16) char element[16] = {0};
    TN_RETURN_IF_ERROR(read_element(&reader, reader.type->dtype, element));
    TN_RETURN_IF_ERROR(make_splat(parser, reader.type, element, out_attr));
  }
  skip_blanks(&reader);
  if (reader.p == reader.end) return TN_OK;
  return tn__parser_fail(parser, reader.p, "expected `>` after the elements");
}

// --- sparse<indices, values>

enum { SPARSE_LIMIT = 1 << 28 };  // bytes; such constants are written for small tensors

// [1, 2], or 0 for an index whose coordinates are all 0: the element's number.
static tn_status_t read_index(data_reader_t* reader, int64_t* out_element) {
  const tn_type_t* type = reader->type;
  bool list = *reader->p == '[';
  int64_t coordinate = 0, element = 0;
  if (list) TN_RETURN_IF_ERROR(expect_raw(reader, '[', "of an index"));
  for (size_t i = 0; i < type->rank; ++i) {
    if (list && i) TN_RETURN_IF_ERROR(expect_raw(reader, ',', "in an index"));
    const char* position = reader->p;
    if (list || i == 0) TN_RETURN_IF_ERROR(read_integer(reader, TN_DTYPE_S64, &coordinate));
    if (coordinate < 0 || coordinate >= type->dims[i]) {
      return tn__parser_fail(reader->parser, position, "index %lld is outside of dimension %zu",
                             (long long)coordinate, i);
    }
    element = element * type->dims[i] + coordinate;
  }
  *out_element = element;
  return list ? expect_raw(reader, ']', "at the end of an index") : TN_OK;
}

// Pushes the numbers of the elements that the indices name.
static tn_status_t read_indices(data_reader_t* reader) {
  int64_t element = 0;
  const char* inner =
      *reader->p == '[' ? tn__lexer_skip_blanks(&reader->parser->lexer, reader->p + 1) : reader->p;
  if (*inner != '[') {
    TN_RETURN_IF_ERROR(read_index(reader, &element));
    return tn__parser_push_integer(reader->parser, element);
  }
  TN_RETURN_IF_ERROR(expect_raw(reader, '[', "of the indices"));
  for (;;) {
    TN_RETURN_IF_ERROR(read_index(reader, &element));
    TN_RETURN_IF_ERROR(tn__parser_push_integer(reader->parser, element));
    skip_blanks(reader);
    if (*reader->p != ',') break;
    ++reader->p;
    skip_blanks(reader);
  }
  return expect_raw(reader, ']', "at the end of the indices");
}

tn_status_t tn__parser_sparse(tn_parser_t* parser, const tn_attr_t** out_attr) {
  data_reader_t reader = {.parser = parser};
  _Alignas(16) char zero[16] = {0};
  size_t first = parser->integer_stack.count;
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(take_text(parser, &reader.p, &reader.end));
  TN_RETURN_IF_ERROR(read_type(parser, &reader.type));
  if (reader.p == reader.end) return make_splat(parser, reader.type, zero, out_attr);
  size_t length = tn__type_byte_size(reader.type), size = tn_dtype_byte_size(reader.type->dtype);
  if (length > SPARSE_LIMIT) {
    return tn__parser_unsupported(parser, reader.p, "a sparse constant of more than %d bytes",
                                  SPARSE_LIMIT);
  }
  TN_RETURN_IF_ERROR(read_indices(&reader));
  TN_RETURN_IF_ERROR(expect_raw(&reader, ',', "between indices and values"));
  size_t count = parser->integer_stack.count - first;
  tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__element_data_make(parser->arena, reader.type, length, &attr));
  char* data = (char*)attr->elements.data;
  bool list = *reader.p == '[';
  char* previous = NULL;
  if (list) TN_RETURN_IF_ERROR(expect_raw(&reader, '[', "of the values"));
  for (size_t i = 0; i < count; ++i) {
    char* element = data + (size_t)parser->integer_stack.items[first + i] * size;
    if (list && i) TN_RETURN_IF_ERROR(expect_raw(&reader, ',', "between the values"));
    if (list || i == 0) {
      TN_RETURN_IF_ERROR(read_element(&reader, reader.type->dtype, element));
    } else {
      memcpy(element, previous, size);
    }
    previous = element;
  }
  if (list) TN_RETURN_IF_ERROR(expect_raw(&reader, ']', "at the end of the values"));
  skip_blanks(&reader);
  if (reader.p != reader.end) {
    return tn__parser_fail(parser, reader.p, "expected `>` after the values");
  }
  parser->integer_stack.count = first;
  tn__element_data_note_splat(attr);
  *out_attr = attr;
  return TN_OK;
}

// --- dense_resource<key>

// The data is in {-# dialect_resources: {builtin: {key: "0x..."}} #-} at the end of the text.
static tn_status_t index_resources(tn_parser_t* parser) {
  tn_lexer_t lexer = parser->lexer;
  const char* open = NULL;
  parser->resources_indexed = true;
  for (const char* p = lexer.end; p > lexer.begin && !open; --p) {
    if (lexer.end - p >= 3 && memcmp(p, "{-#", 3) == 0) open = p;
  }
  if (!open) return TN_OK;
  lexer.token.end = open;
  tn_token_t key = {0}, colon = {0};
  for (tn__lexer_next(&lexer); lexer.token.kind != TN_TOKEN_END; tn__lexer_next(&lexer)) {
    if (lexer.token.kind == TN_TOKEN_INVALID || lexer.token.kind == TN_TOKEN_RESOURCES_END) break;
    tn_string_view_t name = tn__token_text(&key);
    if (lexer.token.kind == TN_TOKEN_STRING && colon.kind == ':' &&
        (key.kind == TN_TOKEN_STRING || key.kind == TN_TOKEN_IDENTIFIER) &&
        !tn__names_find(&parser->resources, name)) {
      void* string = (void*)lexer.token.begin;
      TN_RETURN_IF_ERROR(tn__names_add(&parser->resources, name, 0, string));
    }
    key = colon;
    colon = lexer.token;
  }
  return TN_OK;
}

tn_status_t tn__parser_resource(tn_parser_t* parser, const tn_attr_t** out_attr) {
  enum { PREFIX = 3 + 8 };  // "0x and the digits of the alignment, which is not used
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '<', "`<` after dense_resource"));
  tn_token_t token = parser->lexer.token;
  if (token.kind != TN_TOKEN_IDENTIFIER && token.kind != TN_TOKEN_STRING) {
    return tn__parser_wanted(parser, "the name of a resource");
  }
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`>` after the name of a resource"));
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(read_type(parser, &type));
  if (!parser->resources_indexed) TN_RETURN_IF_ERROR(index_resources(parser));
  tn_string_view_t name = tn__token_text(&token);
  tn_name_entry_t* entry = tn__names_find(&parser->resources, name);
  if (!entry) {
    return tn__parser_fail(parser, token.begin, "the text has no resource \"%.*s\"", TN_SV(name));
  }
  const char* string = entry->pointer;
  const char* quote = memchr(string + 1, '"', (size_t)(parser->lexer.end - string - 1));
  if (!quote || quote - string < PREFIX || memcmp(string + 1, "0x", 2) != 0) {
    return tn__parser_fail(parser, string, "expected \"0x...\", the bytes of a resource");
  }
  return elements_of_hex(parser, string, string + PREFIX, quote, type, out_attr);
}
