// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays that are made from a shape, or from a few numbers.
#include <math.h>

#include "array/common.h"

tn_array_t* tn_array_full(tn_scope_t* scope, size_t rank, const int64_t* dims, tn_array_t* vals) {
  TN__OPERATION(scope, "full");
  return tn_array_broadcast_to(scope, vals, rank, dims);
}

static tn_array_t* filled(tn_scope_t* scope, tn_dtype_t dtype, double value, size_t rank,
                          const int64_t* dims) {
  TN__RETURN_IF_FAILED(tn__check_dtype(scope, dtype));
  TN__RETURN_IF_FAILED(tn__check_dims(scope, rank, dims));
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] >= 0) continue;
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "dimension %zu is %lld", i,
                          (long long)dims[i]);
  }
  return tn_array_full(scope, rank, dims, tn_array_scalar(scope, dtype, value));
}

tn_array_t* tn_array_zeros(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  TN__OPERATION(scope, "zeros");
  return filled(scope, dtype, 0, rank, dims);
}

tn_array_t* tn_array_ones(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  TN__OPERATION(scope, "ones");
  return filled(scope, dtype, 1, rank, dims);
}

tn_array_t* tn_array_empty(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  TN__OPERATION(scope, "empty");
  return tn_array_zeros(scope, dtype, rank, dims);
}

tn_array_t* tn_array_empty_like(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "empty_like");
  return tn_array_zeros_like(scope, a);
}

tn_array_t* tn_array_full_like(tn_scope_t* scope, tn_array_t* a, tn_array_t* vals) {
  TN__OPERATION_ON(scope, "full_like", a, vals);
  return tn_array_full(scope, a->rank, a->dims, tn_array_astype(scope, vals, a->dtype));
}

tn_array_t* tn_array_zeros_like(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "zeros_like", a);
  return tn_array_zeros(scope, a->dtype, a->rank, a->dims);
}

tn_array_t* tn_array_ones_like(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "ones_like", a);
  return tn_array_ones(scope, a->dtype, a->rank, a->dims);
}

// --- progressions

// In which dtype numbers of `dtype` are counted.
static tn_dtype_t counting_dtype(tn_dtype_t dtype) {
  const bool is_narrow = tn_dtype_kind(dtype) == TN_KIND_FLOAT && tn_dtype_bit_width(dtype) < 32;
  return is_narrow ? TN_DTYPE_F32 : dtype;
}

// first + step * [0, 1, 2...]
static tn_array_t* progression(tn_scope_t* scope, tn_dtype_t dtype, int64_t count, double first,
                               double step) {
  const tn_dtype_t counting = counting_dtype(dtype);
  tn_array_t* x = tn__iota(scope, counting, 1, &count, 0);
  if (step != 1) x = tn_array_multiply(scope, x, tn__number_like(scope, x, step));
  if (first != 0) x = tn_array_add(scope, x, tn__number_like(scope, x, first));
  return tn_array_astype(scope, x, dtype);
}

tn_array_t* tn_array_arange(tn_scope_t* scope, tn_dtype_t dtype, double start, double stop,
                            double step) {
  TN__OPERATION(scope, "arange");
  if (!tn_issubdtype(dtype, TN_CATEGORY_NUMBER)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the dtype is %d (%s); expected one of numbers", (int)dtype,
                          tn_dtype_name(dtype));
  }
  const double length = ceil((stop - start) / step);
  if (step == 0 || isnan(length) || isinf(start) || isinf(stop) || length > INT32_MAX) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "from %g to %g by %g would have %g elements; the limit is 2^31 - 1",
                          start, stop, step, length);
  }
  if (isinf(step) && length != 0) {
    return tn_array_full(scope, 1, (const int64_t[]){1}, tn_array_scalar(scope, dtype, start));
  }
  return progression(scope, dtype, length > 0 ? (int64_t)length : 0, start, step);
}

tn_array_t* tn_array_linspace(tn_scope_t* scope, tn_dtype_t dtype, double start, double stop,
                              int64_t num, bool endpoint) {
  TN__OPERATION(scope, "linspace");
  TN__RETURN_IF_FAILED(tn__check_dtype(scope, dtype));
  if (num < 0 || num > INT32_MAX) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%lld elements; expected 0 to 2^31 - 1",
                          (long long)num);
  }
  if (num == 1) {
    return tn_array_full(scope, 1, &num, tn_array_scalar(scope, dtype, start));
  }
  const tn_dtype_t inner = dtype == TN_DTYPE_F64 ? TN_DTYPE_F64 : TN_DTYPE_F32;
  tn_array_t* t = tn__iota(scope, inner, 1, &num, 0);
  t = tn_array_divide(scope, t, tn__number_like(scope, t, (double)(endpoint ? num - 1 : num)));
  // Both ends are exact this way.
  tn_array_t* rest = tn_array_subtract(scope, tn__number_like(scope, t, 1), t);
  tn_array_t* x =
      tn_array_add(scope, tn_array_multiply(scope, rest, tn__number_like(scope, rest, start)),
                   tn_array_multiply(scope, t, tn__number_like(scope, t, stop)));
  return tn_array_astype(scope, x, dtype);
}

