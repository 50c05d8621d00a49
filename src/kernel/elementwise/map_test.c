// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/map.h"

#include <math.h>

#include "base/testing.h"
#include "kernel/elementwise/binary.h"

static const char* const unary_names[] = {
#define TN_UNARY(dialect, name, ...) #name,
#define TN_BINARY(...)
#include "ops/scalar.def"
};

static const char* const binary_names[] = {
#define TN_UNARY(...)
#define TN_BINARY(dialect, name, ...) #name,
#include "ops/scalar.def"
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static int64_t integer_binary(const char* op, tn_dtype_t dtype, int64_t a, int64_t b) {
  tn_map_t map;
  if (!tn__map_binary(op, dtype, dtype, &map)) fail_msg("no %s", op);
  uint64_t left = 0, right = 0, result = 0;
  tn__convert_elements(TN_DTYPE_S64, &a, dtype, &left, 1);
  tn__convert_elements(TN_DTYPE_S64, &b, dtype, &right, 1);
  tn__map_run(&map, &left, &right, &result, 1);
  return tn__element_to_i64(dtype, &result);
}

static int64_t integer_unary(const char* op, tn_dtype_t dtype, int64_t a) {
  tn_map_t map;
  if (!tn__map_unary(op, dtype, dtype, &map)) fail_msg("no %s", op);
  uint64_t operand = 0, result = 0;
  tn__convert_elements(TN_DTYPE_S64, &a, dtype, &operand, 1);
  tn__map_run(&map, &operand, NULL, &result, 1);
  return tn__element_to_i64(dtype, &result);
}

static const tn_dtype_t signed_dtypes[] = {TN_DTYPE_S2,  TN_DTYPE_S4,  TN_DTYPE_S8,
                                           TN_DTYPE_S16, TN_DTYPE_S32, TN_DTYPE_S64};
static const tn_dtype_t unsigned_dtypes[] = {TN_DTYPE_U2,  TN_DTYPE_U4,  TN_DTYPE_U8,
                                             TN_DTYPE_U16, TN_DTYPE_U32, TN_DTYPE_U64};

static int64_t lowest(tn_dtype_t dtype) {
  return INT64_MIN >> (64 - tn_dtype_bit_width(dtype));
}

static int64_t all_ones(tn_dtype_t dtype) {
  return (int64_t)(UINT64_MAX >> (64 - tn_dtype_bit_width(dtype)));
}

// In f64, and rounded from there.
static uint16_t half_of(const tn_map_t* precise, tn_dtype_t dtype, uint16_t a, uint16_t b) {
  double operands[2], result;
  uint16_t half;
  tn__convert_elements(dtype, &a, TN_DTYPE_F64, &operands[0], 1);
  tn__convert_elements(dtype, &b, TN_DTYPE_F64, &operands[1], 1);
  tn__map_run(precise, &operands[0], precise->binary ? &operands[1] : NULL, &result, 1);
  tn__convert_elements(TN_DTYPE_F64, &result, dtype, &half, 1);
  return half;
}

static bool is_nan_of(tn_dtype_t dtype, uint16_t half) {
  return (half & 0x7fff) > (dtype == TN_DTYPE_F16 ? 0x7c00 : 0x7f80);
}

static void check_half(const char* op, const tn_map_t* precise, tn_dtype_t dtype, uint16_t a,
                       uint16_t b, uint16_t got) {
  const uint16_t wanted = half_of(precise, dtype, a, b);
  if (got == wanted || (is_nan_of(dtype, got) && is_nan_of(dtype, wanted))) return;
  fail_msg("%s of %s 0x%04x, 0x%04x: 0x%04x, not 0x%04x", op, tn_dtype_name(dtype), a, b, got,
           wanted);
}

// All operands of those of one, and as many pairs as there are numbers.
static void floats_of_16_bits_are_rounded_as_if_once(void** state) {
  (void)state;
  enum { COUNT = 1 << 16 };
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F16, TN_DTYPE_BF16};
  size_t tried = 0;
  uint16_t *a = malloc(3 * COUNT * sizeof *a), *b = a + COUNT, *got = b + COUNT;
  assert_non_null(a);
  for (uint32_t i = 0; i < COUNT; ++i) a[i] = (uint16_t)i, b[i] = (uint16_t)(i * 40503u >> 4);
  for (size_t d = 0; d < COUNT_OF(dtypes); ++d) {
    const tn_dtype_t dtype = dtypes[d];
    for (size_t op = 0; op < COUNT_OF(unary_names) + COUNT_OF(binary_names); ++op) {
      const bool is_unary = op < COUNT_OF(unary_names);
      const char* name = is_unary ? unary_names[op] : binary_names[op - COUNT_OF(unary_names)];
      bool (*const find)(const char*, tn_dtype_t, tn_dtype_t, tn_map_t*) =
          is_unary ? tn__map_unary : tn__map_binary;
      tn_map_t map, precise;
      if (!find(name, dtype, dtype, &map) || !(map.precise_unary || map.precise_binary)) continue;
      assert_true(find(name, TN_DTYPE_F64, TN_DTYPE_F64, &precise));
      tn__map_run(&map, a, is_unary ? NULL : b, got, COUNT);
      for (uint32_t i = 0; i < COUNT; ++i) check_half(name, &precise, dtype, a[i], b[i], got[i]);
      ++tried;
    }
  }
  assert_true(tried >= 2 * 20);
  free(a);
}

