// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The header of a safetensors file.
#ifndef TENON_IO_SAFETENSORS_H_
#define TENON_IO_SAFETENSORS_H_

#include <tenon/detail/type.h>

#include "base/view.h"

typedef struct tn_safetensor {
  tn_dtype_t dtype;             // INVALID: none of Tenon's
  tn_string_view_t dtype_name;  // in the header
  size_t rank;
  int64_t dims[TN_MAX_RANK];
  uint64_t begin, end;  // of its bytes, behind the header
} tn_safetensor_t;

// Reads the whole header, which is `length` bytes of JSON, and finds one tensor. `path` is for
// messages.
TN_MUST_USE tn_status_t tn__safetensors_find(const char* path, const char* header, size_t length,
                                             const char* name, tn_safetensor_t* out_tensor);

#endif  // TENON_IO_SAFETENSORS_H_
