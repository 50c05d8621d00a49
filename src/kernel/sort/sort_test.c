// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "kernel/testing_kernel.h"

static uint64_t seed = 5;
static uint32_t next(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 32);
}

static const tn_sort_key_t ascending = {.operand = 0};
static const tn_sort_key_t descending = {.operand = 0, .descending = true};
static const tn_sort_key_t canonical = {.operand = 0, .is_canonical = true};

static void begin_sort(tn_case_t* c, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                       const void* data, int64_t dimension, const tn_sort_key_t* key) {
  tn__case_begin(c, "stablehlo.sort");
  tn__case_operand(c, dtype, rank, dims, data);
  tn__case_result(c, dtype, rank, dims);
  tn__case_integer(c, "dimension", dimension);
  if (key) tn__case_order_body(c, 1, key);
}

// --- known orders

static void sort_orders_every_kind_of_number(void** state) {
  (void)state;
  tn_case_t c;
  begin_sort(&c, TN_DTYPE_S8, TN_DIMS(4), (int8_t[]){3, -128, 127, -1}, 0, &ascending);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int8_t, -128, -1, 3, 127);
  tn__case_end(&c);
  begin_sort(&c, TN_DTYPE_S4, TN_DIMS(4), (int8_t[]){3, -8, 7, -1}, 0, &descending);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int8_t, 7, 3, -1, -8);
  tn__case_end(&c);
  begin_sort(&c, TN_DTYPE_U64, TN_DIMS(3), (uint64_t[]){UINT64_MAX, 0, 1u << 31}, -1, &ascending);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint64_t, 0, 1u << 31, UINT64_MAX);
  tn__case_end(&c);
  begin_sort(&c, TN_DTYPE_PRED, TN_DIMS(3), (uint8_t[]){1, 0, 1}, 0, &ascending);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint8_t, 0, 1, 1);
  tn__case_end(&c);
  begin_sort(&c, TN_DTYPE_F64, TN_DIMS(4), (double[]){1.5, -INFINITY, -2.5, INFINITY}, 0,
             &descending);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, double, INFINITY, 1.5, -2.5, -INFINITY);
  tn__case_end(&c);
}

static void total_order_separates_zeros_and_nans(void** state) {
  (void)state;
  const uint32_t bits[] = {0x7FC00000, 0, 0x80000000, 0xFFC00000, 0x3F800000, 0xFF800000};
  tn_case_t c;
  begin_sort(&c, TN_DTYPE_F32, TN_DIMS(6), bits, 0, &ascending);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint32_t, 0xFFC00000, 0xFF800000, 0x80000000, 0, 0x3F800000, 0x7FC00000);
  tn__case_end(&c);
}

static void the_nan_without_a_sign_follows_all_numbers(void** state) {
  (void)state;
  // NaN, 240, -240, 0, and the smallest numbers of both signs.
  const uint8_t bits[] = {0x80, 0x7F, 0xFF, 0x00, 0x01, 0x81};
  const tn_sort_key_t* orders[] = {&ascending, &canonical};
  tn_case_t c;
  for (size_t i = 0; i < 2; ++i) {
    begin_sort(&c, TN_DTYPE_F8E4M3FNUZ, TN_DIMS(6), bits, 0, orders[i]);
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, uint8_t, 0xFF, 0x81, 0x00, 0x01, 0x7F, 0x80);
    tn__case_end(&c);
  }
  begin_sort(&c, TN_DTYPE_F8E4M3FNUZ, TN_DIMS(6), bits, 0, &descending);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint8_t, 0x80, 0x7F, 0x01, 0x00, 0x81, 0xFF);
  tn__case_end(&c);
}

static void canonical_order_keeps_equal_zeros_and_nans_in_place(void** state) {
  (void)state;
  const uint32_t bits[] = {0xFFC00001, 0, 0x80000000, 0x7FC00000, 0xBF800000, 0};
  tn_case_t c;
  begin_sort(&c, TN_DTYPE_F32, TN_DIMS(6), bits, 0, &canonical);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint32_t, 0xBF800000, 0, 0x80000000, 0, 0xFFC00001, 0x7FC00000);
  tn__case_end(&c);
}

