// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Asking handlers what they take: what is probed, and what becomes of those that do not answer.
#include "inspect/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tenon/inspect.h>
#include <unistd.h>

#include "base/testing.h"
#include "call/testing_foreign.h"
#include "inspect/prober.h"

static tn_testing_foreign_t foreign;
static int* entered;  // shared with children

static tn_status_t enter(tn_ffi_call_frame_t* frame) {
  (void)frame;
  ++*entered;
  return TN_OK;
}
static tn_status_t foreign_handler(tn_ffi_call_frame_t* frame) {
  return tn__testing_foreign(&foreign, frame);
}

static int share(void** state) {
  (void)state;
  entered = mmap(NULL, sizeof *entered, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return entered == MAP_FAILED;
}
static int unshare_again(void** state) {
  (void)state;
  return munmap(entered, sizeof *entered);
}

// In a child, and here: with the same answers.
static tn_probe_t* probe_foreign(const tn_testing_foreign_t* what) {
  tn_probe_t* probe = NULL;
  tn_probe_t* here = calloc(1, sizeof *here);
  assert_non_null(here);
  foreign = *what;
  foreign.body = enter;
  *entered = 0;
  TN_ASSERT_OK(tn__probe_handler(foreign_handler, TN_FFI_EXECUTE, 5000, &probe));
  assert_true(probe->is_over);
  tn__probe_ask(foreign_handler, TN_FFI_EXECUTE, here);
  assert_memory_equal(here->lists, probe->lists, sizeof here->lists);
  assert_memory_equal(here->attrs, probe->attrs, sizeof here->attrs);
  assert_string_equal(here->unresolved, probe->unresolved);
  free(here);
  return probe;
}

static void assert_value(const tn_probe_values_t* list, int index, int dtype, int rank) {
  const tn_probe_value_t* value = &list->values[index];
  assert_int_equal(value->dtype_answer, dtype == TN_TESTING_ANY ? TN_PROBE_ANY : TN_PROBE_KNOWN);
  assert_int_equal(value->rank_answer, rank == TN_TESTING_ANY ? TN_PROBE_ANY : TN_PROBE_KNOWN);
  if (dtype != TN_TESTING_ANY) assert_int_equal(value->dtype, dtype);
  if (rank != TN_TESTING_ANY) assert_int_equal(value->rank, rank);
}

#define F32 \
  { TN_FFI_F32, TN_TESTING_ANY }
#define ANYTHING \
  { TN_TESTING_ANY, TN_TESTING_ANY }

static void buffers_have_their_dtypes_and_ranks(void** state) {
  (void)state;
  const tn_testing_foreign_t what = {
      .stage = TN_FFI_EXECUTE,
      .lists = {{3, 0, false, {F32, {TN_FFI_S32, 2}, ANYTHING}},
                {2, 0, false, {{TN_FFI_TOKEN, 0}, {TN_FFI_BF16, 1}}}},
  };
  tn_probe_t* probe = probe_foreign(&what);
  assert_string_equal(probe->unresolved, "");
  assert_int_equal(probe->lists[0].required, 3);
  assert_int_equal(probe->lists[1].required, 2);
  assert_value(&probe->lists[0], 0, TN_FFI_F32, TN_TESTING_ANY);
  assert_value(&probe->lists[0], 1, TN_FFI_S32, 2);
  assert_value(&probe->lists[0], 2, TN_TESTING_ANY, TN_TESTING_ANY);
  assert_value(&probe->lists[1], 0, TN_FFI_TOKEN, 0);
  assert_value(&probe->lists[1], 1, TN_FFI_BF16, 1);
  assert_int_equal(probe->attrs_answer, TN_PROBE_ANY);
  assert_int_equal(*entered, 0);
  tn__probe_free(probe);
}

static void what_may_be_left_out_is_told_from_what_may_follow(void** state) {
  (void)state;
  for (int required = 0; required < 3; ++required) {
    for (int optional = 0; optional < 3 && required + optional < 5; ++optional) {
      for (int has_rest = 0; has_rest < 2; ++has_rest) {
        // One result, so that something can be wrong.
        const tn_testing_foreign_t what = {
            .stage = TN_FFI_EXECUTE,
            .lists = {{required, optional, has_rest, {F32, ANYTHING, F32, F32}},
                      {1, 0, false, {F32}}},
        };
        tn_probe_t* probe = probe_foreign(&what);
        const tn_probe_values_t* list = &probe->lists[0];
        bool is_bound = required || optional || has_rest;
        assert_int_equal(list->answer, is_bound ? TN_PROBE_KNOWN : TN_PROBE_ANY);
        assert_int_equal(list->required, required);
        assert_int_equal(list->optional, optional);
        assert_int_equal(list->has_rest, has_rest);
        assert_int_equal(*entered, 0);
        tn__probe_free(probe);
      }
    }
  }
}

static void attributes_have_their_names_and_types(void** state) {
  (void)state;
  const tn_testing_foreign_t what = {
      .stage = TN_FFI_EXECUTE,
      .lists = {{1, 0, false, {ANYTHING}}, {0}},
      .attr_count = 4,
      .attrs = {{"Eps", TN_FFI_SCALAR, TN_FFI_F32},
                {"dims", TN_FFI_ARRAY, TN_FFI_S64},
                {"name", TN_FFI_STRING, 0},
                {"options", TN_FFI_DICTIONARY, 0}},
      .asks_for_stream = true,
  };
  tn_probe_t* probe = probe_foreign(&what);
  assert_int_equal(probe->attr_count, 4);
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(probe->attrs[i].answer, TN_PROBE_KNOWN);
    assert_string_equal(probe->attrs[i].name, what.attrs[i].name);
    assert_int_equal(probe->attrs[i].type, what.attrs[i].type);
    uint64_t dtypes = what.attrs[i].dtype ? UINT64_C(1) << what.attrs[i].dtype : 0;
    assert_int_equal(probe->attrs[i].dtypes, dtypes);
  }
  assert_int_equal(probe->context, TN_PROBE_STREAM);
  assert_value(&probe->lists[0], 0, TN_TESTING_ANY, TN_TESTING_ANY);
  assert_int_equal(*entered, 0);
  tn__probe_free(probe);
}

