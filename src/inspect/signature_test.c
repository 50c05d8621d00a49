// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What was learned of a handler, shown and held against calls.
#include <tenon/inspect.h>

#include "base/testing_allocator.h"
#include "call/testing_call.h"
#include "call/testing_foreign.h"

static const float four[] = {1, 2, 3, 4};
#define FOUR                   \
  (tn_testing_array_t) {       \
    TN_DTYPE_F32, 1, {4}, four \
  }
#define CALL(operands, config, types)                                                     \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %b = stablehlo.convert %a : " \
  "(tensor<4xf32>) -> tensor<4xi32>\n  %0 = stablehlo.custom_call @foreign(" operands     \
  ") {mhlo.backend_config = {" config "}} : (" types                                      \
  ") -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"

static tn_status_t copy_body(tn_ffi_call_frame_t* frame) {
  const tn_ffi_buffer_t *x = frame->args.values[0], *y = frame->rets.values[0];
  memcpy(y->data, x->data, (size_t)x->dims[0] * sizeof(float));
  return TN_OK;
}

static const tn_testing_foreign_t copy = {
    .stage = TN_FFI_EXECUTE,
    .lists = {{1, 0, false, {{TN_FFI_F32, 1}}}, {1, 0, false, {{TN_FFI_F32, TN_TESTING_ANY}}}},
    .attr_count = 2,
    .attrs = {{"eps", TN_FFI_SCALAR, TN_FFI_F32}, {"sizes", TN_FFI_ARRAY, TN_FFI_S64}},
    .body = copy_body,
};
static tn_status_t copy_handler(tn_ffi_call_frame_t* frame) {
  return tn__testing_foreign(&copy, frame);
}

// Takes whatever attributes there are.
static const tn_testing_foreign_t open = {
    .stage = TN_FFI_EXECUTE,
    .lists = {{1, 1, true, {{TN_FFI_F32, TN_TESTING_ANY}, {TN_FFI_S32, TN_TESTING_ANY}}},
              {1, 0, false, {{TN_FFI_F32, TN_TESTING_ANY}}}},
    .body = copy_body,
};
static tn_status_t open_handler(tn_ffi_call_frame_t* frame) {
  return tn__testing_foreign(&open, frame);
}

static const tn_testing_foreign_t start = {.stage = TN_FFI_INSTANTIATE};
static tn_status_t start_handler(tn_ffi_call_frame_t* frame) {
  return tn__testing_foreign(&start, frame);
}

static tn_status_t say_only_version(tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start) return TN_OK;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = 1;
  return TN_OK;
}

static void add(tn_ffi_handler_t handler) {
  tn_status_release(tn_target_unregister("foreign", "Host"));
  TN_ASSERT_OK(tn_target_register("foreign", "Host", (tn_target_function_t)handler,
                                  TN_API_VERSION_TYPED_FFI));
}

static int forget(void** state) {
  (void)state;
  tn_status_release(tn_target_unregister("foreign", "Host"));
  return 0;
}

static tn_status_t compile(const char* text) {
  tn_program_t* program = NULL;
  tn_status_t status = tn__testing_compile(text, &program);
  tn_program_release(program);
  return status;
}

typedef struct seen {
  char signature[256], stages[64], unresolved[128];
  size_t parameter_count;
  bool is_probed, is_declared;
  uint32_t traits;
} seen_t;

static bool see(void* user, const tn_target_info_t* info) {
  seen_t* seen = user;
  if (strcmp(info->name, "foreign") != 0) return true;
  snprintf(seen->signature, sizeof seen->signature, "%s", info->signature ? info->signature : "");
  snprintf(seen->stages, sizeof seen->stages, "%s",
           info->stage_signatures ? info->stage_signatures : "");
  snprintf(seen->unresolved, sizeof seen->unresolved, "%s",
           info->unresolved ? info->unresolved : "");
  seen->parameter_count = info->parameter_count;
  seen->is_probed = info->is_probed;
  seen->is_declared = info->is_declared;
  seen->traits = info->traits;
  return false;
}

static seen_t look(void) {
  seen_t seen = {"", "", "", 0, false, false, 0};
  TN_ASSERT_OK(tn_target_enumerate(see, &seen));
  return seen;
}

