// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/slab.h"

_Static_assert(sizeof(tn_slab_t) <= TN_RECORD_SIZE, "slabs are records");

enum { UNIT = 64, LINEAR_LIMIT = 1024, LINEAR_CLASSES = LINEAR_LIMIT / UNIT, STEPS = 8 };

void tn__slab_set_init(tn_slab_set_t* set, tn_records_t* records, tn_page_heap_t* heap) {
  *set = (tn_slab_set_t){.records = records, .heap = heap};
}

// ---- size classes

static uint32_t class_of(size_t byte_size) {
  if (byte_size <= LINEAR_LIMIT) return (uint32_t)((byte_size + UNIT - 1) / UNIT - 1);
  size_t last = byte_size - 1;
  uint32_t exponent = 63 - (uint32_t)__builtin_clzll(last);  // 10: 1025..2048, 11: ..4096
  uint32_t step = (uint32_t)(last >> (exponent - 3)) - STEPS;
  return LINEAR_CLASSES + (exponent - 10) * STEPS + step;
}

static uint32_t length_of(uint32_t class_index) {
  if (class_index < LINEAR_CLASSES) return (class_index + 1) * UNIT;
  uint32_t above = class_index - LINEAR_CLASSES;
  return (STEPS + 1 + above % STEPS) << (7 + above / STEPS);
}

uint32_t tn__slab_block_length(size_t byte_size, size_t alignment) {
  uint32_t class_index = class_of(byte_size);
  // Slabs begin at a page, so blocks are aligned as far as their length is.
  while (length_of(class_index) % alignment != 0) ++class_index;
  return length_of(class_index);
}

// ---- slabs

static void open_slab(tn_slab_set_t* set, tn_slab_t* slab) {
  slab->previous = NULL;
  slab->next = set->open[slab->class_index];
  if (slab->next) slab->next->previous = slab;
  set->open[slab->class_index] = slab;
}

static void close_slab(tn_slab_set_t* set, tn_slab_t* slab) {
  if (slab->next) slab->next->previous = slab->previous;
  if (slab->previous) {
    slab->previous->next = slab->next;
  } else {
    set->open[slab->class_index] = slab->next;
  }
}

static tn_slab_t* create_slab(tn_slab_set_t* set, uint32_t block_length) {
  uint32_t page_count = (8 * block_length + TN_PAGE_SIZE - 1) / TN_PAGE_SIZE;
  tn_slab_t* slab = tn__record_take(set->records);
  tn_span_t* span = slab ? tn__page_heap_allocate(set->heap, page_count) : NULL;
  if (!span) {
    if (slab) tn__record_give_back(set->records, slab);
    return NULL;
  }
  slab->span = span;
  slab->block_length = block_length;
  slab->class_index = class_of(block_length);
  slab->block_count = slab->free_count = (uint16_t)(page_count * TN_PAGE_SIZE / block_length);
  for (unsigned i = 0; i < slab->block_count; ++i) {
    slab->free_bits[i / 64] |= (uint64_t)1 << i % 64;
  }
  tn__span_set_slab(span, slab);
  set->free_byte_size += (size_t)slab->block_count * block_length;
  open_slab(set, slab);
  return slab;
}

static void destroy_slab(tn_slab_set_t* set, tn_slab_t* slab) {
  close_slab(set, slab);
  set->free_byte_size -= (size_t)slab->block_count * slab->block_length;
  tn__page_heap_free(set->heap, slab->span);
  tn__record_give_back(set->records, slab);
}

void* tn__slab_allocate(tn_slab_set_t* set, uint32_t block_length) {
  tn_slab_t* slab = set->open[class_of(block_length)];
  if (!slab) slab = create_slab(set, block_length);
  if (!slab) return NULL;
  unsigned word = 0;
  while (!slab->free_bits[word]) ++word;
  unsigned index = word * 64 + (unsigned)__builtin_ctzll(slab->free_bits[word]);
  slab->free_bits[word] &= slab->free_bits[word] - 1;
  if (--slab->free_count == 0) close_slab(set, slab);
  set->free_byte_size -= block_length;
  return tn__span_base(slab->span) + (size_t)index * block_length;
}

bool tn__slab_has(const tn_slab_t* slab, const void* block) {
  size_t offset = (size_t)((const char*)block - tn__span_base(slab->span));
  size_t index = offset / slab->block_length;
  return offset % slab->block_length == 0 && index < slab->block_count &&
         !(slab->free_bits[index / 64] >> index % 64 & 1);
}

void tn__slab_free(tn_slab_set_t* set, tn_slab_t* slab, void* block) {
  size_t offset = (size_t)((const char*)block - tn__span_base(slab->span));
  size_t index = offset / slab->block_length;
  slab->free_bits[index / 64] |= (uint64_t)1 << index % 64;
  set->free_byte_size += slab->block_length;
  if (slab->free_count++ == 0) open_slab(set, slab);
  // One empty slab stays, so that a block which comes and goes costs no more than its bit.
  bool is_empty = slab->free_count == slab->block_count;
  if (is_empty && (slab->next || slab->previous)) destroy_slab(set, slab);
}

void tn__slab_set_trim(tn_slab_set_t* set) {
  for (uint32_t i = 0; i < TN_SLAB_CLASS_COUNT; ++i) {
    for (tn_slab_t* slab = set->open[i]; slab;) {
      tn_slab_t* next = slab->next;
      if (slab->free_count == slab->block_count) destroy_slab(set, slab);
      slab = next;
    }
  }
}
