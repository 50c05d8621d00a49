// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Singular values, by divide and conquer (gesdd) and by QR iterations (gesvd).
#include "call/lapack/batch.h"

#define SVD(ARG, ATTR, RET)                                                                  \
  ARG(x, of(f32, f64, c64, c128), any_rank)                                                  \
  ATTR(mode, uint8_t, TN_REQUIRED, "A: all singular vectors; S: as many as values; N: none") \
  RET(x_out, dtype_of(x), like(x), "overwritten")                                            \
  RET(s, of(f32, f64), any_rank, "singular values, largest first")                           \
  RET(u, dtype_of(x), any_rank)                                                              \
  RET(vt, dtype_of(x), any_rank, "the adjoint of V")                                         \
  RET(info, s32, any_rank, "0, or it did not converge")

typedef struct svd {
  union {
    void* any;
    void (*dd_real)(const char* mode, const int* m, const int* n, void* a, const int* stride,
                    void* s, void* u, const int* u_stride, void* vt, const int* vt_stride,
                    void* work, const int* work_count, int* integers, int* info, size_t);
    void (*dd_complex)(const char* mode, const int* m, const int* n, void* a, const int* stride,
                       void* s, void* u, const int* u_stride, void* vt, const int* vt_stride,
                       void* work, const int* work_count, void* reals, int* integers, int* info,
                       size_t);
    void (*vd_real)(const char* mode_u, const char* mode_vt, const int* m, const int* n, void* a,
                    const int* stride, void* s, void* u, const int* u_stride, void* vt,
                    const int* vt_stride, void* work, const int* work_count, int* info, size_t,
                    size_t);
    void (*vd_complex)(const char* mode_u, const char* mode_vt, const int* m, const int* n, void* a,
                       const int* stride, void* s, void* u, const int* u_stride, void* vt,
                       const int* vt_stride, void* work, const int* work_count, void* reals,
                       int* info, size_t, size_t);
  } routine;
  tn_matrices_t x;
  char mode;
  bool divides;  // and conquers
  int u_stride, vt_stride, work_count;
  size_t s_length, u_length, vt_length;  // of a matrix
  size_t real_length, integer_length;
  char *x_out, *s, *u, *vt;
  int32_t* info;
} svd_t;

static void call_svd(const svd_t* job, void* a, void* s, void* u, void* vt, void* work,
                     int work_count, void* reals, int* integers, int* info) {
  const tn_matrices_t* x = &job->x;
  const bool is_complex = tn__lapack_is_complex(x->dtype);
  if (job->divides && is_complex) {
    job->routine.dd_complex(&job->mode, &x->rows, &x->columns, a, &x->stride, s, u, &job->u_stride,
                            vt, &job->vt_stride, work, &work_count, reals, integers, info, 1);
  } else if (job->divides) {
    job->routine.dd_real(&job->mode, &x->rows, &x->columns, a, &x->stride, s, u, &job->u_stride, vt,
                         &job->vt_stride, work, &work_count, integers, info, 1);
  } else if (is_complex) {
    job->routine.vd_complex(&job->mode, &job->mode, &x->rows, &x->columns, a, &x->stride, s, u,
                            &job->u_stride, vt, &job->vt_stride, work, &work_count, reals, info, 1,
                            1);
  } else {
    job->routine.vd_real(&job->mode, &job->mode, &x->rows, &x->columns, a, &x->stride, s, u,
                         &job->u_stride, vt, &job->vt_stride, work, &work_count, info, 1, 1);
  }
}

static void run_svd(const void* user, int64_t index, char* work) {
  const svd_t* job = user;
  void* numbers = tn__lapack_part(&work, (size_t)job->work_count * job->x.element_size);
  void* reals = tn__lapack_part(&work, job->real_length);
  call_svd(job, job->x_out + (size_t)index * job->x.byte_size,
           job->s + (size_t)index * job->s_length, job->u + (size_t)index * job->u_length,
           job->vt + (size_t)index * job->vt_length, numbers, job->work_count, reals,
           (int*)(void*)work, &job->info[index]);
}

