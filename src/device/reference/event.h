// Events of the device's own queues: what a device that has such things does with
// tn_device_vtable_t.event_create. A stream waits here for another stream of the device; the host,
// and streams of other devices, wait for the tn_event_t.
#ifndef TENON_DEVICE_REFERENCE_EVENT_H_
#define TENON_DEVICE_REFERENCE_EVENT_H_

#include "device/device.h"

// See tn_device_vtable_t.
TN_MUST_USE tn_status_t tn__reference_event_create(tn_device_t* device, void** out_native);
void tn__reference_event_destroy(tn_device_t* device, void* native);
TN_MUST_USE tn_status_t tn__reference_stream_record(tn_stream_t* stream, tn_event_t* event);
TN_MUST_USE tn_status_t tn__reference_stream_wait(tn_stream_t* stream, tn_event_t* event);

#endif  // TENON_DEVICE_REFERENCE_EVENT_H_
