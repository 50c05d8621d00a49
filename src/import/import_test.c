// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/custom.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

static tn_module_t* parse(const char* text) {
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  return module;
}

static tn_imported_t* import_bytes(tn_scope_t* s, const char* bytes, size_t length) {
  tn_imported_t* imported = NULL;
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", bytes, length, &module));
  TN_ASSERT_OK(tn_import_function(s, module, NULL, &imported));
  tn_module_release(module);
  return imported;
}

static tn_imported_t* import(tn_scope_t* s, const char* text) {
  return import_bytes(s, text, strlen(text));
}

static tn_array_t* call(tn_imported_t* imported, tn_scope_t* s, size_t count,
                        tn_array_t* const* inputs) {
  tn_array_t* output = NULL;
  TN_ASSERT_OK(tn_imported_call(imported, s, count, inputs, 1, &output));
  return output;
}

// What becomes of a function that is written down, as text or as an artifact, and read again.
static tn_imported_t* again(tn_scope_t* s, const tn_closure_t* function, size_t count,
                            tn_array_t* const* inputs, bool is_artifact) {
  tn_testing_text_t text = {.length = 0};
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_export_function(s, function, count, inputs, 1, &module));
  TN_ASSERT_OK(is_artifact ? tn_module_serialize(module, NULL, tn__testing_write, &text)
                           : tn_module_print(module, tn__testing_write, &text));
  tn_module_release(module);
  return import_bytes(s, text.bytes, text.length);
}

// Something of everything that derivatives go through.
static tn_status_t network(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                           size_t output_count, tn_array_t** out) {
  static const int64_t last[] = {-1};
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* x = tn_array_matmul(s, inputs[0], inputs[1]);
  x = tn_array_softmax(s, tn_array_tanh(s, x), 1, last, false);
  x = tn_array_concatenate(s, 2, (tn_array_t*[]){x, tn_array_flip(s, x, 1, last)}, -1);
  x = tn_array_cumsum(s, tn_array_maximum(s, x, tn_array_scalar(s, TN_DTYPE_F32, 0.25)), -1, false,
                      true);
  x = tn_array_sort(s, x, -1);
  out[0] = tn_array_sum(s, tn_array_multiply(s, x, x), 0, NULL, false);
  return TN_OK;
}

static void check_again(bool is_artifact) {
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {network, NULL};
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(2, 2), (const float[]){0.5F, -1, 2, 0.25F}),
                          tn__testing_f32(s, TN_LIST(2, 3), (const float[]){1, 2, 3, -3, 0, 1})};
  tn_array_t *wanted = NULL, *got = NULL;
  double numbers[2];
  tn_imported_t* imported = again(s, &function, 2, inputs, is_artifact);
  TN_ASSERT_OK(network(NULL, s, 2, inputs, 1, &wanted));
  for (int round = 0; round < 3; ++round) {
    got = call(imported, s, 2, inputs);
    assert_false(tn_array_is_evaluated(got));
    TN_ASSERT_OK(tn_array_item(wanted, &numbers[0]));
    TN_ASSERT_OK(tn_array_item(got, &numbers[1]));
    assert_true(numbers[0] == numbers[1]);
  }
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

static void what_is_exported_and_imported_computes_the_same(void** state) {
  (void)state;
  check_again(false);
  check_again(true);
}

// --- transforms

static const char smooth[] =
    "func.func @main(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<f32> {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %two = stablehlo.constant dense<2.0> : tensor<2xf32>\n"
    "  %p = call @product(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>\n"
    "  %q = stablehlo.multiply %p, %two : tensor<2xf32>\n"
    "  %r = stablehlo.tanh %q : tensor<2xf32>\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  %s = stablehlo.reduce(%r init: %one) applies stablehlo.add across dimensions = [0]\n"
    "    : (tensor<2xf32>, tensor<f32>) -> tensor<f32>\n"
    "  return %s : tensor<f32>\n"
    "}\n"
    "func.func private @product(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<2xf32> {\n"
    "  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0],\n"
    "    precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>\n"
    "  return %p : tensor<2xf32>\n"
    "}\n";

