// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations whose result has an element for each element of the operands.
#include "ops/rules.h"

// --- same type in and out

static const char* role_of(const tn_op_use_t* use, size_t index) {
  return use->operand_count == 1 ? "operand" : index == 0 ? "lhs" : "rhs";
}

// All operands and the result have one type, whose elements are of these kinds. C1 of every
// operation that comes here.
static tn_status_t same_type(const tn_op_use_t* use, uint32_t kinds, tn_op_results_t* results) {
  const tn_type_t* type = use->operand_types[0];
  for (size_t i = 0; i < use->operand_count; ++i) {
    const tn_type_t* other = use->operand_types[i];
    TN_RETURN_IF_ERROR(tn__rule_tensor(use, other, i == 0 ? "I1" : "I2", role_of(use, i), kinds));
    TN_CONSTRAINT(use, "C1", tn__types_agree(type, other), "%s has type %s; expected %s, as %s",
                  role_of(use, i), TN_TYPE_TEXT(other), TN_TYPE_TEXT(type), role_of(use, 0));
    if (!tn__type_is_static(type)) type = other;
  }
  return tn__give(use, results, "C1", type);
}

tn_status_t tn__infer_any(const tn_op_use_t* use, tn_op_results_t* results) {
  return same_type(use, TN__ANY_KIND, results);
}
tn_status_t tn__infer_number(const tn_op_use_t* use, tn_op_results_t* results) {
  return same_type(use, TN__NUMBER, results);
}
tn_status_t tn__infer_signed_number(const tn_op_use_t* use, tn_op_results_t* results) {
  return same_type(use, TN_KIND_SIGNED | TN__FLOAT_OR_COMPLEX, results);
}
tn_status_t tn__infer_integer(const tn_op_use_t* use, tn_op_results_t* results) {
  return same_type(use, TN_KIND_INTEGER, results);
}
tn_status_t tn__infer_bool_or_integer(const tn_op_use_t* use, tn_op_results_t* results) {
  return same_type(use, TN__BOOL_OR_INTEGER, results);
}
tn_status_t tn__infer_float(const tn_op_use_t* use, tn_op_results_t* results) {
  return same_type(use, TN_KIND_FLOAT, results);
}

// Tolerances belong to mode TOLERANCE alone.
static tn_status_t check_accuracy(const tn_op_use_t* use) {
  const tn_attr_dictionary_t* accuracy = tn__rule_struct(use, "result_accuracy");
  double atol = tn__attr_get_float(accuracy, "atol", 0);
  double rtol = tn__attr_get_float(accuracy, "rtol", 0);
  int64_t ulps = tn__attr_get_integer(accuracy, "ulps", 0);
  TN_CONSTRAINT(use, NULL, atol >= 0 && rtol >= 0 && ulps >= 0,
                "result_accuracy has atol %g, rtol %g and ulps %lld; expected none below 0", atol,
                rtol, (long long)ulps);
  int mode = tn__attr_get_enum(accuracy, "mode", TN_ENUM_result_accuracy_mode_DEFAULT);
  TN_CONSTRAINT(
      use, NULL,
      mode == TN_ENUM_result_accuracy_mode_TOLERANCE || (!(atol > 0) && !(rtol > 0) && ulps == 0),
      "result_accuracy has atol %g, rtol %g and ulps %lld; expected none with mode %s", atol, rtol,
      (long long)ulps, tn__enum_name("result_accuracy_mode", mode));
  return TN_OK;
}

tn_status_t tn__infer_float_or_complex(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(check_accuracy(use));
  return same_type(use, TN__FLOAT_OR_COMPLEX, results);
}

tn_status_t tn__infer_reduce_precision(const tn_op_use_t* use, tn_op_results_t* results) {
  int64_t exponent_bits = tn__attr_get_integer(&use->attrs, "exponent_bits", 0);
  int64_t mantissa_bits = tn__attr_get_integer(&use->attrs, "mantissa_bits", 0);
  TN_CONSTRAINT(use, "C2", exponent_bits >= 1,  // reduce_precision_c2
                "exponent_bits is %lld; expected at least 1", (long long)exponent_bits);
  TN_CONSTRAINT(use, "C3", mantissa_bits >= 0,  // reduce_precision_c3
                "mantissa_bits is %lld; expected at least 0", (long long)mantissa_bits);
  return same_type(use, TN_KIND_FLOAT, results);  // reduce_precision_c1
}

