// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations of chlo that broadcast their operands as NumPy does, and splats of another value's
// shape, become the broadcasts that they imply and the operation itself. torch-mlir writes them.
#include <stdio.h>

#include "text/parser.h"

enum { MOST_OPERANDS = 3 };

typedef struct broadcaster {
  tn_region_t* region;
  tn_arena_t* arena;
  tn_location_t location;
  const tn_type_t* result;
  size_t count;
  tn_value_t* operands[MOST_OPERANDS];
  int64_t dims[MOST_OPERANDS][TN_MAX_RANK];  // of the result, by dimension of the operand
} broadcaster_t;

// --- nodes

static tn_status_t append_node(const broadcaster_t* b, const tn_op_t* op, size_t operand_count,
                               tn_value_t* const* operands, const tn_named_attr_t* attr,
                               const tn_type_t* type, tn_value_t** out_value) {
  tn_node_spec_t spec = {.op = op,
                         .operand_count = operand_count,
                         .operands = operands,
                         .result_count = 1,
                         .result_types = &type,
                         .location = b->location};
  const tn_attr_t* dictionary = NULL;
  tn_node_t* node = NULL;
  if (attr) {
    TN_RETURN_IF_ERROR(tn__attr_dictionary(b->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                           attr, &dictionary));
    spec.attrs = dictionary->dictionary;
  }
  TN_RETURN_IF_ERROR(tn__node_append(b->region, &spec, &node));
  *out_value = &node->results[0];
  return TN_OK;
}

static tn_status_t append_constant(const broadcaster_t* b, const tn_attr_t* value,
                                   tn_value_t** out_value) {
  const tn_named_attr_t attr = {TN_SV_LITERAL("value"), value};
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): making it has succeeded
  return append_node(b, TN__OP(constant), 0, NULL, &attr, value->elements.type, out_value);
}

static tn_status_t append_number(const broadcaster_t* b, int32_t number, tn_value_t** out_value) {
  const tn_attr_t* value = NULL;
  TN_RETURN_IF_ERROR(
      tn__attr_elements(b->arena, tn__type_scalar(TN_DTYPE_S32), false, &number, &value));
  return append_constant(b, value, out_value);
}

// --- sizes that are known when the program runs

static tn_status_t append_size(const broadcaster_t* b, tn_value_t* value, size_t dimension,
                               tn_value_t** out_size) {
  tn_named_attr_t attr = {TN_SV_LITERAL("dimension"), NULL};
  TN_RETURN_IF_ERROR(tn__attr_integer(b->arena, TN_DTYPE_S64, (int64_t)dimension, &attr.attr));
  return append_node(b, TN__OP(get_dimension_size), 1, &value, &attr, tn__type_scalar(TN_DTYPE_S32),
                     out_size);
}

// `*size`, unless that is 1: then `other`.
static tn_status_t join_sizes(const broadcaster_t* b, tn_value_t** size, tn_value_t* other) {
  tn_named_attr_t direction = {TN_SV_LITERAL("comparison_direction"), NULL};
  tn_value_t *one = NULL, *is_one = NULL;
  TN_RETURN_IF_ERROR(append_number(b, 1, &one));
  TN_RETURN_IF_ERROR(
      tn__attr_enum(b->arena, "comparison_direction", TN_SV_LITERAL("EQ"), &direction.attr));
  tn_value_t* compared[] = {*size, one};
  TN_RETURN_IF_ERROR(append_node(b, TN__OP(compare), 2, compared, &direction,
                                 tn__type_scalar(TN_DTYPE_PRED), &is_one));
  tn_value_t* chosen[] = {is_one, other, *size};
  return append_node(b, TN__OP(select), 3, chosen, NULL, tn__type_scalar(TN_DTYPE_S32), size);
}

