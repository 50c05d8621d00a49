// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A call against what its target declares (<tenon/custom.h>), before anything runs.
#ifndef TENON_CALL_CHECK_H_
#define TENON_CALL_CHECK_H_

#include "call/target.h"
#include "ops/attr.h"

// Operands and results are leaves. *out_attrs (in `arena`) is `attrs` as the handler will get them:
// with defaults in the place of what was left out, and numbers of the declared width where that is
// exact. Messages name the parameter. What `is_probed` of a handler (probed.h) has no names for
// values and takes scalars of one width.
TN_MUST_USE tn_status_t tn__call_check(const tn_ffi_op_t* op, bool is_probed, size_t operand_count,
                                       const tn_type_t* const* operands, size_t result_count,
                                       const tn_type_t* const* results,
                                       const tn_attr_dictionary_t* attrs, tn_arena_t* arena,
                                       tn_attr_dictionary_t* out_attrs);

// The operands and results alone.
TN_MUST_USE tn_status_t tn__call_check_types(const tn_ffi_op_t* op, size_t operand_count,
                                             const tn_type_t* const* operands, size_t result_count,
                                             const tn_type_t* const* results);

// The attributes alone.
TN_MUST_USE tn_status_t tn__call_fit_attributes(const tn_ffi_op_t* op, bool is_probed,
                                                const tn_attr_dictionary_t* attrs,
                                                tn_arena_t* arena, tn_attr_dictionary_t* out_attrs);

// How many operands (TN_FFI_PARAM_ARG) or results (TN_FFI_PARAM_RET) there are, leaves.
TN_MUST_USE tn_status_t tn__call_check_count(const tn_ffi_op_t* op, int32_t kind, size_t found);

#endif  // TENON_CALL_CHECK_H_
