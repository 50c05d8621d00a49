// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transforms, compiled, exported and imported functions, operations of authors, and what arrays are
// asked for, with every allocation refused in turn: from the device on, and for graphs that are met
// for the first time and again.
#include <tenon/custom.h>
#include <tenon/detail/call.h>
#include <tenon/detail/transform.h>

#include "base/testing_allocator.h"
#include "lazy/testing_lazy.h"

typedef tn_status_t (*work_t)(tn_scope_t* s);

static tn_status_t do_twice(const tn_allocator_t* allocator, work_t work) {
  const tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .thread_count = 1};
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  tn_status_t status = tn_device_create("cpu", &options, &device);
  if (!status) status = tn_scope_create(device, &scope);
  for (int round = 0; round < 2 && !status; ++round) {
    status = work(scope);
    tn_scope_clear(scope);
  }
  tn_scope_destroy(scope);
  tn_device_release(device);
  return status;
}

// What a refusal leaves as it is (a number that nothing needs in the end) is fine as well: the work
// looks at its results.
static size_t attempt(work_t work, size_t number, bool all_after) {
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  tn__testing_refuse_allocations(number, all_after);
  tn_status_t status = do_twice(&testing.allocator, work);
  const size_t refused = tn__testing_refused_allocation_count();
  tn__testing_refuse_allocations(0, false);
  if (status && (!refused || tn_status_code(status) != TN_CODE_RESOURCE_EXHAUSTED)) {
    char report[2048];
    tn_status_format(status, report, sizeof report);
    fail_msg("allocation %zu%s refused: %s", number, all_after ? " and all later ones" : "",
             report);
  }
  tn_status_release(status);
  tn__testing_allocator_assert_empty(&testing);
  return refused;
}

static void sweep(work_t work) {
  const bool every_one = getenv("TENON_LONG_TESTS") != NULL;
  for (int all_after = 0; all_after < 2; ++all_after) {
    size_t number = 1;
    while (attempt(work, number, all_after)) number += every_one ? 1 : 1 + number / 16;
    assert_true(number > 100);
  }
}

// --- what the work is made of

static tn_array_t* numbers(tn_scope_t* s, size_t rank, const int64_t* dims) {
  static const float data[] = {0.5F, -1, 2, 0.25F, 1.5F, -0.5F};
  return tn__testing_f32(s, rank, dims, data);
}

static tn_status_t expect(tn_array_t* array, double wanted) {
  double got = 0;
  TN_RETURN_IF_ERROR(tn_array_item(array, &got));
  assert_true(got - wanted < 1e-4 && wanted - got < 1e-4);
  return TN_OK;
}

static tn_status_t expect_sum(tn_scope_t* s, tn_array_t* array, double wanted) {
  return expect(tn_array_sum(s, array, 0, NULL, false), wanted);
}

// x[0]^3, and the sum of x[0] x[1]^T.
static tn_status_t cube_and_product(void* user, tn_scope_t* s, size_t input_count,
                                    tn_array_t* const* x, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_multiply(s, x[0], tn_array_square(s, x[0]));
  tn_array_t* product = tn_array_matmul(s, x[0], tn_array_transpose(s, x[1], NULL));
  out[1] = tn_array_sum(s, product, 0, NULL, false);
  return TN_OK;
}

static tn_status_t sum_of_cubes(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                                size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_multiply(s, x[0], tn_array_square(s, x[0]));
  out[0] = tn_array_sum(s, out[0], 0, NULL, false);
  return TN_OK;
}

static tn_status_t slope_of_cubes(void* user, tn_scope_t* s, size_t input_count,
                                  tn_array_t* const* x, size_t output_count, tn_array_t** out) {
  static const tn_closure_t function = {sum_of_cubes, NULL};
  (void)user, (void)output_count;
  TN_RETURN_IF_ERROR(tn_grad(s, &function, input_count, x, 1, NULL, out));
  out[0] = tn_array_sum(s, out[0], 0, NULL, false);
  return TN_OK;
}

// --- functions that the caller calls

