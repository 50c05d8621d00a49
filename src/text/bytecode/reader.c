// The section of operations: modules, functions, regions, nodes.
#include "text/bytecode/reader.h"

#include "text/bytecode/convert.h"
#include "text/bytecode/producer.h"

// Bits of the byte that says what an operation has.
enum {
  HAS_DICTIONARY = 0x01,
  HAS_RESULTS = 0x02,
  HAS_OPERANDS = 0x04,
  HAS_SUCCESSORS = 0x08,
  HAS_REGIONS = 0x10,
  HAS_USE_LISTS = 0x20,
  HAS_PROPERTIES = 0x40,
};

// Operations that are no nodes of ours, beside what tn__vhlo_op_find knows.
typedef enum special {
  SPECIAL_NONE,
  SPECIAL_MODULE,
  SPECIAL_FUNCTION,
  SPECIAL_FORWARD,  // its result is its operand
  SPECIAL_INLINE,   // its results are those of its region, whose arguments are its operands
  SPECIAL_YIELD,    // ends such a region
  SPECIAL_NOTHING,  // a line of the module that says nothing to one process
} special_t;

static const struct special_op {
  tn_dialect_t dialect;
  const char* name;
  special_t special;
} special_ops[] = {
    {TN_DIALECT_BUILTIN, "module", SPECIAL_MODULE},
    // Stand between operations of vhlo and of other dialects, whose types are the same to us.
    {TN_DIALECT_BUILTIN, "unrealized_conversion_cast", SPECIAL_FORWARD},
    {TN_DIALECT_VHLO, "func_v1", SPECIAL_FUNCTION},
    {TN_DIALECT_SHARDY, "mesh", SPECIAL_NOTHING},
    {TN_DIALECT_SHARDY, "sharding_constraint", SPECIAL_FORWARD},
    {TN_DIALECT_SHARDY, "reshard", SPECIAL_FORWARD},
    {TN_DIALECT_SHARDY, "manual_computation", SPECIAL_INLINE},
    {TN_DIALECT_SHARDY, "named_computation", SPECIAL_INLINE},
    {TN_DIALECT_SHARDY, "return", SPECIAL_YIELD},
};

// What a pair of properties and dictionary became for an operation: most are shared.
typedef struct known_attrs {
  const tn_encoded_op_name_t* name;  // NULL: not yet
  uint64_t dictionary;
  tn_attr_dictionary_t attrs;
} known_attrs_t;

#define STACK(type)         \
  struct {                  \
    type* items;            \
    size_t count, capacity; \
  }

typedef struct reader {
  tn_bytecode_t bytecode;
  const tn_allocator_t* allocator;
  tn_module_t* module;
  tn_function_t* function;
  size_t scope;                 // where the values of the innermost isolated region begin
  size_t values_left;           // that regions may still claim: each takes a byte somewhere
  size_t signature_left;        // arguments and results that functions may still have
  known_attrs_t* known;         // by number of properties
  STACK(tn_value_t*) values;    // by id from `scope` on; NULL: not defined yet
  STACK(tn_value_t*) operands;  // of operations being read; each cuts back to what was
  STACK(const tn_type_t*) types;
  STACK(tn_region_t*) regions;
} reader_t;

// Room for `more` items of a stack.
#define RESERVE(reader, stack, more) \
  reserve(reader, &(stack).items, &(stack).capacity, (stack).count, more, sizeof *(stack).items)

static tn_status_t reserve(reader_t* reader, void* items, size_t* capacity, size_t count,
                           size_t more, size_t size) {
  void* array = NULL;
  if (*capacity - count >= more) return TN_OK;
  memcpy(&array, items, sizeof array);
  TN_RETURN_IF_ERROR(tn__grow(reader->allocator, &array, capacity, count + more, size));
  memcpy(items, &array, sizeof array);
  return TN_OK;
}

// --- operations up to their regions

typedef struct head {
  const uint8_t* position;
  tn_encoded_op_name_t* name;
  tn_bytecode_op_attrs_t attrs;
  size_t types, result_count;      // on the stack of types
  size_t operands, operand_count;  // on the stack of operands
  size_t results;                  // place of the first one among the values
  uint64_t region_count;
  bool is_isolated;
} head_t;

