// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Modules, which may nest and hold functions.
#include "text/bytecode/walk.h"

// Only one module of a file may say something about itself: they all become one.
static tn_status_t name_module(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                               tn_string_view_t name, tn_attr_dictionary_t attrs) {
  tn_module_t* module = reader->module;
  if (name.length == 0 && attrs.count == 0) return TN_OK;
  if (module->name.length || module->attrs.count) {
    return tn__bytecode_unsupported(&reader->bytecode, head->position,
                                    "more than one module with a name or attributes in one file");
  }
  TN_RETURN_IF_ERROR(tn__bytecode_check_symbol(&reader->bytecode, head->position, name));
  module->name = name;
  module->attrs = attrs;
  return TN_OK;
}

// A module's properties, sym_name and sym_visibility, are numbers of attributes with a flag.
static tn_status_t read_module_name(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                    tn_string_view_t* out) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  static const char* const names[] = {"sym_name", NULL};
  uint64_t index = SIZE_MAX;
  bool is_there = true;
  *out = (tn_string_view_t){0};
  if (bytecode->version < TN_BYTECODE_PROPERTIES) {
    TN_RETURN_IF_ERROR(tn__bytecode_properties(bytecode, &head->attrs, names, &index));
  } else if (head->attrs.has_properties) {
    if (head->attrs.properties >= bytecode->property_count) {
      return tn__bytecode_fail(bytecode, head->position, "properties %llu of %zu",
                               (unsigned long long)head->attrs.properties,
                               bytecode->property_count);
    }
    tn_cursor_t cursor = bytecode->properties[head->attrs.properties];
    index = tn__cursor_flagged(&cursor, &is_there);
    TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the properties of a module"));
  }
  return is_there ? tn__bytecode_text_property(reader, head, index, out) : TN_OK;
}

static tn_status_t read_module(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                               const tn_bytecode_head_t* head) {
  static const char* const inherent[] = {"sym_name", "sym_visibility", NULL};
  tn_bytecode_inner_t inner;
  tn_string_view_t name;
  tn_attr_dictionary_t attrs = {0};
  TN_RETURN_IF_ERROR(read_module_name(reader, head, &name));
  TN_RETURN_IF_ERROR(tn__bytecode_discardable(&reader->bytecode, &head->attrs, inherent, &attrs));
  TN_RETURN_IF_ERROR(name_module(reader, head, name, attrs));
  TN_RETURN_IF_ERROR(tn__bytecode_enter_regions(reader, cursor, head, &inner));
  for (uint64_t i = 0; i < head->region_count; ++i) {
    tn_cursor_t* body = inner.cursor;
    uint64_t blocks = tn__cursor_varint(body);
    if (blocks == 0) continue;
    uint64_t values = tn__cursor_varint(body);
    TN_RETURN_IF_ERROR(tn__bytecode_check(&reader->bytecode, body, "a module"));
    if (blocks != 1 || values != 0) {
      return tn__bytecode_fail(&reader->bytecode, head->position,
                               "a module of %llu blocks and %llu values",
                               (unsigned long long)blocks, (unsigned long long)values);
    }
    TN_RETURN_IF_ERROR(tn__bytecode_module_body(reader, body));
  }
  return tn__bytecode_leave_regions(reader, cursor, &inner);
}

static tn_status_t read_member(tn_bytecode_reader_t* reader, tn_cursor_t* cursor) {
  tn_bytecode_head_t head;
  tn_bytecode_ids_t none = {0, 0};
  TN_RETURN_IF_ERROR(tn__bytecode_head(reader, cursor, &none, &head));
  switch (head.known->special) {
    case TN_SPECIAL_MODULE: TN_RETURN_IF_ERROR(read_module(reader, cursor, &head)); break;
    case TN_SPECIAL_FUNCTION:
      TN_RETURN_IF_ERROR(tn__bytecode_function(reader, cursor, &head));
      break;
    case TN_SPECIAL_NOTHING:
      if (head.region_count == 0) break;
      return tn__bytecode_unknown_operation(reader, &head);
    default: return tn__bytecode_unknown_operation(reader, &head);
  }
  tn__bytecode_drop_head(reader, &head);
  return TN_OK;
}

tn_status_t tn__bytecode_module_body(tn_bytecode_reader_t* reader, tn_cursor_t* cursor) {
  const uint8_t* position = cursor->position;
  bool has_arguments = false;
  uint64_t count = tn__cursor_flagged(cursor, &has_arguments);
  TN_RETURN_IF_ERROR(tn__bytecode_check(&reader->bytecode, cursor, "a module"));
  if (has_arguments) {
    return tn__bytecode_fail(&reader->bytecode, position, "a module has no arguments");
  }
  TN_RETURN_IF_ERROR(tn__bytecode_enter(&reader->bytecode, position));
  for (uint64_t i = 0; i < count; ++i) TN_RETURN_IF_ERROR(read_member(reader, cursor));
  tn__bytecode_leave(&reader->bytecode);
  return TN_OK;
}
