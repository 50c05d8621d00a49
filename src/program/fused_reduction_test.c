// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs that fold what element-wise operations give, and go on with the result: no array of it
// has a place in the plan, and the results are bit for bit those of each operation by itself.
#include "base/testing_allocator.h"
#include "kernel/fusion/fusion.h"
#include "plan/plan.h"
#include "program/program.h"
#include "program/testing_run.h"

enum { ROWS = 96, COLUMNS = 1024, ARRAY_BYTES = ROWS * COLUMNS * 4 };

#define ARRAY "tensor<96x1024xf32>"
#define NUMBERS "tensor<96xf32>"
#define NUMBER "tensor<f32>"

#define FUNCTION(arguments, result) "func.func @main(" arguments ") -> " result " {\n"
#define RETURN(name, type) "return " name " : " type "\n}\n"
#define CONSTANT(out, text) out " = stablehlo.constant dense<" text "> : " NUMBER "\n"
#define UNARY(out, op, a, type) out " = stablehlo." op " " a " : " type "\n"
#define BINARY(out, op, a, b, type) out " = stablehlo." op " " a ", " b " : " type "\n"
#define FOLD_ROWS(out, op, in, init)                                     \
  out " = stablehlo.reduce(" in " init: " init ") applies stablehlo." op \
      " across dimensions = [1] : (" ARRAY ", " NUMBER ") -> " NUMBERS "\n"
#define SPREAD(out, in) \
  out " = stablehlo.broadcast_in_dim " in ", dims = [0] : (" NUMBERS ") -> " ARRAY "\n"
#define SPREAD_NUMBER(out, in, type) \
  out " = stablehlo.broadcast_in_dim " in ", dims = [] : (" NUMBER ") -> " type "\n"

#define ZERO CONSTANT("%zero", "0.0")
#define LOWEST CONSTANT("%lowest", "0xFF800000")
#define MEAN(out, in)                             \
  FOLD_ROWS(out "_sum", "add", in, "%zero")       \
  CONSTANT(out "_one", "1024.0")                  \
  SPREAD_NUMBER(out "_ones", out "_one", NUMBERS) \
  BINARY(out, "divide", out "_sum", out "_ones", NUMBERS)
// What differs from the mean of its row, and the mean of its square.
#define VARIANCE                                                                         \
  ZERO MEAN("%m", "%x") SPREAD("%ms", "%m") BINARY("%d", "subtract", "%x", "%ms", ARRAY) \
      BINARY("%q", "multiply", "%d", "%d", ARRAY) MEAN("%v", "%q")
#define EXPONENTIALS                                                                       \
  ZERO LOWEST FOLD_ROWS("%h", "maximum", "%x", "%lowest") SPREAD("%hs", "%h")              \
      BINARY("%d", "subtract", "%x", "%hs", ARRAY) UNARY("%e", "exponential", "%d", ARRAY) \
          FOLD_ROWS("%s", "add", "%e", "%zero")

static const char layer_norm[] =
    FUNCTION("%x: " ARRAY, ARRAY) VARIANCE UNARY("%r", "rsqrt", "%v", NUMBERS) SPREAD("%rs", "%r")
        BINARY("%y", "multiply", "%d", "%rs", ARRAY) RETURN("%y", ARRAY);
static const char variance[] = FUNCTION("%x: " ARRAY, NUMBERS) VARIANCE RETURN("%v", NUMBERS);
static const char softmax[] = FUNCTION("%x: " ARRAY, ARRAY) EXPONENTIALS SPREAD("%ss", "%s")
    BINARY("%y", "divide", "%e", "%ss", ARRAY) RETURN("%y", ARRAY);
static const char logsumexp[] = FUNCTION("%x: " ARRAY, NUMBERS) EXPONENTIALS UNARY(
    "%l", "log", "%s", NUMBERS) BINARY("%y", "add", "%l", "%h", NUMBERS) RETURN("%y", NUMBERS);
