// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Factorisations of single matrices: Cholesky, LU, QR; and solving with triangles.
#include "call/lapack/batch.h"

// --- potrf

#define POTRF(ARG, ATTR, RET)                                      \
  ARG(x, of(f32, f64, c64, c128), any_rank)                        \
  ATTR(uplo, uint8_t, TN_REQUIRED, "L or U: the triangle to use")  \
  RET(x_out, dtype_of(x), like(x), "the factor, in that triangle") \
  RET(info, s32, any_rank, "0, or the first minor that is no good")

typedef struct potrf {
  void (*routine)(const char* uplo, const int* n, void* a, const int* stride, int* info, size_t);
  tn_matrices_t x;
  char uplo;
  char* factors;
  int32_t* info;
} potrf_t;

static void run_potrf(const void* user, int64_t index, char* work) {
  const potrf_t* job = user;
  (void)work;
  job->routine(&job->uplo, &job->x.rows, job->factors + (size_t)index * job->x.byte_size,
               &job->x.stride, &job->info[index], 1);
}

TN_LAPACK_OP(lapack_potrf, POTRF, "Cholesky factors of Hermitian matrices") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(potrf);
  potrf_t job = {.uplo = (char)call->uplo, .factors = call->x_out.data, .info = call->info.data};
  TN_LAPACK_SQUARES(call, x, &job.x);
  TN_LAPACK_EXPECT_EACH(call, info, TN_FFI_S32, x);
  TN_TRY(tn__lapack_letter(call->tn, "uplo", call->uplo, "LU"));
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, (void**)&job.routine));
  tn__lapack_copy(call->x.data, job.factors, tn_byte_size(call->x));
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_potrf, &job, 0});
}

// --- getrf

#define GETRF(ARG, ATTR, RET)                                              \
  ARG(x, of(f32, f64, c64, c128), any_rank)                                \
  RET(x_out, dtype_of(x), like(x), "both factors, without L's diagonal")   \
  RET(pivots, s32, any_rank, "the row that each was swapped with, from 1") \
  RET(info, s32, any_rank, "0, or the first pivot that is zero, from 1")

typedef struct getrf {
  void (*routine)(const int* m, const int* n, void* a, const int* stride, int* pivots, int* info);
  tn_matrices_t x;
  char* factors;
  int32_t *pivots, *info;
} getrf_t;

static void run_getrf(const void* user, int64_t index, char* work) {
  const getrf_t* job = user;
  (void)work;
  job->routine(&job->x.rows, &job->x.columns, job->factors + (size_t)index * job->x.byte_size,
               &job->x.stride, job->pivots + index * job->x.least, &job->info[index]);
}

TN_LAPACK_OP(lapack_getrf, GETRF, "LU factors, with partial pivoting") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(getrf);
  getrf_t job = {.factors = call->x_out.data, .pivots = call->pivots.data, .info = call->info.data};
  TN_LAPACK_MATRICES(call, x, &job.x);
  TN_LAPACK_EXPECT(call, pivots, TN_FFI_S32, x, job.x.least);
  TN_LAPACK_EXPECT_EACH(call, info, TN_FFI_S32, x);
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, (void**)&job.routine));
  tn__lapack_copy(call->x.data, job.factors, tn_byte_size(call->x));
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_getrf, &job, 0});
}

// --- geqrf

#define GEQRF(ARG, ATTR, RET)                                             \
  ARG(x, of(f32, f64, c64, c128), any_rank)                               \
  RET(x_out, dtype_of(x), like(x), "R, and Householder vectors below it") \
  RET(tau, dtype_of(x), any_rank, "the scalars of the reflectors")

typedef struct geqrf {
  void (*routine)(const int* m, const int* n, void* a, const int* stride, void* tau, void* work,
                  const int* work_count, int* info);
  tn_matrices_t x;
  int work_count;
  char *factors, *tau;
} geqrf_t;

static void run_geqrf(const void* user, int64_t index, char* work) {
  const geqrf_t* job = user;
  int info;
  job->routine(&job->x.rows, &job->x.columns, job->factors + (size_t)index * job->x.byte_size,
               &job->x.stride, job->tau + (size_t)(index * job->x.least) * job->x.element_size,
               work, &job->work_count, &info);
}

