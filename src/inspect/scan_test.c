// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers that are found among the functions of a library.
#include <tenon/inspect.h>

#include "base/testing_allocator.h"
#include "call/library.h"
#include "call/testing_call.h"

#define TABLE TESTING_LIBRARIES "/testing_library_table.so"
#define PLAIN TESTING_LIBRARIES "/testing_library_plain.so"

typedef struct names {
  size_t count;
  char text[512];
} names_t;

static void append(names_t* names, const char* name) {
  size_t length = strlen(names->text);
  snprintf(names->text + length, sizeof names->text - length, "%s%s", length ? " " : "", name);
  ++names->count;
}
static bool see_export(void* user, const char* name) {
  append(user, name);
  return true;
}
static bool see_target(void* user, const tn_target_info_t* info) {
  append(user, info->name);
  if (strcmp(info->name, "plain_too_new") == 0) {
    assert_non_null(strstr(info->unusable_reason, "built for version 0.99"));
  } else {
    assert_null(info->unusable_reason);
  }
  return true;
}

static void exports_are_the_functions_that_others_may_call(void** state) {
  (void)state;
  names_t names = {0, ""};
  tn_library_t* library = NULL;
  TN_ASSERT_OK(tn__library_open(NULL, tn__sv(PLAIN), &library));
  tn__library_visit_exports(library, see_export, &names);
  static const char* const wanted[] = {"plain_execute", "plain_instantiate", "plain_too_new",
                                       "plain_silent",  "plain_double",      "counter_type_id"};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    assert_non_null(strstr(names.text, wanted[i]));
  }
  assert_null(strstr(names.text, "destroy_counter"));  // static
  assert_null(strstr(names.text, "_init"));
  tn__library_release(library);
}

// Among functions that are none, and crash when they are taken for one.
static void handlers_are_found_by_their_answers(void** state) {
  (void)state;
  names_t names = {0, ""};
  size_t count = 0;
  tn_status_t status = tn_library_load_exported(NULL, PLAIN, &count);
  if (tn_status_code(status) == TN_CODE_UNIMPLEMENTED) {  // no seccomp
    tn_status_release(status);
    skip();
  }
  TN_ASSERT_OK(status);
  assert_int_equal(count, 3);
  TN_ASSERT_OK(tn_target_enumerate(see_target, &names));
  assert_string_equal(names.text, "plain_execute plain_instantiate plain_too_new");
}

static bool count_target(void* user, const tn_target_info_t* info) {
  (void)info;
  ++*(int*)user;
  return true;
}

static void handlers_are_registered_and_probed_in_a_context(void** state) {
  (void)state;
  tn_context_t* context = NULL;
  size_t count = 0;
  int ours = 0, before = 0, after = 0;
  TN_ASSERT_OK(tn_context_create(NULL, &context));
  TN_ASSERT_OK(tn_target_enumerate(count_target, &before));
  tn_status_t status = tn_library_load_exported(context, TABLE, &count);
  if (tn_status_code(status) == TN_CODE_UNIMPLEMENTED) {
    tn_status_release(status);
    tn_context_release(context);
    skip();
  }
  TN_ASSERT_OK(status);
  TN_ASSERT_OK(tn_context_enumerate_targets(context, count_target, &ours));
  TN_ASSERT_OK(tn_target_enumerate(count_target, &after));
  assert_int_equal(ours, count);
  assert_int_equal(after, before);
  TN_ASSERT_OK(tn_target_probe(context, "negate", "Host"));
  TN_ASSERT_CODE(NOT_FOUND, tn_target_probe(NULL, "negate", "Host"));
  tn_context_release(context);
}

static void libraries_without_handlers_have_none(void** state) {
  (void)state;
  size_t count = 7;
  TN_ASSERT_CODE(NOT_FOUND,
                 tn_library_load_exported(NULL, TESTING_LIBRARIES "/no_such.so", &count));
  assert_int_equal(count, 0);
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_library_load_exported(NULL, NULL, &count));
  TN_ASSERT_REPORT("this is not a shared library",
                   tn_library_load_exported(NULL, "/proc/self/comm", &count));
}

static tn_status_t load(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  (void)context;
  size_t count;
  tn_status_t status = tn_library_load_exported(NULL, TABLE, &count);
  tn_status_release(tn_target_unregister("negate", "Host"));
  return status;
}

static void finding_them_survives_every_failed_allocation(void** state) {
  (void)state;
  size_t count = 0;
  tn_status_t status = tn_library_load_exported(NULL, TABLE, &count);
  if (tn_status_code(status) == TN_CODE_UNIMPLEMENTED) {
    tn_status_release(status);
    skip();
  }
  TN_ASSERT_OK(status);
  assert_int_equal(count, 1);
  tn__testing_sweep_allocations(load, NULL);
}

static bool is_typed(void* user, const tn_target_info_t* info) {
  *(bool*)user = info->api_version == 4 && info->is_probed;
  return true;
}

static tn_status_t learn(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  (void)context;
  tn_status_t status = tn_library_load(PLAIN ":any=plain_execute");
  if (!status) status = tn_target_probe(NULL, "any", "Host");
  tn_status_release(tn_target_unregister("any", "Host"));
  return status;
}

static void functions_of_no_api_version_are_probed_if_they_respond(void** state) {
  (void)state;
  bool is_handler = false;
  TN_ASSERT_OK(tn_library_load(PLAIN ":any=plain_execute"));
  tn_status_t status = tn_target_probe(NULL, "any", "Host");
  if (tn_status_code(status) == TN_CODE_UNIMPLEMENTED) {
    tn_status_release(status);
    skip();
  }
  TN_ASSERT_OK(status);
  TN_ASSERT_OK(tn_target_enumerate(is_typed, &is_handler));
  assert_true(is_handler);
  TN_ASSERT_OK(tn_target_unregister("any", "Host"));
  TN_ASSERT_OK(tn_library_load(PLAIN ":any=plain_double"));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_target_probe(NULL, "any", "Host"));
  TN_ASSERT_REPORT("and is not a handler; only handlers", tn_target_probe(NULL, "any", "Host"));
  tn__testing_sweep_allocations(learn, NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, tn__testing_unregister_all)
  const struct CMUnitTest tests[] = {
      TEST(exports_are_the_functions_that_others_may_call),
      TEST(handlers_are_found_by_their_answers),
      TEST(handlers_are_registered_and_probed_in_a_context),
      TEST(libraries_without_handlers_have_none),
      TEST(finding_them_survives_every_failed_allocation),
      TEST(functions_of_no_api_version_are_probed_if_they_respond),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
