// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations that give elements a place: constants, broadcasts, permutations, other views of the
// same elements.
#include "ops/rules.h"

// --- from nothing

tn_status_t tn__infer_constant(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_attr_t* value = tn__attr_find(&use->attrs, "value");
  return tn__give(use, results, "C1", value->elements.type);  // constant_c1
}

tn_status_t tn__verify_iota(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C1", "output", TN__NUMBER));
  uint64_t set = 0;
  return tn__rule_dim(use, "C1", "C1", "iota_dimension",  // iota_c1
                      tn__attr_get_integer(&use->attrs, "iota_dimension", 0),
                      use->result_types[0]->rank, &set);
}

// A vector operand that holds a shape (or something else for each of `rank` dimensions).
static tn_status_t shape_operand(const tn_op_use_t* use, size_t index, const char* label,
                                 const char* constraint, const char* role, size_t rank) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, index, label, role, TN_KIND_INTEGER));
  const tn_type_t* shape = use->operand_types[index];
  TN_CONSTRAINT(use, constraint, shape->rank == 1 && shape->dims[0] == (int64_t)rank,
                "%s has shape %s; expected %zu", role, TN_SHAPE_TEXT(shape->rank, shape->dims),
                rank);
  return TN_OK;
}

tn_status_t tn__verify_dynamic_iota(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C2", "result", TN__NUMBER));
  size_t rank = use->result_types[0]->rank;
  TN_RETURN_IF_ERROR(  // dynamic_iota_c2
      shape_operand(use, 0, "I1", "C2", "output_shape", rank));
  uint64_t set = 0;
  return tn__rule_dim(use, "C1", "C1", "iota_dimension",  // dynamic_iota_c1
                      tn__attr_get_integer(&use->attrs, "iota_dimension", 0), rank, &set);
}

// --- broadcasts

tn_status_t tn__infer_broadcast(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "operand", TN__ANY_KIND));
  const tn_type_t* operand = use->operand_types[0];
  tn_i64_list_t sizes;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "broadcast_sizes", &sizes));
  TN_RETURN_IF_ERROR(tn__rule_at_least(use, NULL, "broadcast_sizes", sizes, 0));
  int64_t dims[2 * TN_MAX_RANK];
  TN_CONSTRAINT(use, NULL, sizes.count <= TN_MAX_RANK,
                "broadcast_sizes has %zu entries; expected at most %d", sizes.count, TN_MAX_RANK);
  if (sizes.count) memcpy(dims, sizes.values, sizes.count * sizeof *dims);
  if (operand->rank) memcpy(dims + sizes.count, operand->dims, operand->rank * sizeof *dims);
  return tn__give_tensor(use, results, NULL, operand->dtype, sizes.count + operand->rank, dims);
}

// The operand and the result are tensors of the same elements.
static tn_status_t check_elements(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C1", "result", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  TN_CONSTRAINT(use, "C1", operand->dtype == result->dtype,
                "result has elements of type %s; expected %s", tn_dtype_name(result->dtype),
                tn_dtype_name(operand->dtype));
  return TN_OK;
}

// C1 to C5 of broadcast_in_dim and of its dynamic form.
static tn_status_t check_broadcast(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(check_elements(use));
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  tn_i64_list_t dimensions;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "broadcast_dimensions", &dimensions));
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "broadcast_dimensions", dimensions, operand->rank));
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C3", "C4", "broadcast_dimensions", dimensions, result->rank, &set));
  for (size_t i = 0; i < operand->rank; ++i) {
    int64_t to = result->dims[dimensions.values[i]];
    TN_CONSTRAINT(use, "C5", operand->dims[i] == 1 || tn__dims_agree(operand->dims[i], to),
                  "dimension %zu of operand is %lld; expected 1 or %lld, dimension %lld of result",
                  i, (long long)operand->dims[i], (long long)to, (long long)dimensions.values[i]);
  }
  return TN_OK;
}

// Operations that have dynamic forms beside them give no unbounded `?`.
static tn_status_t check_known_shape(const tn_op_use_t* use) {
  const tn_type_t* result = use->result_types[0];
  TN_CONSTRAINT(use, NULL, tn__type_is_static(result) || result->bounds,
                "result has type %s; expected dimensions that are known, or bounds",
                TN_TYPE_TEXT(result));
  return TN_OK;
}

tn_status_t tn__verify_broadcast_in_dim(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(check_broadcast(use));  // broadcast_in_dim_c1 to broadcast_in_dim_c5
  return check_known_shape(use);
}

tn_status_t tn__verify_dynamic_broadcast_in_dim(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(check_broadcast(use));  // dynamic_broadcast_in_dim_c1 to _c5
  TN_RETURN_IF_ERROR(                        // dynamic_broadcast_in_dim_c7
      shape_operand(use, 1, "I2", "C7", "output_dimensions", use->result_types[0]->rank));
  size_t rank = use->operand_types[0]->rank;
  tn_i64_list_t expanding, others;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "known_expanding_dimensions", &expanding));
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "known_nonexpanding_dimensions", &others));
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(  // dynamic_broadcast_in_dim_c8, _c9
      tn__rule_dims(use, "C9", "C8", "known_expanding_dimensions", expanding, rank, &set));
  return tn__rule_dims(use, "C10", "C8", "known_nonexpanding_dimensions", others, rank, &set);
}

