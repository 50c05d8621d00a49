// Buffers: dense, row-major arrays in a device's memory, and tuples of them. Arguments and results
// of programs.
#ifndef TENON_BUFFER_H_
#define TENON_BUFFER_H_

#include <tenon/device.h>
#include <tenon/stream.h>
#include <tenon/type.h>

TN_EXTERN_C_BEGIN

// Reference counted; thread-safe. Shape and contents do not change after create, except that a run
// may be given the memory ("donated"); the buffer has no contents then. Retains its device, and may
// outlive the program and everything else that made it.
//
// Elements lie in C order without gaps. Those of less than a byte take a byte each; complex ones
// are (real, imaginary) pairs.
typedef struct tn_buffer tn_buffer_t;

// Gives back memory that was imported. Called exactly once, under no lock, on the thread that gives
// up the last use of the memory.
typedef void (*tn_buffer_release_fn)(void* user, void* data);

// In all of these: `dims` has `rank` dimensions and is copied (NULL when the rank is 0).
// INVALID_ARGUMENT for what is no shape; RESOURCE_EXHAUSTED when there is no memory.

// Contents are undefined. `out_data` may be NULL; otherwise it gets the place where the host writes
// them, before it hands the buffer to anybody else, or NULL when the host does not see the device's
// memory.
TN_API TN_MUST_USE tn_status_t tn_buffer_create(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                                const int64_t* dims, void** out_data,
                                                tn_buffer_t** out_buffer);

// Copies `byte_length` bytes, which must be what the shape needs, before it returns.
TN_API TN_MUST_USE tn_status_t tn_buffer_create_from_host(tn_device_t* device, tn_dtype_t dtype,
                                                          size_t rank, const int64_t* dims,
                                                          const void* data, size_t byte_length,
                                                          tn_buffer_t** out_buffer);

// Uses memory of the host in place if the device can (the CPU can when it is 64-byte aligned), and
// copies it otherwise. Takes the memory: `release` (NULL: none) is called when it is not needed any
// more, which is before the return after a copy or an error. Until then nobody may write to it.
// `data` is an address of the host; that it is one, and not another device's, cannot be checked.
TN_API TN_MUST_USE tn_status_t tn_buffer_import(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                                const int64_t* dims, void* data, size_t byte_length,
                                                tn_buffer_release_fn release, void* user,
                                                tn_buffer_t** out_buffer);

// A tuple of buffers of the device, which it retains: an argument or result of a program that is a
// tuple there. Elements may be tuples; NULL stands for a token. A tuple has no bytes of its own:
// read and wait for its elements.
TN_API TN_MUST_USE tn_status_t tn_buffer_create_tuple(tn_device_t* device, size_t count,
                                                      tn_buffer_t* const* elements,
                                                      tn_buffer_t** out_buffer);
// A view, as long as the tuple; NULL for tokens, past the end, and when the buffer is no tuple.
TN_API tn_buffer_t* tn_buffer_element(const tn_buffer_t* buffer, size_t index);

TN_API tn_buffer_t* tn_buffer_retain(tn_buffer_t* buffer);
TN_API void tn_buffer_release(tn_buffer_t* buffer);

// Views; they live as long as the buffer.
TN_API tn_device_t* tn_buffer_device(const tn_buffer_t* buffer);
TN_API const tn_type_t* tn_buffer_type(const tn_buffer_t* buffer);  // without `?`
TN_API tn_dtype_t tn_buffer_dtype(const tn_buffer_t* buffer);
TN_API size_t tn_buffer_rank(const tn_buffer_t* buffer);
TN_API const int64_t* tn_buffer_dims(const tn_buffer_t* buffer);
TN_API int64_t tn_buffer_size(const tn_buffer_t* buffer);        // elements
TN_API size_t tn_buffer_byte_length(const tn_buffer_t* buffer);  // of all elements

// What the contents wait for, a view; NULL when they were there from the start, and of tuples.
TN_API tn_event_t* tn_buffer_ready_event(const tn_buffer_t* buffer);

// Whether a run has taken the memory.
TN_API bool tn_buffer_is_donated(const tn_buffer_t* buffer);

// Waits for the contents and copies them. `byte_length` must be the buffer's. Returns the error of
// the work that should have made the contents, if there is one; FAILED_PRECONDITION when they have
// been donated.
TN_API TN_MUST_USE tn_status_t tn_buffer_to_host(tn_buffer_t* buffer, void* data,
                                                 size_t byte_length);

// Copies the buffer to a device, its own or another. Without a stream the contents are there when
// the function returns; with one of that device, when the stream has come so far, and `buffer` may
// be released before. Errors as tn_buffer_to_host; INVALID_ARGUMENT for a tuple.
TN_API TN_MUST_USE tn_status_t tn_buffer_to_device(tn_buffer_t* buffer, tn_device_t* device,
                                                   tn_stream_t* stream, tn_buffer_t** out_buffer);

// Waits for the contents and shows where the host reads them, until tn_buffer_unmap, which must be
// called as often; a mapped buffer is not donated. Where the host does not see the device's memory
// that is a copy, which the first call makes and the buffer keeps. Errors as tn_buffer_to_host;
// RESOURCE_EXHAUSTED when there is no memory for the copy.
TN_API TN_MUST_USE tn_status_t tn_buffer_map(tn_buffer_t* buffer, const void** out_data);
TN_API void tn_buffer_unmap(tn_buffer_t* buffer);

TN_EXTERN_C_END

#endif  // TENON_BUFFER_H_
