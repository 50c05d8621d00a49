// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Contexts as devices see them: settings, limits, defaults and lives.
#include <tenon/detail/buffer.h>
#include <tenon/stream.h>

#include "base/testing.h"
#include "base/testing_allocator.h"
#include "device/device.h"

static tn_context_t* create_with(const char* const* environment) {
  const tn_context_options_t options = {.struct_size = sizeof options, .environment = environment};
  tn_context_t* context = NULL;
  TN_ASSERT_OK(tn_context_create(&options, &context));
  return context;
}

// In a context; NULL: the default one.
static tn_device_t* create_device(tn_context_t* context) {
  const tn_device_options_t options = {.struct_size = sizeof options, .context = context};
  tn_device_t* device = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", &options, &device));
  return device;
}

static tn_device_t* default_device(tn_context_t* context) {
  tn_device_t* device = NULL;
  TN_ASSERT_OK(tn_context_default_device(context, &device));
  return device;
}

static void the_default_context_needs_no_creation(void** state) {
  (void)state;
  tn_context_t* context = tn_context_default();
  tn_device_t *device = create_device(NULL), *first = NULL, *same = default_device(context);
  assert_ptr_equal(tn_device_context(device), context);
  assert_ptr_equal(tn_context_retain(context), context);
  tn_context_release(context);
  tn_context_release(context);  // is not counted
  tn_context_release(NULL);
  assert_null(tn_context_retain(NULL));
  TN_ASSERT_OK(tn_default_device(&first));
  assert_ptr_equal(first, same);
  tn_device_release(same);
  tn_device_release(first);
  tn_device_release(device);
}

static void two_contexts_have_environments_of_their_own(void** state) {
  (void)state;
  tn_context_t* a = create_with(
      (const char*[]){"TENON_NUM_THREADS=3", "TENON_DEVICE=reference", "OTHER=1", NULL});
  tn_context_t* b = create_with(
      (const char*[]){"TENON_NUM_THREADS=3", "TENON_NUM_THREADS=2", "TENON_DEVICE=", NULL});
  tn_device_t *as = default_device(a), *bs = default_device(b), *more = create_device(a);
  assert_string_equal(tn_device_name(as), "reference");
  assert_string_equal(tn_device_name(bs), "cpu");
  assert_int_equal(tn_device_thread_count(as), 3);
  assert_int_equal(tn_device_thread_count(bs), 2);  // the last one counts
  assert_int_equal(tn_device_thread_count(more), 3);
  assert_int_equal(more->target->thread_count, 3);
  assert_int_equal(as->target->host->thread_count, 3);
  assert_ptr_equal(more->target->context, a);
  assert_ptr_equal(as->target->host->context, a);
  tn_device_release(more);
  tn_device_release(bs);
  tn_device_release(as);
  tn_context_release(b);
  tn_context_release(a);
}

static void the_environment_is_read_once(void** state) {
  (void)state;
  setenv("TENON_NUM_THREADS", "5", 1);
  tn_context_t* before = create_with(NULL);
  setenv("TENON_NUM_THREADS", "7", 1);
  tn_context_t* after = create_with(NULL);
  tn_context_t* without = create_with((const char*[]){NULL});
  unsetenv("TENON_NUM_THREADS");
  tn_device_t *five = create_device(before), *seven = create_device(after);
  assert_int_equal(tn_device_thread_count(five), 5);
  assert_int_equal(tn_device_thread_count(seven), 7);
  assert_int_equal(without->environment.thread_count, 0);
  tn_device_release(seven);
  tn_device_release(five);
  tn_context_release(without);
  tn_context_release(after);
  tn_context_release(before);
}

