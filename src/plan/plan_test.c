// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "plan/testing_plan.h"

#define MAIN(arguments, results, body) \
  "module { func.func @main(" arguments ") -> (" results ") {\n" body "\n} }"

static tn_testing_plan_t made;

static const tn_plan_t* plan_of(const char* text, tn_testing_passes_t passes) {
  tn__testing_plan(text, passes, &made);
  return made.plan;
}

static const tn_plan_t* plan(const char* text) {
  return plan_of(text, TN_TESTING_NEEDED_PASSES);
}

static int release(void** state) {
  (void)state;
  if (made.source) tn__testing_plan_release(&made);
  return 0;
}

static size_t copies(const tn_plan_t* plan) {
  return tn__testing_plan_copies(&plan->block, plan, NULL);
}

static const tn_plan_step_t* step_of(const tn_plan_t* plan, const char* op) {
  const tn_plan_step_t* step = tn__testing_plan_find(&plan->block, op);
  if (!step) fail_msg("the plan has no %s", op);
  return step;
}

// --- temporaries

static void plan_reuses_buffer_after_last_use(void** state) {
  (void)state;
  // Concatenations cannot work in place: a, b, c; a is dead when c is made.
#define TURN(y, x) \
  "%" y " = stablehlo.concatenate %" x ", dim = 0 : (tensor<8x16xf32>) -> tensor<8x16xf32>\n"
  const tn_plan_t* p = plan(MAIN("%x: tensor<8x16xf32>", "tensor<8x16xf32>",
                                 TURN("a", "x") TURN("b", "a") TURN("c", "b")
                                     TURN("d", "c") "return %d : tensor<8x16xf32>"));
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_TEMPORARY), 3);
  assert_int_equal(p->arena_byte_size, 2 * 8 * 16 * 4);
  assert_int_equal(p->lower_bound_byte_size, 2 * 8 * 16 * 4);
  assert_int_equal(p->total_byte_size, 5 * 8 * 16 * 4);
#undef TURN
}

static void chain_of_elementwise_operations_lies_in_the_result(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<64xf32>", "tensor<64xf32>",
                                 "%a = stablehlo.negate %x : tensor<64xf32>\n"
                                 "%b = stablehlo.add %a, %x : tensor<64xf32>\n"
                                 "%c = stablehlo.multiply %b, %b : tensor<64xf32>\n"
                                 "%d = stablehlo.tanh %c : tensor<64xf32>\n"
                                 "return %d : tensor<64xf32>"));
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_TEMPORARY), 0);
  assert_int_equal(p->arena_byte_size, 0);
  assert_int_equal(copies(p), 0);
  assert_int_equal(step_of(p, "tanh")->operands[0], step_of(p, "tanh")->results[0]);
}

static void chain_inside_works_in_place(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<64x2xf32>", "tensor<2x64xf32>",
           "%a = stablehlo.negate %x : tensor<64x2xf32>\n"
           "%b = stablehlo.tanh %a : tensor<64x2xf32>\n"
           "%c = stablehlo.exponential %b : tensor<64x2xf32>\n"
           "%d = stablehlo.transpose %c, dims = [1, 0] : (tensor<64x2xf32>) -> tensor<2x64xf32>\n"
           "return %d : tensor<2x64xf32>"));
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_TEMPORARY), 1);
  assert_int_equal(p->arena_byte_size, 64 * 2 * 4);
}

static void operand_that_lives_on_is_not_overwritten(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<4xf32>", "tensor<4xf32>, tensor<4xf32>",
                                 "%a = stablehlo.negate %x : tensor<4xf32>\n"
                                 "%b = stablehlo.tanh %a : tensor<4xf32>\n"
                                 "return %a, %b : tensor<4xf32>, tensor<4xf32>"));
  const tn_plan_step_t* step = step_of(p, "tanh");
  assert_int_not_equal(step->operands[0], step->results[0]);
  assert_int_equal(copies(p), 0);
}

static void tuples_cost_nothing(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: tensor<4xf32>, %y: tensor<8xf32>", "tensor<8xf32>",
      "%t = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<8xf32>>\n"
      "%u = stablehlo.tuple %t, %x : tuple<tuple<tensor<4xf32>, tensor<8xf32>>, tensor<4xf32>>\n"
      "%v = stablehlo.get_tuple_element %u[0] : (tuple<tuple<tensor<4xf32>, tensor<8xf32>>, "
      "tensor<4xf32>>) -> tuple<tensor<4xf32>, tensor<8xf32>>\n"
      "%w = stablehlo.get_tuple_element %v[1] : (tuple<tensor<4xf32>, tensor<8xf32>>) -> "
      "tensor<8xf32>\n"
      "%z = stablehlo.negate %w : tensor<8xf32>\n"
      "return %z : tensor<8xf32>"));
  assert_int_equal(p->block.step_count, 1);
  assert_int_equal(p->arena_byte_size, 0);
}

static void reshapes_and_barriers_are_no_steps(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<4x2xf32>", "tensor<8xf32>",
                "%a = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<2x4xf32>\n"
                "%b = stablehlo.optimization_barrier %a : tensor<2x4xf32>\n"
                "%c = stablehlo.reshape %b : (tensor<2x4xf32>) -> tensor<8xf32>\n"
                "%d = stablehlo.negate %c : tensor<8xf32>\n"
                "return %d : tensor<8xf32>"));
  assert_int_equal(p->block.step_count, 1);
}

static void reshaped_result_has_the_type_that_is_returned(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<4x2xf32>", "tensor<8xf32>, tensor<4x2xf32>, tensor<2x2x2xf32>",
                "%a = stablehlo.negate %x : tensor<4x2xf32>\n"
                "%b = stablehlo.reshape %a : (tensor<4x2xf32>) -> tensor<8xf32>\n"
                "%c = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<2x2x2xf32>\n"
                "return %b, %a, %c : tensor<8xf32>, tensor<4x2xf32>, tensor<2x2x2xf32>"));
  assert_int_equal(p->result_leaf_count, 3);
  assert_int_equal(tn_type_rank(p->result_leaves[0]), 1);
  assert_int_equal(tn_type_rank(p->result_leaves[1]), 2);
  assert_int_equal(tn_type_rank(p->result_leaves[2]), 3);
}

