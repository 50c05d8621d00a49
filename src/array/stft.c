// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fourier transforms of the frames of a signal.
#include <math.h>
#include <tenon/detail/array_fft.h>

#include "array/common.h"
#include "base/options.h"

// What is asked for, with its defaults.
typedef struct tn_frames {
  int64_t size, hop, count;
  tn_array_t* window;  // of `size` elements
} tn_frames_t;

static tn_array_t* fail(tn_scope_t* scope, const tn_array_t* x, const tn_frames_t* frames) {
  return tn__scope_fail(
      scope, TN_CODE_INVALID_ARGUMENT,
      "an array of shape %s does not fall into frames of %lld elements, %lld apart",
      TN_SHAPE_TEXT(x->rank, x->dims), (long long)frames->size, (long long)frames->hop);
}

static tn_array_t* resolve(tn_scope_t* scope, const tn_array_t* x, int64_t size,
                           const tn_stft_t* options, tn_frames_t* frames) {
  tn_array_t* window = options->window;
  frames->size = size;
  frames->hop = options->hop_length ? options->hop_length : size / 4;
  if (size < 1 || frames->hop < 1 || size > INT32_MAX || frames->hop > INT32_MAX) {
    return fail(scope, x, frames);
  }
  if (!window) {
    const int64_t length = options->win_length ? options->win_length : size;
    window = tn_array_ones(scope, TN_DTYPE_F32, 1, &length);
  }
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &window));
  if (window->rank != 1 || window->dims[0] > size) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "a window of shape %s for frames of %lld",
                          TN_SHAPE_TEXT(window->rank, window->dims), (long long)size);
  }
  const int64_t rest = size - window->dims[0], low = rest / 2, high = rest - low;
  frames->window = tn_array_pad(scope, window, &low, &high, TN_PAD_CONSTANT, NULL);
  return NULL;
}

// The place in the signal of each element of each frame.
static tn_array_t* places(tn_scope_t* scope, const tn_frames_t* frames) {
  const int64_t dims[] = {frames->count, frames->size};
  tn_array_t* frame = tn__iota(scope, TN_DTYPE_S32, 2, dims, 0);
  frame = tn_array_multiply(scope, frame, tn__number_like(scope, frame, (double)frames->hop));
  return tn_array_add(scope, frame, tn__iota(scope, TN_DTYPE_S32, 2, dims, 1));
}

tn_array_t* tn_array_stft(tn_scope_t* scope, tn_array_t* x, const tn_stft_t* options) {
  TN__OPERATION(scope, "stft");
  tn_stft_t copy;
  tn_status_t status;
  enum { DEFAULT_SIZE = 2048 };
  int64_t around[TN_MAX_RANK] = {0};
  tn_frames_t frames = {0};
  options = TN_OPTIONS_READ(tn_stft_t, options, &copy, &status);
  if (status) return tn__scope_refuse(scope, status);
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  TN__RETURN_IF_FAILED(
      resolve(scope, x, options->n_fft ? options->n_fft : DEFAULT_SIZE, options, &frames));
  if (x->rank && !options->is_not_centered) {
    around[x->rank - 1] = frames.size / 2;
    x = tn_array_pad(scope, x, around, around, options->pad_mode, NULL);
    if (x->dtype == TN_DTYPE_INVALID) return x;
  }
  if (x->rank == 0 || x->dims[x->rank - 1] < frames.size || x->dims[x->rank - 1] > INT32_MAX) {
    return fail(scope, x, &frames);
  }
  frames.count = 1 + (x->dims[x->rank - 1] - frames.size) / frames.hop;
  const bool is_complex = tn_dtype_kind(x->dtype) == TN_KIND_COMPLEX;
  x = tn_array_take(scope, x, places(scope, &frames), -1);
  x = tn_array_multiply(scope, x, frames.window);
  x = is_complex || options->is_two_sided ? tn_array_fft(scope, x, 0, -1, options->norm)
                                          : tn_array_rfft(scope, x, 0, -1, options->norm);
  return tn_array_swapaxes(scope, x, -1, -2);
}

