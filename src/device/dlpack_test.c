// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// DLPack tensors, in and out; test/client/test_dlpack.py exchanges them with NumPy and JAX.
#include <tenon/dlpack.h>

#include "base/testing.h"
#include "base/testing_allocator.h"

static tn_device_t* device;
static int deleted;

static void count_managed(tn_dl_managed_t* self) {
  (void)self;
  ++deleted;
}
static void count_versioned(tn_dl_versioned_t* self) {
  (void)self;
  ++deleted;
}

static _Alignas(64) float numbers[24];
static const tn_dl_dtype_t f32 = {2, 32, 1};

static tn_dl_versioned_t tensor_of(void* data, int32_t rank, int64_t* dims, int64_t* strides) {
  for (int i = 0; i < 24; ++i) numbers[i] = (float)i;
  deleted = 0;
  return (tn_dl_versioned_t){
      .major = 1,
      .minor = 1,
      .deleter = count_versioned,
      .tensor = {.data = data,
                 .device = {1, 0},
                 .rank = rank,
                 .dtype = f32,
                 .dims = dims,
                 .strides = strides},
  };
}

static void expect(tn_dl_versioned_t* tensor, size_t count, const float* elements) {
  tn_buffer_t* buffer = NULL;
  float found[24];
  TN_ASSERT_OK(tn_buffer_from_dlpack_versioned(device, tensor, &buffer));
  assert_int_equal(tn_buffer_byte_size(buffer), count * sizeof *elements);
  TN_ASSERT_OK(tn_buffer_to_host(buffer, found, count * sizeof *found));
  assert_memory_equal(found, elements, count * sizeof *elements);
  tn_buffer_release(buffer);
  assert_int_equal(deleted, 1);
}

static void expect_error(tn_dl_versioned_t tensor, tn_code_t code, const char* text) {
  tn_buffer_t* buffer = NULL;
  deleted = 0;
  tn_status_t status = tn_buffer_from_dlpack_versioned(device, &tensor, &buffer);
  assert_int_equal(tn_status_code(status), code);
  if (!strstr(tn_status_message(status), text)) {
    fail_msg("\"%s\" is not in \"%s\"", text, tn_status_message(status));
  }
  tn_status_release(status);
  assert_null(buffer);
  assert_int_equal(deleted, 1);
}

// --- in

static void dense_tensors_are_used_in_place_where_that_is_possible(void** state) {
  tn_buffer_t* buffer = NULL;
  const void* data = NULL;
  tn_dl_versioned_t tensor = tensor_of(numbers, 2, (int64_t[]){4, 6}, (int64_t[]){6, 1});
  TN_ASSERT_OK(tn_buffer_from_dlpack_versioned(device, &tensor, &buffer));
  TN_ASSERT_OK(tn_buffer_map(buffer, &data));
  const bool is_cpu = strcmp(*state, "cpu") == 0;
  assert_true((data == numbers) == is_cpu && deleted == !is_cpu);
  tn_buffer_unmap(buffer);
  tn_buffer_release(buffer);
  assert_int_equal(deleted, 1);
}

static void tensors_without_strides_are_dense(void** state) {
  (void)state;
  tn_dl_versioned_t tensor = tensor_of(numbers, 1, (int64_t[]){3}, NULL);
  tensor.tensor.byte_offset = 8;
  expect(&tensor, 3, (float[]){2, 3, 4});
  tn_dl_managed_t managed = {.tensor = tensor.tensor, .deleter = count_managed};
  tn_buffer_t* buffer = NULL;
  deleted = 0;
  TN_ASSERT_OK(tn_buffer_from_dlpack(device, &managed, &buffer));
  tn_buffer_release(buffer);
  assert_int_equal(deleted, 1);
}

static void elements_are_gathered_by_any_strides(void** state) {
  (void)state;
  tn_dl_versioned_t transposed = tensor_of(numbers, 2, (int64_t[]){3, 2}, (int64_t[]){1, 3});
  expect(&transposed, 6, (float[]){0, 3, 1, 4, 2, 5});
  tn_dl_versioned_t reversed = tensor_of(numbers + 4, 1, (int64_t[]){3}, (int64_t[]){-2});
  expect(&reversed, 3, (float[]){4, 2, 0});
  tn_dl_versioned_t broadcast = tensor_of(numbers + 1, 2, (int64_t[]){2, 2}, (int64_t[]){0, 1});
  expect(&broadcast, 4, (float[]){1, 2, 1, 2});
  tn_dl_versioned_t cube = tensor_of(numbers, 3, (int64_t[]){2, 1, 2}, (int64_t[]){12, 77, 6});
  expect(&cube, 4, (float[]){0, 6, 12, 18});
}

