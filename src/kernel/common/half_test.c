// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/half.h"

#include "base/float_format.h"
#include "base/testing.h"

enum { ALL = 1 << 16, LENGTH_LIMIT = 40 };

// One format of 16 bits, in the loops of one instruction set.
typedef struct format {
  tn_dtype_t dtype;
  uint32_t infinity, quiet;  // quiet: the bit of NaNs that are
  int dropped;               // bits of f32 that it has no place for
  void (*decode)(const uint16_t* from, float* to, size_t count);
  void (*encode)(const float* from, uint16_t* to, size_t count);
} format_t;

static void for_each_format(void (*check)(const format_t* format)) {
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    const tn_half_loops_t* loops = tn__half_loops_of(isa);
    if (!loops) continue;
    check(&(format_t){TN_DTYPE_F16, 0x7c00, 0x200, 13, loops->decode_f16, loops->encode_f16});
    check(&(format_t){TN_DTYPE_BF16, 0x7f80, 0x40, 16, loops->decode_bf16, loops->encode_bf16});
  }
}

static void decode_all(const format_t* format, float* values) {
  static uint16_t halves[ALL];
  for (uint32_t i = 0; i < ALL; ++i) halves[i] = (uint16_t)i;
  format->decode(halves, values, ALL);
}

static void check_decoding(const format_t* format) {
  static float values[ALL];
  decode_all(format, values);
  const tn_float_format_t* oracle = tn__float_format(format->dtype);
  for (uint32_t half = 0; half < ALL; ++half) {
    uint32_t wanted = tn__float_bits((float)tn__float_decode(oracle, half));
    if ((half & 0x7fff) > format->infinity) {
      wanted = (half & 0x8000) << 16 | 0x7f800000 | (half & 0x7fff) << format->dropped;
    }
    if (tn__float_bits(values[half]) != wanted) {
      fail_msg("%s %#x: got %#x, wanted %#x", tn_dtype_name(format->dtype), half,
               tn__float_bits(values[half]), wanted);
    }
  }
}

static void every_half_decodes_exactly_and_nans_keep_their_bits(void** state) {
  (void)state;
  for_each_format(check_decoding);
}

// What is half-way between neighbours, and the floats around it.
static void check_rounding(const format_t* format) {
  const tn_float_format_t* oracle = tn__float_format(format->dtype);
  for (uint32_t half = 0; half < format->infinity; ++half) {
    const double low = tn__float_decode(oracle, half);
    const double step = half + 1 == format->infinity ? low - tn__float_decode(oracle, half - 1)
                                                     : tn__float_decode(oracle, half + 1) - low;
    const uint32_t middle = tn__float_bits((float)(low + step / 2));
    float values[16];
    uint16_t got[16];
    for (uint32_t k = 0; k < 16; ++k) {
      values[k] = tn__bits_float((middle + k / 2 % 4 - (k < 8 ? 0 : 4)) | (k & 1) << 31);
    }
    if (middle < 8) continue;  // half of the least subnormal of f32 is none
    format->encode(values, got, 16);
    for (uint32_t k = 0; k < 16; ++k) {
      const uint32_t wanted = (uint32_t)tn__float_encode(oracle, (double)values[k]);
      if (got[k] != wanted) {
        fail_msg("%a to %s: got %#x, wanted %#x", (double)values[k], tn_dtype_name(format->dtype),
                 got[k], wanted);
      }
    }
  }
}

static void encoding_rounds_to_nearest_even(void** state) {
  (void)state;
  for_each_format(check_rounding);
}

static void check_nans(const format_t* format) {
  for (uint32_t top = 0; top < 1 << 10; ++top) {
    const uint32_t mantissa = top << 13 | 1;
    const float values[9] = {
        [3] = tn__bits_float(0x7f800000 | mantissa), [8] = tn__bits_float(0xff800000 | mantissa)};
    uint16_t got[9];
    format->encode(values, got, 9);
    const uint32_t wanted = format->infinity | format->quiet | mantissa >> format->dropped;
    assert_int_equal(got[0], 0);
    assert_int_equal(got[3], wanted);
    assert_int_equal(got[8], 0x8000 | wanted);
  }
}

static void encoded_nans_are_quiet_and_keep_their_first_bits(void** state) {
  (void)state;
  for_each_format(check_nans);
}

// Every length, so that each loop has a rest, and nothing beside the arrays is touched.
static void check_lengths(const format_t* format) {
  for (size_t count = 0; count < LENGTH_LIMIT; ++count) {
    float values[LENGTH_LIMIT + 1], decoded[LENGTH_LIMIT + 1];
    uint16_t halves[LENGTH_LIMIT + 1];
    for (size_t i = 0; i <= LENGTH_LIMIT; ++i) {
      values[i] = (float)i;
      decoded[i] = -1;
      halves[i] = 7;
    }
    format->encode(values, halves, count);
    format->decode(halves, decoded, count);
    assert_memory_equal(decoded, values, count * sizeof *values);
    assert_int_equal(halves[count], 7);
    assert_true(decoded[count] == -1);
  }
}

static void any_number_of_elements_is_converted(void** state) {
  (void)state;
  for_each_format(check_lengths);
}

static void the_best_loops_that_the_processor_has_are_taken(void** state) {
  (void)state;
  tn_isa_t best = TN_ISA_COUNT - 1;
  while (!tn__half_loops_of(best)) --best;
  assert_ptr_equal(tn__half_loops(), tn__half_loops_of(best));
  assert_non_null(tn__half_loops_of(0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_half_decodes_exactly_and_nans_keep_their_bits),
      cmocka_unit_test(encoding_rounds_to_nearest_even),
      cmocka_unit_test(encoded_nans_are_quiet_and_keep_their_first_bits),
      cmocka_unit_test(any_number_of_elements_is_converted),
      cmocka_unit_test(the_best_loops_that_the_processor_has_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