static void arrays_without_elements_take_no_bytes(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<0x4xf32>", "tensor<0x4xf32>, tensor<4x0xf32>",
           "%a = stablehlo.negate %x : tensor<0x4xf32>\n"
           "%b = stablehlo.transpose %a, dims = [1, 0] : (tensor<0x4xf32>) -> tensor<4x0xf32>\n"
           "return %x, %b : tensor<0x4xf32>, tensor<4x0xf32>"));
  assert_int_equal(p->total_byte_size, 0);
  assert_int_equal(copies(p), 0);
}

static void dynamic_dimension_is_refused_with_its_place(void** state) {
  (void)state;
  TN_ASSERT_REPORT("dimensions must be known when a program is compiled (JAX: export for concrete",
                   tn__testing_plan_create(MAIN("%x: tensor<?xf32>", "tensor<?xf32>",
                                                "%a = stablehlo.negate %x : tensor<?xf32>\n"
                                                "return %a : tensor<?xf32>"),
                                           TN_TESTING_ALL_PASSES, &made));
}

// --- results

static void parameter_returned_twice_is_copied_twice(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<4xf32>", "tensor<4xf32>, tensor<4xf32>",
                                 "return %x, %x : tensor<4xf32>, tensor<4xf32>"));
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_RESULT), 2);
  assert_int_equal(copies(p), 2);
}

static void constant_result_is_copied(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("", "tensor<4xf32>",
                "%c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>\n"
                "return %c : tensor<4xf32>"));
  assert_int_equal(copies(p), 1);
  assert_int_not_equal(p->block.results[0], p->block.steps[0].results[0]);
}

static void value_returned_twice_is_computed_in_place_and_copied_once(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<4xf32>", "tensor<4xf32>, tensor<4xf32>",
                                 "%a = stablehlo.negate %x : tensor<4xf32>\n"
                                 "return %a, %a : tensor<4xf32>, tensor<4xf32>"));
  assert_int_equal(copies(p), 1);
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_TEMPORARY), 0);
}

static void what_is_read_beside_an_argument_is_computed_where_the_result_goes(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<4xf32>, %y: tensor<4xf32>", "tensor<4xf32>",
                                 "%a = stablehlo.negate %x : tensor<4xf32>\n"
                                 "%b = stablehlo.add %y, %a : tensor<4xf32>\n"
                                 "return %b : tensor<4xf32>"));
  assert_int_equal(copies(p), 0);
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_TEMPORARY), 0);
}

static void tuple_result_has_a_buffer_for_each_leaf(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<4xf32>", "tuple<tensor<4xf32>, tensor<4xf32>>",
                "%a = stablehlo.negate %x : tensor<4xf32>\n"
                "%t = stablehlo.tuple %a, %x : tuple<tensor<4xf32>, tensor<4xf32>>\n"
                "return %t : tuple<tensor<4xf32>, tensor<4xf32>>"));
  assert_int_equal(p->result_leaf_count, 2);
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_RESULT), 2);
  assert_int_equal(copies(p), 1);
}

// --- custom calls

static void unread_results_of_custom_calls_are_temporaries(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: tensor<16xf32>", "tensor<16xf32>",
      "%a:2 = stablehlo.custom_call @f(%x) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<32xf32>)\n"
      "return %a#0 : tensor<16xf32>"));
  const tn_plan_step_t* step = step_of(p, "f");
  const tn_plan_buffer_t* unread = &p->buffers[step->results[1]];
  assert_int_equal(unread->kind, TN_PLAN_TEMPORARY);
  assert_int_equal(p->arena_byte_size, 32 * 4);
  assert_int_equal(p->buffers[step->results[0]].kind, TN_PLAN_RESULT);
}

#define ALIAS                                                                              \
  "{output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], " \
  "operand_index = 0, operand_tuple_indices = []>]} : (tensor<16xf32>) -> tensor<16xf32>\n"

static void aliased_result_shares_storage_with_dying_operand(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<16xf32>", "tensor<16xf32>",
                "%a = stablehlo.negate %x : tensor<16xf32>\n"
                "%b = stablehlo.custom_call @f(%a) " ALIAS "return %b : tensor<16xf32>"));
  const tn_plan_step_t* step = step_of(p, "f");
  assert_int_equal(step->operands[0], step->results[0]);
  assert_int_equal(copies(p), 0);
}

static void aliased_operand_that_lives_on_is_copied_first(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<16xf32>", "tensor<16xf32>, tensor<16xf32>",
                                 "%a = stablehlo.negate %x : tensor<16xf32>\n"
                                 "%b = stablehlo.custom_call @f(%a) " ALIAS
                                 "%c = stablehlo.add %a, %b : tensor<16xf32>\n"
                                 "return %b, %c : tensor<16xf32>, tensor<16xf32>"));
  const tn_plan_step_t* step = step_of(p, "f");
  assert_int_equal(step->operands[0], step->results[0]);
  assert_int_equal(copies(p), 1);
  assert_int_not_equal(step_of(p, "negate")->results[0], step->results[0]);
}

static void aliased_parameter_is_copied_first(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<16xf32>", "tensor<16xf32>",
                "%b = stablehlo.custom_call @f(%x) " ALIAS "return %b : tensor<16xf32>"));
  assert_int_equal(copies(p), 1);
  assert_int_equal(p->buffers[step_of(p, "f")->operands[0]].kind, TN_PLAN_RESULT);
}

static void operand_given_twice_is_copied_for_its_alias(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<16xf32>", "tensor<16xf32>",
           "%a = stablehlo.negate %x : tensor<16xf32>\n"
           "%b = stablehlo.custom_call @f(%a, %a) "
           "{output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
           "operand_index = 0, operand_tuple_indices = []>]} : (tensor<16xf32>, tensor<16xf32>) -> "
           "tensor<16xf32>\n"
           "return %b : tensor<16xf32>"));
  const tn_plan_step_t* step = step_of(p, "f");
  assert_int_equal(step->operands[0], step->results[0]);
  assert_int_not_equal(step->operands[1], step->results[0]);
}

