// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>
#include <tenon/npy.h>

#include "base/testing.h"
#include "base/testing_allocator.h"
#include "io/float_text.h"

typedef struct text {
  char data[8192];
  size_t length;
} text_t;

static tn_status_t append(void* user, const char* data, size_t length) {
  text_t* text = user;
  assert_true(text->length + length < sizeof text->data);
  memcpy(text->data + text->length, data, length);
  text->length += length;
  text->data[text->length] = 0;
  return TN_OK;
}

static tn_buffer_t* make(tn_dtype_t dtype, size_t rank, const int64_t* dims, const void* data) {
  tn_device_t* device = NULL;
  tn_buffer_t* buffer = NULL;
  size_t byte_size = tn_dtype_byte_size(dtype);
  for (size_t i = 0; i < rank; ++i) byte_size *= (size_t)dims[i];
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_buffer_create_from_host(device, dtype, rank, dims, data, byte_size, &buffer));
  tn_device_release(device);
  return buffer;
}

static void assert_prints(tn_dtype_t dtype, size_t rank, const int64_t* dims, const void* data,
                          const char* wanted) {
  text_t text = {.length = 0};
  tn_buffer_t* buffer = make(dtype, rank, dims, data);
  TN_ASSERT_OK(tn_buffer_print(buffer, append, &text));
  assert_string_equal(text.data, wanted);
  tn_buffer_release(buffer);
}

static void columns_are_aligned(void** state) {
  (void)state;
  const float floats[] = {1, -2.5F, 3.25F, 100, 0.5F, -0.0F};
  assert_prints(TN_DTYPE_F32, 2, (const int64_t[]){2, 3}, floats,
                "[[  1.    -2.5    3.25]\n [100.     0.5   -0.  ]]");
  const int32_t integers[] = {1, -20, 300};
  assert_prints(TN_DTYPE_S32, 1, (const int64_t[]){3}, integers, "[  1 -20 300]");
  assert_prints(TN_DTYPE_PRED, 1, (const int64_t[]){2}, "\1\0", "[ True False]");
}

static void exponents_are_written_when_sizes_differ(void** state) {
  (void)state;
  const double values[] = {1, 1e-5, NAN, -INFINITY};
  assert_prints(TN_DTYPE_F64, 1, (const int64_t[]){4}, values, "[1.e+00 1.e-05    nan   -inf]");
  const double far[] = {1e300, 1};
  assert_prints(TN_DTYPE_F64, 1, (const int64_t[]){2}, far, "[1.e+300 1.e+000]");
}

static void complex_numbers_have_two_columns(void** state) {
  (void)state;
  const float values[] = {1, 2, -3.5F, -10};
  assert_prints(TN_DTYPE_C64, 1, (const int64_t[]){2}, values, "[ 1.  +2.j -3.5-10.j]");
}

static void numbers_alone_are_those_of_python(void** state) {
  (void)state;
  const float value = 0.1F;
  assert_prints(TN_DTYPE_F32, 0, NULL, &value, "0.1");
  const double parts[] = {0, 2};
  assert_prints(TN_DTYPE_C128, 0, NULL, parts, "2j");
  assert_prints(TN_DTYPE_PRED, 0, NULL, "\1", "True");
}

static void long_rows_are_broken(void** state) {
  (void)state;
  int64_t values[40];
  for (int i = 0; i < 40; ++i) values[i] = i;
  assert_prints(TN_DTYPE_S64, 1, (const int64_t[]){40}, values,
                "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
                " 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39]");
}

static void large_arrays_show_their_edges(void** state) {
  (void)state;
  static unsigned char values[2000];
  for (int i = 0; i < 2000; ++i) values[i] = (unsigned char)(i % 100);
  assert_prints(TN_DTYPE_U8, 1, (const int64_t[]){2000}, values, "[ 0  1  2 ... 97 98 99]");
  assert_prints(TN_DTYPE_U8, 2, (const int64_t[]){1000, 2}, values,
                "[[ 0  1]\n [ 2  3]\n [ 4  5]\n ...\n [94 95]\n [96 97]\n [98 99]]");
}

