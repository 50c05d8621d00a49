// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// x w for a vector of ones as x: the sums of the columns of w.
#include <stdio.h>

#include "../example.h"

enum { ROWS = 3, COLUMNS = 2 };

static tn_status_t run_built(const float* x, const float* w, float* y) {
  static const int64_t x_dims[] = {1, ROWS}, w_dims[] = {ROWS, COLUMNS}, y_dims[] = {1, COLUMNS};
  tn_builder_t* b = NULL;
  tn_status_t status = tn_builder_create(NULL, "product", &b);
  if (status) return status;
  tn_value_t* operands[] = {
      tn_builder_parameter(b, 0, tn_builder_tensor_type(b, TN_DTYPE_F32, 2, x_dims), "x"),
      tn_builder_parameter(b, 1, tn_builder_tensor_type(b, TN_DTYPE_F32, 2, w_dims), "w")};
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
  };
  tn_value_t* product = tn_builder_custom_call(
      b, "product", 2, operands, tn_builder_tensor_type(b, TN_DTYPE_F32, 2, y_dims), &options);
  return example_build_and_run(b, product, (const void*[]){x, w}, (void*[]){y});
}

int main(int argc, char** argv) {
  static const float x[ROWS] = {1, 1, 1}, w[ROWS * COLUMNS] = {1, 2, 3, 4, 5, 6};
  float y[COLUMNS] = {0};
  example_load(argc, argv);
  if (!example_succeeded(run_built(x, w, y))) return 1;
  printf("the columns' sums: %g, %g\n", (double)y[0], (double)y[1]);
  return y[0] == 9 && y[1] == 12 ? 0 : 1;
}