// The values that a region defines itself, as they come.
typedef struct id_range {
  size_t next, end;
} id_range_t;

// "vhlo.add_v1"
#define OP_NAME(head) TN_SV((head)->name->dialect_name), TN_SV((head)->name->name)

static void skip_use_lists(tn_cursor_t* cursor, size_t count) {
  size_t lists = count == 1 ? 1 : tn__cursor_count(cursor);
  for (size_t i = 0; i < lists && !cursor->bad; ++i) {
    bool has_pairs = false;
    if (count != 1) tn__cursor_varint(cursor);
    uint64_t length = tn__cursor_flagged(cursor, &has_pairs);
    for (uint64_t k = 0; k < length && !cursor->bad; ++k) tn__cursor_varint(cursor);
  }
}

static tn_status_t read_results(reader_t* reader, tn_cursor_t* cursor, head_t* head) {
  head->result_count = tn__cursor_count(cursor);
  TN_RETURN_IF_ERROR(RESERVE(reader, reader->types, head->result_count));
  for (size_t i = 0; i < head->result_count; ++i) {
    const tn_type_t* type = NULL;
    TN_RETURN_IF_ERROR(tn__bytecode_value_type(&reader->bytecode, cursor, &type));
    // Reading a type touches no stack.
    reader->types.items[reader->types.count++] = type;
  }
  return TN_OK;
}

static tn_status_t read_operands(reader_t* reader, tn_cursor_t* cursor, head_t* head) {
  size_t visible = reader->values.count - reader->scope;
  head->operand_count = tn__cursor_count(cursor);
  TN_RETURN_IF_ERROR(RESERVE(reader, reader->operands, head->operand_count));
  for (size_t i = 0; i < head->operand_count; ++i) {
    const uint8_t* position = cursor->position;
    uint64_t id = tn__cursor_varint(cursor);
    if (cursor->bad) break;
    tn_value_t* value = id < visible ? reader->values.items[reader->scope + id] : NULL;
    if (!value) {
      return tn__bytecode_fail(
          &reader->bytecode, position,
          "%.*s.%.*s: operand %zu, value %llu, is not defined before this place", OP_NAME(head), i,
          (unsigned long long)id);
    }
    reader->operands.items[reader->operands.count++] = value;
  }
  return TN_OK;
}

static tn_status_t read_head(reader_t* reader, tn_cursor_t* cursor, id_range_t* ids, head_t* head) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  *head = (head_t){.position = cursor->position,
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
  head->attrs.position = head->position;
  head->attrs.has_dictionary = mask & HAS_DICTIONARY;
  head->attrs.has_properties = mask & HAS_PROPERTIES;
  if (mask & HAS_DICTIONARY) head->attrs.dictionary = tn__cursor_varint(cursor);
  if (mask & HAS_PROPERTIES) head->attrs.properties = tn__cursor_varint(cursor);
  if (mask & HAS_RESULTS) TN_RETURN_IF_ERROR(read_results(reader, cursor, head));
  if (mask & HAS_OPERANDS) TN_RETURN_IF_ERROR(read_operands(reader, cursor, head));
  if (mask & HAS_SUCCESSORS) {
    return tn__bytecode_unsupported(bytecode, head->position,
                                    "%.*s.%.*s: branches between blocks are not supported",
                                    OP_NAME(head));
  }
  if (mask & HAS_USE_LISTS) skip_use_lists(cursor, head->result_count);
  if (mask & HAS_REGIONS) head->region_count = tn__cursor_flagged(cursor, &head->is_isolated);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "an operation"));
  if (head->region_count > tn__cursor_left(cursor)) {
    return tn__bytecode_fail(bytecode, head->position, "%.*s.%.*s: more regions than bytes",
                             OP_NAME(head));
  }
  if (head->result_count > ids->end - ids->next) {
    return tn__bytecode_fail(bytecode, head->position,
                             "%.*s.%.*s: more results than its region has values", OP_NAME(head));
  }
  ids->next += head->result_count;
  return TN_OK;
}

static void drop_head(reader_t* reader, const head_t* head) {
  reader->types.count = head->types;
  reader->operands.count = head->operands;
}

