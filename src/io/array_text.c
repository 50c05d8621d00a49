// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays as NumPy's str() shows them: shortest digits, columns aligned, lines of 75 characters, and
// "..." in the middle of large ones; and as JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/npy.h>

#include "base/float_format.h"
#include "base/type.h"
#include "base/writer.h"
#include "io/float_text.h"

enum {
  LINE_WIDTH = 75,
  THRESHOLD = 1000,  // elements of an array that is shown in full
  EDGE_ITEMS = 3,    // of each end of a dimension that is not
  PRECISION = 8,     // digits behind the point at most
  WORD_SIZE = 2 * TN_FLOAT_TEXT_SIZE + 8,
};

typedef struct array {
  tn_dtype_t dtype;
  size_t rank;
  const int64_t* dims;
  size_t strides[TN_MAX_RANK];  // in bytes
  const char* data;
  bool is_summarized;
} array_t;

// How the floats of one array are written (complex ones: their real or their imaginary parts).
typedef struct float_style {
  bool is_scientific;
  bool has_plus;  // imaginary parts
  int pad_left, pad_right;
  int precision;
  int exponent_digits;
} float_style_t;

typedef struct style {
  int width;  // of integers
  float_style_t real, imaginary;
} style_t;

// --- elements

static double part_of(const array_t* array, const char* element, bool imaginary) {
  switch (array->dtype) {
    case TN_DTYPE_C64: return (double)((const float*)element)[imaginary];
    case TN_DTYPE_C128: return ((const double*)element)[imaginary];
    default: return tn__float_load(array->dtype, element);
  }
}

static int integer_text(tn_dtype_t dtype, const char* element, char* out, size_t capacity) {
  size_t size = tn_dtype_byte_size(dtype);
  if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) {
    uint64_t value = 0;
    switch (size) {
      case 1: value = *(const uint8_t*)element; break;
      case 2: value = *(const uint16_t*)element; break;
      case 4: value = *(const uint32_t*)element; break;
      default: value = *(const uint64_t*)element; break;
    }
    return snprintf(out, capacity, "%" PRIu64, value);
  }
  int64_t value = 0;
  switch (size) {
    case 1: value = *(const int8_t*)element; break;
    case 2: value = *(const int16_t*)element; break;
    case 4: value = *(const int32_t*)element; break;
    default: value = *(const int64_t*)element; break;
  }
  return snprintf(out, capacity, "%" PRId64, value);
}

// NumPy aligns its own dtypes; those of ml_dtypes stay as they are.
static bool is_aligned(tn_dtype_t dtype) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_SIGNED:
    case TN_KIND_UNSIGNED: return tn_dtype_bit_width(dtype) >= 8;
    case TN_KIND_FLOAT:
      return dtype == TN_DTYPE_F16 || dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_F64;
    default: return true;
  }
}

// --- the elements that will be shown, in order

static bool is_left_out(const array_t* array, size_t axis, int64_t index) {
  int64_t count = array->dims[axis];
  return array->is_summarized && count > 2 * EDGE_ITEMS && index >= EDGE_ITEMS &&
         index < count - EDGE_ITEMS;
}

typedef void (*visit_fn)(const array_t* array, const char* element, void* user);