static void environments_that_make_no_sense_are_errors(void** state) {
  (void)state;
  static const struct {
    const char *text, *report;
  } cases[] = {
      {"TENON_NUM_THREADS=0", "TENON_NUM_THREADS is \"0\"; expected a number from 1 to 1024"},
      {"TENON_NUM_THREADS=-1", "TENON_NUM_THREADS"},
      {"TENON_NUM_THREADS=many", "TENON_NUM_THREADS"},
      {"TENON_NUM_THREADS=2x", "TENON_NUM_THREADS"},
      {"TENON_NUM_THREADS=1025", "TENON_NUM_THREADS"},
      {"TENON_NUM_THREADS=99999999999999999999", "TENON_NUM_THREADS"},
      {"TENON_NUM_THREADS= ", "TENON_NUM_THREADS"},
      {"TENON_LIBRARIES=openblas,nothing", "TENON_LIBRARIES has \"nothing\"; expected some of"},
      {"TENON_FUSION=-1", "TENON_FUSION is \"-1\"; expected a number of elements or none"},
      {"TENON_FUSION=few", "TENON_FUSION"},
      {"TENON_FUSION", "string 0 of the environment is \"TENON_FUSION\"; expected NAME=VALUE"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char* const environment[] = {cases[i].text, NULL};
    const tn_context_options_t options = {.struct_size = sizeof options,
                                          .environment = environment};
    tn_context_t* context = tn_context_default();
    TN_ASSERT_REPORT(cases[i].report, tn_context_create(&options, &context));
    assert_null(context);
  }
  tn_context_t* context = create_with((const char*[]){"TENON_DEVICE=toaster", NULL});
  tn_device_t* device = NULL;
  TN_ASSERT_REPORT("TENON_DEVICE: there is no device \"toaster\"",
                   tn_context_default_device(context, &device));
  assert_null(device);
  tn_context_release(context);
}

static void devices_have_the_limits_of_their_context(void** state) {
  (void)state;
  const tn_context_options_t options = {.struct_size = sizeof options,
                                        .thread_count = 2,
                                        .memory_limit_byte_size = 1 << 20,
                                        .cache_limit_byte_size = 1 << 16};
  tn_device_options_t own = {
      .struct_size = sizeof own, .thread_count = 4, .memory_limit_byte_size = 1 << 21};
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_device_t* other = NULL;
  TN_ASSERT_OK(tn_context_create(&options, &own.context));
  tn_device_t* device = create_device(own.context);
  assert_int_equal(tn_device_thread_count(device), 2);
  tn_device_memory_statistics(device, &statistics);
  assert_int_equal(statistics.limit_byte_size, 1 << 20);
  assert_int_equal(statistics.cache_limit_byte_size, 1 << 16);
  TN_ASSERT_OK(tn_device_create("cpu", &own, &other));
  assert_int_equal(tn_device_thread_count(other), 4);
  tn_device_memory_statistics(other, &statistics);
  assert_int_equal(statistics.limit_byte_size, 1 << 21);
  assert_int_equal(statistics.cache_limit_byte_size, 1 << 16);
  tn_device_release(other);
  tn_device_release(device);
  tn_context_release(own.context);
}

static void options_of_other_versions_are_read_as_far_as_they_go(void** state) {
  (void)state;
  struct {
    tn_context_options_t known;
    void* later;
  } newer = {.known = {.struct_size = sizeof newer, .thread_count = 3}};
  tn_context_options_t older = {.struct_size = offsetof(tn_context_options_t, thread_count),
                                .thread_count = 3};
  tn_context_t *a = NULL, *b = NULL, *c = NULL;
  TN_ASSERT_OK(tn_context_create(&newer.known, &a));
  TN_ASSERT_OK(tn_context_create(&older, &b));
  assert_int_equal(a->devices.thread_count, 3);
  assert_int_equal(b->devices.thread_count, 0);
  older.struct_size = 4;
  TN_ASSERT_REPORT("tn_context_options_t: struct_size is 4", tn_context_create(&older, &c));
  assert_null(c);
  tn_context_release(b);
  tn_context_release(a);
  // Before devices had contexts.
  tn_device_options_t options = {.struct_size = offsetof(tn_device_options_t, context),
                                 .context = (tn_context_t*)(uintptr_t)1};
  tn_device_t* device = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", &options, &device));
  assert_ptr_equal(tn_device_context(device), tn_context_default());
  tn_device_release(device);
}

static void each_context_has_its_default_device(void** state) {
  (void)state;
  tn_context_t *a = create_with(NULL), *b = create_with(NULL);
  tn_device_t *as = default_device(a), *bs = default_device(b), *ours = default_device(NULL);
  assert_ptr_not_equal(as, bs);
  assert_ptr_not_equal(as, ours);
  assert_ptr_equal(tn_device_context(as), a);
  tn_device_t *other = create_device(a), *found = NULL;
  TN_ASSERT_OK(tn_context_set_default_device(a, other));
  found = default_device(a);
  assert_ptr_equal(found, other);
  tn_device_release(found);
  TN_ASSERT_REPORT("belongs to another context", tn_context_set_default_device(b, other));
  TN_ASSERT_REPORT("belongs to another context", tn_set_default_device(other));
  found = default_device(b);
  assert_ptr_equal(found, bs);
  tn_device_release(found);
  tn_device_release(other);
  tn_device_release(ours);
  tn_device_release(bs);
  tn_device_release(as);
  tn_context_release(b);
  tn_context_release(a);
}

static tn_status_t set_flag(void* user, tn_status_t poison) {
  if (!poison) *(bool*)user = true;
  return TN_OK;
}

// Default devices and streams keep themselves alive through their context, until its users go.
static void the_last_user_takes_the_defaults_along(void** state) {
  (void)state;
  tn_testing_allocator_t allocator;
  tn__testing_allocator_init(&allocator);
  const tn_context_options_t options = {.struct_size = sizeof options,
                                        .allocator = &allocator.allocator};
  tn_device_options_t own = {.struct_size = sizeof own, .allocator = &allocator.allocator};
  tn_device_t* devices[3] = {NULL};
  TN_ASSERT_OK(tn_context_create(&options, &own.context));
  for (size_t i = 0; i < 3; ++i) {
    tn_stream_t* stream = NULL;
    TN_ASSERT_OK(tn_device_create("cpu", &own, &devices[i]));
    for (int again = 0; again < 2; ++again) {
      TN_ASSERT_OK(tn_stream_create(devices[i], &stream));
      TN_ASSERT_OK(tn_set_default_stream(devices[i], stream));
      tn_stream_release(stream);
    }
  }
  TN_ASSERT_OK(tn_set_default_stream(devices[1], NULL));
  TN_ASSERT_OK(tn_context_set_default_device(own.context, devices[0]));
  assert_ptr_equal(tn_context_retain(own.context), own.context);
  tn_context_release(own.context);
  for (size_t i = 1; i < 3; ++i) tn_device_release(devices[i]);
  tn_context_release(own.context);
  // What is left is the device, and its context with it.
  bool is_done = false;
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_default_stream(devices[0], &stream));
  TN_ASSERT_OK(tn__stream_enqueue(stream, set_flag, &is_done, 0));
  tn_stream_release(stream);
  tn_device_t* found = default_device(tn_device_context(devices[0]));
  assert_ptr_not_equal(found, devices[0]);
  tn_device_release(found);
  tn_device_release(devices[0]);
  assert_true(is_done);
  tn__testing_allocator_assert_empty(&allocator);
}

