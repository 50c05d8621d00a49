// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What .npy files and the members of .npz archives share.
#ifndef TENON_IO_NPY_H_
#define TENON_IO_NPY_H_

#include "io/source.h"

enum { TN_NPY_HEADER_LIMIT = 2048 };

// What is before the buffer's bytes; returns its length.
size_t tn__npy_header(tn_buffer_t* buffer, char out[TN_NPY_HEADER_LIMIT]);

// Reads a member of an archive; UNIMPLEMENTED if it is not a .npy file. `name` is for messages.
TN_MUST_USE tn_status_t tn__npy_read_member(tn_device_t* device, const char* name,
                                            const tn_byte_source_t* source,
                                            const tn_type_t* expected, tn_buffer_t** out_buffer);

#endif  // TENON_IO_NPY_H_
