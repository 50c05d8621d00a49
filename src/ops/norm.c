// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Batch normalisation.
#include "ops/rules.h"

// One vector operand with an entry for each feature.
typedef struct feature {
  size_t operand;
  const char *role, *label, *size;  // its name, the label of its type, the constraint on its size
} feature_t;

// Operand 0, of any shape, and vectors; gives the vectors' type.
static tn_status_t check_features(const tn_op_use_t* use, size_t count, const feature_t* features,
                                  const tn_type_t** out_vector) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN_KIND_FLOAT));
  const tn_type_t* operand = use->operand_types[0];
  int64_t index = tn__attr_get_integer(&use->attrs, "feature_index", 0);
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(  // batch_norm_*_c1
      tn__rule_dim(use, "C1", "C1", "feature_index", index, operand->rank, &set));
  int64_t size = operand->dims[index];
  for (size_t i = 0; i < count; ++i) {
    const feature_t* feature = &features[i];
    TN_RETURN_IF_ERROR(
        tn__rule_operand(use, feature->operand, feature->label, feature->role, TN_KIND_FLOAT));
    const tn_type_t* type = use->operand_types[feature->operand];
    TN_CONSTRAINT(use, feature->label, type->rank == 1, "%s has rank %zu; expected a vector",
                  feature->role, type->rank);
    TN_CONSTRAINT(use, "C2", type->dtype == operand->dtype,  // batch_norm_*_c2
                  "%s has elements of type %s; expected %s", feature->role,
                  tn_dtype_name(type->dtype), tn_dtype_name(operand->dtype));
    TN_CONSTRAINT(use, feature->size, tn__dims_agree(type->dims[0], size),
                  "%s has %lld entries; expected %lld, one for each feature", feature->role,
                  (long long)type->dims[0], (long long)size);
  }
  return tn__type_tensor(use->arena, operand->dtype, 1, &size, out_vector);
}

tn_status_t tn__infer_batch_norm_inference(const tn_op_use_t* use, tn_op_results_t* results) {
  static const feature_t features[] = {
      {1, "scale", "I2", "C3"},     // batch_norm_inference_c3
      {2, "offset", "I3", "C4"},    // batch_norm_inference_c4
      {3, "mean", "I4", "C5"},      // batch_norm_inference_c5
      {4, "variance", "I5", "C6"},  // batch_norm_inference_c6
  };
  const tn_type_t* vector = NULL;
  TN_RETURN_IF_ERROR(check_features(use, 4, features, &vector));
  return tn__give(use, results, "C7", use->operand_types[0]);  // batch_norm_inference_c7
}

tn_status_t tn__infer_batch_norm_training(const tn_op_use_t* use, tn_op_results_t* results) {
  static const feature_t features[] = {
      {1, "scale", "I2", "C3"},   // batch_norm_training_c3
      {2, "offset", "I3", "C4"},  // batch_norm_training_c4
  };
  const tn_type_t* vector = NULL;
  TN_RETURN_IF_ERROR(check_features(use, 2, features, &vector));
  // batch_norm_training_c5 to batch_norm_training_c7
  TN_RETURN_IF_ERROR(tn__give(use, results, "C7", use->operand_types[0]));
  TN_RETURN_IF_ERROR(tn__give(use, results, "C5", vector));
  return tn__give(use, results, "C6", vector);
}

tn_status_t tn__infer_batch_norm_grad(const tn_op_use_t* use, tn_op_results_t* results) {
  static const feature_t features[] = {
      {1, "scale", "I2", "C5"},     // batch_norm_grad_c5
      {2, "mean", "I3", "C4"},      // batch_norm_grad_c4
      {3, "variance", "I4", "C4"},  // batch_norm_grad_c4
  };
  const tn_type_t* vector = NULL;
  TN_RETURN_IF_ERROR(check_features(use, 3, features, &vector));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 4, "I5", "grad_output", TN_KIND_FLOAT));
  const tn_type_t *operand = use->operand_types[0], *grad = use->operand_types[4];
  TN_CONSTRAINT(use, "C2", grad->dtype == operand->dtype,  // batch_norm_grad_c2
                "grad_output has elements of type %s; expected %s", tn_dtype_name(grad->dtype),
                tn_dtype_name(operand->dtype));
  TN_CONSTRAINT(use, "C3", tn__shapes_agree(grad, operand),  // batch_norm_grad_c3
                "grad_output has shape %s; expected %s", TN_SHAPE_TEXT(grad->rank, grad->dims),
                TN_SHAPE_TEXT(operand->rank, operand->dims));
  TN_RETURN_IF_ERROR(tn__give(use, results, "C3", operand));
  TN_RETURN_IF_ERROR(tn__give(use, results, "C4", vector));
  return tn__give(use, results, "C4", vector);
}
