// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/status.h"

#include "base/testing.h"
#include "base/testing_allocator.h"

// Compares the whole report and releases the status.
static void assert_report(tn_status_t status, const char* wanted) {
  char text[2048];
  size_t length = tn_status_format(status, text, sizeof text);
  tn_status_release(status);
  assert_string_equal(text, wanted);
  assert_int_equal(length, strlen(wanted));
}

static void status_of_success_is_null_and_empty(void** state) {
  (void)state;
  assert_int_equal(tn_status_code(TN_OK), TN_CODE_OK);
  assert_string_equal(tn_status_message(TN_OK), "");
  assert_null(tn_status_file(TN_OK));
  assert_int_equal(tn_status_line(TN_OK), 0);
  assert_null(tn_status_note(TN_OK, "nothing to note"));
  assert_null(tn_status_prefix(TN_OK, "nothing"));
  assert_null(tn_status_at(TN_OK, "a.mlir", 1, 1, NULL, 0));
  assert_null(tn_status_retain(TN_OK));
  assert_report(TN_OK, "OK\n");
}

static void status_codes_have_the_numbers_and_names_of_absl(void** state) {
  (void)state;
  assert_int_equal(TN_CODE_INVALID_ARGUMENT, 3);
  assert_int_equal(TN_CODE_RESOURCE_EXHAUSTED, 8);
  assert_int_equal(TN_CODE_UNAUTHENTICATED, 16);
  assert_string_equal(tn_code_name(TN_CODE_UNIMPLEMENTED), "UNIMPLEMENTED");
  assert_string_equal(tn_code_name((tn_code_t)99), "UNKNOWN");
}

static void text_is_written_to_files(void** state) {
  (void)state;
  char text[8] = "";
  FILE* file = tmpfile();
  assert_non_null(file);
  TN_ASSERT_OK(tn_write_to_file(file, "ab", 2));
  TN_ASSERT_OK(tn_write_to_file(file, NULL, 0));
  TN_ASSERT_OK(tn_write_to_file(file, "cd", 1));
  rewind(file);
  assert_int_equal(fread(text, 1, sizeof text, file), 3);
  assert_string_equal(text, "abc");
  (void)fclose(file);
  file = fopen("/dev/full", "w");
  if (!file) return;
  (void)setvbuf(file, NULL, _IONBF, 0);
  TN_ASSERT_CODE(DATA_LOSS, tn_write_to_file(file, "ab", 2));
  (void)fclose(file);
}

static void status_with_code_ok_becomes_internal(void** state) {
  (void)state;
  TN_ASSERT_CODE(INTERNAL, tn_status_create(TN_CODE_OK, "no success has a message"));
}

static void status_without_a_place_prints_only_its_message(void** state) {
  (void)state;
  assert_report(tn_status_create(TN_CODE_NOT_FOUND, "no file named %s", "a.mlir"),
                "error: no file named a.mlir\n");
}

static void status_points_a_caret_at_the_column(void** state) {
  (void)state;
  const char* line = "\t%0 = add %x, %y";
  tn_status_t status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "undefined value %%y");
  status = tn_status_at(status, "a.mlir", 12, 15, line, strlen(line));
  assert_string_equal(tn_status_file(status), "a.mlir");
  assert_int_equal(tn_status_line(status), 12);
  assert_int_equal(tn_status_column(status), 15);
  assert_report(status,
                "a.mlir:12:15: error: undefined value %y\n"
                "  \t%0 = add %x, %y\n"
                "  \t             ^\n");
}

static void status_takes_the_caret_past_the_end_of_the_line(void** state) {
  (void)state;
  tn_status_t status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "unexpected end");
  assert_report(tn_status_at(status, NULL, 1, 400, "func", 4),
                "<input>:1:400: error: unexpected end\n"
                "  func\n"
                "      ^\n");
}

static void status_shows_a_window_of_a_long_line(void** state) {
  (void)state;
  char line[1001];
  memset(line, 'x', sizeof line);
  line[499] = '!';
  tn_status_t status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "here");
  status = tn_status_at(status, "a", 1, 500, line, 1000);
  char wanted[512] = "a:1:500: error: here\n  ...";
  char* end = wanted + strlen(wanted);
  memset(end, 'x', 120);
  end[60] = '!';
  sprintf(end + 120, "...\n     %60s^\n", "");
  assert_report(status, wanted);
}

static void status_keeps_the_first_place(void** state) {
  (void)state;
  tn_status_t status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "wrong");
  status = tn_status_at(status, "inner", 1, 2, NULL, 0);
  status = tn_status_at(status, "outer", 3, 4, "text", 4);
  assert_report(status, "inner:1:2: error: wrong\n");
}

static void status_prints_notes_in_the_order_they_were_added(void** state) {
  (void)state;
  tn_status_t status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "shapes differ");
  status = tn_status_note(status, "lhs is %dx%d", 2, 3);
  status = tn_status_note(status, "rhs is %dx%d", 3, 2);
  status = tn_status_prefix(status, "add");
  status = tn_status_prefix(status, "@main");
  assert_string_equal(tn_status_message(status), "@main: add: shapes differ");
  assert_report(status, "error: @main: add: shapes differ\nnote: lhs is 2x3\nnote: rhs is 3x2\n");
}

