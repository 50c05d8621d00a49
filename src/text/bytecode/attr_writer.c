// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes as the dialects vhlo and builtin encode them.
#include "base/element.h"
#include "base/float_format.h"
#include "text/bytecode/artifact.h"
#include "text/bytecode/codes.h"

static bool is_builtin(tn_artifact_form_t form) {
  return form == TN_FORM_BUILTIN;
}

// Begins an attribute of the dialect of the form, with the code that it has there.
static tn_bytes_t* begin(tn_artifact_t* artifact, tn_artifact_form_t form,
                         tn_builtin_attr_t builtin_code, tn_vhlo_attr_t vhlo_code) {
  tn_bytes_t* out =
      tn__artifact_begin(artifact, is_builtin(form) ? TN_ENCODING_BUILTIN : TN_ENCODING_VHLO);
  tn__bytes_varint(out, is_builtin(form) ? (uint64_t)builtin_code : (uint64_t)vhlo_code);
  return out;
}

static uint64_t end_attr(tn_artifact_t* artifact) {
  return tn__artifact_end(artifact, &artifact->attrs);
}

// --- numbers

static uint64_t low_bits(uint64_t bits, uint32_t width) {
  return width < 64 ? bits & ((UINT64_C(1) << width) - 1) : bits;
}

static void put_bits(tn_bytes_t* out, uint64_t bits, uint32_t width) {
  bits = low_bits(bits, width);
  if (width <= 8) {
    tn__bytes_byte(out, (uint8_t)bits);
  } else {
    tn__bytes_signed_varint(out, (int64_t)bits);
  }
}

static uint64_t write_integer(tn_artifact_t* artifact, tn_artifact_form_t form, tn_dtype_t dtype,
                              int64_t value) {
  const uint64_t type = tn__artifact_element(artifact, is_builtin(form), dtype);
  tn_bytes_t* out = begin(artifact, form, TN_BUILTIN_INTEGER_ATTR, TN_VHLO_INTEGER);
  tn__bytes_varint(out, type);
  put_bits(out, (uint64_t)value, tn_dtype_bit_width(dtype));
  return end_attr(artifact);
}

uint64_t tn__artifact_integer(tn_artifact_t* artifact, tn_dtype_t dtype, int64_t value) {
  return write_integer(artifact, TN_FORM_VHLO, dtype, value);
}

uint64_t tn__artifact_code(tn_artifact_t* artifact, uint64_t attr, uint64_t value) {
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, attr);
  tn__bytes_varint(out, value);
  return end_attr(artifact);
}

static uint64_t write_boolean(tn_artifact_t* artifact, tn_artifact_form_t form, bool value) {
  if (is_builtin(form)) return write_integer(artifact, form, TN_DTYPE_PRED, value);
  return tn__artifact_code(artifact, TN_VHLO_BOOLEAN, value);
}

static uint64_t write_float(tn_artifact_t* artifact, tn_artifact_form_t form,
                            const tn_attr_t* attr) {
  const tn_float_format_t* format = tn__float_format(attr->dtype);
  const uint64_t type = tn__artifact_element(artifact, is_builtin(form), attr->dtype);
  tn_bytes_t* out = begin(artifact, form, TN_BUILTIN_FLOAT_ATTR, TN_VHLO_FLOAT);
  tn__bytes_varint(out, type);
  put_bits(out, tn__float_encode(format, attr->real), format->bits);
  return end_attr(artifact);
}

static uint64_t write_enum(tn_artifact_t* artifact, const tn_attr_t* attr) {
  char enumeration[64];
  const uint64_t code = tn__vhlo_enumeration_code(attr->name);
  if (code == 0 || attr->name.length >= sizeof enumeration) {
    tn__artifact_fail(artifact, "artifacts of StableHLO have no %.*s", TN_SV(attr->name));
    return 0;
  }
  memcpy(enumeration, attr->name.data, attr->name.length);
  enumeration[attr->name.length] = '\0';
  return tn__artifact_code(artifact, code, (uint64_t)tn__enum_value(enumeration, attr->string));
}

// --- text and symbols

