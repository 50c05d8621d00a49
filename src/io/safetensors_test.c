// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Safetensors files and .npz archives, written and read; test/cli/test_archives.py exchanges them
// with their own libraries.
#include "io/safetensors.h"

#include <tenon/npy.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/testing_allocator.h"

static tn_device_t* device;
static char path[64];

static int set_up(void** state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/tenon_safetensors_test_XXXXXX");
  int file = mkstemp(path);
  if (file < 0) return -1;
  close(file);
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  tn_device_release(device);
  unlink(path);
  return 0;
}

static const int64_t two[] = {2};
static const int64_t two_by_two[] = {2, 2};

static void write_file(const char* header, size_t data_length) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  const uint64_t length = strlen(header);
  for (int i = 0; i < 8; ++i) fputc((int)(length >> 8 * i & 0xFF), file);
  fputs(header, file);
  for (size_t i = 0; i < data_length; ++i) fputc((int)i, file);
  assert_int_equal(fclose(file), 0);
}

static void expect_error(const char* name, tn_code_t code, const char* text) {
  tn_buffer_t* buffer = NULL;
  char report[1024];
  tn_status_t status = tn_safetensors_read(device, path, name, NULL, &buffer);
  assert_int_equal(tn_status_code(status), code);
  tn_status_format(status, report, sizeof report);
  if (!strstr(report, text)) fail_msg("\"%s\" is not in \"%s\"", text, report);
  tn_status_release(status);
  assert_null(buffer);
}

static void expect_bytes(tn_buffer_t* buffer, tn_dtype_t dtype, size_t length, const void* bytes) {
  unsigned char found[64];
  assert_int_equal(tn_buffer_dtype(buffer), dtype);
  TN_ASSERT_OK(tn_buffer_to_host(buffer, found, length));
  assert_memory_equal(found, bytes, length);
  tn_buffer_release(buffer);
}

static void make_two(tn_buffer_t* out[2]) {
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_BF16, 1, two, "abcd", 4, &out[0]));
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_S8, 2, two_by_two, "efgh", 4, &out[1]));
}

static void release_two(tn_buffer_t* const buffers[2]) {
  tn_buffer_release(buffers[0]);
  tn_buffer_release(buffers[1]);
}

// --- tests

static void tensors_come_back_as_they_were_written(void** state) {
  (void)state;
  const char* const names[] = {"w \"q\" \\ \t\n", "b"};
  tn_buffer_t *buffers[2], *again = NULL;
  make_two(buffers);
  TN_ASSERT_OK(tn_safetensors_write(path, 2, names, buffers));
  release_two(buffers);
  TN_ASSERT_OK(tn_safetensors_read(device, path, names[0], NULL, &again));
  expect_bytes(again, TN_DTYPE_BF16, 4, "abcd");
  TN_ASSERT_OK(tn_safetensors_read(device, path, names[1], NULL, &again));
  assert_int_equal(tn_buffer_rank(again), 2);
  expect_bytes(again, TN_DTYPE_S8, 4, "efgh");
  TN_ASSERT_OK(tn_safetensors_write(path, 0, NULL, NULL));
  expect_error("b", TN_CODE_NOT_FOUND, "there is no tensor 'b'");
}

static void metadata_and_spaces_are_skipped(void** state) {
  (void)state;
  tn_buffer_t* buffer = NULL;
  write_file(
      " { \"__metadata__\" : {\"format\": \"pt\", \"}\": \"{\"} , \"x\": { \"data_offsets\": "
      "[1, 3], \"dtype\" :\"U8\",\"shape\":[ 2 ] } }  ",
      3);
  TN_ASSERT_OK(tn_safetensors_read(device, path, "x", NULL, &buffer));
  expect_bytes(buffer, TN_DTYPE_U8, 2, "\1\2");
}

