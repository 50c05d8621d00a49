// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes as text.
#include <stdio.h>

#include "text/lexer.h"
#include "text/numbers.h"
#include "text/printer.h"

static void put_element(tn_printer_t* printer, tn_dtype_t dtype, const char* element) {
  char text[TN_NUMBER_CAPACITY];
  if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX) {
    tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
    tn__put(printer, "(", 1);
    put_element(printer, part, element);
    tn__put(printer, ",", 1);
    put_element(printer, part, element + tn_dtype_byte_size(part));
    tn__put(printer, ")", 1);
    return;
  }
  tn__put(printer, text, tn__number_print_element(dtype, element, text));
}

// --- dense<...>

enum { MOST_WRITTEN_OUT = 100 };  // elements; more are written as hexadecimal bytes

static void put_hex(tn_printer_t* printer, tn_dtype_t dtype, const uint8_t* data, size_t length) {
  static const char digits[] = "0123456789ABCDEF";
  uint32_t bits = tn_dtype_bit_width(dtype);
  uint8_t mask = bits < 8 ? (uint8_t)((1u << bits) - 1) : 0xFF;
  char text[512];
  size_t used = 0;
  tn__put(printer, "\"0x", 3);
  for (size_t i = 0; i < length; ++i) {
    uint8_t byte = data[i] & mask;
    text[used++] = digits[byte >> 4];
    text[used++] = digits[byte & 15];
    if (used == sizeof text) {
      tn__put(printer, text, used);
      used = 0;
    }
  }
  tn__put(printer, text, used);
  tn__put(printer, "\"", 1);
}

// The list of one dimension; *data is moved behind it.
static void put_list(tn_printer_t* printer, const tn_type_t* type, size_t dimension,
                     const char** data) {
  if (dimension == type->rank) {
    put_element(printer, type->dtype, *data);
    *data += tn_dtype_byte_size(type->dtype);
    return;
  }
  tn__put(printer, "[", 1);
  for (int64_t i = 0; i < type->dims[dimension]; ++i) {
    if (i) tn__put(printer, ", ", 2);
    put_list(printer, type, dimension + 1, data);
  }
  tn__put(printer, "]", 1);
}

static void put_elements(tn_printer_t* printer, const tn_attr_t* attr) {
  const tn_type_t* type = attr->elements.type;
  const char* data = attr->elements.data;
  int64_t count = tn__type_size(type);
  tn__put_text(printer, "dense<");
  if (count == 0) {
    // Nothing between the brackets.
  } else if (attr->elements.splat) {
    put_element(printer, type->dtype, data);
  } else if (count > MOST_WRITTEN_OUT) {
    put_hex(printer, type->dtype, (const uint8_t*)data, tn__type_byte_size(type));
  } else {
    put_list(printer, type, 0, &data);
  }
  tn__put_text(printer, "> : ");
  tn__put_type(printer, type);
}

// --- lists

static void put_dense_items(tn_printer_t* printer, const tn_attr_t* attr) {
  const char* data = attr->dense_array.data;
  size_t size = tn_dtype_byte_size(attr->dtype);
  for (int64_t i = 0; i < attr->dense_array.count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    put_element(printer, attr->dtype, data + (size_t)i * size);
  }
}

void tn__put_i64_list(tn_printer_t* printer, const tn_attr_t* attr) {
  tn__put(printer, "[", 1);
  put_dense_items(printer, attr);
  tn__put(printer, "]", 1);
}

static void put_dense_array(tn_printer_t* printer, const tn_attr_t* attr) {
  tn__put_text(printer, "array<");
  tn__put_text(printer, tn_dtype_name(attr->dtype));
  if (attr->dense_array.count) tn__put(printer, ": ", 2);
  put_dense_items(printer, attr);
  tn__put(printer, ">", 1);
}