static uint64_t write_text(tn_artifact_t* artifact, tn_artifact_form_t form,
                           tn_string_view_t text) {
  const uint64_t string = tn__artifact_string(artifact, text);
  tn__bytes_varint(begin(artifact, form, TN_BUILTIN_STRING, TN_VHLO_STRING), string);
  return end_attr(artifact);
}

uint64_t tn__artifact_text(tn_artifact_t* artifact, tn_string_view_t text) {
  return write_text(artifact, TN_FORM_VHLO, text);
}

uint64_t tn__artifact_builtin_text(tn_artifact_t* artifact, tn_string_view_t text) {
  return write_text(artifact, TN_FORM_BUILTIN, text);
}

static uint64_t write_flat_symbol(tn_artifact_t* artifact, tn_string_view_t name) {
  const uint64_t text = write_text(artifact, TN_FORM_BUILTIN, name);
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_BUILTIN);
  tn__bytes_varint(out, TN_BUILTIN_FLAT_SYMBOL);
  tn__bytes_varint(out, text);
  return end_attr(artifact);
}

// The part of a::@b before the next ::@, which it takes away.
static tn_string_view_t take_symbol(tn_string_view_t* rest) {
  static const char nesting[] = "::@";
  const size_t length = sizeof nesting - 1;
  tn_string_view_t part = *rest;
  for (size_t i = 0; i + length <= rest->length; ++i) {
    if (memcmp(rest->data + i, nesting, length) != 0) continue;
    part.length = i;
    *rest = (tn_string_view_t){rest->data + i + length, rest->length - i - length};
    return part;
  }
  *rest = (tn_string_view_t){rest->data + rest->length, 0};
  return part;
}

static uint64_t write_symbol(tn_artifact_t* artifact, tn_string_view_t name) {
  tn_string_view_t rest = name, root = take_symbol(&rest);
  if (rest.length == 0) return write_flat_symbol(artifact, root);
  const size_t mark = tn__artifact_mark(artifact);
  const uint64_t first = write_text(artifact, TN_FORM_BUILTIN, root);
  size_t count = 0;
  for (; rest.length; ++count) {
    tn__artifact_push(artifact, write_flat_symbol(artifact, take_symbol(&rest)));
  }
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_BUILTIN);
  tn__bytes_varint(out, TN_BUILTIN_SYMBOL);
  tn__bytes_varint(out, first);
  tn__bytes_varint(out, count);
  tn__artifact_pop(artifact, mark, out);
  return end_attr(artifact);
}

// --- types and data

uint64_t tn__artifact_type_attr(tn_artifact_t* artifact, uint64_t type) {
  return tn__artifact_code(artifact, TN_VHLO_TYPE_ATTR, type);
}

static uint64_t write_type(tn_artifact_t* artifact, tn_artifact_form_t form,
                           const tn_attr_t* attr) {
  const tn_type_t* type = attr->type.type;
  const bool builtin = is_builtin(form);
  const uint64_t number = attr->type.element_type
                              ? tn__artifact_element(artifact, builtin, type->dtype)
                          : builtin ? tn__artifact_builtin_type(artifact, type)
                                    : tn__artifact_type(artifact, type);
  tn__bytes_varint(begin(artifact, form, TN_BUILTIN_TYPE_ATTR, TN_VHLO_TYPE_ATTR), number);
  return end_attr(artifact);
}

// Eight booleans to a byte; a splat is all ones or all zeros, whatever its size.
static void put_booleans(tn_bytes_t* out, const uint8_t* values, size_t count, bool is_splat) {
  if (is_splat && count > 1) {
    const uint8_t byte = values[0] ? UINT8_MAX : 0;
    tn__bytes_blob(out, &byte, 1);
    return;
  }
  tn__bytes_varint(out, (count + 7) / 8);
  for (size_t i = 0; i < count; i += 8) {
    uint8_t byte = 0;
    for (size_t k = i; k < count && k < i + 8; ++k) byte |= (uint8_t)(values[k] << (k - i));
    tn__bytes_byte(out, byte);
  }
}

