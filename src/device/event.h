// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of tn_event_t (public in <tenon/stream.h>): what makes events happen.
#ifndef TENON_DEVICE_EVENT_H_
#define TENON_DEVICE_EVENT_H_

#include <tenon/stream.h>

#include "base/interrupt.h"
#include "device/failure.h"

// Claims the right to make the event happen. FAILED_PRECONDITION when it is claimed already.
TN_MUST_USE tn_status_t tn__event_arm(tn_event_t* event);
// Gives that right back, when recording failed after all.
void tn__event_disarm(tn_event_t* event);

// Makes an armed event happen: well for NULL. Takes `failure`. Runs the callbacks.
void tn__event_complete(tn_event_t* event, tn_failure_t* failure);

// Waits for it, without reporting. `out_failure` (a view, as long as the event) is NULL unless it
// happened with an error. False when the deadline (of tn__clock_ns; INT64_MAX: none) passes first.
bool tn__event_await(tn_event_t* event, int64_t deadline_ns, tn_failure_t** out_failure);

// tn_event_wait until the wait is interrupted: then that is the error. `interrupt` may be NULL.
TN_MUST_USE tn_status_t tn__event_wait_until(tn_event_t* event, const tn_interrupt_t* interrupt);

// Whether it has happened, and well; NULL has. An event with an error is still to be waited for: it
// poisons the stream.
bool tn__event_is_settled(tn_event_t* event);

// Says that the work before the event is launched, and what its queue marked behind it
// (tn_device_vtable_t.queue_record), which the event takes. At most once, before it happens.
void tn__event_set_mark(tn_event_t* event, void* mark);
// Waits until there is a mark, a view that lives as long as the event, or until the event has
// happened; then NULL.
void* tn__event_await_mark(tn_event_t* event);
tn_device_t* tn__event_device(const tn_event_t* event);  // a view

// Retained, or NULL. The event has happened.
tn_failure_t* tn__event_failure(const tn_event_t* event);

#endif  // TENON_DEVICE_EVENT_H_