static void what_could_only_be_accepted_is_not_probed(void** state) {
  (void)state;
  const tn_testing_foreign_t what = {
      .stage = TN_FFI_EXECUTE,
      .lists = {{1, 0, false, {ANYTHING}}, {0}},
  };
  tn_probe_t* probe = probe_foreign(&what);
  assert_int_equal(probe->lists[0].required, 1);
  assert_int_equal(probe->lists[0].values[0].dtype_answer, TN_PROBE_UNKNOWN);
  assert_non_null(strstr(probe->unresolved, "cannot be probed without reaching the kernel body"));
  assert_int_equal(*entered, 0);
  tn__probe_free(probe);
}

static void a_handler_that_takes_everything_says_so(void** state) {
  (void)state;
  const tn_testing_foreign_t what = {.stage = TN_FFI_EXECUTE};
  tn_probe_t* probe = probe_foreign(&what);
  assert_true(probe->is_entered);
  assert_non_null(strstr(probe->unresolved, "its kernel body was reached"));
  assert_int_equal(*entered, 2);  // once in the child, once here
  tn__probe_free(probe);
}

static void older_headers_say_what_they_take_none_of(void** state) {
  (void)state;
  const tn_testing_foreign_t nothing = {.stage = TN_FFI_EXECUTE, .is_old = true};
  tn_probe_t* probe = probe_foreign(&nothing);
  assert_string_equal(probe->unresolved, "");
  for (int kind = 0; kind < 2; ++kind) {
    assert_int_equal(probe->lists[kind].answer, TN_PROBE_KNOWN);
    assert_int_equal(probe->lists[kind].required, 0);
  }
  assert_int_equal(probe->attrs_answer, TN_PROBE_KNOWN);
  assert_int_equal(probe->attr_count, 0);
  assert_int_equal(*entered, 0);
  tn__probe_free(probe);
  for (int count = 0; count < 3; ++count) {
    const tn_testing_foreign_t what = {
        .stage = TN_FFI_EXECUTE,
        .lists = {{1, 0, false, {F32}}, {1, 0, false, {ANYTHING}}},
        .attr_count = count,
        .attrs = {{"a", TN_FFI_SCALAR, TN_FFI_F32}, {"b", TN_FFI_SCALAR, TN_FFI_F64}},
        .is_old = true,
    };
    probe = probe_foreign(&what);
    assert_string_equal(probe->unresolved, "");
    assert_int_equal(probe->attrs_answer, TN_PROBE_KNOWN);
    assert_int_equal(probe->attr_count, count);
    assert_value(&probe->lists[0], 0, TN_FFI_F32, TN_TESTING_ANY);
    assert_value(&probe->lists[1], 0, TN_TESTING_ANY, TN_TESTING_ANY);
    if (count) assert_string_equal(probe->attrs[count - 1].name, what.attrs[count - 1].name);
    assert_int_equal(*entered, 0);
    tn__probe_free(probe);
  }
}