static void a_tensor_that_is_not_there_has_the_nearest_as_a_note(void** state) {
  (void)state;
  write_file("{\"layer.weight\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1);
  expect_error("layer.wieght", TN_CODE_NOT_FOUND, "did you mean layer.weight?");
}

static void headers_that_are_wrong_are_errors(void** state) {
  (void)state;
  static const struct {
    const char *header, *text;
  } rows[] = {
      {"", "the header ends; expected `{`"},
      {"[]", "expected `{`"},
      {"{\"x\":{}}", "expected a string"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1]}}", "expected data_offsets"},
      {"{\"x\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", "expected dtype, shape and data_offsets"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[-1]}}", "the header has `-1]}}`; expected a size"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[99999999999999999999]}}", "fits 64 bits"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,0]}}", "two offsets in order"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,2]}}", "a shorter list"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},}", "expected a string"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}} 1", "nothing after `}`"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,1]}}", "1 bytes; tensor<2xui8>"},
      {"{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
       "\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
       "each name once"},
      {"{\"x\\", "the header ends"},
      {"{\"__metadata__\":{\"a\":1}}", "expected a string"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    write_file(rows[i].header, 1);
    expect_error("x", TN_CODE_INVALID_ARGUMENT, rows[i].text);
  }
  write_file("{\"x\":{\"dtype\":\"F4\",\"shape\":[2],\"data_offsets\":[0,1]}}", 1);
  expect_error("x", TN_CODE_UNIMPLEMENTED, "there is no type for the dtype 'F4'");
  write_file("{\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", 3);
  expect_error("x", TN_CODE_DATA_LOSS, "the bytes end at 4; the file has 3");
}

static void files_that_are_too_short_are_errors(void** state) {
  (void)state;
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  expect_error("x", TN_CODE_INVALID_ARGUMENT, "a file of 0 bytes is not a safetensors file");
  fputs("\xff\xff\xff\xff\xff\xff\xff\xff{}", file);
  fclose(file);
  expect_error("x", TN_CODE_INVALID_ARGUMENT, "its header would have 18446744073709551615 bytes");
  unlink(path);
  expect_error("x", TN_CODE_NOT_FOUND, "No such file");
}

static void what_cannot_be_written_is_an_error(void** state) {
  (void)state;
  tn_buffer_t *buffers[2], *narrow = NULL;
  make_two(buffers);
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 tn_safetensors_write(path, 2, (const char*[]){"a", "a"}, buffers));
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 tn_safetensors_write(path, 1, (const char*[]){"__metadata__"}, buffers));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_npz_write(path, 2, (const char*[]){"a", "a"}, buffers));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_npz_write(path, 1, (const char*[]){""}, buffers));
  TN_ASSERT_CODE(PERMISSION_DENIED,
                 tn_npz_write("/nowhere/x.npz", 1, (const char*[]){"a"}, buffers));
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_U4, 1, two, "\1\2", 2, &narrow));
  TN_ASSERT_CODE(UNIMPLEMENTED, tn_safetensors_write(path, 1, (const char*[]){"a"}, &narrow));
  tn_buffer_release(narrow);
  release_two(buffers);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  const char* const names[] = {"a", "b"};
  tn_buffer_t* again = NULL;
  tn_status_t status = tn_safetensors_write(path, 2, names, context);
  if (!status) status = tn_safetensors_read(device, path, "b", NULL, &again);
  if (!status) status = tn_npz_write(path, 2, names, context);
  tn_buffer_release(again);
  return status;
}

static void refused_allocations_leave_nothing_behind(void** state) {
  (void)state;
  tn_buffer_t* buffers[2];
  make_two(buffers);
  tn__testing_sweep_allocations(attempt, buffers);
  release_two(buffers);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(tensors_come_back_as_they_were_written),
      TEST(metadata_and_spaces_are_skipped),
      TEST(a_tensor_that_is_not_there_has_the_nearest_as_a_note),
      TEST(headers_that_are_wrong_are_errors),
      TEST(files_that_are_too_short_are_errors),
      TEST(what_cannot_be_written_is_an_error),
      TEST(refused_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
