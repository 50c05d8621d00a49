// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions that are made of many operations, for cases of their values and transforms. Each gives
// a scalar.
#include <math.h>
#include <string.h>

#include "array_transforms.h"

#define A(i) (it->arrays[i])

static const int64_t last[] = {-1};

static tn_array_t* sum(tn_scope_t* s, tn_array_t* x) {
  return tn_array_sum(s, x, 0, NULL, false);
}

static tn_array_t* mean(tn_scope_t* s, tn_array_t* x) {
  return tn_array_mean(s, x, 0, NULL, false);
}

static tn_array_t* number(tn_scope_t* s, const tn_array_t* like, double value) {
  return tn_array_scalar(s, tn_array_dtype(like), value);
}

static tn_array_t* sum_of_squares(tn_scope_t* s, tn_array_t* x) {
  return sum(s, tn_array_square(s, x));
}

// Two layers with tanh, and the mean of squared distances.
static tn_array_t* mlp_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t* hidden = tn_array_tanh(s, tn_array_addmm(s, A(2), A(0), A(1), 1, 1));
  tn_array_t* out = tn_array_addmm(s, A(4), hidden, A(3), 1, 1);
  return mean(s, tn_array_square(s, tn_array_subtract(s, out, A(5))));
}

// Queries, keys, values, and a mask of booleans.
static tn_array_t* attention_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t* scores = tn_array_matmul(s, A(0), tn_array_matrix_transpose(s, A(1)));
  scores = tn_array_multiply(s, scores, number(s, scores, 0.5));
  scores = tn_array_where(s, A(3), scores, number(s, scores, -INFINITY));
  tn_array_t* out = tn_array_matmul(s, tn_array_softmax(s, scores, 1, last, true), A(2));
  return sum_of_squares(s, out);
}

// The same by the operation.
static tn_array_t* fast_attention_loss(tn_scope_t* s, tn_case_t* it) {
  const tn_attention_t options = {.struct_size = sizeof options, .scale = 0.5, .mask = A(3)};
  return sum_of_squares(s, tn_array_scaled_dot_product_attention(s, A(0), A(1), A(2), &options));
}

// Two convolutions with rectifiers, means over the picture, a layer, and the cross entropy.
static tn_array_t* convolution_loss(tn_scope_t* s, tn_case_t* it) {
  static const int64_t ones[] = {1, 1}, twos[] = {2, 2}, picture[] = {1, 2};
  tn_array_t* x = tn_array_conv2d(s, A(0), A(1), ones, ones, ones, 1);
  x = tn_array_maximum(s, x, number(s, x, 0));
  x = tn_array_conv2d(s, x, A(2), twos, ones, ones, 1);
  x = tn_array_maximum(s, x, number(s, x, 0));
  x = tn_array_matmul(s, tn_array_mean(s, x, 2, picture, false), A(3));
  tn_array_t* chosen = tn_array_take_along_axis(s, x, A(4), -1);
  return mean(s, tn_array_subtract(s, tn_array_logsumexp(s, x, 1, last, true), chosen));
}

static tn_array_t* layer_norm_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t* x = tn_array_layer_norm(s, A(0), A(1), A(2), 1e-5);
  return sum(s, tn_array_multiply(s, x, tn_array_square(s, x)));
}

static tn_array_t* logsumexp_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t* rows = tn_array_logsumexp(s, A(0), 1, last, false);
  return tn_array_multiply(s, mean(s, rows), tn_array_logsumexp(s, A(0), 0, NULL, false));
}

