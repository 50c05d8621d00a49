// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/spelling.h"

#include "base/testing.h"

static void the_nearest_name_is_suggested(void** state) {
  (void)state;
  static const char* const names[] = {"a", "axis", "keepdims", "stream"};
  static const struct {
    const char *name, *nearest;
  } cases[] = {
      {"axes", "axis"},
      {"keepdim", "keepdims"},
      {"keep_dims", "keepdims"},
      {"steram", "stream"},
      {"dtype", NULL},
      {"", NULL},
      {"x", NULL},
      {"ax", "a"},
      {"Stream", "stream"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char* nearest = tn_nearest_name(cases[i].name, 4, names);
    if (cases[i].nearest) {
      assert_string_equal(nearest, cases[i].nearest);
    } else {
      assert_null(nearest);
    }
  }
  assert_null(tn_nearest_name("axis", 0, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_name_is_suggested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
