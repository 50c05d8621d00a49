// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Systems of tridiagonal matrices: by LAPACK, and with tiny pivots made larger, so that the
// solution of a singular system is finite, as inverse iterations want it.
#include <complex.h>
#include <float.h>
#include <math.h>

#include "call/lapack/batch.h"

// The diagonals of b's systems. `dl` begins, and `du` ends, with a number that is not looked at.
#define EXPECT_DIAGONALS(call, b_matrices)                                \
  TN_LAPACK_MATRICES(call, b, b_matrices);                                \
  TN_LAPACK_EXPECT(call, dl, (b_matrices)->dtype, b, (b_matrices)->rows); \
  TN_LAPACK_EXPECT(call, d, (b_matrices)->dtype, b, (b_matrices)->rows);  \
  TN_LAPACK_EXPECT(call, du, (b_matrices)->dtype, b, (b_matrices)->rows)

// --- gtsv

#define GTSV(ARG, ATTR, RET)                                                              \
  ARG(dl, of(f32, f64, c64, c128), any_rank, "below the diagonal; the first is not used") \
  ARG(d, dtype_of(dl), like(dl), "the diagonal")                                          \
  ARG(du, dtype_of(dl), like(dl), "above the diagonal; the last is not used")             \
  ARG(b, dtype_of(dl), any_rank)                                                          \
  RET(dl_out, dtype_of(dl), like(dl), "overwritten")                                      \
  RET(d_out, dtype_of(dl), like(dl), "overwritten")                                       \
  RET(du_out, dtype_of(dl), like(dl), "overwritten")                                      \
  RET(x, dtype_of(dl), like(b))                                                           \
  RET(info, s32, any_rank, "0, or the first pivot that is zero, from 1")

typedef struct gtsv {
  void (*routine)(const int* n, const int* columns, void* dl, void* d, void* du, void* b,
                  const int* stride, int* info);
  tn_matrices_t b;
  char *dl, *d, *du, *x;
  int32_t* info;
} gtsv_t;

static void run_gtsv(const void* user, int64_t index, char* work) {
  const gtsv_t* job = user;
  const size_t first = (size_t)(index * job->b.rows) * job->b.element_size;
  (void)work;
  // Nothing is below the diagonal of a single row.
  const size_t skipped = job->b.rows ? job->b.element_size : 0;
  job->routine(&job->b.rows, &job->b.columns, job->dl + first + skipped, job->d + first,
               job->du + first, job->x + (size_t)index * job->b.byte_size, &job->b.stride,
               &job->info[index]);
}

TN_LAPACK_OP(lapack_gtsv, GTSV, "solves tridiagonal systems") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(gtsv);
  gtsv_t job = {
      .dl = call->dl_out.data,
      .d = call->d_out.data,
      .du = call->du_out.data,
      .x = call->x.data,
      .info = call->info.data,
  };
  EXPECT_DIAGONALS(call, &job.b);
  TN_LAPACK_EXPECT_EACH(call, info, TN_FFI_S32, b);
  TN_TRY(tn__lapack_function(call->tn, &routine, job.b.dtype, (void**)&job.routine));
  tn__lapack_copy(call->dl.data, job.dl, tn_byte_size(call->dl));
  tn__lapack_copy(call->d.data, job.d, tn_byte_size(call->d));
  tn__lapack_copy(call->du.data, job.du, tn_byte_size(call->du));
  tn__lapack_copy(call->b.data, job.x, tn_byte_size(call->b));
  return tn__lapack_run(call->tn, &job.b, &(tn_lapack_loop_t){run_gtsv, &job, 0});
}

// --- tridiagonal_solve_perturbed

#define PERTURBED(ARG, ATTR, RET)                                                         \
  ARG(dl, of(f32, f64, c64, c128), any_rank, "below the diagonal; the first is not used") \
  ARG(d, dtype_of(dl), like(dl), "the diagonal")                                          \
  ARG(du, dtype_of(dl), like(dl), "above the diagonal; the last is not used")             \
  ARG(b, dtype_of(dl), any_rank)                                                          \
  RET(x, dtype_of(dl), like(b))

typedef struct perturbed {
  tn_matrices_t b;
  const char *dl, *d, *du;
  char* x;
} perturbed_t;

