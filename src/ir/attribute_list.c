// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes of the IR as callers of <tenon/builder.h> write them down: the way back of
// builder_attr.c, for functions of custom operations.
#include "ir/builder.h"

static tn_status_t convert(const tn_named_attr_t* entry, tn_arena_t* arena, tn_attribute_t* out,
                           bool* out_is_complete) {
  const tn_attr_t* attr = entry->attr;
  tn_attribute_t* entries = NULL;
  tn_string_view_t name;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, entry->name, &name));
  *out = (tn_attribute_t){.name = name.data, .dtype = attr->dtype};
  switch (attr->kind) {
    case TN_ATTR_BOOL:
      out->kind = TN_ATTRIBUTE_BOOL;
      out->integer = attr->boolean;
      return TN_OK;
    case TN_ATTR_INTEGER:
      out->kind = TN_ATTRIBUTE_INTEGER;
      out->integer = attr->integer;
      return TN_OK;
    case TN_ATTR_FLOAT:
      out->kind = TN_ATTRIBUTE_FLOAT;
      out->real = attr->real;
      return TN_OK;
    case TN_ATTR_STRING:
    case TN_ATTR_ENUM:
      out->kind = TN_ATTRIBUTE_STRING;
      out->data = attr->string.data;
      out->count = attr->string.length;
      return TN_OK;
    case TN_ATTR_DENSE_ARRAY:
      out->kind = TN_ATTRIBUTE_ARRAY;
      out->data = attr->dense_array.data;
      out->count = (size_t)attr->dense_array.count;
      return TN_OK;
    case TN_ATTR_DICTIONARY:
      out->kind = TN_ATTRIBUTE_DICTIONARY;
      out->count = attr->dictionary.count;
      TN_RETURN_IF_ERROR(tn__attribute_list(&attr->dictionary, arena, &entries, out_is_complete));
      out->entries = entries;
      return TN_OK;
    default: *out_is_complete = false; return TN_OK;
  }
}

tn_status_t tn__attribute_list(const tn_attr_dictionary_t* dictionary, tn_arena_t* arena,
                               tn_attribute_t** out_attributes, bool* out_is_complete) {
  *out_attributes = NULL;
  *out_is_complete = true;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, dictionary->count, out_attributes));
  for (size_t i = 0; i < dictionary->count; ++i) {
    bool is_complete = true;
    TN_RETURN_IF_ERROR(
        convert(&dictionary->entries[i], arena, &(*out_attributes)[i], &is_complete));
    if (!is_complete) *out_is_complete = false;
  }
  return TN_OK;
}
