// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fourier transforms, one axis after the other.
#include <math.h>
#include <tenon/detail/array_fft.h>

#include "array/common.h"

typedef enum tn_fourier {
  FORWARD,
  INVERSE,
  REAL_FORWARD,
  REAL_INVERSE,
} tn_fourier_t;

static const char* const kinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

// The last axis with so many elements.
static tn_array_t* resize(tn_scope_t* scope, tn_array_t* x, int64_t size) {
  int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
  const size_t last = x->rank - 1;
  if (x->dims[last] > size) {
    const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(0, size)};
    return tn_array_index(scope, x, 2, items);
  }
  high[last] = size - x->dims[last];
  return high[last] ? tn_array_pad(scope, x, low, high, TN_PAD_CONSTANT, NULL) : x;
}

// Along one axis; `size` is the real side's.
static tn_array_t* transform(tn_scope_t* scope, tn_fourier_t kind, tn_array_t* x, size_t axis,
                             int64_t size) {
  int64_t dims[TN_MAX_RANK];
  const bool is_wide = x->dtype == TN_DTYPE_F64 || x->dtype == TN_DTYPE_C128;
  const tn_dtype_t real = is_wide ? TN_DTYPE_F64 : TN_DTYPE_F32;
  const tn_dtype_t complex = is_wide ? TN_DTYPE_C128 : TN_DTYPE_C64;
  const tn_dtype_t to = kind == REAL_INVERSE ? real : complex;
  if (size < 1) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%lld elements along axis %zu; expected at least 1", (long long)size,
                          axis);
  }
  x = tn_array_moveaxis(scope, x, (int64_t)axis, -1);
  x = resize(scope, x, kind == REAL_INVERSE ? size / 2 + 1 : size);
  x = tn_array_astype(scope, x, kind == REAL_FORWARD ? real : complex);
  if (x->dtype == TN_DTYPE_INVALID) return x;
  memcpy(dims, x->dims, x->rank * sizeof *dims);
  dims[x->rank - 1] = kind == REAL_FORWARD ? size / 2 + 1 : size;
  if (tn_array_size(x) == 0) {
    x = tn_array_zeros(scope, to, x->rank, dims);
  } else {
    const tn_named_attr_t attributes[] = {TN_ENUM_ATTR("fft_type", "fft_type", kinds[kind]),
                                          TN_I64_LIST_ATTR("fft_length", 1, &size)};
    x = tn__apply_with(scope, TN__OP(fft), 1, &x, 2, attributes, to, x->rank, dims);
  }
  return tn_array_moveaxis(scope, x, -1, (int64_t)axis);
}

static tn_array_t* rescale(tn_scope_t* scope, tn_array_t* x, bool is_inverse, double count,
                           tn_fft_norm_t norm) {
  double factor = norm == TN_FFT_ORTHO ? sqrt(count) : norm == TN_FFT_FORWARD ? count : 1;
  if (factor == 1) return x;
  return tn_array_multiply(scope, x, tn__number_like(scope, x, is_inverse ? factor : 1 / factor));
}

static tn_array_t* transform_all(tn_scope_t* scope, const char* name, tn_fourier_t kind,
                                 tn_array_t* x, size_t axis_count, const int64_t* axes,
                                 const int64_t* sizes, tn_fft_norm_t norm) {
  TN__OPERATION_ON(scope, name, x);
  size_t places[TN_MAX_RANK];
  int64_t lengths[TN_MAX_RANK];
  uint64_t set = 0;
  double count = 1;
  TN__RETURN_IF_FAILED(tn__check_choice(scope, "norm", (int)norm, TN_FFT_FORWARD));
  if (!axes && !sizes) axis_count = x->rank;
  if (x->rank == 0 || axis_count > x->rank) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%zu axes of the shape %s", axis_count,
                          TN_SHAPE_TEXT(x->rank, x->dims));
  }
  if (axes) TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, x->rank, &set));
  for (size_t i = 0; i < axis_count; ++i) {
    const int64_t axis = axes ? axes[i] : (int64_t)(x->rank - axis_count + i);
    places[i] = (size_t)(axis < 0 ? axis + (int64_t)x->rank : axis);
    lengths[i] = sizes ? sizes[i] : x->dims[places[i]];
    if (!sizes && kind == REAL_INVERSE && i + 1 == axis_count) lengths[i] = 2 * (lengths[i] - 1);
    count *= (double)lengths[i];
  }
  if (axis_count == 0) return x;
  const bool is_inverse = kind == INVERSE || kind == REAL_INVERSE;
  const size_t last = axis_count - 1;
  // What is real is real before the others, or after them.
  if (kind == REAL_FORWARD) x = transform(scope, kind, x, places[last], lengths[last]);
  for (size_t i = 0; i < axis_count; ++i) {
    if (x->dtype == TN_DTYPE_INVALID) return x;
    if (i == last && (kind == REAL_FORWARD || kind == REAL_INVERSE)) break;
    x = transform(scope, is_inverse ? INVERSE : FORWARD, x, places[i], lengths[i]);
  }
  if (kind == REAL_INVERSE && x->dtype != TN_DTYPE_INVALID) {
    x = transform(scope, kind, x, places[last], lengths[last]);
  }
  return x->dtype == TN_DTYPE_INVALID ? x : rescale(scope, x, is_inverse, count, norm);
}

