// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

/* The operations of the digits network, for the CPU; kernels.cl has their kernels for GPUs. They
 * know nothing of Tenon but the headers: the library links nothing, and JAX calls the same
 * functions.
 */
#include <math.h>
#include <string.h>
#include <tenon/kernel.h>

#define DIGITS_NORMALIZE(ARG, ATTR, RET)                                       \
  ARG(x, f32, rank(2), "one image per row")                                    \
  ATTR(eps, float, 1e-5f, "added to the variance; an even image stays finite") \
  RET(y, f32, like(x))

TN_OP(digits_normalize, DIGITS_NORMALIZE, "gives each row mean 0 and variance 1") {
  const int64_t rows = tn_dim(call->x, 0), width = tn_dim(call->x, 1);
  for (int64_t row = 0; row < rows; row++) {
    const float* x = call->x.data + row * width;
    float* y = call->y.data + row * width;
    float sum = 0, squares = 0;
    for (int64_t i = 0; i < width; i++) sum += x[i];
    const float mean = sum / (float)width;
    for (int64_t i = 0; i < width; i++) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = 1 / sqrtf(squares / (float)width + call->eps);
    for (int64_t i = 0; i < width; i++) y[i] = (x[i] - mean) * scale;
  }
  return TN_OK;
}

static int is(tn_string_t string, const char* word) {
  return string.size == strlen(word) && memcmp(string.data, word, string.size) == 0;
}

#define DIGITS_DENSE(ARG, ATTR, RET)                                          \
  ARG(x, f32, dims(images, from), "one image per row")                        \
  ARG(w, f32, dims(from, to), "weights, from the columns of x to those of y") \
  ARG(b, f32, dims(to), "added to each row")                                  \
  ATTR(activation, string, "none", "none, relu or tanh")                      \
  RET(y, f32, dims(images, to))

enum { NONE, RELU, TANH, UNKNOWN };

static int activation_of(tn_string_t name) {
  if (is(name, "none")) return NONE;
  return is(name, "relu") ? RELU : is(name, "tanh") ? TANH : UNKNOWN;
}

/* What the signature does not say. */
struct digits_dense_call;
static tn_status_t check_dense(const struct digits_dense_call* call);

TN_OP(digits_dense, DIGITS_DENSE, "y = activation(x w + b), in one pass over y") {
  const int64_t rows = tn_dim(call->x, 0), from = tn_dim(call->x, 1), to = tn_dim(call->w, 1);
  const int activation = activation_of(call->activation);
  TN_TRY(check_dense(call));
  for (int64_t row = 0; row < rows; row++) {
    const float* x = call->x.data + row * from;
    float* y = call->y.data + row * to;
    for (int64_t j = 0; j < to; j++) y[j] = call->b.data[j];
    for (int64_t i = 0; i < from; i++) {
      const float* w = call->w.data + i * to;
      for (int64_t j = 0; j < to; j++) y[j] += x[i] * w[j];
    }
    if (activation == RELU)
      for (int64_t j = 0; j < to; j++) y[j] = y[j] < 0 ? 0 : y[j];
    if (activation == TANH)
      for (int64_t j = 0; j < to; j++) y[j] = tanhf(y[j]);
  }
  return TN_OK;
}

static tn_status_t check_dense(const struct digits_dense_call* call) {
  if (activation_of(call->activation) == UNKNOWN)
    return TN_ERROR(call, INVALID_ARGUMENT, "activation is \"%.*s\"; expected none, relu or tanh",
                    (int)call->activation.size, call->activation.data);
  return TN_OK;
}

/* --- on GPUs */

static const tn_kernel_library_t gpu_kernels = TN_KERNEL_LIBRARY(
    "digits_kernels",
    TN_GPU_SOURCE(
        /* One item for each row. */
        TN_KERNEL void digits_normalize(TN_GLOBAL const float* x, TN_GLOBAL float* y, float eps,
                                        tn_i64 rows, tn_i64 width) {
          const tn_i64 row = tn_item(0);
          if (row >= rows) return;
          x += row * width;
          y += row * width;
          float sum = 0, squares = 0;
          for (tn_i64 i = 0; i < width; i++) sum += x[i];
          const float mean = sum / width;
          for (tn_i64 i = 0; i < width; i++) squares += (x[i] - mean) * (x[i] - mean);
          const float scale = 1 / sqrt(squares / width + eps);
          for (tn_i64 i = 0; i < width; i++) y[i] = (x[i] - mean) * scale;
        }

        /* One item for each element. */
        TN_KERNEL void digits_dense(TN_GLOBAL const float* x, TN_GLOBAL const float* w,
                                    TN_GLOBAL const float* b, TN_GLOBAL float* y, tn_i64 rows,
                                    tn_i64 from, tn_i64 to, int is_relu, int is_tanh) {
          const tn_i64 at = tn_item(0);
          if (at >= rows * to) return;
          const tn_i64 row = at / to, column = at % to;
          float sum = b[column];
          for (tn_i64 i = 0; i < from; i++) sum += x[row * from + i] * w[i * to + column];
          if (is_relu && sum < 0) sum = 0;
          y[at] = is_tanh ? tanh(sum) : sum;
        }));

TN_EVAL_GPU(digits_normalize) {
  const int64_t rows = tn_dim(call->x, 0), width = tn_dim(call->x, 1);
  TN_TRY(tn_eval_set_kernel(eval, &gpu_kernels, "digits_normalize"));
  TN_TRY(tn_eval_set_input_array(eval, eval->operands[0]));
  TN_TRY(tn_eval_set_output_array(eval, eval->outputs[0]));
  TN_TRY(tn_eval_set_bytes(eval, &call->eps, sizeof call->eps));
  TN_TRY(tn_eval_set_bytes(eval, &rows, sizeof rows));
  TN_TRY(tn_eval_set_bytes(eval, &width, sizeof width));
  return tn_eval_dispatch_threads(eval, (int64_t[]){rows, 1, 1}, NULL);
}
TN_DEFINE(digits_normalize, .flags = TN_OP_ROW_CONTIGUOUS, .eval_gpu = digits_normalize_eval_gpu)

TN_EVAL_GPU(digits_dense) {
  const int64_t rows = tn_dim(call->x, 0), from = tn_dim(call->x, 1), to = tn_dim(call->w, 1);
  const int is_relu = activation_of(call->activation) == RELU;
  const int is_tanh = activation_of(call->activation) == TANH;
  TN_TRY(check_dense(call));
  TN_TRY(tn_eval_set_kernel(eval, &gpu_kernels, "digits_dense"));
  for (int i = 0; i < 3; i++) TN_TRY(tn_eval_set_input_array(eval, eval->operands[i]));
  TN_TRY(tn_eval_set_output_array(eval, eval->outputs[0]));
  TN_TRY(tn_eval_set_bytes(eval, &rows, sizeof rows));
  TN_TRY(tn_eval_set_bytes(eval, &from, sizeof from));
  TN_TRY(tn_eval_set_bytes(eval, &to, sizeof to));
  TN_TRY(tn_eval_set_bytes(eval, &is_relu, sizeof is_relu));
  TN_TRY(tn_eval_set_bytes(eval, &is_tanh, sizeof is_tanh));
  return tn_eval_dispatch_threads(eval, (int64_t[]){rows * to, 1, 1}, NULL);
}
TN_DEFINE(digits_dense, .flags = TN_OP_ROW_CONTIGUOUS, .eval_gpu = digits_dense_eval_gpu)

TN_LIBRARY(digits_normalize, digits_dense)
