// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/code_cache.h"

#include <string.h>

typedef struct tn_known_program {
  struct tn_known_program* next;
  void* program;
  size_t length;
  char text[];  // which it was made of
} known_program_t;

void tn__code_cache_init(tn_code_cache_t* cache, const tn_code_compiler_t* compiler,
                         const tn_allocator_t* allocator) {
  *cache = (tn_code_cache_t){.compiler = *compiler, .allocator = allocator};
  pthread_mutex_init(&cache->mutex, NULL);
}

void tn__code_cache_deinit(tn_code_cache_t* cache) {
  while (cache->first) {
    known_program_t* it = cache->first;
    cache->first = it->next;
    cache->compiler.release(cache->compiler.user, it->program);
    tn__free(cache->allocator, it, sizeof *it + it->length);
  }
  pthread_mutex_destroy(&cache->mutex);
}

static known_program_t* find(const tn_code_cache_t* cache, const char* text, size_t length) {
  known_program_t* it = cache->first;
  while (it && (it->length != length || memcmp(it->text, text, length) != 0)) it = it->next;
  return it;
}

static tn_status_t add(tn_code_cache_t* cache, const tn_device_code_t* code, size_t length,
                       known_program_t** out_program) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(cache->allocator, sizeof(known_program_t) + length, &memory));
  known_program_t* it = memory;
  tn_status_t status = cache->compiler.compile(cache->compiler.user, code, &it->program);
  if (status) {
    tn__free(cache->allocator, it, sizeof *it + length);
    return status;
  }
  it->length = length;
  memcpy(it->text, code->text, length);
  it->next = cache->first;
  cache->first = *out_program = it;
  return TN_OK;
}

tn_status_t tn__code_cache_find(tn_code_cache_t* cache, const tn_device_code_t* code,
                                void** out_program) {
  const size_t length = strlen(code->text);
  tn_status_t status = TN_OK;
  pthread_mutex_lock(&cache->mutex);  // compilers do one thing at a time anyway
  known_program_t* program = find(cache, code->text, length);
  if (!program) status = add(cache, code, length, &program);
  pthread_mutex_unlock(&cache->mutex);
  if (!status) *out_program = program->program;
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
