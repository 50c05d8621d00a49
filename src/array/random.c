// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random arrays: bits from a hash of a key and of counters, and what is made of them.
#include <math.h>
#include <tenon/detail/array_linalg.h>
#include <tenon/detail/array_random.h>

#include "array/common.h"
#include "call/operation.h"

tn_array_t* tn_array_random_key(tn_scope_t* scope, uint64_t seed) {
  TN__OPERATION(scope, "random_key");
  const uint32_t words[] = {(uint32_t)(seed >> 32), (uint32_t)seed};
  return tn_array_from_host(scope, TN_DTYPE_U32, 1, (const int64_t[]){2}, words, sizeof words);
}

// The caller's key, or the next of the scope's own.
static tn_array_t* key_or_next(tn_scope_t* scope, tn_array_t* key) {
  uint32_t words[2];
  if (key) return key;
  tn__scope_next_key(scope, words);
  return tn_array_from_host(scope, TN_DTYPE_U32, 1, (const int64_t[]){2}, words, sizeof words);
}

// Words in one line, of one step.
static tn_array_t* make_words(tn_scope_t* scope, tn_array_t* key, int64_t count) {
  if (count == 0) return tn_array_zeros(scope, TN_DTYPE_U32, 1, &count);
  return tn__apply(scope, tn__op_random_words, 1, &key, TN_DTYPE_U32, 1, &count);
}

tn_array_t* tn_array_random_bits(tn_scope_t* scope, int width, size_t rank, const int64_t* dims,
                                 tn_array_t* key) {
  TN__OPERATION(scope, "random_bits");
  int64_t count = 1;
  const tn_dtype_t dtype = width == 1 ? TN_DTYPE_U8 : width == 2 ? TN_DTYPE_U16 : TN_DTYPE_U32;
  key = key_or_next(scope, key);
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &key));
  if (key->dtype != TN_DTYPE_U32 || key->rank != 1 || key->dims[0] != 2) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the key is %s of shape %s; expected ui32 of shape 2",
                          tn_dtype_name(key->dtype), TN_SHAPE_TEXT(key->rank, key->dims));
  }
  if (width != 1 && width != 2 && width != 4) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the width is %d; expected 1, 2 or 4 bytes", width);
  }
  TN__RETURN_IF_FAILED(tn__check_dims(scope, rank, dims));
  bool is_possible = true;
  for (size_t i = 0; is_possible && i < rank; ++i) {
    is_possible = dims[i] >= 0 && !__builtin_mul_overflow(count, dims[i], &count);
  }
  if (!is_possible || count > INT64_C(1) << 33) {
    return tn__scope_fail(
        scope, TN_CODE_INVALID_ARGUMENT,
        "the shape is %s; expected sizes of at least 0, and no more than 2^33 elements",
        TN_SHAPE_TEXT(rank, dims));
  }
  tn_array_t* words = make_words(scope, key, (count * width + 3) / 4);
  if (width != 4) {
    const int64_t zero = 0;
    words = tn_array_slice(scope, tn_array_view(scope, words, dtype), &zero, &count, NULL);
  }
  return tn_array_reshape(scope, words, rank, dims);
}

tn_array_t* tn_array_random_split(tn_scope_t* scope, tn_array_t* key, int64_t num) {
  TN__OPERATION(scope, "random_split");
  return tn_array_random_bits(scope, 4, 2, (const int64_t[]){num, 2}, key);
}

// --- floats

static tn_array_t* check_dtype(tn_scope_t* scope, tn_dtype_t dtype) {
  if (dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_F16 || dtype == TN_DTYPE_BF16) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "the dtype is %s; expected f16, bf16 or f32", tn_dtype_name(dtype));
}

// The largest number of a dtype that is below 1.
static double below_one(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_F16 ? 1 - 0x1p-11 : dtype == TN_DTYPE_BF16 ? 1 - 0x1p-8 : 1 - 0x1p-24;
}

static tn_array_t* uniform(tn_scope_t* scope, tn_array_t* low, tn_array_t* high, tn_dtype_t dtype,
                           size_t rank, const int64_t* dims, tn_array_t* key) {
  TN__RETURN_IF_FAILED(check_dtype(scope, dtype));
  tn_array_t* x = tn_array_random_bits(scope, 4, rank, dims, key);
  x = tn_array_divide(scope, x, tn_array_scalar(scope, TN_DTYPE_F32, 0x1p32));
  x = tn_array_minimum(scope, x, tn_array_scalar(scope, TN_DTYPE_F32, below_one(dtype)));
  x = tn_array_astype(scope, x, dtype);
  if (!low && !high) return x;
  low = low ? tn_array_astype(scope, low, dtype) : tn_array_scalar(scope, dtype, 0);
  high = high ? tn_array_astype(scope, high, dtype) : tn_array_scalar(scope, dtype, 1);
  tn_array_t* range = tn_array_subtract(scope, high, low);
  range = tn_array_broadcast_to(scope, range, rank, dims);
  return tn_array_add(scope, tn_array_multiply(scope, range, x), low);
}

