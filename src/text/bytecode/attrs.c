// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdlib.h>

#include "base/element.h"
#include "base/float_format.h"
#include "ops/op.h"
#include "text/bytecode/codes.h"
#include "text/bytecode/encodings.h"
#include "text/lexer.h"

// What reads one attribute has in hand.
typedef struct attr_reader {
  tn_bytecode_t* bytecode;
  tn_cursor_t cursor;
  tn_encoded_attr_t* out;
} attr_reader_t;

// --- pieces

// An attribute inside of this one; NULL when it says nothing.
static tn_status_t read_part(attr_reader_t* reader, const tn_attr_t** out_attr) {
  const uint8_t* position = reader->cursor.position;
  uint64_t index = tn__cursor_varint(&reader->cursor);
  tn_encoded_attr_t* part = NULL;
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__bytecode_check(reader->bytecode, &reader->cursor, "an attribute"));
  TN_RETURN_IF_ERROR(tn__bytecode_attr(reader->bytecode, index, position, &part));
  *out_attr = part->attr;
  return TN_OK;
}

static tn_status_t read_text_part(attr_reader_t* reader, tn_string_view_t* out_text) {
  const uint8_t* position = reader->cursor.position;
  const tn_attr_t* attr = NULL;
  *out_text = (tn_string_view_t){"", 0};
  TN_RETURN_IF_ERROR(read_part(reader, &attr));
  if (!attr || (attr->kind != TN_ATTR_STRING && attr->kind != TN_ATTR_SYMBOL)) {
    return tn__bytecode_fail(reader->bytecode, position, "an attribute that should be a string");
  }
  *out_text = attr->string;
  return TN_OK;
}

// Of text that lives in the arena, or forever.
static tn_status_t make_text(attr_reader_t* reader, tn_attr_kind_t kind, tn_string_view_t text) {
  tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(reader->bytecode->arena, &attr));
  attr->kind = kind;
  attr->string = text;
  reader->out->attr = attr;
  return TN_OK;
}

static tn_status_t read_string(attr_reader_t* reader) {
  tn_string_view_t text;
  TN_RETURN_IF_ERROR(tn__bytecode_string(reader->bytecode, &reader->cursor, &text));
  return make_text(reader, TN_ATTR_STRING, text);
}

static tn_status_t read_array(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  bool known = true;
  size_t count = tn__cursor_count(&reader->cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(reader->bytecode, &reader->cursor, "a list"));
  const tn_attr_t** items = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&reader->bytecode->scratch, count, &items));
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(read_part(reader, &items[i]));
    known = known && items[i];
  }
  if (!known) return TN_OK;
  return tn__bytecode_locate(
      reader->bytecode, position,
      tn__attr_array(reader->bytecode->arena, count, items, &reader->out->attr));
}

static int compare_names(const void* a, const void* b) {
  return tn__sv_compare(((const tn_named_attr_t*)a)->name, ((const tn_named_attr_t*)b)->name);
}

tn_status_t tn__bytecode_dictionary(tn_bytecode_t* bytecode, const uint8_t* position,
                                    tn_attr_kind_t kind, const char* name, size_t count,
                                    tn_named_attr_t* entries, const tn_attr_t** out_attr) {
  *out_attr = NULL;
  if (count) qsort(entries, count, sizeof *entries, compare_names);
  if (count && !entries[0].name.length) {
    return tn__bytecode_fail(bytecode, position, "an attribute has no name");
  }
  for (size_t i = 1; i < count; ++i) {
    if (!tn__sv_equal(entries[i - 1].name, entries[i].name)) continue;
    return tn__bytecode_fail(bytecode, position, "attribute \"%.*s\" is given twice",
                             TN_SV(entries[i].name));
  }
  tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(bytecode->arena, &attr));
  attr->kind = kind;
  attr->name = tn__sv(name);
  attr->dictionary = (tn_attr_dictionary_t){count, entries};
  for (size_t i = 0; i < count; ++i) {
    if (!entries[i].attr) continue;
    TN_RETURN_IF_ERROR(tn__bytecode_locate(
        bytecode, position, tn__attr_add_inner(attr, entries[i].name, entries[i].attr)));
  }
  *out_attr = attr;
  return TN_OK;
}

