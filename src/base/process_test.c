// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

// The code with which a child ends that does `work`.
static int in_child(int (*work)(void)) {
  int state = 0;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(600);
    _exit(work());
  }
  assert_int_equal(waitpid(child, &state, 0), child);
  return WIFEXITED(state) ? WEXITSTATUS(state) : 255;
}

static int is_refused(void) {
  tn_status_t check = tn__process_check(), start = tn__process_start();
  const bool is_right = tn__process_is_forked() &&
                        tn_status_code(check) == TN_CODE_FAILED_PRECONDITION &&
                        tn_status_code(start) == TN_CODE_FAILED_PRECONDITION;
  tn_status_release(check);
  tn_status_release(start);
  return is_right ? 0 : 1;
}

static int goes_on(void) {
  if (tn__process_check() || tn__process_start()) return 1;
  return in_child(is_refused);
}

static void child_goes_on_unless_its_parent_had_started(void** state) {
  (void)state;
  assert_int_equal(in_child(goes_on), 0);
  TN_ASSERT_OK(tn__process_start());
  TN_ASSERT_OK(tn__process_check());
  assert_int_equal(in_child(is_refused), 0);
}

static atomic_bool is_over;

static void* lock_and_unlock(void* user) {
  while (!atomic_load(&is_over)) {
    tn__process_lock();
    tn__process_unlock();
  }
  return user;
}

static int lock_once(void) {
  tn__process_lock();
  tn__process_unlock();
  return 0;
}

static void child_finds_the_lock_free(void** state) {
  (void)state;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, lock_and_unlock, NULL), 0);
  for (int i = 0; i < 50; ++i) assert_int_equal(in_child(lock_once), 0);
  atomic_store(&is_over, true);
  pthread_join(thread, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(child_goes_on_unless_its_parent_had_started),
      cmocka_unit_test(child_finds_the_lock_free),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
