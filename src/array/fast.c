// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Parts of networks.
#include <math.h>
#include <tenon/detail/array_fast.h>

#include "array/common.h"
#include "base/options.h"

static const int64_t last[] = {-1};

// --- norms

// The dtype of the result. Weights have the size of the last axis.
static tn_array_t* check_norm(tn_scope_t* scope, size_t count, tn_array_t** operands,
                              const tn_array_t* bias, tn_dtype_t* out_dtype) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, count, operands));
  const tn_array_t* x = operands[0];
  TN__RETURN_IF_FAILED(tn__result_type(scope, count, operands, out_dtype));
  if (!tn_issubdtype(*out_dtype, TN_CATEGORY_FLOATING) || x->rank == 0) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%s of shape %s; expected floats of at least one dimension",
                          tn_dtype_name(*out_dtype), TN_SHAPE_TEXT(x->rank, x->dims));
  }
  for (size_t i = 1; i < count; ++i) {
    if (operands[i]->rank == 1 && operands[i]->dims[0] == x->dims[x->rank - 1]) continue;
    return tn__scope_fail(
        scope, TN_CODE_INVALID_ARGUMENT, "the %s has shape %s; expected %lld elements",
        operands[i] == bias ? "bias" : "weight",
        TN_SHAPE_TEXT(operands[i]->rank, operands[i]->dims), (long long)x->dims[x->rank - 1]);
  }
  return NULL;
}

// x / sqrt(mean(x * x) + eps)
static tn_array_t* normalise(tn_scope_t* scope, tn_array_t* x, double eps) {
  tn_array_t* mean = tn_array_mean(scope, tn_array_square(scope, x), 1, last, true);
  mean = tn_array_add(scope, mean, tn__number_like(scope, mean, eps));
  return tn_array_multiply(scope, x, tn_array_rsqrt(scope, mean));
}

static tn_array_t* norm(tn_scope_t* scope, bool centres, size_t count, tn_array_t** operands,
                        tn_array_t* weight, tn_array_t* bias, double eps) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(check_norm(scope, count, operands, bias, &dtype));
  tn_array_t* x =
      tn_array_astype(scope, operands[0], tn_promote_types(operands[0]->dtype, TN_DTYPE_F32));
  if (centres) x = tn_array_subtract(scope, x, tn_array_mean(scope, x, 1, last, true));
  x = tn_array_astype(scope, normalise(scope, x, eps), dtype);
  if (weight) x = tn_array_multiply(scope, x, tn_array_astype(scope, weight, dtype));
  return bias ? tn_array_add(scope, x, tn_array_astype(scope, bias, dtype)) : x;
}

tn_array_t* tn_array_rms_norm(tn_scope_t* scope, tn_array_t* x, tn_array_t* weight, double eps) {
  TN__OPERATION(scope, "rms_norm");
  tn_array_t* operands[] = {x, weight};
  return norm(scope, false, weight ? 2 : 1, operands, weight, NULL, eps);
}

tn_array_t* tn_array_layer_norm(tn_scope_t* scope, tn_array_t* x, tn_array_t* weight,
                                tn_array_t* bias, double eps) {
  TN__OPERATION(scope, "layer_norm");
  tn_array_t* operands[] = {x, weight ? weight : bias, bias};
  const size_t count = weight && bias ? 3 : weight || bias ? 2 : 1;
  return norm(scope, true, count, operands, weight, bias, eps);
}

// --- positions

// x[..., start:stop:step]
static tn_array_t* features(tn_scope_t* scope, tn_array_t* x, int64_t start, int64_t stop,
                            int64_t step) {
  const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE_BY(start, stop, step)};
  return tn_array_index(scope, x, 2, items);
}

static tn_array_t* check_rope(tn_scope_t* scope, tn_array_t* x, int64_t dims, tn_array_t* offset,
                              tn_array_t* freqs) {
  tn_array_t* operands[] = {x, offset, freqs};
  if (!offset) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the offset is NULL; expected an integer, or one for each of "
                          "the batch");
  }
  TN__RETURN_IF_FAILED(tn__check_operands(scope, freqs ? 3 : 2, operands));
  const char* problem = NULL;
  if (x->rank < 3 || !tn_issubdtype(x->dtype, TN_CATEGORY_FLOATING)) {
    problem = "expected floats of at least three dimensions";
  } else if (dims <= 0 || dims % 2 || dims > x->dims[x->rank - 1]) {
    problem = "the features to turn must be even in number, and no more than there are";
  } else if (!tn_issubdtype(offset->dtype, TN_CATEGORY_INTEGER) || offset->rank > 1 ||
             (tn_array_size(offset) != 1 && tn_array_size(offset) != x->dims[0])) {
    problem = "the offset must be an integer, or one for each of the batch";
  } else if (freqs && (freqs->rank != 1 || freqs->dims[0] != dims / 2)) {
    problem = "there must be half as many frequencies as features to turn";
  }
  if (!problem) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%s of shape %s, %lld: %s",
                        tn_dtype_name(x->dtype), TN_SHAPE_TEXT(x->rank, x->dims), (long long)dims,
                        problem);
}

