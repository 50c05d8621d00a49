// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The small floats of <tenon/custom.h>.
#include <stdlib.h>
#include <tenon/custom.h>

#include "base/testing.h"

static void small_floats_survive_reading_and_writing(void** state) {
  (void)state;
  static const struct {
    tn_ffi_dtype_t dtype;
    uint32_t count;
  } formats[] = {{TN_FFI_F16, 1 << 16},       {TN_FFI_BF16, 1 << 16},   {TN_FFI_F8E5M2, 256},
                 {TN_FFI_F8E4M3, 256},        {TN_FFI_F8E3M4, 256},     {TN_FFI_F8E4M3FN, 256},
                 {TN_FFI_F8E4M3B11FNUZ, 256}, {TN_FFI_F8E4M3FNUZ, 256}, {TN_FFI_F8E5M2FNUZ, 256},
                 {TN_FFI_F4E2M1FN, 16}};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
    for (uint32_t bits = 0; bits < formats[i].count; ++bits) {
      const float value = tn_float_read(formats[i].dtype, bits);
      const uint32_t back = tn_float_write(formats[i].dtype, value);
      if (value != value) {
        const float again = tn_float_read(formats[i].dtype, back);
        assert_true(again != again);
      } else {
        assert_int_equal(back, bits);
      }
      if (formats[i].dtype == TN_FFI_F16) {
        const tn_f16_t half = {(uint16_t)bits};
        const float fast = tn_f16_to_float(half);
        assert_true(fast == value || (fast != fast && value != value));
      }
      if (formats[i].dtype == TN_FFI_BF16) {
        const tn_bf16_t brain = {(uint16_t)bits};
        const float fast = tn_bf16_to_float(brain);
        assert_true(fast == value || (fast != fast && value != value));
      }
    }
  }
  // Ties go to the even neighbour, and what is too large overflows in the format's own way.
  assert_int_equal(tn_float_write(TN_FFI_F8E4M3FN, 17), tn_float_write(TN_FFI_F8E4M3FN, 16));
  assert_int_equal(tn_float_write(TN_FFI_F8E4M3FN, 19), tn_float_write(TN_FFI_F8E4M3FN, 20));
  assert_true(tn_float_read(TN_FFI_F16, tn_float_write(TN_FFI_F16, 1e6f)) > 1e30f);
  assert_true(tn_float_read(TN_FFI_F4E2M1FN, tn_float_write(TN_FFI_F4E2M1FN, 1e6f)) == 6);
  assert_int_equal(tn_bf16_from_float(1.00390625f).bits, 0x3f80);  // a tie
  assert_int_equal(tn_bf16_from_float(1.01171875f).bits, 0x3f82);  // a tie
  assert_true(tn_float_read(TN_FFI_F8E8M0FNU, 130) == 8);
}

static float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void check_narrowing(uint32_t bits) {
  const float value = float_of(bits);
  const uint32_t half = tn_f16_from_float(value).bits, brain = tn_bf16_from_float(value).bits;
  if (value != value) {
    assert_int_equal(half, 0x7e00 | (bits >> 16 & 0x8000));
    assert_int_equal(brain, bits >> 16 | 0x40);
    return;
  }
  if (half != tn_float_write(TN_FFI_F16, value)) fail_msg("%a as f16 is 0x%x", (double)value, half);
  if (brain != tn_float_write(TN_FFI_BF16, value))
    fail_msg("%a as bf16 is 0x%x", (double)value, brain);
}

// Each half, the middle between it and the next one, and the neighbours of that.
static void floats_round_to_the_nearest_half(void** state) {
  (void)state;
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const float low = tn_float_read(TN_FFI_F16, half);
    const float high = half == 0x7bff ? 65536 : tn_float_read(TN_FFI_F16, half + 1);
    const uint32_t middle = bits_of((low + high) / 2), sign = half << 31;
    const uint32_t checked[] = {bits_of(low), bits_of(high), middle - 1, middle, middle + 1};
    for (size_t i = 0; i < sizeof checked / sizeof *checked; ++i)
      check_narrowing(checked[i] | sign);
  }
  const uint32_t step = getenv("TENON_LONG_TESTS") ? 37 : 65537;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += step) check_narrowing((uint32_t)bits);
}

#ifdef __SSE2__
// JAX makes the processor take subnormal numbers for zero.
static void halves_are_read_where_subnormal_floats_are_not(void** state) {
  (void)state;
  enum { FLUSH_RESULTS = 0x8000, TAKE_OPERANDS_FOR_ZERO = 0x40 };
  const unsigned control = __builtin_ia32_stmxcsr();
  uint32_t wrong = 0, written_wrong = 0;
  __builtin_ia32_ldmxcsr(control | FLUSH_RESULTS | TAKE_OPERANDS_FOR_ZERO);
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const tn_f16_t half = {(uint16_t)bits};
    const float value = tn_f16_to_float(half);
    wrong += value != tn_float_read(TN_FFI_F16, bits);
    written_wrong += tn_f16_from_float(value).bits != bits;
  }
  __builtin_ia32_ldmxcsr(control);
  assert_int_equal(wrong, 0);
  assert_int_equal(written_wrong, 0);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_floats_survive_reading_and_writing),
      cmocka_unit_test(floats_round_to_the_nearest_half),
#ifdef __SSE2__
      cmocka_unit_test(halves_are_read_where_subnormal_floats_are_not),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
