// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/custom.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

static int call_count;

static tn_compiled_t* compile(tn_scope_t* s, const tn_closure_t* function) {
  tn_compiled_t* compiled = NULL;
  TN_ASSERT_OK(tn_closure_compile(s, function, NULL, &compiled));
  return compiled;
}

static tn_array_t* call(tn_compiled_t* compiled, tn_scope_t* s, size_t count,
                        tn_array_t* const* inputs) {
  tn_array_t* y = NULL;
  TN_ASSERT_OK(tn_compiled_call(compiled, s, count, inputs, 1, &y));
  return y;
}

static tn_array_t* numbers(tn_scope_t* s, size_t rank, const int64_t* dims) {
  tn_array_t* x = tn__testing_range(s, rank, dims);
  return tn_array_sin(s, tn_array_multiply(s, x, tn_array_scalar(s, TN_DTYPE_F32, 0.7)));
}

static void assert_close(tn_scope_t* s, tn_array_t* got, tn_array_t* wanted) {
  double is_close = 0;
  assert_int_equal(tn_array_rank(got), tn_array_rank(wanted));
  for (size_t i = 0; i < tn_array_rank(got); ++i) {
    assert_int_equal(tn_array_dims(got)[i], tn_array_dims(wanted)[i]);
  }
  TN_ASSERT_OK(tn_array_item(tn_array_allclose(s, got, wanted, 1e-5, 1e-6, false), &is_close));
  assert_true(is_close == 1);
}

// --- what is called for other shapes

// Layers with means, broadcasts, reductions that keep their dimensions, and sums so far.
static tn_status_t layers(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                          size_t output_count, tn_array_t** out) {
  static const int64_t last[] = {-1}, first[] = {0};
  (void)user, (void)input_count, (void)output_count;
  ++call_count;
  tn_array_t *x = inputs[0], *w = inputs[1];
  x = tn_array_subtract(s, x, tn_array_mean(s, x, 1, last, true));
  x = tn_array_multiply(s, x, tn_array_rsqrt(s, tn_array_var(s, x, 1, last, true, 0)));
  x = tn_array_tanh(s, tn_array_matmul(s, x, w));
  x = tn_array_add(s, x, tn_array_sum(s, w, 1, first, false));
  x = tn_array_softmax(s, x, 1, last, false);
  x = tn_array_add(s, tn_array_cumsum(s, x, 0, false, true), tn_array_ones_like(s, x));
  x = tn_array_concatenate(s, 2, (tn_array_t*[]){x, tn_array_flip(s, x, 1, last)}, 0);
  x = tn_array_swapaxes(s, tn_array_sort(s, x, -1), 0, 1);
  out[0] = tn_array_expand_dims(s, tn_array_mean(s, x, 1, first, false), 1, last);
  return TN_OK;
}

