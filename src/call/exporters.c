// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Names of custom calls that exporters use for kernels of other platforms, so that the error for
// one that nothing is registered for says where the program can run.
#include "call/registry.h"

static const struct {
  const char* name;
  bool is_prefix;
  const char* platform;  // of jax.export
} exported[] = {
    {"cusolver_", true, "cuda"},
    {"cublas_", true, "cuda"},
    {"cusparse_", true, "cuda"},
    {"cu_", true, "cuda"},
    {"hip", true, "rocm"},
    {"rocsolver_", true, "rocm"},
    {"mosaic_gpu", true, "cuda"},
    {"__gpu$", true, "cuda"},
    {"triton_kernel_call", true, "cuda"},
    {"Eigh", false, "tpu"},
    {"Qr", false, "tpu"},
    {"LuDecomposition", false, "tpu"},
    {"ProductOfElementaryHouseholderReflectors", false, "tpu"},
    {"tpu_custom_call", false, "tpu"},
};

const char* tn__call_exported_platform(tn_string_view_t name) {
  for (size_t i = 0; i < sizeof exported / sizeof *exported; ++i) {
    const size_t length = strlen(exported[i].name);
    const bool begins_so =
        name.length >= length && memcmp(name.data, exported[i].name, length) == 0;
    if (begins_so && (exported[i].is_prefix || name.length == length)) return exported[i].platform;
  }
  return NULL;
}
