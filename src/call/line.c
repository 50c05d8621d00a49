// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/line.h"

#include <stdarg.h>

#include "base/c_locale.h"

void tn__line_print(tn_line_t* line, const char* format, ...) {
  va_list arguments;
  size_t room = sizeof line->text - line->length;
  va_start(arguments, format);
  int written = tn__c_vsnprintf(line->text + line->length, room, format, arguments);
  va_end(arguments);
  if (written > 0) line->length += (size_t)written < room ? (size_t)written : room - 1;
}
