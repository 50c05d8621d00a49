// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/attributes.h"

#include "base/float_format.h"
#include "base/limits.h"
#include "call/target.h"

tn_ffi_dtype_t tn__ffi_dtype(tn_dtype_t dtype) {
  if (dtype == TN_DTYPE_INDEX) return TN_FFI_S64;
  const tn_ffi_dtype_t first_without_number = 100;
  return (tn_ffi_dtype_t)dtype < first_without_number ? (tn_ffi_dtype_t)dtype : TN_FFI_INVALID;
}

static tn_status_t no_number(tn_dtype_t dtype) {
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s has no number in XLA's FFI",
                          tn_dtype_name(dtype));
}

static tn_status_t allocate(tn_arena_t* arena, size_t count, size_t size, void* out) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, size, &memory));
  memcpy(out, &memory, sizeof memory);
  return TN_OK;
}

// --- one value of each kind; *out is what the entry's value points to

static tn_status_t build_bytes(tn_arena_t* arena, tn_string_view_t text, void** out) {
  tn_string_view_t copy;
  tn_ffi_bytes_t* bytes = NULL;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, text, &copy));
  TN_RETURN_IF_ERROR(allocate(arena, 1, sizeof *bytes, &bytes));
  *bytes = (tn_ffi_bytes_t){copy.data, copy.length};
  *out = bytes;
  return TN_OK;
}

// Writes an INTEGER, FLOAT or BOOL as an element of its dtype.
static void store_scalar(const tn_attr_t* attr, tn_dtype_t dtype, void* out) {
  if (attr->kind == TN_ATTR_FLOAT) {
    tn__float_store(dtype, attr->real, out);
  } else if (attr->kind == TN_ATTR_INTEGER) {
    memcpy(out, &attr->integer,
           tn_dtype_byte_size(dtype));  // little-endian: the low bytes come first
  } else {
    *(bool*)out = attr->kind == TN_ATTR_UNIT || attr->boolean;
  }
}

static bool is_scalar(const tn_attr_t* attr) {
  return attr->kind == TN_ATTR_INTEGER || attr->kind == TN_ATTR_FLOAT || attr->kind == TN_ATTR_BOOL;
}

static tn_dtype_t scalar_dtype(const tn_attr_t* attr) {
  bool is_number = attr->kind == TN_ATTR_INTEGER || attr->kind == TN_ATTR_FLOAT;
  return is_number ? attr->dtype : TN_DTYPE_PRED;
}

static tn_status_t build_scalar(tn_arena_t* arena, const tn_attr_t* attr, void** out) {
  tn_ffi_scalar_t* scalar = NULL;
  tn_dtype_t dtype = scalar_dtype(attr);
  if (!tn__ffi_dtype(dtype)) return no_number(dtype);
  TN_RETURN_IF_ERROR(allocate(arena, 1, sizeof *scalar, &scalar));
  scalar->dtype = tn__ffi_dtype(dtype);
  TN_RETURN_IF_ERROR(allocate(arena, 1, sizeof(int64_t), &scalar->value));
  store_scalar(attr, dtype, scalar->value);
  *out = scalar;
  return TN_OK;
}

// `data` holds one element when `splat`, else all; NULL: left to the caller.
static tn_status_t build_array(tn_arena_t* arena, tn_dtype_t dtype, size_t count, const void* data,
                               bool splat, void** out) {
  tn_ffi_array_t* array = NULL;
  if (!tn__ffi_dtype(dtype)) return no_number(dtype);
  TN_RETURN_IF_ERROR(allocate(arena, 1, sizeof *array, &array));
  array->dtype = tn__ffi_dtype(dtype);
  array->count = count;
  size_t size = tn_dtype_byte_size(dtype), byte_size;
  if (__builtin_mul_overflow(count, size, &byte_size)) return tn__status_out_of_memory();
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, byte_size, 64, &array->data));
  if (data && !splat && byte_size) memcpy(array->data, data, byte_size);
  for (size_t i = 0; data && splat && i < count; ++i) {
    memcpy((char*)array->data + i * size, data, size);
  }
  *out = array;
  return TN_OK;
}

// [1 : i32, 2 : i32]
static tn_status_t build_list(tn_arena_t* arena, const tn_attr_t* attr, void** out) {
  const tn_attr_t* const* items = attr->array.items;
  const size_t count = attr->array.count;
  const tn_dtype_t dtype = count && is_scalar(items[0]) ? scalar_dtype(items[0]) : TN_DTYPE_S64;
  for (size_t i = 0; i < count; ++i) {
    const tn_attr_t* item = items[i];
    if (is_scalar(item) && item->kind == items[0]->kind && scalar_dtype(item) == dtype) continue;
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "a list whose element %zu is %s; handlers take lists of numbers of one "
                            "type",
                            i, tn__attr_kind_name(item->kind));
  }
  TN_RETURN_IF_ERROR(build_array(arena, dtype, count, NULL, false, out));
  char* data = ((tn_ffi_array_t*)*out)->data;
  for (size_t i = 0; i < count; ++i) {
    store_scalar(items[i], dtype, data + i * tn_dtype_byte_size(dtype));
  }
  return TN_OK;
}

typedef struct attributes_builder {
  tn_arena_t* arena;
  tn_built_attributes_t* built;
} attributes_builder_t;

static tn_status_t count_splat(const attributes_builder_t* builder, const tn_type_t* type) {
  const size_t byte_size = tn__type_byte_size(type);
  const size_t left = TN_LIMIT_SPLAT_BYTES - builder->built->splat_byte_size;
  if (byte_size <= left) {
    builder->built->splat_byte_size += byte_size;
    return TN_OK;
  }
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                          "one element for all of %s: handlers get arrays in full, and this one "
                          "has %zu bytes; expected at most %d for all those of a program, of which "
                          "%zu are left",
                          TN_TYPE_TEXT(type), byte_size, TN_LIMIT_SPLAT_BYTES, left);
}

