// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels of authors that are loops over dense elements, on operands with every layout, for all
// sizes of elements.
#include <stdlib.h>
#include <tenon/detail/call.h>
#include <tenon/detail/eval.h>

#include "lazy/testing_lazy.h"

// What every byte of z is, whatever the elements mean.
static uint8_t mixed(uint8_t x, uint8_t y) {
  return (uint8_t)(3 * x + 5 * y + 1);
}

#define MIX(ARG, ATTR, RET)                     \
  ARG(x, of(u8, u16, f32, f64, c128), any_rank) \
  ARG(y, dtype_of(x), shape_of(x))              \
  RET(z, dtype_of(x), shape_of(x))

TN_OP(mix, MIX, "mixes the bytes of x and y") {
  const size_t n = tn_byte_size(call->x);
  const uint8_t *x = call->x.data, *y = call->y.data;
  uint8_t* z = call->z.data;
  for (size_t i = 0; i < n; ++i) z[i] = mixed(x[i], y[i]);
  return TN_OK;
}
TN_DEFINE(mix, .flags = TN_OP_ELEMENTWISE)

static tn_status_t mix_row(void* user, int64_t count, void* const* rows) {
  const uint8_t *x = rows[2], *y = rows[3];
  uint8_t *z = rows[0], *turned = rows[1];
  const int64_t size = *(const int64_t*)user;
  for (int64_t i = 0; i < count * size; ++i) {
    turned[i] = mixed(x[i], y[i]);
    z[i] = x[i];
  }
  return TN_OK;
}

static tn_status_t copy_row(void* user, int64_t count, void* const* rows) {
  memcpy(rows[0], rows[1], (size_t)(count * *(const int64_t*)user));
  return TN_OK;
}

// The elements of a dense array from the last one to the first.
static tn_strided_t backwards(const tn_strided_t* array, int64_t size, int64_t* strides) {
  tn_strided_t back = *array;
  for (size_t i = 0; i < array->rank; ++i) strides[i] = -array->strides[i];
  back.strides = strides;
  if (array->element_count) back.data = (char*)array->data + (array->element_count - 1) * size;
  return back;
}

// z is written backwards; before, what it is to be goes into an array with the other layout.
TN_EVAL_OP(mix_rows, MIX, "mixes the bytes of x and y, by rows") {
  const tn_strided_t *x = eval->operands[0], *y = eval->operands[1], *z = eval->outputs[0];
  int64_t size = (int64_t)tn_ffi_dtype_size(z->dtype), dims[TN_MAX_RANK], strides[3][TN_MAX_RANK];
  tn_strided_t* turned = NULL;
  for (size_t i = 0; i < z->rank; ++i) dims[i] = z->dims[z->rank - 1 - i];
  TN_TRY(tn_eval_add_temporary(eval, z->dtype, z->rank, dims, &turned));
  for (size_t i = 0; i < z->rank; ++i) strides[0][i] = turned->strides[z->rank - 1 - i];
  turned->dims = z->dims;
  turned->strides = strides[0];
  TN_TRY(tn_eval_for_rows(eval, 4, (const tn_strided_t*[]){z, turned, x, y}, 2, mix_row, &size));
  tn_strided_t turned_back = *turned, z_back = backwards(z, size, strides[1]);
  for (size_t i = 0; i < z->rank; ++i) strides[2][i] = -strides[0][i];
  turned_back.strides = strides[2];
  if (z->element_count) {
    turned_back.data = (char*)turned->data + (z->element_count - 1) * size;
  }
  return tn_eval_for_rows(eval, 2, (const tn_strided_t*[]){&z_back, &turned_back}, 1, copy_row,
                          &size);
}
TN_DEFINE(mix_rows, .flags = TN_OP_ELEMENTWISE, .eval_cpu = mix_rows_eval)

enum { DEPTH = 2, VIEW_COUNT = 11 };