static void the_registry_shows_the_inferred_signature(void** state) {
  (void)state;
  add(copy_handler);
  assert_false(look().is_probed);
  assert_string_equal(look().signature, "");
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "cpu"));
  seen_t seen = look();
  assert_true(seen.is_probed && !seen.is_declared);
  assert_string_equal(seen.signature,
                      "foreign(f32[rank 1], eps: float, sizes: array(int64_t)) -> (f32)");
  assert_int_equal(seen.parameter_count, 4);
  assert_int_equal(seen.traits, TN_FFI_COMMAND_BUFFER_COMPATIBLE);
  assert_string_equal(seen.unresolved, "");
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));  // asked once
  add(open_handler);
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));
  assert_string_equal(
      look().signature,
      "foreign(f32, i32 or none, any number of any dtype, any attributes) -> (f32)");
}

#define GOOD "eps = 1.0 : f32, sizes = array<i64: 1, 2>"

static void a_call_that_does_not_fit_the_inferred_signature_does_not_compile(void** state) {
  (void)state;
  float y[4] = {0};
  add(copy_handler);
  // It was not probed.
  TN_ASSERT_OK(compile(CALL("%b", GOOD, "tensor<4xi32>")));
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));
  TN_ASSERT_OK(tn__testing_call(CALL("%a", GOOD, "tensor<4xf32>"), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 4);
  TN_ASSERT_REPORT("custom call @foreign: has 2 operands; expected 1",
                   compile(CALL("%a, %a", GOOD, "tensor<4xf32>, tensor<4xf32>")));
  TN_ASSERT_REPORT(
      "custom call @foreign: operand 0 has type tensor<4xi32>; expected elements of f32",
      compile(CALL("%b", GOOD, "tensor<4xi32>")));
  TN_ASSERT_REPORT(
      "custom call @foreign: attribute \"sizes\" is missing; expected "
      "array(int64_t)",
      compile(CALL("%a", "eps = 1.0 : f32", "tensor<4xf32>")));
  TN_ASSERT_REPORT("there is no attribute \"epsi\"",
                   compile(CALL("%a", GOOD ", epsi = 1 : i32", "tensor<4xf32>")));
  TN_ASSERT_REPORT("did you mean eps?",
                   compile(CALL("%a", GOOD ", epsi = 1 : i32", "tensor<4xf32>")));
  TN_ASSERT_REPORT("note: expected eps, sizes",
                   compile(CALL("%a", GOOD ", mood = 1 : i32", "tensor<4xf32>")));
}

static void numbers_are_not_narrowed_for_handlers_of_others(void** state) {
  (void)state;
  add(copy_handler);
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));
  TN_ASSERT_REPORT("custom call @foreign: attribute \"eps\" is 1 : f64; expected float",
                   compile(CALL("%a", "eps = 1.0 : f64, sizes = array<i64: 1>", "tensor<4xf32>")));
  TN_ASSERT_REPORT("its handler declares nothing, and takes exactly that type",
                   compile(CALL("%a", "eps = 1.0 : f64, sizes = array<i64: 1>", "tensor<4xf32>")));
}

static tn_status_t warning_of(const tn_program_t* program, size_t index) {
  tn_status_t warning = TN_OK;
  const bool has_warning = tn_program_warning(program, index, &warning);
  assert_int_equal(has_warning, warning != NULL);
  return warning;
}

static void what_takes_any_attributes_gets_them_all(void** state) {
  (void)state;
  float y[4] = {0};
  add(open_handler);
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));
  TN_ASSERT_OK(tn__testing_call(CALL("%a, %b, %a", "more = 1 : i8",
                                     "tensor<4xf32>, tensor<4xi32>, "
                                     "tensor<4xf32>"),
                                1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 4);
  tn_program_t* program = NULL;
  TN_ASSERT_OK(tn__testing_compile(CALL("%a, %b", "more = 1 : i8", "tensor<4xf32>, tensor<4xi32>"),
                                   &program));
  TN_ASSERT_REPORT(
      "custom call @foreign: attribute more: the handler takes any attributes, and may look at "
      "none",
      warning_of(program, 0));
  TN_ASSERT_OK(warning_of(program, 1));
  tn_program_release(program);
  TN_ASSERT_OK(tn__testing_compile(CALL("%a, %b", "", "tensor<4xf32>, tensor<4xi32>"), &program));
  TN_ASSERT_OK(warning_of(program, 0));  // no attribute, nothing odd
  tn_program_release(program);
  TN_ASSERT_REPORT("operand 1 has type tensor<4xf32>; expected elements of i32",
                   compile(CALL("%a, %a", "", "tensor<4xf32>, tensor<4xf32>")));
}

