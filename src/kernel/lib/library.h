// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Libraries that compute some operations better than portable C does. Each is optional: its soname
// is found when Tenon is configured, and it is loaded when the first program has work for it.
//
// A context says which of them may be used; what is loaded is loaded for the process. Results are
// the same from run to run and for any number of threads either way, but not to the last bit with
// and without a library.
#ifndef TENON_KERNEL_LIB_LIBRARY_H_
#define TENON_KERNEL_LIB_LIBRARY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/detail/ops.h>
#include <tenon/detail/status.h>

typedef enum tn_kernel_library_id {
#define TN_KERNEL_LIBRARY_ROW(NAME, ...) TN_KERNEL_##NAME,
#include "kernel/lib/libraries.def"
#undef TN_KERNEL_LIBRARY_ROW
  TN_KERNEL_LIBRARY_COUNT
} tn_kernel_library_id_t;

typedef struct tn_kernel_library_facts {
  const char* name;     // "openblas"
  const char* soname;   // NULL: not found when Tenon was configured
  const char* package;  // Debian's; NULL: it has none
  const char* purpose;
} tn_kernel_library_facts_t;

const tn_kernel_library_facts_t* tn__kernel_library_facts(tn_kernel_library_id_t library);

// Why the library may not be used, of those that are `allowed` (bit i: library i): static text;
// NULL: nothing speaks against it so far. Loads nothing.
const char* tn__kernel_library_refusal(size_t library, uint32_t allowed);
// The set of the libraries that a list names, as TENON_LIBRARIES has it; NULL: of all.
// INVALID_ARGUMENT for a name that no library has.
TN_MUST_USE tn_status_t tn__kernel_libraries_parse(const char* list, uint32_t* out_set);
// Visits all libraries, and loads those that are allowed.
void tn__kernel_library_enumerate(uint32_t allowed, tn_kernel_library_visit_fn visit, void* user);

// A function of a library, and where its address goes.
typedef struct tn_kernel_symbol {
  const char* name;
  void* place;
} tn_kernel_symbol_t;

// Loads the library, for good, and finds its functions. NULL on success, else why not: static text.
// Not thread-safe for one library: call it under pthread_once.
const char* tn__kernel_library_load(tn_kernel_library_id_t library, size_t symbol_count,
                                    const tn_kernel_symbol_t* symbols, void** out_handle);

#endif  // TENON_KERNEL_LIB_LIBRARY_H_
