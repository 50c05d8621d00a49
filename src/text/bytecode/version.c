// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/version.h"

bool tn__artifact_version_parse(tn_string_view_t text, tn_artifact_version_t* out_version,
                                tn_string_view_t* out_rest) {
  enum { PARTS = 3, PART_BITS = 10, LARGEST_PART = (1 << PART_BITS) - 1 };
  const char* p = text.data;
  const char* end = p + text.length;
  *out_version = 0;
  for (int i = 0; i < PARTS; ++i) {
    const char* begin = p;
    uint32_t part = 0;
    for (; p < end && *p >= '0' && *p <= '9'; ++p) {
      part = part * 10 + (uint32_t)(*p - '0');
      if (part > LARGEST_PART) part = LARGEST_PART;
    }
    if (p == begin) return false;
    if (i < PARTS - 1 && (p == end || *p++ != '.')) return false;
    *out_version = *out_version << PART_BITS | part;
  }
  if (out_rest) *out_rest = (tn_string_view_t){p, (size_t)(end - p)};
  return out_rest || p == end;
}
