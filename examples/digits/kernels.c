/* The operations of the digits network. They know nothing of Tenon but the header: the library
 * links nothing, and JAX calls the same functions.
 */
#include <math.h>
#include <string.h>
#include <tenon/custom.h>

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

#define DIGITS_DENSE(ARG, ATTR, RET)                                   \
  ARG(x, f32, rank(2), "one image per row")                            \
  ARG(w, f32, rank(2), "weights, from the columns of x to those of y") \
  ARG(b, f32, rank(1), "added to each row")                            \
  ATTR(activation, string, "none", "none, relu or tanh")               \
  RET(y, f32, rank(2))

TN_OP(digits_dense, DIGITS_DENSE, "y = activation(x w + b), in one pass over y") {
  const int64_t rows = tn_dim(call->x, 0), from = tn_dim(call->x, 1), to = tn_dim(call->w, 1);
  if (tn_dim(call->w, 0) != from || tn_dim(call->b, 0) != to || tn_dim(call->y, 0) != rows ||
      tn_dim(call->y, 1) != to)
    return TN_ERROR(call, INVALID_ARGUMENT,
                    "x is %lldx%lld, therefore w must be %lldxN, b N and y %lldxN; w is %lldx%lld, "
                    "b %lld, y %lldx%lld",
                    (long long)rows, (long long)from, (long long)from, (long long)rows,
                    (long long)tn_dim(call->w, 0), (long long)to, (long long)tn_dim(call->b, 0),
                    (long long)tn_dim(call->y, 0), (long long)tn_dim(call->y, 1));
  const int relu = is(call->activation, "relu"), tangent = is(call->activation, "tanh");
  if (!relu && !tangent && !is(call->activation, "none"))
    return TN_ERROR(call, INVALID_ARGUMENT, "activation is \"%.*s\"; expected none, relu or tanh",
                    (int)call->activation.size, call->activation.data);
  for (int64_t row = 0; row < rows; row++) {
    const float* x = call->x.data + row * from;
    float* y = call->y.data + row * to;
    for (int64_t j = 0; j < to; j++) y[j] = call->b.data[j];
    for (int64_t i = 0; i < from; i++) {
      const float* w = call->w.data + i * to;
      for (int64_t j = 0; j < to; j++) y[j] += x[i] * w[j];
    }
    if (relu)
      for (int64_t j = 0; j < to; j++) y[j] = y[j] < 0 ? 0 : y[j];
    if (tangent)
      for (int64_t j = 0; j < to; j++) y[j] = tanhf(y[j]);
  }
  return TN_OK;
}

TN_LIBRARY(digits_normalize, digits_dense)
