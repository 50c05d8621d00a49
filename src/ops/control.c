// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Control flow, tuples, tokens.
#include "ops/rules.h"

// --- branches and loops

// A branch takes nothing and gives what the first branch gives.
static tn_status_t check_branches(const tn_op_use_t* use, const char* no_arguments,
                                  const char* same_results) {
  const tn_region_signature_t* first = &use->regions[0];
  for (size_t i = 0; i < use->region_count; ++i) {
    const tn_region_signature_t* branch = &use->regions[i];
    TN_CONSTRAINT(use, no_arguments, branch->argument_count == 0,
                  "branch %zu takes %zu argument%s; expected none", i, branch->argument_count,
                  branch->argument_count == 1 ? "" : "s");
    TN_CONSTRAINT(use, same_results, branch->result_count == first->result_count,
                  "branch %zu gives %zu results; expected %zu, as the first", i,
                  branch->result_count, first->result_count);
    for (size_t r = 0; r < branch->result_count; ++r) {
      TN_CONSTRAINT(use, same_results,
                    tn__types_agree(branch->result_types[r], first->result_types[r]),
                    "result %zu of branch %zu has type %s; expected %s, as in the first", r, i,
                    TN_TYPE_TEXT(branch->result_types[r]), TN_TYPE_TEXT(first->result_types[r]));
    }
  }
  return TN_OK;
}

static tn_status_t give_all(const tn_op_use_t* use, tn_op_results_t* results,
                            const char* constraint, size_t count, const tn_type_t* const* types) {
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(tn__give(use, results, constraint, types[i]));
  }
  return TN_OK;
}

tn_status_t tn__infer_if(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_CONSTRAINT(use, "I1", tn__is_scalar_of(use->operand_types[0], TN_KIND_BOOL),
                "pred has type %s; expected tensor<i1>", TN_TYPE_TEXT(use->operand_types[0]));
  TN_RETURN_IF_ERROR(check_branches(use, "C1", "C2"));  // if_c1, if_c2
  return give_all(use, results, "C3", use->regions[0].result_count,
                  use->regions[0].result_types);  // if_c3
}

tn_status_t tn__infer_case(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_type_t* index = use->operand_types[0];
  TN_CONSTRAINT(use, "I1", tn__is_scalar_of(index, TN_KIND_SIGNED) && index->dtype == TN_DTYPE_S32,
                "index has type %s; expected tensor<i32>", TN_TYPE_TEXT(index));
  TN_CONSTRAINT(use, "C1", use->region_count > 0, "has no branches");  // case_c1
  TN_RETURN_IF_ERROR(check_branches(use, "C2", "C3"));                 // case_c2, case_c3
  return give_all(use, results, "C4", use->regions[0].result_count,
                  use->regions[0].result_types);  // case_c4
}

tn_status_t tn__infer_while(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_type_t* condition = tn__type_scalar(TN_DTYPE_PRED);
  TN_RETURN_IF_ERROR(tn__rule_region(use, 0, "C1", "cond", use->operand_count,  // while_c1
                                     use->operand_types, 1, &condition));
  TN_RETURN_IF_ERROR(tn__rule_region(use, 1, "C2", "body", use->operand_count,  // while_c2
                                     use->operand_types, use->operand_count, use->operand_types));
  return give_all(use, results, "C3", use->operand_count, use->operand_types);  // while_c3
}

tn_status_t tn__infer_nothing(const tn_op_use_t* use, tn_op_results_t* results) {
  (void)use;
  results->count = 0;
  return TN_OK;
}

// --- tuples

tn_status_t tn__infer_tuple(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(tn_status_prefix(
      tn__type_tuple(use->arena, use->operand_count, use->operand_types, &type), "tuple (C1)"));
  return tn__give(use, results, "C1", type);  // tuple_c1
}

tn_status_t tn__infer_get_tuple_element(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_type_t* operand = use->operand_types[0];
  TN_CONSTRAINT(use, "I1", operand->kind == TN_TYPE_TUPLE, "operand has type %s; expected a tuple",
                TN_TYPE_TEXT(operand));
  int64_t index = tn__attr_get_integer(&use->attrs, "index", 0);
  TN_CONSTRAINT(use, "C1",  // get_tuple_element_c1
                index >= 0 && index < (int64_t)operand->element_count,
                "index is %lld; expected one of the %zu elements of operand", (long long)index,
                operand->element_count);
  return tn__give(use, results, "C2", operand->elements[index]);  // get_tuple_element_c2
}

tn_status_t tn__infer_optimization_barrier(const tn_op_use_t* use, tn_op_results_t* results) {
  return give_all(use, results, "C1", use->operand_count,
                  use->operand_types);  // optimization_barrier_c1
}

// --- tokens, replica and partition IDs

tn_status_t tn__infer_after_all(const tn_op_use_t* use, tn_op_results_t* results) {
  for (size_t i = 0; i < use->operand_count; ++i) {
    TN_CONSTRAINT(use, "I1", use->operand_types[i]->kind == TN_TYPE_TOKEN,
                  "input %zu has type %s; expected a token", i,
                  TN_TYPE_TEXT(use->operand_types[i]));
  }
  return tn__give(use, results, NULL, tn__type_token());
}

tn_status_t tn__infer_token(const tn_op_use_t* use, tn_op_results_t* results) {
  return tn__give(use, results, NULL, tn__type_token());
}

tn_status_t tn__infer_process_id(const tn_op_use_t* use, tn_op_results_t* results) {
  return tn__give(use, results, NULL, tn__type_scalar(TN_DTYPE_U32));
}
