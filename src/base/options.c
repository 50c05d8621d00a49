// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/options.h"

#include <string.h>

// A larger struct_size is an uninitialised one.
enum { LARGEST_BYTE_SIZE = 4096 };

static bool is_zero(const void* given, size_t begin, size_t end) {
  const unsigned char* bytes = given;
  for (size_t i = begin; i < end; ++i) {
    if (bytes[i]) return false;
  }
  return true;
}

const void* tn__options_copy(const char* name, size_t byte_size, const void* given, void* copy,
                             tn_status_t* out_status) {
  const size_t size = given ? *(const size_t*)given : byte_size;
  memset(copy, 0, byte_size);
  memcpy(copy, &byte_size, sizeof byte_size);
  if (!given) return copy;
  if (size <= sizeof size || size > LARGEST_BYTE_SIZE) {
    *out_status = tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                   "%s: struct_size is %zu; expected sizeof(%s), %zu", name, size,
                                   name, byte_size);
    return copy;
  }
  if (size <= byte_size) {
    memcpy((char*)copy + sizeof size, (const char*)given + sizeof size, size - sizeof size);
    return copy;
  }
  if (is_zero(given, byte_size, size)) return given;
  *out_status =
      tn_status_create(TN_CODE_INVALID_ARGUMENT,
                       "%s: struct_size is %zu; this version of Tenon knows %zu bytes, and "
                       "the bytes after them are not all zero",
                       name, size, byte_size);
  return copy;
}

void tn__options_fill(void* out_struct, const void* known, size_t byte_size) {
  size_t size = *(const size_t*)out_struct;
  if (size <= sizeof size || size > LARGEST_BYTE_SIZE) return;
  const size_t filled = size < byte_size ? size : byte_size;
  memcpy((char*)out_struct + sizeof size, (const char*)known + sizeof size, filled - sizeof size);
  memset((char*)out_struct + filled, 0, size - filled);
}
