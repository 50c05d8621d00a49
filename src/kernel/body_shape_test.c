// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/body_shape.h"

#include "base/testing.h"

// Parses a sort of two f32 operands with this comparator and looks at it.
static tn_module_t* module;
static tn_arena_t arena;

static tn_body_shape_t shape_of(const char* arguments, const char* body) {
  char text[4096];
  const bool is_pair = strstr(arguments, "%c:") != NULL;
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<4xf32>, %%y: tensor<4xf32>) -> tensor<4xf32> {\n"
           "  %%r%s = \"stablehlo.sort\"(%%x%s) ({\n"
           "  ^bb0(%s):\n%s\n"
           "    stablehlo.return %%p : tensor<i1>\n"
           "  }) {dimension = 0 : i64} : (tensor<4xf32>%s) -> %s\n"
           "  return %%r%s : tensor<4xf32>\n}",
           is_pair ? ":2" : "", is_pair ? ", %y" : "", arguments, body,
           is_pair ? ", tensor<4xf32>" : "",
           is_pair ? "(tensor<4xf32>, tensor<4xf32>)" : "tensor<4xf32>", is_pair ? "#0" : "");
  TN_ASSERT_OK(tn_module_parse(NULL, "test", text, strlen(text), &module));
  tn__arena_init(&arena, tn_allocator_system());
  tn_body_shape_t shape;
  TN_ASSERT_OK(tn__body_shape(module->first_function->body->first->regions[0], &arena, &shape));
  return shape;
}

static void forget(void) {
  tn__arena_deinit(&arena);
  tn_module_release(module);
}

#define ONE "%a: tensor<f32>, %b: tensor<f32>"
#define TWO ONE ", %c: tensor<f32>, %d: tensor<f32>"
#define COMPARE(out, direction, a, b, type)                           \
  "%" out " = stablehlo.compare " direction ", %" a ", %" b ", " type \
  " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
// %out is %in with zeros merged; with NaNs merged; both, by way of %out_.
#define ZEROS(out, subject, in)                                                           \
  "%z_" out " = stablehlo.constant dense<0.0> : tensor<f32>\n" COMPARE(                   \
      "zp_" out, "EQ", subject, "z_" out, "FLOAT") "%" out " = stablehlo.select %zp_" out \
                                                   ", %z_" out ", %" in                   \
                                                   " : tensor<i1>, tensor<f32>\n"
#define NANS(out, subject, in)                                                           \
  "%n_" out " = stablehlo.constant dense<0x7FC00000> : tensor<f32>\n" COMPARE(           \
      "np_" out, "NE", subject, subject, "FLOAT") "%" out " = stablehlo.select %np_" out \
                                                  ", %n_" out ", %" in                   \
                                                  " : tensor<i1>, tensor<f32>\n"
#define CANONICAL(out, in) ZEROS(out "_", in, in) NANS(out, in, out "_")

static void comparisons_are_orders(void** state) {
  (void)state;
  tn_body_shape_t shape = shape_of(ONE, COMPARE("p", "LT", "a", "b", "TOTALORDER"));
  assert_int_equal(shape.key_count, 1);
  assert_false(shape.keys[0].descending || shape.keys[0].is_canonical);
  forget();
  shape = shape_of(ONE, COMPARE("p", "GT", "a", "b", "FLOAT"));
  assert_int_equal(shape.key_count, 1);
  assert_true(shape.keys[0].descending && shape.keys[0].is_canonical);
  forget();
  shape = shape_of(ONE, COMPARE("p", "GT", "b", "a", "FLOAT"));
  assert_int_equal(shape.key_count, 1);
  assert_false(shape.keys[0].descending);
  forget();
  shape = shape_of(TWO, COMPARE("p", "LT", "d", "c", "TOTALORDER"));
  assert_int_equal(shape.key_count, 1);
  assert_int_equal(shape.keys[0].operand, 1);
  assert_true(shape.keys[0].descending);
  forget();
}

static void canonical_keys_are_recognised(void** state) {
  (void)state;
  const tn_body_shape_t shape = shape_of(
      ONE, CANONICAL("u", "a") CANONICAL("v", "b") COMPARE("p", "LT", "u", "v", "TOTALORDER"));
  assert_int_equal(shape.key_count, 1);
  assert_true(shape.keys[0].is_canonical);
  assert_false(shape.keys[0].descending);
  forget();
}