static void aliases_reach_into_tuples(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<16xf32>, %y: tensor<8xf32>", "tensor<8xf32>",
           "%a = stablehlo.negate %y : tensor<8xf32>\n"
           "%t = stablehlo.tuple %x, %a : tuple<tensor<16xf32>, tensor<8xf32>>\n"
           "%b = stablehlo.custom_call @f(%t) "
           "{output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], "
           "operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<16xf32>, "
           "tensor<8xf32>>) -> tuple<tensor<4xf32>, tensor<8xf32>>\n"
           "%c = stablehlo.get_tuple_element %b[1] : (tuple<tensor<4xf32>, tensor<8xf32>>) -> "
           "tensor<8xf32>\n"
           "return %c : tensor<8xf32>"));
  const tn_plan_step_t* step = step_of(p, "f");
  assert_int_equal(step->operand_count, 2);
  assert_int_equal(step->operands[1], step->results[1]);
  assert_int_equal(copies(p), 0);
}

// --- loops

#define COUNT_TO_TEN                                                                    \
  "cond {\n"                                                                            \
  "  %ten = stablehlo.constant dense<10> : tensor<i32>\n"                               \
  "  %go = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "  stablehlo.return %go : tensor<i1>\n"                                               \
  "} do {\n"                                                                            \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"                                \
  "  %next = stablehlo.add %i, %one : tensor<i32>\n"
#define ZERO "%zero = stablehlo.constant dense<0> : tensor<i32>\n"

static void carries_stay_in_their_places(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: tensor<64xf32>", "tensor<64xf32>",
      ZERO
      "%r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64xf32>\n" COUNT_TO_TEN
      "  %b = stablehlo.tanh %a : tensor<64xf32>\n"
      "  stablehlo.return %next, %b : tensor<i32>, tensor<64xf32>\n"
      "}\n"
      "return %r#1 : tensor<64xf32>"));
  const tn_plan_step_t* loop = step_of(p, "while");
  for (size_t i = 0; i < 2; ++i) {
    assert_int_equal(loop->blocks[0].arguments[i], loop->results[i]);
    assert_int_equal(loop->blocks[1].arguments[i], loop->results[i]);
    assert_int_equal(loop->blocks[1].results[i], loop->results[i]);
  }
  // The parameter is copied to the result once, and everything happens there.
  assert_int_equal(tn__testing_plan_copies(&loop->blocks[1], p, NULL), 0);
  assert_int_equal(p->buffers[loop->results[1]].kind, TN_PLAN_RESULT);
}

static void operand_that_dies_becomes_the_carry(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<64xf32>", "tensor<i32>",
           ZERO
           "%y = stablehlo.negate %x : tensor<64xf32>\n"
           "%z = stablehlo.negate %zero : tensor<i32>\n"
           "%r:2 = stablehlo.while(%i = %z, %a = %y) : tensor<i32>, tensor<64xf32>\n" COUNT_TO_TEN
           "  %b = stablehlo.tanh %a : tensor<64xf32>\n"
           "  stablehlo.return %next, %b : tensor<i32>, tensor<64xf32>\n"
           "}\n"
           "return %r#0 : tensor<i32>"));
  assert_int_equal(copies(p), 0);
  assert_int_equal(step_of(p, "negate")->results[0], step_of(p, "while")->results[1]);
}

static void one_value_for_two_carries_is_copied(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<64xf32>", "tensor<64xf32>, tensor<64xf32>",
           ZERO "%y = stablehlo.negate %x : tensor<64xf32>\n"
                "%r:3 = stablehlo.while(%i = %zero, %a = %y, %b = %y) : tensor<i32>, "
                "tensor<64xf32>, tensor<64xf32>\n" COUNT_TO_TEN
                "  %c = stablehlo.tanh %a : tensor<64xf32>\n"
                "  %d = stablehlo.negate %b : tensor<64xf32>\n"
                "  stablehlo.return %next, %c, %d : tensor<i32>, tensor<64xf32>, tensor<64xf32>\n"
                "}\n"
                "return %r#1, %r#2 : tensor<64xf32>, tensor<64xf32>"));
  const tn_plan_step_t* loop = step_of(p, "while");
  assert_int_not_equal(loop->results[1], loop->results[2]);
  assert_int_equal(tn__testing_plan_copies(&loop->blocks[1], p, NULL), 0);
}

static void carries_that_exchange_places_need_one_temporary(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<64xf32>, %y: tensor<64xf32>", "tensor<64xf32>, tensor<64xf32>",
           ZERO "%r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, "
                "tensor<64xf32>, tensor<64xf32>\n" COUNT_TO_TEN
                "  stablehlo.return %next, %b, %a : tensor<i32>, tensor<64xf32>, tensor<64xf32>\n"
                "}\n"
                "return %r#1, %r#2 : tensor<64xf32>, tensor<64xf32>"));
  assert_int_equal(tn__testing_plan_copies(&step_of(p, "while")->blocks[1], p, NULL), 3);
}

static void carries_that_move_up_need_no_temporary(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>", "tensor<64xf32>",
                ZERO "%r:4 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %c = %z) : tensor<i32>, "
                     "tensor<64xf32>, tensor<64xf32>, tensor<64xf32>\n" COUNT_TO_TEN
                     "  %d = stablehlo.add %a, %c : tensor<64xf32>\n"
                     "  stablehlo.return %next, %b, %c, %d : tensor<i32>, tensor<64xf32>, "
                     "tensor<64xf32>, tensor<64xf32>\n"
                     "}\n"
                     "return %r#1 : tensor<64xf32>"));
  // b to a, c to b, and d from where it had to wait for c.
  size_t bytes = 0;
  assert_int_equal(tn__testing_plan_copies(&step_of(p, "while")->blocks[1], p, &bytes), 3);
  assert_int_equal(bytes, 3 * 64 * 4);
}

