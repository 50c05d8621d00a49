// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Results that are too large for the caches.
#include "kernel/common/streaming.h"
#include "program/testing_run.h"

enum { PARTS = 5, PART = TN_STREAMED_BYTES / sizeof(float) / PARTS + 33, WHOLE = PARTS * PART };

static const char program[] =
    "func.func @main(%%x: tensor<%zuxf32>, %%y: tensor<%zuxf32>) -> (tensor<%zuxf32>, "
    "tensor<%zuxf32>) {\n"
    "  %%0 = stablehlo.multiply %%x, %%y : tensor<%zuxf32>\n"
    "  %%1 = stablehlo.subtract %%0, %%x : tensor<%zuxf32>\n"
    "  %%2 = stablehlo.optimization_barrier %%y : tensor<%zuxf32>\n"
    "  %%3 = stablehlo.exponential %%2 : tensor<%zuxf32>\n"
    "  return %%1, %%3 : tensor<%zuxf32>, tensor<%zuxf32>\n"
    "}\n";

static void run(size_t count, const float* x, const float* y, tn_testing_bytes_t* out) {
  char text[1200];
  snprintf(text, sizeof text, program, count, count, count, count, count, count, count, count,
           count, count);
  tn_program_t* compiled = tn__testing_program(text, false);
  tn_testing_buffers_t arguments = {2,
                                    {tn__testing_floats(count, x), tn__testing_floats(count, y)}};
  TN_ASSERT_OK(tn__testing_run_bytes(compiled, NULL, &arguments, out));
  assert_int_equal(out->length, 2 * count * sizeof(float));
  tn__testing_buffers_release(&arguments);
  tn_program_release(compiled);
}

static void large_results_are_those_of_their_parts(void** state) {
  (void)state;
  float* x = malloc(WHOLE * sizeof *x);
  float* y = malloc(WHOLE * sizeof *y);
  tn_testing_bytes_t whole, part;
  for (size_t i = 0; i < WHOLE; ++i) {
    x[i] = (float)(i % 1013) / 64 - 7;
    y[i] = (float)(i % 1009) / 64 - 8;
  }
  run(WHOLE, x, y, &whole);
  for (size_t k = 0; k < PARTS; ++k) {
    run(PART, x + k * PART, y + k * PART, &part);
    for (size_t r = 0; r < 2; ++r) {
      assert_memory_equal(whole.bytes + (r * WHOLE + k * PART) * sizeof(float),
                          part.bytes + r * PART * sizeof(float), PART * sizeof(float));
    }
    free(part.bytes);
  }
  free(whole.bytes);
  free(y);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_results_are_those_of_their_parts),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
