// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// An asynchronous call, with and without an error.
#include <stdio.h>

#include "../example.h"

static tn_status_t run(const float* x, int64_t delay_ms, float* y) {
  tn_builder_t* b = NULL;
  const int64_t size = 4;
  tn_status_t status = tn_builder_create(NULL, "asynchronous", &b);
  if (status) return status;
  const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 1, &size);
  const tn_attribute_t attributes[] = {
      {.name = "delay_ms",
       .kind = TN_ATTRIBUTE_INTEGER,
       .dtype = TN_DTYPE_S64,
       .integer = delay_ms},
  };
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
      .attribute_count = 1,
      .attributes = attributes,
  };
  tn_value_t* parameter = tn_builder_parameter(b, 0, type, "x");
  tn_value_t* later = tn_builder_custom_call(b, "add_later", 1, &parameter, type, &options);
  // Later operations wait for the call.
  return example_build_and_run(b, tn_builder_add(b, later, later), (const void*[]){x},
                               (void*[]){y});
}

int main(int argc, char** argv) {
  const float small[4] = {0, 1, 2, 3}, large[4] = {0, 1, 200, 3};
  float y[4] = {0, 0, 0, 0};
  example_load(argc, argv);
  if (!example_succeeded(run(small, 20, y))) return 1;
  printf("2 * (x + 1), later: %g %g %g %g\n", (double)y[0], (double)y[1], (double)y[2],
         (double)y[3]);
  for (int i = 0; i < 4; ++i) {
    if (y[i] != 2 * (small[i] + 1)) return 1;
  }
  return example_failed_with(run(large, 20, y), TN_CODE_OUT_OF_RANGE, "x[2] is 200") ? 0 : 1;
}
