// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Linear algebra, Fourier transforms and normalisation, from their definitions.
#include <math.h>

#include "kernel/reference/kernels.h"

static const long double pi = 3.14159265358979323846264338327950288L;

// Working memory of a kernel: complex numbers.
static tn_status_t take(int64_t count, long double complex** out_numbers) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(tn_allocator_system(), (size_t)count,
                                        sizeof(long double complex), &memory));
  *out_numbers = memory;
  return TN_OK;
}
static void give(int64_t count, long double complex* numbers) {
  tn__free(tn_allocator_system(), numbers, (size_t)count * sizeof *numbers);
}

static void load(const tn_type_t* type, const void* elements, int64_t first, int64_t count,
                 long double complex* out_numbers) {
  for (int64_t i = 0; i < count; ++i) {
    out_numbers[i] = tn__complex_of(tn__number_at(type->dtype, elements, first + i));
  }
}

static void store(const tn_type_t* type, void* elements, int64_t first, int64_t count,
                  const long double complex* numbers) {
  for (int64_t i = 0; i < count; ++i) {
    tn__number_put(type->dtype, tn__number_complex(numbers[i]), elements, first + i);
  }
}

// --- cholesky

// a = l l^H, in the place of the lower triangle. False: it is not positive definite.
static bool factor(long double complex* a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    long double pivot = creall(a[j * n + j]);
    for (int64_t k = 0; k < j; ++k) pivot -= creall(a[j * n + k] * conjl(a[j * n + k]));
    if (!(pivot > 0)) return false;
    a[j * n + j] = sqrtl(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      long double complex sum = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) sum -= a[i * n + k] * conjl(a[j * n + k]);
      a[i * n + j] = sum / a[j * n + j];
    }
  }
  return true;
}

static void swap_triangles(long double complex* a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const long double complex lower = a[i * n + j];
      a[i * n + j] = conjl(a[j * n + i]);
      a[j * n + i] = conjl(lower);
    }
  }
}

// The other triangle is zero; without a factor everything is NaN.
tn_status_t tn__reference_cholesky_run(const tn_kernel_call_t* call) {
  const tn_type_t* type = tn__reference_result(call, 0);
  const bool is_lower = tn__attr_get_bool(&tn__reference_use(call)->attrs, "lower", false);
  const int64_t n = type->dims[type->rank - 1], size = n * n;
  long double complex* a = NULL;
  TN_RETURN_IF_ERROR(take(size, &a));
  for (int64_t first = 0; first < tn__type_size(type); first += size) {
    load(type, call->operands[0], first, size, a);
    if (!is_lower) swap_triangles(a, n);
    const bool is_definite = factor(a, n);
    for (int64_t i = 0; i < size; ++i) {
      if (i % n > i / n) a[i] = 0;
      if (!is_definite) a[i] = NAN;
    }
    if (!is_lower && is_definite) swap_triangles(a, n);
    store(type, call->results[0], first, size, a);
  }
  give(size, a);
  return TN_OK;
}

// --- triangular_solve

// Solves op(a) x = b in the place of b, whose element i is at b[i * step].
static void substitute(const long double complex* a, int64_t n, bool is_lower, bool is_unit,
                       bool is_transposed, bool is_conjugated, long double complex* b,
                       int64_t step) {
  const bool is_forward = is_lower != is_transposed;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = is_forward ? k : n - 1 - k;
    long double complex sum = b[i * step];
    for (int64_t j = is_forward ? 0 : i + 1; j < (is_forward ? i : n); ++j) {
      const long double complex element = is_transposed ? a[j * n + i] : a[i * n + j];
      sum -= (is_conjugated ? conjl(element) : element) * b[j * step];
    }
    const long double complex pivot = is_conjugated ? conjl(a[i * n + i]) : a[i * n + i];
    b[i * step] = is_unit ? sum : sum / pivot;
  }
}

