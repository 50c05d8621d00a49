// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Members of .npz archives.
#ifndef TENON_IO_NPZ_H_
#define TENON_IO_NPZ_H_

#include "base/status.h"

// The bytes of `key`.npy inside the archive, in memory from malloc.
TN_MUST_USE tn_status_t tn__npz_extract(const char* path, const char* key,
                                        unsigned char** out_bytes, size_t* out_length);

#endif  // TENON_IO_NPZ_H_
