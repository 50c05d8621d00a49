// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/lexer.h"

// What a character may be part of.
enum {
  DIGIT = 1 << 0,
  LETTER = 1 << 1,  // with _
  NAME = 1 << 2,    // goes on after the first character of a bare identifier: $ .
  DASH = 1 << 3,    // goes on in names of values, blocks and attributes
  BLANK = 1 << 4,
  HEX = 1 << 5,
  SINGLE = 1 << 6,  // punctuation of one character
};

#define DIGIT_CLASS (DIGIT | HEX)
static const unsigned char classes[256] = {
    [' '] = BLANK,
    ['\t'] = BLANK,
    ['\n'] = BLANK,
    ['\r'] = BLANK,
    ['('] = SINGLE,
    [')'] = SINGLE,
    ['<'] = SINGLE,
    ['>'] = SINGLE,
    ['['] = SINGLE,
    [']'] = SINGLE,
    ['{'] = SINGLE,
    ['}'] = SINGLE,
    [','] = SINGLE,
    ['='] = SINGLE,
    [':'] = SINGLE,
    ['?'] = SINGLE,
    ['*'] = SINGLE,
    ['+'] = SINGLE,
    ['/'] = SINGLE,
    ['|'] = SINGLE,
    ['-'] = SINGLE | DASH,
    ['$'] = NAME,
    ['.'] = NAME,
    ['_'] = LETTER,
    ['0'] = DIGIT_CLASS,
    ['1'] = DIGIT_CLASS,
    ['2'] = DIGIT_CLASS,
    ['3'] = DIGIT_CLASS,
    ['4'] = DIGIT_CLASS,
    ['5'] = DIGIT_CLASS,
    ['6'] = DIGIT_CLASS,
    ['7'] = DIGIT_CLASS,
    ['8'] = DIGIT_CLASS,
    ['9'] = DIGIT_CLASS,
#define LETTERS(X) \
  X('g')           \
  X('h')           \
  X('i')           \
  X('j')           \
  X('k')           \
  X('l')           \
  X('m') X('n') X('o') X('p') X('q') X('r') X('s') X('t') X('u') X('v') X('w') X('x') X('y') X('z')
#define LOWER(c) [c] = LETTER, [c - 'a' + 'A'] = LETTER,
    LETTERS(LOWER)
#undef LOWER
#define LOWER(c) [c] = LETTER | HEX, [c - 'a' + 'A'] = LETTER | HEX,
        LOWER('a') LOWER('b') LOWER('c') LOWER('d') LOWER('e') LOWER('f')
#undef LOWER
#undef LETTERS
};

static bool is(char c, unsigned set) {
  return classes[(unsigned char)c] & set;
}

bool tn__is_identifier_character(char c) {
  return is(c, LETTER | DIGIT | NAME);
}

bool tn__is_bare_name(tn_string_view_t name) {
  if (name.length == 0 || !is(name.data[0], LETTER)) return false;
  for (size_t i = 1; i < name.length; ++i) {
    if (!is(name.data[i], LETTER | DIGIT | NAME)) return false;
  }
  return true;
}

static const char* skip(const char* p, unsigned set) {
  while (is(*p, set)) ++p;
  return p;
}

const char* tn__lexer_skip_blanks(const tn_lexer_t* lexer, const char* p) {
  for (;;) {
    p = skip(p, BLANK);
    if (p[0] != '/' || p[1] != '/') return p;
    const char* newline = memchr(p, '\n', (size_t)(lexer->end - p));
    p = newline ? newline : lexer->end;
  }
}

static void invalid(tn_lexer_t* lexer, const char* at, const char* problem) {
  lexer->token.kind = TN_TOKEN_INVALID;
  lexer->problem = problem;
  lexer->problem_at = at;
}

// `p` is behind the opening quote. Returns what is behind the closing one, or NULL.
static const char* scan_string(tn_lexer_t* lexer, const char* p) {
  for (;; ++p) {
    switch (*p) {
      case '"': return p + 1;
      case '\n': invalid(lexer, p, "a string that is not closed on its line"); return NULL;
      case 0:
        if (p == lexer->end) {
          invalid(lexer, lexer->token.begin, "a string that is not closed");
        } else {
          invalid(lexer, p, "a NUL byte");
        }
        return NULL;
      case '\\':
        if (p[1] == '"' || p[1] == '\\' || p[1] == 'n' || p[1] == 't') {
          ++p;
        } else if (is(p[1], HEX) && is(p[2], HEX)) {
          p += 2;
        } else {
          invalid(lexer, p, "an unknown escape; it is one of \\\" \\\\ \\n \\t or two hex digits");
          return NULL;
        }
        break;
      default: break;
    }
  }
}

