// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transforms of functions that the caller calls.
#include <tenon/detail/program.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

static tn_array_t* numbers(tn_scope_t* s) {
  return tn__testing_f32(s, TN_LIST(2), (const float[]){1, 2});
}

static void gradients_and_tangents_are_of_the_outputs_that_are_given(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *inputs[] = {numbers(s), numbers(s)}, *tracers[2], *outputs[2], *values[2],
             *changes[2];
  tn_trace_t* trace = NULL;
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_DERIVATIVE, 2, inputs, NULL, &trace, tracers));
  TN_ASSERT_F32(tracers[1], TN_LIST(2), 1, 2);
  outputs[0] = tn_array_multiply(s, tracers[0], tn_array_square(s, tracers[1]));
  outputs[1] = tn_array_negative(s, tracers[0]);
  tn_array_t* ones = tn__testing_f32(s, TN_LIST(2), (const float[]){1, 1});
  TN_ASSERT_OK(tn_trace_vjp(trace, s, 2, outputs, (tn_array_t*[]){ones, NULL}, values, changes));
  TN_ASSERT_F32(values[0], TN_LIST(2), 1, 8);
  TN_ASSERT_F32(changes[0], TN_LIST(2), 1, 4);
  TN_ASSERT_F32(changes[1], TN_LIST(2), 2, 8);
  TN_ASSERT_OK(tn_trace_vjp(trace, s, 1, &outputs[1], &ones, NULL, changes));
  TN_ASSERT_F32(changes[0], TN_LIST(2), -1, -1);
  TN_ASSERT_OK(tn_trace_jvp(trace, s, (tn_array_t*[]){ones, NULL}, 2, outputs, values, changes));
  TN_ASSERT_F32(changes[0], TN_LIST(2), 1, 4);
  TN_ASSERT_F32(changes[1], TN_LIST(2), -1, -1);
  tn_trace_end(trace);
  tn_scope_destroy(s);
}

static void traces_nest(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *x = tn_array_scalar(s, TN_DTYPE_F32, 2), *a = NULL, *b = NULL, *slope = NULL;
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 1);
  tn_trace_t *outer = NULL, *inner = NULL;
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_DERIVATIVE, 1, &x, NULL, &outer, &a));
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_DERIVATIVE, 1, &a, NULL, &inner, &b));
  tn_array_t* cube = tn_array_multiply(s, b, tn_array_square(s, b));
  TN_ASSERT_OK(tn_trace_vjp(inner, s, 1, &cube, &one, NULL, &slope));
  tn_trace_end(inner);
  TN_ASSERT_OK(tn_trace_vjp(outer, s, 1, &slope, &one, NULL, &b));
  tn_trace_end(outer);
  TN_ASSERT_F32(slope, TN_NO_DIMS, 12);
  TN_ASSERT_F32(b, TN_NO_DIMS, 12);
  tn_scope_destroy(s);
}

static void a_batch_is_of_elements(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* rows = tn__testing_f32(s, TN_LIST(2, 3), (const float[]){1, 2, 3, 4, 5, 6});
  tn_array_t *inputs[] = {rows, numbers(s)}, *tracers[2], *batch = NULL;
  tn_trace_t* trace = NULL;
  const int64_t axes[] = {-1, TN_NO_AXIS};
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_BATCH, 2, inputs, axes, &trace, tracers));
  assert_int_equal(tn_array_rank(tracers[0]), 1);
  tn_array_t* sum = tn_array_add(s, tracers[0], tracers[1]);
  TN_ASSERT_OK(tn_trace_vmap(trace, s, 1, &sum, NULL, &batch));
  TN_ASSERT_F32(batch, TN_LIST(3, 2), 2, 6, 3, 7, 4, 8);
  tn_trace_end(trace);
  tn_scope_destroy(s);
}

