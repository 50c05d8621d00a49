// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Streams of the CPU: a queue, and a thread that starts when work first has to wait for something.
// Work that finds the stream idle may be done on the caller's own thread; pool workers are never
// taken.
#ifndef TENON_DEVICE_CPU_STREAM_H_
#define TENON_DEVICE_CPU_STREAM_H_

#include "device/device.h"

// See tn_device_vtable_t.
TN_MUST_USE tn_status_t tn__cpu_stream_create(tn_device_t* device, tn_stream_t** out_stream);
void tn__cpu_stream_destroy(tn_stream_t* stream);
TN_MUST_USE tn_status_t tn__cpu_stream_enqueue(tn_stream_t* stream, tn_stream_work_fn work,
                                               void* user, unsigned flags);
TN_MUST_USE tn_status_t tn__cpu_stream_record(tn_stream_t* stream, tn_event_t* event);
TN_MUST_USE tn_status_t tn__cpu_stream_wait(tn_stream_t* stream, tn_event_t* event);
TN_MUST_USE tn_status_t tn__cpu_stream_synchronize(tn_stream_t* stream);
bool tn__cpu_stream_is_idle(const tn_stream_t* stream);

#endif  // TENON_DEVICE_CPU_STREAM_H_
