// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/host_memory.h"

#include <pthread.h>
#include <string.h>

#include "base/linux/machine_memory.h"
#include "base/process.h"
#include "device/cpu/host_mapping.h"
#include "device/cpu/page_heap.h"
#include "device/cpu/slab.h"

enum {
  SMALL_ARENA_PAGES = 256,        // 4 MiB
  LARGE_ARENA_PAGES = 2048,       // 32 MiB
  LARGE_FROM = 1 << 20,           // from here on with huge pages
  MAPPING_FROM = (32 << 20) + 1,  // from here on with a mapping of its own
};

// A block above 32 MiB, in use or kept.
typedef struct mapping {
  struct mapping *next, *previous;  // in the list of free ones, most recently freed first
  char* base;
  size_t byte_size;
  bool is_free;
} mapping_t;

struct tn_host_memory {
  const tn_allocator_t* allocator;  // of this struct; nothing else, as it may not be called
  pthread_mutex_t lock;             // protects what follows
  tn_records_t records;
  tn_page_heap_t small_pages, large_pages;
  tn_slab_set_t slabs;
  mapping_t** mappings;  // ascending by address
  size_t mapping_count, mapping_capacity;
  mapping_t *free_first, *free_last;
  size_t mapped_byte_size;        // all mappings
  size_t free_mapping_byte_size;  // of those, free ones
  size_t in_use_byte_size, peak_byte_size;
  size_t limit_byte_size, cache_limit_byte_size;
  uint64_t allocation_count, free_count;
};

// ---- life

// False in a forked child, where the lock may be held and what it protects half changed.
static bool try_lock(tn_host_memory_t* memory) {
  if (tn__process_is_forked()) return false;
  pthread_mutex_lock(&memory->lock);
  return true;
}

static size_t default_cache_limit(size_t limit_byte_size) {
  size_t byte_size = limit_byte_size == SIZE_MAX ? tn__machine_memory() : limit_byte_size;
  return byte_size ? byte_size / 4 : (size_t)1 << 30;
}

tn_status_t tn__host_memory_create(const tn_host_memory_config_t* config,
                                   const tn_allocator_t* allocator, tn_host_memory_t** out_memory) {
  void* storage;
  *out_memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_host_memory_t), &storage));
  tn_host_memory_t* memory = storage;
  memory->allocator = allocator;
  pthread_mutex_init(&memory->lock, NULL);
  tn__page_heap_init(&memory->small_pages, &memory->records, false, SMALL_ARENA_PAGES);
  tn__page_heap_init(&memory->large_pages, &memory->records, true, LARGE_ARENA_PAGES);
  tn__slab_set_init(&memory->slabs, &memory->records, &memory->small_pages);
  memory->limit_byte_size = config && config->limit_byte_size ? config->limit_byte_size : SIZE_MAX;
  memory->cache_limit_byte_size = config && config->cache_limit_byte_size
                                      ? config->cache_limit_byte_size
                                      : default_cache_limit(memory->limit_byte_size);
  *out_memory = memory;
  return TN_OK;
}

void tn__host_memory_destroy(tn_host_memory_t* memory) {
  if (!memory) return;
  tn__page_heap_deinit(&memory->small_pages);
  tn__page_heap_deinit(&memory->large_pages);
  for (size_t i = 0; i < memory->mapping_count; ++i) {
    tn__host_unmap(memory->mappings[i]->base, memory->mappings[i]->byte_size);
  }
  tn__host_array_free(memory->mappings, memory->mapping_capacity, sizeof *memory->mappings);
  tn__records_deinit(&memory->records);
  pthread_mutex_destroy(&memory->lock);
  tn__free(memory->allocator, memory, sizeof *memory);
}

// ---- mappings

