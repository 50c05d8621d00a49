// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a name may be registered for again.
#include "call/registry.h"

#include <tenon/operation.h>

#include "call/testing_call.h"
#include "call/testing_operations.h"

#define TABLE TESTING_LIBRARIES "/testing_library_table.so"
#define PLAIN TESTING_LIBRARIES "/testing_library_plain.so"
#define REGISTER TESTING_LIBRARIES "/testing_library_register.so"

static void one(void* out, const void** in) {
  (void)in;
  *(float*)out = 1;
}
static void two(void* out, const void** in) {
  (void)in;
  *(float*)out = 2;
}

static tn_status_t add(const char* name, void (*function)(void*, const void**)) {
  return tn_target_register(name, "Host", (tn_target_function_t)function, TN_API_VERSION_ORIGINAL);
}

static tn_status_t call_number(float* y) {
  return tn__testing_call(
      "func.func @main() -> tensor<f32> {\n"
      "  %0 = stablehlo.custom_call @number() : () -> tensor<f32>\n"
      "  return %0 : tensor<f32>\n}\n",
      0, NULL, 1, (void*[]){y});
}

static void a_name_has_one_function(void** state) {
  (void)state;
  float y = 0;
  TN_ASSERT_OK(add("number", one));
  TN_ASSERT_OK(add("number", one));
  TN_ASSERT_CODE(ALREADY_EXISTS, add("number", two));
  TN_ASSERT_REPORT(
      "custom call @number: a different function is already registered for platform Host, by this "
      "process",
      add("number", two));
  TN_ASSERT_OK(call_number(&y));
  assert_true(y == 1);
}

static void a_name_has_one_function_for_each_platform(void** state) {
  (void)state;
  TN_ASSERT_OK(add("number", one));
  TN_ASSERT_OK(
      tn_target_register("number", "CUDA", (tn_target_function_t)two, TN_API_VERSION_ORIGINAL));
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_target_register("number", "gpu", (tn_target_function_t)one,
                                                    TN_API_VERSION_ORIGINAL));
}

static void a_function_is_replaced_once_it_is_unregistered(void** state) {
  (void)state;
  float y = 0;
  TN_ASSERT_OK(add("number", one));
  TN_ASSERT_OK(tn_target_unregister("number", "Host"));
  TN_ASSERT_OK(add("number", two));
  TN_ASSERT_OK(call_number(&y));
  assert_true(y == 2);
}

static void the_same_function_may_get_another_api_version(void** state) {
  (void)state;
  TN_ASSERT_OK(add("number", one));
  TN_ASSERT_OK(tn_target_register("number", "Host", (tn_target_function_t)one,
                                  TN_API_VERSION_STATUS_RETURNING));
  TN_ASSERT_REPORT("registered for api version 2", call_number(&(float){0}));
}

static void the_library_of_the_first_function_is_named(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_library_load(TABLE));
  TN_ASSERT_OK(tn_library_load(TABLE));
  TN_ASSERT_OK(tn_library_load(TABLE ":negate=negate"));
  TN_ASSERT_REPORT("a different function is already registered for platform Host, by " TABLE,
                   add("negate", one));
  TN_ASSERT_REPORT("custom call @negate: a different function is already registered",
                   tn_library_load(PLAIN ":negate=plain_double"));
  TN_ASSERT_REPORT("custom call @negate: a different function is already registered",
                   tn_library_load(TABLE ":negate=copy_four"));
}

static void a_table_does_not_replace_functions(void** state) {
  (void)state;
  TN_ASSERT_OK(add("copy_four", one));
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_library_load(TABLE));
  TN_ASSERT_OK(tn_target_unregister("copy_four", "Host"));
  TN_ASSERT_OK(tn_library_load(TABLE));
}

static void a_library_that_registers_itself_does_not_replace_functions(void** state) {
  (void)state;
  TN_ASSERT_OK(add("register_zero", one));
  TN_ASSERT_REPORT("custom call @register_zero: a different function is already registered",
                   tn_library_load(REGISTER));
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_library_load(REGISTER));
  TN_ASSERT_OK(tn_target_unregister("register_zero", "Host"));
  TN_ASSERT_OK(tn_library_load(REGISTER));
}

static void what_a_library_registered_elsewhere_does_not_replace_functions(void** state) {
  (void)state;
  tn_context_t* context = NULL;
  TN_ASSERT_OK(tn_library_load(REGISTER));
  TN_ASSERT_OK(tn_context_create(NULL, &context));
  TN_ASSERT_OK(tn_context_register_target(context, "register_zero", "Host",
                                          (tn_target_function_t)one, TN_API_VERSION_ORIGINAL));
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_context_load_library(context, REGISTER));
  TN_ASSERT_OK(tn_context_unregister_target(context, "register_zero", "Host"));
  TN_ASSERT_OK(tn_context_load_library(context, REGISTER));
  TN_ASSERT_OK(tn_context_load_library(context, REGISTER));
  tn_context_release(context);
}

static void calls_of_a_name_with_two_functions_at_start_fail(void** state) {
  (void)state;
  float y = 0;
  tn_target_register_at_start("number", "Host", (tn_target_function_t)one);
  tn_target_register_at_start("number", "Host", (tn_target_function_t)one);
  TN_ASSERT_OK(call_number(&y));
  tn_target_register_at_start("number", "Host", (tn_target_function_t)two);
  TN_ASSERT_REPORT("custom call @number: a different function is already registered",
                   call_number(&y));
  tn_target_register_at_start("number", "Mars", (tn_target_function_t)one);
  tn_target_register_at_start("number", "Mars", (tn_target_function_t)two);
}

static void count_call(void* user) {
  ++*(int*)user;
}

static tn_status_t infer_nothing(const tn_rule_t* rule, int64_t (*out_dims)[TN_MAX_RANK],
                                 tn_array_type_t* out_types) {
  (void)rule;
  (void)out_dims;
  (void)out_types;
  return TN_OK;
}

static void a_name_has_one_definition(void** state) {
  (void)state;
  int destroyed = 0, others_destroyed = 0;
  tn_op_def_t definition = {.struct_size = sizeof definition,
                            .handler = &scale_op,
                            .user = &destroyed,
                            .destroy = count_call};
  TN_ASSERT_OK(tn_op_register(&definition));
  TN_ASSERT_OK(tn_op_register(&definition));
  assert_int_equal(destroyed, 0);
  tn_op_def_t other = definition;
  other.user = &others_destroyed;
  TN_ASSERT_REPORT(
      "custom call @scale: a different definition of the function is already registered",
      tn_op_register(&other));
  assert_int_equal(others_destroyed, 0);  // the caller still owns it
  other = definition;
  other.infer = infer_nothing;
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_op_register(&other));
  TN_ASSERT_OK(tn_target_unregister("scale", "Host"));
  assert_int_equal(destroyed, 1);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, tn__testing_unregister_all)
  const struct CMUnitTest tests[] = {
      TEST(a_name_has_one_function),
      TEST(a_name_has_one_function_for_each_platform),
      TEST(a_function_is_replaced_once_it_is_unregistered),
      TEST(the_same_function_may_get_another_api_version),
      TEST(the_library_of_the_first_function_is_named),
      TEST(a_table_does_not_replace_functions),
      TEST(a_library_that_registers_itself_does_not_replace_functions),
      TEST(what_a_library_registered_elsewhere_does_not_replace_functions),
      TEST(calls_of_a_name_with_two_functions_at_start_fail),
      TEST(a_name_has_one_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