// --- windows

typedef tn_array_t* (*window_fn)(tn_scope_t* scope, tn_array_t* x);

// f of 2 pi i / (length - 1); a single element is 1.
static tn_array_t* window(tn_scope_t* scope, int64_t length, window_fn f) {
  if (length < 1) return tn_array_zeros(scope, TN_DTYPE_F32, 1, (const int64_t[]){0});
  if (length == 1) return tn_array_ones(scope, TN_DTYPE_F32, 1, &length);
  return f(scope, progression(scope, TN_DTYPE_F32, length, 0, 2 * M_PI / (double)(length - 1)));
}

// a + b x
static tn_array_t* line(tn_scope_t* scope, double a, double b, tn_array_t* x) {
  return tn_array_add(scope, tn__number_like(scope, x, a),
                      tn_array_multiply(scope, tn__number_like(scope, x, b), x));
}

static tn_array_t* bartlett(tn_scope_t* scope, tn_array_t* x) {
  return line(scope, 1, -1, tn_array_abs(scope, line(scope, -1, 1 / M_PI, x)));
}

static tn_array_t* blackman(tn_scope_t* scope, tn_array_t* x) {
  tn_array_t* cosine = tn_array_cos(scope, x);
  return tn_array_add(scope, line(scope, 0.34, -0.5, cosine),
                      line(scope, 0, 0.16, tn_array_square(scope, cosine)));
}

static tn_array_t* hamming(tn_scope_t* scope, tn_array_t* x) {
  return line(scope, 0.54, -0.46, tn_array_cos(scope, x));
}

static tn_array_t* hanning(tn_scope_t* scope, tn_array_t* x) {
  return tn_array_square(scope, tn_array_sin(scope, line(scope, 0, 0.5, x)));
}

#define WINDOW(name)                                          \
  tn_array_t* tn_array_##name(tn_scope_t* scope, int64_t M) { \
    TN__OPERATION(scope, #name);                              \
    return window(scope, M, name);                            \
  }
WINDOW(bartlett)
WINDOW(blackman)
WINDOW(hamming)
WINDOW(hanning)

// --- diagonals

static tn_array_t* check_matrix(tn_scope_t* scope, int64_t rows, int64_t columns) {
  if (rows >= 0 && columns >= 0) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "%lld rows and %lld columns; expected at least 0", (long long)rows,
                        (long long)columns);
}

// Whether column - row is `k` ("EQ"), or at most `k` ("GE").
static tn_array_t* diagonal_mask(tn_scope_t* scope, int64_t rows, int64_t columns, int64_t k,
                                 bool below) {
  const int64_t dims[] = {rows, columns};
  tn_array_t* row = tn__iota(scope, TN_DTYPE_S64, 2, dims, 0);
  tn_array_t* column = tn__iota(scope, TN_DTYPE_S64, 2, dims, 1);
  row = tn_array_add(scope, row, tn__number_like(scope, row, (double)k));
  return below ? tn_array_greater_equal(scope, row, column) : tn_array_equal(scope, row, column);
}

tn_array_t* tn_array_eye(tn_scope_t* scope, tn_dtype_t dtype, int64_t n, int64_t m, int64_t k) {
  TN__OPERATION(scope, "eye");
  TN__RETURN_IF_FAILED(check_matrix(scope, n, m));
  return tn_array_astype(scope, diagonal_mask(scope, n, m, k, false), dtype);
}

tn_array_t* tn_array_identity(tn_scope_t* scope, tn_dtype_t dtype, int64_t n) {
  TN__OPERATION(scope, "identity");
  return tn_array_eye(scope, dtype, n, n, 0);
}

tn_array_t* tn_array_tri(tn_scope_t* scope, tn_dtype_t dtype, int64_t n, int64_t m, int64_t k) {
  TN__OPERATION(scope, "tri");
  TN__RETURN_IF_FAILED(check_matrix(scope, n, m));
  return tn_array_astype(scope, diagonal_mask(scope, n, m, k, true), dtype);
}

