// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Eigenvalues and Schur forms.
#include "call/lapack/batch.h"

#include <math.h>

// --- syevd, heevd

#define SYEVD(ARG, ATTR, RET)                                          \
  ARG(x, of(f32, f64, c64, c128), any_rank)                            \
  ATTR(mode, uint8_t, TN_REQUIRED, "V: with eigenvectors; N: without") \
  ATTR(uplo, uint8_t, TN_REQUIRED, "L or U: the triangle to use")      \
  RET(v, dtype_of(x), like(x), "eigenvectors, as columns")             \
  RET(w, of(f32, f64), any_rank, "eigenvalues, smallest first")        \
  RET(info, s32, any_rank, "0, or it did not converge")

typedef struct syevd {
  union {
    void* any;
    void (*real)(const char* mode, const char* uplo, const int* n, void* a, const int* stride,
                 void* w, void* work, const int* work_count, int* integers,
                 const int* integer_count, int* info, size_t, size_t);
    void (*complex)(const char* mode, const char* uplo, const int* n, void* a, const int* stride,
                    void* w, void* work, const int* work_count, void* reals, const int* real_count,
                    int* integers, const int* integer_count, int* info, size_t, size_t);
  } routine;
  tn_matrices_t x;
  char mode, uplo;
  int work_count, real_count, integer_count;
  size_t real_size;
  char *v, *w;
  int32_t* info;
} syevd_t;

static void call_syevd(const syevd_t* job, void* a, void* w, void* work, void* reals, int* integers,
                       int* info) {
  const tn_matrices_t* x = &job->x;
  if (tn__lapack_is_complex(x->dtype)) {
    job->routine.complex(&job->mode, &job->uplo, &x->rows, a, &x->stride, w, work, &job->work_count,
                         reals, &job->real_count, integers, &job->integer_count, info, 1, 1);
  } else {
    job->routine.real(&job->mode, &job->uplo, &x->rows, a, &x->stride, w, work, &job->work_count,
                      integers, &job->integer_count, info, 1, 1);
  }
}

static void run_syevd(const void* user, int64_t index, char* work) {
  const syevd_t* job = user;
  void* numbers = tn__lapack_part(&work, (size_t)job->work_count * job->x.element_size);
  void* reals = tn__lapack_part(&work, (size_t)job->real_count * job->real_size);
  call_syevd(job, job->v + (size_t)index * job->x.byte_size,
             job->w + (size_t)(index * job->x.rows) * job->real_size, numbers, reals,
             (int*)(void*)work, &job->info[index]);
}

TN_LAPACK_OP(lapack_syevd, SYEVD, "eigenvalues and eigenvectors of Hermitian matrices") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE_OF(syevd, heevd);
  syevd_t job = {
      .mode = (char)call->mode,
      .uplo = (char)call->uplo,
      .work_count = -1,
      .real_count = -1,
      .integer_count = -1,
      .v = call->v.data,
      .w = call->w.data,
      .info = call->info.data,
  };
  double answer[2] = {0}, real_answer = 0;
  int integer_answer = 1, info;
  TN_LAPACK_SQUARES(call, x, &job.x);
  const tn_ffi_dtype_t real = tn__lapack_real(job.x.dtype);
  TN_LAPACK_EXPECT(call, w, real, x, job.x.rows);
  TN_LAPACK_EXPECT_EACH(call, info, TN_FFI_S32, x);
  TN_TRY(tn__lapack_letter(call->tn, "mode", call->mode, "VN"));
  TN_TRY(tn__lapack_letter(call->tn, "uplo", call->uplo, "LU"));
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, &job.routine.any));
  job.real_size = tn_ffi_dtype_size(real);
  call_syevd(&job, NULL, NULL, answer, &real_answer, &integer_answer, &info);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  job.real_count =
      tn__lapack_is_complex(job.x.dtype) ? tn__lapack_answer(job.x.dtype, &real_answer) : 0;
  job.integer_count = integer_answer;
  tn__lapack_copy(call->x.data, job.v, tn_byte_size(call->x));
  const size_t length = tn__lapack_align((size_t)job.work_count * job.x.element_size) +
                        tn__lapack_align((size_t)job.real_count * job.real_size) +
                        (size_t)job.integer_count * sizeof(int);
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_syevd, &job, length});
}

