// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/reader.h"

#include "base/testing.h"
#include "base/testing_allocator.h"
#include "text/testing_text.h"

static const char jax_program[] =
    "#loc1 = loc(\"x\")\n"
    "module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=2]>\n"
    "  func.func public @main(%arg0: tensor<2x3xf32> {tf.aliasing_output = 0 : i32} loc(\"x\")) -> "
    "(tensor<2xf32> {jax.result_info = \"result\"}) {\n"
    "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)\n"
    "    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : "
    "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> loc(callsite(\"f\"(\"a.py\":1:2) at #loc1))\n"
    "    return %0 : tensor<2xf32>\n"
    "  }\n"
    "}\n"
    "#loc = loc(unknown)\n";

static void reads_a_program_as_jax_writes_it(void** state) {
  (void)state;
  tn_module_t* module = tn__testing_read(jax_program);
  const tn_function_t* main = tn__module_entry(module);
  assert_string_equal(main->name.data, "main");
  assert_string_equal(tn_module_input_name(module, 0, 0), "x");
  assert_int_equal(tn__attr_get_integer(&main->argument_attrs[0], "tf.aliasing_output", -1), 0);
  const tn_node_t* reduce = main->body->first->next;
  assert_string_equal(reduce->op->name, "stablehlo.reduce");
  assert_int_equal(reduce->location.line, 6);
  assert_int_equal(reduce->location.column, 10);
  assert_string_equal(reduce->regions[0]->first->op->name, "stablehlo.add");
  assert_true(tn__sv_is(module->preamble, "sdy.mesh @mesh = <[\"x\"=2]>\n"));
  tn_module_release(module);
}

static void an_empty_text_is_an_empty_module(void** state) {
  (void)state;
  tn_module_t* module = tn__testing_read("// nothing\n");
  assert_int_equal(tn_module_function_count(module), 0);
  tn_module_release(module);
}

// Equal attributes are one, whatever else an operation brings along for the first time: types,
// aliases, tuples.
static void operations_share_equal_attributes(void** state) {
  (void)state;
  static const char text[] =
      "#a = array<i64: 0>\n"
      "func.func @main(%x: tensor<2xf32>, %y: tensor<2xcomplex<f32>>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>\n"
      "  %2 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>\n"
      "  %3 = \"stablehlo.broadcast_in_dim\"(%y) {broadcast_dimensions = #a} : "
      "(tensor<2xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>\n"
      "  %4 = \"stablehlo.broadcast_in_dim\"(%y) {broadcast_dimensions = #a} : "
      "(tensor<2xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>\n"
      "  %5 = \"stablehlo.custom_call\"(%x) {call_target_name = \"f\"} : (tensor<2xf32>) -> "
      "tuple<tensor<2xf32>>\n"
      "  %6 = \"stablehlo.custom_call\"(%x) {call_target_name = \"f\"} : (tensor<2xf32>) -> "
      "tuple<tensor<3xf32>, tensor<4xf32>>\n"
      "  %7 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
      "  return %x : tensor<2xf32>\n"
      "}\n";
  tn_module_t* module = tn__testing_read(text);
  const tn_node_t* nodes[8] = {NULL};
  size_t count = 0;
  for (tn_node_t* node = tn__module_entry(module)->body->first; node->next; node = node->next) {
    nodes[count++] = node;
  }
  assert_int_equal(count, 8);
  for (int i = 0; i < 8; ++i) assert_non_null(nodes[i]);
  for (int i = 1; i < 5; ++i) assert_ptr_equal(nodes[i]->attrs.entries, nodes[0]->attrs.entries);
  assert_ptr_equal(nodes[6]->attrs.entries, nodes[5]->attrs.entries);
  assert_ptr_not_equal(nodes[7]->attrs.entries, nodes[0]->attrs.entries);
  char* printed = tn__testing_print(module);
  tn_module_t* again = tn__testing_read(printed);
  tn__testing_assert_same_module(module, again);
  assert_non_null(strstr(printed, "tensor<2x6xcomplex<f32>>"));
  assert_non_null(strstr(printed, "tuple<tensor<3xf32>, tensor<4xf32>>"));
  free(printed);
  tn_module_release(again);
  tn_module_release(module);
}

