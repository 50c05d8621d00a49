// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of reduce_window. A sum over windows is linear: a cotangent is spread over the windows that
// each element is in, which is again a sum over windows. Of other operations the derivatives are
// those of the same fold in steps that each make windows twice as long.
#include "array/common.h"
#include "array/views.h"
#include "transform/rules/rules.h"

typedef struct tn_windows {
  size_t rank;
  int64_t sizes[TN_MAX_RANK], strides[TN_MAX_RANK];
  int64_t base_dilations[TN_MAX_RANK], window_dilations[TN_MAX_RANK];
  int64_t padding[2 * TN_MAX_RANK];
} tn_windows_t;

// A list of the operation, or `missing` in each place when it has none.
static void read_list(const tn_rule_t* rule, const char* name, size_t count, int64_t missing,
                      int64_t* out) {
  size_t given_count = 0;
  const int64_t* given = tn__rule_list_attribute(rule, name, &given_count);
  for (size_t i = 0; i < count; ++i) out[i] = given ? given[i] : missing;
}

static tn_windows_t windows_of(const tn_rule_t* rule) {
  tn_windows_t w = {.rank = rule->result_types[0].rank};
  read_list(rule, "window_dimensions", w.rank, 1, w.sizes);
  read_list(rule, "window_strides", w.rank, 1, w.strides);
  read_list(rule, "base_dilations", w.rank, 1, w.base_dilations);
  read_list(rule, "window_dilations", w.rank, 1, w.window_dilations);
  read_list(rule, "padding", 2 * w.rank, 0, w.padding);
  return w;
}

static tn_array_t* reduce_window(const tn_rule_t* rule, tn_array_t* x, tn_array_t* initial,
                                 const tn_windows_t* w, const tn_array_type_t* type) {
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("window_dimensions", w->rank, w->sizes),
      TN_I64_LIST_ATTR("window_strides", w->rank, w->strides),
      TN_I64_LIST_ATTR("base_dilations", w->rank, w->base_dilations),
      TN_I64_LIST_ATTR("window_dilations", w->rank, w->window_dilations),
      TN_I64_PAIRS_ATTR("padding", w->rank, w->padding),
  };
  tn_array_t* operands[] = {x, initial};
  return tn__apply_body(rule->scope, TN__OP(reduce_window), 2, operands,
                        sizeof attributes / sizeof *attributes, attributes,
                        tn__rule_step(rule)->body, type);
}

// --- the fold in steps

// `count` places along an axis.
static tn_array_t* part(tn_scope_t* scope, tn_array_t* x, size_t axis, int64_t start,
                        int64_t count) {
  int64_t starts[TN_MAX_RANK] = {0}, limits[TN_MAX_RANK], steps[TN_MAX_RANK];
  for (size_t d = 0; d < x->rank; ++d) {
    limits[d] = x->dims[d];
    steps[d] = 1;
  }
  starts[axis] = start;
  limits[axis] = start + count;
  return tn__view_slice(scope, x, starts, limits, steps);
}

// Windows of `size` elements, `distance` apart, along one axis: put together from those whose sizes
// are powers of two.
static tn_array_t* fold_axis(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, size_t axis,
                             int64_t size, int64_t distance) {
  const int64_t count = x->dims[axis] - (size - 1) * distance;
  tn_array_t *folded = NULL, *power = x;
  int64_t done = 0;
  for (int64_t length = 1; length <= size; length *= 2) {
    if (length > 1) {
      const int64_t left = power->dims[axis] - length / 2 * distance;
      tn_array_t* halves[] = {part(scope, power, axis, 0, left),
                              part(scope, power, axis, length / 2 * distance, left)};
      power = tn__apply(scope, op, 2, halves, x->dtype, x->rank, halves[0]->dims);
    }
    if (!(size & length)) continue;
    tn_array_t* operands[] = {folded, part(scope, power, axis, done * distance, count)};
    folded = folded ? tn__apply(scope, op, 2, operands, x->dtype, x->rank, operands[1]->dims)
                    : operands[1];
    done += length;
  }
  return folded;
}

static tn_array_t* pad_array(tn_scope_t* scope, tn_array_t* x, tn_array_t* value,
                             const int64_t* low, const int64_t* high, const int64_t* interior,
                             const int64_t* dims) {
  tn_array_t* operands[] = {x, value};
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("edge_padding_low", x->rank, low),
      TN_I64_LIST_ATTR("edge_padding_high", x->rank, high),
      TN_I64_LIST_ATTR("interior_padding", x->rank, interior),
  };
  return tn__apply_with(scope, TN__OP(pad), 2, operands, 3, attributes, x->dtype, x->rank, dims);
}