// --- geev

#define GEEV(ARG, ATTR, RET)                                                                  \
  ARG(x, of(f32, f64, c64, c128), any_rank)                                                   \
  ATTR(compute_left, uint8_t, TN_REQUIRED, "V: with left eigenvectors; N: without")           \
  ATTR(compute_right, uint8_t, TN_REQUIRED, "V: with right eigenvectors; N: without")         \
  RET(results, of(f32, f64, c64, c128, s32), remaining,                                       \
      "the eigenvalues (of real matrices: their real, then their imaginary parts), left and " \
      "right eigenvectors as columns, and 0 or how it did not converge")

typedef struct geev {
  union {
    void* any;
    void (*real)(const char* left, const char* right, const int* n, void* a, const int* stride,
                 void* wr, void* wi, void* vl, const int* vl_stride, void* vr, const int* vr_stride,
                 void* work, const int* work_count, int* info, size_t, size_t);
    void (*complex)(const char* left, const char* right, const int* n, void* a, const int* stride,
                    void* w, void* vl, const int* vl_stride, void* vr, const int* vr_stride,
                    void* work, const int* work_count, void* reals, int* info, size_t, size_t);
  } routine;
  tn_matrices_t x;
  char left, right;
  int work_count;
  const char* operand;
  char *w, *w_imaginary;  // of complex matrices: `w` only
  char *vl, *vr;
  size_t vector_length;  // of a matrix of them
  int32_t* info;
} geev_t;

static void call_geev(const geev_t* job, void* a, void* w, void* w_imaginary, void* vl, void* vr,
                      void* work, int work_count, void* reals, int* info) {
  const tn_matrices_t* x = &job->x;
  if (tn__lapack_is_complex(x->dtype)) {
    job->routine.complex(&job->left, &job->right, &x->rows, a, &x->stride, w, vl, &x->stride, vr,
                         &x->stride, work, &work_count, reals, info, 1, 1);
  } else {
    job->routine.real(&job->left, &job->right, &x->rows, a, &x->stride, w, w_imaginary, vl,
                      &x->stride, vr, &x->stride, work, &work_count, info, 1, 1);
  }
}

// The routines do not end, or worse, with such numbers.
static bool is_finite(tn_ffi_dtype_t dtype, const void* data, size_t byte_size) {
  if (tn__lapack_is_single(dtype)) {
    const float* values = data;
    for (size_t i = 0; i < byte_size / sizeof *values; ++i) {
      if (!isfinite(values[i])) return false;
    }
  } else {
    const double* values = data;
    for (size_t i = 0; i < byte_size / sizeof *values; ++i) {
      if (!isfinite(values[i])) return false;
    }
  }
  return true;
}

// Real matrices have vectors in pairs of columns, real and imaginary parts, where an eigenvalue
// has an imaginary part: of it and, conjugated, of the next one. EXPAND defines a function that
// spells them out.
#define EXPAND(name, real)                                                             \
  static void name(int n, const real* imaginary, const real* packed, real* out) {      \
    for (int j = 0; j < n; ++j) {                                                      \
      const bool is_pair = imaginary[j] != 0 && j + 1 < n;                             \
      for (int i = 0; i < n; ++i) {                                                    \
        const real re = packed[(size_t)j * (size_t)n + (size_t)i];                     \
        const real im = is_pair ? packed[(size_t)(j + 1) * (size_t)n + (size_t)i] : 0; \
        real* first = out + 2 * ((size_t)j * (size_t)n + (size_t)i);                   \
        first[0] = re, first[1] = im;                                                  \
        if (is_pair) first[2 * (size_t)n] = re, first[2 * (size_t)n + 1] = -im;        \
      }                                                                                \
      j += is_pair;                                                                    \
    }                                                                                  \
  }