// The size of a dimension of the result.
static tn_status_t append_result_size(const broadcaster_t* b, size_t dimension,
                                      tn_value_t** out_size) {
  const int64_t stated = b->result->dims[dimension];
  *out_size = NULL;
  if (stated != TN_DIM_DYNAMIC) return append_number(b, (int32_t)stated, out_size);
  for (size_t i = 0; i < b->count; ++i) {
    const tn_type_t* type = b->operands[i]->type;
    for (size_t d = 0; d < type->rank; ++d) {
      tn_value_t* size = NULL;
      if (b->dims[i][d] != (int64_t)dimension || type->dims[d] == 1) continue;
      TN_RETURN_IF_ERROR(append_size(b, b->operands[i], d, &size));
      if (*out_size) TN_RETURN_IF_ERROR(join_sizes(b, &size, *out_size));
      *out_size = size;
    }
  }
  return *out_size ? TN_OK : append_number(b, 1, out_size);
}

// The shape of the result as a list.
static tn_status_t append_shape(const broadcaster_t* b, tn_value_t** out_shape) {
  tn_named_attr_t dimension = {TN_SV_LITERAL("dimension"), NULL};
  tn_value_t* sizes[TN_MAX_RANK];
  const tn_type_t *one = NULL, *list = NULL;
  const int64_t single = 1, rank = (int64_t)b->result->rank;
  TN_RETURN_IF_ERROR(tn__type_tensor(b->arena, TN_DTYPE_S32, 1, &single, &one));
  TN_RETURN_IF_ERROR(tn__type_tensor(b->arena, TN_DTYPE_S32, 1, &rank, &list));
  TN_RETURN_IF_ERROR(tn__attr_integer(b->arena, TN_DTYPE_S64, 0, &dimension.attr));
  for (size_t i = 0; i < b->result->rank; ++i) {
    tn_value_t* size = NULL;
    TN_RETURN_IF_ERROR(append_result_size(b, i, &size));
    TN_RETURN_IF_ERROR(append_node(b, TN__OP(reshape), 1, &size, NULL, one, &sizes[i]));
  }
  return append_node(b, TN__OP(concatenate), b->result->rank, sizes, &dimension, list, out_shape);
}

// --- broadcasts

// `value`, whose dimensions are those in `dims` of the result, with the result's shape. `*shape` is
// made when it is needed first.
static tn_status_t broadcast(const broadcaster_t* b, const int64_t* dims, tn_value_t** shape,
                             tn_value_t** value) {
  tn_named_attr_t attr = {TN_SV_LITERAL("broadcast_dimensions"), NULL};
  const tn_type_t *from = (*value)->type, *type = NULL;
  const bool is_static = tn__type_is_static(b->result);
  if (is_static && tn__type_same_shape(from, b->result)) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__type_tensor(b->arena, from->dtype, b->result->rank, b->result->dims, &type));
  TN_RETURN_IF_ERROR(tn__attr_i64_array(b->arena, from->rank, dims, &attr.attr));
  if (is_static) return append_node(b, TN__OP(broadcast_in_dim), 1, value, &attr, type, value);
  if (!*shape) TN_RETURN_IF_ERROR(append_shape(b, shape));
  tn_value_t* operands[] = {*value, *shape};
  return append_node(b, TN__OP(dynamic_broadcast_in_dim), 2, operands, &attr, type, value);
}

static tn_status_t broadcast_operands(const broadcaster_t* b, tn_value_t** out_operands) {
  tn_value_t* shape = NULL;
  for (size_t i = 0; i < b->count; ++i) {
    out_operands[i] = b->operands[i];
    TN_RETURN_IF_ERROR(broadcast(b, b->dims[i], &shape, &out_operands[i]));
  }
  return TN_OK;
}

// --- reading

// Operands, attributes and types, in either form; they stay on the stacks from the draft on.
static tn_status_t read_parts(tn_parser_t* parser, tn_draft_t* draft) {
  const bool is_generic = tn__parser_at(parser, TN_TOKEN_STRING);
  tn__lexer_next(&parser->lexer);
  if (is_generic) TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the operands"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  if (is_generic) TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)` after the operands"));
  if (is_generic && tn__parser_accept(parser, '<')) {
    TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`>` after the properties"));
  }
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type of the operation"));
  return tn__parser_op_function_type(parser, draft);
}

