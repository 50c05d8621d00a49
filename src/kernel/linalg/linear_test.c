// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <complex.h>
#include <math.h>

#include "kernel/common/element.h"
#include "kernel/testing_kernel.h"

typedef double _Complex complex_t;

static uint64_t seed = 9;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 40) / 16777216.0 - 0.5;
}

static const struct {
  tn_dtype_t dtype;
  bool is_complex;
  double tolerance;
} fields[] = {{TN_DTYPE_F32, false, 1e-4},
              {TN_DTYPE_F64, false, 1e-12},
              {TN_DTYPE_C64, true, 1e-4},
              {TN_DTYPE_C128, true, 1e-12},
              {TN_DTYPE_BF16, false, 0.2}};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static const int64_t orders[] = {1, 3, 32, 33, 100};
enum { ORDER_COUNT = sizeof orders / sizeof *orders };

static void* make_array(tn_dtype_t dtype, const complex_t* values, int64_t count) {
  void* data = malloc((size_t)count * tn_dtype_byte_size(dtype) + 16);
  tn__convert_elements(TN_DTYPE_C128, values, dtype, data, (size_t)count);
  return data;
}
static void read_array(tn_dtype_t dtype, const void* data, complex_t* out, int64_t count) {
  tn__convert_elements(dtype, data, TN_DTYPE_C128, out, (size_t)count);
}

// --- cholesky

static void check_cholesky(size_t field, int64_t order, bool lower) {
  enum { BATCH = 2 };
  const int64_t count = order * order;
  complex_t* base = malloc((size_t)count * sizeof *base);
  complex_t* a = malloc((size_t)(BATCH * count) * sizeof *a);
  complex_t* got = malloc((size_t)(BATCH * count) * sizeof *got);
  for (int64_t b = 0; b < BATCH; ++b) {
    for (int64_t i = 0; i < count; ++i) {
      base[i] = uniform() + (fields[field].is_complex ? uniform() * I : 0);
    }
    // base base^H + order: well away from singular. The other triangle is not looked at.
    for (int64_t i = 0; i < order; ++i) {
      for (int64_t j = 0; j < order; ++j) {
        complex_t sum = i == j ? (double)order : 0;
        for (int64_t k = 0; k < order; ++k) sum += base[i * order + k] * conj(base[j * order + k]);
        const bool is_read = lower ? j <= i : j >= i;
        a[b * count + i * order + j] = is_read ? sum : 1e6;
      }
    }
  }
  void* data = make_array(fields[field].dtype, a, BATCH * count);
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.cholesky");
  tn__case_operand(&c, fields[field].dtype, TN_DIMS(BATCH, order, order), data);
  tn__case_bool(&c, "lower", lower);
  tn__case_result(&c, fields[field].dtype, TN_DIMS(BATCH, order, order));
  TN_ASSERT_OK(tn__case_run(&c));
  read_array(fields[field].dtype, c.results[0], got, BATCH * count);
  for (int64_t b = 0; b < BATCH; ++b) {
    const complex_t* factor = got + b * count;
    for (int64_t i = 0; i < order; ++i) {
      for (int64_t j = 0; j < order; ++j) {
        const bool is_read = lower ? j <= i : j >= i;
        if (!is_read) {
          assert_true(factor[i * order + j] == 0);
          continue;
        }
        complex_t sum = 0;
        for (int64_t k = 0; k < order; ++k) {
          sum += lower ? factor[i * order + k] * conj(factor[j * order + k])
                       : conj(factor[k * order + i]) * factor[k * order + j];
        }
        const double error = cabs(sum - a[b * count + i * order + j]);
        if (!(error <= fields[field].tolerance * (double)order)) {
          fail_msg("field %zu, order %d: off by %g", field, (int)order, error);
        }
      }
    }
  }
  tn__case_end(&c);
  free(base), free(a), free(got), free(data);
}

static void cholesky_factors_times_themselves_are_the_matrix(void** state) {
  (void)state;
  for (size_t f = 0; f < FIELD_COUNT; ++f) {
    for (size_t i = 0; i < ORDER_COUNT; ++i) {
      check_cholesky(f, orders[i], true);
      check_cholesky(f, orders[i], false);
    }
  }
  check_cholesky(1, 300, true);
}

static void cholesky_of_indefinite_matrices_is_nan(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.cholesky");
  tn__case_operand(&c, TN_DTYPE_F64, TN_DIMS(2, 2), (double[]){1, 2, 2, 1});
  tn__case_bool(&c, "lower", true);
  tn__case_result(&c, TN_DTYPE_F64, TN_DIMS(2, 2));
  TN_ASSERT_OK(tn__case_run(&c));
  const double* got = c.results[0];
  assert_true(isnan(got[0]) && got[1] == 0 && isnan(got[2]) && isnan(got[3]));
  tn__case_end(&c);
}

// --- triangular_solve