// --- another element type

static tn_status_t real_part(const tn_op_use_t* use, uint32_t kinds, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", kinds));
  const tn_type_t* operand = use->operand_types[0];
  tn_dtype_t real = tn__dtype_real_of(operand->dtype);
  return tn__give_tensor(use, results, "C1|C2", real ? real : operand->dtype, operand->rank,
                         operand->dims);
}

tn_status_t tn__infer_abs(const tn_op_use_t* use, tn_op_results_t* results) {
  return real_part(use, TN_KIND_SIGNED | TN__FLOAT_OR_COMPLEX, results);  // abs_c1, abs_c2
}

tn_status_t tn__infer_real(const tn_op_use_t* use, tn_op_results_t* results) {
  return real_part(use, TN__FLOAT_OR_COMPLEX, results);  // real_c1, real_c2
}

tn_status_t tn__infer_imag(const tn_op_use_t* use, tn_op_results_t* results) {
  return real_part(use, TN__FLOAT_OR_COMPLEX, results);  // imag_c1, imag_c2
}

tn_status_t tn__infer_is_finite(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "x", TN_KIND_FLOAT));
  const tn_type_t* x = use->operand_types[0];
  return tn__give_tensor(use, results, "C1", TN_DTYPE_PRED, x->rank, x->dims);  // is_finite_c1
}

tn_status_t tn__infer_complex(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "lhs", TN_KIND_FLOAT));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "rhs", TN_KIND_FLOAT));
  const tn_type_t *lhs = use->operand_types[0], *rhs = use->operand_types[1];
  tn_dtype_t dtype = tn__dtype_complex_of(lhs->dtype);
  TN_CONSTRAINT(use, "I1", dtype != TN_DTYPE_INVALID, "lhs has type %s; expected f32 or f64",
                TN_TYPE_TEXT(lhs));
  TN_CONSTRAINT(use, "C1", tn__types_agree(lhs, rhs),  // complex_c1
                "rhs has type %s; expected %s, as lhs", TN_TYPE_TEXT(rhs), TN_TYPE_TEXT(lhs));
  return tn__give_tensor(use, results, "C2|C3", dtype, lhs->rank,
                         lhs->dims);  // complex_c2, complex_c3
}

tn_status_t tn__verify_convert(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C1", "result", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  TN_CONSTRAINT(use, "C1", tn__shapes_agree(operand, result),  // convert_c1
                "result has type %s; expected shape %s", TN_TYPE_TEXT(result),
                TN_SHAPE_TEXT(operand->rank, operand->dims));
  return TN_OK;
}

// --- comparison and choice

// Which kinds of comparison the elements allow.
static bool compares_as(tn_kind_t kind, int type) {
  switch (type) {
    case TN_ENUM_comparison_type_SIGNED: return kind == TN_KIND_SIGNED;
    case TN_ENUM_comparison_type_UNSIGNED: return kind == TN_KIND_UNSIGNED || kind == TN_KIND_BOOL;
    case TN_ENUM_comparison_type_FLOAT: return kind == TN_KIND_FLOAT || kind == TN_KIND_COMPLEX;
    case TN_ENUM_comparison_type_TOTALORDER: return kind == TN_KIND_FLOAT;
    default: return true;  // NOTYPE: as the elements have it
  }
}

