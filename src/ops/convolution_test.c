// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

#define NUMBERS(ib, if_, is, ki, ko, ks, ob, of, os)                                    \
  "dimension_numbers = {input_batch_dimension = " ib ", input_feature_dimension = " if_ \
  ", input_spatial_dimensions = " is ", kernel_input_feature_dimension = " ki           \
  ", kernel_output_feature_dimension = " ko ", kernel_spatial_dimensions = " ks         \
  ", output_batch_dimension = " ob ", output_feature_dimension = " of                   \
  ", output_spatial_dimensions = " os "}"
// [b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f]
#define BHWC NUMBERS("0", "3", "[1, 2]", "2", "3", "[0, 1]", "0", "3", "[1, 2]")
#define GROUPS(feature, batch) ", feature_group_count = " feature ", batch_group_count = " batch " "
#define CONV "convolution(4x8x9x6xf32, 3x2x6x10xf32) " BHWC GROUPS("1", "1")
#define DYNAMIC "dynamic_conv(4x8x9x6xf32, 3x2x6x10xf32, 2x2xi64) " BHWC GROUPS("1", "1")

static void convolutions_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      CONV "-> 4x6x8x10xf32",
      CONV
      ", window_strides = [2, 1], padding = [[1, 1], [0, -1]], lhs_dilation = [1, 2],"
      " rhs_dilation = [2, 1], window_reversal = [false, true],"
      " precision_config = [DEFAULT, HIGH] -> 4x3x15x10xf32",
      "convolution(4x8x9x6xbf16, 3x2x6x10xbf16) " BHWC GROUPS("1", "1") "-> 4x6x8x10xf32",
      "convolution(4x8x9x6xf32, 3x2x2x12xf32) " BHWC GROUPS("3", "1") "-> 4x6x8x12xf32",
      "convolution(4x8x9x6xf32, 3x2x6x10xf32) " BHWC GROUPS("1", "2") "-> 2x6x8x10xf32",
      "convolution(4x8x9x0xf32, 3x2x0x10xf32) " BHWC GROUPS("1", "1") "-> 4x6x8x10xf32",
      "convolution(4x6xf32, 6x10xf32) " NUMBERS("0", "1", "[]", "0", "1", "[]", "0", "1", "[]")
          GROUPS("1", "1") "-> 4x10xf32",
      DYNAMIC "-> 4x?x?x10xf32",
      DYNAMIC "-> 4x6x8x10xf32",
  };
  TN_TEST_ACCEPTS(uses);
}

// C1 to C23 but C4, which is of the padding.
static const tn_rule_case_t shared_cases[] = {
    {"convolution(4x8x9x6xf32, 3x6x10xf32) " BHWC GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C1): operands have ranks 4 and 3"},
    {"convolution(4xf32, 4xf32) " BHWC GROUPS("1", "1") "-> 4xf32", "convolution (C1)"},
    {CONV ", window_strides = [1] -> 4x6x8x10xf32", "convolution (C2)"},
    {CONV ", window_strides = [1, 0] -> 4x6x8x10xf32", "convolution (C3)"},
    {CONV ", lhs_dilation = [1] -> 4x6x8x10xf32", "convolution (C5)"},
    {CONV ", lhs_dilation = [0, 1] -> 4x6x8x10xf32", "convolution (C6)"},
    {CONV ", rhs_dilation = [1, 1, 1] -> 4x6x8x10xf32", "convolution (C7)"},
    {CONV ", rhs_dilation = [1, -1] -> 4x6x8x10xf32", "convolution (C8)"},
    {CONV ", window_reversal = [true] -> 4x6x8x10xf32",
     "convolution (C9): window_reversal has 1 entries; expected 2"},
    {"convolution(4x8x9x6xf32, 3x2x6x9xf32) " BHWC GROUPS("1", "3") "-> 4x6x8x9xf32",
     "convolution (C10): lhs has a batch of 4; expected a multiple of batch_group_count, 3"},
    {"convolution(4x8x9x6xf32, 3x2x1x8xf32) " BHWC GROUPS("4", "1") "-> 4x6x8x8xf32",
     "convolution (C11)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS("0", "3", "[1]", "2", "3", "[0, 1]", "0",
                                                       "3", "[1, 2]")
         GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C12)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS("0", "0", "[1, 2]", "2", "3", "[0, 1]", "0",
                                                       "3", "[1, 2]")
         GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C13): input_feature_dimension: dimension 0 is there twice"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS("0", "3", "[1, 4]", "2", "3", "[0, 1]", "0",
                                                       "3", "[1, 2]")
         GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C13)"},
    {"convolution(4x8x9x6xf32, 3x2x5x10xf32) " BHWC GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C14): rhs has 5 input features; expected 6"},
    {"convolution(4x8x9x6xf32, 3x2x6x9xf32) " BHWC GROUPS("1", "2") "-> 2x6x8x9xf32",
     "convolution (C15)"},
    {"convolution(4x8x9x6xf32, 3x2x3x9xf32) " BHWC GROUPS("2", "1") "-> 4x6x8x9xf32",
     "convolution (C16)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS("0", "3", "[1, 2]", "2", "3", "[0]", "0",
                                                       "3", "[1, 2]")
         GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C17)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS("0", "3", "[1, 2]", "2", "3", "[0, 0]", "0",
                                                       "3", "[1, 2]")
         GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C18)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS("0", "3", "[1, 2]", "-1", "3", "[0, 1]", "0",
                                                       "3", "[1, 2]")
         GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C18)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS(
         "0", "3", "[1, 2]", "2", "3", "[0, 1]", "0", "3", "[]") GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C19)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " NUMBERS("0", "3", "[1, 2]", "2", "3", "[0, 1]", "0",
                                                       "4", "[1, 2]")
         GROUPS("1", "1") "-> 4x6x8x10xf32",
     "convolution (C20)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " BHWC GROUPS("0", "1") "-> 4x6x8x10xf32",
     "convolution (C21)"},
    {"convolution(4x8x9x6xf32, 3x2x6x10xf32) " BHWC GROUPS("1", "-1") "-> 4x6x8x10xf32",
     "convolution (C22)"},
    {"convolution(4x8x9x6xf32, 3x2x3x10xf32) " BHWC GROUPS("2", "2") "-> 4x6x8x10xf32",
     "convolution (C23)"},
};

