// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Reads the operations that write their regions in a way of their own: while, reduce and scan.
#include "text/parser.h"

// --- while(%iterArg = %a, %iterArg_0 = %b) : T, T attributes {...} cond {...} do {...}

// Up to the types and attributes: the names of the regions' arguments stay on the stack.
TN_APART static tn_status_t read_loop_head(tn_parser_t* parser, tn_draft_t* draft) {
  size_t names = parser->name_stack.count;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the loop's values"));
  while (!tn__parser_accept(parser, ')')) {
    tn_token_t token = parser->lexer.token;
    if (token.kind != TN_TOKEN_VALUE) return tn__parser_wanted(parser, "%name = %value, or `)`");
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(tn__parser_push_name(parser, tn__token_text(&token), 1, token.begin));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=` and the initial value"));
    TN_RETURN_IF_ERROR(tn__parser_operand(parser));
    if (!tn__parser_accept(parser, ',') && !tn__parser_at(parser, ')')) {
      return tn__parser_wanted(parser, "`,` or `)` in the loop's values");
    }
  }
  if (parser->name_stack.count > names) {
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the types of the loop's values"));
    TN_RETURN_IF_ERROR(tn__parser_type_list(parser, &draft->result_count));
    TN_RETURN_IF_ERROR(tn__parser_check_operands(parser, draft, draft->types, draft->result_count));
  }
  return tn__parser_accept_word(parser, "attributes") ? tn__parser_attr_entries(parser) : TN_OK;
}

tn_status_t tn__parser_while(tn_parser_t* parser, tn_draft_t* draft) {
  tn_region_arguments_t arguments = {0, parser->name_stack.count, draft->types};
  TN_RETURN_IF_ERROR(read_loop_head(parser, draft));
  arguments.count = parser->name_stack.count - arguments.names;
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "cond"));
  TN_RETURN_IF_ERROR(tn__parser_region(parser, &arguments));
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "do"));
  TN_RETURN_IF_ERROR(tn__parser_region(parser, &arguments));
  parser->name_stack.count = arguments.names;
  return TN_OK;
}

// --- reduce(%x init: %z), (%y init: %w) applies stablehlo.add across dimensions = [1] : FT
//     reduce(%x init: %z) across dimensions = [1] : FT reducer(%a: T, %c: T) {...}

// Pushes all inputs, then all initial values.
TN_APART static tn_status_t read_inputs(tn_parser_t* parser, const tn_draft_t* draft) {
  size_t count = 0;
  do {
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of an input"));
    TN_RETURN_IF_ERROR(tn__parser_operand(parser));
    TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "init"));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the initial value"));
    TN_RETURN_IF_ERROR(tn__parser_operand(parser));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)` after the initial value"));
    ++count;
  } while (tn__parser_accept(parser, ','));
  // They are in pairs now: the initial values go behind, and both halves close up.
  for (size_t i = 0; i < count; ++i) {
    tn_read_value_t init = parser->operand_stack.items[draft->operands + 2 * i + 1];
    TN_RETURN_IF_ERROR(tn__parser_push_operand(parser, init.value, init.position));
  }
  tn_read_value_t* values = parser->operand_stack.items + draft->operands;
  for (size_t i = 0; i < count; ++i) values[i] = values[2 * i];
  memmove(values + count, values + 2 * count, count * sizeof *values);
  parser->operand_stack.count -= count;
  return TN_OK;
}

// A region of one operation on two scalars of the first input's type.
TN_APART static tn_status_t make_body(tn_parser_t* parser, const tn_draft_t* draft,
                                      const tn_op_t* op) {
  const tn_type_t* input = parser->operand_stack.items[draft->operands].value->type;
  if (!tn__type_is_tensor(input) || parser->operand_stack.count - draft->operands != 2) {
    return tn__parser_fail(parser, draft->position,
                           "reduce: `applies` takes one input that is a tensor");
  }
  const tn_type_t* scalar = tn__type_scalar(input->dtype);
  const tn_type_t* types[2] = {scalar, scalar};
  tn_region_t* region = NULL;
  tn_node_t* node = NULL;
  TN_RETURN_IF_ERROR(tn__region_create(parser->function, 2, types, &region));
  tn_value_t* operands[2] = {&region->arguments[0], &region->arguments[1]};
  tn_node_spec_t body = {
      .op = op,
      .operand_count = 2,
      .operands = operands,
      .result_count = 1,
      .result_types = types,
      .location = draft->location,
  };
  TN_RETURN_IF_ERROR(tn__node_append(region, &body, &node));
  tn_value_t* result = &node->results[0];
  tn_node_spec_t end = {
      .op = TN__OP(return ),
      .operand_count = 1,
      .operands = &result,
      .location = draft->location,
  };
  TN_RETURN_IF_ERROR(tn__node_append(region, &end, &node));
  return tn__parser_push_region(parser, region);
}

