// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory straight from the system.
#ifndef TENON_DEVICE_CPU_HOST_MAPPING_H_
#define TENON_DEVICE_CPU_HOST_MAPPING_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/linux/pages.h"

// Zeroed memory, aligned to `alignment` (a power of two); `byte_size` is a multiple of 4096. With
// `huge`, huge pages are asked for, which the system may ignore. NULL when the system refuses.
// Nothing is touched, so nothing but address space is used yet.
void* tn__host_map(size_t byte_size, size_t alignment, bool huge);
void tn__host_unmap(void* base, size_t byte_size);

// Gives the memory behind the addresses back; the addresses stay, and read as zero.
void tn__host_purge(void* base, size_t byte_size);

// In builds with AddressSanitizer, memory that is forbidden may not be touched, and blocks are
// followed by a zone that stays forbidden; otherwise these do nothing.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TN_HAS_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TN_HAS_ADDRESS_SANITIZER
#endif
#ifdef TN_HAS_ADDRESS_SANITIZER
enum { TN_HOST_RED_ZONE = 64 };
#else
enum { TN_HOST_RED_ZONE = 0 };
#endif
void tn__host_forbid(const void* base, size_t byte_size);
void tn__host_allow(const void* base, size_t byte_size);

#endif  // TENON_DEVICE_CPU_HOST_MAPPING_H_