static void an_array_without_elements_is_two_brackets(void** state) {
  (void)state;
  assert_prints(TN_DTYPE_F32, 3, (const int64_t[]){2, 0, 3}, NULL, "[]");
}

static void json_has_lists_and_words(void** state) {
  (void)state;
  const float values[] = {1, 0.1F, INFINITY, 1e-20F};
  text_t text = {.length = 0};
  tn_buffer_t* buffer = make(TN_DTYPE_F32, 2, (const int64_t[]){2, 2}, values);
  TN_ASSERT_OK(tn_buffer_print_json(buffer, append, &text));
  assert_string_equal(text.data, "[[1.0, 0.1], [\"inf\", 1e-20]]");
  tn_buffer_release(buffer);
}

static tn_status_t refuse(void* user, const char* data, size_t length) {
  (void)user;
  (void)data;
  (void)length;
  return tn_status_create(TN_CODE_DATA_LOSS, "full");
}

static void printing_hands_on_the_error_of_the_writer(void** state) {
  (void)state;
  const int32_t value = 1;
  tn_buffer_t* buffer = make(TN_DTYPE_S32, 0, NULL, &value);
  TN_ASSERT_CODE(DATA_LOSS, tn_buffer_print(buffer, refuse, NULL));
  TN_ASSERT_CODE(DATA_LOSS, tn_buffer_print_json(buffer, refuse, NULL));
  tn_buffer_release(buffer);
}

static tn_status_t attempt_print(const tn_allocator_t* allocator, void* context) {
  text_t text = {.length = 0};
  (void)allocator;
  return tn_buffer_print(context, append, &text);
}

static void printing_survives_refused_allocations(void** state) {
  (void)state;
  const float values[] = {1, 2};
  tn_buffer_t* buffer = make(TN_DTYPE_F32, 1, (const int64_t[]){2}, values);
  tn__testing_sweep_allocations(attempt_print, buffer);
  tn_buffer_release(buffer);
}

// Below a power of two neighbours are twice as near: the nearest decimal may belong to another
// number, while the one above does not.
static void powers_of_two_get_digits_that_read_back(void** state) {
  (void)state;
  char text[TN_FLOAT_TEXT_SIZE];
  for (int exponent = -1074; exponent < 1024; ++exponent) {
    double value = ldexp(1, exponent);
    tn__float_text_scientific(TN_DTYPE_F64, value, -1, 0, TN_TRIM_ALL, text);
    assert_true(strtod(text, NULL) == value);
  }
  for (int exponent = -149; exponent < 128; ++exponent) {
    double value = ldexp(1, exponent);
    tn__float_text_scientific(TN_DTYPE_F32, value, -1, 0, TN_TRIM_ALL, text);
    assert_true((double)strtof(text, NULL) == value);
  }
  tn__float_text_scientific(TN_DTYPE_F64, 0x1p-44, -1, 0, TN_TRIM_ALL, text);
  assert_string_equal(text, "5.684341886080802e-14");
  tn__float_text_positional(TN_DTYPE_F64, -0x1p1023, 0, TN_TRIM_ALL, text);
  assert_int_equal(strlen(text), 309);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_aligned),
      cmocka_unit_test(exponents_are_written_when_sizes_differ),
      cmocka_unit_test(complex_numbers_have_two_columns),
      cmocka_unit_test(numbers_alone_are_those_of_python),
      cmocka_unit_test(long_rows_are_broken),
      cmocka_unit_test(large_arrays_show_their_edges),
      cmocka_unit_test(an_array_without_elements_is_two_brackets),
      cmocka_unit_test(json_has_lists_and_words),
      cmocka_unit_test(printing_hands_on_the_error_of_the_writer),
      cmocka_unit_test(printing_survives_refused_allocations),
      cmocka_unit_test(powers_of_two_get_digits_that_read_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
