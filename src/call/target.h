// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A registered function: what a custom call finds under its target's name.
#ifndef TENON_CALL_TARGET_H_
#define TENON_CALL_TARGET_H_

#include <stdatomic.h>
#include <tenon/operation.h>

#include "base/visibility.h"
#include "base/writer.h"
#include "call/abi.h"
#include "call/library.h"
#include "call/probed.h"

enum {
  TN_API_VERSION_LIMIT = 5,
  // Sets of api versions: bit v stands for version v.
  TN_TARGET_LEGACY = 1 << 1 | 1 << 2 | 1 << 3,
  TN_TARGET_TYPED = 1 << 4,
  TN_TARGET_ANY = TN_TARGET_LEGACY | TN_TARGET_TYPED,
};

// What a target is made of. Everything is copied or retained.
typedef struct tn_target_spec {
  tn_string_view_t name;
  tn_string_view_t platform;   // any spelling
  uint32_t versions;           // of calls that may use it
  tn_ffi_bundle_t bundle;      // typed
  tn_ffi_function_t function;  // legacy; NULL: bundle.execute
  uint32_t traits;
  const tn_ffi_op_t* op;  // its declaration, in the library; NULL: none
  tn_library_t* library;  // NULL: the process itself
  // What lazy arrays know of it; NULL: nothing. Copied; its user data goes with the target.
  const tn_op_def_t* definition;
} tn_target_spec_t;

// Whether a declaration that another library made can be read.
bool tn__op_is_good(const tn_ffi_op_t* op);

// As `op` declares it; of no library.
tn_target_spec_t tn__target_spec_of(const tn_ffi_op_t* op);

// What a handler says of itself.
typedef struct tn_handler_facts {
  int32_t minor;              // version 0.minor of the ABI; -1: not asked yet, or no answer
  int32_t instantiate_minor;  // of its instantiate stage
  uint32_t traits;
  int64_t state_type_id;  // of its instantiate stage; 0: none
  const tn_ffi_op_t* op;  // its declaration, of handlers from TN_OP; NULL: none
} tn_handler_facts_t;

// Reference counted; immutable. Retains its library.
typedef struct tn_target {
  atomic_uint references;
  tn_string_view_t name;  // followed by a NUL
  const char* platform;
  uint32_t versions;
  tn_ffi_bundle_t bundle;
  tn_ffi_function_t function;
  const tn_ffi_op_t* op;
  tn_probed_t* probed;  // the inferred signature; NULL: not probed
  tn_library_t* library;
  tn_op_def_t definition;  // struct_size 0: none
  tn_handler_facts_t facts;
  tn_status_t unusable_reason;  // why it cannot be called; NULL: it can
  bool is_from_start;           // its library registered it itself, while it was loaded
  size_t byte_size;
  char text[];
} tn_target_t;

// `unusable_reason` is taken.
TN_MUST_USE tn_status_t tn__target_create(const tn_target_spec_t* spec, const char* platform,
                                          const tn_handler_facts_t* facts,
                                          tn_status_t unusable_reason, tn_target_t** out_target);
tn_target_t* tn__target_retain(tn_target_t* target);
void tn__target_release(tn_target_t* target);

typedef enum tn_target_difference {
  TN_TARGET_SAME,
  TN_TARGET_OTHER_FUNCTION,    // of some stage
  TN_TARGET_OTHER_DEFINITION,  // the functions are the same
} tn_target_difference_t;

tn_target_difference_t tn__target_difference(const tn_target_t* a, const tn_target_t* b);

// A copy of the target, as a handler with an inferred signature (taken).
TN_MUST_USE tn_status_t tn__target_create_probed(const tn_target_t* target, tn_probed_t* probed,
                                                 tn_target_t** out_target);

// A fresh copy of the reason, since statuses collect notes and places.
TN_FOR_INSPECT tn_status_t tn__target_unusable_reason(const tn_target_t* target);

// "api version 4 (typed FFI)", "any legacy api version", ...
TN_FOR_INSPECT const char* tn__versions_text(uint32_t versions);

#endif  // TENON_CALL_TARGET_H_
