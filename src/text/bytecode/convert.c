// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/convert.h"

#include "text/bytecode/defaults.h"

enum { LONGEST_SPLAT = 4096 };

// --- one attribute in the form that its specification asks for

// The elements of a tensor of rank 1 as array<...>.
static tn_status_t list_of_elements(tn_bytecode_t* bytecode, const tn_attr_t* attr,
                                    const tn_attr_t** out_attr) {
  const tn_type_t* type = attr->elements.type;
  size_t size = tn_dtype_byte_size(type->dtype), count = (size_t)tn__type_size(type);
  void* memory = NULL;
  const void* data = attr->elements.data;
  if (type->rank != 1 || (attr->elements.splat && count > LONGEST_SPLAT)) return TN_OK;
  if (attr->elements.splat) {
    TN_RETURN_IF_ERROR(tn__arena_allocate_array(bytecode->arena, count, size, &memory));
    for (size_t i = 0; i < count; ++i) memcpy((char*)memory + i * size, data, size);
    data = memory;
  }
  tn_attr_t* list = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(bytecode->arena, &list));
  list->kind = TN_ATTR_DENSE_ARRAY;
  list->dtype = type->dtype;
  list->dense_array.count = (int64_t)count;
  list->dense_array.data = data;
  *out_attr = list;
  return TN_OK;
}

static tn_status_t symbol_of_string(tn_bytecode_t* bytecode, const uint8_t* position,
                                    const tn_attr_t* attr, const tn_attr_t** out_attr) {
  TN_RETURN_IF_ERROR(tn__bytecode_check_symbol(bytecode, position, attr->string));
  tn_attr_t* symbol = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(bytecode->arena, &symbol));
  symbol->kind = TN_ATTR_SYMBOL;
  symbol->string = attr->string;
  *out_attr = symbol;
  return TN_OK;
}

static tn_status_t symbols_of_strings(tn_bytecode_t* bytecode, const uint8_t* position,
                                      const tn_attr_t* attr, const tn_attr_t** out_attr) {
  const tn_attr_t** items = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&bytecode->scratch, attr->array.count, &items));
  for (size_t i = 0; i < attr->array.count; ++i) {
    items[i] = attr->array.items[i];
    if (items[i]->kind != TN_ATTR_STRING) continue;
    TN_RETURN_IF_ERROR(symbol_of_string(bytecode, position, items[i], &items[i]));
  }
  return tn__attr_array(bytecode->arena, attr->array.count, items, out_attr);
}

// `*out_attr` is NULL when the attribute says nothing. One that cannot be what is asked for stays
// as it is: the verifier says so.
static tn_status_t as_specified(tn_bytecode_t* bytecode, tn_encoded_attr_t* encoded,
                                tn_attr_type_t wanted, const tn_attr_t** out_attr) {
  const tn_attr_t* attr = encoded->attr;
  *out_attr = attr;
  if (!attr) return TN_OK;
  if (encoded->converted && encoded->wanted == (int)wanted) {
    *out_attr = encoded->converted;
    return TN_OK;
  }
  switch (wanted) {
    case TN_ATTR_TYPE_UNIT:
      if (attr->kind != TN_ATTR_BOOL) return TN_OK;
      *out_attr = NULL;
      if (!attr->boolean) return TN_OK;
      TN_RETURN_IF_ERROR(tn__attr_unit(bytecode->arena, out_attr));
      break;
    case TN_ATTR_TYPE_SYMBOL:
      if (attr->kind != TN_ATTR_STRING) return TN_OK;
      TN_RETURN_IF_ERROR(symbol_of_string(bytecode, encoded->encoded.begin, attr, out_attr));
      break;
    case TN_ATTR_TYPE_SYMBOL_LIST:
      if (attr->kind != TN_ATTR_ARRAY) return TN_OK;
      TN_RETURN_IF_ERROR(symbols_of_strings(bytecode, encoded->encoded.begin, attr, out_attr));
      break;
    case TN_ATTR_TYPE_I64_LIST:
    case TN_ATTR_TYPE_BOOL_LIST:
      if (attr->kind == TN_ATTR_ELEMENTS) {
        TN_RETURN_IF_ERROR(list_of_elements(bytecode, attr, out_attr));
      } else if (attr->kind == TN_ATTR_ARRAY) {
        TN_RETURN_IF_ERROR(tn__attr_list_of_items(bytecode->arena, attr, out_attr));
        if (!*out_attr) *out_attr = attr;
      }
      break;
    default: return TN_OK;
  }
  encoded->converted = *out_attr;
  encoded->wanted = (int)wanted;
  return TN_OK;
}

// An absent algorithm is one without types, an absent channel one without a number.
static bool is_absent_struct(const tn_attr_spec_t* spec, size_t count,
                             const tn_named_attr_t* fields) {
  if (!spec->optional) return false;
  if (!strcmp(spec->of, "channel_handle")) return count == 0;
  if (strcmp(spec->of, "dot_algorithm") != 0) return false;
  for (size_t i = 0; i < count; ++i) {
    if (tn__sv_is(fields[i].name, "accumulation_type")) return false;
  }
  return true;
}

