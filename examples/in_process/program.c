// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// In-process functions as targets of custom calls: registered at program start, and at run time.
#include <stdio.h>

#include "../example.h"

static void do_custom_call(void* out, const void** in) {
  float* a = out;
  const float *b = in[0], *c = in[1];
  for (int i = 0; i < 8; ++i) a[i] = b[i % 4] + c[i];
}
TN_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");

static void negate(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = -((const float*)in[0])[i];
}
static void square(void* out, const void** in) {
  const float* x = in[0];
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = x[i] * x[i];
}

static tn_status_t run_registered_at_start(const float* b, const float* c, float* a) {
  static const char text[] =
      "func.func @main(%b: tensor<4xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {\n"
      "  %a = stablehlo.custom_call @do_custom_call(%b, %c)\n"
      "      : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32>\n"
      "  return %a : tensor<8xf32>\n"
      "}\n";
  return example_run_text(text, (const void*[]){b, c}, (void*[]){a});
}

static tn_status_t run_map(const float* x, float* y) {
  static const char text[] =
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %y = stablehlo.custom_call @map(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  return %y : tensor<4xf32>\n"
      "}\n";
  return example_run_text(text, (const void*[]){x}, (void*[]){y});
}

static tn_status_t replace_map(void) {
  tn_status_t status = tn_target_unregister("map", "Host");
  if (status) return status;
  return tn_target_register("map", "Host", (tn_target_function_t)square, TN_API_VERSION_ORIGINAL);
}

static bool registers_while_it_runs(const float* x) {
  float y[4] = {0};
  tn_status_t status =
      tn_target_register("map", "Host", (tn_target_function_t)negate, TN_API_VERSION_ORIGINAL);
  if (!status) status = run_map(x, y);
  if (!example_succeeded(status) || y[3] != -3) return false;
  // A name belongs to one function, until it is unregistered.
  status = tn_target_register("map", "Host", (tn_target_function_t)square, TN_API_VERSION_ORIGINAL);
  if (!example_failed_with(status, TN_CODE_ALREADY_EXISTS,
                           "custom call @map: a different function is already registered for "
                           "platform Host, by this process")) {
    return false;
  }
  // Programs that are compiled from now on square.
  status = replace_map();
  if (!status) status = run_map(x, y);
  if (!example_succeeded(status) || y[3] != 9) return false;
  if (!example_succeeded(tn_target_unregister("map", "Host"))) return false;
  return example_failed_with(run_map(x, y), TN_CODE_NOT_FOUND,
                             "custom call @map: nothing is registered for platform Host");
}

int main(void) {
  const float b[] = {0, 1, 2, 3}, c[] = {0, 10, 20, 30, 40, 50, 60, 70};
  float a[8] = {0};
  if (!example_succeeded(run_registered_at_start(b, c, a))) return 1;
  printf("%g %g ... %g\n", (double)a[0], (double)a[1], (double)a[7]);
  return a[5] == 51 && a[7] == 73 && registers_while_it_runs(b) ? 0 : 1;
}
