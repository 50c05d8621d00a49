// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operands and results of a typed call, as its frame has them.
#ifndef TENON_CALL_BUFFERS_H_
#define TENON_CALL_BUFFERS_H_

#include "call/site.h"

typedef struct tn_call_buffers {
  tn_ffi_buffer_t* buffers;  // operands, then results, without data
  int32_t* types;            // of the values: all are buffers
} tn_call_buffers_t;

// In the arena of the site.
TN_MUST_USE tn_status_t tn__call_buffers_make(const tn_call_site_t* call, tn_call_buffers_t* out);

// Of operand `index`, or, behind the operands, of a result.
static inline const tn_type_t* tn__call_value_type(const tn_call_site_t* call, size_t index) {
  return index < call->operand_count ? call->operands[index]
                                     : call->results[index - call->operand_count];
}

#endif  // TENON_CALL_BUFFERS_H_