TN_APART static tn_status_t read_applied(tn_parser_t* parser, const tn_op_t** out_op) {
  tn_token_t token = parser->lexer.token;
  tn_string_view_t name = tn__token_text(&token);
  if (token.kind != TN_TOKEN_IDENTIFIER) return tn__parser_wanted(parser, "an operation");
  const tn_op_t* op = tn__op_find(name);
  if (!op || !tn__op_has(op, TN_COMMUTATIVE) || strncmp(op->name, "stablehlo.", 10) != 0) {
    return tn__parser_fail(parser, token.begin,
                           "reduce: `applies` takes a commutative operation, not \"%.*s\"",
                           TN_SV(name));
  }
  tn__lexer_next(&parser->lexer);
  *out_op = op;
  return TN_OK;
}

// reducer(%a: T, %c: T) (%b: U, %d: U) {...}: group i names arguments i and i + N.
TN_APART static tn_status_t read_reducer(tn_parser_t* parser) {
  tn_region_arguments_t arguments = {0, parser->name_stack.count, parser->type_stack.count};
  const char* position = parser->lexer.token.begin;
  size_t groups = 0;
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "reducer"));
  while (tn__parser_accept(parser, '(')) {
    TN_RETURN_IF_ERROR(tn__parser_typed_names(parser));
    if (parser->name_stack.count - arguments.names != 2 * ++groups) {
      return tn__parser_fail(parser, position, "reduce: each group of the reducer has two values");
    }
  }
  TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
  arguments.count = 2 * groups;
  // The same step as with the inputs: the second ones go behind the first ones.
  for (size_t i = 0; i < groups; ++i) {
    tn_read_name_t name = parser->name_stack.items[arguments.names + 2 * i + 1];
    tn_read_type_t type = parser->type_stack.items[arguments.types + 2 * i + 1];
    TN_RETURN_IF_ERROR(tn__parser_push_name(parser, name.name, 1, name.position));
    TN_RETURN_IF_ERROR(tn__parser_push_type(parser, type.type, type.position));
  }
  tn_read_name_t* names = parser->name_stack.items + arguments.names;
  tn_read_type_t* types = parser->type_stack.items + arguments.types;
  for (size_t i = 0; i < groups; ++i) {
    names[i] = names[2 * i];
    types[i] = types[2 * i];
  }
  memmove(names + groups, names + 2 * groups, groups * sizeof *names);
  memmove(types + groups, types + 2 * groups, groups * sizeof *types);
  TN_RETURN_IF_ERROR(tn__parser_region(parser, &arguments));
  parser->name_stack.count = arguments.names;
  parser->type_stack.count = arguments.types;
  return TN_OK;
}

tn_status_t tn__parser_reduce(tn_parser_t* parser, tn_draft_t* draft) {
  const tn_op_t* applied = NULL;
  const tn_attr_t* dimensions = NULL;
  TN_RETURN_IF_ERROR(read_inputs(parser, draft));
  if (tn__parser_accept_word(parser, "applies")) {
    TN_RETURN_IF_ERROR(read_applied(parser, &applied));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "across"));
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "dimensions"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_i64_list(parser, &dimensions));
  TN_RETURN_IF_ERROR(tn__parser_draft_attr(parser, "dimensions", dimensions, position));
  TN_RETURN_IF_ERROR(tn__parser_pretty_types(parser, draft, "FT"));
  return applied ? make_body(parser, draft, applied) : read_reducer(parser);
}

// --- chlo.scan(%x, %y) inits(%z) dimension=0 attributes {...} {^bb0(...): ...} : FT

static tn_status_t push_integer(tn_parser_t* parser, const char* name, int64_t value,
                                const char* position) {
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_integer(parser->arena, TN_DTYPE_S64, value, &attr));
  return tn__parser_draft_attr(parser, name, attr, position);
}

static tn_status_t push_segments(tn_parser_t* parser, const char* name, size_t first, size_t second,
                                 const char* position) {
  const tn_attr_t* attr = NULL;
  const int32_t sizes[2] = {(int32_t)first, (int32_t)second};
  TN_RETURN_IF_ERROR(tn__attr_dense_array(parser->arena, TN_DTYPE_S32, 2, sizes, &attr));
  return tn__parser_draft_attr(parser, name, attr, position);
}

tn_status_t tn__parser_scan(tn_parser_t* parser, tn_draft_t* draft) {
  const char* position = parser->lexer.token.begin;
  int64_t dimension = 0;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the inputs"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`,` or `)` in the inputs"));
  const size_t inputs = parser->operand_stack.count - draft->operands;
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "inits"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the initial values"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`,` or `)` in the initial values"));
  const size_t inits = parser->operand_stack.count - draft->operands - inputs;
  TN_RETURN_IF_ERROR(tn__parser_expect_word(parser, "dimension"));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
  TN_RETURN_IF_ERROR(tn__parser_integer(parser, &dimension));
  TN_RETURN_IF_ERROR(push_integer(parser, "dimension", dimension, position));
  TN_RETURN_IF_ERROR(push_segments(parser, "operandSegmentSizes", inputs, inits, position));
  if (tn__parser_accept_word(parser, "attributes")) {
    TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
  }
  TN_RETURN_IF_ERROR(tn__parser_region(parser, NULL));
  return tn__parser_pretty_types(parser, draft, "FT");
}
