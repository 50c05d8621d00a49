// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Deflated bytes, inflated by zlib, which is loaded when the first of them are read.
#ifndef TENON_IO_INFLATE_H_
#define TENON_IO_INFLATE_H_

#include "io/source.h"

// Called with consecutive parts of what is inflated; false ends it early.
typedef bool (*tn_inflate_take_fn)(void* user, const unsigned char* bytes, size_t length);

// Inflates the bytes from `offset` on, `length` of them, without zlib's header. DATA_LOSS if they
// are damaged, UNIMPLEMENTED without zlib.
TN_MUST_USE tn_status_t tn__inflate(const tn_byte_source_t* source, uint64_t offset,
                                    uint64_t length, tn_inflate_take_fn take, void* user);

#endif  // TENON_IO_INFLATE_H_
