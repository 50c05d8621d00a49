// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Copies that the host does in a stream's turn, for devices whose streams are threads of the host.
#ifndef TENON_DEVICE_COPY_H_
#define TENON_DEVICE_COPY_H_

#include "device/device.h"

// One direction: `to` and `from` are addresses of the device or of the host.
typedef tn_status_t (*tn_copy_fn)(tn_device_t* device, void* to, const void* from,
                                  size_t byte_size);

// `stream` NULL: now.
TN_MUST_USE tn_status_t tn__copy_in_turn(tn_device_t* device, tn_stream_t* stream, tn_copy_fn copy,
                                         void* to, const void* from, size_t byte_size);

#endif  // TENON_DEVICE_COPY_H_
