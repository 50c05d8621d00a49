// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/device.h"

#include "base/linux/machine_memory.h"
#include "base/testing.h"
#include "base/testing_allocator.h"
#include "device/buffer.h"

static bool note_cpu(void* user, const tn_device_info_t* info) {
  assert_int_equal(info->struct_size, sizeof *info);
  if (strcmp(info->name, "cpu") == 0) {
    ++*(int*)user;
    assert_string_equal(info->platform, "Host");
    assert_true(info->memory_byte_size > 0);
    assert_true(strlen(info->description) > 0);
  }
  return true;
}

static bool stop(void* user, const tn_device_info_t* info) {
  (void)info;
  ++*(int*)user;
  return false;
}

static void cpu_is_always_there(void** state) {
  (void)state;
  int count = 0;
  TN_ASSERT_OK(tn_device_enumerate(note_cpu, &count));
  assert_int_equal(count, 1);
  count = 0;
  TN_ASSERT_OK(tn_device_enumerate(stop, &count));
  assert_int_equal(count, 1);
}

static void device_has_two_spellings(void** state) {
  (void)state;
  static const char* const names[] = {"cpu", "cpu:0"};
  for (int i = 0; i < 2; ++i) {
    tn_device_t* device;
    TN_ASSERT_OK(tn_device_create(names[i], NULL, &device));
    assert_string_equal(tn_device_name(device), "cpu");
    assert_string_equal(tn_device_platform(device), "Host");
    assert_true(tn_device_thread_count(device) >= 1);
    tn_device_release(tn_device_retain(device));
    tn_device_release(device);
  }
  tn_device_release(NULL);
}

static void unknown_devices_are_refused_with_those_that_exist(void** state) {
  (void)state;
  static const char* const names[] = {
      "", "cp", "cpux", "cpu:", "cpu:1", "cpu:x", "tpu:0", "CPU", "cpu:99999999999999999999"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    tn_device_t* device;
    tn_status_t status = tn_device_create(names[i], NULL, &device);
    assert_int_equal(tn_status_code(status), TN_CODE_NOT_FOUND);
    assert_non_null(strstr(tn_status_message(status), "there are: cpu"));
    assert_null(device);
    tn_status_release(status);
  }
}

static void drivers_say_why_a_device_is_not_there(void** state) {
  (void)state;
  tn_device_t* device = NULL;
  TN_ASSERT_REPORT("there is one CPU device", tn_device_create("cpu:7", NULL, &device));
  assert_null(device);
}

static void options_of_any_age_are_understood(void** state) {
  (void)state;
  tn_device_t* device;
  tn_device_options_t options = {.struct_size = sizeof options, .thread_count = 3};
  TN_ASSERT_OK(tn_device_create("cpu", &options, &device));
  assert_int_equal(tn_device_thread_count(device), 3);
  tn_device_release(device);

  options.memory_limit_byte_size = 1 << 20;
  options.cache_limit_byte_size = 1 << 19;
  TN_ASSERT_OK(tn_device_create("cpu", &options, &device));
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_device_memory_statistics(device, &statistics);
  assert_int_equal(statistics.limit_byte_size, 1 << 20);
  assert_int_equal(statistics.cache_limit_byte_size, 1 << 19);
  tn_device_release(device);

  // A caller that was compiled when the struct ended earlier, and one from the future.
  options.struct_size = offsetof(tn_device_options_t, memory_limit_byte_size);
  TN_ASSERT_OK(tn_device_create("cpu", &options, &device));
  tn_device_memory_statistics(device, &statistics);
  assert_int_equal(statistics.limit_byte_size, tn__machine_memory());
  tn_device_release(device);
  struct {
    tn_device_options_t options;
    char more[64];
  } future = {.options = {.struct_size = sizeof future, .thread_count = 2}};
  TN_ASSERT_OK(tn_device_create("cpu", &future.options, &device));
  assert_int_equal(tn_device_thread_count(device), 2);
  tn_device_release(device);

  options.struct_size = 0;
  TN_ASSERT_REPORT("struct_size is 0", tn_device_create("cpu", &options, &device));
  options.struct_size = sizeof options;
  options.thread_count = -4;
  TN_ASSERT_REPORT("thread count is -4", tn_device_create("cpu", &options, &device));
}

static tn_status_t do_nothing(void* user, tn_status_t poison) {
  (void)user;
  (void)poison;
  return TN_OK;
}

static void ignore(void* user, tn_status_t status) {
  (void)user;
  (void)status;
}

// One of everything that allocates.
static tn_status_t use_everything(const tn_allocator_t* allocator, void* context) {
  (void)context;
  tn_status_t status = TN_OK;
  tn_device_t* device = NULL;
  tn_stream_t* stream = NULL;
  tn_event_t *event = NULL, *gate = NULL;
  tn_buffer_t *buffer = NULL, *alias = NULL;
  const int64_t dims[] = {16};
  float data[16] = {0};
  tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .thread_count = 2};
  TN_DONE_IF_ERROR(tn_device_create("cpu", &options, &device));
  TN_DONE_IF_ERROR(tn_stream_create(device, &stream));
  TN_DONE_IF_ERROR(tn_event_create(device, &gate));
  TN_DONE_IF_ERROR(tn_event_create(device, &event));
  TN_DONE_IF_ERROR(tn_stream_wait_event(stream, gate));
  for (int i = 0; i < 20; ++i) {
    TN_DONE_IF_ERROR(tn__stream_enqueue(stream, do_nothing, NULL, TN_STREAM_MAY_RUN_INLINE));
  }
  TN_DONE_IF_ERROR(tn_event_on_complete(event, ignore, NULL));
  TN_DONE_IF_ERROR(tn_stream_record_event(stream, event));
  TN_DONE_IF_ERROR(tn_event_set(gate, TN_OK));
  TN_DONE_IF_ERROR(tn_event_wait(event, -1));
  TN_DONE_IF_ERROR(
      tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, dims, data, sizeof data, &buffer));
  TN_DONE_IF_ERROR(tn__buffer_create_alias(buffer, TN_DTYPE_U32, 1, dims, 0, &alias));
  TN_DONE_IF_ERROR(tn_buffer_to_host(alias, data, sizeof data));
  TN_DONE_IF_ERROR(tn__pool_schedule(device->pool, free, NULL));

done:
  if (gate && !tn_event_is_complete(gate)) tn_status_release(tn_event_set(gate, TN_OK));
  tn_buffer_release(alias);
  tn_buffer_release(buffer);
  tn_stream_release(stream);
  tn_event_release(event);
  tn_event_release(gate);
  tn_device_release(device);
  return status;
}

static void every_refused_allocation_is_an_error_and_leaks_nothing(void** state) {
  (void)state;
  tn__testing_sweep_allocations(use_everything, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cpu_is_always_there),
      cmocka_unit_test(device_has_two_spellings),
      cmocka_unit_test(unknown_devices_are_refused_with_those_that_exist),
      cmocka_unit_test(drivers_say_why_a_device_is_not_there),
      cmocka_unit_test(options_of_any_age_are_understood),
      cmocka_unit_test(every_refused_allocation_is_an_error_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