static tn_status_t transform_traces(tn_scope_t* s) {
  const tn_trace_kind_t kinds[] = {TN_TRACE_DERIVATIVE, TN_TRACE_BATCH, TN_TRACE_TYPES};
  tn_status_t status = TN_OK;
  for (size_t i = 0; i < 3 && !status; ++i) {
    tn_array_t *x = numbers(s, TN_LIST(2, 3)), *tracer = NULL, *y = NULL, *change = NULL;
    tn_trace_t* trace = NULL;
    tn_compiled_t* compiled = NULL;
    tn_module_t* module = NULL;
    TN_RETURN_IF_ERROR(tn_trace_begin(s, kinds[i], 1, &x, NULL, &trace, &tracer));
    tn_array_t* square = tn_array_square(s, tracer);
    if (kinds[i] == TN_TRACE_DERIVATIVE) {
      status = tn_trace_vjp(trace, s, 1, &square, &x, &y, &change);
      if (!status) status = tn_trace_jvp(trace, s, &x, 1, &square, &y, &change);
    } else if (kinds[i] == TN_TRACE_BATCH) {
      status = tn_trace_vmap(trace, s, 1, &square, NULL, &y);
    } else {
      status = tn_trace_export(trace, s, 1, &square, &module);
      if (!status) status = tn_trace_compile(trace, s, 1, &square, &compiled);
      if (!status) status = tn_compiled_call(compiled, s, 1, &x, 1, &y);
    }
    tn_trace_end(trace);
    if (!status) status = expect_sum(s, y, 0.25 + 1 + 4 + 0.0625 + 2.25 + 0.25);
    tn_compiled_release(compiled);
    tn_module_release(module);
  }
  return status;
}

static void functions_that_the_caller_calls_survive(void** state) {
  (void)state;
  sweep(transform_traces);
}

// --- derivatives and batches

static tn_status_t derive(tn_scope_t* s) {
  const tn_closure_t function = {cube_and_product, NULL}, slope = {slope_of_cubes, NULL};
  tn_array_t* x[] = {numbers(s, TN_LIST(2, 3)), numbers(s, TN_LIST(2, 3))};
  tn_array_t *y[2], *changes[2], *second = NULL;
  TN_RETURN_IF_ERROR(tn_jvp(s, &function, 2, x, (tn_array_t*[]){x[1], NULL}, 2, y, changes));
  TN_RETURN_IF_ERROR(expect_sum(s, changes[0], 3 * (0.125 - 1 + 8 + 0.015625 + 3.375 - 0.125)));
  TN_RETURN_IF_ERROR(tn_vjp(s, &function, 2, x, 2, (tn_array_t*[]){x[0], NULL}, y, changes));
  TN_RETURN_IF_ERROR(expect_sum(s, changes[0], 3 * (0.125 - 1 + 8 + 0.015625 + 3.375 - 0.125)));
  TN_RETURN_IF_ERROR(expect_sum(s, changes[1], 0));
  const tn_closure_t sum = {sum_of_cubes, NULL};
  TN_RETURN_IF_ERROR(tn_value_and_grad(s, &sum, 1, x, 1, NULL, 1, y, changes));
  TN_RETURN_IF_ERROR(expect(y[0], 0.125 - 1 + 8 + 0.015625 + 3.375 - 0.125));
  TN_RETURN_IF_ERROR(tn_grad(s, &slope, 1, x, 1, NULL, &second));
  return expect_sum(s, second, 6 * (0.5 - 1 + 2 + 0.25 + 1.5 - 0.5));
}

static void derivatives_survive(void** state) {
  (void)state;
  sweep(derive);
}

static tn_status_t rows_at(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                           size_t output_count, tn_array_t** out) {
  static const int64_t zero = 0;
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* place = tn_array_astype(s, tn_array_sum(s, x[0], 0, NULL, false), TN_DTYPE_S32);
  out[0] = tn_array_take(s, x[1],
                         tn_array_clip(s, place, tn_array_scalar(s, TN_DTYPE_S32, 0),
                                       tn_array_scalar(s, TN_DTYPE_S32, 1)),
                         zero);
  out[1] = tn_array_ones(s, TN_DTYPE_F32, TN_LIST(2));
  return TN_OK;
}

static tn_status_t batch(tn_scope_t* s) {
  const tn_closure_t rows = {rows_at, NULL}, slope = {slope_of_cubes, NULL};
  tn_array_t* x[] = {numbers(s, TN_LIST(3, 2)), numbers(s, TN_LIST(2, 3))};
  const int64_t in_axes[] = {1, TN_NO_AXIS}, out_axes[] = {-1, 0};
  tn_array_t* y[2];
  TN_RETURN_IF_ERROR(tn_vmap(s, &rows, 2, x, in_axes, 2, out_axes, y));
  TN_RETURN_IF_ERROR(expect_sum(s, y[0], 2.75));
  TN_RETURN_IF_ERROR(expect_sum(s, y[1], 4));
  TN_RETURN_IF_ERROR(tn_vmap(s, &slope, 1, x, NULL, 1, NULL, y));
  return expect_sum(s, y[0], 3 * (0.25 + 1 + 4 + 0.0625 + 2.25 + 0.25));
}

