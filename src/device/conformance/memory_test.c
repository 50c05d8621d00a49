// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing.h"
#include "device/buffer.h"
#include "device/conformance/testing_devices.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static tn_memory_t allocate(tn_device_t* device, size_t byte_size) {
  tn_memory_t memory;
  TN_ASSERT_OK(device->vtable->allocate(device, byte_size, 0, &memory));
  return memory;
}

static tn_memory_statistics_t statistics_of(tn_device_t* device) {
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_device_memory_statistics(device, &statistics);
  return statistics;
}

static void fill(unsigned char* bytes, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i) bytes[i] = (unsigned char)((i * 31 + seed) >> 3);
}

static void memory_keeps_what_is_copied_to_it(tn_device_t* device) {
  static const size_t sizes[] = {0, 1, 63, 4 * KIB, 100 * KIB + 3, 3 * MIB + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    size_t size = sizes[i];
    unsigned char* written = malloc(size + 1);
    unsigned char* read = calloc(1, size + 1);
    tn_memory_t first = allocate(device, size), second = allocate(device, size);
    assert_non_null(first.handle);
    assert_false(first.handle == second.handle && first.byte_offset == second.byte_offset);
    fill(written, size, (unsigned)i);
    TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, first, written, size));
    TN_ASSERT_OK(device->vtable->copy(device, NULL, second, first, size));
    device->vtable->free(device, first);
    TN_ASSERT_OK(device->vtable->copy_to_host(device, NULL, read, second, size));
    assert_memory_equal(written, read, size);
    device->vtable->free(device, second);
    free(written);
    free(read);
  }
}

static void offsets_address_parts_of_an_allocation(tn_device_t* device) {
  unsigned char bytes[256], read[256] = {0};
  fill(bytes, sizeof bytes, 1);
  tn_memory_t memory = allocate(device, sizeof bytes);
  TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, memory, bytes, sizeof bytes));
  TN_ASSERT_OK(device->vtable->copy_to_host(device, NULL, read, tn__memory_at(memory, 64), 100));
  assert_memory_equal(read, bytes + 64, 100);
  TN_ASSERT_OK(device->vtable->copy(device, NULL, tn__memory_at(memory, 192), memory, 64));
  TN_ASSERT_OK(device->vtable->copy_to_host(device, NULL, read, memory, sizeof read));
  assert_memory_equal(read, bytes, 192);
  assert_memory_equal(read + 192, bytes, 64);
  device->vtable->free(device, memory);
}

static void copies_on_a_stream_happen_in_their_turn(tn_device_t* device) {
  enum { SIZE = 2 * MIB };
  unsigned char* written = malloc(SIZE);
  unsigned char* read = calloc(1, SIZE);
  tn_stream_t* stream;
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  tn_memory_t memory = allocate(device, SIZE), other = allocate(device, SIZE);
  for (unsigned round = 0; round < 20; ++round) {
    size_t size = round % 2 ? SIZE : 1000;
    fill(written, size, round);
    memset(read, 0, size);
    TN_ASSERT_OK(device->vtable->copy_from_host(device, stream, memory, written, size));
    TN_ASSERT_OK(device->vtable->copy(device, stream, other, memory, size));
    TN_ASSERT_OK(device->vtable->copy_to_host(device, stream, read, other, size));
    TN_ASSERT_OK(tn_stream_synchronize(stream));
    assert_memory_equal(written, read, size);
  }
  device->vtable->free(device, memory);
  device->vtable->free(device, other);
  tn_stream_release(stream);
  free(written);
  free(read);
}

static void statistics_follow_allocations(tn_device_t* device) {
  tn_memory_statistics_t before = statistics_of(device);
  tn_memory_t memory = allocate(device, 5 * MIB);
  tn_memory_statistics_t during = statistics_of(device);
  assert_true(during.in_use_byte_size >= before.in_use_byte_size + 5 * MIB);
  assert_true(during.in_use_byte_size <= before.in_use_byte_size + 6 * MIB);
  assert_true(during.peak_byte_size >= during.in_use_byte_size);
  assert_int_equal(during.allocation_count, before.allocation_count + 1);
  device->vtable->free(device, memory);
  tn_memory_statistics_t after = statistics_of(device);
  assert_int_equal(after.in_use_byte_size, before.in_use_byte_size);
  assert_int_equal(after.peak_byte_size, during.peak_byte_size);
  assert_int_equal(after.free_count, before.free_count + 1);
  tn_device_reset_peak(device);
  assert_int_equal(statistics_of(device).peak_byte_size, after.in_use_byte_size);
  tn_device_trim(device, 0);
  assert_int_equal(statistics_of(device).cached_byte_size, 0);
}

