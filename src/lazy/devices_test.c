// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays of two devices in one graph: what is computed where, and the copies between.
#include <tenon/detail/transform.h>

#include "base/testing_allocator.h"
#include "device/device.h"
#include "lazy/array.h"
#include "lazy/testing_lazy.h"

static tn_device_t* devices[2];
static tn_stream_t* streams[2];
static tn_scope_t* s;

static int begin(void** state) {
  (void)state;
  static const char* const names[] = {"cpu", "reference"};
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(tn_device_create(names[i], NULL, &devices[i]));
    TN_ASSERT_OK(tn_stream_create(devices[i], &streams[i]));
  }
  TN_ASSERT_OK(tn_scope_create(devices[0], &s));
  return 0;
}

static int end(void** state) {
  (void)state;
  tn_scope_destroy(s);
  for (int i = 0; i < 2; ++i) {
    tn_stream_release(streams[i]);
    tn_device_release(devices[i]);
  }
  return 0;
}

static void go_to(tn_scope_t* scope, int device) {
  TN_ASSERT_OK(tn_scope_set_stream(scope, device ? streams[device] : NULL));
}

static void expect_device(tn_array_t* array, int device) {
  tn_buffer_t* buffer = NULL;
  assert_ptr_equal(tn_array_device(array), devices[device]);
  TN_ASSERT_OK(tn_array_to_buffer(array, &buffer));
  assert_ptr_equal(tn_buffer_device(buffer), devices[device]);
  assert_ptr_equal(tn_array_device(array), devices[device]);
  tn_buffer_release(buffer);
}

// x -> 2x, 3x, 6xx, 6xx - 3x by turns on two devices, with a view and something unused between.
static void compute(tn_array_t* x, tn_array_t** out) {
  go_to(s, 0);
  out[0] = tn_array_add(s, x, x);
  go_to(s, 1);
  out[1] = tn_array_add(s, tn_array_transpose(s, out[0], NULL), tn_array_transpose(s, x, NULL));
  (void)tn_array_multiply(s, out[1], out[1]);
  go_to(s, 0);
  tn_array_t* back = tn_array_transpose(s, out[1], NULL);
  out[2] = tn_array_multiply(s, tn_array_negative(s, back), tn_array_negative(s, out[0]));
  go_to(s, 1);
  out[3] = tn_array_subtract(s, out[2], back);
  go_to(s, 0);
}

static void expect_all(tn_array_t* const* out) {
  TN_ASSERT_F32(out[0], TN_LIST(2, 2), 0, 2, 4, 6);
  TN_ASSERT_F32(out[1], TN_LIST(2, 2), 0, 6, 3, 9);
  TN_ASSERT_F32(out[2], TN_LIST(2, 2), 0, 6, 24, 54);
  TN_ASSERT_F32(out[3], TN_LIST(2, 2), 0, 3, 18, 45);
  for (int i = 0; i < 4; ++i) expect_device(out[i], i % 2);
}

static void an_operation_is_computed_where_its_stream_is(void** state) {
  (void)state;
  tn_array_t* x = tn__testing_range(s, TN_LIST(3));
  go_to(s, 1);
  assert_ptr_equal(tn_scope_device(s), devices[1]);
  tn_array_t* y = tn_array_add(s, x, x);
  tn_array_t* z = tn__testing_range(s, TN_LIST(3));
  expect_device(x, 0);
  expect_device(y, 1);
  expect_device(z, 1);
  TN_ASSERT_F32(y, TN_LIST(3), 0, 2, 4);
  tn_scope_t* inner = NULL;
  TN_ASSERT_OK(tn_scope_create_nested(s, &inner));
  assert_ptr_equal(tn_scope_device(inner), devices[1]);
  tn_scope_destroy(inner);
  go_to(s, 0);
  assert_ptr_equal(tn_scope_device(s), devices[0]);
}

static void a_graph_goes_from_device_to_device(void** state) {
  (void)state;
  tn_array_t *x = tn_array_retain(tn__testing_range(s, TN_LIST(2, 2))), *out[4];
  for (int round = 0; round < 4; ++round) {  // at first step by step, later by programs
    compute(x, out);
    const bool is_async = round % 2;
    TN_ASSERT_OK(is_async ? tn_array_async_eval(1, &out[3]) : tn_array_eval(1, &out[3]));
    expect_all(out);
    tn_scope_clear(s);
    compute(x, out);
    TN_ASSERT_OK(is_async ? tn_array_async_eval(4, out) : tn_array_eval(4, out));
    expect_all(out);
    tn_scope_clear(s);
  }
  tn_array_release(x);
}

// Nothing that the parts do not need from each other is stored: as in a graph of one device.
static void parts_are_programs(void** state) {
  (void)state;
  enum { LENGTH = 1 << 14, STEPS = 8, BYTES = LENGTH * 4 };
  tn_array_t* x = tn_array_retain(tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(LENGTH)));
  TN_ASSERT_OK(tn_array_eval(1, &x));
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  for (int round = 0; round < 3; ++round) {
    tn_array_t* y = x;
    for (int device = 0; device < 2; ++device) {
      go_to(s, device);
      for (int i = 0; i < STEPS; ++i) y = tn_array_add(s, tn_array_negative(s, y), y);
    }
    tn_array_retain(y);
    tn_scope_clear(s);
    tn_device_memory_statistics(devices[0], &statistics);
    const uint64_t before = statistics.in_use_byte_size;
    tn_device_reset_peak(devices[0]);
    TN_ASSERT_OK(tn_array_eval(1, &y));
    tn_device_memory_statistics(devices[0], &statistics);
    if (round == 2) assert_true(statistics.peak_byte_size <= before + 2 * BYTES);
    expect_device(y, 1);
    tn_array_release(y);
  }
  go_to(s, 0);
  tn_array_release(x);
}

