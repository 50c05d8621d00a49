// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What makes an array: as text, and compared with what makes another.
#include <tenon/detail/transform.h>

#include "array/rule.h"
#include "base/c_locale.h"
#include "base/type.h"

static tn_rule_t rule_of(const tn_step_t* step) {
  return tn__step_rule(step, NULL, step->operands, step->result_types);
}

// --- as text

enum { MOST_ELEMENTS = 8 };  // of an array; then ...

// Text with snprintf's contract: what does not fit is counted.
typedef struct tn_line {
  char* buffer;
  size_t capacity;
  size_t length;
} tn_line_t;

TN_PRINTF(2, 3) static void put(tn_line_t* line, const char* format, ...) {
  const bool fits = line->length < line->capacity;
  va_list arguments;
  va_start(arguments, format);
  const int length = tn__c_vsnprintf(fits ? line->buffer + line->length : NULL,
                                     fits ? line->capacity - line->length : 0, format, arguments);
  va_end(arguments);
  if (length > 0) line->length += (size_t)length;
}

static void put_element(tn_line_t* line, tn_dtype_t dtype, const char* element) {
  int64_t integer = 0;
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL: put(line, *element ? "true" : "false"); break;
    case TN_KIND_FLOAT: put(line, "%.9g", tn_dtype_load(dtype, element)); break;
    case TN_KIND_COMPLEX: {
      const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
      put(line, "(%.9g, %.9g)", tn_dtype_load(part, element),
          tn_dtype_load(part, element + tn_dtype_byte_size(part)));
      break;
    }
    default:
      if (tn_dtype_byte_size(dtype) < sizeof integer) {
        put(line, "%.0f", tn_dtype_load(dtype, element));
        break;
      }
      memcpy(&integer, element, sizeof integer);
      if (tn_dtype_kind(dtype) == TN_KIND_SIGNED) {
        put(line, "%lld", (long long)integer);
      } else {
        put(line, "%llu", (unsigned long long)integer);
      }
  }
}

static void put_elements(tn_line_t* line, tn_dtype_t dtype, size_t count, const char* data) {
  put(line, "[");
  for (size_t i = 0; i < count && i < MOST_ELEMENTS; ++i) {
    if (i) put(line, ", ");
    put_element(line, dtype, data + i * tn_dtype_byte_size(dtype));
  }
  put(line, count > MOST_ELEMENTS ? ", ...]" : "]");
}

static void put_attributes(tn_line_t* line, const tn_attr_dictionary_t* attributes);

static void put_value(tn_line_t* line, const tn_attr_t* attr) {
  switch (attr->kind) {
    case TN_ATTR_BOOL: put(line, attr->boolean ? "true" : "false"); break;
    case TN_ATTR_INTEGER: put(line, "%lld", (long long)attr->integer); break;
    case TN_ATTR_FLOAT: put(line, "%.9g", attr->real); break;
    case TN_ATTR_STRING:
    case TN_ATTR_ENUM: put(line, "\"%.*s\"", TN_SV(attr->string)); break;
    case TN_ATTR_DENSE_ARRAY:
      put_elements(line, attr->dtype, (size_t)attr->dense_array.count, attr->dense_array.data);
      break;
    case TN_ATTR_ELEMENTS:
      put_elements(line, attr->elements.type->dtype,
                   attr->elements.splat ? 1 : (size_t)tn__type_size(attr->elements.type),
                   attr->elements.data);
      break;
    case TN_ATTR_DICTIONARY:
    case TN_ATTR_STRUCT:
      put(line, "{");
      put_attributes(line, &attr->dictionary);
      put(line, "}");
      break;
    default: put(line, "%s", tn__attr_kind_name(attr->kind));
  }
}

static void put_attributes(tn_line_t* line, const tn_attr_dictionary_t* attributes) {
  for (size_t i = 0; i < attributes->count; ++i) {
    put(line, i ? ", %.*s=" : "%.*s=", TN_SV(attributes->entries[i].name));
    put_value(line, attributes->entries[i].attr);
  }
}

size_t tn_array_describe(const tn_array_t* array, char* buffer, size_t capacity) {
  const tn_step_t* step = array ? array->step : NULL;
  if (capacity) buffer[0] = 0;
  if (!step) return 0;
  const tn_rule_t rule = rule_of(step);
  if (rule.op && rule.op->print) return rule.op->print(&rule, buffer, capacity);
  const char* name = tn__step_name(step);
  const char* dot = strrchr(name, '.');
  tn_line_t line = {buffer, capacity, 0};
  put(&line, "%s", dot && !tn__step_is_called(step) ? dot + 1 : name);
  if (step->attributes.count == 0) return line.length;
  put(&line, "(");
  put_attributes(&line, &step->attributes);
  put(&line, ")");
  return line.length;
}

// --- compared

bool tn_array_is_equivalent(const tn_array_t* a, const tn_array_t* b) {
  if (a == b) return true;
  const tn_step_t *x = a ? a->step : NULL, *y = b ? b->step : NULL;
  if (!x || !y || x->op != y->op || x->excerpt != y->excerpt || a->index != b->index ||
      x->operand_count != y->operand_count || x->body != y->body || a->dtype != b->dtype ||
      a->rank != b->rank) {
    return false;
  }
  for (size_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != b->dims[d]) return false;
  }
  for (uint32_t i = 0; i < x->operand_count; ++i) {
    if (x->operands[i] != y->operands[i]) return false;
  }
  const tn_rule_t first = rule_of(x), second = rule_of(y);
  if (first.op && first.op->equal) return first.op->equal(&first, &second);
  return tn__attr_dictionary_equal(&x->attributes, &y->attributes);
}
