// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "pass/pass.h"

#include "kernel/target.h"
#include "pass/testing_pass.h"

#define MAIN(arguments, results, body) \
  "func.func @main(" arguments ") -> (" results ") {\n" body "\n}\n"
#define T "tensor<4xf32>"
#define EMPTY "tensor<0xf32>"
#define RETURN(values, types) "return " values " : " types

static const tn_pass_t* pass_named(const char* name) {
  for (size_t i = 0; i < tn__pass_count(); ++i) {
    if (strcmp(tn__pass_at(i)->name, name) == 0) return tn__pass_at(i);
  }
  fail_msg("there is no pass %s", name);
  return NULL;
}

// The entry after one pass, as it finds modules behind the first; the module is still one that the
// verifier takes.
static const tn_function_t* after(const char* pass, const char* text) {
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(pass_named("resolve-calls")->run(rewritten, entry));
  TN_ASSERT_OK(pass_named(pass)->run(rewritten, entry));
  TN_ASSERT_OK(tn__module_verify(rewritten));
  return entry;
}

static const tn_function_t* after_all(const char* text) {
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(
      tn__pass_run(rewritten, entry,
                   &(tn_pass_options_t){.target = &tn__compile_target_host, .keep_all = false}));
  TN_ASSERT_OK(tn__module_verify(rewritten));
  return entry;
}

static size_t count(const tn_function_t* function, const char* op) {
  return count_in(function->body, op);
}

static const tn_node_t* find(const tn_function_t* function, const char* op) {
  TN_FOR_EACH_NODE (node, function->body) {
    if (strcmp(tn__op_short_name(node->op), op) == 0) return node;
  }
  fail_msg("no %s is left", op);
  return NULL;
}

static const tn_value_t* returned(const tn_function_t* function, uint32_t index) {
  return function->body->last->operands[index];
}

// --- the list

static void every_pass_has_a_name_and_says_what_it_does(void** state) {
  (void)state;
  for (size_t i = 0; i < tn__pass_count(); ++i) {
    assert_true(strlen(tn__pass_at(i)->name) > 0 && strlen(tn__pass_at(i)->doc) > 0);
    for (size_t k = 0; k < i; ++k) {
      assert_string_not_equal(tn__pass_at(i)->name, tn__pass_at(k)->name);
    }
  }
  assert_null(tn__pass_at(tn__pass_count()));
}

static void keep_all_leaves_the_program_as_it_was_written(void** state) {
  (void)state;
  tn_function_t* entry = clone_of(MAIN("%x: " T, T,
                                       "%a = stablehlo.negate %x : " T "\n"
                                       "%b = stablehlo.negate %x : " T "\n"
                                       "%c = stablehlo.convert %b : " T "\n" RETURN("%c", T)));
  TN_ASSERT_OK(
      tn__pass_run(rewritten, entry,
                   &(tn_pass_options_t){.target = &tn__compile_target_host, .keep_all = true}));
  assert_int_equal(count(entry, "negate"), 2);
  assert_int_equal(count(entry, "convert"), 1);
}

static void valid_modules_stay_valid_when_they_are_to(void** state) {
  (void)state;
  static const char text[] =
      MAIN("%x: tensor<64x8xf32>, %z: tensor<f32>", "tensor<64xf32>",
           "%0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : "
           "(tensor<64x8xf32>, tensor<f32>) -> tensor<64xf32>\n"
           "reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
           "%1 = stablehlo.add %a, %b : tensor<f32>\n"
           "%2 = stablehlo.tanh %1 : tensor<f32>\n"
           "stablehlo.return %2 : tensor<f32>\n}\n" RETURN("%0", "tensor<64xf32>"));
  tn_function_t* entry = clone_of(text);
  TN_ASSERT_OK(
      tn__pass_run(rewritten, entry,
                   &(tn_pass_options_t){.target = &tn__compile_target_host, .keep_valid = true}));
  TN_ASSERT_OK(tn__module_verify(rewritten));
  release(NULL);
  entry = clone_of(text);
  TN_ASSERT_OK(
      tn__pass_run(rewritten, entry,
                   &(tn_pass_options_t){.target = &tn__compile_target_host, .keep_valid = false}));
  tn_status_t status = tn__module_verify(rewritten);  // it is the widened body that is not
  assert_non_null(status);
  tn_status_release(status);
}

// --- simplify

static void what_changes_nothing_gives_way_to_its_operand(void** state) {
  (void)state;
  static const char* const operations[] = {
      "stablehlo.convert %x : " T,
      "stablehlo.reshape %x : (" T ") -> " T,
      "stablehlo.bitcast_convert %x : (" T ") -> " T,
      "stablehlo.slice %x [0:4:1] : (" T ") -> " T,
      "stablehlo.dynamic_slice %x, %i, sizes = [4] : (" T ", tensor<i32>) -> " T,
      "stablehlo.concatenate %x, dim = 0 : (" T ") -> " T,
      "stablehlo.concatenate %e, %x, %e, dim = 0 : (" EMPTY ", " T ", " EMPTY ") -> " T,
      "stablehlo.transpose %x, dims = [0] : (" T ") -> " T,
      "stablehlo.broadcast_in_dim %x, dims = [0] : (" T ") -> " T,
      "stablehlo.custom_call @Sharding(%x) : (" T ") -> " T,
  };
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    char text[512];
    snprintf(text, sizeof text,
             MAIN("%%x: " T ", %%i: tensor<i32>, %%e: " EMPTY, T, "%%y = %s\n" RETURN("%%y", T)),
             operations[i]);
    const tn_function_t* entry = after("simplify", text);
    if (returned(entry, 0) != &entry->body->arguments[0]) fail_msg("%s stays", operations[i]);
    release(NULL);
  }
}

static void conversions_that_round_stay(void** state) {
  (void)state;
  const tn_function_t* entry = after_all(
      MAIN("%x: tensor<4xf32>", T,
           "%a = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>\n"
           "%b = stablehlo.convert %a : (tensor<4xbf16>) -> tensor<4xf32>\n" RETURN("%b", T)));
  assert_int_equal(count(entry, "convert"), 2);
}

