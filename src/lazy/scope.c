// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Scopes: who holds what operations return, and where their work goes.
#include <stdarg.h>
#include <stdio.h>
#include <tenon/detail/array_random.h>
#include <time.h>

#include "device/device.h"
#include "kernel/random/random.h"
#include "lazy/array.h"
#include "lazy/cache.h"

struct tn_scope {
  tn_evaluator_t* evaluator;  // retained
  tn_stream_t* stream;        // retained; NULL: the default
  size_t count, capacity;
  tn_array_t** arrays;    // retained
  tn_array_t* exhausted;  // what there is instead of an array when there is no memory
  bool is_exhausted;      // since the scope was cleared there was no memory once
  const char* operation;  // that errors are of, the outermost; NULL: what they say themselves
  const char* innermost;  // operation; NULL: none
  uint32_t key[2];        // of the next random numbers
};

static tn_status_t create(tn_evaluator_t* evaluator, tn_stream_t* stream, tn_scope_t** out_scope) {
  void* memory = NULL;
  *out_scope = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(evaluator->allocator, sizeof(tn_scope_t), &memory));
  tn_scope_t* scope = memory;
  tn_failure_t* failure = tn__failure_create(evaluator->allocator, tn__status_out_of_memory());
  scope->exhausted = tn__array_create_failed(evaluator, failure);
  if (!scope->exhausted) {
    tn__free(evaluator->allocator, scope, sizeof *scope);
    return tn__status_out_of_memory();
  }
  scope->evaluator = tn__evaluator_retain(evaluator);
  scope->stream = tn_stream_retain(stream);
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  tn_random_seed(scope, ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^
                            (uint64_t)(uintptr_t)scope);
  *out_scope = scope;
  return TN_OK;
}

tn_status_t tn_scope_create(tn_device_t* device, tn_scope_t** out_scope) {
  tn_evaluator_t* evaluator = NULL;
  *out_scope = NULL;
  tn_device_retain(device);
  if (!device) TN_RETURN_IF_ERROR(tn_default_device(&device));
  tn_status_t status = tn__evaluator_create(device, &evaluator);
  if (!status) status = create(evaluator, NULL, out_scope);
  tn__evaluator_release(evaluator);
  tn_device_release(device);
  return status;
}

tn_status_t tn_scope_create_nested(const tn_scope_t* outer, tn_scope_t** out_scope) {
  *out_scope = NULL;
  if (!outer)
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_scope_create_nested: outer is NULL");
  return create(outer->evaluator, outer->stream, out_scope);
}

void tn_scope_clear(tn_scope_t* scope) {
  if (!scope) return;
  // The last ones first: what was made of others goes before them.
  while (scope->count) tn_array_release(scope->arrays[--scope->count]);
  scope->is_exhausted = false;
}

void tn_scope_destroy(tn_scope_t* scope) {
  if (!scope) return;
  tn_scope_clear(scope);
  tn_evaluator_t* evaluator = scope->evaluator;
  tn_array_release(scope->exhausted);
  tn_stream_release(scope->stream);
  tn__free(evaluator->allocator, scope->arrays, scope->capacity * sizeof *scope->arrays);
  tn__free(evaluator->allocator, scope, sizeof *scope);
  tn__evaluator_release(evaluator);
}

static tn_array_t* exhausted(tn_scope_t* scope) {
  scope->is_exhausted = true;
  return scope->exhausted;
}

tn_array_t* tn__scope_give(tn_scope_t* scope, tn_array_t* array) {
  if (!array) return exhausted(scope);
  if (scope->count == scope->capacity) {
    void* arrays = scope->arrays;
    tn_status_t status = tn__grow(scope->evaluator->allocator, &arrays, &scope->capacity,
                                  scope->count + 1, sizeof *scope->arrays);
    scope->arrays = arrays;
    if (status) {
      tn_status_release(status);
      tn_array_release(array);
      return exhausted(scope);
    }
  }
  scope->arrays[scope->count++] = array;
  return array;
}

tn_array_t* tn_scope_adopt(tn_scope_t* scope, tn_array_t* array) {
  return tn__scope_give(scope, array);
}

tn_evaluator_t* tn__scope_evaluator(const tn_scope_t* scope) {
  return scope->evaluator;
}

tn_device_t* tn_scope_device(const tn_scope_t* scope) {
  return scope->stream ? tn_stream_device(scope->stream) : scope->evaluator->device;
}

tn_stream_t* tn_scope_stream(const tn_scope_t* scope) {
  return scope->stream;
}

tn_status_t tn_scope_set_stream(tn_scope_t* scope, tn_stream_t* stream) {
  TN_RETURN_IF_NULL(scope);
  const tn_device_t* device = scope->evaluator->device;
  if (stream && stream->device->context != device->context) {
    tn_status_t status = tn_status_create(TN_CODE_FAILED_PRECONDITION,
                                          "tn_scope_set_stream: the stream is on a device (%s) of "
                                          "another context than the scope (%s)",
                                          tn_device_name(stream->device), tn_device_name(device));
    return tn__device_explain(status, stream->device, device);
  }
  tn_stream_retain(stream);
  tn_stream_release(scope->stream);
  scope->stream = stream;
  return TN_OK;
}

void tn_scope_clear_cache(tn_scope_t* scope) {
  tn__graph_cache_clear(scope->evaluator->cache);
}

tn_status_t tn_scope_synchronize(tn_scope_t* scope) {
  return tn_scope_synchronize_until(scope, NULL);
}