static void imported_functions_have_gradients_and_batches(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_imported_t* imported = import(s, smooth);
  const tn_closure_t closure = tn_imported_closure(imported);
  const size_t argnums[] = {1};
  tn_array_t* inputs[] = {tn__testing_range(s, TN_LIST(2, 3)),
                          tn__testing_f32(s, TN_LIST(3), (const float[]){0, 0, 0})};
  tn_array_t *value = NULL, *gradient = NULL;
  TN_ASSERT_OK(tn_value_and_grad(s, &closure, 2, inputs, 1, argnums, 1, &value, &gradient));
  TN_ASSERT_F32(value, TN_NO_DIMS, 1);
  TN_ASSERT_F32(gradient, TN_LIST(3), 6, 10, 14);
  // The same for a batch of weights.
  const int64_t axes[] = {TN_NO_AXIS, 0};
  tn_array_t* batch[] = {inputs[0], tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(4, 3))};
  TN_ASSERT_OK(tn_vmap(s, &closure, 2, batch, axes, 1, NULL, &value));
  TN_ASSERT_F32(value, TN_LIST(4), 1, 1, 1, 1);
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

static void imported_functions_are_compiled(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_imported_t* imported = import(s, smooth);
  const tn_closure_t closure = tn_imported_closure(imported);
  tn_compiled_t* compiled = NULL;
  tn_array_t* inputs[] = {tn__testing_range(s, TN_LIST(2, 3)),
                          tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(3))};
  tn_array_t* y = NULL;
  TN_ASSERT_OK(tn_closure_compile(s, &closure, NULL, &compiled));
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(tn_compiled_call(compiled, s, 2, inputs, 1, &y));
    TN_ASSERT_F32(y, TN_NO_DIMS, 1);
  }
  tn_compiled_release(compiled);
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

