// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "memory.h"

#include <stdlib.h>

static size_t live, most;

static void* reallocate(void* user, void* old_pointer, size_t old_size, size_t new_size) {
  void* pointer = NULL;
  (void)user;
  if (new_size == 0) {
    free(old_pointer);
  } else {
    pointer = realloc(old_pointer, new_size);
    if (!pointer) return NULL;
  }
  live = live - old_size + new_size;
  if (live > most) most = live;
  return pointer;
}

const tn_allocator_t* memory_allocator(void) {
  static const tn_allocator_t allocator = {reallocate, NULL};
  return &allocator;
}

size_t memory_most(void) {
  const size_t result = most;
  most = live;
  return result;
}