static void empty_tensors_and_scalars_are_tensors(void** state) {
  (void)state;
  tn_dl_versioned_t empty = tensor_of(NULL, 2, (int64_t[]){0, 3}, (int64_t[]){7, 9});
  expect(&empty, 0, numbers);
  tn_dl_versioned_t scalar = tensor_of(numbers + 5, 0, NULL, NULL);
  expect(&scalar, 1, (float[]){5});
}

static void what_is_not_a_tensor_of_the_host_is_an_error(void** state) {
  (void)state;
  const tn_dl_versioned_t good = tensor_of(numbers, 1, (int64_t[]){3}, (int64_t[]){1});
  tn_dl_versioned_t bad = good;
  bad.tensor.device.type = 2;
  expect_error(bad, TN_CODE_UNIMPLEMENTED, "on a device of type 2 (CUDA); expected the CPU");
  bad.tensor.device.type = INT32_MIN;
  expect_error(bad, TN_CODE_UNIMPLEMENTED, "(unknown)");
  bad = good;
  bad.major = 2;
  expect_error(bad, TN_CODE_UNIMPLEMENTED, "the tensor is of DLPack 2.1; expected version 1");
  bad = good;
  bad.tensor.dtype = (tn_dl_dtype_t){2, 32, 4};
  expect_error(bad, TN_CODE_UNIMPLEMENTED, "32 bits and 4 lanes");
  bad.tensor.dtype = (tn_dl_dtype_t){0, 4, 1};
  expect_error(bad, TN_CODE_UNIMPLEMENTED, "packed elements of 4 bits");
  bad = good;
  bad.tensor.data = NULL;
  expect_error(bad, TN_CODE_INVALID_ARGUMENT, "is NULL");
  bad = good;
  bad.tensor.rank = -1;
  expect_error(bad, TN_CODE_INVALID_ARGUMENT, "rank -1");
  bad.tensor.rank = 65;
  expect_error(bad, TN_CODE_INVALID_ARGUMENT, "rank 65");
  bad.tensor.rank = 1;
  bad.tensor.dims = NULL;
  expect_error(bad, TN_CODE_INVALID_ARGUMENT, "no shape");
  bad.tensor.dims = (int64_t[]){INT64_MIN};
  expect_error(bad, TN_CODE_INVALID_ARGUMENT, "dimension 0 of the DLPack tensor");
  bad.tensor.dims = (int64_t[]){INT64_MAX};
  expect_error(bad, TN_CODE_INVALID_ARGUMENT, "overflows");
  bad = good;
  bad.tensor.strides = (int64_t[]){INT64_MIN / 4};
  expect_error(bad, TN_CODE_INVALID_ARGUMENT, "stride");
}

// --- out

static tn_buffer_t* iota(tn_dtype_t dtype, const int64_t* dims, size_t rank, size_t count) {
  unsigned char bytes[64];
  tn_buffer_t* buffer = NULL;
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (unsigned char)(i % 4);
  TN_ASSERT_OK(tn_buffer_create_from_host(device, dtype, rank, dims, bytes,
                                          count * tn_dtype_byte_size(dtype), &buffer));
  return buffer;
}

static void buffers_are_lent_until_the_deleter(void** state) {
  (void)state;
  tn_dl_managed_t* managed = NULL;
  tn_dl_versioned_t* versioned = NULL;
  tn_buffer_t* buffer = iota(TN_DTYPE_U8, (int64_t[]){2, 3}, 2, 6);
  TN_ASSERT_OK(tn_buffer_to_dlpack(buffer, &managed));
  TN_ASSERT_OK(tn_buffer_to_dlpack_versioned(buffer, &versioned));
  tn_buffer_release(buffer);
  assert_true(versioned->major == 1 && versioned->flags == TN_DL_READ_ONLY);
  const tn_dl_tensor_t* tensors[] = {&managed->tensor, &versioned->tensor};
  for (size_t i = 0; i < 2; ++i) {
    const tn_dl_tensor_t* t = tensors[i];
    assert_true(t->device.type == 1 && t->rank == 2 && t->byte_offset == 0);
    assert_true(t->dtype.code == 1 && t->dtype.bits == 8 && t->dtype.lanes == 1);
    assert_true(t->dims[0] == 2 && t->dims[1] == 3 && t->strides[0] == 3 && t->strides[1] == 1);
    assert_memory_equal(t->data, "\0\1\2\3\0\1", 6);
  }
  managed->deleter(managed);
  versioned->deleter(versioned);
}

