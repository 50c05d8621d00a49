// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

static void contractions_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "dot_general(2x3xf32, 3x4xf32) dot_dimension_numbers = {lhs_contracting_dimensions = [1],"
      " rhs_contracting_dimensions = [0]}, precision_config = [DEFAULT, HIGHEST] -> 2x4xf32",
      "dot_general(5x2x3xf32, 3x5x4xf32) dot_dimension_numbers = {"
      "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1],"
      "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]} -> 5x2x4xf32",
      "dot_general(2xf32, 3xf32) dot_dimension_numbers = {} -> 2x3xf32",
      "dot_general(0x3xi8, 3xi8) dot_dimension_numbers = {lhs_contracting_dimensions = [1],"
      " rhs_contracting_dimensions = [0]} -> 0xi32",
      "dot_general(3xf8E4M3FN, 3xf8E5M2) dot_dimension_numbers = {lhs_contracting_dimensions = [0],"
      " rhs_contracting_dimensions = [0]} -> f32",
      "dot_general(?x3xf32, 3x4xf32) dot_dimension_numbers = {lhs_contracting_dimensions = [1],"
      " rhs_contracting_dimensions = [0]} -> 2x4xf32",
      "dot_general(2x3xf32, 3x4xf32) dot_dimension_numbers = {lhs_contracting_dimensions = [1],"
      " rhs_contracting_dimensions = [0]}, algorithm = {lhs_precision_type = bf16,"
      " rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1,"
      " rhs_component_count = 1, num_primitive_operations = 3,"
      " allow_imprecise_accumulation = false} -> 2x4xf32",
      "dot(3xf32, 3xf32) -> f32",
      "dot(2x3xf32, 3xf32) -> 2xf32",
      "dot(2x3xf32, 3x4xf32) precision_config = [HIGH, HIGH] -> 2x4xf32",
      "dot(2x3xf32, 3x4xf32) precision_config = [HIGH] -> 2x4xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

// lhs 2x3x4, rhs 2x4x5, batching dimension 0, contracting 2 with 1.
#define NUMBERS(lhs_batching, rhs_batching, lhs_contracting, rhs_contracting)           \
  "dot_general(2x3x4xf32, 2x4x5xf32) dot_dimension_numbers = {lhs_batching_dimensions " \
  "= " lhs_batching ", rhs_batching_dimensions = " rhs_batching                         \
  ", lhs_contracting_dimensions = " lhs_contracting                                     \
  ", rhs_contracting_dimensions = " rhs_contracting "} "

#define ALGORITHM(lhs, rhs, primitive)                                             \
  NUMBERS("[0]", "[0]", "[2]", "[1]")                                              \
  "precision_config = [DEFAULT, DEFAULT], algorithm = {lhs_component_count = " lhs \
  ", rhs_component_count = " rhs ", num_primitive_operations = " primitive "} -> 2x3x5xf32"