static void scan_updates_its_carry_in_place(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<1000x8xf32>", "tensor<1000x8xf32>",
           ZERO
           "%r:2 = stablehlo.while(%i = %zero, %all = %x) : tensor<i32>, "
           "tensor<1000x8xf32>\n" COUNT_TO_TEN
           "  %row = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 8] : (tensor<1000x8xf32>, "
           "tensor<i32>, tensor<i32>) -> tensor<1x8xf32>\n"
           "  %new = stablehlo.tanh %row : tensor<1x8xf32>\n"
           "  %updated = stablehlo.dynamic_update_slice %all, %new, %i, %zero : "
           "(tensor<1000x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1000x8xf32>\n"
           "  stablehlo.return %next, %updated : tensor<i32>, tensor<1000x8xf32>\n"
           "}\n"
           "return %r#1 : tensor<1000x8xf32>"));
  const tn_plan_step_t* loop = step_of(p, "while");
  const tn_plan_step_t* update = step_of(p, "dynamic_update_slice");
  // The counter's next value had to wait for its last use.
  size_t bytes = 0;
  tn__testing_plan_copies(&loop->blocks[1], p, &bytes);
  assert_int_equal(bytes, sizeof(int32_t));
  assert_int_equal(update->operands[0], update->results[0]);
  assert_int_equal(update->results[0], loop->results[1]);
  // What the body touches besides: a row and the counter.
  assert_true(p->arena_byte_size <= 256);
}

static void a_small_temporary_is_not_in_the_way_of_the_next_value_of_a_carry(void** state) {
  (void)state;
  const tn_plan_t* p = plan_of(
      MAIN("%x: tensor<64xf32>, %y: tensor<64xf32>", "tensor<64xf32>, tensor<64xf32>",
           ZERO
           "%r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %x) : tensor<i32>, tensor<64xf32>, "
           "tensor<64xf32>\n" COUNT_TO_TEN "  %half = stablehlo.multiply %a, %y : tensor<64xf32>\n"
           "  %new = stablehlo.add %half, %y : tensor<64xf32>\n"
           "  %t = stablehlo.tanh %a : tensor<64xf32>\n"
           "  %u = stablehlo.multiply %t, %half : tensor<64xf32>\n"
           "  %c = stablehlo.subtract %u, %b : tensor<64xf32>\n"
           "  stablehlo.return %next, %new, %c : tensor<i32>, tensor<64xf32>, tensor<64xf32>\n"
           "}\n"
           "return %r#1, %r#2 : tensor<64xf32>, tensor<64xf32>"),
      TN_TESTING_ALL_PASSES);
  assert_int_equal(tn__testing_plan_copies(&step_of(p, "while")->blocks[1], p, NULL), 0);
}

static void carry_read_after_its_update_is_not_updated_in_place(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: tensor<100xf32>", "tensor<100xf32>",
      ZERO
      "%v = stablehlo.constant dense<1.0> : tensor<1xf32>\n"
      "%r:2 = stablehlo.while(%i = %zero, %all = %x) : tensor<i32>, tensor<100xf32>\n" COUNT_TO_TEN
      "  %updated = stablehlo.dynamic_update_slice %all, %v, %i : (tensor<100xf32>, tensor<1xf32>, "
      "tensor<i32>) -> tensor<100xf32>\n"
      "  %sum = stablehlo.add %updated, %all : tensor<100xf32>\n"
      "  stablehlo.return %next, %sum : tensor<i32>, tensor<100xf32>\n"
      "}\n"
      "return %r#1 : tensor<100xf32>"));
  const tn_plan_step_t* update = step_of(p, "dynamic_update_slice");
  assert_int_not_equal(update->operands[0], update->results[0]);
}

static void carry_that_never_changes_is_read_from_outside(void** state) {
  (void)state;
  static const char text[] =
      MAIN("%x: tensor<64xf32>, %w: tensor<64xf32>", "tensor<64xf32>, tensor<64xf32>",
           ZERO
           "%r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %w) : tensor<i32>, tensor<64xf32>, "
           "tensor<64xf32>\n" COUNT_TO_TEN
           "  %c = stablehlo.add %a, %b : tensor<64xf32>\n"
           "  stablehlo.return %next, %c, %b : tensor<i32>, tensor<64xf32>, tensor<64xf32>\n"
           "}\n"
           "return %r#1, %r#2 : tensor<64xf32>, tensor<64xf32>");
  const tn_plan_t* p = plan_of(text, TN_TESTING_ALL_PASSES);
  const tn_plan_step_t* loop = step_of(p, "while");
  assert_int_equal(loop->operand_count, 2);
  assert_int_equal(p->buffers[step_of(p, "add")->results[0]].kind, TN_PLAN_TEMPORARY);
}

static void captured_value_lives_to_the_end_of_the_loop(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: tensor<64xf32>", "tensor<64xf32>",
      ZERO
      "%k = stablehlo.negate %x : tensor<64xf32>\n"
      "%r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64xf32>\n" COUNT_TO_TEN
      "  %b = stablehlo.add %a, %k : tensor<64xf32>\n"
      "  %c = stablehlo.transpose %b, dims = [0] : (tensor<64xf32>) -> tensor<64xf32>\n"
      "  stablehlo.return %next, %c : tensor<i32>, tensor<64xf32>\n"
      "}\n"
      "return %r#1 : tensor<64xf32>"));
  const tn_plan_step_t* loop = step_of(p, "while");
  const tn_plan_buffer_t* captured = &p->buffers[step_of(p, "negate")->results[0]];
  assert_true(captured->end >= loop->position);
  assert_int_not_equal(step_of(p, "add")->results[0], step_of(p, "negate")->results[0]);
}

static void nested_loops_keep_what_the_outer_one_needs(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: tensor<64xf32>", "tensor<64xf32>",
      ZERO
      "%r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<64xf32>\n" COUNT_TO_TEN
      "  %k = stablehlo.tanh %a : tensor<64xf32>\n"
      "  %s:2 = stablehlo.while(%j = %zero, %b = %a) : tensor<i32>, tensor<64xf32>\n"
      "  cond {\n"
      "    %go2 = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %go2 : tensor<i1>\n"
      "  } do {\n"
      "    %next2 = stablehlo.add %j, %one : tensor<i32>\n"
      "    %c = stablehlo.add %b, %k : tensor<64xf32>\n"
      "    stablehlo.return %next2, %c : tensor<i32>, tensor<64xf32>\n"
      "  }\n"
      "  stablehlo.return %next, %s#1 : tensor<i32>, tensor<64xf32>\n"
      "}\n"
      "return %r#1 : tensor<64xf32>"));
  const tn_plan_step_t* loop = step_of(p, "while");
  const tn_plan_step_t* inner = tn__testing_plan_find(&loop->blocks[1], "while");
  // The outer carry dies as the inner one's first value, so all of it is one place.
  assert_int_equal(inner->results[1], loop->results[1]);
}

