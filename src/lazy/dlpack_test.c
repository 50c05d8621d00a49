// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays as DLPack tensors; buffers: src/device/dlpack_test.c.
#include <tenon/dlpack.h>

#include "lazy/array.h"
#include "lazy/testing_lazy.h"

// The tensor as a buffer, in row-major order. Takes the tensor.
static void expect_elements(tn_device_t* device, tn_dl_versioned_t* tensor, size_t count,
                            const float* elements) {
  float found[24];
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_buffer_from_dlpack_versioned(device, tensor, &buffer));
  TN_ASSERT_OK(tn_buffer_to_host(buffer, found, count * sizeof *found));
  assert_memory_equal(found, elements, count * sizeof *elements);
  tn_buffer_release(buffer);
}

// Both forms show the elements of `array` in the memory of `root`, `offset` elements from its
// beginning.
static void expect_view(tn_array_t* array, tn_array_t* root, ptrdiff_t offset,
                        const int64_t* strides, const float* elements) {
  tn_mapped_array_t base;
  tn_dl_managed_t* managed = NULL;
  tn_dl_versioned_t* versioned = NULL;
  TN_ASSERT_OK(tn_array_to_dlpack(array, &managed));
  TN_ASSERT_OK(tn_array_to_dlpack_versioned(array, &versioned));
  TN_ASSERT_OK(tn_array_map(root, &base));
  const tn_dl_tensor_t* tensors[] = {&managed->tensor, &versioned->tensor};
  for (size_t i = 0; i < 2; ++i) {
    const tn_dl_tensor_t* t = tensors[i];
    assert_ptr_equal((const char*)t->data + t->byte_offset, (const float*)base.data + offset);
    assert_true(t->device.type == 1 && t->dtype.code == 2 && t->dtype.bits == 32);
    assert_int_equal(t->rank, tn_array_rank(array));
    const size_t byte_size = (size_t)t->rank * sizeof *strides;
    if (byte_size) {
      assert_memory_equal(t->dims, tn_array_dims(array), byte_size);
      assert_memory_equal(t->strides, strides, byte_size);
    }
  }
  tn_array_unmap(root);
  assert_int_equal(versioned->flags, TN_DL_READ_ONLY);
  managed->deleter(managed);
  expect_elements(tn_array_device(array), versioned, (size_t)tn_array_size(array), elements);
}

static void views_are_exported_without_a_copy(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  expect_view(x, x, 0, (int64_t[]){3, 1}, (float[]){0, 1, 2, 3, 4, 5});
  tn_array_t* transposed = tn_array_transpose(s, x, NULL);
  expect_view(transposed, x, 0, (int64_t[]){1, 3}, (float[]){0, 3, 1, 4, 2, 5});
  tn_array_t* sliced =
      tn_array_slice(s, x, (int64_t[]){1, 0}, (int64_t[]){2, 3}, (int64_t[]){1, 2});
  expect_view(sliced, x, 3, (int64_t[]){3, 2}, (float[]){3, 5});
  tn_array_t* reversed =
      tn_array_slice(s, transposed, (int64_t[]){-1, 0}, (int64_t[]){-4, 2}, (int64_t[]){-1, 1});
  expect_view(reversed, x, 2, (int64_t[]){-1, 3}, (float[]){2, 5, 1, 4, 0, 3});
  tn_scope_destroy(s);
}

static const void* exported_data(tn_array_t* array) {
  tn_dl_versioned_t* tensor = NULL;
  TN_ASSERT_OK(tn_array_to_dlpack_versioned(array, &tensor));
  const void* data = (const char*)tensor->tensor.data + tensor->tensor.byte_offset;
  tensor->deleter(tensor);
  return data;
}

// Row-major without gaps, in memory that the array keeps.
static void expect_dense(tn_array_t* array, const float* elements) {
  tn_dl_managed_t* managed = NULL;
  tn_dl_versioned_t* versioned = NULL;
  TN_ASSERT_OK(tn_array_to_dlpack(array, &managed));
  TN_ASSERT_OK(tn_array_to_dlpack_versioned(array, &versioned));
  const tn_dl_tensor_t* t = &managed->tensor;
  assert_ptr_equal(t->data, versioned->tensor.data);
  assert_memory_equal((const char*)t->data + t->byte_offset, elements, tn_array_byte_size(array));
  int64_t stride = 1;
  for (int32_t d = t->rank; d-- > 0;) {
    assert_int_equal(t->strides[d], stride);
    assert_int_equal(versioned->tensor.strides[d], stride);
    stride *= t->dims[d];
  }
  managed->deleter(managed);
  versioned->deleter(versioned);
  assert_ptr_equal(exported_data(array), exported_data(array));
}

