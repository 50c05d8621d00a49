// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Streams, which run tasks in order, and events, which signal completion.
//
// Errors. When a task fails, the stream is poisoned: tasks enqueued after it do not run, and events
// recorded after it complete with the same error. Every wait for the stream or for one of those
// events reports the error. Once a wait has reported it, tasks that are enqueued afterwards run
// again; tasks that were enqueued before do not.
#ifndef TENON_STREAM_H_
#define TENON_STREAM_H_

#include <tenon/detail/cancellation.h>
#include <tenon/detail/device.h>

TN_EXTERN_C_BEGIN

// Reference counted; thread-safe. Tasks of several threads on one stream run in the order in which
// they were enqueued.
typedef struct tn_stream tn_stream_t;

// Completes once, with success or an error. Reference counted; thread-safe.
typedef struct tn_event tn_event_t;

// Retains the device. The stream's own thread, if it has one, starts at its first use.
TN_API TN_MUST_USE tn_status_t tn_stream_create(tn_device_t* device, tn_stream_t** out_stream);
TN_API tn_stream_t* tn_stream_retain(tn_stream_t* stream);
// The last release waits until all enqueued tasks are complete, except when a task of the stream
// itself makes it: the remaining tasks are then completed later.
TN_API void tn_stream_release(tn_stream_t* stream);
TN_API tn_device_t* tn_stream_device(const tn_stream_t* stream);  // view, as long as the stream

// Waits until everything enqueued before this call is complete. Returns the error that poisons the
// stream, if any. FAILED_PRECONDITION when called by a task of the stream itself. Tasks of the CPU
// that have not begun run on the calling thread meanwhile.
TN_API TN_MUST_USE tn_status_t tn_stream_synchronize(tn_stream_t* stream);

// The same until the flag is cancelled: then it returns CANCELLED, and the tasks go on.
TN_API TN_MUST_USE tn_status_t tn_stream_synchronize_until(tn_stream_t* stream,
                                                           tn_cancellation_t* cancellation);

// Whether no task is enqueued or running at this moment.
TN_API bool tn_stream_is_idle(const tn_stream_t* stream);

// Completes the event when everything enqueued before is complete. An event can be recorded or set,
// once: FAILED_PRECONDITION otherwise. The stream retains the event for as long as it needs it.
TN_API TN_MUST_USE tn_status_t tn_stream_record_event(tn_stream_t* stream, tn_event_t* event);

// Makes tasks enqueued from now on wait for the event, which may be of another stream or device of
// the same context, or not be recorded yet (if it is never recorded or set, the stream never
// continues). An event with an error poisons the stream. Does not itself wait.
TN_API TN_MUST_USE tn_status_t tn_stream_wait_event(tn_stream_t* stream, tn_event_t* event);

// A pending event, to be recorded on a stream or completed by tn_event_set.
TN_API TN_MUST_USE tn_status_t tn_event_create(tn_device_t* device, tn_event_t** out_event);
TN_API tn_event_t* tn_event_retain(tn_event_t* event);
// An event that is released before it was recorded or set completes with CANCELLED, so that its
// callbacks are called.
TN_API void tn_event_release(tn_event_t* event);

// Completes the event, with success (NULL) or an error. Takes `status`. FAILED_PRECONDITION if the
// event has been recorded or set before. Callbacks run before this returns.
TN_API TN_MUST_USE tn_status_t tn_event_set(tn_event_t* event, tn_status_t status);

// Waits until the event is complete and returns its error, the same at every call.
// DEADLINE_EXCEEDED if that takes longer than `timeout_ns`; a negative timeout waits indefinitely,
// 0 only polls.
TN_API TN_MUST_USE tn_status_t tn_event_wait(tn_event_t* event, int64_t timeout_ns);

// Whether it is complete. Does not report its error.
TN_API bool tn_event_is_complete(const tn_event_t* event);

// Called once, under no lock, in the order in which they were added, one at a time: on the thread
// that completes the event, or, once that one has called those before it, at once on the calling
// thread. `status` is a view of the event's error, NULL for success. Must not wait for tasks of the
// stream that calls it, and should be short. May release anything.
typedef void (*tn_event_callback_fn)(void* user, tn_status_t status);

// After an error (RESOURCE_EXHAUSTED) the callback is not called.
TN_API TN_MUST_USE tn_status_t tn_event_on_complete(tn_event_t* event,
                                                    tn_event_callback_fn callback, void* user);

// --- defaults of a context. Thread-safe.

// The device for calls that name none, created on first use: the one named by TENON_DEVICE in the
// environment, or "cpu". A new reference.
TN_API TN_MUST_USE tn_status_t tn_context_default_device(tn_context_t* context,
                                                         tn_device_t** out_device);
// Retains the device until another is set. NULL restores the initial default. FAILED_PRECONDITION
// if the device belongs to another context.
TN_API TN_MUST_USE tn_status_t tn_context_set_default_device(tn_context_t* context,
                                                             tn_device_t* device);
// The same for the default context.
TN_API TN_MUST_USE tn_status_t tn_default_device(tn_device_t** out_device);
TN_API TN_MUST_USE tn_status_t tn_set_default_device(tn_device_t* device);

// The stream for calls that name only the device: one of the device's own, until another is set. A
// new reference.
TN_API TN_MUST_USE tn_status_t tn_default_stream(tn_device_t* device, tn_stream_t** out_stream);
// Retains the stream, and with it its device, until another is set or the context is destroyed.
// NULL restores the device's own. FAILED_PRECONDITION if the stream belongs to another device.
TN_API TN_MUST_USE tn_status_t tn_set_default_stream(tn_device_t* device, tn_stream_t* stream);

// Where to run: on a stream, or, if that is NULL, on the default stream of a device, or, if both
// are NULL, on the default stream of the default device. Views. Passed by value: will not grow.
typedef struct tn_stream_or_device {
  tn_stream_t* stream;
  tn_device_t* device;
} tn_stream_or_device_t;

// Returns the stream that `where` selects, a new reference; tn_scope_set_stream uses it for
// operations on arrays. `otherwise` is the device if `where` names neither; NULL: the default
// context's default device. INVALID_ARGUMENT if the stream does not belong to the device.
TN_API TN_MUST_USE tn_status_t tn_to_stream(tn_stream_or_device_t where, tn_device_t* otherwise,
                                            tn_stream_t** out_stream);

TN_EXTERN_C_END

#endif  // TENON_STREAM_H_
