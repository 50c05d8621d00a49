// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Pages of memory straight from the system.
#ifndef TENON_BASE_LINUX_PAGES_H_
#define TENON_BASE_LINUX_PAGES_H_

#include <stdbool.h>
#include <stddef.h>

enum { TN_SYSTEM_PAGE_SIZE = 4096, TN_HUGE_PAGE_SIZE = 2 << 20 };

typedef enum tn_pages_flag {
  // Huge pages are asked for, which most systems give only then; without them the first touch of a
  // large block costs several times what computing it does. It stays right when they are declined.
  TN_PAGES_HUGE = 1 << 0,
  // The system need not have the memory yet: it may refuse it, by ending the process, when it is
  // touched.
  TN_PAGES_UNRESERVED = 1 << 1,
} tn_pages_flag_t;

// Zeroed pages, aligned to `alignment`, a power of two and at least a page. NULL when the system
// refuses. Nothing is touched, so nothing but address space is used yet.
void* tn__pages_map(size_t byte_size, size_t alignment, int flags);
void tn__pages_unmap(void* base, size_t byte_size);
// Moves pages to where there is room for more, or gives back those at the end; the alignment is
// lost. NULL, with nothing changed, when the system refuses.
void* tn__pages_resize(void* base, size_t byte_size, size_t new_byte_size);
// Gives the memory behind the addresses back; the addresses stay, and read as zero.
void tn__pages_purge(void* base, size_t byte_size);

typedef enum tn_pages_access { TN_PAGES_CLOSED, TN_PAGES_READ, TN_PAGES_WRITE } tn_pages_access_t;
// Of whole pages, whose size is tn__pages_size(). False when the system refuses.
bool tn__pages_protect(void* base, size_t byte_size, tn_pages_access_t access);
size_t tn__pages_size(void);

#endif  // TENON_BASE_LINUX_PAGES_H_
