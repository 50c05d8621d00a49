// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Offsets of the temporaries in the arena.
//
// Small plans are packed by size: the largest buffers first, each into the lowest gap that is free
// for its whole life; if that is above the lower bound, again with the one that reached highest
// before the others. That is close to the bound, and quadratic. Large plans are swept in order of
// time with a best-fit free list, n log n. Of a small plan all are tried and the best one is kept.
#include <stdlib.h>

#include "base/integer.h"
#include "kernel/target.h"
#include "plan/gaps.h"
#include "plan/plan.h"

enum {
  SMALL_PLAN = 3000,
  MOST_ATTEMPTS = 32,
  PAIRS = 1 << 20,  // of buffers: how many are compared in all attempts, about
};

typedef struct item {
  uint32_t buffer;
  uint32_t begin, end;
  size_t size;  // rounded up to the alignment
  size_t offset;
} item_t;

static int by_size(const void* a, const void* b) {
  const item_t* x = a;
  const item_t* y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static int by_begin(const void* a, const void* b) {
  const item_t* x = a;
  const item_t* y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

static bool overlaps(const item_t* a, const item_t* b) {
  return a->begin <= b->end && b->begin <= a->end;
}

// Lowest offset at which `item` fits among the `count` placed items, which are ordered by offset.
static size_t lowest_gap(const item_t* item, item_t* const* placed, size_t count) {
  size_t offset = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!overlaps(item, placed[i])) continue;
    if (placed[i]->offset >= offset && placed[i]->offset - offset >= item->size) break;
    size_t end = placed[i]->offset + placed[i]->size;
    if (end > offset) offset = end;
  }
  return offset;
}

// One after the other; *out_highest: which one reaches the peak.
static size_t pack_in_order(item_t* items, size_t count, item_t** placed, size_t* out_highest) {
  size_t peak = 0;
  for (size_t i = 0; i < count; ++i) {
    item_t* item = &items[i];
    item->offset = lowest_gap(item, placed, i);
    if (item->offset + item->size > peak) {
      peak = item->offset + item->size;
      *out_highest = i;
    }
    size_t at = i;
    for (; at > 0 && placed[at - 1]->offset > item->offset; --at) placed[at] = placed[at - 1];
    placed[at] = item;
  }
  return peak;
}

// --- the sweep

typedef struct heap_entry {
  uint32_t end;
  uint32_t block;
} heap_entry_t;

// Min-heap on `end`.
static void heap_push(heap_entry_t* heap, size_t* count, heap_entry_t entry) {
  size_t i = (*count)++;
  while (i > 0 && heap[(i - 1) / 2].end > entry.end) {
    heap[i] = heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  heap[i] = entry;
}

static heap_entry_t heap_pop(heap_entry_t* heap, size_t* count) {
  heap_entry_t top = heap[0];
  heap_entry_t last = heap[--*count];
  size_t i = 0;
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= *count) break;
    if (child + 1 < *count && heap[child + 1].end < heap[child].end) ++child;
    if (heap[child].end >= last.end) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return top;
}

static size_t pack_by_time(item_t* items, size_t count, heap_entry_t* heap, tn_gaps_t* gaps) {
  size_t live = 0;
  qsort(items, count, sizeof *items, by_begin);
  for (size_t i = 0; i < count; ++i) {
    while (live && heap[0].end < items[i].begin) {
      tn__gaps_give(gaps, heap_pop(heap, &live).block);
    }
    uint32_t block = tn__gaps_take(gaps, items[i].size);
    items[i].offset = gaps->blocks[block].offset;
    heap_push(heap, &live, (heap_entry_t){items[i].end, block});
  }
  return gaps->byte_size;
}

// --- both

tn_status_t tn__plan_live_bytes(const tn_plan_t* plan, tn_arena_t* arena, size_t** out_live) {
  *out_live = NULL;
  size_t* live = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)plan->position_count + 2, &live));
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind != TN_PLAN_TEMPORARY) continue;
    live[buffer->begin] += tn__align_up(buffer->byte_size, TN_PLAN_ALIGNMENT);
    live[buffer->end + 1] -=
        tn__align_up(buffer->byte_size, TN_PLAN_ALIGNMENT);  // below zero until it is summed up
  }
  for (uint32_t p = 1; p <= plan->position_count; ++p) live[p] += live[p - 1];
  *out_live = live;
  return TN_OK;
}

static tn_status_t find_lower_bound(tn_plan_t* plan, tn_arena_t* scratch) {
  size_t* live = NULL;
  TN_RETURN_IF_ERROR(tn__plan_live_bytes(plan, scratch, &live));
  for (uint32_t p = 0; p <= plan->position_count; ++p) {
    if (live[p] > plan->lower_bound_byte_size) plan->lower_bound_byte_size = live[p];
  }
  return TN_OK;
}

static void keep_offsets(tn_plan_t* plan, const item_t* items, size_t count) {
  for (size_t i = 0; i < count; ++i) plan->buffers[items[i].buffer].offset = items[i].offset;
}

// Those of one kind. A peak of `enough` cannot be bettered.
static tn_status_t pack(tn_plan_t* plan, tn_plan_buffer_kind_t kind, size_t enough,
                        tn_arena_t* scratch, size_t* out_peak) {
  tn_gaps_t gaps;
  item_t** order = NULL;
  item_t* items = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, plan->buffer_count, &items));
  size_t count = 0, total = 0;
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind != kind || buffer->byte_size == 0) continue;
    if (buffer->byte_size > PTRDIFF_MAX - TN_PLAN_ALIGNMENT ||
        __builtin_add_overflow(total, tn__align_up(buffer->byte_size, TN_PLAN_ALIGNMENT), &total) ||
        total > PTRDIFF_MAX) {
      return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                              "the program's temporaries exceed the address space");
    }
    items[count++] = (item_t){.buffer = (uint32_t)i,
                              .begin = buffer->begin,
                              .end = buffer->end,
                              .size = tn__align_up(buffer->byte_size, TN_PLAN_ALIGNMENT)};
  }
  heap_entry_t* heap = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &heap));
  TN_RETURN_IF_ERROR(tn__gaps_init(&gaps, scratch, count));
  size_t peak = pack_by_time(items, count, heap, &gaps);
  keep_offsets(plan, items, count);
  if (count <= SMALL_PLAN && peak > enough) {
    TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &order));
    qsort(items, count, sizeof *items, by_size);
    size_t attempts = 1 + PAIRS / (1 + count * count);
    if (attempts > MOST_ATTEMPTS) attempts = MOST_ATTEMPTS;
    for (size_t i = 0; i < attempts && peak > enough; ++i) {
      size_t highest = 0;
      const size_t other = pack_in_order(items, count, order, &highest);
      if (other < peak) {
        peak = other;
        keep_offsets(plan, items, count);
      }
      const item_t first = items[highest];
      memmove(items + 1, items, highest * sizeof *items);
      items[0] = first;
    }
  }
  *out_peak = peak;
  return TN_OK;
}

tn_status_t tn__plan_pack(tn_plan_t* plan) {
  tn_arena_t scratch;
  tn__arena_init(&scratch, plan->arena->allocator);
  tn_status_t status = find_lower_bound(plan, &scratch);
  if (!status) {
    status = pack(plan, TN_PLAN_TEMPORARY, plan->lower_bound_byte_size, &scratch,
                  &plan->arena_byte_size);
  }
  if (!status && !plan->function->module->target->is_host) {
    status = pack(plan, TN_PLAN_HOST_TEMPORARY, 0, &scratch, &plan->host_arena_byte_size);
  }
  tn__arena_deinit(&scratch);
  return status;
}
