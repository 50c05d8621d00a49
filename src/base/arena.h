// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A bump allocator: what lives in an arena lives until the arena does. Externally synchronised.
#ifndef TENON_BASE_ARENA_H_
#define TENON_BASE_ARENA_H_

#include "base/allocator.h"
#include "base/view.h"
#include "base/visibility.h"

typedef struct tn_arena {
  const tn_allocator_t* allocator;
  struct tn_arena_block* blocks;
  size_t byte_size;  // all blocks together
} tn_arena_t;

TN_FOR_INSPECT void tn__arena_init(tn_arena_t* arena, const tn_allocator_t* allocator);
// The same with a first block of that size, for a small arena that lives long. Deinit in any case.
TN_MUST_USE tn_status_t tn__arena_init_sized(tn_arena_t* arena, const tn_allocator_t* allocator,
                                             size_t size);
// The same with a first block in the caller's memory, for what is small and soon over.
typedef struct tn_arena_room {
  _Alignas(16) char bytes[1024];
} tn_arena_room_t;
void tn__arena_init_in(tn_arena_t* arena, const tn_allocator_t* allocator, tn_arena_room_t* room);
TN_FOR_INSPECT void tn__arena_deinit(tn_arena_t* arena);
// Forgets everything in it; keeps one block for what comes next.
void tn__arena_reset(tn_arena_t* arena);

// Zeroed, 16-byte aligned; a size of 0 gives a valid non-NULL pointer.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__arena_allocate(tn_arena_t* arena, size_t size,
                                                          void** out);
// The same with any contents, for callers that write all of it.
TN_MUST_USE tn_status_t tn__arena_take(tn_arena_t* arena, size_t size, void** out);
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__arena_allocate_array(tn_arena_t* arena, size_t count,
                                                                size_t element_size, void** out);
// A zeroed object, or `count` of them, of what the pointer is to that `out` points to:
//   item_t* items = NULL;
//   TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &items));
#define TN_ARENA_NEW(arena, out) tn__arena_make((arena), 1, sizeof **(out), (out))
#define TN_ARENA_ARRAY(arena, count, out) tn__arena_make((arena), (count), sizeof **(out), (out))
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__arena_make(tn_arena_t* arena, size_t count,
                                                      size_t element_size, void* out_pointer);
// A copy of `count` items.
#define TN_ARENA_COPY(arena, count, items, out) \
  tn__arena_copy((arena), (count), sizeof *(items), (items), (out))
TN_MUST_USE tn_status_t tn__arena_copy(tn_arena_t* arena, size_t count, size_t element_size,
                                       const void* items, void* out_pointer);
// Makes room for so many bytes, which are expected to be taken, in one piece.
TN_MUST_USE tn_status_t tn__arena_reserve(tn_arena_t* arena, size_t size);
// Gives back what was taken since the mark, if it is in the block that was current then.
typedef struct tn_arena_mark {
  struct tn_arena_block* block;
  size_t used;
} tn_arena_mark_t;
tn_arena_mark_t tn__arena_mark(const tn_arena_t* arena);
void tn__arena_rewind(tn_arena_t* arena, tn_arena_mark_t mark);
// For data that kernels read in place; `alignment` is a power of two.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__arena_allocate_aligned(tn_arena_t* arena, size_t size,
                                                                  size_t alignment, void** out);
// The copy is followed by a NUL that its length does not count.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__arena_copy_string(tn_arena_t* arena,
                                                             tn_string_view_t text,
                                                             tn_string_view_t* out);

#endif  // TENON_BASE_ARENA_H_