static void batches_survive(void** state) {
  (void)state;
  sweep(batch);
}

// --- functions with rules of their own

static int live_functions;

static void count_down(void* user) {
  (void)user;
  --live_functions;
}

static void assert_no_errors(size_t count, tn_array_t* const* arrays) {
  for (size_t i = 0; i < count; ++i) {
    if (arrays[i]) assert_int_not_equal(tn_array_dtype(arrays[i]), TN_DTYPE_INVALID);
  }
}

static tn_status_t twice_jvp(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                             tn_array_t* const* tangents, size_t output_count, tn_array_t** out) {
  (void)user, (void)output_count;
  assert_no_errors(input_count, x);
  assert_no_errors(input_count, tangents);
  out[0] = tn_array_add(s, tangents[0], tangents[0]);
  return TN_OK;
}

static tn_status_t twice_vjp(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                             size_t output_count, tn_array_t* const* cotangents,
                             tn_array_t* const* outputs, tn_array_t** out) {
  (void)user;
  assert_no_errors(input_count, x);
  assert_no_errors(output_count, cotangents);
  assert_no_errors(output_count, outputs);
  out[0] = tn_array_add(s, cotangents[0], cotangents[0]);
  return TN_OK;
}

static tn_status_t twice_vmap(void* user, tn_scope_t* s, int64_t batch_size, size_t input_count,
                              tn_array_t* const* x, const int64_t* axes, size_t output_count,
                              tn_array_t** out, int64_t* out_axes) {
  (void)user, (void)batch_size, (void)output_count;
  assert_no_errors(input_count, x);
  out[0] = tn_array_add(s, x[0], x[0]);
  out_axes[0] = axes[0];
  return TN_OK;
}

static tn_status_t with_rules(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                              size_t output_count, tn_array_t** out) {
  (void)user;
  const tn_custom_function_t function = {.struct_size = sizeof function,
                                         .function = {sum_of_cubes, NULL},
                                         .jvp = twice_jvp,
                                         .vjp = twice_vjp,
                                         .vmap = twice_vmap,
                                         .destroy = count_down};
  ++live_functions;
  TN_RETURN_IF_ERROR(tn_custom_function_call(s, &function, input_count, x, output_count, out));
  // A cotangent of two uses is a sum.
  out[0] = tn_array_add(s, tn_array_sin(s, out[0]), tn_array_cos(s, out[0]));
  return TN_OK;
}

// The sum of the function over rows, whose derivatives are by its rules.
static tn_status_t over_rows(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                             size_t output_count, tn_array_t** out) {
  const tn_closure_t function = {with_rules, user};
  tn_array_t* y = NULL;
  TN_RETURN_IF_ERROR(tn_vmap(s, &function, input_count, x, NULL, output_count, NULL, &y));
  out[0] = tn_array_sum(s, y, 0, NULL, false);
  return TN_OK;
}

static tn_status_t checkpointed(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                                size_t output_count, tn_array_t** out) {
  static const tn_closure_t function = {sum_of_cubes, NULL};
  (void)user;
  return tn_checkpoint(s, &function, input_count, x, output_count, out);
}