// --- an operation's attributes

tn_status_t tn__bytecode_properties(tn_bytecode_t* bytecode, const tn_bytecode_op_attrs_t* attrs,
                                    const char* const* names, uint64_t* out_indexes) {
  if (bytecode->version < TN_BYTECODE_PROPERTIES) {
    for (size_t i = 0; names[i]; ++i) {
      out_indexes[i] = SIZE_MAX;
      if (!attrs->has_dictionary) continue;
      tn_encoded_attr_t* dictionary = NULL;
      TN_RETURN_IF_ERROR(
          tn__bytecode_attr(bytecode, attrs->dictionary, attrs->position, &dictionary));
      TN_RETURN_IF_ERROR(
          tn__bytecode_dictionary_find(bytecode, attrs->dictionary, names[i], &out_indexes[i]));
    }
    return TN_OK;
  }
  if (!attrs->has_properties) {
    for (size_t i = 0; names[i]; ++i) out_indexes[i] = SIZE_MAX;
    return TN_OK;
  }
  if (attrs->properties >= bytecode->property_count) {
    return tn__bytecode_fail(bytecode, attrs->position, "properties %llu of %zu",
                             (unsigned long long)attrs->properties, bytecode->property_count);
  }
  tn_cursor_t cursor = bytecode->properties[attrs->properties];
  for (size_t i = 0; names[i]; ++i) out_indexes[i] = tn__cursor_varint(&cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the properties of an operation"));
  if (tn__cursor_done(&cursor)) return TN_OK;
  return tn__bytecode_fail(bytecode, cursor.position, "more properties than the operation has");
}

// What of an operation is converted, each in its place.
typedef struct conversion {
  tn_bytecode_t* bytecode;
  const tn_bytecode_op_attrs_t* attrs;
  const tn_vhlo_op_t* op;
  size_t count;  // properties
  const tn_attr_spec_t* specs[TN_VHLO_MOST_PROPERTIES];
  const tn_attr_spec_t* fields[TN_VHLO_MOST_PROPERTIES];  // NULL: of no structure
  const tn_attr_t* values[TN_VHLO_MOST_PROPERTIES];       // NULL: absent
} conversion_t;

static tn_status_t read_values(conversion_t* conversion) {
  uint64_t indexes[TN_VHLO_MOST_PROPERTIES];
  const tn_vhlo_op_t* op = conversion->op;
  TN_RETURN_IF_ERROR(
      tn__bytecode_properties(conversion->bytecode, conversion->attrs, op->properties, indexes));
  for (; op->properties[conversion->count]; ++conversion->count) {
    size_t i = conversion->count;
    tn_encoded_attr_t* encoded = NULL;
    conversion->values[i] = NULL;
    conversion->specs[i] = conversion->fields[i] = NULL;
    if (!tn__vhlo_property_place(op->op, op->properties[i], &conversion->specs[i],
                                 &conversion->fields[i])) {
      continue;
    }
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): reading it has succeeded
    if (indexes[i] == SIZE_MAX) continue;
    TN_RETURN_IF_ERROR(
        tn__bytecode_attr(conversion->bytecode, indexes[i], conversion->attrs->position, &encoded));
    const tn_attr_spec_t* spec =
        conversion->fields[i] ? conversion->fields[i] : conversion->specs[i];
    TN_RETURN_IF_ERROR(
        as_specified(conversion->bytecode, encoded, spec->type, &conversion->values[i]));
  }
  return TN_OK;
}

// All fields of the structure that property `first` is the first one of.
static tn_status_t gather_struct(const conversion_t* conversion, size_t first,
                                 const tn_attr_t** out_attr) {
  const tn_attr_spec_t* spec = conversion->specs[first];
  size_t count = 0;
  *out_attr = NULL;
  tn_named_attr_t* fields = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(conversion->bytecode->arena, conversion->count, &fields));
  for (size_t i = first; i < conversion->count; ++i) {
    const tn_attr_t* value = conversion->values[i];
    if (conversion->specs[i] != spec || !conversion->fields[i] || !value) continue;
    if (tn__vhlo_is_default_field(spec, value)) continue;
    fields[count++] = (tn_named_attr_t){tn__sv(conversion->fields[i]->name), value};
  }
  if (is_absent_struct(spec, count, fields)) return TN_OK;
  return tn__bytecode_dictionary(conversion->bytecode, conversion->attrs->position, TN_ATTR_STRUCT,
                                 spec->of, count, fields, out_attr);
}

// Whether an earlier property is of the same structure.
static bool was_gathered(const conversion_t* conversion, size_t index) {
  for (size_t i = 0; i < index; ++i) {
    if (conversion->fields[i] && conversion->specs[i] == conversion->specs[index]) return true;
  }
  return false;
}

static bool is_named(const char* const* names, tn_string_view_t name) {
  for (; *names; ++names) {
    if (tn__sv_is(name, *names)) return true;
  }
  return false;
}

