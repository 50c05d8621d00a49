// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "base/linux/pages.h"

// Blocks of a huge page and more are mappings of their own: touching memory page by page costs more
// than reading a program into it, and they grow without being copied. `old_size` tells them apart.
static bool is_large(size_t size) {
#ifdef TN_SANITIZED  // malloc's blocks are watched
  (void)size;
  return false;
#else
  return size >= TN_HUGE_PAGE_SIZE;
#endif
}

static void* take(size_t size) {
  return is_large(size) ? tn__pages_map(size, TN_HUGE_PAGE_SIZE, TN_PAGES_HUGE) : malloc(size);
}

static void give(void* pointer, size_t size) {
  if (is_large(size)) {
    tn__pages_unmap(pointer, size);
  } else {
    free(pointer);
  }
}

static void* system_reallocate(void* user, void* old_pointer, size_t old_size, size_t new_size) {
  (void)user;
  if (!old_pointer) return new_size ? take(new_size) : NULL;
  if (new_size == 0) {
    give(old_pointer, old_size);
    return NULL;
  }
  if (!is_large(old_size) && !is_large(new_size)) return realloc(old_pointer, new_size);
  if (is_large(old_size) && is_large(new_size)) {
    return tn__pages_resize(old_pointer, old_size, new_size);
  }
  void* pointer = take(new_size);
  if (!pointer) return NULL;
  memcpy(pointer, old_pointer, old_size < new_size ? old_size : new_size);
  give(old_pointer, old_size);
  return pointer;
}

const tn_allocator_t* tn_allocator_system(void) {
  static const tn_allocator_t allocator = {.reallocate = system_reallocate};
  return &allocator;
}

tn_status_t tn__allocate(const tn_allocator_t* allocator, size_t size, void** out) {
  *out = NULL;
  if (size == 0) return TN_OK;
  *out = allocator->reallocate(allocator->user, NULL, 0, size);
  if (!*out) return tn__status_out_of_memory();
  memset(*out, 0, size);
  return TN_OK;
}

tn_status_t tn__allocate_array(const tn_allocator_t* allocator, size_t count, size_t element_size,
                               void** out) {
  size_t size;
  *out = NULL;
  if (__builtin_mul_overflow(count, element_size, &size)) return tn__status_out_of_memory();
  return tn__allocate(allocator, size, out);
}

void tn__free(const tn_allocator_t* allocator, void* pointer, size_t size) {
  if (pointer) allocator->reallocate(allocator->user, pointer, size, 0);
}

tn_status_t tn__grow(const tn_allocator_t* allocator, void** array, size_t* capacity, size_t needed,
                     size_t element_size) {
  if (needed <= *capacity) return TN_OK;
  size_t grown = *capacity ? *capacity : 8;
  while (grown < needed) {
    if (__builtin_mul_overflow(grown, (size_t)2, &grown)) return tn__status_out_of_memory();
  }
  size_t old_size = *capacity * element_size, new_size;
  if (__builtin_mul_overflow(grown, element_size, &new_size)) return tn__status_out_of_memory();
  void* moved = allocator->reallocate(allocator->user, *array, old_size, new_size);
  if (!moved) return tn__status_out_of_memory();
  memset((char*)moved + old_size, 0, new_size - old_size);
  *array = moved;
  *capacity = grown;
  return TN_OK;
}