static void contractions_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {NUMBERS("[0]", "[]", "[2]", "[1]") "-> 2x3x5xf32", "dot_general (C1)"},
      {NUMBERS("[0]", "[0]", "[2]", "[]") "-> 2x3x5xf32", "dot_general (C2)"},
      {NUMBERS("[0]", "[0]", "[0]", "[1]") "-> 2x3x5xf32",
       "dot_general (C3): lhs_contracting_dimensions: dimension 0 is there twice"},
      {NUMBERS("[0]", "[1]", "[2]", "[1]") "-> 2x3x5xf32", "dot_general (C4)"},
      {NUMBERS("[3]", "[0]", "[2]", "[1]") "-> 2x3x5xf32", "dot_general (C5)"},
      {NUMBERS("[0]", "[0]", "[-1]", "[1]") "-> 2x3x5xf32", "dot_general (C6)"},
      {NUMBERS("[0]", "[-1]", "[2]", "[1]") "-> 2x3x5xf32", "dot_general (C7)"},
      {NUMBERS("[0]", "[0]", "[2]", "[9]") "-> 2x3x5xf32", "dot_general (C8)"},
      {NUMBERS("[1]", "[0]", "[2]", "[1]") "-> 2x3x5xf32",
       "dot_general (C9): batching dimensions 1 of lhs and 0 of rhs have sizes 3 and 2; expected "
       "equal ones"},
      {NUMBERS("[0]", "[0]", "[2]", "[2]") "-> 2x3x5xf32", "dot_general (C10)"},
      {NUMBERS("[0]", "[0]", "[2]", "[1]") "precision_config = [HIGH, HIGH, HIGH] -> 2x3x5xf32",
       "dot_general (C11): precision_config has 3 entries; expected 2"},
      {NUMBERS("[0]", "[0]", "[2]", "[1]") "-> 2x5x3xf32", "dot_general (C12)"},
      {NUMBERS("[0]", "[0]", "[2]", "[1]") "-> 2x3x5xi32", "dot_general (C12)"},
      {"dot_general(3xf32, 3xi32) dot_dimension_numbers = {} -> 3x3xf32", "dot_general (C13)"},
      {NUMBERS(
           "[0]", "[0]", "[2]",
           "[1]") "precision_config = [DEFAULT, HIGH], algorithm = {"
                  "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1}"
                  " -> 2x3x5xf32",
       "dot_general (C21): precision_config has HIGH; with an algorithm, expected DEFAULT"},
      {ALGORITHM("0", "1", "1"), "dot_general (C22): lhs_component_count of the algorithm is 0"},
      {ALGORITHM("1", "-1", "1"), "dot_general (C23)"},
      {ALGORITHM("1", "1", "0"), "dot_general (C24)"},
      {NUMBERS("[0]", "[0]", "[2]", "[1]") "precision_config = [BEST, HIGH] -> 2x3x5xf32",
       "dot_general: attribute \"precision_config\": there is no precision \"BEST\""},
      {"dot_general(token, 3xf32) dot_dimension_numbers = {} -> 3xf32", "dot_general (I1)"},
      {"dot(2x3x4xf32, 4xf32) -> 2x3xf32", "dot: operands have ranks 3 and 1; expected 1 or 2"},
      {"dot(2x3xf32, 2xf32) -> 2xf32", "dot: operands have shapes 2x3 and 2"},
      {"dot(2x3xf32, 3xi32) -> 2xf32", "dot: rhs has elements of type i32; expected f32, as lhs"},
      {"dot(2x3xf32, 3xf32) -> 3xf32", "dot: result has type tensor<3xf32>"},
      {"dot(f32, 3xf32) -> 3xf32", "dot: operands have ranks 0 and 1"},
  };
  TN_TEST_REFUSES(cases);
}

static void einsum_reads_its_configuration(void** state) {
  (void)state;
  static const char* const uses[] = {
      "einsum(2x3xf32, 3x4xf32) einsum_config = \"ij,jk->ik\" -> 2x4xf32",
      "einsum(5x2x3xf32, 1x3x4xf32) einsum_config = \"...ij,...jk->...ik\" -> 5x2x4xf32",
      "einsum(2x3xf32, 6x5x3x4xf32) einsum_config = \"...ij,...jk->i...k\" -> 2x6x5x4xf32",
      "unary_einsum(2x2xf32) einsum_config = \"aa->\" -> f32",
      "unary_einsum(2x3xf32) einsum_config = \"aB->Ba\" -> 3x2xf32",
  };
  TN_TEST_ACCEPTS(uses);
  static const tn_rule_case_t cases[] = {
      {"einsum(2x3xf32, 3x4xf32) einsum_config = \"ij->ik\" -> 2x4xf32", "expected 2 terms"},
      {"einsum(2x3xf32, 3x4xf32) einsum_config = \"ij,jk\" -> 2x4xf32", "expected \"->\""},
      {"einsum(2x3xf32, 3x4xf32) einsum_config = \"ij,jk->im\" -> 2x4xf32",
       "the result has a label that no operand has"},
      {"einsum(2x3xf32, 3x4xf32) einsum_config = \"i,jk->ik\" -> 2x4xf32",
       "operand 0 has rank 2; expected 1 for \"i\""},
      {"einsum(2x3xf32, 2x4xf32) einsum_config = \"ij,jk->ik\" -> 2x4xf32",
       "dimension 0 of operand 1 is 2; expected 3"},
      {"einsum(2x3xf32, 3x4xf32) einsum_config = \"i1,jk->ik\" -> 2x4xf32", "is not a letter"},
      {"einsum(2x3xf32, 3x4xf32) einsum_config = \"......,jk->ik\" -> 2x4xf32", "two \"...\""},
      {"einsum(5x2xf32, 4x2xf32) einsum_config = \"...i,...i->...\" -> 5xf32",
       "dimension 0 of operand 1 is 4; expected 5"},
      {"einsum(2x3xf32, 3x4xi32) einsum_config = \"ij,jk->ik\" -> 2x4xf32", "rhs has type"},
      {"unary_einsum(2x3xf32) einsum_config = \"\" -> 2x3xf32", "operand 0 has rank 2"},
      {"unary_einsum(2x3xf32) einsum_config = \"ab->ba\" -> 2x3xf32",
       "unary_einsum: result has type tensor<2x3xf32>; expected tensor<3x2xf32>"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contractions_accept_what_they_are_for),
      cmocka_unit_test(contractions_refuse_what_breaks_a_constraint),
      cmocka_unit_test(einsum_reads_its_configuration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
