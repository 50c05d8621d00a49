// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Tests of axpby: dtypes, both derivatives against finite differences, batches, other shapes, other
// threads, and the round trip through StableHLO.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <tenon/arrays.h>
#include <tenon/tenon.h>

static int failures;

static void expect(bool is_true, const char* claim) {
  if (is_true) return;
  printf("not true: %s\n", claim);
  ++failures;
}

static void expect_ok(tn_status_t status, const char* claim) {
  char text[1024];
  if (status) printf("%s\n", (tn_status_format(status, text, sizeof text), text));
  expect(!status, claim);
  tn_status_release(status);
}

// All elements of a float array are these.
static void expect_all(tn_array_t* array, size_t count, const double* wanted, const char* claim) {
  float got[64] = {0};
  bool is_equal = (size_t)tn_array_size(array) == count && count <= 64;
  if (is_equal) expect_ok(tn_array_to_host(array, got, count * sizeof *got), claim);
  for (size_t i = 0; is_equal && i < count; ++i) is_equal = fabs(got[i] - wanted[i]) < 1e-3;
  expect(is_equal, claim);
}
#define EXPECT_ALL(array, claim, ...)                                                          \
  expect_all(array, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__}, \
             claim)

enum { ALPHA = 4, BETA = 2 };

static tn_array_t* axpby(tn_scope_t* s, tn_array_t* x, tn_array_t* y) {
  const tn_attribute_t attributes[] = {tn_attribute_float("alpha", TN_DTYPE_F32, ALPHA),
                                       tn_attribute_float("beta", TN_DTYPE_F32, BETA)};
  return tn_op_apply_one(s, "axpby", 2, (tn_array_t*[]){x, y}, 2, attributes);
}

static tn_status_t call(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out_outputs) {
  (void)user, (void)input_count, (void)output_count;
  out_outputs[0] = axpby(s, inputs[0], inputs[1]);
  return TN_OK;
}
static const tn_closure_t function = {call, NULL};

static tn_array_t* floats(tn_scope_t* s, size_t count, const float* data) {
  const int64_t dims[] = {(int64_t)count};
  return tn_array_from_host(s, TN_DTYPE_F32, 1, dims, data, count * sizeof *data);
}

static void check_dtypes(tn_scope_t* s) {
  static const tn_dtype_t kept[] = {TN_DTYPE_F32, TN_DTYPE_F16, TN_DTYPE_BF16, TN_DTYPE_C64};
  static const tn_dtype_t widened[] = {TN_DTYPE_PRED, TN_DTYPE_S32, TN_DTYPE_S64};
  static const tn_dtype_t refused[] = {TN_DTYPE_F64, TN_DTYPE_C128};
  static const char* const refusals[] = {"does not take f64", "does not take complex<f64>"};
  char text[512];
  tn_array_t* one = tn_array_scalar(s, TN_DTYPE_S32, 1);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
    tn_array_t* x = tn_array_scalar(s, kept[i], 1);
    expect(tn_array_dtype(axpby(s, x, x)) == kept[i], "floats keep their dtype");
    expect(tn_array_dtype(axpby(s, one, x)) == kept[i], "an integer takes the other's dtype");
    tn_array_t* z = tn_array_astype(s, axpby(s, x, x), TN_DTYPE_F32);
    EXPECT_ALL(z, "every dtype is computed", ALPHA + BETA);
  }
  for (size_t i = 0; i < sizeof widened / sizeof *widened; ++i) {
    tn_array_t* x = tn_array_scalar(s, widened[i], 1);
    expect(tn_array_dtype(axpby(s, x, x)) == TN_DTYPE_F32, "integers and booleans become f32");
    EXPECT_ALL(axpby(s, x, x), "and are computed", ALPHA + BETA);
  }
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    tn_array_t* x = tn_array_scalar(s, refused[i], 1);
    tn_status_t status = tn_array_status(axpby(s, x, x));
    tn_status_format(status, text, sizeof text);
    expect(status && strstr(text, refusals[i]), "others are refused by name");
    tn_status_release(status);
  }
}

