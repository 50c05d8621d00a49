// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Convolutions.
#include "ops/contract.h"
#include "ops/rules.h"
#include "ops/window.h"

// One of the three tensors' dimension numbers: where its batch (or input feature), feature (or
// output feature) and spatial dimensions are.
typedef struct layout {
  int64_t first, second;
  tn_i64_list_t spatial;
} layout_t;

static tn_status_t read_layout(const tn_op_use_t* use, const char* first, const char* second,
                               const char* spatial, const char* count_constraint,
                               const char* constraint, size_t rank, layout_t* out_layout) {
  const tn_attr_dictionary_t* numbers = tn__rule_struct(use, "dimension_numbers");
  out_layout->first = tn__attr_get_integer(numbers, first, 0);
  out_layout->second = tn__attr_get_integer(numbers, second, 0);
  TN_RETURN_IF_ERROR(tn__rule_list(use, numbers, spatial, &out_layout->spatial));
  TN_RETURN_IF_ERROR(tn__rule_count(use, count_constraint, spatial, out_layout->spatial, rank - 2));
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(
      tn__rule_dim(use, constraint, constraint, first, out_layout->first, rank, &set));
  TN_RETURN_IF_ERROR(
      tn__rule_dim(use, constraint, constraint, second, out_layout->second, rank, &set));
  return tn__rule_dims(use, constraint, constraint, spatial, out_layout->spatial, rank, &set);
}

// A dimension's size is a multiple of a group count.
static bool divides(int64_t count, int64_t size) {
  return size == TN_DIM_DYNAMIC || size % count == 0;
}

typedef struct convolution {
  const tn_type_t *lhs, *rhs;
  size_t rank, spatial_rank;
  layout_t input, kernel, output;
  int64_t feature_groups, batch_groups;
  int64_t result_batch;
  tn_i64_list_t strides, lhs_dilation, rhs_dilation;
} convolution_t;

static tn_status_t check_groups(const tn_op_use_t* use, convolution_t* c) {
  TN_CONSTRAINT(use, "C21", c->feature_groups > 0,  // convolution_c21
                "feature_group_count is %lld; expected at least 1", (long long)c->feature_groups);
  TN_CONSTRAINT(use, "C22", c->batch_groups > 0,  // convolution_c22
                "batch_group_count is %lld; expected at least 1", (long long)c->batch_groups);
  TN_CONSTRAINT(use, "C23", c->feature_groups == 1 || c->batch_groups == 1,  // convolution_c23
                "feature_group_count is %lld and batch_group_count %lld; expected one of them to "
                "be 1",
                (long long)c->feature_groups, (long long)c->batch_groups);
  int64_t batch = c->lhs->dims[c->input.first], feature = c->lhs->dims[c->input.second];
  int64_t kernel_in = c->rhs->dims[c->kernel.first], kernel_out = c->rhs->dims[c->kernel.second];
  TN_CONSTRAINT(use, "C10", divides(c->batch_groups, batch),  // convolution_c10
                "lhs has a batch of %lld; expected a multiple of batch_group_count, %lld",
                (long long)batch, (long long)c->batch_groups);
  c->result_batch = batch == TN_DIM_DYNAMIC ? batch : batch / c->batch_groups;
  TN_CONSTRAINT(use, "C11", divides(c->feature_groups, feature),  // convolution_c11
                "lhs has %lld features; expected a multiple of feature_group_count, %lld",
                (long long)feature, (long long)c->feature_groups);
  TN_CONSTRAINT(use, "C14",  // convolution_c14
                feature == TN_DIM_DYNAMIC || tn__dims_agree(kernel_in, feature / c->feature_groups),
                "rhs has %lld input features; expected %lld, those of lhs by feature_group_count",
                (long long)kernel_in, (long long)(feature / c->feature_groups));
  TN_CONSTRAINT(use, "C15", divides(c->batch_groups, kernel_out),  // convolution_c15
                "rhs has %lld output features; expected a multiple of batch_group_count, %lld",
                (long long)kernel_out, (long long)c->batch_groups);
  TN_CONSTRAINT(use, "C16", divides(c->feature_groups, kernel_out),  // convolution_c16
                "rhs has %lld output features; expected a multiple of feature_group_count, %lld",
                (long long)kernel_out, (long long)c->feature_groups);
  return TN_OK;
}

