// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/loops.h"

#include <math.h>

#include "base/testing.h"

enum { COUNT = 203 };  // no multiple of any vector

typedef struct operands {
  _Alignas(64) unsigned char a[COUNT * 16], b[COUNT * 16];
} operands_t;

// Any bits, small numbers, and the special values of floats.
static void fill(tn_native_t native, operands_t* operands) {
  uint64_t random = 7;
  for (size_t i = 0; i < sizeof operands->a; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    operands->a[i] = (unsigned char)(random >> 40);
    operands->b[i] = (unsigned char)(random >> 48);
  }
#define TN_NATIVE(NAME, name, type)                                   \
  if (native == TN_NATIVE_##NAME) {                                   \
    for (size_t i = 0; i < COUNT; i += 3) {                           \
      type x = (type)((int)(i % 16) - 8), y = (type)((int)i % 7 - 3); \
      memcpy(operands->a + i * sizeof x, &x, sizeof x);               \
      memcpy(operands->b + i * sizeof y, &y, sizeof y);               \
    }                                                                 \
  }
  TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
  static const double special[] = {0.0, -0.0, 1e-310, INFINITY, -INFINITY, NAN, 1e-40};
  for (size_t i = 1; i < COUNT; i += 3) {
    double x = special[i % 7], y = special[i / 7 % 7];
    float narrow_x = (float)x, narrow_y = (float)y;
    if (native == TN_NATIVE_F64 || native == TN_NATIVE_C128) {
      memcpy(operands->a + i * 8, &x, 8);
      memcpy(operands->b + i * 8, &y, 8);
    } else if (native == TN_NATIVE_F32 || native == TN_NATIVE_C64) {
      memcpy(operands->a + i * 4, &narrow_x, 4);
      memcpy(operands->b + i * 4, &narrow_y, 4);
    }
  }
  if (native != TN_NATIVE_PRED) return;
  for (size_t i = 0; i < COUNT; ++i) {
    operands->a[i] &= 1;
    operands->b[i] &= 1;
  }
}

// Which NaN comes out may differ, nothing else.
static void assert_same(tn_native_t native, const void* x, const void* y, size_t byte_size) {
  const unsigned char *a = x, *b = y;
  const bool is_f32 = native == TN_NATIVE_F32 || native == TN_NATIVE_C64;
  if (is_f32 || native == TN_NATIVE_F64 || native == TN_NATIVE_C128) {
    size_t size = is_f32 ? 4 : 8;
    for (size_t i = 0; i + size <= byte_size; i += size) {
      float p, q;
      double r, s;
      if (size == 4) {
        memcpy(&p, a + i, 4);
        memcpy(&q, b + i, 4);
        r = p;
        s = q;
      } else {
        memcpy(&r, a + i, 8);
        memcpy(&s, b + i, 8);
      }
      if (r != r && s != s) continue;
      assert_memory_equal(a + i, b + i, size);
    }
  } else {
    assert_memory_equal(a, b, byte_size);
  }
}

static void compare_binary(tn_native_t native, const operands_t* operands, tn_binary_fn base,
                           tn_binary_fn other, bool gives_numbers) {
  unsigned char x[COUNT * 16] = {0}, y[COUNT * 16] = {0};
  assert_int_equal(!base, !other);
  if (!base || !other) return;
  base(operands->a, operands->b, x, COUNT);
  other(operands->a, operands->b, y, COUNT);
  assert_same(gives_numbers ? native : TN_NATIVE_PRED, x, y, sizeof x);
}

// The operations that vector_math.inc has functions for, where it does.
static bool is_vector_function(tn_native_t native, int unary, int binary) {
  static const bool are_heavy[] = {
#define COST_LIGHT false
#define COST_HEAVY true
#define TN_UNARY(dialect, name, carrier, cost, ...) [TN_UNARY_##name] = COST_##cost,
#define TN_BINARY(...)
#include "ops/scalar.def"
  };
  if (native != TN_NATIVE_F32 && native != TN_NATIVE_F64) return false;
  return unary < TN_UNARY_COUNT ? are_heavy[unary]
                                : binary == TN_BINARY_power || binary == TN_BINARY_atan2;
}

static bool gives_truth(int unary) {
  return unary == TN_UNARY_is_finite || unary == TN_UNARY_is_inf || unary == TN_UNARY_is_neg_inf ||
         unary == TN_UNARY_is_pos_inf;
}

