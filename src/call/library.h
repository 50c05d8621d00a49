// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Shared libraries with custom calls.
#ifndef TENON_CALL_LIBRARY_H_
#define TENON_CALL_LIBRARY_H_

#include <tenon/detail/context.h>

#include "base/status.h"
#include "base/view.h"
#include "base/visibility.h"

// Reference counted, thread-safe; closed with the last reference, under no lock.
typedef struct tn_library tn_library_t;

// Opens the file; a name without a slash is one in the current folder, if there is such a file,
// else one that the system looks for. Its initialisers run before this returns; what they register
// belongs to the library (tn__library_loading). A file that has been replaced since it was loaded
// under this path is loaded as a library of its own, beside the old one; one that was overwritten
// in place is refused (FAILED_PRECONDITION).
// Its initialisers register in `context`, unless they say another; NULL: the default one.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__library_open(tn_context_t* context,
                                                        tn_string_view_t path,
                                                        tn_library_t** out_library);
tn_library_t* tn__library_retain(tn_library_t* library);
TN_FOR_INSPECT void tn__library_release(tn_library_t* library);
// Keeps it open indefinitely: threads of its own may run its code when nothing of it is needed.
void tn__library_pin(tn_library_t* library);

const char* tn__library_path(const tn_library_t* library);  // as it was given
// NULL when it does not export the symbol.
TN_FOR_INSPECT void* tn__library_symbol(const tn_library_t* library, const char* name);
// Visits what it exports (tn__elf_visit_functions).
TN_FOR_INSPECT void tn__library_visit_exports(const tn_library_t* library,
                                              bool (*visit)(void* user, const char* name),
                                              void* user);
// Both stand for the same loaded file.
bool tn__library_same(const tn_library_t* a, const tn_library_t* b);

// The library whose initialisers run on this thread now; NULL: none does.
tn_library_t* tn__library_loading(void);
// An error of its initialisers (taken; NULL: none), which cannot return it: the first one is kept,
// for tn__library_take_error. Nothing if `library` is NULL.
void tn__library_set_error(tn_library_t* library, tn_status_t status);
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__library_take_error(tn_library_t* library);
// The context that it is loaded for; NULL: the default one, or none does.
tn_context_t* tn__library_context(void);

#endif  // TENON_CALL_LIBRARY_H_