tn_status_t tn_scope_synchronize_until(tn_scope_t* scope, tn_cancellation_t* cancellation) {
  TN_RETURN_IF_NULL(scope);
  tn_stream_t* stream = scope->stream;
  if (!stream) TN_RETURN_IF_ERROR(tn__evaluator_stream(scope->evaluator, &stream));
  return tn_stream_synchronize_until(stream, cancellation);
}

// --- random numbers

void tn_random_seed(tn_scope_t* scope, uint64_t seed) {
  scope->key[0] = (uint32_t)(seed >> 32);
  scope->key[1] = (uint32_t)seed;
}

// The key falls into two, as tn_array_random_split does it: the next one, and one to use.
void tn__scope_next_key(tn_scope_t* scope, uint32_t out_key[2]) {
  uint32_t pairs[2][2];
  for (uint32_t i = 0; i < 2; ++i) {
    tn__threefry(scope->key, (const uint32_t[]){i, i + 2}, pairs[i]);
  }
  for (int i = 0; i < 2; ++i) {
    scope->key[i] = pairs[i][0];
    out_key[i] = pairs[i][1];
  }
}

// --- errors

tn_array_t* tn_array_error(tn_scope_t* scope, tn_status_t status) {
  if (!status) status = tn_status_create(TN_CODE_INTERNAL, "an error array without an error");
  tn_failure_t* failure = tn__failure_create(scope->evaluator->allocator, status);
  return tn__scope_give(scope, tn__array_create_failed(scope->evaluator, failure));
}

// Whether the message is "name: ...".
static bool begins_with(const char* message, const char* name) {
  const size_t length = strlen(name);
  return strncmp(message, name, length) == 0 && message[length] == ':';
}

tn_array_t* tn__scope_refuse(tn_scope_t* scope, tn_status_t status) {
  if (scope->is_exhausted) {
    tn_status_release(status);
    return scope->exhausted;
  }
  if (scope->operation && !begins_with(tn_status_message(status), scope->operation)) {
    status = tn_status_prefix(status, "%s", scope->operation);
  }
  return tn_array_error(scope, status);
}

tn_operation_frame_t tn__operation_enter(tn_scope_t* scope, const char* name) {
  const tn_operation_frame_t entered = {scope, scope->innermost};
  if (!scope->operation) scope->operation = name;
  scope->innermost = name;
  return entered;
}

void tn__operation_leave(const tn_operation_frame_t* entered) {
  entered->scope->innermost = entered->previous;
  if (!entered->previous) entered->scope->operation = NULL;
}

const char* tn__scope_operation(const tn_scope_t* scope) {
  return scope->operation;
}

tn_array_t* tn__scope_fail(tn_scope_t* scope, tn_code_t code, const char* format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  tn_status_t status = tn_status_create(code, "%s", message);
  if (scope->innermost) status = tn_status_prefix(status, "%s", scope->innermost);
  return tn__scope_refuse(scope, status);
}

// Arrays of any scope can meet, of one context.
static bool can_meet(const tn_scope_t* scope, const tn_array_t* array) {
  return array->evaluator == scope->evaluator ||
         array->evaluator->device->context == scope->evaluator->device->context;
}

tn_status_t tn__scope_check(const tn_scope_t* scope, const char* operation, size_t count,
                            tn_array_t* const* arrays) {
  if (!scope) return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: scope is NULL", operation);
  if (!arrays && count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the list of arrays is NULL", operation);
  }
  for (size_t i = 0; i < count; ++i) {
    if (!arrays[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: operand %zu is NULL", operation, i);
    }
    if (!can_meet(scope, arrays[i])) {
      const tn_device_t *theirs = arrays[i]->evaluator->device, *ours = scope->evaluator->device;
      tn_status_t status = tn_status_create(
          TN_CODE_INVALID_ARGUMENT, "%s: operand %zu was made in a scope on %s, this one is on %s",
          operation, i, tn_device_name(theirs), tn_device_name(ours));
      return tn__device_explain(status, theirs, ours);
    }
    if (tn__array_state(arrays[i]) == TN_ARRAY_FAILED) return tn_array_status(arrays[i]);
  }
  return TN_OK;
}

// The error of an operand, which is that of the result. One of another graph is copied: its memory
// is of another device.
static tn_array_t* hand_on(tn_scope_t* scope, const tn_array_t* operand) {
  if (operand->evaluator != scope->evaluator) {
    return tn_array_error(scope, tn_array_status(operand));
  }
  tn_failure_t* failure = tn__failure_retain(operand->failure);
  return tn__scope_give(scope, tn__array_create_failed(scope->evaluator, failure));
}

tn_array_t* tn__check_operands(tn_scope_t* scope, size_t count, tn_array_t* const* arrays) {
  for (size_t i = 0; i < count; ++i) {
    const bool can_be = arrays && arrays[i] && can_meet(scope, arrays[i]);
    if (!can_be) {
      return tn__scope_refuse(scope, tn__scope_check(scope, scope->innermost, i + 1, arrays));
    }
    if (tn__array_state(arrays[i]) == TN_ARRAY_FAILED) return hand_on(scope, arrays[i]);
  }
  return NULL;
}

tn_array_t* tn__scope_own(tn_scope_t* scope, const char* operation, tn_array_t* array) {
  tn_array_t* own = NULL;
  if (array->evaluator == scope->evaluator) return array;
  tn_status_t status = tn__scope_check(scope, operation, 1, &array);
  if (!status) status = tn__array_enter(scope->evaluator, array, &own);
  return status ? tn__scope_refuse(scope, status) : tn__scope_give(scope, own);
}
