// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/type.h"

#include "base/testing.h"
#include "base/testing_allocator.h"

static tn_arena_t arena;

static int make_arena(void** state) {
  (void)state;
  tn__arena_init(&arena, tn_allocator_system());
  return 0;
}

static int drop_arena(void** state) {
  (void)state;
  tn__arena_deinit(&arena);
  return 0;
}

static const tn_type_t* tensor(tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  const tn_type_t* type;
  TN_ASSERT_OK(tn__type_tensor(&arena, dtype, rank, dims, &type));
  return type;
}

static const tn_type_t* pair(const tn_type_t* first, const tn_type_t* second) {
  const tn_type_t* type;
  TN_ASSERT_OK(tn__type_tuple(&arena, 2, (const tn_type_t*[]){first, second}, &type));
  return type;
}

static void assert_text(const tn_type_t* type, const char* wanted) {
  char text[256];
  assert_int_equal(tn_type_format(type, text, sizeof text), strlen(wanted));
  assert_string_equal(text, wanted);
}

static void type_prints_as_stablehlo_writes_it(void** state) {
  (void)state;
  const int64_t dims[] = {2, TN_DIM_DYNAMIC, 0};
  const tn_type_t* scalar = tn__type_scalar(TN_DTYPE_C64);
  assert_text(scalar, "tensor<complex<f32>>");
  assert_text(tn__type_token(), "!stablehlo.token");
  assert_text(tensor(TN_DTYPE_U8, 3, dims), "tensor<2x?x0xui8>");
  assert_text(pair(scalar, pair(tn__type_token(), tensor(TN_DTYPE_F32, 1, dims))),
              "tuple<tensor<complex<f32>>, tuple<!stablehlo.token, tensor<2xf32>>>");
  const tn_type_t* empty;
  TN_ASSERT_OK(tn__type_tuple(&arena, 0, NULL, &empty));
  assert_text(empty, "tuple<>");
}

static void type_text_of_any_length_ends_in_its_buffer(void** state) {
  (void)state;
  int64_t dims[TN_MAX_RANK];
  for (int i = 0; i < TN_MAX_RANK; ++i) dims[i] = TN_DIM_DYNAMIC;
  dims[0] = INT64_MAX / 8;
  const tn_type_t* long_type =
      pair(tensor(TN_DTYPE_F32, TN_MAX_RANK, dims), tensor(TN_DTYPE_F32, TN_MAX_RANK, dims));
  tn_type_text_t text = tn__type_text(long_type);
  assert_int_equal(strlen(text.text), sizeof text.text - 1);
  assert_string_equal(text.text + sizeof text.text - 4, "...");
  for (int i = 0; i < TN_MAX_RANK; ++i) dims[i] = 1000;
  text = tn__shape_text(TN_MAX_RANK, dims);
  assert_string_equal(text.text + sizeof text.text - 4, "...");
  assert_string_equal(TN_SHAPE_TEXT(0, NULL), "scalar");
  assert_string_equal(TN_SHAPE_TEXT(2, dims), "1000x1000");
}

static void tensor_refuses_what_has_no_size(void** state) {
  (void)state;
  const tn_type_t* type = tn__type_token();
  const int64_t negative[] = {3, -1};
  TN_ASSERT_REPORT("dimension 1 is -1", tn__type_tensor(&arena, TN_DTYPE_F32, 2, negative, &type));
  assert_null(type);
  // The zero would hide an overflow of the other two.
  const int64_t huge[] = {0, INT64_C(1) << 40, INT64_C(1) << 40};
  TN_ASSERT_REPORT("tensor<0x1099511627776x1099511627776xf32> in bytes overflows",
                   tn__type_tensor(&arena, TN_DTYPE_F32, 3, huge, &type));
  const int64_t wide[] = {INT64_C(1) << 60};
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__type_tensor(&arena, TN_DTYPE_F64, 1, wide, &type));
  assert_int_equal(tn__type_byte_size(tensor(TN_DTYPE_S4, 1, wide)), 1ull << 60);
  int64_t many[TN_MAX_RANK + 1] = {0};
  TN_ASSERT_REPORT("rank 65", tn__type_tensor(&arena, TN_DTYPE_F32, TN_MAX_RANK + 1, many, &type));
}

static void tensor_refuses_what_is_no_element_type(void** state) {
  (void)state;
  const tn_type_t* type;
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__type_tensor(&arena, TN_DTYPE_INVALID, 0, NULL, &type));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__type_tensor(&arena, TN_DTYPE_TOKEN, 0, NULL, &type));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__type_tensor(&arena, (tn_dtype_t)13, 0, NULL, &type));
  assert_null(tn__type_scalar(TN_DTYPE_INVALID));
}

static void type_sizes_are_products_of_dimensions(void** state) {
  (void)state;
  const int64_t dims[] = {3, 4, 5}, none[] = {3, 0, 5};
  assert_int_equal(tn__type_size(tensor(TN_DTYPE_C128, 3, dims)), 60);
  assert_int_equal(tn__type_byte_size(tensor(TN_DTYPE_C128, 3, dims)), 960);
  assert_int_equal(tn__type_byte_size(tensor(TN_DTYPE_F32, 3, none)), 0);
  assert_int_equal(tn__type_byte_size(tn__type_scalar(TN_DTYPE_BF16)), 2);
  assert_int_equal(tn__type_byte_size(tn__type_token()), 0);
}

