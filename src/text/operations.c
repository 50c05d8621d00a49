// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What all operations share: operands, results, regions, the generic form, and the way from a draft
// to a node.
#include <stdio.h>

#include "base/spelling.h"
#include "text/parser.h"

// --- values

static tn_status_t unknown_value(tn_parser_t* parser, const char* position, tn_string_view_t name) {
  enum { LOOKED_AT = 1000 };  // of the latest names
  const size_t count = parser->values.count;
  tn_spelling_t search = {.word = name};
  bool is_number = name.data[0] >= '0' && name.data[0] <= '9';  // all of them are alike
  for (size_t i = count > LOOKED_AT ? count - LOOKED_AT : 0; i < count && !is_number; ++i) {
    (void)tn__spelling_consider(&search, parser->values.entries[i].name);
  }
  tn_status_t status = tn__parser_fail(
      parser, position, "%%%.*s is used before it is defined, or never is", TN_SV(name));
  return tn__spelling_note(&search, "%", status);
}

tn_status_t tn__parser_operand(tn_parser_t* parser) {
  tn_token_t token = parser->lexer.token;
  if (token.kind != TN_TOKEN_VALUE) return tn__parser_wanted(parser, "a value");
  tn_string_view_t name = tn__token_text(&token);
  tn_name_entry_t* entry = tn__names_find(&parser->values, name);
  if (!entry) return unknown_value(parser, token.begin, name);
  tn_value_t* values = entry->pointer;
  uint32_t count = entry->number;
  tn__lexer_next(&parser->lexer);
  if (!tn__parser_at(parser, TN_TOKEN_HASH)) {
    if (count == 1) return tn__parser_push_operand(parser, tn__value_resolve(values), token.begin);
    return tn__parser_fail(parser, token.begin, "%%%.*s is %u values: write %%%.*s#0", TN_SV(name),
                           (unsigned)count, TN_SV(name));
  }
  uint64_t index = 0;
  tn_string_view_t digits = tn__token_text(&parser->lexer.token);
  bool is_number = digits.data[0] >= '0' && digits.data[0] <= '9';
  if (!is_number || !tn__number_parse_unsigned(digits.data, digits.data + digits.length, &index) ||
      index >= count) {
    return tn__parser_fail(parser, parser->lexer.token.begin, "%%%.*s has %u values; #%.*s is none",
                           TN_SV(name), (unsigned)count, TN_SV(digits));
  }
  tn__lexer_next(&parser->lexer);
  return tn__parser_push_operand(parser, tn__value_resolve(&values[index]), token.begin);
}

tn_status_t tn__parser_operands(tn_parser_t* parser) {
  if (!tn__parser_at(parser, TN_TOKEN_VALUE)) return TN_OK;
  for (;;) {
    TN_RETURN_IF_ERROR(tn__parser_operand(parser));
    if (!tn__parser_at(parser, ',') || tn__lexer_peek(&parser->lexer) != '%') return TN_OK;
    tn__lexer_next(&parser->lexer);
  }
}

TN_APART tn_status_t tn__parser_define(tn_parser_t* parser, const tn_read_name_t* name,
                                       tn_value_t* values) {
  if (tn__names_find(&parser->values, name->name)) {
    return tn__parser_fail(parser, name->position, "%%%.*s is already defined", TN_SV(name->name));
  }
  values->name = name->name;
  return tn__names_add(&parser->values, name->name, name->count, values);
}

// --- drafts

tn_status_t tn__parser_draft_attr(tn_parser_t* parser, const char* name, const tn_attr_t* attr,
                                  const char* position) {
  return tn__parser_push_attr(parser, tn__sv(name), attr, position);
}

static size_t operand_count(const tn_parser_t* parser, const tn_draft_t* draft) {
  return parser->operand_stack.count - draft->operands;
}

tn_status_t tn__parser_check_operands(tn_parser_t* parser, const tn_draft_t* draft, size_t types,
                                      size_t count) {
  const char* op = tn__op_short_name(draft->op);
  size_t operands = operand_count(parser, draft);
  if (operands != count) {
    const char* position = count ? parser->type_stack.items[types].position : draft->position;
    return tn__parser_fail(parser, position, "%s: types of %zu operands are given; there are %zu",
                           op, count, operands);
  }
  for (size_t i = 0; i < count; ++i) {
    const tn_read_type_t* stated = &parser->type_stack.items[types + i];
    const tn_read_value_t* operand = &parser->operand_stack.items[draft->operands + i];
    if (tn_type_equal(stated->type, operand->value->type)) continue;
    return tn__parser_fail(parser, stated->position,
                           "%s: operand %zu has type %s; it is given as %s", op, i,
                           TN_TYPE_TEXT(operand->value->type), TN_TYPE_TEXT(stated->type));
  }
  return TN_OK;
}

