// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What .npy files and the members of .npz archives share.
#ifndef TENON_IO_NPY_H_
#define TENON_IO_NPY_H_

#include <tenon/detail/buffer.h>

#include "base/status.h"

enum { TN_NPY_HEADER_LIMIT = 2048 };

// What is before the buffer's bytes; returns its length.
size_t tn__npy_header(tn_buffer_t* buffer, char out[TN_NPY_HEADER_LIMIT]);

#endif  // TENON_IO_NPY_H_
