// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs by the structure of the graph that they compute. Bounded: what was not used for longest
// goes first. Thread-safe.
#ifndef TENON_LAZY_CACHE_H_
#define TENON_LAZY_CACHE_H_

#include <tenon/detail/program.h>

#include "base/allocator.h"

enum {
  TN_GRAPH_CACHE_ENTRY_LIMIT = 1024,
  TN_GRAPH_CACHE_WORD_LIMIT = 4 << 20,  // of all keys together
};

typedef struct tn_graph_cache tn_graph_cache_t;

// What is equal for graphs that are computed alike. A view.
typedef struct tn_graph_key {
  const uint64_t* words;
  size_t count;
} tn_graph_key_t;

TN_MUST_USE tn_status_t tn__graph_cache_create(const tn_allocator_t* allocator,
                                               tn_graph_cache_t** out_cache);
void tn__graph_cache_destroy(tn_graph_cache_t* cache);  // NULL is fine
// Forgets everything.
void tn__graph_cache_clear(tn_graph_cache_t* cache);

// The program, a new reference, or NULL. Tells whether the key was asked for before, and remembers
// that it was.
TN_MUST_USE tn_status_t tn__graph_cache_find(tn_graph_cache_t* cache, tn_graph_key_t key,
                                             bool* out_was_seen, tn_program_t** out_program);
// Keeps a program, which it retains.
TN_MUST_USE tn_status_t tn__graph_cache_put(tn_graph_cache_t* cache, tn_graph_key_t key,
                                            tn_program_t* program);

#endif  // TENON_LAZY_CACHE_H_