// Counts of reals that LAPACK asks for without being asked.
static size_t real_count(const svd_t* job) {
  const size_t least = (size_t)job->x.least;
  const size_t most = (size_t)(job->x.rows > job->x.columns ? job->x.rows : job->x.columns);
  if (!job->divides) return 5 * least;
  if (job->mode == 'N') return 7 * least;
  const size_t a = 5 * least + 7, b = 2 * most + 2 * least + 1;
  return least * (a > b ? a : b);
}

static tn_status_t compute(const tn_call_t* call, svd_t* job, tn_lapack_routine_t* routine,
                           const void* x) {
  const tn_ffi_dtype_t dtype = job->x.dtype;
  double answer[2] = {0}, real_answer;
  int integer_answer, info;
  const size_t real_size = tn_ffi_dtype_size(tn__lapack_real(dtype));
  job->s_length = (size_t)job->x.least * real_size;
  job->real_length = tn__lapack_is_complex(dtype) ? real_count(job) * real_size : 0;
  job->integer_length = job->divides ? 8 * (size_t)job->x.least * sizeof(int) : 0;
  TN_TRY(tn__lapack_function(call, routine, dtype, &job->routine.any));
  call_svd(job, NULL, NULL, NULL, NULL, answer, -1, &real_answer, &integer_answer, &info);
  job->work_count = tn__lapack_answer(dtype, answer);
  tn__lapack_copy(x, job->x_out, (size_t)job->x.batch * job->x.byte_size);
  if (job->mode == 'N') {
    memset(job->u, 0, (size_t)job->x.batch * job->u_length);
    memset(job->vt, 0, (size_t)job->x.batch * job->vt_length);
  }
  const size_t length = tn__lapack_align((size_t)job->work_count * job->x.element_size) +
                        tn__lapack_align(job->real_length) + job->integer_length;
  return tn__lapack_run(call, &job->x, &(tn_lapack_loop_t){run_svd, job, length});
}

// How many vectors of one side there are. When none is computed (N), JAX still declares some: as
// many as there are values, or all.
static int vector_count(uint8_t mode, const tn_arg_any_t* vectors, int64_t axis_from_end, int least,
                        int all) {
  if (mode != 'N') return mode == 'S' ? least : all;
  const bool has_axis = vectors->rank >= axis_from_end;
  return has_axis && vectors->dims[vectors->rank - axis_from_end] == least ? least : all;
}

// Both operations have the same values.
#define PREPARE(job)                                                                          \
  TN_LAPACK_MATRICES(call, x, &(job).x);                                                      \
  TN_TRY(tn__lapack_letter(call->tn, "mode", call->mode, "ASN"));                             \
  const int width =                                                                           \
      vector_count(call->mode, TN_LAPACK_VALUE(call, u), 1, (job).x.least, (job).x.rows);     \
  const int height =                                                                          \
      vector_count(call->mode, TN_LAPACK_VALUE(call, vt), 2, (job).x.least, (job).x.columns); \
  TN_LAPACK_EXPECT(call, s, tn__lapack_real((job).x.dtype), x, (job).x.least);                \
  TN_LAPACK_EXPECT(call, u, (job).x.dtype, x, (job).x.rows, width);                           \
  TN_LAPACK_EXPECT(call, vt, (job).x.dtype, x, height, (job).x.columns);                      \
  TN_LAPACK_EXPECT_EACH(call, info, TN_FFI_S32, x);                                           \
  (job).mode = (char)call->mode;                                                              \
  (job).x_out = call->x_out.data, (job).s = call->s.data, (job).u = call->u.data;             \
  (job).vt = call->vt.data, (job).info = call->info.data;                                     \
  (job).u_stride = (job).x.stride, (job).vt_stride = height ? height : 1;                     \
  (job).u_length = (size_t)(job).x.rows * (size_t)width * (job).x.element_size;               \
  (job).vt_length = (size_t)height * (size_t)(job).x.columns * (job).x.element_size

TN_LAPACK_OP(lapack_gesdd, SVD, "singular values and vectors, by divide and conquer") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(gesdd);
  svd_t job = {.divides = true};
  PREPARE(job);
  return compute(call->tn, &job, &routine, call->x.data);
}

TN_LAPACK_OP(lapack_gesvd, SVD, "singular values and vectors, by QR iterations") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(gesvd);
  svd_t job = {.divides = false};
  PREPARE(job);
  return compute(call->tn, &job, &routine, call->x.data);
}