static void put_array(tn_printer_t* printer, const tn_attr_t* attr,
                      void (*put_item)(tn_printer_t* printer, const tn_attr_t* item)) {
  tn__put(printer, "[", 1);
  for (size_t i = 0; i < attr->array.count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    put_item(printer, attr->array.items[i]);
  }
  tn__put(printer, "]", 1);
}

void tn__put_entry(tn_printer_t* printer, const tn_named_attr_t* entry) {
  if (tn__is_bare_name(entry->name)) {
    tn__put_view(printer, entry->name);
  } else {
    tn__put_string(printer, entry->name);
  }
  if (entry->attr->kind == TN_ATTR_UNIT) return;
  tn__put(printer, " = ", 3);
  tn__put_attr(printer, entry->attr);
}

void tn__put_dictionary(tn_printer_t* printer, const tn_attr_dictionary_t* dictionary) {
  tn__put(printer, "{", 1);
  for (size_t i = 0; i < dictionary->count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    tn__put_entry(printer, &dictionary->entries[i]);
  }
  tn__put(printer, "}", 1);
}

// --- structures

// Those that other readers want with all their fields, also the empty ones.
static bool is_written_in_full(tn_string_view_t name) {
  return tn__sv_is(name, "channel_handle") || tn__sv_is(name, "output_operand_alias") ||
         tn__sv_is(name, "dot_algorithm") || tn__sv_is(name, "conv");
}

static void put_field(tn_printer_t* printer, const tn_attr_spec_t* field, const tn_attr_t* attr) {
  tn__put_text(printer, field->name);
  tn__put(printer, " = ", 3);
  if (!attr) {  // what an absent field means
    const char* text = field->type == TN_ATTR_TYPE_I64_LIST ? "[]"
                       : field->type == TN_ATTR_TYPE_BOOL   ? "false"
                                                            : "0";
    tn__put_text(printer, text);
  } else if (attr->kind == TN_ATTR_ENUM) {
    tn__put_attr(printer, attr);
  } else {
    tn__put_natural_attr(printer, attr);
  }
}

static bool has_default(const tn_attr_spec_t* field) {
  return field->type == TN_ATTR_TYPE_I64_LIST || field->type == TN_ATTR_TYPE_I64 ||
         field->type == TN_ATTR_TYPE_BOOL;
}

void tn__put_struct_fields(tn_printer_t* printer, const tn_attr_t* attr) {
  const tn_attr_spec_t* fields = tn__struct_fields(attr->name);
  bool full = is_written_in_full(attr->name), first = true;
  tn__put(printer, "<", 1);
  if (tn__sv_is(attr->name, "conv")) {
    if (tn__convolution_numbers_are_plain(attr)) {
      tn__put_convolution_numbers(printer, attr);
      tn__put(printer, ">", 1);
      return;
    }
    tn__put(printer, "raw ", 4);
  }
  for (; fields && fields->name; ++fields) {
    const tn_attr_t* value = tn__attr_find(&attr->dictionary, fields->name);
    if (!value && !(full && has_default(fields))) continue;
    if (!first) tn__put(printer, ", ", 2);
    first = false;
    put_field(printer, fields, value);
  }
  tn__put(printer, ">", 1);
}

// Where a dimension of one tensor of a convolution is: a letter, or a spatial number.
typedef struct dimension_place {
  char letter;      // 0: spatial
  int64_t spatial;  // -1: nothing is here
} dimension_place_t;

typedef struct dimension_names {
  char letters[2];
  const char* names[2];
  const char* spatial;
} dimension_names_t;

static const dimension_names_t convolution_tensors[3] = {
    {{'b', 'f'}, {"input_batch_dimension", "input_feature_dimension"}, "input_spatial_dimensions"},
    {{'i', 'o'},
     {"kernel_input_feature_dimension", "kernel_output_feature_dimension"},
     "kernel_spatial_dimensions"},
    {{'b', 'f'},
     {"output_batch_dimension", "output_feature_dimension"},
     "output_spatial_dimensions"},
};

