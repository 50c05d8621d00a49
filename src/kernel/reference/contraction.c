// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Sums of products, each accumulated as one number and rounded at the end; or, as strict arithmetic
// has it, in the order of the terms with each product and each partial sum rounded.
#include "kernel/reference/kernels.h"

// Rounding between two operations is written as such: nothing may fuse them.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct sum {
  tn_dtype_t lhs, rhs, result;
  bool is_strict, is_complex;
  tn_dtype_t part;  // dtype of the result, or of its parts
  tn_wide_t integer;
  long double complex value;
  double re, im;  // strict
} sum_t;

static sum_t begin_sum(const tn_kernel_call_t* call) {
  const tn_reference_use_t* use = call->state;
  const tn_dtype_t result = tn__reference_result(call, 0)->dtype;
  const bool is_complex = tn_dtype_kind(result) & TN_KIND_COMPLEX;
  return (sum_t){.lhs = tn__reference_operand(call, 0)->dtype,
                 .rhs = tn__reference_operand(call, 1)->dtype,
                 .result = result,
                 .is_strict = use->is_strict,
                 .is_complex = is_complex,
                 .part = result == TN_DTYPE_C64    ? TN_DTYPE_F32
                         : result == TN_DTYPE_C128 ? TN_DTYPE_F64
                                                   : result};
}

// A double holds any product of two floats of at most 32 bits, and the sum of two such floats
// rounded so that rounding it again gives what rounding once would.
static double rounded(const sum_t* sum, double value) {
  uint64_t element = 0;
  if (sum->part == TN_DTYPE_F64) return value;
  if (sum->part == TN_DTYPE_F32) return (float)value;
  tn_dtype_store(sum->part, value, &element);
  return tn_dtype_load(sum->part, &element);
}

static double product_of(const sum_t* sum, long double a, long double b) {
  const double product = (double)a * (double)b;
  return rounded(sum, product);
}

static void add_strictly(sum_t* sum, tn_number_t a, tn_number_t b) {
  double re = product_of(sum, a.re, b.re);
  if (sum->is_complex) {
    const double im = product_of(sum, a.re, b.im);
    const double other = product_of(sum, a.im, b.re);
    const double subtracted = product_of(sum, a.im, b.im);
    re = rounded(sum, re - subtracted);
    sum->im = rounded(sum, sum->im + rounded(sum, im + other));
  }
  sum->re = rounded(sum, sum->re + re);
}

static void add_product(sum_t* sum, const tn_kernel_call_t* call, int64_t lhs, int64_t rhs) {
  const tn_number_t a = tn__number_at(sum->lhs, call->operands[0], lhs);
  const tn_number_t b = tn__number_at(sum->rhs, call->operands[1], rhs);
  const tn_unsigned_wide_t product = (tn_unsigned_wide_t)a.integer * (tn_unsigned_wide_t)b.integer;
  sum->integer = (tn_wide_t)((tn_unsigned_wide_t)sum->integer + product);
  if (sum->is_strict) {
    add_strictly(sum, a, b);
  } else {
    sum->value += tn__complex_of(a) * tn__complex_of(b);
  }
}

static void store_sum(const sum_t* sum, const tn_kernel_call_t* call, int64_t index) {
  tn_number_t number = tn__number_complex(sum->value);
  if (sum->is_strict) {
    number.re = sum->re;
    number.im = sum->im;
  }
  number.integer = sum->integer;
  tn__number_put(sum->result, number, call->results[0], index);
}

// --- dot_general: batching dimensions, those of lhs that are left, those of rhs that are left

typedef struct sides {
  tn_reference_list_t lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
} sides_t;