static void arithmetic_with_zero_and_one_is_left_alone(void** state) {
  (void)state;
  // x + 0 is not x for -0, x * 1 not for a signalling NaN, x * 0 not for NaN and infinity, x - x
  // not 0 either.
  const tn_function_t* entry = after_all(MAIN("%x: " T, T ", " T ", " T ", " T,
                                              "%zero = stablehlo.constant dense<0.0> : " T "\n"
                                              "%one = stablehlo.constant dense<1.0> : " T "\n"
                                              "%a = stablehlo.add %x, %zero : " T "\n"
                                              "%b = stablehlo.multiply %x, %one : " T "\n"
                                              "%c = stablehlo.multiply %x, %zero : " T "\n"
                                              "%d = stablehlo.subtract %x, %x : " T "\n" RETURN(
                                                  "%a, %b, %c, %d", T ", " T ", " T ", " T)));
  assert_int_equal(count(entry, "add"), 1);
  assert_int_equal(count(entry, "multiply"), 2);
  assert_int_equal(count(entry, "subtract"), 1);
}

static void two_negations_stay(void** state) {
  (void)state;
  const tn_function_t* entry = after_all(
      MAIN("%x: " T, T,
           "%a = stablehlo.negate %x : " T "\n%b = stablehlo.negate %a : " T "\n" RETURN("%b", T)));
  assert_int_equal(count(entry, "negate"), 2);
}

static void moves_of_dimensions_of_size_one_become_reshapes(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "simplify",
      MAIN("%x: tensor<4x1x3xf32>", "tensor<1x4x3xf32>, tensor<1x4x1x3x1xf32>",
           "%a = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<4x1x3xf32>) -> "
           "tensor<1x4x3xf32>\n"
           "%b = stablehlo.broadcast_in_dim %x, dims = [1, 2, 3] : (tensor<4x1x3xf32>) -> "
           "tensor<1x4x1x3x1xf32>\n" RETURN("%a, %b", "tensor<1x4x3xf32>, tensor<1x4x1x3x1xf32>")));
  assert_int_equal(count(entry, "reshape"), 2);
}

static void real_transposes_and_broadcasts_stay(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "simplify",
      MAIN("%x: tensor<4x3xf32>, %y: tensor<1x3xf32>", "tensor<3x4xf32>, tensor<2x3xf32>",
           "%a = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>\n"
           "%b = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<1x3xf32>) -> "
           "tensor<2x3xf32>\n" RETURN("%a, %b", "tensor<3x4xf32>, tensor<2x3xf32>")));
  assert_int_equal(count(entry, "transpose"), 1);
  assert_int_equal(count(entry, "broadcast_in_dim"), 1);
}

static void tuple_that_is_only_taken_apart_goes(void** state) {
  (void)state;
  const tn_function_t* entry = after_all(MAIN("%x: " T ", %y: " T, T,
                                              "%t = stablehlo.tuple %x, %y : tuple<" T ", " T ">\n"
                                              "%a = stablehlo.get_tuple_element %t[1] : (tuple<" T
                                              ", " T ">) -> " T "\n" RETURN("%a", T)));
  assert_int_equal(count(entry, "tuple"), 0);
  assert_ptr_equal(returned(entry, 0), &entry->body->arguments[1]);
}

#define SUM_OF(input, to)                                                                      \
  "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"                                         \
  "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (" input \
  ", tensor<f32>) -> " to "\n"

static void reductions_of_single_elements_are_their_operation(void** state) {
  (void)state;
  const tn_function_t* entry = after("simplify", MAIN("%x: tensor<4x1x3xf32>", "tensor<4x3xf32>",
                                                      SUM_OF("tensor<4x1x3xf32>", "tensor<4x3xf32>")
                                                          RETURN("%r", "tensor<4x3xf32>")));
  assert_int_equal(count(entry, "reduce"), 0);
  const tn_node_t* sum = returned(entry, 0)->node;
  assert_ptr_equal(sum->op, TN__OP(add));
  assert_ptr_equal(sum->operands[0]->node->op, TN__OP(broadcast_in_dim));  // the initial value
  assert_ptr_equal(sum->operands[1]->node->op, TN__OP(reshape));
}

static void reductions_of_several_elements_stay(void** state) {
  (void)state;
  const tn_function_t* entry = after("simplify", MAIN("%x: tensor<4x2x3xf32>", "tensor<4x3xf32>",
                                                      SUM_OF("tensor<4x2x3xf32>", "tensor<4x3xf32>")
                                                          RETURN("%r", "tensor<4x3xf32>")));
  assert_int_equal(count(entry, "reduce"), 1);
}

// A comparison's direction is an attribute, which its place outside of the region would lack.
static void reductions_by_comparisons_stay(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("simplify",
            MAIN("%x: tensor<4x1xi1>", "tensor<4xi1>",
                 "%z = stablehlo.constant dense<true> : tensor<i1>\n"
                 "%r = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<4x1xi1>, "
                 "tensor<i1>) -> tensor<4xi1>\n reducer(%a: tensor<i1>, %b: tensor<i1>) {\n"
                 "%c = stablehlo.compare EQ, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>\n"
                 "stablehlo.return %c : tensor<i1>\n}\n" RETURN("%r", "tensor<4xi1>")));
  assert_int_equal(count(entry, "reduce"), 1);
}