// --- the same elements otherwise

static tn_status_t check_reshape(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(check_elements(use));
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  if (!tn__type_is_static(operand) || !tn__type_is_static(result)) return TN_OK;
  TN_CONSTRAINT(use, "C2", tn__type_size(operand) == tn__type_size(result),
                "result has %lld elements; expected %lld", (long long)tn__type_size(result),
                (long long)tn__type_size(operand));
  return TN_OK;
}

tn_status_t tn__verify_reshape(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(check_reshape(use));  // reshape_c1, reshape_c2
  return check_known_shape(use);
}

tn_status_t tn__verify_dynamic_reshape(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(check_reshape(use));  // dynamic_reshape_c1, dynamic_reshape_c2
  return shape_operand(use, 1, "I2", "C4", "output_shape",
                       use->result_types[0]->rank);  // dynamic_reshape_c4
}

tn_status_t tn__infer_transpose(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  const tn_type_t* operand = use->operand_types[0];
  tn_i64_list_t permutation;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "permutation", &permutation));
  // transpose_c2
  TN_RETURN_IF_ERROR(tn__rule_count(use, "C2", "permutation", permutation, operand->rank));
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C2", "C2", "permutation", permutation, operand->rank, &set));
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < operand->rank; ++i) dims[i] = operand->dims[permutation.values[i]];
  return tn__give_tensor(use, results, "C3|C1", operand->dtype, operand->rank,
                         dims);  // transpose_c1, transpose_c3
}

tn_status_t tn__infer_reverse(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  const tn_type_t* operand = use->operand_types[0];
  tn_i64_list_t dimensions;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "dimensions", &dimensions));
  uint64_t set = 0;  // reverse_c2, reverse_c3
  TN_RETURN_IF_ERROR(tn__rule_dims(use, "C3", "C2", "dimensions", dimensions, operand->rank, &set));
  return tn__give(use, results, "C1", operand);  // reverse_c1
}

tn_status_t tn__verify_bitcast_convert(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C1", "result", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  bool from_complex = tn_dtype_kind(operand->dtype) == TN_KIND_COMPLEX;
  bool to_complex = tn_dtype_kind(result->dtype) == TN_KIND_COMPLEX;
  TN_CONSTRAINT(use, "C2", from_complex == to_complex,  // bitcast_convert_c2
                "operand has type %s, result %s; expected both complex or neither",
                TN_TYPE_TEXT(operand), TN_TYPE_TEXT(result));
  // bitcast_convert_c1: the side with the narrower elements has one dimension more, which holds the
  // parts of one element of the other side.
  int64_t from = tn_dtype_bit_width(operand->dtype), to = tn_dtype_bit_width(result->dtype);
  const tn_type_t *wide = from >= to ? operand : result, *narrow = from >= to ? result : operand;
  int64_t wide_bits = from >= to ? from : to, narrow_bits = from >= to ? to : from;
  size_t parts_rank = wide_bits == narrow_bits ? 0 : 1;
  bool fits = narrow->rank == wide->rank + parts_rank;
  for (size_t i = 0; fits && i < wide->rank; ++i) {
    fits = tn__dims_agree(wide->dims[i], narrow->dims[i]);
  }
  if (fits && parts_rank) {
    int64_t parts = narrow->dims[wide->rank];
    fits = parts == TN_DIM_DYNAMIC ||
           (wide_bits % narrow_bits == 0 && parts == wide_bits / narrow_bits);
  }
  TN_CONSTRAINT(use, "C1", fits,
                "result has type %s; expected the bits of %s, %lld of them in each element",
                TN_TYPE_TEXT(result), TN_TYPE_TEXT(operand), (long long)to);
  return TN_OK;
}

// --- sizes of dimensions

tn_status_t tn__infer_get_dimension_size(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(tn__rule_dim(use, "C1", "C1", "dimension",  // get_dimension_size_c1
                                  tn__attr_get_integer(&use->attrs, "dimension", 0),
                                  use->operand_types[0]->rank, &set));
  return tn__give_tensor(use, results, "C1", TN_DTYPE_S32, 0, NULL);
}

tn_status_t tn__verify_set_dimension_size(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "operand", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *size = use->operand_types[1],
                  *result = use->result_types[0];
  TN_CONSTRAINT(use, NULL, tn__is_scalar_of(size, TN_KIND_SIGNED) && size->dtype == TN_DTYPE_S32,
                "size has type %s; expected tensor<i32>", TN_TYPE_TEXT(size));
  int64_t dimension = tn__attr_get_integer(&use->attrs, "dimension", 0);
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(tn__rule_dim(use, NULL, NULL, "dimension", dimension, operand->rank, &set));
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, NULL, "result", TN__ANY_KIND));
  bool fits = result->dtype == operand->dtype && result->rank == operand->rank;
  for (size_t i = 0; fits && i < operand->rank; ++i) {
    int64_t from = operand->dims[i], to = result->dims[i];
    bool may_shrink = (int64_t)i == dimension;  // to a size that is known, or to `?`
    fits = tn__dims_agree(from, to) || (may_shrink && to <= from);
  }
  TN_CONSTRAINT(use, NULL, fits, "result has type %s; expected %s with dimension %lld shortened",
                TN_TYPE_TEXT(result), TN_TYPE_TEXT(operand), (long long)dimension);
  return TN_OK;
}
