// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/bytes.h"

void tn__bytes_init(tn_bytes_t* bytes, const tn_allocator_t* allocator, tn_status_t* status) {
  *bytes = (tn_bytes_t){.allocator = allocator, .status = status};
}

void tn__bytes_deinit(tn_bytes_t* bytes) {
  tn__free(bytes->allocator, bytes->data, bytes->capacity);
}

void tn__bytes_put(tn_bytes_t* bytes, const void* data, size_t length) {
  if (*bytes->status || length == 0) return;
  if (length > bytes->capacity - bytes->length) {
    *bytes->status =
        tn__grow(bytes->allocator, &bytes->data, &bytes->capacity, bytes->length + length, 1);
    if (*bytes->status) return;
  }
  memcpy((char*)bytes->data + bytes->length, data, length);
  bytes->length += length;
}

void tn__bytes_byte(tn_bytes_t* bytes, uint8_t byte) {
  tn__bytes_put(bytes, &byte, 1);
}

void tn__bytes_varint(tn_bytes_t* bytes, uint64_t value) {
  enum { LONGEST = 9 };
  uint8_t encoded[LONGEST];
  size_t length = 1;
  while (length < LONGEST && value >> 7 * length) ++length;
  // The first byte of the longest form is 0, and the number follows it.
  const bool is_longest = length == LONGEST;
  const uint64_t bits = is_longest ? value : (value << 1 | 1) << (length - 1);
  encoded[0] = 0;
  for (size_t i = is_longest; i < length; ++i) {
    encoded[i] = (uint8_t)(bits >> 8 * (i - is_longest));
  }
  tn__bytes_put(bytes, encoded, length);
}

void tn__bytes_signed_varint(tn_bytes_t* bytes, int64_t value) {
  const uint64_t bits = (uint64_t)value;
  tn__bytes_varint(bytes, bits << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void tn__bytes_flagged(tn_bytes_t* bytes, uint64_t value, bool flag) {
  tn__bytes_varint(bytes, value << 1 | flag);
}

void tn__bytes_blob(tn_bytes_t* bytes, const void* data, size_t length) {
  tn__bytes_varint(bytes, length);
  tn__bytes_put(bytes, data, length);
}

void tn__bytes_text(tn_bytes_t* bytes, tn_string_view_t text) {
  tn__bytes_put(bytes, text.data, text.length);
  tn__bytes_byte(bytes, 0);
}

void tn__bytes_section(tn_bytes_t* bytes, uint8_t id, const tn_bytes_t* contents) {
  tn__bytes_byte(bytes, id);
  tn__bytes_blob(bytes, contents->data, contents->length);
}