tn_array_t* tn_array_random_uniform(tn_scope_t* scope, tn_array_t* low, tn_array_t* high,
                                    tn_dtype_t dtype, size_t rank, const int64_t* dims,
                                    tn_array_t* key) {
  TN__OPERATION(scope, "random_uniform");
  return uniform(scope, low, high, dtype, rank, dims, key);
}

// In (-1, 1).
static tn_array_t* open_interval(tn_scope_t* scope, size_t rank, const int64_t* dims,
                                 tn_array_t* key) {
  tn_array_t* low = tn_array_scalar(scope, TN_DTYPE_F32, -(1 - 0x1p-24));
  tn_array_t* high = tn_array_scalar(scope, TN_DTYPE_F32, 1);
  return uniform(scope, low, high, TN_DTYPE_F32, rank, dims, key);
}

// Both parts have half of the variance.
static tn_array_t* complex_normal(tn_scope_t* scope, tn_array_t* loc, tn_array_t* scale,
                                  size_t rank, const int64_t* dims, tn_array_t* key) {
  int64_t pairs[TN_MAX_RANK];
  if (rank >= TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "too many dimensions");
  }
  if (rank) memcpy(pairs, dims, rank * sizeof *pairs);
  pairs[rank] = 2;
  tn_array_t* x = tn_array_erfinv(scope, open_interval(scope, rank + 1, pairs, key));
  x = tn_array_reshape(scope, tn_array_view(scope, x, TN_DTYPE_C64), rank, dims);
  if (scale) x = tn_array_multiply(scope, scale, x);
  return loc ? tn_array_add(scope, loc, x) : x;
}

tn_array_t* tn_array_random_normal(tn_scope_t* scope, tn_array_t* loc, tn_array_t* scale,
                                   tn_dtype_t dtype, size_t rank, const int64_t* dims,
                                   tn_array_t* key) {
  TN__OPERATION(scope, "random_normal");
  if (dtype == TN_DTYPE_C64) return complex_normal(scope, loc, scale, rank, dims, key);
  TN__RETURN_IF_FAILED(check_dtype(scope, dtype));
  tn_array_t* factor = tn_array_scalar(scope, dtype, M_SQRT2);
  if (scale) factor = tn_array_multiply(scope, factor, tn_array_astype(scope, scale, dtype));
  tn_array_t* x = tn_array_erfinv(scope, open_interval(scope, rank, dims, key));
  x = tn_array_multiply(scope, factor, tn_array_astype(scope, x, dtype));
  return loc ? tn_array_add(scope, tn_array_astype(scope, loc, dtype), x) : x;
}

tn_array_t* tn_array_random_truncated_normal(tn_scope_t* scope, tn_array_t* lower,
                                             tn_array_t* upper, tn_dtype_t dtype, size_t rank,
                                             const int64_t* dims, tn_array_t* key) {
  TN__OPERATION(scope, "random_truncated_normal");
  tn_array_t* bounds[] = {lower, upper};
  tn_array_t* ends[2];
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, bounds));
  TN__RETURN_IF_FAILED(check_dtype(scope, dtype));
  tn_array_t* root = tn_array_scalar(scope, dtype, M_SQRT2);
  for (int i = 0; i < 2; ++i) {
    bounds[i] = tn_array_astype(scope, bounds[i], dtype);
    ends[i] = tn_array_erf(scope, tn_array_divide(scope, bounds[i], root));
  }
  tn_array_t* x = uniform(scope, ends[0], ends[1], dtype, rank, dims, key);
  x = tn_array_multiply(scope, root, tn_array_erfinv(scope, x));
  return tn_array_maximum(scope, tn_array_minimum(scope, bounds[1], x), bounds[0]);
}