static void lexicographic_orders_are_recognised(void** state) {
  (void)state;
  const tn_body_shape_t shape = shape_of(
      TWO, COMPARE("k1", "GT", "c", "d", "TOTALORDER") COMPARE("k0", "LT", "a", "b", "TOTALORDER")
               COMPARE("same", "EQ", "a", "b", "TOTALORDER")
                   "%rest = stablehlo.and %same, %k1 : tensor<i1>\n"
                   "%p = stablehlo.or %k0, %rest : tensor<i1>\n");
  assert_int_equal(shape.key_count, 2);
  assert_int_equal(shape.keys[0].operand, 0);
  assert_false(shape.keys[0].descending);
  assert_int_equal(shape.keys[1].operand, 1);
  assert_true(shape.keys[1].descending);
  forget();
}

static void other_comparators_are_unknown(void** state) {
  (void)state;
  static const struct {
    const char *arguments, *body;
  } cases[] = {
      // Equal elements would change places.
      {ONE, COMPARE("p", "LE", "a", "b", "FLOAT")},
      // Elements of different operands.
      {TWO, COMPARE("p", "LT", "a", "d", "FLOAT")},
      {ONE, COMPARE("p", "LT", "a", "a", "FLOAT")},
      // Canonical on one side, or by half.
      {ONE, CANONICAL("u", "a") COMPARE("p", "LT", "u", "b", "TOTALORDER")},
      {ONE, ZEROS("u", "a", "a") ZEROS("v", "b", "b") COMPARE("p", "LT", "u", "v", "TOTALORDER")},
      // What is tested is not what is chosen.
      {ONE, ZEROS("u", "b", "a") ZEROS("v", "a", "b") COMPARE("p", "LT", "u", "v", "FLOAT")},
      // Something else is ordered.
      {ONE, "%u = stablehlo.abs %a : tensor<f32>\n%v = stablehlo.abs %b : tensor<f32>\n" COMPARE(
                "p", "LT", "u", "v", "FLOAT")},
      // The keys that are equal are not those that come first.
      {TWO, COMPARE("k1", "LT", "c", "d", "FLOAT") COMPARE("k0", "LT", "a", "b", "FLOAT") COMPARE(
                "same", "EQ", "c", "d", "FLOAT") "%rest = stablehlo.and %same, %k1 : tensor<i1>\n"
                                                 "%p = stablehlo.or %k0, %rest : tensor<i1>\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    assert_int_equal(shape_of(cases[i].arguments, cases[i].body).key_count, 0);
    forget();
  }
}

static void binary_bodies_name_their_operation(void** state) {
  (void)state;
  tn_body_shape_t shape = shape_of(ONE, COMPARE("p", "GE", "a", "b", "FLOAT"));
  assert_ptr_equal(shape.binary, TN__OP(compare));
  assert_non_null(tn__attr_find(shape.binary_attrs, "comparison_direction"));
  assert_int_equal(shape.forwarded, 0);
  forget();
  shape = shape_of(ONE, COMPARE("p", "GE", "b", "a", "FLOAT"));
  assert_null(shape.binary);
  forget();
}

static void forwarded_arguments_are_numbered(void** state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<4xf32>, %i: tensor<1xi32>, %u: tensor<f32>) -> tensor<4xf32> {\n"
      "  %r = \"stablehlo.scatter\"(%x, %i, %u) ({\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    stablehlo.return %b : tensor<f32>\n"
      "  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],\n"
      "      scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}\n"
      "  : (tensor<4xf32>, tensor<1xi32>, tensor<f32>) -> tensor<4xf32>\n"
      "  return %r : tensor<4xf32>\n}";
  TN_ASSERT_OK(tn_module_parse(NULL, "test", text, sizeof text - 1, &module));
  tn__arena_init(&arena, tn_allocator_system());
  tn_body_shape_t shape;
  TN_ASSERT_OK(tn__body_shape(module->first_function->body->first->regions[0], &arena, &shape));
  assert_int_equal(shape.forwarded, 2);
  assert_null(shape.binary);
  assert_int_equal(shape.key_count, 0);
  forget();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comparisons_are_orders),
      cmocka_unit_test(canonical_keys_are_recognised),
      cmocka_unit_test(lexicographic_orders_are_recognised),
      cmocka_unit_test(other_comparators_are_unknown),
      cmocka_unit_test(binary_bodies_name_their_operation),
      cmocka_unit_test(forwarded_arguments_are_numbered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
