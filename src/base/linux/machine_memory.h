// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How much memory the process may use.
#ifndef TENON_BASE_LINUX_MACHINE_MEMORY_H_
#define TENON_BASE_LINUX_MACHINE_MEMORY_H_

#include <stddef.h>

// Bytes: the machine's physical memory, or the limit of the process's control group if that is
// less. 0: unknown.
size_t tn__machine_memory(void);

// The least limit of the process's control group and the groups above it, in bytes; SIZE_MAX:
// none. Reads ROOT/proc/self/cgroup and ROOT/sys/fs/cgroup, of either version; `root` is "" but in
// tests.
size_t tn__cgroup_memory_limit(const char* root);

#endif  // TENON_BASE_LINUX_MACHINE_MEMORY_H_