tn_status_t tn__reference_triangular_solve_run(const tn_kernel_call_t* call) {
  enum { NO_TRANSPOSE = 1, TRANSPOSE, ADJOINT };
  const tn_attr_dictionary_t* attrs = &tn__reference_use(call)->attrs;
  const tn_type_t *a_type = tn__reference_operand(call, 0), *type = tn__reference_result(call, 0);
  const bool is_left = tn__attr_get_bool(attrs, "left_side", true);
  const bool is_lower = tn__attr_get_bool(attrs, "lower", false);
  const bool is_unit = tn__attr_get_bool(attrs, "unit_diagonal", false);
  const int mode = tn__reference_enum(attrs, "transpose_a", "transpose", NO_TRANSPOSE);
  const int64_t n = a_type->dims[a_type->rank - 1];
  const int64_t rows = type->dims[type->rank - 2], columns = type->dims[type->rank - 1];
  long double complex *a = NULL, *b = NULL;
  TN_RETURN_IF_ERROR(take(n * n, &a));
  tn_status_t status = take(rows * columns, &b);
  for (int64_t first = 0, batch = 0; !status && first < tn__type_size(type);
       first += rows * columns, ++batch) {
    load(a_type, call->operands[0], batch * n * n, n * n, a);
    load(type, call->operands[1], first, rows * columns, b);
    // x op(a) = b is op(a)^T x^T = b^T: rows in the place of columns.
    for (int64_t k = 0; k < (is_left ? columns : rows); ++k) {
      substitute(a, n, is_lower, is_unit, (mode != NO_TRANSPOSE) == is_left, mode == ADJOINT,
                 is_left ? b + k : b + k * columns, is_left ? columns : 1);
    }
    store(type, call->results[0], first, rows * columns, b);
  }
  if (b) give(rows * columns, b);
  give(n * n, a);
  return status;
}

// --- fft

enum { FFT, IFFT, RFFT, IRFFT };

// Sums of a line's elements times the roots of unity, without their scale.
static void transform_line(const long double complex* line, int64_t length, int64_t step,
                           bool is_inverse, long double complex* out_line) {
  for (int64_t k = 0; k < length; ++k) {
    out_line[k] = 0;
    for (int64_t i = 0; i < length; ++i) {
      const long double angle = 2 * pi * (long double)(i * k % length) / (long double)length;
      const long double complex root = tn__complex_of(
          (tn_number_t){.re = cosl(angle), .im = is_inverse ? sinl(angle) : -sinl(angle)});
      out_line[k] += line[i * step] * root;
    }
  }
}

// Along dimension `d` of the array `numbers` with these dimensions.
static void transform_dimension(size_t rank, const int64_t* dims, size_t d, bool is_inverse,
                                long double complex* numbers, long double complex* line) {
  int64_t step = 1, size = 1;
  for (size_t k = 0; k < rank; ++k) size *= dims[k];
  for (size_t k = d + 1; k < rank; ++k) step *= dims[k];
  for (int64_t first = 0; first < size; ++first) {
    if (first / step % dims[d] != 0) continue;
    transform_line(numbers + first, dims[d], step, is_inverse, line);
    for (int64_t i = 0; i < dims[d]; ++i) {
      numbers[first + i * step] = is_inverse ? line[i] / (long double)dims[d] : line[i];
    }
  }
}

// Copies what both arrays have; of a half spectrum, what is missing are conjugates.
static void resize(const tn_type_t* from, const void* elements, const int64_t* dims, bool is_half,
                   long double complex* out_numbers, int64_t size,
                   const tn_reference_list_t* lengths) {
  const size_t rank = from->rank, first = rank - lengths->count;
  for (int64_t i = 0; i < size; ++i) {
    int64_t at[TN_MAX_RANK];
    tn__reference_split(rank, dims, i, at);
    const bool is_missing = is_half && at[rank - 1] >= from->dims[rank - 1];
    for (size_t d = first; is_missing && d < rank; ++d) at[d] = (dims[d] - at[d]) % dims[d];
    const int64_t index = tn__reference_join(rank, from->dims, at);
    const long double complex value = tn__complex_of(tn__number_at(from->dtype, elements, index));
    out_numbers[i] = is_missing ? conjl(value) : value;
  }
}

tn_status_t tn__reference_fft_run(const tn_kernel_call_t* call) {
  const tn_attr_dictionary_t* attrs = &tn__reference_use(call)->attrs;
  const tn_type_t *operand = tn__reference_operand(call, 0),
                  *result = tn__reference_result(call, 0);
  const int kind = tn__reference_enum(attrs, "fft_type", "fft_type", FFT);
  const bool is_inverse = kind == IFFT || kind == IRFFT;
  const size_t rank = operand->rank;
  tn_reference_list_t lengths;
  long double complex *numbers = NULL, *line = NULL;
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "fft_length", 0, 0, &lengths));
  if (tn__type_size(result) == 0) return TN_OK;
  // The whole spectrum has the dimensions of the real side.
  const int64_t* dims = kind == IRFFT ? result->dims : operand->dims;
  int64_t size = 1, longest = 1;
  for (size_t d = 0; d < rank; ++d) {
    size *= dims[d];
    if (longest < dims[d]) longest = dims[d];
  }
  TN_RETURN_IF_ERROR(take(size, &numbers));
  tn_status_t status = take(longest, &line);
  if (!status) {
    resize(operand, call->operands[0], dims, kind == IRFFT, numbers, size, &lengths);
    for (size_t d = rank - lengths.count; d < rank; ++d) {
      transform_dimension(rank, dims, d, is_inverse, numbers, line);
    }
    for (int64_t i = 0; i < tn__type_size(result); ++i) {
      int64_t at[TN_MAX_RANK];
      tn__reference_split(rank, result->dims, i, at);
      store(result, call->results[0], i, 1, &numbers[tn__reference_join(rank, dims, at)]);
    }
  }
  if (line) give(longest, line);
  give(size, numbers);
  return status;
}

