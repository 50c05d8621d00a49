// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What readers and writers of safetensors files share.
#ifndef TENON_IO_SAFETENSORS_H_
#define TENON_IO_SAFETENSORS_H_

#include <tenon/detail/dtype.h>

enum { TN_SAFETENSORS_PREFIX = 8, TN_SAFETENSORS_DTYPE_COUNT = 19 };

typedef struct tn_safetensors_dtype {
  const char* name;
  tn_dtype_t dtype;
} tn_safetensors_dtype_t;
extern const tn_safetensors_dtype_t tn__safetensors_dtypes[TN_SAFETENSORS_DTYPE_COUNT];

#endif  // TENON_IO_SAFETENSORS_H_
