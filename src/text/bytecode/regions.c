// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Regions, and the nodes in them.
#include "text/bytecode/walk.h"
#include "text/shards.h"

// --- regions

static tn_status_t read_operation(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                  tn_bytecode_target_t* target, tn_bytecode_ids_t* ids);

tn_status_t tn__bytecode_enter_regions(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                       const tn_bytecode_head_t* head, tn_bytecode_inner_t* inner) {
  uint8_t id = 0;
  inner->cursor = cursor;
  inner->scope = reader->scope;
  if (!head->is_isolated) return TN_OK;
  reader->scope = reader->values.count;
  if (reader->bytecode.version < TN_BYTECODE_ISOLATED_SECTIONS) return TN_OK;
  inner->cursor = &inner->section;
  return tn__bytecode_section(&reader->bytecode, cursor, &id, &inner->section);
}

tn_status_t tn__bytecode_leave_regions(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                       tn_bytecode_inner_t* inner) {
  reader->scope = inner->scope;
  if (inner->cursor == cursor || tn__cursor_done(inner->cursor)) return TN_OK;
  return tn__bytecode_fail(&reader->bytecode, inner->cursor->position,
                           "more bytes than the regions have");
}

// Types of the arguments onto the stack. Those of a function get the names in their locations.
TN_APART static tn_status_t read_argument_types(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                                const tn_bytecode_target_t* target,
                                                size_t* out_count) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  size_t count = tn__cursor_count(cursor);
  *out_count = count;
  TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->types, count));
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* position = cursor->position;
    const tn_type_t* type = NULL;
    bool has_place = true;
    uint64_t index = bytecode->version >= TN_BYTECODE_OPTIONAL_LOCATIONS
                         ? tn__cursor_flagged(cursor, &has_place)
                         : tn__cursor_varint(cursor);
    const uint64_t place = has_place ? tn__cursor_varint(cursor) : UINT64_MAX;
    TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "the arguments of a region"));
    if (target->is_body && i < target->region->argument_count) {
      tn_string_view_t label = tn__bytecode_place_name(bytecode, place);
      TN_RETURN_IF_ERROR(tn__value_set_name(reader->module, &target->region->arguments[i], label));
    }
    TN_RETURN_IF_ERROR(tn__bytecode_value_type_at(bytecode, index, position, &type));
    reader->types.items[reader->types.count++] = type;
  }
  if (bytecode->version >= TN_BYTECODE_USE_LISTS && tn__cursor_byte(cursor)) {
    tn__bytecode_skip_use_lists(cursor, count);
  }
  return tn__bytecode_check(bytecode, cursor, "the arguments of a region");
}

// Gives the region's arguments, whose types are on the stack from `first` on, their ids.
TN_APART static tn_status_t define_arguments(tn_bytecode_reader_t* reader, const uint8_t* position,
                                             size_t first, size_t count,
                                             tn_bytecode_target_t* target, tn_bytecode_ids_t* ids) {
  const tn_type_t* const* types = reader->types.items + first;
  size_t wanted = target->into      ? target->into->operand_count
                  : target->is_body ? target->region->argument_count
                                    : count;
  if (count > ids->end - ids->next || count != wanted) {
    return tn__bytecode_fail(&reader->bytecode, position, "a region of %zu arguments; expected %zu",
                             count, count == wanted ? ids->end - ids->next : wanted);
  }
  if (!target->region) {
    TN_RETURN_IF_ERROR(tn__region_create(reader->function, count, types, &target->region));
  }
  for (size_t i = 0; i < count; ++i) {
    tn_value_t* value = target->into ? reader->operands.items[target->into->operands + i]
                                     : &target->region->arguments[i];
    if (target->into && target->into->known->divides) {
      TN_RETURN_IF_ERROR(tn__text_shard(target->region, TN_WHOLE_TO_PART, value, types[i],
                                        (tn_location_t){0}, &value));
    }
    if (!tn_type_equal(value->type, types[i])) {
      return tn__bytecode_fail(&reader->bytecode, position, "argument %zu is %s; expected %s", i,
                               TN_TYPE_TEXT(types[i]), TN_TYPE_TEXT(value->type));
    }
    reader->values.items[ids->next++] = value;
  }
  return TN_OK;
}

