// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays of scopes that are not nested: two graphs, which meet in operations.
#include <tenon/detail/context.h>
#include <tenon/detail/transform.h>

#include "base/testing_allocator.h"
#include "lazy/array.h"
#include "lazy/testing_lazy.h"

static tn_device_t* devices[2];
static tn_scope_t* scopes[2];

static int begin(void** state) {
  (void)state;
  static const char* const names[] = {"cpu", "reference"};
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(tn_device_create(names[i], NULL, &devices[i]));
    TN_ASSERT_OK(tn_scope_create(devices[i], &scopes[i]));
  }
  return 0;
}

static int end(void** state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    tn_scope_destroy(scopes[i]);
    tn_device_release(devices[i]);
  }
  return 0;
}

// 0, 2, 4... not computed yet.
static tn_array_t* pending(tn_scope_t* scope, size_t rank, const int64_t* dims) {
  tn_array_t* x = tn__testing_range(scope, rank, dims);
  return tn_array_add(scope, x, x);
}

static void an_operand_of_another_scope_is_evaluated_and_enters(void** state) {
  (void)state;
  tn_array_t* x = pending(scopes[1], TN_LIST(3));
  tn_array_t* y = pending(scopes[0], TN_LIST(3));
  tn_array_t* sum = tn_array_add(scopes[0], x, y);
  assert_true(tn_array_is_evaluated(x));
  assert_false(tn_array_is_evaluated(y));
  assert_ptr_equal(tn_array_device(sum), devices[0]);
  TN_ASSERT_F32(sum, TN_LIST(3), 0, 4, 8);
  TN_ASSERT_F32(tn_array_multiply(scopes[1], sum, x), TN_LIST(3), 0, 8, 32);
}

static void what_has_entered_outlives_its_scope_and_device(void** state) {
  (void)state;
  tn_array_t* x = tn_array_transpose(scopes[1], pending(scopes[1], TN_LIST(2, 2)), NULL);
  tn_array_t* y = tn_array_negative(scopes[0], x);
  tn_scope_destroy(scopes[1]);
  tn_device_release(devices[1]);
  scopes[1] = NULL;
  devices[1] = NULL;
  TN_ASSERT_F32(y, TN_LIST(2, 2), 0, -4, -2, -6);
}

static void views_enter_as_views(void** state) {
  (void)state;
  tn_array_t* x = tn__testing_range(scopes[1], TN_LIST(2, 3));
  tn_array_t* rows = tn_array_slice(scopes[1], tn_array_transpose(scopes[1], x, NULL),
                                    (int64_t[]){1, 0}, (int64_t[]){3, 2}, NULL);
  tn_array_t* back = tn_array_transpose(scopes[0], rows, NULL);
  assert_ptr_equal(tn__array_root(back)->buffer, tn__array_root(rows)->buffer);
  TN_ASSERT_F32(tn_array_negative(scopes[0], back), TN_LIST(2, 2), -1, -2, -4, -5);
}

static void arrays_of_several_scopes_are_evaluated_together(void** state) {
  (void)state;
  tn_array_t* arrays[4];
  for (int i = 0; i < 4; ++i) arrays[i] = pending(scopes[i % 2], TN_LIST(3));
  TN_ASSERT_OK(tn_array_async_eval(2, arrays));
  TN_ASSERT_OK(tn_array_eval(4, arrays));
  for (int i = 0; i < 4; ++i) TN_ASSERT_F32(arrays[i], TN_LIST(3), 0, 2, 4);
}

static void errors_enter_too(void** state) {
  (void)state;
  tn_array_t* error = tn_array_error(scopes[1], tn_status_create(TN_CODE_ABORTED, "it was not"));
  tn_array_t* x = tn_array_negative(scopes[0], error);
  tn_scope_clear(scopes[1]);
  TN_ASSERT_REPORT("it was not", tn_array_status(x));
}

// --- transforms

// The product of the input and the array of `user`, by way of the other scope if there is one.
typedef struct product {
  tn_array_t* factor;
  tn_scope_t* scope;  // NULL: that of the transform
} product_t;

static tn_status_t multiply(void* user, tn_scope_t* scope, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  const product_t* product = user;
  (void)input_count, (void)output_count;
  out[0] = tn_array_sum(
      scope, tn_array_multiply(product->scope ? product->scope : scope, inputs[0], product->factor),
      0, NULL, false);
  return TN_OK;
}

static tn_status_t constant(void* user, tn_scope_t* scope, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)scope, (void)input_count, (void)inputs, (void)output_count;
  out[0] = user;
  return TN_OK;
}