static void signed_arithmetic_wraps_at_its_width(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(signed_dtypes); ++i) {
    tn_dtype_t t = signed_dtypes[i];
    int64_t low = lowest(t), high = -1 - low;
    assert_int_equal(integer_binary("add", t, high, 1), low);
    assert_int_equal(integer_binary("subtract", t, low, 1), high);
    assert_int_equal(integer_binary("multiply", t, low, -1), low);
    assert_int_equal(integer_binary("multiply", t, high, high), 1);
    assert_int_equal(integer_unary("negate", t, low), low);
    assert_int_equal(integer_unary("abs", t, low), low);
    assert_int_equal(integer_unary("abs", t, -1), 1);
    assert_int_equal(integer_unary("sign", t, low), -1);
    assert_int_equal(integer_unary("sign", t, 0), 0);
    assert_int_equal(integer_unary("not", t, low), high);
    assert_int_equal(integer_binary("maximum", t, low, high), high);
    assert_int_equal(integer_binary("minimum", t, low, high), low);
  }
}

static void division_by_zero_and_of_the_lowest_have_their_values(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(signed_dtypes); ++i) {
    tn_dtype_t t = signed_dtypes[i];
    int64_t low = lowest(t);
    assert_int_equal(integer_binary("divide", t, 1, 0), -1);
    assert_int_equal(integer_binary("remainder", t, low, 0), low);
    assert_int_equal(integer_binary("divide", t, low, -1), low);
    assert_int_equal(integer_binary("remainder", t, low, -1), 0);
  }
  for (size_t i = 0; i < COUNT_OF(unsigned_dtypes); ++i) {
    tn_dtype_t t = unsigned_dtypes[i];
    assert_int_equal(integer_binary("divide", t, 1, 0), all_ones(t));
    assert_int_equal(integer_binary("remainder", t, 3, 0), 3);
    assert_int_equal(integer_binary("divide", t, all_ones(t), all_ones(t)), 1);
  }
  assert_int_equal(integer_binary("divide", TN_DTYPE_S8, -7, 2), -3);
  assert_int_equal(integer_binary("remainder", TN_DTYPE_S8, -7, 2), -1);
  assert_int_equal(integer_binary("remainder", TN_DTYPE_S4, 7, -2), 1);
}

