// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Bytes that are read from a file, from memory, or from a member of an archive.
#ifndef TENON_IO_SOURCE_H_
#define TENON_IO_SOURCE_H_

#include <tenon/npy.h>

#include "base/status.h"

// A regular file. Free with tn__source_close.
typedef struct tn_file_source {
  tn_byte_source_t source;  // its user is the struct
  int file;
} tn_file_source_t;

TN_MUST_USE tn_status_t tn__source_open(const char* path, tn_file_source_t* out_file);
void tn__source_close(tn_file_source_t* file);

// Errors do not say of which file: callers add the name.
static inline tn_status_t tn__source_read(const tn_byte_source_t* source, uint64_t offset,
                                          void* data, size_t length) {
  return length ? source->read(source->user, offset, data, length) : TN_OK;
}

static inline uint64_t tn__little_endian(const unsigned char* bytes, int count) {
  uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

#endif  // TENON_IO_SOURCE_H_