static size_t find_mapping_index(const tn_host_memory_t* memory, const void* base) {
  size_t low = 0, high = memory->mapping_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (memory->mappings[middle]->base < (const char*)base) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static mapping_t* find_mapping(const tn_host_memory_t* memory, const void* base) {
  size_t index = find_mapping_index(memory, base);
  if (index == memory->mapping_count) return NULL;
  mapping_t* mapping = memory->mappings[index];
  return mapping->base == base && !mapping->is_free ? mapping : NULL;
}

static void put_in_free_list(tn_host_memory_t* memory, mapping_t* mapping) {
  mapping->is_free = true;
  mapping->previous = NULL;
  mapping->next = memory->free_first;
  if (mapping->next) {
    mapping->next->previous = mapping;
  } else {
    memory->free_last = mapping;
  }
  memory->free_first = mapping;
  memory->free_mapping_byte_size += mapping->byte_size;
}

static void take_from_free_list(tn_host_memory_t* memory, mapping_t* mapping) {
  if (mapping->next) {
    mapping->next->previous = mapping->previous;
  } else {
    memory->free_last = mapping->previous;
  }
  if (mapping->previous) {
    mapping->previous->next = mapping->next;
  } else {
    memory->free_first = mapping->next;
  }
  mapping->next = mapping->previous = NULL;
  mapping->is_free = false;
  memory->free_mapping_byte_size -= mapping->byte_size;
}

// Forgets a free mapping; the caller unmaps it and frees the header, outside the lock if it can.
static void forget_mapping(tn_host_memory_t* memory, mapping_t* mapping) {
  take_from_free_list(memory, mapping);
  size_t index = find_mapping_index(memory, mapping->base);
  --memory->mapping_count;
  memmove(&memory->mappings[index], &memory->mappings[index + 1],
          (memory->mapping_count - index) * sizeof *memory->mappings);
  memory->mapped_byte_size -= mapping->byte_size;
}

// What a request got; `base` is NULL when it got nothing.
typedef struct block {
  void* base;
  size_t byte_size;
} block_t;

static block_t allocate_mapping(tn_host_memory_t* memory, size_t byte_size, size_t room) {
  size_t most = byte_size + byte_size / 8;
  if (most > room) most = room;
  mapping_t* best = NULL;
  for (mapping_t* mapping = memory->free_first; mapping; mapping = mapping->next) {
    if (mapping->byte_size < byte_size || mapping->byte_size > most) continue;
    if (!best || mapping->byte_size < best->byte_size) best = mapping;
  }
  if (best) {
    take_from_free_list(memory, best);
    return (block_t){best->base, best->byte_size};
  }
  void* mappings = memory->mappings;
  bool grown = tn__host_array_grow(&mappings, &memory->mapping_capacity, memory->mapping_count + 1,
                                   sizeof *memory->mappings);
  memory->mappings = mappings;
  if (!grown) return (block_t){0};
  mapping_t* fresh = tn__record_take(&memory->records);
  if (!fresh) return (block_t){0};
  char* base = tn__host_map(byte_size, TN_HUGE_PAGE_SIZE, true);
  if (!base) {
    tn__record_give_back(&memory->records, fresh);
    return (block_t){0};
  }
  *fresh = (mapping_t){.base = base, .byte_size = byte_size};
  size_t index = find_mapping_index(memory, base);
  memmove(&memory->mappings[index + 1], &memory->mappings[index],
          (memory->mapping_count - index) * sizeof *memory->mappings);
  memory->mappings[index] = fresh;
  ++memory->mapping_count;
  memory->mapped_byte_size += byte_size;
  return (block_t){base, byte_size};
}

// ---- trimming

static size_t cached_byte_size(const tn_host_memory_t* memory) {
  size_t pages = memory->small_pages.used_page_count - memory->small_pages.allocated_page_count +
                 memory->large_pages.used_page_count - memory->large_pages.allocated_page_count;
  return pages * TN_PAGE_SIZE + memory->slabs.free_byte_size + memory->free_mapping_byte_size;
}

// What was taken out under the lock, to be unmapped outside it: that may take milliseconds.
typedef struct surplus {
  mapping_t* first;
} surplus_t;

// Takes free mappings out, the longest unused first, until no more than `keep` is cached.
static surplus_t take_surplus_mappings(tn_host_memory_t* memory, size_t keep_byte_size) {
  surplus_t surplus = {0};
  while (memory->free_last && cached_byte_size(memory) > keep_byte_size) {
    mapping_t* mapping = memory->free_last;
    forget_mapping(memory, mapping);
    mapping->next = surplus.first;
    surplus.first = mapping;
  }
  return surplus;
}

// The pages of one heap after what the rest keeps.
static void trim_pages(tn_host_memory_t* memory, tn_page_heap_t* heap, size_t keep_byte_size) {
  size_t cached = cached_byte_size(memory);
  if (cached <= keep_byte_size) return;
  size_t surplus_pages = (cached - keep_byte_size + TN_PAGE_SIZE - 1) / TN_PAGE_SIZE;
  size_t free_pages = heap->used_page_count - heap->allocated_page_count;
  tn__page_heap_trim(heap, free_pages > surplus_pages ? free_pages - surplus_pages : 0);
}

static surplus_t trim(tn_host_memory_t* memory, size_t keep_byte_size) {
  surplus_t surplus = take_surplus_mappings(memory, keep_byte_size);
  trim_pages(memory, &memory->large_pages, keep_byte_size);
  if (cached_byte_size(memory) > keep_byte_size) tn__slab_set_trim(&memory->slabs);
  trim_pages(memory, &memory->small_pages, keep_byte_size);
  return surplus;
}

// Takes the lock for a moment at its end, as the headers are records.
static void unmap_surplus(tn_host_memory_t* memory, surplus_t surplus) {
  if (!surplus.first) return;
  for (mapping_t* mapping = surplus.first; mapping; mapping = mapping->next) {
    tn__host_unmap(mapping->base, mapping->byte_size);
  }
  pthread_mutex_lock(&memory->lock);
  while (surplus.first) {
    mapping_t* mapping = surplus.first;
    surplus.first = mapping->next;
    tn__record_give_back(&memory->records, mapping);
  }
  pthread_mutex_unlock(&memory->lock);
}

void tn__host_memory_trim(tn_host_memory_t* memory, size_t keep_byte_size) {
  if (!try_lock(memory)) return;
  surplus_t surplus = trim(memory, keep_byte_size);
  pthread_mutex_unlock(&memory->lock);
  unmap_surplus(memory, surplus);
}

void tn__host_memory_set_cache_limit(tn_host_memory_t* memory, size_t byte_size) {
  if (!try_lock(memory)) return;
  memory->cache_limit_byte_size = byte_size;
  surplus_t surplus = trim(memory, byte_size);
  pthread_mutex_unlock(&memory->lock);
  unmap_surplus(memory, surplus);
}

// ---- allocation

// Who serves a request, and how much it takes.
typedef enum source { SLABS, SMALL_PAGES, LARGE_PAGES, MAPPINGS } source_t;

typedef struct request {
  source_t source;
  size_t byte_size;  // rounded up
} request_t;

static bool round_up(size_t length, size_t unit, size_t* out) {
  if (__builtin_add_overflow(length, unit - 1, out)) return false;
  *out -= *out % unit;
  return true;
}

// False when the length overflows.
static bool classify(size_t byte_size, size_t alignment, request_t* out) {
  *out = (request_t){.source = MAPPINGS};
  if (byte_size <= TN_SLAB_BLOCK_LIMIT && alignment <= TN_PAGE_SIZE) {
    out->source = SLABS;
    out->byte_size = tn__slab_block_length(byte_size, alignment);
    return true;
  }
  if (byte_size >= MAPPING_FROM || alignment > TN_PAGE_SIZE) {
    return round_up(byte_size, TN_HUGE_PAGE_SIZE, &out->byte_size);
  }
  out->source = byte_size < LARGE_FROM ? SMALL_PAGES : LARGE_PAGES;
  return round_up(byte_size, TN_PAGE_SIZE, &out->byte_size);
}

static block_t take(tn_host_memory_t* memory, request_t request, size_t room) {
  if (request.source == MAPPINGS) return allocate_mapping(memory, request.byte_size, room);
  if (request.source == SLABS) {
    void* base = tn__slab_allocate(&memory->slabs, (uint32_t)request.byte_size);
    return (block_t){base, request.byte_size};
  }
  tn_page_heap_t* heap =
      request.source == SMALL_PAGES ? &memory->small_pages : &memory->large_pages;
  tn_span_t* span = tn__page_heap_allocate(heap, (uint32_t)(request.byte_size / TN_PAGE_SIZE));
  if (!span) return (block_t){0};
  return (block_t){tn__span_base(span), (size_t)span->page_count * TN_PAGE_SIZE};
}

tn_status_t tn__host_memory_allocate(tn_host_memory_t* memory, size_t byte_size, size_t alignment,
                                     void** out_block) {
  *out_block = NULL;
  if (alignment == 0) alignment = TN_HOST_ALIGNMENT;
  if (alignment > TN_HOST_ALIGNMENT_LIMIT || (alignment & (alignment - 1)) != 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "host memory: alignment is %zu; expected a power of two up to %d",
                            alignment, TN_HOST_ALIGNMENT_LIMIT);
  }
  request_t request;
  size_t length;
  bool is_possible =
      !__builtin_add_overflow(byte_size ? byte_size : 1, (size_t)TN_HOST_RED_ZONE, &length) &&
      classify(length, alignment, &request);
  block_t block = {0};

  if (!try_lock(memory)) return tn__process_forked_error();
  size_t in_use = memory->in_use_byte_size, limit = memory->limit_byte_size;
  size_t room = in_use < limit ? limit - in_use : 0;
  bool is_within_limit = is_possible && request.byte_size <= room;
  if (is_within_limit) {
    block = take(memory, request, room);
    if (!block.base) {
      // What is cached may be all that stands in the way.
      surplus_t surplus = trim(memory, 0);
      pthread_mutex_unlock(&memory->lock);
      unmap_surplus(memory, surplus);
      pthread_mutex_lock(&memory->lock);
      block = take(memory, request, room);
    }
  }
  if (block.base) {
    memory->in_use_byte_size += block.byte_size;
    if (memory->in_use_byte_size > memory->peak_byte_size) {
      memory->peak_byte_size = memory->in_use_byte_size;
    }
    ++memory->allocation_count;
  }
  pthread_mutex_unlock(&memory->lock);
  if (block.base) {
    tn__host_forbid(block.base, block.byte_size);
    tn__host_allow(block.base, byte_size);
    *out_block = block.base;
    return TN_OK;
  }
  if (is_within_limit || limit == SIZE_MAX) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                            "host memory: asked for %zu bytes with %zu in use; the system has no "
                            "more",
                            byte_size, in_use);
  }
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                          "host memory: asked for %zu bytes with %zu in use; the limit is %zu",
                          byte_size, in_use, limit);
}

