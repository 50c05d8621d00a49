// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Shared libraries with custom calls, loaded as --load says.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/testing_allocator.h"
#include "call/testing_call.h"

#define TABLE TESTING_LIBRARIES "/testing_library_table.so"
#define PLAIN TESTING_LIBRARIES "/testing_library_plain.so"
#define REGISTER TESTING_LIBRARIES "/testing_library_register.so"

static const float four[] = {1, 2, 3, 4};
#define FOUR                   \
  (tn_testing_array_t) {       \
    TN_DTYPE_F32, 1, {4}, four \
  }

#define CALL(name, config)                                                                     \
  "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.custom_call @" name \
  "(%a) {" config "} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
#define TYPED "mhlo.backend_config = {}"

static void all_of_a_table_is_registered(void** state) {
  (void)state;
  float y[4];
  TN_ASSERT_OK(tn_library_load(TABLE));
  TN_ASSERT_OK(tn__testing_call(CALL("negate", TYPED), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == -4);
  TN_ASSERT_OK(tn__testing_call(CALL("copy_four", ""), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 4);
  TN_ASSERT_OK(tn__testing_call(
      CALL("fill_opaque", "api_version = 3 : i32, backend_config = \"\\01\\00\\03\\FF\""), 1, &FOUR,
      1, (void*[]){y}));
  assert_true(y[2] == 1 + 3 + 255);
}

static void a_failed_status_ends_the_program(void** state) {
  (void)state;
  const float negative[] = {1, -2, 3, -4};
  const tn_testing_array_t array = {TN_DTYPE_F32, 1, {4}, negative};
  float y[4];
  TN_ASSERT_OK(tn_library_load(TABLE));
  TN_ASSERT_OK(tn__testing_call(CALL("refuse_negative", "api_version = 2 : i32"), 1, &FOUR, 1,
                                (void*[]){y}));
  assert_true(y[3] == 4);
  TN_ASSERT_REPORT("custom call @refuse_negative: INTERNAL: number 3 is -4\\00!",
                   tn__testing_call(CALL("refuse_negative", "api_version = 2 : i32"), 1, &array, 1,
                                    (void*[]){y}));
}

static void a_symbol_is_what_the_table_says_of_it(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  float y[4];
  TN_ASSERT_OK(tn_library_load(TABLE ":minus=negate@cpu"));
  TN_ASSERT_OK(tn__testing_call(CALL("minus", TYPED), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == -4);
  TN_ASSERT_REPORT(
      "there is no attribute \"eps\"",
      tn__testing_compile(CALL("minus", "mhlo.backend_config = {eps = 1 : i32}"), &program));
  TN_ASSERT_REPORT("negate is declared with api version 4 (typed FFI), not api version 1 (legacy)",
                   tn_library_load(TABLE ":minus=negate#1"));
}

static void a_symbol_without_a_table_is_what_the_call_says(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  float y[4];
  TN_ASSERT_OK(tn_library_load(PLAIN ":twice=plain_double"));
  TN_ASSERT_OK(tn__testing_call(CALL("twice", ""), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 8);
  TN_ASSERT_OK(tn_library_load(PLAIN ":twice=plain_double#2"));
  TN_ASSERT_REPORT("it is called with api version 1 (legacy), but registered for api version 2",
                   tn__testing_compile(CALL("twice", ""), &program));
}

static void a_loaded_symbol_does_not_make_a_table(void** state) {
  (void)state;
  TN_ASSERT_REPORT("has no table of operations", tn_library_load(PLAIN));
  TN_ASSERT_OK(tn_library_load(PLAIN ":twice=plain_double"));
  TN_ASSERT_REPORT("has no table of operations", tn_library_load(PLAIN));
  TN_ASSERT_OK(tn_library_load(REGISTER));
  TN_ASSERT_OK(tn_library_load(REGISTER));
}

static void states_live_as_long_as_their_program(void** state) {
  (void)state;
  tn_program_t* one = NULL;
  float y[4];
  TN_ASSERT_OK(tn_library_load(PLAIN ":count=plain_execute,instantiate=plain_instantiate"));
  TN_ASSERT_REPORT("the type id 0 is not registered",
                   tn__testing_compile(CALL("count", TYPED), &one));
  TN_ASSERT_OK(tn_library_load(PLAIN
                               ":count=plain_execute,instantiate=plain_instantiate,type=counter:"
                               "counter_type_id:counter_type_info"));
  void* handle = dlopen(PLAIN, RTLD_NOW);
  void* symbol = dlsym(handle, "plain_live_counters");
  int* (*find_live_counters)(void);
  memcpy(&find_live_counters, &symbol, sizeof symbol);
  int* live_counters = find_live_counters();
  *live_counters = 0;
  TN_ASSERT_OK(tn__testing_compile(CALL("count", TYPED), &one));
  assert_int_equal(*live_counters, 1);
  TN_ASSERT_OK(tn_target_unregister("count", "Host"));
  for (int i = 0; i < 3; ++i) TN_ASSERT_OK(tn__testing_run(one, 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[0] == 3);
  tn_program_release(one);
  assert_int_equal(*live_counters, 0);
  dlclose(handle);
}

static void a_type_without_a_deleter_holds_no_states(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  // The id is the library's own, so a library that is loaded anew has none.
  TN_ASSERT_OK(tn_library_load(PLAIN ":count=plain_execute,instantiate=plain_instantiate,type=bare:"
                                     "counter_type_id"));
  TN_ASSERT_REPORT("custom call @count: FAILED_PRECONDITION: state: the type with the id",
                   tn__testing_compile(CALL("count", TYPED), &program));
}

static void libraries_may_register_themselves(void** state) {
  (void)state;
  float y[4];
  TN_ASSERT_OK(tn_library_load(REGISTER));
  TN_ASSERT_OK(tn__testing_call(CALL("register_zero", TYPED), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 0);
  // Loading it again runs no initialiser, and is fine.
  TN_ASSERT_OK(tn_library_load(REGISTER));
}

static void copy_file(const char* from, const char* to) {
  char command[1024];
  snprintf(command, sizeof command, "cp '%s' '%s.new' && mv '%s.new' '%s'", from, to, to, to);
  assert_int_equal(system(command), 0);  // NOLINT(cert-env33-c): the names are the test's own
}

static void a_library_that_was_rebuilt_serves_new_programs(void** state) {
  (void)state;
  const char* path = TESTING_LIBRARIES "/testing_library_rebuilt.so";
  char spec[1024];
  tn_program_t* program = NULL;
  float y[4];
  copy_file(TABLE, path);
  snprintf(spec, sizeof spec, "%s:it=copy_four", path);
  TN_ASSERT_OK(tn_library_load(spec));
  TN_ASSERT_OK(tn__testing_compile(CALL("it", ""), &program));
  copy_file(PLAIN, path);
  snprintf(spec, sizeof spec, "%s:it=plain_double", path);
  TN_ASSERT_OK(tn_library_load(spec));
  TN_ASSERT_OK(tn__testing_run(program, 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 4);
  TN_ASSERT_OK(tn__testing_call(CALL("it", ""), 1, &FOUR, 1, (void*[]){y}));
  assert_true(y[3] == 8);
  tn_program_release(program);
  assert_int_equal(utimensat(AT_FDCWD, path, (const struct timespec[2]){{1, 0}, {1, 0}}, 0), 0);
  TN_ASSERT_REPORT("was overwritten in place while it is loaded", tn_library_load(spec));
}

static void a_handler_that_is_too_new_is_refused_by_name(void** state) {
  (void)state;
  TN_ASSERT_REPORT(
      "custom call @new: the handler is built for version 0.99 of XLA's FFI; Tenon "
      "serves 0.1 to 0.3",
      tn_library_load(PLAIN ":new=plain_too_new#4"));
  TN_ASSERT_REPORT("build " PLAIN " against older headers",
                   tn_library_load(PLAIN ":new=plain_too_new#4"));
  TN_ASSERT_REPORT("the function does not report its version",
                   tn_library_load(PLAIN ":new=plain_silent#4"));
}

static void what_is_asked_when_it_is_called_is_named_once(void** state) {
  (void)state;
  tn_program_t* program = NULL;
  TN_ASSERT_OK(tn_library_load(PLAIN ":new=plain_too_new"));
  tn_status_t status = tn__testing_compile(CALL("new", TYPED), &program);
  const char* message = tn_status_message(status);
  assert_non_null(strstr(message, "custom call @new: the handler is built for version 0.99"));
  assert_null(strstr(strstr(message, "@new") + 1, "@new"));
  tn_status_release(status);
}

static void what_cannot_be_loaded_is_an_error(void** state) {
  (void)state;
  TN_ASSERT_CODE(NOT_FOUND, tn_library_load(TESTING_LIBRARIES "/no_such.so"));
  TN_ASSERT_CODE(NOT_FOUND, tn_library_load(PLAIN ":x=no_such_symbol"));
  TN_ASSERT_REPORT("exports no symbol no_such_symbol", tn_library_load(PLAIN ":x=no_such_symbol"));
  TN_ASSERT_REPORT("has no table of operations (tenon_library, which TN_LIBRARY makes)",
                   tn_library_load(PLAIN));
  TN_ASSERT_REPORT("this is not a shared library", tn_library_load("/proc/self/comm"));
}

static void what_is_no_request_is_an_error(void** state) {
  (void)state;
  const char* const requests[] = {
      "",
      PLAIN ":=plain_double",
      PLAIN ":x=",
      PLAIN ":x=plain_double#5",
      PLAIN ":x=plain_double#",
      PLAIN ":x=plain_double,prepare",
      PLAIN ":x=plain_double,destroy=plain_double",
      PLAIN ":x=plain_double,prepare=plain_double,prepare=plain_double",
      PLAIN ":x=plain_double,type=counter",
      PLAIN ":x=plain_double@Mars",
      ":x=plain_double",
  };
  for (size_t i = 0; i < sizeof requests / sizeof *requests; ++i) {
    TN_ASSERT_CODE(INVALID_ARGUMENT, tn_library_load(requests[i]));
  }
  TN_ASSERT_REPORT("there is no platform \"Mars\"; expected one of Host, cpu, CUDA, gpu, OpenCL",
                   tn_library_load(PLAIN ":x=plain_double@Mars"));
}

static tn_status_t load_and_forget(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  (void)context;
  tn_status_t status = tn_library_load(TABLE);
  const char* const names[] = {"negate", "copy_four", "refuse_negative", "fill_opaque"};
  for (size_t i = 0; i < 4; ++i) tn_status_release(tn_target_unregister(names[i], "Host"));
  return status;
}

static void loading_survives_every_failed_allocation(void** state) {
  (void)state;
  tn__testing_sweep_allocations(load_and_forget, NULL);
}

typedef struct seen {
  size_t count;
  char signature[256], doc[64], parameter[64];
} seen_t;

static bool see(void* user, const tn_target_info_t* info) {
  seen_t* seen = user;
  ++seen->count;
  if (strcmp(info->name, "negate") != 0) return true;
  snprintf(seen->signature, sizeof seen->signature, "%s", info->signature);
  snprintf(seen->doc, sizeof seen->doc, "%s", info->doc);
  snprintf(seen->parameter, sizeof seen->parameter, "%s", info->parameters[0].doc);
  assert_int_equal(info->api_version, 4);
  assert_string_equal(info->library, TABLE);
  return false;
}

static void the_registry_can_be_listed(void** state) {
  (void)state;
  seen_t seen = {0};
  TN_ASSERT_OK(tn_library_load(TABLE));
  TN_ASSERT_OK(tn_target_enumerate(see, &seen));
  assert_string_equal(seen.signature, "negate(x: f32) -> (y: like x)");
  assert_string_equal(seen.doc, "y = -x");
  assert_string_equal(seen.parameter, "the numbers");
  assert_int_equal(seen.count, 3);  // in the order of names; negate ends it
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, tn__testing_unregister_all)
  const struct CMUnitTest tests[] = {
      TEST(all_of_a_table_is_registered),
      TEST(a_failed_status_ends_the_program),
      TEST(a_symbol_is_what_the_table_says_of_it),
      TEST(a_symbol_without_a_table_is_what_the_call_says),
      TEST(a_type_without_a_deleter_holds_no_states),
      TEST(a_loaded_symbol_does_not_make_a_table),
      TEST(states_live_as_long_as_their_program),
      TEST(libraries_may_register_themselves),
      TEST(a_library_that_was_rebuilt_serves_new_programs),
      TEST(a_handler_that_is_too_new_is_refused_by_name),
      TEST(what_is_asked_when_it_is_called_is_named_once),
      TEST(what_cannot_be_loaded_is_an_error),
      TEST(what_is_no_request_is_an_error),
      TEST(loading_survives_every_failed_allocation),
      TEST(the_registry_can_be_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