static void a_function_is_called_once_for_each_set_of_shapes(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {layers, NULL};
  tn_compiled_t* compiled = compile(s, &function);
  const int64_t shapes[][2] = {{4, 3}, {2, 3}, {7, 5}, {4, 3}, {2, 3}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    tn_array_t* inputs[] = {numbers(s, 2, shapes[i]), numbers(s, TN_LIST(shapes[i][1], 6))};
    tn_array_t* wanted = NULL;
    TN_ASSERT_OK(layers(NULL, s, 2, inputs, 1, &wanted));
    call_count = 0;
    assert_close(s, call(compiled, s, 2, inputs), wanted);
    assert_int_equal(call_count, i < 3);
  }
  assert_int_equal(tn_compiled_trace_count(compiled), 3);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

static tn_status_t energy(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                          size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* x = tn_array_tanh(s, tn_array_matmul(s, inputs[0], inputs[1]));
  out[0] = tn_array_mean(s, tn_array_multiply(s, x, x), 0, NULL, false);
  return TN_OK;
}

static tn_status_t gradient(void* user, tn_scope_t* s, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  static const tn_closure_t function = {energy, NULL};
  static const size_t argnums[] = {1};
  (void)user, (void)output_count;
  return tn_grad(s, &function, input_count, inputs, 1, argnums, out);
}

static void gradients_inside_are_of_the_shapes_given(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {gradient, NULL};
  tn_compiled_t* compiled = compile(s, &function);
  for (int64_t rows = 2; rows < 6; ++rows) {
    tn_array_t* inputs[] = {numbers(s, TN_LIST(rows, 3)), numbers(s, TN_LIST(3, 4))};
    tn_array_t* wanted = NULL;
    TN_ASSERT_OK(gradient(NULL, s, 2, inputs, 1, &wanted));
    assert_close(s, call(compiled, s, 2, inputs), wanted);
  }
  assert_int_equal(tn_compiled_trace_count(compiled), 4);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

#define HALVE(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  ARG(y, f32, shape_of(x))    \
  RET(z, f32, shape_of(x))

TN_OP(compiled_mix, HALVE, "z = (x + y) / 2") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->z.data[i] = (call->x.data[i] + call->y.data[i]) / 2;
  }
  return TN_OK;
}
TN_DEFINE(compiled_mix, .flags = TN_OP_ELEMENTWISE)

static tn_status_t mix(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                       size_t output_count, tn_array_t** out) {
  const tn_application_t application = {
      sizeof application, "compiled_mix", 2, inputs, 0, NULL, 1, NULL};
  (void)user, (void)input_count, (void)output_count;
  tn_op_apply(s, &application, out);
  return tn_array_status(out[0]);
}

static void operations_of_authors_are_compiled(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_op_register(tn_definition_of(compiled_mix)));
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {mix, NULL};
  tn_compiled_t* compiled = compile(s, &function);
  tn_array_t* inputs[] = {tn__testing_range(s, TN_LIST(2, 2)), tn__testing_range(s, TN_LIST(2))};
  TN_ASSERT_F32(call(compiled, s, 2, inputs), TN_LIST(2, 2), 0, 1, 1, 2);
  inputs[0] = tn__testing_range(s, TN_LIST(3, 1));
  TN_ASSERT_F32(call(compiled, s, 2, inputs), TN_LIST(3, 2), 0, 0.5, 0.5, 1, 1, 1.5);
  inputs[0] = tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 2));
  tn_array_t* none = call(compiled, s, 2, inputs);
  TN_ASSERT_OK(tn_array_eval(1, &none));
  assert_int_equal(tn_array_size(none), 0);
  assert_int_equal(tn_compiled_trace_count(compiled), 3);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

// --- what follows from a shape

typedef tn_array_t* (*sized_t)(tn_scope_t* s, tn_array_t* x);

static tn_status_t call_function(void* user, tn_scope_t* s, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)input_count, (void)output_count;
  ++call_count;
  out[0] = (*(const sized_t*)user)(s, inputs[0]);
  return tn_array_status(out[0]);
}

static tn_array_t* over_their_number(tn_scope_t* s, tn_array_t* x) {
  const double count = (double)tn_array_dim(x, 0);
  return tn_array_divide(s, x, tn_array_scalar(s, TN_DTYPE_F32, count));
}
static tn_array_t* first_two(tn_scope_t* s, tn_array_t* x) {
  return tn_array_slice(s, x, (const int64_t[]){0, 0}, (const int64_t[]){2, 3}, NULL);
}
static tn_array_t* three_rows(tn_scope_t* s, tn_array_t* x) {
  return tn_array_reshape(s, x, TN_LIST(2, 2, 3));
}
static tn_array_t* with_places(tn_scope_t* s, tn_array_t* x) {
  tn_array_t* places = tn_array_arange(s, TN_DTYPE_F32, 0, (double)tn_array_dim(x, 0), 1);
  return tn_array_add(s, x, tn_array_expand_dims(s, places, 1, (const int64_t[]){1}));
}
static tn_array_t* spread_out(tn_scope_t* s, tn_array_t* x) {
  return tn_array_broadcast_to(s, tn_array_sum(s, x, 0, NULL, false), TN_LIST(4, 3));
}
static tn_array_t* surrounded(tn_scope_t* s, tn_array_t* x) {
  return tn_array_pad(s, x, (const int64_t[]){1, 0}, (const int64_t[]){0, 0}, TN_PAD_CONSTANT,
                      NULL);
}

