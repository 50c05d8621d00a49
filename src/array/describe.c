// What makes an array: as text, and compared with what makes another.
#include <tenon/transform.h>
#include "array/rule.h"

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
          tn_dtype_load(part, element + tn_dtype_size(part)));
      break;
    }
    default:
      if (tn_dtype_size(dtype) < sizeof integer) {
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

static void put_attributes(tn_line_t* line, size_t count, const tn_attribute_t* attributes);

static void put_value(tn_line_t* line, const tn_attribute_t* attribute) {
  const char* data = attribute->data;
  switch (attribute->kind) {
    case TN_ATTRIBUTE_BOOL: put(line, attribute->integer ? "true" : "false"); break;
    case TN_ATTRIBUTE_INTEGER: put(line, "%lld", (long long)attribute->integer); break;
    case TN_ATTRIBUTE_FLOAT: put(line, "%.9g", attribute->real); break;
    case TN_ATTRIBUTE_STRING: put(line, "\"%.*s\"", (int)attribute->count, data); break;
    case TN_ATTRIBUTE_ARRAY:
      put(line, "[");
      for (size_t i = 0; i < attribute->count && i < MOST_ELEMENTS; ++i) {
        if (i) put(line, ", ");
        put_element(line, attribute->dtype, data + i * tn_dtype_size(attribute->dtype));
      }
      put(line, attribute->count > MOST_ELEMENTS ? ", ...]" : "]");
      break;
    case TN_ATTRIBUTE_DICTIONARY:
      put(line, "{");
      put_attributes(line, attribute->count, attribute->entries);
      put(line, "}");
      break;
  }
}

static void put_attributes(tn_line_t* line, size_t count, const tn_attribute_t* attributes) {
  for (size_t i = 0; i < count; ++i) {
    put(line, i ? ", %s=" : "%s=", attributes[i].name);
    put_value(line, &attributes[i]);
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
  if (rule.attribute_count == 0) return line.length;
  put(&line, "(");
  put_attributes(&line, rule.attribute_count, rule.attributes);
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
  return tn__attributes_equal(x->attributes, y->attributes);
}
