// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a device's compiler made of the source of kernels (kernel/encoder.h): kept as long as the
// device, by the source; and what a queue has launched of it.
#ifndef TENON_DEVICE_CODE_CACHE_H_
#define TENON_DEVICE_CODE_CACHE_H_

#include <pthread.h>

#include "base/allocator.h"
#include "kernel/encoder.h"

typedef struct tn_code_compiler {
  tn_status_t (*compile)(void* user, const tn_device_code_t* code, void** out_program);
  void (*release)(void* user, void* program);
  void* user;
} tn_code_compiler_t;

typedef struct tn_code_cache {
  tn_code_compiler_t compiler;
  const tn_allocator_t* allocator;
  pthread_mutex_t mutex;
  struct tn_known_program* first;
} tn_code_cache_t;

void tn__code_cache_init(tn_code_cache_t* cache, const tn_code_compiler_t* compiler,
                         const tn_allocator_t* allocator);
void tn__code_cache_deinit(tn_code_cache_t* cache);
// Compiles it if need be. Thread-safe; one compiles at a time.
TN_MUST_USE tn_status_t tn__code_cache_find(tn_code_cache_t* cache, const tn_device_code_t* code,
                                            void** out_program);

// Of one queue, by the code itself. Zeros are an empty one.
typedef struct tn_code_list {
  size_t count, capacity;
  size_t next;  // behind the last one that was found: runs launch kernels in one order
  struct tn_known_kernel* kernels;
} tn_code_list_t;

typedef struct tn_known_kernel {
  const tn_device_code_t* code;
  void* kernel;
  uint32_t parameter_count;
  size_t greatest_group_size;
} tn_known_kernel_t;

// NULL when it is not there. A view, until the list grows.
const tn_known_kernel_t* tn__code_list_find(tn_code_list_t* list, const tn_device_code_t* code);
// Room for one more: the next, which counts once `count` does.
TN_MUST_USE tn_status_t tn__code_list_grow(tn_code_list_t* list, const tn_allocator_t* allocator,
                                           tn_known_kernel_t** out_next);
void tn__code_list_deinit(tn_code_list_t* list, const tn_allocator_t* allocator);

// There is no such kernel.
TN_MUST_USE tn_status_t tn__code_missing(const tn_device_code_t* code);
// Refuses a launch of groups that are too large for the kernel.
TN_MUST_USE tn_status_t tn__known_kernel_check_group(const tn_known_kernel_t* kernel,
                                                     const tn_dispatch_t* dispatch);
// Refuses a launch with another number of arguments than the kernel has parameters.
TN_MUST_USE tn_status_t tn__known_kernel_check(const tn_known_kernel_t* kernel,
                                               const tn_dispatch_t* dispatch);
// The same error of a library's kernel, with its name; takes `status`.
tn_status_t tn__code_locate(const tn_device_code_t* code, tn_status_t status);

#endif  // TENON_DEVICE_CODE_CACHE_H_
