// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations that run a computation over the elements of dimensions: reduce, map, sort.
#include "ops/rules.h"

// Element types that regions of one use take; results have them, too.
static tn_status_t allocate_dtypes(const tn_op_use_t* use, size_t count, tn_dtype_t** out_dtypes) {
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, count, out_dtypes));
  return TN_OK;
}

tn_status_t tn__infer_reduce(const tn_op_use_t* use, tn_op_results_t* results) {
  size_t count = 0;  // reduce_c1 to reduce_c3
  TN_RETURN_IF_ERROR(tn__rule_folded(use, "C3", "C1", "C2", &count));
  const tn_type_t* const* inputs = use->operand_types;
  tn_i64_list_t dimensions;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "dimensions", &dimensions));
  uint64_t set = 0;  // reduce_c4, reduce_c5
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C4", "C5", "dimensions", dimensions, inputs[0]->rank, &set));
  tn_dtype_t* dtypes = NULL;
  TN_RETURN_IF_ERROR(allocate_dtypes(use, count, &dtypes));
  TN_RETURN_IF_ERROR(  // reduce_c6
      tn__rule_folding(use, 0, "C6", "body", count, inputs, dtypes));
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  for (size_t i = 0; i < inputs[0]->rank; ++i) {
    if (!tn__set_has(set, i)) dims[rank++] = inputs[0]->dims[i];
  }
  results->count_constraint = "C3";
  for (size_t i = 0; i < count; ++i) {  // reduce_c7, reduce_c8
    TN_RETURN_IF_ERROR(tn__give_tensor(use, results, "C7|C8", dtypes[i], rank, dims));
  }
  return TN_OK;
}

tn_status_t tn__infer_map(const tn_op_use_t* use, tn_op_results_t* results) {
  // map_c2 is the table's minimum of operands.
  size_t count = use->operand_count;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, count, "I1", "input"));
  const tn_type_t* first = use->operand_types[0];
  const tn_type_t** elements = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, count, &elements));
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* input = use->operand_types[i];
    TN_CONSTRAINT(use, "C1", tn__shapes_agree(input, first),  // map_c1
                  "input %zu has shape %s; expected %s", i, TN_SHAPE_TEXT(input->rank, input->dims),
                  TN_SHAPE_TEXT(first->rank, first->dims));
    elements[i] = tn__type_scalar(input->dtype);
  }
  tn_i64_list_t dimensions;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "dimensions", &dimensions));
  bool is_range = dimensions.count == first->rank;
  for (size_t i = 0; is_range && i < first->rank; ++i) {
    is_range = dimensions.values[i] == (int64_t)i;
  }
  TN_CONSTRAINT(use, "C3", is_range,  // map_c3
                "dimensions is %s; expected all %zu dimensions in order", TN_LIST_TEXT(dimensions),
                first->rank);
  const tn_region_signature_t* computation = &use->regions[0];
  TN_CONSTRAINT(use, "C4",
                computation->result_count == 1 &&
                    tn__is_scalar_of(computation->result_types[0], TN__ANY_KIND),
                "computation gives %zu results; expected one scalar", computation->result_count);
  TN_RETURN_IF_ERROR(tn__rule_region(use, 0, "C4", "computation", count, elements, 1,  // map_c4
                                     computation->result_types));
  return tn__give_tensor(use, results, "C4", computation->result_types[0]->dtype, first->rank,
                         first->dims);
}

tn_status_t tn__infer_sort(const tn_op_use_t* use, tn_op_results_t* results) {
  // sort_c1 is the table's minimum of operands.
  size_t count = use->operand_count;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, count, "I1", "input"));
  const tn_type_t* first = use->operand_types[0];
  int64_t dimension = tn__attr_get_integer(&use->attrs, "dimension", -1);
  int64_t rank = (int64_t)first->rank;
  TN_CONSTRAINT(use, "C4", dimension >= -rank && dimension < rank,  // sort_c4
                "dimension is %lld; expected %lld to %lld", (long long)dimension, -(long long)rank,
                (long long)rank - 1);
  const tn_type_t** pairs = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, 2 * count, &pairs));
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* input = use->operand_types[i];
    TN_CONSTRAINT(use, "C3", tn__shapes_agree(input, first),  // sort_c3
                  "input %zu has shape %s; expected %s", i, TN_SHAPE_TEXT(input->rank, input->dims),
                  TN_SHAPE_TEXT(first->rank, first->dims));
    pairs[2 * i] = pairs[2 * i + 1] = tn__type_scalar(input->dtype);
  }
  const tn_type_t* decision = tn__type_scalar(TN_DTYPE_PRED);
  TN_RETURN_IF_ERROR(  // sort_c5
      tn__rule_region(use, 0, "C5", "comparator", 2 * count, pairs, 1, &decision));
  for (size_t i = 0; i < count; ++i) {  // sort_c2
    TN_RETURN_IF_ERROR(tn__give(use, results, "C2", use->operand_types[i]));
  }
  return TN_OK;
}
