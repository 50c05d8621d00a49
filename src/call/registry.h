// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What is registered in a context (NULL: the default one), by name. Thread-safe.
#ifndef TENON_CALL_REGISTRY_H_
#define TENON_CALL_REGISTRY_H_

#include <tenon/detail/call.h>

#include "base/visibility.h"
#include "call/operation.h"

typedef enum tn_register_mode {
  TN_REGISTER_STRICT,   // what cannot be called is refused
  TN_REGISTER_LENIENT,  // is registered, and tells why when a program wants it
} tn_register_mode_t;

// Registers a target. ALREADY_EXISTS if a different function or definition has its name on its
// platform, unless it is of a library that has been rebuilt and is loaded again. Asks handlers for
// their metadata.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__registry_add(tn_context_t* context,
                                                        const tn_target_spec_t* spec,
                                                        tn_register_mode_t mode);

// The operation, retained; NULL when there is none.
TN_FOR_INSPECT const tn_op_t* tn__registry_find(tn_context_t* context, tn_string_view_t name);
// Why there is none: near names, other platforms.
TN_FOR_INSPECT tn_status_t tn__registry_miss(tn_context_t* context, tn_string_view_t name,
                                             const char* platform);
// The platform that jax.export writes calls of that name for, if it is not the host; NULL: none is
// known (exporters.c).
const char* tn__call_exported_platform(tn_string_view_t name);

// Stores an inferred signature (taken) with a registered target without metadata, which is a
// handler from then on. Does nothing when something else was registered in its place meanwhile.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__registry_set_probed(tn_context_t* context,
                                                               const tn_target_t* target,
                                                               tn_probed_t* probed);

// Registers in the context what this library, or one that is the same loaded file, registered
// itself in another while it was loaded: its initialisers do not run again. `*out_has` says whether
// there is anything of the kind in the context then.
TN_MUST_USE tn_status_t tn__registry_add_from_start(tn_context_t* context,
                                                    const tn_library_t* library, bool* out_has);

// Takes away what this library registered itself while it was loaded.
void tn__registry_remove_from_start(tn_context_t* context, const tn_library_t* library);

// tn_target_register_at_start, of which there is one in libtenon_xla too: never that one.
void tn__register_at_start(const char* name, const char* platform, tn_target_function_t function);

#endif  // TENON_CALL_REGISTRY_H_
