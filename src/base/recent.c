// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/recent.h"

#include <string.h>

// Moves the first `count` entries by one place.
static void put_first(tn_recent_t* recent, size_t count, void* entry) {
  memmove(recent->entries + 1, recent->entries, count * sizeof *recent->entries);
  recent->entries[0] = entry;
}

void* tn__recent_find(tn_recent_t* recent, bool (*fits)(const void* entry, const void* wanted),
                      const void* wanted) {
  for (size_t i = 0; i < recent->count; ++i) {
    void* entry = recent->entries[i];
    if (!fits(entry, wanted)) continue;
    put_first(recent, i, entry);
    return entry;
  }
  return NULL;
}

void* tn__recent_add(tn_recent_t* recent, void* entry) {
  void* old = NULL;
  if (recent->count < TN_RECENT_LIMIT) {
    ++recent->count;
  } else {
    old = recent->entries[TN_RECENT_LIMIT - 1];
  }
  put_first(recent, recent->count - 1, entry);
  return old;
}
