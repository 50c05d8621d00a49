// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The device's own thread: kernels run there, beside the thread that launches them.
#ifndef TENON_DEVICE_REFERENCE_QUEUE_H_
#define TENON_DEVICE_REFERENCE_QUEUE_H_

#include "device/device.h"

// See tn_device_vtable_t.
TN_MUST_USE tn_status_t tn__reference_queue_create(tn_device_t* device, tn_queue_t** out_queue);
void tn__reference_queue_destroy(tn_queue_t* queue);
TN_MUST_USE tn_status_t tn__reference_queue_launch(tn_queue_t* queue, const tn_launch_t* launch);
TN_MUST_USE tn_status_t tn__reference_queue_finish(tn_queue_t* queue, uint32_t* out_tag);
TN_MUST_USE tn_status_t tn__reference_queue_copy_from_host(tn_queue_t* queue, tn_memory_t to,
                                                           const void* from, size_t byte_size);
TN_MUST_USE tn_status_t tn__reference_queue_copy_to_host(tn_queue_t* queue, void* to,
                                                         tn_memory_t from, size_t byte_size);
// A mark is a tn_event_t of the thread.
TN_MUST_USE tn_status_t tn__reference_queue_record(tn_queue_t* queue, void** out_mark);
TN_MUST_USE tn_status_t tn__reference_queue_wait(tn_queue_t* queue, void* mark);
void tn__reference_mark_destroy(tn_device_t* device, void* mark);

#endif  // TENON_DEVICE_REFERENCE_QUEUE_H_