#define ARGMAX(order, returned, type)                                                     \
  MAIN("%x: tensor<4x5xf32>", type,                                                       \
       "%i = stablehlo.iota dim = 1 : tensor<4x5xi32>\n"                                  \
       "%a = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"                        \
       "%b = stablehlo.constant dense<0> : tensor<i32>\n"                                 \
       "%r:2 = stablehlo.reduce(%x init: %a), (%i init: %b) across dimensions = [1] : "   \
       "(tensor<4x5xf32>, tensor<4x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, " \
       "tensor<4xi32>)\n"                                                                 \
       "reducer(%m: tensor<f32>, %v: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {\n" \
       "%c = stablehlo.compare GT, %m, %v" order                                          \
       " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"                                    \
       "%d = stablehlo.compare NE, %m, %m : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"   \
       "%e = stablehlo.or %c, %d : tensor<i1>\n"                                          \
       "%f = stablehlo.compare EQ, %m, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"   \
       "%g = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"   \
       "%h = stablehlo.and %f, %g : tensor<i1>\n"                                         \
       "%j = stablehlo.or %e, %h : tensor<i1>\n"                                          \
       "%k = stablehlo.select %e, %m, %v : tensor<i1>, tensor<f32>\n"                     \
       "%l = stablehlo.select %j, %p, %q : tensor<i1>, tensor<i32>\n"                     \
       "stablehlo.return %k, %l : tensor<f32>, tensor<i32>\n}\n" RETURN(returned, type))

static void argmax_is_the_first_place_of_the_maximum(void** state) {
  (void)state;
  const tn_function_t* entry = after("split-argmax", ARGMAX("", "%r#1", "tensor<4xi32>"));
  assert_int_equal(count(entry, "reduce"), 2);
  assert_ptr_equal(returned(entry, 0)->node->op, TN__OP(reduce));
  assert_ptr_equal(returned(entry, 0)->node->regions[0]->first->op, TN__OP(minimum));
}

static void argmax_whose_value_is_used_stays(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("split-argmax", ARGMAX("", "%r#0, %r#1", "tensor<4xf32>, tensor<4xi32>"));
  assert_int_equal(count(entry, "reduce"), 1);
}

// In it NaN is above infinity, and -0 below 0.
static void argmax_by_the_total_order_stays(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("split-argmax", ARGMAX(", TOTALORDER", "%r#1", "tensor<4xi32>"));
  assert_int_equal(count(entry, "reduce"), 1);
}

static void large_splat_becomes_a_broadcast(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("split-splats", MAIN("", "tensor<10000xf32>, tensor<10xf32>",
                                 "%a = stablehlo.constant dense<-0.0> : tensor<10000xf32>\n"
                                 "%b = stablehlo.constant dense<-0.0> : tensor<10xf32>\n" RETURN(
                                     "%a, %b", "tensor<10000xf32>, tensor<10xf32>")));
  assert_ptr_equal(returned(entry, 0)->node->op, TN__OP(broadcast_in_dim));
  assert_ptr_equal(returned(entry, 1)->node->op, TN__OP(constant));
}

static void large_iota_that_elements_read_becomes_a_broadcast(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("simplify", MAIN("", "tensor<50x40xi32>, tensor<50x40xi32>",
                             "%a = stablehlo.iota dim = 1 : tensor<50x40xi32>\n"
                             "%x = stablehlo.negate %a : tensor<50x40xi32>\n"
                             "%b = stablehlo.iota dim = 0 : tensor<50x40xi32>\n" RETURN(
                                 "%x, %b", "tensor<50x40xi32>, tensor<50x40xi32>")));
  assert_ptr_equal(returned(entry, 0)->node->operands[0]->node->op, TN__OP(broadcast_in_dim));
  assert_int_equal(count(entry, "broadcast_in_dim"), 1);
}

// --- constant-folding

static uint32_t bits_of(const tn_value_t* value) {
  const tn_attr_t* attr = tn__attr_find(&value->node->attrs, "value");
  assert_non_null(attr);
  uint32_t bits = 0;
  memcpy(&bits, attr->elements.data, sizeof bits);
  return bits;
}

static void constants_are_computed(void** state) {
  (void)state;
  const tn_function_t* entry =
      after_all(MAIN("", "tensor<f32>",
                     "%a = stablehlo.constant dense<2.0> : tensor<f32>\n"
                     "%b = stablehlo.add %a, %a : tensor<f32>\n"
                     "%c = stablehlo.multiply %b, %b : tensor<f32>\n" RETURN("%c", "tensor<f32>")));
  assert_int_equal(entry->node_count, 2);
  assert_int_equal(bits_of(returned(entry, 0)), 0x41800000);
}

static void folding_keeps_the_sign_of_zero_and_the_bits_of_nan(void** state) {
  (void)state;
  const tn_function_t* entry = after_all(MAIN(
      "", "tensor<f32>, tensor<f32>",
      "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%nan = stablehlo.constant dense<0x7FC12345> : tensor<f32>\n"
      "%a = stablehlo.negate %zero : tensor<f32>\n"
      "%b = stablehlo.negate %nan : tensor<f32>\n" RETURN("%a, %b", "tensor<f32>, tensor<f32>")));
  assert_int_equal(bits_of(returned(entry, 0)), 0x80000000);
  assert_int_equal(bits_of(returned(entry, 1)), 0xFFC12345);
}

static void large_results_are_not_folded(void** state) {
  (void)state;
  const tn_function_t* entry =
      after_all(MAIN("", "tensor<100x100xf32>",
                     "%a = stablehlo.constant dense<2.0> : tensor<f32>\n"
                     "%b = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> "
                     "tensor<100x100xf32>\n" RETURN("%b", "tensor<100x100xf32>")));
  assert_int_equal(count(entry, "broadcast_in_dim"), 1);
}

// --- shift-divisions

#define U "tensor<4xui32>"

