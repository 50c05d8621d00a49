// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The libraries, for users of the library.
#include "kernel/lib/cublas.h"
#include "kernel/lib/library.h"
#include "kernel/lib/onednn.h"
#include "kernel/lib/openblas.h"

typedef const char* (*version_fn)(const char** out_reason);

static const version_fn versions[] = {
#define TN_KERNEL_LIBRARY_ROW(NAME, name, soname, package, purpose, version) version,
#include "kernel/lib/libraries.def"
#undef TN_KERNEL_LIBRARY_ROW
};

void tn__kernel_library_enumerate(uint32_t allowed, tn_kernel_library_visit_fn visit, void* user) {
  for (int i = 0; i < TN_KERNEL_LIBRARY_COUNT; ++i) {
    const tn_kernel_library_facts_t* facts = tn__kernel_library_facts((tn_kernel_library_id_t)i);
    const char* reason = tn__kernel_library_refusal((size_t)i, allowed);
    const char* version = reason ? NULL : versions[i](&reason);
    const tn_kernel_library_info_t info = {
        .struct_size = sizeof info,
        .name = facts->name,
        .purpose = facts->purpose,
        .package = facts->package,
        .soname = facts->soname,
        .is_used = version != NULL,
        .state = version ? version : reason,
    };
    if (!visit(user, &info)) return;
  }
}