static tn_status_t read_dictionary(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  size_t count = tn__cursor_count(&reader->cursor), known = 0;
  TN_RETURN_IF_ERROR(tn__bytecode_check(reader->bytecode, &reader->cursor, "a dictionary"));
  tn_named_attr_t* entries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(reader->bytecode->arena, count, &entries));
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(read_text_part(reader, &entries[known].name));
    TN_RETURN_IF_ERROR(read_part(reader, &entries[known].attr));
    known += entries[known].attr != NULL;
  }
  return tn__bytecode_dictionary(reader->bytecode, position, TN_ATTR_DICTIONARY, "", known, entries,
                                 &reader->out->attr);
}

// --- numbers

// The bits of a number of so many bits.
static uint64_t read_bits(tn_cursor_t* cursor, uint32_t width) {
  uint64_t bits = width <= 8 ? tn__cursor_byte(cursor) : (uint64_t)tn__cursor_signed_varint(cursor);
  return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

static tn_status_t read_integer(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  tn_arena_t* arena = reader->bytecode->arena;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__bytecode_element_type(reader->bytecode, &reader->cursor, &dtype));
  tn_kind_t kind = tn_dtype_kind(dtype);
  uint32_t width = tn_dtype_bit_width(dtype);
  if (!(kind & (TN_KIND_INTEGER | TN_KIND_BOOL))) {
    return tn__bytecode_fail(reader->bytecode, position, "an integer of type %s",
                             tn_dtype_name(dtype));
  }
  uint64_t bits = read_bits(&reader->cursor, width);
  if (kind == TN_KIND_BOOL) return tn__attr_bool(arena, bits != 0, &reader->out->attr);
  if (kind == TN_KIND_SIGNED && width < 64 && bits >> (width - 1)) bits |= ~UINT64_C(0) << width;
  return tn__attr_integer(arena, dtype, (int64_t)bits, &reader->out->attr);
}

static tn_status_t read_float(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__bytecode_element_type(reader->bytecode, &reader->cursor, &dtype));
  const tn_float_format_t* format = tn__float_format(dtype);
  if (!format) {
    return tn__bytecode_fail(reader->bytecode, position, "a float of type %s",
                             tn_dtype_name(dtype));
  }
  double value = tn__float_decode(format, read_bits(&reader->cursor, format->bits));
  return tn__attr_float(reader->bytecode->arena, dtype, value, &reader->out->attr);
}

static tn_status_t read_enum(attr_reader_t* reader, const char* enumeration) {
  const uint8_t* position = reader->cursor.position;
  uint64_t number = tn__cursor_varint(&reader->cursor);
  const char* name = number < INT32_MAX ? tn__enum_name(enumeration, (int)number) : NULL;
  if (!name) {
    return tn__bytecode_fail(reader->bytecode, position, "there is no %s %llu", enumeration,
                             (unsigned long long)number);
  }
  return tn__attr_enum(reader->bytecode->arena, enumeration, tn__sv(name), &reader->out->attr);
}

// --- types and data

static tn_status_t read_type(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  tn_arena_t* arena = reader->bytecode->arena;
  const tn_encoded_type_t* type = NULL;
  uint64_t index = tn__cursor_varint(&reader->cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(reader->bytecode, &reader->cursor, "a type"));
  TN_RETURN_IF_ERROR(tn__bytecode_type(reader->bytecode, index, position, &type));
  reader->out->type = (uint32_t)index + 1;
  switch (type->kind) {
    case TN_ENCODED_VALUE: return tn__attr_type(arena, type->type, false, &reader->out->attr);
    case TN_ENCODED_ELEMENT:
      return tn__attr_type(arena, tn__type_scalar(type->element), true, &reader->out->attr);
    case TN_ENCODED_TF32: return make_text(reader, TN_ATTR_OPAQUE, TN_SV_LITERAL("tf32"));
    case TN_ENCODED_NOTHING:
    case TN_ENCODED_FUNCTION: return TN_OK;  // a function's type is read as `type`
  }
  return TN_OK;
}

