// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the decoder of a handler that is built with XLA's headers said of a call that it refused, in
// the words of the call: which operand, result or attribute it is, and what it is.
#ifndef TENON_CALL_MISMATCH_H_
#define TENON_CALL_MISMATCH_H_

#include "base/status.h"
#include "call/abi.h"
#include "ops/attr.h"

typedef struct tn_refused_call {
  size_t operand_count, result_count;
  const tn_type_t* const* types;  // of the operands, then of the results
  const tn_ffi_attrs_t* attrs;    // as the handler was given them
  const tn_attr_dictionary_t* given;
} tn_refused_call_t;

// The error with a note for each mismatch that is found in its message; without, if it is about
// something else. Takes `status` and returns it.
tn_status_t tn__mismatch_explain(tn_status_t status, const tn_refused_call_t* call);

#endif  // TENON_CALL_MISMATCH_H_
