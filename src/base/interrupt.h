// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What ends a run before it is done: a cancellation or a deadline.
#ifndef TENON_BASE_INTERRUPT_H_
#define TENON_BASE_INTERRUPT_H_

#include <stdint.h>
#include <tenon/detail/cancellation.h>

// Immutable while a run is under way.
typedef struct tn_interrupt {
  tn_cancellation_t* cancellation;  // NULL: none
  int64_t timeout_ns;               // for messages
  int64_t deadline_ns;              // of base/clock.h; INT64_MAX: none
} tn_interrupt_t;

// How long a wait that can be interrupted sleeps between two checks.
enum { TN_INTERRUPT_POLL_NS = 10 * 1000 * 1000 };

// CANCELLED, DEADLINE_EXCEEDED, or OK when the run is to go on. `interrupt` may be NULL.
TN_MUST_USE tn_status_t tn__interrupt_check(const tn_interrupt_t* interrupt);
// The same for work that is done: nothing is asked whether to cancel it.
TN_MUST_USE tn_status_t tn__interrupt_check_done(const tn_interrupt_t* interrupt);

#endif  // TENON_BASE_INTERRUPT_H_