static void visit_shown(const array_t* array, size_t axis, const char* data, visit_fn visit,
                        void* user) {
  if (axis == array->rank) {
    visit(array, data, user);
    return;
  }
  for (int64_t i = 0; i < array->dims[axis]; ++i) {
    if (is_left_out(array, axis, i)) i = array->dims[axis] - EDGE_ITEMS;
    visit_shown(array, axis + 1, data + (size_t)i * array->strides[axis], visit, user);
  }
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

static void widen_integers(const array_t* array, const char* element, void* user) {
  style_t* style = user;
  char text[32];
  style->width = larger(style->width, integer_text(array->dtype, element, text, sizeof text));
}

// What a float style follows from.
typedef struct float_range {
  bool imaginary;
  double largest, smallest;  // magnitudes of the finite ones that are not zero; 0: there are none
  bool has_finite, has_others, has_negative_infinity;
  float_style_t* style;
} float_range_t;

static void widen_range(const array_t* array, const char* element, void* user) {
  float_range_t* range = user;
  double value = part_of(array, element, range->imaginary);
  if (!isfinite(value)) {
    range->has_others = true;
    range->has_negative_infinity |= isinf(value) && value < 0;
    return;
  }
  range->has_finite = true;
  double magnitude = fabs(value);
  if (magnitude == 0) return;
  if (magnitude > range->largest) range->largest = magnitude;
  if (range->smallest == 0 || magnitude < range->smallest) range->smallest = magnitude;
}

static double rounded(tn_dtype_t dtype, double value) {
  switch (dtype) {
    case TN_DTYPE_F64:
    case TN_DTYPE_C128: return value;
    case TN_DTYPE_F32:
    case TN_DTYPE_C64: return (double)(float)value;
    default: {
      const tn_float_format_t* format = tn__float_format(dtype);
      return tn__float_decode(format, tn__float_encode(format, value));
    }
  }
}

// NumPy compares in the dtype of the array, whose limits decide what is large.
static bool wants_exponents(tn_dtype_t dtype, double largest, double smallest) {
  bool is_single = dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_C64;
  double limit = dtype == TN_DTYPE_F16 ? 1e3 : is_single ? 1e6 : 1e8;
  return largest >= limit || smallest < rounded(dtype, 1e-4) ||
         rounded(dtype, largest / smallest) > 1000;
}

static void widen_style(const array_t* array, const char* element, void* user) {
  float_range_t* range = user;
  float_style_t* style = range->style;
  char text[TN_FLOAT_TEXT_SIZE];
  double value = part_of(array, element, range->imaginary);
  if (!isfinite(value)) return;
  int behind;
  if (style->is_scientific) {
    behind = tn__float_text_scientific(array->dtype, value, PRECISION, 0, TN_TRIM_POINT, text);
    style->exponent_digits = larger(style->exponent_digits, (int)strlen(strchr(text, 'e')) - 2);
  } else {
    behind = tn__float_text_positional(array->dtype, value, PRECISION, TN_TRIM_POINT, text);
  }
  int before = (int)strcspn(text, ".") + (style->has_plus && !signbit(value));
  style->pad_left = larger(style->pad_left, before);
  style->precision = larger(style->precision, behind);
}

static void measure_floats(const array_t* array, bool imaginary, float_style_t* out) {
  *out = (float_style_t){.has_plus = imaginary};
  float_range_t range = {.imaginary = imaginary, .style = out};
  visit_shown(array, 0, array->data, widen_range, &range);
  out->is_scientific =
      range.largest > 0 && wants_exponents(array->dtype, range.largest, range.smallest);
  visit_shown(array, 0, array->data, widen_style, &range);
  out->pad_right = out->precision;
  if (out->is_scientific) out->pad_right += out->exponent_digits + 2;
  if (range.has_others) {
    int signs = imaginary || range.has_negative_infinity;
    out->pad_left = larger(out->pad_left, 3 + signs - (out->pad_right + 1));
    out->pad_left = larger(out->pad_left, 3 - (out->pad_right + 1));
  }
}

static void measure(const array_t* array, style_t* out) {
  *out = (style_t){0};
  if (!is_aligned(array->dtype)) return;
  switch (tn_dtype_kind(array->dtype)) {
    case TN_KIND_SIGNED:
    case TN_KIND_UNSIGNED: visit_shown(array, 0, array->data, widen_integers, out); break;
    case TN_KIND_FLOAT: measure_floats(array, false, &out->real); break;
    case TN_KIND_COMPLEX:
      measure_floats(array, false, &out->real);
      measure_floats(array, true, &out->imaginary);
      break;
    default: break;
  }
}

// --- words

// Returns the length.
static int float_word(tn_dtype_t dtype, const float_style_t* style, double value, char* out) {
  char text[TN_FLOAT_TEXT_SIZE];
  const char* plus = style->has_plus && !signbit(value) ? "+" : "";
  if (!isfinite(value)) {
    if (isnan(value)) plus = style->has_plus ? "+" : "";
    snprintf(text, sizeof text, "%s%s", plus, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return snprintf(out, WORD_SIZE, "%*s", style->pad_left + style->pad_right + 1, text);
  }
  int behind = style->precision;
  if (style->is_scientific) {
    tn__float_text_scientific(dtype, value, style->precision, style->precision, TN_TRIM_POINT,
                              text);
    // All exponents get as many digits as the longest.
    char* exponent = strchr(text, 'e') + 2;
    int missing = style->exponent_digits - (int)strlen(exponent);
    if (missing > 0) {
      memmove(exponent + missing, exponent, strlen(exponent) + 1);
      memset(exponent, '0', (size_t)missing);
    }
  } else {
    behind = tn__float_text_positional(dtype, value, style->precision, TN_TRIM_POINT, text);
  }
  int before = (int)strcspn(text, ".") + (int)strlen(plus);
  int left = larger(style->pad_left - before, 0);
  int right = style->is_scientific ? 0 : larger(style->pad_right - behind, 0);
  return snprintf(out, WORD_SIZE, "%*s%s%s%*s", left, "", plus, text, right, "");
}

// The "j" follows the digits, before the spaces that fill the column.
static int complex_word(const array_t* array, const style_t* style, const char* element,
                        char* out) {
  int length = float_word(array->dtype, &style->real, part_of(array, element, false), out);
  length +=
      float_word(array->dtype, &style->imaginary, part_of(array, element, true), out + length);
  int end = length;
  while (out[end - 1] == ' ') --end;
  memmove(out + end + 1, out + end, (size_t)(length - end) + 1);
  out[end] = 'j';
  return length + 1;
}

static int narrow_word(const array_t* array, const char* element, char* out) {
  if (tn_dtype_kind(array->dtype) & TN_KIND_INTEGER) {
    return integer_text(array->dtype, element, out, WORD_SIZE);
  }
  tn__float_text_scalar(array->dtype, part_of(array, element, false), TN_TRIM_ZERO, out);
  return (int)strlen(out);
}

static int word_of(const array_t* array, const style_t* style, const char* element, char* out) {
  char text[32];
  if (!is_aligned(array->dtype)) return narrow_word(array, element, out);
  switch (tn_dtype_kind(array->dtype)) {
    case TN_KIND_BOOL: return snprintf(out, WORD_SIZE, "%s", *element ? " True" : "False");
    case TN_KIND_FLOAT:
      return float_word(array->dtype, &style->real, part_of(array, element, false), out);
    case TN_KIND_COMPLEX: return complex_word(array, style, element, out);
    default:
      integer_text(array->dtype, element, text, sizeof text);
      return snprintf(out, WORD_SIZE, "%*s", style->width, text);
  }
}

// An array without dimensions is shown as a number of Python.
static void scalar_word(const array_t* array, char* out) {
  char real[TN_FLOAT_TEXT_SIZE], imaginary[TN_FLOAT_TEXT_SIZE];
  const char* element = array->data;
  switch (tn_dtype_kind(array->dtype)) {
    case TN_KIND_BOOL: snprintf(out, WORD_SIZE, "%s", *element ? "True" : "False"); return;
    case TN_KIND_FLOAT:
      tn__float_text_scalar(array->dtype, part_of(array, element, false), TN_TRIM_ZERO, out);
      return;
    case TN_KIND_COMPLEX: {
      double re = part_of(array, element, false), im = part_of(array, element, true);
      tn__float_text_scalar(array->dtype, re, TN_TRIM_ALL, real);
      tn__float_text_scalar(array->dtype, im, TN_TRIM_ALL, imaginary);
      if (re == 0 && !signbit(re)) {
        snprintf(out, WORD_SIZE, "%sj", imaginary);
      } else {
        snprintf(out, WORD_SIZE, "(%s%s%sj)", real, imaginary[0] == '-' ? "" : "+", imaginary);
      }
      return;
    }
    default: integer_text(array->dtype, element, out, WORD_SIZE);
  }
}

// --- lines

typedef struct page {
  tn_writer_t writer;
  const array_t* array;
  const style_t* style;
  char line[LINE_WIDTH + WORD_SIZE + TN_MAX_RANK + 8];
  size_t length;      // of `line`
  size_t line_start;  // what every line of this row begins with: its spaces and brackets
} page_t;

static void end_line(page_t* page) {
  while (page->length && page->line[page->length - 1] == ' ') --page->length;
  tn__write(&page->writer, page->line, page->length);
  tn__write(&page->writer, "\n", 1);
  page->length = 0;
}

// Appends a word of a row; a line that it would make longer than `width` ends before it.
static void add_word(page_t* page, const char* word, size_t length, size_t width) {
  if (page->length + length > width && page->length > page->line_start) {
    end_line(page);
    memset(page->line, ' ', page->line_start);
    page->length = page->line_start;
  }
  memcpy(page->line + page->length, word, length);
  page->length += length;
}

static void put_char(page_t* page, char c) {
  page->line[page->length++] = c;
}

static void put_row(page_t* page, const char* data, size_t width) {
  const array_t* array = page->array;
  size_t axis = array->rank - 1;
  int64_t count = array->dims[axis];
  char word[WORD_SIZE];
  page->line_start = page->length;
  for (int64_t i = 0; i < count; ++i) {
    if (is_left_out(array, axis, i)) {
      add_word(page, "...", 3, width);
      put_char(page, ' ');
      i = count - EDGE_ITEMS;
    }
    int length = word_of(array, page->style, data + (size_t)i * array->strides[axis], word);
    add_word(page, word, (size_t)length, width);
    if (i + 1 < count) put_char(page, ' ');
  }
}

// Between two parts of a dimension: one line's end for a row, an empty line more for each further
// dimension.
static void separate(page_t* page, size_t axis) {
  end_line(page);
  for (size_t d = axis + 2; d < page->array->rank; ++d) tn__write(&page->writer, "\n", 1);
  memset(page->line, ' ', axis + 1);
  page->length = axis + 1;
}

static void put_axis(page_t* page, size_t axis, const char* data, size_t width) {
  const array_t* array = page->array;
  put_char(page, '[');
  if (axis + 1 == array->rank) {
    put_row(page, data, width - 1);
  } else {
    for (int64_t i = 0; i < array->dims[axis]; ++i) {
      if (is_left_out(array, axis, i)) {
        memcpy(page->line + page->length, "...", 3);
        page->length += 3;
        separate(page, axis);
        i = array->dims[axis] - EDGE_ITEMS;
      }
      put_axis(page, axis + 1, data + (size_t)i * array->strides[axis], width - 1);
      if (i + 1 < array->dims[axis]) separate(page, axis);
    }
  }
  put_char(page, ']');
}

static void put_array(tn_writer_t* writer, const array_t* array, page_t* page) {
  char word[WORD_SIZE];
  if (array->rank == 0) {
    scalar_word(array, word);
    tn__write_string(writer, word);
    return;
  }
  style_t style;
  measure(array, &style);
  page->writer = *writer;
  page->array = array;
  page->style = &style;
  page->length = 0;
  put_axis(page, 0, array->data, LINE_WIDTH);
  tn__write(&page->writer, page->line, page->length);
  *writer = page->writer;
}

// --- JSON

static void put_json_float(tn_writer_t* writer, tn_dtype_t dtype, double value) {
  char text[TN_FLOAT_TEXT_SIZE];
  if (!isfinite(value)) {
    // JSON has no word for these.
    tn__write_string(writer, isnan(value) ? "\"nan\"" : value < 0 ? "\"-inf\"" : "\"inf\"");
    return;
  }
  double magnitude = fabs(value);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16)) {
    tn__float_text_positional(dtype, value, -1, TN_TRIM_ZERO, text);
  } else {
    tn__float_text_scientific(dtype, value, -1, 0, TN_TRIM_ALL, text);
  }
  tn__write_string(writer, text);
}