static tn_status_t use_rules(tn_scope_t* s) {
  const tn_closure_t function = {with_rules, NULL}, again = {checkpointed, NULL};
  tn_array_t *x = tn_array_scalar(s, TN_DTYPE_F32, 0), *y = NULL, *change = NULL;
  TN_RETURN_IF_ERROR(tn_jvp(s, &function, 1, &x, &x, 1, &y, &change));
  TN_RETURN_IF_ERROR(expect(change, 0));
  TN_RETURN_IF_ERROR(tn_grad(s, &function, 1, &x, 1, NULL, &change));
  TN_RETURN_IF_ERROR(expect(change, 2));
  tn_array_t* rows = tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(3));
  TN_RETURN_IF_ERROR(tn_vmap(s, &function, 1, &rows, NULL, 1, NULL, &y));
  TN_RETURN_IF_ERROR(expect_sum(s, y, 3));
  const tn_closure_t each = {over_rows, NULL};
  TN_RETURN_IF_ERROR(tn_grad(s, &each, 1, &rows, 1, NULL, &change));
  TN_RETURN_IF_ERROR(expect_sum(s, change, 3 * 2));
  TN_RETURN_IF_ERROR(tn_jvp(s, &each, 1, &rows, &rows, 1, &y, &change));
  TN_RETURN_IF_ERROR(expect(change, 0));
  tn_array_t* matrix = numbers(s, TN_LIST(2, 3));
  TN_RETURN_IF_ERROR(tn_grad(s, &again, 1, &matrix, 1, NULL, &change));
  return expect_sum(s, change, 3 * (0.25 + 1 + 4 + 0.0625 + 2.25 + 0.25));
}

static void functions_with_rules_survive_and_rules_get_no_errors(void** state) {
  (void)state;
  live_functions = 0;
  sweep(use_rules);
  assert_int_equal(live_functions, 0);
}

// --- compiled functions

static tn_array_t* state_array;  // retained

static tn_status_t accumulate(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                              size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  state_array = tn_array_add(s, state_array, tn_array_sum(s, x[0], 0, NULL, false));
  out[0] = tn_array_multiply(s, x[0], state_array);
  return TN_OK;
}

static tn_status_t call_compiled(tn_scope_t* s, tn_compiled_t* compiled) {
  tn_array_t* x = numbers(s, TN_LIST(2, 3));
  tn_array_t *line = numbers(s, TN_LIST(2)), *y = NULL;
  for (int i = 1; i <= 2; ++i) {
    TN_RETURN_IF_ERROR(tn_compiled_call(compiled, s, 1, &x, 1, &y));
    TN_RETURN_IF_ERROR(expect(state_array, 2.75 * i));
    TN_RETURN_IF_ERROR(expect_sum(s, y, 2.75 * 2.75 * i));
  }
  // A view, of another shape.
  line = tn_array_flip(s, line, 0, NULL);
  TN_RETURN_IF_ERROR(tn_compiled_call(compiled, s, 1, &line, 1, &y));
  return expect(state_array, 2 * 2.75 - 0.5);
}

static tn_status_t compile(tn_scope_t* s) {
  tn_array_t** const places[] = {&state_array};
  const tn_compiled_options_t options = {.struct_size = sizeof options,
                                         .captured_input_count = 1,
                                         .captured_inputs = places,
                                         .captured_output_count = 1,
                                         .captured_outputs = places};
  const tn_closure_t function = {accumulate, NULL};
  tn_compiled_t* compiled = NULL;
  state_array = tn_array_retain(tn_array_scalar(s, TN_DTYPE_F32, 0));
  tn_status_t status = tn_closure_compile(s, &function, &options, &compiled);
  if (!status) status = call_compiled(s, compiled);
  tn_compiled_release(compiled);
  tn_array_release(state_array);
  return status;
}

static void compiled_functions_survive(void** state) {
  (void)state;
  sweep(compile);
}

static tn_status_t layers(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                          size_t output_count, tn_array_t** out) {
  static const int64_t last[] = {-1}, first[] = {0};
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* y = tn_array_subtract(s, x[0], tn_array_mean(s, x[0], 1, last, true));
  y = tn_array_matmul(s, y, tn_array_transpose(s, x[0], NULL));
  y = tn_array_concatenate(s, 2, (tn_array_t*[]){y, tn_array_flip(s, y, 1, last)}, 0);
  y = tn_array_sort(s, tn_array_cumsum(s, y, 0, false, true), -1);
  out[0] = tn_array_expand_dims(s, tn_array_sum(s, y, 1, first, false), 1, last);
  return TN_OK;
}

static tn_status_t call_for_shapes(tn_scope_t* s, tn_compiled_t* compiled) {
  tn_array_t* x[] = {numbers(s, TN_LIST(2, 3)), numbers(s, TN_LIST(3, 2)),
                     numbers(s, TN_LIST(1, 4))};
  for (size_t i = 0; i < 3; ++i) {
    tn_array_t *got = NULL, *wanted = NULL;
    TN_RETURN_IF_ERROR(tn_compiled_call(compiled, s, 1, &x[i], 1, &got));
    TN_RETURN_IF_ERROR(layers(NULL, s, 1, &x[i], 1, &wanted));
    TN_RETURN_IF_ERROR(expect_sum(s, tn_array_subtract(s, got, wanted), 0));
  }
  return TN_OK;
}