static void divisions_by_powers_of_two_are_shifts(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("shift-divisions",
            MAIN("%x: " U, U ", " U,
                 "%c = stablehlo.constant dense<8> : tensor<ui32>\n"
                 "%b = stablehlo.broadcast_in_dim %c, dims = [] : "
                 "(tensor<ui32>) -> " U "\n"
                 "%d = stablehlo.constant dense<32768> : " U "\n"
                 "%q = stablehlo.divide %x, %b : " U "\n"
                 "%r = stablehlo.remainder %x, %d : " U "\n" RETURN("%q, %r", U ", " U)));
  const tn_node_t *quotient = returned(entry, 0)->node, *rest = returned(entry, 1)->node;
  assert_ptr_equal(quotient->op, TN__OP(shift_right_logical));
  assert_int_equal(bits_of(quotient->operands[1]), 3);
  assert_ptr_equal(rest->op, TN__OP(and));
  assert_int_equal(bits_of(rest->operands[1]), 32767);
}

// As JAX writes x // 2. 256 is not what becomes of it on the way.
static void divisors_may_be_converted(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("shift-divisions",
            MAIN("%x: " U, U ", " U,
                 "%a = stablehlo.constant dense<2> : tensor<i64>\n"
                 "%b = stablehlo.convert %a : (tensor<i64>) -> tensor<ui32>\n"
                 "%c = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<ui32>) -> " U "\n"
                 "%d = stablehlo.constant dense<256> : " U "\n"
                 "%e = stablehlo.convert %d : (" U ") -> tensor<4xui8>\n"
                 "%f = stablehlo.convert %e : (tensor<4xui8>) -> " U "\n"
                 "%q = stablehlo.divide %x, %c : " U "\n"
                 "%r = stablehlo.divide %x, %f : " U "\n" RETURN("%q, %r", U ", " U)));
  assert_ptr_equal(returned(entry, 0)->node->op, TN__OP(shift_right_logical));
  assert_ptr_equal(returned(entry, 1)->node->op, TN__OP(divide));
}

// By 0, by 6, by several numbers, and of signed ones.
static void other_divisions_stay(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "shift-divisions", MAIN("%x: " U ", %y: tensor<4xi32>", U ", " U ", " U ", tensor<4xi32>",
                              "%a = stablehlo.constant dense<0> : " U "\n"
                              "%b = stablehlo.constant dense<6> : " U "\n"
                              "%c = stablehlo.constant dense<[1, 2, 4, 8]> : " U "\n"
                              "%d = stablehlo.constant dense<2> : tensor<4xi32>\n"
                              "%p = stablehlo.divide %x, %a : " U "\n"
                              "%q = stablehlo.divide %x, %b : " U "\n"
                              "%r = stablehlo.divide %x, %c : " U "\n"
                              "%s = stablehlo.divide %y, %d : tensor<4xi32>\n" RETURN(
                                  "%p, %q, %r, %s", U ", " U ", " U ", tensor<4xi32>")));
  assert_int_equal(count(entry, "divide"), 4);
}
#undef U

// --- common-subexpression-elimination

static void equal_operations_are_merged(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("common-subexpression-elimination",
            MAIN("%x: " T ", %y: " T, T ", " T,
                 "%a = stablehlo.add %x, %y : " T "\n"
                 "%b = stablehlo.add %x, %y : " T "\n" RETURN("%a, %b", T ", " T)));
  assert_int_equal(count(entry, "add"), 1);
  assert_ptr_equal(returned(entry, 0), returned(entry, 1));
}

static void operations_that_differ_are_not_merged(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("common-subexpression-elimination",
            MAIN("%x: " T ", %y: " T, T ", " T ", tensor<4xi1>, tensor<4xi1>",
                 "%a = stablehlo.subtract %x, %y : " T "\n"
                 "%b = stablehlo.subtract %y, %x : " T "\n"
                 "%c = stablehlo.compare LT, %x, %y : (" T ", " T ") -> tensor<4xi1>\n"
                 "%d = stablehlo.compare LE, %x, %y : (" T ", " T ") -> tensor<4xi1>\n" RETURN(
                     "%a, %b, %c, %d", T ", " T ", tensor<4xi1>, tensor<4xi1>")));
  assert_int_equal(count(entry, "subtract"), 2);
  assert_int_equal(count(entry, "compare"), 2);
}

static void zeros_of_both_signs_are_not_merged(void** state) {
  (void)state;
  const tn_function_t* entry =
      after_all(MAIN("", "tensor<f32>, tensor<f32>",
                     "%a = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "%b = stablehlo.constant dense<-0.0> : tensor<f32>\n" RETURN(
                         "%a, %b", "tensor<f32>, tensor<f32>")));
  assert_ptr_not_equal(returned(entry, 0), returned(entry, 1));
}

static void inner_regions_use_what_was_computed_outside(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("common-subexpression-elimination",
            MAIN("%p: tensor<i1>, %x: " T, T ", " T,
                 "%a = stablehlo.tanh %x : " T "\n"
                 "%r = \"stablehlo.if\"(%p) ({\n"
                 "  %b = stablehlo.tanh %x : " T "\n"
                 "  stablehlo.return %b : " T "\n"
                 "}, {\n"
                 "  stablehlo.return %x : " T "\n"
                 "}) : (tensor<i1>) -> " T "\n" RETURN("%a, %r", T ", " T)));
  assert_int_equal(count(entry, "tanh"), 1);
}

static void branches_do_not_use_each_others_values(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("common-subexpression-elimination",
            MAIN("%p: tensor<i1>, %x: " T, T ", " T,
                 "%r = \"stablehlo.if\"(%p) ({\n"
                 "  %b = stablehlo.tanh %x : " T "\n"
                 "  stablehlo.return %b : " T "\n"
                 "}, {\n"
                 "  %b = stablehlo.tanh %x : " T "\n"
                 "  stablehlo.return %b : " T "\n"
                 "}) : (tensor<i1>) -> " T "\n"
                 "%a = stablehlo.tanh %x : " T "\n" RETURN("%a, %r", T ", " T)));
  assert_int_equal(count(entry, "tanh"), 3);
}

// --- effects

#define EFFECT "{has_side_effect = true} : (" T ") -> " T "\n"

