// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Parts of tensors: cut out, written over, joined, padded.
#include "ops/rules.h"

// --- static slices

tn_status_t tn__infer_slice(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  const tn_type_t* operand = use->operand_types[0];
  tn_i64_list_t starts, limits, strides;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "start_indices", &starts));
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "limit_indices", &limits));
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "strides", &strides));
  // slice_c2
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "start_indices", starts, operand->rank));
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "limit_indices", limits, operand->rank));
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "strides", strides, operand->rank));
  TN_RETURN_IF_ERROR(tn__rule_at_least(use, "C4", "strides", strides, 1));  // slice_c4
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < operand->rank; ++i) {
    int64_t start = starts.values[i], limit = limits.values[i], size = operand->dims[i];
    TN_CONSTRAINT(use, "C3",  // slice_c3
                  start >= 0 && start <= limit && (size == TN_DIM_DYNAMIC || limit <= size),
                  "dimension %zu is cut from %lld to %lld; expected a range within 0 to %s", i,
                  (long long)start, (long long)limit, TN_SHAPE_TEXT(1, &size));
    int64_t length = limit - start, stride = strides.values[i];
    dims[i] = length / stride + (length % stride != 0);
  }
  return tn__give_tensor(use, results, "C5|C1", operand->dtype, operand->rank,
                         dims);  // slice_c1, slice_c5
}

// --- dynamic slices

// The operands from `first` on: one integer scalar for each dimension, all of one type.
static tn_status_t start_indices(const tn_op_use_t* use, size_t first, const char* label,
                                 const char* count_constraint, const char* same_constraint) {
  size_t count = use->operand_count - first, rank = use->operand_types[0]->rank;
  TN_CONSTRAINT(use, count_constraint, count == rank,
                "has %zu start indices; expected %zu, the rank of operand", count, rank);
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* index = use->operand_types[first + i];
    TN_CONSTRAINT(use, label, tn__is_scalar_of(index, TN_KIND_INTEGER),
                  "start index %zu has type %s; expected an integer scalar", i,
                  TN_TYPE_TEXT(index));
    const tn_type_t* other = use->operand_types[first];
    TN_CONSTRAINT(use, same_constraint, index->dtype == other->dtype,
                  "start index %zu has type %s; expected %s, as the first", i, TN_TYPE_TEXT(index),
                  TN_TYPE_TEXT(other));
  }
  return TN_OK;
}

tn_status_t tn__infer_dynamic_slice(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  const tn_type_t* operand = use->operand_types[0];
  TN_RETURN_IF_ERROR(start_indices(use, 1, "I2", "C2", "C3"));  // dynamic_slice_c2, _c3
  tn_i64_list_t sizes;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "slice_sizes", &sizes));
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "slice_sizes", sizes, operand->rank));
  for (size_t i = 0; i < operand->rank; ++i) {
    int64_t size = operand->dims[i];
    TN_CONSTRAINT(use, "C4",  // dynamic_slice_c4
                  sizes.values[i] >= 0 && (size == TN_DIM_DYNAMIC || sizes.values[i] <= size),
                  "slice_sizes is %s; expected sizes within the operand's shape %s",
                  TN_LIST_TEXT(sizes), TN_SHAPE_TEXT(operand->rank, operand->dims));
  }
  return tn__give_tensor(use, results, "C5|C1", operand->dtype, operand->rank,
                         sizes.values);  // dynamic_slice_c1, dynamic_slice_c5
}

