// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/memory_cache.h"

#include <inttypes.h>
#include <pthread.h>

enum {
  SMALLEST = 256,     // of a block
  NATURAL = 128,      // the alignment of what drivers allocate
  CLASS_COUNT = 512,  // 8 for each power of 2
  BUCKET_COUNT = 1024,
};

// A block that the driver allocated. In use it is in a bucket, else in the list of its class.
typedef struct block {
  struct block* next;
  void* address;
  size_t byte_size;
} block_t;

struct tn_memory_cache {
  tn_memory_source_t source;
  const tn_allocator_t* allocator;
  const char* device_name;
  pthread_mutex_t mutex;
  uint64_t limit, cache_limit;  // UINT64_MAX: none
  uint64_t in_use, peak, cached, allocation_count, free_count;
  block_t* buckets[BUCKET_COUNT];
  block_t* classes[CLASS_COUNT];
};

static uint64_t limit_of(uint64_t byte_size) {
  return byte_size ? byte_size : UINT64_MAX;
}

tn_status_t tn__memory_cache_create(const tn_memory_source_t* source, const char* device_name,
                                    uint64_t total_byte_size, const tn_device_options_t* options,
                                    tn_memory_cache_t** out_cache) {
  void* memory = NULL;
  *out_cache = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(options->allocator, sizeof(tn_memory_cache_t), &memory));
  tn_memory_cache_t* cache = memory;
  cache->source = *source;
  cache->allocator = options->allocator;
  cache->device_name = device_name;
  pthread_mutex_init(&cache->mutex, NULL);
  const uint64_t limit = options->memory_limit_byte_size;
  cache->limit = limit_of(limit ? limit : total_byte_size);
  cache->cache_limit =
      options->cache_limit_byte_size ? options->cache_limit_byte_size : cache->limit / 4;
  *out_cache = cache;
  return TN_OK;
}

// --- sizes and addresses

// The class of a size, at least SMALLEST, which becomes the size of the class.
static size_t class_of(size_t* byte_size) {
  const int shift = 63 - __builtin_clzll(*byte_size) - 3;                   // of an eighth
  const size_t eighths = (*byte_size + ((size_t)1 << shift) - 1) >> shift;  // 8 to 16
  *byte_size = eighths << shift;
  return (size_t)shift * 8 + (eighths - 8);
}

static block_t** bucket_of(tn_memory_cache_t* cache, const void* address) {
  const uint64_t number = (uintptr_t)address / NATURAL;
  return &cache->buckets[number * UINT64_C(0x9E3779B97F4A7C15) >> 54];
}

// --- giving back

// Takes blocks out of the classes until no more than `keep` bytes are cached. Under the mutex.
static block_t* take_out(tn_memory_cache_t* cache, uint64_t keep) {
  block_t* out = NULL;
  for (size_t i = CLASS_COUNT; i-- > 0 && cache->cached > keep;) {
    while (cache->classes[i] && cache->cached > keep) {
      block_t* block = cache->classes[i];
      cache->classes[i] = block->next;
      cache->cached -= block->byte_size;
      block->next = out;
      out = block;
    }
  }
  return out;
}

static void give_back(tn_memory_cache_t* cache, block_t* blocks) {
  while (blocks) {
    block_t* block = blocks;
    blocks = block->next;
    cache->source.free(cache->source.user, block->address);
    tn__free(cache->allocator, block, sizeof *block);
  }
}

void tn__memory_cache_trim(tn_memory_cache_t* cache, uint64_t keep_byte_size) {
  pthread_mutex_lock(&cache->mutex);
  block_t* blocks = take_out(cache, keep_byte_size);
  pthread_mutex_unlock(&cache->mutex);
  give_back(cache, blocks);
}

void tn__memory_cache_destroy(tn_memory_cache_t* cache) {
  if (!cache) return;
  tn__memory_cache_trim(cache, 0);
  pthread_mutex_destroy(&cache->mutex);
  tn__free(cache->allocator, cache, sizeof *cache);
}

// --- allocation

// Counts the block as in use. Under the mutex.
static tn_status_t reserve(tn_memory_cache_t* cache, size_t byte_size) {
  if (cache->in_use > cache->limit || byte_size > cache->limit - cache->in_use) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                            "device %s: asked for %zu bytes with %" PRIu64
                            " in use; the limit is %" PRIu64,
                            cache->device_name, byte_size, cache->in_use, cache->limit);
  }
  cache->in_use += byte_size;
  if (cache->peak < cache->in_use) cache->peak = cache->in_use;
  return TN_OK;
}

static tn_status_t ask_source(tn_memory_cache_t* cache, size_t byte_size, block_t* block) {
  const tn_memory_source_t* source = &cache->source;
  tn_status_t status = source->allocate(source->user, byte_size, &block->address);
  if (tn_status_code(status) != TN_CODE_RESOURCE_EXHAUSTED) return status;
  tn_status_release(status);
  tn__memory_cache_trim(cache, 0);
  return source->allocate(source->user, byte_size, &block->address);
}

