// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Option structs of all public headers, as callers pass them that were compiled with an older or a
// newer header.
#include <stddef.h>
#include <tenon/builder.h>
#include <tenon/detail/array_fast.h>
#include <tenon/detail/array_fft.h>
#include <tenon/detail/transform.h>
#include <tenon/tenon.h>

#include "lazy/testing_lazy.h"

// What the functions below use.
static tn_scope_t* s;
static tn_array_t *line, *image;
static tn_device_t* device;
static tn_module_t* module;
static tn_program_t* program;

static const char text[] =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }";

static int setup(void** state) {
  static const float numbers[16];
  (void)state;
  s = tn__testing_scope();
  line = tn__testing_f32(s, TN_LIST(16), numbers);
  image = tn__testing_f32(s, TN_LIST(1, 4, 4, 1), numbers);
  device = tn_scope_device(s);
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, NULL, &program));
  return 0;
}

static int teardown(void** state) {
  (void)state;
  tn_program_release(program);
  tn_module_release(module);
  tn_scope_destroy(s);
  return 0;
}

static tn_status_t identity(void* user, tn_scope_t* scope, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)scope, (void)input_count, (void)output_count;
  out[0] = inputs[0];
  return TN_OK;
}

static tn_status_t write_nowhere(void* user, const char* bytes, size_t length) {
  (void)user, (void)bytes, (void)length;
  return TN_OK;
}

// --- a use of each struct

static tn_status_t create_context(const void* options) {
  tn_context_t* context = NULL;
  tn_status_t status = tn_context_create(options, &context);
  tn_context_release(context);
  return status;
}

static tn_status_t create_device(const void* options) {
  tn_device_t* created = NULL;
  tn_status_t status = tn_device_create("cpu", options, &created);
  tn_device_release(created);
  return status;
}

static tn_status_t compile(const void* options) {
  tn_program_t* compiled = NULL;
  tn_status_t status = tn_program_compile(device, module, options, &compiled);
  tn_program_release(compiled);
  return status;
}

static tn_status_t run(const void* options) {
  tn_buffer_t *x = NULL, *y = NULL;
  TN_RETURN_IF_ERROR(tn_buffer_create(device, TN_DTYPE_F32, 1, (int64_t[]){2}, NULL, &x));
  tn_status_t status = tn_program_run(program, 1, &x, options, 1, &y);
  tn_buffer_release(x);
  tn_buffer_release(y);
  return status;
}

static tn_status_t serialize(const void* options) {
  return tn_module_serialize(module, options, write_nowhere, NULL);
}

static tn_status_t compile_closure(const void* options) {
  const tn_closure_t function = {identity, NULL};
  tn_compiled_t* compiled = NULL;
  tn_status_t status = tn_closure_compile(s, &function, options, &compiled);
  tn_compiled_release(compiled);
  return status;
}

static tn_status_t call_custom_function(const void* function) {
  tn_array_t* output = NULL;
  return tn_custom_function_call(s, function, 1, &line, 1, &output);
}

static tn_status_t apply(const void* application) {
  tn_array_t* result = NULL;
  tn_op_apply(s, application, &result);
  tn_status_t status = tn_array_status(result);
  if (tn_status_code(status) != TN_CODE_NOT_FOUND) return status;
  tn_status_release(status);  // the struct was read
  return TN_OK;
}

static tn_status_t convolve(const void* options) {
  return tn_array_status(tn_array_conv_general(s, image, image, options));
}

static tn_status_t stft(const void* options) {
  return tn_array_status(tn_array_stft(s, line, options));
}

static tn_status_t istft(const void* options) {
  tn_array_t* frames = tn_array_reshape(s, line, TN_LIST(2, 8));
  frames = tn_array_astype(s, frames, TN_DTYPE_C64);
  return tn_array_status(tn_array_istft(s, frames, options));
}

static tn_status_t attend(const void* options) {
  return tn_array_status(tn_array_scaled_dot_product_attention(s, image, image, image, options));
}

// Ends a function with this value.
static tn_status_t finish(tn_builder_t* b, tn_value_t* result) {
  tn_module_t* built = NULL;
  tn_status_t status = tn_builder_build(b, 1, &result, &built);
  tn_module_release(built);
  tn_builder_destroy(b);
  return status;
}

static tn_status_t build_operation(const void* operation) {
  tn_builder_t* b = NULL;
  tn_value_t* result = NULL;
  TN_RETURN_IF_ERROR(tn_builder_create(NULL, "test", &b));
  tn_builder_operation(b, operation, 1, &result);
  return finish(b, result);
}

static tn_status_t build_custom_call(const void* options) {
  tn_builder_t* b = NULL;
  TN_RETURN_IF_ERROR(tn_builder_create(NULL, "test", &b));
  const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 0, NULL);
  return finish(b, tn_builder_custom_call(b, "anything", 0, NULL, type, options));
}

// --- all structs

typedef struct option_struct {
  const char* name;
  size_t byte_size;
  size_t oldest_byte_size;  // up to the last member that is set
  const void* valid;
  tn_status_t (*use)(const void* options);
} option_struct_t;

