// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/detail/array_random.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

static void assert_words(tn_array_t* array, size_t count, const uint32_t* wanted) {
  uint32_t words[16];
  assert_int_equal(tn_array_dtype(array), TN_DTYPE_U32);
  TN_ASSERT_OK(tn_array_to_host(array, words, count * sizeof *words));
  for (size_t i = 0; i < count; ++i) assert_int_equal(words[i], wanted[i]);
}

// Reference values of mlx.core.random.split(key(0), 3).
static void keys_split_as_mlx_splits_them(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* keys = tn_array_random_split(s, tn_array_random_key(s, 0), 3);
  assert_words(
      keys, 6,
      (const uint32_t[]){2467461003, 428148500, 3186719485, 3840466878, 2562233961, 1946702221});
  tn_scope_destroy(s);
}

static void a_seed_decides_what_comes_without_a_key(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  uint32_t first[4], again[4], other[4];
  tn_random_seed(s, 42);
  TN_ASSERT_OK(tn_array_to_host(tn_array_random_bits(s, 4, TN_LIST(4), NULL), first, sizeof first));
  TN_ASSERT_OK(tn_array_to_host(tn_array_random_bits(s, 4, TN_LIST(4), NULL), other, sizeof other));
  tn_random_seed(s, 42);
  TN_ASSERT_OK(tn_array_to_host(tn_array_random_bits(s, 4, TN_LIST(4), NULL), again, sizeof again));
  assert_memory_equal(first, again, sizeof first);
  assert_memory_not_equal(first, other, sizeof first);
  tn_scope_destroy(s);
}

static void numbers_stay_in_their_interval(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  float x[1000];
  double sum = 0;
  tn_array_t* low = tn_array_scalar(s, TN_DTYPE_F32, -1);
  tn_array_t* high = tn_array_scalar(s, TN_DTYPE_F32, 3);
  tn_array_t* key = tn_array_random_key(s, 7);
  tn_array_t* drawn = tn_array_random_uniform(s, low, high, TN_DTYPE_F32, TN_LIST(1000), key);
  TN_ASSERT_OK(tn_array_to_host(drawn, x, sizeof x));
  for (int i = 0; i < 1000; ++i) {
    assert_true(x[i] >= -1 && x[i] < 3);
    sum += (double)x[i];
  }
  assert_true(sum / 1000 > 0.8 && sum / 1000 < 1.2);
  tn_scope_destroy(s);
}

static void keys_and_dtypes_are_checked(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* key = tn_array_random_key(s, 7);
  tn_array_t* failures[] = {
      tn_array_random_bits(s, 4, TN_LIST(2), tn_array_ones(s, TN_DTYPE_U32, TN_LIST(3))),
      tn_array_random_bits(s, 3, TN_LIST(2), key),
      tn_array_random_uniform(s, NULL, NULL, TN_DTYPE_F64, TN_LIST(2), key),
      tn_array_random_randint(s, key, key, TN_DTYPE_F32, TN_LIST(2), key),
  };
  TN_ASSERT_REPORT("random_bits: the key is ui32 of shape 3", tn_array_eval(1, &failures[0]));
  TN_ASSERT_REPORT("random_bits: the width is 3", tn_array_eval(1, &failures[1]));
  TN_ASSERT_REPORT("random_uniform: the dtype is f64", tn_array_eval(1, &failures[2]));
  TN_ASSERT_REPORT("random_randint: the dtype is f32", tn_array_eval(1, &failures[3]));
  tn_scope_destroy(s);
}

// --- keys as inputs of transforms

static tn_status_t draw_bits(void* user, tn_scope_t* s, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)input_count, (void)output_count;
  out[0] = tn_array_random_bits(s, 4, 1, user, inputs[0]);
  return TN_OK;
}

static tn_status_t find_call(void* user, const char* text, size_t length) {
  static const char name[] = "custom_call";
  for (size_t i = 0; i + sizeof name <= length; ++i) {
    if (memcmp(text + i, name, sizeof name - 1) == 0) *(bool*)user = true;
  }
  return TN_OK;
}

static void batches_and_others_draw_the_same_bits(void** state) {
  (void)state;
  const int64_t counts[] = {1, 2, 7, 8};
  tn_scope_t* s = tn__testing_scope();
  for (size_t c = 0; c < 4; ++c) {
    const tn_closure_t function = {draw_bits, (void*)&counts[c]};
    const size_t byte_size = (size_t)counts[c] * sizeof(uint32_t);
    char got[3 * 8 * sizeof(uint32_t)], wanted[8 * sizeof(uint32_t)], again[8 * sizeof(uint32_t)];
    tn_array_t* keys = tn_array_random_split(s, tn_array_random_key(s, 5), 3);
    tn_array_t *batch = NULL, *one = NULL, *other = NULL;
    tn_array_t* rows[3];
    tn_module_t* module = NULL;
    tn_imported_t* imported = NULL;
    bool has_call = false;
    tn_array_unstack(s, keys, 0, 3, rows);
    TN_ASSERT_OK(tn_vmap(s, &function, 1, &keys, NULL, 1, NULL, &batch));
    TN_ASSERT_OK(tn_array_to_host(batch, got, 3 * byte_size));
    TN_ASSERT_OK(tn_export_function(s, &function, 1, rows, 1, &module));
    TN_ASSERT_OK(tn_module_print(module, find_call, &has_call));
    assert_false(has_call);
    TN_ASSERT_OK(tn_import_function(s, module, NULL, &imported));
    for (size_t i = 0; i < 3; ++i) {
      TN_ASSERT_OK(draw_bits((void*)&counts[c], s, 1, &rows[i], 1, &one));
      TN_ASSERT_OK(tn_array_to_host(one, wanted, byte_size));
      assert_memory_equal(got + i * byte_size, wanted, byte_size);
      TN_ASSERT_OK(tn_imported_call(imported, s, 1, &rows[i], 1, &other));
      TN_ASSERT_OK(tn_array_to_host(other, again, byte_size));
      assert_memory_equal(again, wanted, byte_size);
    }
    tn_imported_release(imported);
    tn_module_release(module);
  }
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_split_as_mlx_splits_them),
      cmocka_unit_test(a_seed_decides_what_comes_without_a_key),
      cmocka_unit_test(numbers_stay_in_their_interval),
      cmocka_unit_test(keys_and_dtypes_are_checked),
      cmocka_unit_test(batches_and_others_draw_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
