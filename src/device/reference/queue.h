// The device's own thread: kernels run there, beside the thread that launches them.
#ifndef TENON_DEVICE_REFERENCE_QUEUE_H_
#define TENON_DEVICE_REFERENCE_QUEUE_H_

#include "device/device.h"

// See tn_device_vtable_t.
TN_MUST_USE tn_status_t tn__reference_queue_create(tn_device_t* device, tn_queue_t** out_queue);
void tn__reference_queue_destroy(tn_queue_t* queue);
TN_MUST_USE tn_status_t tn__reference_queue_launch(tn_queue_t* queue, const tn_launch_t* launch);
TN_MUST_USE tn_status_t tn__reference_queue_finish(tn_queue_t* queue, uint32_t* out_tag);

#endif  // TENON_DEVICE_REFERENCE_QUEUE_H_