// --- batch normalisation

// The features' dimension, and the sums over all elements of a feature.
typedef struct norm {
  const tn_kernel_call_t* call;
  const tn_type_t* type;
  int64_t features, inner;  // inner: elements behind each other of one feature
  long double terms, epsilon;
} norm_t;

static norm_t begin_norm(const tn_kernel_call_t* call) {
  const tn_attr_dictionary_t* attrs = &tn__reference_use(call)->attrs;
  const tn_type_t* type = tn__reference_operand(call, 0);
  const size_t dimension = (size_t)tn__attr_get_integer(attrs, "feature_index", 0);
  norm_t norm = {.call = call,
                 .type = type,
                 .features = type->dims[dimension],
                 .inner = 1,
                 .epsilon = tn__attr_get_float(attrs, "epsilon", 0)};
  for (size_t d = dimension + 1; d < type->rank; ++d) norm.inner *= type->dims[d];
  const int64_t terms = norm.features ? tn__type_size(type) / norm.features : 0;
  norm.terms = (long double)terms;
  return norm;
}

static long double at(const norm_t* norm, size_t operand, int64_t index) {
  return tn__number_at(norm->type->dtype, norm->call->operands[operand], index).re;
}
static void put(const norm_t* norm, size_t result, int64_t index, long double value) {
  tn__number_put(norm->type->dtype, tn__number_real(value), norm->call->results[result], index);
}

#define FOR_EACH_OF_FEATURE(i, norm, feature)               \
  for (int64_t i = 0; i < tn__type_size((norm)->type); ++i) \
    if (i / (norm)->inner % (norm)->features == (feature))

static void normalize(const norm_t* norm, int64_t feature, long double mean, long double variance) {
  const long double scale = at(norm, 1, feature), offset = at(norm, 2, feature);
  FOR_EACH_OF_FEATURE(i, norm, feature) {
    put(norm, 0, i, scale * (at(norm, 0, i) - mean) / sqrtl(variance + norm->epsilon) + offset);
  }
}

tn_status_t tn__reference_batch_norm_inference_run(const tn_kernel_call_t* call) {
  const norm_t norm = begin_norm(call);
  for (int64_t f = 0; f < norm.features; ++f) normalize(&norm, f, at(&norm, 3, f), at(&norm, 4, f));
  return TN_OK;
}

tn_status_t tn__reference_batch_norm_training_run(const tn_kernel_call_t* call) {
  const norm_t norm = begin_norm(call);
  for (int64_t f = 0; f < norm.features; ++f) {
    long double mean = 0, variance = 0;
    FOR_EACH_OF_FEATURE(i, &norm, f) mean += at(&norm, 0, i) / norm.terms;
    FOR_EACH_OF_FEATURE(i, &norm, f) {
      variance += (at(&norm, 0, i) - mean) * (at(&norm, 0, i) - mean) / norm.terms;
    }
    if (norm.terms == 0) mean = variance = NAN;
    normalize(&norm, f, mean, variance);
    put(&norm, 1, f, mean);
    put(&norm, 2, f, variance);
  }
  return TN_OK;
}

// Operands: operand, scale, mean, variance, gradient of the output. The operand acts on the output
// by way of the mean and the variance as well.
tn_status_t tn__reference_batch_norm_grad_run(const tn_kernel_call_t* call) {
  const norm_t norm = begin_norm(call);
  for (int64_t f = 0; f < norm.features; ++f) {
    const long double scale = at(&norm, 1, f), mean = at(&norm, 2, f);
    const long double spread = at(&norm, 3, f) + norm.epsilon;
    long double of_offset = 0, of_scale = 0;
    FOR_EACH_OF_FEATURE(i, &norm, f) {
      of_offset += at(&norm, 4, i);
      of_scale += at(&norm, 4, i) * (at(&norm, 0, i) - mean);
    }
    FOR_EACH_OF_FEATURE(i, &norm, f) {
      const long double centred = at(&norm, 0, i) - mean;
      const long double rest =
          norm.terms * at(&norm, 4, i) - of_offset - centred / spread * of_scale;
      put(&norm, 0, i, scale / sqrtl(spread) / norm.terms * rest);
    }
    put(&norm, 1, f, of_scale / sqrtl(spread));
    put(&norm, 2, f, of_offset);
  }
  return TN_OK;
}