static const int64_t last_two[] = {-2, -1};

#define TRANSFORM(name, kind)                                                                     \
  tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* a, int64_t n, int64_t axis,          \
                              tn_fft_norm_t norm) {                                               \
    return transform_all(scope, #name, kind, a, 1, &axis, n ? &n : NULL, norm);                   \
  }                                                                                               \
  tn_array_t* tn_array_##name##n(tn_scope_t* scope, tn_array_t* a, size_t axis_count,             \
                                 const int64_t* axes, const int64_t* sizes, tn_fft_norm_t norm) { \
    return transform_all(scope, #name "n", kind, a, axis_count, axes, sizes, norm);               \
  }                                                                                               \
  tn_array_t* tn_array_##name##2(tn_scope_t * scope, tn_array_t * a, const int64_t* axes,         \
                                 const int64_t* sizes, tn_fft_norm_t norm) {                      \
    return transform_all(scope, #name "2", kind, a, 2, axes ? axes : last_two, sizes, norm);      \
  }
TRANSFORM(fft, FORWARD)
TRANSFORM(ifft, INVERSE)
TRANSFORM(rfft, REAL_FORWARD)
TRANSFORM(irfft, REAL_INVERSE)

// --- frequencies

static tn_array_t* check_samples(tn_scope_t* scope, int64_t size, double spacing) {
  if (size < 1 || size > INT32_MAX) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%lld elements; expected 1 to 2^31 - 1",
                          (long long)size);
  }
  if (spacing != 0) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "the sample spacing d is 0");
}

tn_array_t* tn_array_fftfreq(tn_scope_t* scope, int64_t n, double d) {
  TN__OPERATION(scope, "fftfreq");
  TN__RETURN_IF_FAILED(check_samples(scope, n, d));
  const int64_t half = (n + 1) / 2;
  tn_array_t* x = tn_array_arange(scope, TN_DTYPE_F32, 0, (double)n, 1);
  tn_array_t* below = tn_array_subtract(scope, x, tn__number_like(scope, x, (double)n));
  x = tn_array_where(scope, tn_array_less(scope, x, tn__number_like(scope, x, (double)half)), x,
                     below);
  return tn_array_multiply(scope, x, tn__number_like(scope, x, 1 / ((double)n * d)));
}

tn_array_t* tn_array_rfftfreq(tn_scope_t* scope, int64_t n, double d) {
  TN__OPERATION(scope, "rfftfreq");
  TN__RETURN_IF_FAILED(check_samples(scope, n, d));
  const int64_t count = n / 2 + 1;
  tn_array_t* x = tn_array_arange(scope, TN_DTYPE_F32, 0, (double)count, 1);
  return tn_array_multiply(scope, x, tn__number_like(scope, x, 1 / ((double)n * d)));
}

static tn_array_t* shift(tn_scope_t* scope, bool back, tn_array_t* x, size_t axis_count,
                         const int64_t* axes) {
  int64_t shifts[TN_MAX_RANK], places[TN_MAX_RANK];
  size_t count = 0;
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, x->rank, &set));
  for (size_t i = 0; i < x->rank; ++i) {
    if (!(set >> i & 1)) continue;
    places[count] = (int64_t)i;
    shifts[count++] = back ? -(x->dims[i] / 2) : x->dims[i] / 2;
  }
  return tn_array_roll(scope, x, count, shifts, places);
}

tn_array_t* tn_array_fftshift(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                              const int64_t* axes) {
  TN__OPERATION(scope, "fftshift");
  return shift(scope, false, a, axis_count, axes);
}

tn_array_t* tn_array_ifftshift(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                               const int64_t* axes) {
  TN__OPERATION(scope, "ifftshift");
  return shift(scope, true, a, axis_count, axes);
}