// Arrays of depth x rows x columns, none like the other in memory.
static void make_views(tn_scope_t* s, tn_dtype_t dtype, int64_t rows, int64_t columns,
                       const uint8_t* data, tn_array_t** out_views) {
  const int64_t dims[] = {DEPTH, rows, columns}, doubled[] = {DEPTH, 2 * rows, 2 * columns};
  const int64_t turned[] = {DEPTH, columns, rows}, around[] = {columns, rows, DEPTH};
  const int64_t turned_doubled[] = {DEPTH, 2 * columns, 2 * rows};
  const int64_t none[] = {0, 0, 0}, steps[] = {1, 2, 2};
  const int64_t a_row[] = {DEPTH, 1, columns}, a_column[] = {DEPTH, rows, 1}, one[] = {1, 1, 1};
  const int64_t down_only[] = {1, 2, 1}, down_dims[] = {DEPTH, 2 * rows, columns};
#define OF(dims) \
  tn_array_from_host(s, dtype, 3, dims, data, (size_t)(dims[0] * dims[1] * dims[2]) * size)
  const size_t size = tn_dtype_byte_size(dtype);
  tn_array_t* views[VIEW_COUNT] = {
      OF(dims),
      tn_array_matrix_transpose(s, OF(turned)),
      tn_array_transpose(s, OF(around), NULL),
      tn_array_slice(s, OF(doubled), none, doubled, steps),
      tn_array_slice(s, OF(down_dims), none, down_dims, down_only),
      tn_array_matrix_transpose(s,
                                tn_array_slice(s, OF(turned_doubled), none, turned_doubled, steps)),
      tn_array_flip(s, OF(dims), 0, NULL),
      tn_array_flip(s, tn_array_matrix_transpose(s, OF(turned)), 0, NULL),
      tn_array_broadcast_to(s, OF(a_row), 3, dims),
      tn_array_broadcast_to(s, OF(a_column), 3, dims),
      tn_array_broadcast_to(s, OF(one), 3, dims),
  };
#undef OF
  for (size_t i = 0; i < VIEW_COUNT; ++i) out_views[i] = views[i];
}

static void check_shape(tn_scope_t* s, const char* name, tn_dtype_t dtype, int64_t rows,
                        int64_t columns, const uint8_t* data) {
  const int64_t dims[] = {DEPTH, rows, columns};
  const tn_array_type_t type = {dtype, 3, dims};
  const size_t byte_size = (size_t)(DEPTH * rows * columns) * tn_dtype_byte_size(dtype);
  tn_array_t *views[VIEW_COUNT], *z = NULL;
  make_views(s, dtype, rows, columns, data, views);
  uint8_t* hosts[VIEW_COUNT];
  for (size_t i = 0; i < VIEW_COUNT; ++i) {
    hosts[i] = malloc(byte_size);
    assert_non_null(hosts[i]);
    TN_ASSERT_OK(tn_array_to_host(views[i], hosts[i], byte_size));
  }
  uint8_t* got = malloc(byte_size);
  assert_non_null(got);
  for (size_t i = 0; i < VIEW_COUNT; ++i) {
    for (size_t j = 0; j < VIEW_COUNT; ++j) {
      if (i && j && j != i && j != (i + 3) % VIEW_COUNT) continue;  // enough of them
      tn_array_t* operands[] = {views[i], views[j]};
      const tn_application_t application = {
          sizeof application, name, 2, operands, 0, NULL, 1, &type};
      tn_op_apply(s, &application, &z);
      TN_ASSERT_OK(tn_array_to_host(z, got, byte_size));
      for (size_t e = 0; e < byte_size; ++e) {
        if (got[e] == mixed(hosts[i][e], hosts[j][e])) continue;
        fail_msg("%s: byte %zu of %s %lldx%lld, views %zu and %zu", name, e, tn_dtype_name(dtype),
                 (long long)rows, (long long)columns, i, j);
      }
    }
  }
  for (size_t i = 0; i < VIEW_COUNT; ++i) free(hosts[i]);
  free(got);
}

static void check_operation(const char* name, size_t dtype_count, const tn_dtype_t* dtypes) {
  static const int64_t shapes[][2] = {{1, 1}, {3, 700}, {600, 5}, {73, 531}};
  const size_t largest = 4 * DEPTH * 73 * 531 * 16;
  uint8_t* data = malloc(largest);
  assert_non_null(data);
  for (size_t i = 0; i < largest; ++i) data[i] = (uint8_t)(i * 2654435761u >> 13);
  for (size_t d = 0; d < dtype_count; ++d) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
      tn_scope_t* s = tn__testing_scope();
      check_shape(s, name, dtypes[d], shapes[i][0], shapes[i][1], data);
      tn_scope_destroy(s);
    }
  }
  free(data);
}

static void handlers_get_dense_elements(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_op_register(tn_definition_of(mix)));
  check_operation(
      "mix", 5,
      (tn_dtype_t[]){TN_DTYPE_U8, TN_DTYPE_U16, TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_C128});
}

static void rows_of_an_eval_are_dense(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_op_register(tn_definition_of(mix_rows)));
  check_operation("mix_rows", 2, (tn_dtype_t[]){TN_DTYPE_U16, TN_DTYPE_C128});
}

