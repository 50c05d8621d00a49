// Element-wise operations of authors on operands that lie in every way, for all sizes of elements.
#include <stdlib.h>
#include <tenon/call.h>
#include <tenon/custom.h>
#include <tenon/operation.h>

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
  const size_t size = tn_dtype_size(dtype);
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

static void check_shape(tn_scope_t* s, tn_dtype_t dtype, int64_t rows, int64_t columns,
                        const uint8_t* data) {
  const size_t byte_length = (size_t)(DEPTH * rows * columns) * tn_dtype_size(dtype);
  tn_array_t *views[VIEW_COUNT], *z = NULL;
  make_views(s, dtype, rows, columns, data, views);
  uint8_t* hosts[VIEW_COUNT];
  for (size_t i = 0; i < VIEW_COUNT; ++i) {
    hosts[i] = malloc(byte_length);
    assert_non_null(hosts[i]);
    TN_ASSERT_OK(tn_array_to_host(views[i], hosts[i], byte_length));
  }
  uint8_t* got = malloc(byte_length);
  assert_non_null(got);
  for (size_t i = 0; i < VIEW_COUNT; ++i) {
    for (size_t j = 0; j < VIEW_COUNT; ++j) {
      if (i && j && j != i && j != (i + 3) % VIEW_COUNT) continue;  // enough of them
      tn_array_t* operands[] = {views[i], views[j]};
      const tn_application_t application = {
          sizeof application, "mix", 2, operands, 0, NULL, 1, NULL};
      tn_apply(s, &application, &z);
      TN_ASSERT_OK(tn_array_to_host(z, got, byte_length));
      for (size_t e = 0; e < byte_length; ++e) {
        if (got[e] == mixed(hosts[i][e], hosts[j][e])) continue;
        fail_msg("byte %zu of %s %lldx%lld, views %zu and %zu", e, tn_dtype_name(dtype),
                 (long long)rows, (long long)columns, i, j);
      }
    }
  }
  for (size_t i = 0; i < VIEW_COUNT; ++i) free(hosts[i]);
  free(got);
}

static void elements_are_where_their_strides_say(void** state) {
  (void)state;
  static const tn_dtype_t dtypes[] = {TN_DTYPE_U8, TN_DTYPE_U16, TN_DTYPE_F32, TN_DTYPE_F64,
                                      TN_DTYPE_C128};
  static const int64_t shapes[][2] = {{1, 1}, {3, 700}, {600, 5}, {73, 531}};
  const size_t largest = 4 * DEPTH * 73 * 531 * 16;
  uint8_t* data = malloc(largest);
  assert_non_null(data);
  for (size_t i = 0; i < largest; ++i) data[i] = (uint8_t)(i * 2654435761u >> 13);
  TN_ASSERT_OK(tn_op_register(tn_definition_of(mix)));
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
      tn_scope_t* s = tn__testing_scope();
      check_shape(s, dtypes[d], shapes[i][0], shapes[i][1], data);
      tn_scope_destroy(s);
    }
  }
  free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(elements_are_where_their_strides_say)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
