// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/names.h"

#include "base/testing.h"

static void latest_names_can_be_taken_back(void** state) {
  (void)state;
  enum { COUNT = 5000, KEPT = 1234 };
  static char texts[COUNT][16];
  tn_names_t names;
  tn__names_init(&names, tn_allocator_system());
  assert_null(tn__names_find(&names, tn__sv("absent")));
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t i = (uint32_t)names.count; i < COUNT; ++i) {
      snprintf(texts[i], sizeof texts[i], "name%u", i);
      assert_null(tn__names_find(&names, tn__sv(texts[i])));
      TN_ASSERT_OK(tn__names_add(&names, tn__sv(texts[i]), i, &names));
    }
    for (uint32_t i = 0; i < COUNT; ++i) {
      tn_name_entry_t* entry = tn__names_find(&names, tn__sv(texts[i]));
      assert_non_null(entry);
      assert_int_equal(entry->number, i);
    }
    tn__names_truncate(&names, KEPT);
    for (uint32_t i = 0; i < COUNT; ++i) {
      assert_int_equal(tn__names_find(&names, tn__sv(texts[i])) != NULL, i < KEPT);
    }
  }
  tn__names_truncate(&names, 0);
  assert_null(tn__names_find(&names, tn__sv("name0")));
  tn__names_deinit(&names);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(latest_names_can_be_taken_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
