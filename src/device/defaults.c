// What is meant when nobody says which device or stream.
#include <stdlib.h>

#include "base/process.h"
#include "device/device.h"

static tn_device_t* default_device;  // retained; NULL: not asked for yet

// --- the device

tn_status_t tn_default_device(tn_device_t** out_device) {
  tn_device_t* created = NULL;
  *out_device = NULL;
  tn__process_lock();
  *out_device = tn_device_retain(default_device);
  tn__process_unlock();
  if (*out_device) return TN_OK;
  const char* name = getenv("TENON_DEVICE");
  const bool is_named = name && *name;
  TN_RETURN_IF_ERROR(tn_status_prefix(tn_device_create(is_named ? name : "cpu", NULL, &created),
                                      is_named ? "TENON_DEVICE" : "the default device"));
  tn__process_lock();
  if (!default_device) default_device = tn_device_retain(created);
  *out_device = tn_device_retain(default_device);
  tn__process_unlock();
  tn_device_release(created);
  return TN_OK;
}

void tn_set_default_device(tn_device_t* device) {
  tn_device_retain(device);
  tn__process_lock();
  tn_device_t* old = default_device;
  default_device = device;
  tn__process_unlock();
  tn_device_release(old);
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
  if (!device) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_default_stream: device is NULL");
  }
  tn__process_lock();
  *out_stream = tn_stream_retain(device->chosen_stream);
  tn__process_unlock();
  if (*out_stream) return TN_OK;
  if (!atomic_load(&device->own_stream)) TN_RETURN_IF_ERROR(make_own_stream(device));
  *out_stream = tn_stream_retain(atomic_load(&device->own_stream));
  return TN_OK;
}

tn_status_t tn_set_default_stream(tn_device_t* device, tn_stream_t* stream) {
  if (!device) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_set_default_stream: device is NULL");
  }
  if (stream && tn_stream_device(stream) != device) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "tn_set_default_stream: the stream belongs to another device (%s)",
                            tn_device_name(tn_stream_device(stream)));
  }
  if (stream && stream->is_own) stream = NULL;
  tn_stream_retain(stream);
  tn__process_lock();
  tn_stream_t* old = device->chosen_stream;
  device->chosen_stream = stream;
  tn__process_unlock();
  tn_stream_release(old);
  return TN_OK;
}

tn_status_t tn_to_stream(tn_stream_or_device_t where, tn_device_t* otherwise,
                         tn_stream_t** out_stream) {
  tn_device_t* device = NULL;
  *out_stream = NULL;
  if (where.stream && where.device && tn_stream_device(where.stream) != where.device) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_to_stream: the stream belongs to another device than %s",
                            tn_device_name(where.device));
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
