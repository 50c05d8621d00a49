// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays written out on the command line: "2x3xf32=1.5", "3xi32=1,2,3", "complex64=1+2j".
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct literal {
  tn_dtype_t dtype;
  size_t rank;
  int64_t dims[TN_MAX_RANK];
  const char* elements;  // behind "="; NULL: it is a type alone
} literal_t;

// False when this is no literal at all; errors when it begins as one does.
static bool read_type(const char* spec, const tn_type_t* expected, literal_t* out,
                      tn_status_t* out_status) {
  const char* equals = spec + strcspn(spec, "=");
  const char* text = spec;
  *out = (literal_t){.elements = *equals ? equals + 1 : NULL};
  *out_status = TN_OK;
  for (;;) {
    out->dtype = tn_dtype_from_name(text, (size_t)(equals - text));
    if (out->dtype != TN_DTYPE_INVALID && tn_dtype_byte_size(out->dtype)) return true;
    if (!isdigit((unsigned char)*text)) break;
    char* end = NULL;
    errno = 0;
    long long dimension = strtoll(text, &end, 10);
    if (*end != 'x') break;
    if (errno) {
      *out_status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "the dimension %.*s is too large",
                                     (int)(end - text), text);
      return true;
    }
    if (out->rank == TN_MAX_RANK) {
      *out_status =
          tn_status_create(TN_CODE_INVALID_ARGUMENT, "it has more than %d dimensions", TN_MAX_RANK);
      return true;
    }
    out->dims[out->rank++] = dimension;
    text = end + 1;
  }
  if (out->rank == 0) return false;
  *out_status = tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                 "'%.*s' is not an element type; expected %s", (int)(equals - text),
                                 text, expected ? tn_dtype_name(tn_type_dtype(expected)) : "one");
  return true;
}

bool cli_is_literal(const char* spec) {
  literal_t literal;
  tn_status_t status = TN_OK;
  bool is_literal = read_type(spec, NULL, &literal, &status);
  tn_status_release(status);
  return is_literal;
}

static size_t skip_spaces(const char* text) {
  return strspn(text, " \t\n");
}

// A float's text is what strtod takes, which has hexadecimal ones, nan and inf. *out_end is behind
// it; the text itself when there is no number. A number that no double can hold clears *fits.
static double read_float(const char* text, const char** out_end, bool* fits) {
  char* end = NULL;
  errno = 0;
  double value = strtod(text, &end);
  if (errno == ERANGE && isinf(value)) *fits = false;
  *out_end = end;
  return value;
}

// False for a number that the dtype rounds to infinity or NaN.
static bool store_float(tn_dtype_t dtype, double value, char* element) {
  tn_dtype_store(dtype, value, element);
  return !isfinite(value) || isfinite(tn_dtype_load(dtype, element));
}

static bool read_bool(const char* text, char* element, const char** out_end) {
  static const struct {
    const char* word;
    char value;
  } words[] = {{"true", 1}, {"True", 1}, {"1", 1}, {"false", 0}, {"False", 0}, {"0", 0}};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (strncmp(text, words[i].word, strlen(words[i].word)) != 0) continue;
    *element = words[i].value;
    *out_end = text + strlen(words[i].word);
    return true;
  }
  return false;
}

// Decimal or hexadecimal; false when it is none or does not fit. Like its neighbours it moves the
// end also past a number that does not fit.
static bool read_integer(tn_dtype_t dtype, const char* text, char* element, const char** out_end) {
  char* end = NULL;
  bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  uint32_t width = tn_dtype_bit_width(dtype);
  const char* digits = text + (*text == '-' || *text == '+');
  int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
  size_t size = tn_dtype_byte_size(dtype);
  errno = 0;
  if (is_signed) {
    long long value = strtoll(text, &end, base);
    *out_end = end;
    if (width < 64 && (value < -(1LL << (width - 1)) || value >= 1LL << (width - 1))) return false;
    memcpy(element, &value, size);
  } else {
    unsigned long long value = strtoull(text, &end, base);
    *out_end = end;
    if (*text == '-' || (width < 64 && value >> width)) return false;
    memcpy(element, &value, size);
  }
  return !errno && end != text;
}