static tn_status_t read_elements(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(tn__bytecode_value_type(reader->bytecode, &reader->cursor, &type));
  if (!tn__type_is_tensor(type) || !tn__type_is_static(type)) {
    return tn__bytecode_fail(reader->bytecode, position,
                             "elements have a static tensor type, not %s", TN_TYPE_TEXT(type));
  }
  tn_string_view_t bytes = tn__cursor_blob(&reader->cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(reader->bytecode, &reader->cursor, "elements"));
  return tn__bytecode_elements(reader->bytecode, position, type, bytes, &reader->out->attr);
}

static tn_status_t read_dense_array(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__bytecode_element_type(reader->bytecode, &reader->cursor, &dtype));
  uint64_t count = tn__cursor_varint(&reader->cursor);
  tn_string_view_t bytes = tn__cursor_blob(&reader->cursor);
  size_t size = tn_dtype_byte_size(dtype);
  TN_RETURN_IF_ERROR(tn__bytecode_check(reader->bytecode, &reader->cursor, "an array"));
  if (size == 0 || bytes.length / size != count || bytes.length % size) {
    return tn__bytecode_fail(reader->bytecode, position, "an array of %llu %s in %zu bytes",
                             (unsigned long long)count, tn_dtype_name(dtype), bytes.length);
  }
  const size_t untidy = tn__elements_find_untidy(dtype, bytes.data, (size_t)count);
  if (untidy < count) {
    return tn__bytecode_fail(reader->bytecode, position,
                             "element %zu of an array is not a value of %s", untidy,
                             tn_dtype_name(dtype));
  }
  return tn__attr_dense_array(reader->bytecode->arena, dtype, (int64_t)count, bytes.data,
                              &reader->out->attr);
}

// --- structures

static tn_status_t make_struct(attr_reader_t* reader, const char* name, size_t count,
                               const tn_named_attr_t* fields) {
  return tn__attr_dictionary(reader->bytecode->arena, TN_ATTR_STRUCT, tn__sv(name), count, fields,
                             &reader->out->attr);
}

// A list of integers; NULL when it is empty.
static tn_status_t read_i64_list(attr_reader_t* reader, const tn_attr_t** out_attr) {
  size_t count = tn__cursor_count(&reader->cursor);
  *out_attr = NULL;
  if (count == 0) return TN_OK;
  int64_t* values = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&reader->bytecode->scratch, count, &values));
  for (size_t i = 0; i < count; ++i) values[i] = tn__cursor_signed_varint(&reader->cursor);
  return tn__attr_i64_array(reader->bytecode->arena, count, values, out_attr);
}

static tn_status_t read_alias(attr_reader_t* reader) {
  tn_named_attr_t fields[3];
  size_t count = 0;
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(read_i64_list(reader, &attr));
  if (attr) fields[count++] = (tn_named_attr_t){TN_SV_LITERAL("output_tuple_indices"), attr};
  int64_t operand = tn__cursor_signed_varint(&reader->cursor);
  if (operand) {
    TN_RETURN_IF_ERROR(tn__attr_integer(reader->bytecode->arena, TN_DTYPE_S64, operand, &attr));
    fields[count++] = (tn_named_attr_t){TN_SV_LITERAL("operand_index"), attr};
  }
  TN_RETURN_IF_ERROR(read_i64_list(reader, &attr));
  if (attr) fields[count++] = (tn_named_attr_t){TN_SV_LITERAL("operand_tuple_indices"), attr};
  return make_struct(reader, "output_operand_alias", count, fields);
}

