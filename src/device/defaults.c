// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The device and the stream of calls that name none.
#include "base/process.h"
#include "device/device.h"

// --- the device

static tn_status_t create_default(tn_context_t* context, tn_device_t** out_device) {
  const tn_device_options_t options = {.struct_size = sizeof options, .context = context};
  *out_device = NULL;
  TN_RETURN_IF_ERROR(tn__context_read_environment(context));
  const char* name = context->environment.device_name;
  return tn_status_prefix(tn_device_create(*name ? name : "cpu", &options, out_device),
                          *name ? "TENON_DEVICE" : "the default device");
}

tn_status_t tn_context_default_device(tn_context_t* context, tn_device_t** out_device) {
  tn_device_t* created = NULL;
  context = tn__context_of(context);
  *out_device = NULL;
  tn__process_lock();
  *out_device = tn_device_retain(context->default_device);
  tn__process_unlock();
  if (*out_device) return TN_OK;
  TN_RETURN_IF_ERROR(create_default(context, &created));
  tn__process_lock();
  tn_device_t* device = context->default_device ? context->default_device : created;
  // A context that no user has any more keeps nothing.
  if (!context->default_device && atomic_load(&context->references)) {
    context->default_device = tn_device_retain(created);
  }
  *out_device = tn_device_retain(device);
  tn__process_unlock();
  tn_device_release(created);
  return TN_OK;
}

tn_status_t tn_context_set_default_device(tn_context_t* context, tn_device_t* device) {
  context = tn__context_of(context);
  if (device && device->context != context) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "tn_context_set_default_device: the device (%s) belongs to another "
                            "context",
                            device->name);
  }
  tn_device_retain(device);
  tn__process_lock();
  tn_device_t* old = context->default_device;
  context->default_device = device;
  tn__process_unlock();
  tn_device_release(old);
  return TN_OK;
}

tn_status_t tn_default_device(tn_device_t** out_device) {
  return tn_context_default_device(NULL, out_device);
}

tn_status_t tn_set_default_device(tn_device_t* device) {
  return tn_context_set_default_device(NULL, device);
}

// --- streams

// The device counts no reference of its own stream's, or neither would ever go.
static tn_status_t make_own_stream(tn_device_t* device) {
  tn_stream_t *stream = NULL, *expected = NULL;
  TN_RETURN_IF_ERROR(tn_stream_create(device, &stream));
  stream->is_own = true;
  if (atomic_compare_exchange_strong(&device->own_stream, &expected, stream)) {
    tn_device_release(device);
    return TN_OK;
  }
  stream->is_own = false;  // another thread was faster
  tn_stream_release(stream);
  return TN_OK;
}

tn_status_t tn_default_stream(tn_device_t* device, tn_stream_t** out_stream) {
  *out_stream = NULL;
  TN_RETURN_IF_NULL(device);
  tn__process_lock();
  *out_stream = tn_stream_retain(device->chosen_stream);
  tn__process_unlock();
  if (*out_stream) return TN_OK;
  if (!atomic_load(&device->own_stream)) TN_RETURN_IF_ERROR(make_own_stream(device));
  *out_stream = tn_stream_retain(atomic_load(&device->own_stream));
  return TN_OK;
}

// Under the lock. Takes `stream`, and returns what was there before, for the caller to release. A
// device is in its context's list as long as it has such a stream, which keeps it alive.
static tn_stream_t* choose(tn_device_t* device, tn_stream_t* stream) {
  tn_device_t** link = &device->context->chosen;
  tn_stream_t* old = device->chosen_stream;
  while (*link && *link != device) link = &(*link)->next_chosen;
  if (old) *link = device->next_chosen;
  device->chosen_stream = stream;
  if (!stream) return old;
  device->next_chosen = device->context->chosen;
  device->context->chosen = device;
  return old;
}

tn_status_t tn_set_default_stream(tn_device_t* device, tn_stream_t* stream) {
  TN_RETURN_IF_NULL(device);
  if (stream && tn_stream_device(stream) != device) {
    tn_status_t status =
        tn_status_create(TN_CODE_FAILED_PRECONDITION,
                         "tn_set_default_stream: the stream belongs to another device (%s)",
                         tn_device_name(tn_stream_device(stream)));
    return tn__device_explain(status, stream->device, device);
  }
  if (stream && stream->is_own) stream = NULL;
  tn_stream_retain(stream);
  tn__process_lock();
  tn_stream_t* old = choose(device, stream);
  tn__process_unlock();
  tn_stream_release(old);
  return TN_OK;
}

void tn__context_forget_defaults(tn_context_t* context) {
  tn__process_lock();
  tn_device_t* device = context->default_device;
  context->default_device = NULL;
  tn__process_unlock();
  tn_device_release(device);
  for (;;) {
    tn__process_lock();
    tn_stream_t* stream = context->chosen ? choose(context->chosen, NULL) : NULL;
    tn__process_unlock();
    if (!stream) return;
    tn_stream_release(stream);
  }
}

tn_status_t tn_to_stream(tn_stream_or_device_t where, tn_device_t* otherwise,
                         tn_stream_t** out_stream) {
  tn_device_t* device = NULL;
  *out_stream = NULL;
  if (where.stream && where.device && tn_stream_device(where.stream) != where.device) {
    tn_status_t status = tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "tn_to_stream: the stream belongs to another device than %s",
        tn_device_name(where.device));
    return tn__device_explain(status, where.stream->device, where.device);
  }
  if (where.stream) {
    *out_stream = tn_stream_retain(where.stream);
    return TN_OK;
  }
  if (where.device) otherwise = where.device;
  if (otherwise) return tn_default_stream(otherwise, out_stream);
  TN_RETURN_IF_ERROR(tn_default_device(&device));
  tn_status_t status = tn_default_stream(device, out_stream);
  tn_device_release(device);
  return status;
}
