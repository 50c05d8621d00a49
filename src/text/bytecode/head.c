// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One operation up to its regions: name, attributes, results, operands.
#include "text/bytecode/codes.h"
#include "text/bytecode/walk.h"

static const struct special_op {
  tn_dialect_t dialect;
  const char* name;
  tn_bytecode_special_t special;
} special_ops[] = {
    {TN_DIALECT_BUILTIN, "module", TN_SPECIAL_MODULE},
    // Stand between operations of vhlo and of other dialects, whose types are the same to us.
    {TN_DIALECT_BUILTIN, "unrealized_conversion_cast", TN_SPECIAL_FORWARD},
    {TN_DIALECT_VHLO, "func_v1", TN_SPECIAL_FUNCTION},
    {TN_DIALECT_SHARDY, "mesh", TN_SPECIAL_NOTHING},
    {TN_DIALECT_SHARDY, "sharding_constraint", TN_SPECIAL_FORWARD},
    {TN_DIALECT_SHARDY, "reshard", TN_SPECIAL_FORWARD},
    {TN_DIALECT_SHARDY, "manual_computation", TN_SPECIAL_INLINE},
    {TN_DIALECT_SHARDY, "named_computation", TN_SPECIAL_INLINE},
    {TN_DIALECT_SHARDY, "return", TN_SPECIAL_YIELD},
};

// --- names

static tn_status_t resolve(tn_bytecode_reader_t* reader, tn_encoded_op_name_t* name) {
  tn_known_op_t* known = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(&reader->bytecode.scratch, &known));
  name->known = known;
  for (size_t i = 0; i < sizeof special_ops / sizeof *special_ops; ++i) {
    if (special_ops[i].dialect != name->dialect || !tn__sv_is(name->name, special_ops[i].name)) {
      continue;
    }
    known->special = special_ops[i].special;
    known->divides = tn__sv_is(name->name, "manual_computation");
    return TN_OK;
  }
  if (name->dialect == TN_DIALECT_VHLO) known->vhlo = tn__vhlo_op_find(name->name);
  known->special = known->vhlo ? TN_SPECIAL_NONE : TN_SPECIAL_UNKNOWN;
  return TN_OK;
}

tn_status_t tn__bytecode_unknown_operation(tn_bytecode_reader_t* reader,
                                           const tn_bytecode_head_t* head) {
  if (head->name->dialect == TN_DIALECT_PLAIN) {
    return tn__bytecode_unsupported(
        &reader->bytecode, head->position,
        "%.*s.%.*s: plain bytecode of the dialect is not supported; serialize the module as a "
        "portable artifact",
        TN_OP_NAME(head));
  }
  return tn__bytecode_unsupported(&reader->bytecode, head->position,
                                  "%.*s.%.*s: this operation is not supported", TN_OP_NAME(head));
}

// --- stacks

tn_status_t tn__bytecode_reserve(tn_bytecode_reader_t* reader, void* items, size_t* capacity,
                                 size_t count, size_t more, size_t size) {
  void* array = NULL;
  if (*capacity - count >= more) return TN_OK;
  memcpy(&array, items, sizeof array);
  TN_RETURN_IF_ERROR(tn__grow(reader->allocator, &array, capacity, count + more, size));
  memcpy(items, &array, sizeof array);
  return TN_OK;
}

// --- heads

void tn__bytecode_skip_use_lists(tn_cursor_t* cursor, size_t count) {
  size_t lists = count == 1 ? 1 : tn__cursor_count(cursor);
  for (size_t i = 0; i < lists && !cursor->bad; ++i) {
    bool has_pairs = false;
    if (count != 1) tn__cursor_varint(cursor);
    uint64_t length = tn__cursor_flagged(cursor, &has_pairs);
    for (uint64_t k = 0; k < length && !cursor->bad; ++k) tn__cursor_varint(cursor);
  }
}

