// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/page_heap.h"

#include "device/cpu/host_mapping.h"

_Static_assert(sizeof(tn_span_t) <= TN_RECORD_SIZE, "spans are records");

void tn__page_heap_init(tn_page_heap_t* heap, tn_records_t* records, bool huge,
                        uint32_t first_arena_page_count) {
  *heap = (tn_page_heap_t){
      .records = records, .huge = huge, .next_arena_page_count = first_arena_page_count};
}

static size_t arena_header_size(uint32_t page_count) {
  size_t size = sizeof(tn_page_arena_t) + page_count * sizeof(tn_span_t*);
  return (size + 4095) / 4096 * 4096;
}

static void free_arena(tn_page_heap_t* heap, tn_page_arena_t* arena) {
  tn__host_unmap(arena->base, (size_t)arena->page_count * TN_PAGE_SIZE);
  heap->reserved_page_count -= arena->page_count;
  tn__host_unmap(arena, arena_header_size(arena->page_count));
}

void tn__page_heap_deinit(tn_page_heap_t* heap) {
  for (size_t i = 0; i < heap->arena_count; ++i) free_arena(heap, heap->arenas[i]);
  tn__host_array_free(heap->arenas, heap->arena_capacity, sizeof *heap->arenas);
}

// ---- span headers and bins

static void give_header_back(tn_page_heap_t* heap, tn_span_t* span) {
  span->page_count = 0;  // so that entries which still point here match no page
  tn__record_give_back(heap->records, span);
}

static void index_ends(tn_span_t* span) {
  span->arena->spans[span->first_page] = span;
  span->arena->spans[span->first_page + span->page_count - 1] = span;
}

void tn__span_set_slab(tn_span_t* span, struct tn_slab* slab) {
  span->slab = slab;
  for (uint32_t i = 0; i < span->page_count; ++i) span->arena->spans[span->first_page + i] = span;
}

static void put_in_bin(tn_page_heap_t* heap, tn_span_t* span) {
  uint32_t bin = span->page_count;
  span->is_free = true;
  span->previous = NULL;
  span->next = heap->bins[bin];
  if (span->next) span->next->previous = span;
  heap->bins[bin] = span;
  heap->bin_bits[bin / 64] |= (uint64_t)1 << bin % 64;
}

static void take_from_bin(tn_page_heap_t* heap, tn_span_t* span) {
  uint32_t bin = span->page_count;
  if (span->next) span->next->previous = span->previous;
  if (span->previous) {
    span->previous->next = span->next;
  } else {
    heap->bins[bin] = span->next;
    if (!span->next) heap->bin_bits[bin / 64] &= ~((uint64_t)1 << bin % 64);
  }
  span->next = span->previous = NULL;
  span->is_free = false;
}

static tn_span_t* find_free_span(tn_page_heap_t* heap, uint32_t page_count) {
  uint64_t bits = heap->bin_bits[page_count / 64] & ~(uint64_t)0 << page_count % 64;
  for (size_t word = page_count / 64;;) {
    if (bits) return heap->bins[word * 64 + (size_t)__builtin_ctzll(bits)];
    if (++word == TN_SPAN_BIN_WORDS) return NULL;
    bits = heap->bin_bits[word];
  }
}

// ---- arenas

