// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Types of the objects that handlers keep with us: states of stages, and user data. Each has an id
// that is unique in the process.
#ifndef TENON_CALL_TYPES_H_
#define TENON_CALL_TYPES_H_

#include <tenon/detail/call.h>

#include "base/status.h"
#include "base/view.h"
#include "call/abi.h"

// `*id` 0: a new one, which is written there; otherwise that one. `library` says whose type it is
// (compared only): another library may take over a name. ALREADY_EXISTS when the name or the id is
// taken; the same registration again is fine.
TN_MUST_USE tn_status_t tn__type_register(tn_string_view_t name, void (*deleter)(void* object),
                                          const void* library, int64_t* id);

typedef enum tn_type_lookup {
  TN_TYPE_UNKNOWN,
  TN_TYPE_WITHOUT_DELETER,
  TN_TYPE_OF_STATES,
} tn_type_lookup_t;
// The name it was registered with, less the address that TN_STATE adds; for the life of the
// process. NULL: there is none.
const char* tn__type_name(int64_t id);
// What kind of type the id has; *out_deleter is set for TYPE_OF_STATES.
tn_type_lookup_t tn__type_find(int64_t id, void (**out_deleter)(void* object));

// The deleter that a library gives with a type; NULL: none. The pointer may be anything: it is
// beyond the size of a request, where a library that was built before there was such a field leaves
// whatever is on its stack; and the struct of jaxlib 0.8.0 was a smaller one.
void (*tn__type_deleter(const tn_ffi_type_info_t* info))(void* object);

#endif  // TENON_CALL_TYPES_H_