// Which of the parts an address belongs to, if it is a block in use.
typedef struct place {
  tn_page_heap_t* heap;  // spans
  tn_span_t* span;
  tn_slab_t* slab;  // blocks of slabs
  mapping_t* mapping;
  size_t byte_size;  // 0: no block in use
} place_t;

static place_t find(tn_host_memory_t* memory, const void* block) {
  place_t place = {.heap = &memory->small_pages};
  place.span = tn__page_heap_find(place.heap, block);
  if (!place.span) {
    place.heap = &memory->large_pages;
    place.span = tn__page_heap_find(place.heap, block);
  }
  if (!place.span) {
    place.mapping = find_mapping(memory, block);
    if (place.mapping) place.byte_size = place.mapping->byte_size;
  } else if (place.span->slab) {
    place.slab = place.span->slab;
    if (tn__slab_has(place.slab, block)) place.byte_size = place.slab->block_length;
  } else if (tn__span_base(place.span) == block) {
    place.byte_size = (size_t)place.span->page_count * TN_PAGE_SIZE;
  }
  return place;
}

bool tn__host_memory_free(tn_host_memory_t* memory, void* block) {
  surplus_t surplus = {0};
  if (!block || !try_lock(memory)) return true;
  place_t place = find(memory, block);
  if (place.byte_size) {
    tn__host_forbid(block, place.byte_size);
    if (place.mapping) {
      put_in_free_list(memory, place.mapping);
    } else if (place.slab) {
      tn__slab_free(&memory->slabs, place.slab, block);
    } else {
      tn__page_heap_free(place.heap, place.span);
    }
    memory->in_use_byte_size -= place.byte_size;
    ++memory->free_count;
    if (!place.slab && cached_byte_size(memory) > memory->cache_limit_byte_size) {
      surplus = trim(memory, memory->cache_limit_byte_size);
    }
  }
  pthread_mutex_unlock(&memory->lock);
  unmap_surplus(memory, surplus);
  return place.byte_size != 0;
}