// (f(x + h dx, y + h dy) - f(x, y)) / h, which is exact but for rounding.
static void check_derivatives(tn_scope_t* s) {
  tn_array_t* inputs[] = {floats(s, 3, (float[]){1, 2, 3}), floats(s, 3, (float[]){4, 0, -1})};
  tn_array_t* step = floats(s, 3, (float[]){1, -1, 2});
  tn_array_t* moved[] = {tn_array_add(s, inputs[0], step), tn_array_add(s, inputs[1], step)};
  for (int which = 1; which < 4; ++which) {  // x, y, both
    tn_array_t* tangents[] = {which & 1 ? step : NULL, which & 2 ? step : NULL};
    tn_array_t *z = NULL, *tangent = NULL;
    expect_ok(tn_jvp(s, &function, 2, inputs, tangents, 1, &z, &tangent), "there is a jvp");
    tn_array_t* difference = tn_array_subtract(
        s, axpby(s, which & 1 ? moved[0] : inputs[0], which & 2 ? moved[1] : inputs[1]), z);
    const double slope = (which & 1 ? ALPHA : 0) + (which & 2 ? BETA : 0);
    EXPECT_ALL(difference, "so it changes", slope, -slope, 2 * slope);
    EXPECT_ALL(tangent, "jvp: of x, of y, of both", slope, -slope, 2 * slope);
  }
  tn_array_t *z = NULL, *gradients[2] = {NULL};
  expect_ok(tn_vjp(s, &function, 2, inputs, 1, &step, &z, gradients), "there is a vjp");
  EXPECT_ALL(gradients[0], "vjp for x", ALPHA, -ALPHA, 2 * ALPHA);
  EXPECT_ALL(gradients[1], "vjp for y", BETA, -BETA, 2 * BETA);
}

static void check_shapes(tn_scope_t* s) {
  tn_array_t* x =
      tn_array_reshape(s, floats(s, 6, (float[]){0, 1, 2, 3, 4, 5}), 2, (int64_t[]){2, 3});
  tn_array_t* row = floats(s, 3, (float[]){1, 1, 1});
  const int64_t axes[] = {1, 0}, out_axis = 1;
  tn_array_t* z = NULL;
  tn_array_t* inputs[] = {x, row};
  EXPECT_ALL(axpby(s, x, row), "a row is broadcast", 2, 6, 10, 14, 18, 22);
  expect_ok(tn_vmap(s, &function, 2, inputs, axes, 1, &out_axis, &z), "there is a vmap");
  EXPECT_ALL(z, "over columns and numbers", 2, 6, 10, 14, 18, 22);
  tn_compiled_t* compiled = NULL;
  expect_ok(tn_closure_compile(s, &function, NULL, &compiled), "it is compiled");
  for (size_t n = 1; n < 4; ++n) {
    tn_array_t* pair[] = {floats(s, n, (float[]){1, 2, 3}), floats(s, n, (float[]){1, 1, 1})};
    expect_ok(tn_compiled_call(compiled, s, 2, pair, 1, &z), "for any shape");
    expect_all(z, n, (double[]){6, 10, 14}, "of any size");
  }
  expect(tn_compiled_trace_count(compiled) == 3, "and traced for each");
  tn_compiled_release(compiled);
}

static void check_export(tn_scope_t* s) {
  tn_array_t* inputs[] = {floats(s, 2, (float[]){1, 2}), floats(s, 2, (float[]){3, 4})};
  tn_module_t* module = NULL;
  tn_imported_t* imported = NULL;
  tn_array_t* z = NULL;
  expect_ok(tn_export_function(s, &function, 2, inputs, 1, &module), "it is exported");
  expect_ok(tn_import_function(s, module, NULL, &imported), "and imported, by name");
  if (imported) {
    expect_ok(tn_imported_call(imported, s, 2, inputs, 1, &z), "and called");
    EXPECT_ALL(z, "with its attributes", 10, 16);
  }
  tn_imported_release(imported);
  tn_module_release(module);
}

static void* evaluate(void* array) {
  EXPECT_ALL(array, "an array of one thread is computed by another", 10, 16);
  return NULL;
}

static void check_threads(tn_scope_t* s) {
  pthread_t thread;
  tn_array_t* z = axpby(s, floats(s, 2, (float[]){1, 2}), floats(s, 2, (float[]){3, 4}));
  if (pthread_create(&thread, NULL, evaluate, z)) return;
  pthread_join(thread, NULL);
}

// An error is reported by the next reader, even if no call waited for the work.
static void check_errors(tn_scope_t* s) {
  tn_array_t* x = tn_array_scalar(s, TN_DTYPE_F64, 1);
  tn_array_t* z = tn_array_exp(s, axpby(s, x, x));
  double value = 0;
  tn_status_release(tn_array_async_eval(1, &z));
  tn_status_t status = tn_array_item(z, &value);
  expect(tn_status_code(status) == TN_CODE_INVALID_ARGUMENT,
         "its errors come out where it is read");
  tn_status_release(status);
}

int main(int argc, char** argv) {
  tn_scope_t* s = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: axpby_check LIBRARY\n");
    return 2;
  }
  expect_ok(tn_library_load(argv[1]), "the library loads");
  expect_ok(tn_scope_create(NULL, &s), "there is a device");
  if (failures) return 1;
  check_dtypes(s);
  check_derivatives(s);
  check_shapes(s);
  check_export(s);
  check_threads(s);
  check_errors(s);
  tn_scope_destroy(s);
  printf("%d failed\n", failures);
  return failures != 0;
}
