// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/buffer.h"

#include "base/testing.h"
#include "base/type.h"
#include "device/conformance/testing_devices.h"

static void contents_come_back_as_they_went_in(tn_device_t* device) {
  for (int dtype = 1; dtype < TN_DTYPE_LIMIT; ++dtype) {
    if (!tn_dtype_is_valid(dtype) || dtype == TN_DTYPE_TOKEN) continue;
    const int64_t dims[] = {3, 5, 2};
    unsigned char data[30 * 16], read[30 * 16] = {0};
    size_t byte_size = 30 * tn_dtype_byte_size((tn_dtype_t)dtype);
    for (size_t i = 0; i < byte_size; ++i) data[i] = (unsigned char)(i + (size_t)dtype);
    tn_dtype_make_values((tn_dtype_t)dtype, data, byte_size);
    tn_buffer_t* buffer;
    TN_ASSERT_OK(
        tn_buffer_create_from_host(device, (tn_dtype_t)dtype, 3, dims, data, byte_size, &buffer));
    assert_int_equal(tn_buffer_dtype(buffer), dtype);
    assert_int_equal(tn_buffer_rank(buffer), 3);
    assert_memory_equal(tn_buffer_dims(buffer), dims, sizeof dims);
    assert_int_equal(tn_buffer_size(buffer), 30);
    assert_int_equal(tn_buffer_byte_size(buffer), byte_size);
    assert_ptr_equal(tn_buffer_device(buffer), device);
    assert_null(tn_buffer_ready_event(buffer));
    TN_ASSERT_OK(tn_buffer_to_host(buffer, read, byte_size));
    assert_memory_equal(data, read, byte_size);
    tn_buffer_release(buffer);
  }
}

static void scalars_and_empty_buffers_are_buffers(tn_device_t* device) {
  float value = 2.5f, read = 0;
  tn_buffer_t* scalar;
  TN_ASSERT_OK(
      tn_buffer_create_from_host(device, TN_DTYPE_F32, 0, NULL, &value, sizeof value, &scalar));
  TN_ASSERT_OK(tn_buffer_to_host(scalar, &read, sizeof read));
  assert_true(read == 2.5f);
  const int64_t dims[] = {4, 0, 7};
  tn_buffer_t* empty;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 3, dims, NULL, 0, &empty));
  assert_int_equal(tn_buffer_size(empty), 0);
  TN_ASSERT_OK(tn_buffer_to_host(empty, NULL, 0));
  tn_buffer_release(scalar);
  tn_buffer_release(empty);
}

static void buffer_may_be_filled_by_the_host(tn_device_t* device) {
  const int64_t dims[] = {8};
  void* data;
  tn_buffer_t* buffer;
  TN_ASSERT_OK(tn_buffer_create(device, TN_DTYPE_S32, 1, dims, &data, &buffer));
  if (data) {
    for (int i = 0; i < 8; ++i) ((int*)data)[i] = i * i;
    int read[8];
    TN_ASSERT_OK(tn_buffer_to_host(buffer, read, sizeof read));
    for (int i = 0; i < 8; ++i) assert_int_equal(read[i], i * i);
  }
  tn_buffer_release(buffer);
}