static void a_handler_of_another_stage_is_left_alone(void** state) {
  (void)state;
  const tn_testing_foreign_t what = {.stage = TN_FFI_INITIALIZE,
                                     .lists = {{1, 0, false, {F32}}, {0}}};
  tn_probe_t* probe = probe_foreign(&what);
  assert_non_null(
      strstr(probe->unresolved, "it is a handler of the stage initialize, not of execute"));
  assert_int_equal(probe->lists[0].answer, TN_PROBE_UNKNOWN);
  assert_int_equal(*entered, 0);
  tn__probe_free(probe);
}

// --- handlers without XLA's headers

static tn_status_t say(const tn_ffi_call_frame_t* frame, const char* message) {
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, message, TN_FFI_INVALID_ARGUMENT};
  return frame->api->error_create(&create);
}

static tn_status_t accept_all(tn_ffi_call_frame_t* frame) {
  (void)frame;
  return TN_OK;
}
static tn_status_t speak_otherwise(tn_ffi_call_frame_t* frame) {
  return say(frame, "expected a call frame of 168 bytes, found 0");
}
static tn_status_t give_foreign_error(tn_ffi_call_frame_t* frame) {
  (void)frame;
  return (tn_status_t)(uintptr_t)0xDEAD0;
}
static tn_status_t crash(tn_ffi_call_frame_t* frame) {
  (void)frame;
  raise(SIGSEGV);
  return TN_OK;
}
static tn_status_t give_up(tn_ffi_call_frame_t* frame) {
  (void)frame;
  abort();
}
static tn_status_t leave(tn_ffi_call_frame_t* frame) {
  (void)frame;
  _exit(7);
}
static tn_status_t hang(tn_ffi_call_frame_t* frame) {
  for (volatile bool is_over = false; !is_over;) {
  }
  return say(frame, "");
}
static tn_status_t remove_a_file(tn_ffi_call_frame_t* frame) {
  (void)frame;
  unlink("/no/such/file");
  return TN_OK;
}
static tn_status_t make_a_file(tn_ffi_call_frame_t* frame) {
  (void)frame;
  (void)open("/tmp/it_must_not_be_there", O_CREAT | O_WRONLY, 0600);
  return TN_OK;
}
static tn_status_t print(tn_ffi_call_frame_t* frame) {
  (void)frame;
  static const char text[] = "it must not come to this\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) >= 0) *entered = 1;
  return TN_OK;
}
static tn_status_t fill_memory(tn_ffi_call_frame_t* frame) {
  for (int i = 0; i < 1 << 20; ++i) {
    void* memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return say(frame, "there is no memory");
    memset(memory, 1, 1);
  }
  return TN_OK;
}