static void every_dtype_that_dlpack_has_comes_back(void** state) {
  (void)state;
  for (int dtype = 0; dtype < 200; ++dtype) {
    if (!tn_dtype_is_valid(dtype) || dtype == TN_DTYPE_TOKEN) continue;
    tn_dl_versioned_t* tensor = NULL;
    tn_buffer_t *buffer = iota((tn_dtype_t)dtype, (int64_t[]){2}, 1, 2), *again = NULL;
    tn_status_t status = tn_buffer_to_dlpack_versioned(buffer, &tensor);
    if (dtype == TN_DTYPE_INDEX) {
      assert_int_equal(tn_status_code(status), TN_CODE_UNIMPLEMENTED);
      tn_status_release(status);
    } else {
      TN_ASSERT_OK(status);
      TN_ASSERT_OK(tn_buffer_from_dlpack_versioned(device, tensor, &again));
      assert_true(tn_type_equal(tn_buffer_type(buffer), tn_buffer_type(again)));
    }
    tn_buffer_release(buffer);
    tn_buffer_release(again);
  }
}

static void padded_elements_need_a_version(void** state) {
  (void)state;
  tn_dl_managed_t* tensor = NULL;
  tn_buffer_t* buffer = iota(TN_DTYPE_U4, (int64_t[]){2}, 1, 2);
  TN_ASSERT_CODE(UNIMPLEMENTED, tn_buffer_to_dlpack(buffer, &tensor));
  assert_null(tensor);
  tn_buffer_release(buffer);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  (void)context;
  tn_dl_versioned_t *tensor = NULL, *other = NULL;
  tn_buffer_t *buffer = NULL, *again = NULL;
  tn_dl_versioned_t strided = tensor_of(numbers, 1, (int64_t[]){3}, (int64_t[]){2});
  tn_status_t status = tn_buffer_from_dlpack_versioned(device, &strided, &buffer);
  if (!status) status = tn_buffer_to_dlpack_versioned(buffer, &tensor);
  if (!status) status = tn_buffer_from_dlpack_versioned(device, tensor, &again);
  if (!status) status = tn_buffer_to_dlpack_versioned(again, &other);
  if (other) other->deleter(other);
  tn_buffer_release(again);
  tn_buffer_release(buffer);
  return status;
}

static void refused_allocations_leave_nothing_behind(void** state) {
  (void)state;
  tn__testing_sweep_allocations(attempt, NULL);
}

static void booleans_are_0_or_1_with_any_strides(void** state) {
  (void)state;
  static const tn_dl_dtype_t boolean = {6, 8, 1};
  _Alignas(64) unsigned char bytes[4] = {0, 1, 2, 0xff};
  int64_t dims[] = {4}, strides[] = {1};
  for (int i = 0; i < 2; ++i) {
    tn_buffer_t* buffer = NULL;
    unsigned char found[4];
    strides[0] = i ? -1 : 1;
    tn_dl_versioned_t tensor = tensor_of(i ? bytes + 3 : bytes, 1, dims, strides);
    tensor.tensor.dtype = boolean;
    TN_ASSERT_OK(tn_buffer_from_dlpack_versioned(device, &tensor, &buffer));
    TN_ASSERT_OK(tn_buffer_to_host(buffer, found, 4));
    assert_memory_equal(found, i ? "\1\1\1\0" : "\0\1\1\1", 4);
    tn_buffer_release(buffer);
  }
}

static int run_on(const char* name) {
#define TEST(name_) \
  { .name = #name_, .test_func = name_, .initial_state = (void*)name }
  const struct CMUnitTest tests[] = {
      TEST(booleans_are_0_or_1_with_any_strides),
      TEST(dense_tensors_are_used_in_place_where_that_is_possible),
      TEST(tensors_without_strides_are_dense),
      TEST(elements_are_gathered_by_any_strides),
      TEST(empty_tensors_and_scalars_are_tensors),
      TEST(what_is_not_a_tensor_of_the_host_is_an_error),
      TEST(buffers_are_lent_until_the_deleter),
      TEST(every_dtype_that_dlpack_has_comes_back),
      TEST(padded_elements_need_a_version),
      TEST(refused_allocations_leave_nothing_behind),
  };
  TN_ASSERT_OK(tn_device_create(name, NULL, &device));
  const int failed = cmocka_run_group_tests_name(name, tests, NULL, NULL);
  tn_device_release(device);
  return failed;
}

int main(void) {
  return run_on("cpu") + run_on("reference");
}
