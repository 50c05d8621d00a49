// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Reductions by groups of items that read together give what items alone do.
#include <stdlib.h>

#include "device/device.h"
#include "program/testing_run.h"

static void expect_same(const char* text) {
  tn_device_t* device = tn__testing_device();
  tn_testing_buffers_t none = {.count = 0};
  tn_testing_bytes_t alone = {0}, together = {0};
  if (device->target->is_host || !device->target->fusion) skip();  // it has no kernels of GPUs
  device->targets[0].has_lanes = false;
  tn_program_t* program = tn__testing_program(text, false);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &none, &alone));
  tn_program_release(program);
  device->targets[0].has_lanes = true;
  program = tn__testing_program(text, false);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &none, &together));
  tn_program_release(program);
  assert_true(tn__testing_bytes_equal(&alone, &together));
  free(alone.bytes);
  free(together.bytes);
}

#define REDUCE(type, result, dimensions, begin, operation)                   \
  "func.func @main() -> " result                                             \
  " {\n"                                                                     \
  "%b = stablehlo.constant dense<" begin                                     \
  "> : tensor<i32>\n"                                                        \
  "%i = stablehlo.iota dim = 1 : " type                                      \
  "\n"                                                                       \
  "%j = stablehlo.iota dim = 0 : " type                                      \
  "\n"                                                                       \
  "%k = stablehlo.xor %i, %j : " type                                        \
  "\n"                                                                       \
  "%r = stablehlo.reduce(%k init: %b) applies stablehlo." operation          \
  " across dimensions = " dimensions " : (" type ", tensor<i32>) -> " result \
  "\nreturn %r : " result "\n}\n"

static void rows_are_folded_by_lanes(void** state) {
  (void)state;
  expect_same(REDUCE("tensor<3x20000xi32>", "tensor<3xi32>", "[1]", "7", "add"));
  expect_same(REDUCE("tensor<300x1000xi32>", "tensor<300xi32>", "[1]", "-5", "maximum"));
  expect_same(REDUCE("tensor<1001x33xi32>", "tensor<1001xi32>", "[1]", "1", "add"));
}

static void all_elements_are_folded_in_stages(void** state) {
  (void)state;
  expect_same(REDUCE("tensor<700x900xi32>", "tensor<i32>", "[0, 1]", "3", "add"));
}

static void columns_are_folded_by_items(void** state) {
  (void)state;
  expect_same(REDUCE("tensor<5000x40xi32>", "tensor<40xi32>", "[0]", "3", "add"));
  expect_same(REDUCE("tensor<90x70xi32>", "tensor<70xi32>", "[0]", "3", "minimum"));
}

// The second operand says which element of a row was the largest.
static void other_bodies_keep_the_order(void** state) {
  (void)state;
  expect_same(
      "func.func @main() -> (tensor<4xi32>, tensor<4xi32>) {\n"
      "%z = stablehlo.constant dense<-1> : tensor<i32>\n"
      "%i = stablehlo.iota dim = 1 : tensor<4x3000xi32>\n"
      "%m = stablehlo.constant dense<977> : tensor<4x3000xi32>\n"
      "%p = stablehlo.multiply %i, %i : tensor<4x3000xi32>\n"
      "%x = stablehlo.remainder %p, %m : tensor<4x3000xi32>\n"
      "%r:2 = stablehlo.reduce(%x init: %z), (%i init: %z) across dimensions = [1] : "
      "(tensor<4x3000xi32>, tensor<4x3000xi32>, tensor<i32>, tensor<i32>) -> "
      "(tensor<4xi32>, tensor<4xi32>)\n"
      "reducer(%a: tensor<i32>, %b: tensor<i32>) (%c: tensor<i32>, %d: tensor<i32>) {\n"
      "%g = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "%v = stablehlo.select %g, %a, %b : tensor<i1>, tensor<i32>\n"
      "%w = stablehlo.select %g, %c, %d : tensor<i1>, tensor<i32>\n"
      "stablehlo.return %v, %w : tensor<i32>, tensor<i32>\n}\n"
      "return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>\n}\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_folded_by_lanes),
      cmocka_unit_test(all_elements_are_folded_in_stages),
      cmocka_unit_test(columns_are_folded_by_items),
      cmocka_unit_test(other_bodies_keep_the_order),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
