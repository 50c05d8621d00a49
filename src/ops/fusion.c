// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operation that passes make of several others. What may be in its region is the verifier's
// (ir/verify_fusion.c): rules see no nodes.
#include "ops/rules.h"

tn_status_t tn__infer_fusion(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_region_signature_t* region = &use->regions[0];
  TN_RETURN_IF_ERROR(tn__rule_region(use, 0, NULL, "region", use->operand_count, use->operand_types,
                                     region->result_count, region->result_types));
  TN_CONSTRAINT(use, NULL, region->result_count > 0,
                "region gives no results; expected one or more");
  for (size_t i = 0; i < region->result_count; ++i) {
    TN_RETURN_IF_ERROR(tn__give(use, results, NULL, region->result_types[i]));
  }
  return TN_OK;
}