static void elements_that_share_memory_are_made_dense_once(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* sliced =
      tn_array_slice(s, x, (int64_t[]){1, 0}, (int64_t[]){2, 3}, (int64_t[]){1, 2});
  expect_dense(tn_array_broadcast_to(s, sliced, TN_LIST(2, 2)), (float[]){3, 5, 3, 5});
  expect_dense(tn_array_ones(s, TN_DTYPE_F32, TN_LIST(3)), (float[]){1, 1, 1});
  expect_dense(tn_array_as_strided(s, x, TN_LIST(3, 2), (int64_t[]){2, 1}, 0),
               (float[]){0, 1, 2, 3, 4, 5});
  expect_dense(tn_array_as_strided(s, x, TN_LIST(3, 2), (int64_t[]){1, 1}, 1),
               (float[]){1, 2, 2, 3, 3, 4});
  tn_array_t* other = tn_array_ones(s, TN_DTYPE_F32, TN_LIST(3));
  assert_ptr_not_equal(exported_data(other),
                       exported_data(tn_array_ones(s, TN_DTYPE_F32, TN_LIST(3))));
  tn_scope_destroy(s);
}

static void dimensions_of_one_overlap_nothing(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_mapped_array_t base;
  tn_array_t* row = tn_array_expand_dims(s, x, 1, (int64_t[]){0});
  tn_array_t* same = tn_array_broadcast_to(s, row, TN_LIST(1, 2, 3));
  TN_ASSERT_OK(tn_array_map(x, &base));
  assert_ptr_equal(exported_data(same), base.data);
  tn_array_unmap(x);
  tn_scope_destroy(s);
}

static void scalars_and_empty_arrays_are_exported(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_dl_versioned_t* tensor = NULL;
  tn_array_t* x = tn__testing_range(s, TN_LIST(4));
  tn_array_t* scalar =
      tn_array_reshape(s, tn_array_slice(s, x, (int64_t[]){3}, (int64_t[]){4}, NULL), TN_NO_DIMS);
  expect_view(scalar, x, 3, NULL, (float[]){3});
  tn_array_t* empty = tn_array_slice(s, x, (int64_t[]){4}, (int64_t[]){4}, NULL);
  TN_ASSERT_OK(tn_array_to_dlpack_versioned(empty, &tensor));
  assert_true(tensor->tensor.rank == 1 && tensor->tensor.dims[0] == 0);
  expect_elements(tn_scope_device(s), tensor, 0, (float[]){0});
  tn_scope_destroy(s);
}

static void a_tensor_keeps_the_elements_of_its_array(void** state) {
  (void)state;
  tn_dl_versioned_t* tensor = NULL;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_negative(s, tn__testing_range(s, TN_LIST(2, 2)));
  TN_ASSERT_OK(tn_array_to_dlpack_versioned(tn_array_transpose(s, x, NULL), &tensor));
  tn_device_t* device = tn_device_retain(tn_scope_device(s));
  tn_scope_destroy(s);
  expect_elements(device, tensor, 4, (float[]){-0.0f, -2, -1, -3});
  tn_device_release(device);
}

static void padded_elements_need_a_version(void** state) {
  (void)state;
  tn_dl_managed_t* managed = NULL;
  tn_dl_versioned_t* versioned = NULL;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_zeros(s, TN_DTYPE_U4, TN_LIST(2));
  TN_ASSERT_CODE(UNIMPLEMENTED, tn_array_to_dlpack(x, &managed));
  assert_null(managed);
  TN_ASSERT_OK(tn_array_to_dlpack_versioned(x, &versioned));
  assert_int_equal(versioned->flags, TN_DL_READ_ONLY | TN_DL_IS_PADDED);
  versioned->deleter(versioned);
  tn_scope_destroy(s);
}

static void arrays_without_elements_are_errors(void** state) {
  (void)state;
  tn_dl_managed_t* managed = NULL;
  tn_dl_versioned_t* versioned = NULL;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* failed = tn_array_reshape(s, tn__testing_range(s, TN_LIST(4)), TN_LIST(3));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_array_to_dlpack(failed, &managed));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_array_to_dlpack_versioned(failed, &versioned));
  tn_array_t* input = tn__abstract(s, TN_DTYPE_F32, TN_LIST(2));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_array_to_dlpack_versioned(input, &versioned));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_array_to_dlpack(NULL, &managed));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_array_to_dlpack_versioned(NULL, &versioned));
  assert_true(!managed && !versioned);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(views_are_exported_without_a_copy),
      cmocka_unit_test(elements_that_share_memory_are_made_dense_once),
      cmocka_unit_test(dimensions_of_one_overlap_nothing),
      cmocka_unit_test(scalars_and_empty_arrays_are_exported),
      cmocka_unit_test(a_tensor_keeps_the_elements_of_its_array),
      cmocka_unit_test(padded_elements_need_a_version),
      cmocka_unit_test(arrays_without_elements_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