// Adds an arena that has room for `page_count` pages; false when there is no memory for it.
static bool add_arena(tn_page_heap_t* heap, uint32_t page_count) {
  const uint32_t huge_pages = TN_HUGE_PAGE_SIZE / TN_PAGE_SIZE;
  void* arenas = heap->arenas;
  bool grown = tn__host_array_grow(&arenas, &heap->arena_capacity, heap->arena_count + 1,
                                   sizeof *heap->arenas);
  heap->arenas = arenas;
  if (!grown) return false;
  uint32_t smallest = (page_count + huge_pages - 1) / huge_pages * huge_pages;
  uint32_t wanted = heap->next_arena_page_count;
  if (wanted < smallest) wanted = smallest;
  // Near a limit of the address space: no more than is needed, and then without the slack that huge
  // pages need for their alignment.
  struct {
    uint32_t page_count;
    size_t alignment;
  } attempts[] = {
      {wanted, TN_HUGE_PAGE_SIZE}, {smallest, TN_HUGE_PAGE_SIZE}, {page_count, TN_PAGE_SIZE}};
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; ++i) {
    uint32_t count = attempts[i].page_count;
    tn_page_arena_t* arena = tn__host_map(arena_header_size(count), 4096, false);
    if (!arena) continue;
    char* base = tn__host_map((size_t)count * TN_PAGE_SIZE, attempts[i].alignment, heap->huge);
    if (!base) {
      tn__host_unmap(arena, arena_header_size(count));
      continue;
    }
    arena->base = base;
    arena->page_count = count;
    size_t at = heap->arena_count++;
    for (; at > 0 && heap->arenas[at - 1]->base > base; --at) {
      heap->arenas[at] = heap->arenas[at - 1];
    }
    heap->arenas[at] = arena;
    heap->reserved_page_count += count;
    if (i == 0 && heap->next_arena_page_count < TN_ARENA_PAGE_LIMIT) {
      heap->next_arena_page_count *= 2;
    }
    return true;
  }
  return false;
}

static tn_page_arena_t* find_arena(const tn_page_heap_t* heap, const void* address) {
  size_t low = 0, high = heap->arena_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const tn_page_arena_t* arena = heap->arenas[middle];
    if ((const char*)address < arena->base) {
      high = middle;
    } else if ((size_t)((const char*)address - arena->base) / TN_PAGE_SIZE >= arena->page_count) {
      low = middle + 1;
    } else {
      return heap->arenas[middle];
    }
  }
  return NULL;
}

// From the pages of an arena that were never used.
static tn_span_t* allocate_fresh(tn_page_heap_t* heap, uint32_t page_count) {
  tn_page_arena_t* arena = NULL;
  for (int attempt = 0; !arena; ++attempt) {
    for (size_t i = 0; i < heap->arena_count && !arena; ++i) {
      if (heap->arenas[i]->page_count - heap->arenas[i]->used_page_count >= page_count) {
        arena = heap->arenas[i];
      }
    }
    if (!arena && (attempt > 0 || !add_arena(heap, page_count))) return NULL;
  }
  tn_span_t* span = tn__record_take(heap->records);
  if (!span) return NULL;
  *span =
      (tn_span_t){.arena = arena, .first_page = arena->used_page_count, .page_count = page_count};
  arena->used_page_count += page_count;
  heap->used_page_count += page_count;
  return span;
}

// ---- spans

// Gives the pages behind the first `page_count` back to the bins. Without memory for another header
// they stay with the span.
static void split(tn_page_heap_t* heap, tn_span_t* span, uint32_t page_count) {
  if (span->page_count == page_count) return;
  tn_span_t* rest = tn__record_take(heap->records);
  if (!rest) return;
  *rest = (tn_span_t){.arena = span->arena,
                      .first_page = span->first_page + page_count,
                      .page_count = span->page_count - page_count,
                      .is_purged = span->is_purged};
  span->page_count = page_count;
  index_ends(rest);
  put_in_bin(heap, rest);
}

tn_span_t* tn__page_heap_allocate(tn_page_heap_t* heap, uint32_t page_count) {
  tn_span_t* span = find_free_span(heap, page_count);
  if (span) {
    take_from_bin(heap, span);
    split(heap, span, page_count);
    if (span->is_purged) heap->used_page_count += span->page_count;
    span->is_purged = false;
  } else {
    span = allocate_fresh(heap, page_count);
    if (!span) return NULL;
  }
  index_ends(span);
  span->arena->allocated_page_count += span->page_count;
  heap->allocated_page_count += span->page_count;
  return span;
}

