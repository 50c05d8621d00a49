// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "inspect/child.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/linux/clock.h"

tn_status_t tn__child_share(size_t byte_size, void** out_memory) {
  void* memory = mmap(NULL, byte_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  *out_memory = NULL;
  if (memory == MAP_FAILED) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "no shared memory: %s", strerror(errno));
  }
  *out_memory = memory;
  return TN_OK;
}

void tn__child_unshare(void* memory, size_t byte_size) {
  if (memory) munmap(memory, byte_size);
}

static tn_child_end_t wait_for(pid_t child, int64_t deadline_ns) {
  struct timespec pause = {0, 50000};
  tn_child_end_t end = {false, false, 0};
  for (;;) {
    pid_t ended = waitpid(child, &end.state, WNOHANG);
    end.is_known = ended == child;
    if (end.is_known || (ended < 0 && errno != EINTR)) return end;
    if (!end.is_late && tn__clock_ns() > deadline_ns) {
      end.is_late = true;
      (void)kill(child, SIGKILL);
    }
    nanosleep(&pause, NULL);
    if (pause.tv_nsec < 1000000) pause.tv_nsec *= 2;
  }
}

tn_status_t tn__child_run(void (*work)(void* user, tn_confinement_t confinement), void* user,
                          int64_t timeout_ms, tn_child_end_t* out_end) {
  size_t address_space = tn__confine_address_space();
  pid_t child = fork();
  if (child < 0) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "no child process: %s", strerror(errno));
  }
  if (child == 0) {
    work(user, tn__confine(address_space, (unsigned)(timeout_ms / 1000) + 1));
    _exit(0);
  }
  *out_end = wait_for(child, tn__clock_deadline_ns(timeout_ms * 1000000));
  return TN_OK;
}

tn_child_end_text_t tn__child_end_text(const tn_child_end_t* end) {
  tn_child_end_text_t out = {"the child ended"};
  if (end->is_late) {
    snprintf(out.text, sizeof out.text, "it timed out");
  } else if (end->is_known && WIFSIGNALED(end->state) && WTERMSIG(end->state) == SIGSYS) {
    snprintf(out.text, sizeof out.text, "it made a system call that it may not make here");
  } else if (end->is_known && WIFSIGNALED(end->state)) {
    snprintf(out.text, sizeof out.text, "it crashed (%s)", strsignal(WTERMSIG(end->state)));
  } else if (end->is_known && WIFEXITED(end->state)) {
    snprintf(out.text, sizeof out.text, "it ended the process (code %d)", WEXITSTATUS(end->state));
  }
  return out;
}