// --- branches

static void branches_write_straight_into_the_results(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%p: tensor<i1>, %x: tensor<64xf32>", "tensor<64xf32>",
                                 "%r = \"stablehlo.if\"(%p) ({\n"
                                 "  %a = stablehlo.negate %x : tensor<64xf32>\n"
                                 "  stablehlo.return %a : tensor<64xf32>\n"
                                 "}, {\n"
                                 "  %b = stablehlo.tanh %x : tensor<64xf32>\n"
                                 "  %c = stablehlo.add %b, %x : tensor<64xf32>\n"
                                 "  stablehlo.return %c : tensor<64xf32>\n"
                                 "}) : (tensor<i1>) -> tensor<64xf32>\n"
                                 "return %r : tensor<64xf32>"));
  assert_int_equal(copies(p), 0);
  assert_int_equal(p->arena_byte_size, 0);
  assert_int_equal(step_of(p, "negate")->results[0], step_of(p, "if")->results[0]);
}

static void value_from_outside_is_copied_into_the_result_of_a_branch(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%p: tensor<i1>, %x: tensor<64xf32>", "tensor<64xf32>",
                                 "%r = \"stablehlo.if\"(%p) ({\n"
                                 "  stablehlo.return %x : tensor<64xf32>\n"
                                 "}, {\n"
                                 "  %b = stablehlo.tanh %x : tensor<64xf32>\n"
                                 "  stablehlo.return %b : tensor<64xf32>\n"
                                 "}) : (tensor<i1>) -> tensor<64xf32>\n"
                                 "return %r : tensor<64xf32>"));
  assert_int_equal(copies(p), 1);
}

static void branches_use_the_same_bytes_in_turn(void** state) {
  (void)state;
#define TURN(a, b, c)                                                               \
  "  %" a                                                                           \
  " = stablehlo.concatenate %x, dim = 0 : (tensor<64x2xf32>) -> tensor<64x2xf32>\n" \
  "  %" b " = stablehlo.concatenate %" a                                            \
  ", dim = 0 : (tensor<64x2xf32>) -> tensor<64x2xf32>\n"                            \
  "  %" c " = stablehlo.add %" b                                                    \
  ", %x : tensor<64x2xf32>\n"                                                       \
  "  stablehlo.return %" c " : tensor<64x2xf32>\n"
  const tn_plan_t* p = plan(MAIN(
      "%p: tensor<i32>, %x: tensor<64x2xf32>", "tensor<64x2xf32>",
      "%r = \"stablehlo.case\"(%p) ({\n" TURN("a", "b", "c") "}, {\n" TURN(
          "d", "e", "f") "}, {\n" TURN("g", "h", "i") "}) : (tensor<i32>) -> tensor<64x2xf32>\n"
                                                      "return %r : tensor<64x2xf32>"));
  assert_int_equal(p->arena_byte_size, 64 * 2 * 4);
#undef TURN
}

// --- bodies

static void body_of_a_reduction_sees_values_from_outside(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<64xf32>, %y: tensor<f32>", "tensor<f32>",
                                 "%k = stablehlo.tanh %y : tensor<f32>\n"
                                 "%r = stablehlo.reduce(%x init: %y) across dimensions = [0] : "
                                 "(tensor<64xf32>, tensor<f32>) -> tensor<f32>\n"
                                 " reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
                                 "  %c = stablehlo.multiply %b, %k : tensor<f32>\n"
                                 "  %d = stablehlo.add %a, %c : tensor<f32>\n"
                                 "  stablehlo.return %d : tensor<f32>\n"
                                 "}\n"
                                 "return %r : tensor<f32>"));
  const tn_plan_buffer_t* captured = &p->buffers[step_of(p, "tanh")->results[0]];
  assert_true(captured->end >= step_of(p, "reduce")->position);
}

// --- donation

static void donated_argument_is_where_its_result_is_made(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %y: tensor<64xf32>",
                "tensor<64xf32>, tensor<64xf32>",
                "%a = stablehlo.add %x, %y : tensor<64xf32>\n"
                "%b = stablehlo.tanh %y : tensor<64xf32>\n"
                "return %b, %a : tensor<64xf32>, tensor<64xf32>"));
  const tn_plan_step_t* add = step_of(p, "add");
  assert_int_equal(add->operands[0], add->results[0]);
  assert_int_equal(p->buffers[add->results[0]].index, 1);
  assert_int_equal(p->buffers[add->results[0]].parameter, 0);
  assert_int_equal(copies(p), 0);
  assert_int_equal(p->arena_byte_size, 0);
}

static void donated_argument_of_another_size_is_ignored(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<64xf32> {tf.aliasing_output = 0 : i32}", "tensor<i32>",
                                 "%a = stablehlo.constant dense<1> : tensor<i32>\n"
                                 "return %a : tensor<i32>"));
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_PARAMETER), 1);
}

static void two_arguments_do_not_share_one_result(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<64xf32> "
                "{tf.aliasing_output = 0 : i32}",
                "tensor<64xf32>",
                "%a = stablehlo.add %x, %y : tensor<64xf32>\n"
                "return %a : tensor<64xf32>"));
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_PARAMETER), 1);
}

static void donated_arguments_that_exchange_places_are_copied_round(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN("%x: tensor<64xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<64xf32> "
           "{tf.aliasing_output = 1 : i32}",
           "tensor<64xf32>, tensor<64xf32>", "return %y, %x : tensor<64xf32>, tensor<64xf32>"));
  assert_int_equal(copies(p), 3);
}

#define DONORS                                                                               \
  "%x: tensor<8x8xf32> {jax.buffer_donor = true}, %y: tensor<64xf32> {tf.aliasing_output = " \
  "1 : i32}, %z: tensor<64xf32> {jax.buffer_donor = true}, %n: tensor<64xf32> "              \
  "{jax.buffer_donor = false}, %w: tensor<2xf32> {jax.buffer_donor = true}"

