// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Blocks of equal length out of one span, for requests that are small against a page. Which blocks
// are free is in the slab's header, not in the blocks. Externally synchronised.
#ifndef TENON_DEVICE_CPU_SLAB_H_
#define TENON_DEVICE_CPU_SLAB_H_

#include "device/cpu/page_heap.h"

enum {
  TN_SLAB_BLOCK_LIMIT = 128 << 10,  // bytes of the largest block
  // Multiples of 64 up to 1 KiB, then 8 to each doubling.
  TN_SLAB_CLASS_COUNT = 16 + 7 * 8,
  TN_SLAB_WORD_COUNT = TN_PAGE_SIZE / 64 / 64,
};

typedef struct tn_slab {
  struct tn_slab *next, *previous;  // among those of its class that have a free block
  tn_span_t* span;
  uint32_t block_length, class_index;
  uint16_t block_count, free_count;
  uint64_t free_bits[TN_SLAB_WORD_COUNT];  // 1: free
} tn_slab_t;

typedef struct tn_slab_set {
  tn_records_t* records;  // unowned
  tn_page_heap_t* heap;   // unowned
  tn_slab_t* open[TN_SLAB_CLASS_COUNT];
  size_t free_byte_size;  // of free blocks
} tn_slab_set_t;

// Both must outlive the set, and free what it took at their own end.
void tn__slab_set_init(tn_slab_set_t* set, tn_records_t* records, tn_page_heap_t* heap);

// The length of the blocks that serve a request: 1 <= byte_size <= TN_SLAB_BLOCK_LIMIT, alignment
// a power of two up to TN_PAGE_SIZE.
uint32_t tn__slab_block_length(size_t byte_size, size_t alignment);

// `block_length` as tn__slab_block_length gave it. NULL when the system refuses.
void* tn__slab_allocate(tn_slab_set_t* set, uint32_t block_length);
// Whether `block` is one of the slab's and in use.
bool tn__slab_has(const tn_slab_t* slab, const void* block);
// The block must be one that the slab has.
void tn__slab_free(tn_slab_set_t* set, tn_slab_t* slab, void* block);

// Gives slabs without a block in use back to the heap.
void tn__slab_set_trim(tn_slab_set_t* set);

#endif  // TENON_DEVICE_CPU_SLAB_H_