#define END_OF(type, member) (offsetof(type, member) + sizeof(((const type*)0)->member))
#define STRUCT(type, last, use, ...)                                  \
  {                                                                   \
#type, sizeof(type), END_OF(type, last),                          \
        &(const type){.struct_size = sizeof(type), __VA_ARGS__ }, use \
  }

static const option_struct_t structs[] = {
    STRUCT(tn_context_options_t, environment, create_context, .environment = NULL),
    STRUCT(tn_device_options_t, thread_count, create_device, .thread_count = 1),
    STRUCT(tn_compile_options_t, function, compile, .function = "main"),
    STRUCT(tn_run_options_t, stream, run, .stream = NULL),
    STRUCT(tn_serialize_options_t, version, serialize, .version = "1.0.0"),
    STRUCT(tn_compiled_options_t, captured_inputs, compile_closure, .captured_input_count = 0),
    STRUCT(tn_custom_function_t, function, call_custom_function, .function = {identity, NULL}),
    STRUCT(tn_application_t, result_count, apply, .name = "anything", .result_count = 1),
    STRUCT(tn_convolution_t, padding_high, convolve, .stride = NULL),
    STRUCT(tn_stft_t, hop_length, stft, .n_fft = 4, .hop_length = 2),
    STRUCT(tn_stft_t, hop_length, istft, .n_fft = 2, .hop_length = 2),
    STRUCT(tn_attention_t, scale, attend, .scale = 1),
    STRUCT(tn_operation_t, name, build_operation, .name = "replica_id"),
    STRUCT(tn_custom_call_options_t, opaque_length, build_custom_call, .opaque_length = 0),
};

// The struct as a caller with another header passes it: struct_size bytes, the known ones first,
// then `later`. Where `struct_size` says less, garbage follows.
static tn_status_t use_with_size(const option_struct_t* it, size_t struct_size, char later) {
  _Alignas(16) char memory[1024];
  memset(memory, struct_size < it->byte_size ? -1 : later, sizeof memory);
  memcpy(memory, it->valid, struct_size < it->byte_size ? it->oldest_byte_size : it->byte_size);
  memcpy(memory, &struct_size, sizeof struct_size);
  return it->use(memory);
}

#define FOR_EACH_STRUCT(it) \
  for (const option_struct_t* it = structs; it < structs + sizeof structs / sizeof *structs; ++it)

static void structs_of_this_header_are_accepted(void** state) {
  (void)state;
  FOR_EACH_STRUCT(it) TN_ASSERT_OK(use_with_size(it, it->byte_size, 1));
}

static void what_an_older_header_lacks_is_zero(void** state) {
  (void)state;
  FOR_EACH_STRUCT(it) TN_ASSERT_OK(use_with_size(it, it->oldest_byte_size, 0));
}

static void members_of_a_newer_header_may_be_zero(void** state) {
  (void)state;
  FOR_EACH_STRUCT(it) TN_ASSERT_OK(use_with_size(it, it->byte_size + 24, 0));
}

static void members_of_a_newer_header_that_are_set_are_an_error(void** state) {
  char wanted[256];
  (void)state;
  FOR_EACH_STRUCT(it) {
    snprintf(wanted, sizeof wanted, "%s: struct_size is %zu; this version of Tenon knows %zu bytes",
             it->name, it->byte_size + 24, it->byte_size);
    TN_ASSERT_REPORT(wanted, use_with_size(it, it->byte_size + 24, 1));
  }
}

static void a_struct_size_of_no_header_is_an_error(void** state) {
  static const size_t sizes[] = {0, sizeof(size_t), SIZE_MAX};
  char wanted[256];
  (void)state;
  FOR_EACH_STRUCT(it) {
    for (int i = 0; i < 3; ++i) {
      snprintf(wanted, sizeof wanted, "%s: struct_size is %zu; expected sizeof(%s), %zu", it->name,
               sizes[i], it->name, it->byte_size);
      TN_ASSERT_REPORT(wanted, use_with_size(it, sizes[i], 0));
    }
  }
}

// --- the other direction

static void statistics_are_filled_as_far_as_the_struct_goes(void** state) {
  _Alignas(16) char memory[1024];
  tn_program_statistics_t* statistics = (tn_program_statistics_t*)memory;
  (void)state;
  memset(memory, 1, sizeof memory);
  statistics->struct_size = END_OF(tn_program_statistics_t, plan_byte_size);
  tn_program_statistics(program, statistics);
  assert_int_equal(statistics->plan_byte_size, 0);
  assert_int_equal(memory[statistics->struct_size], 1);
  statistics->struct_size = sizeof *statistics + 8;
  tn_program_statistics(program, statistics);
  assert_true(statistics->compile_ns > 0);
  assert_int_equal(statistics->struct_size, sizeof *statistics + 8);
  assert_int_equal(memory[sizeof *statistics], 0);
  assert_int_equal(memory[sizeof *statistics + 8], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structs_of_this_header_are_accepted),
      cmocka_unit_test(what_an_older_header_lacks_is_zero),
      cmocka_unit_test(members_of_a_newer_header_may_be_zero),
      cmocka_unit_test(members_of_a_newer_header_that_are_set_are_an_error),
      cmocka_unit_test(a_struct_size_of_no_header_is_an_error),
      cmocka_unit_test(statistics_are_filled_as_far_as_the_struct_goes),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
