// Streams, which do work one piece after the other, and events, which say that something has
// happened.
//
// Errors. When a piece of work fails, the stream is poisoned: what was enqueued behind it is not
// done, and events recorded behind it complete with the same error. The error is reported by every
// wait: for the stream, or for one of those events. Once some wait has reported it, what is
// enqueued from then on runs again; what had been enqueued before does not.
#ifndef TENON_STREAM_H_
#define TENON_STREAM_H_

#include <tenon/device.h>

TN_EXTERN_C_BEGIN

// Reference counted; thread-safe. Work of several threads on one stream is done in the order of
// their calls.
typedef struct tn_stream tn_stream_t;

// Something that happens once, well or with an error. Reference counted; thread-safe.
typedef struct tn_event tn_event_t;

// Retains the device. The stream's own thread, if it has one, starts when it is first needed.
TN_API TN_MUST_USE tn_status_t tn_stream_create(tn_device_t* device, tn_stream_t** out_stream);
TN_API tn_stream_t* tn_stream_retain(tn_stream_t* stream);
// The last release waits until the work that was enqueued is done, except in a piece of that very
// work: then the rest is done later.
TN_API void tn_stream_release(tn_stream_t* stream);
TN_API tn_device_t* tn_stream_device(const tn_stream_t* stream);  // view, as long as the stream

// Waits until all that was enqueued before this call is done. Returns the error that poisons the
// stream, if any. FAILED_PRECONDITION when called by a piece of the stream's own work.
TN_API TN_MUST_USE tn_status_t tn_stream_synchronize(tn_stream_t* stream);

// Whether nothing is enqueued or under way at this moment.
TN_API bool tn_stream_is_idle(tn_stream_t* stream);

// The event will happen when all that was enqueued before is done. An event can be recorded once,
// and not be set as well: FAILED_PRECONDITION. The stream retains the event for as long as it needs
// it.
TN_API TN_MUST_USE tn_status_t tn_stream_record_event(tn_stream_t* stream, tn_event_t* event);

// What is enqueued from now on waits for the event, which may be one of another stream or device
// of the same context, or not be recorded yet (if it is never recorded or set, the stream never
// goes on). An event with an error poisons the stream. Does not wait itself.
TN_API TN_MUST_USE tn_status_t tn_stream_wait_event(tn_stream_t* stream, tn_event_t* event);

// An event that has not happened: to be recorded on a stream, or set by tn_event_set.
TN_API TN_MUST_USE tn_status_t tn_event_create(tn_device_t* device, tn_event_t** out_event);
TN_API tn_event_t* tn_event_retain(tn_event_t* event);
// An event that is given up before it was recorded or set happens with CANCELLED, so that its
// callbacks are called.
TN_API void tn_event_release(tn_event_t* event);

// Makes it happen, well (NULL) or with an error. Takes `status`. FAILED_PRECONDITION when the event
// has been recorded or set before. Callbacks run before this returns.
TN_API TN_MUST_USE tn_status_t tn_event_set(tn_event_t* event, tn_status_t status);

// Waits until the event has happened and returns its error, the same at every call.
// DEADLINE_EXCEEDED when that takes longer than `timeout_ns`; a negative timeout is for ever, 0
// only looks.
TN_API TN_MUST_USE tn_status_t tn_event_wait(tn_event_t* event, int64_t timeout_ns);

// Whether it has happened. Does not report its error.
TN_API bool tn_event_is_complete(const tn_event_t* event);

// Called once, under no lock: on the thread that makes the event happen, or at once on the calling
// thread if it has happened already. `status` is a view of the event's error, NULL for none. Must
// not wait for work of the stream it is called by, and had better be short. Callbacks run in the
// order in which they were added.
typedef void (*tn_event_callback_fn)(void* user, tn_status_t status);

// After an error (RESOURCE_EXHAUSTED) the callback is not called.
TN_API TN_MUST_USE tn_status_t tn_event_on_complete(tn_event_t* event,
                                                    tn_event_callback_fn callback, void* user);

// --- defaults, of a context. Thread-safe.

// The device for those who name none, made when it is first asked for, until another is set: the
// one that the environment's TENON_DEVICE names, or "cpu". A new reference.
TN_API TN_MUST_USE tn_status_t tn_context_default_device(tn_context_t* context,
                                                         tn_device_t** out_device);
// Retains the device until another is set. NULL: the first again. FAILED_PRECONDITION when the
// device belongs to another context.
TN_API TN_MUST_USE tn_status_t tn_context_set_default_device(tn_context_t* context,
                                                             tn_device_t* device);
// The same for the default context.
TN_API TN_MUST_USE tn_status_t tn_default_device(tn_device_t** out_device);
TN_API TN_MUST_USE tn_status_t tn_set_default_device(tn_device_t* device);

// The stream for those who name only the device: one of the device's own, until another is set. A
// new reference.
TN_API TN_MUST_USE tn_status_t tn_default_stream(tn_device_t* device, tn_stream_t** out_stream);
// Retains the stream, and by that its device, until another is set or the context goes. NULL: the
// device's own again. FAILED_PRECONDITION when the stream belongs to another device.
TN_API TN_MUST_USE tn_status_t tn_set_default_stream(tn_device_t* device, tn_stream_t* stream);

// Where work is to be done: on a stream, or, when that is NULL, on the default stream of a device,
// or, when both are NULL, wherever the default is. Views.
typedef struct tn_stream_or_device {
  tn_stream_t* stream;
  tn_device_t* device;
} tn_stream_or_device_t;

// The stream that is meant, a new reference; tn_scope_set_stream makes it that of operations on
// arrays. `otherwise` is the device of who names neither; NULL: the default context's default
// device. INVALID_ARGUMENT for a stream of another device than the one that is named.
TN_API TN_MUST_USE tn_status_t tn_to_stream(tn_stream_or_device_t where, tn_device_t* otherwise,
                                            tn_stream_t** out_stream);

TN_EXTERN_C_END

#endif  // TENON_STREAM_H_