static void to_transforms_they_are_constants(void** state) {
  (void)state;
  product_t product = {.factor = pending(scopes[1], TN_LIST(3))};
  const tn_closure_t function = {multiply, &product}, same = {constant, product.factor};
  tn_array_t *x = pending(scopes[1], TN_LIST(3)), *y = NULL;
  tn_compiled_t* compiled = NULL;
  TN_ASSERT_OK(tn_grad(scopes[0], &function, 1, &x, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 0, 2, 4);
  const int64_t axis = 0, all = TN_NO_AXIS;
  TN_ASSERT_OK(tn_vmap(scopes[0], &same, 1, &x, &axis, 1, &all, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 0, 2, 4);
  TN_ASSERT_OK(tn_closure_compile(scopes[0], &function, NULL, &compiled));
  TN_ASSERT_OK(tn_compiled_call(compiled, scopes[0], 1, &x, 1, &y));
  TN_ASSERT_F32(y, TN_NO_DIMS, 20);
  tn_compiled_release(compiled);
}

static void a_derivative_cannot_get_lost_on_the_way(void** state) {
  (void)state;
  product_t product = {tn__testing_range(scopes[1], TN_LIST(3)), scopes[1]};
  const tn_closure_t function = {multiply, &product};
  tn_array_t *x = pending(scopes[0], TN_LIST(3)), *gradient = NULL;
  TN_ASSERT_REPORT("an operand of shape 3 depends on an input of a transform that is under way",
                   tn_grad(scopes[0], &function, 1, &x, 1, NULL, &gradient));
  product.scope = NULL;
  TN_ASSERT_OK(tn_grad(scopes[0], &function, 1, &x, 1, NULL, &gradient));
  TN_ASSERT_F32(tn_array_negative(scopes[1], gradient), TN_LIST(3), 0, -1, -2);
}

// --- contexts, threads, memory

static void arrays_of_two_contexts_are_refused(void** state) {
  (void)state;
  tn_context_t* context = NULL;
  tn_device_t* device = NULL;
  tn_scope_t* other = NULL;
  TN_ASSERT_OK(tn_context_create(NULL, &context));
  const tn_device_options_t options = {.struct_size = sizeof options, .context = context};
  TN_ASSERT_OK(tn_device_create("reference", &options, &device));
  TN_ASSERT_OK(tn_scope_create(device, &other));
  tn_array_t* x = tn__testing_range(other, TN_LIST(3));
  tn_array_t* sum = tn_array_add(scopes[0], tn__testing_range(scopes[0], TN_LIST(3)), x);
  TN_ASSERT_REPORT("add: operand 1 was made in a scope on reference, this one is on cpu",
                   tn_array_status(sum));
  TN_ASSERT_REPORT("they belong to two contexts, which share nothing", tn_array_status(sum));
  assert_null(tn_array_device(sum));
  tn_scope_destroy(other);
  tn_device_release(device);
  tn_context_release(context);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* user) {
  (void)user;
  tn_device_t* own[2] = {NULL, NULL};
  tn_scope_t* scope[2] = {NULL, NULL};
  const tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .thread_count = 1};
  tn_status_t status = TN_OK;
  for (int i = 0; !status && i < 2; ++i) {
    status = tn_device_create("cpu", &options, &own[i]);
    if (!status) status = tn_scope_create(own[i], &scope[i]);
  }
  if (!status) {
    tn_array_t* x = tn_array_transpose(scope[1], pending(scope[1], TN_LIST(2, 3)), NULL);
    tn_array_t* y = tn_array_negative(scope[0], tn_array_flip(scope[1], x, TN_NO_DIMS));
    status = tn_array_eval(1, &y);
  }
  for (int i = 0; i < 2; ++i) {
    tn_scope_destroy(scope[i]);
    tn_device_release(own[i]);
  }
  return status;
}

static void entering_survives_any_refused_allocation(void** state) {
  (void)state;
  tn__testing_sweep_allocations(attempt, NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(an_operand_of_another_scope_is_evaluated_and_enters),
      TEST(what_has_entered_outlives_its_scope_and_device),
      TEST(views_enter_as_views),
      TEST(arrays_of_several_scopes_are_evaluated_together),
      TEST(errors_enter_too),
      TEST(to_transforms_they_are_constants),
      TEST(a_derivative_cannot_get_lost_on_the_way),
      TEST(arrays_of_two_contexts_are_refused),
      cmocka_unit_test(entering_survives_any_refused_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
