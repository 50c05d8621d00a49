// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/float_format.h"

#include <math.h>

#include "base/testing.h"

static const tn_dtype_t floats[] = {
    TN_DTYPE_F64,        TN_DTYPE_F32,        TN_DTYPE_F16,           TN_DTYPE_BF16,
    TN_DTYPE_F8E5M2,     TN_DTYPE_F8E4M3,     TN_DTYPE_F8E3M4,        TN_DTYPE_F8E4M3FN,
    TN_DTYPE_F8E4M3FNUZ, TN_DTYPE_F8E5M2FNUZ, TN_DTYPE_F8E4M3B11FNUZ, TN_DTYPE_F8E8M0FNU,
    TN_DTYPE_F6E2M3FN,   TN_DTYPE_F6E3M2FN,   TN_DTYPE_F4E2M1FN,
};
enum { FLOAT_COUNT = sizeof floats / sizeof *floats };

static void every_float_dtype_has_a_format(void** state) {
  (void)state;
  size_t count = 0;
  for (int dtype = 0; dtype < TN_DTYPE_LIMIT; ++dtype) {
    const tn_float_format_t* format = tn__float_format((tn_dtype_t)dtype);
    if (tn_dtype_kind((tn_dtype_t)dtype) != TN_KIND_FLOAT) {
      assert_null(format);
      continue;
    }
    assert_non_null(format);
    assert_int_equal(format->bits, tn_dtype_bit_width((tn_dtype_t)dtype));
    uint32_t sign = format->specials == TN_FLOAT_POWERS ? 0 : 1;
    assert_int_equal(format->bits, sign + format->exponent_bits + format->mantissa_bits);
    ++count;
  }
  assert_int_equal(count, FLOAT_COUNT);
}

static void narrow_formats_round_trip_exactly(void** state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_COUNT; ++i) {
    const tn_float_format_t* format = tn__float_format(floats[i]);
    if (format->bits > 16) continue;
    for (uint64_t bits = 0; bits < UINT64_C(1) << format->bits; ++bits) {
      double value = tn__float_decode(format, bits);
      assert_true(!!isnan(value) == tn__float_bits_are_nan(format, bits));
      assert_true(!!isinf(value) == tn__float_bits_are_infinite(format, bits));
      uint64_t again = tn__float_encode(format, value);
      if (isnan(value)) {
        assert_true(tn__float_bits_are_nan(format, again));
      } else {
        assert_int_equal(again, bits);
      }
    }
  }
}

// The finite values in order of their bits grow; what is between two neighbours goes to the
// nearer one, and the middle to the even one.
static void values_between_neighbours_go_to_the_nearest(void** state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_COUNT; ++i) {
    const tn_float_format_t* format = tn__float_format(floats[i]);
    if (format->bits > 16) continue;
    bool powers = format->specials == TN_FLOAT_POWERS;
    for (uint64_t bits = 0; bits < tn__float_largest_bits(format); ++bits) {
      double low = tn__float_decode(format, bits), high = tn__float_decode(format, bits + 1);
      assert_true(low < high);
      double middle = low + (high - low) / 2;
      uint64_t tie = powers || (bits & 1) ? bits + 1 : bits;
      assert_int_equal(tn__float_encode(format, nextafter(middle, -INFINITY)), bits);
      assert_int_equal(tn__float_encode(format, middle), tie);
      assert_int_equal(tn__float_encode(format, nextafter(middle, INFINITY)), bits + 1);
    }
  }
}

static void signs_are_symmetric(void** state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_COUNT; ++i) {
    const tn_float_format_t* format = tn__float_format(floats[i]);
    if (format->bits > 16 || format->specials == TN_FLOAT_POWERS) continue;
    uint64_t sign = UINT64_C(1) << (format->bits - 1);
    for (uint64_t bits = 1; bits <= tn__float_largest_bits(format); ++bits) {
      assert_true(tn__float_decode(format, bits | sign) == -tn__float_decode(format, bits));
    }
    bool has_minus_zero = format->specials != TN_FLOAT_NAN_IS_ZERO;
    assert_int_equal(tn__float_encode(format, -0.0), has_minus_zero ? sign : 0);
    assert_int_equal(tn__float_encode(format, -1e-300), has_minus_zero ? sign : 0);
  }
}

