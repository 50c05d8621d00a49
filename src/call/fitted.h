// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The attributes of one use of an operation.
#ifndef TENON_CALL_FITTED_H_
#define TENON_CALL_FITTED_H_

#include "call/operation.h"
#include "ir/builder.h"

// Attributes as the operation's signature wants them: with defaults, and numbers of the declared
// width. Immutable, reference counted; an operation keeps the latest, which uses that are alike
// share.
typedef struct tn_fitted {
  atomic_uint references;
  tn_arena_t arena;
  tn_attr_dictionary_t dictionary;
  const tn_attribute_t* list;  // the same
  // What it was made of, to be compared with.
  const tn_target_t* target;  // a view, of the operation
  size_t given_count;
  const tn_attribute_t* given;  // NULL: it is too much to be compared
} tn_fitted_t;

// `target` is the operation's for the device, or NULL. Messages name the attribute.
TN_MUST_USE tn_status_t tn__op_fit(const tn_op_t* op, const tn_target_t* target, size_t count,
                                   const tn_attribute_t* given, tn_fitted_t** out_fitted);
tn_fitted_t* tn__fitted_retain(tn_fitted_t* fitted);
void tn__fitted_release(tn_fitted_t* fitted);

#endif  // TENON_CALL_FITTED_H_
