// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations of the dialect sdy, which say where values are when there are several devices: a
// constraint is another name of its operand, and what a manual computation holds goes where the
// computation is.
#include "text/parser.h"
#include "text/shards.h"

// The names of the results, on the stack from `names` on, for `count` values.
static tn_status_t name_values(tn_parser_t* parser, size_t names, size_t count,
                               tn_value_t* values) {
  size_t named = 0;
  for (size_t i = names; i < parser->name_stack.count; ++i) {
    named += parser->name_stack.items[i].count;
  }
  if (named && named != count) {
    return tn__parser_fail(parser, parser->name_stack.items[names].position,
                           "the operation makes %zu value%s; %zu are named", count,
                           count == 1 ? "" : "s", named);
  }
  for (size_t i = names; i < parser->name_stack.count; ++i) {
    const tn_read_name_t name = parser->name_stack.items[i];
    TN_RETURN_IF_ERROR(tn__parser_define(parser, &name, values));
    values += name.count;
  }
  parser->name_stack.count = names;
  return TN_OK;
}

// Values that stand for others, one behind the other, so that one name can mean them all.
static tn_status_t make_places(tn_parser_t* parser, size_t count, tn_value_t** out_places) {
  parser->kept += count;
  return TN_ARENA_ARRAY(parser->arena, count, out_places);
}

// --- sdy.sharding_constraint %x <@mesh, [...]> : T

static tn_status_t read_constraint(tn_parser_t* parser, tn_region_t* region, size_t names) {
  tn_draft_t draft = tn__parser_draft(parser, NULL);
  const tn_type_t* type = NULL;
  tn_value_t* place = NULL;
  (void)region;
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_operand(parser));
  if (!tn__parser_at(parser, '<')) return tn__parser_wanted(parser, "`<` of the sharding");
  TN_RETURN_IF_ERROR(tn__parser_skip_brackets(parser));
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type"));
  const char* position = parser->lexer.token.begin;
  TN_RETURN_IF_ERROR(tn__parser_type(parser, &type));
  TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
  tn_value_t* value = parser->operand_stack.items[draft.operands].value;
  if (!tn_type_equal(type, value->type)) {
    return tn__parser_fail(parser, position, "the operand has type %s; it is given as %s",
                           TN_TYPE_TEXT(value->type), TN_TYPE_TEXT(type));
  }
  parser->operand_stack.count = draft.operands;
  parser->attr_stack.count = draft.attrs;
  TN_RETURN_IF_ERROR(make_places(parser, 1, &place));
  *place = (tn_value_t){.type = type, .replacement = value};
  return name_values(parser, names, 1, place);
}

// --- sdy.manual_computation(%x) in_shardings=[...] out_shardings=[...] manual_axes={...}
//       (%a: T) {... sdy.return %y : T} : (T) -> T
//     sdy.named_computation<"name">(%x) in_shardings=[...] ... (%a: T) {...} : (T) -> T
// and their generic forms