// Takes an attribute of the draft; NULL: there is none.
static const tn_attr_t* take_attr(tn_parser_t* parser, const tn_draft_t* draft, const char* name) {
  for (size_t i = draft->attrs; i < parser->attr_stack.count; ++i) {
    const tn_read_attr_t attr = parser->attr_stack.items[i];
    if (!tn__sv_is(attr.name, name)) continue;
    parser->attr_stack.items[i] = parser->attr_stack.items[--parser->attr_stack.count];
    return attr.attr;
  }
  return NULL;
}

// The broadcaster of a draft with so many operands and one result, all tensors.
static tn_status_t begin(tn_parser_t* parser, tn_region_t* region, const tn_draft_t* draft,
                         size_t count, broadcaster_t* out) {
  const size_t operands = parser->operand_stack.count - draft->operands;
  if (operands != count || draft->result_count != 1) {
    return tn__parser_fail(parser, draft->position,
                           "the operation has %zu operands and %zu results; expected %zu and 1",
                           operands, draft->result_count, count);
  }
  *out = (broadcaster_t){.region = region,
                         .arena = parser->arena,
                         .location = draft->location,
                         .result = parser->type_stack.items[draft->types].type,
                         .count = count};
  for (size_t i = 0; i < count; ++i) {
    out->operands[i] = parser->operand_stack.items[draft->operands + i].value;
    const tn_type_t* type = out->operands[i]->type;
    if (tn__type_is_tensor(type) && tn__type_is_tensor(out->result) &&
        type->rank <= out->result->rank) {
      continue;
    }
    return tn__parser_fail(parser, draft->position,
                           "operand %zu has type %s; expected a tensor of the rank of the result "
                           "%s, or less",
                           i, TN_TYPE_TEXT(type), TN_TYPE_TEXT(out->result));
  }
  return TN_OK;
}

// Dimensions go with the last ones of the result, or where the attribute says, which is about
// operands of a lower rank.
static tn_status_t assign_dimensions(tn_parser_t* parser, const tn_draft_t* draft,
                                     const tn_attr_t* stated, broadcaster_t* b) {
  const tn_named_attr_t entry = {TN_SV_LITERAL("broadcast_dimensions"), stated};
  const tn_attr_dictionary_t dictionary = {stated ? 1 : 0, &entry};
  tn_i64_list_t list;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&dictionary, "broadcast_dimensions", parser->arena, &list));
  for (size_t i = 0; i < b->count; ++i) {
    const size_t rank = b->operands[i]->type->rank, behind = b->result->rank - rank;
    const bool is_stated = list.present && rank < b->result->rank && list.count == rank;
    for (size_t d = 0; d < rank; ++d) {
      b->dims[i][d] = is_stated ? list.values[d] : (int64_t)(d + behind);
      if (b->dims[i][d] >= 0 && b->dims[i][d] < (int64_t)b->result->rank) continue;
      return tn__parser_fail(parser, draft->position,
                             "broadcast_dimensions has %lld; expected a dimension of the result %s",
                             (long long)b->dims[i][d], TN_TYPE_TEXT(b->result));
    }
  }
  return TN_OK;
}

// chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 1>} : (T, T) -> T
static tn_status_t read_broadcasting(tn_parser_t* parser, tn_region_t* region, tn_draft_t* draft) {
  broadcaster_t b = {0};
  tn_value_t* operands[MOST_OPERANDS];
  TN_RETURN_IF_ERROR(read_parts(parser, draft));
  TN_RETURN_IF_ERROR(begin(parser, region, draft, (size_t)draft->op->operands, &b));
  const tn_attr_t* stated = take_attr(parser, draft, "broadcast_dimensions");
  TN_RETURN_IF_ERROR(assign_dimensions(parser, draft, stated, &b));
  TN_RETURN_IF_ERROR(broadcast_operands(&b, operands));
  for (size_t i = 0; i < b.count; ++i) {
    parser->operand_stack.items[draft->operands + i].value = operands[i];
  }
  return TN_OK;
}

