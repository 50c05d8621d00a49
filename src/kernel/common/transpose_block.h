// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transposing a strip: a few long rows of the source become short, contiguous lines of the target.
#ifndef TENON_KERNEL_COMMON_TRANSPOSE_BLOCK_H_
#define TENON_KERNEL_COMMON_TRANSPOSE_BLOCK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A strip has at most so many bytes in each line of the target: a cache line.
enum { TN_TRANSPOSE_LINE_BYTES = 64 };

// target[r][c] = source[c][r] for r < rows, c < columns, where rows of `target` are `target_stride`
// bytes apart, rows of `source` `source_stride`, and elements of either adjacent, of 1, 2, 4, 8 or
// 16 bytes. columns * element_size is at most TN_TRANSPOSE_LINE_BYTES. `streaming` writes past the
// caches where alignment permits; end with tn__stream_end.
void tn__transpose_strip(size_t element_size, bool streaming, char* target, int64_t target_stride,
                         const char* source, int64_t source_stride, int64_t rows, int64_t columns);

#endif  // TENON_KERNEL_COMMON_TRANSPOSE_BLOCK_H_
