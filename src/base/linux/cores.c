// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/linux/cores.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

void tn__cores_init(tn_cores_t* cores) {
  *cores = (tn_cores_t){.count = 1};
  if (sched_getaffinity(0, sizeof cores->set, &cores->set) == 0) {
    cores->is_exact = true;
    cores->count = CPU_COUNT(&cores->set);
  } else {
    // More cores than a cpu_set_t holds, or a sandbox that does not answer.
    CPU_ZERO(&cores->set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > 1) cores->count = online < 1024 ? (int)online : 1024;
  }
  if (cores->count < 1) cores->count = 1;
}

bool tn__cores_are_described(void) {
  return access("/sys/devices/system/cpu/online", R_OK) == 0;
}

int tn__cores_current(const tn_cores_t* cores) {
  int core = cores->is_exact && cores->count > 1 ? sched_getcpu() : -1;
  return core >= 0 && core < CPU_SETSIZE && CPU_ISSET((size_t)core, &cores->set) ? core : -1;
}

void tn__cores_exclude(const tn_cores_t* cores, pid_t thread_id, int core) {
  if (core < 0) return;
  cpu_set_t others = cores->set;
  CPU_CLR((size_t)core, &others);
  sched_setaffinity(thread_id, sizeof others, &others);
}

void tn__cores_allow_all(const tn_cores_t* cores) {
  sched_setaffinity(0, sizeof cores->set, &cores->set);
}

pid_t tn__thread_introduce(const char* name) {
  pthread_setname_np(pthread_self(), name);
  return (pid_t)syscall(SYS_gettid);
}
