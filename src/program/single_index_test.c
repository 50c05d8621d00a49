// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Gathers of single elements in fusions, and scatters by several indices: the same bits as one
// operation after the other.
#include "kernel/fusion/fusion.h"
#include "program/program.h"
#include "program/testing_run.h"

#define MAIN(arguments, result, body) \
  "func.func @main(" arguments ") -> " result " {\n" body "return %r : " result "\n}\n"
#define GATHER(name, table, indices, numbers, sizes, from, places, to)                             \
  name " = \"stablehlo.gather\"(" table ", " indices                                               \
       ") <{dimension_numbers = #stablehlo.gather<" numbers                                        \
       ">, indices_are_sorted = false, slice_sizes = array<i64: " sizes ">}> : (" from ", " places \
       ") -> " to "\n"

// Arguments of i32 are small, of both signs.
#define CONVERT(name, argument, dims, integer)                                                  \
  name " = stablehlo.convert " argument " : (tensor<" dims "xi32>) -> tensor<" dims "x" integer \
       ">\n"

// x[i], with negative indices from the end, as JAX has it.
#define ONE_INDEX(integer) \
  MAIN("%x: tensor<65xf32>, %q: tensor<70x90xi32>", "tensor<70x90xf32>",                           \
       CONVERT(                                                                                    \
           "%i", "%q", "70x90",                                                                    \
           integer) "%c = stablehlo.constant dense<0> : tensor<70x90x" integer                     \
                    ">\n"                                                                          \
                    "%n = stablehlo.constant dense<65> : tensor<70x90x" integer                    \
                    ">\n"                                                                          \
                    "%b = stablehlo.compare LT, %i, %c : (tensor<70x90x" integer                   \
                    ">, tensor<70x90x" integer                                                     \
                    ">) -> tensor<70x90xi1>\n"                                                     \
                    "%w = stablehlo.add %i, %n : tensor<70x90x" integer                            \
                    ">\n"                                                                          \
                    "%j = stablehlo.select %b, %w, %i : tensor<70x90xi1>, tensor<70x90x" integer   \
                    ">\n"                                                                          \
                    "%k = stablehlo.reshape %j : (tensor<70x90x" integer                           \
                    ">) -> tensor<70x90x1x" integer ">\n" GATHER(                                  \
                        "%g", "%x", "%k",                                                          \
                        "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2", \
                        "1", "tensor<65xf32>", "tensor<70x90x1x" integer ">",                      \
                        "tensor<70x90xf32>") "%r = stablehlo.multiply %g, %g : "                   \
                                             "tensor<70x90xf32>\n")

// x[i, :, j], out of bounds more often than not.
#define TWO_INDICES(integer)                                                                     \
  MAIN("%x: tensor<3x1x2xf64>, %q: tensor<2x5000xi32>", "tensor<5000x1xf64>",                    \
       CONVERT("%v", "%q", "2x5000", integer)                                                    \
           GATHER("%g", "%x", "%v",                                                              \
                  "offset_dims = [1], collapsed_slice_dims = [0, 2], start_index_map = [2, 0], " \
                  "index_vector_dim = 0",                                                        \
                  "1, 1, 1", "tensor<3x1x2xf64>", "tensor<2x5000x" integer ">",                  \
                  "tensor<5000x1xf64>") "%r = stablehlo.negate %g : tensor<5000x1xf64>\n")

// Updates of x[j, :, i], which follow each other and are left out outside of x.
#define SCATTER(integer) \
  MAIN("%x: tensor<3x1x2xi32>, %q: tensor<50x2x100xi32>, %u: tensor<50x1x100xi32>", \
       "tensor<3x1x2xi32>", CONVERT("%v", "%q", "50x2x100", integer) \
       "%r = \"stablehlo.scatter\"(%x, %v, %u) <{scatter_dimension_numbers = " \
       "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 2], " \
       "scatter_dims_to_operand_dims = [2, 0], index_vector_dim = 1>}> ({\n" \
       "^bb0(%a: tensor<i32>, %b: tensor<i32>):\n" \
       "%t = stablehlo.constant dense<3> : tensor<i32>\n" \
       "%m = stablehlo.multiply %a, %t : tensor<i32>\n" \
       "%s = stablehlo.subtract %m, %b : tensor<i32>\n" \
       "stablehlo.return %s : tensor<i32>\n" \
       "}) : (tensor<3x1x2xi32>, tensor<50x2x100x" integer \
       ">, tensor<50x1x100xi32>) -> " \
       "tensor<3x1x2xi32>\n")

