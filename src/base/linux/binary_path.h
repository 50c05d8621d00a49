// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Where the program or the library is that something belongs to.
#ifndef TENON_BASE_LINUX_BINARY_PATH_H_
#define TENON_BASE_LINUX_BINARY_PATH_H_

#include <stdbool.h>
#include <stddef.h>

// `address` is that of a function or of data. The path is relative where the library was loaded by
// a relative one. False when it is in no binary, or when the path is longer than `size` - 1.
bool tn__linux_binary_path(const void* address, char* out_path, size_t size);

#endif  // TENON_BASE_LINUX_BINARY_PATH_H_