// The dictionary of an operation; `*out_attr` is NULL when there is none.
static tn_status_t read_dictionary(tn_bytecode_t* bytecode, const tn_bytecode_op_attrs_t* attrs,
                                   const tn_attr_t** out_attr) {
  tn_encoded_attr_t* encoded = NULL;
  *out_attr = NULL;
  if (!attrs->has_dictionary) return TN_OK;
  TN_RETURN_IF_ERROR(tn__bytecode_attr(bytecode, attrs->dictionary, attrs->position, &encoded));
  if (!encoded->attr || encoded->attr->kind != TN_ATTR_DICTIONARY) {
    return tn__bytecode_fail(bytecode, attrs->position,
                             "the attributes of an operation are not a dictionary");
  }
  *out_attr = encoded->attr;
  return TN_OK;
}

// Room for `count` entries. A dictionary may be shared by operations that each add to it, so what
// is copied has a limit that follows from the length of the file.
static tn_status_t allocate_entries(tn_bytecode_t* bytecode, const uint8_t* position, size_t count,
                                    tn_named_attr_t** out_entries) {
  *out_entries = NULL;
  if (count > bytecode->entries_left) {
    return tn__bytecode_fail(bytecode, position, "more attributes than such a file can mean");
  }
  bytecode->entries_left -= count;
  return TN_ARENA_ARRAY(bytecode->arena, count, out_entries);
}

static tn_status_t finish(tn_bytecode_t* bytecode, const uint8_t* position, size_t count,
                          tn_named_attr_t* entries, tn_attr_dictionary_t* out_dictionary) {
  const tn_attr_t* attr = NULL;
  if (count == 0) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__bytecode_dictionary(bytecode, position, TN_ATTR_DICTIONARY, "", count, entries, &attr));
  *out_dictionary = attr->dictionary;
  return TN_OK;
}

// The properties and the dictionary, if there is one, together.
static tn_status_t merge(tn_bytecode_t* bytecode, const tn_bytecode_op_attrs_t* attrs,
                         const tn_vhlo_op_t* op, const tn_attr_t* dictionary,
                         tn_attr_dictionary_t* out_dictionary) {
  conversion_t conversion = {.bytecode = bytecode, .attrs = attrs, .op = op};
  tn_named_attr_t* entries = NULL;
  size_t count = 0;
  TN_RETURN_IF_ERROR(read_values(&conversion));
  size_t discardable = dictionary ? dictionary->dictionary.count : 0;
  TN_RETURN_IF_ERROR(
      allocate_entries(bytecode, attrs->position, conversion.count + discardable, &entries));
  for (size_t i = 0; i < conversion.count; ++i) {
    const tn_attr_spec_t* spec = conversion.specs[i];
    const tn_attr_t* value = conversion.values[i];
    if (!spec) continue;
    if (conversion.fields[i]) {
      if (was_gathered(&conversion, i)) continue;
      TN_RETURN_IF_ERROR(gather_struct(&conversion, i, &value));
    } else if (value && tn__vhlo_is_default(spec, value)) {
      continue;
    }
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is room for every value
    if (value) entries[count++] = (tn_named_attr_t){tn__sv(spec->name), value};
  }
  bool inherent_inside = bytecode->version < TN_BYTECODE_PROPERTIES;
  for (size_t i = 0; i < discardable; ++i) {
    const tn_named_attr_t* entry = &dictionary->dictionary.entries[i];
    if (inherent_inside && is_named(op->properties, entry->name)) continue;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
    entries[count++] = *entry;
  }
  return finish(bytecode, attrs->position, count, entries, out_dictionary);
}

tn_status_t tn__bytecode_convert(tn_bytecode_t* bytecode, const tn_bytecode_op_attrs_t* attrs,
                                 const tn_vhlo_op_t* op, tn_attr_dictionary_t* out_dictionary) {
  const tn_attr_t* dictionary = NULL;
  *out_dictionary = (tn_attr_dictionary_t){0};
  TN_RETURN_IF_ERROR(read_dictionary(bytecode, attrs, &dictionary));
  if (op->properties[0]) return merge(bytecode, attrs, op, dictionary, out_dictionary);
  if (dictionary) *out_dictionary = dictionary->dictionary;
  return TN_OK;
}

tn_status_t tn__bytecode_discardable(tn_bytecode_t* bytecode, const tn_bytecode_op_attrs_t* attrs,
                                     const char* const* names,
                                     tn_attr_dictionary_t* out_dictionary) {
  const tn_attr_t* dictionary = NULL;
  tn_named_attr_t* entries = NULL;
  size_t count = 0;
  *out_dictionary = (tn_attr_dictionary_t){0};
  TN_RETURN_IF_ERROR(read_dictionary(bytecode, attrs, &dictionary));
  if (!dictionary) return TN_OK;
  const tn_attr_dictionary_t* all = &dictionary->dictionary;
  TN_RETURN_IF_ERROR(allocate_entries(bytecode, attrs->position, all->count, &entries));
  for (size_t i = 0; i < all->count; ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
    if (!is_named(names, all->entries[i].name)) entries[count++] = all->entries[i];
  }
  return finish(bytecode, attrs->position, count, entries, out_dictionary);
}