static int compare_s64(const void* a, const void* b) {
  const int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return (x > y) - (x < y);
}

static void long_lines_are_sorted(void** state) {
  (void)state;
  enum { COUNT = 20011 };
  int64_t *values = malloc(COUNT * 8), *wanted = malloc(COUNT * 8);
  // All 64 bits, and then values that share most digits.
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < COUNT; ++i) {
      values[i] =
          round ? (int64_t)(next() % 1000) - 500 : (int64_t)((uint64_t)next() << 32 | next());
    }
    memcpy(wanted, values, COUNT * 8);
    qsort(wanted, COUNT, 8, compare_s64);
    tn_case_t c;
    begin_sort(&c, TN_DTYPE_S64, TN_DIMS(COUNT), values, 0, &ascending);
    TN_ASSERT_OK(tn__case_run(&c));
    assert_memory_equal(c.results[0], wanted, COUNT * 8);
    tn__case_end(&c);
  }
  free(values), free(wanted);
}

// --- every dtype and order, short and long, against a stable sort of the C library

typedef struct tagged {
  uint64_t key;  // by the dtype's order
  int64_t index;
} tagged_t;

static int compare_tagged(const void* a, const void* b) {
  const tagged_t *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static uint64_t bits_at(const unsigned char* data, size_t size, int64_t index) {
  uint64_t bits = 0;
  memcpy(&bits, data + (size_t)index * size, size);
  return bits;
}

// The order of an element of 32 or 64 bits as a number, computed as the specification words it.
static uint64_t order_of(tn_dtype_t dtype, const tn_sort_key_t* key, uint64_t bits) {
  const size_t size = tn_dtype_byte_size(dtype);
  const uint64_t sign = UINT64_C(1) << (8 * size - 1), all = sign | (sign - 1);
  const uint64_t infinity = size == 8 ? UINT64_C(0x7FF) << 52 : UINT64_C(0xFF) << 23;
  uint64_t order = bits;
  if (tn_dtype_kind(dtype) == TN_KIND_SIGNED) order ^= sign;
  if (tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
    if (key->is_canonical && (bits & ~sign) > infinity) bits = sign - 1;
    if (key->is_canonical && bits == sign) bits = 0;
    order = bits & sign ? all - bits : bits + sign;
  }
  return key->descending ? all - order : order;
}

// Zeros of both signs and several NaNs among others, if it says so.
static unsigned char* random_elements(tn_dtype_t dtype, int64_t count, bool has_specials) {
  static const float specials[] = {0.0f, -0.0f, NAN, -NAN, INFINITY, -INFINITY};
  const size_t size = tn_dtype_byte_size(dtype);
  unsigned char* data = malloc((size_t)count * size);
  assert_non_null(data);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = (uint64_t)next() << 32 | next();
    const float narrow = has_specials && i % 7 == 0 ? specials[next() % 6] : (float)(int)next();
    const double wide = (double)narrow;
    const bool is_float = tn_dtype_kind(dtype) == TN_KIND_FLOAT;
    const void* element = !is_float ? (const void*)&bits : size == 4 ? (const void*)&narrow : &wide;
    memcpy(data + (size_t)i * size, element, size);
  }
  return data;
}

static void expect_order(tn_dtype_t dtype, const tn_sort_key_t* key, int64_t count,
                         bool has_specials, bool has_indices) {
  const size_t size = tn_dtype_byte_size(dtype);
  unsigned char* data = random_elements(dtype, count, has_specials);
  tagged_t* wanted = malloc((size_t)count * sizeof *wanted);
  int32_t* indices = malloc((size_t)count * sizeof *indices);
  for (int64_t i = 0; i < count; ++i) {
    indices[i] = (int32_t)i;
    wanted[i] = (tagged_t){order_of(dtype, key, bits_at(data, size, i)), i};
  }
  qsort(wanted, (size_t)count, sizeof *wanted, compare_tagged);
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.sort");
  tn__case_operand(&c, dtype, TN_DIMS(count), data);
  if (has_indices) tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(count), indices);
  tn__case_result(&c, dtype, TN_DIMS(count));
  if (has_indices) tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(count));
  tn__case_integer(&c, "dimension", 0);
  tn__case_order_body(&c, 1, key);
  TN_ASSERT_OK(
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &c.pool));
  TN_ASSERT_OK(tn__case_run(&c));
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t got = bits_at(c.results[0], size, i);
    if (got != bits_at(data, size, wanted[i].index) ||
        (has_indices && ((int32_t*)c.results[1])[i] != wanted[i].index)) {
      fail_msg("%s, %d elements: element %d", tn_dtype_name(dtype), (int)count, (int)i);
    }
  }
  tn__pool_release(c.pool);
  tn__case_end(&c);
  free(data), free(wanted), free(indices);
}