static void compare_sets(tn_native_t native, const tn_loops_t* base, const tn_loops_t* other,
                         bool with_vector_functions) {
  operands_t operands;
  fill(native, &operands);
  for (int op = 0; op < TN_UNARY_COUNT; ++op) {
    unsigned char x[COUNT * 16] = {0}, y[COUNT * 16] = {0};
    assert_int_equal(!base->unary[op], !other->unary[op]);
    if (!base->unary[op] || !other->unary[op]) continue;
    if (!with_vector_functions && is_vector_function(native, op, TN_BINARY_COUNT)) continue;
    base->unary[op](operands.a, x, COUNT);
    other->unary[op](operands.a, y, COUNT);
    assert_same(gives_truth(op) ? TN_NATIVE_PRED : native, x, y, sizeof x);
  }
  for (int op = 0; op < TN_BINARY_COUNT; ++op) {
    if (!with_vector_functions && is_vector_function(native, TN_UNARY_COUNT, op)) continue;
    compare_binary(native, &operands, base->binary[op], other->binary[op], true);
    assert_int_equal(!base->fold[op], !other->fold[op]);
    for (size_t count = 1; base->fold[op] && count < COUNT; count += 33) {
      unsigned char x[16] = {0}, y[16] = {0};
      memcpy(x, operands.b, 8);
      memcpy(y, operands.b, 8);
      base->fold[op](x, operands.a, count);
      other->fold[op](y, operands.a, count);
      assert_same(native, x, y, 16);
    }
    assert_int_equal(!base->at[op], !other->at[op]);
    if (!base->at[op]) continue;
    operands_t a = operands, b = operands;
    int64_t places[COUNT];
    for (int64_t i = 0; i < COUNT; ++i) places[i] = i % 5 ? i * 7 % COUNT / 2 : -1;
    base->at[op](a.a, places, a.b, COUNT);
    other->at[op](b.a, places, b.b, COUNT);
    assert_same(native, a.a, b.a, sizeof a.a);
  }
  for (int d = 0; d < TN_DIRECTION_COUNT; ++d) {
    compare_binary(native, &operands, base->compare[d], other->compare[d], false);
    compare_binary(native, &operands, base->compare_total[d], other->compare_total[d], false);
  }
}

// The bytes that one element of a native dtype has.
static size_t size_of(tn_native_t native) {
  switch (native) {
#define TN_NATIVE(NAME, name, type) \
  case TN_NATIVE_##NAME: return sizeof(type);
    TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
    case TN_NATIVE_C64: return 8;
    case TN_NATIVE_C128: return 16;
    default: return 1;
  }
}

// --- threaded code

static struct {
  float f32;
  double f64;
  int64_t bits;
} left;  // in registers by what ran last

TN_THREADED(end) {
  (void)cell;
  left.f32 = f32;
  left.f64 = f64;
  left.bits = bits;
}

// The register of a dtype after it ran, as an element of that dtype.
static void read_register(tn_native_t native, void* out) {
  switch (native) {
#define TN_NATIVE(NAME, name, type)                          \
  case TN_NATIVE_##NAME: {                                   \
    const type element = (type) _Generic((type)0, float      \
                                         : left.f32, double  \
                                         : left.f64, default \
                                         : left.bits);       \
    memcpy(out, &element, sizeof element);                   \
    break;                                                   \
  }
    TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
    default: *(uint8_t*)out = (uint8_t)left.bits;
  }
}

// Runs a form with the element at `held` in registers of all kinds, whatever it is.
static void run_form(tn_threaded_fn form, tn_native_t native, const void* held,
                     const tn_cell_t* cells) {
  float f32 = 0;
  double f64 = 0;
  int64_t bits = 0;
  if (held) {
    memcpy(&f32, held, native == TN_NATIVE_F32 ? 4 : 0);
    memcpy(&f64, held, native == TN_NATIVE_F64 ? 8 : 0);
    memcpy(&bits, held, size_of(native));
  }
  form(cells, f32, f64, bits);
}

// What all forms compute of each element or pair of elements, against `expected`. Operands in
// registers are not in memory.
static void compare_forms(tn_native_t native, tn_native_t result, const operands_t* operands,
                          size_t operand_count, tn_threaded_forms_t forms,
                          const unsigned char* expected, bool is_held) {
  const size_t size = size_of(native), result_size = size_of(result);
  for (size_t form = 0; form < (size_t)1 << operand_count; ++form) {
    for (size_t i = 0; i < COUNT; ++i) {
      unsigned char out[16] = {0}, held[16] = {0};
      tn_cell_t cells[5] = {{.run = forms[form]}};
      const unsigned char* in_register = NULL;
      for (size_t k = 0; k < operand_count; ++k) {
        const unsigned char* element = (k ? operands->b : operands->a) + i * size;
        if (form >> k & 1) {
          in_register = element;
        } else {
          cells[1 + k].operand = element;
        }
      }
      if (form == 3 && memcmp(operands->a + i * size, operands->b + i * size, size) != 0) continue;
      cells[1 + operand_count].data = out;
      cells[2 + operand_count].run = end;
      run_form(forms[form], native, in_register, cells);
      assert_same(result, out, expected + i * result_size, result_size);
      if (is_held) read_register(result, held);
      if (is_held) assert_memory_equal(held, out, result_size);
    }
  }
}