static tn_status_t read_accuracy(attr_reader_t* reader) {
  enum { FIELDS = 4 };
  tn_arena_t* arena = reader->bytecode->arena;
  const tn_float_format_t* format = tn__float_format(TN_DTYPE_F64);
  tn_named_attr_t fields[FIELDS] = {{.name = TN_SV_LITERAL("atol")},
                                    {.name = TN_SV_LITERAL("rtol")},
                                    {.name = TN_SV_LITERAL("ulps")},
                                    {.name = TN_SV_LITERAL("mode")}};
  for (int i = 0; i < 2; ++i) {
    double value = tn__float_decode(format, read_bits(&reader->cursor, format->bits));
    if (value != 0) TN_RETURN_IF_ERROR(tn__attr_float(arena, TN_DTYPE_F64, value, &fields[i].attr));
  }
  int64_t ulps = tn__cursor_signed_varint(&reader->cursor);
  if (ulps) TN_RETURN_IF_ERROR(tn__attr_integer(arena, TN_DTYPE_S64, ulps, &fields[2].attr));
  TN_RETURN_IF_ERROR(read_part(reader, &fields[3].attr));
  size_t count = 0;
  for (int i = 0; i < FIELDS; ++i) {
    if (fields[i].attr) fields[count++] = fields[i];
  }
  return make_struct(reader, "result_accuracy", count, fields);
}

// --- the dialects

static const char nesting[] = "::@";

tn_status_t tn__bytecode_check_symbol(const tn_bytecode_t* bytecode, const uint8_t* position,
                                      tn_string_view_t name) {
  size_t length = sizeof nesting - 1;
  for (size_t i = 0; i + length <= name.length; ++i) {
    if (memcmp(name.data + i, nesting, length) == 0) {
      return tn__bytecode_fail(bytecode, position, "a name that contains %s", nesting);
    }
  }
  return TN_OK;
}

// Letters, digits and _$.- only: text writes it without quotes.
static bool is_bare(tn_string_view_t name) {
  for (size_t i = 0; i < name.length; ++i) {
    if (!tn__is_identifier_character(name.data[i])) return false;
  }
  return name.length != 0;
}

// A whole name of symbols, as text writes it: a::@b.
static tn_status_t read_nested_symbol(attr_reader_t* reader) {
  enum { LONGEST_SYMBOL = 4096 };
  const uint8_t* position = reader->cursor.position;
  tn_string_view_t text;
  TN_RETURN_IF_ERROR(read_text_part(reader, &text));
  if (!is_bare(text)) {
    return tn__bytecode_unsupported(reader->bytecode, position, "such a name of nested symbols");
  }
  size_t count = tn__cursor_count(&reader->cursor);
  for (size_t i = 0; i < count; ++i) {
    tn_string_view_t part;
    void* memory = NULL;
    TN_RETURN_IF_ERROR(read_text_part(reader, &part));
    TN_RETURN_IF_ERROR(tn__arena_allocate(&reader->bytecode->scratch,
                                          text.length + part.length + sizeof nesting, &memory));
    char* joined = memory;
    memcpy(joined, text.data, text.length);
    size_t length = text.length + sizeof nesting - 1;
    memcpy(joined + text.length, nesting, sizeof nesting - 1);
    memcpy(joined + length, part.data, part.length);
    text = (tn_string_view_t){joined, length + part.length};
    if (!is_bare(part) || text.length > LONGEST_SYMBOL) {
      return tn__bytecode_unsupported(reader->bytecode, position, "such a name of nested symbols");
    }
  }
  TN_RETURN_IF_ERROR(tn__arena_copy_string(reader->bytecode->arena, text, &text));
  return make_text(reader, TN_ATTR_SYMBOL, text);
}

// What says nothing that we know is not looked into.
static tn_status_t pass_over(attr_reader_t* reader) {
  reader->cursor.position = reader->cursor.end;
  return TN_OK;
}

