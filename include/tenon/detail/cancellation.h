// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Cancellation of program runs.
#ifndef TENON_DETAIL_CANCELLATION_H_
#define TENON_DETAIL_CANCELLATION_H_

#include <stdbool.h>
#include <tenon/detail/allocator.h>
#include <tenon/detail/status.h>

TN_EXTERN_C_BEGIN

// A flag that any number of runs can share (tn_run_options_t.cancellation). Set once for all of
// them, and never cleared. Reference counted; thread-safe.
typedef struct tn_cancellation tn_cancellation_t;

// `allocator` may be NULL (malloc), and must outlive the object.
TN_API TN_MUST_USE tn_status_t tn_cancellation_create(const tn_allocator_t* allocator,
                                                      tn_cancellation_t** out_cancellation);
TN_API tn_cancellation_t* tn_cancellation_retain(tn_cancellation_t* cancellation);
TN_API void tn_cancellation_release(tn_cancellation_t* cancellation);

// Runs that have the flag end with CANCELLED at their next operation or loop iteration; runs that
// have not begun do not begin. Does not wait for them. Async-signal-safe. Accepts NULL, which is
// never cancelled.
TN_API void tn_cancellation_cancel(tn_cancellation_t* cancellation);
TN_API bool tn_cancellation_is_cancelled(const tn_cancellation_t* cancellation);

// Asks a function whether to cancel, for example because a signal has arrived. Runs and waits that
// have the flag call it on the thread that set it, under no lock, every 20 ms at most. Set before
// the flag is shared; NULL: none.
typedef bool (*tn_cancellation_poll_fn)(void* user);
TN_API void tn_cancellation_set_poll(tn_cancellation_t* cancellation, tn_cancellation_poll_fn poll,
                                     void* user);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_CANCELLATION_H_
