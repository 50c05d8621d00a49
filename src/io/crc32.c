// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "io/crc32.h"

void tn__crc32_init(tn_crc32_t* tables) {
  static const uint32_t polynomial = 0xEDB88320;
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? polynomial : 0);
    tables->lanes[0][i] = value;
  }
  for (int lane = 1; lane < TN_CRC32_LANES; ++lane) {
    for (uint32_t i = 0; i < 256; ++i) {
      const uint32_t before = tables->lanes[lane - 1][i];
      tables->lanes[lane][i] = tables->lanes[0][before & 0xFF] ^ before >> 8;
    }
  }
}

uint32_t tn__crc32_add(const tn_crc32_t* tables, uint32_t crc, const void* data, size_t length) {
  const unsigned char* bytes = data;
  crc = ~crc;
  for (; length >= TN_CRC32_LANES; length -= TN_CRC32_LANES, bytes += TN_CRC32_LANES) {
    uint32_t next = 0;
    for (int lane = 0; lane < TN_CRC32_LANES; ++lane) {
      const uint32_t mixed = lane < 4 ? (crc >> 8 * lane & 0xFF) ^ bytes[lane] : bytes[lane];
      next ^= tables->lanes[TN_CRC32_LANES - 1 - lane][mixed];
    }
    crc = next;
  }
  for (size_t i = 0; i < length; ++i) crc = tables->lanes[0][(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
  return ~crc;
}
