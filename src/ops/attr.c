// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/attr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/c_locale.h"
#include "base/limits.h"
#include "base/writer.h"

static bool is_same(const tn_attr_t* a, const tn_attr_t* b) {
  enum { MOST_COMPARED = 16 };  // attributes inside
  if (a == b) return true;
  return a->inner_count <= MOST_COMPARED && a->kind != TN_ATTR_ELEMENTS && tn__attr_equal(a, b);
}

bool tn__attr_dictionary_same(const tn_attr_dictionary_t* a, const tn_attr_dictionary_t* b) {
  if (a->count != b->count) return false;
  if (a->entries == b->entries) return true;
  for (size_t i = 0; i < a->count; ++i) {
    if (!tn__sv_equal(a->entries[i].name, b->entries[i].name)) return false;
    if (!is_same(a->entries[i].attr, b->entries[i].attr)) return false;
  }
  return true;
}

const char* tn__attr_kind_name(tn_attr_kind_t kind) {
  switch (kind) {
    case TN_ATTR_UNIT: return "a unit attribute";
    case TN_ATTR_BOOL: return "a boolean";
    case TN_ATTR_INTEGER: return "an integer";
    case TN_ATTR_FLOAT: return "a float";
    case TN_ATTR_STRING: return "a string";
    case TN_ATTR_SYMBOL: return "a symbol";
    case TN_ATTR_TYPE: return "a type";
    case TN_ATTR_ARRAY: return "a list";
    case TN_ATTR_DICTIONARY: return "a dictionary";
    case TN_ATTR_DENSE_ARRAY: return "an array<...>";
    case TN_ATTR_ELEMENTS: return "a dense<...>";
    case TN_ATTR_ENUM: return "an enumerator";
    case TN_ATTR_STRUCT: return "a structure";
    case TN_ATTR_OPAQUE: return "an attribute of another dialect";
  }
  return "an attribute";
}

tn_attr_text_t tn__attr_describe(const tn_attr_t* attr) {
  tn_attr_text_t out;
  const size_t capacity = sizeof out.text;
  switch (attr->kind) {
    case TN_ATTR_BOOL: snprintf(out.text, capacity, "%s", attr->boolean ? "true" : "false"); break;
    case TN_ATTR_INTEGER:
      if (tn_dtype_kind(attr->dtype) == TN_KIND_UNSIGNED) {
        snprintf(out.text, capacity, "%" PRIu64 " : %s", (uint64_t)attr->integer,
                 tn_dtype_name(attr->dtype));
      } else {
        snprintf(out.text, capacity, "%" PRId64 " : %s", attr->integer, tn_dtype_name(attr->dtype));
      }
      break;
    case TN_ATTR_FLOAT:
      tn__c_snprintf(out.text, capacity, "%.17g : %s", attr->real, tn_dtype_name(attr->dtype));
      break;
    case TN_ATTR_STRING:
      snprintf(out.text, capacity, "the string \"%s\"", TN_NAME_TEXT(attr->string));
      break;
    case TN_ATTR_DENSE_ARRAY:
      snprintf(out.text, capacity, "an array of %s", tn_dtype_name(attr->dtype));
      break;
    case TN_ATTR_ELEMENTS:
      snprintf(out.text, capacity, "elements of type %s", TN_TYPE_TEXT(attr->elements.type));
      break;
    default: snprintf(out.text, capacity, "%s", tn__attr_kind_name(attr->kind)); break;
  }
  return out;
}

const tn_attr_t* tn__attr_find(const tn_attr_dictionary_t* dictionary, const char* name) {
  enum { FEW = 16 };
  const tn_named_attr_t* entries = dictionary->entries;
  const tn_string_view_t wanted = tn__sv(name);
  size_t first = 0, end = dictionary->count;
  while (end - first > FEW) {
    const size_t middle = first + (end - first) / 2;
    if (tn__sv_compare(entries[middle].name, wanted) <= 0) {
      first = middle;
    } else {
      end = middle;
    }
  }
  for (size_t i = first; i < end; ++i) {
    if (tn__sv_equal(entries[i].name, wanted)) return entries[i].attr;
  }
  return NULL;
}

