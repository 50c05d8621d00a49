// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The library against our own kernel, which computes in f64 and c128 whatever the element type.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "kernel/common/element.h"
#include "kernel/lib/openblas.h"
#include "kernel/testing_kernel.h"

typedef double _Complex complex_t;

static uint64_t seed = 11;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 40) / 16777216.0 - 0.5;
}

static const struct {
  tn_dtype_t dtype;
  bool is_complex;
  double epsilon;
} fields[] = {{TN_DTYPE_F32, false, 0x1p-23},
              {TN_DTYPE_F64, false, 0x1p-52},
              {TN_DTYPE_C64, true, 0x1p-23},
              {TN_DTYPE_C128, true, 0x1p-52}};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static complex_t number(size_t field) {
  const double re = uniform();
  return fields[field].is_complex ? re + uniform() * I : re;
}

static void compare(size_t field, const tn_case_t* got, const tn_case_t* wanted, double scale,
                    const char* what) {
  const int64_t count = tn__type_size(got->result_types[0]);
  complex_t* a = malloc((size_t)count * sizeof *a + 1);
  complex_t* b = malloc((size_t)count * sizeof *b + 1);
  tn__convert_elements(fields[field].dtype, got->results[0], TN_DTYPE_C128, a, (size_t)count);
  tn__convert_elements(fields[field].dtype, wanted->results[0], TN_DTYPE_C128, b, (size_t)count);
  for (int64_t i = 0; i < count; ++i) {
    const double error = cabs(a[i] - b[i]);
    if (!(error <= scale * fields[field].epsilon)) {
      fail_msg("%s, field %zu, element %d: off by %g", what, field, (int)i, error);
    }
  }
  free(a), free(b);
}

static void run_cholesky(size_t field, int64_t batch, int64_t order, bool lower, const void* data,
                         bool may_use_libraries, tn_pool_t* pool, bool in_place, tn_case_t* c) {
  tn__case_begin(c, "stablehlo.cholesky");
  c->may_use_libraries = may_use_libraries;
  c->pool = pool;
  c->in_place = in_place;
  tn__case_operand(c, fields[field].dtype, TN_DIMS(batch, order, order), data);
  tn__case_bool(c, "lower", lower);
  tn__case_result(c, fields[field].dtype, TN_DIMS(batch, order, order));
  TN_ASSERT_OK(tn__case_run(c));
  assert_string_equal(c->kernel->name, may_use_libraries ? "openblas.cholesky" : "cpu.cholesky");
}

// The matrices are well away from singular: sqrt(order) on the diagonal at least.
static void check_cholesky(size_t field, int64_t batch, int64_t order, bool lower,
                           tn_pool_t* pool) {
  const size_t count = (size_t)(batch * order * order),
               size = tn_dtype_byte_size(fields[field].dtype);
  complex_t* a = malloc(count * sizeof *a);
  for (int64_t m = 0; m < batch; ++m) {
    complex_t* matrix = a + m * order * order;
    for (int64_t i = 0; i < order; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const complex_t value = i == j ? (double)order + uniform() : number(field);
        // The triangle that is not read is no part of the matrix.
        matrix[i * order + j] = lower || i == j ? value : NAN;
        matrix[j * order + i] = !lower || i == j ? conj(value) : NAN;
      }
    }
  }
  void* data = malloc(count * size);
  tn__convert_elements(TN_DTYPE_C128, a, fields[field].dtype, data, count);
  tn_case_t got, wanted, pooled;
  run_cholesky(field, batch, order, lower, data, true, NULL, false, &got);
  run_cholesky(field, batch, order, lower, data, false, NULL, false, &wanted);
  run_cholesky(field, batch, order, lower, data, true, pool, true, &pooled);
  compare(field, &got, &wanted, 4 * sqrt((double)order), lower ? "lower" : "upper");
  assert_memory_equal(got.results[0], pooled.results[0], count * size);
  tn__case_end(&got), tn__case_end(&wanted), tn__case_end(&pooled);
  free(a), free(data);
}

static void openblas_factors_are_the_references(void** state) {
  static const int64_t orders[] = {24, 25, 33, 130, 383, 384, 401};
  for (size_t f = 0; f < FIELD_COUNT; ++f) {
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
      check_cholesky(f, orders[i] < 100 ? 5 : 1, orders[i], i & 1, *state);
      if (orders[i] < 200 || f == 3) check_cholesky(f, 1, orders[i], !(i & 1), *state);
    }
  }
}

