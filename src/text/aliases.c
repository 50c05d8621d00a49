// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// #name = attribute, !name = type: defined at the top level, used anywhere, also before.
#include "text/parser.h"

typedef struct alias {
  const char* body;  // where it is read
  const tn_attr_t* attr;
  const tn_type_t* type;
  bool is_open;  // being read: meeting it again is a cycle
} alias_t;

static tn_status_t add(tn_parser_t* parser, tn_string_view_t name, const char* body,
                       alias_t** out_alias) {
  void* memory = NULL;
  ++parser->kept;
  TN_RETURN_IF_ERROR(tn__arena_allocate(parser->arena, sizeof(alias_t), &memory));
  TN_RETURN_IF_ERROR(tn__names_add(&parser->aliases, name, 0, memory));
  *out_alias = memory;
  (*out_alias)->body = body;
  return TN_OK;
}

static tn_string_view_t whole(const tn_token_t* token) {
  return (tn_string_view_t){token->begin, (size_t)(token->end - token->begin)};
}

// Definitions are at the beginning of lines. This one pass serves all mentions that come before
// their definition; without any, it does not happen.
static tn_status_t index_all(tn_parser_t* parser) {
  tn_lexer_t lexer = parser->lexer;
  const char* line = lexer.begin;
  parser->aliases_indexed = true;
  while (line < lexer.end) {
    while (*line == ' ' || *line == '\t') ++line;
    if (*line == '#' || *line == '!') {
      lexer.token.end = line;
      tn__lexer_next(&lexer);
      tn_string_view_t name = whole(&lexer.token);
      bool is_name = lexer.token.kind == TN_TOKEN_HASH || lexer.token.kind == TN_TOKEN_BANG;
      tn__lexer_next(&lexer);
      if (is_name && lexer.token.kind == '=' && !tn__names_find(&parser->aliases, name)) {
        const char* body = tn__lexer_skip_blanks(&lexer, lexer.token.end);
        alias_t* alias = NULL;
        bool is_location = lexer.end - body >= 4 && memcmp(body, "loc(", 4) == 0;
        if (!is_location) TN_RETURN_IF_ERROR(add(parser, name, body, &alias));
      }
    }
    const char* newline = memchr(line, '\n', (size_t)(lexer.end - line));
    line = newline ? newline + 1 : lexer.end;
  }
  return TN_OK;
}

static tn_status_t read_body(tn_parser_t* parser, char sigil, alias_t* alias) {
  alias->is_open = true;
  ++parser->kept;
  if (sigil == '#') {
    TN_RETURN_IF_ERROR(tn__parser_attr(parser, &alias->attr));
  } else {
    TN_RETURN_IF_ERROR(tn__parser_type(parser, &alias->type));
  }
  alias->is_open = false;
  return TN_OK;
}

// The alias that the current token names, read.
static tn_status_t resolve(tn_parser_t* parser, alias_t* out_alias) {
  tn_token_t token = parser->lexer.token;
  tn_name_entry_t* entry = tn__names_find(&parser->aliases, whole(&token));
  if (!entry && !parser->aliases_indexed) {
    TN_RETURN_IF_ERROR(index_all(parser));
    entry = tn__names_find(&parser->aliases, whole(&token));
  }
  if (!entry) {
    return tn__parser_fail(parser, token.begin, "%.*s is not defined", TN_SV(whole(&token)));
  }
  alias_t* alias = entry->pointer;
  if (alias->is_open) {
    return tn__parser_fail(parser, token.begin, "%.*s is defined by itself", TN_SV(whole(&token)));
  }
  tn__lexer_next(&parser->lexer);
  if (!alias->attr && !alias->type) {
    tn_lexer_t here = parser->lexer;
    parser->lexer.token.end = alias->body;
    tn__lexer_next(&parser->lexer);
    TN_RETURN_IF_ERROR(read_body(parser, *token.begin, alias));
    parser->lexer = here;
  }
  *out_alias = *alias;
  return TN_OK;
}

tn_status_t tn__parser_alias_attr(tn_parser_t* parser, const tn_attr_t** out_attr) {
  alias_t alias = {0};
  TN_RETURN_IF_ERROR(resolve(parser, &alias));
  *out_attr = alias.attr;
  return TN_OK;
}

tn_status_t tn__parser_alias_type(tn_parser_t* parser, const tn_type_t** out_type) {
  alias_t alias = {0};
  TN_RETURN_IF_ERROR(resolve(parser, &alias));
  *out_type = alias.type;
  return TN_OK;
}

tn_status_t tn__parser_alias_definition(tn_parser_t* parser) {
  tn_token_t token = parser->lexer.token;
  tn__lexer_next(&parser->lexer);
  TN_RETURN_IF_ERROR(tn__parser_expect(parser, '=', "`=` after the alias"));
  if (token.kind == TN_TOKEN_HASH && tn__parser_at_word(parser, "loc")) {
    return tn__parser_skip_location(parser);  // by far the most, and never looked at
  }
  const char* body = parser->lexer.token.begin;
  tn_name_entry_t* entry = tn__names_find(&parser->aliases, whole(&token));
  alias_t* alias = NULL;
  if (entry) {
    alias = entry->pointer;
    if (alias->body != body) {
      return tn__parser_fail(parser, token.begin, "%.*s is defined twice", TN_SV(whole(&token)));
    }
  } else {
    TN_RETURN_IF_ERROR(add(parser, whole(&token), body, &alias));
  }
  // Read again even if it was known, to get past it.
  return read_body(parser, *token.begin, alias);
}