tn_status_t tn__infer_compare(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "lhs", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "rhs", TN__ANY_KIND));
  const tn_type_t *lhs = use->operand_types[0], *rhs = use->operand_types[1];
  TN_CONSTRAINT(use, "C1", lhs->dtype == rhs->dtype,  // compare_c1
                "rhs has elements of type %s; expected %s, as lhs", tn_dtype_name(rhs->dtype),
                tn_dtype_name(lhs->dtype));
  TN_CONSTRAINT(use, "C2", tn__shapes_agree(lhs, rhs),  // compare_c2
                "rhs has shape %s; expected %s, as lhs", TN_SHAPE_TEXT(rhs->rank, rhs->dims),
                TN_SHAPE_TEXT(lhs->rank, lhs->dims));
  int type = tn__attr_get_enum(&use->attrs, "compare_type", TN_ENUM_comparison_type_NOTYPE);
  TN_CONSTRAINT(use, "C3", compares_as(tn_dtype_kind(lhs->dtype), type),  // compare_c3
                "compare_type is %s; elements of type %s do not compare so",
                tn__enum_name("comparison_type", type), tn_dtype_name(lhs->dtype));
  const tn_type_t* shape = tn__type_is_static(lhs) ? lhs : rhs;
  return tn__give_tensor(use, results, "C2", TN_DTYPE_PRED, shape->rank, shape->dims);
}

tn_status_t tn__infer_clamp(const tn_op_use_t* use, tn_op_results_t* results) {
  static const char *const roles[] = {"min", "operand", "max"}, *const labels[] = {"I1", "I2",
                                                                                   "I3"};
  for (size_t i = 0; i < 3; ++i) {
    TN_RETURN_IF_ERROR(tn__rule_operand(use, i, labels[i], roles[i], TN__ANY_KIND));
  }
  const tn_type_t *min = use->operand_types[0], *operand = use->operand_types[1],
                  *max = use->operand_types[2];
  TN_CONSTRAINT(use, "C1", min->rank == 0 || tn__shapes_agree(min, operand),  // clamp_c1
                "min has shape %s; expected scalar or %s", TN_SHAPE_TEXT(min->rank, min->dims),
                TN_SHAPE_TEXT(operand->rank, operand->dims));
  TN_CONSTRAINT(use, "C2", max->rank == 0 || tn__shapes_agree(max, operand),  // clamp_c2
                "max has shape %s; expected scalar or %s", TN_SHAPE_TEXT(max->rank, max->dims),
                TN_SHAPE_TEXT(operand->rank, operand->dims));
  TN_CONSTRAINT(
      use, "C3", min->dtype == operand->dtype && max->dtype == operand->dtype,  // clamp_c3
      "min, operand and max have elements of type %s, %s and %s; expected one type",
      tn_dtype_name(min->dtype), tn_dtype_name(operand->dtype), tn_dtype_name(max->dtype));
  return tn__give(use, results, "C4", operand);  // clamp_c4
}

tn_status_t tn__infer_select(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "pred", TN_KIND_BOOL));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "on_true", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 2, "I3", "on_false", TN__ANY_KIND));
  const tn_type_t *pred = use->operand_types[0], *on_true = use->operand_types[1],
                  *on_false = use->operand_types[2];
  TN_CONSTRAINT(use, "C1", pred->rank == 0 || tn__shapes_agree(pred, on_true),  // select_c1
                "pred has shape %s; expected scalar or %s", TN_SHAPE_TEXT(pred->rank, pred->dims),
                TN_SHAPE_TEXT(on_true->rank, on_true->dims));
  TN_CONSTRAINT(use, "C2", tn__types_agree(on_true, on_false),  // select_c2
                "on_false has type %s; expected %s, as on_true", TN_TYPE_TEXT(on_false),
                TN_TYPE_TEXT(on_true));
  return tn__give(use, results, "C2", tn__type_is_static(on_true) ? on_true : on_false);
}

// --- quantized types, which are not supported

tn_status_t tn__verify_uniform_quantize(const tn_op_use_t* use) {
  return tn__rule_error(use, "C2", "result has type %s; expected a quantized tensor",
                        TN_TYPE_TEXT(use->result_types[0]));
}

tn_status_t tn__verify_uniform_dequantize(const tn_op_use_t* use) {
  return tn__rule_error(use, "I1", "operand has type %s; expected a quantized tensor",
                        TN_TYPE_TEXT(use->operand_types[0]));
}
