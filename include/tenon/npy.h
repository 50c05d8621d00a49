// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Buffers in files: .npy, .npz and safetensors, and printing in NumPy's format.
#ifndef TENON_NPY_H_
#define TENON_NPY_H_

#include <tenon/detail/buffer.h>

TN_EXTERN_C_BEGIN

// Reads a .npy file (format versions 1 to 3, either byte order, C or Fortran order) into a buffer
// on `device`. `expected` may be NULL; otherwise the array must have that type, and elements that
// NumPy has no name for (bfloat16 and 8-bit floats are saved as raw bytes of that size) are taken
// as its dtype. Without an expected type those of two bytes are bfloat16. Errors name the file:
// NOT_FOUND, INVALID_ARGUMENT for another file format or another type, DATA_LOSS for a truncated
// file, UNIMPLEMENTED for objects, strings and structured dtypes.
TN_API TN_MUST_USE tn_status_t tn_npy_read(tn_device_t* device, const char* path,
                                           const tn_type_t* expected, tn_buffer_t** out_buffer);

// The same from the bytes of such a file, which are copied. `name` is for messages.
TN_API TN_MUST_USE tn_status_t tn_npy_decode(tn_device_t* device, const char* name,
                                             const void* bytes, size_t byte_size,
                                             const tn_type_t* expected, tn_buffer_t** out_buffer);

// Reads the array `key` of a .npz file, whose members are stored or deflated. The error NOT_FOUND
// lists the available keys.
TN_API TN_MUST_USE tn_status_t tn_npz_read(tn_device_t* device, const char* path, const char* key,
                                           const tn_type_t* expected, tn_buffer_t** out_buffer);

// Waits for the buffer and writes it as .npy in C order. Dtypes that NumPy does not have are
// written as raw bytes of that size.
TN_API TN_MUST_USE tn_status_t tn_npy_write(const char* path, tn_buffer_t* buffer);

// The same to `write`, which is called with consecutive parts of the file.
TN_API TN_MUST_USE tn_status_t tn_npy_encode(tn_buffer_t* buffer, tn_write_fn write, void* user);

// Waits for the buffers and writes them as an uncompressed archive. INVALID_ARGUMENT for equal or
// empty keys; UNIMPLEMENTED for 4 GiB and more.
TN_API TN_MUST_USE tn_status_t tn_npz_write(const char* path, size_t count, const char* const* keys,
                                            tn_buffer_t* const* buffers);

// Reads the tensor `name` of a safetensors file, and no others. Errors as tn_npy_read; a NOT_FOUND
// error suggests the nearest name in a note.
TN_API TN_MUST_USE tn_status_t tn_safetensors_read(tn_device_t* device, const char* path,
                                                   const char* name, const tn_type_t* expected,
                                                   tn_buffer_t** out_buffer);

// Waits for the buffers and writes them as a safetensors file. INVALID_ARGUMENT for equal
// names, UNIMPLEMENTED for dtypes that the format does not have.
TN_API TN_MUST_USE tn_status_t tn_safetensors_write(const char* path, size_t count,
                                                    const char* const* names,
                                                    tn_buffer_t* const* buffers);

// Waits for the buffer and prints it as NumPy's str() does: arrays of up to 1000 elements in full,
// of larger ones the first and last three along each dimension. `write` is called with consecutive
// parts of the text.
TN_API TN_MUST_USE tn_status_t tn_buffer_print(tn_buffer_t* buffer, tn_write_fn write, void* user);

// Waits for the buffer and prints all of it as JSON: nested lists, booleans, numbers that
// round-trip exactly, [real, imaginary] pairs, and "nan", "inf", "-inf" as strings.
TN_API TN_MUST_USE tn_status_t tn_buffer_print_json(tn_buffer_t* buffer, tn_write_fn write,
                                                    void* user);

TN_EXTERN_C_END

#endif  // TENON_NPY_H_
