// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A place in bytes from outside: every read is checked, and the first that goes past the end is
// remembered; from then on everything reads as 0. Callers check `bad` before they use a value.
#ifndef TENON_TEXT_BYTECODE_CURSOR_H_
#define TENON_TEXT_BYTECODE_CURSOR_H_

#include <stdint.h>

#include "base/view.h"

typedef struct tn_cursor {
  const uint8_t *position, *end;
  const uint8_t* bad;  // NULL: all well
} tn_cursor_t;

static inline tn_cursor_t tn__cursor(const uint8_t* begin, const uint8_t* end) {
  return (tn_cursor_t){begin, end, NULL};
}
static inline size_t tn__cursor_left(const tn_cursor_t* cursor) {
  return (size_t)(cursor->end - cursor->position);
}
static inline bool tn__cursor_done(const tn_cursor_t* cursor) {
  return cursor->position == cursor->end && !cursor->bad;
}

// Past the end: nothing is left to read.
void tn__cursor_spoil(tn_cursor_t* cursor);
// Of more than one byte.
uint64_t tn__cursor_long_varint(tn_cursor_t* cursor);

static inline uint8_t tn__cursor_byte(tn_cursor_t* cursor) {
  if (cursor->position == cursor->end) {
    tn__cursor_spoil(cursor);
    return 0;
  }
  return *cursor->position++;
}

// The trailing zero bits of the first byte say how many bytes follow; the number stands behind them
// and a 1, little-endian.
static inline uint64_t tn__cursor_varint(tn_cursor_t* cursor) {
  if (cursor->position != cursor->end && (*cursor->position & 1)) return *cursor->position++ >> 1;
  return tn__cursor_long_varint(cursor);
}
// Zigzag: 0, -1, 1, -2...
static inline int64_t tn__cursor_signed_varint(tn_cursor_t* cursor) {
  uint64_t value = tn__cursor_varint(cursor);
  return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}
// A number with a flag in its lowest bit.
static inline uint64_t tn__cursor_flagged(tn_cursor_t* cursor, bool* out_flag) {
  uint64_t value = tn__cursor_varint(cursor);
  *out_flag = value & 1;
  return value >> 1;
}
// How many things follow, each of which takes at least one byte: a lie spoils the cursor.
static inline size_t tn__cursor_count(tn_cursor_t* cursor) {
  uint64_t count = tn__cursor_varint(cursor);
  if (count <= tn__cursor_left(cursor)) return (size_t)count;
  tn__cursor_spoil(cursor);
  return 0;
}
// The next `length` bytes; NULL when there are fewer.
const uint8_t* tn__cursor_take(tn_cursor_t* cursor, uint64_t length);
// A length and so many bytes.
static inline tn_string_view_t tn__cursor_blob(tn_cursor_t* cursor) {
  uint64_t length = tn__cursor_varint(cursor);
  const uint8_t* data = tn__cursor_take(cursor, length);
  return (tn_string_view_t){(const char*)data, data ? (size_t)length : 0};
}
// Up to a NUL, which it goes past.
tn_string_view_t tn__cursor_text(tn_cursor_t* cursor);

#endif  // TENON_TEXT_BYTECODE_CURSOR_H_
