// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/rules.h"
#include "ops/testing_use.h"

static void elementwise_operations_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "add(2x3xf32, 2x3xf32) -> 2x3xf32",
      "add(i1, i1) -> i1",
      "add(?x3xf32, 2x3xf32) -> 2x3xf32",
      "add(2x?xf32, ?x3xf32) -> 2x3xf32",
      "subtract(0xui8, 0xui8) -> 0xui8",
      "and(2xi1, 2xi1) -> 2xi1",
      "shift_left(2xui4, 2xui4) -> 2xui4",
      "negate(2xui32) -> 2xui32",
      "abs(2xi32) -> 2xi32",
      "abs(2xcomplex<f64>) -> 2xf64",
      "sign(2xcomplex<f32>) -> 2xcomplex<f32>",
      "exponential(2xbf16) result_accuracy = {ulps = 3, mode = TOLERANCE} -> 2xbf16",
      "not(2xi1) -> 2xi1",
      "popcnt(2xui64) -> 2xui64",
      "real(2xcomplex<f32>) -> 2xf32",
      "imag(2xf32) -> 2xf32",
      "is_finite(2xf8E4M3FN) -> 2xi1",
      "complex(2xf64, 2xf64) -> 2xcomplex<f64>",
      "convert(2xf32) -> 2xi4",
      "convert(2xi1) -> 2xcomplex<f32>",
      "reduce_precision(2xf32) exponent_bits = 5, mantissa_bits = 10 -> 2xf32",
      "compare(2xf32, 2xf32) comparison_direction = LT, compare_type = TOTALORDER -> 2xi1",
      "compare(2xi1, 2xi1) comparison_direction = EQ, compare_type = UNSIGNED -> 2xi1",
      "compare(2xcomplex<f32>, 2xcomplex<f32>) comparison_direction = NE -> 2xi1",
      "clamp(f32, 2xf32, f32) -> 2xf32",
      "clamp(2xi8, 2xi8, i8) -> 2xi8",
      "select(i1, 2xf32, 2xf32) -> 2xf32",
      "select(2xi1, 2xi64, 2xi64) -> 2xi64",
  };
  TN_TEST_ACCEPTS(uses);
}

