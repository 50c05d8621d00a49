// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The checksum of zip files.
#ifndef TENON_IO_CRC32_H_
#define TENON_IO_CRC32_H_

#include <stddef.h>
#include <stdint.h>

enum { TN_CRC32_LANES = 8 };

// Tables by which eight bytes are taken at a time.
typedef struct tn_crc32 {
  uint32_t lanes[TN_CRC32_LANES][256];
} tn_crc32_t;

void tn__crc32_init(tn_crc32_t* tables);
// Of `crc`, 0 at first, and of the bytes that follow.
uint32_t tn__crc32_add(const tn_crc32_t* tables, uint32_t crc, const void* data, size_t length);

#endif  // TENON_IO_CRC32_H_