static const char* scan_number(tn_lexer_t* lexer, const char* p) {
  lexer->token.kind = TN_TOKEN_INTEGER;
  if (p[0] == '0' && p[1] == 'x' && is(p[2], HEX)) return skip(p + 2, HEX);
  p = skip(p, DIGIT);
  if (*p != '.') return p;
  lexer->token.kind = TN_TOKEN_FLOAT;
  p = skip(p + 1, DIGIT);
  if (*p == 'e' || *p == 'E') {
    const char* exponent = p + 1 + (p[1] == '+' || p[1] == '-');
    if (is(*exponent, DIGIT)) return skip(exponent, DIGIT);
  }
  return p;
}

// The name after %, ^, # or !: digits alone, or letters and $ . _ - first.
static const char* scan_name(const char* p, unsigned more) {
  if (is(*p, DIGIT)) return skip(p, DIGIT);
  return is(*p, LETTER | NAME | (more & DASH)) ? skip(p, LETTER | DIGIT | NAME | more) : p;
}

static void scan_named(tn_lexer_t* lexer, tn_token_kind_t kind, unsigned more) {
  const char* begin = lexer->token.begin;
  const char* end = scan_name(begin + 1, more);
  lexer->token.kind = kind;
  lexer->token.end = end;
  if (end == begin + 1) {
    lexer->token.end = end;
    invalid(lexer, begin,
            *begin == '%'   ? "a `%` without a name"
            : *begin == '^' ? "a `^` without a name"
            : *begin == '#' ? "a `#` without a name"
                            : "a `!` without a name");
  }
}

static void scan_symbol(tn_lexer_t* lexer) {
  const char* p = lexer->token.begin + 1;
  lexer->token.kind = TN_TOKEN_SYMBOL;
  if (*p == '"') {
    const char* end = scan_string(lexer, p + 1);
    lexer->token.end = end ? end : p;
    return;
  }
  lexer->token.end = is(*p, LETTER) ? skip(p, LETTER | DIGIT | NAME) : p;
  if (lexer->token.end == p) invalid(lexer, lexer->token.begin, "a name is missing after @");
}

static void scan_other(tn_lexer_t* lexer, const char* p) {
  lexer->token.end = p + 1;
  if (*p == 0) {
    if (p == lexer->end) {
      lexer->token.kind = TN_TOKEN_END;
      lexer->token.end = p;
    } else {
      invalid(lexer, p, "a NUL byte");
    }
  } else if ((unsigned char)*p >= 0x80) {
    invalid(lexer, p, "a byte that is not ASCII, outside of a string");
  } else {
    invalid(lexer, p, "an unexpected character");
  }
}

static void scan(tn_lexer_t* lexer, const char* p) {
  lexer->token.begin = p;
  char c = *p;
  if (is(c, LETTER)) {
    lexer->token.kind = TN_TOKEN_IDENTIFIER;
    lexer->token.end = skip(p, LETTER | DIGIT | NAME);
    return;
  }
  if (is(c, DIGIT)) {
    lexer->token.end = scan_number(lexer, p);
    return;
  }
  if (is(c, SINGLE)) {
    lexer->token.kind = (tn_token_kind_t)c;
    lexer->token.end = p + 1;
    if (c == '-' && p[1] == '>') {
      lexer->token.kind = TN_TOKEN_ARROW;
      lexer->token.end = p + 2;
    } else if (c == ':' && p[1] == ':') {
      lexer->token.kind = TN_TOKEN_COLONS;
      lexer->token.end = p + 2;
    } else if (c == '{' && p[1] == '-' && p[2] == '#') {
      lexer->token.kind = TN_TOKEN_RESOURCES;
      lexer->token.end = p + 3;
    }
    return;
  }
  switch (c) {
    case '%': scan_named(lexer, TN_TOKEN_VALUE, DASH); return;
    case '^': scan_named(lexer, TN_TOKEN_BLOCK, DASH); return;
    case '!': scan_named(lexer, TN_TOKEN_BANG, 0); return;
    case '@': scan_symbol(lexer); return;
    case '#':
      if (p[1] == '-' && p[2] == '}') {
        lexer->token.kind = TN_TOKEN_RESOURCES_END;
        lexer->token.end = p + 3;
        return;
      }
      scan_named(lexer, TN_TOKEN_HASH, 0);
      return;
    case '"': {
      lexer->token.kind = TN_TOKEN_STRING;
      const char* end = scan_string(lexer, p + 1);
      lexer->token.end = end ? end : p + 1;
      return;
    }
    default: scan_other(lexer, p);
  }
}

