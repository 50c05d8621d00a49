// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Data into arrays, and out of them.
#include <tenon/npy.h>

#include "device/device.h"
#include "kernel/common/element.h"
#include "kernel/common/strided.h"
#include "lazy/eval.h"

// --- in

static tn_array_t* create_ready(tn_scope_t* scope, tn_buffer_t* buffer) {
  return tn__scope_give(scope, tn__array_create_ready(tn__scope_evaluator(scope), buffer));
}

tn_array_t* tn_array_from_host(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                               const int64_t* dims, const void* data, size_t byte_size) {
  tn_buffer_t* buffer = NULL;
  tn_status_t status = tn_buffer_create_from_host(tn_scope_device(scope), dtype, rank, dims, data,
                                                  byte_size, &buffer);
  if (status) return tn_array_error(scope, tn_status_prefix(status, "tn_array_from_host"));
  tn_array_t* array = create_ready(scope, buffer);
  tn_buffer_release(buffer);
  return array;
}

tn_array_t* tn_array_from_buffer(tn_scope_t* scope, tn_buffer_t* buffer) {
  static const char name[] = "tn_array_from_buffer";
  if (!buffer || tn_type_kind(tn_buffer_type(buffer)) != TN_TYPE_TENSOR) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%s: the buffer is %s", name,
                          buffer ? "a tuple" : "NULL");
  }
  if (tn_buffer_device(buffer) != tn_scope_device(scope)) {
    tn_status_t status = tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "%s: the buffer is on another device than the scope", name);
    return tn__scope_refuse(
        scope, tn__device_explain(status, tn_buffer_device(buffer), tn_scope_device(scope)));
  }
  if (tn_buffer_is_donated(buffer)) {
    return tn__scope_fail(scope, TN_CODE_FAILED_PRECONDITION, "%s: the buffer has been donated",
                          name);
  }
  return create_ready(scope, buffer);
}

tn_array_t* tn_array_scalar_of(tn_scope_t* scope, tn_dtype_t dtype, const void* element) {
  if (!element) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "tn_array_scalar_of: element is NULL");
  }
  return tn_array_from_host(scope, dtype, 0, NULL, element, tn_dtype_byte_size(dtype));
}

tn_array_t* tn_array_scalar(tn_scope_t* scope, tn_dtype_t dtype, double value) {
  char element[16] = {0};
  if (!tn_dtype_is_valid((int)dtype) || tn_dtype_byte_size(dtype) == 0) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "tn_array_scalar: the dtype is %d (%s); expected one of elements",
                          (int)dtype, tn_dtype_name(dtype));
  }
  tn_dtype_store(dtype, value, element);
  return tn_array_scalar_of(scope, dtype, element);
}

tn_array_t* tn_array_scalar_like(tn_scope_t* scope, const tn_array_t* like, double value) {
  if (!like) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "tn_array_scalar_like: like is NULL");
  }
  tn_status_t status = tn_array_status(like);
  return status ? tn_array_error(scope, status) : tn_array_scalar(scope, like->dtype, value);
}

// --- out

static tn_status_t check_array(const char* function, const tn_array_t* array) {
  if (array) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: array is NULL", function);
}

// The address of the first element; the strides are the array's.
static tn_status_t map(const char* function, tn_array_t* array, const void** out_data) {
  *out_data = NULL;
  TN_RETURN_IF_ERROR(check_array(function, array));
  TN_RETURN_IF_ERROR(tn_array_eval(1, &array));
  TN_RETURN_IF_ERROR(tn_buffer_map(tn__array_root(array)->buffer, out_data));
  *out_data = (const char*)*out_data + array->byte_offset;
  return TN_OK;
}

tn_status_t tn_array_map(tn_array_t* array, tn_mapped_array_t* out_view) {
  const void* data = NULL;
  out_view->data = NULL;
  TN_RETURN_IF_ERROR(map("tn_array_map", array, &data));
  const int64_t byte_size = (int64_t)tn_dtype_byte_size(array->dtype);
  out_view->data = data;
  out_view->dtype = array->dtype;
  out_view->rank = array->rank;
  out_view->dims = array->dims;
  for (size_t i = 0; i < array->rank; ++i) out_view->strides[i] = array->strides[i] / byte_size;
  return TN_OK;
}