static void threaded_code_computes_what_loops_do(void** state) {
  (void)state;
  size_t count = 0;
  for (tn_native_t native = 0; native <= TN_NATIVE_PRED; ++native) {
    const tn_loops_t* loops = tn__loops_of(TN_ISA_BASE, native);
    const tn_threaded_table_t* threaded = tn__threaded(native);
    operands_t operands;
    fill(native, &operands);
    for (int op = 0; op < TN_UNARY_COUNT; ++op) {
      unsigned char expected[COUNT * 16] = {0};
      if (!threaded->unary[op]) continue;
      ++count;
      loops->unary[op](operands.a, expected, COUNT);
      compare_forms(native, gives_truth(op) ? TN_NATIVE_PRED : native, &operands, 1,
                    threaded->unary[op], expected, true);
    }
    for (int op = 0; op < TN_BINARY_COUNT; ++op) {
      unsigned char expected[COUNT * 16] = {0};
      if (!threaded->binary[op]) continue;
      ++count;
      loops->binary[op](operands.a, operands.b, expected, COUNT);
      const tn_native_t pair = native == TN_NATIVE_F32 ? TN_NATIVE_C64 : TN_NATIVE_C128;
      const bool gives_pair = op == TN_BINARY_complex;
      compare_forms(native, gives_pair ? pair : native, &operands, 2, threaded->binary[op],
                    expected, !gives_pair);
    }
    for (int d = 0; d < TN_DIRECTION_COUNT; ++d) {
      unsigned char expected[COUNT * 16] = {0};
      loops->compare[d](operands.a, operands.b, expected, COUNT);
      compare_forms(native, TN_NATIVE_PRED, &operands, 2, threaded->compare[d], expected, true);
      assert_int_equal(!threaded->compare_total[d], !loops->compare_total[d]);
      if (!threaded->compare_total[d]) continue;
      loops->compare_total[d](operands.a, operands.b, expected, COUNT);
      compare_forms(native, TN_NATIVE_PRED, &operands, 2, threaded->compare_total[d], expected,
                    true);
    }
  }
  assert_true(count > 200);
}

// NaN becomes 0, what is too large the largest one: as the loops do it.
static void threaded_conversions_are_those_of_loops(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {
#define TN_NATIVE(NAME, name, type) TN_DTYPE_##NAME,
      TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
          TN_DTYPE_PRED};
  enum { DTYPES = sizeof dtypes / sizeof *dtypes };
  for (size_t pair = 0; pair < DTYPES * DTYPES; ++pair) {
    const tn_dtype_t from = dtypes[pair / DTYPES], to = dtypes[pair % DTYPES];
    unsigned char expected[COUNT * 16] = {0};
    operands_t operands;
    fill(tn__native(from), &operands);
    tn__native_conversion(from, to)(NULL, operands.a, expected, COUNT);
    compare_forms(tn__native(from), tn__native(to), &operands, 1, tn__threaded_conversion(from, to),
                  expected, true);
  }
  assert_null(tn__threaded_conversion(TN_DTYPE_C64, TN_DTYPE_F32));
  assert_null(tn__threaded_conversion(TN_DTYPE_F32, TN_DTYPE_BF16));
}

// The functions of vector_math.inc the ones that have fused multiply-add, everything else all.
static void every_instruction_set_computes_the_same(void** state) {
  (void)state;
  for (tn_isa_t isa = TN_ISA_BASE + 1; isa < TN_ISA_COUNT; ++isa) {
    for (tn_native_t native = 0; native < TN_NATIVE_COUNT; ++native) {
      const tn_loops_t* other = tn__loops_of(isa, native);
      if (!other) continue;
      compare_sets(native, tn__loops_of(TN_ISA_BASE, native), other, false);
      compare_sets(native, tn__loops_of(TN_ISA_BASE + 1, native), other, true);
    }
  }
}

