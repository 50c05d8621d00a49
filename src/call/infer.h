// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The types of a call's results as its operation infers them: by `infer` of its definition, else by
// its signature.
#ifndef TENON_CALL_INFER_H_
#define TENON_CALL_INFER_H_

#include <tenon/operation.h>

#include "call/abi.h"
#include "call/site.h"
#include "ir/ir.h"

// What follows for a result.
typedef struct tn_inferred {
  tn_dtype_t dtype;     // INVALID: any
  bool has_shape;       // otherwise any
  size_t rank;          // of the shape
  const int64_t* dims;  // TN_DIM_DYNAMIC where sizes are unknown
} tn_inferred_t;

typedef struct tn_inference {
  const char* name;               // of the operation, for `infer`
  const tn_op_def_t* definition;  // NULL: none
  const tn_ffi_op_t* signature;   // NULL: none
  size_t attribute_count;         // fitted to the signature
  const tn_attribute_t* attributes;
  size_t operand_count, result_count;  // leaves
  const tn_type_t* const* operands;
  tn_arena_t* arena;  // for what it makes
} tn_inference_t;

// One entry for each result. `infer` is asked when all sizes of the operands are known.
TN_MUST_USE tn_status_t tn__call_infer(const tn_inference_t* inference, tn_inferred_t* out_results);

// Refuses results that contradict what is inferred; unknown dimensions contradict nothing. "result
// 0 (y): expected tensor<2x5xf32>; found tensor<5x5xf32>".
TN_MUST_USE tn_status_t tn__call_check_results(const tn_inference_t* inference,
                                               const tn_type_t* const* results);

// Of a call with these attributes, which fit the signature (NULL: there is none); in the arena of
// its site.
TN_MUST_USE tn_status_t tn__call_inference(const tn_call_site_t* call, const tn_op_t* op,
                                           const tn_ffi_op_t* signature,
                                           const tn_attr_dictionary_t* attrs,
                                           tn_inference_t* out_inference);
// tn__call_check_results for a call that is prepared.
TN_MUST_USE tn_status_t tn__call_check_inferred(const tn_call_site_t* call,
                                                const tn_ffi_op_t* signature,
                                                const tn_attr_dictionary_t* attrs);

// What follows for the results of a resolved custom call; nothing for one with tuples.
TN_MUST_USE tn_status_t tn__call_infer_node(const tn_node_t* node, tn_arena_t* arena,
                                            tn_inferred_t* out_results);

// A resolved custom call against its signature, as far as sizes are known: before a program with
// unknown dimensions runs. Errors name the target and the node's place.
TN_MUST_USE tn_status_t tn__call_check_node(const tn_node_t* node, tn_arena_t* arena);

#endif  // TENON_CALL_INFER_H_
