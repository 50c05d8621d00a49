// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The attributes that callers of <tenon/builder.h> write down, as the IR has them.
#include "ir/builder.h"

static tn_named_attr_t named(tn_builder_t* builder, const char* name, tn_status_t status,
                             const tn_attr_t* attr) {
  if (status) tn__builder_fail(builder, status);
  return (tn_named_attr_t){tn__sv(name), attr};
}

tn_named_attr_t tn__builder_i64(tn_builder_t* builder, const char* name, int64_t value) {
  const tn_attr_t* attr = NULL;
  if (!tn__builder_is_good(builder)) return (tn_named_attr_t){tn__sv(name), NULL};
  tn_status_t status = tn__attr_integer(tn__builder_arena(builder), TN_DTYPE_S64, value, &attr);
  return named(builder, name, status, attr);
}

tn_named_attr_t tn__builder_i64_list(tn_builder_t* builder, const char* name, size_t count,
                                     const int64_t* values) {
  const tn_attr_t* attr = NULL;
  if (!tn__builder_has_list(builder, name, "list", count, values)) {
    return (tn_named_attr_t){tn__sv(name), NULL};
  }
  tn_status_t status = tn__attr_i64_array(tn__builder_arena(builder), count, values, &attr);
  return named(builder, name, status, attr);
}

static tn_status_t make_attr(tn_arena_t* arena, const tn_attribute_t* from, const tn_attr_t** out);

tn_status_t tn__attribute_dictionary(size_t count, const tn_attribute_t* attributes,
                                     tn_arena_t* arena, const tn_attr_t** out_attr) {
  tn_named_attr_t* entries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &entries));
  for (size_t i = 0; i < count; ++i) {
    entries[i].name = tn__sv(attributes[i].name);
    TN_RETURN_IF_ERROR(make_attr(arena, &attributes[i], &entries[i].attr));
  }
  return tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, count, entries,
                             out_attr);
}

static tn_status_t make_attr(tn_arena_t* arena, const tn_attribute_t* from, const tn_attr_t** out) {
  switch (from->kind) {
    case TN_ATTRIBUTE_BOOL: return tn__attr_bool(arena, from->integer != 0, out);
    case TN_ATTRIBUTE_INTEGER: return tn__attr_integer(arena, from->dtype, from->integer, out);
    case TN_ATTRIBUTE_FLOAT: return tn__attr_float(arena, from->dtype, from->real, out);
    case TN_ATTRIBUTE_STRING:
      return tn__attr_text(arena, TN_ATTR_STRING, (tn_string_view_t){from->data, from->count}, out);
    case TN_ATTRIBUTE_ARRAY:
      return tn__attr_dense_array(arena, from->dtype, (int64_t)from->count, from->data, out);
    case TN_ATTRIBUTE_DICTIONARY:
      return tn__attribute_dictionary(from->count, from->entries, arena, out);
  }
  return tn_status_create(TN_CODE_INTERNAL, "attribute \"%s\" was not checked",
                          from->name ? from->name : "");
}

tn_named_attr_t tn__builder_attr(tn_builder_t* builder, const tn_attribute_t* attribute) {
  const tn_attr_t* attr = NULL;
  const char* name = attribute->name ? attribute->name : "";
  if (!tn__builder_is_good(builder)) return (tn_named_attr_t){tn__sv(name), NULL};
  tn_status_t status = tn__attribute_check(attribute);
  if (!status) status = make_attr(tn__builder_arena(builder), attribute, &attr);
  return named(builder, name, status, attr);
}

// --- as the operation wants them

static tn_status_t specified(tn_arena_t* arena, const tn_attr_spec_t* spec,
                             const tn_attribute_t* from, const tn_attr_t** out);

static const tn_attr_spec_t* find_spec(const tn_attr_spec_t* spec, const char* name) {
  for (; spec && spec->name; ++spec) {
    if (strcmp(spec->name, name) == 0) return spec;
  }
  return NULL;
}

static tn_status_t make_struct(tn_arena_t* arena, const tn_attr_spec_t* spec,
                               const tn_attribute_t* from, const tn_attr_t** out) {
  const tn_attr_spec_t* fields = tn__struct_fields(tn__sv(spec->of));
  tn_named_attr_t* entries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, from->count, &entries));
  for (size_t i = 0; i < from->count; ++i) {
    const tn_attribute_t* entry = &from->entries[i];
    const tn_attr_spec_t* field = entry->name ? find_spec(fields, entry->name) : NULL;
    if (!field) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\": %s has no field \"%s\"",
                              from->name, spec->of, entry->name ? entry->name : "");
    }
    entries[i].name = tn__sv(entry->name);
    TN_RETURN_IF_ERROR(specified(arena, field, entry, &entries[i].attr));
  }
  return tn__attr_dictionary(arena, TN_ATTR_STRUCT, tn__sv(spec->of), from->count, entries, out);
}

// Pairs of integers, given one behind the other.
static tn_status_t make_pairs(tn_arena_t* arena, const tn_attribute_t* from,
                              const tn_attr_t** out) {
  const int64_t dims[] = {(int64_t)(from->count / 2), 2};
  const tn_type_t* type = NULL;
  if (from->dtype != TN_DTYPE_S64 || from->count % 2) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "attribute \"%s\" is %zu elements of %s; expected pairs of i64",
                            from->name, from->count, tn_dtype_name(from->dtype));
  }
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, TN_DTYPE_S64, 2, dims, &type));
  return tn__attr_elements(arena, type, false, from->data, out);
}

static tn_status_t specified(tn_arena_t* arena, const tn_attr_spec_t* spec,
                             const tn_attribute_t* from, const tn_attr_t** out) {
  const tn_string_view_t text = {from->data, from->count};
  const bool is_string = from->kind == TN_ATTRIBUTE_STRING;
  switch (spec->type) {
    case TN_ATTR_TYPE_ENUM:
      if (is_string) return tn__attr_enum(arena, spec->of, text, out);
      break;
    case TN_ATTR_TYPE_SYMBOL:
      if (is_string) return tn__attr_text(arena, TN_ATTR_SYMBOL, text, out);
      break;
    case TN_ATTR_TYPE_STRUCT:
      if (from->kind == TN_ATTRIBUTE_DICTIONARY) return make_struct(arena, spec, from, out);
      break;
    case TN_ATTR_TYPE_I64_PAIRS:
      if (from->kind == TN_ATTRIBUTE_ARRAY) return make_pairs(arena, from, out);
      break;
    default: break;
  }
  return make_attr(arena, from, out);
}

tn_named_attr_t tn__builder_specified_attr(tn_builder_t* builder, const tn_op_t* op,
                                           const tn_attribute_t* attribute) {
  const tn_attr_spec_t* spec = op && attribute->name ? find_spec(op->attrs, attribute->name) : NULL;
  const tn_attr_t* attr = NULL;
  if (!spec || !tn__builder_is_good(builder)) return tn__builder_attr(builder, attribute);
  tn_status_t status = tn__attribute_check(attribute);
  if (!status) status = specified(tn__builder_arena(builder), spec, attribute, &attr);
  return named(builder, attribute->name, status, attr);
}