tn_status_t tn__parser_op_function_type(tn_parser_t* parser, tn_draft_t* draft) {
  size_t first = parser->type_stack.count, operands = 0;
  TN_RETURN_IF_ERROR(tn__parser_function_type(parser, &operands, &draft->result_count));
  TN_RETURN_IF_ERROR(tn__parser_check_operands(parser, draft, first, operands));
  tn_read_type_t* types = parser->type_stack.items + first;
  memmove(types, types + operands, draft->result_count * sizeof *types);
  parser->type_stack.count -= operands;
  return TN_OK;
}

static const tn_attr_spec_t* find_spec(const tn_op_t* op, tn_string_view_t name) {
  for (const tn_attr_spec_t* spec = op->attrs; spec && spec->name; ++spec) {
    if (tn__sv_is(name, spec->name)) return spec;
  }
  return NULL;
}

// Older text writes lists as dense<[0, 1]> : tensor<2xi64>; the module has array<i64: 0, 1>.
TN_APART static tn_status_t modernise(tn_parser_t* parser, const tn_op_t* op,
                                      tn_read_attr_t* attr) {
  const tn_attr_t* old = attr->attr;
  if (old->kind != TN_ATTR_ELEMENTS || old->elements.type->rank != 1) return TN_OK;
  const tn_attr_spec_t* spec = find_spec(op, attr->name);
  tn_dtype_t dtype = old->elements.type->dtype;
  bool is_list = spec && ((spec->type == TN_ATTR_TYPE_I64_LIST && dtype == TN_DTYPE_S64) ||
                          (spec->type == TN_ATTR_TYPE_BOOL_LIST && dtype == TN_DTYPE_PRED));
  if (!is_list) return TN_OK;
  int64_t count = tn__type_size(old->elements.type);
  const void* items = old->elements.data;
  int64_t copies[TN_MAX_RANK];  // lists of dimensions are no longer
  if (old->elements.splat && count > TN_MAX_RANK) return TN_OK;
  if (old->elements.splat) {
    size_t size = tn_dtype_byte_size(dtype);
    for (size_t i = 0; i < (size_t)count; ++i) memcpy((char*)copies + i * size, items, size);
    items = copies;
  }
  return tn__attr_dense_array(parser->arena, dtype, count, items, &attr->attr);
}

// The values of stack entries as a plain list; valid until the next call.
static tn_status_t plain_operands(tn_parser_t* parser, size_t first, size_t count,
                                  tn_value_t* const** out_values) {
  TN_RETURN_IF_ERROR(tn__grow(parser->allocator, (void**)&parser->plain_values.items,
                              &parser->plain_values.capacity, count,
                              sizeof *parser->plain_values.items));
  for (size_t i = 0; i < count; ++i) {
    parser->plain_values.items[i] = parser->operand_stack.items[first + i].value;
  }
  *out_values = parser->plain_values.items;
  return TN_OK;
}

TN_APART tn_status_t tn__parser_finish(tn_parser_t* parser, tn_region_t* region,
                                       const tn_draft_t* draft, tn_node_t** out_node) {
  tn_node_spec_t spec = {
      .op = draft->op,
      .operand_count = operand_count(parser, draft),
      .result_count = draft->result_count,
      .region_count = parser->region_stack.count - draft->regions,
      .regions = parser->region_stack.items + draft->regions,
      .location = draft->location,
  };
  for (size_t i = draft->attrs; i < parser->attr_stack.count; ++i) {
    TN_RETURN_IF_ERROR(modernise(parser, draft->op, &parser->attr_stack.items[i]));
  }
  TN_RETURN_IF_ERROR(tn__parser_pop_dictionary(parser, draft->attrs, &spec.attrs));
  tn__parser_share_attrs(parser, draft, &spec.attrs);
  TN_RETURN_IF_ERROR(plain_operands(parser, draft->operands, spec.operand_count, &spec.operands));
  TN_RETURN_IF_ERROR(
      tn__parser_plain_types(parser, draft->types, spec.result_count, &spec.result_types));
  parser->operand_stack.count = draft->operands;
  parser->type_stack.count = draft->types;
  parser->region_stack.count = draft->regions;
  return tn__node_append(region, &spec, out_node);
}