// Whichever elements are compared first. A NaN is the one that comes first in the fold.
static void extremes_of_many_are_those_of_pairs(void** state) {
  (void)state;
  enum { MOST = 2100 };
  static float values[MOST];
  static const size_t counts[] = {33, 34, 47, 48, 49, 63, 64, 65, 1024, 1025, MOST};
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    const tn_loops_t* loops = tn__loops_of(isa, TN_NATIVE_F32);
    for (size_t k = 0; loops && k < 4 * sizeof counts / sizeof *counts; ++k) {
      const size_t count = counts[k / 4];
      const bool is_maximum = k % 2, has_nan = k % 4 > 1;
      const int op = is_maximum ? TN_BINARY_maximum : TN_BINARY_minimum;
      for (size_t i = 0; i < count; ++i) {
        static const float few[] = {-0.0f, 0.0f, -0.0f, 1e-42f, -1e-42f, INFINITY, -INFINITY};
        const float sign = is_maximum ? -1 : 1;
        values[i] = i % 3 ? sign * (float)(i * 7919 % 1013) : few[i / 3 % (i < count / 2 ? 3 : 7)];
      }
      const uint32_t bits = 0xFFC12345;
      if (has_nan) memcpy(&values[count * 5 / 7], &bits, sizeof bits);
      float wanted = values[0], got = values[0];
      for (size_t i = 1; i < count; ++i) loops->binary[op](&wanted, &values[i], &wanted, 1);
      loops->fold[op](&got, values + 1, count - 1);
      assert_memory_equal(&got, &wanted, sizeof got);
      if (has_nan) assert_memory_equal(&got, &bits, sizeof bits);
    }
  }
}

// Where all else is on the other side of 0: -0 is less than +0.
static void an_extreme_of_zero_has_its_sign(void** state) {
  (void)state;
  enum { VALUES = 100 };
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    const tn_loops_t* loops = tn__loops_of(isa, TN_NATIVE_F32);
    for (int k = 0; loops && k < 8; ++k) {
      const bool is_maximum = k & 1, has_negative = k & 2, has_positive = k & 4;
      if (!has_negative && !has_positive) continue;
      float values[VALUES], got;
      for (int i = 0; i < VALUES; ++i) values[i] = is_maximum ? -1.0f : 1.0f;
      if (has_negative) values[71] = -0.0f;
      if (has_positive) values[38] = 0.0f;
      got = values[0];
      loops->fold[is_maximum ? TN_BINARY_maximum : TN_BINARY_minimum](&got, values + 1, VALUES - 1);
      const float wanted = (is_maximum ? has_positive : !has_negative) ? 0.0f : -0.0f;
      assert_memory_equal(&got, &wanted, sizeof got);
    }
  }
}

static void integers_of_32_bits_divide_exactly(void** state) {
  (void)state;
  static const uint32_t edges[] = {0,          1,          2,          3,          7,
                                   65535,      65536,      65537,      0x7FFFFFFE, 0x7FFFFFFF,
                                   0x80000000, 0x80000001, 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF};
  enum { EDGES = sizeof edges / sizeof *edges, RANDOM = 400, PAIRS = EDGES * EDGES + RANDOM };
  static uint32_t a[PAIRS], b[PAIRS], quotients[PAIRS], rests[PAIRS];
  uint64_t random = 3;
  for (size_t i = 0; i < PAIRS; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    a[i] = i < EDGES * EDGES ? edges[i / EDGES] : (uint32_t)(random >> 32);
    b[i] = i < EDGES * EDGES ? edges[i % EDGES] : (uint32_t)(random >> 33) >> i % 31;
  }
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    for (int is_signed = 0; is_signed < 2; ++is_signed) {
      const tn_loops_t* loops = tn__loops_of(isa, is_signed ? TN_NATIVE_S32 : TN_NATIVE_U32);
      if (!loops) continue;
      loops->binary[TN_BINARY_divide](a, b, quotients, PAIRS);
      loops->binary[TN_BINARY_remainder](a, b, rests, PAIRS);
      for (size_t i = 0; i < PAIRS; ++i) {
        const int64_t x = is_signed ? (int32_t)a[i] : (int64_t)a[i];
        const int64_t y = is_signed ? (int32_t)b[i] : (int64_t)b[i];
        assert_int_equal(quotients[i], (uint32_t)(y ? x / y : -1));
        assert_int_equal(rests[i], (uint32_t)(y ? x % y : x));
      }
    }
  }
}

