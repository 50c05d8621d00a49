// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/numbers.h"

#include <math.h>

#include "base/float_format.h"
#include "base/testing.h"

static double parse(const char* text) {
  return tn__number_parse_double(text, text + strlen(text));
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void decimals_are_rounded_correctly(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double value;
  } rows[] = {
      {"0.0", 0},
      {"1.0", 1},
      {"1.", 1},
      {"0.1", 0.1},
      {"123.456e2", 12345.6},
      {"1.0e22", 1e22},
      {"1.0e23", 1e23},
      {"9007199254740993.0", 9007199254740992.0},
      {"9007199254740993.00000000000000000000000000000001", 9007199254740994.0},
      {"2.2250738585072011e-308", 2.2250738585072011e-308},
      {"5.0e-324", 5e-324},
      {"2.0e-324", 0},
      {"1.0e400", INFINITY},
      {"0.000000000000000000000000000000000000000000001e45", 1},
      {"1.0e-99999999999999999999", 0},
      {"1.0e99999999999999999999", INFINITY},
      {"100000000000000000000000000000000000000000000.0", 1e44},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    double value = parse(rows[i].text);
    if (bits_of(value) != bits_of(rows[i].value)) {
      fail_msg("%s: got %.17g", rows[i].text, value);
    }
  }
}

// The tie of two doubles with its deciding digit far behind.
static void digits_far_behind_break_a_tie(void** state) {
  (void)state;
  char text[2000] = "9007199254740993.";
  memset(text + 17, '0', 1500);
  text[1517] = '1';
  assert_true(parse(text) == 9007199254740994.0);
  text[1517] = '0';
  assert_true(parse(text) == 9007199254740992.0);
}

static void random_doubles_survive_printing(void** state) {
  (void)state;
  uint64_t random = 1;
  for (int i = 0; i < 100000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    double value;
    memcpy(&value, &random, sizeof value);
    if (!isfinite(value)) continue;
    char text[TN_NUMBER_CAPACITY];
    size_t length = tn__number_print_float(TN_DTYPE_F64, value, text);
    assert_int_equal(length, strlen(text));
    double again = tn__number_parse_double(text + (*text == '-'), text + length);
    assert_int_equal(bits_of(*text == '-' ? -again : again), bits_of(value));
  }
}

static void every_narrow_float_survives_printing(void** state) {
  (void)state;
  for (int dtype = 0; dtype < TN_DTYPE_LIMIT; ++dtype) {
    const tn_float_format_t* format = tn__float_format((tn_dtype_t)dtype);
    if (!format || format->bits > 16) continue;
    for (uint32_t bits = 0; bits < UINT32_C(1) << format->bits; ++bits) {
      char text[TN_NUMBER_CAPACITY];
      uint16_t element = (uint16_t)bits;
      size_t length = tn__number_print_element((tn_dtype_t)dtype, &element, text);
      uint64_t again = 0;
      if (strncmp(text, "0x", 2) == 0) {
        assert_true(tn__number_parse_unsigned(text, text + length, &again));
      } else {
        double value = tn__number_parse_double(text + (*text == '-'), text + length);
        again = tn__float_encode(format, *text == '-' ? -value : value);
      }
      assert_int_equal(again, bits);
    }
  }
}

static void floats_print_as_mlir_does(void** state) {
  (void)state;
  static const struct {
    tn_dtype_t dtype;
    double value;
    const char* text;
  } rows[] = {
      {TN_DTYPE_F32, 1, "1.000000e+00"},
      {TN_DTYPE_F32, -0.0, "-0.000000e+00"},
      {TN_DTYPE_F32, (double)0.1f, "1.000000e-01"},
      {TN_DTYPE_F32, (double)16777217.5f, "1.67772180e+07"},
      {TN_DTYPE_F64, 0.1, "1.000000e-01"},
      {TN_DTYPE_F64, 1.0 / 3, "3.3333333333333331e-01"},
      {TN_DTYPE_F32, INFINITY, "0x7F800000"},
      {TN_DTYPE_BF16, -INFINITY, "0xFF80"},
      {TN_DTYPE_F8E4M3FN, NAN, "0x7F"},
      {TN_DTYPE_F64, INFINITY, "0x7FF0000000000000"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char text[TN_NUMBER_CAPACITY];
    tn__number_print_float(rows[i].dtype, rows[i].value, text);
    assert_string_equal(text, rows[i].text);
  }
}

static void integers_fit_or_do_not(void** state) {
  (void)state;
  static const struct {
    tn_dtype_t dtype;
    bool negative;
    uint64_t magnitude;
    bool fits;
    int64_t value;
  } rows[] = {
      {TN_DTYPE_S8, false, 127, true, 127},
      {TN_DTYPE_S8, false, 255, true, -1},
      {TN_DTYPE_S8, false, 256, false, 0},
      {TN_DTYPE_S8, true, 128, true, -128},
      {TN_DTYPE_S8, true, 129, false, 0},
      {TN_DTYPE_U8, false, 255, true, 255},
      {TN_DTYPE_U8, true, 1, false, 0},
      {TN_DTYPE_U8, true, 0, true, 0},
      {TN_DTYPE_S4, false, 15, true, -1},
      {TN_DTYPE_S4, true, 8, true, -8},
      {TN_DTYPE_U2, false, 3, true, 3},
      {TN_DTYPE_PRED, false, 1, true, 1},
      {TN_DTYPE_PRED, true, 1, true, 1},
      {TN_DTYPE_PRED, false, 2, false, 0},
      {TN_DTYPE_S64, false, UINT64_MAX, true, -1},
      {TN_DTYPE_S64, true, UINT64_C(1) << 63, true, INT64_MIN},
      {TN_DTYPE_S64, true, (UINT64_C(1) << 63) + 1, false, 0},
      {TN_DTYPE_U64, false, UINT64_MAX, true, -1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    int64_t value = 77;
    bool fits = tn__number_fit_integer(rows[i].dtype, rows[i].negative, rows[i].magnitude, &value);
    assert_true(fits == rows[i].fits);
    assert_int_equal(value, rows[i].value);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decimals_are_rounded_correctly),
      cmocka_unit_test(digits_far_behind_break_a_tie),
      cmocka_unit_test(random_doubles_survive_printing),
      cmocka_unit_test(every_narrow_float_survives_printing),
      cmocka_unit_test(floats_print_as_mlir_does),
      cmocka_unit_test(integers_fit_or_do_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