// The same program in several spellings.
static void spellings_of_one_program_are_one_module(void** state) {
  (void)state;
  static const char* const texts[] = {
      "module @m {\n"
      "  func.func private @main(%x: tensor<2xf32> {k}) -> (tensor<2xf32> {r = 1 : i64}) {\n"
      "    %0 = stablehlo.abs %x {a = dense<[1, 2]> : tensor<2xi64>} : tensor<2xf32>\n"
      "    return %0 : tensor<2xf32>\n"
      "  }\n"
      "}\n",
      "#c = dense<\"0x01000000000000000200000000000000\"> : !i\n"
      "\"builtin.module\"() <{sym_name = \"m\"}> ({\n"
      "  \"func.func\"() <{arg_attrs = [{k}], function_type = (!t) -> !t, res_attrs = [{r = 1}], "
      "sym_name = \"main\", sym_visibility = \"private\"}> ({\n"
      "  ^bb0(%arg0: !t loc(\"here\")):\n"
      "    %0 = \"stablehlo.abs\"(%arg0) {a = #c} : (!t) -> !t loc(#loc)\n"
      "    \"func.return\"(%0) : (!t) -> ()\n"
      "  }) : () -> () loc(unknown)\n"
      "}) : () -> ()\n"
      "!t = tensor<2xf32>\n"
      "!i = tensor< 2 x i64 >\n"
      "#loc = loc(\"f\":1:2)\n",
      "module @m {\"func.func\"() ({\n"
      "  ^bb0(%arg0: tensor<2xf32>):\n"
      "    %0 = stablehlo.abs %arg0 {a = dense<[0x1, 2]> : tensor<2xi64>} : (tensor<2xf32>) -> "
      "(tensor<2xf32>)\n"
      "    func.return %0 : tensor<2xf32>\n"
      "  }) {function_type = (tensor<2xf32>) -> (tensor<2xf32>), sym_name = \"main\", arg_attrs = "
      "[{k = unit}], res_attrs = [{r = 1 : i64}], sym_visibility = \"private\"} : () -> ()}",
  };
  tn_module_t* first = tn__testing_read(texts[0]);
  for (size_t i = 1; i < sizeof texts / sizeof *texts; ++i) {
    tn_module_t* other = tn__testing_read(texts[i]);
    tn__testing_assert_same_module(first, other);
    tn_module_release(other);
  }
  tn_module_release(first);
}

// The one value of `@main`'s first constant.
static const tn_attr_t* constant_of(const tn_module_t* module) {
  const tn_attr_t* value = tn__attr_find(&tn__module_entry(module)->body->first->attrs, "value");
  assert_non_null(value);
  assert_int_equal(value->kind, TN_ATTR_ELEMENTS);
  assert_int_equal((uintptr_t)value->elements.data % 64, 0);
  return value;
}