EXPAND(expand_f32, float)
EXPAND(expand_f64, double)
#undef EXPAND

static void expand(const geev_t* job, const void* imaginary, const void* packed, void* out) {
  if (tn__lapack_is_single(job->x.dtype)) {
    expand_f32(job->x.rows, imaginary, packed, out);
  } else {
    expand_f64(job->x.rows, imaginary, packed, out);
  }
}

static void run_geev(const void* user, int64_t index, char* work) {
  const geev_t* job = user;
  const tn_matrices_t* x = &job->x;
  const bool is_complex = tn__lapack_is_complex(x->dtype);
  const size_t w_length = (size_t)x->rows * x->element_size;
  const char* operand = job->operand + (size_t)index * x->byte_size;
  char *w = job->w + (size_t)index * w_length, *w_imaginary = NULL;
  char* vl = job->vl + (size_t)index * job->vector_length;
  char* vr = job->vr + (size_t)index * job->vector_length;
  if (!is_complex) w_imaginary = job->w_imaginary + (size_t)index * w_length;
  if (!is_finite(x->dtype, operand, x->byte_size)) {
    memset(w, 0, w_length);
    if (w_imaginary) memset(w_imaginary, 0, w_length);
    memset(vl, 0, job->vector_length);
    memset(vr, 0, job->vector_length);
    job->info[index] = -4;
    return;
  }
  void* numbers = tn__lapack_part(&work, (size_t)job->work_count * x->element_size);
  void* matrix = tn__lapack_part(&work, x->byte_size);
  if (x->byte_size) memcpy(matrix, operand, x->byte_size);
  if (job->left == 'N') memset(vl, 0, job->vector_length);
  if (job->right == 'N') memset(vr, 0, job->vector_length);
  if (is_complex) {
    call_geev(job, matrix, w, NULL, vl, vr, numbers, job->work_count, work, &job->info[index]);
    return;
  }
  void* left = tn__lapack_part(&work, x->byte_size);
  void* right = tn__lapack_part(&work, x->byte_size);
  call_geev(job, matrix, w, w_imaginary, left, right, numbers, job->work_count, NULL,
            &job->info[index]);
  if (job->left == 'V') expand(job, w_imaginary, left, vl);
  if (job->right == 'V') expand(job, w_imaginary, right, vr);
}

// Result `index`, which must be of `dtype` and have these dimensions behind the batch's.
static tn_status_t take(const tn_call_t* call, tn_remaining_t results, int64_t index,
                        const tn_arg_any_t* x, tn_ffi_dtype_t dtype, size_t rank,
                        const int64_t* dims, void** out_data) {
  char name[32];
  const tn_ffi_buffer_t* buffer = results.values->values[results.first + index];
  const tn_arg_any_t value = {buffer->data, buffer->dims, buffer->rank, buffer->dtype};
  snprintf(name, sizeof name, "result %d", (int)index);
  TN_TRY(tn__lapack_expect(call, name, &value, dtype, x, rank, dims));
  *out_data = buffer->data;
  return TN_OK;
}

