// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Input/output aliasing, and a column-major operand, through the builder.
#include <stdio.h>

#include "../example.h"

static tn_status_t run_in_place(const float x[3], bool is_alias, float y[3], bool* in_place) {
  tn_builder_t* b = NULL;
  const int64_t size = 3;
  tn_status_t status = tn_builder_create(NULL, "in_place", &b);
  if (status) return status;
  const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 1, &size);
  const tn_type_t* types[] = {type, tn_builder_tensor_type(b, TN_DTYPE_PRED, 0, NULL)};
  tn_value_t* parameter = tn_builder_parameter(b, 0, type, "x");
  tn_value_t* twice = tn_builder_add(b, parameter, parameter);
  const int64_t first = 0;
  const tn_output_operand_alias_t alias = {
      .output_path_length = 1, .output_path = &first, .operand = 0};
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
      .alias_count = is_alias ? 1 : 0,
      .aliases = &alias,
  };
  tn_value_t* both =
      tn_builder_custom_call(b, "add_one", 1, &twice, tn_builder_tuple_type(b, 2, types), &options);
  return example_build_and_run(b, both, (const void*[]){x}, (void*[]){y, in_place});
}

static tn_status_t sum_columns(const float x[6], float sums[3]) {
  tn_builder_t* b = NULL;
  const int64_t dims[] = {2, 3}, count = 3;
  tn_status_t status = tn_builder_create(NULL, "columns", &b);
  if (status) return status;
  tn_value_t* parameter =
      tn_builder_parameter(b, 0, tn_builder_tensor_type(b, TN_DTYPE_F32, 2, dims), "x");
  const int64_t columns[] = {0, 1}, vector[] = {0};
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
      .operand_layouts = (const int64_t* const[]){columns},
      .result_layouts = (const int64_t* const[]){vector},
  };
  const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 1, &count);
  tn_value_t* result = tn_builder_custom_call(b, "column_sums", 1, &parameter, type, &options);
  return example_build_and_run(b, result, (const void*[]){x}, (void*[]){sums});
}

int main(int argc, char** argv) {
  const float x[] = {1, 2, 3, 4, 5, 6};
  float y[3] = {0}, sums[3] = {0};
  example_load(argc, argv);
  for (int is_alias = 0; is_alias < 2; ++is_alias) {
    bool in_place = !is_alias;
    if (!example_succeeded(run_in_place(x, is_alias, y, &in_place))) return 1;
    printf("2 x + 1: %g %g %g, %s\n", (double)y[0], (double)y[1], (double)y[2],
           in_place ? "in place" : "in another place");
    if (in_place != (is_alias == 1) || y[0] != 3 || y[1] != 5 || y[2] != 7) return 1;
  }
  if (!example_succeeded(sum_columns(x, sums))) return 1;
  printf("sums of columns: %g %g %g\n", (double)sums[0], (double)sums[1], (double)sums[2]);
  return sums[0] == 5 && sums[1] == 7 && sums[2] == 9 ? 0 : 1;
}