static void elementwise_operations_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"add(2xf32, 3xf32) -> 2xf32",
       "add (C1): rhs has type tensor<3xf32>; expected tensor<2xf32>"},
      {"add(2xf32, 2xf64) -> 2xf32", "add (C1)"},
      {"add(2xf32, 2xf32) -> 3xf32",
       "add (C1): result has type tensor<3xf32>; expected tensor<2xf32>"},
      {"add(2xf32) -> 2xf32", "add: has 1 operand; expected 2"},
      {"add(2xf32, 2xf32) -> 2xf32, 2xf32", "add: has 2 results; expected 1"},
      {"add(2xf32, 2xf32) {->} -> 2xf32", "add: has 1 region; expected 0"},
      {"add(token, 2xf32) -> 2xf32", "add (I1): lhs has type !stablehlo.token; expected a tensor"},
      {"add(2xf32, tuple<2xf32>) -> 2xf32", "add (I2): rhs has type tuple<tensor<2xf32>>"},
      {"subtract(i1, i1) -> i1",
       "subtract (I1): lhs has type tensor<i1>; expected a tensor of "
       "integers, floats or complex numbers"},
      {"and(f32, f32) -> f32",
       "and (I1): lhs has type tensor<f32>; expected a tensor of booleans or "
       "integers"},
      {"shift_left(i1, i1) -> i1", "shift_left (I1)"},
      {"atan2(i32, i32) -> i32", "atan2 (I1)"},
      {"ceil(complex<f32>) -> complex<f32>", "ceil (I1)"},
      {"cosine(i32) -> i32", "cosine (I1)"},
      {"negate(i1) -> i1", "negate (I1)"},
      {"sign(ui8) -> ui8",
       "sign (I1): operand has type tensor<ui8>; expected a tensor of signed "
       "integers, floats or complex numbers"},
      {"popcnt(f32) -> f32", "popcnt (I1)"},
      {"not(f32) -> f32", "not (I1)"},
      {"abs(2xui8) -> 2xui8", "abs (I1)"},
      {"abs(2xcomplex<f32>) -> 2xcomplex<f32>",
       "abs (C2): result has type tensor<2xcomplex<f32>>; "
       "expected tensor<2xf32>"},
      {"abs(2xf32) -> 3xf32", "abs (C1)"},
      {"real(2xf32) -> 3xf32", "real (C1)"},
      {"real(2xi32) -> 2xi32", "real (I1)"},
      {"real(2xcomplex<f64>) -> 2xf32", "real (C2)"},
      {"imag(2xcomplex<f64>) -> 3xf64", "imag (C1)"},
      {"imag(2xcomplex<f64>) -> 2xcomplex<f64>", "imag (C2)"},
      {"is_finite(2xi32) -> 2xi1", "is_finite (I1)"},
      {"is_finite(2xf32) -> 3xi1", "is_finite (C1)"},
      {"complex(2xf16, 2xf16) -> 2xcomplex<f32>",
       "complex (I1): lhs has type tensor<2xf16>; "
       "expected f32 or f64"},
      {"complex(2xf32, 2xf64) -> 2xcomplex<f32>", "complex (C1)"},
      {"complex(2xf32, 3xf32) -> 2xcomplex<f32>", "complex (C1)"},
      {"complex(2xf32, 2xf32) -> 2xcomplex<f64>", "complex (C3)"},
      {"complex(2xf32, 2xf32) -> 3xcomplex<f32>", "complex (C2)"},
      {"convert(2xf32) -> 3xf32", "convert (C1): result has type tensor<3xf32>; expected shape 2"},
      {"convert(2xf32) -> token", "convert (C1)"},
      {"reduce_precision(i32) exponent_bits = 1, mantissa_bits = 0 -> i32",
       "reduce_precision (I1)"},
      {"reduce_precision(f32) exponent_bits = 1, mantissa_bits = 0 -> f64",
       "reduce_precision (C1)"},
      {"reduce_precision(f32) exponent_bits = 0, mantissa_bits = 0 -> f32",
       "reduce_precision (C2)"},
      {"reduce_precision(f32) exponent_bits = 1, mantissa_bits = -1 -> f32",
       "reduce_precision (C3)"},
      {"compare(2xf32, 2xf64) comparison_direction = LT -> 2xi1", "compare (C1)"},
      {"compare(2xf32, 3xf32) comparison_direction = LT -> 2xi1", "compare (C2)"},
      {"compare(2xf32, 2xf32) comparison_direction = LT -> 2xf32", "compare (C2)"},
      {"compare(2xf32, 2xf32) comparison_direction = LT, compare_type = SIGNED -> 2xi1",
       "compare (C3): compare_type is SIGNED; elements of type f32 do not compare so"},
      {"compare(2xcomplex<f32>, 2xcomplex<f32>) comparison_direction = LT, compare_type = "
       "TOTALORDER"
       " -> 2xi1",
       "compare (C3)"},
      {"compare(2xi32, 2xi32) comparison_direction = LT, compare_type = UNSIGNED -> 2xi1",
       "compare (C3)"},
      {"clamp(2xf32, 4x3xf32, f32) -> 4x3xf32",
       "clamp (C1): min has shape 2; expected scalar or 4x3"},
      {"clamp(f32, 4x3xf32, 3x4xf32) -> 4x3xf32", "clamp (C2): max has shape 3x4"},
      {"clamp(f64, 4x3xf32, f32) -> 4x3xf32", "clamp (C3)"},
      {"clamp(f32, 4x3xf32, f32) -> 3x4xf32", "clamp (C4)"},
      {"sine(f32) result_accuracy = {ulps = 1, mode = HIGHEST} -> f32",
       "sine: result_accuracy has atol 0, rtol 0 and ulps 1; expected none with mode HIGHEST"},
      {"sine(f32) result_accuracy = {atol = 0.5} -> f32", "expected none with mode DEFAULT"},
      {"sine(f32) result_accuracy = {rtol = -0.5, mode = TOLERANCE} -> f32", "none below 0"},
      {"select(f32, 2xf32, 2xf32) -> 2xf32", "select (I1)"},
      {"select(3xi1, 2xf32, 2xf32) -> 2xf32", "select (C1)"},
      {"select(2xi1, 2xf32, 2xf64) -> 2xf32", "select (C2)"},
      {"select(2xi1, 2xf32, 2xf32) -> 3xf32", "select (C2)"},
      {"uniform_quantize(f32) -> i8",
       "uniform_quantize (C2): result has type tensor<i8>; expected "
       "a quantized tensor"},
      {"uniform_dequantize(i8) -> f32", "uniform_dequantize (I1)"},
  };
  TN_TEST_REFUSES(cases);
}