TN_APART tn_draft_t tn__parser_draft(const tn_parser_t* parser, const tn_op_t* op) {
  return (tn_draft_t){
      .op = op,
      .position = parser->lexer.token.begin,
      .location = tn__parser_location(parser),
      .operands = parser->operand_stack.count,
      .types = parser->type_stack.count,
      .attrs = parser->attr_stack.count,
      .regions = parser->region_stack.count,
      .kept = parser->kept,
      .mark = tn__arena_mark(parser->arena),
  };
}

// --- the generic form, from behind the name

static tn_status_t parse_generic(tn_parser_t* parser, tn_draft_t* draft) {
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the operands"));
  TN_RETURN_IF_ERROR(tn__parser_operands(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ')', "`,` or `)` in the operands"));
  if (tn__parser_at(parser, '[')) {
    return tn__parser_unsupported(parser, parser->lexer.token.begin,
                                  "branches between blocks are not supported");
  }
  if (tn__parser_accept(parser, '<')) {
    TN_RETURN_IF_ERROR(tn__parser_attr_entries(parser));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, '>', "`>` after the properties"));
  }
  if (tn__parser_at(parser, '(')) TN_RETURN_IF_ERROR(tn__parser_region_list(parser));
  TN_RETURN_IF_ERROR(tn__parser_optional_attr_entries(parser));
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the type of the operation"));
  return tn__parser_op_function_type(parser, draft);
}

// --- operations

// Names of frameworks, and how StableHLO says it.
static const struct {
  const char *name, *advice;
} absent[] = {
    {"argmax", "a reduce of values and indices"},
    {"batch_norm", "batch_norm_training or batch_norm_inference"},
    {"einsum", "dot_general"},
    {"gelu", "multiply and chlo.erf"},
    {"layer_norm", "reduce, subtract, rsqrt and multiply"},
    {"matmul", "dot_general"},
    {"mean", "reduce and divide"},
    {"pow", "power"},
    {"relu", "maximum with a constant of zeros"},
    {"sigmoid", "logistic"},
    {"softmax", "reduce (maximum), subtract, exponential, reduce (add) and divide"},
    {"sum", "reduce (add)"},
};

// Takes `status`.
static tn_status_t advise(tn_status_t status, tn_string_view_t name) {
  static const char dialect[] = "stablehlo.";
  const size_t length = sizeof dialect - 1;
  const bool is_stablehlo = name.length > length && memcmp(name.data, dialect, length) == 0;
  const tn_string_view_t rest =
      is_stablehlo ? (tn_string_view_t){name.data + length, name.length - length} : name;
  for (size_t i = 0; is_stablehlo && i < sizeof absent / sizeof *absent; ++i) {
    if (!tn__sv_is(rest, absent[i].name)) continue;
    return tn_status_note(status, "StableHLO has no %s; it is written as %s", absent[i].name,
                          absent[i].advice);
  }
  const tn_op_t* near = tn__op_suggest(name);
  return near ? tn_status_note(status, "did you mean %s?", near->name) : status;
}

// Whether the word is in a list such as "stablehlo, chlo".
static bool is_listed(const char* list, tn_string_view_t word) {
  while (*list) {
    const size_t length = strcspn(list, ",");
    if (tn__sv_equal(word, (tn_string_view_t){list, length})) return true;
    list += length;
    list += strspn(list, ", ");
  }
  return false;
}

// The dialects of the table: "stablehlo, chlo, func". False when that of `name` is not among them.
static bool list_dialects(tn_string_view_t name, size_t capacity, char* out_list) {
  bool is_known = false;
  size_t length = 0;
  out_list[0] = 0;
  for (size_t i = 0; i < tn__op_count(); ++i) {
    const char* op = tn__op_at(i)->name;
    const tn_string_view_t dialect = {op, strcspn(op, ".")};
    is_known = is_known || (name.length > dialect.length && name.data[dialect.length] == '.' &&
                            memcmp(name.data, op, dialect.length) == 0);
    if (length >= capacity || is_listed(out_list, dialect)) continue;
    length += (size_t)snprintf(out_list + length, capacity - length, "%s%.*s", length ? ", " : "",
                               TN_SV(dialect));
  }
  return is_known;
}

TN_APART static tn_status_t unknown_operation(tn_parser_t* parser, tn_string_view_t name) {
  char dialects[128];
  const char* position = parser->lexer.token.begin;
  const bool is_known = list_dialects(name, sizeof dialects, dialects);
  if (!is_known && memchr(name.data, '.', name.length) && !tn__op_suggest(name)) {
    return tn__parser_unsupported(
        parser, position, "operation \"%.*s\" is not supported; expected one of the dialects %s",
        TN_SV(name), dialects);
  }
  return advise(tn__parser_fail(parser, position, "unknown operation \"%.*s\"", TN_SV(name)), name);
}

