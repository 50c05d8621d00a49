// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as a module. What can be read must print, and what is printed must read again and print
// the same.
#include <stdio.h>
#include <stdlib.h>

#include "text/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct buffer {
  char* text;
  size_t length, capacity;
} buffer_t;

static tn_status_t append(void* user, const char* text, size_t length) {
  buffer_t* buffer = user;
  void* grown = buffer->text;
  TN_RETURN_IF_ERROR(
      tn__grow(tn_allocator_system(), &grown, &buffer->capacity, buffer->length + length + 1, 1));
  buffer->text = grown;
  memcpy(buffer->text + buffer->length, text, length);
  buffer->length += length;
  return TN_OK;
}

static void print(const tn_module_t* module, buffer_t* buffer) {
  tn_status_t status = tn_module_print(module, append, buffer);
  if (status) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_module_t* module = NULL;
  tn_module_t* again = NULL;
  buffer_t first = {0}, second = {0};
  tn_status_t status = tn_module_parse(NULL, "fuzz.mlir", (const char*)data, size, &module);
  if (status) {
    char report[512];
    tn_status_format(status, report, sizeof report);
    tn_status_release(status);
    return 0;
  }
  print(module, &first);
  status = tn_module_parse(NULL, "printed.mlir", first.text, first.length, &again);
  if (status) {
    char report[4096];
    tn_status_format(status, report, sizeof report);
    fprintf(stderr, "%.*s\n%s", (int)first.length, first.text, report);
    abort();
  }
  print(again, &second);
  if (first.length != second.length || memcmp(first.text, second.text, first.length) != 0) {
    fprintf(stderr, "%.*s\n%.*s\n", (int)first.length, first.text, (int)second.length, second.text);
    abort();
  }
  tn_module_release(module);
  tn_module_release(again);
  tn__free(tn_allocator_system(), first.text, first.capacity);
  tn__free(tn_allocator_system(), second.text, second.capacity);
  return 0;
}
