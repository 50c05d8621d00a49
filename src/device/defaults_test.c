// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/detail/buffer.h>
#include <tenon/stream.h>

#include "base/testing.h"
#include "base/testing_allocator.h"
#include "device/device.h"

static tn_device_t* create_device(void) {
  tn_device_t* device = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  return device;
}

static void nothing_means_the_default_stream_of_the_default_device(void** state) {
  (void)state;
  tn_device_t *device = NULL, *again = NULL;
  tn_stream_t *stream = NULL, *same = NULL;
  TN_ASSERT_OK(tn_default_device(&device));
  TN_ASSERT_OK(tn_default_device(&again));
  assert_ptr_equal(device, again);
  assert_string_equal(tn_device_name(device), "cpu");
  TN_ASSERT_OK(tn_to_stream((tn_stream_or_device_t){0}, NULL, &stream));
  assert_ptr_equal(tn_stream_device(stream), device);
  TN_ASSERT_OK(tn_default_stream(device, &same));
  assert_ptr_equal(stream, same);
  tn_stream_release(same);
  tn_stream_release(stream);
  tn_device_release(again);
  tn_device_release(device);
}

static void devices_mean_their_default_streams_and_streams_themselves(void** state) {
  (void)state;
  tn_device_t *device = create_device(), *other = create_device();
  tn_stream_t *own = NULL, *stream = NULL, *found = NULL;
  TN_ASSERT_OK(tn_to_stream((tn_stream_or_device_t){.device = device}, other, &own));
  assert_ptr_equal(tn_stream_device(own), device);
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  TN_ASSERT_OK(tn_to_stream((tn_stream_or_device_t){.stream = stream}, other, &found));
  assert_ptr_equal(found, stream);
  tn_stream_release(found);
  TN_ASSERT_OK(tn_to_stream((tn_stream_or_device_t){0}, other, &found));
  assert_ptr_equal(tn_stream_device(found), other);
  tn_stream_release(found);
  TN_ASSERT_REPORT("another device",
                   tn_to_stream((tn_stream_or_device_t){stream, other}, NULL, &found));
  assert_null(found);
  tn_stream_release(stream);
  tn_stream_release(own);
  tn_device_release(other);
  tn_device_release(device);
}

static void defaults_can_be_set(void** state) {
  (void)state;
  tn_device_t *device = create_device(), *found_device = NULL;
  tn_stream_t *stream = NULL, *own = NULL, *found = NULL;
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  TN_ASSERT_OK(tn_default_stream(device, &own));
  TN_ASSERT_OK(tn_set_default_device(device));
  TN_ASSERT_OK(tn_default_device(&found_device));
  assert_ptr_equal(found_device, device);
  tn_device_release(found_device);
  TN_ASSERT_OK(tn_set_default_stream(device, stream));
  TN_ASSERT_OK(tn_to_stream((tn_stream_or_device_t){0}, NULL, &found));
  assert_ptr_equal(found, stream);
  tn_stream_release(found);
  TN_ASSERT_OK(tn_set_default_stream(device, own));  // its own again
  TN_ASSERT_OK(tn_default_stream(device, &found));
  assert_ptr_equal(found, own);
  tn_stream_release(found);
  TN_ASSERT_OK(tn_set_default_device(NULL));
  TN_ASSERT_OK(tn_default_device(&found_device));
  assert_ptr_not_equal(found_device, device);
  TN_ASSERT_REPORT("another device", tn_set_default_stream(found_device, stream));
  TN_ASSERT_REPORT("device is NULL", tn_set_default_stream(NULL, stream));
  TN_ASSERT_REPORT("device is NULL", tn_default_stream(NULL, &found));
  tn_device_release(found_device);
  tn_stream_release(own);
  tn_stream_release(stream);
  tn_device_release(device);
}

static tn_status_t set_flag(void* user, tn_status_t poison) {
  if (!poison) *(int*)user = 1;
  return TN_OK;
}

// A reference to the stream keeps the device, and the last of them waits for the work.
static void the_default_stream_goes_with_its_device(void** state) {
  (void)state;
  int is_done = 0;
  tn_device_t* device = create_device();
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_default_stream(device, &stream));
  tn_device_release(device);
  TN_ASSERT_OK(tn__stream_enqueue(stream, set_flag, &is_done, 0));
  tn_stream_release(stream);
  assert_int_equal(is_done, 1);
}

static tn_status_t use_defaults(const tn_allocator_t* allocator, void* context) {
  const tn_device_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_device_t* device = NULL;
  tn_stream_t* stream = NULL;
  (void)context;
  tn_status_t status = tn_device_create("cpu", &options, &device);
  if (!status) status = tn_default_stream(device, &stream);
  tn_stream_release(stream);
  tn_device_release(device);
  return status;
}

static void every_allocation_may_fail(void** state) {
  (void)state;
  tn__testing_sweep_allocations(use_defaults, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_means_the_default_stream_of_the_default_device),
      cmocka_unit_test(devices_mean_their_default_streams_and_streams_themselves),
      cmocka_unit_test(defaults_can_be_set),
      cmocka_unit_test(the_default_stream_goes_with_its_device),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