static void wrong_shapes_and_lengths_are_refused(tn_device_t* device) {
  tn_buffer_t* buffer;
  int64_t dims[TN_MAX_RANK + 1];
  for (int i = 0; i <= TN_MAX_RANK; ++i) dims[i] = 1;
  char data[64] = {0};
  TN_ASSERT_OK(tn_buffer_create(device, TN_DTYPE_U8, TN_MAX_RANK, dims, NULL, &buffer));
  tn_buffer_release(buffer);
  TN_ASSERT_REPORT("rank 65",
                   tn_buffer_create(device, TN_DTYPE_U8, TN_MAX_RANK + 1, dims, NULL, &buffer));
  assert_null(buffer);
  dims[1] = -3;
  TN_ASSERT_REPORT("dimension 1 is -3",
                   tn_buffer_create(device, TN_DTYPE_U8, 2, dims, NULL, &buffer));
  dims[1] = TN_DIM_DYNAMIC;
  TN_ASSERT_REPORT("dynamic", tn_buffer_create(device, TN_DTYPE_U8, 2, dims, NULL, &buffer));
  dims[0] = dims[1] = (int64_t)1 << 40;
  TN_ASSERT_REPORT("overflows", tn_buffer_create(device, TN_DTYPE_U8, 2, dims, NULL, &buffer));
  dims[2] = 0;  // zero elements, but the product overflows on the way
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_buffer_create(device, TN_DTYPE_U8, 3, dims, NULL, &buffer));
  dims[0] = (int64_t)1 << 62;
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn_buffer_create(device, TN_DTYPE_U8, 1, dims, NULL, &buffer));
  dims[0] = 4;
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 tn_buffer_create(device, TN_DTYPE_TOKEN, 1, dims, NULL, &buffer));
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 tn_buffer_create(device, (tn_dtype_t)14, 1, dims, NULL, &buffer));
  TN_ASSERT_REPORT("15 bytes for a buffer tensor<4xf32>; it has 16",
                   tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, dims, data, 15, &buffer));
  TN_ASSERT_REPORT("NULL",
                   tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, dims, NULL, 16, &buffer));
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, dims, data, 16, &buffer));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_buffer_to_host(buffer, data, 17));
  tn_buffer_release(buffer);
}

static void count_release(void* user, void* data) {
  assert_non_null(data);
  ++*(int*)user;
}

static void imported_memory_is_given_back_exactly_once(tn_device_t* device) {
  _Alignas(64) int data[64];
  const int64_t dims[] = {16};
  for (int i = 0; i < 64; ++i) data[i] = i;
  for (int offset = 0; offset < 16; ++offset) {
    int released = 0;
    tn_buffer_t* buffer;
    TN_ASSERT_OK(tn_buffer_import(device, TN_DTYPE_S32, 1, dims, data + offset, 64, count_release,
                                  &released, &buffer));
    int read[16];
    TN_ASSERT_OK(tn_buffer_to_host(buffer, read, sizeof read));
    for (int i = 0; i < 16; ++i) assert_int_equal(read[i], offset + i);
    if (offset == 1) assert_int_equal(released, 1);  // no device uses it where it is
    tn_buffer_release(buffer);
    assert_int_equal(released, 1);
  }
  int released = 0;
  tn_buffer_t* buffer;
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_buffer_import(device, TN_DTYPE_S32, 1, dims, data, 63,
                                                    count_release, &released, &buffer));
  assert_null(buffer);
  assert_int_equal(released, 1);
  const int64_t none[] = {0};
  TN_ASSERT_OK(
      tn_buffer_import(device, TN_DTYPE_S32, 1, none, data, 0, count_release, &released, &buffer));
  tn_buffer_release(buffer);
  assert_int_equal(released, 2);
  TN_ASSERT_OK(tn_buffer_import(device, TN_DTYPE_S32, 1, dims, data, 64, NULL, NULL, &buffer));
  tn_buffer_release(buffer);
}

static void buffer_outlives_every_other_reference_to_its_device(tn_device_t* device) {
  tn_device_t* own;
  TN_ASSERT_OK(tn_device_create(tn_device_name(device), NULL, &own));
  int value = 7, read = 0;
  tn_buffer_t* buffer;
  TN_ASSERT_OK(
      tn_buffer_create_from_host(own, TN_DTYPE_S32, 0, NULL, &value, sizeof value, &buffer));
  tn_device_release(own);
  TN_ASSERT_OK(tn_buffer_to_host(buffer, &read, sizeof read));
  assert_int_equal(read, 7);
  tn_buffer_release(buffer);
}

