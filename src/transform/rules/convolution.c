// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of convolution. It is linear in the input and in the kernel; both cotangents are again
// convolutions. All have the layout of the operations on arrays: [batch, spatial..., channel] with
// [output channel, spatial..., channel of a group].
#include "array/common.h"
#include "transform/rules/rules.h"

typedef struct tn_convolution_lists {
  size_t spatial;
  int64_t groups;
  bool flip;
  int64_t strides[TN_MAX_RANK], low[TN_MAX_RANK], high[TN_MAX_RANK];
  int64_t input_dilations[TN_MAX_RANK], kernel_dilations[TN_MAX_RANK];
} tn_convolution_lists_t;

static tn_convolution_lists_t lists_of(const tn_rule_t* rule) {
  tn_convolution_lists_t lists = {.groups = tn__rule_integer(rule, "feature_group_count")};
  const int64_t* strides = tn__rule_list_attribute(rule, "window_strides", &lists.spatial);
  size_t count = 0;
  const int64_t* padding = tn__rule_list_attribute(rule, "padding", &count);
  const int64_t* input_dilations = tn__rule_list_attribute(rule, "lhs_dilation", &count);
  const int64_t* kernel_dilations = tn__rule_list_attribute(rule, "rhs_dilation", &count);
  const bool* reversal = tn__rule_attribute(rule, "window_reversal")->dense_array.data;
  for (size_t i = 0; i < lists.spatial; ++i) {
    lists.strides[i] = strides[i];
    lists.low[i] = padding[2 * i];
    lists.high[i] = padding[2 * i + 1];
    lists.input_dilations[i] = input_dilations[i];
    lists.kernel_dilations[i] = kernel_dilations[i];
    lists.flip = reversal[i];
  }
  return lists;
}

static tn_array_t* convolve(tn_scope_t* scope, tn_array_t* x, tn_array_t* kernel,
                            const tn_convolution_lists_t* lists) {
  const tn_convolution_t options = {.struct_size = sizeof options,
                                    .stride = lists->strides,
                                    .padding_low = lists->low,
                                    .padding_high = lists->high,
                                    .kernel_dilation = lists->kernel_dilations,
                                    .input_dilation = lists->input_dilations,
                                    .groups = lists->groups,
                                    .flip = lists->flip};
  return tn_array_conv_general(scope, x, kernel, &options);
}

// A dimension as `first` times the rest.
static tn_array_t* split(tn_scope_t* scope, tn_array_t* x, size_t axis, int64_t first) {
  int64_t dims[TN_MAX_RANK + 1];
  for (size_t i = 0; i < x->rank; ++i) dims[i + (i > axis)] = x->dims[i];
  dims[axis] = first;
  dims[axis + 1] = first ? x->dims[axis] / first : 0;
  return tn_array_reshape(scope, x, x->rank + 1u, dims);
}

// Dimensions `axis` and the next one as one.
static tn_array_t* merge(tn_scope_t* scope, tn_array_t* x, size_t axis) {
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i + 1 < x->rank; ++i) dims[i] = x->dims[i + (i > axis)];
  dims[axis] = x->dims[axis] * x->dims[axis + 1];
  return tn_array_reshape(scope, x, x->rank - 1u, dims);
}

// The `parts` of one dimension become parts of another: [g * n, m] becomes [n, g * m].
static tn_array_t* regroup(tn_scope_t* scope, tn_array_t* x, size_t from, size_t to,
                           int64_t parts) {
  if (parts == 1) return x;
  x = tn__move_axis(scope, split(scope, x, from, parts), (int64_t)from, (int64_t)to);
  return merge(scope, x, to);
}

static tn_array_t* swap_ends(tn_scope_t* scope, tn_array_t* x) {
  return tn_array_swapaxes(scope, x, 0, -1);
}

static int64_t extent(int64_t count, int64_t distance) {
  return (count - 1) * distance + 1;
}

static bool is_empty(const tn_rule_t* rule, const tn_array_t* t) {
  return tn_array_size(rule->operands[0]) == 0 || tn_array_size(rule->operands[1]) == 0 ||
         tn_array_size(t) == 0;
}

// --- derivatives

tn_status_t tn__jvp_convolution(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  const tn_convolution_lists_t lists = lists_of(rule);
  tn_array_t* sum = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* operands[] = {rule->operands[0], rule->operands[1]};
    operands[call->argnums[i]] = call->tangents[i];
    sum = tn__add_or_either(rule->scope, sum,
                            convolve(rule->scope, operands[0], operands[1], &lists));
  }
  call->out_tangents[0] = sum;
  return TN_OK;
}

