// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random programs: with all passes and with none, from memory full of rubbish, again and again, and
// after having been printed and read.
#include "device/device.h"
#include "pass/pass.h"
#include "plan/testing_random.h"
#include "program/testing_run.h"

static uint64_t seed;

static int name_last_seed(void** state) {
  (void)state;
  print_message("last seed: %llu\n", (unsigned long long)seed);
  return 0;
}

typedef struct text {
  char* bytes;
  size_t length;
} text_t;

static tn_status_t append(void* user, const char* bytes, size_t length) {
  text_t* text = user;
  char* grown = realloc(text->bytes, text->length + length + 1);
  assert_non_null(grown);
  text->bytes = grown;
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
  return TN_OK;
}

static void expect_same(tn_program_t* program, const tn_testing_buffers_t* arguments,
                        const tn_testing_bytes_t* wanted, unsigned char rubbish, const char* what) {
  tn_testing_bytes_t found;
  tn__testing_poison(program, rubbish);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, arguments, &found));
  if (!tn__testing_bytes_equal(&found, wanted)) fail_msg("%s gives other results", what);
  free(found.bytes);
}

// With arguments of its own, of which `kept` stays the caller's: SIZE_MAX for none.
static void expect_same_when_donated(tn_program_t* program, const tn_testing_bytes_t* wanted,
                                     size_t kept) {
  tn_testing_buffers_t arguments;
  tn_testing_bytes_t found, before = {0}, after = {0};
  bool donated[TN_TESTING_LEAVES];
  tn__testing_arguments(program, seed, &arguments);
  for (size_t i = 0; i < arguments.count; ++i) donated[i] = i != kept;
  tn_testing_buffers_t own = {.count = kept < arguments.count};
  if (own.count) {
    own.list[0] = arguments.list[kept];
    tn__testing_read_bytes(&own, &before);
  }
  tn__testing_poison(program, 0x5A);
  const tn_run_options_t options = {.struct_size = sizeof options, .donated = donated};
  TN_ASSERT_OK(tn__testing_run_bytes(program, &options, &arguments, &found));
  if (!tn__testing_bytes_equal(&found, wanted)) {
    fail_msg("a run with donated arguments gives other results");
  }
  for (size_t i = 0; i < arguments.count; ++i) {
    if (tn_buffer_is_donated(arguments.list[i]) != donated[i]) fail_msg("argument %zu", i);
  }
  if (own.count) tn__testing_read_bytes(&own, &after);
  if (!tn__testing_bytes_equal(&before, &after)) fail_msg("a run has changed a kept argument");
  tn__testing_buffers_release(&arguments);
  free(before.bytes);
  free(after.bytes);
  free(found.bytes);
}

// The program after the passes, but for those that leave StableHLO's rules behind.
static void print_rewritten(const char* text, text_t* out) {
  tn_module_t *module = NULL, *clone = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn__module_clone(module, &clone));
  clone->target = tn__testing_device()->target;
  for (size_t i = 0; i < tn__pass_count(); ++i) {
    const tn_pass_t* pass = tn__pass_at(i);
    if (pass->is_beyond) continue;
    TN_ASSERT_OK(pass->run(clone, tn__module_entry(clone)));
  }
  TN_ASSERT_OK(tn__module_verify(clone));
  TN_ASSERT_OK(tn_module_print(clone, append, out));
  tn_module_release(clone);
  tn_module_release(module);
}

static void check_program(const char* text) {
  tn_program_t* plain = tn__testing_program(text, true);
  tn_program_t* optimised = tn__testing_program(text, false);
  tn_testing_buffers_t arguments;
  tn_testing_bytes_t wanted, before, after;
  tn__testing_arguments(plain, seed, &arguments);
  tn__testing_read_bytes(&arguments, &before);
  TN_ASSERT_OK(tn__testing_run_bytes(plain, NULL, &arguments, &wanted));
  expect_same(plain, &arguments, &wanted, 0xA5, "a second run");
  expect_same(optimised, &arguments, &wanted, 0xA5, "the program after the passes");
  expect_same(optimised, &arguments, &wanted, 0x01, "its second run");
  expect_same_when_donated(optimised, &wanted, SIZE_MAX);
  expect_same_when_donated(plain, &wanted, seed % (arguments.count + 1));

  text_t printed = {0};
  print_rewritten(text, &printed);
  tn_program_t* again = tn__testing_program(printed.bytes, true);
  expect_same(again, &arguments, &wanted, 0xFF, "the program that was printed after the passes");
  tn_program_release(again);
  free(printed.bytes);

  tn__testing_read_bytes(&arguments, &after);
  if (!tn__testing_bytes_equal(&before, &after)) fail_msg("a run has changed its arguments");
  tn__testing_buffers_release(&arguments);
  free(before.bytes);
  free(after.bytes);
  free(wanted.bytes);
  tn_program_release(optimised);
  tn_program_release(plain);
}

static void check_random(uint64_t first_seed, uint64_t count, size_t operation_count,
                         size_t function_count, size_t region_depth) {
  if (getenv("TENON_LONG_TESTS")) count *= 50;
  for (seed = first_seed; seed < first_seed + count; ++seed) {
    char* text = tn__testing_random_program(
        &(tn_testing_random_t){seed, operation_count, function_count, region_depth});
    assert_non_null(text);
    check_program(text);
    free(text);
  }
}

static void passes_do_not_change_straight_programs(void** state) {
  (void)state;
  check_random(10000, 100, 60, 0, 0);
}

static void passes_do_not_change_loops_and_branches(void** state) {
  (void)state;
  check_random(20000, 150, 40, 0, 3);
}

static void passes_do_not_change_programs_with_calls(void** state) {
  (void)state;
  check_random(30000, 100, 40, 4, 2);
}

// The arrays of random programs are small.
static int fuse_whatever_the_size(void** state) {
  return setenv("TENON_FUSION", "0", 1) == 0 ? tn__testing_device_setup(state) : -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(passes_do_not_change_straight_programs, name_last_seed),
      cmocka_unit_test_teardown(passes_do_not_change_loops_and_branches, name_last_seed),
      cmocka_unit_test_teardown(passes_do_not_change_programs_with_calls, name_last_seed),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, fuse_whatever_the_size, tn__testing_device_teardown);
}