bool tn__attr_dictionary_equal(const tn_attr_dictionary_t* a, const tn_attr_dictionary_t* b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; ++i) {
    if (!tn__sv_equal(a->entries[i].name, b->entries[i].name)) return false;
    if (!tn__attr_equal(a->entries[i].attr, b->entries[i].attr)) return false;
  }
  return true;
}

static size_t elements_byte_size(const tn_attr_t* attr) {
  const tn_type_t* type = attr->elements.type;
  return attr->elements.splat ? tn_dtype_byte_size(type->dtype) : tn__type_byte_size(type);
}

static bool bytes_equal(const void* a, const void* b, size_t length) {
  return length == 0 || memcmp(a, b, length) == 0;
}

bool tn__attr_equal(const tn_attr_t* a, const tn_attr_t* b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->dtype != b->dtype || a->inner_count != b->inner_count ||
      a->inner_hash != b->inner_hash || !tn__sv_equal(a->name, b->name)) {
    return false;
  }
  switch (a->kind) {
    case TN_ATTR_UNIT: return true;
    case TN_ATTR_BOOL: return a->boolean == b->boolean;
    case TN_ATTR_INTEGER: return a->integer == b->integer;
    case TN_ATTR_FLOAT: return bytes_equal(&a->real, &b->real, sizeof a->real);
    case TN_ATTR_STRING:
    case TN_ATTR_SYMBOL:
    case TN_ATTR_ENUM:
    case TN_ATTR_OPAQUE: return tn__sv_equal(a->string, b->string);
    case TN_ATTR_TYPE:
      return a->type.element_type == b->type.element_type &&
             tn_type_equal(a->type.type, b->type.type);
    case TN_ATTR_ARRAY:
      if (a->array.count != b->array.count) return false;
      for (size_t i = 0; i < a->array.count; ++i) {
        if (!tn__attr_equal(a->array.items[i], b->array.items[i])) return false;
      }
      return true;
    case TN_ATTR_DICTIONARY:
    case TN_ATTR_STRUCT: return tn__attr_dictionary_equal(&a->dictionary, &b->dictionary);
    case TN_ATTR_DENSE_ARRAY:
      return a->dense_array.count == b->dense_array.count &&
             bytes_equal(a->dense_array.data, b->dense_array.data,
                         (size_t)a->dense_array.count * tn_dtype_byte_size(a->dtype));
    case TN_ATTR_ELEMENTS:
      // Data that is all alike but written out is another attribute than a splat; both are rare
      // beside each other.
      return a->elements.splat == b->elements.splat &&
             tn_type_equal(a->elements.type, b->elements.type) &&
             bytes_equal(a->elements.data, b->elements.data, elements_byte_size(a));
  }
  return false;
}

static tn_status_t make(tn_arena_t* arena, tn_attr_t value, const tn_attr_t** out_attr) {
  void* memory = NULL;
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof value, &memory));
  *(tn_attr_t*)memory = value;
  *out_attr = memory;
  return TN_OK;
}

// --- hashes

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const void* data, size_t length) {
  enum { MOST_HASHED = 4096 };
  const char* p = data;
  uint64_t word = 0;
  hash = mix(hash, length);
  if (length > MOST_HASHED) length = MOST_HASHED;
  for (; length >= sizeof word; p += sizeof word, length -= sizeof word) {
    memcpy(&word, p, sizeof word);
    hash = mix(hash, word);
  }
  word = 0;
  if (length) memcpy(&word, p, length);
  return mix(hash, word);
}

static uint64_t mix_type(uint64_t hash, const tn_type_t* type) {
  hash = mix(hash, (uint64_t)type->kind << 32 | type->dtype);
  if (type->rank) hash = mix_bytes(hash, type->dims, type->rank * sizeof *type->dims);
  return mix(hash, type->part_count);
}