// Of every element, in the place of an array of it.
static void compare_repeating(tn_native_t native, tn_binary_fn loop, tn_binary_fn repeating,
                              int side) {
  const size_t size = size_of(native);
  operands_t operands;
  fill(native, &operands);
  for (size_t k = 0; k < COUNT; ++k) {
    operands_t filled = operands;
    unsigned char x[COUNT * 16] = {0}, y[COUNT * 16] = {0};
    unsigned char* side_of = side == TN_LEFT_REPEATED ? filled.a : filled.b;
    const unsigned char* repeated = (side == TN_LEFT_REPEATED ? operands.a : operands.b) + k * size;
    for (size_t i = 0; i < COUNT; ++i) memcpy(side_of + i * size, repeated, size);
    loop(filled.a, filled.b, x, COUNT - k);
    repeating(side == TN_LEFT_REPEATED ? repeated : operands.a,
              side == TN_LEFT_REPEATED ? operands.b : repeated, y, COUNT - k);
    assert_same(native, x, y, sizeof x);
  }
}

static void one_element_can_stand_for_all(void** state) {
  (void)state;
  size_t count = 0;
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    for (tn_native_t native = 0; native < TN_NATIVE_COUNT; ++native) {
      const tn_loops_t* loops = tn__loops_of(isa, native);
      for (int op = 0; loops && op < TN_BINARY_COUNT; ++op) {
        for (int side = 0; side < TN_SIDE_COUNT; ++side) {
          if (!loops->repeating[side][op]) continue;
          assert_non_null(loops->binary[op]);
          if (loops->binary[op] == loops->binary[TN_BINARY_complex]) continue;  // gives pairs
          compare_repeating(native, loops->binary[op], loops->repeating[side][op], side);
          ++count;
        }
      }
      for (int d = 0; loops && d < TN_DIRECTION_COUNT; ++d) {
        if (!loops->compare_to_one[d]) continue;
        compare_repeating(native, loops->compare[d], loops->compare_to_one[d], TN_RIGHT_REPEATED);
        if (loops->compare_total[d]) {
          compare_repeating(native, loops->compare_total[d], loops->compare_total_to_one[d],
                            TN_RIGHT_REPEATED);
        }
        ++count;
      }
    }
  }
  assert_true(count >= 100);
}

static void squares_are_folded_in_the_order_of_what_they_are(void** state) {
  (void)state;
  enum { MOST = 5000 };
  static const size_t counts[] = {1, 2, 32, 33, 34, 64, 65, 100, 1024, 1025, 1026, 3000, MOST};
  static float x[MOST], squares[MOST];
  static double wide[MOST], wide_squares[MOST];
  uint64_t random = 5;
  for (size_t i = 0; i < MOST; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    wide[i] = (double)(int32_t)(random >> 32) * 0x1p-31;
    x[i] = (float)wide[i];
    squares[i] = x[i] * x[i];
    wide_squares[i] = wide[i] * wide[i];
  }
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    const tn_loops_t *f32 = tn__loops_of(isa, TN_NATIVE_F32),
                     *f64 = tn__loops_of(isa, TN_NATIVE_F64);
    for (size_t i = 0; f32 && i < sizeof counts / sizeof *counts; ++i) {
      float got = 0, wanted = squares[0];
      double wide_got = 0, wide_wanted = wide_squares[0];
      f32->fold_squares(&got, x, counts[i]);
      f32->fold[TN_BINARY_add](&wanted, squares + 1, counts[i] - 1);
      f64->fold_squares(&wide_got, wide, counts[i]);
      f64->fold[TN_BINARY_add](&wide_wanted, wide_squares + 1, counts[i] - 1);
      assert_memory_equal(&got, &wanted, sizeof got);
      assert_memory_equal(&wide_got, &wide_wanted, sizeof wide_got);
    }
  }
}

static void the_best_set_that_the_processor_has_is_taken(void** state) {
  (void)state;
  tn_isa_t best = TN_ISA_COUNT - 1;
  while (!tn__loops_of(best, TN_NATIVE_F32)) --best;
  assert_ptr_equal(tn__loops(TN_NATIVE_F32), tn__loops_of(best, TN_NATIVE_F32));
  while (!tn__loops_of(best, TN_NATIVE_S64)) --best;
  assert_ptr_equal(tn__loops(TN_NATIVE_S64), tn__loops_of(best, TN_NATIVE_S64));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threaded_code_computes_what_loops_do),
      cmocka_unit_test(threaded_conversions_are_those_of_loops),
      cmocka_unit_test(every_instruction_set_computes_the_same),
      cmocka_unit_test(extremes_of_many_are_those_of_pairs),
      cmocka_unit_test(an_extreme_of_zero_has_its_sign),
      cmocka_unit_test(integers_of_32_bits_divide_exactly),
      cmocka_unit_test(one_element_can_stand_for_all),
      cmocka_unit_test(squares_are_folded_in_the_order_of_what_they_are),
      cmocka_unit_test(the_best_set_that_the_processor_has_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
