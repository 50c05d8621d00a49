// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A strided kernel: views, a gradient, a batch.
#include <stdio.h>
#include <tenon/arrays.h>
#include <tenon/tenon.h>

#define TRY(expression)                 \
  do {                                  \
    tn_status_t status_ = (expression); \
    if (status_) return status_;        \
  } while (0)

static tn_array_t* roll(tn_scope_t* s, tn_array_t* x, int64_t shift, int64_t axis) {
  const tn_attribute_t attributes[] = {
      {.name = "shift", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S64, .integer = shift},
      {.name = "axis", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S64, .integer = axis},
  };
  return tn_op_apply_one(s, "roll", 1, &x, 2, attributes);
}

static tn_status_t show(const char* name, tn_array_t* array) {
  printf("%s =\n", name);
  TRY(tn_array_print(array, tn_write_to_file, stdout));
  putchar('\n');
  return TN_OK;
}

// sum(roll(x) * weights): the gradient is the weights, rolled back.
static tn_status_t weighted(void* user, tn_scope_t* s, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count,
                            tn_array_t** out_outputs) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* y = tn_array_multiply(s, roll(s, inputs[0], 1, 0), inputs[1]);
  out_outputs[0] = tn_array_sum(s, y, 0, NULL, false);
  return TN_OK;
}

// One row, or one column.
static tn_status_t roll_one(void* user, tn_scope_t* s, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count,
                            tn_array_t** out_outputs) {
  (void)user, (void)input_count, (void)output_count;
  out_outputs[0] = roll(s, inputs[0], 1, 0);
  return TN_OK;
}

static tn_status_t use(tn_scope_t* s) {
  const int64_t dims[] = {2, 3};
  tn_array_t* x =
      tn_array_from_host(s, TN_DTYPE_F32, 2, dims, (const float[]){1, 2, 3, 4, 5, 6}, 24);
  TRY(show("x", x));
  TRY(show("roll(x, 1)", roll(s, x, 1, -1)));
  TRY(show("roll(transpose(x), 1, axis=0)", roll(s, tn_array_transpose(s, x, NULL), 1, 0)));
  tn_array_t* wide = tn_array_broadcast_to(
      s, tn_array_slice(s, x, (int64_t[]){0, 2}, (int64_t[]){2, 3}, NULL), 2, (int64_t[]){2, 4});
  TRY(show("roll of the last column, broadcast, axis=0", roll(s, wide, 1, 0)));

  tn_array_t* inputs[] = {
      tn_array_from_host(s, TN_DTYPE_F32, 1, dims + 1, (const float[]){1, 2, 3}, 12),
      tn_array_from_host(s, TN_DTYPE_F32, 1, dims + 1, (const float[]){10, 20, 30}, 12)};
  const tn_closure_t function = {weighted, NULL}, one = {roll_one, NULL};
  tn_array_t *gradient = NULL, *columns = NULL;
  TRY(tn_grad(s, &function, 2, inputs, 1, NULL, &gradient));
  TRY(show("the gradient of sum(roll(x) * (10, 20, 30))", gradient));
  const int64_t axis = 1;
  TRY(tn_vmap(s, &one, 1, &x, &axis, 1, NULL, &columns));
  TRY(show("every column of x, rolled", columns));

  tn_array_t* wrong = roll(s, x, 1, 7);
  char text[512];
  tn_status_t status = tn_array_eval(1, &wrong);
  tn_status_format(status, text, sizeof text);
  printf("%s\n", text);
  tn_status_release(status);
  return TN_OK;
}

static tn_status_t run(const char* library) {
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  tn_status_t status = tn_library_load(library);
  if (!status) status = tn_default_device(&device);
  if (!status) status = tn_scope_create(device, &scope);
  if (!status) status = use(scope);
  tn_scope_destroy(scope);
  tn_device_release(device);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: roll LIBRARY\n");
    return 2;
  }
  tn_status_t status = run(argv[1]);
  if (!status) return 0;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return 1;
}
