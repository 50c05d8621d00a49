// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of tn_buffer_t (public in <tenon/detail/buffer.h>): what runs need.
#ifndef TENON_DEVICE_BUFFER_H_
#define TENON_DEVICE_BUFFER_H_

#include <tenon/detail/buffer.h>

#include "device/device.h"

// A buffer whose memory comes later, by tn__buffer_put_memory, for contents that come with the
// event `ready` (retained; NULL: they are there). Until then it is as one that was donated.
TN_MUST_USE tn_status_t tn__buffer_create_without_memory(tn_device_t* device, tn_dtype_t dtype,
                                                         size_t rank, const int64_t* dims,
                                                         tn_event_t* ready,
                                                         tn_buffer_t** out_buffer);

// A buffer with the elements that `write` puts at `data`: the buffer's own memory where the host
// sees it, and a place of the host's otherwise.
TN_MUST_USE tn_status_t tn__buffer_create_written(tn_device_t* device, tn_dtype_t dtype,
                                                  size_t rank, const int64_t* dims,
                                                  tn_status_t (*write)(void* user, void* data),
                                                  void* user, tn_buffer_t** out_buffer);

// A buffer over memory that the caller has allocated from the device. Takes `memory`, on failure
// too.
TN_MUST_USE tn_status_t tn__buffer_create_over(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                               const int64_t* dims, tn_memory_t memory,
                                               tn_event_t* ready, tn_buffer_t** out_buffer);

// Another shape of the same bytes from `byte_offset` on. Retains `parent`, which is not donated as
// long as the alias lives; nor is the alias. INVALID_ARGUMENT when it is not inside, or its
// offset is no multiple of the device's memory_alignment.
TN_MUST_USE tn_status_t tn__buffer_create_alias(tn_buffer_t* parent, tn_dtype_t dtype, size_t rank,
                                                const int64_t* dims, size_t byte_offset,
                                                tn_buffer_t** out_buffer);

// Keeps the memory from being donated while it is used, as a run does with its operands.
// FAILED_PRECONDITION when it has been donated. Does not wait for the contents.
TN_MUST_USE tn_status_t tn__buffer_hold(tn_buffer_t* buffer, tn_memory_t* out_memory);
void tn__buffer_unhold(tn_buffer_t* buffer);

// Donation: the memory is the caller's to free from now on, and the buffer has none any more. The
// contents are there when the ready event has happened. False when it has to be declined: another
// user holds it, it was donated before, or it is not the device's own (imported, an alias, a
// tuple).
bool tn__buffer_take_memory(tn_buffer_t* buffer, tn_memory_t* out_memory);

// The reverse: gives memory to a buffer that has none. Takes `memory`.
void tn__buffer_put_memory(tn_buffer_t* buffer, tn_memory_t memory);

// The same for memory of the host that the device has wrapped, and will unwrap.
void tn__buffer_put_wrapped(tn_buffer_t* buffer, tn_memory_t memory);

// Whether this is the only reference at this moment, and the memory could be donated.
bool tn__buffer_is_donatable(const tn_buffer_t* buffer);

#endif  // TENON_DEVICE_BUFFER_H_