#define LIST "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1"
#define L "tensor<5000xf32>"
#define I "tensor<5000xi32>"

enum { SCATTERS = 5 };
static const char* const programs[] = {
    ONE_INDEX("i8"),
    ONE_INDEX("ui8"),
    ONE_INDEX("i16"),
    ONE_INDEX("i32"),
    ONE_INDEX("ui32"),
    ONE_INDEX("i64"),
    ONE_INDEX("ui64"),
    TWO_INDICES("i8"),
    TWO_INDICES("ui16"),
    TWO_INDICES("i32"),
    TWO_INDICES("i64"),
    TWO_INDICES("ui64"),
    SCATTER("i8"),
    SCATTER("ui8"),
    SCATTER("i32"),
    SCATTER("ui32"),
    SCATTER("i64"),
    // The list is computed, as long as the result, and dies with it.
    MAIN("%x: " L ", %i: " I, L,
         "%l = stablehlo.add %x, %x : " L
         "\n" GATHER("%g", "%l", "%i", LIST, "1", L, I, L) "%r = stablehlo.abs %g : " L "\n"),
    // It is read element by element as well, and indices follow from what it gave.
    MAIN("%x: " I ", %i: " I, I,
         "%l = stablehlo.negate %x : " I "\n" GATHER(
             "%g", "%l", "%i", LIST, "1", I, I, I) "%s = stablehlo.subtract %g, %l : " I
                                                   "\n" GATHER("%h", "%x", "%s", LIST, "1", I, I,
                                                               I) "%r = stablehlo.add %h, %s : " I
                                                                  "\n"),
    // It is no array of its own: one element for all, and another order.
    MAIN("%x: tensor<f32>, %i: " I, L,
         "%l = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> " L
         "\n" GATHER("%g", "%l", "%i", LIST, "1", L, I, L) "%r = stablehlo.abs %g : " L "\n"),
    MAIN("%x: " L ", %i: " I, L,
         "%l = stablehlo.reverse %x, dims = [0] : " L
         "\n" GATHER("%g", "%l", "%i", LIST, "1", L, I, L) "%r = stablehlo.abs %g : " L "\n"),
    // Before a reduction of rows, and over the rows that it gives.
    MAIN("%x: tensor<40xf32>, %i: tensor<60x100xi32>, %j: tensor<60xi32>", "tensor<60xf32>",
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n" GATHER(
             "%g", "%x", "%i",
             "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2", "1",
             "tensor<40xf32>", "tensor<60x100xi32>",
             "tensor<60x100xf32>") "%m = stablehlo.reduce(%g init: %z) applies stablehlo.maximum "
                                   "across dimensions = [1] : "
                                   "(tensor<60x100xf32>, tensor<f32>) -> tensor<60xf32>\n" GATHER(
                                       "%h", "%x", "%j", LIST, "1", "tensor<40xf32>",
                                       "tensor<60xi32>",
                                       "tensor<60xf32>") "%n = stablehlo.add %m, %h : "
                                                         "tensor<60xf32>\n"
                                                         "%k = stablehlo.convert %n : "
                                                         "(tensor<60xf32>) -> "
                                                         "tensor<60xi32>\n" GATHER(
                                                             "%r", "%x", "%k", LIST, "1",
                                                             "tensor<40xf32>", "tensor<60xi32>",
                                                             "tensor<60xf32>")),
};

// Of the steps of fusions that go by tiles.
static size_t count_lookups(const tn_program_t* program) {
  size_t count = 0;
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_instruction_t* instruction = &program->instructions[i];
    const tn_fusion_spec_t* spec = tn__fusion_spec(instruction->kernel, instruction->state);
    for (size_t s = 0; spec && s < spec->step_count; ++s) {
      count += spec->steps[s].node && tn__node_looks_up(spec->steps[s].node);
    }
  }
  return count;
}

static void single_indices_give_the_same_elements(void** state) {
  (void)state;
  size_t lookups = 0;
  for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
    tn_program_t* program = tn__testing_program(programs[i], false);
    lookups += count_lookups(program);
    tn__testing_expect_same_bits(program, programs[i], i);
    tn_program_release(program);
  }
  // A gather or more in all programs but those that scatter; other devices hold none.
  const bool is_host = strcmp(tn_device_name(tn__testing_device()), "cpu") == 0;
  if (is_host) assert_true(lookups >= sizeof programs / sizeof *programs - SCATTERS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(single_indices_give_the_same_elements),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
