// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Guarded calls, of kernels that go astray.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing_allocator.h"
#include "call/testing_call.h"

#define LIBRARY TESTING_LIBRARIES "/testing_library_wrong.so"

enum { READ_X = 1, WRITE_X, READ_Y, WRITE_Y, NOWHERE };

// Without inputs, so that a forked child needs nothing of its parent's.
#define MAIN(iota, type, body)                                                              \
  "func.func @main() -> " type " {\n  %x = stablehlo.iota dim = " iota " : " type "\n" body \
  "  return %y : " type "\n}\n"
#define CALL(target, how, at, more, type)                                    \
  "  %y = stablehlo.custom_call @" target "(%x) {api_version = 4 : i32" more \
  ", backend_config = {how = " #how " : i64, at = " #at " : i64}} : (" type ") -> " type "\n"
#define IN_PLACE                                                 \
  ", output_operand_aliases = [#stablehlo.output_operand_alias<" \
  "output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]"
#define LINE16(target, how, at, more) \
  MAIN("0", "tensor<16xf32>", CALL(target, how, at, more, "tensor<16xf32>"))
#define LINE5(target, how, at) \
  MAIN("0", "tensor<5xf32>", CALL(target, how, at, "", "tensor<5xf32>"))
// x is read through a transposed view: 16x4 with strides of 1 and 16 elements.
#define COLUMNS(target, how, at)                                                                  \
  "func.func @main() -> tensor<16x4xf32> {\n"                                                     \
  "  %0 = stablehlo.iota dim = 1 : tensor<4x16xf32>\n"                                            \
  "  %x = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>\n" CALL( \
      target, how, at, "", "tensor<16x4xf32>") "  return %y : tensor<16x4xf32>\n}\n"
#define REVERSED(target, how, at)                                    \
  "func.func @main() -> tensor<16xf32> {\n"                          \
  "  %0 = stablehlo.iota dim = 0 : tensor<16xf32>\n"                 \
  "  %x = stablehlo.reverse %0, dims = [0] : tensor<16xf32>\n" CALL( \
      target, how, at, "", "tensor<16xf32>") "  return %y : tensor<16xf32>\n}\n"
#define UNTYPED(type) \
  MAIN("0", type, "  %y = stablehlo.custom_call @stray_untyped(%x) : (" type ") -> " type "\n")

static tn_status_t compile_on(const char* device_name, const tn_allocator_t* allocator,
                              const char* text, tn_program_t** out_program) {
  const tn_compile_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .guard_calls = true};
  const tn_device_options_t device_options = {
      .struct_size = sizeof device_options, .allocator = allocator, .thread_count = 1};
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  *out_program = NULL;
  tn_status_t status = tn_device_create(device_name, &device_options, &device);
  if (!status) status = tn_module_parse(allocator, "test.mlir", text, strlen(text), &module);
  if (!status) status = tn_program_compile(device, module, &options, out_program);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

// `out` has room for the result; NULL: it is dropped.
static tn_status_t run(tn_program_t* program, float* out) {
  tn_buffer_t* result = NULL;
  tn_status_t status = tn_program_run(program, 0, NULL, NULL, 1, &result);
  if (!status && out) status = tn_buffer_to_host(result, out, tn_buffer_byte_size(result));
  tn_buffer_release(result);
  return status;
}

static tn_status_t run_guarded(const char* text, float* out) {
  tn_program_t* program = NULL;
  TN_RETURN_IF_ERROR(compile_on("cpu", NULL, text, &program));
  tn_status_t status = run(program, out);
  if (!status) status = run(program, out);  // on the same pages
  tn_program_release(program);
  return status;
}

// --- accesses that a page refuses; first, since a child must not find threads

// What a child that runs the program writes to the standard error, and how it ends.
static int run_in_child(const char* text, void (*prepare)(void), size_t capacity, char* out_text) {
  int ends[2], state = 0;
  size_t length = 0;
  ssize_t count;
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(600);
    dup2(ends[1], STDERR_FILENO);
    signal(SIGSEGV, SIG_DFL);  // not cmocka's
    if (prepare) prepare();
    tn_status_t status = run_guarded(text, NULL);
    _exit(status ? 98 : 99);
  }
  close(ends[1]);
  while ((count = read(ends[0], out_text + length, capacity - 1 - length)) > 0) {
    length += (size_t)count;
  }
  out_text[length] = 0;
  close(ends[0]);
  assert_int_equal(waitpid(child, &state, 0), child);
  return state;
}