// Signed integers below a byte have their sign in the upper bits here, and zeros there.
static void put_narrow(tn_bytes_t* out, const uint8_t* values, size_t count, uint32_t width) {
  tn__bytes_varint(out, count);
  for (size_t i = 0; i < count; ++i) tn__bytes_byte(out, (uint8_t)low_bits(values[i], width));
}

// The bytes of `count` elements, of which one is there when they are a splat.
static void put_elements(tn_bytes_t* out, tn_dtype_t dtype, const void* data, size_t count,
                         bool is_splat) {
  const uint32_t width = tn_dtype_bit_width(dtype);
  const size_t stored = is_splat && count ? 1 : count;
  if (dtype == TN_DTYPE_PRED) {
    put_booleans(out, data, count, is_splat);
  } else if (width < 8) {
    put_narrow(out, data, stored, width);
  } else {
    tn__bytes_blob(out, data, stored * tn_dtype_byte_size(dtype));
  }
}

static uint64_t write_elements(tn_artifact_t* artifact, tn_artifact_form_t form,
                               const tn_attr_t* attr) {
  const tn_type_t* type = attr->elements.type;
  const uint64_t number = is_builtin(form) ? tn__artifact_builtin_type(artifact, type)
                                           : tn__artifact_type(artifact, type);
  tn_bytes_t* out = begin(artifact, form, TN_BUILTIN_ELEMENTS, TN_VHLO_ELEMENTS);
  tn__bytes_varint(out, number);
  put_elements(out, type->dtype, attr->elements.data, (size_t)tn__type_size(type),
               attr->elements.splat);
  return end_attr(artifact);
}

// Elements of a tensor of rank 1.
static uint64_t write_vector(tn_artifact_t* artifact, tn_dtype_t dtype, size_t count,
                             const void* data, bool is_splat) {
  const int64_t dims[] = {(int64_t)count};
  const uint64_t type = tn__artifact_tensor(artifact, false, dtype, 1, dims);
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, TN_VHLO_ELEMENTS);
  tn__bytes_varint(out, type);
  put_elements(out, dtype, data, count, is_splat);
  return end_attr(artifact);
}

uint64_t tn__artifact_splat(tn_artifact_t* artifact, tn_dtype_t dtype, size_t count, size_t columns,
                            int64_t value) {
  const int64_t dims[] = {(int64_t)count, (int64_t)columns};
  const uint8_t boolean = value != 0;
  const size_t size = columns ? count * columns : count;
  const void* data = dtype == TN_DTYPE_PRED ? (const void*)&boolean : (const void*)&value;
  const uint64_t type = tn__artifact_tensor(artifact, false, dtype, columns ? 2 : 1, dims);
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, TN_VHLO_ELEMENTS);
  tn__bytes_varint(out, type);
  put_elements(out, dtype, data, size, true);
  return end_attr(artifact);
}

static uint64_t write_array(tn_artifact_t* artifact, tn_artifact_form_t form,
                            const tn_attr_t* attr) {
  const size_t mark = tn__artifact_mark(artifact), count = attr->array.count;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t item = tn__artifact_attr(artifact, attr->array.items[i], form);
    tn__artifact_push(artifact, item);
    if (item != TN_ARTIFACT_NOTHING) continue;
    artifact->numbers.length = mark;
    return TN_ARTIFACT_NOTHING;
  }
  tn_bytes_t* out = begin(artifact, form, TN_BUILTIN_ARRAY, TN_VHLO_ARRAY);
  tn__bytes_varint(out, count);
  tn__artifact_pop(artifact, mark, out);
  return end_attr(artifact);
}

// Lists that operations specify, whichever way they were written.
static uint64_t write_list(tn_artifact_t* artifact, const tn_attr_t* attr) {
  const tn_attr_t* list = attr;
  if (attr->kind == TN_ATTR_ELEMENTS) return write_elements(artifact, TN_FORM_VHLO, attr);
  if (attr->kind == TN_ATTR_ARRAY) {
    tn__artifact_keep(artifact, tn__attr_list_of_items(&artifact->arena, attr, &list));
    if (!list) return write_array(artifact, TN_FORM_VHLO, attr);
  }
  if (artifact->status) return 0;
  return write_vector(artifact, list->dtype, (size_t)list->dense_array.count,
                      list->dense_array.data, false);
}

