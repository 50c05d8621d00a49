// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One operand of tuple type, and scratch memory that is part of the result.
#include <stdio.h>

#include "../example.h"

static const tn_type_t* array(tn_builder_t* b, int64_t size) {
  return tn_builder_tensor_type(b, TN_DTYPE_F32, 1, &size);
}

static tn_status_t run(const char* target, tn_api_version_t version, const void* const* arguments,
                       float* sums) {
  tn_builder_t* b = NULL;
  tn_status_t status = tn_builder_create(NULL, "tuples", &b);
  if (status) return status;
  const tn_type_t* pair[] = {array(b, 64), array(b, 128)};
  const tn_type_t* parts[] = {array(b, 32), tn_builder_tuple_type(b, 2, pair), array(b, 256)};
  tn_value_t* p0 = tn_builder_parameter(b, 0, tn_builder_tuple_type(b, 3, parts), "p0");

  const tn_type_t* outputs[] = {array(b, 512), array(b, 1024)};
  const tn_custom_call_options_t options = {.struct_size = sizeof options, .api_version = version};
  tn_value_t* both =
      tn_builder_custom_call(b, target, 1, &p0, tn_builder_tuple_type(b, 2, outputs), &options);
  // Element 1 is never read: it is the call's temporary memory.
  tn_value_t* result = tn_builder_get_tuple_element(b, both, 0);
  return example_build_and_run(b, result, arguments, (void*[]){sums});
}

static bool is_right(const char* name, const float* sums) {
  printf("%-18s sums[0] = %g, sums[100] = %g, sums[511] = %g\n", name, (double)sums[0],
         (double)sums[100], (double)sums[511]);
  for (int i = 0; i < 512; ++i) {
    const int last = i < 480 ? i : 479;
    if (2 * sums[i] != (float)(last * (last + 1))) return false;
  }
  return true;
}

int main(int argc, char** argv) {
  float numbers[480], sums[512];
  example_load(argc, argv);
  for (int i = 0; i < 480; ++i) numbers[i] = (float)i;
  // The arrays inside the tuple, from left to right.
  const void* const arguments[] = {numbers, numbers + 32, numbers + 96, numbers + 224};
  if (!example_succeeded(run("sum_tuple", TN_API_VERSION_ORIGINAL, arguments, sums))) return 1;
  if (!is_right("nested pointers", sums)) return 1;
  if (!example_succeeded(run("sum_leaves", TN_API_VERSION_TYPED_FFI, arguments, sums))) return 1;
  return is_right("flattened", sums) ? 0 : 1;
}