tn_array_t* tn_array_random_multivariate_normal(tn_scope_t* scope, tn_array_t* mean,
                                                tn_array_t* cov, size_t rank, const int64_t* dims,
                                                tn_array_t* key) {
  TN__OPERATION_ON(scope, "random_multivariate_normal", mean, cov);
  static const int64_t row[] = {-2};
  int64_t full[TN_MAX_RANK];
  tn_array_t* factors[3];
  const int64_t size = mean->rank ? mean->dims[mean->rank - 1] : -1;
  if (cov->rank < 2 || rank >= TN_MAX_RANK || size < 0 || cov->dims[cov->rank - 1] != size ||
      cov->dims[cov->rank - 2] != size) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "a mean of shape %s and a covariance of shape %s; expected n and nxn, "
                          "perhaps with a batch in front",
                          TN_SHAPE_TEXT(mean->rank, mean->dims),
                          TN_SHAPE_TEXT(cov->rank, cov->dims));
  }
  if (rank) memcpy(full, dims, rank * sizeof *full);
  full[rank] = size;
  // The root of the cov.
  tn_array_linalg_svd(scope, tn_array_astype(scope, cov, TN_DTYPE_F32), &factors[0], &factors[1],
                      &factors[2]);
  tn_array_t* roots = tn_array_expand_dims(scope, tn_array_sqrt(scope, factors[1]), 1, row);
  tn_array_t* root =
      tn_array_matmul(scope, tn_array_multiply(scope, factors[0], roots), factors[2]);
  tn_array_t* x = tn_array_random_normal(scope, NULL, NULL, TN_DTYPE_F32, rank + 1, full, key);
  x = tn_array_matmul(scope, tn_array_expand_dims(scope, x, 1, row), root);
  return tn_array_add(scope, mean, tn_array_squeeze(scope, x, 1, row));
}

tn_array_t* tn_array_random_laplace(tn_scope_t* scope, double loc, double scale, tn_dtype_t dtype,
                                    size_t rank, const int64_t* dims, tn_array_t* key) {
  TN__OPERATION(scope, "random_laplace");
  TN__RETURN_IF_FAILED(check_dtype(scope, dtype));
  tn_array_t* x = open_interval(scope, rank, dims, key);
  tn_array_t* size = tn_array_log1p(scope, tn_array_negative(scope, tn_array_abs(scope, x)));
  x = tn_array_astype(scope, tn_array_multiply(scope, tn_array_sign(scope, x), size), dtype);
  if (scale != 1) x = tn_array_multiply(scope, tn__number_like(scope, x, scale), x);
  return loc != 0 ? tn_array_add(scope, tn__number_like(scope, x, loc), x) : x;
}

tn_array_t* tn_array_random_gumbel(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                   const int64_t* dims, tn_array_t* key) {
  TN__OPERATION(scope, "random_gumbel");
  tn_array_t* x = uniform(scope, NULL, NULL, dtype, rank, dims, key);
  for (int i = 0; i < 2; ++i) x = tn_array_negative(scope, tn_array_log(scope, x));
  return x;
}

// --- integers and booleans

tn_array_t* tn_array_random_randint(tn_scope_t* scope, tn_array_t* low, tn_array_t* high,
                                    tn_dtype_t dtype, size_t rank, const int64_t* dims,
                                    tn_array_t* key) {
  TN__OPERATION(scope, "random_randint");
  tn_array_t* bounds[] = {low, high};
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, bounds));
  if (tn_issubdtype(dtype, TN_CATEGORY_INEXACT) ||
      tn_promote_types(dtype, dtype) == TN_DTYPE_INVALID) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the dtype is %s; expected integers or booleans", tn_dtype_name(dtype));
  }
  tn_array_t* x = uniform(scope, low, high, TN_DTYPE_F32, rank, dims, key);
  x = tn_array_astype(scope, tn_array_floor(scope, x), dtype);
  // float32 may round either bound.
  tn_array_t* last = tn_array_subtract(scope, high, tn__number_like(scope, high, 1));
  x = tn_array_minimum(scope, x, tn_array_astype(scope, last, dtype));
  return tn_array_maximum(scope, x, tn_array_astype(scope, low, dtype));
}

tn_array_t* tn_array_random_bernoulli(tn_scope_t* scope, tn_array_t* p, size_t rank,
                                      const int64_t* dims, tn_array_t* key) {
  TN__OPERATION(scope, "random_bernoulli");
  if (!p) p = tn_array_scalar(scope, TN_DTYPE_F32, 0.5);
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &p));
  if (!tn_issubdtype(p->dtype, TN_CATEGORY_FLOATING)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the probability is %s; expected a float", tn_dtype_name(p->dtype));
  }
  // So much above 2^32 that a probability of 1 is always met.
  tn_array_t* limit =
      tn_array_multiply(scope, p, tn_array_scalar(scope, TN_DTYPE_F32, 0x1p32 + 512));
  limit = tn_array_broadcast_to(scope, limit, rank, dims);
  return tn_array_less(scope, tn_array_random_bits(scope, 4, rank, dims, key), limit);
}

// --- choices

