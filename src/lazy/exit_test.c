// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Processes and threads that end, and processes that fork, while a kernel is at work. Each scene is
// a child process of its own, which must end by itself.
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <tenon/custom.h>
#include <tenon/detail/call.h>
#include <tenon/detail/transform.h>
#include <time.h>
#include <unistd.h>

#include "lazy/testing_lazy.h"

#define SLOW(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))

static void sleep_ms(long milliseconds) {
  const struct timespec time = {.tv_nsec = milliseconds * 1000000};
  (void)nanosleep(&time, NULL);
}

TN_OP(slow, SLOW, "y = 2 x, after a while") {
  const int64_t n = tn_size(call->x);
  sleep_ms(100);
  for (int64_t i = 0; i < n; ++i) call->y.data[i] = 2 * call->x.data[i];
  return TN_OK;
}

TN_DEFINE(slow, .flags = 0)

static atomic_bool has_begun, may_end;

TN_OP(held, SLOW, "y = 2 x, when it may end") {
  const int64_t n = tn_size(call->x);
  atomic_store(&has_begun, true);
  while (!atomic_load(&may_end)) sleep_ms(1);
  for (int64_t i = 0; i < n; ++i) call->y.data[i] = 2 * call->x.data[i];
  return TN_OK;
}

TN_DEFINE(held, .flags = 0)

static tn_array_t* apply_op(tn_scope_t* s, const char* name, tn_array_t* x) {
  tn_array_t* y = NULL;
  tn_op_apply(s,
              &(tn_application_t){
                  .struct_size = sizeof(tn_application_t),
                  .name = name,
                  .operand_count = 1,
                  .operands = &x,
                  .result_count = 1,
              },
              &y);
  return y;
}

static tn_array_t* apply_slow(tn_scope_t* s, tn_array_t* x) {
  return apply_op(s, "slow", x);
}

static void wait_until_held(void) {
  while (!atomic_load(&has_begun)) sleep_ms(1);
}

// Several pieces, of which the first is under way.
static tn_array_t* begin_work(tn_scope_t* s) {
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  for (int i = 0; i < 3; ++i) x = apply_slow(s, x);
  TN_ASSERT_OK(tn_array_async_eval(1, &x));
  sleep_ms(20);
  return x;
}

// --- scenes, in a child

static int ends_by_exit(void) {
  (void)begin_work(tn__testing_scope());  // nothing is given back
  exit(0);
}

static int ends_by_exit_after_giving_all_back(void) {
  tn_scope_t* s = tn__testing_scope();
  (void)begin_work(s);
  tn_scope_destroy(s);
  exit(0);
}

static void* exit_elsewhere(void* user) {
  (void)user;
  sleep_ms(50);
  exit(0);
}

static int ends_by_exit_in_another_thread_while_it_waits(void) {
  pthread_t thread;
  tn_array_t* x = begin_work(tn__testing_scope());
  if (pthread_create(&thread, NULL, exit_elsewhere, NULL)) return 1;
  TN_ASSERT_OK(tn_array_eval(1, &x));
  pthread_join(thread, NULL);
  return 2;
}

static void* begin_in_thread(void* user) {
  tn_array_t** out = user;
  *out = tn_array_retain(begin_work(tn__testing_scope()));  // the scope lives on
  return NULL;
}

static int work_of_a_thread_that_ended_is_there(void) {
  pthread_t thread;
  tn_array_t* x = NULL;
  if (pthread_create(&thread, NULL, begin_in_thread, &x)) return 1;
  pthread_join(thread, NULL);
  TN_ASSERT_F32(x, TN_LIST(4), 0, 8, 16, 24);
  tn_array_release(x);
  return 0;
}

// Waits for the forked child; it has to say that all is well.
static int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 10;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 20;
}

static bool is_refused(tn_status_t status) {
  const bool is_right = tn_status_code(status) == TN_CODE_FAILED_PRECONDITION;
  tn_status_release(status);
  return is_right;
}

