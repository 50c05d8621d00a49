// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every way to write an operation: what is read, and how it is written again.
#include "base/testing.h"
#include "text/testing_text.h"

typedef struct form {
  const char* arguments;  // of the function around
  const char* text;       // one operation or more
  const char* written;    // NULL: the same
} form_t;

static const form_t forms[] = {
    // Constants and what has no operands.
    {"", "%cst = stablehlo.constant dense<1.500000e+00> : tensor<f32>", NULL},
    {"", "%c = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi32>", NULL},
    {"", "%c = stablehlo.constant {k = \"v\"} dense<true> : tensor<i1>", NULL},
    {"", "%c = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>", NULL},
    {"", "%c = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<2xcomplex<f32>>",
     NULL},
    {"", "%c = stablehlo.constant() <{value = dense<1> : tensor<2xi8>}> : () -> tensor<2xi8>",
     "%c = stablehlo.constant dense<1> : tensor<2xi8>"},
    {"", "%c = \"stablehlo.constant\"() {value = dense<1> : tensor<2xi8>} : () -> tensor<2xi8>",
     "%c = stablehlo.constant dense<1> : tensor<2xi8>"},
    {"", "%0 = stablehlo.iota dim = 1 : tensor<2x3xi32>", NULL},
    {"", "%0 = stablehlo.create_token : !stablehlo.token", NULL},
    {"", "%0 = stablehlo.after_all : !stablehlo.token", NULL},
    {"%t: !stablehlo.token", "%0 = stablehlo.after_all %t, %t : !stablehlo.token", NULL},
    {"", "%0 = stablehlo.replica_id : tensor<ui32>", NULL},
    // One type for everything, or a function type.
    {"%x: tensor<2xf32>", "%0 = stablehlo.abs %x : tensor<2xf32>", NULL},
    {"%x: tensor<2xcomplex<f32>>",
     "%0 = stablehlo.abs %x : (tensor<2xcomplex<f32>>) -> tensor<2xf32>", NULL},
    {"%x: tensor<2xf32>", "%0 = stablehlo.abs %x {a.b = 1 : i64, c} : tensor<2xf32>", NULL},
    {"%x: tensor<2xf32>", "%0 = stablehlo.abs %x : (tensor<2xf32>) -> tensor<2xf32>",
     "%0 = stablehlo.abs %x : tensor<2xf32>"},
    {"%x: tensor<2xf32>", "%0 = \"stablehlo.abs\"(%x) : (tensor<2xf32>) -> tensor<2xf32>",
     "%0 = stablehlo.abs %x : tensor<2xf32>"},
    {"%x: tensor<2xf32>", "%0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi32>", NULL},
    {"%x: tensor<3xi32>", "%0 = stablehlo.convert %x : tensor<3xi32>", NULL},
    {"%x: tensor<2xf32>", "%0 = stablehlo.is_finite %x : (tensor<2xf32>) -> tensor<2xi1>", NULL},
    {"%x: tensor<2xf32>",
     "%0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = "
     "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>",
     NULL},
    {"%x: tensor<2xf32>", "%0 = stablehlo.add %x, %x : tensor<2xf32>", NULL},
    {"%x: tensor<2xf32>", "%0 = stablehlo.complex %x, %x : tensor<2xcomplex<f32>>", NULL},
    {"%x: tensor<2xf32>", "%0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2xf32>",
     NULL},
    {"%x: tensor<2xf32>",
     "%0 = stablehlo.compare LT, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>", NULL},
    {"%x: tensor<2xf32>",
     "%0 = stablehlo.compare  LT, %x, %x,  TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xi1>",
     "%0 = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xi1>"},
    {"%x: tensor<2xf32>",
     "%0 = \"stablehlo.compare\"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction "
     "EQ>}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
     "%0 = stablehlo.compare EQ, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>"},
    {"%p: tensor<2xi1>, %x: tensor<2xf32>",
     "%0 = stablehlo.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>", NULL},
    {"%p: tensor<2xi1>, %x: tensor<2xf32>",
     "%0 = stablehlo.select %p, %x, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xf32>",
     "%0 = stablehlo.select %p, %x, %x : tensor<2xi1>, tensor<2xf32>"},
    {"%m: tensor<f32>, %x: tensor<2xf32>",
     "%0 = stablehlo.clamp %m, %x, %m : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> "
     "tensor<2xf32>",
     NULL},
    // Shapes.
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>", NULL},
    {"%x: tensor<3xf32>",
     "%0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>", NULL},
    {"%x: tensor<f32>",
     "%0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2xf32>", NULL},
    {"%x: tensor<3xf32>",
     "%0 = \"stablehlo.broadcast_in_dim\"(%x) {broadcast_dimensions = dense<1> : tensor<1xi64>} : "
     "(tensor<3xf32>) -> tensor<2x3xf32>",
     "%0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>"},
    {"%x: tensor<3xf32>, %s: tensor<2xi32>",
     "%0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] {known_expanding_dimensions = "
     "array<i64: 0>} : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>",
     NULL},
    {"%x: tensor<2x3xf32>",
     "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>", NULL},
    {"%x: tensor<2x3xf32>", "%0 = stablehlo.reverse %x, dims = [0] : tensor<2x3xf32>", NULL},
    {"%x: tensor<3x8xf32>",
     "%0 = stablehlo.slice %x [0:2, 1:7:2] : (tensor<3x8xf32>) -> tensor<2x3xf32>", NULL},
    {"%x: tensor<f32>", "%0 = stablehlo.slice %x [] : (tensor<f32>) -> tensor<f32>", NULL},
    {"%x: tensor<3x8xf32>, %i: tensor<i32>",
     "%0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<3x8xf32>, tensor<i32>, "
     "tensor<i32>) -> tensor<1x2xf32>",
     NULL},
    {"%x: tensor<f32>",
     "%0 = stablehlo.dynamic_slice %x, sizes = [] : (tensor<f32>) -> tensor<f32>", NULL},
    {"%x: tensor<2x3xf32>, %z: tensor<f32>",
     "%0 = stablehlo.pad %x, %z, low = [0, 1], high = [2, -1], interior = [0, 1] : "
     "(tensor<2x3xf32>, tensor<f32>) -> tensor<4x5xf32>",
     NULL},
    {"%x: tensor<2x3xf32>",
     "%0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
     "tensor<4x3xf32>",
     NULL},
    {"%x: tensor<5xf32>, %i: tensor<2x1xi32>",
     "%0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<"
     "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
     "indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<5xf32>, "
     "tensor<2x1xi32>) -> tensor<2xf32>",
     NULL},
    {"%x: tensor<?x3xf32>",
     "%0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>", NULL},
    {"%x: tensor<5xf32>, %n: tensor<i32>",
     "%0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<5xf32>, tensor<i32>) -> "
     "tensor<?xf32, #stablehlo.bounds<5>>",
     NULL},
    // Tuples and several results.
    {"%x: tensor<2xf32>, %y: tensor<i32>",
     "%0 = stablehlo.tuple %x, %y : tuple<tensor<2xf32>, tensor<i32>>", NULL},
    {"", "%0 = stablehlo.tuple : tuple<>", NULL},
    {"%f: !stablehlo.future<tensor<2xf32>, tensor<i1>>",
     "%0:2 = \"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<2xf32>, tensor<i1>>) -> "
     "(tensor<2xf32>, tensor<i1>)",
     NULL},
    {"%t: tuple<tensor<2xf32>, tuple<>>",
     "%0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<2xf32>, tuple<>>) -> tuple<>", NULL},
    {"%x: tensor<2xf32>, %y: tensor<i32>",
     "%0:2 = stablehlo.optimization_barrier %x, %y : tensor<2xf32>, tensor<i32>", NULL},
    {"", "stablehlo.optimization_barrier()", NULL},
    {"%x: tensor<2xf32>, %y: tensor<i32>",
     "%a-b$.c, %d = stablehlo.optimization_barrier %x, %y : tensor<2xf32>, tensor<i32>\n"
     "%e = stablehlo.abs %a-b$.c : tensor<2xf32>",
     "%a-b$.c, %d = stablehlo.optimization_barrier %x, %y : tensor<2xf32>, tensor<i32>\n"
     "    %e = stablehlo.abs %a-b$.c : tensor<2xf32>"},
    {"%x: tensor<2xf32>, %y: tensor<i32>",
     "%r:2 = stablehlo.optimization_barrier %x, %y : tensor<2xf32>, tensor<i32>\n"
     "%e = stablehlo.abs %r#1 : tensor<i32>",
     "%r:2 = stablehlo.optimization_barrier %x, %y : tensor<2xf32>, tensor<i32>\n"
     "    %e = stablehlo.abs %r#1 : tensor<i32>"},
    // Contractions.
    {"%a: tensor<2x3xf32>, %b: tensor<3x4xf32>",
     "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, "
     "tensor<3x4xf32>) -> tensor<2x4xf32>",
     NULL},
    {"%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>",
     "%0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], "
     "precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = tf32, rhs_precision_type = "
     "tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
     "num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<5x2x3xf32>, "
     "tensor<5x3x4xf32>) -> tensor<5x2x4xf32>",
     NULL},
    {"%a: tensor<2xf32>",
     "%0 = \"stablehlo.dot_general\"(%a, %a) <{dot_dimension_numbers = #stablehlo.dot<"
     "lhs_contracting_dimensions = [], rhs_contracting_dimensions = [],>}> : (tensor<2xf32>, "
     "tensor<2xf32>) -> tensor<2x2xf32>",
     "%0 = stablehlo.dot_general %a, %a, contracting_dims = [] x [] : (tensor<2xf32>, "
     "tensor<2xf32>) -> tensor<2x2xf32>"},
    {"%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>",
     "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
     "window = {stride = [2, 2], pad = [[1, 0], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, "
     "1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} "
     ": (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>",
     NULL},
    {"%x: tensor<1x8x3xf32>, %w: tensor<1x3x4xf32>",
     "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b,0,f]x[0,i,o]->[b,0,f], window = {reverse "
     "= [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x3xf32>, "
     "tensor<1x3x4xf32>) -> tensor<1x8x4xf32>",
     "%0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = "
     "{reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
     "(tensor<1x8x3xf32>, tensor<1x3x4xf32>) -> tensor<1x8x4xf32>"},
    // Regions.
    {"%x: tensor<2x3xf32>, %z: tensor<f32>",
     "%0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : "
     "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
     NULL},
    {"%x: tensor<2x3xf32>, %z: tensor<f32>, %y: tensor<2x3xi32>, %w: tensor<i32>",
     "%0:2 = stablehlo.reduce(%x init: %z), (%y init: %w) across dimensions = [1] : "
     "(tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, "
     "tensor<2xi32>)\n"
     "     reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {\n"
     "      stablehlo.return %b, %c : tensor<f32>, tensor<i32>\n"
     "    }",
     NULL},
    {"%n: tensor<i32>, %x: tensor<2xf32>",
     "%0:2 = stablehlo.while(%iterArg = %n, %v = %x) : tensor<i32>, tensor<2xf32> attributes {k = "
     "\"v\"}\n"
     "    cond {\n"
     "      %1 = stablehlo.compare LT, %iterArg, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "      stablehlo.return %1 : tensor<i1>\n"
     "    } do {\n"
     "      stablehlo.return %iterArg, %v : tensor<i32>, tensor<2xf32>\n"
     "    }",
     NULL},
    {"%p: tensor<i1>",
     "stablehlo.while()\n"
     "    cond {\n"
     "      stablehlo.return %p : tensor<i1>\n"
     "    } do {\n"
     "      stablehlo.return\n"
     "    }",
     NULL},
    {"%i: tensor<i32>, %x: tensor<2xf32>",
     "%0 = \"stablehlo.case\"(%i) ({\n"
     "      stablehlo.return %x : tensor<2xf32>\n"
     "    }, {\n"
     "      %1 = stablehlo.abs %x : tensor<2xf32>\n"
     "      stablehlo.return %1 : tensor<2xf32>\n"
     "    }) : (tensor<i32>) -> tensor<2xf32>",
     NULL},
    {"%x: tensor<8xf32>",
     "%0 = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n"
     "    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
     "      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "      stablehlo.return %1 : tensor<i1>\n"
     "    }) : (tensor<8xf32>) -> tensor<8xf32>",
     NULL},
    // Calls.
    {"%x: tensor<3xf32>",
     "%0 = stablehlo.custom_call @my_target(%x) {api_version = 4 : i32, backend_config = {alpha = "
     "2.500000e+00 : f32, flag = true, name = \"hi\"}} : (tensor<3xf32>) -> tensor<3xf32>",
     NULL},
    {"%x: tensor<3xf32>",
     "%0:2 = stablehlo.custom_call @\"has space\"(%x) {backend_config = "
     "\"a\\22b\\\\\\00\\C3\\A9\", "
     "has_side_effect = true, mhlo.backend_config = {}, operand_layouts = [dense<0> : "
     "tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<"
     "output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts "
     "= [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<3xf32>) -> "
     "(tensor<3xf32>, tensor<f32>)",
     NULL},
    {"%x: tensor<3xf32>", "stablehlo.custom_call @sink(%x) : (tensor<3xf32>) -> ()", NULL},
    {"%x: tensor<3xf32>", "%0 = call @f(%x) : (tensor<3xf32>) -> tensor<3xf32>", NULL},
    {"%x: tensor<3xf32>",
     "%0 = stablehlo.composite \"ns.op\" %x {composite_attributes = {k = 1 : i64}, decomposition = "
     "@f, version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>",
     NULL},
    {"%x: tensor<2x3xf32>, %y: tensor<2xi8>, %c: tensor<3xf32>",
     "%0:2 = chlo.scan(%x, %y) inits (%c) dimension=0 attributes {is_reverse = true} {\n"
     "    ^bb0(%arg3: tensor<3xf32>, %arg4: tensor<i8>, %arg5: tensor<3xf32>):\n"
     "      %1 = stablehlo.add %arg3, %arg5 : tensor<3xf32>\n"
     "      stablehlo.return %1, %1 : tensor<3xf32>, tensor<3xf32>\n"
     "    } : (tensor<2x3xf32>, tensor<2xi8>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)",
     NULL},
    {"%x: tensor<2xf32>",
     "%0 = chlo.scan(%x) inits () dimension=0 {\n"
     "    ^bb0(%arg1: tensor<f32>):\n"
     "      stablehlo.return %arg1 : tensor<f32>\n"
     "    } : (tensor<2xf32>) -> tensor<2xf32>",
     NULL},
    {"%c: tensor<2xf32>",
     "%0:2 = chlo.scan() inits (%c) dimension=0 attributes {scan_dim_size = 3 : i64} {\n"
     "    ^bb0(%arg1: tensor<2xf32>):\n"
     "      stablehlo.return %arg1, %arg1 : tensor<2xf32>, tensor<2xf32>\n"
     "    } : (tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)",
     NULL},
    {"", "%0 = chlo.constant {k} dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>", NULL},
    // Attributes that mean nothing to us are kept.
    {"%x: tensor<3xf32>",
     "%0 = stablehlo.abs %x {a = array<i64: 1, -2>, b = array<i1: true>, c = array<i64>, d = [1 : "
     "i32, \"s\", @f, tensor<2xf32>, f32, unit], e = dense<[1, 2]> : tensor<2xi8>, f = "
     "0x7FC00000 : f32, g = #sdy.sharding<@mesh, [{\"x\"}, {}]>, h = 18446744073709551615 : ui64, "
     "i = #stablehlo<precision HIGH>, j = @a::@b, k = (tensor<2xf32>) -> tensor<f32>, l = "
     "#stablehlo.channel_handle<handle = 1, type = 0>} : tensor<3xf32>",
     NULL},
};

// The operations in a module, as text.
static char* wrap(const char* arguments, const char* text) {
  static const char format[] =
      "module {\n"
      "  func.func @main(%s) {\n"
      "    %s\n"
      "    return\n"
      "  }\n"
      "  func.func private @f(%%arg0: tensor<3xf32>) -> tensor<3xf32> {\n"
      "    return %%arg0 : tensor<3xf32>\n"
      "  }\n"
      "}\n";
  size_t capacity = sizeof format + strlen(arguments) + strlen(text);
  char* program = malloc(capacity);
  assert_non_null(program);
  snprintf(program, capacity, format, arguments, text);
  return program;
}

static void every_form_is_read_and_written(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    const form_t* form = &forms[i];
    char* program = wrap(form->arguments, form->text);
    char* wanted = wrap(form->arguments, form->written ? form->written : form->text);
    tn_module_t* module = tn__testing_read(program);
    char* text = tn__testing_print(module);
    if (strcmp(text, wanted) != 0) fail_msg("wanted:\n%s\ngot:\n%s", wanted, text);
    tn_module_t* again = tn__testing_read(text);
    tn__testing_assert_same_module(module, again);
    tn_module_release(module);
    tn_module_release(again);
    free(program);
    free(wanted);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_is_read_and_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