// The angle of each position and pair of features: [batch or 1, 1, length, pairs].
static tn_array_t* angles(tn_scope_t* scope, int64_t length, int64_t pairs, double base,
                          double scale, tn_array_t* offset, tn_array_t* freqs) {
  tn_array_t* positions = tn_array_arange(scope, TN_DTYPE_F32, 0, (double)length, 1);
  offset = tn_array_reshape(scope, offset, 4, (const int64_t[]){-1, 1, 1, 1});
  positions = tn_array_reshape(scope, positions, 4, (const int64_t[]){1, 1, length, 1});
  positions = tn_array_add(scope, positions, tn_array_astype(scope, offset, TN_DTYPE_F32));
  positions = tn_array_multiply(scope, positions, tn_array_scalar(scope, TN_DTYPE_F32, scale));
  tn_array_t* speeds = NULL;
  if (freqs) {
    speeds = tn_array_reciprocal(scope, tn_array_astype(scope, freqs, TN_DTYPE_F32));
  } else {
    speeds = tn_array_arange(scope, TN_DTYPE_F32, 0, (double)-pairs, -1);
    speeds = tn_array_multiply(scope, speeds,
                               tn_array_scalar(scope, TN_DTYPE_F32, log(base) / (double)pairs));
    speeds = tn_array_exp(scope, speeds);
  }
  return tn_array_multiply(scope, positions, speeds);
}

tn_array_t* tn_array_rope(tn_scope_t* scope, tn_array_t* a, int64_t dims, bool traditional,
                          double base, double scale, tn_array_t* offset, tn_array_t* freqs) {
  TN__OPERATION(scope, "rope");
  TN__RETURN_IF_FAILED(check_rope(scope, a, dims, offset, freqs));
  const int64_t size = a->dims[a->rank - 1], length = a->dims[a->rank - 2], half = dims / 2;
  tn_array_t* line = tn_array_reshape(scope, a, 4, (const int64_t[]){a->dims[0], -1, length, size});
  if (tn_array_size(a) == 0) return a;
  tn_array_t* theta = angles(scope, length, half, base, scale, offset, freqs);
  tn_array_t* cosine = tn_array_astype(scope, tn_array_cos(scope, theta), a->dtype);
  tn_array_t* sine = tn_array_astype(scope, tn_array_sin(scope, theta), a->dtype);
  tn_array_t* first = features(scope, line, 0, traditional ? dims : half, traditional ? 2 : 1);
  tn_array_t* second = features(scope, line, traditional ? 1 : half, dims, traditional ? 2 : 1);
  tn_array_t* parts[] = {tn_array_subtract(scope, tn_array_multiply(scope, first, cosine),
                                           tn_array_multiply(scope, second, sine)),
                         tn_array_add(scope, tn_array_multiply(scope, first, sine),
                                      tn_array_multiply(scope, second, cosine)),
                         NULL};
  tn_array_t* turned = NULL;
  if (traditional) {
    turned = tn_array_flatten(scope, tn_array_stack(scope, 2, parts, -1), -2, -1);
  } else {
    turned = tn_array_concatenate(scope, 2, parts, -1);
  }
  if (dims < size) {
    parts[0] = turned;
    parts[1] = features(scope, line, dims, size, 1);
    turned = tn_array_concatenate(scope, 2, parts, -1);
  }
  return tn_array_reshape(scope, turned, a->rank, a->dims);
}

// --- attention

static tn_array_t* check_attention(tn_scope_t* scope, tn_array_t** operands,
                                   const tn_attention_t* options) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 3, operands));
  if (options->mask) TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &options->mask));
  if (options->sinks) TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &options->sinks));
  const tn_array_t *q = operands[0], *k = operands[1], *v = operands[2];
  const char* problem = NULL;
  if (q->rank != 4 || k->rank != 4 || v->rank != 4) {
    problem = "expected four dimensions each";
  } else if (k->dims[0] != q->dims[0] || v->dims[0] != q->dims[0]) {
    problem = "the batches differ";
  } else if (k->dims[3] != q->dims[3] || k->dims[2] != v->dims[2]) {
    problem = "the features of queries and keys differ, or the lengths of keys and values";
  } else if (k->dims[1] != v->dims[1] || k->dims[1] == 0 || q->dims[1] % k->dims[1]) {
    problem = "the heads of the queries are not a multiple of those of keys and values";
  } else if (options->causal && options->mask) {
    problem = "a mask and causal, too";
  } else if (options->mask && options->mask->rank > 4) {
    problem = "the mask has more than four dimensions";
  } else if (options->sinks &&
             (options->sinks->rank != 1 || options->sinks->dims[0] != q->dims[1])) {
    problem = "there is not one sink for each head";
  }
  if (!problem) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "shapes %s, %s and %s: %s",
                        TN_SHAPE_TEXT(q->rank, q->dims), TN_SHAPE_TEXT(k->rank, k->dims),
                        TN_SHAPE_TEXT(v->rank, v->dims), problem);
}

