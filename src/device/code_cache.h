// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a device's compiler made of the source of kernels (kernel/encoder.h), by that source; and
// what a queue has launched of it.
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

// How many programs are kept that no queue uses; those that were used last.
enum { TN_CODE_CACHE_LIMIT = 256, TN_CODE_CACHE_BUCKETS = 256 };

// A program and its source. Reference counted; immutable.
typedef struct tn_cached_code tn_cached_code_t;

typedef struct tn_code_cache {
  tn_code_compiler_t compiler;
  const tn_allocator_t* allocator;
  pthread_mutex_t compiling;  // compilers do one thing at a time anyway; taken before `mutex`
  pthread_mutex_t mutex;      // protects what follows; never held while something is compiled
  size_t count;
  uint64_t use_count;
  tn_cached_code_t* buckets[TN_CODE_CACHE_BUCKETS];
} tn_code_cache_t;

void tn__code_cache_init(tn_code_cache_t* cache, const tn_code_compiler_t* compiler,
                         const tn_allocator_t* allocator);
void tn__code_cache_deinit(tn_code_cache_t* cache);
// Compiles it if need be. A new reference. Thread-safe: what is known is found while another thread
// compiles.
TN_MUST_USE tn_status_t tn__code_cache_find(tn_code_cache_t* cache, const tn_device_code_t* code,
                                            tn_cached_code_t** out_code);
void* tn__cached_code_program(const tn_cached_code_t* code);  // a view
// The last one releases the program. Accepts NULL.
void tn__cached_code_release(tn_code_cache_t* cache, tn_cached_code_t* code);

// Of one queue, by the code itself. Zeros are an empty one.
typedef struct tn_code_list {
  size_t count, capacity;
  size_t next;  // behind the last one that was found: runs launch kernels in one order
  struct tn_known_kernel* kernels;
} tn_code_list_t;

typedef struct tn_known_kernel {
  const tn_device_code_t* code;
  tn_cached_code_t* program;  // that has it; retained
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
