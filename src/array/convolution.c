// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Convolutions of images [batch, ..., channel] with kernels [channel, ..., channel of the image].
#include "array/common.h"
#include "base/options.h"

enum { SPATIAL_LIMIT = 8 };

static int64_t item_or(const int64_t* list, size_t i, int64_t otherwise) {
  return list ? list[i] : otherwise;
}

static tn_array_t* check(tn_scope_t* scope, const tn_array_t* x, const tn_array_t* kernel,
                         size_t spatial, int64_t groups) {
  const char* problem = NULL;
  if (!tn_issubdtype(x->dtype, TN_CATEGORY_INEXACT)) {
    problem = "the elements must be floats";
  } else if (spatial < 1 || spatial > SPATIAL_LIMIT || x->rank != spatial + 2 ||
             kernel->rank != x->rank) {
    problem = "both need a dimension before the spatial ones and one after";
  } else if (groups < 1 || kernel->dims[0] % groups) {
    problem = "the output channels do not make so many groups";
  } else if (x->dims[spatial + 1] != groups * kernel->dims[spatial + 1]) {
    problem = "the input channels are not those of the kernel";
  }
  if (!problem) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "an input of shape %s, a kernel of shape %s, %lld groups: %s",
                        TN_SHAPE_TEXT(x->rank, x->dims), TN_SHAPE_TEXT(kernel->rank, kernel->dims),
                        (long long)groups, problem);
}

// How many places a window of `size` elements has on an axis; 0: none, or more than can be counted.
static int64_t output_size(int64_t dim, int64_t size, int64_t low, int64_t high, int64_t stride,
                           int64_t dilation, int64_t input_dilation) {
  int64_t padded = 0, reach = 0;
  if ((dim && __builtin_mul_overflow(dim - 1, input_dilation, &padded)) ||
      __builtin_add_overflow(padded, low + high + (dim > 0), &padded) ||
      (size && __builtin_mul_overflow(size - 1, dilation, &reach)) || reach == INT64_MAX) {
    return 0;
  }
  if (size) ++reach;
  return padded < reach || padded <= 0 ? 0 : (padded - reach) / stride + 1;
}