// The one block of a region: its arguments, its operations.
static tn_status_t read_block(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                              tn_bytecode_target_t* target, tn_bytecode_ids_t* ids) {
  const uint8_t* position = cursor->position;
  bool has_arguments = false;
  size_t first = reader->types.count, count = 0;
  uint64_t operations = tn__cursor_flagged(cursor, &has_arguments);
  if (has_arguments) TN_RETURN_IF_ERROR(read_argument_types(reader, cursor, target, &count));
  TN_RETURN_IF_ERROR(define_arguments(reader, position, first, count, target, ids));
  reader->types.count = first;
  for (uint64_t i = 0; i < operations; ++i) {
    TN_RETURN_IF_ERROR(read_operation(reader, cursor, target, ids));
  }
  return tn__bytecode_check(&reader->bytecode, cursor, "a region");
}

tn_status_t tn__bytecode_region(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                tn_bytecode_target_t* target, bool* out_is_empty) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  const uint8_t* position = cursor->position;
  uint64_t blocks = tn__cursor_varint(cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "a region"));
  *out_is_empty = blocks == 0;
  if (blocks == 0) return TN_OK;
  if (blocks != 1) {
    return tn__bytecode_unsupported(bytecode, position, "a region of %llu blocks; one is supported",
                                    (unsigned long long)blocks);
  }
  uint64_t count = tn__cursor_varint(cursor);
  if (count > reader->values_left) {
    return tn__bytecode_fail(bytecode, position, "a region of %llu values",
                             (unsigned long long)count);
  }
  reader->values_left -= (size_t)count;
  TN_RETURN_IF_ERROR(tn__bytecode_enter(bytecode, position));
  TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->values, (size_t)count));
  size_t first = reader->values.count;
  tn_bytecode_ids_t ids = {first, first + (size_t)count};
  for (size_t i = first; i < ids.end; ++i) reader->values.items[i] = NULL;
  reader->values.count = ids.end;
  TN_RETURN_IF_ERROR(read_block(reader, cursor, target, &ids));
  if (ids.next != ids.end) {
    return tn__bytecode_fail(bytecode, cursor->position, "a region of %llu values defines %zu",
                             (unsigned long long)count, ids.next - first);
  }
  reader->values.count = first;
  tn__bytecode_leave(bytecode);
  return TN_OK;
}

// --- nodes

TN_APART static tn_status_t read_attrs(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                       const tn_vhlo_op_t* op, tn_attr_dictionary_t* out_attrs) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  uint64_t dictionary = head->attrs.has_dictionary ? head->attrs.dictionary : UINT64_MAX;
  bool has_entry = head->attrs.has_properties && head->attrs.properties < bytecode->property_count;
  tn_known_attrs_t* known = has_entry ? &reader->known[head->attrs.properties] : NULL;
  if (known && known->name == head->name && known->dictionary == dictionary) {
    *out_attrs = known->attrs;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__bytecode_convert(bytecode, &head->attrs, op, out_attrs));
  if (known) *known = (tn_known_attrs_t){head->name, dictionary, *out_attrs};
  return TN_OK;
}

// One return ends functions and regions alike.
static const tn_op_t* operation_of(const tn_bytecode_reader_t* reader,
                                   const tn_bytecode_head_t* head, const tn_region_t* region) {
  const tn_op_t* op = head->known->vhlo->op;
  bool ends_function = op == TN__OP(return ) && region == reader->function->body;
  return ends_function ? TN__OP_OF(func, return ) : op;
}

static tn_status_t read_regions(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                const tn_bytecode_head_t* head) {
  tn_bytecode_inner_t inner;
  TN_RETURN_IF_ERROR(tn__bytecode_enter_regions(reader, cursor, head, &inner));
  for (uint64_t i = 0; i < head->region_count; ++i) {
    tn_bytecode_target_t target = {0};
    bool is_empty = false;
    TN_RETURN_IF_ERROR(tn__bytecode_region(reader, inner.cursor, &target, &is_empty));
    if (is_empty) TN_RETURN_IF_ERROR(tn__region_create(reader->function, 0, NULL, &target.region));
    TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->regions, 1));
    reader->regions.items[reader->regions.count++] = target.region;
  }
  return tn__bytecode_leave_regions(reader, cursor, &inner);
}

// Its regions are on the stack from `first` on.
TN_APART static tn_status_t make_node(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                      tn_region_t* region, size_t first) {
  tn_node_t* node = NULL;
  tn_node_spec_t spec = {.op = operation_of(reader, head, region)};
  TN_RETURN_IF_ERROR(read_attrs(reader, head, head->known->vhlo, &spec.attrs));
  spec.operand_count = head->operand_count;
  spec.operands = reader->operands.items + head->operands;
  spec.result_count = head->result_count;
  spec.result_types = reader->types.items + head->types;
  spec.region_count = reader->regions.count - first;
  spec.regions = reader->regions.items + first;
  TN_RETURN_IF_ERROR(tn__node_append(region, &spec, &node));
  reader->regions.count = first;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    reader->values.items[head->results + i] = &node->results[i];
  }
  return TN_OK;
}