static void every_order_of_wide_elements_is_kept(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_S32,
                                      TN_DTYPE_U32, TN_DTYPE_S64, TN_DTYPE_U64};
  static const int64_t counts[] = {2, 100, 1025, 1 << 15, 40001};
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
      for (int form = 0; form < 16; ++form) {
        const tn_sort_key_t key = {.descending = form & 1, .is_canonical = form & 2};
        expect_order(dtypes[d], &key, counts[k], form & 4, form & 8);
      }
    }
  }
}

static void lines_of_any_dimension_are_sorted(void** state) {
  (void)state;
  enum { A = 7, LENGTH = 50, B = 11 };
  int16_t data[A * LENGTH * B];
  for (int i = 0; i < A * LENGTH * B; ++i) data[i] = (int16_t)next();
  tn_case_t c;
  begin_sort(&c, TN_DTYPE_S16, TN_DIMS(A, LENGTH, B), data, 1, &ascending);
  TN_ASSERT_OK(tn__pool_create(NULL, tn_allocator_system(), &c.pool));
  TN_ASSERT_OK(tn__case_run(&c));
  const int16_t* got = c.results[0];
  for (int a = 0; a < A; ++a) {
    for (int b = 0; b < B; ++b) {
      int sum = 0;
      for (int i = 0; i < LENGTH; ++i) {
        const int at = (a * LENGTH + i) * B + b;
        if (i) assert_true(got[at - B] <= got[at]);
        sum += got[at] - data[at];
      }
      assert_int_equal(sum, 0);
    }
  }
  tn__pool_release(c.pool);
  tn__case_end(&c);
}

// --- several operands

static void sort_is_stable_and_moves_all_operands(void** state) {
  (void)state;
  // Narrow and wide keys, short and long lines.
  static const tn_dtype_t dtypes[] = {TN_DTYPE_S32, TN_DTYPE_S64};
  static const int64_t counts[] = {40, 5000};
  for (int d = 0; d < 2; ++d) {
    for (int n = 0; n < 2; ++n) {
      const int64_t count = counts[n];
      int64_t wide[5000];
      int32_t narrow[5000], index[5000];
      for (int i = 0; i < count; ++i) {
        wide[i] = narrow[i] = (int32_t)(next() % 30) - 15;
        index[i] = i;
      }
      tn_case_t c;
      begin_sort(&c, dtypes[d], TN_DIMS(count), d ? (void*)wide : (void*)narrow, 0, &ascending);
      tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(count), index);
      tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(count));
      TN_ASSERT_OK(tn__case_run(&c));
      const int32_t* order = c.results[1];
      for (int i = 0; i < count; ++i) {
        const int64_t key = d ? ((int64_t*)c.results[0])[i] : ((int32_t*)c.results[0])[i];
        assert_int_equal(key, narrow[order[i]]);
        if (i == 0) continue;
        const int32_t before = narrow[order[i - 1]];
        assert_true(before < key || (before == key && order[i - 1] < order[i]));
      }
      tn__case_end(&c);
    }
  }
}