static const char mean_squared_error[] =
    FUNCTION("%x: " ARRAY ", %t: " ARRAY, NUMBER) ZERO
    BINARY("%d", "subtract", "%x", "%t", ARRAY)
    BINARY("%q", "multiply", "%d", "%d", ARRAY)
    "%s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0, 1] : ("
    ARRAY ", " NUMBER ") -> " NUMBER "\n"
    RETURN("%s", NUMBER);
#define SUM_OF_ALL(out, in)                                                                  \
  out " = stablehlo.reduce(" in                                                              \
      " init: %zero) applies stablehlo.add across dimensions = [0, 1] : (" ARRAY ", " NUMBER \
      ") -> " NUMBER "\n"
#define TWO "tensor<f32>, " ARRAY
static const char sum_of_squares[] = FUNCTION("%x: " ARRAY, NUMBER)
    ZERO BINARY("%q", "multiply", "%x", "%x", ARRAY) SUM_OF_ALL("%s", "%q") RETURN("%s", NUMBER);
// The array that is squared is another one by then, unless it is kept.
static const char squares_beside_others[] =
    FUNCTION("%x: " ARRAY, "(" TWO ")") ZERO BINARY("%q", "multiply", "%x", "%x", ARRAY)
        UNARY("%n", "negate", "%x", ARRAY) BINARY("%y", "add", "%n", "%x", ARRAY)
            SUM_OF_ALL("%s", "%q") "return %s, %y : " TWO "\n}\n";
static const char squares_that_are_kept[] = FUNCTION("%x: " ARRAY, "(" TWO ")")
    ZERO UNARY("%n", "negate", "%x", ARRAY) BINARY("%q", "multiply", "%n", "%n", ARRAY)
        SUM_OF_ALL("%s", "%q") "return %s, %q : " TWO "\n}\n";
static const char sums_of_columns[] =
    FUNCTION("%x: " ARRAY, "tensor<1024xf32>") ZERO
    BINARY("%q", "multiply", "%x", "%x", ARRAY)
    "%s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0] : ("
    ARRAY ", " NUMBER ") -> tensor<1024xf32>\n"
    RETURN("%s", "tensor<1024xf32>");
// Kept dimensions between folded ones: the array's elements, of `from`, to one of `to`.
#define SUMS_OF_GROUPS(from, to, dimensions) \
  FUNCTION("%x: " from, to)                  \
  ZERO BINARY("%q", "multiply", "%x", "%x", from)                                          \
  "%s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = "       \
  dimensions " : (" from ", " NUMBER ") -> " to "\n" RETURN("%s", to)
static const char sums_of_groups[] =
    SUMS_OF_GROUPS("tensor<4x24x4x8x32xf32>", "tensor<4x8xf32>", "[1, 2, 4]");
static const char sums_of_the_middle[] =
    SUMS_OF_GROUPS("tensor<12x128x64xf32>", "tensor<128xf32>", "[0, 2]");
// A row's greatest element is compared with, and one of all is chosen on either side.
static const char chosen_by_rows[] = FUNCTION("%x: " ARRAY, ARRAY) LOWEST CONSTANT("%two", "2.0")
    SPREAD_NUMBER("%twos", "%two", ARRAY) SPREAD_NUMBER("%lows", "%lowest", ARRAY)
        FOLD_ROWS("%h", "maximum", "%x", "%lowest")
            SPREAD("%hs", "%h") "%c = stablehlo.compare GE, %x, %hs : (" ARRAY ", " ARRAY
                                ") -> tensor<96x1024xi1>\n"
                                "%a = stablehlo.select %c, %twos, %x : tensor<96x1024xi1>, " ARRAY
                                "\n"
                                "%b = stablehlo.select %c, %a, %lows : tensor<96x1024xi1>, " ARRAY
                                "\n" BINARY("%y", "add", "%a", "%b", ARRAY) RETURN("%y", ARRAY);
