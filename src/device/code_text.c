// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/code_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/gpu/prelude.h"

tn_status_t tn__code_text(const tn_device_code_t* code, const char* words, char** out_text) {
  static const char include[] = "#include <tenon/gpu.h>";
  const char* before[] = {tn__gpu_words, words, tn__gpu_prelude};
  size_t size = 256 + strlen(code->text);
  if (code->library) before[1] = before[2] = "";
  for (size_t i = 0; i < 3; ++i) size += strlen(before[i]);
  *out_text = malloc(size);
  if (!*out_text) return tn__status_out_of_memory();
  const int length = snprintf(*out_text, size, "%s%s%s\n#line 1 \"%.100s\"\n", before[0], before[1],
                              before[2], code->library ? code->library : code->operation);
  snprintf(*out_text + length, size - (size_t)length, "%s", code->text);
  // What a library includes stands before it.
  char* at = *out_text + length;
  while (code->library && (at = strstr(at, include))) memset(at, ' ', strlen(include));
  return TN_OK;
}

tn_status_t tn__code_error(const tn_device_code_t* code, const char* device_name, const char* log) {
  enum { LONGEST = 1500 };
  const char* start = log ? strstr(log, "error") : NULL;
  while (start && start > log && start[-1] != '\n') --start;  // where it is
  if (!start) start = log ? log : "";
  return tn_status_create(TN_CODE_INTERNAL, "device %s: %s%s does not compile: %.*s", device_name,
                          code->library ? "kernel library " : "the kernel of ",
                          code->library ? code->library : code->operation, LONGEST, start);
}
