// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A host may set a locale with a decimal comma; numbers are written and read with a point all the
// same.
#include "base/testing.h"
#include "call/testing_host.h"

#include <locale.h>
#include <sys/stat.h>
#include <tenon/custom.h>
#include <tenon/npy.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "program/testing_run.h"

#define SCALE(ARG, ATTR, RET) ATTR(factor, int32_t, TN_REQUIRED)

TN_OP(takes_integer, SCALE, "takes an integer") {
  (void)call;
  return TN_OK;
}

// The LC_NUMERIC file of a locale whose decimal point is a comma, as localedef(1) of glibc makes it
// on little-endian machines: so that the test needs no locale of the system.
static const unsigned char numeric_file[] =
    "\x14\x11\x03\x20\x06\0\0\0\x20\0\0\0\x22\0\0\0\x24\0\0\0\x28\0\0\0\x2c\0\0\0\x30\0\0\0"
    ",\0.\0\x03\x03\0\0,\0\0\0.\0\0\0ANSI_X3.4-1968";

static char folder[] = "/tmp/tenon-locale-XXXXXX";
static char path[128];

static int set_comma(void** state) {
  if (tn__testing_device_setup(state) || !mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/comma", folder);
  if (mkdir(path, 0700)) return -1;
  snprintf(path, sizeof path, "%s/comma/LC_NUMERIC", folder);
  FILE* file = fopen(path, "wb");
  if (!file) return -1;
  bool is_written = fwrite(numeric_file, sizeof numeric_file, 1, file) == 1;
  if (fclose(file) || !is_written || setenv("LOCPATH", folder, 1)) return -1;
  return setlocale(LC_NUMERIC, "comma") ? 0 : -1;
}

static int unset_comma(void** state) {
  setlocale(LC_NUMERIC, "C");
  unlink(path);
  snprintf(path, sizeof path, "%s/comma", folder);
  rmdir(path);
  rmdir(folder);
  return tn__testing_device_teardown(state);
}

typedef struct text {
  char data[1 << 14];
  size_t length;
} text_t;

static tn_status_t append(void* user, const char* data, size_t length) {
  text_t* text = user;
  assert_true(text->length + length < sizeof text->data);
  memcpy(text->data + text->length, data, length);
  text->length += length;
  text->data[text->length] = 0;
  return TN_OK;
}

static void the_host_has_a_comma(void** state) {
  (void)state;
  char text[16];
  snprintf(text, sizeof text, "%.1f", 1.5);
  assert_string_equal(text, "1,5");
}

static void formatted_numbers_have_a_point(void** state) {
  (void)state;
  char text[16];
  tn__c_snprintf(text, sizeof text, "%.1f", 1.5);
  assert_string_equal(text, "1.5");
  assert_true(tn__c_strtod("2.5", NULL) == 2.5 && tn__c_strtof("2.5", NULL) == 2.5F);
  TN_ASSERT_REPORT("it is 1.5", tn_status_create(TN_CODE_INTERNAL, "it is %g", 1.5));
}

static void modules_are_written_and_read_with_points(void** state) {
  (void)state;
  static const char source[] =
      "module {\n"
      "  func.func @main() -> tensor<3xf64> {\n"
      "    %0 = stablehlo.constant dense<[1.500000e+00, 1.2345678901234567e-300, 2.5e-07]> : "
      "tensor<3xf64>\n"
      "    return %0 : tensor<3xf64>\n"
      "  }\n"
      "}\n";
  tn_module_t* module = NULL;
  static text_t text, again;
  TN_ASSERT_OK(tn_module_parse(NULL, "comma.mlir", source, sizeof source - 1, &module));
  TN_ASSERT_OK(tn_module_print(module, append, &text));
  assert_non_null(strstr(text.data, "[1.500000e+00, 1.2345678901234568e-300, 2.500000e-07]"));
  tn_module_release(module);
  TN_ASSERT_OK(tn_module_parse(NULL, "again.mlir", text.data, text.length, &module));
  TN_ASSERT_OK(tn_module_print(module, append, &again));
  assert_string_equal(text.data, again.data);
  tn_module_release(module);
}

static void arrays_and_plans_are_printed_with_points(void** state) {
  (void)state;
  static text_t text;
  tn_buffer_t* buffer = tn__testing_floats(2, (float[]){1.5F, 0.1F});
  TN_ASSERT_OK(tn_buffer_print(buffer, append, &text));
  assert_string_equal(text.data, "[1.5 0.1]");
  text.length = 0;
  tn_program_t* program = tn__testing_program(
      "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
      "  %0 = stablehlo.tanh %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n",
      true);
  TN_ASSERT_OK(tn_program_print(program, TN_STAGE_PLAN, TN_FORMAT_SVG, append, &text));
  assert_null(strstr(text.data, ",00\""));
  tn_program_release(program);
  tn_buffer_release(buffer);
}

static void handlers_report_numbers_with_points(void** state) {
  (void)state;
  static tn_testing_host_t host;
  static tn_testing_frame_t frame;
  const double number = 1.5;
  tn__testing_host_init(&host);
  tn__host_frame_init(&frame, &host);
  tn__host_scalar(&frame.attrs, "factor", TN_FFI_F64, &number);
  TN_ASSERT_REPORT("attribute factor: expected int32_t, found f64 1.5;",
                   tn__host_call(takes_integer, &frame));
  tn__testing_host_deinit(&host);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_host_has_a_comma),
      cmocka_unit_test(formatted_numbers_have_a_point),
      cmocka_unit_test(modules_are_written_and_read_with_points),
      cmocka_unit_test(arrays_and_plans_are_printed_with_points),
      cmocka_unit_test(handlers_report_numbers_with_points),
  };
  return cmocka_run_group_tests(tests, set_comma, unset_comma);
}