// False when a dimension is missing, named twice or out of range.
static bool place_dimensions(const tn_attr_t* attr, const dimension_names_t* names,
                             dimension_place_t places[TN_MAX_RANK], size_t* out_count) {
  const tn_attr_t* spatial = tn__attr_find(&attr->dictionary, names->spatial);
  size_t spatial_count = spatial ? (size_t)spatial->dense_array.count : 0;
  size_t count = spatial_count + 2;
  if (count > TN_MAX_RANK) return false;
  for (size_t i = 0; i < count; ++i) places[i] = (dimension_place_t){0, -1};
  for (int i = 0; i < 2; ++i) {
    const tn_attr_t* dimension = tn__attr_find(&attr->dictionary, names->names[i]);
    uint64_t at = dimension ? (uint64_t)dimension->integer : 0;
    if (at >= count || places[at].letter) return false;
    places[at].letter = names->letters[i];
  }
  for (size_t i = 0; i < spatial_count; ++i) {
    uint64_t at = (uint64_t)((const int64_t*)spatial->dense_array.data)[i];
    if (at >= count || places[at].letter || places[at].spatial >= 0) return false;
    places[at].spatial = (int64_t)i;
  }
  *out_count = count;
  return true;
}

bool tn__convolution_numbers_are_plain(const tn_attr_t* attr) {
  for (int i = 0; i < 3; ++i) {
    dimension_place_t places[TN_MAX_RANK];
    size_t count;
    if (!place_dimensions(attr, &convolution_tensors[i], places, &count)) return false;
  }
  return true;
}

void tn__put_convolution_numbers(tn_printer_t* printer, const tn_attr_t* attr) {
  static const char* const before[3] = {"[", "x[", "->["};
  for (int i = 0; i < 3; ++i) {
    dimension_place_t places[TN_MAX_RANK];
    size_t count = 0;
    place_dimensions(attr, &convolution_tensors[i], places, &count);
    tn__put_text(printer, before[i]);
    for (size_t j = 0; j < count; ++j) {
      if (j) tn__put(printer, ", ", 2);
      if (places[j].letter) {
        tn__put(printer, &places[j].letter, 1);
      } else {
        tn__put_integer(printer, places[j].spatial);
      }
    }
    tn__put(printer, "]", 1);
  }
}

// --- any attribute

static void put_number(tn_printer_t* printer, const tn_attr_t* attr) {
  char text[TN_NUMBER_CAPACITY];
  if (attr->kind == TN_ATTR_FLOAT) {
    tn__put(printer, text, tn__number_print_float(attr->dtype, attr->real, text));
  } else if (tn_dtype_kind(attr->dtype) == TN_KIND_UNSIGNED) {
    unsigned long long value = (unsigned long long)attr->integer;
    tn__put(printer, text, (size_t)snprintf(text, sizeof text, "%llu", value));
  } else {
    tn__put_integer(printer, attr->integer);
  }
}

static void put_type_attr(tn_printer_t* printer, const tn_attr_t* attr) {
  if (attr->type.element_type) {
    tn__put_text(printer, tn_dtype_name(attr->type.type->dtype));
  } else {
    tn__put_type(printer, attr->type.type);
  }
}

static void put_enum(tn_printer_t* printer, const tn_attr_t* attr) {
  if (tn__sv_is(attr->name, "result_accuracy_mode")) {
    tn__put_text(printer, "#stablehlo.result_accuracy_mode<");
  } else {
    tn__put_text(printer, "#stablehlo<");
    tn__put_view(printer, attr->name);
    tn__put(printer, " ", 1);
  }
  tn__put_view(printer, attr->string);
  tn__put(printer, ">", 1);
}