static tn_status_t read_sides(const tn_kernel_call_t* call, sides_t* out) {
  const tn_op_use_t* use = tn__reference_use(call);
  const tn_attr_dictionary_t* numbers = tn__reference_struct(use, "dot_dimension_numbers");
  *out = (sides_t){.lhs_batching = {.count = 0}};
  if (use->op == TN__OP(dot)) {  // the last dimension of lhs, the first one of rhs
    out->lhs_contracting.count = out->rhs_contracting.count = 1;
    out->lhs_contracting.values[0] = (int64_t)use->operand_types[0]->rank - 1;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(
      tn__reference_list(numbers, "lhs_batching_dimensions", 0, 0, &out->lhs_batching));
  TN_RETURN_IF_ERROR(
      tn__reference_list(numbers, "rhs_batching_dimensions", 0, 0, &out->rhs_batching));
  TN_RETURN_IF_ERROR(
      tn__reference_list(numbers, "lhs_contracting_dimensions", 0, 0, &out->lhs_contracting));
  return tn__reference_list(numbers, "rhs_contracting_dimensions", 0, 0, &out->rhs_contracting);
}

// The place in one side that belongs to a result and to a product of its sum. `next` is the first
// dimension of the result that the side has for itself, and then the one behind its last.
static int64_t place_in(const tn_type_t* type, const tn_reference_list_t* batching,
                        const tn_reference_list_t* contracting, const int64_t* result,
                        const int64_t* contracted, size_t* next) {
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < type->rank; ++d) {
    const int64_t batch = tn__reference_index_in(batching, (int64_t)d);
    const int64_t inner = tn__reference_index_in(contracting, (int64_t)d);
    place[d] = batch >= 0 ? result[batch] : inner >= 0 ? contracted[inner] : result[(*next)++];
  }
  return tn__reference_join(type->rank, type->dims, place);
}

bool tn__reference_dot_supports(const tn_op_use_t* use) {
  return tn__attr_find(&use->attrs, "algorithm") == NULL;  // which may ask for fewer digits
}

tn_status_t tn__reference_dot_run(const tn_kernel_call_t* call) {
  const tn_type_t *lhs = tn__reference_operand(call, 0), *rhs = tn__reference_operand(call, 1);
  const tn_type_t* result = tn__reference_result(call, 0);
  int64_t depth_dims[TN_MAX_RANK], depth = 1;
  sides_t sides;
  TN_RETURN_IF_ERROR(read_sides(call, &sides));
  for (size_t k = 0; k < sides.lhs_contracting.count; ++k) {
    depth_dims[k] = lhs->dims[sides.lhs_contracting.values[k]];
    depth *= depth_dims[k];
  }
  for (int64_t i = 0; i < tn__type_size(result); ++i) {
    int64_t at[TN_MAX_RANK], contracted[TN_MAX_RANK];
    sum_t sum = begin_sum(call);
    tn__reference_split(result->rank, result->dims, i, at);
    for (int64_t k = 0; k < depth; ++k) {
      size_t next = sides.lhs_batching.count;
      tn__reference_split(sides.lhs_contracting.count, depth_dims, k, contracted);
      const int64_t a =
          place_in(lhs, &sides.lhs_batching, &sides.lhs_contracting, at, contracted, &next);
      const int64_t b =
          place_in(rhs, &sides.rhs_batching, &sides.rhs_contracting, at, contracted, &next);
      add_product(&sum, call, a, b);
    }
    store_sum(&sum, call, i);
  }
  return TN_OK;
}

// --- convolution

typedef struct convolution {
  int64_t input_batch, input_feature, kernel_input, kernel_output, output_batch, output_feature;
  tn_reference_list_t input_spatial, kernel_spatial, output_spatial;
  tn_reference_list_t strides, padding, lhs_dilation, rhs_dilation, reversal;
  int64_t feature_groups, batch_groups;
} convolution_t;