tn_status_t tn__infer_dynamic_update_slice(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "update", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *update = use->operand_types[1];
  TN_CONSTRAINT(use, "C2", update->dtype == operand->dtype,  // dynamic_update_slice_c2
                "update has elements of type %s; expected %s", tn_dtype_name(update->dtype),
                tn_dtype_name(operand->dtype));
  TN_CONSTRAINT(use, "C3", update->rank == operand->rank,  // dynamic_update_slice_c3
                "update has rank %zu; expected %zu, as operand", update->rank, operand->rank);
  TN_RETURN_IF_ERROR(start_indices(use, 2, "I3", "C4", "C5"));  // dynamic_update_slice_c4, _c5
  for (size_t i = 0; i < operand->rank; ++i) {
    int64_t size = operand->dims[i], part = update->dims[i];
    TN_CONSTRAINT(use, "C6",  // dynamic_update_slice_c6
                  size == TN_DIM_DYNAMIC || part == TN_DIM_DYNAMIC || part <= size,
                  "update has shape %s; expected one within the operand's %s",
                  TN_SHAPE_TEXT(update->rank, update->dims),
                  TN_SHAPE_TEXT(operand->rank, operand->dims));
  }
  return tn__give(use, results, "C1", operand);  // dynamic_update_slice_c1
}

// Operands 1, 2, 3 hold starts, limits and strides.
tn_status_t tn__verify_real_dynamic_slice(const tn_op_use_t* use) {
  static const char* const roles[] = {"operand", "start_indices", "limit_indices", "strides"};
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, roles[0], TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, NULL, "result", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  for (size_t i = 1; i < 4; ++i) {
    TN_RETURN_IF_ERROR(tn__rule_operand(use, i, NULL, roles[i], TN_KIND_INTEGER));
    const tn_type_t* list = use->operand_types[i];
    TN_CONSTRAINT(use, NULL,
                  list->rank == 1 && tn__dims_agree(list->dims[0], (int64_t)operand->rank),
                  "%s has shape %s; expected %zu", roles[i], TN_SHAPE_TEXT(list->rank, list->dims),
                  operand->rank);
  }
  TN_CONSTRAINT(use, NULL, result->dtype == operand->dtype && result->rank == operand->rank,
                "result has type %s; expected the rank and element type of %s",
                TN_TYPE_TEXT(result), TN_TYPE_TEXT(operand));
  return TN_OK;
}

// --- joining

tn_status_t tn__infer_concatenate(const tn_op_use_t* use, tn_op_results_t* results) {
  // concatenate_c3 is the table's minimum of operands.
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, "I1", "input"));
  const tn_type_t* first = use->operand_types[0];
  int64_t dimension = tn__attr_get_integer(&use->attrs, "dimension", 0);
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(  // concatenate_c4
      tn__rule_dim(use, "C4", "C4", "dimension", dimension, first->rank, &set));
  int64_t dims[TN_MAX_RANK];
  memcpy(dims, first->dims, first->rank * sizeof *dims);
  for (size_t i = 1; i < use->operand_count; ++i) {
    const tn_type_t* input = use->operand_types[i];
    TN_CONSTRAINT(use, "C1", input->dtype == first->dtype,  // concatenate_c1
                  "input %zu has elements of type %s; expected %s", i, tn_dtype_name(input->dtype),
                  tn_dtype_name(first->dtype));
    bool fits = input->rank == first->rank;
    for (size_t d = 0; fits && d < first->rank; ++d) {
      if ((int64_t)d == dimension) continue;
      fits = tn__dims_agree(dims[d], input->dims[d]);
      if (dims[d] == TN_DIM_DYNAMIC) dims[d] = input->dims[d];
    }
    TN_CONSTRAINT(use, "C2", fits,  // concatenate_c2
                  "input %zu has shape %s; expected %s, but for dimension %lld", i,
                  TN_SHAPE_TEXT(input->rank, input->dims), TN_SHAPE_TEXT(first->rank, first->dims),
                  (long long)dimension);
    int64_t* sum = &dims[dimension];
    if (*sum == TN_DIM_DYNAMIC || input->dims[dimension] == TN_DIM_DYNAMIC) {
      *sum = TN_DIM_DYNAMIC;
    } else {
      TN_CONSTRAINT(use, "C6", !__builtin_add_overflow(*sum, input->dims[dimension], sum),
                    "dimension %lld of the result overflows 64 bits", (long long)dimension);
    }
  }
  return tn__give_tensor(use, results, "C6|C5", first->dtype, first->rank,
                         dims);  // concatenate_c5, concatenate_c6
}