// Elimination with partial pivoting: U has the diagonal `d` and two others above it. A pivot whose
// inverse would overflow becomes eps times the largest element of U. SOLVE defines the function of
// one type; `work` has 4 * n elements.
#define SOLVE(name, type, real, magnitude, epsilon, least)                                     \
  static void name(int n, int columns, const type* dl_in, const type* d_in, const type* du_in, \
                   type* x, type* work) {                                                      \
    type *d = work, *du = d + n, *du2 = du + n, *factor = du2 + n;                             \
    real largest = 0;                                                                          \
    for (int i = 0; i < n; ++i) d[i] = d_in[i], du[i] = i + 1 < n ? du_in[i] : 0, du2[i] = 0;  \
    for (int i = 0; i + 1 < n; ++i) {                                                          \
      const type low = dl_in[i + 1];                                                           \
      const bool is_swapped = magnitude(low) > magnitude(d[i]);                                \
      if (is_swapped) {                                                                        \
        const type pivot = d[i], above = du[i];                                                \
        d[i] = low, du[i] = d[i + 1], du2[i] = du[i + 1];                                      \
        factor[i] = pivot / low;                                                               \
        d[i + 1] = above - factor[i] * du[i], du[i + 1] = -factor[i] * du2[i];                 \
      } else {                                                                                 \
        factor[i] = low == 0 ? 0 : low / d[i];                                                 \
        d[i + 1] -= factor[i] * du[i];                                                         \
      }                                                                                        \
      for (int c = 0; c < columns; ++c) {                                                      \
        type* column = x + (size_t)c * (size_t)n;                                              \
        if (is_swapped) {                                                                      \
          const type kept = column[i];                                                         \
          column[i] = column[i + 1], column[i + 1] = kept;                                     \
        }                                                                                      \
        column[i + 1] -= factor[i] * column[i];                                                \
      }                                                                                        \
    }                                                                                          \
    for (int i = 0; i < n; ++i) {                                                              \
      const real sizes[] = {magnitude(d[i]), magnitude(du[i]), magnitude(du2[i])};             \
      for (int j = 0; j < 3; ++j) largest = sizes[j] > largest ? sizes[j] : largest;           \
    }                                                                                          \
    const real scaled = largest * (epsilon), tiny = scaled > (least) ? scaled : (least);       \
    for (int i = 0; i < n; ++i) {                                                              \
      if (magnitude(d[i]) < (least)) d[i] = (real)copysign(tiny, creal(d[i]));                 \
    }                                                                                          \
    for (int c = 0; c < columns; ++c) {                                                        \
      type* column = x + (size_t)c * (size_t)n;                                                \
      for (int i = n; i-- > 0;) {                                                              \
        type sum = column[i];                                                                  \
        if (i + 1 < n) sum -= du[i] * column[i + 1];                                           \
        if (i + 2 < n) sum -= du2[i] * column[i + 2];                                          \
        column[i] = sum / d[i];                                                                \
      }                                                                                        \
    }                                                                                          \
  }
SOLVE(solve_f32, float, float, fabsf, FLT_EPSILON, FLT_MIN)
SOLVE(solve_f64, double, double, fabs, DBL_EPSILON, DBL_MIN)
SOLVE(solve_c64, float _Complex, float, cabsf, FLT_EPSILON, FLT_MIN)
SOLVE(solve_c128, double _Complex, double, cabs, DBL_EPSILON, DBL_MIN)
#undef SOLVE

static void run_perturbed(const void* user, int64_t index, char* work) {
  const perturbed_t* job = user;
  const int n = job->b.rows, columns = job->b.columns;
  const size_t first = (size_t)(index * n) * job->b.element_size;
  const void *dl = job->dl + first, *d = job->d + first, *du = job->du + first;
  void *x = job->x + (size_t)index * job->b.byte_size, *numbers = work;
  switch (job->b.dtype) {
    case TN_FFI_F32: solve_f32(n, columns, dl, d, du, x, numbers); break;
    case TN_FFI_F64: solve_f64(n, columns, dl, d, du, x, numbers); break;
    case TN_FFI_C64: solve_c64(n, columns, dl, d, du, x, numbers); break;
    default: solve_c128(n, columns, dl, d, du, x, numbers);
  }
}

TN_LAPACK_OP(tridiagonal_solve_perturbed, PERTURBED,
             "solves tridiagonal systems, singular ones as well") {
  perturbed_t job = {
      .dl = call->dl.data, .d = call->d.data, .du = call->du.data, .x = call->x.data};
  EXPECT_DIAGONALS(call, &job.b);
  tn__lapack_copy(call->b.data, job.x, tn_byte_size(call->b));
  const size_t length = 4 * (size_t)job.b.rows * job.b.element_size;
  return tn__lapack_run(call->tn, &job.b, &(tn_lapack_loop_t){run_perturbed, &job, length});
}
