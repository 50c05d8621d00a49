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
    bool is_truth = op == TN_UNARY_is_finite || op == TN_UNARY_is_inf ||
                    op == TN_UNARY_is_neg_inf || op == TN_UNARY_is_pos_inf;
    assert_same(is_truth ? TN_NATIVE_PRED : native, x, y, sizeof x);
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
      cmocka_unit_test(every_instruction_set_computes_the_same),
      cmocka_unit_test(the_best_set_that_the_processor_has_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