static void shifts_past_the_width_leave_nothing_or_the_sign(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(signed_dtypes); ++i) {
    tn_dtype_t t = signed_dtypes[i], u = unsigned_dtypes[i];
    int64_t width = tn_dtype_bit_width(t), low = lowest(t);
    int64_t top = (int64_t)(UINT64_C(1) << (width - 1));
    // Amounts are read as unsigned: -1 is past every width.
    const int64_t amounts[] = {width, -1};
    for (size_t j = 0; j < 2; ++j) {
      int64_t amount = amounts[j];
      assert_int_equal(integer_binary("shift_left", t, -1, amount), 0);
      assert_int_equal(integer_binary("shift_right_logical", t, -1, amount), 0);
      assert_int_equal(integer_binary("shift_right_arithmetic", t, low, amount), -1);
      assert_int_equal(integer_binary("shift_right_arithmetic", t, 1, amount), 0);
      assert_int_equal(integer_binary("shift_right_arithmetic", u, top, amount), all_ones(u));
      assert_int_equal(integer_binary("shift_right_logical", u, top, amount), 0);
    }
    assert_int_equal(integer_binary("shift_left", t, 1, width - 1), low);
    assert_int_equal(integer_binary("shift_right_logical", t, low, width - 1), 1);
    assert_int_equal(integer_binary("shift_right_arithmetic", t, low, 1), low / 2);
    assert_int_equal(integer_binary("shift_right_logical", u, all_ones(u), 1),
                     (uint64_t)all_ones(u) >> 1);
  }
}

static void bits_are_counted_within_the_width(void** state) {
  (void)state;
  for (size_t i = 1; i < COUNT_OF(signed_dtypes); ++i) {
    tn_dtype_t t = signed_dtypes[i], u = unsigned_dtypes[i];
    int64_t width = tn_dtype_bit_width(t);
    assert_int_equal(integer_unary("popcnt", t, -1), width);
    assert_int_equal(integer_unary("popcnt", u, all_ones(u)), width);
    assert_int_equal(integer_unary("count_leading_zeros", t, 0), width);
    assert_int_equal(integer_unary("count_leading_zeros", t, 1), width - 1);
    assert_int_equal(integer_unary("count_leading_zeros", t, -1), 0);
    assert_int_equal(integer_unary("count_leading_zeros", u, 3), width - 2);
  }
  assert_int_equal(integer_unary("count_leading_zeros", TN_DTYPE_U2, 0), 2);
  assert_int_equal(integer_unary("count_leading_zeros", TN_DTYPE_U2, 1), 1);
  assert_int_equal(integer_unary("count_leading_zeros", TN_DTYPE_U2, 2), 0);
}

static void integer_powers_wrap_and_know_negative_exponents(void** state) {
  (void)state;
  assert_int_equal(integer_binary("power", TN_DTYPE_S32, 3, 13), 1594323);
  assert_int_equal(integer_binary("power", TN_DTYPE_S32, 2, 31), INT32_MIN);
  assert_int_equal(integer_binary("power", TN_DTYPE_S32, 2, 32), 0);
  assert_int_equal(integer_binary("power", TN_DTYPE_U64, 3, 41), UINT64_C(0xfa2a1cf67b5fb863));
  assert_int_equal(integer_binary("power", TN_DTYPE_S8, 0, 0), 1);
  assert_int_equal(integer_binary("power", TN_DTYPE_S8, 2, -1), 0);
  assert_int_equal(integer_binary("power", TN_DTYPE_S8, 0, -1), 0);
  assert_int_equal(integer_binary("power", TN_DTYPE_S8, 1, -128), 1);
  assert_int_equal(integer_binary("power", TN_DTYPE_S8, -1, -127), -1);
  assert_int_equal(integer_binary("power", TN_DTYPE_S4, -1, -8), 1);
  assert_int_equal(integer_binary("power", TN_DTYPE_S4, 3, 3), -5);
  assert_int_equal(integer_binary("power", TN_DTYPE_U4, 3, 15), 11);
}