// The initial value changes nothing: it is the operation's own.
static tn_status_t fold_windows(void* user, tn_scope_t* scope, size_t input_count,
                                tn_array_t* const* inputs, size_t output_count,
                                tn_array_t** out_outputs) {
  const tn_rule_t* rule = user;
  const tn_windows_t w = windows_of(rule);
  tn_array_t* x = inputs[0];
  int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK], dims[TN_MAX_RANK];
  int64_t starts[TN_MAX_RANK] = {0};
  (void)input_count, (void)output_count;
  for (size_t d = 0; d < w.rank; ++d) {
    low[d] = w.padding[2 * d];
    high[d] = w.padding[2 * d + 1];
    interior[d] = w.base_dilations[d] - 1;
    dims[d] = (x->dims[d] ? (x->dims[d] - 1) * w.base_dilations[d] + 1 : 0) + low[d] + high[d];
  }
  x = pad_array(scope, x, rule->operands[1], low, high, interior, dims);
  for (size_t d = 0; d < w.rank; ++d) {
    x = fold_axis(scope, tn__rule_body_op(rule), x, d, w.sizes[d], w.window_dilations[d]);
  }
  out_outputs[0] = tn__view_slice(scope, x, starts, x->dims, w.strides);
  return TN_OK;
}

// --- derivatives

tn_status_t tn__jvp_reduce_window(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  TN_RETURN_IF_ERROR(tn__rule_check_fold(rule, "jvp"));
  const tn_windows_t w = windows_of(rule);
  const tn_closure_t fold = {fold_windows, (void*)rule};
  call->out_tangents[0] = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] != 0) continue;  // the initial value is a constant of Tenon's own
    tn_array_t *t = call->tangents[i], *y = NULL;
    if (tn__rule_folds_with(rule, TN__OP(add))) {
      tn_array_t* zero = tn_array_scalar(rule->scope, t->dtype, 0);
      call->out_tangents[0] = reduce_window(rule, t, zero, &w, rule->result_types);
    } else if (tn_array_size(call->outputs[0]) == 0) {
      call->out_tangents[0] = NULL;
    } else {
      TN_RETURN_IF_ERROR(
          tn_jvp(rule->scope, &fold, 1, rule->operands, &t, 1, &y, call->out_tangents));
    }
  }
  return TN_OK;
}

// The cotangent, its elements apart by the strides, is padded so that the window that reached each
// element backwards is full.
static tn_array_t* spread(const tn_rule_t* rule, tn_array_t* t) {
  const tn_array_t* x = rule->operands[0];
  const tn_windows_t w = windows_of(rule);
  tn_windows_t back = w;
  int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK];
  int64_t padded[TN_MAX_RANK], dilated[TN_MAX_RANK], starts[TN_MAX_RANK] = {0};
  for (size_t d = 0; d < w.rank; ++d) {
    const int64_t reach = (w.sizes[d] - 1) * w.window_dilations[d];
    const int64_t extent = t->dims[d] ? (t->dims[d] - 1) * w.strides[d] + 1 : 0;
    dilated[d] = x->dims[d] ? (x->dims[d] - 1) * w.base_dilations[d] + 1 : 0;
    interior[d] = w.strides[d] - 1;
    low[d] = reach - w.padding[2 * d];
    padded[d] = dilated[d] + reach;
    high[d] = padded[d] - extent - low[d];
    back.strides[d] = back.base_dilations[d] = 1;
    back.padding[2 * d] = back.padding[2 * d + 1] = 0;
  }
  tn_array_t* zero = tn_array_scalar(rule->scope, t->dtype, 0);
  t = pad_array(rule->scope, t, zero, low, high, interior, padded);
  const tn_array_type_t type = {t->dtype, w.rank, dilated};
  t = reduce_window(rule, t, zero, &back, &type);
  return tn__view_slice(rule->scope, t, starts, dilated, w.base_dilations);
}

tn_status_t tn__vjp_reduce_window(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  TN_RETURN_IF_ERROR(tn__rule_check_fold(rule, "vjp"));
  const tn_closure_t fold = {fold_windows, (void*)rule};
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = NULL;
    if (call->argnums[i] != 0 || tn_array_size(call->cotangents[0]) == 0) continue;
    if (tn__rule_folds_with(rule, TN__OP(add))) {
      call->out_cotangents[i] = spread(rule, call->cotangents[0]);
    } else {
      TN_RETURN_IF_ERROR(tn_vjp(rule->scope, &fold, 1, rule->operands, 1, call->cotangents, NULL,
                                &call->out_cotangents[i]));
    }
  }
  return TN_OK;
}

tn_status_t tn__vmap_reduce_window(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  const tn_windows_t inner = windows_of(rule);
  tn_windows_t w = {.rank = inner.rank + 1};
  int64_t dims[TN_MAX_RANK];
  const tn_array_type_t type = tn__batched_type(rule, call->batch_size, dims);
  if (call->axes[1] != TN_NO_AXIS || inner.rank + 1 > TN_MAX_RANK) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "reduce_window: a batch of initial values, or of too many dimensions");
  }
  w.sizes[0] = w.strides[0] = w.base_dilations[0] = w.window_dilations[0] = 1;
  for (size_t d = 0; d < inner.rank; ++d) {
    w.sizes[d + 1] = inner.sizes[d];
    w.strides[d + 1] = inner.strides[d];
    w.base_dilations[d + 1] = inner.base_dilations[d];
    w.window_dilations[d + 1] = inner.window_dilations[d];
    w.padding[2 * d + 2] = inner.padding[2 * d];
    w.padding[2 * d + 3] = inner.padding[2 * d + 1];
  }
  call->out_results[0] =
      reduce_window(rule, tn__batched(rule, call, 0), rule->operands[1], &w, &type);
  call->out_axes[0] = 0;
  return TN_OK;
}