// The handler by itself, which has no rows of its host.
static void rows_need_no_host_that_has_them(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_target_register("plain_mix_rows", "Host", (tn_target_function_t)mix_rows,
                                  TN_API_VERSION_TYPED_FFI));
  check_operation("plain_mix_rows", 2, (tn_dtype_t[]){TN_DTYPE_U8, TN_DTYPE_F64});
}

// --- mistakes

typedef enum row_mistake {
  ROW_FAILS,
  ROW_SHAPES,
  ROW_RANKS,
  ROW_NO_ARRAYS,
  ROW_MANY_ARRAYS
} row_mistake_t;

#define WRONG_ROWS(ARG, ATTR, RET) \
  ARG(x, f32, rank(2))             \
  ATTR(mistake, int32_t, 0)        \
  RET(y, f32, like(x))

static tn_status_t failing_row(void* user, int64_t count, void* const* rows) {
  (void)count, (void)rows;
  return TN_EVAL_ERROR((const tn_eval_call_t*)user, OUT_OF_RANGE, "a row that fails");
}

TN_EVAL_OP(wrong_rows, WRONG_ROWS, "is an error") {
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  const tn_strided_t* arrays[TN_LOOP_NEST_ARRAY_LIMIT + 1] = {y, x, x, x, x, x, x, x, x};
  const int64_t dims[] = {x->dims[0], x->dims[1] + 1};
  tn_strided_t other = *x;
  size_t count = 2;
  if (call->mistake == ROW_SHAPES) other.dims = dims;
  if (call->mistake == ROW_RANKS) other.rank = 1;
  if (call->mistake == ROW_NO_ARRAYS) count = 0;
  if (call->mistake == ROW_MANY_ARRAYS) count = TN_LOOP_NEST_ARRAY_LIMIT + 1;
  arrays[1] = &other;
  return tn_eval_for_rows(eval, count, arrays, 1, failing_row, (void*)(uintptr_t)eval);
}
TN_DEFINE(wrong_rows, .eval_cpu = wrong_rows_eval)

#define UNPLACED(ARG, ATTR, RET) \
  ARG(x, f32, rank(2))           \
  RET(y, f32, like(x))
TN_EVAL_OP(unplaced, UNPLACED, "is an error") {
  const tn_strided_t* arrays[] = {eval->outputs[0], eval->operands[0]};
  return tn_eval_for_rows(eval, 2, arrays, 1, failing_row, (void*)(uintptr_t)eval);
}
TN_DEFINE(unplaced, .flags = TN_OP_ALLOCATES, .eval_cpu = unplaced_eval)

static void mistakes_with_rows_are_errors(void** state) {
  (void)state;
  static const char* const reports[] = {
      [ROW_FAILS] = "a row that fails",
      [ROW_SHAPES] = "rows of arrays of several shapes: that of array 1 is not that of array 0",
      [ROW_RANKS] = "rows of arrays of several shapes",
      [ROW_NO_ARRAYS] = "rows of 0 arrays; there may be 1 to 8",
      [ROW_MANY_ARRAYS] = "rows of 9 arrays; there may be 1 to 8",
  };
  TN_ASSERT_OK(tn_op_register(tn_definition_of(wrong_rows)));
  TN_ASSERT_OK(tn_op_register(tn_definition_of(unplaced)));
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_transpose(s, tn_array_ones(s, TN_DTYPE_F32, TN_LIST(700, 900)), NULL);
  for (int32_t mistake = ROW_FAILS; mistake <= ROW_MANY_ARRAYS; ++mistake) {
    const tn_attribute_t attribute = {
        .name = "mistake", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S32, .integer = mistake};
    tn_array_t* y = tn_op_apply_one(s, "wrong_rows", 1, &x, 1, &attribute);
    TN_ASSERT_REPORT(reports[mistake], tn_array_eval(1, &y));
  }
  tn_array_t* y = tn_op_apply_one(s, "unplaced", 1, &x, 0, NULL);
  TN_ASSERT_REPORT("rows of array 0, which has no memory yet", tn_array_eval(1, &y));
  tn_array_t* none = tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 4));
  const tn_attribute_t attribute = {
      .name = "mistake", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S32};
  y = tn_op_apply_one(s, "wrong_rows", 1, &none, 1, &attribute);
  TN_ASSERT_OK(tn_array_eval(1, &y));  // nothing is called
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(handlers_get_dense_elements),
      cmocka_unit_test(rows_of_an_eval_are_dense),
      cmocka_unit_test(rows_need_no_host_that_has_them),
      cmocka_unit_test(mistakes_with_rows_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