static void calls_with_effects_stay_as_they_are(void** state) {
  (void)state;
  // Neither merged, nor removed, nor exchanged.
  const tn_function_t* entry =
      after_all(MAIN("%x: " T, T,
                     "%a = stablehlo.custom_call @first(%x) " EFFECT
                     "%b = stablehlo.custom_call @second(%x) " EFFECT
                     "%c = stablehlo.custom_call @first(%x) " EFFECT RETURN("%x", T)));
  static const char* const order[] = {"first", "second", "first", "no fourth"};
  size_t next = 0;
  TN_FOR_EACH_NODE (node, entry->body) {
    if (!tn__op_is_called(node->op)) continue;
    assert_true(tn__sv_is(tn__attr_get_string(&node->attrs, "call_target_name"), order[next]));
    if (next < 3) ++next;
  }
  assert_int_equal(next, 3);
}

static void calls_without_effects_are_merged_and_removed(void** state) {
  (void)state;
  const tn_function_t* entry =
      after_all(MAIN("%x: " T, T ", " T,
                     "%a = stablehlo.custom_call @pure(%x) : (" T ") -> " T "\n"
                     "%b = stablehlo.custom_call @pure(%x) : (" T ") -> " T "\n"
                     "%c = stablehlo.custom_call @other(%x) : (" T ") -> " T
                     "\n" RETURN("%a, %b", T ", " T)));
  assert_int_equal(count(entry, "pure"), 1);
  assert_int_equal(count(entry, "other"), 0);
}

static void calls_with_other_attributes_are_not_merged(void** state) {
  (void)state;
  const tn_function_t* entry = after_all(
      MAIN("%x: " T, T ", " T ", " T,
           "%a = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {eps = 0.0 "
           ": f32}} : (" T ") -> " T "\n"
           "%b = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {eps = -0.0 "
           ": f32}} : (" T ") -> " T "\n"
           "%c = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = {eps = 0.0 "
           ": f64}} : (" T ") -> " T "\n" RETURN("%a, %b, %c", T ", " T ", " T)));
  assert_int_equal(count(entry, "f"), 3);
}

static void random_numbers_are_neither_merged_nor_removed(void** state) {
  (void)state;
  const tn_function_t* entry = after_all(
      MAIN("", T ", " T,
           "%low = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "%high = stablehlo.constant dense<1.0> : tensor<f32>\n"
           "%shape = stablehlo.constant dense<4> : tensor<1xi64>\n"
           "%a = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, "
           "tensor<f32>, tensor<1xi64>) -> " T "\n"
           "%b = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, "
           "tensor<f32>, tensor<1xi64>) -> " T "\n"
           "%c = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, "
           "tensor<f32>, tensor<1xi64>) -> " T "\n" RETURN("%a, %b", T ", " T)));
  assert_int_equal(count(entry, "rng"), 3);
}

static void effect_inside_a_loop_keeps_the_loop(void** state) {
  (void)state;
  const tn_function_t* entry = after_all(
      MAIN("%x: " T ", %n: tensor<i32>", T,
           "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
           "%r = stablehlo.while(%i = %zero) : tensor<i32>\n"
           "cond {\n"
           "  %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "  stablehlo.return %go : tensor<i1>\n"
           "} do {\n"
           "  %a = stablehlo.custom_call @first(%x) " EFFECT
           "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
           "  %next = stablehlo.add %i, %one : tensor<i32>\n"
           "  stablehlo.return %next : tensor<i32>\n"
           "}\n" RETURN("%x", T)));
  assert_int_equal(count(entry, "while"), 1);
  assert_int_equal(count(entry, "first"), 1);
}

// --- dead-code-elimination

static void what_nobody_reads_goes_with_what_it_read(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("dead-code-elimination", MAIN("%x: " T, T,
                                          "%a = stablehlo.negate %x : " T "\n"
                                          "%b = stablehlo.tanh %a : " T "\n"
                                          "%c = stablehlo.add %a, %b : " T "\n" RETURN("%x", T)));
  assert_int_equal(entry->node_count, 1);
}

static void unread_loop_goes_with_all_it_holds(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("dead-code-elimination",
            MAIN("%x: " T ", %n: tensor<i32>", T,
                 "%k = stablehlo.negate %n : tensor<i32>\n"
                 "%r = stablehlo.while(%i = %n) : tensor<i32>\n"
                 "cond {\n"
                 "  %go = stablehlo.compare LT, %i, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                 "  stablehlo.return %go : tensor<i1>\n"
                 "} do {\n"
                 "  %next = stablehlo.add %i, %k : tensor<i32>\n"
                 "  stablehlo.return %next : tensor<i32>\n"
                 "}\n" RETURN("%x", T)));
  assert_int_equal(entry->node_count, 1);
}

// --- loop-invariant-carries

#define COUNT(condition, body)                           \
  "cond {\n"                                             \
  "  %go = stablehlo.compare LT, " condition             \
  " : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"        \
  "  stablehlo.return %go : tensor<i1>\n"                \
  "} do {\n"                                             \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %next = stablehlo.add %i, %one : tensor<i32>\n" body "}\n"

static void unchanged_carries_are_read_from_outside(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "loop-invariant-carries",
      MAIN("%x: " T ", %n: tensor<i32>", "tensor<i32>, " T,
           "%r:3 = stablehlo.while(%i = %n, %limit = %n, %a = %x) : tensor<i32>, tensor<i32>, " T
           "\n" COUNT("%i, %limit",
                      "  stablehlo.return %next, %limit, %a : tensor<i32>, tensor<i32>, " T "\n")
               RETURN("%r#0, %r#2", "tensor<i32>, " T)));
  assert_int_equal(find(entry, "while")->operand_count, 1);
  assert_ptr_equal(returned(entry, 1), &entry->body->arguments[0]);
}

