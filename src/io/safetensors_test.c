// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Safetensors files and .npz archives, written and read; test/cli/test_archives.py exchanges them
// with their own libraries.
#include <sys/stat.h>
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
      "[1, 3], \"dtype\" :\"U8\",\"shape\":[ 2 ] }, \"y\":{\"dtype\":\"U8\",\"shape\":[1],"
      "\"data_offsets\":[0,1]} }  ",
      3);
  TN_ASSERT_OK(tn_safetensors_read(device, path, "x", NULL, &buffer));
  expect_bytes(buffer, TN_DTYPE_U8, 2, "\1\2");
}

// The same tensor under a name that is spelt so in the header.
static void expect_name(const char* spelling, const char* name) {
  char header[256];
  tn_buffer_t* buffer = NULL;
  snprintf(header, sizeof header,
           "{\"%s\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", spelling);
  write_file(header, 1);
  TN_ASSERT_OK(tn_safetensors_read(device, path, name, NULL, &buffer));
  tn_buffer_release(buffer);
}

static void names_are_the_same_however_they_are_spelt(void** state) {
  (void)state;
  expect_name("poids_\\u00e9", "poids_\u00e9");
  expect_name("poids_\u00e9", "poids_\u00e9");
  expect_name("a\\/b", "a/b");
  expect_name("\\b\\f\\n\\r\\t\\\"\\\\", "\b\f\n\r\t\"\\");
  expect_name("\\ud83D\\uDe00", "\U0001F600");
  expect_name("", "");
}

static void names_that_are_not_text_are_errors(void** state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } rows[] = {
      {"\\ud83d", "an escape of JSON"},        {"\\ude00\\ud83d", "an escape of JSON"},
      {"\\ud83d\\u0041", "an escape of JSON"}, {"\\u0000", "an escape of JSON"},
      {"\\u00g0", "an escape of JSON"},        {"\\x41", "an escape of JSON"},
      {"\\u00", "an escape of JSON"},          {"a\tb", "no control character in a string"},
      {"\xff", "the header is not UTF-8"},     {"\xed\xa0\xbd", "the header is not UTF-8"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char header[256];
    snprintf(header, sizeof header,
             "{\"%s\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", rows[i].name);
    write_file(header, 1);
    expect_error("x", TN_CODE_INVALID_ARGUMENT, rows[i].text);
  }
}

#define ENTRY(name, dtype, shape, begin, end)                                                    \
  "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":[" shape "],\"data_offsets\":[" begin "," end \
  "]}"

static void every_byte_belongs_to_one_tensor(void** state) {
  (void)state;
  static const struct {
    const char *header, *text;
  } rows[] = {
      {"{" ENTRY("a", "U8", "2", "0", "2") "," ENTRY("x", "U8", "2", "1", "3") "}",
       "the tensors 'a' and 'x' overlap"},
      {"{" ENTRY("a", "U8", "3", "0", "3") "," ENTRY("x", "U8", "3", "0", "3") "}", "overlap"},
      {"{" ENTRY("x", "U8", "2", "1", "3") "}", "the bytes 0 to 1 belong to no tensor"},
      {"{" ENTRY("a", "U8", "1", "2", "3") "," ENTRY("x", "U8", "1", "0", "1") "}",
       "the bytes 1 to 2 belong to no tensor"},
      {"{" ENTRY("x", "U8", "2", "0", "2") "}", "the bytes 2 to 3 belong to no tensor"},
      {"{}", "the bytes 0 to 3 belong to no tensor"},
      {"{" ENTRY("x", "U8", "3", "0", "3") "," ENTRY("\\u0078", "U8", "0", "3", "3") "}",
       "there are two tensors 'x'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    write_file(rows[i].header, 3);
    expect_error("x", TN_CODE_INVALID_ARGUMENT, rows[i].text);
  }
}

static void an_unknown_dtype_is_an_error_of_its_tensor_alone(void** state) {
  (void)state;
  tn_buffer_t* buffer = NULL;
  write_file("{" ENTRY("w", "F4", "4", "0", "2") "," ENTRY("x", "U8", "1", "2", "3") "}", 3);
  expect_error("w", TN_CODE_UNIMPLEMENTED,
               "the array has the dtype 'F4', which Tenon does not have");
  TN_ASSERT_OK(tn_safetensors_read(device, path, "x", NULL, &buffer));
  expect_bytes(buffer, TN_DTYPE_U8, 1, "\2");
}

static void archives_list_their_names_and_texts(void** state) {
  (void)state;
  tn_archive_t* archive = NULL;
  tn_buffer_t* buffer = NULL;
  const char *key = NULL, *value = NULL;
  size_t index = 9;
  write_file("{\"__metadata__\":{\"format\":\"p\\u0074\"}," ENTRY(
                 "b", "U8", "1", "1", "2") "," ENTRY("a", "U8", "1", "0", "1") "}",
             2);
  TN_ASSERT_OK(tn_archive_open(path, &archive));
  assert_int_equal(tn_archive_count(archive), 2);
  assert_string_equal(tn_archive_name(archive, 0), "b");
  assert_string_equal(tn_archive_name(archive, 1), "a");
  assert_null(tn_archive_name(archive, 2));
  TN_ASSERT_OK(tn_archive_find(archive, "a", &index));
  assert_int_equal(index, 1);
  TN_ASSERT_REPORT("there is no tensor 'c'; there are: b, a",
                   tn_archive_find(archive, "c", &index));
  TN_ASSERT_OK(tn_archive_read(archive, 1, device, NULL, &buffer));
  expect_bytes(buffer, TN_DTYPE_U8, 1, "\0");
  TN_ASSERT_CODE(OUT_OF_RANGE, tn_archive_read(archive, 2, device, NULL, &buffer));
  assert_true(tn_archive_metadata(archive, 0, &key, &value));
  assert_string_equal(key, "format");
  assert_string_equal(value, "pt");
  assert_false(tn_archive_metadata(archive, 1, &key, &value));
  tn_archive_close(archive);
  tn_archive_close(NULL);
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
      {"{\"__metadata__\":{},\"__metadata__\":{}}", "one __metadata__ alone"},
      {"{\"x\\", "the header ends"},
      {"{\"__metadata__\":{\"a\":1}}", "expected a string"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    write_file(rows[i].header, 1);
    expect_error("x", TN_CODE_INVALID_ARGUMENT, rows[i].text);
  }
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
  TN_ASSERT_REPORT("'\\FF' is not UTF-8",
                   tn_safetensors_write(path, 1, (const char*[]){"\xff"}, buffers));
  TN_ASSERT_REPORT("the name of array 0 is NULL",
                   tn_npz_write(path, 1, (const char*[]){NULL}, buffers));
  TN_ASSERT_CODE(NOT_FOUND, tn_npz_write("/nowhere/x.npz", 1, (const char*[]){"a"}, buffers));
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
  tn_buffer_release(again);
  again = NULL;
  if (!status) status = tn_npz_write(path, 2, names, context);
  if (!status) status = tn_npz_read(device, path, "b", NULL, &again);
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
      TEST(names_are_the_same_however_they_are_spelt),
      TEST(names_that_are_not_text_are_errors),
      TEST(every_byte_belongs_to_one_tensor),
      TEST(an_unknown_dtype_is_an_error_of_its_tensor_alone),
      TEST(archives_list_their_names_and_texts),
      TEST(a_tensor_that_is_not_there_has_the_nearest_as_a_note),
      TEST(headers_that_are_wrong_are_errors),
      TEST(files_that_are_too_short_are_errors),
      TEST(what_cannot_be_written_is_an_error),
      TEST(refused_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
