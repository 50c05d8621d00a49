// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The allocator of Tenon's own data structures (modules, programs, headers of buffers). Array data
// is allocated by a device.
#ifndef TENON_DETAIL_ALLOCATOR_H_
#define TENON_DETAIL_ALLOCATOR_H_

#include <stddef.h>
#include <tenon/detail/export.h>

TN_EXTERN_C_BEGIN

// One function allocates, resizes and frees, as in Lua: `old_pointer` is NULL and `old_size` 0 for
// a new block, `new_size` is 0 to free. Blocks are aligned for any C type (16 bytes). Returns NULL
// if there is not enough memory; the old block is then unchanged. Called from any thread, under no
// lock. Must outlive everything allocated through it. One function is all that
// Tenon needs: the struct will not grow.
typedef struct tn_allocator {
  void* (*reallocate)(void* user, void* old_pointer, size_t old_size, size_t new_size);
  void* user;
} tn_allocator_t;

// malloc and free, and separate mappings for large blocks. Never NULL; static.
TN_API const tn_allocator_t* tn_allocator_system(void);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ALLOCATOR_H_