void tn__lexer_init(tn_lexer_t* lexer, tn_string_view_t text, uint32_t first_line) {
  *lexer = (tn_lexer_t){
      .first_line = first_line,
      .line = first_line,
      .line_begin = text.data,
      .begin = text.data,
      .end = text.data + text.length,
      .token = {.begin = text.data, .end = text.data},
  };
  if (text.length >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) lexer->token.end += 3;
  tn__lexer_next(lexer);
}

void tn__lexer_next(tn_lexer_t* lexer) {
  const char* p = lexer->token.end;
  for (;;) {
    while (is(*p, BLANK)) {
      if (*p++ == '\n') {
        ++lexer->line;
        lexer->line_begin = p;
      }
    }
    if (p[0] != '/' || p[1] != '/') break;
    const char* newline = memchr(p, '\n', (size_t)(lexer->end - p));
    p = newline ? newline : lexer->end;
  }
  scan(lexer, p);
}

static void count_lines(tn_lexer_t* lexer, const char* from, const char* to) {
  while (from < to) {
    const char* newline = memchr(from, '\n', (size_t)(to - from));
    if (!newline) return;
    ++lexer->line;
    lexer->line_begin = from = newline + 1;
  }
}

void tn__lexer_seek(tn_lexer_t* lexer, const char* position) {
  count_lines(lexer, lexer->token.begin, position);
  lexer->token.end = position;
  tn__lexer_next(lexer);
}

void tn__lexer_place(const tn_lexer_t* lexer, const char* position, uint32_t* out_line,
                     uint32_t* out_column) {
  tn_lexer_t counter = {.line = lexer->first_line, .line_begin = lexer->begin};
  count_lines(&counter, lexer->begin, position);
  *out_line = counter.line;
  *out_column = (uint32_t)(position - counter.line_begin) + 1;
}

// Behind the string whose opening quote is at `p`; `end` when it is not closed.
static const char* skip_string(const tn_lexer_t* lexer, const char* p) {
  for (++p; p < lexer->end && *p != '"'; ++p) {
    if (*p == '\\' && p + 1 < lexer->end) ++p;
  }
  return p < lexer->end ? p + 1 : p;
}

const char* tn__lexer_skip_brackets(const tn_lexer_t* lexer, const char* open,
                                    const char** out_bad) {
  enum { DEPTH = 256 };
  static const char partner[128] = {['('] = ')', ['['] = ']', ['{'] = '}', ['<'] = '>'};
  const char* openers[DEPTH] = {open};
  size_t depth = 1;
  for (const char* p = open + 1; p < lexer->end;) {
    switch (*p) {
      case '(':
      case '[':
      case '{':
      case '<':
        if (depth == DEPTH) {
          *out_bad = p;
          return NULL;
        }
        openers[depth++] = p++;
        continue;
      case '"': p = skip_string(lexer, p); continue;
      case '-': p += p[1] == '>' ? 2 : 1; continue;
      case ')':
      case ']':
      case '}':
      case '>':
        if (partner[(unsigned char)*openers[depth - 1]] != *p) {
          *out_bad = p;
          return NULL;
        }
        ++p;
        if (--depth == 0) return p;
        continue;
      case '/': p = p[1] == '/' ? tn__lexer_skip_blanks(lexer, p) : p + 1; continue;
      default: ++p;
    }
  }
  *out_bad = openers[depth - 1];
  return NULL;
}

tn_string_view_t tn__token_text(const tn_token_t* token) {
  const char *begin = token->begin, *end = token->end;
  switch (token->kind) {
    case TN_TOKEN_VALUE:
    case TN_TOKEN_BLOCK:
    case TN_TOKEN_HASH:
    case TN_TOKEN_BANG: ++begin; break;
    case TN_TOKEN_SYMBOL:
      ++begin;
      if (*begin == '"') {
        ++begin;
        --end;
      }
      break;
    case TN_TOKEN_STRING:
      ++begin;
      --end;
      break;
    default: break;
  }
  return (tn_string_view_t){begin, (size_t)(end - begin)};
}