// Of builtin alone: vhlo has none.
static uint64_t write_dense_array(tn_artifact_t* artifact, const tn_attr_t* attr) {
  const size_t count = (size_t)attr->dense_array.count;
  const uint64_t type = tn__artifact_element(artifact, true, attr->dtype);
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_BUILTIN);
  tn__bytes_varint(out, TN_BUILTIN_DENSE_ARRAY);
  tn__bytes_varint(out, type);
  tn__bytes_varint(out, count);
  tn__bytes_blob(out, attr->dense_array.data, count * tn_dtype_byte_size(attr->dtype));
  return end_attr(artifact);
}

// --- lists, dictionaries, structures

uint64_t tn__artifact_list(tn_artifact_t* artifact, size_t mark) {
  const size_t count = (artifact->numbers.length - mark) / sizeof(uint64_t);
  tn_bytes_t* out = begin(artifact, TN_FORM_VHLO, TN_BUILTIN_ARRAY, TN_VHLO_ARRAY);
  tn__bytes_varint(out, count);
  tn__artifact_pop(artifact, mark, out);
  return end_attr(artifact);
}

void tn__artifact_push_entry(tn_artifact_t* artifact, tn_artifact_form_t names,
                             tn_artifact_form_t values, const tn_named_attr_t* entry) {
  const uint64_t value = tn__artifact_attr(artifact, entry->attr, values);
  if (value == TN_ARTIFACT_NOTHING) return;
  tn__artifact_push(artifact, write_text(artifact, names, entry->name));
  tn__artifact_push(artifact, value);
}

uint64_t tn__artifact_dictionary(tn_artifact_t* artifact, tn_artifact_form_t form, size_t mark) {
  const size_t count = (artifact->numbers.length - mark) / (2 * sizeof(uint64_t));
  tn_bytes_t* out = begin(artifact, form, TN_BUILTIN_DICTIONARY, TN_VHLO_DICTIONARY);
  tn__bytes_varint(out, count);
  tn__artifact_pop(artifact, mark, out);
  return end_attr(artifact);
}

static uint64_t write_dictionary(tn_artifact_t* artifact, tn_artifact_form_t form,
                                 const tn_attr_dictionary_t* dictionary) {
  const size_t mark = tn__artifact_mark(artifact);
  for (size_t i = 0; i < dictionary->count; ++i) {
    tn__artifact_push_entry(artifact, form, form, &dictionary->entries[i]);
  }
  return tn__artifact_dictionary(artifact, form, mark);
}

uint64_t tn__artifact_attrs(tn_artifact_t* artifact, const tn_attr_dictionary_t* dictionary) {
  return write_dictionary(artifact, TN_FORM_VHLO, dictionary);
}

static void put_i64_list(tn_artifact_t* artifact, const tn_attr_dictionary_t* fields,
                         const char* name, tn_bytes_t* out) {
  tn_i64_list_t list = {0};
  tn__artifact_keep(artifact, tn__attr_get_i64_list(fields, name, &artifact->arena, &list));
  tn__bytes_varint(out, list.count);
  for (size_t i = 0; i < list.count; ++i) tn__bytes_signed_varint(out, list.values[i]);
}

static uint64_t write_alias(tn_artifact_t* artifact, const tn_attr_dictionary_t* fields) {
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, TN_VHLO_OUTPUT_OPERAND_ALIAS);
  put_i64_list(artifact, fields, "output_tuple_indices", out);
  tn__bytes_signed_varint(out, tn__attr_get_integer(fields, "operand_index", 0));
  put_i64_list(artifact, fields, "operand_tuple_indices", out);
  return end_attr(artifact);
}