static void carries_of_an_outer_loop_that_an_inner_one_hands_on_are_dropped(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "loop-invariant-carries",
      MAIN(
          "%x: " T ", %n: tensor<i32>", T,
          "%r:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, " T "\n" COUNT(
              "%i, %n",
              "  %s:2 = stablehlo.while(%j = %n, %b = %a) : tensor<i32>, " T "\n"
              "  cond {\n"
              "    %go2 = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
              "    stablehlo.return %go2 : tensor<i1>\n"
              "  } do {\n"
              "    %next2 = stablehlo.add %j, %one : tensor<i32>\n"
              "    stablehlo.return %next2, %b : tensor<i32>, " T "\n"
              "  }\n"
              "  stablehlo.return %next, %s#1 : tensor<i32>, " T "\n") RETURN("%r#1", T)));
  assert_int_equal(find(entry, "while")->operand_count, 1);
}

static void loop_without_any_changing_carry_is_still_a_loop(void** state) {
  (void)state;
  // It never ends once it begins, as before.
  const tn_function_t* entry =
      after("loop-invariant-carries", MAIN("%p: tensor<i1>", "tensor<i1>",
                                           "%r = stablehlo.while(%a = %p) : tensor<i1>\n"
                                           "cond {\n"
                                           "  stablehlo.return %a : tensor<i1>\n"
                                           "} do {\n"
                                           "  stablehlo.return %a : tensor<i1>\n"
                                           "}\n" RETURN("%r", "tensor<i1>")));
  assert_int_equal(find(entry, "while")->operand_count, 0);
}

// --- loop-invariant-code and late-carries

#define LOOP(body, next)                                                                      \
  MAIN("%x: " T ", %n: tensor<i32>", T,                                                       \
       "%r:2 = stablehlo.while(%i = %n, %a = %x) : tensor<i32>, " T                           \
       "\n" COUNT("%i, %n", body "  stablehlo.return %next, " next " : tensor<i32>, " T "\n") \
           RETURN("%r#1", T))

#define BROADCAST(value, type) \
  "  " value " = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> " type "\n"

static void what_is_the_same_in_all_turns_is_computed_before_the_loop(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "loop-invariant-code", LOOP("  %c = stablehlo.constant dense<2.0> : tensor<f32>\n" BROADCAST(
                                      "%b", T) "  %s = stablehlo.sine %b : " T "\n"
                                               "  %m = stablehlo.multiply %a, %s : " T "\n",
                                  "%m"));
  const tn_region_t* body = find(entry, "while")->regions[1];
  assert_true(find(entry, "sine")->operands[0]->node == find(entry, "broadcast_in_dim"));
  assert_int_equal(count_in(body, "sine") + count_in(body, "broadcast_in_dim"), 0);
  assert_int_equal(count_in(body, "multiply"), 1);
}

static void invariants_of_an_inner_loop_leave_the_outer_one(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "loop-invariant-code",
      LOOP("  %s:2 = stablehlo.while(%j = %n, %b = %a) : tensor<i32>, " T "\n"
           "  cond {\n"
           "    %go2 = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
           "    stablehlo.return %go2 : tensor<i1>\n"
           "  } do {\n"
           "    %e = stablehlo.exponential %x : " T "\n"
           "    %f = stablehlo.cosine %a : " T "\n"
           "    %g = stablehlo.add %e, %f : " T "\n"
           "    stablehlo.return %next, %g : tensor<i32>, " T "\n"
           "  }\n",
           "%s#1"));
  const tn_region_t* body = find(entry, "while")->regions[1];
  assert_int_equal(count_in(body, "exponential"), 0);
  TN_FOR_EACH_NODE (node, body) {
    if (node->region_count) assert_int_equal(count_in(node->regions[1], "cosine"), 0);
  }
  assert_int_equal(count_in(body, "cosine"), 1);
  assert_int_equal(count_in(body, "add"), 2);
}

static void large_invariants_and_calls_of_handlers_stay_in_the_loop(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "loop-invariant-code",
      LOOP("  %c = stablehlo.constant dense<2.0> : tensor<f32>\n" BROADCAST(
               "%b",
               "tensor<5000xf32>") "  %h = stablehlo.slice %b [0:4] : (tensor<5000xf32>) -> " T "\n"
                                   "  %f = stablehlo.custom_call @foreign(%x) : (" T ") -> " T "\n"
                                   "  %g = stablehlo.add %f, %h : " T "\n"
                                   "  %m = stablehlo.multiply %a, %g : " T "\n",
           "%m"));
  const tn_region_t* body = find(entry, "while")->regions[1];
  assert_int_equal(count_in(body, "broadcast_in_dim"), 1);
  assert_int_equal(count_in(body, "foreign"), 1);
}

static void the_next_value_of_a_carry_is_computed_behind_the_last_use_of_the_present_one(
    void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "late-carries", LOOP("  %m = stablehlo.multiply %a, %x : " T "\n"
                           "  %s = stablehlo.sine %a : " T "\n"
                           "  %u = stablehlo.custom_call @foreign(%s) {has_side_effect = true}"
                           " : (" T ") -> " T "\n",
                           "%m"));
  const tn_region_t* body = find(entry, "while")->regions[1];
  assert_string_equal(tn__op_short_name(body->last->previous->op), "foreign");
  assert_string_equal(tn__op_short_name(body->last->previous->previous->op), "multiply");
}

static void a_carry_that_is_used_elsewhere_stays_where_it_is(void** state) {
  (void)state;
  const tn_function_t* entry =
      after("late-carries", LOOP("  %m = stablehlo.multiply %a, %x : " T "\n"
                                 "  %s = stablehlo.sine %a : " T "\n"
                                 "  %u = stablehlo.custom_call @foreign(%s, %m)"
                                 " {has_side_effect = true} : (" T ", " T ") -> " T "\n",
                                 "%m"));
  const tn_region_t* body = find(entry, "while")->regions[1];
  assert_string_equal(tn__op_short_name(body->first->next->next->op), "multiply");
}

// --- calls