// Accumulated in another type than what is folded has.
static const char widened[] =
    FUNCTION("%x: " ARRAY, NUMBERS) "%zero = stablehlo.constant dense<0.0> : tensor<bf16>"
                                    "\n"
                                    "%b = stablehlo.convert %x : (" ARRAY
                                    ") -> tensor<96x1024xbf16>\n"
                                    "%q = stablehlo.multiply %b, %b : tensor<96x1024xbf16>\n"
                                    "%s = \"stablehlo.reduce\"(%q, %zero) ({\n^bb0(%p: " NUMBER
                                    ", %o: " NUMBER
                                    "):\n"
                                    "%r = stablehlo.add %p, %o : " NUMBER
                                    "\n"
                                    "stablehlo.return %r : " NUMBER
                                    "\n}) {dimensions = array<i64: 1>} : "
                                    "(tensor<96x1024xbf16>, tensor<bf16>) -> " NUMBERS
                                    "\n" RETURN("%s", NUMBERS);

static size_t count_fused_reductions(const tn_program_t* program) {
  size_t count = 0;
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_instruction_t* instruction = &program->instructions[i];
    const tn_fusion_spec_t* spec = tn__fusion_spec(instruction->kernel, instruction->state);
    count += spec && (spec->last || spec->has_rows);
  }
  return count;
}

static tn_program_t* compile_unfused(const char* text) {
  const char* const environment[] = {"TENON_FUSION=none", NULL};
  const tn_context_options_t options = {.struct_size = sizeof options, .environment = environment};
  tn_device_options_t device_options = {.struct_size = sizeof device_options};
  tn_device_t* device = NULL;
  TN_ASSERT_OK(tn_context_create(&options, &device_options.context));
  TN_ASSERT_OK(tn_device_create("cpu", &device_options, &device));
  tn_program_t* program = tn__testing_program_on(device, text, false);
  tn_device_release(device);
  tn_context_release(device_options.context);
  return program;
}

static void expect_the_same_bits(tn_program_t* fused, tn_program_t* plain) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    tn_testing_buffers_t arguments;
    tn_testing_bytes_t wanted, found;
    tn__testing_arguments(plain, seed, &arguments);
    TN_ASSERT_OK(tn__testing_run_bytes(plain, NULL, &arguments, &wanted));
    tn__testing_buffers_release(&arguments);
    tn__testing_arguments(fused, seed, &arguments);
    tn__testing_poison(fused, 0xA5);
    TN_ASSERT_OK(tn__testing_run_bytes(fused, NULL, &arguments, &found));
    tn__testing_unify_nans(plain, &wanted);
    tn__testing_unify_nans(fused, &found);
    assert_true(tn__testing_bytes_equal(&found, &wanted));
    tn__testing_buffers_release(&arguments);
    free(wanted.bytes);
    free(found.bytes);
  }
}

static void expect_a_fused_reduction(const char* text) {
  tn_program_t* plain = compile_unfused(text);
  tn_program_t* fused = tn__testing_program(text, false);
  assert_int_equal(count_fused_reductions(plain), 0);
  assert_int_equal(count_fused_reductions(fused), 1);
  expect_the_same_bits(fused, plain);
  tn_program_release(fused);
  tn_program_release(plain);
}

// Numbers for rows, or for columns of groups of rows, are all that has to be kept.
static void expect_no_array(const char* text) {
  tn_program_t* plain = compile_unfused(text);
  tn_program_t* fused = tn__testing_program(text, false);
  assert_true(plain->arena_byte_size >= ARRAY_BYTES / 2);
  assert_true(fused->arena_byte_size <= ARRAY_BYTES / 16);
  tn_program_release(fused);
  tn_program_release(plain);
  expect_a_fused_reduction(text);
}

// Rows of the whole of it fit the caches: not even the numbers for rows are stored.
static void expect_one_instruction(const char* text) {
  tn_program_t* program = tn__testing_program(text, false);
  assert_int_equal(program->instruction_count, 1);
  assert_int_equal(program->arena_byte_size, 0);
  tn_program_release(program);
  expect_a_fused_reduction(text);
}

static void layer_norm_is_one_fusion(void** state) {
  (void)state;
  expect_one_instruction(layer_norm);
}

static void softmax_is_one_fusion(void** state) {
  (void)state;
  expect_one_instruction(softmax);
}

static void logsumexp_is_one_fusion(void** state) {
  (void)state;
  expect_one_instruction(logsumexp);
}