static void statistics_fill_no_more_than_the_caller_has(tn_device_t* device) {
  struct {
    tn_memory_statistics_t statistics;
  } old = {{.struct_size = offsetof(tn_memory_statistics_t, cached_byte_size)}};
  old.statistics.cached_byte_size = 12345;
  old.statistics.free_count = 6789;
  tn_memory_t memory = allocate(device, 1000);
  tn_device_memory_statistics(device, &old.statistics);
  assert_true(old.statistics.in_use_byte_size >= 1000);
  assert_int_equal(old.statistics.cached_byte_size, 12345);
  assert_int_equal(old.statistics.free_count, 6789);
  device->vtable->free(device, memory);
}

static void limit_is_kept(tn_device_t* device) {
  tn_memory_t first = allocate(device, 6 * MIB), second;
  tn_device_set_memory_limit(device, 8 * MIB);
  TN_ASSERT_REPORT("the limit is 8388608", device->vtable->allocate(device, 6 * MIB, 0, &second));
  assert_null(second.handle);
  device->vtable->free(device, first);
  TN_ASSERT_OK(device->vtable->allocate(device, 6 * MIB, 0, &second));
  device->vtable->free(device, second);
  tn_device_set_memory_limit(device, 0);
  first = allocate(device, 20 * MIB);
  device->vtable->free(device, first);
}

static void impossible_sizes_are_errors(tn_device_t* device) {
  tn_memory_t memory;
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, device->vtable->allocate(device, SIZE_MAX, 0, &memory));
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, device->vtable->allocate(device, SIZE_MAX / 4, 0, &memory));
}

static void nothing_is_kept_without_a_cache(tn_device_t* device) {
  tn_device_set_cache_limit(device, 0);
  tn_memory_t memory = allocate(device, 50 * MIB);
  device->vtable->free(device, memory);
  assert_int_equal(statistics_of(device).cached_byte_size, 0);
}

static uint64_t bytes_in_use(tn_device_t* device) {
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_device_memory_statistics(device, &statistics);
  return statistics.in_use_byte_size;
}

static void memory_is_given_back_behind_queued_work(tn_device_t* device) {
  enum { BYTES = 1 << 20 };
  tn_memory_t memory = {NULL, 0};
  tn_stream_t* stream = NULL;
  tn_event_t *gate = NULL, *after = NULL;
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  TN_ASSERT_OK(tn_event_create(device, &gate));
  TN_ASSERT_OK(tn_event_create(device, &after));
  const uint64_t before = bytes_in_use(device);
  TN_ASSERT_OK(device->vtable->allocate(device, BYTES, 0, &memory));
  TN_ASSERT_OK(tn_stream_wait_event(stream, gate));
  TN_ASSERT_OK(tn_stream_record_event(stream, after));
  tn__device_free(device, memory, after);
  tn_event_release(after);
  assert_true(bytes_in_use(device) >= before + BYTES);
  TN_ASSERT_OK(tn_event_set(gate, TN_OK));
  TN_ASSERT_OK(tn_stream_synchronize(stream));
  assert_true(bytes_in_use(device) == before);
  TN_ASSERT_OK(device->vtable->allocate(device, BYTES, 0, &memory));
  tn__device_free(device, memory, gate);
  assert_true(bytes_in_use(device) == before);
  tn_event_release(gate);
  tn_stream_release(stream);
}

static void a_buffer_may_be_released_before_its_contents_are_there(tn_device_t* device) {
  enum { LENGTH = 1 << 18 };
  const int64_t dims[] = {LENGTH};
  tn_memory_t memory = {NULL, 0};
  tn_event_t* ready = NULL;
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_event_create(device, &ready));
  const uint64_t before = bytes_in_use(device);
  TN_ASSERT_OK(device->vtable->allocate(device, LENGTH * sizeof(float), 0, &memory));
  TN_ASSERT_OK(tn__buffer_create_over(device, TN_DTYPE_F32, 1, dims, memory, ready, &buffer));
  tn_buffer_release(buffer);
  assert_true(bytes_in_use(device) >= before + LENGTH * sizeof(float));
  TN_ASSERT_OK(tn_event_set(ready, TN_OK));
  assert_true(bytes_in_use(device) == before);
  tn_event_release(ready);
}

int main(void) {
  static const tn_device_test_t tests[] = {
      TN_DEVICE_TEST(memory_keeps_what_is_copied_to_it),
      TN_DEVICE_TEST(offsets_address_parts_of_an_allocation),
      TN_DEVICE_TEST(copies_on_a_stream_happen_in_their_turn),
      TN_DEVICE_TEST(statistics_follow_allocations),
      TN_DEVICE_TEST(statistics_fill_no_more_than_the_caller_has),
      TN_DEVICE_TEST(limit_is_kept),
      TN_DEVICE_TEST(impossible_sizes_are_errors),
      TN_DEVICE_TEST(nothing_is_kept_without_a_cache),
      TN_DEVICE_TEST(memory_is_given_back_behind_queued_work),
      TN_DEVICE_TEST(a_buffer_may_be_released_before_its_contents_are_there),
  };
  return tn__run_device_tests(tests, sizeof tests / sizeof *tests);
}