static tn_status_t use_context(const tn_allocator_t* allocator, void* user) {
  const tn_context_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_device_options_t own = {.struct_size = sizeof own, .allocator = allocator};
  tn_device_t *device = NULL, *other = NULL;
  tn_stream_t* stream = NULL;
  (void)user;
  tn_status_t status = tn_context_create(&options, &own.context);
  if (!status) status = tn_context_default_device(own.context, &device);
  if (!status) status = tn_device_create("cpu", &own, &other);
  if (!status) status = tn_context_set_default_device(own.context, other);
  if (!status) status = tn_stream_create(device, &stream);
  if (!status) status = tn_set_default_stream(device, stream);
  tn_stream_release(stream);
  tn_device_release(other);
  tn_device_release(device);
  tn_context_release(own.context);
  return status;
}

static void every_allocation_may_fail(void** state) {
  (void)state;
  tn__testing_sweep_allocations(use_context, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_default_context_needs_no_creation),
      cmocka_unit_test(two_contexts_have_environments_of_their_own),
      cmocka_unit_test(the_environment_is_read_once),
      cmocka_unit_test(environments_that_make_no_sense_are_errors),
      cmocka_unit_test(devices_have_the_limits_of_their_context),
      cmocka_unit_test(options_of_other_versions_are_read_as_far_as_they_go),
      cmocka_unit_test(each_context_has_its_default_device),
      cmocka_unit_test(the_last_user_takes_the_defaults_along),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
