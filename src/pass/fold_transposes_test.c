// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transposes and reversals that convolutions and products take over.
#include "pass/passes.h"
#include "pass/testing_pass.h"

#define MAIN(arguments, results, body) \
  "func.func @main(" arguments ") -> (" results ") {\n" body "\n}\n"
#define RETURN(values, types) "return " values " : " types

// After the pass, and without what nothing reads any more; the verifier takes it.
static void fold(const char* text) {
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(tn__pass_fold_transposes(rewritten, entry));
  TN_ASSERT_OK(tn__pass_eliminate_dead_code(rewritten, entry));
  TN_ASSERT_OK(tn__module_verify(rewritten));
}

static size_t count(const char* op) {
  return count_in(tn__module_entry(rewritten)->body, op);
}

// --- convolutions

#define CONVOLUTION_OF(x, w)                                                    \
  "%r = stablehlo.convolution(" x ", " w                                        \
  ") dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} "       \
  "{feature_group_count = 1 : i64, batch_group_count = 1 : i64} : "             \
  "(tensor<2x5x6x3xf32>, tensor<2x4x3x7xf32>) -> tensor<2x4x3x7xf32>\n" RETURN( \
      "%r", "tensor<2x4x3x7xf32>")

static void convolutions_read_transposed_operands_as_they_were(void** state) {
  (void)state;
  fold(MAIN("%x: tensor<6x3x2x5xf32>, %w: tensor<7x2x3x4xf32>", "tensor<2x4x3x7xf32>",
            "%t = stablehlo.transpose %x, dims = [2, 3, 0, 1] : (tensor<6x3x2x5xf32>) -> "
            "tensor<2x5x6x3xf32>\n"
            "%u = stablehlo.reverse %w, dims = [1, 3] : tensor<7x2x3x4xf32>\n"
            "%v = stablehlo.transpose %u, dims = [1, 3, 2, 0] : (tensor<7x2x3x4xf32>) -> "
            "tensor<2x4x3x7xf32>\n" CONVOLUTION_OF("%t", "%v")));
  assert_int_equal(count("transpose"), 0);
  assert_int_equal(count("reverse"), 0);
  assert_int_equal(count("convolution"), 1);
}

// Of features, or of the input, which a window does not know to read backwards.
static void other_reversals_stay_before_convolutions(void** state) {
  (void)state;
  fold(MAIN("%x: tensor<2x5x6x3xf32>, %w: tensor<2x4x3x7xf32>", "tensor<2x4x3x7xf32>",
            "%t = stablehlo.reverse %x, dims = [1] : tensor<2x5x6x3xf32>\n"
            "%u = stablehlo.reverse %w, dims = [0, 2] : tensor<2x4x3x7xf32>\n" CONVOLUTION_OF(
                "%t", "%u")));
  assert_int_equal(count("reverse"), 2);
}

// --- products

#define X "tensor<2x6x4x5xf32>"  // batch, rows, contracted, rows
#define Y "tensor<2x4x7xf32>"    // batch, contracted, columns
#define XY "tensor<2x6x5x7xf32>"
#define DOT_OF(x, y, more)                         \
  "%d = stablehlo.dot_general " x ", " y           \
  ", batching_dims = [0] x [0], contracting_dims " \
  "= [2] x [1]" more " : (" X ", " Y ") -> " XY "\n"
#define TRANSPOSE_OF(x, dims, from, to) \
  "%t = stablehlo.transpose " x ", dims = [" dims "] : (" from ") -> " to "\n"

static void a_product_with_rows_behind_columns_is_that_of_the_operands_exchanged(void** state) {
  (void)state;
  fold(MAIN("%x: " X ", %y: " Y, "tensor<2x7x6x5xf32>",
            DOT_OF("%x", "%y", ", precision = [HIGH, HIGH]")
                TRANSPOSE_OF("%d", "0, 3, 1, 2", XY, "tensor<2x7x6x5xf32>")
                    RETURN("%t", "tensor<2x7x6x5xf32>")));
  assert_int_equal(count("transpose"), 0);
  assert_int_equal(count("dot_general"), 1);
  const tn_node_t* dot = tn__module_entry(rewritten)->body->first;
  assert_ptr_equal(dot->operands[0], &tn__module_entry(rewritten)->body->arguments[1]);
}

static void products_stay_that_are_transposed_otherwise_or_have_other_readers(void** state) {
  (void)state;
  fold(MAIN("%x: " X ", %y: " Y, "tensor<2x7x5x6xf32>",
            DOT_OF("%x", "%y", "")  // rows in another order
            TRANSPOSE_OF("%d", "0, 3, 2, 1", XY, "tensor<2x7x5x6xf32>")
                RETURN("%t", "tensor<2x7x5x6xf32>")));
  assert_int_equal(count("transpose"), 1);
  release(NULL);
  fold(MAIN("%x: " X ", %y: " Y, XY ", tensor<2x7x6x5xf32>",
            DOT_OF("%x", "%y", "") TRANSPOSE_OF("%d", "0, 3, 1, 2", XY, "tensor<2x7x6x5xf32>")
                RETURN("%d, %t", XY ", tensor<2x7x6x5xf32>")));
  assert_int_equal(count("transpose"), 1);
  release(NULL);
  fold(MAIN("%x: " X ", %y: " Y, "tensor<2x7x6x5xf32>",
            DOT_OF("%x", "%y", ", precision = [HIGH, DEFAULT]")
                TRANSPOSE_OF("%d", "0, 3, 1, 2", XY, "tensor<2x7x6x5xf32>")
                    RETURN("%t", "tensor<2x7x6x5xf32>")));
  assert_int_equal(count("transpose"), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(convolutions_read_transposed_operands_as_they_were, release),
      cmocka_unit_test_teardown(other_reversals_stay_before_convolutions, release),
      cmocka_unit_test_teardown(
          a_product_with_rows_behind_columns_is_that_of_the_operands_exchanged, release),
      cmocka_unit_test_teardown(products_stay_that_are_transposed_otherwise_or_have_other_readers,
                                release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
