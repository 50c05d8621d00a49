// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory that handlers ask for while they run, and that is taken back when they are done.
#ifndef TENON_CALL_SCRATCH_H_
#define TENON_CALL_SCRATCH_H_

#include "call/context.h"

// `alignment` is a power of two; 0 bytes give memory, too. Externally synchronised, like the
// context: a handler asks from one thread at a time.
TN_MUST_USE tn_status_t tn__scratch_allocate(tn_ffi_context_t* context, size_t byte_size,
                                             size_t alignment, void** out_data);
// INVALID_ARGUMENT when `data` is not what this call has allocated.
TN_MUST_USE tn_status_t tn__scratch_free(tn_ffi_context_t* context, const void* data);
void tn__scratch_free_all(tn_ffi_context_t* context);

#endif  // TENON_CALL_SCRATCH_H_