static void type_answers_for_parts_it_does_not_have(void** state) {
  (void)state;
  const tn_type_t* scalar = tn__type_scalar(TN_DTYPE_F32);
  const tn_type_t* tuple = pair(scalar, tn__type_token());
  assert_int_equal(tn_type_dtype(tuple), TN_DTYPE_INVALID);
  assert_int_equal(tn_type_dtype(tn__type_token()), TN_DTYPE_TOKEN);
  assert_int_equal(tn_type_rank(tuple), 0);
  assert_int_equal(tn_type_element_count(scalar), 0);
  assert_null(tn_type_element(scalar, 0));
  assert_null(tn_type_element(tuple, 2));
  assert_ptr_equal(tn_type_element(tuple, 0), scalar);
}

static void types_are_equal_by_structure(void** state) {
  (void)state;
  const int64_t a[] = {2, 3}, b[] = {3, 2};
  const tn_type_t* scalar = tn__type_scalar(TN_DTYPE_F32);
  const tn_type_t* matrix = tensor(TN_DTYPE_F32, 2, a);
  assert_true(tn_type_equal(matrix, tensor(TN_DTYPE_F32, 2, a)));
  assert_false(tn_type_equal(matrix, tensor(TN_DTYPE_F32, 2, b)));
  assert_false(tn_type_equal(matrix, tensor(TN_DTYPE_S32, 2, a)));
  assert_false(tn_type_equal(matrix, tensor(TN_DTYPE_F32, 1, a)));
  assert_true(tn_type_equal(pair(scalar, matrix), pair(scalar, tensor(TN_DTYPE_F32, 2, a))));
  assert_false(tn_type_equal(pair(scalar, matrix), pair(matrix, scalar)));
  assert_false(tn_type_equal(scalar, tn__type_token()));
}

static void append_dtype(void* user, const tn_type_t* leaf) {
  char* names = user;
  size_t length = strlen(names);
  snprintf(names + length, 128 - length, "%s ", tn_dtype_name(tn_type_dtype(leaf)));
}

static void type_leaves_come_in_preorder(void** state) {
  (void)state;
  const tn_type_t* f32 = tn__type_scalar(TN_DTYPE_F32);
  const tn_type_t* s8 = tn__type_scalar(TN_DTYPE_S8);
  const tn_type_t* type = pair(pair(f32, tn__type_token()), pair(s8, pair(f32, f32)));
  char names[128] = "";
  tn__type_for_each_leaf(type, append_dtype, names);
  assert_string_equal(names, "f32 !stablehlo.token i8 f32 f32 ");
  assert_int_equal(tn_type_leaf_count(type), 5);
  assert_int_equal(tn_type_leaf_count(f32), 1);
}

static void tuples_of_shared_tuples_are_limited(void** state) {
  (void)state;
  // Each level doubles the parts: without a limit, walking the 64 levels would never end.
  const tn_type_t* type = tn__type_scalar(TN_DTYPE_F32);
  tn_status_t status = TN_OK;
  int levels = 0;
  for (; levels < TN_MAX_TYPE_DEPTH && !status; ++levels) {
    status = tn__type_tuple(&arena, 2, (const tn_type_t*[]){type, type}, &type);
  }
  assert_int_equal(levels, 20);
  assert_null(type);
  TN_ASSERT_REPORT("more than 1048576 parts", status);
}

static void tuples_nest_to_the_limit_and_no_deeper(void** state) {
  (void)state;
  const tn_type_t* type = tn__type_scalar(TN_DTYPE_F32);
  for (int i = 0; i < TN_MAX_TYPE_DEPTH; ++i) {
    const tn_type_t* outer;
    TN_ASSERT_OK(tn__type_tuple(&arena, 1, &type, &outer));
    type = outer;
  }
  const tn_type_t* outer;
  TN_ASSERT_REPORT("deeper than 64", tn__type_tuple(&arena, 1, &type, &outer));
}

static tn_status_t copy_into_new_arena(const tn_allocator_t* allocator, void* context) {
  const tn_type_t* original = context;
  const tn_type_t* copy;
  tn_arena_t other;
  tn__arena_init(&other, allocator);
  tn_status_t status = tn__type_copy(&other, original, &copy);
  if (!status) {
    assert_true(tn_type_equal(original, copy));
    assert_int_equal(tn__type_is_static(copy), false);
  }
  tn__arena_deinit(&other);
  return status;
}

static void type_copies_are_deep_and_fail_cleanly(void** state) {
  (void)state;
  const int64_t dims[] = {4, TN_DIM_DYNAMIC}, bounds[] = {TN_DIM_DYNAMIC, 9};
  tn_type_t bounded = *tensor(TN_DTYPE_F32, 2, dims);
  bounded.bounds = bounds;
  assert_text(&bounded, "tensor<4x?xf32, #stablehlo.bounds<?, 9>>");
  int64_t large[TN_MAX_RANK];
  for (int i = 0; i < TN_MAX_RANK; ++i) large[i] = 1;
  // Enough to need more than one block of the arena.
  const tn_type_t* type = pair(&bounded, tn__type_token());
  for (int i = 0; i < 12; ++i) type = pair(type, tensor(TN_DTYPE_S8, TN_MAX_RANK, large));
  tn__testing_sweep_allocations(copy_into_new_arena, (void*)type);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(type_prints_as_stablehlo_writes_it),
      cmocka_unit_test(type_text_of_any_length_ends_in_its_buffer),
      cmocka_unit_test(tensor_refuses_what_has_no_size),
      cmocka_unit_test(tensor_refuses_what_is_no_element_type),
      cmocka_unit_test(type_sizes_are_products_of_dimensions),
      cmocka_unit_test(type_answers_for_parts_it_does_not_have),
      cmocka_unit_test(types_are_equal_by_structure),
      cmocka_unit_test(type_leaves_come_in_preorder),
      cmocka_unit_test(tuples_of_shared_tuples_are_limited),
      cmocka_unit_test(tuples_nest_to_the_limit_and_no_deeper),
      cmocka_unit_test(type_copies_are_deep_and_fail_cleanly),
  };
  return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
