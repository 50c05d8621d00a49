// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Buffers: dense, row-major arrays in a device's memory, and tuples of them. Programs take and
// return buffers.
#ifndef TENON_DETAIL_BUFFER_H_
#define TENON_DETAIL_BUFFER_H_

#include <tenon/detail/device.h>
#include <tenon/detail/type.h>
#include <tenon/stream.h>

TN_EXTERN_C_BEGIN

// Reference counted; thread-safe. Shape and contents do not change after creation, except that a
// run may take the memory ("donation"), which leaves the buffer without contents. Retains its
// device, and may outlive the program and everything else that created it.
//
// Elements are in C order without gaps. Sub-byte elements take a byte each; complex ones are (real,
// imaginary) pairs.
typedef struct tn_buffer tn_buffer_t;

// Releases imported memory. Called exactly once, under no lock, on the thread that ends the last
// use of the memory.
typedef void (*tn_buffer_release_fn)(void* user, void* data);

// In all of these: `dims` has `rank` dimensions and is copied (NULL if the rank is 0).
// INVALID_ARGUMENT for an invalid shape; RESOURCE_EXHAUSTED if there is not enough memory.

// Contents are undefined. `out_data` may be NULL; otherwise it receives the address at which the
// caller writes them before it shares the buffer, or NULL if the CPU cannot access the device's
// memory. Booleans are 0 or 1 there, and sub-byte elements are values of their dtype
// (tn_dtype_make_values); the other functions see to that.
TN_API TN_MUST_USE tn_status_t tn_buffer_create(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                                const int64_t* dims, void** out_data,
                                                tn_buffer_t** out_buffer);

// Copies `byte_size` bytes, which must match the shape, before it returns.
TN_API TN_MUST_USE tn_status_t tn_buffer_create_from_host(tn_device_t* device, tn_dtype_t dtype,
                                                          size_t rank, const int64_t* dims,
                                                          const void* data, size_t byte_size,
                                                          tn_buffer_t** out_buffer);

// Uses host memory in place if the device can (the CPU can if it is 64-byte aligned) and all
// elements are values of the dtype (tn_dtype_are_values), and copies it otherwise. Takes the
// memory: `release` (NULL: none) is called when it is no longer needed, which is before the
// function returns after a copy or an error. Until then it must not be modified. `data` must be a
// host address; passing an address of another device cannot be detected.
TN_API TN_MUST_USE tn_status_t tn_buffer_import(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                                const int64_t* dims, void* data, size_t byte_size,
                                                tn_buffer_release_fn release, void* user,
                                                tn_buffer_t** out_buffer);

// A tuple of buffers of the device, which it retains: an input or output of a program.
// Elements may be tuples; NULL stands for a token. A tuple has no bytes of its own: read its
// elements and wait for them.
TN_API TN_MUST_USE tn_status_t tn_buffer_create_tuple(tn_device_t* device, size_t count,
                                                      tn_buffer_t* const* elements,
                                                      tn_buffer_t** out_buffer);
// A view, as long as the tuple; NULL for tokens, out-of-range indices, and buffers that are not
// tuples.
TN_API tn_buffer_t* tn_buffer_element(const tn_buffer_t* buffer, size_t index);

// Adds a reference and returns the buffer; removes one, and destroys the buffer with the last one.
TN_API tn_buffer_t* tn_buffer_retain(tn_buffer_t* buffer);
TN_API void tn_buffer_release(tn_buffer_t* buffer);

// Views; they live as long as the buffer.
TN_API tn_device_t* tn_buffer_device(const tn_buffer_t* buffer);
TN_API const tn_type_t* tn_buffer_type(const tn_buffer_t* buffer);  // without `?`
TN_API tn_dtype_t tn_buffer_dtype(const tn_buffer_t* buffer);
TN_API size_t tn_buffer_rank(const tn_buffer_t* buffer);
TN_API const int64_t* tn_buffer_dims(const tn_buffer_t* buffer);
TN_API int64_t tn_buffer_size(const tn_buffer_t* buffer);      // elements
TN_API size_t tn_buffer_byte_size(const tn_buffer_t* buffer);  // of all elements

// The event that the contents wait for, a view; NULL if they were ready at creation, and for
// tuples.
TN_API tn_event_t* tn_buffer_ready_event(const tn_buffer_t* buffer);

// Whether a run has taken the memory.
TN_API bool tn_buffer_is_donated(const tn_buffer_t* buffer);

// Waits for the contents and copies them. `byte_size` must be the buffer's. Returns the error of
// the work that computes the contents, if any; FAILED_PRECONDITION if the buffer has been donated.
TN_API TN_MUST_USE tn_status_t tn_buffer_to_host(tn_buffer_t* buffer, void* data, size_t byte_size);

// Copies the buffer to a device, its own or another. Without a stream the copy is complete when the
// function returns; with a stream of that device it is enqueued there, and `buffer` may be released
// before it is complete. Errors as tn_buffer_to_host; INVALID_ARGUMENT for a tuple.
TN_API TN_MUST_USE tn_status_t tn_buffer_to_device(tn_buffer_t* buffer, tn_device_t* device,
                                                   tn_stream_t* stream, tn_buffer_t** out_buffer);

// Waits for the contents and returns the address at which the CPU reads them, valid until
// tn_buffer_unmap, which must be called once for each map; a mapped buffer is not donated. If the
// CPU cannot access the device's memory, the first call makes a copy, which the buffer keeps.
// Errors as tn_buffer_to_host; RESOURCE_EXHAUSTED if there is not enough memory for the copy.
TN_API TN_MUST_USE tn_status_t tn_buffer_map(tn_buffer_t* buffer, const void** out_data);
TN_API void tn_buffer_unmap(tn_buffer_t* buffer);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_BUFFER_H_