static tn_array_t* convolve(tn_scope_t* scope, tn_array_t* x, tn_array_t* kernel,
                            const tn_convolution_t* options) {
  tn_array_t* operands[] = {x, kernel};
  int64_t strides[SPATIAL_LIMIT], padding[2 * SPATIAL_LIMIT], dilations[SPATIAL_LIMIT];
  int64_t input_dilations[SPATIAL_LIMIT], places[SPATIAL_LIMIT], dims[SPATIAL_LIMIT + 2];
  bool reversal[SPATIAL_LIMIT];
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  TN__RETURN_IF_FAILED(tn__result_type(scope, 2, operands, &dtype));
  x = operands[0] = tn_array_astype(scope, x, dtype);
  kernel = operands[1] = tn_array_astype(scope, kernel, dtype);
  const size_t spatial = x->rank > 2 ? x->rank - 2 : 0;
  const int64_t groups = options->groups ? options->groups : 1;
  TN__RETURN_IF_FAILED(check(scope, x, kernel, spatial, groups));
  dims[0] = x->dims[0];
  dims[spatial + 1] = kernel->dims[0];
  for (size_t i = 0; i < spatial; ++i) {
    strides[i] = item_or(options->stride, i, 1);
    dilations[i] = item_or(options->kernel_dilation, i, 1);
    input_dilations[i] = item_or(options->input_dilation, i, 1);
    padding[2 * i] = item_or(options->padding_low, i, 0);
    padding[2 * i + 1] = item_or(options->padding_high, i, padding[2 * i]);
    places[i] = (int64_t)i + 1;
    reversal[i] = options->flip;
    const int64_t limit = INT32_MAX;
    if (strides[i] < 1 || dilations[i] < 1 || input_dilations[i] < 1 || strides[i] > limit ||
        dilations[i] > limit || input_dilations[i] > limit || padding[2 * i] > limit ||
        padding[2 * i] < -limit || padding[2 * i + 1] > limit || padding[2 * i + 1] < -limit) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                            "spatial axis %zu: stride %lld, dilations %lld and %lld, padding "
                            "%lld and %lld; expected strides and dilations of at least 1, and no "
                            "number of 2^31 or more",
                            i, (long long)strides[i], (long long)dilations[i],
                            (long long)input_dilations[i], (long long)padding[2 * i],
                            (long long)padding[2 * i + 1]);
    }
    dims[i + 1] = output_size(x->dims[i + 1], kernel->dims[i + 1], padding[2 * i],
                              padding[2 * i + 1], strides[i], dilations[i], input_dilations[i]);
    if (dims[i + 1] <= 0 && x->dims[i + 1] != 0) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                            "spatial axis %zu of size %lld is too small for a kernel of size "
                            "%lld",
                            i, (long long)x->dims[i + 1], (long long)kernel->dims[i + 1]);
    }
  }
  const tn_named_attr_t fields[] = {
      TN_I64_ATTR("input_batch_dimension", 0),
      TN_I64_ATTR("input_feature_dimension", (int64_t)spatial + 1),
      TN_I64_LIST_ATTR("input_spatial_dimensions", spatial, places),
      TN_I64_ATTR("kernel_output_feature_dimension", 0),
      TN_I64_ATTR("kernel_input_feature_dimension", (int64_t)spatial + 1),
      TN_I64_LIST_ATTR("kernel_spatial_dimensions", spatial, places),
      TN_I64_ATTR("output_batch_dimension", 0),
      TN_I64_ATTR("output_feature_dimension", (int64_t)spatial + 1),
      TN_I64_LIST_ATTR("output_spatial_dimensions", spatial, places),
  };
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("window_strides", spatial, strides),
      TN_I64_PAIRS_ATTR("padding", spatial, padding),
      TN_I64_LIST_ATTR("lhs_dilation", spatial, input_dilations),
      TN_I64_LIST_ATTR("rhs_dilation", spatial, dilations),
      TN_LIST_ATTR("window_reversal", TN_DTYPE_PRED, spatial, reversal),
      TN_STRUCT_ATTR("dimension_numbers", "conv", 9, fields),
      TN_I64_ATTR("feature_group_count", groups),
      TN_I64_ATTR("batch_group_count", 1),
  };
  return tn__apply_with(scope, TN__OP(convolution), 2, operands, 8, attributes, dtype, spatial + 2,
                        dims);
}

tn_array_t* tn_array_conv_general(tn_scope_t* scope, tn_array_t* input, tn_array_t* weight,
                                  const tn_convolution_t* options) {
  TN__OPERATION(scope, "conv_general");
  tn_convolution_t copy;
  tn_status_t status;
  options = TN_OPTIONS_READ(tn_convolution_t, options, &copy, &status);
  if (status) return tn__scope_refuse(scope, status);
  return convolve(scope, input, weight, options);
}

static tn_array_t* check_spatial(tn_scope_t* scope, tn_array_t* x, tn_array_t* kernel,
                                 size_t spatial) {
  tn_array_t* operands[] = {x, kernel};
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  if (x->rank == spatial + 2 && kernel->rank == spatial + 2) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "an input of shape %s and a kernel of shape %s; expected %zu "
                        "dimensions",
                        TN_SHAPE_TEXT(x->rank, x->dims), TN_SHAPE_TEXT(kernel->rank, kernel->dims),
                        spatial + 2);
}

