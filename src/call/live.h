// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The objects that handlers hold of ours: errors and futures. A pointer that comes back from a
// handler is looked up here before anything is read through it, because it may be anything.
#ifndef TENON_CALL_LIVE_H_
#define TENON_CALL_LIVE_H_

#include "base/interrupt.h"
#include "base/status.h"
#include "call/abi.h"
#include "call/lifetime.h"

// Hands an error to a handler, which owns it then; NULL stays NULL. Takes `status`. Without memory
// for it the static out-of-memory status goes out.
tn_status_t tn__error_give(tn_status_t status);
// Takes an error back from a handler. False, and nothing done, when it is none that was given out
// (or was taken back before). The static out-of-memory status always is one.
bool tn__error_take(tn_status_t status);
// Whether it was given out and not taken back.
bool tn__error_is_live(tn_status_t status);

// A future that a handler completes once, from any thread; NULL without memory.
tn_ffi_future_t* tn__future_create(void);
// Completes it, with `error` (taken) or without (NULL). FAILED_PRECONDITION when it is no future,
// or is complete already.
TN_MUST_USE tn_status_t tn__future_set(tn_ffi_future_t* future, tn_status_t error);
// Its handler has returned: the time limit begins. False when there is nothing to wait for: it is
// no future of ours, or complete.
bool tn__future_begin(tn_ffi_future_t* future);
// Waits until it is complete, gives its error to the caller, and frees it. INTERNAL when it is no
// future of ours; DEADLINE_EXCEEDED `timeout_ns` (negative: never) after it began, at the latest
// now, or the error of `interrupt` (NULL: none): then it is given up as below, and *out_is_late is
// true.
TN_MUST_USE tn_status_t tn__future_wait(tn_ffi_future_t* future, int64_t timeout_ns,
                                        const tn_interrupt_t* interrupt,
                                        tn_call_lifetime_t* lifetime, bool* out_is_late);
// Gives it up: its completion frees it, and `lifetime`, which may be NULL, is retained until
// then. False, and nothing retained, when it is no future, or is complete.
bool tn__future_abandon(tn_ffi_future_t* future, tn_call_lifetime_t* lifetime);

#endif  // TENON_CALL_LIVE_H_
