// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// For tests of lazy arrays: a scope, and what is in an array. The device is a CPU unless the
// environment's TENON_DEVICE names another.
#ifndef TENON_LAZY_TESTING_LAZY_H_
#define TENON_LAZY_TESTING_LAZY_H_

#include <tenon/detail/array_ops.h>

#include "base/testing.h"

// A rank and its dimensions, or a count and its list.
#define TN_NO_DIMS 0, NULL
#define TN_LIST(...)                                                      \
  sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]) { \
    __VA_ARGS__                                                           \
  }

static inline tn_scope_t* tn__testing_scope(void) {
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  const char* name = getenv("TENON_DEVICE");
  TN_ASSERT_OK(tn_device_create(name ? name : "cpu", NULL, &device));
  TN_ASSERT_OK(tn_scope_create(device, &scope));
  tn_device_release(device);
  return scope;
}

static inline tn_array_t* tn__testing_f32(tn_scope_t* scope, size_t rank, const int64_t* dims,
                                          const float* data) {
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)dims[i];
  return tn_array_from_host(scope, TN_DTYPE_F32, rank, dims, data, count * sizeof *data);
}

// 0, 1, 2...
static inline tn_array_t* tn__testing_range(tn_scope_t* scope, size_t rank, const int64_t* dims) {
  float data[4096];
  for (size_t i = 0; i < 4096; ++i) data[i] = (float)i;
  return tn__testing_f32(scope, rank, dims, data);
}

// The array is float32 of this shape and has these elements.
static inline void tn__assert_f32(tn_array_t* array, size_t rank, const int64_t* dims,
                                  size_t wanted_count, const float* wanted) {
  float data[4096] = {0};
  TN_ASSERT_OK(tn_array_status(array));
  assert_int_equal(tn_array_dtype(array), TN_DTYPE_F32);
  assert_int_equal(tn_array_rank(array), rank);
  for (size_t i = 0; i < rank; ++i) assert_int_equal(tn_array_dims(array)[i], dims[i]);
  assert_int_equal(tn_array_size(array), wanted_count);
  assert_true(wanted_count <= sizeof data / sizeof *data);
  TN_ASSERT_OK(tn_array_to_host(array, data, wanted_count * sizeof *data));
  for (size_t i = 0; i < wanted_count; ++i) {
    if (data[i] != wanted[i]) fail_msg("element %zu is %g; expected %g", i, data[i], wanted[i]);
  }
}
#define TN_ASSERT_F32(array, shape, ...)                                             \
  tn__assert_f32(array, shape, sizeof((const float[]){__VA_ARGS__}) / sizeof(float), \
                 (const float[]){__VA_ARGS__})

// What was printed, zeros behind it.
typedef struct tn_testing_text {
  char bytes[20000];
  size_t length;
} tn_testing_text_t;

// For tn_module_print and its like.
static inline tn_status_t tn__testing_write(void* user, const char* bytes, size_t length) {
  tn_testing_text_t* text = user;
  assert_true(text->length + length < sizeof text->bytes);
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  return TN_OK;
}

#endif  // TENON_LAZY_TESTING_LAZY_H_
