// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/lexer.h"

#include "base/testing.h"

static tn_lexer_t begin(const char* text) {
  tn_lexer_t lexer;
  tn__lexer_init(&lexer, (tn_string_view_t){text, strlen(text)}, 1);
  return lexer;
}

// The tokens of a text, each followed by a bar.
static void assert_tokens(const char* text, const char* wanted) {
  char got[512] = "";
  size_t used = 0;
  tn_lexer_t lexer = begin(text);
  for (; lexer.token.kind != TN_TOKEN_END; tn__lexer_next(&lexer)) {
    int length = (int)(lexer.token.end - lexer.token.begin);
    const char* mark = lexer.token.kind == TN_TOKEN_INVALID ? "!" : "";
    used +=
        (size_t)snprintf(got + used, sizeof got - used, "%s%.*s|", mark, length, lexer.token.begin);
  }
  assert_string_equal(got, wanted);
}

static void names_hold_what_mlir_lets_them(void** state) {
  (void)state;
  assert_tokens("%a-b$.c = %0:2", "%a-b$.c|=|%0|:|2|");
  assert_tokens("%r#1, %12a", "%r|#1|,|%12|a|");
  assert_tokens("@foo @\"foo bar\"::@b.c", "@foo|@\"foo bar\"|::|@b.c|");
  assert_tokens("#loc12 #stablehlo.gather<x> !t !stablehlo.token",
                "#loc12|#stablehlo.gather|<|x|>|!t|!stablehlo.token|");
  assert_tokens("^bb0(", "^bb0|(|");
  assert_tokens("stablehlo.add a_1$b", "stablehlo.add|a_1$b|");
}

static void numbers_stop_where_they_end(void** state) {
  (void)state;
  assert_tokens("1 -2 0x1F 1.5e+3 1.e4 1.5e 2x3", "1|-|2|0x1F|1.5e+3|1.e4|1.5|e|2|x3|");
  assert_tokens("0xg 1..2", "0|xg|1.|!.|2|");
}

static void brackets_and_arrows_come_apart(void** state) {
  (void)state;
  assert_tokens("]x[0]->[b]", "]|x|[|0|]|->|[|b|]|");
  assert_tokens("a::b:c", "a|::|b|:|c|");
  assert_tokens("{-# x #-}", "{-#|x|#-}|");
  assert_tokens("<{a = 1}>", "<|{|a|=|1|}|>|");
}

static void comments_end_with_their_line(void** state) {
  (void)state;
  assert_tokens("a // b \" c\nd// e", "a|d|");
}

static void strings_know_their_escapes(void** state) {
  (void)state;
  assert_tokens("\"a\\\"b\\\\\\n\\t\\C3\" c", "\"a\\\"b\\\\\\n\\t\\C3\"|c|");
  tn_lexer_t lexer = begin("\"\\x41\"");
  assert_int_equal(lexer.token.kind, TN_TOKEN_INVALID);
  assert_int_equal(lexer.problem_at - lexer.begin, 1);
}

static void places_are_counted(void** state) {
  (void)state;
  tn_lexer_t lexer = begin("a\n  // x\n\tb \"s\"\nc");
  tn__lexer_next(&lexer);
  assert_int_equal(lexer.line, 3);
  assert_int_equal(lexer.token.begin - lexer.line_begin, 1);
  uint32_t line, column;
  tn__lexer_place(&lexer, strchr(lexer.begin, 'c'), &line, &column);
  assert_int_equal(line, 4);
  assert_int_equal(column, 1);
  tn__lexer_seek(&lexer, strchr(lexer.begin, 'c'));
  assert_int_equal(lexer.line, 4);
}

static void bytes_that_are_no_text_are_invalid(void** state) {
  (void)state;
  tn_lexer_t lexer;
  tn__lexer_init(&lexer, (tn_string_view_t){"\0a", 2}, 1);
  assert_int_equal(lexer.token.kind, TN_TOKEN_INVALID);
  assert_string_equal(lexer.problem, "a NUL byte");
  lexer = begin("\xEF\xBB\xBFmodule");  // a byte order mark is passed over
  assert_true(tn__token_is(&lexer.token, "module"));
  lexer = begin("\xC3\xA9");
  assert_int_equal(lexer.token.kind, TN_TOKEN_INVALID);
}

static void brackets_are_skipped_with_what_they_hold(void** state) {
  (void)state;
  const char* bad = NULL;
  tn_lexer_t lexer = begin("<([i])->([j], []) {\"}>\", a = <b>} // )\n> rest");
  const char* end = tn__lexer_skip_brackets(&lexer, lexer.begin, &bad);
  assert_non_null(end);
  assert_string_equal(end, " rest");
  lexer = begin("<(]>");
  assert_null(tn__lexer_skip_brackets(&lexer, lexer.begin, &bad));
  assert_int_equal(bad - lexer.begin, 2);
  lexer = begin("<((a)");
  assert_null(tn__lexer_skip_brackets(&lexer, lexer.begin, &bad));
  assert_int_equal(bad - lexer.begin, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_hold_what_mlir_lets_them),
      cmocka_unit_test(numbers_stop_where_they_end),
      cmocka_unit_test(brackets_and_arrows_come_apart),
      cmocka_unit_test(comments_end_with_their_line),
      cmocka_unit_test(strings_know_their_escapes),
      cmocka_unit_test(places_are_counted),
      cmocka_unit_test(bytes_that_are_no_text_are_invalid),
      cmocka_unit_test(brackets_are_skipped_with_what_they_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