static void a_program_is_for_the_types_of_its_trace(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *x = numbers(s), *tracer = NULL, *y = NULL;
  tn_trace_t* trace = NULL;
  tn_compiled_t* compiled = NULL;
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_TYPES, 1, &x, NULL, &trace, &tracer));
  y = tn_array_add(s, tn_array_square(s, tracer), x);  // x is a constant
  TN_ASSERT_OK(tn_trace_compile(trace, s, 1, &y, &compiled));
  TN_ASSERT_OK(tn_trace_export(trace, s, 1, &y, &module));
  tn_trace_end(trace);
  tn_array_t* other = tn__testing_f32(s, TN_LIST(2), (const float[]){10, 20});
  TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &other, 1, &y));
  TN_ASSERT_F32(y, TN_LIST(2), 101, 402);
  other = tn_array_scalar(s, TN_DTYPE_F32, 3);
  TN_ASSERT_REPORT("inputs of other shapes", tn_compiled_call(compiled, s, 1, &other, 1, &y));
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_DERIVATIVE, 1, &x, NULL, &trace, &tracer));
  TN_ASSERT_REPORT("need a new one", tn_compiled_call(compiled, s, 1, &tracer, 1, &y));
  tn_trace_end(trace);
  tn_module_release(module);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

static void graphs_are_modules_of_what_arrays_depend_on(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *x = numbers(s), *y = tn_array_sin(s, x), *missing = NULL, *other = NULL;
  tn_array_t* both[] = {y, tn_array_add(s, y, x)};
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_array_graph(s, 2, both, &module));
  const size_t main = tn_module_find(module, "main");
  assert_int_equal(tn_module_input_count(module, main), 1);
  assert_int_equal(tn_module_output_count(module, main), 2);
  tn_module_release(module);
  TN_ASSERT_OK(tn_array_eval(2, both));
  TN_ASSERT_OK(tn_array_graph(s, 2, both, &module));
  assert_int_equal(tn_module_input_count(module, main), 2);
  tn_module_release(module);
  tn_trace_t* trace = NULL;
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_TYPES, 1, &x, NULL, &trace, &other));
  TN_ASSERT_OK(tn_array_graph(s, 1, &other, &module));
  tn_module_release(module);
  tn_trace_end(trace);
  TN_ASSERT_REPORT("operand 0 is NULL", tn_array_graph(s, 1, &missing, &module));
  tn_scope_destroy(s);
}

static void what_makes_no_sense_is_refused(void** state) {
  (void)state;
  tn_scope_t *s = tn__testing_scope(), *other = tn__testing_scope();
  tn_array_t *x = numbers(s), *tracer = NULL, *y = NULL;
  tn_trace_t* trace = NULL;
  TN_ASSERT_REPORT("there is no kind 7",
                   tn_trace_begin(s, (tn_trace_kind_t)7, 1, &x, NULL, &trace, &tracer));
  TN_ASSERT_REPORT("no axis 1",
                   tn_trace_begin(s, TN_TRACE_BATCH, 1, &x, (int64_t[]){1}, &trace, &tracer));
  TN_ASSERT_OK(tn_trace_begin(s, TN_TRACE_DERIVATIVE, 1, &x, NULL, &trace, &tracer));
  TN_ASSERT_REPORT("is of the kind TN_TRACE_DERIVATIVE; expected TN_TRACE_BATCH",
                   tn_trace_vmap(trace, s, 1, &tracer, NULL, &y));
  TN_ASSERT_REPORT("not nested with", tn_trace_vjp(trace, other, 1, &tracer, &x, NULL, &y));
  y = NULL;
  TN_ASSERT_REPORT("operand 0 is NULL", tn_trace_vjp(trace, s, 1, &y, &x, NULL, &y));
  tn_trace_end(trace);
  tn_trace_end(NULL);
  tn_scope_destroy(other);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_and_tangents_are_of_the_outputs_that_are_given),
      cmocka_unit_test(traces_nest),
      cmocka_unit_test(a_batch_is_of_elements),
      cmocka_unit_test(a_program_is_for_the_types_of_its_trace),
      cmocka_unit_test(graphs_are_modules_of_what_arrays_depend_on),
      cmocka_unit_test(what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