size_t tn__host_memory_capacity(tn_host_memory_t* memory, const void* block) {
  if (!try_lock(memory)) return 0;
  size_t byte_size = find(memory, block).byte_size;
  pthread_mutex_unlock(&memory->lock);
  return byte_size;
}

// ---- statistics and limits

void tn__host_memory_statistics(tn_host_memory_t* memory, tn_memory_statistics_t* out_statistics) {
  *out_statistics = (tn_memory_statistics_t){.struct_size = sizeof *out_statistics};
  if (!try_lock(memory)) return;
  size_t pages = memory->small_pages.reserved_page_count + memory->large_pages.reserved_page_count;
  *out_statistics = (tn_memory_statistics_t){
      .struct_size = sizeof *out_statistics,
      .in_use_byte_size = memory->in_use_byte_size,
      .peak_byte_size = memory->peak_byte_size,
      .cached_byte_size = cached_byte_size(memory),
      .reserved_byte_size = pages * TN_PAGE_SIZE + memory->mapped_byte_size,
      .limit_byte_size = memory->limit_byte_size == SIZE_MAX ? 0 : memory->limit_byte_size,
      .cache_limit_byte_size = memory->cache_limit_byte_size,
      .allocation_count = memory->allocation_count,
      .free_count = memory->free_count,
  };
  pthread_mutex_unlock(&memory->lock);
}

void tn__host_memory_reset_peak(tn_host_memory_t* memory) {
  if (!try_lock(memory)) return;
  memory->peak_byte_size = memory->in_use_byte_size;
  pthread_mutex_unlock(&memory->lock);
}

void tn__host_memory_set_limit(tn_host_memory_t* memory, size_t byte_size) {
  if (!try_lock(memory)) return;
  memory->limit_byte_size = byte_size ? byte_size : SIZE_MAX;
  pthread_mutex_unlock(&memory->lock);
}
