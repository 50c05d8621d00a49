// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What compilers made, kept in files: under a key that is all it depends on, sources included. Only
// a folder that no other user can write to is used. Whatever fails, nothing is found or kept.
#ifndef TENON_DEVICE_DISK_CACHE_H_
#define TENON_DEVICE_DISK_CACHE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TN_DISK_CACHE_LIMIT (UINT64_C(256) << 20)  // bytes of all files

// `folder` "": there is none. The bytes are malloc'ed.
bool tn__disk_cache_read(const char* folder, const char* key, char** out_bytes, size_t* out_size);
// Makes the folder. Threads and processes may write the same at once. What was read or written
// longest ago is deleted when the files have more than `limit` bytes.
void tn__disk_cache_write(const char* folder, uint64_t limit, const char* key, const char* bytes,
                          size_t size);

#endif  // TENON_DEVICE_DISK_CACHE_H_
