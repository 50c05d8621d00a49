// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operation of swish.c in C: in a program, lazily, in a gradient, over a batch.
#include <stdio.h>
#include <tenon/arrays.h>
#include <tenon/tenon.h>

#define TRY(expression)                 \
  do {                                  \
    tn_status_t status_ = (expression); \
    if (status_) return status_;        \
  } while (0)

// A StableHLO program that calls the operation.
static tn_status_t run_program(tn_device_t* device, const char* path) {
  const float x[] = {-1, 0, 1};
  float y[3];
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *input = NULL, *output = NULL;
  tn_status_t status = tn_module_parse_file(NULL, path, &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) {
    status =
        tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){3}, x, sizeof x, &input);
  }
  if (!status) status = tn_program_run(program, 1, &input, NULL, 1, &output);
  if (!status) status = tn_buffer_to_host(output, y, sizeof y);
  if (!status) printf("program   %.4f %.4f %.4f\n", (double)y[0], (double)y[1], (double)y[2]);
  tn_buffer_release(output);
  tn_buffer_release(input);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

// One node of a graph; nothing is computed yet.
static tn_array_t* swish(tn_scope_t* s, tn_array_t* x, double beta) {
  const tn_attribute_t attribute = tn_attribute_float("beta", TN_DTYPE_F32, beta);
  return tn_op_apply_one(s, "swish", 1, &x, 1, &attribute);
}

// A function of arrays: the sum of swish over all elements.
static tn_status_t total(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                         size_t output_count, tn_array_t** out_outputs) {
  (void)user, (void)input_count, (void)output_count;
  out_outputs[0] = tn_array_sum(s, swish(s, inputs[0], 2), 0, NULL, false);
  return TN_OK;
}

static tn_status_t show(const char* name, tn_array_t* array) {
  printf("%-9s ", name);
  TRY(tn_array_print(array, tn_write_to_file, stdout));
  putchar('\n');
  return TN_OK;
}

static tn_status_t use_arrays(tn_scope_t* s) {
  const float numbers[] = {-1, 0, 1};
  tn_array_t* x = tn_array_from_host(s, TN_DTYPE_F32, 1, (int64_t[]){3}, numbers, sizeof numbers);
  TRY(show("lazy", swish(s, x, 2)));

  const tn_closure_t function = {total, NULL};
  tn_array_t* gradient = NULL;
  TRY(tn_grad(s, &function, 1, &x, 1, NULL, &gradient));
  TRY(show("gradient", gradient));

  tn_array_t* rows = tn_array_broadcast_to(s, x, 2, (int64_t[]){2, 3});
  tn_array_t* totals = NULL;
  TRY(tn_vmap(s, &function, 1, &rows, NULL, 1, NULL, &totals));
  return show("batch", totals);
}

static tn_status_t run(const char* library, const char* path) {
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  tn_status_t status = tn_library_load(library);
  if (!status) status = tn_default_device(&device);
  if (!status) status = tn_scope_create(device, &scope);
  if (!status) status = run_program(device, path);
  if (!status) status = use_arrays(scope);
  tn_scope_destroy(scope);
  tn_device_release(device);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: program LIBRARY PROGRAM.mlir\n");
    return 2;
  }
  tn_status_t status = run(argv[1], argv[2]);
  if (!status) return 0;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return 1;
}
