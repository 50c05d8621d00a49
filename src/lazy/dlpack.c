// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays as DLPack tensors.
#include "device/dlpack.h"

#include "lazy/array.h"

// Evaluates the array, and describes its elements in the buffer of its root.
static tn_status_t layout_of(tn_array_t* array, int64_t strides[TN_MAX_RANK],
                             tn_dlpack_layout_t* out_layout) {
  TN_RETURN_IF_ERROR(tn_array_eval(1, &array));
  const int64_t byte_size = (int64_t)tn_dtype_byte_size(array->dtype);
  for (size_t d = 0; d < array->rank; ++d) strides[d] = array->strides[d] / byte_size;
  // A slice without elements may begin behind the end of its root.
  const int64_t byte_offset = tn_array_size(array) ? array->byte_offset : 0;
  *out_layout = (tn_dlpack_layout_t){.dtype = array->dtype,
                                     .rank = array->rank,
                                     .dims = array->dims,
                                     .strides = strides,
                                     .byte_offset = byte_offset};
  return TN_OK;
}

tn_status_t tn_array_to_dlpack(tn_array_t* array, tn_dl_managed_t** out_tensor) {
  int64_t strides[TN_MAX_RANK];
  tn_dlpack_layout_t layout;
  *out_tensor = NULL;
  TN_RETURN_IF_NULL(array);
  TN_RETURN_IF_ERROR(layout_of(array, strides, &layout));
  return tn__dlpack_lend(tn__array_root(array)->buffer, &layout, out_tensor);
}

tn_status_t tn_array_to_dlpack_versioned(tn_array_t* array, tn_dl_versioned_t** out_tensor) {
  int64_t strides[TN_MAX_RANK];
  tn_dlpack_layout_t layout;
  *out_tensor = NULL;
  TN_RETURN_IF_NULL(array);
  TN_RETURN_IF_ERROR(layout_of(array, strides, &layout));
  return tn__dlpack_lend_versioned(tn__array_root(array)->buffer, &layout, out_tensor);
}