uint64_t tn__attr_hash(const tn_attr_t* attr) {
  const uint64_t hash = mix(attr->inner_hash, (uint64_t)attr->kind << 32 | attr->dtype);
  switch (attr->kind) {
    case TN_ATTR_UNIT:
    case TN_ATTR_ARRAY:
    case TN_ATTR_DICTIONARY:
    case TN_ATTR_STRUCT: return hash;
    case TN_ATTR_BOOL: return mix(hash, attr->boolean);
    case TN_ATTR_INTEGER: return mix(hash, (uint64_t)attr->integer);
    case TN_ATTR_FLOAT: return mix_bytes(hash, &attr->real, sizeof attr->real);
    case TN_ATTR_STRING:
    case TN_ATTR_SYMBOL:
    case TN_ATTR_ENUM:
    case TN_ATTR_OPAQUE: return mix_bytes(hash, attr->string.data, attr->string.length);
    case TN_ATTR_TYPE: return mix_type(hash, attr->type.type);
    case TN_ATTR_DENSE_ARRAY:
      return mix_bytes(hash, attr->dense_array.data,
                       (size_t)attr->dense_array.count * tn_dtype_byte_size(attr->dtype));
    case TN_ATTR_ELEMENTS:
      return mix_bytes(mix(hash, attr->elements.type->dtype), attr->elements.data,
                       elements_byte_size(attr));
  }
  return hash;
}

bool tn__attr_is_large(const tn_attr_t* attr) {
  switch (attr->kind) {
    case TN_ATTR_STRING:
    case TN_ATTR_OPAQUE: return attr->string.length >= TN_ATTR_LARGE_BYTES;
    case TN_ATTR_DENSE_ARRAY:
      return (size_t)attr->dense_array.count * tn_dtype_byte_size(attr->dtype) >=
             TN_ATTR_LARGE_BYTES;
    case TN_ATTR_ELEMENTS: return tn__type_byte_size(attr->elements.type) >= TN_ATTR_LARGE_BYTES;
    default: return attr->inner_count >= TN_ATTR_LARGE_PARTS;
  }
}

// --- makers

tn_status_t tn__attr_add_inner(tn_attr_t* outer, tn_string_view_t name, const tn_attr_t* inner) {
  outer->inner_hash = mix(outer->inner_hash, tn__attr_hash(inner));
  if (name.length) outer->inner_hash = mix_bytes(outer->inner_hash, name.data, name.length);
  outer->inner_count += 1 + inner->inner_count;
  if (outer->inner_count >= TN_LIMIT_ATTRIBUTE_PARTS) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "an attribute of more than %d parts, each counted as often as it is "
                            "mentioned",
                            TN_LIMIT_ATTRIBUTE_PARTS);
  }
  if (inner->depth >= outer->depth) outer->depth = inner->depth + 1;
  if (outer->depth <= TN_LIMIT_NESTING) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attributes nested deeper than %d levels",
                          TN_LIMIT_NESTING);
}

tn_status_t tn__attr_unit(tn_arena_t* arena, const tn_attr_t** out_attr) {
  return make(arena, (tn_attr_t){.kind = TN_ATTR_UNIT}, out_attr);
}

tn_status_t tn__attr_bool(tn_arena_t* arena, bool value, const tn_attr_t** out_attr) {
  return make(arena, (tn_attr_t){.kind = TN_ATTR_BOOL, .dtype = TN_DTYPE_PRED, .boolean = value},
              out_attr);
}

tn_status_t tn__attr_integer(tn_arena_t* arena, tn_dtype_t dtype, int64_t value,
                             const tn_attr_t** out_attr) {
  return make(arena, (tn_attr_t){.kind = TN_ATTR_INTEGER, .dtype = dtype, .integer = value},
              out_attr);
}

tn_status_t tn__attr_float(tn_arena_t* arena, tn_dtype_t dtype, double value,
                           const tn_attr_t** out_attr) {
  return make(arena, (tn_attr_t){.kind = TN_ATTR_FLOAT, .dtype = dtype, .real = value}, out_attr);
}

tn_status_t tn__attr_text(tn_arena_t* arena, tn_attr_kind_t kind, tn_string_view_t text,
                          const tn_attr_t** out_attr) {
  tn_string_view_t copy = {0};
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, text, &copy));
  return make(arena, (tn_attr_t){.kind = kind, .string = copy}, out_attr);
}

tn_status_t tn__attr_enum(tn_arena_t* arena, const char* name, tn_string_view_t value,
                          const tn_attr_t** out_attr) {
  tn_string_view_t name_copy = {0}, value_copy = {0};
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, tn__sv(name), &name_copy));
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, value, &value_copy));
  return make(arena, (tn_attr_t){.kind = TN_ATTR_ENUM, .name = name_copy, .string = value_copy},
              out_attr);
}