// C1 of the operations whose operands and result have one type.
static void elementwise_operations_keep_their_type(void** state) {
  (void)state;
  static const struct {
    const char *dtype, *names[24];
  } families[] = {
      {"f32",
       {"cbrt", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log",
        "log_plus_one", "logistic", "negate", "round_nearest_afz", "round_nearest_even", "rsqrt",
        "sign", "sine", "sqrt", "tan", "tanh"}},
      {"i32", {"count_leading_zeros", "not", "popcnt"}},
      {"f64",
       {"add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder",
        "subtract"}},
      {"ui8", {"and", "or", "shift_left", "shift_right_arithmetic", "shift_right_logical", "xor"}},
  };
  for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
    const char* dtype = families[f].dtype;
    for (const char* const* name = families[f].names; *name; ++name) {
      char full[64], operands[64], good[128], bad_shape[128], bad_dtype[128], report[64];
      snprintf(full, sizeof full, "stablehlo.%s", *name);
      const tn_op_t* op = tn__op_find(tn__sv(full));
      assert_non_null(op);
      bool is_binary = op->operands == 2;
      snprintf(operands, sizeof operands, is_binary ? "2x%s, 2x%s" : "2x%s", dtype, dtype);
      snprintf(good, sizeof good, "%s(%s) -> 2x%s", *name, operands, dtype);
      snprintf(bad_shape, sizeof bad_shape, "%s(%s) -> 2x1x%s", *name, operands, dtype);
      snprintf(bad_dtype, sizeof bad_dtype, "%s(%s) -> 2xf16", *name, operands);
      snprintf(report, sizeof report, "%s (C1): result has type", *name);
      const char* const accepted[] = {good};
      TN_TEST_ACCEPTS(accepted);
      const tn_rule_case_t refused[] = {{bad_shape, report}, {bad_dtype, report}};
      TN_TEST_REFUSES(refused);
    }
  }
}

// C1 of all that give what they take, operands and result alike.
static void what_keeps_its_type_refuses_another_one(void** state) {
  (void)state;
  size_t count = 0;
  for (size_t i = 0; i < tn__op_count(); ++i) {
    const tn_op_t* op = tn__op_at(i);
    const bool is_bitwise =
        op->infer == tn__infer_integer || op->infer == tn__infer_bool_or_integer;
    const bool keeps = is_bitwise || op->infer == tn__infer_any || op->infer == tn__infer_number ||
                       op->infer == tn__infer_float || op->infer == tn__infer_float_or_complex ||
                       op->infer == tn__infer_signed_number;
    if (!keeps || strncmp(op->name, "stablehlo.", 10) != 0) continue;
    const char *name = tn__op_short_name(op), *type = is_bitwise ? "i32" : "f32";
    char shape[64], element[64], operand[64], report[64];
    const char* rest = op->operands == 2 ? is_bitwise ? ", 2xi32" : ", 2xf32" : "";
    snprintf(shape, sizeof shape, "%s(2x%s%s) -> 3x%s", name, type, rest, type);
    snprintf(element, sizeof element, "%s(2x%s%s) -> 2xi8", name, type, rest);
    snprintf(operand, sizeof operand, "%s(3x%s%s) -> 3x%s", name, type, rest, type);
    snprintf(report, sizeof report, "%s (C1)", name);
    const tn_rule_case_t cases[] = {{shape, report}, {element, report}, {operand, report}};
    tn__test_refuses(op->operands == 2 ? 3 : 2, cases);
    ++count;
  }
  assert_true(count > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementwise_operations_accept_what_they_are_for),
      cmocka_unit_test(elementwise_operations_keep_their_type),
      cmocka_unit_test(elementwise_operations_refuse_what_breaks_a_constraint),
      cmocka_unit_test(what_keeps_its_type_refuses_another_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