static tn_status_t read_convolution(const tn_kernel_call_t* call, convolution_t* out) {
  const tn_op_use_t* use = tn__reference_use(call);
  const tn_attr_dictionary_t *attrs = &use->attrs,
                             *numbers = tn__reference_struct(use, "dimension_numbers");
  *out = (convolution_t){
      .input_batch = tn__attr_get_integer(numbers, "input_batch_dimension", 0),
      .input_feature = tn__attr_get_integer(numbers, "input_feature_dimension", 0),
      .kernel_input = tn__attr_get_integer(numbers, "kernel_input_feature_dimension", 0),
      .kernel_output = tn__attr_get_integer(numbers, "kernel_output_feature_dimension", 0),
      .output_batch = tn__attr_get_integer(numbers, "output_batch_dimension", 0),
      .output_feature = tn__attr_get_integer(numbers, "output_feature_dimension", 0),
      .feature_groups = tn__attr_get_integer(attrs, "feature_group_count", 1),
      .batch_groups = tn__attr_get_integer(attrs, "batch_group_count", 1),
  };
  TN_RETURN_IF_ERROR(
      tn__reference_list(numbers, "input_spatial_dimensions", 0, 0, &out->input_spatial));
  TN_RETURN_IF_ERROR(
      tn__reference_list(numbers, "kernel_spatial_dimensions", 0, 0, &out->kernel_spatial));
  TN_RETURN_IF_ERROR(
      tn__reference_list(numbers, "output_spatial_dimensions", 0, 0, &out->output_spatial));
  const size_t rank = out->input_spatial.count;
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "window_strides", rank, 1, &out->strides));
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "padding", 2 * rank, 0, &out->padding));
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "lhs_dilation", rank, 1, &out->lhs_dilation));
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "window_reversal", rank, 0, &out->reversal));
  return tn__reference_list(attrs, "rhs_dilation", rank, 1, &out->rhs_dilation);
}

tn_status_t tn__reference_convolution_run(const tn_kernel_call_t* call) {
  const tn_type_t *input = tn__reference_operand(call, 0), *kernel = tn__reference_operand(call, 1);
  const tn_type_t* result = tn__reference_result(call, 0);
  convolution_t conv;
  TN_RETURN_IF_ERROR(read_convolution(call, &conv));
  const size_t rank = conv.input_spatial.count;
  const int64_t inner_features = kernel->dims[conv.kernel_input];
  const int64_t outputs = result->dims[conv.output_feature];
  const int64_t batches = result->dims[conv.output_batch];
  int64_t window_dims[TN_MAX_RANK], window_size = 1;
  for (size_t d = 0; d < rank; ++d) {
    window_dims[d] = kernel->dims[conv.kernel_spatial.values[d]];
    window_size *= window_dims[d];
  }
  for (int64_t i = 0; i < tn__type_size(result); ++i) {
    int64_t at[TN_MAX_RANK], window[TN_MAX_RANK], from[TN_MAX_RANK], weight[TN_MAX_RANK];
    sum_t sum = begin_sum(call);
    tn__reference_split(result->rank, result->dims, i, at);
    // Which group the output feature is in, of features or of batches.
    const int64_t output = at[conv.output_feature];
    const int64_t feature_group = output / (outputs / conv.feature_groups);
    const int64_t batch_group = output / (outputs / conv.batch_groups);
    from[conv.input_batch] = at[conv.output_batch] + batch_group * batches;
    weight[conv.kernel_output] = output;
    for (int64_t k = 0; k < window_size * inner_features; ++k) {
      bool is_inside = true;
      weight[conv.kernel_input] = k % inner_features;
      from[conv.input_feature] = feature_group * inner_features + k % inner_features;
      tn__reference_split(rank, window_dims, k / inner_features, window);
      for (size_t d = 0; d < rank && is_inside; ++d) {
        const int64_t base = at[conv.output_spatial.values[d]] * conv.strides.values[d] +
                             window[d] * conv.rhs_dilation.values[d] - conv.padding.values[2 * d];
        is_inside = base % conv.lhs_dilation.values[d] == 0;  // else between the elements
        from[conv.input_spatial.values[d]] = base / conv.lhs_dilation.values[d];
        weight[conv.kernel_spatial.values[d]] =
            conv.reversal.values[d] ? window_dims[d] - 1 - window[d] : window[d];
      }
      const int64_t a = is_inside ? tn__reference_join(input->rank, input->dims, from) : -1;
      if (a < 0) continue;
      add_product(&sum, call, a, tn__reference_join(kernel->rank, kernel->dims, weight));
    }
    store_sum(&sum, call, i);
  }
  return TN_OK;
}
