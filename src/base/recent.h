// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The entries that were used last: a small cache that is searched in order of use. For what is
// compiled for one set of sizes, where a search costs nothing beside a run. Not thread-safe; the
// entries are the caller's.
#ifndef TENON_BASE_RECENT_H_
#define TENON_BASE_RECENT_H_

#include <stdbool.h>
#include <stddef.h>

enum { TN_RECENT_LIMIT = 32 };

typedef struct tn_recent {
  size_t count;
  void* entries[TN_RECENT_LIMIT];  // the one that was used last comes first
} tn_recent_t;

// The first entry that fits, which was used now; NULL when none does.
void* tn__recent_find(tn_recent_t* recent, bool (*fits)(const void* entry, const void* wanted),
                      const void* wanted);
// Adds an entry. The one that gives way to it, which was not used for the longest time; NULL: none.
void* tn__recent_add(tn_recent_t* recent, void* entry);

#endif  // TENON_BASE_RECENT_H_