static void one_element_of_a_row_or_of_all_is_compared_with_and_chosen(void** state) {
  (void)state;
  expect_one_instruction(chosen_by_rows);
}

static void variance_is_one_fusion(void** state) {
  (void)state;
  expect_one_instruction(variance);
}

static void mean_squared_error_keeps_parts_of_its_sum(void** state) {
  (void)state;
  expect_no_array(mean_squared_error);
}

static size_t steps_of_first_fusion(const char* text) {
  tn_program_t* program = tn__testing_program(text, false);
  const tn_instruction_t* first = &program->instructions[0];
  const tn_fusion_spec_t* spec = tn__fusion_spec(first->kernel, first->state);
  assert_non_null(spec);
  const size_t count = spec->step_count;
  tn_program_release(program);
  return count;
}

static void squares_are_folded_as_they_are_read(void** state) {
  (void)state;
  assert_int_equal(steps_of_first_fusion(sum_of_squares), 0);
  assert_int_equal(steps_of_first_fusion(squares_that_are_kept), 2);
  expect_no_array(sum_of_squares);
  expect_a_fused_reduction(squares_beside_others);
  expect_a_fused_reduction(squares_that_are_kept);
}

static void sums_of_columns_keep_parts_of_them(void** state) {
  (void)state;
  expect_no_array(sums_of_columns);
}

// Nine rows are computed at a time: no number by which sums are cut divides that.
static void sums_of_columns_do_not_depend_on_how_many_rows_come_at_a_time(void** state) {
  (void)state;
  expect_a_fused_reduction(
      FUNCTION("%x: tensor<2000x450xf32>", "tensor<450xf32>") ZERO
      "%z = stablehlo.constant dense<0.3> : tensor<2000x450xf32>\n"
      "%c = stablehlo.is_finite %x : (tensor<2000x450xf32>) -> tensor<2000x450xi1>\n"
      "%f = stablehlo.select %c, %x, %z : tensor<2000x450xi1>, tensor<2000x450xf32>\n"
      "%q = stablehlo.logistic %f : tensor<2000x450xf32>\n"
      "%s = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [0] : "
      "(tensor<2000x450xf32>, " NUMBER ") -> tensor<450xf32>\n" RETURN("%s", "tensor<450xf32>"));
}

static void sums_of_groups_keep_parts_of_them(void** state) {
  (void)state;
  expect_no_array(sums_of_groups);
  expect_no_array(sums_of_the_middle);
}

static void what_is_folded_may_be_narrower_than_its_sum(void** state) {
  (void)state;
  expect_no_array(widened);
}

static tn_status_t compile(const tn_allocator_t* allocator, void* text) {
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  const tn_compile_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_status_t status =
      tn_module_parse(allocator, "test.mlir", (const char*)text, strlen(text), &module);
  if (!status) status = tn_program_compile(tn__testing_device(), module, &options, &program);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

static void a_fusion_survives_any_refused_allocation(void** state) {
  (void)state;
  tn__testing_sweep_allocations(compile, (void*)(uintptr_t)layer_norm);
  tn__testing_sweep_allocations(compile, (void*)(uintptr_t)sums_of_columns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layer_norm_is_one_fusion),
      cmocka_unit_test(softmax_is_one_fusion),
      cmocka_unit_test(logsumexp_is_one_fusion),
      cmocka_unit_test(one_element_of_a_row_or_of_all_is_compared_with_and_chosen),
      cmocka_unit_test(variance_is_one_fusion),
      cmocka_unit_test(mean_squared_error_keeps_parts_of_its_sum),
      cmocka_unit_test(squares_are_folded_as_they_are_read),
      cmocka_unit_test(sums_of_columns_keep_parts_of_them),
      cmocka_unit_test(sums_of_columns_do_not_depend_on_how_many_rows_come_at_a_time),
      cmocka_unit_test(sums_of_groups_keep_parts_of_them),
      cmocka_unit_test(what_is_folded_may_be_narrower_than_its_sum),
      cmocka_unit_test(a_fusion_survives_any_refused_allocation),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
