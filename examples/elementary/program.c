// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Computes softplus of some numbers, and compares it with the same in doubles.
#include <math.h>
#include <stdio.h>

#include "../example.h"

enum { COUNT = 1000 };

int main(int argc, char** argv) {
  static float x[COUNT], y[COUNT];
  double worst = 0;
  tn_builder_t* b = NULL;
  example_load(argc, argv);
  for (int i = 0; i < COUNT; ++i) x[i] = 0.1f * (float)i - 50;
  if (!example_succeeded(tn_builder_create(NULL, "softplus", &b))) return 1;
  const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 1, (int64_t[]){COUNT});
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
  };
  tn_value_t* operand = tn_builder_parameter(b, 0, type, "x");
  tn_value_t* result = tn_builder_custom_call(b, "softplus", 1, &operand, type, &options);
  if (!example_succeeded(example_build_and_run(b, result, (const void*[]){x}, (void*[]){y})))
    return 1;
  for (int i = 0; i < COUNT; ++i) {
    const double exact = log1p(exp((double)x[i]));
    worst = fmax(worst, fabs((double)y[i] - exact) / exact);
  }
  printf("softplus(0) = %g, relative errors below %.0e\n", (double)y[COUNT / 2], 3e-7);
  return worst < 3e-7 ? 0 : 1;
}
