// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// --- life

// Every list of the parser.
#define FOR_EACH_STACK(X) \
  X(operand_stack)        \
  X(type_stack)           \
  X(attr_stack)           \
  X(name_stack)           \
  X(item_stack)           \
  X(region_stack)         \
  X(integer_stack)        \
  X(dictionary_stack)     \
  X(preamble)             \
  X(plain_types)          \
  X(plain_values)

static tn_status_t make_room(tn_parser_t* parser, void** items, size_t* capacity, size_t count,
                             size_t item_size) {
  if (count < *capacity) return TN_OK;
  return tn__grow(parser->allocator, items, capacity, count + 1, item_size);
}

#define MAKE_ROOM(stack)                                                                      \
  TN_RETURN_IF_ERROR(make_room(parser, (void**)&parser->stack.items, &parser->stack.capacity, \
                               parser->stack.count, sizeof *parser->stack.items))

tn_status_t tn__parser_init(tn_parser_t* parser, const tn_allocator_t* allocator) {
  *parser = (tn_parser_t){.allocator = allocator};
  tn__names_init(&parser->values, allocator);
  tn__names_init(&parser->types, allocator);
  tn__names_init(&parser->aliases, allocator);
  tn__names_init(&parser->resources, allocator);
  // Room in each from the start: places in an empty list are then pointers like others.
#define X(stack) MAKE_ROOM(stack);
  FOR_EACH_STACK(X)
#undef X
  return TN_OK;
}

void tn__parser_deinit(tn_parser_t* parser) {
#define X(stack)                                   \
  tn__free(parser->allocator, parser->stack.items, \
           parser->stack.capacity * sizeof *parser->stack.items);
  FOR_EACH_STACK(X)
#undef X
  tn__names_deinit(&parser->values);
  tn__names_deinit(&parser->types);
  tn__names_deinit(&parser->aliases);
  tn__names_deinit(&parser->resources);
}

// --- errors

tn_status_t tn__parser_locate(tn_parser_t* parser, const char* position, tn_status_t status) {
  tn_location_t location;
  if (!status) return status;
  tn__lexer_place(&parser->lexer, position, &location.line, &location.column);
  return tn__source_locate(parser->module->source, location, status);
}

static tn_status_t fail(tn_parser_t* parser, tn_code_t code, const char* position,
                        const char* format, va_list arguments) {
  char message[1024];
  vsnprintf(message, sizeof message, format, arguments);
  return tn__parser_locate(parser, position, tn_status_create(code, "%s", message));
}

tn_status_t tn__parser_fail(tn_parser_t* parser, const char* position, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tn_status_t status = fail(parser, TN_CODE_INVALID_ARGUMENT, position, format, arguments);
  va_end(arguments);
  return status;
}

tn_status_t tn__parser_unsupported(tn_parser_t* parser, const char* position, const char* format,
                                   ...) {
  va_list arguments;
  va_start(arguments, format);
  tn_status_t status = fail(parser, TN_CODE_UNIMPLEMENTED, position, format, arguments);
  va_end(arguments);
  return status;
}

tn_status_t tn__parser_wanted(tn_parser_t* parser, const char* wanted) {
  enum { SHOWN = 40 };
  const tn_token_t* token = &parser->lexer.token;
  if (token->kind == TN_TOKEN_INVALID) {
    return tn__parser_fail(parser, parser->lexer.problem_at, "expected %s; found %s", wanted,
                           parser->lexer.problem);
  }
  if (token->kind == TN_TOKEN_END) {
    return tn__parser_fail(parser, token->begin, "expected %s; the text ends here", wanted);
  }
  size_t length = (size_t)(token->end - token->begin);
  return tn__parser_fail(parser, token->begin, "expected %s; found `%.*s%s`", wanted,
                         (int)(length > SHOWN ? SHOWN : length), token->begin,
                         length > SHOWN ? "..." : "");
}

// --- tokens

bool tn__parser_accept_word(tn_parser_t* parser, const char* word) {
  if (!tn__parser_at_word(parser, word)) return false;
  tn__lexer_next(&parser->lexer);
  return true;
}