enum { PATIENCE_MS = 60000 };  // of those that do not hang

static tn_probe_t* probe_hostile(tn_ffi_handler_t handler, int64_t timeout_ms) {
  tn_probe_t* probe = NULL;
  *entered = 0;
  TN_ASSERT_OK(tn__probe_handler(handler, TN_FFI_EXECUTE, timeout_ms, &probe));
  assert_int_equal(probe->lists[0].answer, TN_PROBE_UNKNOWN);
  assert_int_equal(probe->attrs_answer, TN_PROBE_UNKNOWN);
  return probe;
}

static void expect_unresolved(tn_ffi_handler_t handler, const char* text) {
  tn_probe_t* probe = probe_hostile(handler, PATIENCE_MS);
  if (!strstr(probe->unresolved, text)) fail_msg("wanted \"%s\" in: %s", text, probe->unresolved);
  tn__probe_free(probe);
}

static void handlers_that_do_not_check_are_left_alone(void** state) {
  (void)state;
  expect_unresolved(accept_all, "its kernel body was reached");
  expect_unresolved(speak_otherwise,
                    "its error text is not that of handlers built with XLA's headers");
  expect_unresolved(give_foreign_error, "an error that the frame's API table did not create");
}

// The answers lie in memory that a handler can find.
static tn_status_t write_over_answers(tn_ffi_call_frame_t* frame) {
  tn_prober_t* prober = (tn_prober_t*)(void*)((char*)frame - offsetof(tn_prober_t, frame));
  memset(prober->probe, 0xA5, sizeof *prober->probe);
  return TN_OK;
}

static void handlers_that_end_the_process_end_the_child(void** state) {
  (void)state;
  expect_unresolved(crash,
                    "it crashed (Segmentation fault), in the probe call for the frame check");
  expect_unresolved(give_up, "it crashed (Aborted)");
  expect_unresolved(leave, "it ended the process (code 7)");
  expect_unresolved(write_over_answers, "it overwrote the results of the probe");
}

static void handlers_that_hang_are_given_up(void** state) {
  (void)state;
  tn_probe_t* probe = probe_hostile(hang, 50);
  assert_non_null(strstr(probe->unresolved, "it timed out"));
  tn__probe_free(probe);
}

static void the_child_can_do_no_harm(void** state) {
  (void)state;
  tn_probe_t* probe = probe_hostile(print, PATIENCE_MS);
  bool is_confined = probe->confinement == TN_CONFINED_BY_SECCOMP;
  assert_int_equal(*entered, 0);  // there are no files in any case
  tn__probe_free(probe);
  expect_unresolved(fill_memory, "its error text is not that of handlers");
  if (!is_confined) skip();
  expect_unresolved(make_a_file, "it made a system call that it may not make here");
  expect_unresolved(remove_a_file, "it made a system call that it may not make here");
}

// --- systems that do not confine

// For the rest of this process.
static bool forbid_seccomp(void) {
  const struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter,
                                     (struct sock_filter*)(uintptr_t)filter};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

// Returns what does not hold; 0: all does.
static int ask_without_seccomp(void) {
  enum { NOT_TO_BE_HAD = 77 };
  tn_probe_t* probe = NULL;
  size_t count = 0;
  if (!forbid_seccomp()) return NOT_TO_BE_HAD;
  foreign = (tn_testing_foreign_t){.stage = TN_FFI_EXECUTE,
                                   .lists = {{1, 0, false, {F32}}, {1, 0, false, {F32}}},
                                   .body = enter};
  if (tn__probe_handler(foreign_handler, TN_FFI_EXECUTE, 5000, &probe)) return 1;
  if (probe->confinement != TN_CONFINED_BY_LIMITS || *probe->unresolved) return 2;
  if (probe->lists[0].values[0].dtype != TN_FFI_F32 || *entered) return 3;
  tn__probe_free(probe);
  if (tn__probe_handler(make_a_file, TN_FFI_EXECUTE, 5000, &probe)) return 4;
  if (!probe->is_entered || access("/tmp/it_must_not_be_there", F_OK) == 0) return 5;
  tn__probe_free(probe);
  // Functions that may be no handlers are not run.
  tn_status_t status =
      tn_library_load_exported(NULL, TESTING_LIBRARIES "/testing_library_plain.so", &count);
  if (tn_status_code(status) != TN_CODE_UNIMPLEMENTED) return 6;
  tn_status_release(status);
  return 0;
}