// --- padding

// The padded size of one dimension; -1 when it overflows or gets negative.
static int64_t padded_size(int64_t size, int64_t low, int64_t high, int64_t interior) {
  if (size == TN_DIM_DYNAMIC) return TN_DIM_DYNAMIC;
  int64_t padded = 0;
  if (__builtin_mul_overflow(size > 0 ? size - 1 : 0, interior, &padded)) return -1;
  // The edges may differ widely in sign; their sum is taken before the size is added.
  int64_t edges = 0;
  if (__builtin_add_overflow(low, high, &edges) || __builtin_add_overflow(padded, size, &padded) ||
      __builtin_add_overflow(padded, edges, &padded)) {
    return -1;
  }
  return padded < 0 ? -1 : padded;
}

tn_status_t tn__infer_pad(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *value = use->operand_types[1];
  TN_CONSTRAINT(use, "I2", tn__is_scalar_of(value, TN__ANY_KIND),
                "padding_value has type %s; expected a scalar", TN_TYPE_TEXT(value));
  TN_CONSTRAINT(use, "C1", value->dtype == operand->dtype,  // pad_c1
                "padding_value has type %s; expected tensor<%s>", TN_TYPE_TEXT(value),
                tn_dtype_name(operand->dtype));
  tn_i64_list_t low, high, interior;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "edge_padding_low", &low));
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "edge_padding_high", &high));
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "interior_padding", &interior));
  // pad_c2
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "edge_padding_low", low, operand->rank));
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "edge_padding_high", high, operand->rank));
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "interior_padding", interior, operand->rank));
  TN_RETURN_IF_ERROR(tn__rule_at_least(use, "C3", "interior_padding", interior, 0));  // pad_c3
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < operand->rank; ++i) {
    dims[i] = padded_size(operand->dims[i], low.values[i], high.values[i], interior.values[i]);
    TN_CONSTRAINT(
        use, "C4", dims[i] != -1,  // pad_c4
        "dimension %zu, %lld, padded with %lld, %lld and %lld between is not a valid size", i,
        (long long)operand->dims[i], (long long)low.values[i], (long long)high.values[i],
        (long long)interior.values[i]);
  }
  return tn__give_tensor(use, results, "C4|C1", operand->dtype, operand->rank, dims);
}

tn_status_t tn__verify_dynamic_pad(const tn_op_use_t* use) {
  static const char *const roles[] = {"edge_padding_low", "edge_padding_high", "interior_padding"},
                           *const labels[] = {"I3", "I4", "I5"};
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C4", "result", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *value = use->operand_types[1],
                  *result = use->result_types[0];
  TN_CONSTRAINT(use, "I2", tn__is_scalar_of(value, TN__ANY_KIND),
                "padding_value has type %s; expected a scalar", TN_TYPE_TEXT(value));
  TN_CONSTRAINT(use, "C1",  // dynamic_pad_c1
                value->dtype == operand->dtype && result->dtype == operand->dtype,
                "padding_value and result have elements of type %s and %s; expected %s",
                tn_dtype_name(value->dtype), tn_dtype_name(result->dtype),
                tn_dtype_name(operand->dtype));
  for (size_t i = 0; i < 3; ++i) {
    TN_RETURN_IF_ERROR(tn__rule_operand(use, 2 + i, labels[i], roles[i], TN_KIND_INTEGER));
    const tn_type_t* list = use->operand_types[2 + i];
    TN_CONSTRAINT(use, "C2",  // dynamic_pad_c2
                  list->rank == 1 && tn__dims_agree(list->dims[0], (int64_t)operand->rank),
                  "%s has shape %s; expected %zu", roles[i], TN_SHAPE_TEXT(list->rank, list->dims),
                  operand->rank);
  }
  TN_CONSTRAINT(use, "C4", result->rank == operand->rank,  // dynamic_pad_c4
                "result has rank %zu; expected %zu, as operand", result->rank, operand->rank);
  return TN_OK;
}
