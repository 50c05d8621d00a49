// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/body.h"

#include "base/testing_allocator.h"
#include "lazy/testing_lazy.h"

static void a_region_is_made_once_for_each_dtype(void** state) {
  (void)state;
  tn_scope_t *s = tn__testing_scope(), *inner = NULL;
  TN_ASSERT_OK(tn_scope_create_nested(s, &inner));
  const tn_region_t* sum = tn__body_of(s, TN__OP(add), TN_DTYPE_F32);
  assert_ptr_equal(sum, tn__body_of(inner, TN__OP(add), TN_DTYPE_F32));
  assert_ptr_not_equal(sum, tn__body_of(s, TN__OP(add), TN_DTYPE_S32));
  assert_ptr_not_equal(sum, tn__body_of(s, TN__OP(multiply), TN_DTYPE_F32));
  assert_int_equal(sum->arguments[1].type->dtype, TN_DTYPE_F32);
  tn_scope_destroy(inner);
  tn_scope_destroy(s);
}

static void a_region_tells_what_it_computes(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_region_t* product = tn__body_of(s, TN__OP(multiply), TN_DTYPE_F32);
  const tn_region_t* replacing = tn__body_replacing(s, TN_DTYPE_F32);
  const tn_region_t* before = tn__body_before(s, TN_DTYPE_F32);
  assert_ptr_equal(tn__body_op(product), TN__OP(multiply));
  assert_false(tn__body_replaces(product));
  assert_null(tn__body_op(replacing));
  assert_true(tn__body_replaces(replacing));
  assert_null(tn__body_op(before));
  assert_false(tn__body_replaces(before));
  assert_ptr_equal(tn__body_op(tn__body_before(s, TN_DTYPE_S32)), TN__OP(compare));
  tn_scope_destroy(s);
}

static tn_status_t sum_and_sort(const tn_allocator_t* allocator, void* context) {
  const tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .thread_count = 1};
  tn_device_t* device = NULL;
  tn_scope_t* s = NULL;
  (void)context;
  tn_status_t status = tn_device_create("cpu", &options, &device);
  if (!status) status = tn_scope_create(device, &s);
  if (!status) {
    tn_array_t* x = tn_array_arange(s, TN_DTYPE_C64, 0, 4, 1);
    x = tn_array_sort(s, x, TN_ALL_AXES);
    x = tn_array_sum(s, x, 0, NULL, false);
    status = tn_array_eval(1, &x);
    if (!status) status = tn_array_status(x);
  }
  tn_scope_destroy(s);
  tn_device_release(device);
  return status;
}

static void refused_memory_is_the_error_of_the_step(void** state) {
  (void)state;
  tn__testing_sweep_allocations(sum_and_sort, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_region_is_made_once_for_each_dtype),
      cmocka_unit_test(a_region_tells_what_it_computes),
      cmocka_unit_test(refused_memory_is_the_error_of_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