// Of points (rows), a mean, and a root of the covariance.
static tn_array_t* gaussian_likelihood(tn_scope_t* s, tn_case_t* it) {
  const int64_t size = tn_array_dim(A(2), -1);
  tn_array_t* covariance = tn_array_matmul(s, A(2), tn_array_matrix_transpose(s, A(2)));
  covariance = tn_array_add(s, covariance, tn_array_identity(s, tn_array_dtype(covariance), size));
  tn_array_t* factor = tn_array_linalg_cholesky(s, covariance, false);
  tn_array_t* x = tn_array_matrix_transpose(s, tn_array_subtract(s, A(0), A(1)));
  x = tn_array_linalg_solve_triangular(s, factor, x, false);
  tn_array_t* logarithm = tn_array_log(s, tn_array_diagonal(s, factor, 0, -2, -1));
  logarithm = tn_array_multiply(s, sum(s, logarithm), number(s, x, (double)tn_array_dim(A(0), 0)));
  tn_array_t* half = tn_array_multiply(s, sum_of_squares(s, x), number(s, x, 0.5));
  return tn_array_negative(s, tn_array_add(s, half, logarithm));
}

// A signal through a filter, and the power of what comes of it at each frequency.
static tn_array_t* fft_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t* product = tn_array_multiply(s, tn_array_rfft(s, A(0), 0, -1, TN_FFT_BACKWARD),
                                          tn_array_rfft(s, A(1), 0, -1, TN_FFT_BACKWARD));
  tn_array_t* signal = tn_array_irfft(s, product, 0, -1, TN_FFT_BACKWARD);
  tn_array_t* power = tn_array_log1p(s, tn_array_square(s, tn_array_abs(s, product)));
  return tn_array_add(s, sum_of_squares(s, signal), sum(s, power));
}

// Three steps of a network with a memory: x, h, c, weights of both, bias.
static tn_array_t* lstm_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *h = A(1), *c = A(2), *gates[4];
  for (int step = 0; step < 3; ++step) {
    tn_array_t* all = tn_array_addmm(s, A(5), A(0), A(3), 1, 1);
    all = tn_array_addmm(s, all, h, A(4), 1, 1);
    tn_array_split(s, all, 4, -1, gates);
    tn_array_t* kept = tn_array_multiply(s, tn_array_sigmoid(s, gates[1]), c);
    tn_array_t* added =
        tn_array_multiply(s, tn_array_sigmoid(s, gates[0]), tn_array_tanh(s, gates[2]));
    c = tn_array_add(s, kept, added);
    h = tn_array_multiply(s, tn_array_sigmoid(s, gates[3]), tn_array_tanh(s, c));
  }
  return tn_array_add(s, sum_of_squares(s, h), sum(s, c));
}

// How far two sets of numbers are from each other, and the sum of the largest ones.
static tn_array_t* order_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t* distance =
      tn_array_subtract(s, tn_array_sort(s, A(0), -1), tn_array_sort(s, A(1), -1));
  tn_array_t* largest = tn_array_exp(s, tn_array_topk(s, A(0), 3, -1));
  tn_array_t* middle = tn_array_median(s, A(0), 1, last, false);
  return tn_array_add(s, tn_array_add(s, sum_of_squares(s, distance), sum(s, largest)),
                      sum_of_squares(s, middle));
}

static tn_array_t* cumulative_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t* sums = tn_array_cumsum(s, tn_array_sigmoid(s, A(0)), -1, false, true);
  tn_array_t* products = tn_array_cumprod(s, A(0), -1, true, true);
  tn_array_t* logarithms = tn_array_logcumsumexp(s, A(0), -1, false, true);
  tn_array_t* largest = tn_array_cummax(s, A(0), -1, false, true);
  tn_array_t* all = tn_array_multiply(s, tn_array_add(s, sums, products), logarithms);
  return tn_array_add(s, sum(s, all), sum_of_squares(s, largest));
}

// Rows of a table by numbers, of which some come twice; what is added to a table likewise.
static tn_array_t* embedding_loss(tn_scope_t* s, tn_case_t* it) {
  const tn_index_t item = TN_AT_ARRAY(A(1));
  tn_array_t* rows = tn_array_take(s, A(0), A(1), 0);
  tn_array_t* table = tn_array_index_update(s, tn_array_square(s, A(0)), 1, &item,
                                            tn_array_sin(s, rows), TN_SCATTER_ADD);
  return sum_of_squares(s, tn_array_multiply(s, table, tn_array_cos(s, A(0))));
}