// JAX writes a window whose sizes are operands as a call, exporters erf as another.
static void imported_calls_are_the_operations_that_they_stand_for(void** state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<3xf32>) -> tensor<2xf32> {\n"
      "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
      "%o = stablehlo.constant dense<[1]> : tensor<1xi32>\n"
      "%w = stablehlo.add %o, %o : tensor<1xi32>\n"
      "%p = stablehlo.constant dense<0> : tensor<1x2xi32>\n"
      "%0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %z, %w, %o, %o, %o, %p) "
      "{called_computations = [@add]} : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, "
      "tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<2xf32>\n"
      "%1 = stablehlo.custom_call @mhlo.sinh(%z) {mhlo.attributes = {}} : (tensor<f32>) -> "
      "tensor<f32>\n"
      "%2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2xf32>\n"
      "%3 = stablehlo.add %0, %2 : tensor<2xf32>\n"
      "return %3 : tensor<2xf32>\n}\n"
      "func.func private @add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
      "%0 = stablehlo.add %a, %b : tensor<f32>\nreturn %0 : tensor<f32>\n}\n";
  tn_scope_t* s = tn__testing_scope();
  tn_imported_t* imported = import(s, text);
  tn_array_t* x = tn__testing_range(s, TN_LIST(3));
  tn_array_t* y = call(imported, s, 1, &x);
  TN_ASSERT_F32(y, TN_LIST(2), 1, 3);
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

// --- folds

#define FOLD(op, initial)                                                        \
  "func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {\n"                    \
  "  %i = stablehlo.constant dense<" initial                                     \
  "> : tensor<f32>\n"                                                            \
  "  %s = stablehlo.reduce(%x init: %i) applies stablehlo." op                   \
  " across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n" \
  "  return %s : tensor<2xf32>\n"                                                \
  "}\n"

static tn_status_t sum_of_imported(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out) {
  TN_RETURN_IF_ERROR(tn_imported_call(user, s, input_count, inputs, output_count, out));
  out[0] = tn_array_sum(s, out[0], 0, NULL, false);
  return TN_OK;
}

static void initial_values_of_folds_count(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* gradient = NULL;
  tn_imported_t* largest = import(s, FOLD("maximum", "3.5"));
  TN_ASSERT_F32(call(largest, s, 1, &x), TN_LIST(2), 3.5, 5);
  const tn_closure_t closure = {sum_of_imported, largest};
  TN_ASSERT_OK(tn_grad(s, &closure, 1, &x, 1, NULL, &gradient));
  TN_ASSERT_F32(gradient, TN_LIST(2, 3), 0, 0, 0, 0, 0, 1);
  tn_imported_t* plain = import(s, FOLD("maximum", "0xFF800000"));
  TN_ASSERT_F32(call(plain, s, 1, &x), TN_LIST(2), 2, 5);
  tn_imported_t* sum = import(s, FOLD("add", "10.0"));
  TN_ASSERT_F32(call(sum, s, 1, &x), TN_LIST(2), 13, 22);
  tn_imported_release(largest);
  tn_imported_release(plain);
  tn_imported_release(sum);
  tn_scope_destroy(s);
}

// --- what has no rules

// x doubled as often as `limit` says, which the loop's regions take from outside.
static const char loop[] =
    "func.func @main(%x: tensor<2xf32>, %limit: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %y, %n = stablehlo.while(%a = %x, %i = %zero) : tensor<2xf32>, tensor<i32>\n"
    "    cond {\n"
    "      %c = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %c : tensor<i1>\n"
    "    } do {\n"
    "      %b = func.call @twice(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "      %j = stablehlo.add %i, %one : tensor<i32>\n"
    "      stablehlo.return %b, %j : tensor<2xf32>, tensor<i32>\n"
    "    }\n"
    "  return %y, %n : tensor<2xf32>, tensor<i32>\n"
    "}\n"
    "func.func private @twice(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %b = stablehlo.add %a, %a : tensor<2xf32>\n"
    "  return %b : tensor<2xf32>\n"
    "}\n";

static tn_status_t sum_of_loop(void* user, tn_scope_t* s, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  tn_array_t* both[2] = {NULL, NULL};
  tn_array_t* limit = tn_array_scalar(s, TN_DTYPE_S32, 3);
  (void)output_count, (void)input_count;
  TN_RETURN_IF_ERROR(tn_imported_call(user, s, 2, (tn_array_t*[]){inputs[0], limit}, 2, both));
  out[0] = tn_array_sum(s, both[0], 0, NULL, false);
  return TN_OK;
}

static void loops_compute_and_have_no_rules(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_imported_t* imported = import(s, loop);
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(2), (const float[]){1, 3}),
                          tn_array_scalar(s, TN_DTYPE_S32, 3)};
  tn_array_t* both[2] = {NULL, NULL};
  tn_array_t* out = NULL;
  for (int round = 0; round < 3; ++round) {
    TN_ASSERT_OK(tn_imported_call(imported, s, 2, inputs, 2, both));
    TN_ASSERT_F32(tn_array_add(s, both[0], both[0]), TN_LIST(2), 16, 48);
  }
  const tn_closure_t closure = {sum_of_loop, imported};
  TN_ASSERT_REPORT("stablehlo.while: there is no vjp of this operation",
                   tn_grad(s, &closure, 1, inputs, 1, NULL, &out));
  tn_array_t* batch = tn_array_ones(s, TN_DTYPE_F32, TN_LIST(5, 2));
  TN_ASSERT_REPORT("stablehlo.while: there is no vmap of this operation",
                   tn_vmap(s, &closure, 1, &batch, NULL, 1, NULL, &out));
  // Written down again, the loop is there as it was.
  tn_imported_t* twice = again(s, &closure, 1, inputs, true);
  tn_imported_release(imported);
  TN_ASSERT_F32(call(twice, s, 1, inputs), TN_NO_DIMS, 32);
  tn_imported_release(twice);
  tn_scope_destroy(s);
}

// --- operations of authors

#define SCALE(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  ATTR(by, float, 1.0f)       \
  RET(y, f32, shape_of(x))

TN_OP(import_scale, SCALE, "y = by * x") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->by * call->x.data[i];
  return TN_OK;
}

static tn_status_t scale_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t* t = call->cotangents[0];
  tn_array_t* by = tn_rule_constant(rule, t, tn_rule_attribute(rule, "by"));
  call->out_cotangents[0] = tn_rule_multiply(rule, by, t);
  return TN_OK;
}

TN_DEFINE(import_scale, .flags = TN_OP_ELEMENTWISE, .vjp = scale_vjp)