static tn_status_t read_builtin(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  tn_string_view_t text;
  uint64_t code = tn__cursor_varint(&reader->cursor);
  switch (code) {
    case TN_BUILTIN_ARRAY: return read_array(reader);
    case TN_BUILTIN_DICTIONARY: return read_dictionary(reader);
    case TN_BUILTIN_STRING: return read_string(reader);
    case TN_BUILTIN_TYPED_STRING:
      TN_RETURN_IF_ERROR(read_string(reader));
      tn__cursor_varint(&reader->cursor);
      return TN_OK;
    case TN_BUILTIN_FLAT_SYMBOL:
      TN_RETURN_IF_ERROR(read_text_part(reader, &text));
      TN_RETURN_IF_ERROR(tn__bytecode_check_symbol(reader->bytecode, position, text));
      return make_text(reader, TN_ATTR_SYMBOL, text);
    case TN_BUILTIN_SYMBOL: return read_nested_symbol(reader);
    case TN_BUILTIN_TYPE_ATTR: return read_type(reader);
    case TN_BUILTIN_UNIT: return tn__attr_unit(reader->bytecode->arena, &reader->out->attr);
    case TN_BUILTIN_INTEGER_ATTR: return read_integer(reader);
    case TN_BUILTIN_FLOAT_ATTR: return read_float(reader);
    case TN_BUILTIN_RESOURCE:
      return tn__bytecode_unsupported(reader->bytecode, position,
                                      "constants kept as resources are not supported");
    case TN_BUILTIN_DENSE_ARRAY: return read_dense_array(reader);
    case TN_BUILTIN_ELEMENTS: return read_elements(reader);
    default: return pass_over(reader);  // places, and what came later
  }
}

static tn_status_t read_vhlo(attr_reader_t* reader) {
  const uint8_t* position = reader->cursor.position;
  tn_arena_t* arena = reader->bytecode->arena;
  uint64_t code = tn__cursor_varint(&reader->cursor);
  const char* enumeration = tn__vhlo_enumeration(code);
  if (enumeration) return read_enum(reader, enumeration);
  switch (code) {
    case TN_VHLO_ARRAY: return read_array(reader);
    case TN_VHLO_BOOLEAN:
      return tn__attr_bool(arena, tn__cursor_varint(&reader->cursor) != 0, &reader->out->attr);
    case TN_VHLO_API_VERSION:
      return tn__attr_integer(arena, TN_DTYPE_S32, (int32_t)tn__cursor_varint(&reader->cursor),
                              &reader->out->attr);
    case TN_VHLO_DICTIONARY: return read_dictionary(reader);
    case TN_VHLO_FLOAT: return read_float(reader);
    case TN_VHLO_INTEGER: return read_integer(reader);
    case TN_VHLO_OUTPUT_OPERAND_ALIAS: return read_alias(reader);
    case TN_VHLO_STRING: return read_string(reader);
    case TN_VHLO_ELEMENTS: return read_elements(reader);
    case TN_VHLO_TYPE_ATTR: return read_type(reader);
    case TN_VHLO_ACCURACY: return read_accuracy(reader);
    default:
      if (code == TN_VHLO_TYPE_EXTENSIONS ||
          (code >= TN_VHLO_FIRST_MESH && code <= TN_VHLO_LAST_MESH)) {
        return pass_over(
            reader);  // types read bounds themselves; meshes do not matter to one process
      }
      return tn__bytecode_unsupported(reader->bytecode, position,
                                      "attribute %llu of vhlo is not known",
                                      (unsigned long long)code);
  }
}

// --- entry points