static void an_argument_that_names_no_result_goes_to_the_first_free_one_of_its_size(void** state) {
  (void)state;
  const tn_plan_t* p = plan(
      MAIN(DONORS, "tensor<i32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>",
           "%k = stablehlo.constant dense<1> : tensor<i32>\n"
           "%a = stablehlo.reshape %x : (tensor<8x8xf32>) -> tensor<64xf32>\n"
           "%b = stablehlo.tanh %a : tensor<64xf32>\n"
           "%c = stablehlo.tanh %y : tensor<64xf32>\n"
           "%d = stablehlo.tanh %z : tensor<64xf32>\n"
           "%e = stablehlo.tanh %n : tensor<64xf32>\n"
           "return %k, %c, %b, %d, %e : tensor<i32>, tensor<64xf32>, tensor<64xf32>, "
           "tensor<64xf32>, tensor<64xf32>"));
  static const int64_t ancestors[] = {TN_PLAN_NONE, 1, 0, 2, TN_PLAN_NONE};
  for (size_t i = 0; i < p->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &p->buffers[i];
    if (buffer->kind == TN_PLAN_RESULT) {
      assert_int_equal(buffer->parameter, ancestors[buffer->index]);
    }
  }
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_PARAMETER), 2);
  assert_int_equal(p->arena_byte_size, 0);
}

// The first result is written while %x is needed; the second is the last to need it.
static void an_argument_goes_to_a_result_that_needs_no_copy(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<64xf32> {jax.buffer_donor = true}", "tensor<64xf32>, tensor<64xf32>",
                "%a = stablehlo.tanh %x : tensor<64xf32>\n"
                "%b = stablehlo.reverse %x, dims = [0] : tensor<64xf32>\n"
                "%c = stablehlo.negate %b : tensor<64xf32>\n"
                "return %a, %c : tensor<64xf32>, tensor<64xf32>"));
  assert_int_equal(copies(p), 0);
  for (size_t i = 0; i < p->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &p->buffers[i];
    if (buffer->kind != TN_PLAN_RESULT) continue;
    assert_int_equal(buffer->parameter, buffer->index == 1 ? 0 : TN_PLAN_NONE);
  }
}

static void an_argument_that_no_result_can_take_over_has_no_donation_target(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN("%x: tensor<64xf32> {jax.buffer_donor = true}", "tensor<64xf32>",
                                 "%a = stablehlo.reverse %x, dims = [0] : tensor<64xf32>\n"
                                 "return %a : tensor<64xf32>"));
  assert_int_equal(copies(p), 0);
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_PARAMETER), 1);
}

static void aliasing_of_a_result_that_is_not_there_is_refused(void** state) {
  (void)state;
  TN_ASSERT_REPORT("tf.aliasing_output is 7; the function has 1 results",
                   tn__testing_plan_create(MAIN("%x: tensor<4xf32> {tf.aliasing_output = 7 : i32}",
                                                "tensor<4xf32>", "return %x : tensor<4xf32>"),
                                           TN_TESTING_ALL_PASSES, &made));
}

// --- size

static void temporaries_beyond_the_address_space_are_refused(void** state) {
  (void)state;
  TN_ASSERT_CODE(
      RESOURCE_EXHAUSTED,
      tn__testing_plan_create(
          MAIN("%x: tensor<f32>", "tensor<f32>",
               "%a = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> "
               "tensor<2305843009213693951xf32>\n"
               "%b = stablehlo.negate %a : tensor<2305843009213693951xf32>\n"
               "%c = stablehlo.reverse %a, dims = [0] : tensor<2305843009213693951xf32>\n"
               "%d = stablehlo.add %b, %c : tensor<2305843009213693951xf32>\n"
               "%e = stablehlo.slice %d [0:1:1] : (tensor<2305843009213693951xf32>) -> "
               "tensor<1xf32>\n"
               "%f = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>\n"
               "return %f : tensor<f32>"),
          TN_TESTING_NEEDED_PASSES, &made));
}

// --- views

#define BIG "tensor<64x128xf32>"
#define TRANSPOSE(y, x)              \
  "%" y " = stablehlo.transpose %" x \
  ", dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>\n"
#define SORT(y, x, type)                                                             \
  "%" y " = \"stablehlo.sort\"(%" x                                                  \
  ") <{dimension = 1 : i64}> ({\n"                                                   \
  "^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"                                        \
  "  %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n" \
  "  stablehlo.return %l : tensor<i1>\n"                                             \
  "}) : (" type ") -> " type "\n"

static void view_of_operand(const tn_plan_step_t* step, size_t operand, int64_t byte_offset,
                            size_t rank, const int64_t* strides) {
  assert_non_null(step->site.views);
  const tn_view_t* view = &step->site.views[operand];
  assert_int_equal(view->byte_offset, byte_offset);
  if (!strides) {
    assert_null(view->strides);
    return;
  }
  assert_non_null(view->strides);
  assert_memory_equal(view->strides, strides, rank * sizeof *strides);
}

static void a_view_that_every_reader_takes_is_no_step(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan_of(MAIN("%x: " BIG ", %b: tensor<128xf32>, %s: tensor<f32>", BIG,
                   "%r = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> " BIG "\n"
                   "%t = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> " BIG "\n"
                   "%a = stablehlo.add %x, %r : " BIG "\n"
                   "%c = stablehlo.multiply %a, %t : " BIG "\n"
                   "return %c : " BIG),
              TN_TESTING_ALL_PASSES);
  assert_int_equal(p->block.step_count, 1);
  assert_int_equal(tn__testing_plan_count(p, TN_PLAN_TEMPORARY), 0);
  view_of_operand(&p->block.steps[0], 1, 0, 2, (const int64_t[]){0, 4});
  view_of_operand(&p->block.steps[0], 2, 0, 2, (const int64_t[]){0, 0});
}

static void a_view_is_stored_for_a_reader_that_needs_it_dense(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: " BIG, "tensor<128x64xf32>",
      TRANSPOSE("t", "x") SORT("s", "t", "tensor<128x64xf32>") "return %s : tensor<128x64xf32>"));
  assert_int_equal(p->block.step_count, 2);
  const tn_plan_step_t* step = step_of(p, "transpose");
  assert_non_null(step->reader);
  assert_ptr_equal(step->reader->op, TN__OP(sort));
  assert_null(step->site.views);
}

