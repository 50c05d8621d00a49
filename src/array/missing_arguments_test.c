// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a caller leaves out, or gives as a number that stands for nothing: an error that names the
// operation and the argument.
#include <tenon/detail/array_fast.h>
#include <tenon/detail/array_fft.h>
#include <tenon/detail/array_linalg.h>
#include <tenon/detail/array_random.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

#define ASSERT_FAILS(message, array)                     \
  do {                                                   \
    tn_array_t* failed_ = (array);                       \
    TN_ASSERT_REPORT(message, tn_array_status(failed_)); \
  } while (0)

static tn_array_t* matrix(tn_scope_t* s) {
  return tn__testing_range(s, TN_LIST(2, 3));
}

static void lists_that_are_missing_are_named(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  static const int64_t two[] = {1, 1};
  tn_array_t *x = matrix(s), *parts[3] = {NULL};
  tn_array_t* place = tn_array_scalar(s, TN_DTYPE_S32, 0);
  ASSERT_FAILS("zeros: dims is NULL; expected a list of 2",
               tn_array_zeros(s, TN_DTYPE_F32, 2, NULL));
  ASSERT_FAILS("reshape: dims is NULL", tn_array_reshape(s, x, 1, NULL));
  ASSERT_FAILS("broadcast_to: dims is NULL", tn_array_broadcast_to(s, x, 3, NULL));
  ASSERT_FAILS("unflatten: dims is NULL", tn_array_unflatten(s, x, 0, 2, NULL));
  ASSERT_FAILS("as_strided: strides is NULL", tn_array_as_strided(s, x, 2, two, NULL, 0));
  ASSERT_FAILS("random_bits: dims is NULL", tn_array_random_bits(s, 4, 2, NULL, NULL));
  ASSERT_FAILS("tn_buffer_create_from_host: dims is NULL",
               tn_array_from_host(s, TN_DTYPE_F32, 2, NULL, two, 8));
  ASSERT_FAILS("slice: starts is NULL", tn_array_slice(s, x, NULL, two, NULL));
  ASSERT_FAILS("slice: stops is NULL", tn_array_slice(s, x, two, NULL, NULL));
  ASSERT_FAILS("slice_update: starts is NULL",
               tn_array_slice_update(s, x, x, NULL, two, NULL, TN_SCATTER_SET));
  ASSERT_FAILS("slice_at: axes is NULL", tn_array_slice_at(s, x, place, 1, NULL, two));
  ASSERT_FAILS("slice_at: slice_size is NULL", tn_array_slice_at(s, x, place, 1, two, NULL));
  ASSERT_FAILS("roll: shift is NULL", tn_array_roll(s, x, 1, NULL, NULL));
  ASSERT_FAILS("tile: reps is NULL", tn_array_tile(s, x, 1, NULL));
  ASSERT_FAILS("pad: low is NULL", tn_array_pad(s, x, NULL, two, TN_PAD_CONSTANT, NULL));
  ASSERT_FAILS("pad: high is NULL", tn_array_pad(s, x, two, NULL, TN_PAD_CONSTANT, NULL));
  ASSERT_FAILS("index: items is NULL", tn_array_index(s, x, 1, NULL));
  ASSERT_FAILS("index_update: items is NULL",
               tn_array_index_update(s, x, 1, NULL, x, TN_SCATTER_SET));
  ASSERT_FAILS("concatenate: the list of arrays is NULL", tn_array_concatenate(s, 2, NULL, 0));
  ASSERT_FAILS("einsum: subscripts is NULL", tn_array_einsum(s, NULL, 1, &x));
  ASSERT_FAILS("rope: the offset is NULL", tn_array_rope(s, x, 2, false, 1e4, 1, NULL, NULL));
  ASSERT_FAILS("scaled_dot_product_attention: options is NULL",
               tn_array_scaled_dot_product_attention(s, x, x, x, NULL));
  ASSERT_FAILS("stop_gradient: operand 0 is NULL", tn_array_stop_gradient(s, NULL));
  tn_array_split_at(s, x, 2, NULL, 0, parts);
  for (int i = 0; i < 3; ++i) ASSERT_FAILS("split_at: indices is NULL", parts[i]);
  tn_scope_destroy(s);
}

static tn_status_t write_nowhere(void* user, const char* text, size_t length) {
  (void)user, (void)text, (void)length;
  return TN_OK;
}

static void functions_that_read_name_themselves(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_mapped_array_t view;
  tn_buffer_t* buffer = NULL;
  double value = 1;
  TN_ASSERT_REPORT("tn_array_to_host: array is NULL", tn_array_to_host(NULL, &value, 8));
  TN_ASSERT_REPORT("tn_array_item: array is NULL", tn_array_item(NULL, &value));
  TN_ASSERT_REPORT("tn_array_map: array is NULL", tn_array_map(NULL, &view));
  TN_ASSERT_REPORT("tn_array_to_buffer: array is NULL", tn_array_to_buffer(NULL, &buffer));
  TN_ASSERT_REPORT("tn_array_print: array is NULL", tn_array_print(NULL, write_nowhere, NULL));
  ASSERT_FAILS("tn_array_scalar_of: element is NULL", tn_array_scalar_of(s, TN_DTYPE_F32, NULL));
  assert_true(value == 0 && !buffer && !view.data);
  tn_scope_destroy(s);
}