static void sort_by_several_keys_is_lexicographic(void** state) {
  (void)state;
  const tn_sort_key_t keys[] = {{.operand = 1, .descending = true}, {.operand = 0}};
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.sort");
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(5), (int32_t[]){3, 1, 2, 5, 4});
  tn__case_operand(&c, TN_DTYPE_S64, TN_DIMS(5), (int64_t[]){1, 2, 1, 2, 0});
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(5));
  tn__case_result(&c, TN_DTYPE_S64, TN_DIMS(5));
  tn__case_order_body(&c, 2, keys);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 1, 5, 2, 3, 4);
  assert_memory_equal(c.results[1], ((int64_t[]){2, 2, 1, 1, 0}), 40);
  tn__case_end(&c);
}

// --- comparators

static int32_t arguments_a[2], arguments_b[2];
static uint8_t is_before;
static int runs;

// By the distance from 10.
static tn_status_t run_comparator(const tn_body_t* body) {
  (void)body;
  ++runs;
  is_before = abs(arguments_a[0] - 10) < abs(arguments_a[1] - 10);
  return TN_OK;
}
static tn_status_t fail_to_compare(const tn_body_t* body) {
  (void)body;
  return tn_status_create(TN_CODE_ABORTED, "no order");
}

static tn_status_t run_unknown(int32_t* out, tn_status_t (*run)(const tn_body_t* body)) {
  enum { COUNT = 300 };
  int32_t values[COUNT], index[COUNT];
  for (int i = 0; i < COUNT; ++i) values[i] = (int32_t)(next() % 40), index[i] = i;
  tn_case_t c;
  begin_sort(&c, TN_DTYPE_S32, TN_DIMS(COUNT), values, 0, NULL);
  tn__case_operand(&c, TN_DTYPE_S32, TN_DIMS(COUNT), index);
  tn__case_result(&c, TN_DTYPE_S32, TN_DIMS(COUNT));
  void* arguments[] = {&arguments_a[0], &arguments_a[1], &arguments_b[0], &arguments_b[1]};
  void* results[] = {&is_before};
  tn__case_callback_body(&c, arguments, results, run);
  tn_status_t status = tn__case_run(&c);
  for (int i = 0; !status && i < COUNT; ++i) {
    const int32_t *value = c.results[0], *order = c.results[1];
    out[i] = abs(value[i] - 10);
    assert_int_equal(value[i], values[order[i]]);
    if (i && out[i - 1] == out[i]) assert_true(order[i - 1] < order[i]);
  }
  tn__case_end(&c);
  return status;
}

static void unknown_comparators_are_run(void** state) {
  (void)state;
  int32_t distances[300];
  runs = 0;
  TN_ASSERT_OK(run_unknown(distances, run_comparator));
  for (int i = 1; i < 300; ++i) assert_true(distances[i - 1] <= distances[i]);
  assert_true(runs < 300 * 9);  // n log2 n
}

static void errors_of_a_comparator_end_the_sort(void** state) {
  (void)state;
  int32_t distances[300];
  TN_ASSERT_CODE(ABORTED, run_unknown(distances, fail_to_compare));
}

static void lines_of_one_element_are_copied(void** state) {
  (void)state;
  tn_case_t c;
  begin_sort(&c, TN_DTYPE_S32, TN_DIMS(3, 1), (int32_t[]){3, 2, 1}, 1, NULL);
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, int32_t, 3, 2, 1);
  tn__case_end(&c);
  begin_sort(&c, TN_DTYPE_S32, TN_DIMS(3, 0), NULL, 0, &ascending);
  TN_ASSERT_OK(tn__case_run(&c));
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sort_orders_every_kind_of_number),
      cmocka_unit_test(total_order_separates_zeros_and_nans),
      cmocka_unit_test(the_nan_without_a_sign_follows_all_numbers),
      cmocka_unit_test(canonical_order_keeps_equal_zeros_and_nans_in_place),
      cmocka_unit_test(long_lines_are_sorted),
      cmocka_unit_test(every_order_of_wide_elements_is_kept),
      cmocka_unit_test(lines_of_any_dimension_are_sorted),
      cmocka_unit_test(sort_is_stable_and_moves_all_operands),
      cmocka_unit_test(sort_by_several_keys_is_lexicographic),
      cmocka_unit_test(unknown_comparators_are_run),
      cmocka_unit_test(errors_of_a_comparator_end_the_sort),
      cmocka_unit_test(lines_of_one_element_are_copied),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