static void views_of_views_are_views_of_the_root(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: " BIG, "tensor<2x8x32xf32>",
      TRANSPOSE("t", "x") "%s = stablehlo.slice %t [64:128:2, 16:32] : (tensor<128x64xf32>) -> "
                          "tensor<32x16xf32>\n"
                          "%r = stablehlo.reshape %s : (tensor<32x16xf32>) -> tensor<32x2x8xf32>\n"
                          "%v = stablehlo.reverse %r, dims = [2] : tensor<32x2x8xf32>\n"
                          "%u = stablehlo.transpose %v, dims = [1, 2, 0] : (tensor<32x2x8xf32>) -> "
                          "tensor<2x8x32xf32>\n"
                          "return %u : tensor<2x8x32xf32>"));
  assert_int_equal(p->block.step_count, 1);
  const tn_plan_step_t* step = &p->block.steps[0];
  assert_ptr_equal(step->node->op, TN__OP(transpose));
  assert_int_equal(p->buffers[step->operands[0]].kind, TN_PLAN_PARAMETER);
  view_of_operand(step, 0, 4 * 64 + 512 * (16 + 7), 3, (const int64_t[]){8, 512 * 8, -512});
}

static void a_part_that_is_dense_is_read_by_anybody(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: " BIG, "tensor<16x128xf32>",
                "%a = stablehlo.slice %x [32:48, 0:128] : (" BIG ") -> tensor<16x128xf32>\n" SORT(
                    "s", "a", "tensor<16x128xf32>") "return %s : tensor<16x128xf32>"));
  assert_int_equal(p->block.step_count, 1);
  view_of_operand(&p->block.steps[0], 0, 32 * 128 * 4, 2, NULL);
}

// The sum could be in the place of %a, which dies there, but for the elements that %r reads later.
static void what_is_read_by_a_view_is_not_overwritten(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: " BIG, BIG,
                "%a = stablehlo.negate %x : " BIG "\n"
                "%r = stablehlo.slice %a [0:32, 0:128] : (" BIG ") -> tensor<32x128xf32>\n"
                "%i = stablehlo.constant dense<16> : tensor<i32>\n"
                "%j = stablehlo.constant dense<0> : tensor<i32>\n"
                "%u = stablehlo.dynamic_update_slice %a, %r, %i, %j : (" BIG
                ", tensor<32x128xf32>, tensor<i32>, tensor<i32>) -> " BIG "\n"
                "return %u : " BIG));
  const tn_plan_step_t* step = step_of(p, "dynamic_update_slice");
  assert_int_equal(step->operands[0], step->operands[1]);
  assert_int_not_equal(step->results[0], step->operands[0]);
}

static void a_small_view_does_not_keep_a_large_temporary(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: " BIG, "tensor<1x128xf32>",
                "%a = stablehlo.negate %x : " BIG "\n"
                "%r = stablehlo.slice %a [7:8, 0:128] : (" BIG ") -> tensor<1x128xf32>\n"
                "%b = stablehlo.concatenate %x, dim = 0 : (" BIG ") -> " BIG "\n"
                "%c = stablehlo.slice %b [9:10, 0:128] : (" BIG ") -> tensor<1x128xf32>\n"
                "%s = stablehlo.add %r, %c : tensor<1x128xf32>\n"
                "return %s : tensor<1x128xf32>"));
  assert_non_null(step_of(p, "slice")->reader);
  assert_true(p->arena_byte_size < 2 * 64 * 128 * 4);
}

#define LAYOUTS                                                                        \
  "{operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, " \
  "1]> : tensor<2xindex>]} : (tensor<128x64xf32>) -> tensor<128x64xf32>\n"

static void a_view_that_has_the_layout_of_a_call_is_handed_over(void** state) {
  (void)state;
  const tn_plan_t* p = plan(MAIN(
      "%x: " BIG, BIG,
      TRANSPOSE(
          "t", "x") "%c = stablehlo.custom_call @f(%t) " LAYOUTS
                    "%r = stablehlo.transpose %c, dims = [1, 0] : (tensor<128x64xf32>) -> " BIG "\n"
                    "return %r : " BIG));
  // %r has its elements in the order in which the call gives them: nothing moves.
  assert_int_equal(p->block.step_count, 1);
  view_of_operand(&p->block.steps[0], 0, 0, 2, (const int64_t[]){4, 512});
  assert_int_equal(p->buffers[p->block.steps[0].operands[0]].kind, TN_PLAN_PARAMETER);
  assert_int_equal(p->buffers[p->block.steps[0].results[0]].kind, TN_PLAN_RESULT);
}

static void other_arrays_are_stored_in_the_layout_of_a_call(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: tensor<128x64xf32>", "tensor<128x64xf32>",
                "%c = stablehlo.custom_call @f(%x) " LAYOUTS "return %c : tensor<128x64xf32>"));
  assert_int_equal(p->block.step_count, 3);  // there, the call, and back
  const tn_plan_step_t* call = &p->block.steps[1];
  view_of_operand(call, 0, 0, 2, (const int64_t[]){4, 512});
  assert_int_equal(call->operands[0], p->block.steps[0].results[0]);
  assert_int_equal(p->block.steps[2].operands[0], call->results[0]);
}

// What is split is read where it is, since all of it is needed.
static void the_parts_of_a_temporary_are_read_where_they_are(void** state) {
  (void)state;
  const tn_plan_t* p =
      plan(MAIN("%x: " BIG, "tensor<32x128xf32>",
                "%a = stablehlo.negate %x : " BIG "\n"
                "%r = stablehlo.slice %a [0:32, 0:128] : (" BIG ") -> tensor<32x128xf32>\n"
                "%c = stablehlo.slice %a [32:64, 0:128] : (" BIG ") -> tensor<32x128xf32>\n"
                "%s = stablehlo.add %r, %c : tensor<32x128xf32>\n"
                "return %s : tensor<32x128xf32>"));
  assert_int_equal(p->block.step_count, 2);
}