// "1.5", "2j", "1+2j", "(1,2)"
static bool read_complex(tn_dtype_t dtype, const char* text, char* element, const char** out_end) {
  tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  bool in_brackets = *text == '(', fits = true;
  double real = 0, imaginary = 0;
  const char* end = text + in_brackets;
  const char* next = NULL;
  double first = read_float(end, &next, &fits);
  if (next == end) return false;
  end = next;
  if (*end == 'j' || *end == 'i') {
    imaginary = first;
    ++end;
  } else {
    real = first;
    bool is_pair = in_brackets && *end == ',';
    if (is_pair) end += 1 + skip_spaces(end + 1);
    if (is_pair || *end == '+' || *end == '-') {
      imaginary = read_float(end, &next, &fits);
      if (next == end) return false;
      end = next;
      if (!is_pair && *end != 'j' && *end != 'i') return false;
      end += !is_pair;
    }
  }
  if (in_brackets && *end++ != ')') return false;
  *out_end = end;
  return fits && store_float(part, real, element) &&
         store_float(part, imaginary, element + tn_dtype_byte_size(part));
}

static bool read_element(tn_dtype_t dtype, const char* text, char* element, const char** out_end) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL: return read_bool(text, element, out_end);
    case TN_KIND_FLOAT: {
      bool fits = true;
      double value = read_float(text, out_end, &fits);
      return fits && *out_end != text && store_float(dtype, value, element);
    }
    case TN_KIND_COMPLEX: return read_complex(dtype, text, element, out_end);
    default: return read_integer(dtype, text, element, out_end);
  }
}

static tn_status_t read_elements(const literal_t* literal, int64_t size, char* data) {
  size_t element_size = tn_dtype_byte_size(literal->dtype);
  const char* text = literal->elements + skip_spaces(literal->elements);
  int64_t count = 0;
  while (*text) {
    char element[16];
    const char* end = text;
    bool fits = read_element(literal->dtype, text, element, &end);
    bool is_read = end != text;
    end += skip_spaces(end);
    bool is_whole = is_read && (!*end || *end == ',');
    if (!fits || !is_whole) {
      return tn_status_create(
          TN_CODE_INVALID_ARGUMENT,
          is_whole ? "'%.*s' is out of the range of %s" : "'%.*s' is not a value of %s",
          (int)strcspn(text, ","), text, tn_dtype_name(literal->dtype));
    }
    if (count < size) memcpy(data + (size_t)count * element_size, element, element_size);
    ++count;
    text = end + (*end == ',');
    text += skip_spaces(text);
  }
  if (count == size) return TN_OK;
  if (count != 1) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "it lists %lld values; expected %lld, or one for all", (long long)count,
                            (long long)size);
  }
  for (int64_t i = 1; i < size; ++i) {
    memcpy(data + (size_t)i * element_size, data, element_size);
  }
  return TN_OK;
}

// Before anything is made of a literal's size.
static tn_status_t match(const literal_t* literal, const tn_type_t* expected) {
  bool is_same =
      literal->dtype == tn_type_dtype(expected) && literal->rank == tn_type_rank(expected);
  char wanted[160], found[TN_MAX_RANK * 21 + 1];
  size_t length = 0;
  found[0] = 0;
  for (size_t d = 0; d < literal->rank; ++d) {
    const int64_t wanted_dim = is_same ? tn_type_dims(expected)[d] : 0;
    is_same = is_same && (wanted_dim == TN_DIM_DYNAMIC || literal->dims[d] == wanted_dim);
    length += (size_t)snprintf(found + length, sizeof found - length, "%lldx",
                               (long long)literal->dims[d]);
  }
  if (is_same) return TN_OK;
  tn_type_format(expected, wanted, sizeof wanted);
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "it is tensor<%s%s>; expected %s", found,
                          tn_dtype_name(literal->dtype), wanted);
}

static tn_status_t write_literal(void* user, size_t count, void* data) {
  return read_elements(user, (int64_t)count, data);
}

const char* cli_literal_elements(const char* spec) {
  const char* equals = strchr(spec, '=');
  return equals ? equals + 1 : NULL;
}

tn_status_t cli_fill_literal(tn_device_t* device, const char* spec, const tn_type_t* expected,
                             fill_t fill, uint64_t seed, uint64_t stream,
                             tn_buffer_t** out_buffer) {
  literal_t literal;
  tn_status_t status = TN_OK;
  *out_buffer = NULL;
  (void)read_type(spec, expected, &literal, &status);
  if (!status) status = match(&literal, expected);
  if (status) return status;
  return cli_fill_array(device, literal.dtype, literal.rank, literal.dims, fill, seed, stream,
                        out_buffer);
}

tn_status_t cli_read_literal(tn_device_t* device, const char* spec, const tn_type_t* expected,
                             tn_buffer_t** out_buffer) {
  literal_t literal;
  tn_status_t status = TN_OK;
  *out_buffer = NULL;
  if (!read_type(spec, expected, &literal, &status)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "it is not a literal");
  }
  if (!status) status = match(&literal, expected);
  if (status) return status;
  return cli_make_buffer(device, literal.dtype, literal.rank, literal.dims, write_literal, &literal,
                         out_buffer);
}
