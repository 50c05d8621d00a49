// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A call that fails ends the run; the caller gets its message and source location.
#include <stdio.h>

#include "../example.h"

static const char text[] =
    "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
    "  %y = stablehlo.custom_call @roots(%x) {api_version = 2 : i32} : (tensor<8xf32>) -> "
    "tensor<8xf32>\n"
    "  %z = stablehlo.add %y, %y : tensor<8xf32>\n"
    "  return %z : tensor<8xf32>\n"
    "}\n";

static tn_status_t run_built(const float* x, float* y) {
  tn_builder_t* b = NULL;
  const int64_t size = 8;
  tn_status_t status = tn_builder_create(NULL, "roots", &b);
  if (status) return status;
  const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 1, &size);
  tn_value_t* parameter = tn_builder_parameter(b, 0, type, "x");
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_STATUS_RETURNING,
  };
  tn_value_t* roots = tn_builder_custom_call(b, "roots", 1, &parameter, type, &options);
  return example_build_and_run(b, tn_builder_add(b, roots, roots), (const void*[]){x},
                               (void*[]){y});
}

static bool is_right(const float* y) {
  for (int i = 0; i < 8; ++i) {
    if (y[i] != (float)(2 * i)) return false;
  }
  printf("2 * roots of 0 1 4 ... 49: %g %g %g ... %g\n", (double)y[0], (double)y[1], (double)y[2],
         (double)y[7]);
  return true;
}

int main(int argc, char** argv) {
  float y[8] = {0};
  const float squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
  const float negative[8] = {0, 1, 4, -9};
  example_load(argc, argv);
  if (!example_succeeded(run_built(squares, y)) || !is_right(y)) return 1;
  if (!example_succeeded(example_run_text(text, (const void*[]){squares}, (void*[]){y}))) return 1;
  if (!is_right(y)) return 1;

  // After a failure there are no outputs: y is unchanged.
  tn_status_t status = run_built(negative, y);
  if (!example_failed_with(status, TN_CODE_INTERNAL, "@roots: INTERNAL: x[3] is -9")) return 1;
  status = example_run_text(text, (const void*[]){negative}, (void*[]){y});
  if (tn_status_line(status) != 2) return 1;
  if (!example_failed_with(status, TN_CODE_INTERNAL, "example.mlir:2:")) return 1;
  return is_right(y) ? 0 : 1;
}