static void other_stages_are_probed_for_their_attributes(void** state) {
  (void)state;
  const tn_handler_stages_t stages = {.instantiate = (tn_target_function_t)start_handler,
                                      .execute = (tn_target_function_t)copy_handler};
  TN_ASSERT_OK(tn_target_register_stages("foreign", "Host", &stages));
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));
  seen_t seen = look();
  // Without seccomp it is left alone, which is said.
  if (!*seen.unresolved) assert_string_equal(seen.stages, "instantiate(any attributes)");
}

static const tn_testing_foreign_t start_at = {
    .stage = TN_FFI_INSTANTIATE,
    .attr_count = 1,
    .attrs = {{"start", TN_FFI_SCALAR, TN_FFI_S64}},
};
static tn_status_t start_at_handler(tn_ffi_call_frame_t* frame) {
  return tn__testing_foreign(&start_at, frame);
}

static void attributes_that_another_stage_takes_are_no_reason_to_warn(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  const tn_handler_stages_t stages = {.instantiate = (tn_target_function_t)start_at_handler,
                                      .execute = (tn_target_function_t)open_handler};
  TN_ASSERT_OK(tn_target_register_stages("foreign", "Host", &stages));
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));
  seen_t seen = look();
  if (!*seen.unresolved) assert_string_equal(seen.stages, "instantiate(start: int64_t)");
  TN_ASSERT_OK(tn__testing_compile(CALL("%a", "start = 1 : i64", "tensor<4xf32>"), &program));
  TN_ASSERT_OK(warning_of(program, 0));
  tn_program_release(program);
}

static void what_does_not_answer_is_called_as_before(void** state) {
  (void)state;
  add(say_only_version);
  TN_ASSERT_OK(tn_target_probe(NULL, "foreign", "Host"));
  seen_t seen = look();
  assert_true(seen.is_probed);
  assert_string_equal(seen.signature, "");
  assert_non_null(strstr(seen.unresolved, "execute: it accepts every probe call"));
  TN_ASSERT_OK(compile(CALL("%b", GOOD, "tensor<4xi32>")));
}

static void untyped(void* out, const void** in) {
  memcpy(out, in[0], sizeof four);
}

static void what_cannot_be_probed_is_an_error(void** state) {
  (void)state;
  TN_ASSERT_CODE(NOT_FOUND, tn_target_probe(NULL, "missing", "Host"));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_target_probe(NULL, NULL, "Host"));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_target_probe(NULL, "foreign", NULL));
  TN_ASSERT_OK(tn_target_register("foreign", "Host", (tn_target_function_t)untyped,
                                  TN_API_VERSION_ORIGINAL));
  TN_ASSERT_REPORT(
      "custom call @foreign: it is registered for api version 1 (legacy); only "
      "handlers of api version 4 can be probed",
      tn_target_probe(NULL, "foreign", "Host"));
}

static tn_status_t learn_anew(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  (void)context;
  tn_status_t status = tn_target_register("foreign", "Host", (tn_target_function_t)copy_handler,
                                          TN_API_VERSION_TYPED_FFI);
  return status ? status : tn_target_probe(NULL, "foreign", "Host");
}

static void learning_survives_every_failed_allocation(void** state) {
  (void)state;
  tn__testing_sweep_allocations(learn_anew, NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, forget)
  const struct CMUnitTest tests[] = {
      TEST(the_registry_shows_the_inferred_signature),
      TEST(a_call_that_does_not_fit_the_inferred_signature_does_not_compile),
      TEST(numbers_are_not_narrowed_for_handlers_of_others),
      TEST(what_takes_any_attributes_gets_them_all),
      TEST(other_stages_are_probed_for_their_attributes),
      TEST(attributes_that_another_stage_takes_are_no_reason_to_warn),
      TEST(what_does_not_answer_is_called_as_before),
      TEST(what_cannot_be_probed_is_an_error),
      TEST(learning_survives_every_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