tn_status_t tn__attr_type(tn_arena_t* arena, const tn_type_t* type, bool element_type,
                          const tn_attr_t** out_attr) {
  return make(
      arena,
      (tn_attr_t){.kind = TN_ATTR_TYPE, .type = {.type = type, .element_type = element_type}},
      out_attr);
}

tn_status_t tn__attr_array(tn_arena_t* arena, size_t count, const tn_attr_t* const* items,
                           const tn_attr_t** out_attr) {
  *out_attr = NULL;
  tn_attr_t attr = {.kind = TN_ATTR_ARRAY, .array = {.count = count}};
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, count, items, &attr.array.items));
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(tn__attr_add_inner(&attr, (tn_string_view_t){0}, items[i]));
  }
  return make(arena, attr, out_attr);
}

static int compare_entries(const void* a, const void* b) {
  return tn__sv_compare(((const tn_named_attr_t*)a)->name, ((const tn_named_attr_t*)b)->name);
}

static tn_status_t sort_entries(size_t count, tn_named_attr_t* entries) {
  bool is_sorted = true;
  for (size_t i = 1; i < count && is_sorted; ++i) {
    is_sorted = compare_entries(&entries[i - 1], &entries[i]) < 0;
  }
  if (!is_sorted) qsort(entries, count, sizeof *entries, compare_entries);
  if (count && !entries[0].name.length) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "an attribute has no name");
  }
  if (is_sorted) return TN_OK;
  for (size_t i = 1; i < count; ++i) {
    if (tn__sv_equal(entries[i - 1].name, entries[i].name)) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%.*s\" is given twice",
                              TN_SV(entries[i].name));
    }
  }
  return TN_OK;
}

tn_status_t tn__attr_dictionary(tn_arena_t* arena, tn_attr_kind_t kind, tn_string_view_t name,
                                size_t count, const tn_named_attr_t* entries,
                                const tn_attr_t** out_attr) {
  *out_attr = NULL;
  tn_named_attr_t* sorted = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, count, entries, &sorted));
  TN_RETURN_IF_ERROR(sort_entries(count, sorted));
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, sorted[i].name, &sorted[i].name));
  }
  tn_string_view_t name_copy = {0};
  if (name.length) TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, name, &name_copy));
  tn_attr_t attr = {
      .kind = kind, .name = name_copy, .dictionary = {.count = count, .entries = sorted}};
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(tn__attr_add_inner(&attr, sorted[i].name, sorted[i].attr));
  }
  return make(arena, attr, out_attr);
}

tn_status_t tn__attr_dense_array(tn_arena_t* arena, tn_dtype_t dtype, int64_t count,
                                 const void* data, const tn_attr_t** out_attr) {
  void* copy = NULL;
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__arena_copy(arena, (size_t)count, tn_dtype_byte_size(dtype), data, &copy));
  return make(arena,
              (tn_attr_t){.kind = TN_ATTR_DENSE_ARRAY,
                          .dtype = dtype,
                          .dense_array = {.count = count, .data = copy}},
              out_attr);
}

tn_status_t tn__attr_i64_array(tn_arena_t* arena, size_t count, const int64_t* values,
                               const tn_attr_t** out_attr) {
  return tn__attr_dense_array(arena, TN_DTYPE_S64, (int64_t)count, values, out_attr);
}

tn_status_t tn__attr_list_of_items(tn_arena_t* arena, const tn_attr_t* array,
                                   const tn_attr_t** out_attr) {
  const size_t count = array->array.count;
  const tn_attr_kind_t kind = count ? array->array.items[0]->kind : TN_ATTR_INTEGER;
  const bool is_integers = kind == TN_ATTR_INTEGER;
  *out_attr = NULL;
  for (size_t i = 0; i < count; ++i) {
    if (array->array.items[i]->kind != kind) return TN_OK;
  }
  if (!is_integers && kind != TN_ATTR_BOOL) return TN_OK;
  void* data = NULL;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(arena, count, is_integers ? sizeof(int64_t) : 1, &data));
  for (size_t i = 0; i < count; ++i) {
    const tn_attr_t* item = array->array.items[i];
    if (is_integers) {
      ((int64_t*)data)[i] = item->integer;
    } else {
      ((uint8_t*)data)[i] = item->boolean;
    }
  }
  return make(arena,
              (tn_attr_t){.kind = TN_ATTR_DENSE_ARRAY,
                          .dtype = is_integers ? TN_DTYPE_S64 : TN_DTYPE_PRED,
                          .dense_array = {.count = (int64_t)count, .data = data}},
              out_attr);
}