static tn_array_t* triangle(tn_scope_t* scope, tn_array_t* x, int64_t k, bool is_lower) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  if (x->rank < 2) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "an array of %zu dimensions; expected at least 2", (size_t)x->rank);
  }
  tn_array_t* zero = tn__number_like(scope, x, 0);
  if (k == INT64_MIN) k = -INT64_MAX;  // no matrix reaches so far
  tn_array_t* mask =
      diagonal_mask(scope, x->dims[x->rank - 2], x->dims[x->rank - 1], is_lower ? k : k - 1, true);
  return is_lower ? tn_array_where(scope, mask, x, zero) : tn_array_where(scope, mask, zero, x);
}

tn_array_t* tn_array_tril(tn_scope_t* scope, tn_array_t* x, int64_t k) {
  TN__OPERATION(scope, "tril");
  return triangle(scope, x, k, true);
}

tn_array_t* tn_array_triu(tn_scope_t* scope, tn_array_t* x, int64_t k) {
  TN__OPERATION(scope, "triu");
  return triangle(scope, x, k, false);
}

// The diagonal of the last two dimensions: every columns + 1 elements of a matrix in one line.
static tn_array_t* last_diagonal(tn_scope_t* scope, tn_array_t* x, int64_t offset) {
  int64_t starts[TN_MAX_RANK] = {0}, stops[TN_MAX_RANK], steps[TN_MAX_RANK];
  const size_t last = x->rank - 2;  // of the flattened array
  const int64_t rows = x->dims[last], columns = x->dims[last + 1];
  if (offset < -rows) offset = -rows;
  if (offset > columns) offset = columns;
  const int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0;
  int64_t count = rows - row < columns - column ? rows - row : columns - column;
  if (count < 0) count = 0;
  for (size_t i = 0; i < last; ++i) {
    stops[i] = x->dims[i];
    steps[i] = 1;
  }
  starts[last] = count ? row * columns + column : 0;
  steps[last] = count > 1 ? columns + 1 : 1;
  stops[last] = count ? starts[last] + (count - 1) * steps[last] + 1 : 0;
  return tn_array_slice(scope, tn_array_flatten(scope, x, -2, -1), starts, stops, steps);
}

tn_array_t* tn_array_diagonal(tn_scope_t* scope, tn_array_t* a, int64_t offset, int64_t axis1,
                              int64_t axis2) {
  TN__OPERATION_ON(scope, "diagonal", a);
  int64_t axes[TN_MAX_RANK];
  size_t first = 0, second = 0, count = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis1, a->rank, &first));
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis2, a->rank, &second));
  if (first == second) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "axis %lld is given twice",
                          (long long)axis1);
  }
  for (size_t i = 0; i < a->rank; ++i) {
    if (i != first && i != second) axes[count++] = (int64_t)i;
  }
  axes[count++] = (int64_t)first;
  axes[count] = (int64_t)second;
  a = tn_array_transpose(scope, a, axes);
  return a->dtype == TN_DTYPE_INVALID ? a : last_diagonal(scope, a, offset);
}

tn_array_t* tn_array_diag(tn_scope_t* scope, tn_array_t* a, int64_t k) {
  TN__OPERATION_ON(scope, "diag", a);
  if (a->rank == 2) return tn_array_diagonal(scope, a, k, 0, 1);
  if (a->rank != 1 || k > INT32_MAX || k < -INT32_MAX) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "an array of shape %s, diagonal %lld; expected one or two dimensions",
                          TN_SHAPE_TEXT(a->rank, a->dims), (long long)k);
  }
  const int64_t more = k < 0 ? -k : k, size = a->dims[0] + more, zero = 0;
  tn_array_t* mask = diagonal_mask(scope, size, size, k, false);
  tn_array_t* elements = tn_array_pad(scope, a, &zero, &more, TN_PAD_CONSTANT, NULL);
  // Above the main diagonal the row tells which element it is, below it the column.
  if (k >= 0) elements = tn_array_expand_dims(scope, elements, 1, (const int64_t[]){1});
  return tn_array_where(scope, mask, elements, tn__number_like(scope, a, 0));
}

tn_array_t* tn_array_trace(tn_scope_t* scope, tn_array_t* a, int64_t offset, int64_t axis1,
                           int64_t axis2, tn_dtype_t dtype) {
  TN__OPERATION(scope, "trace");
  tn_array_t* line = tn_array_diagonal(scope, a, offset, axis1, axis2);
  if (dtype != TN_DTYPE_INVALID) line = tn_array_astype(scope, line, dtype);
  return tn_array_sum(scope, line, 1, (const int64_t[]){-1}, false);
}