TN_LAPACK_OP(lapack_geqrf, GEQRF, "QR factors, as Householder reflectors") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(geqrf);
  geqrf_t job = {.factors = call->x_out.data, .tau = call->tau.data};
  double answer[2] = {0};
  int info;
  TN_LAPACK_MATRICES(call, x, &job.x);
  TN_LAPACK_EXPECT(call, tau, job.x.dtype, x, job.x.least);
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, (void**)&job.routine));
  job.routine(&job.x.rows, &job.x.columns, NULL, &job.x.stride, NULL, answer, &(int){-1}, &info);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  tn__lapack_copy(call->x.data, job.factors, tn_byte_size(call->x));
  const size_t length = (size_t)job.work_count * job.x.element_size;
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_geqrf, &job, length});
}

// --- geqp3

#define GEQP3(ARG, ATTR, RET)                                             \
  ARG(x, of(f32, f64, c64, c128), any_rank)                               \
  ARG(jpvt, s32, any_rank, "not 0: the column comes first")               \
  RET(x_out, dtype_of(x), like(x), "R, and Householder vectors below it") \
  RET(jpvt_out, s32, like(jpvt), "where each column came from, from 1")   \
  RET(tau, dtype_of(x), any_rank, "the scalars of the reflectors")

typedef struct geqp3 {
  union {
    void* any;
    void (*real)(const int* m, const int* n, void* a, const int* stride, int* jpvt, void* tau,
                 void* work, const int* work_count, int* info);
    void (*complex)(const int* m, const int* n, void* a, const int* stride, int* jpvt, void* tau,
                    void* work, const int* work_count, void* real_work, int* info);
  } routine;
  tn_matrices_t x;
  int work_count;
  char *factors, *tau;
  int32_t* jpvt;
} geqp3_t;

static void call_geqp3(const geqp3_t* job, void* a, int* jpvt, void* tau, void* work,
                       int work_count, void* real_work) {
  int info;
  if (tn__lapack_is_complex(job->x.dtype)) {
    job->routine.complex(&job->x.rows, &job->x.columns, a, &job->x.stride, jpvt, tau, work,
                         &work_count, real_work, &info);
  } else {
    job->routine.real(&job->x.rows, &job->x.columns, a, &job->x.stride, jpvt, tau, work,
                      &work_count, &info);
  }
}

static void run_geqp3(const void* user, int64_t index, char* work) {
  const geqp3_t* job = user;
  void* numbers = tn__lapack_part(&work, (size_t)job->work_count * job->x.element_size);
  call_geqp3(job, job->factors + (size_t)index * job->x.byte_size,
             job->jpvt + index * job->x.columns,
             job->tau + (size_t)(index * job->x.least) * job->x.element_size, numbers,
             job->work_count, work);
}

TN_LAPACK_OP(lapack_geqp3, GEQP3, "QR factors with pivoted columns") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(geqp3);
  geqp3_t job = {.factors = call->x_out.data, .tau = call->tau.data, .jpvt = call->jpvt_out.data};
  double answer[2] = {0}, real_answer[2];
  TN_LAPACK_MATRICES(call, x, &job.x);
  TN_LAPACK_EXPECT(call, jpvt, TN_FFI_S32, x, job.x.columns);
  TN_LAPACK_EXPECT(call, tau, job.x.dtype, x, job.x.least);
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, &job.routine.any));
  call_geqp3(&job, NULL, NULL, NULL, answer, -1, real_answer);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  tn__lapack_copy(call->x.data, job.factors, tn_byte_size(call->x));
  tn__lapack_copy(call->jpvt.data, job.jpvt, tn_byte_size(call->jpvt));
  // The reals: two for each column.
  const size_t length = tn__lapack_align((size_t)job.work_count * job.x.element_size) +
                        2 * (size_t)job.x.columns * sizeof(double);
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_geqp3, &job, length});
}

// --- orgqr, ungqr

#define ORGQR(ARG, ATTR, RET)                                                            \
  ARG(x, of(f32, f64, c64, c128), any_rank, "Householder vectors, as geqrf leaves them") \
  ARG(tau, dtype_of(x), any_rank, "the scalars of the reflectors")                       \
  RET(q, dtype_of(x), like(x), "the columns of Q")

typedef struct orgqr {
  void (*routine)(const int* m, const int* n, const int* k, void* a, const int* stride,
                  const void* tau, void* work, const int* work_count, int* info);
  tn_matrices_t x;
  int reflectors, work_count;
  const char* tau;
  char* q;
} orgqr_t;