static void truth_values_add_as_or_and_multiply_as_and(void** state) {
  (void)state;
  const uint8_t a[] = {0, 0, 1, 1}, b[] = {0, 1, 0, 1};
  const struct {
    const char* op;
    uint8_t wanted[4];
  } cases[] = {
      {"add", {0, 1, 1, 1}},      {"or", {0, 1, 1, 1}},  {"maximum", {0, 1, 1, 1}},
      {"multiply", {0, 0, 0, 1}}, {"and", {0, 0, 0, 1}}, {"minimum", {0, 0, 0, 1}},
      {"xor", {0, 1, 1, 0}},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    tn_map_t map;
    uint8_t got[4];
    assert_true(tn__map_binary(cases[i].op, TN_DTYPE_PRED, TN_DTYPE_PRED, &map));
    tn__map_run(&map, a, b, got, 4);
    assert_memory_equal(got, cases[i].wanted, 4);
  }
  tn_map_t map;
  uint8_t got[4];
  assert_true(tn__map_unary("not", TN_DTYPE_PRED, TN_DTYPE_PRED, &map));
  tn__map_run(&map, b, NULL, got, 4);
  assert_memory_equal(got, ((uint8_t[]){1, 0, 1, 0}), 4);
  assert_false(tn__map_binary("divide", TN_DTYPE_PRED, TN_DTYPE_PRED, &map));
}

static void float_binary(const char* op, tn_dtype_t dtype, double a, double b, double wanted) {
  tn_map_t map;
  assert_true(tn__map_binary(op, dtype, dtype, &map));
  double left, right, result, got;
  tn__convert_elements(TN_DTYPE_F64, &a, dtype, &left, 1);
  tn__convert_elements(TN_DTYPE_F64, &b, dtype, &right, 1);
  tn__map_run(&map, &left, &right, &result, 1);
  tn__convert_elements(dtype, &result, TN_DTYPE_F64, &got, 1);
  bool same = got == wanted && !signbit(got) == !signbit(wanted);
  if (!same && !(isnan(got) && isnan(wanted))) {
    fail_msg("%s(%g, %g) of %s: got %g, wanted %g", op, a, b, tn_dtype_name(dtype), got, wanted);
  }
}

static void extremes_of_floats_pass_nan_and_order_zeros(void** state) {
  (void)state;
  const tn_dtype_t dtypes[] = {TN_DTYPE_F64,      TN_DTYPE_F32,    TN_DTYPE_F16,   TN_DTYPE_BF16,
                               TN_DTYPE_F8E4M3FN, TN_DTYPE_F8E5M2, TN_DTYPE_F8E3M4};
  for (size_t i = 0; i < COUNT_OF(dtypes); ++i) {
    tn_dtype_t t = dtypes[i];
    float_binary("maximum", t, NAN, 1, NAN);
    float_binary("maximum", t, 1, NAN, NAN);
    float_binary("minimum", t, NAN, 1, NAN);
    float_binary("minimum", t, 1, NAN, NAN);
    float_binary("maximum", t, -0.0, 0.0, 0.0);
    float_binary("maximum", t, 0.0, -0.0, 0.0);
    float_binary("minimum", t, -0.0, 0.0, -0.0);
    float_binary("minimum", t, 0.0, -0.0, -0.0);
    float_binary("maximum", t, -0.0, -0.0, -0.0);
    float_binary("minimum", t, 0.0, 0.0, 0.0);
    float_binary("maximum", t, -2, -1.5, -1.5);
    float_binary("minimum", t, -2, -1.5, -2);
    float_binary("remainder", t, -7, 2, -1);
    float_binary("remainder", t, 7, -2, 1);
    float_binary("remainder", t, -4, 2, -0.0);
    float_binary("remainder", t, 1, 0, NAN);
    float_binary("power", t, 0, -0.0, 1);
    float_binary("power", t, -2, 3, -8);
    float_binary("power", t, -2, 0.5, NAN);
    float_binary("atan2", t, -0.0, 1, -0.0);
    float_binary("divide", t, 3, -2, -1.5);
  }
}

