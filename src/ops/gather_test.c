#include "ops/testing.h"

// operand 4x5x6, one batching dimension (4), indices 4x7x1 into dimension 1, which collapses:
// result 4x7x6.
#define GATHER(operand, indices, offset, collapsed, operand_batching, indices_batching, map, \
               vector, sizes)                                                                \
  "gather(" operand ", " indices ") dimension_numbers = {offset_dims = " offset              \
  ", collapsed_slice_dims = " collapsed ", operand_batching_dims = " operand_batching        \
  ", start_indices_batching_dims = " indices_batching ", start_index_map = " map             \
  ", index_vector_dim = " vector "}, slice_sizes = " sizes " -> "

static void gather_accepts_what_it_is_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
             "[1, 1, 6]") "4x7x6xf32",
      // an implicit index vector of one entry
      GATHER("4x5x6xf32", "4x7xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
             "[1, 1, 6]") "4x7x6xf32",
      GATHER("5x6xf32", "2x3xi64", "[0, 1]", "[]", "[]", "[]", "[0, 1]", "0", "[2, 3]") "2x3x3xf32",
      GATHER("5xf32", "ui8", "[]", "[0]", "[]", "[]", "[0]", "0", "[1]") "f32",
      GATHER("0xf32", "1xi32", "[0]", "[]", "[]", "[]", "[0]", "0", "[0]") "0xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

static void gather_refuses_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {GATHER("4x5x6xf32", "4x7x1xi32", "[]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C1)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "4",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C2): index_vector_dim is 4; expected 0 to 3, the rank of start_indices"},
      {GATHER("4x5x6xf32", "4x7x2xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C3)"},
      {GATHER("4x5xf32", "7x1xi32", "[1, 0]", "[]", "[]", "[]", "[1]", "1", "[1, 1]") "7x1x1xf32",
       "gather (C4): offset_dims is [1, 0]; expected ascending order"},
      {GATHER("4x5xf32", "7x1xi32", "[1, 1]", "[]", "[]", "[]", "[1]", "1", "[1, 1]") "7x1x1xf32",
       "gather (C4)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[3]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C5)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[0]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C6)"},
      {GATHER("4x5x6xf32", "7x1xi32", "[1]", "[1, 0]", "[]", "[]", "[1]", "1",
              "[1, 1, 6]") "7x6xf32",
       "gather (C7)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[3]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C8)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 2, 6]") "4x7x6xf32",
       "gather (C9)"},
      {GATHER("4x5x6xf32", "5x4x1xi32", "[2]", "[]", "[1, 0]", "[0, 1]", "[2]", "2",
              "[1, 1, 6]") "5x4x6xf32",
       "gather (C10)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[-1]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C11)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[2, 1, 6]") "4x7x6xf32",
       "gather (C12)"},
      {GATHER("4x4x6xf32", "4x7x1xi32", "[2]", "[]", "[0, 1]", "[0, 0]", "[2]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C13)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[3]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C14)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[2]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C15)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C16)"},
      {GATHER("4x5x6xf32", "3x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C17): batching dimension 0 of start_indices has size 3; expected 4"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[0]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C18)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[3]", "2",
              "[1, 1, 6]") "4x7x6xf32",
       "gather (C19)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1]") "4x7x6xf32",
       "gather (C20)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 7]") "4x7x6xf32",
       "gather (C21)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, -1]") "4x7x6xf32",
       "gather (C21)"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 5]") "4x7x6xf32",
       "gather (C22): result has type tensor<4x7x6xf32>; expected tensor<4x7x5xf32>"},
      {GATHER("4x5x6xf32", "4x7x1xi32", "[2]", "[1]", "[0]", "[0]", "[1]", "2",
              "[1, 1, 6]") "4x7x6xf64",
       "gather (C22)"},
      {GATHER("5xf32", "f32", "[]", "[0]", "[]", "[]", "[0]", "0", "[1]") "f32", "gather (I2)"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gather_accepts_what_it_is_for),
      cmocka_unit_test(gather_refuses_what_breaks_a_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