bool tn__elements_are_alike(const tn_type_t* type, const void* data) {
  const size_t size = tn_dtype_byte_size(type->dtype), length = tn__type_byte_size(type);
  return length && memcmp(data, (const char*)data + size, length - size) == 0;
}

tn_status_t tn__attr_elements(tn_arena_t* arena, const tn_type_t* type, bool splat,
                              const void* data, const tn_attr_t** out_attr) {
  enum { DATA_ALIGNMENT = 64 };
  void* copy = NULL;
  *out_attr = NULL;
  size_t length = splat ? tn_dtype_byte_size(type->dtype) : tn__type_byte_size(type);
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, length, DATA_ALIGNMENT, &copy));
  if (length) memcpy(copy, data, length);
  const bool is_splat = splat || tn__elements_are_alike(type, data);
  return make(arena,
              (tn_attr_t){.kind = TN_ATTR_ELEMENTS,
                          .elements = {.type = type, .splat = is_splat, .data = copy}},
              out_attr);
}

// --- copies

static tn_status_t copy_into(tn_arena_t* arena, bool is_counted, const tn_attr_t* from,
                             tn_attr_t* out);

// Followed by a NUL.
static tn_status_t copy_bytes(tn_arena_t* arena, const void* data, size_t length, void** out) {
  TN_RETURN_IF_ERROR(tn__arena_take(arena, length + 1, out));
  if (length) memcpy(*out, data, length);
  ((char*)*out)[length] = 0;
  return TN_OK;
}

static tn_status_t copy_text(tn_arena_t* arena, tn_string_view_t* text) {
  void* copy = NULL;
  TN_RETURN_IF_ERROR(copy_bytes(arena, text->data, text->length, &copy));
  text->data = copy;
  return TN_OK;
}

static tn_status_t copy_array(tn_arena_t* arena, bool is_counted, tn_attr_t* attr) {
  const size_t count = attr->array.count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_take(arena, count * (sizeof attr + sizeof *attr), &memory));
  tn_attr_t* copies = memory;
  const tn_attr_t** items = (const tn_attr_t**)(copies + count);
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(copy_into(arena, is_counted, attr->array.items[i], &copies[i]));
    items[i] = &copies[i];
    if (!is_counted) continue;
    TN_RETURN_IF_ERROR(tn__attr_add_inner(attr, (tn_string_view_t){0}, items[i]));
  }
  attr->array.items = items;
  return TN_OK;
}

// One piece of memory: the attributes, the entries, and their names.
static tn_status_t copy_dictionary(tn_arena_t* arena, bool is_counted, tn_attr_t* attr) {
  const size_t count = attr->dictionary.count;
  size_t size = count * (sizeof(tn_named_attr_t) + sizeof *attr);
  void* memory = NULL;
  for (size_t i = 0; i < count; ++i) size += attr->dictionary.entries[i].name.length + 1;
  TN_RETURN_IF_ERROR(tn__arena_take(arena, size, &memory));
  tn_attr_t* copies = memory;
  tn_named_attr_t* entries = (tn_named_attr_t*)(copies + count);
  char* names = (char*)(entries + count);
  for (size_t i = 0; i < count; ++i) {
    const tn_named_attr_t* entry = &attr->dictionary.entries[i];
    const size_t length = entry->name.length;
    if (length) memcpy(names, entry->name.data, length);
    names[length] = 0;
    entries[i] = (tn_named_attr_t){{names, length}, &copies[i]};
    names += length + 1;
    TN_RETURN_IF_ERROR(copy_into(arena, is_counted, entry->attr, &copies[i]));
  }
  TN_RETURN_IF_ERROR(sort_entries(count, entries));
  for (size_t i = 0; i < count && is_counted; ++i) {
    TN_RETURN_IF_ERROR(tn__attr_add_inner(attr, entries[i].name, entries[i].attr));
  }
  attr->dictionary.entries = entries;
  return TN_OK;
}

