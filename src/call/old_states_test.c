// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// States as handlers set and get them whose headers are older than version 0.3 of the ABI.
#include <tenon/detail/call.h>

#include "call/abi.h"
#include "call/testing_call.h"

#define CALL                                                     \
  "func.func @main() -> tensor<4xf32> {\n  %0 = "                \
  "stablehlo.custom_call @old() {mhlo.backend_config = {}} : ()" \
  " -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"

enum { SIZE_WITH_DELETER = 48, SIZE = 40 };
typedef struct old_request {
  size_t struct_size;
  tn_ffi_extension_t* extension_start;
  tn_ffi_context_t* context;
  tn_ffi_type_id_t* type_id;
  void* state;
  void (*deleter)(void* object);
} old_request_t;

static int32_t minor;     // that the handler is built for
static size_t set_size;   // of its request to set the state
static bool has_context;  // in its requests
static tn_ffi_type_id_t type;
static int live_objects, destroyed_by_request;

static void destroy_of_type(void* object) {
  assert_ptr_equal(object, &live_objects);
  --live_objects;
}
static void destroy_of_request(void* object) {
  destroy_of_type(object);
  ++destroyed_by_request;
}

static bool answer(tn_ffi_call_frame_t* frame) {
  if (!frame->extension_start) return false;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = minor;
  return true;
}

static tn_status_t instantiate(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  old_request_t set = {.struct_size = set_size,
                       .context = has_context ? frame->context : NULL,
                       .type_id = &type,
                       .state = &live_objects,
                       .deleter = set_size > SIZE ? destroy_of_request : NULL};
  tn_status_t error = frame->api->state_set((tn_ffi_state_set_t*)(void*)&set);
  if (!error) ++live_objects;
  return error;
}

static tn_status_t execute(tn_ffi_call_frame_t* frame) {
  if (answer(frame)) return TN_OK;
  old_request_t get = {.struct_size = SIZE, .context = frame->context, .type_id = &type};
  tn_status_t error = frame->api->state_get((tn_ffi_state_get_t*)(void*)&get);
  if (!error) assert_ptr_equal(get.state, &live_objects);
  return error;
}

// Registers a handler of that version, and runs it once.
static tn_status_t run(int32_t of_minor, size_t with_set_size) {
  float y[4];
  const tn_handler_stages_t stages = {.instantiate = (tn_target_function_t)instantiate,
                                      .execute = (tn_target_function_t)execute};
  minor = of_minor;
  set_size = with_set_size;
  has_context = true;
  destroyed_by_request = 0;
  TN_ASSERT_OK(tn_target_register_stages("old", "Host", &stages));
  return tn__testing_call(CALL, 0, NULL, 1, (void*[]){y});
}

static void handlers_of_version_0_1_bring_the_deleter_of_their_state(void** state) {
  (void)state;
  type.id = 0;  // the type needs no registration
  TN_ASSERT_OK(run(1, SIZE_WITH_DELETER));
  assert_int_equal(live_objects, 0);
  assert_int_equal(destroyed_by_request, 1);
}

static void handlers_of_version_0_2_set_states_of_registered_types(void** state) {
  (void)state;
  type.id = 1 << 20;
  TN_ASSERT_REPORT("state: the type id 1048576 is not registered", run(2, SIZE));
  type.id = 0;
  TN_ASSERT_OK(tn_type_register("old", destroy_of_type, &type.id));
  TN_ASSERT_OK(run(2, SIZE));
  assert_int_equal(live_objects, 0);
  assert_int_equal(destroyed_by_request, 0);
}

static void requests_of_no_version_are_refused(void** state) {
  (void)state;
  TN_ASSERT_REPORT("Unexpected XLA_FFI_State_Set_Args size: expected 48, got 32.", run(1, 32));
  TN_ASSERT_REPORT("Unexpected XLA_FFI_State_Set_Args size: expected 48, got 47.", run(1, 47));
  const size_t sizes[] = {SIZE, SIZE_WITH_DELETER};
  for (size_t i = 0; i < 2; ++i) {
    tn_program_t* program = NULL;
    set_size = sizes[i];
    has_context = false;
    TN_ASSERT_REPORT("the execution context is NULL", tn__testing_compile(CALL, &program));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(handlers_of_version_0_1_bring_the_deleter_of_their_state),
      cmocka_unit_test(handlers_of_version_0_2_set_states_of_registered_types),
      cmocka_unit_test(requests_of_no_version_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