void tn_array_unmap(tn_array_t* array) {
  tn_buffer_unmap(tn__array_root(array)->buffer);
}

static tn_status_t copy_dense(const tn_array_t* array, const void* source, void* data) {
  int64_t strides[TN_MAX_RANK];
  tn_strided_copy_t copy;
  tn_arena_t arena;
  const tn_evaluator_t* evaluator = array->evaluator;
  const size_t element_size = tn_dtype_byte_size(array->dtype);
  tn__dense_strides(array->rank, array->dims, element_size, strides);
  tn__arena_init(&arena, evaluator->allocator);
  tn_status_t status = tn__strided_copy_prepare(&arena, element_size, array->rank, array->dims,
                                                strides, array->strides, &copy);
  if (!status) status = tn__strided_copy_run(&copy, evaluator->device->pool, data, source);
  tn__arena_deinit(&arena);
  return status;
}

tn_status_t tn_array_to_host(tn_array_t* array, void* data, size_t byte_size) {
  const void* source = NULL;
  TN_RETURN_IF_ERROR(check_array("tn_array_to_host", array));
  if (!data && byte_size) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_array_to_host: data is NULL; expected room for %zu bytes",
                            byte_size);
  }
  TN_RETURN_IF_ERROR(map("tn_array_to_host", array, &source));
  tn_status_t status = TN_OK;
  if (byte_size != tn_array_byte_size(array)) {
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "tn_array_to_host: the array has %zu bytes; there is room for %zu",
                              tn_array_byte_size(array), byte_size);
  } else if (byte_size) {
    status = copy_dense(array, source, data);
  }
  tn_array_unmap(array);
  return status;
}

static tn_status_t get_item(const char* function, tn_array_t* array, tn_dtype_t dtype,
                            void* out_element) {
  const void* data = NULL;
  TN_RETURN_IF_ERROR(map(function, array, &data));
  tn_status_t status = TN_OK;
  if (tn_array_size(array) == 1) {
    tn__convert_elements(array->dtype, data, dtype, out_element, 1);
  } else {
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: the array has the shape %s; expected one element", function,
                              TN_SHAPE_TEXT(array->rank, array->dims));
  }
  tn_array_unmap(array);
  return status;
}

tn_status_t tn_array_item(tn_array_t* array, double* out_value) {
  *out_value = 0;
  return get_item("tn_array_item", array, TN_DTYPE_F64, out_value);
}

tn_status_t tn_array_item_as(tn_array_t* array, tn_dtype_t dtype, void* out_element) {
  static const char name[] = "tn_array_item_as";
  const size_t byte_size = tn_dtype_byte_size(dtype);
  if (!out_element) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: out_element is NULL", name);
  }
  if (!byte_size) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the dtype is %d (%s); expected one of elements", name, (int)dtype,
                            tn_dtype_name(dtype));
  }
  memset(out_element, 0, byte_size);
  return get_item(name, array, dtype, out_element);
}

static tn_status_t write_array(void* user, void* data) {
  tn_array_t* array = user;
  return tn_array_to_host(array, data, tn_array_byte_size(array));
}

tn_status_t tn_array_to_buffer(tn_array_t* array, tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_ERROR(check_array("tn_array_to_buffer", array));
  TN_RETURN_IF_ERROR(tn_array_eval(1, &array));
  tn_array_t* root = tn__array_root(array);
  if (root == array) {
    *out_buffer = tn_buffer_retain(array->buffer);
    return TN_OK;
  }
  if (tn__array_is_dense(array) && tn_array_size(array) == tn_array_size(root)) {
    return tn__buffer_create_alias(root->buffer, array->dtype, array->rank, array->dims, 0,
                                   out_buffer);
  }
  return tn__buffer_create_written(tn_buffer_device(root->buffer), array->dtype, array->rank,
                                   array->dims, write_array, array, out_buffer);
}

tn_status_t tn_array_print(tn_array_t* array, tn_write_fn write, void* user) {
  tn_buffer_t* buffer = NULL;
  TN_RETURN_IF_NULL(write);
  TN_RETURN_IF_ERROR(check_array("tn_array_print", array));
  TN_RETURN_IF_ERROR(tn_array_to_buffer(array, &buffer));
  tn_status_t status = tn_buffer_print(buffer, write, user);
  tn_buffer_release(buffer);
  return status;
}
