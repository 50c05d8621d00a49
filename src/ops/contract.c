// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Contractions: dot_general and its predecessors.
#include "ops/contract.h"

#include "ops/rules.h"

bool tn__contract_mixes(tn_dtype_t a, tn_dtype_t b) {
  tn_kind_t ka = tn_dtype_kind(a), kb = tn_dtype_kind(b);
  return ka == kb || ((ka & TN_KIND_INTEGER) && (kb & TN_KIND_INTEGER));
}

tn_dtype_t tn__contract_dtype(const tn_op_use_t* use, tn_dtype_t lhs) {
  if (use->result_count == 0 || !tn__type_is_tensor(use->result_types[0])) return lhs;
  tn_dtype_t stated = use->result_types[0]->dtype;
  return tn__contract_mixes(lhs, stated) ? stated : lhs;
}

tn_status_t tn__contract_precision(const tn_op_use_t* use, const char* constraint) {
  const tn_attr_t* precision = tn__attr_find(&use->attrs, "precision_config");
  size_t count = precision ? precision->array.count : 0;
  TN_CONSTRAINT(use, constraint, count <= 2, "precision_config has %zu entries; expected 2", count);
  return TN_OK;
}

// --- dimension numbers

static tn_status_t read_side(const tn_op_use_t* use, const tn_attr_dictionary_t* numbers,
                             bool is_lhs, tn_contract_side_t* out_side) {
  const char* batching = is_lhs ? "lhs_batching_dimensions" : "rhs_batching_dimensions";
  const char* contracting = is_lhs ? "lhs_contracting_dimensions" : "rhs_contracting_dimensions";
  *out_side = (tn_contract_side_t){.type = use->operand_types[is_lhs ? 0 : 1]};
  TN_RETURN_IF_ERROR(tn__rule_list(use, numbers, batching, &out_side->batching));
  TN_RETURN_IF_ERROR(tn__rule_list(use, numbers, contracting, &out_side->contracting));
  // dot_general_c3 to dot_general_c8
  const char* unique = is_lhs ? "C3" : "C4";
  TN_RETURN_IF_ERROR(tn__rule_dims(use, is_lhs ? "C5" : "C7", unique, batching, out_side->batching,
                                   out_side->type->rank, &out_side->set));
  return tn__rule_dims(use, is_lhs ? "C6" : "C8", unique, contracting, out_side->contracting,
                       out_side->type->rank, &out_side->set);
}

// Dimensions that the two sides pair have equal sizes.
static tn_status_t check_pairs(const tn_op_use_t* use, const char* constraint, const char* what,
                               const tn_contract_side_t* lhs, tn_i64_list_t lhs_dims,
                               const tn_contract_side_t* rhs, tn_i64_list_t rhs_dims) {
  for (size_t i = 0; i < lhs_dims.count; ++i) {
    int64_t a = lhs->type->dims[lhs_dims.values[i]], b = rhs->type->dims[rhs_dims.values[i]];
    TN_CONSTRAINT(use, constraint, tn__dims_agree(a, b),
                  "%s dimensions %lld of lhs and %lld of rhs have sizes %lld and %lld; expected "
                  "equal ones",
                  what, (long long)lhs_dims.values[i], (long long)rhs_dims.values[i], (long long)a,
                  (long long)b);
  }
  return TN_OK;
}

tn_status_t tn__contract_sides(const tn_op_use_t* use, const char* numbers,
                               tn_contract_side_t* out_lhs, tn_contract_side_t* out_rhs) {
  tn_contract_side_t *lhs = out_lhs, *rhs = out_rhs;
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "lhs", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "rhs", TN__ANY_KIND));
  const tn_attr_dictionary_t* fields = tn__rule_struct(use, numbers);
  TN_RETURN_IF_ERROR(read_side(use, fields, true, lhs));
  TN_RETURN_IF_ERROR(read_side(use, fields, false, rhs));
  TN_CONSTRAINT(use, "C1", lhs->batching.count == rhs->batching.count,  // dot_general_c1
                "lhs has %zu batching dimensions, rhs %zu; expected as many", lhs->batching.count,
                rhs->batching.count);
  TN_CONSTRAINT(use, "C2", lhs->contracting.count == rhs->contracting.count,  // dot_general_c2
                "lhs has %zu contracting dimensions, rhs %zu; expected as many",
                lhs->contracting.count, rhs->contracting.count);
  TN_RETURN_IF_ERROR(  // dot_general_c9
      check_pairs(use, "C9", "batching", lhs, lhs->batching, rhs, rhs->batching));
  TN_RETURN_IF_ERROR(  // dot_general_c10
      check_pairs(use, "C10", "contracting", lhs, lhs->contracting, rhs, rhs->contracting));
  TN_RETURN_IF_ERROR(tn__contract_precision(use, "C11"));  // dot_general_c11
  // dot_general_c13, but for floats of several widths
  TN_CONSTRAINT(use, "C13", tn__contract_mixes(lhs->type->dtype, rhs->type->dtype),
                "rhs has elements of type %s; expected %s, as lhs", tn_dtype_name(rhs->type->dtype),
                tn_dtype_name(lhs->type->dtype));
  return TN_OK;
}