static tn_status_t read_node(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                             const tn_bytecode_head_t* head, tn_region_t* region) {
  size_t first = reader->regions.count;
  if (head->region_count) TN_RETURN_IF_ERROR(read_regions(reader, cursor, head));
  return make_node(reader, head, region, first);
}

// --- partitioning, which one process does not do: values pass through

TN_APART static tn_status_t forward(tn_bytecode_reader_t* reader, const tn_bytecode_head_t* head,
                                    tn_region_t* region, size_t first, size_t count) {
  if (count != head->result_count) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: %zu values for %zu results", TN_OP_NAME(head), count,
                             head->result_count);
  }
  for (size_t i = 0; i < count; ++i) {
    tn_value_t* value = reader->operands.items[first + i];
    const tn_type_t* type = reader->types.items[head->types + i];
    if (head->known->divides) {
      TN_RETURN_IF_ERROR(
          tn__text_shard(region, TN_PART_TO_WHOLE, value, type, (tn_location_t){0}, &value));
    }
    if (!tn_type_equal(value->type, type)) {
      return tn__bytecode_unsupported(&reader->bytecode, head->position,
                                      "%.*s.%.*s: %s for %s; only programs for one device are "
                                      "supported",
                                      TN_OP_NAME(head), TN_TYPE_TEXT(value->type),
                                      TN_TYPE_TEXT(type));
    }
    reader->values.items[head->results + i] = value;
  }
  return TN_OK;
}

TN_APART static tn_status_t read_inline(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                        const tn_bytecode_head_t* head, tn_region_t* region) {
  tn_bytecode_inner_t inner;
  tn_bytecode_target_t target = {.region = region, .into = head};
  bool is_empty = false;
  if (head->region_count != 1) {
    return tn__bytecode_fail(&reader->bytecode, head->position, "%.*s.%.*s: expected one region",
                             TN_OP_NAME(head));
  }
  TN_RETURN_IF_ERROR(tn__bytecode_enter_regions(reader, cursor, head, &inner));
  TN_RETURN_IF_ERROR(tn__bytecode_region(reader, inner.cursor, &target, &is_empty));
  TN_RETURN_IF_ERROR(tn__bytecode_leave_regions(reader, cursor, &inner));
  if (!target.has_yield) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: its region does not end in a return", TN_OP_NAME(head));
  }
  return forward(reader, head, region, target.yield, target.yield_count);
}

static tn_status_t read_inner_operation(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                        tn_bytecode_head_t* head, tn_bytecode_target_t* target) {
  switch (head->known->special) {
    case TN_SPECIAL_FORWARD:
      return forward(reader, head, target->region, head->operands, head->operand_count);
    case TN_SPECIAL_INLINE: return read_inline(reader, cursor, head, target->region);
    case TN_SPECIAL_YIELD:
      if (!target->into || target->has_yield) return tn__bytecode_unknown_operation(reader, head);
      target->has_yield = true;
      target->yield = head->operands;
      target->yield_count = head->operand_count;
      // They stay on the stack until the operation around is done.
      head->operands = reader->operands.count;
      return TN_OK;
    case TN_SPECIAL_NONE: return read_node(reader, cursor, head, target->region);
    default: return tn__bytecode_unknown_operation(reader, head);
  }
}

TN_APART static tn_status_t stands_behind_return(tn_bytecode_reader_t* reader,
                                                 const tn_bytecode_head_t* head) {
  return tn__bytecode_fail(
      &reader->bytecode, head->position,
      // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
      "%.*s.%.*s: follows the return", TN_OP_NAME(head));
}

static tn_status_t read_operation(tn_bytecode_reader_t* reader, tn_cursor_t* cursor,
                                  tn_bytecode_target_t* target, tn_bytecode_ids_t* ids) {
  tn_bytecode_head_t head;
  TN_RETURN_IF_ERROR(tn__bytecode_head(reader, cursor, ids, &head));
  if (target->into && target->has_yield) return stands_behind_return(reader, &head);
  TN_RETURN_IF_ERROR(read_inner_operation(reader, cursor, &head, target));
  tn__bytecode_drop_head(reader, &head);
  return TN_OK;
}
