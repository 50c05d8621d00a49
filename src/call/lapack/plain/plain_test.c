// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Routines end early when the run that waits for them is interrupted, and find eigenvalues that are
// near each other.
#include "call/lapack/plain/plain.h"

#include <math.h>

#include "base/linux/clock.h"
#include "base/testing.h"

enum { N = 40, WORK = 64 * N * N };

static double a[N * N], b[N * N], c[N * N], vector[N], other[N], work[WORK];
static int integers[N], info;

// Symmetric: a smooth part, and a diagonal from `first` on whose elements are `step` apart.
static double fill_matrix(double first, double step) {
  double trace = 0;
  for (int row = 0; row < N; ++row) {
    for (int column = 0; column < N; ++column) {
      a[column * N + row] = 1.0 / (1 + row + column) + (row == column ? first + step * row : 0);
    }
    trace += a[row * N + row];
  }
  return trace;
}

static void fill(void) {
  fill_matrix(1, 1);
  memset(b, 0, sizeof b), memset(c, 0, sizeof c);
  memset(vector, 0, sizeof vector), memset(other, 0, sizeof other);
  for (int i = 0; i < WORK; ++i) work[i] = 1;
}

static const int n = N, one = 1, many = WORK;

static void run_potrf(void) {
  tn__plain_dpotrf("L", &n, a, &n, &info, 1);
}
static void run_getrf(void) {
  tn__plain_dgetrf(&n, &n, a, &n, integers, &info);
}
static void run_geqrf(void) {
  tn__plain_dgeqrf(&n, &n, a, &n, vector, work, &many, &info);
}
static void run_orgqr(void) {
  tn__plain_dorgqr(&n, &n, &n, a, &n, vector, work, &many, &info);
}
static void run_gehrd(void) {
  tn__plain_dgehrd(&n, &one, &n, a, &n, vector, work, &many, &info);
}

static void (*const routines[])(void) = {run_potrf, run_getrf, run_geqrf, run_orgqr, run_gehrd};

static void interrupted_routines_leave_the_matrix(void** state) {
  (void)state;
  const tn_interrupt_t due = {.timeout_ns = 1, .deadline_ns = tn__clock_ns()};
  const tn_interrupt_t never = {.deadline_ns = INT64_MAX};
  for (size_t i = 0; i < sizeof routines / sizeof *routines; ++i) {
    double before[N * N];
    fill();
    memcpy(before, a, sizeof a);
    tn__plain_watch(&due);
    routines[i]();
    assert_memory_equal(a, before, sizeof a);
    assert_int_equal(info, 0);
    tn__plain_watch(&never);
    routines[i]();
    assert_memory_not_equal(a, before, sizeof a);
    tn__plain_watch(NULL);
  }
}

// Others use pivots as indices.
static void pivots_of_an_interrupted_factorisation_are_rows(void** state) {
  (void)state;
  const tn_interrupt_t due = {.timeout_ns = 1, .deadline_ns = tn__clock_ns()};
  fill();
  memset(integers, 0x55, sizeof integers);
  tn__plain_watch(&due);
  run_getrf();
  tn__plain_watch(NULL);
  for (int i = 0; i < N; ++i) assert_int_equal(integers[i], i + 1);
}

static void interrupted_iterations_do_not_converge(void** state) {
  (void)state;
  const tn_interrupt_t due = {.timeout_ns = 1, .deadline_ns = tn__clock_ns()};
  for (int is_due = 0; is_due < 2; ++is_due) {
    tn__plain_watch(is_due ? &due : NULL);
    fill();
    tn__plain_dsyevd("V", "L", &n, a, &n, vector, work, &many, integers, &n, &info, 1, 1);
    assert_int_equal(info != 0, is_due);
    fill();
    tn__plain_dgesdd("A", &n, &n, a, &n, vector, b, &n, c, &n, work, &many, integers, &info, 1);
    assert_int_equal(info != 0, is_due);
    fill();
    tn__plain_dgeev("N", "V", &n, a, &n, vector, other, b, &one, c, &n, work, &many, &info, 1, 1);
    assert_int_equal(info != 0, is_due);
    tn__plain_watch(NULL);
  }
}

// The first step must not lose their differences.
static void general_eigenvalues_near_each_other_are_found(void** state) {
  static const double steps[] = {0, 1e-12, 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6};
  (void)state;
  for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
    double rest = fill_matrix(N, steps[k]);
    tn__plain_dgeev("N", "V", &n, a, &n, vector, other, b, &one, c, &n, work, &many, &info, 1, 1);
    assert_int_equal(info, 0);
    for (int i = 0; i < N; ++i) rest -= vector[i];
    assert_true(fabs(rest) <= 1e-11 * N * N * (1 + steps[k]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(interrupted_routines_leave_the_matrix),
      cmocka_unit_test(pivots_of_an_interrupted_factorisation_are_rows),
      cmocka_unit_test(interrupted_iterations_do_not_converge),
      cmocka_unit_test(general_eigenvalues_near_each_other_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