// Up to the arguments of the region: keywords with their values.
static tn_status_t skip_settings(tn_parser_t* parser) {
  while (!tn__parser_at(parser, '(')) {
    if (!tn__parser_at(parser, TN_TOKEN_IDENTIFIER)) {
      return tn__parser_wanted(parser, "`(` of the region's arguments");
    }
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=`"));
    if (!tn__parser_at(parser, '[') && !tn__parser_at(parser, '{')) {
      return tn__parser_wanted(parser, "`[` or `{` of the value");
    }
    TN_RETURN_IF_ERROR(tn__parser_skip_brackets(parser));
  }
  return TN_OK;
}

// The arguments of the region, whose names and types are on the stacks, and what they stand for.
static tn_status_t define_arguments(tn_parser_t* parser, tn_region_t* region,
                                    const tn_draft_t* draft,
                                    const tn_region_arguments_t* arguments) {
  const size_t operands = parser->operand_stack.count - draft->operands;
  tn_value_t* places = NULL;
  if (arguments->count != operands) {
    return tn__parser_fail(parser, draft->position,
                           "the region has %zu arguments; expected %zu, one for each operand",
                           arguments->count, operands);
  }
  TN_RETURN_IF_ERROR(make_places(parser, operands, &places));
  for (size_t i = 0; i < operands; ++i) {
    tn_value_t* value = parser->operand_stack.items[draft->operands + i].value;
    const tn_type_t* type = parser->type_stack.items[arguments->types + i].type;
    const tn_read_name_t name = parser->name_stack.items[arguments->names + i];
    TN_RETURN_IF_ERROR(
        tn__text_shard(region, TN_WHOLE_TO_PART, value, type, draft->location, &value));
    places[i] = (tn_value_t){.type = type, .replacement = value};
    TN_RETURN_IF_ERROR(tn__parser_define(parser, &name, &places[i]));
  }
  return TN_OK;
}

// sdy.return %a, %b : T, T, and what it says in the generic form: leaves the operands on the stack.
static tn_status_t read_return(tn_parser_t* parser, const tn_draft_t* draft, size_t* out_count) {
  const bool is_generic = tn__parser_at(parser, TN_TOKEN_STRING);
  const size_t first = parser->operand_stack.count, types = parser->type_stack.count;
  size_t count = 0, none = 0;
  tn__lexer_next(&parser->lexer);
  if (is_generic) TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the operands"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  if (is_generic) TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)` after the operands"));
  if (is_generic || parser->operand_stack.count > first) {
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the types"));
    TN_RETURN_IF_ERROR(is_generic ? tn__parser_function_type(parser, &count, &none)
                                  : tn__parser_type_list(parser, &count));
  }
  TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
  *out_count = parser->operand_stack.count - first;
  bool agrees = count == *out_count;
  for (size_t i = 0; agrees && i < count; ++i) {
    agrees = tn_type_equal(parser->type_stack.items[types + i].type,
                           parser->operand_stack.items[first + i].value->type);
  }
  parser->type_stack.count = types;
  if (agrees) return TN_OK;
  return tn__parser_fail(parser, draft->position,
                         "the types in the return of the region are not those of its operands");
}

// The operations up to the closing brace go into `region`; what they return stays on the stack.
static tn_status_t read_body(tn_parser_t* parser, tn_region_t* region, const tn_draft_t* draft,
                             const tn_region_arguments_t* arguments, size_t* out_count) {
  const size_t scope = parser->values.count;
  TN_RETURN_IF_ERROR(tn__parser_enter(parser));
  TN_RETURN_IF_ERROR(define_arguments(parser, region, draft, arguments));
  while (!tn__parser_at_word(parser, "sdy.return") &&
         !(tn__parser_at(parser, TN_TOKEN_STRING) &&
           tn__sv_is(tn__token_text(&parser->lexer.token), "sdy.return"))) {
    if (tn__parser_at(parser, TN_TOKEN_END) || tn__parser_at(parser, '}')) {
      return tn__parser_wanted(parser, "an operation or sdy.return");
    }
    TN_RETURN_IF_ERROR(tn__parser_operation(parser, region));
  }
  TN_RETURN_IF_ERROR(read_return(parser, draft, out_count));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '}', "`}` after the return"));
  tn__names_truncate(&parser->values, scope);
  tn__parser_leave(parser);
  return TN_OK;
}

// The arguments of the region, on the stacks of names and types; the `{` is behind them, or in the
// generic form before them.
static tn_status_t read_region_head(tn_parser_t* parser, bool is_generic) {
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the region"));
  if (!is_generic) {
    TN_RETURN_IF_ERROR(tn__parser_typed_names(parser));
    return tn__parser_expect(parser, '{', "`{` of the region");
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{` of the region"));
  if (!tn__parser_accept(parser, TN_TOKEN_BLOCK)) return TN_OK;
  if (tn__parser_accept(parser, '(')) TN_RETURN_IF_ERROR(tn__parser_typed_names(parser));
  return tn__parser_expect(parser, ':', "`:` after the block's label");
}

// `count` values, on the stack of operands from `first` on, as results of the stated types.
static tn_status_t make_results(tn_parser_t* parser, tn_region_t* region, const tn_draft_t* draft,
                                size_t first, size_t count, tn_value_t** out_results) {
  if (count != draft->result_count) {
    return tn__parser_fail(parser, draft->position,
                           "the region returns %zu values; expected %zu, as the operation", count,
                           draft->result_count);
  }
  TN_RETURN_IF_ERROR(make_places(parser, count, out_results));
  for (size_t i = 0; i < count; ++i) {
    tn_value_t* value = parser->operand_stack.items[first + i].value;
    const tn_type_t* type = parser->type_stack.items[draft->types + i].type;
    TN_RETURN_IF_ERROR(
        tn__text_shard(region, TN_PART_TO_WHOLE, value, type, draft->location, &value));
    (*out_results)[i] = (tn_value_t){.type = type, .replacement = value};
  }
  return TN_OK;
}

static tn_status_t read_computation(tn_parser_t* parser, tn_region_t* region, size_t names) {
  tn_draft_t draft = tn__parser_draft(parser, TN__OP(custom_call));
  const bool is_generic = tn__parser_at(parser, TN_TOKEN_STRING);
  tn_region_arguments_t arguments = {0, parser->name_stack.count, parser->type_stack.count};
  tn_value_t* results = NULL;
  size_t count = 0;
  tn__lexer_next(&parser->lexer);
  if (!is_generic && tn__parser_at(parser, '<')) {
    TN_RETURN_IF_ERROR(tn__parser_skip_brackets(parser));
  }
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the operands"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`,` or `)` in the operands"));
  const size_t first = parser->operand_stack.count;
  if (is_generic && tn__parser_at(parser, '<')) {
    TN_RETURN_IF_ERROR(tn__parser_skip_brackets(parser));
  } else if (!is_generic) {
    TN_RETURN_IF_ERROR(skip_settings(parser));
  }
  TN_RETURN_IF_ERROR(read_region_head(parser, is_generic));
  arguments.count = parser->name_stack.count - arguments.names;
  TN_RETURN_IF_ERROR(read_body(parser, region, &draft, &arguments, &count));
  parser->name_stack.count = arguments.names;
  parser->type_stack.count = arguments.types;
  if (is_generic) TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`)` after the region"));
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  parser->attr_stack.count = draft.attrs;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type of the operation"));
  parser->operand_stack.count = first;  // what is returned is still behind them
  TN_RETURN_IF_ERROR(tn__parser_op_function_type(parser, &draft));
  TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
  TN_RETURN_IF_ERROR(make_results(parser, region, &draft, first, count, &results));
  parser->operand_stack.count = draft.operands;
  parser->type_stack.count = draft.types;
  return name_values(parser, names, count, results);
}

tn_read_sharding_t tn__parser_sharding(const tn_parser_t* parser) {
  static const struct {
    const char* name;
    bool has_generic_form;
    tn_read_sharding_t read;
  } forms[] = {
      {"sdy.sharding_constraint", false, read_constraint},
      {"sdy.reshard", false, read_constraint},
      {"sdy.manual_computation", true, read_computation},
      {"sdy.named_computation", true, read_computation},
  };
  const tn_token_t* token = &parser->lexer.token;
  const bool is_generic = token->kind == TN_TOKEN_STRING;
  if (!is_generic && token->kind != TN_TOKEN_IDENTIFIER) return NULL;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    if (is_generic && !forms[i].has_generic_form) continue;
    if (tn__sv_is(tn__token_text(token), forms[i].name)) return forms[i].read;
  }
  return NULL;
}
