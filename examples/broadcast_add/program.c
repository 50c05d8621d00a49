// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// a[i] = b[i % 128] + c[i] in four ways, and what happens when the sizes disagree.
#include <stdio.h>

#include "../example.h"

enum { B_SIZE = 128, C_SIZE = 2048 };

typedef struct inputs {
  tn_builder_t* builder;
  tn_value_t *b, *c;
  const tn_type_t *b_type, *c_type;
} inputs_t;

static tn_status_t begin(int64_t b_size, inputs_t* in) {
  const int64_t c_size = C_SIZE;
  tn_status_t status = tn_builder_create(NULL, "broadcast_add", &in->builder);
  if (status) return status;
  in->b_type = tn_builder_tensor_type(in->builder, TN_DTYPE_F32, 1, &b_size);
  in->c_type = tn_builder_tensor_type(in->builder, TN_DTYPE_F32, 1, &c_size);
  in->b = tn_builder_parameter(in->builder, 0, in->b_type, "b");
  in->c = tn_builder_parameter(in->builder, 1, in->c_type, "c");
  return TN_OK;
}

static tn_value_t* with_fixed_sizes(const inputs_t* in) {
  tn_value_t* operands[] = {in->b, in->c};
  return tn_builder_custom_call(in->builder, "add_fixed", 2, operands, in->c_type, NULL);
}

static tn_value_t* with_sizes_as_operands(const inputs_t* in) {
  const tn_type_t* size_type = tn_builder_tensor_type(in->builder, TN_DTYPE_S64, 0, NULL);
  tn_value_t* operands[] = {in->b, in->c,
                            tn_builder_constant(in->builder, size_type, &(int64_t){B_SIZE}),
                            tn_builder_constant(in->builder, size_type, &(int64_t){C_SIZE})};
  return tn_builder_custom_call(in->builder, "add_sized", 4, operands, in->c_type, NULL);
}

static tn_value_t* with_types(const inputs_t* in) {
  tn_value_t* operands[] = {in->b, in->c};
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
  };
  return tn_builder_custom_call(in->builder, "broadcast_add", 2, operands, in->c_type, &options);
}

static tn_value_t* with_plain_operations(const inputs_t* in) {
  const int64_t rows[] = {C_SIZE / B_SIZE, B_SIZE}, b_is_dimension[] = {1}, flat[] = {C_SIZE};
  tn_value_t* repeated = tn_builder_broadcast_in_dim(in->builder, in->b, 2, rows, b_is_dimension);
  return tn_builder_add(in->builder, tn_builder_reshape(in->builder, repeated, 1, flat), in->c);
}

// The result has the size of b, which does not match the signature of broadcast_add.
static tn_value_t* with_another_result(const inputs_t* in) {
  tn_value_t* operands[] = {in->b, in->c};
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
  };
  return tn_builder_custom_call(in->builder, "broadcast_add", 2, operands, in->b_type, &options);
}

static float b[B_SIZE], c[C_SIZE], a[C_SIZE];

static tn_status_t run(int64_t b_size, tn_value_t* (*way)(const inputs_t* in)) {
  inputs_t in;
  tn_status_t status = begin(b_size, &in);
  if (status) return status;
  for (int i = 0; i < C_SIZE; ++i) a[i] = -1;
  return example_build_and_run(in.builder, way(&in), (const void*[]){b, c}, (void*[]){a});
}

static bool is_right(void) {
  for (int i = 0; i < C_SIZE; ++i) {
    if (a[i] != b[i % B_SIZE] + c[i]) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    tn_value_t* (*build)(const inputs_t* in);
  } ways[] = {
      {"sizes fixed", with_fixed_sizes},
      {"sizes as operands", with_sizes_as_operands},
      {"typed", with_types},
      {"plain operations", with_plain_operations},
  };
  example_load(argc, argv);
  for (int i = 0; i < B_SIZE; ++i) b[i] = (float)i;
  for (int i = 0; i < C_SIZE; ++i) c[i] = (float)i / 4;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    if (!example_succeeded(run(B_SIZE, ways[i].build))) return 1;
    printf("%-18s a[0] = %g, a[129] = %g, a[2047] = %g\n", ways[i].name, (double)a[0],
           (double)a[129], (double)a[2047]);
    if (!is_right()) return 1;
  }
  bool refused = example_failed_with(run(B_SIZE, with_another_result), TN_CODE_INVALID_ARGUMENT,
                                     "expected the shape of c");
  return refused && example_failed_with(run(100, with_types), TN_CODE_INVALID_ARGUMENT,
                                        "c has 2048 elements, which 100 of b do not divide")
             ? 0
             : 1;
}