TN_LAPACK_OP(lapack_geev, GEEV, "eigenvalues and eigenvectors of any matrices") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(geev);
  geev_t job = {
      .left = (char)call->compute_left,
      .right = (char)call->compute_right,
      .operand = call->x.data,
  };
  double answer[2] = {0};
  int info;
  void *w, *w_imaginary = NULL, *vl, *vr, *infos;
  const tn_arg_any_t* x = TN_LAPACK_VALUE(call, x);
  TN_LAPACK_SQUARES(call, x, &job.x);
  TN_TRY(tn__lapack_letter(call->tn, "compute_left", call->compute_left, "VN"));
  TN_TRY(tn__lapack_letter(call->tn, "compute_right", call->compute_right, "VN"));
  const bool is_complex = tn__lapack_is_complex(job.x.dtype);
  const int64_t wanted = is_complex ? 4 : 5, order[] = {job.x.rows, job.x.rows};
  const tn_ffi_dtype_t complex = tn__lapack_complex(job.x.dtype);
  if (call->results.count != wanted) {
    return TN_ERROR(call, INVALID_ARGUMENT, "expected %d results, found %d", (int)wanted,
                    (int)call->results.count);
  }
  int64_t next = 0;
  TN_TRY(take(call->tn, call->results, next++, x, job.x.dtype, 1, order, &w));
  if (!is_complex) {
    TN_TRY(take(call->tn, call->results, next++, x, job.x.dtype, 1, order, &w_imaginary));
  }
  TN_TRY(take(call->tn, call->results, next++, x, complex, 2, order, &vl));
  TN_TRY(take(call->tn, call->results, next++, x, complex, 2, order, &vr));
  TN_TRY(take(call->tn, call->results, next++, x, TN_FFI_S32, 0, NULL, &infos));
  job.w = w, job.w_imaginary = w_imaginary, job.vl = vl, job.vr = vr, job.info = infos;
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, &job.routine.any));
  call_geev(&job, NULL, NULL, NULL, NULL, NULL, answer, -1, answer, &info);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  job.vector_length = (size_t)job.x.rows * (size_t)job.x.rows * tn_ffi_dtype_size(complex);
  const size_t matrix = tn__lapack_align(job.x.byte_size);
  const size_t length = tn__lapack_align((size_t)job.work_count * job.x.element_size) + matrix +
                        (is_complex ? 2 * (size_t)job.x.rows * sizeof(double) : 2 * matrix);
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_geev, &job, length});
}

// --- gees

#define GEES(ARG, ATTR, RET)                                                                     \
  ARG(x, of(f32, f64, c64, c128), any_rank)                                                      \
  ATTR(mode, uint8_t, TN_REQUIRED, "V: with Schur vectors; N: without")                          \
  ATTR(sort, uint8_t, TN_REQUIRED, "N: eigenvalues come as they come")                           \
  RET(x_out, dtype_of(x), like(x), "the Schur form")                                             \
  RET(vs, dtype_of(x), like(x), "Schur vectors, as columns")                                     \
  RET(results, of(f32, f64, c64, c128, s32), remaining,                                          \
      "the eigenvalues (of real matrices: their real, then their imaginary parts), 0, and 0 or " \
      "how it did not converge")

typedef struct gees {
  union {
    void* any;
    void (*real)(const char* mode, const char* sort, const void* select, const int* n, void* a,
                 const int* stride, int* selected, void* wr, void* wi, void* vs,
                 const int* vs_stride, void* work, const int* work_count, int* flags, int* info,
                 size_t, size_t);
    void (*complex)(const char* mode, const char* sort, const void* select, const int* n, void* a,
                    const int* stride, int* selected, void* w, void* vs, const int* vs_stride,
                    void* work, const int* work_count, void* reals, int* flags, int* info, size_t,
                    size_t);
  } routine;
  tn_matrices_t x;
  char mode, sort;
  int work_count;
  char *x_out, *vs, *w, *w_imaginary;
  int32_t *selected, *info;
} gees_t;

static void call_gees(const gees_t* job, void* a, int* selected, void* w, void* w_imaginary,
                      void* vs, void* work, int work_count, void* reals, int* info) {
  const tn_matrices_t* x = &job->x;
  int flags;
  if (tn__lapack_is_complex(x->dtype)) {
    job->routine.complex(&job->mode, &job->sort, NULL, &x->rows, a, &x->stride, selected, w, vs,
                         &x->stride, work, &work_count, reals, &flags, info, 1, 1);
  } else {
    job->routine.real(&job->mode, &job->sort, NULL, &x->rows, a, &x->stride, selected, w,
                      w_imaginary, vs, &x->stride, work, &work_count, &flags, info, 1, 1);
  }
}