// Joins `right` to `left`, its neighbour; both are in no bin. A mixture counts as not purged.
static tn_span_t* merge(tn_page_heap_t* heap, tn_span_t* left, tn_span_t* right) {
  if (left->is_purged != right->is_purged) {
    heap->used_page_count += left->is_purged ? left->page_count : right->page_count;
    left->is_purged = false;
  }
  left->page_count += right->page_count;
  give_header_back(heap, right);
  return left;
}

void tn__page_heap_free(tn_page_heap_t* heap, tn_span_t* span) {
  tn_page_arena_t* arena = span->arena;
  arena->allocated_page_count -= span->page_count;
  heap->allocated_page_count -= span->page_count;
  span->slab = NULL;
  if (span->first_page > 0) {
    tn_span_t* left = arena->spans[span->first_page - 1];
    if (left->is_free) {
      take_from_bin(heap, left);
      span = merge(heap, left, span);
    }
  }
  uint32_t end = span->first_page + span->page_count;
  if (end < arena->used_page_count) {
    tn_span_t* right = arena->spans[end];
    if (right->is_free) {
      take_from_bin(heap, right);
      span = merge(heap, span, right);
    }
  }
  index_ends(span);
  put_in_bin(heap, span);
}

tn_span_t* tn__page_heap_find(const tn_page_heap_t* heap, const void* address) {
  tn_page_arena_t* arena = find_arena(heap, address);
  if (!arena) return NULL;
  size_t page = (size_t)((const char*)address - arena->base) / TN_PAGE_SIZE;
  if (page >= arena->used_page_count) return NULL;
  tn_span_t* span = arena->spans[page];
  // Entries inside a span may be left from earlier ones; those of live spans name their own page.
  return span && !span->is_free && span->arena == arena && page >= span->first_page &&
                 page < span->first_page + span->page_count
             ? span
             : NULL;
}

// ---- trimming

// The arena has no allocated page. All its spans have been merged into one.
static void drop_arena(tn_page_heap_t* heap, size_t index) {
  tn_page_arena_t* arena = heap->arenas[index];
  if (arena->used_page_count > 0) {
    tn_span_t* span = arena->spans[0];
    take_from_bin(heap, span);
    if (!span->is_purged) heap->used_page_count -= span->page_count;
    give_header_back(heap, span);
  }
  for (size_t i = index + 1; i < heap->arena_count; ++i) heap->arenas[i - 1] = heap->arenas[i];
  --heap->arena_count;
  free_arena(heap, arena);
}

static void purge(tn_page_heap_t* heap, tn_span_t* span) {
  // Only whole huge pages: to break one up is worth less than it costs.
  size_t unit = heap->huge ? TN_HUGE_PAGE_SIZE : TN_PAGE_SIZE;
  uintptr_t begin = ((uintptr_t)tn__span_base(span) + unit - 1) / unit * unit;
  uintptr_t end =
      ((uintptr_t)tn__span_base(span) + (size_t)span->page_count * TN_PAGE_SIZE) / unit * unit;
  if (begin >= end) return;
  tn__host_purge((void*)begin, end - begin);
  heap->used_page_count -= span->page_count;
  span->is_purged = true;
}

void tn__page_heap_trim(tn_page_heap_t* heap, size_t keep_page_count) {
  for (size_t i = heap->arena_count; i-- > 0;) {
    if (heap->used_page_count - heap->allocated_page_count <= keep_page_count) return;
    if (heap->arenas[i]->allocated_page_count == 0) drop_arena(heap, i);
  }
  for (size_t bin = TN_ARENA_PAGE_LIMIT; bin > 0; --bin) {
    for (tn_span_t* span = heap->bins[bin]; span; span = span->next) {
      if (heap->used_page_count - heap->allocated_page_count <= keep_page_count) return;
      if (!span->is_purged) purge(heap, span);
    }
  }
}