static tn_status_t build_dictionary(const attributes_builder_t* builder,
                                    const tn_attr_dictionary_t* dictionary, tn_ffi_attrs_t* out);

static tn_status_t build_new(const attributes_builder_t* builder, const tn_attr_t* attr,
                             int32_t* out_type, void** out) {
  tn_arena_t* arena = builder->arena;
  switch (attr->kind) {
    case TN_ATTR_UNIT:
    case TN_ATTR_BOOL:
    case TN_ATTR_INTEGER:
    case TN_ATTR_FLOAT: *out_type = TN_FFI_SCALAR; return build_scalar(arena, attr, out);
    case TN_ATTR_STRING: *out_type = TN_FFI_STRING; return build_bytes(arena, attr->string, out);
    case TN_ATTR_DENSE_ARRAY:
      *out_type = TN_FFI_ARRAY;
      return build_array(arena, attr->dtype, (size_t)attr->dense_array.count,
                         attr->dense_array.data, false, out);
    case TN_ATTR_ELEMENTS:
      *out_type = TN_FFI_ARRAY;
      if (attr->elements.splat) {
        TN_RETURN_IF_ERROR(count_splat(builder, attr->elements.type));
      }
      return build_array(arena, attr->elements.type->dtype,
                         (size_t)tn__type_size(attr->elements.type), attr->elements.data,
                         attr->elements.splat, out);
    case TN_ATTR_ARRAY: *out_type = TN_FFI_ARRAY; return build_list(arena, attr, out);
    case TN_ATTR_DICTIONARY: {
      tn_ffi_attrs_t* attrs = NULL;
      TN_RETURN_IF_ERROR(allocate(arena, 1, sizeof *attrs, &attrs));
      *out_type = TN_FFI_DICTIONARY;
      *out = attrs;
      return build_dictionary(builder, &attr->dictionary, attrs);
    }
    case TN_ATTR_SYMBOL:
    case TN_ATTR_TYPE:
    case TN_ATTR_ENUM:
    case TN_ATTR_STRUCT:
    case TN_ATTR_OPAQUE: break;
  }
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "%s; handlers take numbers, strings, arrays and dictionaries",
                          tn__attr_kind_name(attr->kind));
}

// What was built for a large attribute.
typedef struct built_value {
  const void* attr;
  void* value;
  int32_t type;
} built_value_t;

static tn_status_t build_value(const attributes_builder_t* builder, const tn_attr_t* attr,
                               int32_t* out_type, void** out) {
  const void* address = attr;
  built_value_t* value = NULL;
  if (!tn__attr_is_large(attr)) return build_new(builder, attr, out_type, out);
  const tn_name_entry_t* entry =
      tn__names_find(&builder->built->large, tn__names_address(&address));
  if (entry) {
    value = entry->pointer;
    *out_type = value->type;
    *out = value->value;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(build_new(builder, attr, out_type, out));
  TN_RETURN_IF_ERROR(allocate(builder->arena, 1, sizeof *value, &value));
  *value = (built_value_t){attr, *out, *out_type};
  return tn__names_add(&builder->built->large, tn__names_address(&value->attr), 0, value);
}

static tn_status_t build_dictionary(const attributes_builder_t* builder,
                                    const tn_attr_dictionary_t* dictionary, tn_ffi_attrs_t* out) {
  tn_arena_t* arena = builder->arena;
  size_t count = dictionary->count;
  *out = (tn_ffi_attrs_t){.struct_size = TN_FFI_ATTRS_SIZE, .count = (int64_t)count};
  tn_ffi_bytes_t* names = NULL;
  TN_RETURN_IF_ERROR(allocate(arena, count, sizeof *out->types, &out->types));
  TN_RETURN_IF_ERROR(allocate(arena, count, sizeof *out->names, &out->names));
  TN_RETURN_IF_ERROR(allocate(arena, count, sizeof *out->values, &out->values));
  TN_RETURN_IF_ERROR(allocate(arena, count, sizeof *names, &names));
  for (size_t i = 0; i < count; ++i) {
    const tn_named_attr_t* entry = &dictionary->entries[i];
    tn_string_view_t name;
    TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, entry->name, &name));
    names[i] = (tn_ffi_bytes_t){name.data, name.length};
    out->names[i] = &names[i];
    TN_RETURN_IF_ERROR(
        tn_status_prefix(build_value(builder, entry->attr, &out->types[i], &out->values[i]),
                         "attribute %s", TN_NAME_TEXT(entry->name)));
  }
  return TN_OK;
}

static tn_status_t check_depth(const tn_attr_dictionary_t* dictionary) {
  for (size_t i = 0; i < dictionary->count; ++i) {
    const tn_named_attr_t* entry = &dictionary->entries[i];
    if (entry->attr->depth <= TN_LIMIT_DICTIONARY_NESTING) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "attribute %s: lists and dictionaries nest deeper than %d levels",
                            TN_NAME_TEXT(entry->name), TN_LIMIT_DICTIONARY_NESTING);
  }
  return TN_OK;
}

tn_status_t tn__attributes_build(tn_arena_t* arena, tn_built_attributes_t* built,
                                 const tn_attr_dictionary_t* dictionary, tn_ffi_attrs_t* out) {
  tn_built_attributes_t alone = {0};
  TN_RETURN_IF_ERROR(check_depth(dictionary));
  tn__names_init(&alone.large, arena->allocator);
  const attributes_builder_t builder = {arena, built ? built : &alone};
  tn_status_t status = build_dictionary(&builder, dictionary, out);
  tn__names_deinit(&alone.large);
  return status;
}