// Lists are counted anew: those that C wrote down were not.
static tn_status_t copy_into(tn_arena_t* arena, bool is_counted, const tn_attr_t* from,
                             tn_attr_t* out) {
  enum { DATA_ALIGNMENT = 64 };
  void* data = NULL;
  size_t length = 0;
  *out = *from;
  out->inner_count = out->depth = 0;
  out->inner_hash = 0;
  switch (from->kind) {
    case TN_ATTR_UNIT:
    case TN_ATTR_BOOL:
    case TN_ATTR_INTEGER:
    case TN_ATTR_FLOAT: break;
    case TN_ATTR_ENUM: TN_RETURN_IF_ERROR(copy_text(arena, &out->name));
    // fall through
    case TN_ATTR_STRING:
    case TN_ATTR_SYMBOL:
    case TN_ATTR_OPAQUE: return copy_text(arena, &out->string);
    case TN_ATTR_TYPE: return tn__type_copy(arena, from->type.type, &out->type.type);
    case TN_ATTR_ARRAY: return copy_array(arena, is_counted, out);
    case TN_ATTR_STRUCT: TN_RETURN_IF_ERROR(copy_text(arena, &out->name));
    // fall through
    case TN_ATTR_DICTIONARY: return copy_dictionary(arena, is_counted, out);
    case TN_ATTR_DENSE_ARRAY:
      length = (size_t)from->dense_array.count * tn_dtype_byte_size(from->dtype);
      TN_RETURN_IF_ERROR(copy_bytes(arena, from->dense_array.data, length, &data));
      out->dense_array.data = data;
      break;
    case TN_ATTR_ELEMENTS:
      TN_RETURN_IF_ERROR(tn__type_copy(arena, from->elements.type, &out->elements.type));
      length = elements_byte_size(from);
      TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, length, DATA_ALIGNMENT, &data));
      if (length) memcpy(data, from->elements.data, length);
      out->elements.data = data;
      break;
  }
  return TN_OK;
}

tn_status_t tn__attr_dictionary_copy(tn_arena_t* arena, bool is_counted,
                                     const tn_attr_dictionary_t* dictionary,
                                     tn_attr_dictionary_t* out_dictionary) {
  tn_attr_t attr = {.kind = TN_ATTR_DICTIONARY, .dictionary = *dictionary};
  *out_dictionary = (tn_attr_dictionary_t){0};
  if (dictionary->count == 0) return TN_OK;
  TN_RETURN_IF_ERROR(copy_dictionary(arena, is_counted, &attr));
  *out_dictionary = attr.dictionary;
  return TN_OK;
}

// --- readers

const void* tn__attr_get_elements(const tn_attr_dictionary_t* dictionary, const char* name,
                                  size_t* out_count) {
  const tn_attr_t* attr = tn__attr_find(dictionary, name);
  *out_count = 0;
  if (!attr || (attr->kind != TN_ATTR_DENSE_ARRAY && attr->kind != TN_ATTR_ELEMENTS)) return NULL;
  const bool is_array = attr->kind == TN_ATTR_DENSE_ARRAY;
  *out_count = (size_t)(is_array ? attr->dense_array.count : tn__type_size(attr->elements.type));
  return is_array ? attr->dense_array.data : attr->elements.data;
}

int64_t tn__attr_get_integer(const tn_attr_dictionary_t* dictionary, const char* name,
                             int64_t fallback) {
  const tn_attr_t* attr = tn__attr_find(dictionary, name);
  return attr && attr->kind == TN_ATTR_INTEGER ? attr->integer : fallback;
}

bool tn__attr_get_bool(const tn_attr_dictionary_t* dictionary, const char* name, bool fallback) {
  const tn_attr_t* attr = tn__attr_find(dictionary, name);
  return attr && attr->kind == TN_ATTR_BOOL ? attr->boolean : fallback;
}

double tn__attr_get_float(const tn_attr_dictionary_t* dictionary, const char* name,
                          double fallback) {
  const tn_attr_t* attr = tn__attr_find(dictionary, name);
  return attr && attr->kind == TN_ATTR_FLOAT ? attr->real : fallback;
}