static void without_seccomp_children_have_no_files_at_least(void** state) {
  (void)state;
  int ended = 0;
  *entered = 0;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(ask_without_seccomp());
  assert_int_equal(waitpid(child, &ended, 0), child);
  assert_true(WIFEXITED(ended));
  if (WEXITSTATUS(ended) == 77) skip();
  assert_int_equal(WEXITSTATUS(ended), 0);
}

// --- false responses

static const char* lie;
static tn_status_t lie_about_counts(tn_ffi_call_frame_t* frame) {
  if (frame->struct_size == 0) return say(frame, "Unexpected XLA_FFI_CallFrame size: expected 168");
  if (frame->stage != TN_FFI_EXECUTE) {
    return say(frame, "Wrong execution stage: expected `execute` but got `prepare`");
  }
  return say(frame, lie);
}

static void numbers_that_cannot_be_are_not_believed(void** state) {
  (void)state;
  static const char* const lies[] = {
      "[execute] Wrong number of arguments: expected 99999999999999999999 but got -1",
      "[execute] Wrong number of arguments: expected -5 but got -1",
      "[execute] Wrong number of arguments: expected at least 9223372036854775807 but got -1",
      "[execute] Wrong number of arguments: expected at least 3 but got -1",
      "[execute] Wrong number of arguments: expected at least -9223372036854775808 but got -1",
      "[execute] Wrong number of arguments: expected ",
      "[execute] Wrong number of attributes: expected 1000000 but got 0",
      "[execute] Wrong number of attributes: expected 1 but got 0",
      "[execute] Wrong number of attributes: expected 2 attributes but got 0",
      "Attribute name mismatch: ?00 vs ",
      "Wrong ",
      "something else altogether",
      "[execute] Failed to decode all FFI handler operands",
      "",
  };
  for (size_t i = 0; i < sizeof lies / sizeof *lies; ++i) {
    tn_probe_t* probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    lie = lies[i];
    tn__probe_ask(lie_about_counts, TN_FFI_EXECUTE, probe);
    for (int kind = 0; kind < 2; ++kind) {
      const tn_probe_values_t* list = &probe->lists[kind];
      assert_in_range(list->required + list->optional, 0, TN_PROBE_VALUE_LIMIT);
    }
    assert_in_range(probe->attr_count, 0, TN_PROBE_ATTR_LIMIT);
    free(probe);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_have_their_dtypes_and_ranks),
      cmocka_unit_test(what_may_be_left_out_is_told_from_what_may_follow),
      cmocka_unit_test(attributes_have_their_names_and_types),
      cmocka_unit_test(what_could_only_be_accepted_is_not_probed),
      cmocka_unit_test(a_handler_that_takes_everything_says_so),
      cmocka_unit_test(older_headers_say_what_they_take_none_of),
      cmocka_unit_test(a_handler_of_another_stage_is_left_alone),
      cmocka_unit_test(handlers_that_do_not_check_are_left_alone),
      cmocka_unit_test(handlers_that_end_the_process_end_the_child),
      cmocka_unit_test(handlers_that_hang_are_given_up),
      cmocka_unit_test(the_child_can_do_no_harm),
      cmocka_unit_test(without_seccomp_children_have_no_files_at_least),
      cmocka_unit_test(numbers_that_cannot_be_are_not_believed),
  };
  return cmocka_run_group_tests(tests, share, unshare_again);
}