static special_t special_of(const head_t* head) {
  for (size_t i = 0; i < sizeof special_ops / sizeof *special_ops; ++i) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
    if (special_ops[i].dialect == head->name->dialect &&
        tn__sv_is(head->name->name, special_ops[i].name)) {
      return special_ops[i].special;
    }
  }
  return SPECIAL_NONE;
}

// --- regions

// What a region's arguments become, and where its operations go.
typedef struct target {
  tn_region_t* region;  // NULL: made for the arguments that the region has
  const head_t* into;   // not NULL: operations go into `region`; the operands are the arguments
  bool is_body;         // of a function, whose arguments must be those of its type
  size_t yield, yield_count;  // of an inline region: on the stack of operands
  bool has_yield;
} target_t;

static tn_status_t read_operation(reader_t* reader, tn_cursor_t* cursor, target_t* target,
                                  id_range_t* ids);

// The regions of an isolated operation stand in a section of their own, with a scope of values.
typedef struct inner {
  tn_cursor_t section;
  tn_cursor_t* cursor;
  size_t scope;
} inner_t;

static tn_status_t enter_regions(reader_t* reader, tn_cursor_t* cursor, const head_t* head,
                                 inner_t* inner) {
  uint8_t id = 0;
  inner->cursor = cursor;
  inner->scope = reader->scope;
  if (!head->is_isolated) return TN_OK;
  reader->scope = reader->values.count;
  if (reader->bytecode.version < TN_BYTECODE_ISOLATED_SECTIONS) return TN_OK;
  inner->cursor = &inner->section;
  return tn__bytecode_section(&reader->bytecode, cursor, &id, &inner->section);
}

static tn_status_t leave_regions(reader_t* reader, tn_cursor_t* cursor, inner_t* inner) {
  reader->scope = inner->scope;
  if (inner->cursor == cursor || tn__cursor_done(inner->cursor)) return TN_OK;
  return tn__bytecode_fail(&reader->bytecode, inner->cursor->position,
                           "more bytes than the regions have");
}

// Types of the arguments onto the stack.
static tn_status_t read_argument_types(reader_t* reader, tn_cursor_t* cursor, size_t* out_count) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  size_t count = tn__cursor_count(cursor);
  *out_count = count;
  TN_RETURN_IF_ERROR(RESERVE(reader, reader->types, count));
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* position = cursor->position;
    const tn_type_t* type = NULL;
    bool has_place = true;
    uint64_t index = bytecode->version >= TN_BYTECODE_OPTIONAL_LOCATIONS
                         ? tn__cursor_flagged(cursor, &has_place)
                         : tn__cursor_varint(cursor);
    if (has_place) tn__cursor_varint(cursor);
    TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "the arguments of a region"));
    TN_RETURN_IF_ERROR(tn__bytecode_value_type_at(bytecode, index, position, &type));
    reader->types.items[reader->types.count++] = type;
  }
  if (bytecode->version >= TN_BYTECODE_USE_LISTS && tn__cursor_byte(cursor)) {
    skip_use_lists(cursor, count);
  }
  return tn__bytecode_check(bytecode, cursor, "the arguments of a region");
}

// Gives the region's arguments, whose types are on the stack from `first` on, their ids.
static tn_status_t define_arguments(reader_t* reader, const uint8_t* position, size_t first,
                                    size_t count, target_t* target, id_range_t* ids) {
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
    if (!tn_type_equal(value->type, types[i])) {
      return tn__bytecode_fail(&reader->bytecode, position, "argument %zu is %s; expected %s", i,
                               TN_TYPE_TEXT(types[i]), TN_TYPE_TEXT(value->type));
    }
    reader->values.items[ids->next++] = value;
  }
  return TN_OK;
}