// The operation that the current token names.
TN_APART static tn_status_t find_operation(tn_parser_t* parser, const tn_op_t** out_op) {
  const tn_token_t* token = &parser->lexer.token;
  tn_string_view_t name = tn__token_text(token);
  *out_op = NULL;
  if (token->kind == TN_TOKEN_STRING) {
    TN_RETURN_IF_ERROR(tn__parser_unescape(parser, name, &name));
  } else if (token->kind != TN_TOKEN_IDENTIFIER) {
    return tn__parser_wanted(parser, "an operation");
  } else if (tn__sv_is(name, "return")) {  // of the function's own dialect
    name = TN_SV_LITERAL("func.return");
  } else if (tn__sv_is(name, "call")) {
    name = TN_SV_LITERAL("func.call");
  }
  // Of IREE's and TensorFlow's programs, where it is dense.
  if (tn__sv_is(name, "arith.constant")) name = TN_SV_LITERAL("stablehlo.constant");
  *out_op = tn__op_find(name);
  return *out_op ? TN_OK : unknown_operation(parser, name);
}

// %a, %b:2 = : pushes the names.
TN_APART static tn_status_t parse_result_names(tn_parser_t* parser) {
  do {
    tn_token_t token = parser->lexer.token;
    int64_t count = 1;
    if (token.kind != TN_TOKEN_VALUE) return tn__parser_wanted(parser, "a value's name");
    tn__lexer_next(&parser->lexer);
    if (tn__parser_accept(parser, ':')) {
      const char* position = parser->lexer.token.begin;
      TN_RETURN_IF_ERROR(tn__parser_integer(parser, &count));
      if (count < 1 || count > INT32_MAX) {
        return tn__parser_fail(parser, position, "a name stands for one value or more");
      }
    }
    TN_RETURN_IF_ERROR(
        tn__parser_push_name(parser, tn__token_text(&token), (uint32_t)count, token.begin));
  } while (tn__parser_accept(parser, ','));
  return tn__parser_expect(parser, '=', "`=` after the names of the results");
}

TN_APART static tn_status_t name_results(tn_parser_t* parser, tn_node_t* node, size_t first,
                                         const tn_draft_t* draft) {
  uint64_t named = 0;
  for (size_t i = first; i < parser->name_stack.count; ++i) {
    named += parser->name_stack.items[i].count;
  }
  if (named && named != node->result_count) {
    return tn__parser_fail(parser, parser->name_stack.items[first].position,
                           "%s makes %u values; %llu are named", tn__op_short_name(draft->op),
                           (unsigned)node->result_count, (unsigned long long)named);
  }
  tn_value_t* value = node->results;
  for (size_t i = first; i < parser->name_stack.count; ++i) {
    TN_RETURN_IF_ERROR(tn__parser_define(parser, &parser->name_stack.items[i], value));
    value += parser->name_stack.items[i].count;
  }
  parser->name_stack.count = first;
  return TN_OK;
}

// What follows the regions and types: the node is made.
TN_APART static tn_status_t finish_operation(tn_parser_t* parser, tn_region_t* region, size_t names,
                                             const tn_draft_t* draft) {
  tn_node_t* node = NULL;
  TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
  TN_RETURN_IF_ERROR(tn__parser_finish(parser, region, draft, &node));
  return name_results(parser, node, names, draft);
}

tn_status_t tn__parser_operation(tn_parser_t* parser, tn_region_t* region) {
  size_t names = parser->name_stack.count;
  const tn_op_t* op = NULL;
  if (tn__parser_at(parser, TN_TOKEN_VALUE)) TN_RETURN_IF_ERROR(parse_result_names(parser));
  tn_read_sharding_t read_sharding = tn__parser_sharding(parser);
  if (read_sharding) return read_sharding(parser, region, names);
  tn_read_implicit_t read_implicit = tn__parser_implicit(parser, &op);
  if (read_implicit) {
    tn_draft_t draft = tn__parser_draft(parser, op);
    TN_RETURN_IF_ERROR(read_implicit(parser, region, &draft));
    return finish_operation(parser, region, names, &draft);
  }
  TN_RETURN_IF_ERROR(find_operation(parser, &op));
  tn_draft_t draft = tn__parser_draft(parser, op);
  bool generic = tn__parser_at(parser, TN_TOKEN_STRING);
  tn__lexer_next(&parser->lexer);
  tn_read_form_t read = generic      ? parse_generic
                        : op->syntax ? tn__parser_pretty
                                     : tn__parser_form(op);
  if (!read) {
    return tn__parser_fail(parser, draft.position,
                           "%s has no pretty form; write \"%s\"(...) : (...) -> ...", op->name,
                           op->name);
  }
  TN_RETURN_IF_ERROR(read(parser, &draft));
  return finish_operation(parser, region, names, &draft);
}