enum { COPY_BYTES = 1 << 16 };
static const tn_device_vtable_t* uncounted;
static int copy_count;  // of so many bytes, to device 1

static tn_status_t count_copy(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                              const void* from, size_t byte_size) {
  if (byte_size == COPY_BYTES) ++copy_count;
  return uncounted->copy_from_host(device, stream, to, from, byte_size);
}

// Two groups of the graph read it on that device, step by step in the first round.
static void an_evaluation_copies_an_array_once(void** state) {
  (void)state;
  static tn_device_vtable_t vtable;
  uncounted = devices[1]->vtable;
  vtable = *uncounted;
  vtable.copy_from_host = count_copy;
  devices[1]->vtable = &vtable;
  tn_array_t* zeros = tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(COPY_BYTES / sizeof(float)));
  tn_array_t* x = tn_array_retain(tn_array_add(s, zeros, zeros));
  TN_ASSERT_OK(tn_array_eval(1, &x));
  for (int round = 0; round < 4; ++round) {
    copy_count = 0;
    go_to(s, 1);
    tn_array_t* y = tn_array_sum(s, tn_array_add(s, x, x), 0, NULL, false);
    go_to(s, 0);
    y = tn_array_negative(s, y);
    go_to(s, 1);
    y = tn_array_sum(s, tn_array_multiply(s, x, y), 0, NULL, false);
    TN_ASSERT_OK(round % 2 ? tn_array_async_eval(1, &y) : tn_array_eval(1, &y));
    TN_ASSERT_F32(y, TN_NO_DIMS, 0);
    assert_int_equal(copy_count, 1);
    tn_scope_clear(s);
  }
  go_to(s, 0);
  tn_array_release(x);
  devices[1]->vtable = uncounted;
}

static tn_status_t across(void* user, tn_scope_t* scope, size_t input_count,
                          tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_stream_t* before = tn_scope_stream(scope);
  TN_RETURN_IF_ERROR(tn_scope_set_stream(scope, streams[1]));
  tn_array_t* square = tn_array_multiply(scope, inputs[0], inputs[0]);
  TN_RETURN_IF_ERROR(tn_scope_set_stream(scope, before));
  out[0] = tn_array_sum(scope, tn_array_multiply(scope, square, inputs[0]), 0, NULL, false);
  return TN_OK;
}

static void derivatives_are_computed_where_the_operations_were(void** state) {
  (void)state;
  const tn_closure_t function = {across, NULL};
  tn_array_t *x = tn__testing_range(s, TN_LIST(4)), *gradient = NULL;
  TN_ASSERT_OK(tn_grad(s, &function, 1, &x, 1, NULL, &gradient));
  TN_ASSERT_F32(gradient, TN_LIST(4), 0, 3, 12, 27);
}

static void a_compiled_function_runs_where_it_is_called(void** state) {
  (void)state;
  const tn_closure_t function = {across, NULL};
  tn_compiled_t* compiled = NULL;
  TN_ASSERT_OK(tn_closure_compile(s, &function, NULL, &compiled));
  for (int i = 0; i < 4; ++i) {
    tn_array_t *x = tn__testing_range(s, TN_LIST(4)), *y = NULL;
    go_to(s, i % 2);
    TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &x, 1, &y));
    TN_ASSERT_F32(y, TN_NO_DIMS, 36);
    expect_device(y, i % 2);
    go_to(s, 0);
  }
  assert_int_equal(tn_compiled_trace_count(compiled), 2);
  tn_compiled_release(compiled);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  (void)context;
  tn_device_t* own[2] = {NULL, NULL};
  tn_stream_t* stream = NULL;
  tn_scope_t* scope = NULL;
  const tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .thread_count = 1};
  tn_status_t status = tn_device_create("cpu", &options, &own[0]);
  if (!status) status = tn_device_create("cpu", &options, &own[1]);
  if (!status) status = tn_stream_create(own[1], &stream);
  if (!status) status = tn_scope_create(own[0], &scope);
  for (int round = 0; !status && round < 2; ++round) {
    tn_array_t* x = tn__testing_range(scope, TN_LIST(3));
    tn_array_t* y = tn_array_negative(scope, tn_array_add(scope, x, x));
    status = tn_scope_set_stream(scope, stream);
    tn_array_t* z = tn_array_negative(scope, tn_array_add(scope, y, x));
    if (!status) status = tn_scope_set_stream(scope, NULL);
    if (!status) status = tn_array_eval(1, &z);
    tn_scope_clear(scope);
  }
  tn_scope_destroy(scope);
  tn_stream_release(stream);
  for (int i = 0; i < 2; ++i) tn_device_release(own[i]);
  return status;
}

static void graphs_of_two_devices_survive_any_refused_allocation(void** state) {
  (void)state;
  tn__testing_sweep_allocations(attempt, NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
  const struct CMUnitTest tests[] = {
      TEST(an_operation_is_computed_where_its_stream_is),
      TEST(a_graph_goes_from_device_to_device),
      TEST(parts_are_programs),
      TEST(an_evaluation_copies_an_array_once),
      TEST(derivatives_are_computed_where_the_operations_were),
      TEST(a_compiled_function_runs_where_it_is_called),
      cmocka_unit_test(graphs_of_two_devices_survive_any_refused_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
