// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a DLPack tensor is in Tenon's terms.
#ifndef TENON_DEVICE_DLPACK_H_
#define TENON_DEVICE_DLPACK_H_

#include <tenon/dlpack.h>

typedef struct tn_dlpack_view {
  tn_dtype_t dtype;
  char* data;     // of element [0, 0, ...]; NULL: there are no elements
  bool is_dense;  // row-major without gaps
} tn_dlpack_view_t;

// Checks all that the tensor says of itself.
TN_MUST_USE tn_status_t tn__dlpack_view(const tn_dl_tensor_t* tensor, uint64_t flags,
                                        tn_dlpack_view_t* out_view);

// Elements of a buffer that a tensor shows.
typedef struct tn_dlpack_layout {
  tn_dtype_t dtype;
  size_t rank;
  const int64_t* dims;
  const int64_t* strides;  // in elements, of either sign
  int64_t byte_offset;     // of element [0, 0, ...] from the buffer's first
} tn_dlpack_layout_t;

// A tensor over the buffer, which stays mapped until the deleter is called.
TN_MUST_USE tn_status_t tn__dlpack_lend(tn_buffer_t* buffer, const tn_dlpack_layout_t* layout,
                                        tn_dl_managed_t** out_tensor);
TN_MUST_USE tn_status_t tn__dlpack_lend_versioned(tn_buffer_t* buffer,
                                                  const tn_dlpack_layout_t* layout,
                                                  tn_dl_versioned_t** out_tensor);

#endif  // TENON_DEVICE_DLPACK_H_