static void subnormals_are_kept(void** state) {
  (void)state;
  float_binary("multiply", TN_DTYPE_F32, 0x1p-100, 0x1p-49, 0x1p-149);
  float_binary("subtract", TN_DTYPE_F64, 0x1.1p-1022, 0x1p-1022, 0x1p-1026);
  float_binary("divide", TN_DTYPE_F32, 0x1p-149, 2, 0.0);
  float_binary("add", TN_DTYPE_F16, 0x1p-24, 0x1p-24, 0x1p-23);
  float_binary("multiply", TN_DTYPE_F16, 0x1p-14, 0x1.8p-10, 0x1p-23);
  float_binary("multiply", TN_DTYPE_BF16, 0x1p-126, 0x1p-7, 0x1p-133);
  float_binary("divide", TN_DTYPE_F8E5M2, 0x1p-14, 4, 0x1p-16);
  // The quotient 0x1.0303...p-134 is above the middle of 0 and the smallest.
  float_binary("divide", TN_DTYPE_BF16, 0x1.02p-126, 0x1.fep+7, 0x1p-133);
}

static void comparisons_with_nan_hold_for_ne_alone(void** state) {
  (void)state;
  const float a[] = {1, NAN, -0.0f, 2, INFINITY}, b[] = {2, NAN, 0.0f, NAN, INFINITY};
  static const uint8_t wanted[TN_DIRECTION_COUNT][5] = {
      [TN_DIRECTION_EQ] = {0, 0, 1, 0, 1}, [TN_DIRECTION_NE] = {1, 1, 0, 1, 0},
      [TN_DIRECTION_GE] = {0, 0, 1, 0, 1}, [TN_DIRECTION_GT] = {0, 0, 0, 0, 0},
      [TN_DIRECTION_LE] = {1, 0, 1, 0, 1}, [TN_DIRECTION_LT] = {1, 0, 0, 0, 0},
  };
  const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_BF16, TN_DTYPE_F8E5M2};
  for (size_t i = 0; i < COUNT_OF(dtypes); ++i) {
    double left[5], right[5];
    tn__convert_elements(TN_DTYPE_F32, a, dtypes[i], left, 5);
    tn__convert_elements(TN_DTYPE_F32, b, dtypes[i], right, 5);
    for (int direction = 0; direction < TN_DIRECTION_COUNT; ++direction) {
      tn_map_t map;
      uint8_t got[5];
      assert_true(tn__map_compare((tn_direction_t)direction, false, dtypes[i], &map));
      tn__map_run(&map, left, right, got, 5);
      assert_memory_equal(got, wanted[direction], 5);
    }
  }
}

static void total_order_orders_nan_and_zeros(void** state) {
  (void)state;
  const float ascending[] = {-NAN, -INFINITY, -1, -0x1p-149f, -0.0f, 0.0f, 1, INFINITY, NAN};
  enum { COUNT = sizeof ascending / sizeof *ascending };
  const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64};
  for (size_t d = 0; d < COUNT_OF(dtypes); ++d) {
    for (size_t i = 0; i < COUNT; ++i) {
      for (size_t j = 0; j < COUNT; ++j) {
        double left, right;
        tn__convert_elements(TN_DTYPE_F32, &ascending[i], dtypes[d], &left, 1);
        tn__convert_elements(TN_DTYPE_F32, &ascending[j], dtypes[d], &right, 1);
        const bool wanted[TN_DIRECTION_COUNT] = {
            [TN_DIRECTION_EQ] = i == j, [TN_DIRECTION_NE] = i != j, [TN_DIRECTION_GE] = i >= j,
            [TN_DIRECTION_GT] = i > j,  [TN_DIRECTION_LE] = i <= j, [TN_DIRECTION_LT] = i < j,
        };
        for (int direction = 0; direction < TN_DIRECTION_COUNT; ++direction) {
          tn_map_t map;
          uint8_t got;
          assert_true(tn__map_compare((tn_direction_t)direction, true, dtypes[d], &map));
          tn__map_run(&map, &left, &right, &got, 1);
          assert_int_equal(got, wanted[direction]);
        }
      }
    }
  }
}

