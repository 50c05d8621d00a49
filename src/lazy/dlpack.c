// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays as DLPack tensors.
#include "device/dlpack.h"

#include "lazy/array.h"
#include "ops/view.h"

// Consumers take the bytes from the first element on, or write in a copy of the same layout:
// elements that share memory with each other are made dense. The array keeps that buffer, so that
// this happens once. A view.
static tn_status_t dense_buffer(tn_array_t* array, tn_buffer_t** out_buffer) {
  pthread_mutex_t* mutex = &array->evaluator->mutex;
  tn_buffer_t* made = NULL;
  pthread_mutex_lock(mutex);
  *out_buffer = array->buffer;
  pthread_mutex_unlock(mutex);
  if (*out_buffer) return TN_OK;
  TN_RETURN_IF_ERROR(tn_array_to_buffer(array, &made));
  pthread_mutex_lock(mutex);
  if (!array->buffer) {
    array->buffer = made;
    made = NULL;
  }
  *out_buffer = array->buffer;
  pthread_mutex_unlock(mutex);
  tn_buffer_release(made);  // another thread was first
  return TN_OK;
}

// Evaluates the array, and describes its elements in a buffer, a view.
static tn_status_t layout_of(tn_array_t* array, int64_t strides[TN_MAX_RANK],
                             tn_dlpack_layout_t* out_layout, tn_buffer_t** out_buffer) {
  const int64_t byte_size = (int64_t)tn_dtype_byte_size(array->dtype);
  TN_RETURN_IF_ERROR(tn_array_eval(1, &array));
  *out_layout = (tn_dlpack_layout_t){
      .dtype = array->dtype, .rank = array->rank, .dims = array->dims, .strides = strides};
  if (tn__array_overlaps_itself(array)) {
    tn__dense_strides(array->rank, array->dims, 1, strides);
    return dense_buffer(array, out_buffer);
  }
  for (size_t d = 0; d < array->rank; ++d) strides[d] = array->strides[d] / byte_size;
  // A slice without elements may begin behind the end of its root.
  if (tn_array_size(array)) out_layout->byte_offset = array->byte_offset;
  *out_buffer = tn__array_root(array)->buffer;
  return TN_OK;
}

tn_status_t tn_array_to_dlpack(tn_array_t* array, tn_dl_managed_t** out_tensor) {
  int64_t strides[TN_MAX_RANK];
  tn_dlpack_layout_t layout;
  tn_buffer_t* buffer = NULL;
  *out_tensor = NULL;
  TN_RETURN_IF_NULL(array);
  TN_RETURN_IF_ERROR(layout_of(array, strides, &layout, &buffer));
  return tn__dlpack_lend(buffer, &layout, out_tensor);
}

tn_status_t tn_array_to_dlpack_versioned(tn_array_t* array, tn_dl_versioned_t** out_tensor) {
  int64_t strides[TN_MAX_RANK];
  tn_dlpack_layout_t layout;
  tn_buffer_t* buffer = NULL;
  *out_tensor = NULL;
  TN_RETURN_IF_NULL(array);
  TN_RETURN_IF_ERROR(layout_of(array, strides, &layout, &buffer));
  return tn__dlpack_lend_versioned(buffer, &layout, out_tensor);
}
