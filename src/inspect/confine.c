// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "inspect/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

size_t tn__confine_address_space(void) {
  const size_t room = (size_t)512 << 20;
  char text[64] = "";
  FILE* file = fopen("/proc/self/statm", "re");
  if (!file) return 0;
  bool is_known = fgets(text, sizeof text, file) != NULL;  // begins with the number of pages
  fclose(file);
  if (!is_known) return 0;
  return (size_t)strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) + room;
}

// What the RLIMIT_* constants are: an enumeration in glibc, int elsewhere.
#ifdef __GLIBC__
typedef __rlimit_resource_t resource_t;
#else
typedef int resource_t;
#endif

static void limit(resource_t resource, rlim_t value) {
  struct rlimit limits;
  if (getrlimit(resource, &limits)) return;
  if (limits.rlim_cur > value) limits.rlim_cur = value;
  if (limits.rlim_max > value) limits.rlim_max = value;
  (void)setrlimit(resource, &limits);
}

// The process's own handlers of faults would print, or jump into code that is not there any more.
static void forget_signal_handlers(void) {
  sigset_t none;
  for (int number = 1; number < NSIG; ++number) (void)signal(number, SIG_DFL);
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

#ifdef MACHINE

#define WORD(field) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
// The lower half of an argument; both machines are little-endian.
#define ARGUMENT(index) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, args[index]))
#define IF_NOT(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, skipped)
#define GIVE(action) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(action))
#define ALLOW(name) IF_NOT(__NR_##name, 1), GIVE(SECCOMP_RET_ALLOW)

static bool filter_calls(void) {
  // The allocator's, the locks', the clock's. There is no file to write to, but abort() and
  // assert() print first; they may signal this very process.
  const struct sock_filter filter[] = {
      WORD(arch),
      IF_NOT(MACHINE, 1),
      BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
      GIVE(SECCOMP_RET_KILL_PROCESS),
      WORD(nr),
      ALLOW(brk),
      ALLOW(munmap),
      ALLOW(mremap),
      ALLOW(madvise),
      ALLOW(mprotect),
      ALLOW(futex),
      ALLOW(sched_yield),
      ALLOW(clock_gettime),
      ALLOW(getrandom),
      ALLOW(write),
      ALLOW(writev),
      ALLOW(getpid),
      ALLOW(gettid),
      ALLOW(rt_sigprocmask),
      ALLOW(rt_sigaction),
      ALLOW(rt_sigreturn),
      ALLOW(sigaltstack),
      ALLOW(exit),
      ALLOW(exit_group),
      // Memory, not files.
      IF_NOT(__NR_mmap, 4),
      ARGUMENT(3),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1),
      GIVE(SECCOMP_RET_ALLOW),
      GIVE(SECCOMP_RET_KILL_PROCESS),
      IF_NOT(__NR_tgkill, 3),
      ARGUMENT(0),
      IF_NOT(getpid(), 1),
      GIVE(SECCOMP_RET_ALLOW),
      GIVE(SECCOMP_RET_KILL_PROCESS),
  };
  const struct sock_fprog program = {.len = sizeof filter / sizeof *filter,
                                     .filter = (struct sock_filter*)(uintptr_t)filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return false;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

#else

static bool filter_calls(void) {
  return false;
}

#endif

static void close_files(void) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 0U, ~0U, 0U) == 0) return;
#endif
  for (int file = 0; file < 1024; ++file) close(file);
}

tn_confinement_t tn__confine(size_t address_space, unsigned seconds) {
  forget_signal_handlers();
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_files();
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_NOFILE, 0);
  limit(RLIMIT_CPU, seconds);
  if (address_space) limit(RLIMIT_AS, address_space);
  return filter_calls() ? TN_CONFINED_BY_SECCOMP : TN_CONFINED_BY_LIMITS;
}
