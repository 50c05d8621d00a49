// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Bytes on their way out: what cursor.h reads, written. The first allocation that fails is
// remembered, and from then on nothing is written; callers look at `status` at the end.
#ifndef TENON_TEXT_BYTECODE_BYTES_H_
#define TENON_TEXT_BYTECODE_BYTES_H_

#include <stdint.h>

#include "base/allocator.h"
#include "base/view.h"

typedef struct tn_bytes {
  const tn_allocator_t* allocator;
  tn_status_t* status;  // of the writer: the first error of all
  void* data;
  size_t length, capacity;
} tn_bytes_t;

void tn__bytes_init(tn_bytes_t* bytes, const tn_allocator_t* allocator, tn_status_t* status);
void tn__bytes_deinit(tn_bytes_t* bytes);

void tn__bytes_put(tn_bytes_t* bytes, const void* data, size_t length);
void tn__bytes_byte(tn_bytes_t* bytes, uint8_t byte);
void tn__bytes_varint(tn_bytes_t* bytes, uint64_t value);
void tn__bytes_signed_varint(tn_bytes_t* bytes, int64_t value);
void tn__bytes_flagged(tn_bytes_t* bytes, uint64_t value, bool flag);
// A length and so many bytes.
void tn__bytes_blob(tn_bytes_t* bytes, const void* data, size_t length);
// The text and a NUL.
void tn__bytes_text(tn_bytes_t* bytes, tn_string_view_t text);
// A section whose contents are `contents`.
void tn__bytes_section(tn_bytes_t* bytes, uint8_t id, const tn_bytes_t* contents);

static inline tn_string_view_t tn__bytes_view(const tn_bytes_t* bytes) {
  return (tn_string_view_t){bytes->data, bytes->length};
}

#endif  // TENON_TEXT_BYTECODE_BYTES_H_