static const char scaled[] =
    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %y = stablehlo.custom_call @import_scale(%x) {api_version = 4 : i32,\n"
    "    backend_config = {by = 4.0 : f32}, operand_layouts = [dense<0> : tensor<1xindex>],\n"
    "    result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<3xf32>) -> tensor<3xf32>\n"
    "  return %y : tensor<3xf32>\n"
    "}\n";

static void operations_of_authors_keep_their_rules(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_op_register(tn_definition_of(import_scale)));
  tn_scope_t* s = tn__testing_scope();
  tn_imported_t* imported = import(s, scaled);
  tn_array_t* x = tn__testing_range(s, TN_LIST(3));
  tn_array_t* y = NULL;
  TN_ASSERT_F32(call(imported, s, 1, &x), TN_LIST(3), 0, 4, 8);
  const tn_closure_t sum = {sum_of_imported, imported};
  TN_ASSERT_OK(tn_grad(s, &sum, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 4, 4, 4);
  const tn_closure_t closure = tn_imported_closure(imported);
  tn_array_t* batch = tn__testing_range(s, TN_LIST(2, 3));
  TN_ASSERT_OK(tn_vmap(s, &closure, 1, &batch, NULL, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2, 3), 0, 4, 8, 12, 16, 20);
  tn_imported_t* twice = again(s, &closure, 1, &x, false);
  TN_ASSERT_F32(call(twice, s, 1, &x), TN_LIST(3), 0, 4, 8);
  tn_imported_release(twice);
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

// --- several functions

static tn_status_t double_it(void* user, tn_scope_t* s, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_add(s, inputs[0], inputs[0]);
  return TN_OK;
}

static void one_module_holds_a_function_for_several_shapes(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* two = tn__testing_range(s, TN_LIST(2));
  tn_array_t* square = tn__testing_range(s, TN_LIST(2, 2));
  tn_array_t* three = tn__testing_range(s, TN_LIST(3));
  tn_array_t* out = NULL;
  const tn_closure_t function = {double_it, NULL};
  tn_export_t exports[] = {{"main", function, 1, &two, 1}, {"square", function, 1, &square, 1}};
  tn_module_t* module = NULL;
  tn_imported_t *imported = NULL, *one = NULL;
  TN_ASSERT_OK(tn_export_functions(s, 2, exports, &module));
  TN_ASSERT_OK(tn_import_function(s, module, NULL, &imported));
  TN_ASSERT_F32(call(imported, s, 1, &two), TN_LIST(2), 0, 2);
  TN_ASSERT_F32(call(imported, s, 1, &square), TN_LIST(2, 2), 0, 2, 4, 6);
  TN_ASSERT_REPORT(
      "tn_imported_call: no function takes these inputs: @main: input 0 is f32 of shape 3; "
      "expected f32 of shape 2; @square: input 0 is f32 of shape 3; expected f32 of shape 2x2",
      tn_imported_call(imported, s, 1, &three, 1, &out));
  TN_ASSERT_OK(tn_import_function(s, module, "square", &one));
  TN_ASSERT_REPORT(
      "tn_imported_call: @square: input 0 is f32 of shape 2; expected f32 of shape 2x2",
      tn_imported_call(one, s, 1, &two, 1, &out));
  tn_imported_release(one);
  TN_ASSERT_REPORT("tn_import_function: the module has no function @cube",
                   tn_import_function(s, module, "cube", &one));
  assert_null(one);
  tn_module_release(module);
  exports[1].name = "main";
  TN_ASSERT_REPORT("@main: function @main is already defined",
                   tn_export_functions(s, 2, exports, &module));
  TN_ASSERT_REPORT("tn_export_functions: no functions", tn_export_functions(s, 0, NULL, &module));
  exports[1].name = NULL;
  TN_ASSERT_REPORT("tn_export_functions: function 1 has no name",
                   tn_export_functions(s, 2, exports, &module));
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

static void mistakes_in_calls_are_named(void** state) {
  (void)state;
  tn_scope_t *s = tn__testing_scope(), *other = tn__testing_scope();
  tn_imported_t* imported = import(s, smooth);
  tn_array_t* inputs[] = {tn__testing_range(s, TN_LIST(2, 3)),
                          tn_array_zeros(s, TN_DTYPE_S32, TN_LIST(3))};
  tn_array_t* out[2] = {NULL, NULL};
  TN_ASSERT_REPORT(
      "tn_imported_call: @main: input 1 (%w) is i32 of shape 3; expected f32 of shape 3",
      tn_imported_call(imported, s, 2, inputs, 1, out));
  TN_ASSERT_REPORT("tn_imported_call: @main takes 2 inputs and gives 1 outputs; asked for 1 and 2",
                   tn_imported_call(imported, s, 1, inputs, 2, out));
  TN_ASSERT_REPORT(
      "tn_imported_call: the function was imported in a scope that this one is not nested with",
      tn_imported_call(imported, other, 2, inputs, 1, out));
  tn_imported_release(imported);
  tn_module_t* module = parse(
      "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  return %x : tensor<?xf32>\n}\n");
  TN_ASSERT_REPORT(
      "tn_import_function: @main: parameter 0 is a tensor<?xf32>; arrays are tensors "
      "of a fixed shape",
      tn_import_function(s, module, NULL, &imported));
  assert_null(imported);
  tn_module_release(module);
  tn_scope_destroy(other);
  tn_scope_destroy(s);
}

// --- shapes without elements or dimensions

static void empty_and_scalar_arrays_pass(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_imported_t* imported =
      import(s,
             "func.func @main(%x: tensor<0x3xf32>, %y: tensor<f32>) -> tensor<0x3xf32> {\n"
             "  %z = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<0x3xf32>\n"
             "  %s = stablehlo.subtract %x, %z : tensor<0x3xf32>\n"
             "  return %s : tensor<0x3xf32>\n}\n");
  tn_array_t* inputs[] = {tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 3)),
                          tn_array_scalar(s, TN_DTYPE_F32, 1)};
  tn_array_t* y = call(imported, s, 2, inputs);
  TN_ASSERT_OK(tn_array_eval(1, &y));
  assert_int_equal(tn_array_size(y), 0);
  assert_int_equal(tn_array_dim(y, 1), 3);
  tn_imported_release(imported);
  imported =
      import(s, "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }");
  TN_ASSERT_F32(call(imported, s, 1, &inputs[1]), TN_NO_DIMS, 1);
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

// By how far a number is from 1, which is outside of the comparator; what it does not compare
// goes along.
static const char by_distance[] =
    "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  %s:2 = \"stablehlo.sort\"(%x, %y) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):\n"
    "    %da = stablehlo.subtract %a, %one : tensor<f32>\n"
    "    %db = stablehlo.subtract %b, %one : tensor<f32>\n"
    "    %sa = stablehlo.abs %da : tensor<f32>\n"
    "    %sb = stablehlo.abs %db : tensor<f32>\n"
    "    %p = stablehlo.compare LT, %sa, %sb : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)\n"
    "  %w = stablehlo.constant dense<[1.0, 10.0, 100.0, 1000.0]> : tensor<4xf32>\n"
    "  %xw = stablehlo.multiply %s#0, %w : tensor<4xf32>\n"
    "  %r = stablehlo.multiply %xw, %s#1 : tensor<4xf32>\n"
    "  return %r : tensor<4xf32>\n"
    "}\n";

static void sorts_by_any_comparator_have_rules(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_imported_t* imported = import(s, by_distance);
  const tn_closure_t closure = tn_imported_closure(imported), sum = {sum_of_imported, imported};
  const size_t argnums[] = {0, 1};
  tn_array_t* inputs[] = {tn__testing_f32(s, TN_LIST(4), (const float[]){4, 1, -1, 2}),
                          tn__testing_f32(s, TN_LIST(4), (const float[]){1, 2, 3, 5})};
  tn_array_t *gradients[2] = {NULL, NULL}, *y = NULL;
  TN_ASSERT_F32(call(imported, s, 2, inputs), TN_LIST(4), 2, 100, -300, 4000);
  TN_ASSERT_OK(tn_grad(s, &sum, 2, inputs, 2, argnums, gradients));
  TN_ASSERT_F32(gradients[0], TN_LIST(4), 1000, 2, 300, 50);
  TN_ASSERT_F32(gradients[1], TN_LIST(4), 4000, 1, -100, 20);
  const int64_t axes[] = {0, TN_NO_AXIS};
  tn_array_t* batch[] = {tn_array_stack(s, 2, (tn_array_t*[]){inputs[0], inputs[1]}, 0), inputs[1]};
  TN_ASSERT_OK(tn_vmap(s, &closure, 2, batch, axes, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(2, 4), 2, 100, -300, 4000, 1, 40, 900, 25000);
  tn_imported_release(imported);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_exported_and_imported_computes_the_same),
      cmocka_unit_test(imported_functions_have_gradients_and_batches),
      cmocka_unit_test(imported_functions_are_compiled),
      cmocka_unit_test(imported_calls_are_the_operations_that_they_stand_for),
      cmocka_unit_test(initial_values_of_folds_count),
      cmocka_unit_test(loops_compute_and_have_no_rules),
      cmocka_unit_test(operations_of_authors_keep_their_rules),
      cmocka_unit_test(one_module_holds_a_function_for_several_shapes),
      cmocka_unit_test(mistakes_in_calls_are_named),
      cmocka_unit_test(sorts_by_any_comparator_have_rules),
      cmocka_unit_test(empty_and_scalar_arrays_pass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