// The one block of a region: its arguments, its operations.
static tn_status_t read_block(reader_t* reader, tn_cursor_t* cursor, target_t* target,
                              id_range_t* ids) {
  const uint8_t* position = cursor->position;
  bool has_arguments = false;
  size_t first = reader->types.count, count = 0;
  uint64_t operations = tn__cursor_flagged(cursor, &has_arguments);
  if (has_arguments) TN_RETURN_IF_ERROR(read_argument_types(reader, cursor, &count));
  TN_RETURN_IF_ERROR(define_arguments(reader, position, first, count, target, ids));
  reader->types.count = first;
  for (uint64_t i = 0; i < operations; ++i) {
    TN_RETURN_IF_ERROR(read_operation(reader, cursor, target, ids));
  }
  return tn__bytecode_check(&reader->bytecode, cursor, "a region");
}

// `*out_is_empty` when the region has no block at all.
static tn_status_t read_region(reader_t* reader, tn_cursor_t* cursor, target_t* target,
                               bool* out_is_empty) {
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
  TN_RETURN_IF_ERROR(RESERVE(reader, reader->values, (size_t)count));
  size_t first = reader->values.count;
  id_range_t ids = {first, first + (size_t)count};
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

static tn_status_t unknown_operation(reader_t* reader, const head_t* head) {
  if (head->name->dialect == TN_DIALECT_PLAIN) {
    return tn__bytecode_unsupported(
        &reader->bytecode, head->position,
        "%.*s.%.*s: plain bytecode of the dialect is not supported; serialize the module as a "
        "portable artifact",
        OP_NAME(head));
  }
  return tn__bytecode_unsupported(&reader->bytecode, head->position,
                                  "%.*s.%.*s: this operation is not supported", OP_NAME(head));
}

static tn_status_t read_attrs(reader_t* reader, const head_t* head, const tn_vhlo_op_t* op,
                              tn_attr_dictionary_t* out_attrs) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  uint64_t dictionary = head->attrs.has_dictionary ? head->attrs.dictionary : UINT64_MAX;
  bool has_entry = head->attrs.has_properties && head->attrs.properties < bytecode->property_count;
  known_attrs_t* known = has_entry ? &reader->known[head->attrs.properties] : NULL;
  if (known && known->name == head->name && known->dictionary == dictionary) {
    *out_attrs = known->attrs;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__bytecode_convert(bytecode, &head->attrs, op, out_attrs));
  if (known) *known = (known_attrs_t){head->name, dictionary, *out_attrs};
  return TN_OK;
}

static tn_status_t find_operation(reader_t* reader, const head_t* head, const tn_region_t* region,
                                  const tn_vhlo_op_t** out_op, const tn_op_t** out_ours) {
  if (!head->name->known && head->name->dialect == TN_DIALECT_VHLO) {
    head->name->known = tn__vhlo_op_find(head->name->name);
  }
  *out_op = head->name->known;
  if (!*out_op) return unknown_operation(reader, head);
  *out_ours = (*out_op)->op;
  // One return ends functions and regions alike.
  if (*out_ours == TN__OP(return ) && region == reader->function->body) {
    *out_ours = TN__OP_OF(func, return );
  }
  return TN_OK;
}

static tn_status_t read_regions(reader_t* reader, tn_cursor_t* cursor, const head_t* head) {
  inner_t inner;
  TN_RETURN_IF_ERROR(enter_regions(reader, cursor, head, &inner));
  for (uint64_t i = 0; i < head->region_count; ++i) {
    target_t target = {0};
    bool is_empty = false;
    TN_RETURN_IF_ERROR(read_region(reader, inner.cursor, &target, &is_empty));
    if (is_empty) TN_RETURN_IF_ERROR(tn__region_create(reader->function, 0, NULL, &target.region));
    TN_RETURN_IF_ERROR(RESERVE(reader, reader->regions, 1));
    reader->regions.items[reader->regions.count++] = target.region;
  }
  return leave_regions(reader, cursor, &inner);
}

