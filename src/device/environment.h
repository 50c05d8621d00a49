// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the environment says, read once for each context. No other file reads it.
#ifndef TENON_DEVICE_ENVIRONMENT_H_
#define TENON_DEVICE_ENVIRONMENT_H_

#include <stdint.h>

#include "base/status.h"

enum { TN_ENVIRONMENT_NAME_CAPACITY = 80, TN_ENVIRONMENT_PATH_CAPACITY = 320 };

typedef struct tn_environment {
  char device_name[TN_ENVIRONMENT_NAME_CAPACITY];  // TENON_DEVICE; "": not given
  int32_t thread_count;                            // TENON_NUM_THREADS; 0: not given
  uint32_t libraries;            // TENON_LIBRARIES: bit i stands for library i (kernel/lib)
  int64_t fusion_element_count;  // TENON_FUSION: the fewest elements; INT64_MAX: none are fused;
                                 // negative: not given
  // $XDG_CACHE_HOME/tenon/kernels, or ~/.cache/tenon/kernels; "": there is none
  char cache_folder[TN_ENVIRONMENT_PATH_CAPACITY];
} tn_environment_t;

// `list` has "NAME=VALUE" strings and a NULL behind them, the last of a name counting; NULL: the
// process's environment. INVALID_ARGUMENT names the variable that makes no sense.
TN_MUST_USE tn_status_t tn__environment_read(const char* const* list,
                                             tn_environment_t* out_environment);

#endif  // TENON_DEVICE_ENVIRONMENT_H_
