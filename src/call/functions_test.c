// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What tn_map computes, with Tenon's table and with one that has no functions.
#include "call/functions.h"

#include <math.h>
#include <stdlib.h>

#include "call/api.h"
#include "call/testing_functions.h"
#include "call/testing_host.h"
#include "kernel/common/element.h"
#include "kernel/testing_kernel.h"

// Longer than a chunk of what is converted.
enum { COUNT = 1500, GUARD = 0x5C };

static const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_F16, TN_DTYPE_BF16};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

// One function of one dtype: operands, and what the operation's kernel gives for them.
typedef struct sample {
  tn_testing_map_fn map;
  bool is_binary;
  tn_dtype_t dtype;
  size_t size;
  double x[COUNT], y[COUNT], expected[COUNT], out[COUNT + 2];  // of any dtype
} sample_t;

static const void* place(const double* elements, const sample_t* sample, size_t index) {
  return (const char*)elements + index * sample->size;
}

static double number(const sample_t* sample, const void* elements, size_t index) {
  double value;
  const void* at = (const char*)elements + index * sample->size;
  tn__convert_elements(sample->dtype, at, TN_DTYPE_F64, &value, 1);
  return value;
}

// Numbers of all sizes, and what is special; most of them in the domain of most functions.
static void fill(sample_t* sample, double* elements, uint64_t seed) {
  static const double special[] = {0,  -0.0, 1,   -1,   INFINITY, -INFINITY, NAN, 0.5,
                                   -2, 3,    100, -100, 1e-3,     1e-40,     710, -750};
  enum { SPECIAL_COUNT = sizeof special / sizeof *special };
  double numbers[COUNT];
  const bool is_second = seed % 2;
  for (size_t i = 0; i < COUNT; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double unit = (double)(seed >> 11) * 0x1p-53;
    numbers[i] = i % 3 == 0 ? unit : i % 3 == 1 ? 2 * unit - 1 : (unit - 0.5) * 40;
  }
  // So that pairs of two operands, whose seeds differ, are all there.
  for (size_t i = 0; i < 256; ++i) {
    numbers[i] = special[is_second ? i % SPECIAL_COUNT : i / SPECIAL_COUNT];
  }
  tn__convert_elements(TN_DTYPE_F64, numbers, sample->dtype, elements, COUNT);
}

static void run_kernel(sample_t* sample, const char* operation) {
  tn_case_t c;
  char name[64];
  snprintf(name, sizeof name, "stablehlo.%s", operation);
  if (!tn__op_find(tn__sv(name))) snprintf(name, sizeof name, "chlo.%s", operation);
  tn__case_begin(&c, name);
  tn__case_operand(&c, sample->dtype, TN_DIMS(COUNT), sample->x);
  if (sample->is_binary) tn__case_operand(&c, sample->dtype, TN_DIMS(COUNT), sample->y);
  tn__case_result(&c, sample->dtype, TN_DIMS(COUNT));
  TN_ASSERT_OK(tn__case_run(&c));
  memcpy(sample->expected, c.results[0], COUNT * sample->size);
  tn__case_end(&c);
}

// The same test for each function of each dtype.
static void for_each(void (*test)(sample_t* sample)) {
  static sample_t sample;
  for (size_t f = 0; f < tn__testing_function_count; ++f) {
    const tn_testing_function_t* function = &tn__testing_functions[f];
    const tn_testing_map_fn maps[DTYPE_COUNT] = {function->f32, function->f64, function->f16,
                                                 function->bf16};
    for (size_t d = 0; d < DTYPE_COUNT; ++d) {
      sample.map = maps[d];
      sample.is_binary = function->is_binary;
      sample.dtype = dtypes[d];
      sample.size = tn_dtype_byte_size(dtypes[d]);
      fill(&sample, sample.x, 2 * f);
      fill(&sample, sample.y, 2 * f + 1);
      run_kernel(&sample, function->operation);
      test(&sample);
    }
  }
}

// --- with Tenon's table

// `count` elements from `begin`, written behind `shift` elements of `out`; nothing else is.
static void check_range(sample_t* sample, size_t begin, size_t count, size_t shift) {
  char* out = (char*)sample->out;
  const size_t length = count * sample->size, before = shift * sample->size;
  memset(out, GUARD, sizeof sample->out);
  sample->map(tn__call_api(), (int64_t)count, place(sample->x, sample, begin),
              place(sample->y, sample, begin), out + before);
  assert_memory_equal(out + before, place(sample->expected, sample, begin), length);
  for (size_t i = 0; i < before; ++i) assert_int_equal(out[i], GUARD);
  assert_int_equal(out[before + length], GUARD);
}