static void small_functions_are_inlined(void** state) {
  (void)state;
  const tn_function_t* entry = after(
      "inline", "module {\n" MAIN("%x: " T, T,
                                  "%a = func.call @f(%x) : (" T ") -> " T "\n"
                                  "%b = func.call @f(%a) : (" T ") -> " T
                                  "\n" RETURN("%b", T)) "func.func private @f(%x: " T ") -> " T
                                                        " {\n"
                                                        "%a = stablehlo.negate %x : " T
                                                        "\n" RETURN("%a", T) "\n}\n}");
  assert_int_equal(count(entry, "call"), 0);
  assert_int_equal(count(entry, "negate"), 2);
}

typedef struct text {
  char* bytes;
  size_t length, capacity;
} text_t;

static void TN_PRINTF(2, 3) put(text_t* text, const char* format, ...) {
  va_list arguments;
  if (text->capacity - text->length < 512) {
    text->capacity = 2 * text->capacity + 4096;
    text->bytes = realloc(text->bytes, text->capacity);
    assert_non_null(text->bytes);
  }
  va_start(arguments, format);
  text->length += (size_t)vsnprintf(text->bytes + text->length, 512, format, arguments);
  va_end(arguments);
}

// @main calls @f0, which calls @f1 `fan` times...
static text_t chain(size_t count, size_t fan, size_t work) {
  text_t text = {0};
  put(&text, "module {\n");
  for (size_t i = 0; i <= count; ++i) {
    if (i == 0) {
      put(&text, "func.func @main(%%v0: " T ") -> " T " {\n");
    } else {
      put(&text, "func.func private @f%zu(%%v0: " T ") -> " T " {\n", i - 1);
    }
    size_t value = 0;
    for (size_t k = 0; k < work; ++k, ++value) {
      put(&text, "%%v%zu = stablehlo.negate %%v%zu : " T "\n", value + 1, value);
    }
    for (size_t k = 0; k < fan && i < count; ++k, ++value) {
      put(&text, "%%v%zu = func.call @f%zu(%%v%zu) : (" T ") -> " T "\n", value + 1, i, value);
    }
    put(&text, "return %%v%zu : " T "\n}\n", value);
  }
  put(&text, "}\n");
  return text;
}

static void long_chain_of_single_calls_is_inlined_in_linear_space(void** state) {
  (void)state;
  text_t text = chain(3000, 1, 3);
  const tn_function_t* entry = after("inline", text.bytes);
  assert_int_equal(count(entry, "call"), 0);
  assert_int_equal(count(entry, "negate"), 3 * 3001);
  // A copy of each function for each of its callers would be 4.5 million nodes.
  assert_true(rewritten->arena.byte_size < 64 << 20);
  free(text.bytes);
}

static void calls_that_double_at_each_level_stay_calls_in_the_end(void** state) {
  (void)state;
  text_t text = chain(60, 2, 1);
  const tn_function_t* entry = after("inline", text.bytes);
  assert_true(count(entry, "call") > 0);
  size_t total = 0;
  for (tn_function_t* f = rewritten->first_function; f; f = f->next) total += f->node_count;
  assert_true(total < 200000);
  free(text.bytes);
}

static void composites_that_double_at_each_level_stay_bounded(void** state) {
  (void)state;
  text_t text = chain(60, 2, 1);
  // The same with composites instead of calls.
  text_t other = {0};
  for (const char* line = text.bytes; *line;) {
    const char* end = strchr(line, '\n');
    int value = 0, callee = 0, operand = 0;
    // The text is our own. NOLINTNEXTLINE(cert-err34-c)
    if (sscanf(line, "%%v%d = func.call @f%d(%%v%d)", &value, &callee, &operand) == 3) {
      put(&other,
          "%%v%d = stablehlo.composite \"my.op\" %%v%d {decomposition = @f%d} : (" T ") -> " T "\n",
          value, operand, callee);
    } else {
      put(&other, "%.*s\n", (int)(end - line), line);
    }
    line = end + 1;
  }
  assert_non_null(other.bytes);
  const tn_function_t* entry = after_all(other.bytes);
  assert_int_equal(count(entry, "composite"), 0);
  size_t total = 0;
  for (tn_function_t* f = rewritten->first_function; f; f = f->next) total += f->node_count;
  assert_true(total < 200000);
  free(text.bytes);
  free(other.bytes);
}

static void chain_through_branches_is_inlined_only_so_deep_as_regions_may_be(void** state) {
  (void)state;
  text_t text = {0};
  enum { COUNT_OF_FUNCTIONS = 2000 };
  put(&text, "module {\n");
  for (int i = 0; i <= COUNT_OF_FUNCTIONS; ++i) {
    put(&text,
        i ? "func.func private @f%d(%%p: tensor<i1>, %%x: " T ") -> " T " {\n"
          : "func.func @main(%%p: tensor<i1>, %%x: " T ") -> " T " {\n",
        i - 1);
    put(&text, "%%r = \"stablehlo.if\"(%%p) ({\n");
    if (i < COUNT_OF_FUNCTIONS) {
      put(&text, "%%a = func.call @f%d(%%p, %%x) : (tensor<i1>, " T ") -> " T "\n", i);
    } else {
      put(&text, "%%a = stablehlo.negate %%x : " T "\n");
    }
    put(&text, "stablehlo.return %%a : " T "\n}, {\nstablehlo.return %%x : " T
               "\n}) : (tensor<i1>) -> " T "\nreturn %%r : " T "\n}\n");
  }
  put(&text, "}\n");
  const tn_function_t* entry = after_all(text.bytes);
  assert_true(count(entry, "if") > 100);
  assert_true(count(entry, "if") <= TN_LIMIT_NESTING);
  free(text.bytes);
}

