// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Graphs, transforms and evaluation with every allocation refused in turn.
#include <tenon/detail/transform.h>

#include "base/testing_allocator.h"
#include "lazy/testing_lazy.h"

static tn_status_t loss(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* y =
      tn_array_tanh(s, tn_array_multiply(s, inputs[0], tn_array_transpose(s, inputs[1], NULL)));
  out[0] = tn_array_sum(s, y, 0, NULL, false);
  return TN_OK;
}

static tn_status_t over_rows(void* user, tn_scope_t* s, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_exp(s, tn_array_add(s, inputs[0], tn_array_scalar(s, TN_DTYPE_F32, 1)));
  return TN_OK;
}

static tn_status_t work(tn_scope_t* s) {
  const float data[6] = {0};
  const tn_closure_t function = {loss, NULL}, row = {over_rows, NULL};
  const size_t argnums[] = {0, 1};
  float gradient[6];
  tn_array_t* inputs[] = {tn_array_from_host(s, TN_DTYPE_F32, TN_LIST(2, 3), data, sizeof data),
                          tn_array_from_host(s, TN_DTYPE_F32, TN_LIST(3, 2), data, sizeof data)};
  tn_array_t *gradients[2], *batch = NULL;
  TN_RETURN_IF_ERROR(tn_grad(s, &function, 2, inputs, 2, argnums, gradients));
  TN_RETURN_IF_ERROR(tn_vmap(s, &row, 1, inputs, NULL, 1, NULL, &batch));
  TN_RETURN_IF_ERROR(tn_array_eval(1, &batch));
  TN_RETURN_IF_ERROR(tn_array_eval(2, gradients));
  TN_RETURN_IF_ERROR(tn_array_to_host(gradients[0], gradient, sizeof gradient));
  assert_true(gradient[0] == 0);
  return TN_OK;
}

static tn_status_t from_device_to_gradients(const tn_allocator_t* allocator, void* context) {
  const tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .thread_count = 1};
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  (void)context;
  tn_status_t status = tn_device_create("cpu", &options, &device);
  if (!status) status = tn_scope_create(device, &scope);
  for (int round = 0; round < 2 && !status; ++round) {  // step by step, then as a program
    status = work(scope);
    tn_scope_clear(scope);
  }
  tn_scope_destroy(scope);
  tn_device_release(device);
  return status;
}

static void every_allocation_may_fail(void** state) {
  (void)state;
  tn__testing_sweep_allocations(from_device_to_gradients, NULL);
}

static void what_could_not_be_evaluated_can_be_later(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  tn_array_t* y = tn_array_exp(s, tn_array_multiply(s, x, tn_array_scalar(s, TN_DTYPE_F32, 0)));
  for (size_t first = 1; first < 40; ++first) {
    tn__testing_refuse_allocations(first, true);
    tn_status_t status = tn_array_eval(1, &y);
    const size_t refused = tn__testing_refused_allocation_count();
    tn__testing_refuse_allocations(0, false);
    if (!refused) {
      TN_ASSERT_OK(status);
      break;
    }
    TN_ASSERT_CODE(RESOURCE_EXHAUSTED, status);
    if (tn_array_is_evaluated(y)) break;  // the work itself had no memory: that is its result
  }
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(what_could_not_be_evaluated_can_be_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
