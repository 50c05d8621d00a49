// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/array.h"

#include <tenon/detail/program.h>

#include "base/process.h"
#include "base/type.h"
#include "call/fitted.h"

// --- life

static size_t byte_size_of_rank(size_t rank) {
  return sizeof(tn_array_t) + 2 * rank * sizeof(int64_t);
}

static size_t array_byte_size(const tn_array_t* array) {
  return byte_size_of_rank(array->dtype == TN_DTYPE_INVALID ? TN_MAX_RANK : array->rank);
}

tn_array_t* tn__array_create(tn_evaluator_t* evaluator, tn_dtype_t dtype, size_t rank,
                             const int64_t* dims) {
  void* memory = NULL;
  tn_status_t status = tn__allocate(evaluator->allocator, byte_size_of_rank(rank), &memory);
  if (status) {
    tn_status_release(status);
    return NULL;
  }
  tn_array_t* array = memory;
  atomic_init(&array->references, 1);
  array->evaluator = tn__evaluator_retain(evaluator);
  array->dtype = dtype;
  array->rank = (uint32_t)rank;
  array->strides = array->dims + rank;
  int64_t stride = (int64_t)tn_dtype_byte_size(dtype);
  for (size_t i = rank; i-- > 0;) {
    array->dims[i] = dims[i];
    array->strides[i] = stride;
    stride *= dims[i];
  }
  return array;
}

tn_array_t* tn__array_create_ready(tn_evaluator_t* evaluator, tn_buffer_t* buffer) {
  tn_array_t* array = tn__array_create(evaluator, tn_buffer_dtype(buffer), tn_buffer_rank(buffer),
                                       tn_buffer_dims(buffer));
  if (!array) return NULL;
  array->buffer = tn_buffer_retain(buffer);
  atomic_init(&array->state, TN_ARRAY_READY);
  return array;
}

tn_array_t* tn__array_create_failed(tn_evaluator_t* evaluator, tn_failure_t* failure) {
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < TN_MAX_RANK; ++i) dims[i] = 1;
  tn_array_t* array = tn__array_create(evaluator, TN_DTYPE_INVALID, TN_MAX_RANK, dims);
  if (!array) {
    tn__failure_release(failure);
    return NULL;
  }
  array->rank = TN_FAILED_RANK;
  array->failure = failure;
  atomic_init(&array->state, TN_ARRAY_FAILED);
  return array;
}

tn_array_t* tn_array_retain(tn_array_t* array) {
  if (array) atomic_fetch_add_explicit(&array->references, 1, memory_order_relaxed);
  return array;
}

bool tn__array_retain_if_alive(tn_array_t* array) {
  unsigned references = atomic_load(&array->references);
  while (references) {
    if (atomic_compare_exchange_weak(&array->references, &references, references + 1)) return true;
  }
  return false;
}

tn_step_t* tn__step_retain(tn_step_t* step) {
  if (step) atomic_fetch_add_explicit(&step->references, 1, memory_order_relaxed);
  return step;
}

// Graphs are deep: what dies is put on a list, not on the stack.
static void drop_step(tn_step_t* step, tn_step_t** dead) {
  if (!step || atomic_fetch_sub(&step->references, 1) != 1) return;
  step->next_dead = *dead;
  *dead = step;
}

// A step with several results knows them.
static void forget_result(tn_array_t* array) {
  tn_step_t* step = array->step;
  if (!step || step->result_count == 1 || tn__process_is_forked()) return;
  pthread_mutex_lock(&array->evaluator->mutex);
  if (step->results[array->index] == array) step->results[array->index] = NULL;
  pthread_mutex_unlock(&array->evaluator->mutex);
}

static void drop_array(tn_array_t* array, tn_step_t** dead) {
  if (!array || atomic_fetch_sub(&array->references, 1) != 1) return;
  tn_evaluator_t* evaluator = array->evaluator;
  forget_result(array);
  drop_step(array->step, dead);
  tn_buffer_release(array->buffer);
  tn__failure_release(array->failure);
  tn__free(evaluator->allocator, array, array_byte_size(array));
  tn__evaluator_release(evaluator);
}

static void bury(tn_step_t* dead) {
  while (dead) {
    tn_step_t* step = dead;
    dead = step->next_dead;
    tn__op_release(step->op);
    tn__fitted_release(step->fitted);
    tn_program_release(step->program);
    if (step->excerpt) tn_module_release(step->excerpt->module);
    if (step->body) tn_module_release(step->body->function->module);
    tn_stream_release(step->stream);
    tn_evaluator_t* evaluator = step->evaluator;
    for (size_t i = 0; i < step->operand_count; ++i) drop_array(step->operands[i], &dead);
    tn__arena_deinit(&step->arena);
    tn__free(evaluator->allocator, step, tn__step_byte_size(step->operand_count));
    tn__evaluator_release(evaluator);
  }
}

