// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random numbers.
#include "ops/rules.h"

tn_status_t tn__verify_rng(const tn_op_use_t* use) {
  enum { KINDS = TN__BOOL_OR_INTEGER | TN_KIND_FLOAT };
  static const char *const roles[] = {"a", "b"}, *const labels[] = {"I1", "I2"};
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C1", "result", KINDS));
  const tn_type_t *shape = use->operand_types[2], *result = use->result_types[0];
  for (size_t i = 0; i < 2; ++i) {
    const tn_type_t* bound = use->operand_types[i];
    TN_CONSTRAINT(use, labels[i], tn__is_scalar_of(bound, KINDS),
                  "%s has type %s; expected a scalar of booleans, integers or floats", roles[i],
                  TN_TYPE_TEXT(bound));
    TN_CONSTRAINT(use, "C1", bound->dtype == result->dtype,  // rng_c1
                  "%s has type %s; expected tensor<%s>, the result's elements", roles[i],
                  TN_TYPE_TEXT(bound), tn_dtype_name(result->dtype));
  }
  int distribution =
      tn__attr_get_enum(&use->attrs, "rng_distribution", TN_ENUM_rng_distribution_UNIFORM);
  TN_CONSTRAINT(use, "C2",  // rng_c2
                distribution != TN_ENUM_rng_distribution_NORMAL ||
                    tn_dtype_kind(result->dtype) == TN_KIND_FLOAT,
                "rng_distribution is NORMAL; expected floats, not %s",
                tn_dtype_name(result->dtype));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 2, "I3", "shape", TN_KIND_INTEGER));
  TN_CONSTRAINT(use, "C3",  // rng_c3
                shape->rank == 1 && tn__dims_agree(shape->dims[0], (int64_t)result->rank),
                "shape has shape %s; expected %zu, the rank of the result",
                TN_SHAPE_TEXT(shape->rank, shape->dims), result->rank);
  return TN_OK;
}

tn_status_t tn__verify_rng_bit_generator(const tn_op_use_t* use) {
  const tn_type_t *state = use->operand_types[0], *next = use->result_types[0];
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I2", "initial_state", TN_KIND_UNSIGNED));
  TN_CONSTRAINT(use, "I2", state->rank == 1 && state->dtype == TN_DTYPE_U64,
                "initial_state has type %s; expected a vector of ui64", TN_TYPE_TEXT(state));
  TN_CONSTRAINT(use, "C1", tn__types_agree(state, next),  // rng_bit_generator_c1
                "output_state has type %s; expected %s, as initial_state", TN_TYPE_TEXT(next),
                TN_TYPE_TEXT(state));
  int algorithm = tn__attr_get_enum(&use->attrs, "rng_algorithm", TN_ENUM_rng_algorithm_DEFAULT);
  int64_t size = state->dims[0];
  bool fits = size == TN_DIM_DYNAMIC || algorithm == TN_ENUM_rng_algorithm_DEFAULT || size == 2 ||
              (algorithm == TN_ENUM_rng_algorithm_PHILOX && size == 3);
  TN_CONSTRAINT(use, "C2", fits,  // rng_bit_generator_c2
                "initial_state has %lld entries; expected 2%s for %s", (long long)size,
                algorithm == TN_ENUM_rng_algorithm_PHILOX ? " or 3" : "",
                tn__enum_name("rng_algorithm", algorithm));
  return tn__rule_result(use, 1, NULL, "output", TN_KIND_INTEGER | TN_KIND_FLOAT);
}
