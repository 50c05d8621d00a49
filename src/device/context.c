// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/context.h"

#include <pthread.h>
#include <tenon/detail/ops.h>

#include "base/allocator.h"
#include "base/options.h"
#include "base/process.h"
#include "kernel/lib/library.h"

// --- lists of operations

tn_status_t tn__op_list_insert(tn_op_list_t* list, size_t at, const tn_op_t* op) {
  void* ops = list->ops;
  tn_status_t status =
      tn__grow(tn_allocator_system(), &ops, &list->capacity, list->count + 1, sizeof *list->ops);
  list->ops = ops;
  if (status) return status;
  memmove(&list->ops[at + 1], &list->ops[at], (list->count - at) * sizeof *list->ops);
  list->ops[at] = op;
  ++list->count;
  return TN_OK;
}

static void free_list(tn_op_list_t* list) {
  tn__free(tn_allocator_system(), list->ops, list->capacity * sizeof *list->ops);
  *list = (tn_op_list_t){0};
}

void tn__op_list_remove(tn_op_list_t* list, size_t at) {
  --list->count;
  memmove(&list->ops[at], &list->ops[at + 1], (list->count - at) * sizeof *list->ops);
  if (!list->count) free_list(list);
}

static void drop_list(tn_op_list_t* list) {
  for (size_t i = 0; i < list->count; ++i) tn__op_release(list->ops[i]);
  free_list(list);
}

// --- the default one

// The default context lives as long as the process.
static tn_context_t process_context = {
    .references = 1, .holders = 1, .call_timeout_ns = -1, .next_run_id = 1};

tn_context_t* tn_context_default(void) {
  return &process_context;
}

static void read_process_environment(void) {
  process_context.environment_error = tn__environment_read(NULL, &process_context.environment);
}

tn_status_t tn__context_read_environment(tn_context_t* context) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (context == &process_context) pthread_once(&once, read_process_environment);
  const tn_status_t error = context->environment_error;
  if (!error) return TN_OK;
  return tn_status_create(tn_status_code(error), "%s", tn_status_message(error));
}

// --- life

static void enlist(tn_context_t* context) {
  tn__process_lock();
  context->next = process_context.next;
  process_context.next = context;
  tn__process_unlock();
}

static void delist(tn_context_t* context) {
  tn__process_lock();
  tn_context_t** link = &process_context.next;
  while (*link != context) link = &(*link)->next;
  *link = context->next;
  tn__process_unlock();
}

tn_status_t tn_context_create(const tn_context_options_t* options, tn_context_t** out_context) {
  tn_context_options_t copy;
  tn_environment_t environment;
  tn_status_t status;
  void* memory = NULL;
  TN_RETURN_IF_NULL(out_context);
  *out_context = NULL;
  options = TN_OPTIONS_READ(tn_context_options_t, options, &copy, &status);
  TN_RETURN_IF_ERROR(status);
  const tn_allocator_t* allocator = options->allocator ? options->allocator : tn_allocator_system();
  TN_RETURN_IF_ERROR(tn__environment_read(options->environment, &environment));
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_context_t), &memory));
  tn_context_t* context = memory;
  atomic_init(&context->references, 1);
  atomic_init(&context->holders, 1);
  atomic_init(&context->call_timeout_ns, -1);
  atomic_init(&context->next_run_id, 1);
  atomic_init(&context->run_observer, 0);
  context->allocator = allocator;
  context->environment = environment;
  context->devices.thread_count = options->thread_count;
  context->devices.memory_limit_byte_size = options->memory_limit_byte_size;
  context->devices.cache_limit_byte_size = options->cache_limit_byte_size;
  enlist(context);
  *out_context = context;
  return TN_OK;
}

void tn__context_complete(const tn_context_t* context, tn_device_options_t* options) {
  const tn_device_options_t* devices = &context->devices;
  if (!options->thread_count) options->thread_count = devices->thread_count;
  if (!options->thread_count) options->thread_count = context->environment.thread_count;
  if (!options->memory_limit_byte_size) {
    options->memory_limit_byte_size = devices->memory_limit_byte_size;
  }
  if (!options->cache_limit_byte_size) {
    options->cache_limit_byte_size = devices->cache_limit_byte_size;
  }
}

tn_context_t* tn__context_hold(tn_context_t* context) {
  if (context->allocator) atomic_fetch_add(&context->holders, 1);
  return context;
}

void tn__context_let_go(tn_context_t* context) {
  if (!context->allocator || atomic_fetch_sub(&context->holders, 1) != 1) return;
  delist(context);
  drop_list(&context->registered);
  drop_list(&context->routines);
  tn__free(context->allocator, context, sizeof *context);
}

tn_context_t* tn_context_retain(tn_context_t* context) {
  if (!context || !context->allocator) return context;
  atomic_fetch_add(&context->references, 1);
  return tn__context_hold(context);
}

void tn_context_release(tn_context_t* context) {
  if (!context || !context->allocator) return;
  if (atomic_fetch_sub(&context->references, 1) == 1) tn__context_forget_defaults(context);
  tn__context_let_go(context);
}

uint32_t tn__context_libraries(tn_context_t* context) {
  tn_status_release(tn__context_read_environment(context));
  return context->environment.libraries;
}

void tn_kernel_library_enumerate(tn_kernel_library_visit_fn visit, void* user) {
  tn__kernel_library_enumerate(tn__context_libraries(tn_context_default()), visit, user);
}
