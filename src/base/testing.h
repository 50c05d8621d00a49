// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What unit tests include instead of cmocka: cmocka's headers in the order they want, and status
// assertions.
#ifndef TENON_BASE_TESTING_H_
#define TENON_BASE_TESTING_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"

#ifdef __clang_analyzer__
// NOLINTNEXTLINE(readability-redundant-declaration): cmocka's own does not say it
void _fail(const char* file, int line) __attribute__((analyzer_noreturn));
#endif

// Fails with the whole report when the status is an error.
#define TN_ASSERT_OK(expression)                             \
  do {                                                       \
    tn_status_t assert_status_ = (expression);               \
    if (assert_status_) {                                    \
      char text_[4096];                                      \
      tn_status_format(assert_status_, text_, sizeof text_); \
      tn_status_release(assert_status_);                     \
      fail_msg("%s: %s", #expression, text_);                \
    }                                                        \
  } while (0)

#define TN_ASSERT_CODE(name, expression)                                                   \
  do {                                                                                     \
    tn_status_t assert_status_ = (expression);                                             \
    tn_code_t code_ = tn_status_code(assert_status_);                                      \
    tn_status_release(assert_status_);                                                     \
    if (code_ != TN_CODE_##name) fail_msg("%s: got %s", #expression, tn_code_name(code_)); \
  } while (0)

// The status is an error whose printed report contains `text`.
#define TN_ASSERT_REPORT(text, expression)                                                         \
  do {                                                                                             \
    tn_status_t assert_status_ = (expression);                                                     \
    char report_[8192];                                                                            \
    tn_status_format(assert_status_, report_, sizeof report_);                                     \
    tn_status_release(assert_status_);                                                             \
    if (!strstr(report_, text)) fail_msg("%s: wanted \"%s\" in:\n%s", #expression, text, report_); \
  } while (0)

#endif  // TENON_BASE_TESTING_H_