// One element of a result's dtype, as the attribute says it.
static tn_status_t splat_of(tn_parser_t* parser, const tn_draft_t* draft, const tn_attr_t* value,
                            const tn_type_t* result, const tn_attr_t** out_splat) {
  uint64_t element[2] = {0, 0};
  const bool is_integer = value && value->kind == TN_ATTR_INTEGER && value->dtype == result->dtype;
  const bool is_float = value && value->kind == TN_ATTR_FLOAT && value->dtype == result->dtype;
  const bool is_bool = value && value->kind == TN_ATTR_BOOL && result->dtype == TN_DTYPE_PRED;
  const bool is_splat = value && value->kind == TN_ATTR_ELEMENTS && value->elements.splat &&
                        value->elements.type->dtype == result->dtype;
  *out_splat = NULL;
  if (!is_integer && !is_float && !is_bool && !is_splat) {
    return tn__parser_fail(parser, draft->position,
                           "constant_like: the value is %s; expected a number of the type of the "
                           "elements of %s",
                           value ? TN_ATTR_TEXT(value) : "missing", TN_TYPE_TEXT(result));
  }
  if (is_integer) memcpy(element, &value->integer, tn_dtype_byte_size(result->dtype));
  if (is_float) tn_dtype_store(result->dtype, value->real, element);
  if (is_bool) memcpy(element, &value->boolean, 1);
  return tn__attr_elements(parser->arena, tn__type_scalar(result->dtype), false,
                           is_splat ? value->elements.data : element, out_splat);
}

// "chlo.constant_like"(%x) <{value = 1.0 : f32}> : (T) -> T: the splat in the place of the operand,
// converted to its own type.
static tn_status_t read_constant_like(tn_parser_t* parser, tn_region_t* region, tn_draft_t* draft) {
  broadcaster_t b = {0};
  const tn_attr_t* splat = NULL;
  tn_value_t *constant = NULL, *shape = NULL;
  TN_RETURN_IF_ERROR(read_parts(parser, draft));
  TN_RETURN_IF_ERROR(begin(parser, region, draft, 1, &b));
  TN_RETURN_IF_ERROR(assign_dimensions(parser, draft, NULL, &b));
  const tn_attr_t* value = take_attr(parser, draft, "value");
  TN_RETURN_IF_ERROR(splat_of(parser, draft, value, b.result, &splat));
  TN_RETURN_IF_ERROR(append_constant(&b, splat, &constant));
  TN_RETURN_IF_ERROR(broadcast(&b, NULL, &shape, &constant));
  parser->operand_stack.items[draft->operands].value = constant;
  return TN_OK;
}

// The operation behind "chlo.broadcast_": of StableHLO, or of chlo; NULL: there is none.
static const tn_op_t* find_broadcast(tn_string_view_t name) {
  static const char prefix[] = "chlo.broadcast_";
  static const char* const dialects[] = {"stablehlo", "chlo"};
  const size_t length = sizeof prefix - 1;
  char full[64];
  if (name.length <= length || memcmp(name.data, prefix, length) != 0) return NULL;
  for (size_t i = 0; i < sizeof dialects / sizeof *dialects; ++i) {
    const int written = snprintf(full, sizeof full, "%s.%.*s", dialects[i],
                                 (int)(name.length - length), name.data + length);
    if (written < 0 || (size_t)written >= sizeof full) return NULL;
    const tn_op_t* op = tn__op_find(tn__sv(full));
    const bool takes_several = op && op->operands >= 2 && op->operands <= MOST_OPERANDS;
    if (takes_several && tn__op_has(op, TN_ELEMENTWISE)) return op;
  }
  return NULL;
}

tn_read_implicit_t tn__parser_implicit(const tn_parser_t* parser, const tn_op_t** out_op) {
  const tn_token_t* token = &parser->lexer.token;
  *out_op = NULL;
  if (token->kind != TN_TOKEN_STRING && token->kind != TN_TOKEN_IDENTIFIER) return NULL;
  if (tn__sv_is(tn__token_text(token), "chlo.constant_like")) {
    *out_op = TN__OP(convert);
    return read_constant_like;
  }
  *out_op = find_broadcast(tn__token_text(token));
  return *out_op ? read_broadcasting : NULL;
}