static void constants_of_one_value_are_one(void** state) {
  (void)state;
  static const struct {
    const char *a, *b;
  } rows[] = {
      {"dense<[1.5, -0.25]> : tensor<2xf32>", "dense<\"0x0000C03F000080BE\"> : tensor<2xf32>"},
      {"dense<[1.5, 1.5]> : tensor<2xf32>", "dense<1.5> : tensor<2xf32>"},
      {"dense<\"0x0000C03F\"> : tensor<2xf32>", "dense<1.5> : tensor<2xf32>"},
      {"dense<[0x7F800000, 0xFFC00000]> : tensor<2xf32>",
       "dense<\"0x0000807F0000C0FF\"> : tensor<2xf32>"},
      {"dense<[255, -128]> : tensor<2xi8>", "dense<[-1, 128]> : tensor<2xi8>"},
      {"dense<[15, 7]> : tensor<2xi4>", "dense<\"0x0F07\"> : tensor<2xi4>"},
      {"dense<[true, false]> : tensor<2xi1>", "dense<\"0xFF00\"> : tensor<2xi1>"},
      {"dense<[1, 0]> : tensor<2xi1>", "dense<[-1, false]> : tensor<2xi1>"},
      {"dense<[(1.0, 2.0), (0x0, -1.0)]> : tensor<2xcomplex<f32>>",
       "dense<\"0x0000803F0000004000000000000080BF\"> : tensor<2xcomplex<f32>>"},
      {"dense<[[0, 5], [7, 0]]> : tensor<2x2xi32>",
       "sparse<[[0, 1], [1, 0]], [5, 7]> : tensor<2x2xi32>"},
      {"dense<0> : tensor<2x2xi32>", "sparse<> : tensor<2x2xi32>"},
      {"dense<[[3, 0], [0, 0]]> : tensor<2x2xi32>", "sparse<0, 3> : tensor<2x2xi32>"},
      {"dense<[1.0, 2.0]> : tensor<2xf32>", "dense_resource<w> : tensor<2xf32>"},
      {"dense<> : tensor<0x3xf32>", "dense<1.0> : tensor<0x3xf32>"},
      {"dense<[[], []]> : tensor<2x0xf32>", "dense<> : tensor<2x0xf32>"},
      {"dense<[448.0, 0x7F]> : tensor<2xf8E4M3FN>", "dense<[464.0, 1.0e3]> : tensor<2xf8E4M3FN>"},
      {"dense<[6.0, -0.5]> : tensor<2xf4E2M1FN>", "dense<[100.0, 0x9]> : tensor<2xf4E2M1FN>"},
      {"dense<[1.000000e+00, 1.001953e+00]> : tensor<2xf16>",
       "dense<[0x3C00, 0x3C02]> : tensor<2xf16>"},
      {"dense<0.1> : tensor<f32>", "dense<1.000000014901161193847656250e-1> : tensor<f32>"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    tn_module_t* modules[2];
    for (int j = 0; j < 2; ++j) {
      char text[512];
      snprintf(text, sizeof text,
               "func.func @main() {\n%%0 = stablehlo.constant %s\nreturn\n}\n"
               "{-# dialect_resources: {builtin: {w: \"0x040000000000803F00000040\"}} #-}",
               j ? rows[i].b : rows[i].a);
      modules[j] = tn__testing_read(text);
    }
    if (!tn__attr_equal(constant_of(modules[0]), constant_of(modules[1]))) {
      fail_msg("%s and %s", rows[i].a, rows[i].b);
    }
    tn_module_release(modules[0]);
    tn_module_release(modules[1]);
  }
}

static void a_sharding_constraint_is_its_operand(void** state) {
  (void)state;
  tn_module_t* module = tn__testing_read(
      "sdy.mesh @m = <[\"x\"=2]>\n"
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = sdy.sharding_constraint %x <@m, [{\"x\"}]> : tensor<4xf32> loc(unknown)\n"
      "  return %0 : tensor<4xf32>\n"
      "}\n");
  const tn_function_t* main = tn__module_entry(module);
  assert_ptr_equal(main->body->first->operands[0], &main->body->arguments[0]);
  tn_module_release(module);
}

// Values of inner regions end with them, and their names are free again.
static void names_end_with_their_region(void** state) {
  (void)state;
  tn_module_t* module = tn__testing_read(
      "func.func @main(%p: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = \"stablehlo.case\"(%p) ({\n"
      "    %1 = stablehlo.abs %x : tensor<f32>\n"
      "    stablehlo.return %1 : tensor<f32>\n"
      "  }, {\n"
      "    %1 = stablehlo.negate %x : tensor<f32>\n"
      "    stablehlo.return %1 : tensor<f32>\n"
      "  }) : (tensor<i32>) -> tensor<f32>\n"
      "  %1 = stablehlo.abs %0 : tensor<f32>\n"
      "  return %1 : tensor<f32>\n"
      "}\n");
  char* text = tn__testing_print(module);
  tn_module_t* again = tn__testing_read(text);
  tn__testing_assert_same_module(module, again);
  free(text);
  tn_module_release(module);
  tn_module_release(again);
}

// --- memory that runs out

typedef struct sweep {
  const char* text;
} sweep_t;

static tn_status_t ignore(void* user, const char* text, size_t length) {
  (void)text;
  *(size_t*)user += length;
  return TN_OK;
}

static tn_status_t read_and_print(const tn_allocator_t* allocator, void* context) {
  const sweep_t* sweep = context;
  tn_module_t* module = NULL;
  size_t length = 0;
  tn_status_t status =
      tn_module_parse(allocator, "sweep.mlir", sweep->text, strlen(sweep->text), &module);
  if (status) assert_null(module);
  if (!status) status = tn_module_print(module, ignore, &length);
  tn_module_release(module);
  return status;
}

static void memory_may_run_out_anywhere(void** state) {
  (void)state;
  sweep_t jax = {jax_program};
  tn__testing_sweep_allocations(read_and_print, &jax);
  sweep_t forms = {
      "#a = sparse<[[0]], [2.0]> : !t\n"
      "func.func @main(%x: !t, %i: tensor<i32>) -> (!t, tuple<!t>) {\n"
      "  %t:2 = \"stablehlo.case\"(%i) ({stablehlo.return %x, %x : !t, !t}) {a = #a, b = [1, "
      "\"\\41\"], c = #stablehlo.gather<offset_dims = [0]>, d = dense_resource<w> : tensor<1xf32>} "
      ": "
      "(tensor<i32>) -> (!t, !t)\n"
      "  %u = stablehlo.tuple %t#0 : tuple<!t>\n"
      "  return %t#1, %u : !t, tuple<!t>\n"
      "}\n"
      "!t = tensor<2xf32>\n"
      "{-# dialect_resources: {builtin: {w: \"0x040000000000803F\"}} #-}"};
  tn__testing_sweep_allocations(read_and_print, &forms);
}

// --- writing

static tn_status_t refuse(void* user, const char* text, size_t length) {
  (void)user;
  (void)text;
  (void)length;
  return tn_status_create(TN_CODE_DATA_LOSS, "the disk is full");
}

static void errors_of_the_writer_are_handed_on(void** state) {
  (void)state;
  tn_module_t* module = tn__testing_read(jax_program);
  TN_ASSERT_CODE(DATA_LOSS, tn_module_print(module, refuse, NULL));
  tn_module_release(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_a_program_as_jax_writes_it),
      cmocka_unit_test(an_empty_text_is_an_empty_module),
      cmocka_unit_test(operations_share_equal_attributes),
      cmocka_unit_test(spellings_of_one_program_are_one_module),
      cmocka_unit_test(constants_of_one_value_are_one),
      cmocka_unit_test(a_sharding_constraint_is_its_operand),
      cmocka_unit_test(names_end_with_their_region),
      cmocka_unit_test(memory_may_run_out_anywhere),
      cmocka_unit_test(errors_of_the_writer_are_handed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
