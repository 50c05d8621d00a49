#include "ops/testing.h"

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
      {NUMBERS("[0]", "[0]", "[2]", "[1]") "precision_config = [HIGH] -> 2x3x5xf32",
       "dot_general (C11): precision_config has 1 entries; expected 2"},
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contractions_accept_what_they_are_for),
      cmocka_unit_test(contractions_refuse_what_breaks_a_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
