// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The one check of attributes that a caller in C writes down, for the builder and for lazy arrays.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/element.h"
#include "base/limits.h"
#include "ir/builder.h"

static const char* name_of(const tn_attribute_t* attribute) {
  return attribute->name ? attribute->name : "";
}

static bool integer_fits(tn_dtype_t dtype, int64_t value) {
  const uint32_t bits = tn_dtype_bit_width(dtype);
  if (bits >= 64) return true;  // unsigned values keep their bits
  if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) return value >= 0 && value < INT64_C(1) << bits;
  const int64_t half = INT64_C(1) << (bits - 1);
  return value >= -half && value < half;
}

static tn_status_t check_integer(const tn_attribute_t* attribute) {
  const tn_dtype_t dtype = attribute->dtype;
  if (!tn_dtype_is_valid((int)dtype) || !(tn_dtype_kind(dtype) & TN_KIND_INTEGER)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "attribute \"%s\" is an integer of dtype %s; expected an integer dtype",
                            name_of(attribute), tn_dtype_name(dtype));
  }
  if (integer_fits(dtype, attribute->integer)) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "attribute \"%s\" is %" PRId64 "; expected an integer in the range of %s",
                          name_of(attribute), attribute->integer, tn_dtype_name(dtype));
}

static tn_status_t check_float(const tn_attribute_t* attribute) {
  const tn_dtype_t dtype = attribute->dtype;
  if (!tn_dtype_is_valid((int)dtype) || tn_dtype_kind(dtype) != TN_KIND_FLOAT) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "attribute \"%s\" is a float of dtype %s; expected a float dtype",
                            name_of(attribute), tn_dtype_name(dtype));
  }
  uint64_t element = 0;
  tn_dtype_store(dtype, attribute->real, &element);
  const double stored = tn_dtype_load(dtype, &element);
  // Not every float dtype has infinities or NaNs; what is out of range becomes one of them.
  if (fpclassify(stored) == fpclassify(attribute->real) ||
      (isfinite(stored) && isfinite(attribute->real))) {
    return TN_OK;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "attribute \"%s\" is %g; expected a float in the range of %s",
                          name_of(attribute), attribute->real, tn_dtype_name(dtype));
}

static tn_status_t check_data(const tn_attribute_t* attribute, const void* data) {
  if (attribute->count > INT64_MAX / 16) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "attribute \"%s\" has %zu elements; expected "
                            "fewer",
                            name_of(attribute), attribute->count);
  }
  if (data || attribute->count == 0) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\": its data is NULL",
                          name_of(attribute));
}

tn_status_t tn__elements_check(const char* what, tn_dtype_t dtype, const void* data, size_t count) {
  const size_t index = tn__elements_find_untidy(dtype, data, count);
  if (index == count) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "%s: element %zu is the byte %d; expected a value of %s", what, index,
                          ((const int8_t*)data)[index], tn_dtype_name(dtype));
}

static tn_status_t check_array(const tn_attribute_t* attribute) {
  const tn_dtype_t dtype = attribute->dtype;
  const tn_kind_t kinds = TN_KIND_INTEGER | TN_KIND_FLOAT | TN_KIND_BOOL;
  char what[128];
  if (!tn_dtype_is_valid((int)dtype) || !(tn_dtype_kind(dtype) & kinds)) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT,
        "attribute \"%s\" is an array of dtype %s; expected integers, floats or "
        "booleans",
        name_of(attribute), tn_dtype_name(dtype));
  }
  TN_RETURN_IF_ERROR(check_data(attribute, attribute->data));
  snprintf(what, sizeof what, "attribute \"%s\"", name_of(attribute));
  return tn__elements_check(what, dtype, attribute->data, attribute->count);
}

// `part_count` counts shared entries at each mention: callers may nest the same list many times.
static tn_status_t check(const tn_attribute_t* attribute, size_t depth, size_t* part_count);

static tn_status_t check_dictionary(const tn_attribute_t* attribute, size_t depth,
                                    size_t* part_count) {
  TN_RETURN_IF_ERROR(check_data(attribute, attribute->entries));
  if (depth == TN_LIMIT_DICTIONARY_NESTING) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "attribute \"%s\": dictionaries nest deeper than %d levels",
                            name_of(attribute), TN_LIMIT_DICTIONARY_NESTING);
  }
  for (size_t i = 0; i < attribute->count; ++i) {
    const tn_attribute_t* entry = &attribute->entries[i];
    if (!entry->name) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute %zu of \"%s\" has no name", i,
                              name_of(attribute));
    }
    TN_RETURN_IF_ERROR(check(entry, depth + 1, part_count));
  }
  return TN_OK;
}

static tn_status_t check(const tn_attribute_t* attribute, size_t depth, size_t* part_count) {
  if (++*part_count > TN_LIMIT_ATTRIBUTE_PARTS) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "attribute \"%s\": more than %d parts in one attribute",
                            name_of(attribute), TN_LIMIT_ATTRIBUTE_PARTS);
  }
  switch (attribute->kind) {
    case TN_ATTRIBUTE_BOOL: return TN_OK;
    case TN_ATTRIBUTE_INTEGER: return check_integer(attribute);
    case TN_ATTRIBUTE_FLOAT: return check_float(attribute);
    case TN_ATTRIBUTE_STRING: return check_data(attribute, attribute->data);
    case TN_ATTRIBUTE_ARRAY: return check_array(attribute);
    case TN_ATTRIBUTE_DICTIONARY: return check_dictionary(attribute, depth, part_count);
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\" has the unknown kind %d",
                          name_of(attribute), (int)attribute->kind);
}

tn_status_t tn__attribute_check(const tn_attribute_t* attribute) {
  size_t part_count = 0;
  return check(attribute, 0, &part_count);
}