uint64_t tn__artifact_accuracy(tn_artifact_t* artifact, const tn_attr_dictionary_t* fields) {
  const tn_float_format_t* format = tn__float_format(TN_DTYPE_F64);
  const uint64_t mode = tn__artifact_code(artifact, TN_VHLO_ACCURACY_MODE,
                                          (uint64_t)tn__attr_get_enum(fields, "mode", 0));
  tn__artifact_need(artifact, TN_ARTIFACT_VERSION(1, 9), "the attribute result_accuracy");
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, TN_VHLO_ACCURACY);
  put_bits(out, tn__float_encode(format, tn__attr_get_float(fields, "atol", 0)), format->bits);
  put_bits(out, tn__float_encode(format, tn__attr_get_float(fields, "rtol", 0)), format->bits);
  tn__bytes_signed_varint(out, tn__attr_get_integer(fields, "ulps", 0));
  tn__bytes_varint(out, mode);
  return end_attr(artifact);
}

static uint64_t write_struct(tn_artifact_t* artifact, const tn_attr_t* attr) {
  if (tn__sv_is(attr->name, "output_operand_alias"))
    return write_alias(artifact, &attr->dictionary);
  if (tn__sv_is(attr->name, "result_accuracy")) {
    return tn__artifact_accuracy(artifact, &attr->dictionary);
  }
  tn__artifact_fail(artifact,
                    "artifacts of StableHLO have no attribute #stablehlo.%.*s outside of the "
                    "operations that specify it",
                    TN_SV(attr->name));
  return 0;
}

// tf32 is no type of values, and kept as text; other such text is of other dialects.
static uint64_t write_opaque(tn_artifact_t* artifact, const tn_attr_t* attr) {
  if (!tn__sv_is(attr->string, "tf32")) return TN_ARTIFACT_NOTHING;
  tn__artifact_need(artifact, TN_ARTIFACT_VERSION(1, 6), "the type tf32");
  return tn__artifact_type_attr(artifact, tn__artifact_plain_type(artifact, TN_VHLO_TF32));
}

// --- entry points

static uint64_t write_attr(tn_artifact_t* artifact, const tn_attr_t* attr,
                           tn_artifact_form_t form) {
  const bool as_list = form == TN_FORM_TENSOR;
  switch (attr->kind) {
    case TN_ATTR_UNIT:
      tn__bytes_varint(tn__artifact_begin(artifact, TN_ENCODING_BUILTIN), TN_BUILTIN_UNIT);
      return end_attr(artifact);
    case TN_ATTR_BOOL: return write_boolean(artifact, form, attr->boolean);
    case TN_ATTR_INTEGER: return write_integer(artifact, form, attr->dtype, attr->integer);
    case TN_ATTR_FLOAT: return write_float(artifact, form, attr);
    case TN_ATTR_STRING: return write_text(artifact, form, attr->string);
    case TN_ATTR_SYMBOL:
      if (form == TN_FORM_STRING) return tn__artifact_text(artifact, attr->string);
      return write_symbol(artifact, attr->string);
    case TN_ATTR_TYPE: return write_type(artifact, form, attr);
    case TN_ATTR_ARRAY:
      return as_list ? write_list(artifact, attr) : write_array(artifact, form, attr);
    case TN_ATTR_DICTIONARY: return write_dictionary(artifact, form, &attr->dictionary);
    case TN_ATTR_DENSE_ARRAY:
      return as_list ? write_list(artifact, attr) : write_dense_array(artifact, attr);
    case TN_ATTR_ELEMENTS: return write_elements(artifact, form, attr);
    case TN_ATTR_ENUM: return write_enum(artifact, attr);
    case TN_ATTR_STRUCT: return write_struct(artifact, attr);
    case TN_ATTR_OPAQUE: break;
  }
  return write_opaque(artifact, attr);
}

uint64_t tn__artifact_attr(tn_artifact_t* artifact, const tn_attr_t* attr,
                           tn_artifact_form_t form) {
  uint64_t number = 0;
  if (artifact->status) return 0;
  if (!tn__attr_is_large(attr)) return write_attr(artifact, attr, form);
  if (tn__artifact_recall(&artifact->known_attrs, attr, form, &number)) return number;
  number = write_attr(artifact, attr, form);
  tn__artifact_note(artifact, &artifact->known_attrs, attr, form, number);
  return number;
}
