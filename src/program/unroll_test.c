// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Loops of few turns are run without a loop, give the same bits, and keep nothing in memory between
// turns; others stay as they are.
#include "program/program.h"
#include "program/testing_run.h"

#define NUMBER "tensor<i32>"
#define WORDS "tensor<64x128xui32>"
#define PAIR "tensor<2xui32>"

// What random generators of JAX do: rounds with amounts that carries exchange in each turn.
#define LOOP(before, first, condition, step, more)                                        \
  "func.func @main(%x: " WORDS ", %n: " NUMBER ") -> " WORDS " {\n" before                \
  "%first = stablehlo.constant dense<" first "> : " NUMBER                                \
  "\n"                                                                                    \
  "%a0 = stablehlo.constant dense<[13, 15]> : " PAIR                                      \
  "\n"                                                                                    \
  "%b0 = stablehlo.constant dense<[17, 29]> : " PAIR                                      \
  "\n"                                                                                    \
  "%r:4 = stablehlo.while(%i = %first, %v = %x, %a = %a0, %b = %b0) : " NUMBER ", " WORDS \
  ", " PAIR ", " PAIR " cond {\n" condition                                               \
  "  stablehlo.return %c : tensor<i1>\n"                                                  \
  "} do {\n" step more "  %s1 = stablehlo.slice %a [0:1] : (" PAIR                        \
  ") -> tensor<1xui32>\n"                                                                 \
  "  %s = stablehlo.reshape %s1 : (tensor<1xui32>) -> tensor<ui32>\n"                     \
  "  %width = stablehlo.constant dense<32> : tensor<ui32>\n"                              \
  "  %t = stablehlo.subtract %width, %s : tensor<ui32>\n"                                 \
  "  %l = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<ui32>) -> " WORDS            \
  "\n"                                                                                    \
  "  %m = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<ui32>) -> " WORDS            \
  "\n"                                                                                    \
  "  %left = stablehlo.shift_left %v, %l : " WORDS                                        \
  "\n"                                                                                    \
  "  %right = stablehlo.shift_right_logical %v, %m : " WORDS                              \
  "\n"                                                                                    \
  "  %both = stablehlo.or %left, %right : " WORDS                                         \
  "\n"                                                                                    \
  "  %sum = stablehlo.add %both, %x : " WORDS                                             \
  "\n"                                                                                    \
  "  %w = stablehlo.xor %sum, %v : " WORDS                                                \
  "\n"                                                                                    \
  "  stablehlo.return %next, %w, %b, %a : " NUMBER ", " WORDS ", " PAIR ", " PAIR         \
  "\n"                                                                                    \
  "}\n"                                                                                   \
  "return %r#1 : " WORDS "\n}\n"

#define LIMIT(n) "%limit = stablehlo.constant dense<" n "> : " NUMBER "\n"
#define LESS \
  "  %c = stablehlo.compare LT, %i, %limit, SIGNED : (" NUMBER ", " NUMBER ") -> tensor<i1>\n"
#define UP(n)                                           \
  "  %step = stablehlo.constant dense<" n "> : " NUMBER \
  "\n"                                                  \
  "  %next = stablehlo.add %step, %i : " NUMBER "\n"

static bool has_loop(const tn_program_t* program) {
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_kernel_t* kernel = program->instructions[i].kernel;
    if (kernel && strcmp(kernel->name, "cpu.while") == 0) return true;
  }
  return false;
}

static void expect(const char* text, bool is_unrolled) {
  tn_program_t* program = tn__testing_program(text, false);
  assert_int_equal(has_loop(program), !is_unrolled);
  if (is_unrolled) {
    assert_int_equal(program->instruction_count, 1);  // one fusion
    assert_true(program->arena_byte_size < 64 * 128 * 4);
  }
  tn__testing_expect_same_bits(program, text, 5);
  tn_program_release(program);
}

static void loops_of_few_turns_are_one_fusion(void** state) {
  (void)state;
  expect(LOOP(LIMIT("5"), "0", LESS, UP("1"), ""), true);
  expect(LOOP(LIMIT("1"), "0", LESS, UP("1"), ""), true);
  expect(LOOP(LIMIT("8"), "0", LESS, UP("1"), ""), true);
  expect(LOOP(LIMIT("100"), "-20", LESS, UP("15"), ""), true);
}

// Beside the shape of the loop: with the limit inside the condition, and a captured value.
static void limits_may_be_in_the_condition(void** state) {
  (void)state;
  expect(LOOP("", "0", "  " LIMIT("3") LESS, UP("1"), ""), true);
}

static void loops_whose_turns_are_many_or_not_known_stay(void** state) {
  (void)state;
  expect(LOOP(LIMIT("9"), "0", LESS, UP("1"), ""), false);
  expect(LOOP("%five = stablehlo.constant dense<5> : " NUMBER
              "\n%limit = stablehlo.minimum %n, %five : " NUMBER "\n",
              "0", LESS, UP("1"), ""),
         false);
  expect(LOOP(LIMIT("5"), "1", LESS, "  %next = stablehlo.add %i, %i : " NUMBER "\n", ""), false);
  expect(LOOP(LIMIT("0"), "0", LESS, UP("1"), ""), false);
}

static void loops_whose_counters_wrap_stay(void** state) {
  (void)state;
  tn_program_t* program =
      tn__testing_program(LOOP(LIMIT("2147483647"), "2147483000", LESS, UP("100"), ""), false);
  assert_true(has_loop(program));
  tn_program_release(program);
}

static void loops_with_loops_inside_stay(void** state) {
  (void)state;
  expect(LOOP(LIMIT("2") "%many = stablehlo.constant dense<50> : " NUMBER "\n", "0", LESS, UP("1"),
              "  %q = stablehlo.while(%j = %i) : " NUMBER " cond {\n"
              "    %d = stablehlo.compare LT, %j, %many, SIGNED : (" NUMBER ", " NUMBER
              ") -> tensor<i1>\n"
              "    stablehlo.return %d : tensor<i1>\n"
              "  } do {\n"
              "    %k = stablehlo.add %j, %step : " NUMBER "\n"
              "    stablehlo.return %k : " NUMBER "\n"
              "  }\n"
              "  %used = stablehlo.add %q, %i : " NUMBER "\n"),
         false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_of_few_turns_are_one_fusion),
      cmocka_unit_test(limits_may_be_in_the_condition),
      cmocka_unit_test(loops_whose_turns_are_many_or_not_known_stay),
      cmocka_unit_test(loops_whose_counters_wrap_stay),
      cmocka_unit_test(loops_with_loops_inside_stay),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
