// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/spelling.h"

#include <stdint.h>

enum { LONGEST_WORD = 64 };

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t tn__spelling_distance(tn_string_view_t a, tn_string_view_t b) {
  if (a.length > LONGEST_WORD || b.length > LONGEST_WORD) return SIZE_MAX;
  // Rows of the distance table between prefixes: the current one and the two before it.
  size_t rows[3][LONGEST_WORD + 1];
  for (size_t j = 0; j <= b.length; ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.length; ++i) {
    size_t* current = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3], *above_that = rows[(i + 1) % 3];
    current[0] = i;
    for (size_t j = 1; j <= b.length; ++j) {
      size_t replace = above[j - 1] + (a.data[i - 1] != b.data[j - 1]);
      size_t distance = smaller(replace, smaller(above[j], current[j - 1]) + 1);
      if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1]) {
        distance = smaller(distance, above_that[j - 2] + 1);
      }
      current[j] = distance;
    }
  }
  return rows[a.length % 3][b.length];
}

// One change in two or three letters is near enough, too.
bool tn__spelling_is_near(tn_string_view_t word, size_t distance) {
  return distance <= 3 && (3 * distance < word.length || (distance == 1 && word.length > 1));
}

bool tn__spelling_consider(tn_spelling_t* search, tn_string_view_t known) {
  const size_t distance = tn__spelling_distance(search->word, known);
  if (!tn__spelling_is_near(search->word, distance)) return false;
  if (search->nearest.data && distance >= search->distance) return false;
  search->nearest = known;
  search->distance = distance;
  return true;
}

const char* tn_nearest_name(const char* name, size_t count, const char* const* names) {
  tn_spelling_t search = {.word = tn__sv(name)};
  for (size_t i = 0; i < count; ++i) tn__spelling_consider(&search, tn__sv(names[i]));
  return search.nearest.data;
}

tn_status_t tn__spelling_note(const tn_spelling_t* search, const char* sigil, tn_status_t status) {
  if (!search->nearest.data) return status;
  return tn_status_note(status, "did you mean %s%.*s?", sigil, TN_SV(search->nearest));
}
