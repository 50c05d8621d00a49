// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products whose result is transposed are computed with their operands exchanged: the same numbers.
#include "program/testing_run.h"

// Integers: the order of a sum does not matter.
#define PRODUCT(x, y, dims, z, permutation, t)                                               \
  "func.func @main(%x: tensor<" x "xi32>, %y: tensor<" y "xi32>) -> tensor<" t               \
  "xi32> {\n"                                                                                \
  "%z = stablehlo.dot_general %x, %y, " dims " : (tensor<" x "xi32>, tensor<" y              \
  "xi32>) -> tensor<" z                                                                      \
  "xi32>\n"                                                                                  \
  "%t = stablehlo.transpose %z, dims = [" permutation "] : (tensor<" z "xi32>) -> tensor<" t \
  "xi32>\n"                                                                                  \
  "return %t : tensor<" t "xi32>\n}\n"

static const char* const products[] = {
    PRODUCT("3x4", "4x5", "contracting_dims = [1] x [0]", "3x5", "1, 0", "5x3"),
    PRODUCT("40x30", "50x30", "contracting_dims = [1] x [1]", "40x50", "1, 0", "50x40"),
    PRODUCT("3x4", "4x3", "contracting_dims = [1] x [0]", "3x3", "1, 0", "3x3"),
    PRODUCT("3x2x4", "4x2x5", "batching_dims = [1] x [1], contracting_dims = [2] x [0]", "2x3x5",
            "0, 2, 1", "2x5x3"),
    PRODUCT("6x2x4x5", "2x7x4x3", "batching_dims = [1] x [0], contracting_dims = [2] x [2]",
            "2x6x5x7x3", "0, 3, 4, 1, 2", "2x7x3x6x5"),
    PRODUCT("3", "4x5", "contracting_dims = [] x []", "3x4x5", "1, 2, 0", "4x5x3"),
};

static void exchanged_operands_give_the_transposed_product(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
    tn_program_t* program = tn__testing_program(products[i], false);
    tn__testing_expect_same_bits(program, products[i], i);
    tn_program_release(program);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchanged_operands_give_the_transposed_product),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