static void run_gees(const void* user, int64_t index, char* work) {
  const gees_t* job = user;
  const tn_matrices_t* x = &job->x;
  const size_t w_length = (size_t)x->rows * x->element_size;
  char* matrix = job->x_out + (size_t)index * x->byte_size;
  char* w = job->w + (size_t)index * w_length;
  char* w_imaginary = job->w_imaginary ? job->w_imaginary + (size_t)index * w_length : NULL;
  char* vs = job->vs + (size_t)index * x->byte_size;
  job->selected[index] = 0;
  if (job->mode == 'N' && x->byte_size) memset(vs, 0, x->byte_size);
  if (!is_finite(x->dtype, matrix, x->byte_size)) {
    memset(w, 0, w_length);
    if (w_imaginary) memset(w_imaginary, 0, w_length);
    memset(vs, 0, x->byte_size);
    job->info[index] = -6;
    return;
  }
  void* numbers = tn__lapack_part(&work, (size_t)job->work_count * x->element_size);
  call_gees(job, matrix, &job->selected[index], w, w_imaginary, vs, numbers, job->work_count, work,
            &job->info[index]);
}

TN_LAPACK_OP(lapack_gees, GEES, "Schur forms") {
  static tn_lapack_routine_t routine = TN_LAPACK_ROUTINE(gees);
  gees_t job = {
      .mode = (char)call->mode,
      .sort = (char)call->sort,
      .x_out = call->x_out.data,
      .vs = call->vs.data,
  };
  double answer[2] = {0};
  int selected, info;
  void *w, *w_imaginary = NULL, *selecteds, *infos;
  const tn_arg_any_t* x = TN_LAPACK_VALUE(call, x);
  TN_LAPACK_SQUARES(call, x, &job.x);
  TN_TRY(tn__lapack_letter(call->tn, "mode", call->mode, "VN"));
  TN_TRY(tn__lapack_letter(call->tn, "sort", call->sort, "N"));
  const bool is_complex = tn__lapack_is_complex(job.x.dtype);
  const int64_t wanted = is_complex ? 3 : 4, order[] = {job.x.rows};
  if (call->results.count != wanted) {
    return TN_ERROR(call, INVALID_ARGUMENT, "expected %d results, found %d", (int)wanted + 2,
                    (int)call->results.count + 2);
  }
  int64_t next = 0;
  TN_TRY(take(call->tn, call->results, next++, x, job.x.dtype, 1, order, &w));
  if (!is_complex) {
    TN_TRY(take(call->tn, call->results, next++, x, job.x.dtype, 1, order, &w_imaginary));
  }
  TN_TRY(take(call->tn, call->results, next++, x, TN_FFI_S32, 0, NULL, &selecteds));
  TN_TRY(take(call->tn, call->results, next++, x, TN_FFI_S32, 0, NULL, &infos));
  job.w = w, job.w_imaginary = w_imaginary, job.selected = selecteds, job.info = infos;
  TN_TRY(tn__lapack_function(call->tn, &routine, job.x.dtype, &job.routine.any));
  call_gees(&job, NULL, &selected, NULL, NULL, NULL, answer, -1, answer, &info);
  job.work_count = tn__lapack_answer(job.x.dtype, answer);
  tn__lapack_copy(call->x.data, job.x_out, tn_byte_size(call->x));
  const size_t length = tn__lapack_align((size_t)job.work_count * job.x.element_size) +
                        (is_complex ? (size_t)job.x.rows * sizeof(double) : 0);
  return tn__lapack_run(call->tn, &job.x, &(tn_lapack_loop_t){run_gees, &job, length});
}