void tn__put_attr(tn_printer_t* printer, const tn_attr_t* attr) {
  if (tn__put_attr_alias(printer, attr)) return;
  switch (attr->kind) {
    case TN_ATTR_UNIT: tn__put_text(printer, "unit"); return;
    case TN_ATTR_BOOL: tn__put_text(printer, attr->boolean ? "true" : "false"); return;
    case TN_ATTR_INTEGER:
    case TN_ATTR_FLOAT:
      put_number(printer, attr);
      tn__put(printer, " : ", 3);
      tn__put_text(printer, tn_dtype_name(attr->dtype));
      return;
    case TN_ATTR_STRING: tn__put_string(printer, attr->string); return;
    case TN_ATTR_SYMBOL: tn__put_symbol(printer, attr->string); return;
    case TN_ATTR_TYPE: put_type_attr(printer, attr); return;
    case TN_ATTR_ARRAY: put_array(printer, attr, tn__put_attr); return;
    case TN_ATTR_DICTIONARY: tn__put_dictionary(printer, &attr->dictionary); return;
    case TN_ATTR_DENSE_ARRAY: put_dense_array(printer, attr); return;
    case TN_ATTR_ELEMENTS: put_elements(printer, attr); return;
    case TN_ATTR_ENUM: put_enum(printer, attr); return;
    case TN_ATTR_STRUCT:
      tn__put_text(printer, "#stablehlo.");
      tn__put_view(printer, attr->name);
      tn__put_struct_fields(printer, attr);
      return;
    case TN_ATTR_OPAQUE: tn__put_view(printer, attr->string); return;
  }
}

void tn__put_natural_attr(tn_printer_t* printer, const tn_attr_t* attr) {
  switch (attr->kind) {
    case TN_ATTR_INTEGER:
    case TN_ATTR_FLOAT: put_number(printer, attr); return;
    case TN_ATTR_DENSE_ARRAY: tn__put_i64_list(printer, attr); return;
    case TN_ATTR_ENUM: tn__put_view(printer, attr->string); return;
    case TN_ATTR_ARRAY: put_array(printer, attr, tn__put_natural_attr); return;
    case TN_ATTR_STRUCT: tn__put_struct_fields(printer, attr); return;
    default: tn__put_attr(printer, attr);
  }
}

static bool is_list_of_enums(const tn_attr_t* attr) {
  if (attr->kind != TN_ATTR_ARRAY) return false;
  for (size_t i = 0; i < attr->array.count; ++i) {
    if (attr->array.items[i]->kind != TN_ATTR_ENUM) return false;
  }
  return true;
}

bool tn__attr_is_natural(const tn_attr_spec_t* spec, const tn_attr_t* attr) {
  switch (spec->type) {
    case TN_ATTR_TYPE_BOOL: return attr->kind == TN_ATTR_BOOL;
    case TN_ATTR_TYPE_I32: return attr->kind == TN_ATTR_INTEGER && attr->dtype == TN_DTYPE_S32;
    case TN_ATTR_TYPE_I64: return attr->kind == TN_ATTR_INTEGER && attr->dtype == TN_DTYPE_S64;
    case TN_ATTR_TYPE_U64: return attr->kind == TN_ATTR_INTEGER && attr->dtype == TN_DTYPE_U64;
    case TN_ATTR_TYPE_F32:
    case TN_ATTR_TYPE_F64: {
      tn_dtype_t dtype = spec->type == TN_ATTR_TYPE_F32 ? TN_DTYPE_F32 : TN_DTYPE_F64;
      return attr->kind == TN_ATTR_FLOAT && attr->dtype == dtype && attr->real - attr->real == 0;
    }
    case TN_ATTR_TYPE_STRING: return attr->kind == TN_ATTR_STRING;
    case TN_ATTR_TYPE_SYMBOL: return attr->kind == TN_ATTR_SYMBOL;
    case TN_ATTR_TYPE_I64_LIST:
      return attr->kind == TN_ATTR_DENSE_ARRAY && attr->dtype == TN_DTYPE_S64;
    case TN_ATTR_TYPE_ENUM: return attr->kind == TN_ATTR_ENUM;
    case TN_ATTR_TYPE_ENUM_LIST: return is_list_of_enums(attr);
    case TN_ATTR_TYPE_STRUCT: return attr->kind == TN_ATTR_STRUCT;
    default: return false;
  }
}
