// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions: signature, attributes, body.
#include "text/bytecode/walk.h"

static tn_status_t read_property(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                 uint64_t index, tn_encoded_attr_t** out_attr) {
  *out_attr = NULL;
  if (index == SIZE_MAX) return TN_OK;
  return tn__bytecode_attr(&reader->bytecode, index, head->position, out_attr);
}

tn_status_t tn__bytecode_text_property(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                       uint64_t index, tn_string_view_t* out_text) {
  tn_encoded_attr_t* encoded = NULL;
  *out_text = (tn_string_view_t){0};
  TN_RETURN_IF_ERROR(read_property(reader, head, index, &encoded));
  if (encoded && encoded->attr && encoded->attr->kind == TN_ATTR_STRING) {
    *out_text = encoded->attr->string;
  }
  return TN_OK;
}

// The dictionaries of arg_attrs or res_attrs, one for each; an empty list means that all are empty.
static tn_status_t read_dictionaries(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                     uint64_t index, size_t count, tn_attr_dictionary_t* out) {
  tn_encoded_attr_t* encoded = NULL;
  TN_RETURN_IF_ERROR(read_property(reader, head, index, &encoded));
  const tn_attr_t* list = encoded ? encoded->attr : NULL;
  if (!list || (list->kind == TN_ATTR_ARRAY && list->array.count == 0)) return TN_OK;
  if (list->kind != TN_ATTR_ARRAY || list->array.count != count) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: expected a list of %zu dictionaries", TN_OP_NAME(head),
                             count);
  }
  for (size_t i = 0; i < count; ++i) {
    if (list->array.items[i]->kind == TN_ATTR_DICTIONARY) out[i] = list->array.items[i]->dictionary;
  }
  return TN_OK;
}

static tn_status_t read_function_type(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                      uint64_t index, const tn_encoded_type_t** out_type) {
  tn_encoded_attr_t* encoded = NULL;
  *out_type = NULL;
  TN_RETURN_IF_ERROR(read_property(reader, head, index, &encoded));
  if (encoded && encoded->type) {
    TN_RETURN_IF_ERROR(
        tn__bytecode_type(&reader->bytecode, encoded->type - 1, head->position, out_type));
  }
  if (*out_type && (*out_type)->kind == TN_ENCODED_FUNCTION) return TN_OK;
  return tn__bytecode_fail(&reader->bytecode, head->position, "%.*s.%.*s: it has no function type",
                           TN_OP_NAME(head));
}

static tn_status_t read_visibility(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                   uint64_t index) {
  static const char* const known[] = {"", "public", "private", "nested"};
  tn_string_view_t text;
  TN_RETURN_IF_ERROR(tn__bytecode_text_property(reader, head, index, &text));
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (!tn__sv_is(text, known[i])) continue;
    reader->function->visibility = tn__sv(known[i]);
    return TN_OK;
  }
  return tn__bytecode_fail(&reader->bytecode, head->position,
                           "%.*s.%.*s: \"%.*s\" is not a visibility", TN_OP_NAME(head),
                           TN_SV(text));
}

static tn_status_t make_function(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                 bool is_declaration) {
  uint64_t indexes[TN_VHLO_FUNCTION_PROPERTY_COUNT];
  const tn_encoded_type_t* type = NULL;
  tn_bytecode_t* bytecode = &reader->bytecode;
  tn_string_view_t name;
  TN_RETURN_IF_ERROR(
      tn__bytecode_properties(bytecode, &head->attrs, tn__vhlo_function_properties, indexes));
  TN_RETURN_IF_ERROR(
      tn__bytecode_text_property(reader, head, indexes[TN_VHLO_FUNCTION_NAME], &name));
  if (name.length == 0) {
    return tn__bytecode_fail(bytecode, head->position, "the function has no name");
  }
  TN_RETURN_IF_ERROR(tn__bytecode_check_symbol(bytecode, head->position, name));
  TN_RETURN_IF_ERROR(read_function_type(reader, head, indexes[TN_VHLO_FUNCTION_TYPE], &type));
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
  size_t count = type->argument_count + type->result_count;
  if (count > reader->signature_left) {
    return tn__bytecode_fail(bytecode, head->position,
                             "more arguments and results than such a file can mean");
  }
  reader->signature_left -= count;
  tn_function_t* function = NULL;
  TN_RETURN_IF_ERROR(tn__bytecode_locate(
      bytecode, head->position,
      tn__function_create(reader->module, name, type->argument_count, type->types,
                          type->result_count, type->types + type->argument_count, is_declaration,
                          &function)));
  reader->function = function;
  TN_RETURN_IF_ERROR(read_visibility(reader, head, indexes[TN_VHLO_FUNCTION_VISIBILITY]));
  TN_RETURN_IF_ERROR(read_dictionaries(reader, head, indexes[TN_VHLO_FUNCTION_ARGUMENT_ATTRS],
                                       type->argument_count, function->argument_attrs));
  TN_RETURN_IF_ERROR(read_dictionaries(reader, head, indexes[TN_VHLO_FUNCTION_RESULT_ATTRS],
                                       type->result_count, function->result_attrs));
  return tn__bytecode_discardable(bytecode, &head->attrs, tn__vhlo_function_properties,
                                  &function->attrs);
}

tn_status_t tn__bytecode_function(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                  const tn_bytecode_head_t* head) {
  tn_bytecode_inner_t inner;
  bool is_empty = false;
  // Until August 2023 writers did not mark functions as isolated.
  if (head->region_count != 1 || head->result_count || head->operand_count) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: a function has one region, and no operands or results",
                             TN_OP_NAME(head));
  }
  TN_RETURN_IF_ERROR(tn__bytecode_enter_regions(reader, cursor, head, &inner));
  tn_cursor_t ahead = *inner.cursor;
  bool is_declaration = tn__cursor_varint(&ahead) == 0;
  TN_RETURN_IF_ERROR(make_function(reader, head, is_declaration));
  tn_bytecode_target_t target = {.region = reader->function->body, .is_body = true};
  TN_RETURN_IF_ERROR(tn__bytecode_region(reader, inner.cursor, &target, &is_empty));
  return tn__bytecode_leave_regions(reader, cursor, &inner);
}