static tn_status_t read_node(reader_t* reader, tn_cursor_t* cursor, const head_t* head,
                             tn_region_t* region) {
  const tn_vhlo_op_t* op = NULL;
  tn_node_t* node = NULL;
  size_t first = reader->regions.count;
  tn_node_spec_t spec = {0};
  TN_RETURN_IF_ERROR(find_operation(reader, head, region, &op, &spec.op));
  TN_RETURN_IF_ERROR(read_attrs(reader, head, op, &spec.attrs));
  if (head->region_count) TN_RETURN_IF_ERROR(read_regions(reader, cursor, head));
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

// --- partitioning, which one process does not do: values pass through

static tn_status_t forward(reader_t* reader, const head_t* head, size_t first, size_t count) {
  if (count != head->result_count) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: %zu values for %zu results", OP_NAME(head), count,
                             head->result_count);
  }
  for (size_t i = 0; i < count; ++i) {
    tn_value_t* value = reader->operands.items[first + i];
    const tn_type_t* type = reader->types.items[head->types + i];
    if (!tn_type_equal(value->type, type)) {
      return tn__bytecode_unsupported(&reader->bytecode, head->position,
                                      "%.*s.%.*s: %s for %s; only programs for one device are "
                                      "supported",
                                      OP_NAME(head), TN_TYPE_TEXT(value->type), TN_TYPE_TEXT(type));
    }
    reader->values.items[head->results + i] = value;
  }
  return TN_OK;
}

static tn_status_t read_inline(reader_t* reader, tn_cursor_t* cursor, const head_t* head,
                               tn_region_t* region) {
  inner_t inner;
  target_t target = {.region = region, .into = head};
  bool is_empty = false;
  if (head->region_count != 1 || head->is_isolated) {
    return tn__bytecode_fail(&reader->bytecode, head->position, "%.*s.%.*s: expected one region",
                             OP_NAME(head));
  }
  TN_RETURN_IF_ERROR(enter_regions(reader, cursor, head, &inner));
  TN_RETURN_IF_ERROR(read_region(reader, inner.cursor, &target, &is_empty));
  TN_RETURN_IF_ERROR(leave_regions(reader, cursor, &inner));
  if (!target.has_yield) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: its region does not end in a return", OP_NAME(head));
  }
  return forward(reader, head, target.yield, target.yield_count);
}

static tn_status_t read_inner_operation(reader_t* reader, tn_cursor_t* cursor, head_t* head,
                                        target_t* target) {
  switch (special_of(head)) {
    case SPECIAL_FORWARD: return forward(reader, head, head->operands, head->operand_count);
    case SPECIAL_INLINE: return read_inline(reader, cursor, head, target->region);
    case SPECIAL_YIELD:
      if (!target->into || target->has_yield) return unknown_operation(reader, head);
      target->has_yield = true;
      target->yield = head->operands;
      target->yield_count = head->operand_count;
      // They stay on the stack until the operation around is done.
      head->operands = reader->operands.count;
      return TN_OK;
    case SPECIAL_NONE: return read_node(reader, cursor, head, target->region);
    default: return unknown_operation(reader, head);
  }
}

static tn_status_t read_operation(reader_t* reader, tn_cursor_t* cursor, target_t* target,
                                  id_range_t* ids) {
  head_t head;
  TN_RETURN_IF_ERROR(read_head(reader, cursor, ids, &head));
  if (target->into && target->has_yield) {
    return tn__bytecode_fail(
        &reader->bytecode, head.position,
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
        "%.*s.%.*s: stands behind the return", OP_NAME(&head));
  }
  TN_RETURN_IF_ERROR(read_inner_operation(reader, cursor, &head, target));
  drop_head(reader, &head);
  return TN_OK;
}

// --- functions

static tn_status_t read_property(reader_t* reader, const head_t* head, uint64_t index,
                                 tn_encoded_attr_t** out_attr) {
  *out_attr = NULL;
  if (index == SIZE_MAX) return TN_OK;
  return tn__bytecode_attr(&reader->bytecode, index, head->position, out_attr);
}

static tn_status_t read_text_property(reader_t* reader, const head_t* head, uint64_t index,
                                      tn_string_view_t* out_text) {
  tn_encoded_attr_t* encoded = NULL;
  *out_text = (tn_string_view_t){0};
  TN_RETURN_IF_ERROR(read_property(reader, head, index, &encoded));
  if (encoded && encoded->attr && encoded->attr->kind == TN_ATTR_STRING) {
    *out_text = encoded->attr->string;
  }
  return TN_OK;
}