static void run_orgqr(const void* user, int64_t index, char* work) {
  const orgqr_t* job = user;
  int info;
  job->routine(&job->x.rows, &job->x.columns, &job->reflectors,
               job->q + (size_t)index * job->x.byte_size, &job->x.stride,
               job->tau + (size_t)(index * job->reflectors) * job->x.element_size, work,
               &job->work_count, &info);
}

TN_LAPACK_OP(lapack_orgqr, ORGQR, "Q of QR factors, from Householder reflectors") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE_OF(orgqr, ungqr);
  orgqr_t job = {.tau = call->tau.data, .q = call->q.data};
  double answer[2] = {0};
  int info;
  TN_LAPACK_MATRICES(call, x, &job.x);
  const int64_t reflectors = tn_last_dim(call->tau);
  TN_LAPACK_EXPECT(call, tau, job.x.dtype, x, reflectors);
  if (job.x.rows < job.x.columns || reflectors > job.x.columns) {
    return TN_ERROR(call, INVALID_ARGUMENT,
                    "x, tau: %d by %d from %" PRId64
                    " reflectors; expected no more columns than rows, and no more reflectors than "
                    "columns",
                    job.x.rows, job.x.columns, reflectors);
  }
  job.reflectors = (int)reflectors;
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, (void**)&job.routine));
  job.routine(&job.x.rows, &job.x.columns, &job.reflectors, NULL, &job.x.stride, NULL, answer,
              &(int){-1}, &info);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  tn__lapack_copy(call->x.data, job.q, tn_byte_size(call->x));
  const size_t length = (size_t)job.work_count * job.x.element_size;
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_orgqr, &job, length});
}

// --- ormqr, unmqr

#define ORMQR(ARG, ATTR, RET)                                                            \
  ARG(a, of(f32, f64, c64, c128), any_rank, "Householder vectors, as geqrf leaves them") \
  ARG(tau, dtype_of(a), any_rank, "the scalars of the reflectors")                       \
  ARG(c, dtype_of(a), any_rank)                                                          \
  ATTR(left, bool, TN_REQUIRED, "Q c, and not c Q")                                      \
  ATTR(transpose, bool, TN_REQUIRED, "by the adjoint of Q")                              \
  RET(c_out, dtype_of(a), like(c))

typedef struct ormqr {
  void (*routine)(const char* side, const char* transpose, const int* m, const int* n, const int* k,
                  const void* a, const int* a_stride, const void* tau, void* c, const int* c_stride,
                  void* work, const int* work_count, int* info, size_t, size_t);
  tn_matrices_t a, c;
  char side, transpose;
  int reflectors, work_count;
  const char *reflector_data, *tau;
  char* result;
} ormqr_t;

static void run_ormqr(const void* user, int64_t index, char* work) {
  const ormqr_t* job = user;
  int info;
  job->routine(&job->side, &job->transpose, &job->c.rows, &job->c.columns, &job->reflectors,
               job->reflector_data + (size_t)index * job->a.byte_size, &job->a.stride,
               job->tau + (size_t)(index * job->reflectors) * job->a.element_size,
               job->result + (size_t)index * job->c.byte_size, &job->c.stride, work,
               &job->work_count, &info, 1, 1);
}

TN_LAPACK_OP(lapack_ormqr, ORMQR,
             "products with the Q of QR factors, from Householder reflectors") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE_OF(ormqr, unmqr);
  ormqr_t job = {
      .side = call->left ? 'L' : 'R',
      .reflector_data = call->a.data,
      .tau = call->tau.data,
      .result = call->c_out.data,
  };
  double answer[2] = {0};
  int info;
  TN_LAPACK_MATRICES(call, a, &job.a);
  TN_LAPACK_MATRICES(call, c, &job.c);
  const int64_t reflectors = tn_last_dim(call->tau);
  TN_LAPACK_EXPECT(call, tau, job.a.dtype, a, reflectors);
  TN_LAPACK_EXPECT(call, c, job.a.dtype, a, job.c.rows, job.c.columns);
  const int order = call->left ? job.c.rows : job.c.columns;
  if (job.a.rows != order || reflectors > job.a.columns || reflectors > order) {
    return TN_ERROR(call, INVALID_ARGUMENT,
                    "a, tau: %d by %d with %" PRId64
                    " reflectors; expected %d rows, and no more reflectors than rows or columns",
                    job.a.rows, job.a.columns, reflectors, order);
  }
  job.transpose = !call->transpose ? 'N' : tn__lapack_is_complex(job.a.dtype) ? 'C' : 'T';
  job.reflectors = (int)reflectors;
  TN_TRY(tn__lapack_function(call->tn, &routine, job.a.dtype, (void**)&job.routine));
  job.routine(&job.side, &job.transpose, &job.c.rows, &job.c.columns, &job.reflectors, NULL,
              &job.a.stride, NULL, NULL, &job.c.stride, answer, &(int){-1}, &info, 1, 1);
  job.work_count = tn__lapack_answer(job.a.dtype, answer);
  tn__lapack_copy(call->c.data, job.result, tn_byte_size(call->c));
  const size_t length = (size_t)job.work_count * job.a.element_size;
  return tn__lapack_run(call->tn, &job.c, &(tn_lapack_loop_t){run_ormqr, &job, length});
}