static tn_status_t compile_for_shapes(tn_scope_t* s) {
  const tn_closure_t function = {layers, NULL};
  tn_compiled_t* compiled = NULL;
  TN_RETURN_IF_ERROR(tn_closure_compile(s, &function, NULL, &compiled));
  tn_status_t status = call_for_shapes(s, compiled);
  tn_compiled_release(compiled);
  return status;
}

static void functions_compiled_for_any_shapes_survive(void** state) {
  (void)state;
  sweep(compile_for_shapes);
}

// --- modules

static tn_status_t sum_of_imported(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* x, size_t output_count, tn_array_t** out) {
  TN_RETURN_IF_ERROR(tn_imported_call(user, s, input_count, x, output_count, out));
  out[0] = tn_array_sum(s, out[0], 0, NULL, false);
  return TN_OK;
}

static tn_status_t use_imported(tn_scope_t* s, tn_imported_t* imported) {
  const tn_closure_t function = tn_imported_closure(imported), sum = {sum_of_imported, imported};
  tn_array_t *x = numbers(s, TN_LIST(2, 3)), *line = numbers(s, TN_LIST(3)), *y = NULL;
  TN_RETURN_IF_ERROR(tn_imported_call(imported, s, 1, &x, 1, &y));
  TN_RETURN_IF_ERROR(expect(y, 0.125 - 1 + 8 + 0.015625 + 3.375 - 0.125));
  TN_RETURN_IF_ERROR(tn_grad(s, &sum, 1, &line, 1, NULL, &y));
  TN_RETURN_IF_ERROR(expect_sum(s, y, 3 * (0.25 + 1 + 4)));
  TN_RETURN_IF_ERROR(tn_vmap(s, &function, 1, &x, NULL, 1, NULL, &y));
  return expect_sum(s, y, 0.125 - 1 + 8 + 0.015625 + 3.375 - 0.125);
}

static tn_status_t use_module(tn_scope_t* s, tn_module_t* module) {
  tn_imported_t* imported = NULL;
  TN_RETURN_IF_ERROR(tn_import_function(s, module, NULL, &imported));
  tn_status_t status = use_imported(s, imported);
  tn_imported_release(imported);
  return status;
}

static tn_status_t export_and_import(tn_scope_t* s) {
  const tn_closure_t function = {sum_of_cubes, NULL};
  tn_array_t *x = numbers(s, TN_LIST(2, 3)), *line = numbers(s, TN_LIST(3));
  const tn_export_t exports[] = {{"main", function, 1, &x, 1}, {"line", function, 1, &line, 1}};
  tn_module_t* module = NULL;
  TN_RETURN_IF_ERROR(tn_export_function(s, &function, 1, &x, 1, &module));
  tn_module_release(module);
  TN_RETURN_IF_ERROR(tn_export_functions(s, 2, exports, &module));
  tn_status_t status = use_module(s, module);
  tn_module_release(module);
  return status;
}

static void exports_and_imports_survive(void** state) {
  (void)state;
  sweep(export_and_import);
}

// With regions that take something from outside, folds, products, calls, and a call of an author's
// operation.
static const char module_text[] =
    "func.func @main(%x: tensor<2x3xf32>, %limit: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %start = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  %w = stablehlo.constant dense<[0.5, 1.0, 2.0]> : tensor<3xf32>\n"
    "  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0],\n"
    "    precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>\n"
    "  %m = stablehlo.reduce(%x init: %start) applies stablehlo.maximum across dimensions = [1]\n"
    "    : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
    "  %q = stablehlo.add %p, %m : tensor<2xf32>\n"
    "  %r = stablehlo.custom_call @memory_blend(%q, %q) {api_version = 4 : i32,\n"
    "    backend_config = {scale = 4.0 : f32}} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
    "  %y, %n = stablehlo.while(%a = %r, %i = %zero) : tensor<2xf32>, tensor<i32>\n"
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

// --- operations of authors

#define BLEND(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  ARG(y, f32, shape_of(x))    \
  ATTR(scale, float, 2.0f)    \
  RET(z, f32, shape_of(x))