// The dictionaries of arg_attrs or res_attrs, one for each; an empty list means that all are empty.
static tn_status_t read_dictionaries(reader_t* reader, const head_t* head, uint64_t index,
                                     size_t count, tn_attr_dictionary_t* out) {
  tn_encoded_attr_t* encoded = NULL;
  TN_RETURN_IF_ERROR(read_property(reader, head, index, &encoded));
  const tn_attr_t* list = encoded ? encoded->attr : NULL;
  if (!list || (list->kind == TN_ATTR_ARRAY && list->array.count == 0)) return TN_OK;
  if (list->kind != TN_ATTR_ARRAY || list->array.count != count) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: expected a list of %zu dictionaries", OP_NAME(head),
                             count);
  }
  for (size_t i = 0; i < count; ++i) {
    if (list->array.items[i]->kind == TN_ATTR_DICTIONARY) out[i] = list->array.items[i]->dictionary;
  }
  return TN_OK;
}

static tn_status_t read_function_type(reader_t* reader, const head_t* head, uint64_t index,
                                      const tn_encoded_type_t** out_type) {
  tn_encoded_attr_t* encoded = NULL;
  *out_type = NULL;
  TN_RETURN_IF_ERROR(read_property(reader, head, index, &encoded));
  if (encoded && encoded->type) {
    TN_RETURN_IF_ERROR(
        tn__bytecode_type(&reader->bytecode, encoded->type - 1, head->position, out_type));
  }
  if (*out_type && (*out_type)->kind == TN_ENCODED_FUNCTION) return TN_OK;
  return tn__bytecode_fail(&reader->bytecode, head->position, "%.*s.%.*s: it has no function type",
                           OP_NAME(head));
}

static tn_status_t read_visibility(reader_t* reader, const head_t* head, uint64_t index) {
  static const char* const known[] = {"", "public", "private", "nested"};
  tn_string_view_t text;
  TN_RETURN_IF_ERROR(read_text_property(reader, head, index, &text));
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (!tn__sv_is(text, known[i])) continue;
    reader->function->visibility = tn__sv(known[i]);
    return TN_OK;
  }
  return tn__bytecode_fail(&reader->bytecode, head->position,
                           "%.*s.%.*s: \"%.*s\" is no visibility", OP_NAME(head), TN_SV(text));
}

