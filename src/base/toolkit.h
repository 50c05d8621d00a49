// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Libraries of CUDA's toolkit, which are found at run time: what the process has loaded already,
// what the loader finds, and the folders where the toolkit and its Python packages put them.
#ifndef TENON_BASE_TOOLKIT_H_
#define TENON_BASE_TOOLKIT_H_

#include <stddef.h>

typedef struct tn_toolkit_library {
  const char* name;     // "nvrtc"
  const char* package;  // the Python package that has it, before CUDA 13: "cuda_nvrtc"
  const char* purpose;  // for the reason: "CUDA's compiler"
} tn_toolkit_library_t;

enum { TN_TOOLKIT_SONAME_SIZE = 32, TN_TOOLKIT_REASON_SIZE = 1024 };

// Of the greatest major version up to `newest`, down to 11, as a driver takes libraries of its own
// major version and of earlier ones. Stays loaded. NULL: `out_reason` says where it was looked for.
// Both texts have the size that is named above.
void* tn__toolkit_load(const tn_toolkit_library_t* library, int newest, char* out_soname,
                       char* out_reason);

#endif  // TENON_BASE_TOOLKIT_H_