void tn__contract_dims(const tn_contract_side_t* lhs, const tn_contract_side_t* rhs,
                       uint64_t skipped, size_t* rank, int64_t* dims) {
  for (size_t i = 0; i < lhs->batching.count; ++i) {
    int64_t size = lhs->type->dims[lhs->batching.values[i]];
    dims[(*rank)++] = size == TN_DIM_DYNAMIC ? rhs->type->dims[rhs->batching.values[i]] : size;
  }
  for (size_t i = 0; i < lhs->type->rank; ++i) {
    if (!tn__set_has(lhs->set, i)) dims[(*rank)++] = lhs->type->dims[i];
  }
  for (size_t i = 0; i < rhs->type->rank; ++i) {
    if (!tn__set_has(rhs->set | skipped, i)) dims[(*rank)++] = rhs->type->dims[i];
  }
}

// --- dot_general

static tn_status_t check_algorithm(const tn_op_use_t* use) {
  const tn_attr_t* algorithm = tn__attr_find(&use->attrs, "algorithm");
  if (!algorithm) return TN_OK;
  const tn_attr_t* precision = tn__attr_find(&use->attrs, "precision_config");
  for (size_t i = 0; precision && i < precision->array.count; ++i) {
    tn_string_view_t name = precision->array.items[i]->string;
    TN_CONSTRAINT(use, "C21", tn__sv_is(name, "DEFAULT"),  // dot_general_c21
                  "precision_config has %.*s; with an algorithm, expected DEFAULT", TN_SV(name));
  }
  static const struct {
    const char *field, *constraint;
  } counts[] = {
      {"lhs_component_count", "C22"},       // dot_general_c22
      {"rhs_component_count", "C23"},       // dot_general_c23
      {"num_primitive_operations", "C24"},  // dot_general_c24
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    int64_t count = tn__attr_get_integer(&algorithm->dictionary, counts[i].field, 0);
    TN_CONSTRAINT(use, counts[i].constraint, count > 0,
                  "%s of the algorithm is %lld; expected at least 1", counts[i].field,
                  (long long)count);
  }
  return TN_OK;
}

tn_status_t tn__infer_dot_general(const tn_op_use_t* use, tn_op_results_t* results) {
  tn_contract_side_t lhs, rhs;
  TN_RETURN_IF_ERROR(tn__contract_sides(use, "dot_dimension_numbers", &lhs, &rhs));
  TN_RETURN_IF_ERROR(check_algorithm(use));
  int64_t dims[2 * TN_MAX_RANK];
  size_t rank = 0;
  tn__contract_dims(&lhs, &rhs, 0, &rank, dims);
  return tn__give_tensor(use, results, "C12", tn__contract_dtype(use, lhs.type->dtype), rank,
                         dims);  // dot_general_c12
}

// --- dot: the last dimension of lhs with the first of rhs

tn_status_t tn__infer_dot(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "lhs", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, NULL, "rhs", TN__ANY_KIND));
  const tn_type_t *lhs = use->operand_types[0], *rhs = use->operand_types[1];
  TN_CONSTRAINT(use, NULL, lhs->rank >= 1 && lhs->rank <= 2 && rhs->rank >= 1 && rhs->rank <= 2,
                "operands have ranks %zu and %zu; expected 1 or 2 each", lhs->rank, rhs->rank);
  TN_CONSTRAINT(use, NULL, tn__contract_mixes(lhs->dtype, rhs->dtype),
                "rhs has elements of type %s; expected %s, as lhs", tn_dtype_name(rhs->dtype),
                tn_dtype_name(lhs->dtype));
  TN_CONSTRAINT(
      use, NULL, tn__dims_agree(lhs->dims[lhs->rank - 1], rhs->dims[0]),
      "operands have shapes %s and %s; expected the last dimension of lhs to be the first "
      "of rhs",
      TN_SHAPE_TEXT(lhs->rank, lhs->dims), TN_SHAPE_TEXT(rhs->rank, rhs->dims));
  TN_RETURN_IF_ERROR(tn__contract_precision(use, NULL));
  int64_t dims[2];
  size_t rank = 0;
  if (lhs->rank == 2) dims[rank++] = lhs->dims[0];
  if (rhs->rank == 2) dims[rank++] = rhs->dims[1];
  return tn__give_tensor(use, results, NULL, tn__contract_dtype(use, lhs->dtype), rank, dims);
}
