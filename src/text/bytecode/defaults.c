// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/defaults.h"

bool tn__vhlo_is_window_list(const char* name) {
  static const char* const names[] = {"window_strides", "lhs_dilation",     "rhs_dilation",
                                      "base_dilations", "window_dilations", "window_reversal",
                                      "padding"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (!strcmp(name, names[i])) return true;
  }
  return false;
}

int64_t tn__vhlo_default_number(const char* name) {
  if (!strcmp(name, "window_reversal") || !strcmp(name, "padding")) return 0;
  if (!strcmp(name, "api_version")) return 1;
  if (!strcmp(name, "dimension")) return -1;  // of sort: the last one
  return tn__vhlo_is_window_list(name) ? 1 : 0;
}

static bool all_are(const tn_attr_t* list, int64_t value) {
  if (list->kind != TN_ATTR_DENSE_ARRAY || list->dtype != TN_DTYPE_S64) return false;
  const int64_t* values = list->dense_array.data;
  for (int64_t i = 0; i < list->dense_array.count; ++i) {
    if (values[i] != value) return false;
  }
  return true;
}

static bool is_zeros(const tn_attr_t* attr) {
  if (attr->kind != TN_ATTR_ELEMENTS || attr->elements.type->dtype != TN_DTYPE_S64) return false;
  if (tn__type_size(attr->elements.type) == 0) return true;
  return attr->elements.splat && *(const int64_t*)attr->elements.data == 0;
}

static bool is_named_default(const tn_attr_spec_t* spec, const tn_attr_t* attr) {
  switch (attr->kind) {
    case TN_ATTR_INTEGER: return attr->integer == tn__vhlo_default_number(spec->name);
    case TN_ATTR_DENSE_ARRAY:
      return tn__vhlo_is_window_list(spec->name) &&
             all_are(attr, tn__vhlo_default_number(spec->name));
    case TN_ATTR_ELEMENTS:
      if (spec->type != TN_ATTR_TYPE_I64_PAIRS) return false;
      return tn__type_size(attr->elements.type) == 0 ||
             (tn__vhlo_is_window_list(spec->name) && is_zeros(attr));
    default: return false;
  }
}

// [DEFAULT, DEFAULT]
static bool are_default_enumerators(const tn_attr_spec_t* spec, const tn_attr_t* list) {
  if (spec->type != TN_ATTR_TYPE_ENUM_LIST) return false;
  for (size_t i = 0; i < list->array.count; ++i) {
    const tn_attr_t* item = list->array.items[i];
    if (item->kind != TN_ATTR_ENUM || tn__enum_value(spec->of, item->string) != 0) return false;
  }
  return true;
}

bool tn__vhlo_is_default(const tn_attr_spec_t* spec, const tn_attr_t* attr) {
  if (!spec->optional) return false;
  switch (attr->kind) {
    case TN_ATTR_BOOL: return !attr->boolean;
    case TN_ATTR_STRING: return attr->string.length == 0;
    case TN_ATTR_ARRAY: return attr->array.count == 0 || are_default_enumerators(spec, attr);
    case TN_ATTR_DICTIONARY: return attr->dictionary.count == 0;
    case TN_ATTR_ENUM:
      return spec->type == TN_ATTR_TYPE_ENUM && tn__enum_value(spec->of, attr->string) == 0;
    case TN_ATTR_DENSE_ARRAY:
      if (attr->dense_array.count == 0) return true;
      if (attr->dtype != TN_DTYPE_PRED) break;
      return !memchr(attr->dense_array.data, 1, (size_t)attr->dense_array.count);
    case TN_ATTR_STRUCT:  // a default mode of accuracy has no bounds beside it
      return !strcmp(spec->name, "result_accuracy") &&
             attr->dictionary.count == (tn__attr_find(&attr->dictionary, "mode") != NULL) &&
             tn__attr_get_enum(&attr->dictionary, "mode", 0) == 0;
    default: break;
  }
  return is_named_default(spec, attr);
}

bool tn__vhlo_is_default_field(const tn_attr_spec_t* structure, const tn_attr_t* attr) {
  if (!strcmp(structure->of, "conv")) return false;
  return (attr->kind == TN_ATTR_INTEGER && attr->integer == 0) ||
         (attr->kind == TN_ATTR_DENSE_ARRAY && attr->dense_array.count == 0);
}