static tn_status_t make_function(reader_t* reader, const head_t* head, bool is_declaration) {
  uint64_t indexes[TN_VHLO_FUNCTION_PROPERTY_COUNT];
  const tn_encoded_type_t* type = NULL;
  tn_bytecode_t* bytecode = &reader->bytecode;
  tn_string_view_t name;
  TN_RETURN_IF_ERROR(
      tn__bytecode_properties(bytecode, &head->attrs, tn__vhlo_function_properties, indexes));
  TN_RETURN_IF_ERROR(read_text_property(reader, head, indexes[TN_VHLO_FUNCTION_NAME], &name));
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

static tn_status_t read_function(reader_t* reader, tn_cursor_t* cursor, const head_t* head) {
  inner_t inner;
  bool is_empty = false;
  if (head->region_count != 1 || head->result_count || head->operand_count || !head->is_isolated) {
    return tn__bytecode_fail(&reader->bytecode, head->position,
                             "%.*s.%.*s: a function has one isolated region, and no operands or "
                             "results",
                             OP_NAME(head));
  }
  TN_RETURN_IF_ERROR(enter_regions(reader, cursor, head, &inner));
  tn_cursor_t ahead = *inner.cursor;
  bool is_declaration = tn__cursor_varint(&ahead) == 0;
  TN_RETURN_IF_ERROR(make_function(reader, head, is_declaration));
  target_t target = {.region = reader->function->body, .is_body = true};
  TN_RETURN_IF_ERROR(read_region(reader, inner.cursor, &target, &is_empty));
  return leave_regions(reader, cursor, &inner);
}

// --- modules

static tn_status_t read_module_body(reader_t* reader, tn_cursor_t* cursor);

// Only one module of a file may say something about itself: they all become one.
static tn_status_t name_module(reader_t* reader, const head_t* head, tn_string_view_t name,
                               tn_attr_dictionary_t attrs) {
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
static tn_status_t read_module_name(reader_t* reader, const head_t* head, tn_string_view_t* out) {
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
  return is_there ? read_text_property(reader, head, index, out) : TN_OK;
}

static tn_status_t read_module(reader_t* reader, tn_cursor_t* cursor, const head_t* head) {
  static const char* const inherent[] = {"sym_name", "sym_visibility", NULL};
  inner_t inner;
  tn_string_view_t name;
  tn_attr_dictionary_t attrs = {0};
  TN_RETURN_IF_ERROR(read_module_name(reader, head, &name));
  TN_RETURN_IF_ERROR(tn__bytecode_discardable(&reader->bytecode, &head->attrs, inherent, &attrs));
  TN_RETURN_IF_ERROR(name_module(reader, head, name, attrs));
  TN_RETURN_IF_ERROR(enter_regions(reader, cursor, head, &inner));
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
    TN_RETURN_IF_ERROR(read_module_body(reader, body));
  }
  return leave_regions(reader, cursor, &inner);
}

static tn_status_t read_member(reader_t* reader, tn_cursor_t* cursor) {
  head_t head;
  id_range_t none = {0, 0};
  TN_RETURN_IF_ERROR(read_head(reader, cursor, &none, &head));
  switch (special_of(&head)) {
    case SPECIAL_MODULE: TN_RETURN_IF_ERROR(read_module(reader, cursor, &head)); break;
    case SPECIAL_FUNCTION: TN_RETURN_IF_ERROR(read_function(reader, cursor, &head)); break;
    case SPECIAL_NOTHING:
      if (head.region_count == 0) break;
      return unknown_operation(reader, &head);
    default: return unknown_operation(reader, &head);
  }
  drop_head(reader, &head);
  return TN_OK;
}

// A block of functions and modules.
static tn_status_t read_module_body(reader_t* reader, tn_cursor_t* cursor) {
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

// --- the door

static tn_status_t read_all(reader_t* reader) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__bytecode_check_producer(bytecode));
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&bytecode->scratch, bytecode->property_count,
                                              sizeof(known_attrs_t), &memory));
  reader->known = memory;
  // So that there is always an array to point into.
  TN_RETURN_IF_ERROR(RESERVE(reader, reader->operands, 1));
  TN_RETURN_IF_ERROR(RESERVE(reader, reader->types, 1));
  TN_RETURN_IF_ERROR(RESERVE(reader, reader->regions, 1));
  tn_cursor_t cursor = bytecode->operations;
  reader->values_left = tn__cursor_left(&cursor);
  reader->signature_left = tn__cursor_left(&cursor) + (1 << 16);
  TN_RETURN_IF_ERROR(read_module_body(reader, &cursor));
  if (tn__cursor_done(&cursor)) return TN_OK;
  return tn__bytecode_fail(bytecode, cursor.position, "more bytes than the module has");
}

static void deinit(reader_t* reader) {
  const tn_allocator_t* allocator = reader->allocator;
  tn__free(allocator, reader->values.items, reader->values.capacity * sizeof *reader->values.items);
  tn__free(allocator, reader->operands.items,
           reader->operands.capacity * sizeof *reader->operands.items);
  tn__free(allocator, reader->types.items, reader->types.capacity * sizeof *reader->types.items);
  tn__free(allocator, reader->regions.items,
           reader->regions.capacity * sizeof *reader->regions.items);
  tn__bytecode_deinit(&reader->bytecode);
}

tn_status_t tn__bytecode_read(const tn_allocator_t* allocator, const char* name, const void* data,
                              size_t length, tn_module_t** out_module) {
  tn_status_t status = TN_OK;
  reader_t reader = {.allocator = allocator};
  *out_module = NULL;
  tn__arena_init(&reader.bytecode.scratch, allocator);
  TN_DONE_IF_ERROR(tn__module_create(allocator, &reader.module));
  TN_DONE_IF_ERROR(
      tn__bytecode_init(&reader.bytecode, allocator, &reader.module->arena, name, data, length));
  TN_DONE_IF_ERROR(read_all(&reader));
  status = tn__module_verify(reader.module);
  if (status) {
    status = tn_status_prefix(status, "%s", name);
    goto done;
  }
  *out_module = reader.module;
  reader.module = NULL;
done:
  deinit(&reader);
  tn_module_release(reader.module);
  return status;
}
