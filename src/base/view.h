// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Borrowed text and bytes. The function that returns a view documents its lifetime.
#ifndef TENON_BASE_VIEW_H_
#define TENON_BASE_VIEW_H_

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct tn_string_view {
  const char* data;
  size_t length;
} tn_string_view_t;

// printf("%.*s", TN_SV(view))
#define TN_SV(view) (int)(view).length, (view).data
#define TN_SV_LITERAL(text) ((tn_string_view_t){"" text, sizeof(text) - 1})

static inline tn_string_view_t tn__sv(const char* text) {
  return (tn_string_view_t){text, text ? strlen(text) : 0};
}
static inline bool tn__sv_equal(tn_string_view_t a, tn_string_view_t b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}
static inline bool tn__sv_is(tn_string_view_t a, const char* text) {
  return tn__sv_equal(a, tn__sv(text));
}
// Byte-wise, as XLA sorts attribute names.
static inline int tn__sv_compare(tn_string_view_t a, tn_string_view_t b) {
  size_t common = a.length < b.length ? a.length : b.length;
  int order = common ? memcmp(a.data, b.data, common) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

#endif  // TENON_BASE_VIEW_H_