static void openblas_says_nan_of_indefinite_matrices(void** state) {
  for (int64_t order = 30; order < 600; order += 480) {
    const size_t count = (size_t)(order * order);
    double* a = calloc(count, sizeof *a);
    for (int64_t i = 0; i < order; ++i) a[i * order + i] = i == order - 2 ? -1 : 2;
    tn_case_t c;
    run_cholesky(1, 1, order, order < 100, a, true, *state, false, &c);
    const double* got = c.results[0];
    for (int64_t i = 0; i < order; ++i) {
      for (int64_t j = 0; j < order; ++j) {
        const bool is_factor = order < 100 ? j <= i : j >= i;
        assert_true(is_factor ? isnan(got[i * order + j]) : got[i * order + j] == 0);
      }
    }
    tn__case_end(&c);
    free(a);
  }
}

static const char* const transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

static void run_solve(size_t field, int64_t order, int64_t others, unsigned flags, const void* a,
                      const void* b, bool may_use_libraries, tn_pool_t* pool, tn_case_t* c) {
  enum { BATCH = 2 };
  const bool left = flags & 1;
  tn__case_begin(c, "stablehlo.triangular_solve");
  c->may_use_libraries = may_use_libraries;
  c->pool = pool;
  tn__case_operand(c, fields[field].dtype, TN_DIMS(BATCH, order, order), a);
  tn__case_operand(c, fields[field].dtype,
                   TN_DIMS(BATCH, left ? order : others, left ? others : order), b);
  tn__case_bool(c, "left_side", left);
  tn__case_bool(c, "lower", flags & 2);
  tn__case_bool(c, "unit_diagonal", flags & 4);
  tn__case_enum(c, "transpose_a", "transpose", transposes[flags >> 3]);
  tn__case_result(c, fields[field].dtype,
                  TN_DIMS(BATCH, left ? order : others, left ? others : order));
  TN_ASSERT_OK(tn__case_run(c));
  assert_string_equal(c->kernel->name,
                      may_use_libraries ? "openblas.triangular_solve" : "cpu.triangular_solve");
}

static void check_solve(size_t field, int64_t order, int64_t others, unsigned flags,
                        tn_pool_t* pool) {
  enum { BATCH = 2 };
  const size_t a_count = (size_t)(BATCH * order * order),
               b_count = (size_t)(BATCH * order * others);
  const size_t size = tn_dtype_byte_size(fields[field].dtype);
  complex_t* values = malloc((a_count + b_count) * sizeof *values);
  for (int64_t i = 0; i < (int64_t)a_count; ++i) {
    const int64_t row = i % (order * order) / order, column = i % order;
    const bool is_read = flags & 2 ? column <= row : column >= row;
    values[i] = row == column ? 1.5 : number(field) / (double)order;
    if (!is_read || (flags & 4 && row == column)) values[i] = NAN;
  }
  for (size_t i = 0; i < b_count; ++i) values[a_count + i] = number(field);
  void *a = malloc(a_count * size), *b = malloc(b_count * size + 1);
  tn__convert_elements(TN_DTYPE_C128, values, fields[field].dtype, a, a_count);
  tn__convert_elements(TN_DTYPE_C128, values + a_count, fields[field].dtype, b, b_count);
  tn_case_t got, wanted, pooled;
  run_solve(field, order, others, flags, a, b, true, NULL, &got);
  run_solve(field, order, others, flags, a, b, false, NULL, &wanted);
  run_solve(field, order, others, flags, a, b, true, pool, &pooled);
  compare(field, &got, &wanted, 4 * sqrt((double)order), transposes[flags >> 3]);
  assert_memory_equal(got.results[0], pooled.results[0], b_count * size);
  tn__case_end(&got), tn__case_end(&wanted), tn__case_end(&pooled);
  free(values), free(a), free(b);
}

static void openblas_solutions_are_the_references(void** state) {
  static const int64_t orders[] = {24, 31, 70}, others[] = {1, 0, 3, 65, 130};
  for (size_t f = 0; f < FIELD_COUNT; ++f) {
    for (unsigned flags = 0; flags < 24; ++flags) {
      check_solve(f, orders[(flags + f) % 3], others[(flags / 2 + f) % 5], flags, *state);
    }
  }
}

int main(void) {
  const char* reason;
  tn_pool_t* pool;
  if (!tn__openblas(&reason)) {
    printf("openblas: %s\n", reason);
    return 0;
  }
  tn_status_t status =
      tn__pool_create(&(tn_pool_config_t){.thread_count = 3}, tn_allocator_system(), &pool);
  if (status) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(openblas_factors_are_the_references, pool),
      cmocka_unit_test_prestate(openblas_says_nan_of_indefinite_matrices, pool),
      cmocka_unit_test_prestate(openblas_solutions_are_the_references, pool),
  };
  const int failures = cmocka_run_group_tests(tests, NULL, NULL);
  tn__pool_release(pool);
  return failures;
}