// What convolution and dynamic_conv share: all but the padding. The constraints of both have the
// same numbers.
static tn_status_t read_convolution(const tn_op_use_t* use, convolution_t* out_convolution) {
  convolution_t* c = out_convolution;
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "lhs", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "rhs", TN__ANY_KIND));
  *c = (convolution_t){.lhs = use->operand_types[0], .rhs = use->operand_types[1]};
  c->rank = c->lhs->rank;
  TN_CONSTRAINT(use, "C1", c->rank == c->rhs->rank && c->rank >= 2,  // convolution_c1
                "operands have ranks %zu and %zu; expected equal ranks from 2 on", c->rank,
                c->rhs->rank);
  c->spatial_rank = c->rank - 2;
  // convolution_c2, _c3, _c5 to _c9
  TN_RETURN_IF_ERROR(
      tn__window_list(use, "C2", "C3", "window_strides", c->spatial_rank, &c->strides));
  TN_RETURN_IF_ERROR(
      tn__window_list(use, "C5", "C6", "lhs_dilation", c->spatial_rank, &c->lhs_dilation));
  TN_RETURN_IF_ERROR(
      tn__window_list(use, "C7", "C8", "rhs_dilation", c->spatial_rank, &c->rhs_dilation));
  const tn_attr_t* reversal = tn__attr_find(&use->attrs, "window_reversal");
  size_t reversal_count = !reversal                         ? c->spatial_rank
                          : reversal->kind == TN_ATTR_ARRAY ? reversal->array.count
                          : reversal->kind == TN_ATTR_DENSE_ARRAY
                              ? (size_t)reversal->dense_array.count
                              : (size_t)tn__type_size(reversal->elements.type);
  TN_CONSTRAINT(use, "C9", reversal_count == c->spatial_rank,
                "window_reversal has %zu entries; expected %zu", reversal_count, c->spatial_rank);
  // convolution_c12, _c13, _c17 to _c20
  TN_RETURN_IF_ERROR(read_layout(use, "input_batch_dimension", "input_feature_dimension",
                                 "input_spatial_dimensions", "C12", "C13", c->rank, &c->input));
  TN_RETURN_IF_ERROR(read_layout(use, "kernel_input_feature_dimension",
                                 "kernel_output_feature_dimension", "kernel_spatial_dimensions",
                                 "C17", "C18", c->rank, &c->kernel));
  TN_RETURN_IF_ERROR(read_layout(use, "output_batch_dimension", "output_feature_dimension",
                                 "output_spatial_dimensions", "C19", "C20", c->rank, &c->output));
  c->feature_groups = tn__attr_get_integer(&use->attrs, "feature_group_count", 1);
  c->batch_groups = tn__attr_get_integer(&use->attrs, "batch_group_count", 1);
  TN_RETURN_IF_ERROR(check_groups(use, c));
  TN_RETURN_IF_ERROR(tn__contract_precision(use, "C24"));  // convolution_c24
  // convolution_c27, but for floats of several widths
  bool mixes = c->lhs->dtype == c->rhs->dtype || (tn_dtype_kind(c->lhs->dtype) == TN_KIND_FLOAT &&
                                                  tn_dtype_kind(c->rhs->dtype) == TN_KIND_FLOAT);
  TN_CONSTRAINT(use, "C27", mixes, "rhs has elements of type %s; expected %s, as lhs",
                tn_dtype_name(c->rhs->dtype), tn_dtype_name(c->lhs->dtype));
  return TN_OK;
}

// Sizes of the result's batch and feature dimensions.
static void outer_dims(const convolution_t* c, int64_t* dims) {
  dims[c->output.first] = c->result_batch;
  dims[c->output.second] = c->rhs->dims[c->kernel.second];
}

tn_status_t tn__infer_convolution(const tn_op_use_t* use, tn_op_results_t* results) {
  convolution_t c;
  TN_RETURN_IF_ERROR(read_convolution(use, &c));
  tn_i64_list_t padding;
  TN_RETURN_IF_ERROR(tn__window_padding(use, "C4", c.spatial_rank, &padding));  // convolution_c4
  int64_t dims[TN_MAX_RANK];
  outer_dims(&c, dims);
  for (size_t i = 0; i < c.spatial_rank; ++i) {
    tn_window_t window = {.size = c.rhs->dims[c.kernel.spatial.values[i]],
                          .stride = c.strides.values[i],
                          .low = padding.values[2 * i],
                          .high = padding.values[2 * i + 1],
                          .base_dilation = c.lhs_dilation.values[i],
                          .window_dilation = c.rhs_dilation.values[i]};
    TN_CONSTRAINT(use, "C25",
                  tn__window_count(c.lhs->dims[c.input.spatial.values[i]], &window,
                                   &dims[c.output.spatial.values[i]]),
                  "the windows over spatial dimension %zu overflow 64 bits", i);
  }
  return tn__give_tensor(use, results, "C25|C27|C26", tn__contract_dtype(use, c.lhs->dtype), c.rank,
                         dims);  // convolution_c25 to convolution_c27
}

tn_status_t tn__verify_dynamic_conv(const tn_op_use_t* use) {
  convolution_t c;  // dynamic_conv_c1 to dynamic_conv_c24, dynamic_conv_c27
  TN_RETURN_IF_ERROR(read_convolution(use, &c));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 2, "I3", "padding", TN_KIND_INTEGER));
  const tn_type_t *padding = use->operand_types[2], *result = use->result_types[0];
  TN_CONSTRAINT(use, "C4",  // dynamic_conv_c4
                padding->rank == 2 && tn__dims_agree(padding->dims[0], (int64_t)c.spatial_rank) &&
                    tn__dims_agree(padding->dims[1], 2),
                "padding has shape %s; expected %zux2", TN_SHAPE_TEXT(padding->rank, padding->dims),
                c.spatial_rank);
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C27", "result", TN__ANY_KIND));
  TN_CONSTRAINT(use, "C27", tn__contract_mixes(c.lhs->dtype, result->dtype),
                "result has elements of type %s; expected %s", tn_dtype_name(result->dtype),
                tn_dtype_name(c.lhs->dtype));
  TN_CONSTRAINT(use, "C26", result->rank == c.rank,  // dynamic_conv_c26
                "result has rank %zu; expected %zu", result->rank, c.rank);
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < c.rank; ++i) dims[i] = TN_DIM_DYNAMIC;
  outer_dims(&c, dims);
  for (size_t i = 0; i < c.rank; ++i) {
    TN_CONSTRAINT(use, "C25", tn__dims_agree(dims[i], result->dims[i]),  // dynamic_conv_c25
                  "result has shape %s; expected %s", TN_SHAPE_TEXT(result->rank, result->dims),
                  TN_SHAPE_TEXT(c.rank, dims));
  }
  return TN_OK;
}