static tn_array_t* joined_rows(tn_scope_t* s, tn_array_t* x) {
  x = tn_array_flatten(s, tn_array_swapaxes(s, x, 0, 1), 0, -1);
  return tn_array_reshape(s, x, TN_LIST(tn_array_dim(x, 0) / 3, 3));
}
static tn_array_t* places_of_largest(tn_scope_t* s, tn_array_t* x) {
  return tn_array_argmax(s, x, 0, true);
}

static void what_a_function_computes_of_shapes_is_right_for_each(void** state) {
  (void)state;
  static const sized_t functions[] = {over_their_number, first_two,   with_places,      spread_out,
                                      surrounded,        joined_rows, places_of_largest};
  tn_scope_t* s = tn__testing_scope();
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    const tn_closure_t function = {call_function, (void*)&functions[i]};
    tn_compiled_t* compiled = compile(s, &function);
    call_count = 0;
    for (int64_t k = 0; k < 6; ++k) {
      tn_array_t* x = numbers(s, TN_LIST(4 + k % 3, 3));
      assert_close(s, call(compiled, s, 1, &x), functions[i](s, x));
    }
    assert_int_equal(call_count, 3);
    assert_int_equal(tn_compiled_trace_count(compiled), 3);
    tn_compiled_release(compiled);
  }
  tn_scope_destroy(s);
}

static void the_last_programs_are_kept(void** state) {
  (void)state;
  static const sized_t scaled = over_their_number;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {call_function, (void*)&scaled};
  tn_compiled_t* compiled = compile(s, &function);
  call_count = 0;
  for (int64_t rows = 1; rows <= 40; ++rows) {
    tn_array_t *x = numbers(s, TN_LIST(rows, 2)), *first = numbers(s, TN_LIST(1, 2));
    assert_close(s, call(compiled, s, 1, &x), scaled(s, x));
    assert_close(s, call(compiled, s, 1, &first), scaled(s, first));
  }
  assert_int_equal(call_count, 40);  // what is used again and again stays
  tn_array_t *known = numbers(s, TN_LIST(10, 2)), *forgotten = numbers(s, TN_LIST(9, 2));
  assert_close(s, call(compiled, s, 1, &known), scaled(s, known));
  assert_int_equal(call_count, 40);
  assert_close(s, call(compiled, s, 1, &forgotten), scaled(s, forgotten));
  assert_int_equal(call_count, 41);
  assert_int_equal(tn_compiled_trace_count(compiled), 41);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

static void what_the_function_refuses_is_its_error(void** state) {
  (void)state;
  static const sized_t divided = three_rows;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t function = {call_function, (void*)&divided};
  tn_compiled_t* compiled = compile(s, &function);
  tn_array_t *x = numbers(s, TN_LIST(4, 3)), *other = numbers(s, TN_LIST(5, 3)), *y = NULL;
  assert_close(s, call(compiled, s, 1, &x), three_rows(s, x));
  TN_ASSERT_REPORT("reshape: an array of 15 elements has no shape 2x2x3",
                   tn_compiled_call(compiled, s, 1, &other, 1, &y));
  assert_null(y);
  assert_int_equal(tn_compiled_trace_count(compiled), 1);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_function_is_called_once_for_each_set_of_shapes),
      cmocka_unit_test(gradients_inside_are_of_the_shapes_given),
      cmocka_unit_test(operations_of_authors_are_compiled),
      cmocka_unit_test(what_a_function_computes_of_shapes_is_right_for_each),
      cmocka_unit_test(the_last_programs_are_kept),
      cmocka_unit_test(what_the_function_refuses_is_its_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