static void status_format_keeps_to_the_capacity(void** state) {
  (void)state;
  const char* whole = "error: ten digits: 0123456789\n";
  tn_status_t status = tn_status_create(TN_CODE_INTERNAL, "ten digits: 0123456789");
  for (size_t capacity = 0; capacity <= strlen(whole) + 2; ++capacity) {
    char text[64];
    memset(text, '#', sizeof text);
    assert_int_equal(tn_status_format(status, text, capacity), strlen(whole));
    size_t kept = capacity == 0 ? 0 : capacity - 1;
    if (kept > strlen(whole)) kept = strlen(whole);
    assert_memory_equal(text, whole, kept);
    if (capacity > 0) assert_int_equal(text[kept], 0);
    for (size_t i = capacity; i < sizeof text; ++i) assert_int_equal(text[i], '#');
  }
  tn_status_release(status);
}

static void expect_printed(tn_status_t status, const char* text) {
  char printed[8192] = "";
  FILE* stream = tmpfile();
  assert_non_null(stream);
  tn_status_print(status, stream);
  rewind(stream);
  const size_t length = fread(printed, 1, sizeof printed - 1, stream);
  assert_int_equal(length, strlen(text));
  assert_memory_equal(printed, text, length);
  fclose(stream);
}

static void status_is_printed_whatever_its_length(void** state) {
  (void)state;
  char long_message[5001], report[6000];
  expect_printed(TN_OK, "OK\n");
  memset(long_message, 'x', sizeof long_message - 1);
  long_message[sizeof long_message - 1] = 0;
  tn_status_t status = tn_status_create(TN_CODE_INTERNAL, "%s", long_message);
  snprintf(report, sizeof report, "error: %s\n", long_message);
  expect_printed(status, report);
  tn__testing_refuse_allocations(1, true);  // what fits, then
  report[1023] = 0;
  expect_printed(status, report);
  tn__testing_refuse_allocations(0, false);
  tn_status_release(status);
}

static void status_lives_until_its_last_release(void** state) {
  (void)state;
  tn_status_t status = tn_status_create(TN_CODE_ABORTED, "kept");
  assert_ptr_equal(tn_status_retain(status), status);
  tn_status_release(status);
  assert_string_equal(tn_status_message(status), "kept");
  tn_status_release(status);
}

static void status_without_memory_is_the_static_one(void** state) {
  (void)state;
  // The object and its message are the two allocations.
  for (size_t first = 1; first <= 2; ++first) {
    tn__testing_refuse_allocations(first, false);
    tn_status_t status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "lost");
    tn__testing_refuse_allocations(0, false);
    assert_ptr_equal(status, tn__status_out_of_memory());
    status = tn_status_note(tn_status_prefix(status, "prefix"), "note");
    status = tn_status_at(status, "file", 1, 1, "text", 4);
    assert_ptr_equal(tn_status_retain(status), tn__status_out_of_memory());
    tn_status_release(status);
    assert_report(status, "error: out of memory\n");
  }
}

static void status_survives_losing_its_decorations(void** state) {
  (void)state;
  // However many of these calls find no memory, the error and its message stay.
  for (size_t first = 1; first <= 8; ++first) {
    tn_status_t status = tn_status_create(TN_CODE_NOT_FOUND, "message");
    tn__testing_refuse_allocations(first, true);
    status = tn_status_note(status, "note");
    status = tn_status_prefix(status, "prefix");
    status = tn_status_at(status, "file", 1, 1, "text", 4);
    tn__testing_refuse_allocations(0, false);
    assert_int_equal(tn_status_code(status), TN_CODE_NOT_FOUND);
    assert_non_null(strstr(tn_status_message(status), "message"));
    char text[256];
    tn_status_format(status, text, sizeof text);
    assert_non_null(strstr(text, "message\n"));
    tn_status_release(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(status_of_success_is_null_and_empty),
      cmocka_unit_test(status_codes_have_the_numbers_and_names_of_absl),
      cmocka_unit_test(text_is_written_to_files),
      cmocka_unit_test(status_with_code_ok_becomes_internal),
      cmocka_unit_test(status_without_a_place_prints_only_its_message),
      cmocka_unit_test(status_points_a_caret_at_the_column),
      cmocka_unit_test(status_takes_the_caret_past_the_end_of_the_line),
      cmocka_unit_test(status_shows_a_window_of_a_long_line),
      cmocka_unit_test(status_keeps_the_first_place),
      cmocka_unit_test(status_prints_notes_in_the_order_they_were_added),
      cmocka_unit_test(status_format_keeps_to_the_capacity),
      cmocka_unit_test(status_is_printed_whatever_its_length),
      cmocka_unit_test(status_lives_until_its_last_release),
      cmocka_unit_test(status_without_memory_is_the_static_one),
      cmocka_unit_test(status_survives_losing_its_decorations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