tn_status_t tn__parser_expect(tn_parser_t* parser, int kind, const char* wanted) {
  if (!tn__parser_at(parser, kind)) return tn__parser_wanted(parser, wanted);
  tn__lexer_next(&parser->lexer);
  return TN_OK;
}

tn_status_t tn__parser_expect_word(tn_parser_t* parser, const char* word) {
  char wanted[64];
  if (tn__parser_accept_word(parser, word)) return TN_OK;
  snprintf(wanted, sizeof wanted, "`%s`", word);
  return tn__parser_wanted(parser, wanted);
}

tn_status_t tn__parser_integer(tn_parser_t* parser, int64_t* out) {
  const char* position = parser->lexer.token.begin;
  bool negative = tn__parser_accept(parser, '-');
  uint64_t magnitude = 0;
  *out = 0;
  const tn_token_t* token = &parser->lexer.token;
  if (token->kind != TN_TOKEN_INTEGER) return tn__parser_wanted(parser, "an integer");
  if (!tn__number_parse_unsigned(token->begin, token->end, &magnitude) ||
      magnitude > (uint64_t)INT64_MAX + negative) {
    return tn__parser_fail(parser, position, "the integer does not fit 64 bits");
  }
  *out = (int64_t)(negative ? -magnitude : magnitude);
  tn__lexer_next(&parser->lexer);
  return TN_OK;
}

static int hex_digit(char c) {
  return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

tn_status_t tn__parser_unescape(tn_parser_t* parser, tn_string_view_t raw, tn_string_view_t* out) {
  *out = raw;
  if (raw.length == 0 || !memchr(raw.data, '\\', raw.length)) return TN_OK;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(parser->arena, raw.length + 1, &memory));
  char* to = memory;
  for (size_t i = 0; i < raw.length; ++i) {
    if (raw.data[i] != '\\') {
      *to++ = raw.data[i];
      continue;
    }
    char c = raw.data[++i];  // the lexer saw to it that this is a whole escape
    if (c == '"' || c == '\\') {
      *to++ = c;
    } else if (c == 'n' || c == 't') {
      *to++ = c == 'n' ? '\n' : '\t';
    } else {
      *to++ = (char)(hex_digit(c) << 4 | hex_digit(raw.data[++i]));
    }
  }
  *out = (tn_string_view_t){memory, (size_t)(to - (char*)memory)};
  return TN_OK;
}

tn_status_t tn__parser_enter(tn_parser_t* parser) {
  if (parser->depth == TN_LIMIT_NESTING) {
    return tn__parser_fail(parser, parser->lexer.token.begin, "nested deeper than %d levels",
                           TN_LIMIT_NESTING);
  }
  ++parser->depth;
  return TN_OK;
}

tn_status_t tn__parser_skip_brackets(tn_parser_t* parser) {
  const char* bad = NULL;
  const char* end = tn__lexer_skip_brackets(&parser->lexer, parser->lexer.token.begin, &bad);
  if (!end) return tn__parser_fail(parser, bad, "the brackets do not match");
  tn__lexer_seek(&parser->lexer, end);
  return TN_OK;
}

tn_status_t tn__parser_skip_location(tn_parser_t* parser) {
  if (!tn__parser_at_word(parser, "loc") || tn__lexer_peek(&parser->lexer) != '(') return TN_OK;
  tn__lexer_next(&parser->lexer);
  return tn__parser_skip_brackets(parser);
}

// --- stacks

tn_status_t tn__parser_push_operand(tn_parser_t* parser, tn_value_t* value, const char* position) {
  MAKE_ROOM(operand_stack);
  parser->operand_stack.items[parser->operand_stack.count++] = (tn_read_value_t){value, position};
  return TN_OK;
}

tn_status_t tn__parser_push_type(tn_parser_t* parser, const tn_type_t* type, const char* position) {
  MAKE_ROOM(type_stack);
  parser->type_stack.items[parser->type_stack.count++] = (tn_read_type_t){type, position};
  return TN_OK;
}

tn_status_t tn__parser_push_attr(tn_parser_t* parser, tn_string_view_t name, const tn_attr_t* attr,
                                 const char* position) {
  if (!name.length) return tn__parser_fail(parser, position, "the attribute has no name");
  MAKE_ROOM(attr_stack);
  parser->attr_stack.items[parser->attr_stack.count++] = (tn_read_attr_t){name, attr, position};
  return TN_OK;
}

