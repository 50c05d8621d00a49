// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs of pages ("spans") out of arenas: best fit, merged with their neighbours when they are
// freed. The bookkeeping is outside the pages, so that a kernel that writes past its buffer
// cannot corrupt it. Externally synchronised.
#ifndef TENON_DEVICE_CPU_PAGE_HEAP_H_
#define TENON_DEVICE_CPU_PAGE_HEAP_H_

#include <stdint.h>

#include "device/cpu/host_records.h"

enum {
  TN_PAGE_SIZE = 16 << 10,
  TN_ARENA_PAGE_LIMIT = 4096,  // pages of the largest arena: 64 MiB
  TN_SPAN_BIN_WORDS = TN_ARENA_PAGE_LIMIT / 64 + 1,
};

typedef struct tn_page_arena tn_page_arena_t;

typedef struct tn_span {
  struct tn_span *next, *previous;  // in a list of free spans
  tn_page_arena_t* arena;
  uint32_t first_page, page_count;
  bool is_free;
  bool is_purged;        // free, and the system has its memory back
  struct tn_slab* slab;  // what an allocated span is used for; NULL: it is a block itself
} tn_span_t;

// A mapping. The pages from `used_page_count` on have never been handed out.
struct tn_page_arena {
  char* base;
  uint32_t page_count;
  uint32_t used_page_count;
  uint32_t allocated_page_count;
  tn_span_t* spans[];  // by page; at least the first and the last page of a span have it
};

typedef struct tn_page_heap {
  tn_records_t* records;           // unowned
  bool huge;                       // whether to ask for huge pages
  uint32_t next_arena_page_count;  // doubles up to the limit
  tn_page_arena_t** arenas;        // ascending by address
  size_t arena_count, arena_capacity;
  uint64_t bin_bits[TN_SPAN_BIN_WORDS];      // which bins are not empty
  tn_span_t* bins[TN_ARENA_PAGE_LIMIT + 1];  // free spans by page count
  size_t reserved_page_count;                // of all arenas
  size_t used_page_count;  // handed out at some time and not purged since: has memory behind it
  size_t allocated_page_count;
} tn_page_heap_t;

// `records` must outlive the heap, and its deinit frees what the heap took from it.
void tn__page_heap_init(tn_page_heap_t* heap, tn_records_t* records, bool huge,
                        uint32_t first_arena_page_count);
void tn__page_heap_deinit(tn_page_heap_t* heap);

// 1 <= page_count <= TN_ARENA_PAGE_LIMIT. NULL when the system refuses.
tn_span_t* tn__page_heap_allocate(tn_page_heap_t* heap, uint32_t page_count);
void tn__page_heap_free(tn_page_heap_t* heap, tn_span_t* span);

// Makes a slab of the span: lookups find it by each of its pages then.
void tn__span_set_slab(tn_span_t* span, struct tn_slab* slab);

// The allocated span that has `address` in its first or last page, or, if it is a slab, in any.
// NULL when the heap knows of none.
tn_span_t* tn__page_heap_find(const tn_page_heap_t* heap, const void* address);

static inline char* tn__span_base(const tn_span_t* span) {
  return span->arena->base + (size_t)span->first_page * TN_PAGE_SIZE;
}

// Gives memory of free spans back to the system, whole arenas first, until no more than
// `keep_page_count` pages are used but not allocated.
void tn__page_heap_trim(tn_page_heap_t* heap, size_t keep_page_count);

#endif  // TENON_DEVICE_CPU_PAGE_HEAP_H_