static void check_fault(const char* text, const char* expected) {
  char output[20000], line[300];
  const int state = run_in_child(text, NULL, sizeof output, output);
  snprintf(line, sizeof line, "test.mlir:%s\n", expected);
  assert_string_equal(output, line);
  assert_true(WIFSIGNALED(state) && WTERMSIG(state) == SIGSEGV);
}

#define AT "3:8: error: custom call @"
static void an_access_that_faults_names_the_operand_or_result(void** state) {
  (void)state;
  check_fault(LINE16("stray", 1, 16, ""),
              AT "stray: access past the end of operand 0 (x): byte offset 64 of 64 bytes");
  check_fault(LINE16("stray", 1, -5000, ""), AT
              "stray: access before the beginning of operand 0 (x): byte offset -20000 of 64 "
              "bytes");
  check_fault(LINE16("stray", 2, 3, ""),
              AT "stray: write to operand 0 (x): byte offset 12 of 64 bytes");
  check_fault(LINE16("stray", 3, 16, ""),
              AT "stray: access past the end of result 0 (y): byte offset 64 of 64 bytes");
  check_fault(LINE16("stray", 4, 20, ""),
              AT "stray: access past the end of result 0 (y): byte offset 80 of 64 bytes");
  check_fault(LINE16("stray", 5, 1, ""),
              AT "stray: access to address 0x41, outside of its operands and results");
}

static void calls_of_every_kind_are_guarded(void** state) {
  (void)state;
  check_fault(LINE16("stray", 4, 16, IN_PLACE),
              AT "stray: access past the end of result 0 (y): byte offset 64 of 64 bytes");
  check_fault(LINE16("stray_elements", 1, 16, ""), AT
              "stray_elements: access past the end of operand 0 (x): byte offset 64 of 64 "
              "bytes");
  check_fault("// one line\n" REVERSED("stray_strides", 1, 1),
              "5:8: error: custom call @stray_strides: access past the end of operand 0 (x): byte "
              "offset 64 of 64 bytes");
  check_fault(COLUMNS("stray_strides", 1, 64),
              "4:8: error: custom call @stray_strides: access past the end of operand 0 (x): byte "
              "offset 256 of 256 bytes");
}

static void exit_with_77(int number) {
  (void)number;
  _exit(77);
}

static void handle_faults(void) {
  struct sigaction action = {.sa_handler = exit_with_77};
  sigaction(SIGSEGV, &action, NULL);
}

static void a_fault_reaches_the_handler_before(void** state) {
  (void)state;
  char output[20000];
  const int end = run_in_child(LINE16("stray", 1, 16, ""), handle_faults, sizeof output, output);
  assert_true(WIFEXITED(end) && WEXITSTATUS(end) == 77);
  assert_non_null(strstr(output, "past the end of operand 0"));
}

// --- the rest

static void the_handler_is_there_as_long_as_guarded_programs(void** state) {
  (void)state;
  struct sigaction before, meanwhile, after;
  tn_program_t* programs[2] = {NULL, NULL};
  sigaction(SIGSEGV, NULL, &before);
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(compile_on("cpu", NULL, LINE16("stray", 0, 0, ""), &programs[i]));
  }
  tn_program_release(programs[0]);
  sigaction(SIGSEGV, NULL, &meanwhile);
  assert_true(meanwhile.sa_sigaction != before.sa_sigaction);
  tn_program_release(programs[1]);
  sigaction(SIGSEGV, NULL, &after);
  assert_true(after.sa_sigaction == before.sa_sigaction && after.sa_flags == before.sa_flags);
}

static void a_write_beside_a_result_is_an_error(void** state) {
  (void)state;
  TN_ASSERT_REPORT("stray: write past the end of result 0 (y): byte offset 20 of 20 bytes",
                   run_guarded(LINE5("stray", 4, 5), NULL));
  TN_ASSERT_REPORT("stray: write before the beginning of result 0 (y): byte offset -8 of 64 bytes",
                   run_guarded(LINE16("stray", 4, -2, ""), NULL));
  TN_ASSERT_REPORT(
      "test.mlir:3:8: error: custom call @stray_untyped: write past the end of result 0",
      run_guarded(UNTYPED("tensor<5xf32>"), NULL));
}

static void check_numbers(const char* text, size_t count, float first, float step) {
  float y[64];
  TN_ASSERT_OK(run_guarded(text, y));
  for (size_t i = 0; i < count; ++i) assert_true(y[i] == first + step * (float)i);
}