tn_string_view_t tn__attr_get_string(const tn_attr_dictionary_t* dictionary, const char* name) {
  const tn_attr_t* attr = tn__attr_find(dictionary, name);
  bool has_text = attr && (attr->kind == TN_ATTR_STRING || attr->kind == TN_ATTR_SYMBOL ||
                           attr->kind == TN_ATTR_ENUM || attr->kind == TN_ATTR_OPAQUE);
  return has_text ? attr->string : (tn_string_view_t){NULL, 0};
}

static tn_status_t list_from_items(const tn_attr_t* attr, const char* name, int64_t* values) {
  for (size_t i = 0; i < attr->array.count; ++i) {
    const tn_attr_t* item = attr->array.items[i];
    if (item->kind == TN_ATTR_BOOL) {
      values[i] = item->boolean;
      continue;
    }
    if (item->kind != TN_ATTR_INTEGER) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "attribute \"%s\" [%zu] is %s; expected an integer", name, i,
                              tn__attr_kind_name(item->kind));
    }
    values[i] = item->integer;
  }
  return TN_OK;
}

// One element of an integer or boolean array in memory, widened.
static bool read_integer(tn_dtype_t dtype, const void* data, int64_t index, int64_t* out) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL: *out = ((const uint8_t*)data)[index] != 0; return true;
    case TN_KIND_SIGNED:
      switch (tn_dtype_byte_size(dtype)) {
        case 1: *out = ((const int8_t*)data)[index]; return true;
        case 2: *out = ((const int16_t*)data)[index]; return true;
        case 4: *out = ((const int32_t*)data)[index]; return true;
        case 8: *out = ((const int64_t*)data)[index]; return true;
        default: return false;
      }
    case TN_KIND_UNSIGNED:
      switch (tn_dtype_byte_size(dtype)) {
        case 1: *out = ((const uint8_t*)data)[index]; return true;
        case 2: *out = ((const uint16_t*)data)[index]; return true;
        case 4: *out = ((const uint32_t*)data)[index]; return true;
        case 8: *out = (int64_t)((const uint64_t*)data)[index]; return true;
        default: return false;
      }
    default: return false;
  }
}

// A few bytes of text may name a splat of any size; lists of integers are never that long.
enum { LONGEST_SPLAT = 1 << 20 };

tn_status_t tn__attr_get_i64_list(const tn_attr_dictionary_t* dictionary, const char* name,
                                  tn_arena_t* arena, tn_i64_list_t* out_list) {
  *out_list = (tn_i64_list_t){0};
  const tn_attr_t* attr = tn__attr_find(dictionary, name);
  if (!attr) return TN_OK;
  tn_dtype_t dtype = attr->dtype;
  const void* data = NULL;
  int64_t count = 0;
  bool splat = false;
  switch (attr->kind) {
    case TN_ATTR_DENSE_ARRAY:
      data = attr->dense_array.data;
      count = attr->dense_array.count;
      break;
    case TN_ATTR_ELEMENTS:
      dtype = attr->elements.type->dtype;
      data = attr->elements.data;
      count = tn__type_size(attr->elements.type);
      splat = attr->elements.splat;
      break;
    case TN_ATTR_ARRAY: count = (int64_t)attr->array.count; break;
    default:
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "attribute \"%s\" is %s; expected a list of integers", name,
                              tn__attr_kind_name(attr->kind));
  }
  if (attr->kind != TN_ATTR_ARRAY && dtype == TN_DTYPE_S64 && !splat) {  // in place
    *out_list = (tn_i64_list_t){true, (size_t)count, data};
    return TN_OK;
  }
  if (splat && count > LONGEST_SPLAT) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\" has %lld entries", name,
                            (long long)count);
  }
  int64_t* values = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)count, &values));
  if (attr->kind == TN_ATTR_ARRAY) {
    TN_RETURN_IF_ERROR(list_from_items(attr, name, values));
  } else {
    for (int64_t i = 0; i < count; ++i) {
      if (!read_integer(dtype, data, splat ? 0 : i, &values[i])) {
        return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                "attribute \"%s\" has elements of type %s; expected integers", name,
                                tn_dtype_name(dtype));
      }
    }
  }
  *out_list = (tn_i64_list_t){true, (size_t)count, values};
  return TN_OK;
}