static tn_status_t read_results(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                tn_bytecode_head_t* head) {
  head->result_count = tn__cursor_count(cursor);
  TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->types, head->result_count));
  for (size_t i = 0; i < head->result_count; ++i) {
    const tn_type_t* type = NULL;
    TN_RETURN_IF_ERROR(tn__bytecode_value_type(&reader->bytecode, cursor, &type));
    // Reading a type touches no stack.
    reader->types.items[reader->types.count++] = type;
  }
  return TN_OK;
}

static tn_status_t read_operands(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                 tn_bytecode_head_t* head) {
  size_t visible = reader->values.count - reader->scope;
  head->operand_count = tn__cursor_count(cursor);
  TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->operands, head->operand_count));
  for (size_t i = 0; i < head->operand_count; ++i) {
    const uint8_t* position = cursor->position;
    uint64_t id = tn__cursor_varint(cursor);
    if (cursor->bad) break;
    tn_value_t* value = id < visible ? reader->values.items[reader->scope + id] : NULL;
    if (!value) {
      return tn__bytecode_fail(
          &reader->bytecode, position,
          "%.*s.%.*s: operand %zu, value %llu, is not defined before this operation",
          TN_OP_NAME(head), i, (unsigned long long)id);
    }
    reader->operands.items[reader->operands.count++] = value;
  }
  return TN_OK;
}

tn_status_t tn__bytecode_head(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                              tn_bytecode_ids_t* ids, tn_bytecode_head_t* head) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  *head = (tn_bytecode_head_t){.position = cursor->position,
                               .types = reader->types.count,
                               .operands = reader->operands.count,
                               .results = ids->next};
  uint64_t name = tn__cursor_varint(cursor);
  uint8_t mask = tn__cursor_byte(cursor);
  uint64_t place = tn__cursor_varint(cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "an operation"));
  if (name >= bytecode->op_name_count) {
    return tn__bytecode_fail(bytecode, head->position, "name of operation %llu of %zu",
                             (unsigned long long)name, bytecode->op_name_count);
  }
  if (place >= bytecode->attr_count) {
    return tn__bytecode_fail(bytecode, head->position, "attribute %llu of %zu",
                             (unsigned long long)place, bytecode->attr_count);
  }
  head->name = &bytecode->op_names[name];
  if (!head->name->known) TN_RETURN_IF_ERROR(resolve(reader, head->name));
  head->known = head->name->known;
  head->attrs.position = head->position;
  head->attrs.has_dictionary = mask & TN_HAS_DICTIONARY;
  head->attrs.has_properties = mask & TN_HAS_PROPERTIES;
  if (mask & TN_HAS_DICTIONARY) head->attrs.dictionary = tn__cursor_varint(cursor);
  if (mask & TN_HAS_PROPERTIES) head->attrs.properties = tn__cursor_varint(cursor);
  if (mask & TN_HAS_RESULTS) TN_RETURN_IF_ERROR(read_results(reader, cursor, head));
  if (mask & TN_HAS_OPERANDS) TN_RETURN_IF_ERROR(read_operands(reader, cursor, head));
  if (mask & TN_HAS_SUCCESSORS) {
    return tn__bytecode_unsupported(bytecode, head->position,
                                    "%.*s.%.*s: branches between blocks are not supported",
                                    TN_OP_NAME(head));
  }
  if (mask & TN_HAS_USE_LISTS) tn__bytecode_skip_use_lists(cursor, head->result_count);
  if (mask & TN_HAS_REGIONS) head->region_count = tn__cursor_flagged(cursor, &head->is_isolated);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "an operation"));
  if (head->region_count > tn__cursor_left(cursor)) {
    return tn__bytecode_fail(bytecode, head->position, "%.*s.%.*s: more regions than bytes",
                             TN_OP_NAME(head));
  }
  if (head->result_count > ids->end - ids->next) {
    return tn__bytecode_fail(bytecode, head->position,
                             "%.*s.%.*s: more results than its region has values",
                             TN_OP_NAME(head));
  }
  ids->next += head->result_count;
  return TN_OK;
}
