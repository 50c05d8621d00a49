// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inputs of a program by their names in a file.
#include <tenon/npy.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/testing_allocator.h"

static tn_device_t* device;
static tn_program_t* program;
static char path[64];

static const char text[] =
    "func.func @main(%w: tensor<2xf32> loc(\"params['layer']['w']\"), %b: tensor<f32>,\n"
    "    %x: tensor<?x2xf32>) -> tensor<?x2xf32> { return %x : tensor<?x2xf32> }\n";

static int set_up(void** state) {
  (void)state;
  tn_module_t* module = NULL;
  snprintf(path, sizeof path, "/tmp/tenon_read_inputs_test_XXXXXX");
  const int file = mkstemp(path);
  if (file < 0) return -1;
  close(file);
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_module_parse(NULL, "m", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, NULL, &program));
  tn_module_release(module);
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  tn_program_release(program);
  tn_device_release(device);
  return unlink(path);
}

static tn_buffer_t* make(size_t rank, const int64_t* dims) {
  static const float values[] = {1, 2, 3, 4, 5, 6};
  tn_buffer_t* buffer = NULL;
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= (size_t)dims[i];
  TN_ASSERT_OK(
      tn_buffer_create_from_host(device, TN_DTYPE_F32, rank, dims, values, 4 * count, &buffer));
  return buffer;
}

// A file of vectors of two, by these names.
static void save(size_t count, const char* const* names, bool is_npz) {
  tn_buffer_t* buffers[8];
  for (size_t i = 0; i < count; ++i) buffers[i] = make(1, (int64_t[]){2});
  TN_ASSERT_OK(is_npz ? tn_npz_write(path, count, names, buffers)
                      : tn_safetensors_write(path, count, names, buffers));
  for (size_t i = 0; i < count; ++i) tn_buffer_release(buffers[i]);
}

static void release_inputs(tn_buffer_t** inputs) {
  for (int i = 0; i < 3; ++i) tn_buffer_release(inputs[i]);
}

static void inputs_are_found_by_their_names_in_either_spelling(void** state) {
  (void)state;
  for (int i = 0; i < 4; ++i) {
    tn_buffer_t* inputs[3] = {NULL};
    const char* const names[] = {"other", i % 2 ? "params.layer.w" : "params['layer']['w']"};
    save(2, names, i / 2);
    TN_ASSERT_OK(tn_program_read_inputs(program, path, 3, inputs));
    assert_non_null(inputs[0]);
    assert_int_equal(tn_buffer_dims(inputs[0])[0], 2);
    assert_null(inputs[1]);
    assert_null(inputs[2]);
    release_inputs(inputs);
  }
}

static void inputs_that_are_there_stay(void** state) {
  (void)state;
  tn_buffer_t* given = make(1, (int64_t[]){2});
  tn_buffer_t* inputs[3] = {given};
  save(1, (const char*[]){"params.layer.w"}, false);
  TN_ASSERT_OK(tn_program_read_inputs(program, path, 3, inputs));
  assert_ptr_equal(inputs[0], given);
  release_inputs(inputs);
}

static void dynamic_inputs_take_any_size(void** state) {
  (void)state;
  tn_buffer_t* inputs[3] = {NULL};
  tn_buffer_t* rows = make(2, (int64_t[]){3, 2});
  TN_ASSERT_OK(tn_safetensors_write(path, 1, (const char*[]){"x"}, &rows));
  tn_buffer_release(rows);
  TN_ASSERT_OK(tn_program_read_inputs(program, path, 3, inputs));
  assert_int_equal(tn_buffer_dims(inputs[2])[0], 3);
  release_inputs(inputs);
}

static void an_error_leaves_the_inputs_as_they_were(void** state) {
  (void)state;
  tn_buffer_t* inputs[3] = {NULL};
  save(2, (const char*[]){"params.layer.w", "b"}, false);
  TN_ASSERT_REPORT("input 1 (b): ", tn_program_read_inputs(program, path, 3, inputs));
  TN_ASSERT_REPORT("the array is tensor<2xf32>; expected tensor<f32>",
                   tn_program_read_inputs(program, path, 3, inputs));
  assert_null(inputs[0]);
  save(2, (const char*[]){"a", "c"}, false);
  TN_ASSERT_REPORT(
      "no array has the name of an input; the program has params.layer.w..., and the "
      "file has a...",
      tn_program_read_inputs(program, path, 3, inputs));
  TN_ASSERT_CODE(NOT_FOUND, tn_program_read_inputs(program, "/nowhere.npz", 3, inputs));
  TN_ASSERT_REPORT("the program takes 3 inputs; found 2",
                   tn_program_read_inputs(program, path, 2, inputs));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_program_read_inputs(NULL, path, 3, inputs));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_program_read_inputs(program, NULL, 3, inputs));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_program_read_inputs(program, path, 3, NULL));
}

static void a_name_of_several_inputs_is_an_error(void** state) {
  (void)state;
  tn_module_t* module = NULL;
  tn_program_t* twins = NULL;
  tn_buffer_t* inputs[2] = {NULL};
  const char both[] =
      "func.func @main(%a: tensor<2xf32> loc(\"x\"), %b: tensor<2xf32> loc(\"x\")) -> "
      "tensor<2xf32> { return %a : tensor<2xf32> }\n";
  TN_ASSERT_OK(tn_module_parse(NULL, "m", both, strlen(both), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, NULL, &twins));
  save(1, (const char*[]){"x"}, false);
  TN_ASSERT_REPORT("several inputs of the program are called 'x'",
                   tn_program_read_inputs(twins, path, 2, inputs));
  tn_program_release(twins);
  tn_module_release(module);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  (void)allocator, (void)context;
  tn_buffer_t* inputs[3] = {NULL};
  tn_status_t status = tn_program_read_inputs(program, path, 3, inputs);
  release_inputs(inputs);
  return status;
}

static void refused_allocations_leave_nothing_behind(void** state) {
  (void)state;
  save(1, (const char*[]){"params.layer.w"}, false);
  tn__testing_sweep_allocations(attempt, NULL);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(inputs_are_found_by_their_names_in_either_spelling),
      TEST(inputs_that_are_there_stay),
      TEST(dynamic_inputs_take_any_size),
      TEST(an_error_leaves_the_inputs_as_they_were),
      TEST(a_name_of_several_inputs_is_an_error),
      TEST(refused_allocations_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