// Elements multiplied, and held below and above.
static tn_array_t* update_loss(tn_scope_t* s, tn_case_t* it) {
  const tn_index_t item = TN_AT_ARRAY(A(1));
  tn_array_t* x = tn_array_index_update(s, A(0), 1, &item, A(2), TN_SCATTER_MULTIPLY);
  x = tn_array_index_update(s, x, 1, &item, tn_array_sin(s, A(2)), TN_SCATTER_MAXIMUM);
  x = tn_array_index_update(s, x, 1, &item, A(2), TN_SCATTER_DIVIDE);
  x = tn_array_index_update(s, x, 1, &item, tn_array_square(s, A(2)), TN_SCATTER_MINIMUM);
  return sum_of_squares(s, x);
}

// A system of equations, and the logarithm of its determinant.
static tn_array_t* system_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *sign = NULL, *logarithm = NULL;
  tn_array_linalg_slogdet(s, A(0), &sign, &logarithm);
  tn_array_t* x = tn_array_linalg_solve(s, A(0), A(1));
  return tn_array_add(s, sum_of_squares(s, x), sum(s, logarithm));
}

// The entropy of the squares of singular values, and what turns with the vectors.
static tn_array_t* singular_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *u = NULL, *values = NULL, *vt = NULL;
  tn_array_linalg_svd(s, A(0), &u, &values, &vt);
  const int64_t side = tn_array_dim(values, -1);
  const tn_index_t columns[] = {TN_ELLIPSIS, TN_SLICE(0, side)};
  const tn_index_t rows[] = {TN_ELLIPSIS, TN_SLICE(0, side), TN_ALL};
  u = tn_array_index(s, u, 2, columns);
  vt = tn_array_index(s, vt, 3, rows);
  tn_array_t* turned = tn_array_matmul(s, u, vt);
  tn_array_t* power = tn_array_square(s, values);
  tn_array_t* entropy = tn_array_multiply(s, power, tn_array_log(s, power));
  tn_array_t* weighted = sum(s, tn_array_multiply(s, turned, A(1)));
  return tn_array_add(s, sum(s, entropy), weighted);
}

// A projection onto the columns, and the logarithms of the diagonal.
static tn_array_t* qr_loss(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *q = NULL, *r = NULL;
  tn_array_linalg_qr(s, A(0), &q, &r);
  tn_array_t* projected =
      tn_array_matmul(s, q, tn_array_matmul(s, tn_array_matrix_transpose(s, q), A(1)));
  tn_array_t* diagonal = tn_array_abs(s, tn_array_diagonal(s, r, 0, -2, -1));
  tn_array_t* cubes = tn_array_multiply(s, projected, tn_array_square(s, projected));
  return tn_array_add(s, sum(s, cubes), sum(s, tn_array_log(s, diagonal)));
}

#define FUNCTIONS(X)        \
  X(mlp_loss, 6)            \
  X(attention_loss, 4)      \
  X(fast_attention_loss, 4) \
  X(convolution_loss, 5)    \
  X(layer_norm_loss, 3)     \
  X(logsumexp_loss, 1)      \
  X(gaussian_likelihood, 3) \
  X(fft_loss, 2)            \
  X(lstm_loss, 6)           \
  X(order_loss, 2)          \
  X(cumulative_loss, 1)     \
  X(embedding_loss, 2)      \
  X(update_loss, 3)         \
  X(system_loss, 2)         \
  X(singular_loss, 2)       \
  X(qr_loss, 2)

#define ADAPTER(name, arrays)                            \
  static void run_##name(tn_scope_t* s, tn_case_t* it) { \
    it->results[0] = name(s, it);                        \
  }
FUNCTIONS(ADAPTER)

#define ROW(id, arrays) {.name = #id, .array_count = arrays, .run = run_##id},
static const tn_case_operation_t functions[] = {FUNCTIONS(ROW)};

const tn_case_operation_t* tn_case_function_at(size_t index) {
  return index < sizeof functions / sizeof *functions ? &functions[index] : NULL;
}

const tn_case_operation_t* tn_case_function(const char* name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    if (strcmp(functions[i].name, name) == 0) return &functions[i];
  }
  return NULL;
}