static void dimensions_beyond_the_limit_are_counted(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  int64_t dims[TN_MAX_RANK + 1];
  for (size_t i = 0; i <= TN_MAX_RANK; ++i) dims[i] = 1;
  tn_array_t* x = tn_array_zeros(s, TN_DTYPE_F32, TN_MAX_RANK, dims);
  TN_ASSERT_OK(tn_array_eval(1, &x));
  ASSERT_FAILS("ones: 65 dimensions; at most 64 are possible",
               tn_array_ones(s, TN_DTYPE_F32, TN_MAX_RANK + 1, dims));
  ASSERT_FAILS("reshape: 65 dimensions", tn_array_reshape(s, x, TN_MAX_RANK + 1, dims));
  ASSERT_FAILS("broadcast_to: 65 dimensions", tn_array_broadcast_to(s, x, TN_MAX_RANK + 1, dims));
  tn_scope_destroy(s);
}

static void numbers_that_stand_for_nothing_are_named(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  static const int64_t two[] = {1, 1};
  tn_array_t* x = matrix(s);
  tn_array_t *line = tn_array_flatten(s, x, 0, -1), *unique = NULL;
  tn_array_t* places = tn_array_zeros(s, TN_DTYPE_S32, TN_LIST(2, 3));
  const tn_index_t item = {.kind = (tn_index_kind_t)42};
  ASSERT_FAILS("arange: the dtype is 0 (invalid); expected one of numbers",
               tn_array_arange(s, TN_DTYPE_INVALID, 0, 3, 1));
  ASSERT_FAILS("arange: the dtype is 1 (i1)", tn_array_arange(s, TN_DTYPE_PRED, 0, 3, 1));
  ASSERT_FAILS("linspace: the dtype is 0", tn_array_linspace(s, TN_DTYPE_INVALID, 0, 3, 3, true));
  ASSERT_FAILS("ones: the dtype is 77", tn_array_ones(s, (tn_dtype_t)77, 1, two));
  ASSERT_FAILS("astype: the dtype is 17 (!stablehlo.token)", tn_array_astype(s, x, TN_DTYPE_TOKEN));
  ASSERT_FAILS("view: the dtype is -5", tn_array_view(s, x, (tn_dtype_t)-5));
  ASSERT_FAILS("pad: the mode is 9; expected 0 to 3",
               tn_array_pad(s, x, two, two, (tn_pad_mode_t)9, NULL));
  ASSERT_FAILS("put_along_axis: the mode is 7",
               tn_array_put_along_axis(s, x, places, x, 1, (tn_scatter_mode_t)7));
  ASSERT_FAILS("index_update: the mode is -1",
               tn_array_index_update(s, x, 0, NULL, x, (tn_scatter_mode_t)-1));
  ASSERT_FAILS("index: the kind of an item is 42", tn_array_index(s, x, 1, &item));
  ASSERT_FAILS("convolve: the mode is 3", tn_array_convolve(s, line, line, (tn_convolve_mode_t)3));
  ASSERT_FAILS("fft: the norm is 3", tn_array_fft(s, x, 0, 0, (tn_fft_norm_t)3));
  ASSERT_FAILS("norm: the kind is 4", tn_array_linalg_norm(s, x, (tn_norm_t)4, 2, 0, NULL, false));
  ASSERT_FAILS("rms_norm: the weight has shape 6; expected 3 elements",
               tn_array_rms_norm(s, x, line, 0));
  ASSERT_FAILS("layer_norm: the bias has shape 6; expected 3 elements",
               tn_array_layer_norm(s, x, NULL, line, 0));
  tn_array_unique(s, x, 4, line, &unique, NULL, NULL, NULL);
  ASSERT_FAILS("unique: the fill value has shape 6; expected one element", unique);
  tn_scope_destroy(s);
}

static void steps_and_shifts_may_be_as_large_as_numbers_are(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(5));
  TN_ASSERT_F32(
      tn_array_slice(s, x, (int64_t[]){-1}, (int64_t[]){INT64_MIN}, (int64_t[]){INT64_MIN}),
      TN_LIST(1), 4);
  TN_ASSERT_F32(tn_array_index(s, x, 1, &TN_SLICE_BY(TN_INDEX_OPEN, TN_INDEX_OPEN, INT64_MIN)),
                TN_LIST(1), 4);
  TN_ASSERT_F32(tn_array_roll(s, x, 2, (int64_t[]){INT64_MAX, INT64_MAX}, NULL), TN_LIST(5), 1, 2,
                3, 4, 0);
  tn_scope_destroy(s);
}