// --- trsm

#define TRSM(ARG, ATTR, RET)                                                             \
  ARG(x, of(f32, f64, c64, c128), any_rank, "triangles")                                 \
  ARG(y, dtype_of(x), any_rank)                                                          \
  ATTR(side, uint8_t, TN_REQUIRED, "L: x z = y; R: z x = y")                             \
  ATTR(uplo, uint8_t, TN_REQUIRED, "L or U: the triangle to use")                        \
  ATTR(trans_x, uint8_t, TN_REQUIRED, "N, T or C: x as it is, its transpose or adjoint") \
  ATTR(diag, uint8_t, TN_REQUIRED, "U: the diagonal is 1; N: it is as stated")           \
  RET(z, dtype_of(x), like(y))

typedef struct trsm {
  void (*routine)(const char* side, const char* uplo, const char* transpose, const char* diagonal,
                  const int* m, const int* n, const void* alpha, const void* a, const int* a_stride,
                  void* b, const int* b_stride, size_t, size_t, size_t, size_t);
  tn_matrices_t x, y;
  char side, uplo, transpose, diagonal;
  const void* one;
  const char* triangles;
  char* result;
} trsm_t;

static void run_trsm(const void* user, int64_t index, char* work) {
  const trsm_t* job = user;
  (void)work;
  job->routine(&job->side, &job->uplo, &job->transpose, &job->diagonal, &job->y.rows,
               &job->y.columns, job->one, job->triangles + (size_t)index * job->x.byte_size,
               &job->x.stride, job->result + (size_t)index * job->y.byte_size, &job->y.stride, 1, 1,
               1, 1);
}

TN_LAPACK_OP(lapack_trsm, TRSM, "solves systems with triangles") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(trsm);
  static const float one_single[] = {1, 0};
  static const double one_double[] = {1, 0};
  trsm_t job = {
      .side = (char)call->side,
      .uplo = (char)call->uplo,
      .transpose = (char)call->trans_x,
      .diagonal = (char)call->diag,
      .triangles = call->x.data,
      .result = call->z.data,
  };
  TN_LAPACK_SQUARES(call, x, &job.x);
  TN_LAPACK_MATRICES(call, y, &job.y);
  TN_LAPACK_EXPECT(call, y, job.x.dtype, x, job.y.rows, job.y.columns);
  TN_TRY(tn__lapack_letter(call->tn, "side", call->side, "LR"));
  TN_TRY(tn__lapack_letter(call->tn, "uplo", call->uplo, "LU"));
  TN_TRY(tn__lapack_letter(call->tn, "trans_x", call->trans_x, "NTC"));
  TN_TRY(tn__lapack_letter(call->tn, "diag", call->diag, "NU"));
  const int order = call->side == 'L' ? job.y.rows : job.y.columns;
  if (job.x.rows != order) {
    return TN_ERROR(call, INVALID_ARGUMENT, "x: expected %d rows, as many as y has %s, found %d",
                    order, call->side == 'L' ? "rows" : "columns", job.x.rows);
  }
  job.one = tn__lapack_is_single(job.x.dtype) ? (const void*)one_single : one_double;
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, (void**)&job.routine));
  tn__lapack_copy(call->y.data, job.result, tn_byte_size(call->y));
  return tn__lapack_run(call->tn, &job.y, &(tn_lapack_loop_t){run_trsm, &job, 0});
}