// Frames where they belong, added.
static tn_array_t* overlap(tn_scope_t* scope, tn_array_t* x, const tn_frames_t* frames) {
  int64_t dims[TN_MAX_RANK];
  if (x->dtype == TN_DTYPE_INVALID) return x;
  memcpy(dims, x->dims, x->rank * sizeof *dims);
  dims[x->rank - 2] = frames->size + frames->hop * (frames->count - 1);
  const tn_index_t items[] = {TN_ELLIPSIS, TN_AT_ARRAY(places(scope, frames))};
  return tn_array_index_update(scope, tn_array_zeros(scope, x->dtype, x->rank - 1, dims), 2, items,
                               x, TN_SCATTER_ADD);
}

// The last axis from `start` on, `length` elements (0: up to `end`), with zeros behind.
static tn_array_t* trim(tn_scope_t* scope, tn_array_t* x, int64_t start, int64_t end,
                        int64_t length) {
  int64_t none[TN_MAX_RANK] = {0}, missing[TN_MAX_RANK] = {0};
  const int64_t stop = length ? start + length : end;
  const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(start, stop)};
  x = tn_array_index(scope, x, 2, items);
  if (x->dtype == TN_DTYPE_INVALID || length <= x->dims[x->rank - 1]) return x;
  missing[x->rank - 1] = length - x->dims[x->rank - 1];
  return tn_array_pad(scope, x, none, missing, TN_PAD_CONSTANT, NULL);
}

tn_array_t* tn_array_istft(tn_scope_t* scope, tn_array_t* stft_matrix, const tn_stft_t* options) {
  TN__OPERATION(scope, "istft");
  tn_stft_t copy;
  tn_status_t status;
  tn_frames_t frames = {0};
  options = TN_OPTIONS_READ(tn_stft_t, options, &copy, &status);
  if (status) return tn__scope_refuse(scope, status);
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &stft_matrix));
  if (stft_matrix->rank < 2 || stft_matrix->dims[stft_matrix->rank - 1] < 1 ||
      stft_matrix->rank == TN_MAX_RANK) {
    return fail(scope, stft_matrix, &frames);
  }
  const int64_t frequencies = stft_matrix->dims[stft_matrix->rank - 2];
  int64_t size = options->n_fft;
  if (size == 0) size = options->is_two_sided ? frequencies : 2 * (frequencies - 1);
  TN__RETURN_IF_FAILED(resolve(scope, stft_matrix, size, options, &frames));
  frames.count = stft_matrix->dims[stft_matrix->rank - 1];
  if (frames.count > INT32_MAX || options->length < 0 || options->length > INT64_MAX / 2) {
    return fail(scope, stft_matrix, &frames);
  }
  stft_matrix = tn_array_swapaxes(scope, stft_matrix, -1, -2);
  stft_matrix =
      options->is_two_sided
          ? tn_array_real(scope, tn_array_ifft(scope, stft_matrix, size, -1, options->norm))
          : tn_array_irfft(scope, stft_matrix, size, -1, options->norm);
  stft_matrix = overlap(scope, tn_array_multiply(scope, stft_matrix, frames.window), &frames);
  tn_array_t* weights = tn_array_square(scope, frames.window);
  weights = tn_array_broadcast_to(scope, weights, 2, (const int64_t[]){frames.count, size});
  weights = overlap(scope, weights, &frames);
  tn_array_t* is_covered = tn_array_greater(scope, weights, tn__number_like(scope, weights, 1e-11));
  stft_matrix = tn_array_divide(
      scope, stft_matrix,
      tn_array_where(scope, is_covered, weights, tn__number_like(scope, weights, 1)));
  const int64_t edge = options->is_not_centered ? 0 : size / 2;
  const int64_t end = size + frames.hop * (frames.count - 1) - edge;
  return trim(scope, stft_matrix, edge, end, options->length);
}
