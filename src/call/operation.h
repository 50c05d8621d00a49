// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations that custom calls name: registered ones, and those that Tenon brings along.
//
// A custom_call is resolved once, when a program is compiled or a step is added to a lazy graph.
// From there on its node points to a tn_op_t like any other, with traits, kernels by platform and
// rules; the name is not looked up again.
#ifndef TENON_CALL_OPERATION_H_
#define TENON_CALL_OPERATION_H_

#include "base/visibility.h"
#include "call/target.h"
#include "device/context.h"
#include "ops/op.h"

// The attributes of the latest use, which the next use takes out (call/fitted.h); NULL: none.
typedef _Atomic(struct tn_fitted*) tn_fitted_slot_t;

// What is registered under one name. Reference counted (tn__op_retain of its `op`); immutable but
// for `latest`: another registration for a platform makes another one.
typedef struct tn_registered_op {
  tn_op_t op;  // first; its name is for messages
  tn_op_owner_t owner;
  tn_string_view_t name;  // whatever bytes it has; followed by a NUL
  tn_fitted_slot_t latest;
  size_t byte_size;
  size_t target_count;
  tn_target_t* targets[];  // retained; sorted by platform
} tn_registered_op_t;

// The targets have different platforms and the name of the first one; they are retained.
TN_MUST_USE tn_status_t tn__registered_op_create(size_t target_count, tn_target_t* const* targets,
                                                 tn_registered_op_t** out_registered);

// NULL when the operation was not registered.
const tn_registered_op_t* tn__op_registered(const tn_op_t* op);

// What custom calls say.
tn_string_view_t tn__op_called_name(const tn_op_t* op);

// What computes the operation on a platform; NULL: nothing does. It lives as long as the operation.
TN_FOR_INSPECT tn_target_t* tn__op_target(const tn_op_t* op, const char* platform);
// The same, or the host's: a device runs what it has no kernel for on the host.
tn_target_t* tn__op_target_for(const tn_op_t* op, const char* platform);
// The attribute of an untyped function: its opaque bytes, which reach those of API version 3.
#define TN_OPAQUE "opaque"
// The API version of calls that the runtime makes itself: typed where the target can be called so.
int32_t tn__op_call_version(const tn_op_t* op, bool has_attributes);
// NULL when the operation was not registered.
tn_fitted_slot_t* tn__op_fitted_slot(const tn_op_t* op);
// What its author defined, the host's before others; NULL: nothing.
const tn_op_def_t* tn__op_definition(const tn_op_t* op);

// --- custom calls

// The operation of that name in a context (NULL: the default one), which the caller releases: what
// was registered, else one of Tenon's own. NULL when there is none.
TN_MUST_USE tn_status_t tn__call_find(tn_context_t* context, tn_string_view_t name,
                                      const tn_op_t** out_op);
// The same, or one without a kernel: a program that still needs it when it is planned gets an error
// that says what is there.
TN_MUST_USE tn_status_t tn__call_find_any(tn_context_t* context, tn_string_view_t name,
                                          const tn_op_t** out_op);

// --- Tenon's own (builtin.c)

// Whatever is registered under that name; NULL when there is none.
const tn_op_t* tn__builtin_find(tn_string_view_t name);
// JAX's approx_max_k and approx_min_k, which a pass replaces.
extern const tn_op_t* const tn__op_approx_top_k;
// What JAX writes in functions with unknown dimensions for operations that have sizes as
// attributes, and for conditions on sizes; pass/refine_calls.c and refine.c replace them.
extern const tn_op_t* const tn__op_dynamic_approx_top_k;
extern const tn_op_t* const tn__op_dynamic_reduce_window;
extern const tn_op_t* const tn__op_dynamic_rng_bit_generator;
extern const tn_op_t* const tn__op_dynamic_top_k;
extern const tn_op_t* const tn__op_shape_assertion;
// Calls that nothing is registered for, in branches: a run that takes the branch fails. Of another
// platform's branch, which a program for several has by design, there is no warning.
extern const tn_op_t* const tn__op_unavailable;
extern const tn_op_t* const tn__op_other_platform;
// The random words of lazy arrays: of keys along the last dimension.
extern const tn_op_t* const tn__op_random_words;

#endif  // TENON_CALL_OPERATION_H_
