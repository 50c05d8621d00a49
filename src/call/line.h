// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A line of text of limited length, for messages: what does not fit is cut off.
#ifndef TENON_CALL_LINE_H_
#define TENON_CALL_LINE_H_

#include <stddef.h>
#include <tenon/detail/export.h>
#include "base/visibility.h"

typedef struct tn_line {
  char text[2048];
  size_t length;
} tn_line_t;

TN_FOR_INSPECT void tn__line_print(tn_line_t* line, const char* format, ...) TN_PRINTF(2, 3);

#endif  // TENON_CALL_LINE_H_
