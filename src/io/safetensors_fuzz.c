// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as the header of a safetensors file.
#include "base/testing_fuzz.h"
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_safetensor_t tensor;
  tn_status_t status =
      tn__safetensors_find("fuzz", size ? (const char*)data : "", size, "x", &tensor);
  if (!status && (tensor.begin > tensor.end || tensor.rank > TN_MAX_RANK)) __builtin_trap();
  tn_status_release(status);
  return 0;
}
