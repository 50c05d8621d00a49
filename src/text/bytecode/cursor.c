// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/cursor.h"

void tn__cursor_spoil(tn_cursor_t* cursor) {
  if (!cursor->bad) cursor->bad = cursor->position;
  cursor->position = cursor->end;
}

uint64_t tn__cursor_long_varint(tn_cursor_t* cursor) {
  if (cursor->position == cursor->end) {
    tn__cursor_spoil(cursor);
    return 0;
  }
  uint8_t first = *cursor->position;
  size_t more = first ? (size_t)__builtin_ctz(first) : 8;
  if (tn__cursor_left(cursor) <= more) {
    tn__cursor_spoil(cursor);
    return 0;
  }
  const uint8_t* bytes = ++cursor->position;
  uint64_t value = 0;
  for (size_t i = more; i-- > 0;) value = value << 8 | bytes[i];
  cursor->position += more;
  if (!first) return value;
  if (more == 7) return value;  // the first byte was only zeros and the 1
  return (value << 8 | first) >> (more + 1);
}

const uint8_t* tn__cursor_take(tn_cursor_t* cursor, uint64_t length) {
  if (length > tn__cursor_left(cursor)) {
    tn__cursor_spoil(cursor);
    return NULL;
  }
  const uint8_t* begin = cursor->position;
  cursor->position += length;
  return begin;
}

tn_string_view_t tn__cursor_text(tn_cursor_t* cursor) {
  const uint8_t* begin = cursor->position;
  const uint8_t* nul = begin == cursor->end ? NULL : memchr(begin, 0, tn__cursor_left(cursor));
  if (!nul) {
    tn__cursor_spoil(cursor);
    return (tn_string_view_t){0};
  }
  cursor->position = nul + 1;
  return (tn_string_view_t){(const char*)begin, (size_t)(nul - begin)};
}