static void landmarks_have_their_bits(void** state) {
  (void)state;
  static const struct {
    tn_dtype_t dtype;
    uint64_t one, largest;
    double largest_value, smallest_value;
  } rows[] = {
      {TN_DTYPE_F16, 0x3C00, 0x7BFF, 65504, 0x1p-24},
      {TN_DTYPE_BF16, 0x3F80, 0x7F7F, 0x1.FEp127, 0x1p-133},
      {TN_DTYPE_F8E5M2, 0x3C, 0x7B, 57344, 0x1p-16},
      {TN_DTYPE_F8E4M3, 0x38, 0x77, 240, 0x1p-9},
      {TN_DTYPE_F8E3M4, 0x30, 0x6F, 15.5, 0x1p-6},
      {TN_DTYPE_F8E4M3FN, 0x38, 0x7E, 448, 0x1p-9},
      {TN_DTYPE_F8E4M3FNUZ, 0x40, 0x7F, 240, 0x1p-10},
      {TN_DTYPE_F8E5M2FNUZ, 0x40, 0x7F, 57344, 0x1p-17},
      {TN_DTYPE_F8E4M3B11FNUZ, 0x58, 0x7F, 30, 0x1p-13},
      {TN_DTYPE_F6E2M3FN, 0x08, 0x1F, 7.5, 0.125},
      {TN_DTYPE_F6E3M2FN, 0x0C, 0x1F, 28, 0.0625},
      {TN_DTYPE_F4E2M1FN, 0x02, 0x07, 6, 0.5},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const tn_float_format_t* format = tn__float_format(rows[i].dtype);
    assert_int_equal(tn__float_encode(format, 1.0), rows[i].one);
    assert_int_equal(tn__float_largest_bits(format), rows[i].largest);
    assert_true(tn__float_decode(format, rows[i].largest) == rows[i].largest_value);
    assert_true(tn__float_decode(format, 1) == rows[i].smallest_value);
  }
  const tn_float_format_t* powers = tn__float_format(TN_DTYPE_F8E8M0FNU);
  assert_int_equal(tn__float_encode(powers, 1.0), 127);
  assert_true(tn__float_decode(powers, 0) == 0x1p-127);
  assert_true(tn__float_decode(powers, 0xFE) == 0x1p127);
}

static void overflow_goes_where_the_format_says(void** state) {
  (void)state;
  static const struct {
    tn_dtype_t dtype;
    double value;
    uint64_t bits;
  } rows[] = {
      {TN_DTYPE_F16, 65519.99, 0x7BFF},     {TN_DTYPE_F16, 65520, 0x7C00},
      {TN_DTYPE_F16, -INFINITY, 0xFC00},    {TN_DTYPE_F8E4M3FN, 464, 0x7E},
      {TN_DTYPE_F8E4M3FN, 465, 0x7F},       {TN_DTYPE_F8E4M3FN, -465, 0xFF},
      {TN_DTYPE_F8E4M3FN, INFINITY, 0x7F},  {TN_DTYPE_F8E4M3FNUZ, 464, 0x80},
      {TN_DTYPE_F8E4M3FNUZ, NAN, 0x80},     {TN_DTYPE_F8E5M2, 61440, 0x7C},
      {TN_DTYPE_F8E5M2FNUZ, -1e9, 0x80},    {TN_DTYPE_F4E2M1FN, 100, 0x7},
      {TN_DTYPE_F4E2M1FN, -INFINITY, 0xF},  {TN_DTYPE_F4E2M1FN, NAN, 0x8},
      {TN_DTYPE_F6E3M2FN, 1e300, 0x1F},     {TN_DTYPE_F8E8M0FNU, -1, 0xFF},
      {TN_DTYPE_F8E8M0FNU, 0, 0x00},        {TN_DTYPE_F8E8M0FNU, 1e300, 0xFF},
      {TN_DTYPE_F8E8M0FNU, 1e-300, 0x00},   {TN_DTYPE_BF16, 3.4e38, 0x7F80},
      {TN_DTYPE_F32, 3.5e38, 0x7F800000},   {TN_DTYPE_F32, 1e-60, 0},
      {TN_DTYPE_F32, -5e-324, 0x80000000u}, {TN_DTYPE_F32, NAN, 0x7FC00000},
      {TN_DTYPE_F16, -NAN, 0xFE00},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    uint64_t bits = tn__float_encode(tn__float_format(rows[i].dtype), rows[i].value);
    if (bits != rows[i].bits) {
      fail_msg("%s of %g: got 0x%llX", tn_dtype_name(rows[i].dtype), rows[i].value,
               (unsigned long long)bits);
    }
  }
}

// The processor's own conversion is the oracle.
static void singles_agree_with_the_hardware(void** state) {
  (void)state;
  const tn_float_format_t* format = tn__float_format(TN_DTYPE_F32);
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 2000000; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    uint64_t bits = random;
    if (i & 1) {  // near what a single can hold, subnormals included
      bits = (random & 0x800FFFFFFFFFFFFFu) | (uint64_t)(1023 - 152 + random % 283) << 52;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value)) continue;
    float narrow = (float)value;
    uint32_t wanted;
    memcpy(&wanted, &narrow, sizeof wanted);
    assert_int_equal(tn__float_encode(format, value), wanted);
    assert_true(tn__float_decode(format, wanted) == (double)narrow);
  }
}

static void elements_load_what_was_stored(void** state) {
  (void)state;
  for (size_t i = 0; i < FLOAT_COUNT; ++i) {
    unsigned char bytes[9];
    memset(bytes, 0xA5, sizeof bytes);
    tn__float_store(floats[i], 1.5, bytes);
    double wanted = floats[i] == TN_DTYPE_F8E8M0FNU ? 2.0 : 1.5;
    assert_true(tn__float_load(floats[i], bytes) == wanted);
    assert_int_equal(bytes[tn_dtype_byte_size(floats[i])], 0xA5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_float_dtype_has_a_format),
      cmocka_unit_test(narrow_formats_round_trip_exactly),
      cmocka_unit_test(values_between_neighbours_go_to_the_nearest),
      cmocka_unit_test(signs_are_symmetric),
      cmocka_unit_test(landmarks_have_their_bits),
      cmocka_unit_test(overflow_goes_where_the_format_says),
      cmocka_unit_test(singles_agree_with_the_hardware),
      cmocka_unit_test(elements_load_what_was_stored),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
