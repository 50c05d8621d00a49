// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operation that CONTRIBUTING.md adds, from every front end: text and builder, lazy arrays,
// their derivatives and batches. Prints what differs.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/arrays.h>
#include <tenon/builder.h>
#include <tenon/tenon.h>

enum { COUNT = 4 };
static const float numbers[COUNT] = {0, 1, -3, 0.25f};

static int failures;

static void expect(const char* what, const float* got, const float* wanted) {
  for (int i = 0; i < COUNT; ++i) {
    if (fabsf(got[i] - wanted[i]) <= 1e-6f) continue;
    printf("%s: element %d is %g; expected %g\n", what, i, (double)got[i], (double)wanted[i]);
    ++failures;
  }
}

static void check(const char* what, tn_status_t status) {
  if (!status) return;
  printf("%s: %s\n", what, tn_status_message(status));
  tn_status_release(status);
  ++failures;
}

static tn_status_t build(tn_module_t** out_module) {
  tn_builder_t* builder = NULL;
  tn_status_t status = tn_builder_create(NULL, NULL, &builder);
  if (status) return status;
  const tn_type_t* type = tn_builder_tensor_type(builder, TN_DTYPE_F32, 1, (int64_t[]){COUNT});
  tn_value_t *x = tn_builder_parameter(builder, 0, type, "x"), *y = NULL;
  const tn_operation_t operation = {.struct_size = sizeof operation,
                                    .name = "chlo.soft_sign",
                                    .operand_count = 1,
                                    .operands = &x};
  tn_builder_operation(builder, &operation, 1, &y);
  status = tn_builder_build(builder, 1, &y, out_module);
  tn_builder_destroy(builder);
  return status;
}

static void run_built(const float* wanted) {
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *x = NULL, *y = NULL;
  float got[COUNT] = {0};
  tn_status_t status = tn_default_device(&device);
  if (!status) status = build(&module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) {
    status = tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){COUNT}, numbers,
                                        sizeof numbers, &x);
  }
  if (!status) status = tn_program_run(program, 1, &x, NULL, 1, &y);
  if (!status) status = tn_buffer_to_host(y, got, sizeof got);
  check("builder", status);
  expect("builder", got, wanted);
  tn_buffer_release(y);
  tn_buffer_release(x);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
}

static tn_status_t call(void* user, tn_scope_t* scope, size_t input_count,
                        tn_array_t* const* inputs, size_t output_count, tn_array_t** outputs) {
  (void)user, (void)input_count, (void)output_count;
  outputs[0] = tn_array_soft_sign(scope, inputs[0]);
  return TN_OK;
}

static void read(const char* what, tn_status_t status, tn_array_t* array, const float* wanted) {
  float got[COUNT] = {0};
  if (!status) status = tn_array_to_host(array, got, sizeof got);
  check(what, status);
  expect(what, got, wanted);
}

static void use_arrays(const float* wanted, const float* slopes) {
  const tn_closure_t function = {call, NULL};
  tn_scope_t* scope = NULL;
  check("scope", tn_scope_create(NULL, &scope));
  if (!scope) return;
  tn_array_t* x =
      tn_array_from_host(scope, TN_DTYPE_F32, 1, (int64_t[]){COUNT}, numbers, sizeof numbers);
  tn_array_t* ones = tn_array_ones(scope, TN_DTYPE_F32, 1, (int64_t[]){COUNT});
  tn_array_t *y = NULL, *change = NULL;
  read("array", TN_OK, tn_array_soft_sign(scope, x), wanted);
  tn_status_t status = tn_jvp(scope, &function, 1, &x, &ones, 1, &y, &change);
  read("jvp", status, change, slopes);
  status = tn_vjp(scope, &function, 1, &x, 1, &ones, &y, &change);
  read("vjp", status, change, slopes);
  status = tn_vmap(scope, &function, 1, &x, (int64_t[]){0}, 1, NULL, &y);
  read("vmap", status, y, wanted);
  tn_scope_destroy(scope);
}

int main(void) {
  float wanted[COUNT], slopes[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const float below = 1 + fabsf(numbers[i]);
    wanted[i] = numbers[i] / below;
    slopes[i] = 1 / (below * below);
  }
  run_built(wanted);
  use_arrays(wanted, slopes);
  return failures != 0;
}