void tn__step_release(tn_step_t* step) {
  tn_step_t* dead = NULL;
  drop_step(step, &dead);
  bury(dead);
}

void tn_array_assign(tn_array_t** variable, tn_array_t* array) {
  tn_array_t* previous = *variable;
  *variable = array ? tn_array_retain(array) : NULL;
  tn_array_release(previous);
}

void tn_array_release(tn_array_t* array) {
  tn_step_t* dead = NULL;
  drop_array(array, &dead);
  bury(dead);
}

tn_step_t* tn__array_detach(tn_array_t* array) {
  tn_step_t* step = array->step;
  if (!step) return NULL;
  if (step->results && step->results[array->index] == array) step->results[array->index] = NULL;
  array->step = NULL;
  return step;
}

// --- what it is

tn_dtype_t tn_array_dtype(const tn_array_t* array) {
  return array ? array->dtype : TN_DTYPE_INVALID;
}

size_t tn_array_rank(const tn_array_t* array) {
  return array && array->dtype != TN_DTYPE_INVALID ? array->rank : 0;
}

const int64_t* tn_array_dims(const tn_array_t* array) {
  return tn_array_rank(array) ? array->dims : NULL;
}

int64_t tn_array_dim(const tn_array_t* array, int64_t axis) {
  int64_t rank = (int64_t)tn_array_rank(array);
  if (axis < 0) axis += rank;
  return axis >= 0 && axis < rank ? array->dims[axis] : 0;
}

int64_t tn_array_size(const tn_array_t* array) {
  if (!array || array->dtype == TN_DTYPE_INVALID) return 0;
  int64_t size = 1;
  for (size_t i = 0; i < array->rank; ++i) size *= array->dims[i];
  return size;
}

size_t tn_array_byte_size(const tn_array_t* array) {
  return (size_t)tn_array_size(array) * tn_dtype_byte_size(tn_array_dtype(array));
}

tn_device_t* tn_array_device(const tn_array_t* array) {
  if (!array || !array->evaluator) return NULL;
  tn_evaluator_t* evaluator = array->evaluator;
  tn_array_t* root = tn__array_root((tn_array_t*)array);
  tn_device_t* device = NULL;
  pthread_mutex_lock(&evaluator->mutex);
  if (root->buffer) {
    device = tn_buffer_device(root->buffer);
  } else if (root->step) {
    device = tn__step_device(root->step);
  }
  pthread_mutex_unlock(&evaluator->mutex);
  return device;
}

tn_status_t tn_array_status(const tn_array_t* array) {
  TN_RETURN_IF_NULL(array);
  const tn_array_t* root = tn__array_root((tn_array_t*)array);
  return tn__array_state(root) == TN_ARRAY_FAILED ? tn__failure_report(root->failure) : TN_OK;
}

bool tn_array_is_evaluated(const tn_array_t* array) {
  if (!array) return false;
  return tn__array_state(tn__array_root((tn_array_t*)array)) != TN_ARRAY_PENDING;
}

// --- views

tn_array_t* tn__array_root(tn_array_t* array) {
  while (array->flags & TN_ARRAY_VIEW) array = array->step->operands[0];
  return array;
}

// How far apart the first two elements along a dimension are.
static int64_t step_of(const tn_array_t* array, size_t d) {
  return array->strides[d] < 0 ? -array->strides[d] : array->strides[d];
}

// Along each dimension a step must leave behind all that the dimensions of smaller steps reach.
bool tn__array_overlaps_itself(const tn_array_t* array) {
  if (!(array->flags & TN_ARRAY_VIEW) || tn_array_size(array) == 0) return false;
  for (size_t d = 0; d < array->rank; ++d) {
    int64_t reach = (int64_t)tn_dtype_byte_size(array->dtype);
    for (size_t e = 0; e < array->rank; ++e) {
      if (e != d && step_of(array, e) <= step_of(array, d)) {
        reach += (array->dims[e] - 1) * step_of(array, e);
      }
    }
    if (array->dims[d] > 1 && step_of(array, d) < reach) return true;
  }
  return false;
}

// Dimensions of 1 may have any stride.
bool tn__array_is_dense(const tn_array_t* array) {
  if (array->byte_offset) return false;
  if (tn_array_size(array) == 0) return true;
  int64_t stride = (int64_t)tn_dtype_byte_size(array->dtype);
  for (size_t i = array->rank; i-- > 0;) {
    if (array->dims[i] != 1 && array->strides[i] != stride) return false;
    stride *= array->dims[i];
  }
  return true;
}