TN_OP(memory_blend, BLEND, "z = scale * x + y") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->z.data[i] = call->scale * call->x.data[i] + call->y.data[i];
  }
  return TN_OK;
}

static tn_status_t blend_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  assert_no_errors(rule->operand_count, rule->operands);
  assert_no_errors(1, call->cotangents);
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* t = call->cotangents[0];
    tn_array_t* scale = tn_rule_constant(rule, t, tn_rule_attribute(rule, "scale"));
    call->out_cotangents[i] = call->argnums[i] == 0 ? tn_rule_multiply(rule, scale, t) : t;
  }
  return TN_OK;
}

static tn_status_t infer_blend(const tn_rule_t* rule, int64_t (*dims)[TN_MAX_RANK],
                               tn_array_type_t* types) {
  const tn_array_t* x = rule->operands[0];
  assert_no_errors(rule->operand_count, rule->operands);
  types[0] = (tn_array_type_t){rule->api->dtype(x), rule->api->rank(x), dims[0]};
  if (types[0].rank) memcpy(dims[0], rule->api->dims(x), types[0].rank * sizeof *dims[0]);
  return TN_OK;
}

TN_DEFINE(memory_blend, .flags = TN_OP_ELEMENTWISE, .infer = infer_blend, .vjp = blend_vjp)

#define ROW_SUMS(ARG, ATTR, RET) \
  ARG(x, f32, rank(2))           \
  RET(y, f32, rank(1))

TN_OP(memory_row_sums, ROW_SUMS, "y[i] = sum of x[i, :]") {
  const int64_t columns = tn_dim(call->x, 1);
  for (int64_t i = 0; i < tn_dim(call->x, 0); ++i) {
    call->y.data[i] = 0;
    for (int64_t j = 0; j < columns; ++j) call->y.data[i] += call->x.data[i * columns + j];
  }
  return TN_OK;
}

static tn_status_t infer_row_sums(const tn_rule_t* rule, int64_t (*dims)[TN_MAX_RANK],
                                  tn_array_type_t* types) {
  assert_no_errors(rule->operand_count, rule->operands);
  dims[0][0] = rule->api->dims(rule->operands[0])[0];
  types[0] = (tn_array_type_t){TN_DTYPE_F32, 1, dims[0]};
  return TN_OK;
}

static tn_status_t vmap_row_sums(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  static const int64_t last[] = {-1};
  assert_no_errors(rule->operand_count, rule->operands);
  assert_int_equal(call->axes[0], 0);
  call->out_results[0] = rule->api->sum(rule->scope, rule->operands[0], 1, last, false);
  call->out_axes[0] = 0;
  return TN_OK;
}

TN_DEFINE(memory_row_sums, .infer = infer_row_sums, .vmap = vmap_row_sums)

static tn_status_t apply(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                         size_t output_count, tn_array_t** out) {
  const tn_attribute_t attribute = tn_attribute_float("scale", TN_DTYPE_F32, 4);
  tn_array_t* half = numbers(s, TN_LIST(1));
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_op_apply_one(s, "memory_blend", 2, (tn_array_t*[]){x[0], half}, 1, &attribute);
  return TN_OK;
}

static tn_status_t apply_and_sum(void* user, tn_scope_t* s, size_t input_count,
                                 tn_array_t* const* x, size_t output_count, tn_array_t** out) {
  TN_RETURN_IF_ERROR(apply(user, s, input_count, x, output_count, out));
  out[0] = tn_array_sum(s, out[0], 0, NULL, false);
  return TN_OK;
}

static tn_status_t apply_rows(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* x,
                              size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_op_apply_one(s, "memory_row_sums", 1, x, 0, NULL);
  return TN_OK;
}

static tn_status_t use_operations(tn_scope_t* s) {
  const tn_closure_t sum = {apply_and_sum, NULL}, blend = {apply, NULL}, rows = {apply_rows, NULL};
  tn_array_t *x = numbers(s, TN_LIST(2, 3)), *y = NULL;
  TN_RETURN_IF_ERROR(tn_op_register(tn_definition_of(memory_blend)));
  TN_RETURN_IF_ERROR(tn_op_register(tn_definition_of(memory_row_sums)));
  TN_RETURN_IF_ERROR(tn_grad(s, &sum, 1, &x, 1, NULL, &y));
  TN_RETURN_IF_ERROR(expect_sum(s, y, 24));
  TN_RETURN_IF_ERROR(tn_vmap(s, &blend, 1, &x, NULL, 1, NULL, &y));
  TN_RETURN_IF_ERROR(expect_sum(s, y, 4 * 2.75 + 6 * 0.5));
  y = tn_op_apply_one(s, "memory_row_sums", 1, &x, 0, NULL);
  TN_RETURN_IF_ERROR(expect_sum(s, y, 2.75));
  tn_array_t* stack = tn_array_stack(s, 2, (tn_array_t*[]){x, x}, 0);
  TN_RETURN_IF_ERROR(tn_vmap(s, &rows, 1, &stack, NULL, 1, NULL, &y));
  return expect_sum(s, y, 2 * 2.75);
}

