// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/cache.h"

#include <pthread.h>
#include <string.h>

#include "base/process.h"

typedef struct tn_cache_entry {
  struct tn_cache_entry* next_in_bucket;
  struct tn_cache_entry *newer, *older;  // by the last use
  uint64_t hash;
  tn_program_t* program;  // retained; NULL: asked for, not made
  size_t word_count;
  uint64_t words[];
} tn_cache_entry_t;

enum { BUCKET_COUNT = 2048 };

struct tn_graph_cache {
  const tn_allocator_t* allocator;
  pthread_mutex_t mutex;
  size_t entry_count, word_count;
  tn_cache_entry_t *newest, *oldest;
  tn_cache_entry_t* buckets[BUCKET_COUNT];
};

// Words are pointers, shapes and small numbers: each is spread over all bits before the next.
static uint64_t hash_of(tn_graph_key_t key) {
  uint64_t hash = key.count;
  for (size_t i = 0; i < key.count; ++i) {
    hash = (hash ^ key.words[i]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
  }
  return hash;
}

static size_t entry_byte_size(size_t word_count) {
  return sizeof(tn_cache_entry_t) + word_count * sizeof(uint64_t);
}

tn_status_t tn__graph_cache_create(const tn_allocator_t* allocator, tn_graph_cache_t** out_cache) {
  void* memory = NULL;
  *out_cache = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_graph_cache_t), &memory));
  tn_graph_cache_t* cache = memory;
  cache->allocator = allocator;
  pthread_mutex_init(&cache->mutex, NULL);
  *out_cache = cache;
  return TN_OK;
}

void tn__graph_cache_destroy(tn_graph_cache_t* cache) {
  if (!cache) return;
  tn__graph_cache_clear(cache);
  pthread_mutex_destroy(&cache->mutex);
  tn__free(cache->allocator, cache, sizeof *cache);
}

// --- order of use

static void unlink_entry(tn_graph_cache_t* cache, tn_cache_entry_t* entry) {
  *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
  *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(tn_graph_cache_t* cache, tn_cache_entry_t* entry) {
  entry->newer = NULL;
  entry->older = cache->newest;
  *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
  cache->newest = entry;
}

// Out of the table; the caller frees it when the lock is gone.
static void take_out(tn_graph_cache_t* cache, tn_cache_entry_t* entry) {
  tn_cache_entry_t** place = &cache->buckets[entry->hash % BUCKET_COUNT];
  while (*place != entry) place = &(*place)->next_in_bucket;
  *place = entry->next_in_bucket;
  unlink_entry(cache, entry);
  --cache->entry_count;
  cache->word_count -= entry->word_count;
}

// Programs end handlers' states: that is done under no lock.
static void free_entries(tn_graph_cache_t* cache, tn_cache_entry_t* entries) {
  while (entries) {
    tn_cache_entry_t* entry = entries;
    entries = entry->older;
    tn_program_release(entry->program);
    tn__free(cache->allocator, entry, entry_byte_size(entry->word_count));
  }
}

void tn__graph_cache_clear(tn_graph_cache_t* cache) {
  if (tn__process_is_forked()) return;
  pthread_mutex_lock(&cache->mutex);
  tn_cache_entry_t* entries = cache->newest;
  cache->newest = cache->oldest = NULL;
  cache->entry_count = cache->word_count = 0;
  memset(cache->buckets, 0, sizeof cache->buckets);
  pthread_mutex_unlock(&cache->mutex);
  free_entries(cache, entries);
}

// --- finding

static tn_cache_entry_t* find(const tn_graph_cache_t* cache, tn_graph_key_t key, uint64_t hash) {
  tn_cache_entry_t* entry = cache->buckets[hash % BUCKET_COUNT];
  for (; entry; entry = entry->next_in_bucket) {
    if (entry->hash == hash && entry->word_count == key.count &&
        memcmp(entry->words, key.words, key.count * sizeof *key.words) == 0) {
      return entry;
    }
  }
  return NULL;
}

// Takes the oldest ones out until one of `word_count` words has room; a list by `older`.
static tn_cache_entry_t* make_room(tn_graph_cache_t* cache, size_t word_count) {
  tn_cache_entry_t* gone = NULL;
  while (cache->oldest && (cache->entry_count >= TN_GRAPH_CACHE_ENTRY_LIMIT ||
                           cache->word_count + word_count > TN_GRAPH_CACHE_WORD_LIMIT)) {
    tn_cache_entry_t* entry = cache->oldest;
    take_out(cache, entry);
    entry->older = gone;
    gone = entry;
  }
  return gone;
}

// Adds an entry. A key that is too long to be worth it gets none, *out_entry is NULL.
static tn_status_t insert(tn_graph_cache_t* cache, tn_graph_key_t key, uint64_t hash,
                          tn_cache_entry_t** out_entry, tn_cache_entry_t** gone) {
  void* memory = NULL;
  *out_entry = NULL;
  if (key.count > TN_GRAPH_CACHE_WORD_LIMIT / 4) return TN_OK;
  TN_RETURN_IF_ERROR(tn__allocate(cache->allocator, entry_byte_size(key.count), &memory));
  *gone = make_room(cache, key.count);
  tn_cache_entry_t* entry = memory;
  entry->hash = hash;
  entry->word_count = key.count;
  memcpy(entry->words, key.words, key.count * sizeof *key.words);
  tn_cache_entry_t** bucket = &cache->buckets[hash % BUCKET_COUNT];
  entry->next_in_bucket = *bucket;
  *bucket = entry;
  link_newest(cache, entry);
  ++cache->entry_count;
  cache->word_count += entry->word_count;
  *out_entry = entry;
  return TN_OK;
}

tn_status_t tn__graph_cache_find(tn_graph_cache_t* cache, tn_graph_key_t key, bool* out_was_seen,
                                 tn_program_t** out_program) {
  tn_cache_entry_t* gone = NULL;
  tn_status_t status = TN_OK;
  const uint64_t hash = hash_of(key);
  *out_program = NULL;
  pthread_mutex_lock(&cache->mutex);
  tn_cache_entry_t* entry = find(cache, key, hash);
  *out_was_seen = entry != NULL;
  if (entry) {
    *out_program = tn_program_retain(entry->program);
    unlink_entry(cache, entry);
    link_newest(cache, entry);
  } else {
    status = insert(cache, key, hash, &entry, &gone);
  }
  pthread_mutex_unlock(&cache->mutex);
  free_entries(cache, gone);
  return status;
}

tn_status_t tn__graph_cache_put(tn_graph_cache_t* cache, tn_graph_key_t key,
                                tn_program_t* program) {
  tn_cache_entry_t* gone = NULL;
  tn_status_t status = TN_OK;
  const uint64_t hash = hash_of(key);
  pthread_mutex_lock(&cache->mutex);
  tn_cache_entry_t* entry = find(cache, key, hash);
  if (!entry) status = insert(cache, key, hash, &entry, &gone);
  tn_program_t* previous = entry ? entry->program : NULL;
  if (entry) entry->program = tn_program_retain(program);
  pthread_mutex_unlock(&cache->mutex);
  tn_program_release(previous);
  free_entries(cache, gone);
  return status;
}