static tn_dtype_t result_dtype(const char* op, tn_dtype_t operand) {
  bool parts = strcmp(op, "abs") == 0 || strcmp(op, "real") == 0 || strcmp(op, "imag") == 0;
  if (parts && operand == TN_DTYPE_C64) return TN_DTYPE_F32;
  if (parts && operand == TN_DTYPE_C128) return TN_DTYPE_F64;
  if (strncmp(op, "is_", 3) == 0) return TN_DTYPE_PRED;
  if (strcmp(op, "complex") == 0) return operand == TN_DTYPE_F32 ? TN_DTYPE_C64 : TN_DTYPE_C128;
  return operand;
}

enum { MANY = 1100 };
static uint8_t left[MANY * 16], right[MANY * 16], whole[MANY * 16], other[MANY * 16];

// Over a length that ends within a chunk: as one by one, and as in the place of each operand.
static void assert_elementwise(const tn_map_t* map, const char* op) {
  size_t size = tn_dtype_byte_size(map->load.from), result_size = tn_dtype_byte_size(map->store.to);
  const uint8_t* b = map->binary ? right : NULL;
  tn__map_run(map, left, b, whole, MANY);
  for (size_t i = 0; i < MANY; ++i) {
    tn__map_run(map, left + i * size, b ? b + i * size : NULL, other + i * result_size, 1);
  }
  if (memcmp(whole, other, MANY * result_size) != 0) {
    fail_msg("%s of many %s is not that of each", op, tn_dtype_name(map->load.from));
  }
  if (size != result_size) return;
  memcpy(other, left, MANY * size);
  tn__map_run(map, other, b, other, MANY);
  assert_memory_equal(other, whole, MANY * size);
  if (!b) return;
  memcpy(other, right, MANY * size);
  tn__map_run(map, left, other, other, MANY);
  assert_memory_equal(other, whole, MANY * size);
}

static void every_operation_works_element_by_element_and_in_place(void** state) {
  (void)state;
  int32_t values[2 * MANY];
  for (int i = 0; i < 2 * MANY; ++i) values[i] = (i * 7919) % 31 - 9;
  size_t found = 0;
  for (int dtype = 1; dtype < TN_DTYPE_LIMIT; ++dtype) {
    if (!tn_dtype_is_valid(dtype) || dtype == TN_DTYPE_TOKEN) continue;
    tn_dtype_t t = (tn_dtype_t)dtype;
    tn__convert_elements(TN_DTYPE_S32, values, t, left, MANY);
    tn__convert_elements(TN_DTYPE_S32, values + MANY, t, right, MANY);
    tn_map_t map;
    for (size_t i = 0; i < COUNT_OF(unary_names); ++i) {
      if (!tn__map_unary(unary_names[i], t, result_dtype(unary_names[i], t), &map)) continue;
      assert_elementwise(&map, unary_names[i]);
      ++found;
    }
    for (size_t i = 0; i < COUNT_OF(binary_names); ++i) {
      const char* op = binary_names[i];
      bool parts = t == TN_DTYPE_F32 || t == TN_DTYPE_F64;
      if (strcmp(op, "complex") == 0 && !parts) continue;
      if (!tn__map_binary(op, t, result_dtype(op, t), &map)) continue;
      assert_elementwise(&map, op);
      ++found;
    }
    for (int direction = 0; direction < TN_DIRECTION_COUNT; ++direction) {
      assert_true(tn__map_compare((tn_direction_t)direction, false, t, &map));
      assert_elementwise(&map, "compare");
      ++found;
    }
  }
  // 17 floats of 22 and 9 operations, 16 integers of 6 and 14, ...: none may get lost.
  assert_true(found > 900);
}

