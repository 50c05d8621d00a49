// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing_part.h"

#include "base/testing.h"

tn_testing_part_t tn__testing_part(void) {
  const char* text = getenv("TENON_PART");
  char* end = NULL;
  if (!text) return (tn_testing_part_t){0, 1};
  const size_t number = strtoul(text, &end, 10);
  const size_t count = *end == '/' ? strtoul(end + 1, &end, 10) : 0;
  if (number == 0 || number > count || *end) fail_msg("TENON_PART=%s: expected 2/4 or so", text);
  return (tn_testing_part_t){number - 1, count};
}