static void put_json_element(tn_writer_t* writer, const array_t* array, const char* element) {
  char text[32];
  switch (tn_dtype_kind(array->dtype)) {
    case TN_KIND_BOOL: tn__write_string(writer, *element ? "true" : "false"); break;
    case TN_KIND_FLOAT: put_json_float(writer, array->dtype, part_of(array, element, false)); break;
    case TN_KIND_COMPLEX:
      tn__write_string(writer, "[");
      put_json_float(writer, array->dtype, part_of(array, element, false));
      tn__write_string(writer, ", ");
      put_json_float(writer, array->dtype, part_of(array, element, true));
      tn__write_string(writer, "]");
      break;
    default: integer_text(array->dtype, element, text, sizeof text); tn__write_string(writer, text);
  }
}

static void put_json(tn_writer_t* writer, const array_t* array, size_t axis, const char* data) {
  if (axis == array->rank) {
    put_json_element(writer, array, data);
    return;
  }
  tn__write_string(writer, "[");
  for (int64_t i = 0; i < array->dims[axis] && !writer->status; ++i) {
    if (i) tn__write_string(writer, ", ");
    put_json(writer, array, axis + 1, data + (size_t)i * array->strides[axis]);
  }
  tn__write_string(writer, "]");
}

// --- buffers