static void folds_give_the_same_as_one_by_one(void** state) {
  (void)state;
  const size_t counts[] = {0, 1, 31, 32, 33, 100, 1000};
  int32_t values[MANY];
  for (int i = 0; i < MANY; ++i) values[i] = (i * 7919) % 3 - 1;
  for (int dtype = 1; dtype < TN_DTYPE_LIMIT; ++dtype) {
    if (!tn_dtype_is_valid(dtype) || dtype == TN_DTYPE_TOKEN) continue;
    tn__convert_elements(TN_DTYPE_S32, values, (tn_dtype_t)dtype, left, MANY);
    size_t size = tn_dtype_byte_size((tn_dtype_t)dtype);
    for (size_t op = 0; op < COUNT_OF(binary_names); ++op) {
      tn_binary_t binary;
      if (!tn__binary_find(binary_names[op], (tn_dtype_t)dtype, &binary)) continue;
      // These sums and products are exact in any order but for small floats, which do not count as
      // far, and the signs of zeros in complex products.
      tn_kind_t kind = tn_dtype_kind((tn_dtype_t)dtype);
      if (binary.associative && kind == TN_KIND_FLOAT && size == 1) continue;
      if (kind == TN_KIND_COMPLEX && strcmp(binary_names[op], "multiply") == 0) continue;
      for (size_t c = 0; c < COUNT_OF(counts); ++c) {
        double wanted[2], got[2];
        memcpy(wanted, left + (MANY - 1) * size, size);
        memcpy(got, wanted, size);
        for (size_t i = 0; i < counts[c]; ++i) {
          tn__binary_map(&binary, wanted, left + i * size, wanted, 1);
        }
        tn__binary_fold(&binary, got, left, counts[c]);
        if (memcmp(got, wanted, size) != 0) {
          fail_msg("%s of %zu %s", binary_names[op], counts[c], tn_dtype_name((tn_dtype_t)dtype));
        }
      }
    }
  }
}

static void long_float_sums_keep_their_accuracy(void** state) {
  (void)state;
  enum { LONG = 1 << 20 };
  float* values = malloc(LONG * sizeof *values);
  assert_non_null(values);
  for (int i = 0; i < LONG; ++i) values[i] = 0.1f;
  tn_binary_t add;
  assert_true(tn__binary_find("add", TN_DTYPE_F32, &add));
  float total = 0;
  tn__binary_fold(&add, &total, values, LONG);
  double exact = (double)0.1f * LONG;
  assert_true(fabs((double)total - exact) < 4e-6 * exact);
  free(values);
}

static void folds_of_extremes_pass_nan(void** state) {
  (void)state;
  float values[100];
  for (int i = 0; i < 100; ++i) values[i] = (float)i;
  values[57] = NAN;
  tn_binary_t maximum;
  assert_true(tn__binary_find("maximum", TN_DTYPE_F32, &maximum));
  float total = -INFINITY;
  tn__binary_fold(&maximum, &total, values, 57);
  assert_true(total == 56);
  tn__binary_fold(&maximum, &total, values, 100);
  assert_true(isnan(total));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floats_of_16_bits_are_rounded_as_if_once),
      cmocka_unit_test(signed_arithmetic_wraps_at_its_width),
      cmocka_unit_test(division_by_zero_and_of_the_lowest_have_their_values),
      cmocka_unit_test(shifts_past_the_width_leave_nothing_or_the_sign),
      cmocka_unit_test(bits_are_counted_within_the_width),
      cmocka_unit_test(integer_powers_wrap_and_know_negative_exponents),
      cmocka_unit_test(truth_values_add_as_or_and_multiply_as_and),
      cmocka_unit_test(extremes_of_floats_pass_nan_and_order_zeros),
      cmocka_unit_test(subnormals_are_kept),
      cmocka_unit_test(comparisons_with_nan_hold_for_ne_alone),
      cmocka_unit_test(total_order_orders_nan_and_zeros),
      cmocka_unit_test(every_operation_works_element_by_element_and_in_place),
      cmocka_unit_test(folds_give_the_same_as_one_by_one),
      cmocka_unit_test(long_float_sums_keep_their_accuracy),
      cmocka_unit_test(folds_of_extremes_pass_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