static void operations_of_authors_survive(void** state) {
  (void)state;
  sweep(use_operations);
}

static tn_status_t call_text(tn_scope_t* s, tn_imported_t* imported) {
  tn_array_t* x[] = {numbers(s, TN_LIST(2, 3)), tn_array_scalar(s, TN_DTYPE_S32, 2)};
  tn_array_t* y[2];
  TN_RETURN_IF_ERROR(tn_imported_call(imported, s, 2, x, 2, y));
  TN_RETURN_IF_ERROR(expect(y[1], 2));
  // Products 3.25 and 0.625, maxima 2 and 1.5.
  return expect_sum(s, y[0], 4 * 5 * (3.25 + 0.625 + 2 + 1.5));
}

static tn_status_t import_text(tn_scope_t* s) {
  tn_module_t* module = NULL;
  tn_imported_t* imported = NULL;
  TN_RETURN_IF_ERROR(tn_op_register(tn_definition_of(memory_blend)));
  TN_RETURN_IF_ERROR(
      tn_module_parse(NULL, "test.mlir", module_text, sizeof module_text - 1, &module));
  tn_status_t status = tn_import_function(s, module, "main", &imported);
  tn_module_release(module);
  if (!status) status = call_text(s, imported);
  tn_imported_release(imported);
  return status;
}

static void imports_of_loops_and_calls_survive(void** state) {
  (void)state;
  sweep(import_text);
}

// By how far a number is from 1, which is outside of the comparator; what it does not compare
// goes along.
static const char sort_text[] =
    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
    "  %s:2 = \"stablehlo.sort\"(%x, %x) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):\n"
    "    %da = stablehlo.subtract %a, %one : tensor<f32>\n"
    "    %db = stablehlo.subtract %b, %one : tensor<f32>\n"
    "    %sa = stablehlo.abs %da : tensor<f32>\n"
    "    %sb = stablehlo.abs %db : tensor<f32>\n"
    "    %p = stablehlo.compare LT, %sa, %sb : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  }) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)\n"
    "  %r = stablehlo.multiply %s#0, %s#1 : tensor<3xf32>\n"
    "  return %r : tensor<3xf32>\n"
    "}\n";

static tn_status_t use_sort(tn_scope_t* s, tn_imported_t* imported) {
  const tn_closure_t function = tn_imported_closure(imported), sum = {sum_of_imported, imported};
  tn_array_t *x = numbers(s, TN_LIST(3)), *rows = numbers(s, TN_LIST(2, 3)), *y = NULL;
  TN_RETURN_IF_ERROR(tn_grad(s, &sum, 1, &x, 1, NULL, &y));
  TN_RETURN_IF_ERROR(expect_sum(s, y, 2 * 1.5));
  TN_RETURN_IF_ERROR(tn_vmap(s, &function, 1, &rows, NULL, 1, NULL, &y));
  return expect_sum(s, y, 0.25 + 1 + 4 + 0.0625 + 2.25 + 0.25);
}

static tn_status_t import_sort(tn_scope_t* s) {
  tn_module_t* module = NULL;
  tn_imported_t* imported = NULL;
  TN_RETURN_IF_ERROR(tn_module_parse(NULL, "test.mlir", sort_text, sizeof sort_text - 1, &module));
  tn_status_t status = tn_import_function(s, module, NULL, &imported);
  tn_module_release(module);
  if (!status) status = use_sort(s, imported);
  tn_imported_release(imported);
  return status;
}

static void imports_of_sorts_survive(void** state) {
  (void)state;
  sweep(import_sort);
}

// --- what arrays are asked for

static tn_status_t count_text(void* user, const char* text, size_t length) {
  (void)text;
  *(size_t*)user += length;
  return TN_OK;
}

