// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/arena.h"

#include <stdint.h>

#include "base/integer.h"
// The largest is a huge page (base/allocator.c).
enum { ALIGNMENT = 16, FIRST_BLOCK = 4096, GROWTH = 4, LARGEST_BLOCK = 2 << 20 };

typedef struct tn_arena_block {
  struct tn_arena_block* next;
  size_t capacity, used;  // of the bytes after this header
  bool is_borrowed;       // the caller's
} tn_arena_block_t;

_Static_assert(sizeof(tn_arena_block_t) <= 32, "the header takes 32 bytes");
enum { HEADER = 32 };

void tn__arena_init(tn_arena_t* arena, const tn_allocator_t* allocator) {
  *arena = (tn_arena_t){.allocator = allocator};
}

void tn__arena_deinit(tn_arena_t* arena) {
  for (tn_arena_block_t* block = arena->blocks; block;) {
    tn_arena_block_t* next = block->next;
    if (!block->is_borrowed) {
      arena->allocator->reallocate(arena->allocator->user, block, HEADER + block->capacity, 0);
    }
    block = next;
  }
  arena->blocks = NULL;
  arena->byte_size = 0;
}

void tn__arena_reset(tn_arena_t* arena) {
  tn_arena_block_t* kept = arena->blocks;
  if (!kept) return;
  arena->blocks = kept->next;
  tn__arena_deinit(arena);
  kept->next = NULL;
  kept->used = 0;
  arena->blocks = kept;
  arena->byte_size = HEADER + kept->capacity;
}

// A block of that capacity, behind the current one if `is_behind`.
static tn_status_t add_block(tn_arena_t* arena, size_t capacity, bool is_behind,
                             tn_arena_block_t** out_block) {
  tn_arena_block_t* first = arena->blocks;
  void* memory = arena->allocator->reallocate(arena->allocator->user, NULL, 0, HEADER + capacity);
  if (!memory) return tn__status_out_of_memory();
  tn_arena_block_t* fresh = memory;
  *fresh = (tn_arena_block_t){.capacity = capacity};
  arena->byte_size += HEADER + capacity;
  if (is_behind) {
    fresh->next = first->next;
    first->next = fresh;
  } else {
    fresh->next = first;
    arena->blocks = fresh;
  }
  *out_block = fresh;
  return TN_OK;
}

tn_status_t tn__arena_init_sized(tn_arena_t* arena, const tn_allocator_t* allocator, size_t size) {
  tn_arena_block_t* block = NULL;
  tn__arena_init(arena, allocator);
  return add_block(arena, tn__align_up(size, ALIGNMENT), false, &block);
}

void tn__arena_init_in(tn_arena_t* arena, const tn_allocator_t* allocator, tn_arena_room_t* room) {
  tn_arena_block_t* block = (tn_arena_block_t*)(void*)room->bytes;
  *block = (tn_arena_block_t){.capacity = sizeof room->bytes - HEADER, .is_borrowed = true};
  *arena = (tn_arena_t){.allocator = allocator, .blocks = block};
}

tn_status_t tn__arena_take(tn_arena_t* arena, size_t size, void** out) {
  *out = NULL;
  if (size > SIZE_MAX / 2) return tn__status_out_of_memory();
  size = size ? tn__align_up(size, ALIGNMENT) : ALIGNMENT;
  tn_arena_block_t* block = arena->blocks;
  if (!block || block->capacity - block->used < size) {
    size_t capacity = block ? (HEADER + block->capacity) * GROWTH : FIRST_BLOCK;
    if (capacity > LARGEST_BLOCK) capacity = LARGEST_BLOCK;
    capacity -= HEADER;
    // A block made for one large piece goes behind the current one, whose rest stays in use.
    bool is_behind = block && capacity <= size && block->capacity - block->used > 0;
    if (capacity < size) capacity = size;
    TN_RETURN_IF_ERROR(add_block(arena, capacity, is_behind, &block));
  }
  *out = (char*)block + HEADER + block->used;
  block->used += size;
  return TN_OK;
}

tn_status_t tn__arena_reserve(tn_arena_t* arena, size_t size) {
  tn_arena_block_t* block = arena->blocks;
  if (size < FIRST_BLOCK || size > SIZE_MAX / 2) return TN_OK;
  if (block && block->capacity - block->used >= size) return TN_OK;
  return add_block(arena, tn__align_up(size, ALIGNMENT), false, &block);
}

tn_status_t tn__arena_allocate(tn_arena_t* arena, size_t size, void** out) {
  *out = NULL;
  if (size > SIZE_MAX / 2) return tn__status_out_of_memory();
  TN_RETURN_IF_ERROR(tn__arena_take(arena, size, out));
  memset(*out, 0, size);
  return TN_OK;
}

tn_status_t tn__arena_allocate_array(tn_arena_t* arena, size_t count, size_t element_size,
                                     void** out) {
  size_t size;
  *out = NULL;
  if (__builtin_mul_overflow(count, element_size, &size)) return tn__status_out_of_memory();
  return tn__arena_allocate(arena, size, out);
}

tn_status_t tn__arena_make(tn_arena_t* arena, size_t count, size_t element_size,
                           void* out_pointer) {
  void* memory = NULL;
  tn_status_t status = tn__arena_allocate_array(arena, count, element_size, &memory);
  memcpy(out_pointer, &memory, sizeof memory);  // all pointers to objects look alike
  return status;
}

tn_status_t tn__arena_copy(tn_arena_t* arena, size_t count, size_t element_size, const void* items,
                           void* out_pointer) {
  void* memory = NULL;
  tn_status_t status = tn__arena_allocate_array(arena, count, element_size, &memory);
  if (!status && count) memcpy(memory, items, count * element_size);
  memcpy(out_pointer, &memory, sizeof memory);
  return status;
}

tn_arena_mark_t tn__arena_mark(const tn_arena_t* arena) {
  return (tn_arena_mark_t){arena->blocks, arena->blocks ? arena->blocks->used : 0};
}

void tn__arena_rewind(tn_arena_t* arena, tn_arena_mark_t mark) {
  if (mark.block && mark.block == arena->blocks) mark.block->used = mark.used;
}

tn_status_t tn__arena_allocate_aligned(tn_arena_t* arena, size_t size, size_t alignment,
                                       void** out) {
  size_t padded;
  *out = NULL;
  if (__builtin_add_overflow(size, alignment, &padded)) return tn__status_out_of_memory();
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, padded, &memory));
  *out = (void*)(((uintptr_t)memory + alignment - 1) & ~(uintptr_t)(alignment - 1));
  return TN_OK;
}

tn_status_t tn__arena_copy_string(tn_arena_t* arena, tn_string_view_t text, tn_string_view_t* out) {
  void* copy = NULL;
  *out = (tn_string_view_t){NULL, 0};
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, text.length + 1, &copy));
  if (text.length) memcpy(copy, text.data, text.length);
  *out = (tn_string_view_t){copy, text.length};
  return TN_OK;
}
