// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Opaque bytes that carry the types of the operands, in the form that XLA gives them.
#include <stdio.h>

#include "../example.h"

enum { B_SIZE = 128, C_SIZE = 2048 };

static tn_status_t run(const void* opaque, size_t opaque_length, const float* b_data,
                       const float* c_data, float* a) {
  tn_builder_t* builder = NULL;
  const int64_t b_size = B_SIZE, c_size = C_SIZE;
  tn_status_t status = tn_builder_create(NULL, "opaque", &builder);
  if (status) return status;
  const tn_type_t* types[] = {tn_builder_tensor_type(builder, TN_DTYPE_F32, 1, &b_size),
                              tn_builder_tensor_type(builder, TN_DTYPE_F32, 1, &c_size)};
  tn_value_t* operands[] = {tn_builder_parameter(builder, 0, types[0], "b"),
                            tn_builder_parameter(builder, 1, types[1], "c")};
  char bytes[256];
  if (!opaque) {
    opaque_length =
        tn_type_serialize(tn_builder_tuple_type(builder, 2, types), bytes, sizeof bytes);
    opaque = bytes;
  }
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .opaque = opaque,
      .opaque_length = opaque_length,
      .api_version = TN_API_VERSION_STATUS_RETURNING_UNIFIED,
  };
  tn_value_t* sum = tn_builder_custom_call(builder, "add_opaque", 2, operands, types[1], &options);
  return example_build_and_run(builder, sum, (const void*[]){b_data, c_data}, (void*[]){a});
}

int main(int argc, char** argv) {
  static float b[B_SIZE], c[C_SIZE], a[C_SIZE];
  example_load(argc, argv);
  for (int i = 0; i < B_SIZE; ++i) b[i] = (float)i;
  for (int i = 0; i < C_SIZE; ++i) c[i] = (float)i / 4;
  if (!example_succeeded(run(NULL, 0, b, c, a))) return 1;
  printf("a[0] = %g, a[129] = %g, a[2047] = %g\n", (double)a[0], (double)a[129], (double)a[2047]);
  for (int i = 0; i < C_SIZE; ++i) {
    if (a[i] != b[i % B_SIZE] + c[i]) return 1;
  }
  return example_failed_with(run("128", 3, b, c, a), TN_CODE_INTERNAL,
                             "@add_opaque: INTERNAL: the opaque bytes are not a type")
             ? 0
             : 1;
}
