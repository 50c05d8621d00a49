// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The signature of a handler without metadata, as inferred by probe calls (libtenon_inspect): calls
// are checked against it, and tools show it.
#ifndef TENON_CALL_PROBED_H_
#define TENON_CALL_PROBED_H_

#include <stdbool.h>

#include "call/abi.h"

typedef struct tn_probed {
  // Operands and results have empty names, and no dtypes if they are unresolved; attributes have
  // neither a type nor dtypes then. NULL: nothing could be inferred.
  const tn_ffi_op_t* op;
  bool takes_any_attributes;      // no stage binds attributes by name
  const char* stages;             // of the other stages: "instantiate(start: int64_t)"; "": none
  const char* required_services;  // "stream, run id"; "": none found
  const char* unresolved;         // what could not be inferred, and why; "": nothing
  bool is_confined;               // it was probed in a sandbox that allows computation only
  void (*destroy)(struct tn_probed* probed);
} tn_probed_t;

static inline void tn__probed_free(tn_probed_t* probed) {
  if (probed) probed->destroy(probed);
}

#endif  // TENON_CALL_PROBED_H_