static void convolutions_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {CONV ", padding = [[0, 0]] -> 4x6x8x10xf32", "convolution (C4)"},
      {CONV ", precision_config = [HIGH, HIGH, HIGH] -> 4x6x8x10xf32", "convolution (C24)"},
      {CONV "-> 4x6x9x10xf32", "convolution (C25)"},
      {CONV "-> 4x6x8xf32", "convolution (C26)"},
      {CONV ", padding = [[9223372036854775807, 1], [0, 0]] -> 4x6x8x10xf32", "convolution (C25)"},
      {"convolution(4x8x9x6xf32, 3x2x6x10xi32) " BHWC GROUPS("1", "1") "-> 4x6x8x10xf32",
       "convolution (C27)"},
      {CONV "-> 4x6x8x10xi32", "convolution (C27)"},
      {"dynamic_conv(4x8x9x6xf32, 3x2x6x10xf32, 3x2xi64) " BHWC GROUPS("1", "1") "-> 4x?x?x10xf32",
       "dynamic_conv (C4): padding has shape 3x2; expected 2x2"},
      {"dynamic_conv(4x8x9x6xf32, 3x2x6x10xf32, 2x2xf32) " BHWC GROUPS("1", "1") "-> 4x?x?x10xf32",
       "dynamic_conv (I3)"},
      {DYNAMIC "-> 4x?x?x11xf32",
       "dynamic_conv (C25): result has shape 4x?x?x11; expected "
       "4x?x?x10"},
      {DYNAMIC "-> 4x?x10xf32", "dynamic_conv (C26)"},
      {DYNAMIC "-> 4x?x?x10xi32", "dynamic_conv (C27)"},
      {DYNAMIC ", precision_config = [HIGH, HIGH, HIGH] -> 4x?x?x10xf32", "dynamic_conv (C24)"},
  };
  TN_TEST_REFUSES(shared_cases);
  TN_TEST_REFUSES(cases);
}

// The same uses with the padding as an operand.
static void dynamic_convolutions_refuse_what_convolutions_do(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof shared_cases / sizeof *shared_cases; ++i) {
    char use[1024], report[256];
    const char* operands = strchr(shared_cases[i].use, '(');
    const char* end = strchr(operands, ')');
    snprintf(use, sizeof use, "dynamic_conv%.*s, 2x2xi64%s", (int)(end - operands), operands, end);
    snprintf(report, sizeof report, "dynamic_conv%s", strchr(shared_cases[i].report, ' '));
    const tn_rule_case_t dynamic = {use, report};
    tn__test_refuses(1, &dynamic);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convolutions_accept_what_they_are_for),
      cmocka_unit_test(convolutions_refuse_what_breaks_a_constraint),
      cmocka_unit_test(dynamic_convolutions_refuse_what_convolutions_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