static tn_status_t writes_nothing(void* user, tn_scope_t* s, size_t input_count,
                                  tn_array_t* const* inputs, size_t output_count,
                                  tn_array_t** out) {
  (void)user, (void)s, (void)input_count, (void)inputs, (void)output_count, (void)out;
  return TN_OK;
}

static tn_status_t same(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  (void)user, (void)s, (void)input_count;
  for (size_t i = 0; i < output_count; ++i) out[i] = inputs[0];
  return TN_OK;
}

static tn_status_t wrong_vjp(void* user, tn_scope_t* s, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count,
                             tn_array_t* const* cotangents, tn_array_t* const* outputs,
                             tn_array_t** out_gradients) {
  (void)user, (void)input_count, (void)inputs, (void)output_count, (void)cotangents, (void)outputs;
  out_gradients[0] = tn__testing_range(s, TN_LIST(7));
  return TN_OK;
}

static tn_status_t with_wrong_vjp(void* user, tn_scope_t* s, size_t input_count,
                                  tn_array_t* const* inputs, size_t output_count,
                                  tn_array_t** out) {
  (void)user;
  const tn_custom_function_t function = {
      .struct_size = sizeof function, .function = {same, NULL}, .vjp = wrong_vjp};
  return tn_custom_function_call(s, &function, input_count, inputs, output_count, out);
}

static void transforms_name_themselves_and_what_is_missing(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  const tn_closure_t none = {NULL, NULL}, nothing = {writes_nothing, NULL}, identity = {same, NULL};
  const tn_closure_t wrong = {with_wrong_vjp, NULL};
  tn_array_t *x = tn_array_scalar(s, TN_DTYPE_F32, 1), *y = NULL, *t = NULL;
  tn_array_t* row = tn__testing_range(s, TN_LIST(3));
  tn_compiled_t* compiled = NULL;
  tn_module_t* module = NULL;
  tn_imported_t* imported = NULL;
  tn_compiled_options_t options = {.struct_size = sizeof options, .captured_input_count = 1};
  TN_ASSERT_REPORT("tn_grad: the function is NULL", tn_grad(s, NULL, 1, &x, 1, NULL, &y));
  TN_ASSERT_REPORT("tn_grad: the function is NULL", tn_grad(s, &none, 1, &x, 1, NULL, &y));
  TN_ASSERT_REPORT("tn_vmap: the function is NULL", tn_vmap(s, NULL, 1, &row, NULL, 1, NULL, &y));
  TN_ASSERT_REPORT("tn_checkpoint: the function is NULL", tn_checkpoint(s, NULL, 1, &x, 1, &y));
  TN_ASSERT_REPORT("tn_grad: the list of arrays is NULL",
                   tn_grad(s, &identity, 1, NULL, 1, NULL, &y));
  TN_ASSERT_REPORT("argnum_count is 2; expected 1", tn_grad(s, &identity, 1, &x, 2, NULL, &y));
  TN_ASSERT_REPORT("tn_jvp: tangents is NULL", tn_jvp(s, &identity, 1, &x, NULL, 1, &y, &t));
  TN_ASSERT_REPORT("tn_vjp: cotangents is NULL", tn_vjp(s, &identity, 1, &x, 1, NULL, &y, &t));
  TN_ASSERT_REPORT("tn_vjp: the function left output 0 NULL",
                   tn_vjp(s, &nothing, 1, &x, 1, &x, &y, &t));
  TN_ASSERT_REPORT("tn_export_function: the function left output 0 NULL",
                   tn_export_function(s, &nothing, 1, &x, 1, &module));
  TN_ASSERT_REPORT(
      "the vjp of a custom function gave f32 of shape 7 for input 0; expected f32 of "
      "shape scalar",
      tn_grad(s, &wrong, 1, &x, 1, NULL, &y));
  TN_ASSERT_REPORT("tn_closure_compile: captured_inputs is NULL",
                   tn_closure_compile(s, &identity, &options, &compiled));
  options.captured_inputs = (tn_array_t * * const[]){NULL};
  TN_ASSERT_REPORT("tn_closure_compile: captured_inputs[0] is NULL",
                   tn_closure_compile(s, &identity, &options, &compiled));
  TN_ASSERT_REPORT("tn_compiled_call: compiled is NULL", tn_compiled_call(NULL, s, 1, &x, 1, &y));
  TN_ASSERT_REPORT("tn_import_function: module is NULL",
                   tn_import_function(s, NULL, NULL, &imported));
  TN_ASSERT_REPORT("tn_imported_call: imported is NULL", tn_imported_call(NULL, s, 1, &x, 1, &y));
  TN_ASSERT_REPORT("tn_array_to_host: data is NULL", tn_array_to_host(x, NULL, 4));
  assert_null(y);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_that_are_missing_are_named),
      cmocka_unit_test(functions_that_read_name_themselves),
      cmocka_unit_test(dimensions_beyond_the_limit_are_counted),
      cmocka_unit_test(numbers_that_stand_for_nothing_are_named),
      cmocka_unit_test(steps_and_shifts_may_be_as_large_as_numbers_are),
      cmocka_unit_test(transforms_name_themselves_and_what_is_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