static void recursion_is_refused_with_its_place(void** state) {
  (void)state;
  static const char text[] =
      "module {\n" MAIN("%x: " T, T, "%a = func.call @f(%x) : (" T ") -> " T "\n" RETURN("%a", T))
          "func.func private @f(%x: " T ") -> " T
          " {\n"
          "%a = func.call @g(%x) : (" T ") -> " T "\n" RETURN("%a", T) "\n}\n"
          "func.func private @g(%x: " T ") -> " T
          " {\n"
          "%a = func.call @f(%x) : (" T ") -> " T "\n" RETURN("%a", T) "\n}\n}";
  tn_function_t* entry = clone_of(text);
  for (int keep_all = 0; keep_all < 2; ++keep_all) {
    TN_ASSERT_REPORT("test.mlir:11:",
                     tn__pass_run(rewritten, entry,
                                  &(tn_pass_options_t){.target = &tn__compile_target_host,
                                                       .keep_all = keep_all == 1}));
    TN_ASSERT_REPORT("function @f calls itself",
                     tn__pass_run(rewritten, entry,
                                  &(tn_pass_options_t){.target = &tn__compile_target_host,
                                                       .keep_all = keep_all == 1}));
  }
}

static void recursion_that_the_entry_does_not_reach_is_nobodys_business(void** state) {
  (void)state;
  after_all("module {\n" MAIN("%x: " T, T, RETURN("%x", T)) "func.func private @f(%x: " T ") -> " T
                                                            " {\n"
                                                            "%a = func.call @f(%x) : (" T ") -> " T
                                                            "\n" RETURN("%a", T) "\n}\n}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pass_has_a_name_and_says_what_it_does),
      cmocka_unit_test_teardown(keep_all_leaves_the_program_as_it_was_written, release),
      cmocka_unit_test_teardown(valid_modules_stay_valid_when_they_are_to, release),
      cmocka_unit_test_teardown(what_changes_nothing_gives_way_to_its_operand, release),
      cmocka_unit_test_teardown(conversions_that_round_stay, release),
      cmocka_unit_test_teardown(arithmetic_with_zero_and_one_is_left_alone, release),
      cmocka_unit_test_teardown(two_negations_stay, release),
      cmocka_unit_test_teardown(moves_of_dimensions_of_size_one_become_reshapes, release),
      cmocka_unit_test_teardown(real_transposes_and_broadcasts_stay, release),
      cmocka_unit_test_teardown(tuple_that_is_only_taken_apart_goes, release),
      cmocka_unit_test_teardown(reductions_of_single_elements_are_their_operation, release),
      cmocka_unit_test_teardown(reductions_of_several_elements_stay, release),
      cmocka_unit_test_teardown(reductions_by_comparisons_stay, release),
      cmocka_unit_test_teardown(argmax_is_the_first_place_of_the_maximum, release),
      cmocka_unit_test_teardown(argmax_by_the_total_order_stays, release),
      cmocka_unit_test_teardown(argmax_whose_value_is_used_stays, release),
      cmocka_unit_test_teardown(large_splat_becomes_a_broadcast, release),
      cmocka_unit_test_teardown(large_iota_that_elements_read_becomes_a_broadcast, release),
      cmocka_unit_test_teardown(constants_are_computed, release),
      cmocka_unit_test_teardown(folding_keeps_the_sign_of_zero_and_the_bits_of_nan, release),
      cmocka_unit_test_teardown(large_results_are_not_folded, release),
      cmocka_unit_test_teardown(divisions_by_powers_of_two_are_shifts, release),
      cmocka_unit_test_teardown(divisors_may_be_converted, release),
      cmocka_unit_test_teardown(other_divisions_stay, release),
      cmocka_unit_test_teardown(equal_operations_are_merged, release),
      cmocka_unit_test_teardown(operations_that_differ_are_not_merged, release),
      cmocka_unit_test_teardown(zeros_of_both_signs_are_not_merged, release),
      cmocka_unit_test_teardown(inner_regions_use_what_was_computed_outside, release),
      cmocka_unit_test_teardown(branches_do_not_use_each_others_values, release),
      cmocka_unit_test_teardown(calls_with_effects_stay_as_they_are, release),
      cmocka_unit_test_teardown(calls_without_effects_are_merged_and_removed, release),
      cmocka_unit_test_teardown(calls_with_other_attributes_are_not_merged, release),
      cmocka_unit_test_teardown(random_numbers_are_neither_merged_nor_removed, release),
      cmocka_unit_test_teardown(effect_inside_a_loop_keeps_the_loop, release),
      cmocka_unit_test_teardown(what_nobody_reads_goes_with_what_it_read, release),
      cmocka_unit_test_teardown(unread_loop_goes_with_all_it_holds, release),
      cmocka_unit_test_teardown(unchanged_carries_are_read_from_outside, release),
      cmocka_unit_test_teardown(carries_of_an_outer_loop_that_an_inner_one_hands_on_are_dropped,
                                release),
      cmocka_unit_test_teardown(loop_without_any_changing_carry_is_still_a_loop, release),
      cmocka_unit_test_teardown(what_is_the_same_in_all_turns_is_computed_before_the_loop, release),
      cmocka_unit_test_teardown(invariants_of_an_inner_loop_leave_the_outer_one, release),
      cmocka_unit_test_teardown(large_invariants_and_calls_of_handlers_stay_in_the_loop, release),
      cmocka_unit_test_teardown(
          the_next_value_of_a_carry_is_computed_behind_the_last_use_of_the_present_one, release),
      cmocka_unit_test_teardown(a_carry_that_is_used_elsewhere_stays_where_it_is, release),
      cmocka_unit_test_teardown(small_functions_are_inlined, release),
      cmocka_unit_test_teardown(long_chain_of_single_calls_is_inlined_in_linear_space, release),
      cmocka_unit_test_teardown(calls_that_double_at_each_level_stay_calls_in_the_end, release),
      cmocka_unit_test_teardown(composites_that_double_at_each_level_stay_bounded, release),
      cmocka_unit_test_teardown(chain_through_branches_is_inlined_only_so_deep_as_regions_may_be,
                                release),
      cmocka_unit_test_teardown(recursion_is_refused_with_its_place, release),
      cmocka_unit_test_teardown(recursion_that_the_entry_does_not_reach_is_nobodys_business,
                                release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