static tn_buffer_t* create_pending(tn_device_t* device, tn_event_t* ready) {
  tn_memory_t memory;
  const int64_t dims[] = {4};
  int values[] = {1, 2, 3, 4};
  tn_buffer_t* buffer;
  TN_ASSERT_OK(device->vtable->allocate(device, sizeof values, 0, &memory));
  TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, memory, values, sizeof values));
  TN_ASSERT_OK(tn__buffer_create_over(device, TN_DTYPE_S32, 1, dims, memory, ready, &buffer));
  return buffer;
}

static void error_of_the_work_comes_out_instead_of_the_contents(tn_device_t* device) {
  tn_event_t* ready;
  TN_ASSERT_OK(tn_event_create(device, &ready));
  tn_buffer_t* buffer = create_pending(device, ready);
  assert_ptr_equal(tn_buffer_ready_event(buffer), ready);
  TN_ASSERT_OK(tn_event_set(ready, tn_status_create(TN_CODE_DATA_LOSS, "the kernel failed")));
  tn_event_release(ready);
  int read[4];
  const void* data;
  TN_ASSERT_REPORT("the kernel failed", tn_buffer_to_host(buffer, read, sizeof read));
  TN_ASSERT_REPORT("the kernel failed", tn_buffer_map(buffer, &data));
  assert_null(data);
  tn_buffer_release(buffer);
}

static void donated_buffer_has_no_contents_any_more(tn_device_t* device) {
  tn_buffer_t* buffer = create_pending(device, NULL);
  assert_true(tn__buffer_is_donatable(buffer));
  tn_buffer_retain(buffer);
  assert_false(tn__buffer_is_donatable(buffer));
  tn_buffer_release(buffer);
  tn_memory_t held, taken;
  TN_ASSERT_OK(tn__buffer_hold(buffer, &held));
  assert_false(tn__buffer_take_memory(buffer, &taken));
  tn__buffer_unhold(buffer);
  assert_false(tn_buffer_is_donated(buffer));
  assert_true(tn__buffer_take_memory(buffer, &taken));
  assert_ptr_equal(taken.handle, held.handle);
  assert_true(tn_buffer_is_donated(buffer));
  tn_memory_t again;
  assert_false(tn__buffer_take_memory(buffer, &again));
  int read[4];
  TN_ASSERT_REPORT("tensor<4xi32> was donated", tn_buffer_to_host(buffer, read, sizeof read));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn__buffer_hold(buffer, &held));
  tn_buffer_release(buffer);
  device->vtable->free(device, taken);
}

static void expect_booleans(tn_buffer_t* buffer) {
  unsigned char found[64];
  TN_ASSERT_OK(tn_buffer_to_host(buffer, found, sizeof found));
  for (int i = 0; i < 64; ++i) assert_int_equal(found[i], i > 0);
  tn_buffer_release(buffer);
}

static void booleans_are_0_or_1_whatever_the_bytes_are(tn_device_t* device) {
  const int64_t dims[] = {64}, two[] = {2};
  _Alignas(64) unsigned char bytes[64], found[2];
  int released = 0;
  tn_buffer_t* buffer = NULL;
  for (int i = 0; i < 64; ++i) bytes[i] = (unsigned char)(i * 4);
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_PRED, 1, dims, bytes, 64, &buffer));
  expect_booleans(buffer);
  TN_ASSERT_OK(tn_buffer_import(device, TN_DTYPE_PRED, 1, dims, bytes, 64, count_release, &released,
                                &buffer));
  expect_booleans(buffer);
  assert_int_equal(released, 1);
  assert_int_equal(bytes[2], 8);  // the caller's stay as they are
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_S4, 1, two, "\x7f\x06", 2, &buffer));
  TN_ASSERT_OK(tn_buffer_to_host(buffer, found, 2));
  assert_memory_equal(found, "\xff\x06", 2);
  tn_buffer_release(buffer);
}

