// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calling a handler of XLA's FFI: what it says of itself, and what it leaves behind.
#ifndef TENON_CALL_HANDLER_H_
#define TENON_CALL_HANDLER_H_

#include "call/context.h"
#include "call/target.h"

// Asks all stages for their metadata; nothing of the author's own code runs. INVALID_ARGUMENT for
// handlers of a version that Tenon cannot serve, with the way out. Errors do not name the target.
// The time limit of `context` applies; NULL: the default one.
TN_MUST_USE tn_status_t tn__handler_ask(tn_context_t* context, const tn_target_spec_t* spec,
                                        tn_handler_facts_t* out_facts);

// What came of a call: `error`, as the handler returned it, and the future it left in the frame,
// which is waited for and taken out. Errors begin with the name of the target, unless it is empty,
// and of their code. A future that the handler has not completed by then makes the frame's context
// late: nothing that the handler sees may be freed or used again before its lifetime says so.
TN_MUST_USE tn_status_t tn__handler_finish(tn_string_view_t target, tn_ffi_call_frame_t* frame,
                                           tn_status_t error);

#endif  // TENON_CALL_HANDLER_H_
