// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/code_cache.h"

#include <stdatomic.h>
#include <string.h>

struct tn_cached_code {
  atomic_uint references;  // the cache's among them
  tn_cached_code_t* next;  // in its bucket
  uint64_t hash;
  uint64_t last_use;
  void* program;
  size_t length;
  char text[];  // which it was made of
};

void tn__code_cache_init(tn_code_cache_t* cache, const tn_code_compiler_t* compiler,
                         const tn_allocator_t* allocator) {
  *cache = (tn_code_cache_t){.compiler = *compiler, .allocator = allocator};
  pthread_mutex_init(&cache->compiling, NULL);
  pthread_mutex_init(&cache->mutex, NULL);
}

void tn__cached_code_release(tn_code_cache_t* cache, tn_cached_code_t* code) {
  if (!code || atomic_fetch_sub(&code->references, 1) != 1) return;
  cache->compiler.release(cache->compiler.user, code->program);
  tn__free(cache->allocator, code, sizeof *code + code->length);
}

void* tn__cached_code_program(const tn_cached_code_t* code) {
  return code->program;
}

void tn__code_cache_deinit(tn_code_cache_t* cache) {
  for (size_t i = 0; i < TN_CODE_CACHE_BUCKETS; ++i) {
    while (cache->buckets[i]) {
      tn_cached_code_t* code = cache->buckets[i];
      cache->buckets[i] = code->next;
      tn__cached_code_release(cache, code);
    }
  }
  pthread_mutex_destroy(&cache->compiling);
  pthread_mutex_destroy(&cache->mutex);
}

// FNV-1a.
static uint64_t hash_text(const char* text, size_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < length; ++i) {
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
  }
  return hash;
}

// Retained; NULL when it is not there.
static tn_cached_code_t* look_up(tn_code_cache_t* cache, uint64_t hash, const char* text,
                                 size_t length) {
  pthread_mutex_lock(&cache->mutex);
  tn_cached_code_t* code = cache->buckets[hash % TN_CODE_CACHE_BUCKETS];
  while (code &&
         (code->hash != hash || code->length != length || memcmp(code->text, text, length) != 0)) {
    code = code->next;
  }
  if (code) {
    code->last_use = ++cache->use_count;
    atomic_fetch_add(&code->references, 1);
  }
  pthread_mutex_unlock(&cache->mutex);
  return code;
}

// Under the mutex. Takes the program out that was not used for the longest time.
static tn_cached_code_t* take_oldest(tn_code_cache_t* cache) {
  tn_cached_code_t** oldest = NULL;
  for (size_t i = 0; i < TN_CODE_CACHE_BUCKETS; ++i) {
    for (tn_cached_code_t** at = &cache->buckets[i]; *at; at = &(*at)->next) {
      if (!oldest || (*at)->last_use < (*oldest)->last_use) oldest = at;
    }
  }
  tn_cached_code_t* code = *oldest;
  *oldest = code->next;
  --cache->count;
  return code;
}

// Retains it.
static void put(tn_code_cache_t* cache, tn_cached_code_t* code) {
  tn_cached_code_t* old = NULL;
  atomic_fetch_add(&code->references, 1);
  pthread_mutex_lock(&cache->mutex);
  if (cache->count == TN_CODE_CACHE_LIMIT) old = take_oldest(cache);
  tn_cached_code_t** bucket = &cache->buckets[code->hash % TN_CODE_CACHE_BUCKETS];
  code->last_use = ++cache->use_count;
  code->next = *bucket;
  *bucket = code;
  ++cache->count;
  pthread_mutex_unlock(&cache->mutex);
  tn__cached_code_release(cache, old);
}

static tn_status_t compile(tn_code_cache_t* cache, const tn_device_code_t* code, uint64_t hash,
                           size_t length, tn_cached_code_t** out_code) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(cache->allocator, sizeof(tn_cached_code_t) + length, &memory));
  tn_cached_code_t* made = memory;
  tn_status_t status = cache->compiler.compile(cache->compiler.user, code, &made->program);
  if (status) {
    tn__free(cache->allocator, made, sizeof *made + length);
    return status;
  }
  atomic_init(&made->references, 1);
  made->hash = hash;
  made->length = length;
  memcpy(made->text, code->text, length);
  put(cache, made);
  *out_code = made;
  return TN_OK;
}

tn_status_t tn__code_cache_find(tn_code_cache_t* cache, const tn_device_code_t* code,
                                tn_cached_code_t** out_code) {
  const size_t length = strlen(code->text);
  const uint64_t hash = hash_text(code->text, length);
  tn_status_t status = TN_OK;
  *out_code = look_up(cache, hash, code->text, length);
  if (*out_code) return TN_OK;
  pthread_mutex_lock(&cache->compiling);
  *out_code = look_up(cache, hash, code->text, length);  // another thread may have compiled it
  if (!*out_code) status = compile(cache, code, hash, length, out_code);
  pthread_mutex_unlock(&cache->compiling);
  return status;
}

// --- of a queue

const tn_known_kernel_t* tn__code_list_find(tn_code_list_t* list, const tn_device_code_t* code) {
  for (size_t k = 0; k < list->count; ++k) {
    const size_t i = (list->next + k) % list->count;
    if (list->kernels[i].code != code) continue;
    list->next = i + 1;
    return &list->kernels[i];
  }
  return NULL;
}

tn_status_t tn__code_list_grow(tn_code_list_t* list, const tn_allocator_t* allocator,
                               tn_known_kernel_t** out_next) {
  void* kernels = list->kernels;
  TN_RETURN_IF_ERROR(
      tn__grow(allocator, &kernels, &list->capacity, list->count + 1, sizeof *list->kernels));
  list->kernels = kernels;
  *out_next = &list->kernels[list->count];
  return TN_OK;
}

void tn__code_list_deinit(tn_code_list_t* list, const tn_allocator_t* allocator) {
  tn__free(allocator, list->kernels, list->capacity * sizeof *list->kernels);
}

tn_status_t tn__code_missing(const tn_device_code_t* code) {
  return tn_status_create(TN_CODE_NOT_FOUND, "kernel library %s has no kernel \"%s\"",
                          code->library ? code->library : "", code->entry ? code->entry : TN_ENTRY);
}

tn_status_t tn__known_kernel_check_group(const tn_known_kernel_t* kernel,
                                         const tn_dispatch_t* dispatch) {
  const size_t* size = dispatch->group_size;
  if (size[0] * size[1] * size[2] <= kernel->greatest_group_size) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "the kernel of %s is launched with groups of %zu x %zu x %zu items; on "
                          "this device its groups have at most %zu",
                          dispatch->code->operation, size[0], size[1], size[2],
                          kernel->greatest_group_size);
}

tn_status_t tn__known_kernel_check(const tn_known_kernel_t* kernel, const tn_dispatch_t* dispatch) {
  if (dispatch->argument_count == kernel->parameter_count) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "it has %u parameters; %zu are set",
                          kernel->parameter_count, dispatch->argument_count);
}

tn_status_t tn__code_locate(const tn_device_code_t* code, tn_status_t status) {
  if (!status || !code->library) return status;
  return tn_status_prefix(status, "kernel %s of %s", code->entry, code->library);
}
