// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Bytes to tokens, one at a time and on demand. Where the grammar is irregular (shapes such as
// 0x10xf32, data inside dense<...>) the reader looks at the bytes itself and seeks past them.
#ifndef TENON_TEXT_LEXER_H_
#define TENON_TEXT_LEXER_H_

#include <stdint.h>

#include "base/view.h"

// Punctuation is its own character.
typedef enum tn_token_kind {
  TN_TOKEN_END = 0,
  TN_TOKEN_INVALID = 128,  // `problem` of the lexer says why
  TN_TOKEN_IDENTIFIER,     // add, stablehlo.add, f32
  TN_TOKEN_VALUE,          // %name
  TN_TOKEN_BLOCK,          // ^name
  TN_TOKEN_SYMBOL,         // @name, @"any text"
  TN_TOKEN_HASH,           // #name, #dialect.name, the #1 of %a#1
  TN_TOKEN_BANG,           // !name, !dialect.name
  TN_TOKEN_STRING,         // "text"
  TN_TOKEN_INTEGER,        // 12, 0x1F
  TN_TOKEN_FLOAT,          // 1.5e+3
  TN_TOKEN_ARROW,          // ->
  TN_TOKEN_COLONS,         // ::
  TN_TOKEN_RESOURCES,      // {-#
  TN_TOKEN_RESOURCES_END,  // #-}
} tn_token_kind_t;

typedef struct tn_token {
  tn_token_kind_t kind;
  const char* begin;  // with its %, @, #, quotes
  const char* end;
} tn_token_t;

// A copy is a place to come back to.
typedef struct tn_lexer {
  tn_token_t token;        // the one to look at
  uint32_t first_line;     // 1-based, as the next
  uint32_t line;           // of the token
  const char* line_begin;  // where that line begins
  const char* begin;       // of the text
  const char* end;         // the byte there is a NUL
  const char* problem;     // of an invalid token; static
  const char* problem_at;
} tn_lexer_t;

// `text` must be followed by a NUL byte, and lives as long as the lexer. Reads the first token.
// The text's first line is number `first_line`.
void tn__lexer_init(tn_lexer_t* lexer, tn_string_view_t text, uint32_t first_line);
// The next token; the end comes again and again.
void tn__lexer_next(tn_lexer_t* lexer);
// Goes on at `position`, which is not before the current token, and reads the token there.
void tn__lexer_seek(tn_lexer_t* lexer, const char* position);
// Past white space and comments; newlines are not counted.
const char* tn__lexer_skip_blanks(const tn_lexer_t* lexer, const char* position);
// The character that follows the current token, blanks left out; NUL at the end.
static inline char tn__lexer_peek(const tn_lexer_t* lexer) {
  return *tn__lexer_skip_blanks(lexer, lexer->token.end);
}

// Line and column of any place in the text; looks at everything before it.
void tn__lexer_place(const tn_lexer_t* lexer, const char* position, uint32_t* out_line,
                     uint32_t* out_column);

// From an opening bracket to behind the one that closes it. Respects strings, and leaves `->` out.
// NULL when there is none, or when the brackets do not match; *out_bad is then the bracket that is
// not closed, or the wrong one that closes it.
const char* tn__lexer_skip_brackets(const tn_lexer_t* lexer, const char* open,
                                    const char** out_bad);

// The text of a token without its %, @, ^, #, ! or quotes; escapes are left as they are.
tn_string_view_t tn__token_text(const tn_token_t* token);
static inline bool tn__token_is(const tn_token_t* token, const char* identifier) {
  size_t length = strlen(identifier);
  return token->kind == TN_TOKEN_IDENTIFIER && (size_t)(token->end - token->begin) == length &&
         memcmp(token->begin, identifier, length) == 0;
}

// Characters that may go on an identifier: letters, digits, _ $ .
bool tn__is_identifier_character(char c);
// What a string may hold bare, as a name after @ or a key of a dictionary.
bool tn__is_bare_name(tn_string_view_t name);

#endif  // TENON_TEXT_LEXER_H_
