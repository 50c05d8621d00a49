// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Aliases let a short text mention a large attribute: what that stands for is limited, and printed
// as it was written.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/testing.h"
#include "text/testing_text.h"

enum { CAPACITY = 1 << 22 };

// `levels` aliases, each mentioned by the next one through `format`, and a function whose two equal
// operations mention the last one `mentions` times in all.
static char* write_tower(int levels, const char* base, const char* format, int mentions) {
  char* text = malloc(CAPACITY);
  size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, CAPACITY - used, __VA_ARGS__)
  assert_non_null(text);
  PUT("#a0 = %s\n", base);
  for (int i = 1; i <= levels; ++i) {
    char level[128];
    snprintf(level, sizeof level, format, i - 1, i - 1);
    PUT("#a%d = %s\n", i, level);
  }
  PUT("func.func @main(%%x: tensor<f32>) -> tensor<f32> {\n");
  for (int i = 0; i < mentions; ++i) {
    PUT("  %%%d = stablehlo.negate %%x {test.a = #a%d} : tensor<f32>\n", i, levels);
  }
  PUT("  return %%0 : tensor<f32>\n}\n");
#undef PUT
  assert_true(used < CAPACITY);
  return text;
}

static tn_status_t parse(int levels, const char* base, const char* format, int mentions) {
  char* text = write_tower(levels, base, format, mentions);
  tn_module_t* module = NULL;
  tn_status_t status = tn_module_parse(NULL, "tower.mlir", text, strlen(text), &module);
  tn_module_release(module);
  free(text);
  return status;
}

static void lists_of_aliases_are_limited_by_their_parts(void** state) {
  (void)state;
  TN_ASSERT_OK(parse(18, "[1 : i32]", "[#a%d, #a%d]", 2));
  TN_ASSERT_REPORT("tower.mlir:20:8: error: an attribute of more than 1048576 parts",
                   parse(40, "[1 : i32]", "[#a%d, #a%d]", 2));
}

static void dictionaries_of_aliases_are_limited_by_their_parts(void** state) {
  (void)state;
  TN_ASSERT_OK(parse(18, "{x = 1 : i32}", "{l = #a%d, r = #a%d}", 2));
  TN_ASSERT_REPORT("tower.mlir:20:19: error: an attribute of more than 1048576 parts",
                   parse(40, "{x = 1 : i32}", "{l = #a%d, r = #a%d}", 2));
}

static void chains_of_aliases_are_limited_by_their_depth(void** state) {
  (void)state;
  TN_ASSERT_OK(parse(200, "[1 : i32]", "[#a%d]", 2));
  TN_ASSERT_REPORT("error: attributes nested deeper than 256 levels",
                   parse(60000, "[1 : i32]", "[#a%d]", 2));
}

static void all_mentions_of_aliases_together_are_limited(void** state) {
  (void)state;
  TN_ASSERT_OK(parse(2, "[1 : i32]", "[#a%d, #a%d]", 10000));
  TN_ASSERT_REPORT(
      "the lists and dictionaries of the module up to here have more than 16777216 parts",
      parse(18, "[1 : i32]", "[#a%d, #a%d]", 100));
}

static void a_tower_is_printed_as_short_as_it_was_written(void** state) {
  (void)state;
  char* text = write_tower(18, "[1 : i32]", "[#a%d, #a%d]", 20);
  tn_module_t* module = tn__testing_read(text);
  char* printed = tn__testing_print(module);
  assert_true(strlen(printed) < 2 * strlen(text));
  tn_module_t* again = tn__testing_read(printed);
  tn__testing_assert_same_module(module, again);
  tn_module_release(again);
  tn_module_release(module);
  free(printed);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_of_aliases_are_limited_by_their_parts),
      cmocka_unit_test(dictionaries_of_aliases_are_limited_by_their_parts),
      cmocka_unit_test(chains_of_aliases_are_limited_by_their_depth),
      cmocka_unit_test(a_tower_is_printed_as_short_as_it_was_written),
      cmocka_unit_test(all_mentions_of_aliases_together_are_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