static tn_status_t share_buffer(tn_scope_t* s, tn_array_t* x, tn_buffer_t* buffer) {
  tn_array_t* shared = tn_array_from_buffer(s, buffer);
  return expect_sum(s, tn_array_subtract(s, x, shared), 0);
}

static tn_status_t ask_in(tn_scope_t* s) {
  tn_array_t* x = numbers(s, TN_LIST(2, 3));
  tn_array_t* y = tn_array_transpose(s, tn_array_add(s, x, x), NULL);
  tn_mapped_array_t view;
  tn_buffer_t* buffer = NULL;
  char text[64];
  size_t length = 0;
  assert_true(tn_array_status(y) || tn_array_describe(y, text, sizeof text) > 0);
  (void)tn_array_is_equivalent(y, x);
  TN_RETURN_IF_ERROR(tn_array_map(y, &view));
  assert_true(((const float*)view.data)[0] == 1);
  tn_array_unmap(y);
  TN_RETURN_IF_ERROR(tn_array_print(y, count_text, &length));
  assert_true(length > 0);
  TN_RETURN_IF_ERROR(tn_array_to_buffer(y, &buffer));
  tn_status_t status = share_buffer(s, y, buffer);
  tn_buffer_release(buffer);
  TN_RETURN_IF_ERROR(status);
  tn_array_t* mask = tn_array_greater(s, x, tn_array_scalar(s, TN_DTYPE_F32, 0));
  const tn_index_t item = TN_AT_ARRAY(mask);
  TN_RETURN_IF_ERROR(expect_sum(s, tn_array_index(s, x, 1, &item), 0.5 + 2 + 0.25 + 1.5));
  tn_array_t* line = numbers(s, TN_LIST(4));
  return expect_sum(s, tn_array_index_update(s, x, 1, &item, line, TN_SCATTER_SET), 1.75 - 1.5);
}

static tn_status_t ask(tn_scope_t* s) {
  tn_scope_t* inner = NULL;
  TN_RETURN_IF_ERROR(tn_scope_create_nested(s, &inner));
  tn_status_t status = ask_in(inner);
  tn_scope_destroy(inner);
  return status;
}

static void questions_to_arrays_survive(void** state) {
  (void)state;
  sweep(ask);
}

static tn_status_t work_on_stream(tn_scope_t* s, tn_stream_t* stream) {
  TN_RETURN_IF_ERROR(tn_scope_set_stream(s, stream));
  tn_array_t* x = numbers(s, TN_LIST(2, 3));
  tn_array_t* y = tn_array_add(s, tn_array_square(s, x), x);
  TN_RETURN_IF_ERROR(tn_array_async_eval(1, &y));
  TN_RETURN_IF_ERROR(tn_scope_synchronize(s));
  TN_RETURN_IF_ERROR(tn_scope_set_stream(s, NULL));
  tn_array_t* z = tn_array_multiply(s, y, x);
  TN_RETURN_IF_ERROR(tn_array_async_eval(1, &z));
  TN_RETURN_IF_ERROR(tn_scope_synchronize(s));
  return expect_sum(s, z, 0.375 + 0 + 12 + 0.078125 + 5.625 + 0.125);
}

static tn_status_t use_streams(tn_scope_t* s) {
  tn_stream_t* stream = NULL;
  TN_RETURN_IF_ERROR(tn_stream_create(tn_scope_device(s), &stream));
  tn_status_t status = work_on_stream(s, stream);
  tn_status_release(tn_scope_set_stream(s, NULL));
  tn_stream_release(stream);
  return status;
}

static void work_on_streams_survives(void** state) {
  (void)state;
  sweep(use_streams);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_that_the_caller_calls_survive),
      cmocka_unit_test(derivatives_survive),
      cmocka_unit_test(batches_survive),
      cmocka_unit_test(functions_with_rules_survive_and_rules_get_no_errors),
      cmocka_unit_test(compiled_functions_survive),
      cmocka_unit_test(functions_compiled_for_any_shapes_survive),
      cmocka_unit_test(exports_and_imports_survive),
      cmocka_unit_test(operations_of_authors_survive),
      cmocka_unit_test(imports_of_loops_and_calls_survive),
      cmocka_unit_test(imports_of_sorts_survive),
      cmocka_unit_test(questions_to_arrays_survive),
      cmocka_unit_test(work_on_streams_survives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