static void check_ranges(sample_t* sample) {
  for (size_t count = 0; count <= 67; ++count) {
    for (size_t begin = 0; begin < 4; ++begin) check_range(sample, begin, count, begin % 2);
  }
  check_range(sample, 0, COUNT, 0);
  check_range(sample, 1, COUNT - 1, 0);
  check_range(sample, 256, COUNT - 256, 1);
}

static void results_are_those_of_the_operation_bit_for_bit(void** state) {
  (void)state;
  for_each(check_ranges);
}

static void check_in_place(sample_t* sample) {
  const size_t length = COUNT * sample->size;
  memcpy(sample->out, sample->x, length);
  sample->map(tn__call_api(), COUNT, sample->out, sample->y, sample->out);
  assert_memory_equal(sample->out, sample->expected, length);
  if (!sample->is_binary) return;
  memcpy(sample->out, sample->y, length);
  sample->map(tn__call_api(), COUNT, sample->x, sample->out, sample->out);
  assert_memory_equal(sample->out, sample->expected, length);
}

static void results_may_replace_an_operand(void** state) {
  (void)state;
  for_each(check_in_place);
}

static void what_is_not_known_is_not_computed(void** state) {
  (void)state;
  float x = 1, out = 5;
  assert_int_equal(tn__call_functions.map(-1, TN_FFI_F32, 1, &x, NULL, &out), 0);
  assert_int_equal(tn__call_functions.map(TN__UNARY_FUNCTION_COUNT, TN_FFI_F32, 1, &x, NULL, &out),
                   0);
  assert_int_equal(tn__call_functions.map(TN__BINARY_FUNCTION_COUNT, TN_FFI_F32, 1, &x, &x, &out),
                   0);
  assert_int_equal(tn__call_functions.map(0, TN_FFI_S32, 1, &x, NULL, &out), 0);
  assert_int_equal(tn__call_functions.map(0, TN_FFI_C64, 1, &x, NULL, &out), 0);
  assert_int_equal(tn__call_functions.map(0, 99, 1, &x, NULL, &out), 0);
  assert_true(out == 5);
  tn__testing_functions[0].f32(tn__call_api(), -3, &x, NULL, &out);
  assert_true(out == 5);
}

// --- without

// As exact as C's functions are, which the operation is close to.
static void check_fallback(sample_t* sample) {
  tn_testing_host_t host;
  tn__testing_host_init(&host);
  sample->map(&host.api, COUNT, sample->x, sample->y, sample->out);
  const int digits = sample->dtype == TN_DTYPE_F64   ? 53
                     : sample->dtype == TN_DTYPE_F32 ? 24
                     : sample->dtype == TN_DTYPE_F16 ? 11
                                                     : 8;
  const double least = sample->dtype == TN_DTYPE_F64   ? 0x1p-1074
                       : sample->dtype == TN_DTYPE_F16 ? 0x1p-24
                       : sample->dtype == TN_DTYPE_F32 ? 0x1p-149
                                                       : 0x1p-133;
  for (size_t i = 0; i < COUNT; ++i) {
    const double expected = number(sample, sample->expected, i),
                 found = number(sample, sample->out, i);
    if (isnan(expected) ? isnan(found) : expected == found) continue;
    const double ulp = fmax(ldexp(fabs(expected), 1 - digits), least);
    if (!(fabs(expected - found) <= 4 * ulp)) {
      fail_msg("of %g, %g: expected %.17g, found %.17g", number(sample, sample->x, i),
               number(sample, sample->y, i), expected, found);
    }
  }
  tn__testing_host_deinit(&host);
}

static void hosts_without_functions_get_those_of_C(void** state) {
  (void)state;
  for_each(check_fallback);
}

// An extension of another kind, and one of ours that ends before its function.
static void other_extensions_are_passed_over(void** state) {
  (void)state;
  tn_ffi_extension_t ours = {TN_FFI_EXTENSION_SIZE, TN_FFI_MAP, NULL};
  tn_ffi_extension_t another = {TN_FFI_EXTENSION_SIZE, 7, &ours};
  tn_testing_host_t host;
  tn__testing_host_init(&host);
  host.api.extension_start = &another;
  float x = 4, out = 0;
  for (size_t f = 0; f < tn__testing_function_count; ++f) {
    if (!strcmp(tn__testing_functions[f].operation, "sqrt")) {
      tn__testing_functions[f].f32(&host.api, 1, &x, NULL, &out);
    }
  }
  assert_true(out == 2);
  tn__testing_host_deinit(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_those_of_the_operation_bit_for_bit),
      cmocka_unit_test(results_may_replace_an_operand),
      cmocka_unit_test(what_is_not_known_is_not_computed),
      cmocka_unit_test(hosts_without_functions_get_those_of_C),
      cmocka_unit_test(other_extensions_are_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