// Each element of the input met the kernel's elements in the opposite order, as far apart as the
// windows were: strides and dilations of the input change places.
static tn_array_t* input_cotangent(const tn_rule_t* rule, tn_array_t* t) {
  tn_scope_t* scope = rule->scope;
  const tn_array_t *x = rule->operands[0], *kernel = rule->operands[1];
  const tn_convolution_lists_t lists = lists_of(rule);
  tn_convolution_lists_t back = lists;
  const size_t last = lists.spatial + 1;
  if (is_empty(rule, t)) return tn__zeros_like(scope, x);
  back.flip = !lists.flip;
  for (size_t i = 0; i < lists.spatial; ++i) {
    const int64_t reach = (kernel->dims[i + 1] - 1) * lists.kernel_dilations[i];
    back.strides[i] = lists.input_dilations[i];
    back.input_dilations[i] = lists.strides[i];
    back.low[i] = reach - lists.low[i];
    back.high[i] = extent(x->dims[i + 1], lists.input_dilations[i]) + reach -
                   extent(t->dims[i + 1], lists.strides[i]) - back.low[i];
  }
  // [g * k, ..., c] to [g * c, ..., k]
  tn_array_t* turned = regroup(scope, rule->operands[1], 0, last, lists.groups);
  return convolve(scope, t, swap_ends(scope, turned), &back);
}

// What the input was multiplied with is the cotangent: it is the kernel over the batch, its
// elements as far apart as the windows were.
static tn_array_t* kernel_cotangent(const tn_rule_t* rule, tn_array_t* t) {
  tn_scope_t* scope = rule->scope;
  const tn_array_t *x = rule->operands[0], *kernel = rule->operands[1];
  const tn_convolution_lists_t lists = lists_of(rule);
  tn_convolution_lists_t back = lists;
  int64_t axes[TN_MAX_RANK];
  const size_t last = lists.spatial + 1;
  if (is_empty(rule, t)) return tn__zeros_like(scope, kernel);
  back.flip = false;
  for (size_t i = 0; i < lists.spatial; ++i) {
    axes[i] = (int64_t)i + 1;
    back.strides[i] = lists.kernel_dilations[i];
    back.kernel_dilations[i] = lists.strides[i];
    back.high[i] = extent(kernel->dims[i + 1], lists.kernel_dilations[i]) +
                   extent(t->dims[i + 1], lists.strides[i]) - 1 -
                   extent(x->dims[i + 1], lists.input_dilations[i]) - lists.low[i];
  }
  // [n, ..., g * c] to [c, ..., g * n]; the result is [c, ..., g * k].
  tn_array_t* input = regroup(scope, rule->operands[0], last, 0, lists.groups);
  tn_array_t* result = convolve(scope, swap_ends(scope, input), swap_ends(scope, t), &back);
  result = swap_ends(scope, result);
  return lists.flip ? tn_array_flip(scope, result, lists.spatial, axes) : result;
}

tn_status_t tn__vjp_convolution(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t* t = call->cotangents[0];
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] =
        call->argnums[i] == 0 ? input_cotangent(rule, t) : kernel_cotangent(rule, t);
  }
  return TN_OK;
}

// --- batches

// A batch of inputs is a larger batch; one of kernels, more output channels of each group; one of
// both, more groups.
tn_status_t tn__vmap_convolution(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_scope_t* scope = rule->scope;
  tn_convolution_lists_t lists = lists_of(rule);
  const int64_t batch = call->batch_size, groups = lists.groups;
  const size_t last = lists.spatial + 1;
  const bool has_input = call->axes[0] != TN_NO_AXIS, has_kernel = call->axes[1] != TN_NO_AXIS;
  tn_array_t* x = has_input ? tn__batched(rule, call, 0) : rule->operands[0];
  tn_array_t* kernel = has_kernel ? tn__batched(rule, call, 1) : rule->operands[1];
  call->out_axes[0] = 0;
  if (batch == 0) {
    int64_t dims[TN_MAX_RANK];
    const tn_array_type_t type = tn__batched_type(rule, batch, dims);
    call->out_results[0] = tn_array_zeros(scope, type.dtype, type.rank, type.dims);
  } else if (!has_kernel) {
    x = convolve(scope, merge(scope, x, 0), kernel, &lists);
    call->out_results[0] = split(scope, x, 0, batch);
  } else if (!has_input) {
    // [b, g * k] to [g * b * k]
    kernel = tn__move_axis(scope, split(scope, kernel, 1, groups), 0, 1);
    kernel = merge(scope, merge(scope, kernel, 0), 0);
    tn_array_t* result = split(scope, convolve(scope, x, kernel, &lists), last, groups);
    result = tn__move_axis(scope, split(scope, result, last + 1, batch), (int64_t)last + 1, 0);
    call->out_results[0] = merge(scope, result, last + 1);
  } else {
    lists.groups = batch * groups;
    x = merge(scope, tn__move_axis(scope, x, 0, (int64_t)last), last);
    tn_array_t* result = convolve(scope, x, merge(scope, kernel, 0), &lists);
    call->out_results[0] = split(scope, result, last, batch);
    call->out_axes[0] = (int64_t)last;
  }
  return TN_OK;
}