// The smallest number instead of minus infinity: a row that sees nothing is no NaN.
static double lowest(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_F16    ? -65504
         : dtype == TN_DTYPE_BF16 ? -0x1.FEp127
         : dtype == TN_DTYPE_F64  ? -0x1.FFFFFFFFFFFFFp1023
                                  : -(double)0x1.FFFFFEp127f;
}

static tn_array_t* hide(tn_scope_t* scope, tn_array_t* scores, tn_array_t* mask) {
  if (mask->dtype != TN_DTYPE_PRED) {
    return tn_array_add(scope, scores, tn_array_astype(scope, mask, scores->dtype));
  }
  return tn_array_where(scope, mask, scores, tn__number_like(scope, scores, lowest(scores->dtype)));
}

tn_array_t* tn_array_scaled_dot_product_attention(tn_scope_t* scope, tn_array_t* q, tn_array_t* k,
                                                  tn_array_t* v, const tn_attention_t* options) {
  TN__OPERATION(scope, "scaled_dot_product_attention");
  tn_array_t* operands[] = {q, k, v};
  tn_attention_t copy;
  tn_status_t status;
  if (!options) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "options is NULL; expected a scale at least");
  }
  options = TN_OPTIONS_READ(tn_attention_t, options, &copy, &status);
  if (status) return tn__scope_refuse(scope, status);
  TN__RETURN_IF_FAILED(check_attention(scope, operands, options));
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, 3, operands, &dtype));
  if (!tn_issubdtype(dtype, TN_CATEGORY_FLOATING)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%s; expected floats",
                          tn_dtype_name(dtype));
  }
  const int64_t batch = q->dims[0], heads = q->dims[1], length = q->dims[2];
  const int64_t groups = k->dims[1], key_count = k->dims[2];
  // Queries that share k are rows of one matrix.
  tn_array_t* rows = tn_array_astype(scope, q, dtype);
  rows = tn_array_multiply(scope, rows, tn__number_like(scope, rows, options->scale));
  rows = tn_array_reshape(scope, rows, 4,
                          (const int64_t[]){batch, groups, heads / groups * length, q->dims[3]});
  tn_array_t* scores = tn_array_matmul(
      scope, rows, tn_array_swapaxes(scope, tn_array_astype(scope, k, dtype), -1, -2));
  const int64_t full[] = {batch, heads, length, key_count};
  scores = tn_array_reshape(scope, scores, 4, full);
  if (scores->dtype == TN_DTYPE_INVALID) return scores;
  if (options->causal) {
    scores = hide(scope, scores,
                  tn_array_tri(scope, TN_DTYPE_PRED, length, key_count, key_count - length));
  } else if (options->mask) {
    scores = hide(scope, scores, options->mask);
  }
  if (options->sinks) {
    tn_array_t* sinks = tn_array_astype(scope, options->sinks, dtype);
    sinks = tn_array_reshape(scope, sinks, 4, (const int64_t[]){1, heads, 1, 1});
    sinks = tn_array_broadcast_to(scope, sinks, 4, (const int64_t[]){batch, heads, length, 1});
    scores = tn_array_concatenate(scope, 2, (tn_array_t*[]){sinks, scores}, -1);
  }
  scores = tn_array_softmax(scope, scores, 1, last, true);
  if (options->sinks) scores = features(scope, scores, 1, key_count + 1, 1);
  scores = tn_array_reshape(scope, scores, 4,
                            (const int64_t[]){batch, groups, heads / groups * length, key_count});
  tn_array_t* result = tn_array_matmul(scope, scores, tn_array_astype(scope, v, dtype));
  return tn_array_reshape(scope, result, 4, (const int64_t[]){batch, heads, length, v->dims[3]});
}

tn_array_t* tn_array_cross_entropy(tn_scope_t* scope, tn_array_t* logits, tn_array_t* targets) {
  TN__OPERATION_ON(scope, "cross_entropy", logits, targets);
  bool fits = logits->rank == targets->rank + 1;
  for (size_t i = 0; fits && i < targets->rank; ++i) {
    if (targets->dims[i] != logits->dims[i]) fits = false;
  }
  if (!fits || !tn_issubdtype(logits->dtype, TN_CATEGORY_FLOATING)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "logits are %s of shape %s, targets of shape %s; expected floats and "
                          "one target for each row",
                          tn_dtype_name(logits->dtype), TN_SHAPE_TEXT(logits->rank, logits->dims),
                          TN_SHAPE_TEXT(targets->rank, targets->dims));
  }
  tn_array_t* all = tn_array_astype(scope, logits, TN_DTYPE_F32);
  tn_array_t* places = tn_array_expand_dims(scope, targets, 1, last);
  tn_array_t* chosen = tn_array_take_along_axis(scope, all, places, -1);
  return tn_array_subtract(scope, tn_array_logsumexp(scope, all, 1, last, false),
                           tn_array_squeeze(scope, chosen, 1, last));
}