tn_status_t tn__parser_push_name(tn_parser_t* parser, tn_string_view_t name, uint32_t count,
                                 const char* position) {
  MAKE_ROOM(name_stack);
  parser->name_stack.items[parser->name_stack.count++] =
      (tn_read_name_t){name, position, count, {0}};
  return TN_OK;
}

tn_status_t tn__parser_push_item(tn_parser_t* parser, const tn_attr_t* item) {
  MAKE_ROOM(item_stack);
  parser->item_stack.items[parser->item_stack.count++] = item;
  return TN_OK;
}

tn_status_t tn__parser_push_region(tn_parser_t* parser, tn_region_t* region) {
  MAKE_ROOM(region_stack);
  parser->region_stack.items[parser->region_stack.count++] = region;
  return TN_OK;
}

tn_status_t tn__parser_push_integer(tn_parser_t* parser, int64_t integer) {
  MAKE_ROOM(integer_stack);
  parser->integer_stack.items[parser->integer_stack.count++] = integer;
  return TN_OK;
}

tn_status_t tn__parser_push_dictionary(tn_parser_t* parser, tn_attr_dictionary_t dictionary) {
  MAKE_ROOM(dictionary_stack);
  parser->dictionary_stack.items[parser->dictionary_stack.count++] = dictionary;
  return TN_OK;
}

tn_status_t tn__parser_plain_types(tn_parser_t* parser, size_t first, size_t count,
                                   const tn_type_t* const** out_types) {
  TN_RETURN_IF_ERROR(tn__grow(parser->allocator, (void**)&parser->plain_types.items,
                              &parser->plain_types.capacity, count,
                              sizeof *parser->plain_types.items));
  for (size_t i = 0; i < count; ++i) {
    parser->plain_types.items[i] = parser->type_stack.items[first + i].type;
  }
  *out_types = parser->plain_types.items;
  return TN_OK;
}

tn_status_t tn__parser_keep_preamble(tn_parser_t* parser, tn_string_view_t line) {
  size_t count = parser->preamble.count;
  TN_RETURN_IF_ERROR(tn__grow(parser->allocator, (void**)&parser->preamble.items,
                              &parser->preamble.capacity, count + line.length + 1, 1));
  memcpy(parser->preamble.items + count, line.data, line.length);
  parser->preamble.items[count + line.length] = '\n';
  parser->preamble.count += line.length + 1;
  return TN_OK;
}

tn_status_t tn__parser_take_preamble(tn_parser_t* parser, tn_string_view_t* out) {
  tn_string_view_t text = {parser->preamble.items, parser->preamble.count};
  *out = (tn_string_view_t){0};
  return text.length ? tn__arena_copy_string(parser->arena, text, out) : TN_OK;
}

static int compare_attrs(const void* a, const void* b) {
  const tn_read_attr_t *x = a, *y = b;
  int order = tn__sv_compare(x->name, y->name);
  return order ? order : (x->position > y->position) - (x->position < y->position);
}

tn_status_t tn__parser_pop_dictionary(tn_parser_t* parser, size_t first,
                                      tn_attr_dictionary_t* out) {
  size_t count = parser->attr_stack.count - first;
  *out = (tn_attr_dictionary_t){0};
  if (count == 0) return TN_OK;
  tn_read_attr_t* attrs = parser->attr_stack.items + first;
  for (size_t i = 1; i < count; ++i) {
    if (compare_attrs(&attrs[i - 1], &attrs[i]) <= 0) continue;
    qsort(attrs, count, sizeof *attrs, compare_attrs);
    break;
  }
  tn_named_attr_t* entries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(parser->arena, count, &entries));
  for (size_t i = 0; i < count; ++i) {
    if (i && tn__sv_equal(attrs[i - 1].name, attrs[i].name)) {
      return tn__parser_fail(parser, attrs[i].position, "attribute \"%.*s\" is given twice",
                             TN_SV(attrs[i].name));
    }
    entries[i] = (tn_named_attr_t){attrs[i].name, attrs[i].attr};
  }
  parser->attr_stack.count = first;
  *out = (tn_attr_dictionary_t){count, entries};
  return TN_OK;
}
