// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Streams of any device: the public functions, which leave the work to the device.
#include "base/process.h"
#include "device/device.h"
#include "device/event.h"

tn_status_t tn_stream_create(tn_device_t* device, tn_stream_t** out_stream) {
  *out_stream = NULL;
  TN_RETURN_IF_NULL(device);
  return device->vtable->stream_create(device, out_stream);
}

tn_stream_t* tn_stream_retain(tn_stream_t* stream) {
  if (stream && stream->is_own) {
    tn_device_retain(stream->device);
  } else if (stream) {
    atomic_fetch_add(&stream->references, 1);
  }
  return stream;
}

void tn_stream_release(tn_stream_t* stream) {
  if (stream && stream->is_own) {
    tn_device_release(stream->device);
    return;
  }
  if (!stream || atomic_fetch_sub(&stream->references, 1) != 1 || tn__process_is_forked()) return;
  stream->device->vtable->stream_destroy(stream);
}

tn_device_t* tn_stream_device(const tn_stream_t* stream) {
  return stream->device;
}

tn_status_t tn_stream_synchronize(tn_stream_t* stream) {
  TN_RETURN_IF_NULL(stream);
  TN_RETURN_IF_ERROR(tn__process_check());
  // A task that runs here may make the last release but this one.
  tn_stream_retain(stream);
  tn_status_t status = stream->device->vtable->stream_synchronize(stream);
  tn_stream_release(stream);
  return status;
}

tn_status_t tn_stream_synchronize_until(tn_stream_t* stream, tn_cancellation_t* cancellation) {
  tn_event_t* event = NULL;
  TN_RETURN_IF_NULL(stream);
  if (!cancellation || tn_stream_is_idle(stream)) return tn_stream_synchronize(stream);
  const tn_interrupt_t interrupt = {.cancellation = cancellation, .deadline_ns = INT64_MAX};
  TN_RETURN_IF_ERROR(tn_event_create(stream->device, &event));
  tn_status_t status = tn_stream_record_event(stream, event);
  if (!status) status = tn__event_wait_until(event, &interrupt);
  const bool is_complete = tn_event_is_complete(event);
  tn_event_release(event);
  if (!is_complete) return status;
  tn_status_release(status);  // the stream reports it
  return tn_stream_synchronize(stream);
}

bool tn_stream_is_idle(const tn_stream_t* stream) {
  return stream->device->vtable->stream_is_idle(stream);
}

static tn_status_t check_context(const char* name, const tn_stream_t* stream,
                                 const tn_event_t* event) {
  const tn_device_t* device = tn__event_device(event);
  if (stream->device->context == device->context) return TN_OK;
  tn_status_t status = tn_status_create(TN_CODE_FAILED_PRECONDITION,
                                        "%s: the event is not of the stream's context", name);
  return tn__device_explain(status, device, stream->device);
}

tn_status_t tn_stream_record_event(tn_stream_t* stream, tn_event_t* event) {
  TN_RETURN_IF_NULL(stream);
  TN_RETURN_IF_NULL(event);
  TN_RETURN_IF_ERROR(tn__process_check());
  TN_RETURN_IF_ERROR(check_context("tn_stream_record_event", stream, event));
  return stream->device->vtable->stream_record(stream, event);
}

tn_status_t tn_stream_wait_event(tn_stream_t* stream, tn_event_t* event) {
  TN_RETURN_IF_NULL(stream);
  TN_RETURN_IF_NULL(event);
  TN_RETURN_IF_ERROR(tn__process_check());
  TN_RETURN_IF_ERROR(check_context("tn_stream_wait_event", stream, event));
  return stream->device->vtable->stream_wait(stream, event);
}

tn_status_t tn__stream_enqueue(tn_stream_t* stream, tn_stream_work_fn work, void* user,
                               unsigned flags) {
  TN_RETURN_IF_ERROR(tn__process_check());
  return stream->device->vtable->stream_enqueue(stream, work, user, flags);
}