// --- regions

// %a: T, %b: T, each perhaps with a location, up to the closing parenthesis: pushes names and
// types.
TN_APART tn_status_t tn__parser_typed_names(tn_parser_t* parser) {
  while (!tn__parser_accept(parser, ')')) {
    tn_token_t token = parser->lexer.token;
    const tn_type_t* type = NULL;
    if (token.kind != TN_TOKEN_VALUE) return tn__parser_wanted(parser, "an argument or `)`");
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(tn__parser_push_name(parser, tn__token_text(&token), 1, token.begin));
    TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` and the argument's type"));
    const char* position = parser->lexer.token.begin;
    TN_RETURN_IF_ERROR(tn__parser_type(parser, &type));
    TN_RETURN_IF_ERROR(tn__parser_push_type(parser, type, position));
    TN_RETURN_IF_ERROR(tn__parser_skip_location(parser));
    if (!tn__parser_accept(parser, ',') && !tn__parser_at(parser, ')')) {
      return tn__parser_wanted(parser, "`,` or `)` in the arguments");
    }
  }
  return TN_OK;
}

tn_status_t tn__parser_block(tn_parser_t* parser, tn_region_t* region, size_t names) {
  size_t scope = parser->values.count;
  TN_RETURN_IF_ERROR(tn__parser_enter(parser));
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    const tn_read_name_t* name = &parser->name_stack.items[names + i];
    TN_RETURN_IF_ERROR(tn__parser_define(parser, name, &region->arguments[i]));
    if (!name->label.length) continue;
    TN_RETURN_IF_ERROR(tn__value_set_name(parser->module, &region->arguments[i], name->label));
  }
  while (!tn__parser_accept(parser, '}')) {
    if (tn__parser_at(parser, TN_TOKEN_BLOCK)) {
      return tn__parser_unsupported(parser, parser->lexer.token.begin,
                                    "regions of more than one block are not supported");
    }
    if (tn__parser_at(parser, TN_TOKEN_END)) {
      return tn__parser_wanted(parser, "an operation or `}`");
    }
    TN_RETURN_IF_ERROR(tn__parser_operation(parser, region));
  }
  tn__names_truncate(&parser->values, scope);
  tn__parser_leave(parser);
  return TN_OK;
}

// `{`, and the label of the block, unless the form of the operation says the arguments.
TN_APART static tn_status_t begin_region(tn_parser_t* parser,
                                         const tn_region_arguments_t* arguments,
                                         tn_region_t** out_region) {
  tn_region_arguments_t own = {0, parser->name_stack.count, parser->type_stack.count};
  const tn_type_t* const* types = NULL;
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '{', "`{` of a region"));
  if (!arguments) {
    arguments = &own;
    if (tn__parser_accept(parser, TN_TOKEN_BLOCK)) {
      if (tn__parser_accept(parser, '(')) TN_RETURN_IF_ERROR(tn__parser_typed_names(parser));
      TN_RETURN_IF_ERROR(tn__parser_expect(parser, ':', "`:` after the block's label"));
      own.count = parser->name_stack.count - own.names;
    }
  }
  TN_RETURN_IF_ERROR(tn__parser_plain_types(parser, arguments->types, arguments->count, &types));
  return tn__region_create(parser->function, arguments->count, types, out_region);
}

tn_status_t tn__parser_region(tn_parser_t* parser, const tn_region_arguments_t* arguments) {
  const size_t names = parser->name_stack.count, types = parser->type_stack.count;
  tn_region_t* region = NULL;
  TN_RETURN_IF_ERROR(begin_region(parser, arguments, &region));
  TN_RETURN_IF_ERROR(tn__parser_block(parser, region, arguments ? arguments->names : names));
  parser->name_stack.count = names;
  parser->type_stack.count = types;
  return tn__parser_push_region(parser, region);
}

tn_status_t tn__parser_region_list(tn_parser_t* parser) {
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '(', "`(` of the regions"));
  do {
    TN_RETURN_IF_ERROR(tn__parser_region(parser, NULL));
  } while (tn__parser_accept(parser, ','));
  return tn__parser_expect(parser, ')', "`,` or `)` in the regions");
}