// In the child, what is computed can be read, and everything can be given back.
static int a_forked_child_has_errors(void) {
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  for (int i = 0; i < 3; ++i) x = apply_op(s, "held", x);
  TN_ASSERT_OK(tn_array_async_eval(1, &x));
  wait_until_held();
  tn_array_t* y = apply_slow(s, tn__testing_range(s, TN_LIST(4)));  // pending
  tn_array_t* z = apply_slow(s, tn__testing_range(s, TN_LIST(4)));
  TN_ASSERT_OK(tn_array_eval(1, &z));
  const pid_t child = fork();
  if (child == 0) {
    alarm(600);
    TN_ASSERT_F32(z, TN_LIST(4), 0, 2, 4, 6);
    if (!is_refused(tn_array_eval(1, &x))) _exit(3);
    if (!is_refused(tn_array_eval(1, &y))) _exit(4);
    tn_array_t* sum = tn_array_add(s, y, y);
    if (!is_refused(tn_array_async_eval(1, &sum))) _exit(5);
    tn_scope_destroy(s);
    exit(0);
  }
  atomic_store(&may_end, true);
  TN_ASSERT_F32(x, TN_LIST(4), 0, 8, 16, 24);
  TN_ASSERT_F32(y, TN_LIST(4), 0, 2, 4, 6);
  tn_scope_destroy(s);
  return wait_for(child);
}

static void* evaluate(void* user) {
  tn_array_t* array = user;
  TN_ASSERT_OK(tn_array_eval(1, &array));
  return NULL;
}

// The thread that had claimed the steps does not exist in the child.
static int a_forked_child_waits_for_no_other_thread(void) {
  pthread_t thread;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = apply_op(s, "held", apply_op(s, "held", tn__testing_range(s, TN_LIST(4))));
  if (pthread_create(&thread, NULL, evaluate, x)) return 1;
  wait_until_held();
  const pid_t child = fork();
  if (child == 0) {
    alarm(600);
    if (!is_refused(tn_array_eval(1, &x))) _exit(3);
    tn_scope_destroy(s);
    exit(0);
  }
  atomic_store(&may_end, true);
  pthread_join(thread, NULL);
  TN_ASSERT_F32(x, TN_LIST(4), 0, 4, 8, 12);
  tn_scope_destroy(s);
  return wait_for(child);
}

static int a_child_forked_before_the_first_device_computes(void) {
  const pid_t child = fork();
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = apply_slow(s, tn__testing_range(s, TN_LIST(4)));
  if (child == 0) alarm(600);
  TN_ASSERT_OK(tn_array_async_eval(1, &x));
  TN_ASSERT_F32(x, TN_LIST(4), 0, 2, 4, 6);
  tn_scope_destroy(s);
  if (child == 0) exit(0);
  return wait_for(child);
}

// --- in the test

#define SCENES(X)                                  \
  X(ends_by_exit)                                  \
  X(ends_by_exit_after_giving_all_back)            \
  X(ends_by_exit_in_another_thread_while_it_waits) \
  X(work_of_a_thread_that_ended_is_there)          \
  X(a_forked_child_has_errors)                     \
  X(a_forked_child_waits_for_no_other_thread)      \
  X(a_child_forked_before_the_first_device_computes)

static const char* program;

// A program of its own, in which nothing has happened yet. What it leaves behind is no leak.
static void play(const char* scene) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    execl(program, program, scene, (char*)NULL);
    _exit(127);
  }
  const int result = wait_for(child);
  if (result != 0) fail_msg("%s: %d", scene, result);
}

#define TEST(scene)                        \
  static void test_##scene(void** state) { \
    (void)state;                           \
    play(#scene);                          \
  }
SCENES(TEST)

#define CHOOSE(scene) \
  if (strcmp(argv[1], #scene) == 0) return scene();
#define ROW(scene) cmocka_unit_test(test_##scene),

int main(int argc, char** argv) {
  program = argv[0];
  if (argc == 2) {
    alarm(600);
    TN_ASSERT_OK(tn_op_register(tn_definition_of(slow)));
    TN_ASSERT_OK(tn_op_register(tn_definition_of(held)));
    SCENES(CHOOSE)
    return 126;
  }
  const struct CMUnitTest tests[] = {SCENES(ROW)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
