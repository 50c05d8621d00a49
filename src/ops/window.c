// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/window.h"

#include "ops/rules.h"

// Elements from the first to the last, `dilation` apart; false when that overflows.
static bool dilated(int64_t size, int64_t dilation, int64_t* out) {
  *out = 0;
  if (size == 0) return true;
  return !__builtin_mul_overflow(size - 1, dilation, out) && !__builtin_add_overflow(*out, 1, out);
}

bool tn__window_count(int64_t size, const tn_window_t* window, int64_t* out_count) {
  *out_count = TN_DIM_DYNAMIC;
  if (size == TN_DIM_DYNAMIC || window->size == TN_DIM_DYNAMIC) return true;
  int64_t base = 0, reach = 0, padding = 0;
  if (!dilated(size, window->base_dilation, &base) ||
      !dilated(window->size, window->window_dilation, &reach) ||
      __builtin_add_overflow(window->low, window->high, &padding) ||
      __builtin_add_overflow(base, padding, &base)) {
    return false;
  }
  *out_count = base == 0 || reach > base ? 0 : (base - reach) / window->stride + 1;
  return true;
}

static tn_status_t filled(const tn_op_use_t* use, size_t count, int64_t value,
                          tn_i64_list_t* out_list) {
  int64_t* values = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, count, &values));
  for (size_t i = 0; i < count; ++i) values[i] = value;
  *out_list = (tn_i64_list_t){false, count, values};
  return TN_OK;
}

tn_status_t tn__window_list(const tn_op_use_t* use, const char* count_constraint,
                            const char* value_constraint, const char* name, size_t count,
                            tn_i64_list_t* out_list) {
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, name, out_list));
  if (!out_list->present) return filled(use, count, 1, out_list);
  TN_RETURN_IF_ERROR(tn__rule_count(use, count_constraint, name, *out_list, count));
  return tn__rule_at_least(use, value_constraint, name, *out_list, 1);
}

tn_status_t tn__window_padding(const tn_op_use_t* use, const char* constraint, size_t count,
                               tn_i64_list_t* out_list) {
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "padding", out_list));
  if (!out_list->present) return filled(use, 2 * count, 0, out_list);
  TN_CONSTRAINT(use, constraint, out_list->count == 2 * count,
                "padding has %zu pairs; expected %zu", out_list->count / 2, count);
  return TN_OK;
}

// --- reduce_window

tn_status_t tn__infer_reduce_window(const tn_op_use_t* use, tn_op_results_t* results) {
  size_t count = 0;  // reduce_window_c1 to reduce_window_c3
  TN_RETURN_IF_ERROR(tn__rule_folded(use, "C1", "C2", "C3", &count));
  const tn_type_t* const* inputs = use->operand_types;
  size_t rank = inputs[0]->rank;
  tn_i64_list_t sizes, strides, base, dilations, padding;
  // reduce_window_c4 to reduce_window_c12
  TN_RETURN_IF_ERROR(tn__window_list(use, "C4", "C5", "window_dimensions", rank, &sizes));
  TN_RETURN_IF_ERROR(tn__window_list(use, "C6", "C7", "window_strides", rank, &strides));
  TN_RETURN_IF_ERROR(tn__window_list(use, "C8", "C9", "base_dilations", rank, &base));
  TN_RETURN_IF_ERROR(tn__window_list(use, "C10", "C11", "window_dilations", rank, &dilations));
  TN_RETURN_IF_ERROR(tn__window_padding(use, "C12", rank, &padding));
  tn_dtype_t* dtypes = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, count, &dtypes));
  TN_RETURN_IF_ERROR(  // reduce_window_c13
      tn__rule_folding(use, 0, "C13", "body", count, inputs, dtypes));
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < rank; ++i) {
    tn_window_t window = {sizes.values[i],           strides.values[i], padding.values[2 * i],
                          padding.values[2 * i + 1], base.values[i],    dilations.values[i]};
    TN_CONSTRAINT(use, "C15", tn__window_count(inputs[0]->dims[i], &window, &dims[i]),
                  "the windows over dimension %zu overflow 64 bits", i);
  }
  results->count_constraint = "C1";
  for (size_t i = 0; i < count; ++i) {  // reduce_window_c14 to reduce_window_c16
    TN_RETURN_IF_ERROR(tn__give_tensor(use, results, "C15|C16", dtypes[i], rank, dims));
  }
  return TN_OK;
}

// --- select_and_scatter

tn_status_t tn__infer_select_and_scatter(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "source", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *source = use->operand_types[1],
                  *init = use->operand_types[2];
  TN_CONSTRAINT(use, "I3", tn__is_scalar_of(init, TN__ANY_KIND),
                "init_value has type %s; expected a scalar", TN_TYPE_TEXT(init));
  TN_CONSTRAINT(use, "C1", operand->dtype == source->dtype,  // select_and_scatter_c1
                "source has elements of type %s; expected %s", tn_dtype_name(source->dtype),
                tn_dtype_name(operand->dtype));
  TN_CONSTRAINT(use, "C3", operand->dtype == init->dtype,  // select_and_scatter_c3
                "init_value has type %s; expected tensor<%s>", TN_TYPE_TEXT(init),
                tn_dtype_name(operand->dtype));
  tn_i64_list_t sizes, strides, padding;
  // select_and_scatter_c4 to select_and_scatter_c8
  TN_RETURN_IF_ERROR(tn__window_list(use, "C4", "C5", "window_dimensions", operand->rank, &sizes));
  TN_RETURN_IF_ERROR(tn__window_list(use, "C6", "C7", "window_strides", operand->rank, &strides));
  TN_RETURN_IF_ERROR(tn__window_padding(use, "C8", operand->rank, &padding));
  TN_CONSTRAINT(
      use, "C2", source->rank == operand->rank, "source has shape %s; expected the windows over %s",
      TN_SHAPE_TEXT(source->rank, source->dims), TN_SHAPE_TEXT(operand->rank, operand->dims));
  for (size_t i = 0; i < operand->rank; ++i) {
    tn_window_t window = {
        sizes.values[i], strides.values[i], padding.values[2 * i], padding.values[2 * i + 1], 1, 1};
    int64_t windows = 0;
    TN_CONSTRAINT(use, "C2", tn__window_count(operand->dims[i], &window, &windows),
                  "the windows over dimension %zu overflow 64 bits", i);
    TN_CONSTRAINT(use, "C2", tn__dims_agree(windows, source->dims[i]),  // select_and_scatter_c2
                  "dimension %zu of source is %lld; expected %lld, the number of windows", i,
                  (long long)source->dims[i], (long long)windows);
  }
  const tn_type_t* element = tn__type_scalar(operand->dtype);
  const tn_type_t *pair[] = {element, element}, *decision = tn__type_scalar(TN_DTYPE_PRED);
  TN_RETURN_IF_ERROR(  // select_and_scatter_c9
      tn__rule_region(use, 0, "C9", "select", 2, pair, 1, &decision));
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(  // select_and_scatter_c10
      tn__rule_folding(use, 1, "C10", "scatter", 1, &operand, &dtype));
  return tn__give_tensor(use, results, "C11|C12", dtype, operand->rank,
                         operand->dims);  // select_and_scatter_c11, _c12
}