static void what_a_loop_reads_again_and_again_is_stored_before_it(void** state) {
  (void)state;
  const tn_plan_t* p = plan_of(
      MAIN("%x: " BIG ", %y: tensor<128x64xf32>, %n: tensor<i32>", "tensor<128x64xf32>",
           TRANSPOSE(
               "t",
               "x") "%r:2 = stablehlo.while(%i = %n, %c = %y) : tensor<i32>, tensor<128x64xf32>\n"
                    "cond {\n"
                    "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
                    "  %l = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> "
                    "tensor<i1>\n"
                    "  stablehlo.return %l : tensor<i1>\n"
                    "} do {\n"
                    "  %o = stablehlo.constant dense<1> : tensor<i32>\n"
                    "  %d = stablehlo.subtract %i, %o : tensor<i32>\n"
                    "  %u = stablehlo.transpose %t, dims = [1, 0] : (tensor<128x64xf32>) -> " BIG
                    "\n" SORT("v", "u",
                              BIG) "  %w = stablehlo.transpose %v, dims = [1, 0] : (" BIG
                                   ") -> tensor<128x64xf32>\n"
                                   "  %e = stablehlo.add %c, %t : tensor<128x64xf32>\n"
                                   "  %f = stablehlo.add %e, %w : tensor<128x64xf32>\n"
                                   "  stablehlo.return %d, %f : tensor<i32>, tensor<128x64xf32>\n"
                                   "}\n"
                                   "return %r#1 : tensor<128x64xf32>"),
      TN_TESTING_ALL_PASSES);
  assert_ptr_equal(p->block.steps[0].node->op, TN__OP(transpose));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(a_view_that_every_reader_takes_is_no_step, release),
      cmocka_unit_test_teardown(a_view_is_stored_for_a_reader_that_needs_it_dense, release),
      cmocka_unit_test_teardown(views_of_views_are_views_of_the_root, release),
      cmocka_unit_test_teardown(a_part_that_is_dense_is_read_by_anybody, release),
      cmocka_unit_test_teardown(what_is_read_by_a_view_is_not_overwritten, release),
      cmocka_unit_test_teardown(a_small_view_does_not_keep_a_large_temporary, release),
      cmocka_unit_test_teardown(a_view_that_has_the_layout_of_a_call_is_handed_over, release),
      cmocka_unit_test_teardown(other_arrays_are_stored_in_the_layout_of_a_call, release),
      cmocka_unit_test_teardown(the_parts_of_a_temporary_are_read_where_they_are, release),
      cmocka_unit_test_teardown(what_a_loop_reads_again_and_again_is_stored_before_it, release),
      cmocka_unit_test_teardown(plan_reuses_buffer_after_last_use, release),
      cmocka_unit_test_teardown(chain_of_elementwise_operations_lies_in_the_result, release),
      cmocka_unit_test_teardown(chain_inside_works_in_place, release),
      cmocka_unit_test_teardown(operand_that_lives_on_is_not_overwritten, release),
      cmocka_unit_test_teardown(tuples_cost_nothing, release),
      cmocka_unit_test_teardown(reshapes_and_barriers_are_no_steps, release),
      cmocka_unit_test_teardown(reshaped_result_has_the_type_that_is_returned, release),
      cmocka_unit_test_teardown(arrays_without_elements_take_no_bytes, release),
      cmocka_unit_test_teardown(dynamic_dimension_is_refused_with_its_place, release),
      cmocka_unit_test_teardown(parameter_returned_twice_is_copied_twice, release),
      cmocka_unit_test_teardown(constant_result_is_copied, release),
      cmocka_unit_test_teardown(value_returned_twice_is_computed_in_place_and_copied_once, release),
      cmocka_unit_test_teardown(what_is_read_beside_an_argument_is_computed_where_the_result_goes,
                                release),
      cmocka_unit_test_teardown(tuple_result_has_a_buffer_for_each_leaf, release),
      cmocka_unit_test_teardown(unread_results_of_custom_calls_are_temporaries, release),
      cmocka_unit_test_teardown(aliased_result_shares_storage_with_dying_operand, release),
      cmocka_unit_test_teardown(aliased_operand_that_lives_on_is_copied_first, release),
      cmocka_unit_test_teardown(aliased_parameter_is_copied_first, release),
      cmocka_unit_test_teardown(operand_given_twice_is_copied_for_its_alias, release),
      cmocka_unit_test_teardown(aliases_reach_into_tuples, release),
      cmocka_unit_test_teardown(carries_stay_in_their_places, release),
      cmocka_unit_test_teardown(operand_that_dies_becomes_the_carry, release),
      cmocka_unit_test_teardown(one_value_for_two_carries_is_copied, release),
      cmocka_unit_test_teardown(carries_that_exchange_places_need_one_temporary, release),
      cmocka_unit_test_teardown(carries_that_move_up_need_no_temporary, release),
      cmocka_unit_test_teardown(scan_updates_its_carry_in_place, release),
      cmocka_unit_test_teardown(a_small_temporary_is_not_in_the_way_of_the_next_value_of_a_carry,
                                release),
      cmocka_unit_test_teardown(carry_read_after_its_update_is_not_updated_in_place, release),
      cmocka_unit_test_teardown(carry_that_never_changes_is_read_from_outside, release),
      cmocka_unit_test_teardown(captured_value_lives_to_the_end_of_the_loop, release),
      cmocka_unit_test_teardown(nested_loops_keep_what_the_outer_one_needs, release),
      cmocka_unit_test_teardown(branches_write_straight_into_the_results, release),
      cmocka_unit_test_teardown(value_from_outside_is_copied_into_the_result_of_a_branch, release),
      cmocka_unit_test_teardown(branches_use_the_same_bytes_in_turn, release),
      cmocka_unit_test_teardown(body_of_a_reduction_sees_values_from_outside, release),
      cmocka_unit_test_teardown(donated_argument_is_where_its_result_is_made, release),
      cmocka_unit_test_teardown(donated_argument_of_another_size_is_ignored, release),
      cmocka_unit_test_teardown(two_arguments_do_not_share_one_result, release),
      cmocka_unit_test_teardown(donated_arguments_that_exchange_places_are_copied_round, release),
      cmocka_unit_test_teardown(
          an_argument_that_names_no_result_goes_to_the_first_free_one_of_its_size, release),
      cmocka_unit_test_teardown(an_argument_goes_to_a_result_that_needs_no_copy, release),
      cmocka_unit_test_teardown(an_argument_that_no_result_can_take_over_has_no_donation_target,
                                release),
      cmocka_unit_test_teardown(aliasing_of_a_result_that_is_not_there_is_refused, release),
      cmocka_unit_test_teardown(temporaries_beyond_the_address_space_are_refused, release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