static tn_status_t make_block(tn_memory_cache_t* cache, size_t byte_size, block_t** out_block) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(cache->allocator, sizeof(block_t), &memory));
  block_t* block = memory;
  block->byte_size = byte_size;
  tn_status_t status = ask_source(cache, byte_size, block);
  if (status) {
    tn__free(cache->allocator, block, sizeof *block);
    return status;
  }
  *out_block = block;
  return TN_OK;
}

// One that is cached, or NULL.
static tn_status_t begin(tn_memory_cache_t* cache, size_t byte_size, size_t size_class,
                         block_t** out_block) {
  pthread_mutex_lock(&cache->mutex);
  tn_status_t status = reserve(cache, byte_size);
  block_t* block = status ? NULL : cache->classes[size_class];
  if (block) {
    cache->classes[size_class] = block->next;
    cache->cached -= byte_size;
  }
  pthread_mutex_unlock(&cache->mutex);
  *out_block = block;
  return status;
}

static void put_in_use(tn_memory_cache_t* cache, block_t* block) {
  block_t** bucket = bucket_of(cache, block->address);
  pthread_mutex_lock(&cache->mutex);
  block->next = *bucket;
  *bucket = block;
  ++cache->allocation_count;
  pthread_mutex_unlock(&cache->mutex);
}

tn_status_t tn__memory_cache_allocate(tn_memory_cache_t* cache, size_t byte_size, size_t alignment,
                                      tn_memory_t* out_memory) {
  block_t* block = NULL;
  const size_t extra = alignment > NATURAL ? alignment - NATURAL : 0;
  *out_memory = (tn_memory_t){NULL, 0};
  if (byte_size > SIZE_MAX / 4 - extra) return tn__status_out_of_memory();
  byte_size += extra;
  if (byte_size < SMALLEST) byte_size = SMALLEST;
  const size_t size_class = class_of(&byte_size);
  TN_RETURN_IF_ERROR(begin(cache, byte_size, size_class, &block));
  tn_status_t status = block ? TN_OK : make_block(cache, byte_size, &block);
  if (status) {
    pthread_mutex_lock(&cache->mutex);
    cache->in_use -= byte_size;
    pthread_mutex_unlock(&cache->mutex);
    return status;
  }
  put_in_use(cache, block);
  const size_t misalignment = extra ? (uintptr_t)block->address & (alignment - 1) : 0;
  *out_memory = (tn_memory_t){block->address, misalignment ? alignment - misalignment : 0};
  return TN_OK;
}

// Under the mutex; NULL when it is none of the cache's.
static block_t* take_from_use(tn_memory_cache_t* cache, const void* address) {
  block_t** place = bucket_of(cache, address);
  while (*place && (*place)->address != address) place = &(*place)->next;
  block_t* block = *place;
  if (!block) return NULL;
  *place = block->next;
  cache->in_use -= block->byte_size;
  ++cache->free_count;
  return block;
}

void tn__memory_cache_free(tn_memory_cache_t* cache, tn_memory_t memory) {
  pthread_mutex_lock(&cache->mutex);
  block_t* block = take_from_use(cache, memory.handle);
  block_t* surplus = NULL;
  if (block) {
    size_t byte_size = block->byte_size;
    block_t** list = &cache->classes[class_of(&byte_size)];
    block->next = *list;
    *list = block;
    cache->cached += byte_size;
    surplus = take_out(cache, cache->cache_limit);
  }
  pthread_mutex_unlock(&cache->mutex);
  give_back(cache, surplus);
}

// --- limits and statistics

void tn__memory_cache_statistics(tn_memory_cache_t* cache, tn_memory_statistics_t* out_statistics) {
  pthread_mutex_lock(&cache->mutex);
  *out_statistics = (tn_memory_statistics_t){
      .struct_size = sizeof *out_statistics,
      .in_use_byte_size = cache->in_use,
      .peak_byte_size = cache->peak,
      .cached_byte_size = cache->cached,
      .reserved_byte_size = cache->in_use + cache->cached,
      .limit_byte_size = cache->limit == UINT64_MAX ? 0 : cache->limit,
      .cache_limit_byte_size = cache->cache_limit,
      .allocation_count = cache->allocation_count,
      .free_count = cache->free_count,
  };
  pthread_mutex_unlock(&cache->mutex);
}

void tn__memory_cache_reset_peak(tn_memory_cache_t* cache) {
  pthread_mutex_lock(&cache->mutex);
  cache->peak = cache->in_use;
  pthread_mutex_unlock(&cache->mutex);
}

void tn__memory_cache_set_limit(tn_memory_cache_t* cache, uint64_t byte_size) {
  pthread_mutex_lock(&cache->mutex);
  cache->limit = limit_of(byte_size);
  pthread_mutex_unlock(&cache->mutex);
}

void tn__memory_cache_set_cache_limit(tn_memory_cache_t* cache, uint64_t byte_size) {
  pthread_mutex_lock(&cache->mutex);
  cache->cache_limit = byte_size;
  pthread_mutex_unlock(&cache->mutex);
  tn__memory_cache_trim(cache, byte_size);
}