static void guarded_calls_compute_the_same(void** state) {
  (void)state;
  check_numbers(LINE16("stray", 0, 0, ""), 16, 1, 1);
  check_numbers(LINE16("stray", 0, 0, IN_PLACE), 16, 1, 1);
  check_numbers(LINE16("stray_elements", 0, 0, ""), 16, 1, 1);
  check_numbers(LINE16("stray_strides", 0, 0, ""), 16, 1, 1);
  check_numbers(REVERSED("stray_strides", 0, 0), 16, 16, -1);
  check_numbers(UNTYPED("tensor<6xf32>"), 6, 1, 1);
  check_numbers(MAIN("0", "tensor<0xf32>", CALL("stray", 0, 0, "", "tensor<0xf32>")), 0, 0, 0);
  float y[64];
  TN_ASSERT_OK(run_guarded(COLUMNS("stray_strides", 0, 0), y));
  for (int i = 0; i < 64; ++i) {
    const int row = i / 4;
    assert_true(y[i] == (float)(row + 1));
  }
}

static void a_call_that_finishes_later_keeps_its_pages(void** state) {
  (void)state;
  check_numbers(LINE16("later", 0, 0, ""), 16, 1, 1);
}

static void a_call_that_misses_its_deadline_keeps_its_pages(void** state) {
  (void)state;
  tn_call_set_timeout_ns(1000000);
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, run_guarded(LINE16("later", 0, 100000, ""), NULL));
  tn_call_set_timeout_ns(-1);
  usleep(300000);  // it has written by then
}

static void what_is_not_written_or_read_outside_is_nan(void** state) {
  (void)state;
  float y[7];
  TN_ASSERT_OK(run_guarded(UNTYPED("tensor<7xf32>"), y));
  assert_true(y[5] == 6 && y[6] != y[6]);
  TN_ASSERT_OK(
      run_guarded("func.func @main() -> tensor<6xf32> {\n"
                  "  %x = stablehlo.iota dim = 0 : tensor<5xf32>\n"
                  "  %y = stablehlo.custom_call @stray_untyped(%x) : (tensor<5xf32>) -> "
                  "tensor<6xf32>\n  return %y : tensor<6xf32>\n}\n",
                  y));
  assert_true(y[4] == 5 && y[5] != y[5]);
}

static void devices_that_are_not_the_host_are_refused(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  tn_status_t status = compile_on("reference", NULL, LINE16("stray", 0, 0, ""), &program);
  assert_int_equal(tn_status_code(status), TN_CODE_UNIMPLEMENTED);
  TN_ASSERT_REPORT("device reference", status);
}

// They are guarded when they run: the compiler leaves them.
static void calls_of_constants_are_guarded(void** state) {
  (void)state;
  static const char text[] =
      "func.func @main() -> tensor<4xf32> {\n"
      "  %x = stablehlo.constant dense<[0.0, 1.0, 2.0, 3.0]> : tensor<4xf32>\n" CALL(
          "stray_elements", 0, 0, "", "tensor<4xf32>") "  return %y : tensor<4xf32>\n}\n";
  check_numbers(text, 4, 1, 1);
}

static tn_status_t compile_and_run(const tn_allocator_t* allocator, void* context) {
  tn_program_t* program = NULL;
  tn_status_t status = compile_on("cpu", allocator, context, &program);
  if (!status) status = run(program, NULL);
  tn_program_release(program);
  return status;
}

static void a_guarded_program_survives_any_refused_allocation(void** state) {
  (void)state;
  char typed[] = LINE16("stray", 0, 0, ""), strided[] = REVERSED("stray_strides", 0, 0);
  tn__testing_sweep_allocations(compile_and_run, typed);
  tn__testing_sweep_allocations(compile_and_run, strided);
}

static int load(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_library_load(LIBRARY));
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_access_that_faults_names_the_operand_or_result),
      cmocka_unit_test(calls_of_every_kind_are_guarded),
      cmocka_unit_test(a_fault_reaches_the_handler_before),
      cmocka_unit_test(the_handler_is_there_as_long_as_guarded_programs),
      cmocka_unit_test(a_write_beside_a_result_is_an_error),
      cmocka_unit_test(guarded_calls_compute_the_same),
      cmocka_unit_test(a_call_that_finishes_later_keeps_its_pages),
      cmocka_unit_test(a_call_that_misses_its_deadline_keeps_its_pages),
      cmocka_unit_test(what_is_not_written_or_read_outside_is_nan),
      cmocka_unit_test(devices_that_are_not_the_host_are_refused),
      cmocka_unit_test(calls_of_constants_are_guarded),
      cmocka_unit_test(a_guarded_program_survives_any_refused_allocation),
  };
  return cmocka_run_group_tests(tests, load, tn__testing_unregister_all);
}