tn_status_t tn__bytecode_attr(tn_bytecode_t* bytecode, uint64_t index, const uint8_t* position,
                              tn_encoded_attr_t** out_attr) {
  *out_attr = NULL;
  if (index >= bytecode->attr_count) {
    return tn__bytecode_fail(bytecode, position, "attribute %llu of %zu", (unsigned long long)index,
                             bytecode->attr_count);
  }
  tn_encoded_attr_t* attr = &bytecode->attrs[index];
  tn_encoded_t* encoded = &attr->encoded;
  *out_attr = attr;
  if (encoded->state == TN_ENCODED_READ) return TN_OK;
  if (encoded->state == TN_ENCODED_OPEN) {
    return tn__bytecode_fail(bytecode, position, "attribute %llu contains itself",
                             (unsigned long long)index);
  }
  attr_reader_t reader = {bytecode, tn__cursor(encoded->begin, encoded->begin + encoded->length),
                          attr};
  TN_RETURN_IF_ERROR(tn__bytecode_enter(bytecode, position));
  encoded->state = TN_ENCODED_OPEN;
  if (encoded->custom && encoded->dialect == TN_DIALECT_VHLO) {
    TN_RETURN_IF_ERROR(read_vhlo(&reader));
  } else if (encoded->custom && encoded->dialect == TN_DIALECT_BUILTIN) {
    TN_RETURN_IF_ERROR(read_builtin(&reader));
  } else {
    TN_RETURN_IF_ERROR(pass_over(&reader));
  }
  encoded->state = TN_ENCODED_READ;
  tn__bytecode_leave(bytecode);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &reader.cursor, "an attribute"));
  if (tn__cursor_done(&reader.cursor)) return TN_OK;
  return tn__bytecode_fail(bytecode, reader.cursor.position, "more bytes than the attribute has");
}

// The cursor behind the code of an attribute of the builtin dialect.
static bool begin_builtin(const tn_bytecode_t* bytecode, uint64_t index, tn_builtin_attr_t code,
                          tn_cursor_t* out_cursor) {
  if (index >= bytecode->attr_count) return false;
  const tn_encoded_t* encoded = &bytecode->attrs[index].encoded;
  *out_cursor = tn__cursor(encoded->begin, encoded->begin + encoded->length);
  return encoded->custom && encoded->dialect == TN_DIALECT_BUILTIN &&
         tn__cursor_varint(out_cursor) == code;
}

tn_string_view_t tn__bytecode_place_name(const tn_bytecode_t* bytecode, uint64_t index) {
  tn_cursor_t cursor;
  if (!begin_builtin(bytecode, index, TN_BUILTIN_NAMED_PLACE, &cursor))
    return (tn_string_view_t){0};
  const uint64_t name = tn__cursor_varint(&cursor);
  if (!begin_builtin(bytecode, name, TN_BUILTIN_STRING, &cursor)) return (tn_string_view_t){0};
  const uint64_t string = tn__cursor_varint(&cursor);
  if (string >= bytecode->string_count) return (tn_string_view_t){0};
  return bytecode->strings[string].text;
}

tn_status_t tn__bytecode_dictionary_find(tn_bytecode_t* bytecode, uint64_t index, const char* name,
                                         uint64_t* out_index) {
  *out_index = SIZE_MAX;
  const tn_encoded_t* encoded = &bytecode->attrs[index].encoded;
  tn_cursor_t cursor = tn__cursor(encoded->begin, encoded->begin + encoded->length);
  if (!encoded->custom || encoded->dialect != TN_DIALECT_BUILTIN ||
      tn__cursor_varint(&cursor) != TN_BUILTIN_DICTIONARY) {
    return tn__bytecode_fail(bytecode, encoded->begin, "expected a dictionary");
  }
  size_t count = tn__cursor_count(&cursor);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* position = cursor.position;
    tn_encoded_attr_t* key = NULL;
    uint64_t key_index = tn__cursor_varint(&cursor), value = tn__cursor_varint(&cursor);
    TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "a dictionary"));
    TN_RETURN_IF_ERROR(tn__bytecode_attr(bytecode, key_index, position, &key));
    if (!key->attr || key->attr->kind != TN_ATTR_STRING || !tn__sv_is(key->attr->string, name)) {
      continue;
    }
    *out_index = value;
    return TN_OK;
  }
  return TN_OK;
}
