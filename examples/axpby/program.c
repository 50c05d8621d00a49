// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Uses of a custom operation: lazily, in a gradient, over a batch, and in a training loop.
#include <stdio.h>
#include <tenon/arrays.h>
#include <tenon/tenon.h>

#define TRY(expression)                 \
  do {                                  \
    tn_status_t status_ = (expression); \
    if (status_) return status_;        \
  } while (0)

static tn_array_t* axpby(tn_scope_t* s, tn_array_t* x, tn_array_t* y, double alpha, double beta) {
  tn_array_t* operands[] = {x, y};
  const tn_attribute_t attributes[] = {
      tn_attribute_float("alpha", TN_DTYPE_F32, alpha),
      tn_attribute_float("beta", TN_DTYPE_F32, beta),
  };
  return tn_op_apply_one(s, "axpby", 2, operands, 2, attributes);
}

// The same composed of built-in operations.
static tn_array_t* simple_axpby(tn_scope_t* s, tn_array_t* x, tn_array_t* y, double alpha,
                                double beta) {
  tn_array_t* a = tn_array_scalar(s, TN_DTYPE_F32, alpha);
  tn_array_t* b = tn_array_scalar(s, TN_DTYPE_F32, beta);
  return tn_array_add(s, tn_array_multiply(s, a, x), tn_array_multiply(s, b, y));
}

static tn_status_t show(const char* name, tn_array_t* array) {
  printf("%s =\n", name);
  TRY(tn_array_print(array, tn_write_to_file, stdout));
  putchar('\n');
  return TN_OK;
}

// sum(axpby(x, x * x)): the gradient is 4 + 2 * 2 * x.
static tn_status_t loss(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out_outputs) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* square = tn_array_multiply(s, inputs[0], inputs[0]);
  out_outputs[0] = tn_array_sum(s, axpby(s, inputs[0], square, 4.0, 2.0), 0, NULL, false);
  return TN_OK;
}

// One row with one row.
static tn_status_t row(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                       size_t output_count, tn_array_t** out_outputs) {
  (void)user, (void)input_count, (void)output_count;
  out_outputs[0] = axpby(s, inputs[0], inputs[1], 1.0, -1.0);
  return TN_OK;
}

static tn_status_t use(tn_scope_t* s) {
  const int64_t dims[] = {3, 4};
  tn_array_t* a = tn_array_ones(s, TN_DTYPE_F32, 2, dims);
  tn_array_t* b = tn_array_ones(s, TN_DTYPE_F32, 2, dims);
  TRY(show("axpby(a, b, 4, 2)", axpby(s, a, b, 4.0, 2.0)));
  TRY(show("the same, composed", simple_axpby(s, a, b, 4.0, 2.0)));

  tn_array_t* x = tn_array_from_host(s, TN_DTYPE_F32, 1, dims, (const float[]){1, 2, 3}, 12);
  tn_array_t* gradient = NULL;
  const tn_closure_t function = {loss, NULL};
  TRY(tn_grad(s, &function, 1, &x, 1, NULL, &gradient));
  TRY(show("the gradient at 1, 2, 3", gradient));

  tn_array_t* batches[] = {
      a, tn_array_transpose(s, tn_array_ones(s, TN_DTYPE_F32, 2, (const int64_t[]){4, 3}), NULL)};
  tn_array_t* differences = NULL;
  const tn_closure_t row_function = {row, NULL};
  TRY(tn_vmap(s, &row_function, 2, batches, NULL, 1, NULL, &differences));
  return show("row by row", differences);
}

// Finds w with axpby(w, 1, 1, 1) = 3 by gradient descent.
static tn_status_t miss(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out_outputs) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 1);
  tn_array_t* away =
      tn_array_subtract(s, axpby(s, inputs[0], one, 1.0, 1.0), tn_array_scalar(s, TN_DTYPE_F32, 3));
  out_outputs[0] = tn_array_multiply(s, away, away);
  return TN_OK;
}

static tn_status_t train(tn_scope_t* s, tn_array_t** w) {
  const tn_closure_t function = {miss, NULL};
  for (int step = 0; step < 100; ++step) {
    tn_array_t* gradient = NULL;
    TRY(tn_grad(s, &function, 1, w, 1, NULL, &gradient));
    tn_array_assign(w, axpby(s, *w, gradient, 1.0, -0.1));
    tn_scope_clear(s);  // intermediate values need not be stored
    TRY(tn_array_eval(1, w));
  }
  return show("w after 100 steps", *w);
}

static tn_status_t run(const char* library) {
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  tn_array_t* w = NULL;
  tn_status_t status = tn_library_load(library);
  if (!status) status = tn_default_device(&device);
  if (!status) status = tn_scope_create(device, &scope);
  if (!status) status = use(scope);
  if (!status) {
    w = tn_array_retain(tn_array_scalar(scope, TN_DTYPE_F32, 0));
    status = train(scope, &w);
  }
  tn_array_release(w);
  tn_scope_destroy(scope);
  tn_device_release(device);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: axpby LIBRARY\n");
    return 2;
  }
  tn_status_t status = run(argv[1]);
  if (!status) return 0;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return 1;
}
