// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Public functions name the argument that is NULL.
#include "program/testing_run.h"

static void null_arguments_are_named(void** state) {
  (void)state;
  tn_device_t* device = tn__testing_device();
  tn_program_t* program = tn__testing_program(
      "func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }", false);
  tn_program_t* compiled = NULL;
  tn_module_t* module = NULL;
  tn_buffer_t *argument = tn__testing_floats(1, (float[]){1}), *result = NULL;
  tn_stream_t* stream = NULL;
  tn_event_t* event = NULL;
  const void* data = NULL;
  TN_ASSERT_REPORT("tn_program_run: program is NULL",
                   tn_program_run(NULL, 1, &argument, NULL, 1, &result));
  TN_ASSERT_REPORT("tn_program_run: inputs is NULL",
                   tn_program_run(program, 1, NULL, NULL, 1, &result));
  TN_ASSERT_REPORT("tn_program_run: out_outputs is NULL",
                   tn_program_run(program, 1, &argument, NULL, 1, NULL));
  TN_ASSERT_REPORT("tn_program_compile: device is NULL",
                   tn_program_compile(NULL, NULL, NULL, &compiled));
  TN_ASSERT_REPORT("tn_program_compile: module is NULL",
                   tn_program_compile(device, NULL, NULL, &compiled));
  TN_ASSERT_REPORT("tn_module_parse: text is NULL", tn_module_parse(NULL, "x", NULL, 1, &module));
  TN_ASSERT_REPORT("tn_module_parse_file: path is NULL", tn_module_parse_file(NULL, NULL, &module));
  TN_ASSERT_REPORT("tn_buffer_create: device is NULL",
                   tn_buffer_create(NULL, TN_DTYPE_F32, 0, NULL, NULL, &result));
  TN_ASSERT_REPORT(
      "tn_buffer_create_from_host: device is NULL",
      tn_buffer_create_from_host(NULL, TN_DTYPE_F32, 0, NULL, &(float){1}, sizeof(float), &result));
  TN_ASSERT_REPORT("tn_buffer_create_tuple: elements is NULL",
                   tn_buffer_create_tuple(device, 1, NULL, &result));
  TN_ASSERT_REPORT("tn_buffer_to_host: buffer is NULL", tn_buffer_to_host(NULL, NULL, 0));
  TN_ASSERT_REPORT("tn_buffer_to_host: data is NULL",
                   tn_buffer_to_host(argument, NULL, sizeof(float)));
  TN_ASSERT_REPORT("tn_buffer_map: buffer is NULL", tn_buffer_map(NULL, &data));
  TN_ASSERT_REPORT("tn_stream_create: device is NULL", tn_stream_create(NULL, &stream));
  TN_ASSERT_REPORT("tn_stream_synchronize: stream is NULL", tn_stream_synchronize(NULL));
  TN_ASSERT_REPORT("tn_event_create: device is NULL", tn_event_create(NULL, &event));
  TN_ASSERT_REPORT("tn_event_wait: event is NULL", tn_event_wait(NULL, 0));
  TN_ASSERT_REPORT("tn_cancellation_create: out_cancellation is NULL",
                   tn_cancellation_create(NULL, NULL));
  tn_cancellation_cancel(NULL);
  assert_false(tn_cancellation_is_cancelled(NULL));
  assert_null(tn_cancellation_retain(NULL));
  tn_cancellation_release(NULL);
  tn_buffer_release(argument);
  tn_program_release(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(null_arguments_are_named)};
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
