// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of elements that are converted to wider ones: the same numbers, and few vectors multiply
// with the narrow ones as they are.
#include "program/program.h"
#include "program/testing_run.h"

typedef struct narrow {
  const char* text;
  size_t convert_count;  // that are left
} narrow_t;

// Integers: the order of a sum does not matter, and f32 holds it.
#define PRODUCT(x, from, y, to, weights, made, dims, z)                                       \
  "func.func @main(%a: tensor<" x "x" from ">, %b: tensor<" weights "x" from                  \
  ">) -> "                                                                                    \
  "(tensor<" z "x" to                                                                         \
  ">) {\n"                                                                                    \
  "%x = stablehlo.convert %a : (tensor<" x "x" from ">) -> tensor<" x "x" to                  \
  ">\n"                                                                                       \
  "%c = stablehlo.convert %b : (tensor<" weights "x" from ">) -> tensor<" weights "x" to      \
  ">\n" made "%z = stablehlo.dot_general %x, %y, " dims " : (tensor<" x "x" to ">, tensor<" y \
  "x" to ">) -> tensor<" z "x" to                                                             \
  ">\n"                                                                                       \
  "return %z : tensor<" z "x" to ">\n}\n"
#define AS_IT_IS(t) "%y = stablehlo.reshape %c : (tensor<" t ">) -> tensor<" t ">\n"
#define TRANSPOSED(from, to) \
  "%y = stablehlo.transpose %c, dims = [1, 0] : (tensor<" from ">) -> tensor<" to ">\n"
#define ROWS_BY_COLUMNS "contracting_dims = [1] x [0]"

static const narrow_t products[] = {
    {PRODUCT("1x300", "i8", "300x500", "f32", "300x500", AS_IT_IS("300x500xf32"), ROWS_BY_COLUMNS,
             "1x500"),
     0},
    {PRODUCT("8x300", "i8", "300x500", "f32", "500x300", TRANSPOSED("500x300xf32", "300x500xf32"),
             ROWS_BY_COLUMNS, "8x500"),
     0},
    {PRODUCT("2x3x300", "i8", "2x300x70", "i32", "2x300x70", AS_IT_IS("2x300x70xi32"),
             "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "2x3x70"),
     0},
    {PRODUCT("3x300", "ui8", "300x500", "f64", "300x500", AS_IT_IS("300x500xf64"), ROWS_BY_COLUMNS,
             "3x500"),
     0},
    // Many rows, few terms.
    {PRODUCT("40x300", "i8", "300x50", "f32", "300x50", AS_IT_IS("300x50xf32"), ROWS_BY_COLUMNS,
             "40x50"),
     2},
    {PRODUCT("2x3", "i8", "3x5000", "f32", "3x5000", AS_IT_IS("3x5000xf32"), ROWS_BY_COLUMNS,
             "2x5000"),
     2},
    // Not all of these are numbers of the other type, or they are no smaller.
    {PRODUCT("1x300", "i16", "300x500", "i8", "300x500", AS_IT_IS("300x500xi8"), ROWS_BY_COLUMNS,
             "1x500"),
     2},
    {PRODUCT("1x300", "i8", "300x500", "ui16", "300x500", AS_IT_IS("300x500xui16"), ROWS_BY_COLUMNS,
             "1x500"),
     2},
    {PRODUCT("1x300", "i32", "300x500", "f32", "300x500", AS_IT_IS("300x500xf32"), ROWS_BY_COLUMNS,
             "1x500"),
     2},
};

static size_t count_converts(const tn_program_t* program) {
  size_t count = 0;
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_kernel_t* kernel = program->instructions[i].kernel;
    count += kernel && strcmp(kernel->op, "convert") == 0;
  }
  return count;
}

static void products_with_narrow_elements_are_exact(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof products / sizeof *products; ++i) {
    tn_program_t* program = tn__testing_program(products[i].text, false);
    if (count_converts(program) != products[i].convert_count) fail_msg("%s", products[i].text);
    tn__testing_expect_same_bits(program, products[i].text, i);
    tn_program_release(program);
  }
}

// A conversion that something else reads too stays.
static void elements_that_others_read_are_converted(void** state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<1x300xf32>, %b: tensor<300x500xi8>) -> (tensor<1x500xf32>, "
      "tensor<300x500xf32>) {\n"
      "%y = stablehlo.convert %b : (tensor<300x500xi8>) -> tensor<300x500xf32>\n"
      "%z = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x300xf32>, "
      "tensor<300x500xf32>) -> tensor<1x500xf32>\n"
      "return %z, %y : tensor<1x500xf32>, tensor<300x500xf32>\n}\n";
  tn_program_t* program = tn__testing_program(text, false);
  assert_int_equal(count_converts(program), 1);
  tn_program_release(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_with_narrow_elements_are_exact),
      cmocka_unit_test(elements_that_others_read_are_converted),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
