// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The cores that threads run on, and what the system calls a thread.
#ifndef TENON_BASE_LINUX_CORES_H_
#define TENON_BASE_LINUX_CORES_H_

#include <sched.h>
#include <stdbool.h>

// The cores that threads may run on: those of the thread that asked.
typedef struct tn_cores {
  cpu_set_t set;
  int count;      // at least 1
  bool is_exact;  // false: the system would not say, `set` is empty
} tn_cores_t;

void tn__cores_init(tn_cores_t* cores);
// Whether the system describes its cores in /sys, as it does not in every sandbox.
bool tn__cores_are_described(void);

// The core that the calling thread runs on; -1 when it is none of `cores` or there is no other.
int tn__cores_current(const tn_cores_t* cores);

// Lets a thread (0: the calling one) run on all cores but one (-1: nothing changes). A refusal (a
// sandbox, a cpuset that shrank) only costs the speed that this is for.
void tn__cores_exclude(const tn_cores_t* cores, pid_t thread_id, int core);
// Lets the calling thread run on all cores again.
void tn__cores_allow_all(const tn_cores_t* cores);

// Names the calling thread, as debuggers show it (15 bytes at most), and returns its id.
pid_t tn__thread_introduce(const char* name);

#endif  // TENON_BASE_LINUX_CORES_H_
