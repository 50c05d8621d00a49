// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Named buffers that are about to be written.
#ifndef TENON_IO_BUFFERS_H_
#define TENON_IO_BUFFERS_H_

#include <tenon/detail/buffer.h>

#include "base/status.h"

// Buffers and their names, in the order of the file.
typedef struct tn_named_buffers {
  size_t count;
  const char* const* names;
  tn_buffer_t* const* buffers;
} tn_named_buffers_t;

// INVALID_ARGUMENT if one is NULL, if a name is not UTF-8, or if two are equal. `what` is "array"
// or "tensor"; `path` is for messages.
TN_MUST_USE tn_status_t tn__named_buffers_check(const char* path, const char* what,
                                                const tn_named_buffers_t* named);
// Waits for all contents: an error here has written nothing.
TN_MUST_USE tn_status_t tn__named_buffers_wait(const char* path, const tn_named_buffers_t* named);

#endif  // TENON_IO_BUFFERS_H_