// One distribution for all samples: they are looked up in its sums.
static tn_array_t* choose_by_sums(tn_scope_t* scope, tn_array_t* logits, size_t rank,
                                  const int64_t* dims, tn_array_t* key) {
  tn_array_t* x = tn_array_flatten(scope, logits, 0, -1);
  x = tn_array_astype(scope, x, tn_promote_types(logits->dtype, TN_DTYPE_F32));
  tn_array_t* highest = tn_array_max(scope, x, 0, NULL, false);
  tn_array_t* weights =
      tn_array_where(scope, tn_array_isinf(scope, highest),
                     tn_array_astype(scope, tn_array_equal(scope, x, highest), TN_DTYPE_F32),
                     tn_array_exp(scope, tn_array_subtract(scope, x, highest)));
  tn_array_t* sums = tn_array_cumsum(scope, weights, 0, false, false);
  tn_array_t* u = tn_array_random_uniform(scope, NULL, NULL, TN_DTYPE_F32, rank, dims, key);
  u = tn_array_multiply(scope, u, tn_array_sum(scope, weights, 0, NULL, false));
  return tn_array_subtract(scope, tn_array_searchsorted(scope, sums, u, true),
                           tn_array_scalar(scope, TN_DTYPE_U32, 1));
}

// The largest of logits with noise; its dimension is put into the samples' shape, where it is
// counted from the end as in the logits.
static tn_array_t* choose(tn_scope_t* scope, tn_array_t* logits, size_t axis, size_t rank,
                          const int64_t* dims, tn_array_t* key) {
  int64_t full[TN_MAX_RANK];
  const int64_t size = logits->dims[axis];
  if (size > 0 && tn_array_size(logits) == size && rank > 0) {
    return choose_by_sums(scope, logits, rank, dims, key);
  }
  if (rank >= TN_MAX_RANK || rank + 1 < logits->rank) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%zu dimensions for logits of shape %s",
                          rank, TN_SHAPE_TEXT(logits->rank, logits->dims));
  }
  const size_t place = axis + rank + 1 - logits->rank;
  for (size_t i = 0, from = 0; i <= rank; ++i) full[i] = i == place ? size : dims[from++];
  tn_array_t* noise = tn_array_random_gumbel(scope, TN_DTYPE_F32, rank + 1, full, key);
  return tn_array_argmax(scope, tn_array_add(scope, noise, logits), (int64_t)place, false);
}

tn_array_t* tn_array_random_categorical(tn_scope_t* scope, tn_array_t* logits, int64_t axis,
                                        size_t rank, const int64_t* dims, tn_array_t* key) {
  TN__OPERATION(scope, "random_categorical");
  int64_t rest[TN_MAX_RANK] = {0};
  size_t at = 0;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &logits));
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, logits->rank, &at));
  for (size_t i = 0, to = 0; i < logits->rank; ++i) {
    if (i != at) rest[to++] = logits->dims[i];
  }
  const size_t rest_rank = logits->rank - 1;
  if (!dims) return choose(scope, logits, at, rest_rank, rest, key);
  bool fits = rest_rank <= rank;
  for (size_t i = 0; fits && i < rest_rank; ++i) {
    if (rest[i] != 1 && rest[i] != dims[rank - rest_rank + i]) fits = false;
  }
  if (!fits) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "the shape %s does not broadcast to %s",
                          TN_SHAPE_TEXT(rest_rank, rest), TN_SHAPE_TEXT(rank, dims));
  }
  return choose(scope, logits, at, rank, dims, key);
}

tn_array_t* tn_array_random_categorical_samples(tn_scope_t* scope, tn_array_t* logits, int64_t axis,
                                                int64_t num_samples, tn_array_t* key) {
  TN__OPERATION(scope, "random_categorical_samples");
  int64_t dims[TN_MAX_RANK] = {0};
  size_t at = 0, rank = 0;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &logits));
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, logits->rank, &at));
  for (size_t i = 0; i < logits->rank; ++i) {
    if (i != at) dims[rank++] = logits->dims[i];
  }
  dims[rank++] = num_samples;
  logits = tn_array_expand_dims(scope, logits, 1, (const int64_t[]){-1});
  if (logits->dtype == TN_DTYPE_INVALID) return logits;
  return choose(scope, logits, at, rank, dims, key);
}

tn_array_t* tn_array_random_permutation(tn_scope_t* scope, int64_t n, tn_array_t* key) {
  TN__OPERATION(scope, "random_permutation");
  return tn_array_argsort(scope, tn_array_random_bits(scope, 4, 1, &n, key), 0);
}

tn_array_t* tn_array_random_permute(tn_scope_t* scope, tn_array_t* x, int64_t axis,
                                    tn_array_t* key) {
  TN__OPERATION_ON(scope, "random_permute", x);
  size_t at = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, x->rank, &at));
  if (x->dims[at] == 0) return x;
  return tn_array_take(scope, x, tn_array_random_permutation(scope, x->dims[at], key), axis);
}