static void init_array(array_t* out, const tn_buffer_t* buffer, const void* data) {
  *out = (array_t){.dtype = tn_buffer_dtype(buffer),
                   .rank = tn_buffer_rank(buffer),
                   .dims = tn_buffer_dims(buffer),
                   .data = data,
                   .is_summarized = tn_buffer_size(buffer) > THRESHOLD};
  size_t stride = tn_dtype_byte_size(out->dtype);
  for (size_t d = out->rank; d-- > 0;) {
    out->strides[d] = stride;
    stride *= (size_t)out->dims[d];
  }
}

tn_status_t tn_buffer_print(tn_buffer_t* buffer, tn_write_fn write, void* user) {
  const void* data = NULL;
  page_t* page = NULL;
  array_t array;
  tn_writer_t writer;
  tn_status_t status = TN_OK;
  TN_RETURN_IF_NULL(buffer);
  TN_RETURN_IF_NULL(write);
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  init_array(&array, buffer, data);
  tn__writer_init(&writer, write, user);
  page = malloc(sizeof *page);
  if (!page) {
    status = tn__status_out_of_memory();
    goto done;
  }
  if (tn_buffer_size(buffer) == 0) {
    tn__write_string(&writer, "[]");
  } else {
    put_array(&writer, &array, page);
  }
  status = tn__writer_finish(&writer);
done:
  free(page);
  tn_buffer_unmap(buffer);
  return status;
}

tn_status_t tn_buffer_print_json(tn_buffer_t* buffer, tn_write_fn write, void* user) {
  const void* data = NULL;
  array_t array;
  tn_writer_t writer;
  TN_RETURN_IF_NULL(buffer);
  TN_RETURN_IF_NULL(write);
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  init_array(&array, buffer, data);
  tn__writer_init(&writer, write, user);
  put_json(&writer, &array, 0, array.data);
  tn_status_t status = tn__writer_finish(&writer);
  tn_buffer_unmap(buffer);
  return status;
}