static void mapped_and_imported_buffers_are_not_donated(tn_device_t* device) {
  tn_memory_t taken;
  tn_buffer_t* buffer = create_pending(device, NULL);
  const void* data;
  TN_ASSERT_OK(tn_buffer_map(buffer, &data));
  assert_int_equal(((const int*)data)[3], 4);
  assert_false(tn__buffer_take_memory(buffer, &taken));
  tn_buffer_unmap(buffer);
  assert_true(tn__buffer_take_memory(buffer, &taken));
  device->vtable->free(device, taken);
  tn_buffer_release(buffer);

  _Alignas(64) int imported[16] = {0};
  const int64_t dims[] = {16};
  int released = 0;
  TN_ASSERT_OK(tn_buffer_import(device, TN_DTYPE_S32, 1, dims, imported, 64, count_release,
                                &released, &buffer));
  if (!released) assert_false(tn__buffer_take_memory(buffer, &taken));
  tn_buffer_release(buffer);
}

static void alias_shows_the_same_bytes_in_another_shape(tn_device_t* device) {
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = i;
  const int64_t dims[] = {64};
  tn_buffer_t* parent;
  TN_ASSERT_OK(
      tn_buffer_create_from_host(device, TN_DTYPE_S32, 1, dims, values, sizeof values, &parent));
  size_t offset = device->memory_alignment;
  const int64_t alias_dims[] = {2, (int64_t)(sizeof values - offset) / 8};
  size_t alias_length = sizeof values - offset;
  tn_buffer_t* alias;
  TN_ASSERT_OK(tn__buffer_create_alias(parent, TN_DTYPE_F32, 2, alias_dims, offset, &alias));
  const int64_t all[] = {65};
  tn_buffer_t* wrong;
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 tn__buffer_create_alias(parent, TN_DTYPE_S32, 1, all, 0, &wrong));
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 tn__buffer_create_alias(parent, TN_DTYPE_S32, 0, NULL, offset + 4, &wrong));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__buffer_create_alias(parent, TN_DTYPE_S32, 0, NULL,
                                                           SIZE_MAX & ~offset, &wrong));
  tn_memory_t taken;
  assert_false(tn__buffer_take_memory(parent, &taken));
  assert_false(tn__buffer_take_memory(alias, &taken));
  tn_buffer_release(parent);
  int read[64];
  TN_ASSERT_OK(tn_buffer_to_host(alias, read, alias_length));
  assert_memory_equal(read, (char*)values + offset, alias_length);
  tn_buffer_release(alias);
}

// --- from device to device

static tn_buffer_t* floats_on(tn_device_t* device) {
  tn_buffer_t* buffer = NULL;
  const float data[] = {1, 2, 3, 4};
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){4}, data,
                                          sizeof data, &buffer));
  return buffer;
}

static void expect_floats(tn_buffer_t* buffer, tn_device_t* device) {
  float data[4] = {0};
  assert_ptr_equal(tn_buffer_device(buffer), device);
  TN_ASSERT_OK(tn_buffer_to_host(buffer, data, sizeof data));
  for (int i = 0; i < 4; ++i) assert_true(data[i] == (float)(i + 1));
}

static void buffers_go_from_device_to_device(tn_device_t* device) {
  static const char* const names[] = {"cpu", "reference"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    tn_device_t* other = NULL;
    tn_stream_t* stream = NULL;
    tn_event_t* gate = NULL;
    tn_buffer_t *there = NULL, *back = NULL, *here = floats_on(device);
    TN_ASSERT_OK(tn_device_create(names[i], NULL, &other));
    TN_ASSERT_OK(tn_stream_create(device, &stream));
    TN_ASSERT_OK(tn_event_create(device, &gate));
    TN_ASSERT_OK(tn_buffer_to_device(here, other, NULL, &there));
    expect_floats(there, other);
    TN_ASSERT_OK(tn_stream_wait_event(stream, gate));
    TN_ASSERT_OK(tn_buffer_to_device(there, device, stream, &back));
    tn_buffer_release(there);
    tn_buffer_release(here);
    assert_false(tn_event_is_complete(tn_buffer_ready_event(back)));
    TN_ASSERT_OK(tn_event_set(gate, TN_OK));
    expect_floats(back, device);
    tn_buffer_release(back);
    tn_event_release(gate);
    tn_stream_release(stream);
    tn_device_release(other);
  }
}