static void check_solve(size_t field, int64_t order, int64_t columns, unsigned flags,
                        const char* transpose) {
  enum { BATCH = 2 };
  const bool left = flags & 1, lower = flags & 2, unit = flags & 4;
  const int64_t a_count = order * order, b_count = order * columns;
  complex_t* a = malloc((size_t)(BATCH * a_count) * sizeof *a);
  complex_t* b = malloc((size_t)(BATCH * b_count) * sizeof *b);
  complex_t* x = malloc((size_t)(BATCH * b_count) * sizeof *x);
  for (int64_t i = 0; i < BATCH * a_count; ++i) {
    const int64_t row = i % a_count / order, column = i % order;
    const bool is_read = lower ? column <= row : column >= row;
    a[i] = (uniform() + (fields[field].is_complex ? uniform() * I : 0)) / (double)order;
    if (row == column) a[i] += 1.5;
    if (!is_read || (unit && row == column)) a[i] = NAN;
  }
  for (int64_t i = 0; i < BATCH * b_count; ++i) {
    b[i] = uniform() + (fields[field].is_complex ? uniform() * I : 0);
  }
  const tn_dtype_t dtype = fields[field].dtype;
  void *a_data = make_array(dtype, a, BATCH * a_count),
       *b_data = make_array(dtype, b, BATCH * b_count);
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.triangular_solve");
  tn__case_operand(&c, dtype, TN_DIMS(BATCH, order, order), a_data);
  const int64_t rows = left ? order : columns, width = left ? columns : order;
  tn__case_operand(&c, dtype, TN_DIMS(BATCH, rows, width), b_data);
  tn__case_bool(&c, "left_side", left);
  tn__case_bool(&c, "lower", lower);
  tn__case_bool(&c, "unit_diagonal", unit);
  tn__case_enum(&c, "transpose_a", "transpose", transpose);
  tn__case_result(&c, dtype, TN_DIMS(BATCH, rows, width));
  TN_ASSERT_OK(tn__case_run(&c));
  read_array(dtype, c.results[0], x, BATCH * b_count);
  for (int64_t n = 0; n < BATCH; ++n) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t w = 0; w < width; ++w) {
        complex_t sum = 0;
        for (int64_t k = 0; k < order; ++k) {
          // op(a)[i][j] with the product over k
          int64_t i = left ? r : k, j = left ? k : w;
          if (strcmp(transpose, "NO_TRANSPOSE") != 0) {
            const int64_t kept = i;
            i = j;
            j = kept;
          }
          if (lower ? j > i : j < i) continue;
          complex_t value = unit && i == j ? 1 : a[n * a_count + i * order + j];
          if (strcmp(transpose, "ADJOINT") == 0) value = conj(value);
          sum += value * x[n * b_count + (left ? k * width + w : r * width + k)];
        }
        const double error = cabs(sum - b[n * b_count + r * width + w]);
        if (!(error <= fields[field].tolerance)) {
          fail_msg("field %zu, order %d, flags %u, %s: off by %g", field, (int)order, flags,
                   transpose, error);
        }
      }
    }
  }
  tn__case_end(&c);
  free(a), free(b), free(x), free(a_data), free(b_data);
}

static void triangular_solve_solves(void** state) {
  (void)state;
  static const char* const transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  for (size_t f = 0; f < FIELD_COUNT; ++f) {
    for (size_t i = 0; i < ORDER_COUNT; ++i) {
      for (unsigned flags = 0; flags < 8; ++flags) {
        for (size_t t = 0; t < 3; ++t) {
          check_solve(f, orders[i], 1 + (int64_t)(flags + t) * 3, flags, transposes[t]);
        }
      }
    }
  }
  check_solve(1, 70, 300, 3, "NO_TRANSPOSE");
  check_solve(1, 70, 300, 2, "NO_TRANSPOSE");
}

static void empty_systems_have_empty_solutions(void** state) {
  (void)state;
  tn_case_t c;
  tn__case_begin(&c, "stablehlo.triangular_solve");
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(2, 2), (float[]){1, 0, 0, 1});
  tn__case_operand(&c, TN_DTYPE_F32, TN_DIMS(2, 0), NULL);
  tn__case_bool(&c, "left_side", true);
  tn__case_bool(&c, "lower", true);
  tn__case_bool(&c, "unit_diagonal", false);
  tn__case_enum(&c, "transpose_a", "transpose", "NO_TRANSPOSE");
  tn__case_result(&c, TN_DTYPE_F32, TN_DIMS(2, 0));
  TN_ASSERT_OK(tn__case_run(&c));
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cholesky_factors_times_themselves_are_the_matrix),
      cmocka_unit_test(cholesky_of_indefinite_matrices_is_nan),
      cmocka_unit_test(triangular_solve_solves),
      cmocka_unit_test(empty_systems_have_empty_solutions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
