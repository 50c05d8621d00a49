// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A custom call while it is prepared: what its attributes say, and its operands and results as
// leaves.
#ifndef TENON_CALL_SITE_H_
#define TENON_CALL_SITE_H_

#include "call/call.h"
#include "call/strided.h"
#include "call/target.h"

typedef struct tn_call_site {
  tn_kernel_site_t* site;
  tn_string_view_t name;               // of the target
  int32_t version;                     // 1 to 4
  tn_string_view_t opaque;             // legacy calls
  tn_attr_dictionary_t attrs;          // typed ones
  size_t operand_count, result_count;  // leaves
  const tn_type_t** operands;
  const tn_type_t** results;
} tn_call_site_t;

// Everything it points to lives in the node or in the site's arena. The errors name the target.
TN_MUST_USE tn_status_t tn__call_site_read(tn_kernel_site_t* site, tn_call_site_t* out_call);

// The attributes for the call's frames, in the site's arena.
TN_MUST_USE tn_status_t tn__call_attributes_build(const tn_call_site_t* call,
                                                  const tn_attr_dictionary_t* attrs,
                                                  tn_ffi_attrs_t* out);

// The api version of a call, 1 to 4.
int32_t tn__call_version(const tn_op_use_t* use);

// tn_op_t.find_kernel of operations that were registered. There is one for each use on a platform
// that the operation was registered for, and on the host: if nothing can be called there, one that
// cannot be prepared and says why.
const tn_kernel_t* tn__call_kernel(const struct tn_compile_target* target, const tn_op_use_t* use);
// The same, and never a guarded one.
const tn_kernel_t* tn__call_plain_kernel(const struct tn_compile_target* on,
                                         const tn_op_use_t* use);
// The one that calls: neither a guarded nor a narrow one (narrow.h).
const tn_kernel_t* tn__call_own_kernel(const struct tn_compile_target* on, const tn_op_use_t* use);

// The kernels behind it, by kind of call. To prepare one retains `target` for the state; the errors
// do not name it.
TN_MUST_USE tn_status_t tn__typed_prepare(const tn_call_site_t* call, tn_target_t* target);
TN_MUST_USE tn_status_t tn__typed_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__typed_run_stages(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__typed_run_captured(const tn_kernel_call_t* call);  // see captured.h
TN_MUST_USE tn_status_t tn__legacy_prepare(const tn_call_site_t* call, tn_target_t* target);
TN_MUST_USE tn_status_t tn__legacy_run_original(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__legacy_run_status(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__legacy_run_opaque(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__legacy_run_stream(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__legacy_run_stream_status(const tn_kernel_call_t* call);

// An operation element by element (elementwise.c). False for one with an eval, which sees whole
// arrays.
bool tn__target_is_elementwise(const tn_target_t* target);
TN_MUST_USE tn_status_t tn__elementwise_prepare(const tn_call_site_t* call, tn_target_t* target);
TN_MUST_USE tn_status_t tn__elementwise_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__elementwise_run_range(int64_t begin, int64_t end, void* user);

// An operation that sees strides (strided.c).
bool tn__target_is_strided(const tn_target_t* target);
// On a device that is not the host, of an operation that has nothing else for it.
bool tn__target_has_eval_gpu(const tn_target_t* target);
TN_MUST_USE tn_status_t tn__strided_prepare(const tn_call_site_t* call, tn_target_t* target);
TN_MUST_USE tn_status_t tn__strided_run(const tn_kernel_call_t* call);

// Random words of keys (builtin_random.c): an operation of Tenon's own.
#define TN_RANDOM_WORDS "tenon.random_words"
TN_MUST_USE tn_status_t tn__random_words_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__random_words_run(const tn_kernel_call_t* call);

#endif  // TENON_CALL_SITE_H_
