// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/utf8.h"

size_t tn__utf8_length(tn_string_view_t text, uint32_t* out_character) {
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (!text.length) return 0;
  const unsigned char* bytes = (const unsigned char*)text.data;
  const unsigned char c = *bytes;
  const size_t length = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
  if (!length || length > text.length) return 0;
  uint32_t value = length > 1 ? c & (0x7Fu >> length) : c;
  for (size_t i = 1; i < length; ++i) {
    if (bytes[i] >> 6 != 2) return 0;
    value = value << 6 | (bytes[i] & 0x3F);
  }
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  if (value < smallest[length] || value > 0x10FFFF || is_surrogate) return 0;
  if (out_character) *out_character = value;
  return length;
}

bool tn__utf8_is_valid(tn_string_view_t text) {
  while (text.length) {
    const size_t length = tn__utf8_length(text, NULL);
    if (!length) return false;
    text = (tn_string_view_t){text.data + length, text.length - length};
  }
  return true;
}

size_t tn__utf8_encode(uint32_t character, char out[4]) {
  if (character < 0x80) {
    out[0] = (char)character;
    return 1;
  }
  const size_t length = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
  for (size_t i = length; i-- > 1; character >>= 6) out[i] = (char)(0x80 | (character & 0x3F));
  out[0] = (char)((0xF00u >> length & 0xF0) | character);
  return length;
}

bool tn__utf8_is_printable(uint32_t character) {
  if (character < 0x20 || (character >= 0x7F && character < 0xA0)) return false;
  const bool is_mark = character == 0x61C || character == 0x200E || character == 0x200F;
  const bool is_embedding = character >= 0x202A && character <= 0x202E;
  const bool is_isolate = character >= 0x2066 && character <= 0x2069;
  const bool is_separator = character == 0x2028 || character == 0x2029;
  return !is_mark && !is_embedding && !is_isolate && !is_separator;
}
