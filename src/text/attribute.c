// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/attribute.h"

#include "text/parser.h"

tn_status_t tn__text_read_attribute(tn_arena_t* arena, tn_string_view_t name, tn_string_view_t text,
                                    const tn_attr_t** out_attr) {
  tn_status_t status = TN_OK;
  tn_module_t* module = NULL;  // for the parser, which tells places by its source
  const tn_attr_t* attr = NULL;
  tn_string_view_t copy;  // strings of the attribute are views of it
  tn_parser_t parser;
  *out_attr = NULL;
  TN_DONE_IF_ERROR(tn__parser_init(&parser, arena->allocator));
  TN_DONE_IF_ERROR(tn__module_create(arena->allocator, &module));
  TN_DONE_IF_ERROR(tn__source_create(arena->allocator, name, text, &module->source));
  TN_DONE_IF_ERROR(tn__arena_copy_string(arena, text, &copy));
  parser.module = module;
  parser.arena = arena;
  tn__lexer_init(&parser.lexer, copy, 1);
  TN_DONE_IF_ERROR(tn__parser_attr(&parser, &attr));
  TN_DONE_IF_ERROR(tn__parser_expect(&parser, TN_TOKEN_END, "the end of the attribute"));
  *out_attr = attr;
done:
  tn__parser_deinit(&parser);
  tn_module_release(module);
  return status;
}
