// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A table from names to pointers whose latest entries can be taken back: values in scopes,
// functions, aliases, types by their text. Names are views that outlive the table.
#ifndef TENON_BASE_NAMES_H_
#define TENON_BASE_NAMES_H_

#include <stdint.h>

#include "base/allocator.h"
#include "base/view.h"

typedef struct tn_name_entry {
  tn_string_view_t name;
  uint32_t hash;
  uint32_t number;  // free for the owner
  void* pointer;
} tn_name_entry_t;

typedef struct tn_names {
  const tn_allocator_t* allocator;
  tn_name_entry_t* entries;  // in order of addition
  size_t count, capacity;
  uint32_t* slots;  // index + 1 of an entry; 0: free
  size_t slot_count;
} tn_names_t;

// For tables of what has an address instead of a name. `*address` outlives the table.
static inline tn_string_view_t tn__names_address(const void* const* address) {
  return (tn_string_view_t){(const char*)address, sizeof *address};
}

void tn__names_init(tn_names_t* names, const tn_allocator_t* allocator);
void tn__names_deinit(tn_names_t* names);
// NULL when there is none. Valid until the next addition.
tn_name_entry_t* tn__names_find(const tn_names_t* names, tn_string_view_t name);
// The name must not be there yet.
TN_MUST_USE tn_status_t tn__names_add(tn_names_t* names, tn_string_view_t name, uint32_t number,
                                      void* pointer);
// Takes the latest entries back, so that `count` are left.
void tn__names_truncate(tn_names_t* names, size_t count);

#endif  // TENON_BASE_NAMES_H_