static void a_copy_has_the_error_of_its_source(tn_device_t* device) {
  tn_memory_t memory = {NULL, 0};
  tn_event_t* ready = NULL;
  tn_stream_t* stream = NULL;
  tn_buffer_t *source = NULL, *copy = NULL;
  TN_ASSERT_OK(tn_event_create(device, &ready));
  TN_ASSERT_OK(tn_stream_create(device, &stream));
  TN_ASSERT_OK(device->vtable->allocate(device, 16, 0, &memory));
  TN_ASSERT_OK(
      tn__buffer_create_over(device, TN_DTYPE_F32, 1, (int64_t[]){4}, memory, ready, &source));
  TN_ASSERT_OK(tn_buffer_to_device(source, device, stream, &copy));
  TN_ASSERT_OK(tn_event_set(ready, tn_status_create(TN_CODE_DATA_LOSS, "lost")));
  TN_ASSERT_REPORT("lost", tn_event_wait(tn_buffer_ready_event(copy), -1));
  tn_buffer_release(copy);
  TN_ASSERT_REPORT("lost", tn_buffer_to_device(source, device, NULL, &copy));
  assert_null(copy);
  tn_buffer_release(source);
  tn_event_release(ready);
  tn_stream_release(stream);
}

static void a_copy_of_a_tuple_or_on_a_foreign_stream_is_refused(tn_device_t* device) {
  tn_device_t* other = NULL;
  tn_stream_t* stream = NULL;
  tn_buffer_t *buffer = floats_on(device), *tuple = NULL, *copy = NULL;
  TN_ASSERT_OK(tn_device_create(tn_device_name(device), NULL, &other));
  TN_ASSERT_OK(tn_stream_create(other, &stream));
  TN_ASSERT_REPORT("the stream belongs to another device",
                   tn_buffer_to_device(buffer, device, stream, &copy));
  TN_ASSERT_OK(tn_buffer_create_tuple(device, 1, &buffer, &tuple));
  TN_ASSERT_REPORT("is a tuple", tn_buffer_to_device(tuple, device, NULL, &copy));
  tn_buffer_release(tuple);
  tn_buffer_release(buffer);
  tn_stream_release(stream);
  tn_device_release(other);
}

int main(void) {
  static const tn_device_test_t tests[] = {
      TN_DEVICE_TEST(contents_come_back_as_they_went_in),
      TN_DEVICE_TEST(scalars_and_empty_buffers_are_buffers),
      TN_DEVICE_TEST(buffer_may_be_filled_by_the_host),
      TN_DEVICE_TEST(wrong_shapes_and_lengths_are_refused),
      TN_DEVICE_TEST(imported_memory_is_given_back_exactly_once),
      TN_DEVICE_TEST(booleans_are_0_or_1_whatever_the_bytes_are),
      TN_DEVICE_TEST(buffer_outlives_every_other_reference_to_its_device),
      TN_DEVICE_TEST(error_of_the_work_comes_out_instead_of_the_contents),
      TN_DEVICE_TEST(donated_buffer_has_no_contents_any_more),
      TN_DEVICE_TEST(mapped_and_imported_buffers_are_not_donated),
      TN_DEVICE_TEST(alias_shows_the_same_bytes_in_another_shape),
      TN_DEVICE_TEST(buffers_go_from_device_to_device),
      TN_DEVICE_TEST(a_copy_has_the_error_of_its_source),
      TN_DEVICE_TEST(a_copy_of_a_tuple_or_on_a_foreign_stream_is_refused),
  };
  return tn__run_device_tests(tests, sizeof tests / sizeof *tests);
}