#define CONVOLUTION(count)                                                                      \
  tn_array_t* tn_array_conv##count##d(tn_scope_t* scope, tn_array_t* input, tn_array_t* weight, \
                                      const int64_t* stride, const int64_t* padding,            \
                                      const int64_t* dilation, int64_t groups) {                \
    TN__OPERATION(scope, "conv" #count "d");                                                    \
    const tn_convolution_t options = {.stride = stride,                                         \
                                      .padding_low = padding,                                   \
                                      .padding_high = padding,                                  \
                                      .kernel_dilation = dilation,                              \
                                      .groups = groups};                                        \
    TN__RETURN_IF_FAILED(check_spatial(scope, input, weight, count));                           \
    return convolve(scope, input, weight, &options);                                            \
  }
CONVOLUTION(1)
CONVOLUTION(2)
CONVOLUTION(3)

// The convolution whose input has holes where the other one has strides.
static tn_array_t* convolve_back(tn_scope_t* scope, const char* name, size_t spatial,
                                 tn_array_t* input, tn_array_t* weight, const int64_t* stride,
                                 const int64_t* padding, const int64_t* dilation,
                                 const int64_t* output_padding, int64_t groups) {
  TN__OPERATION(scope, name);
  int64_t low[SPATIAL_LIMIT], high[SPATIAL_LIMIT];
  TN__RETURN_IF_FAILED(check_spatial(scope, input, weight, spatial));
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t distance = item_or(dilation, i, 1), size = weight->dims[i + 1];
    int64_t reach = 0;
    if (__builtin_mul_overflow(distance, size - 1, &reach) ||
        __builtin_sub_overflow(reach, item_or(padding, i, 0), &low[i]) ||
        __builtin_add_overflow(low[i], item_or(output_padding, i, 0), &high[i])) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                            "spatial axis %zu: a dilation of %lld, a kernel of size %lld and "
                            "their padding reach too far",
                            i, (long long)distance, (long long)size);
    }
  }
  const tn_convolution_t options = {.padding_low = low,
                                    .padding_high = high,
                                    .kernel_dilation = dilation,
                                    .input_dilation = stride,
                                    .groups = groups,
                                    .flip = true};
  return convolve(scope, input, weight, &options);
}

#define CONVOLUTION_BACK(count)                                                                  \
  tn_array_t* tn_array_conv_transpose##count##d(tn_scope_t* scope, tn_array_t* input,            \
                                                tn_array_t* weight, const int64_t* stride,       \
                                                const int64_t* padding, const int64_t* dilation, \
                                                const int64_t* output_padding, int64_t groups) { \
    return convolve_back(scope, "conv_transpose" #count "d", count, input, weight, stride,       \
                         padding, dilation, output_padding, groups);                             \
  }
CONVOLUTION_BACK(1)
CONVOLUTION_BACK(2)
CONVOLUTION_BACK(3)

tn_array_t* tn_array_convolve(tn_scope_t* scope, tn_array_t* a, tn_array_t* v,
                              tn_convolve_mode_t mode) {
  TN__OPERATION_ON(scope, "convolve", a, v);
  TN__RETURN_IF_FAILED(tn__check_choice(scope, "mode", (int)mode, TN_CONVOLVE_VALID));
  if (a->rank != 1 || v->rank != 1 || a->dims[0] == 0 || v->dims[0] == 0) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "shapes %s and %s; expected one dimension, not empty",
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(v->rank, v->dims));
  }
  tn_array_t* x = a->dims[0] < v->dims[0] ? v : a;
  tn_array_t* kernel = a->dims[0] < v->dims[0] ? a : v;
  const int64_t reach = kernel->dims[0] - 1;
  int64_t low = 0, high = 0;
  if (mode == TN_CONVOLVE_FULL) low = high = reach;
  if (mode == TN_CONVOLVE_SAME) {
    high = reach / 2;
    low = reach - high;
  }
  const tn_convolution_t options = {.padding_low = &low, .padding_high = &high, .flip = true};
  x = tn_array_reshape(scope, x, 3, (const int64_t[]){1, -1, 1});
  kernel = tn_array_reshape(scope, kernel, 3, (const int64_t[]){1, -1, 1});
  x = convolve(scope, x, kernel, &options);
  return tn_array_reshape(scope, x, 1, (const int64_t[]){-1});
}
