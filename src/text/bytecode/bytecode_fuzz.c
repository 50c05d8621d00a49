// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as bytecode. What can be read must print, and what is printed must read again; what can
// be written must read as the same.
#include <stdio.h>
#include <stdlib.h>

#include "base/testing_fuzz.h"
#include "text/bytecode/reader.h"

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

static void release(buffer_t* buffer) {
  tn__free(tn_allocator_system(), buffer->text, buffer->capacity);
}

// An error that may be: formatted, which reads all of it.
static bool is_error(tn_status_t status) {
  char report[4096];
  if (!status) return false;
  tn_status_format(status, report, sizeof report);
  tn_status_release(status);
  return true;
}

static void must(tn_status_t status, const buffer_t* printed) {
  char report[4096];
  if (!status) return;
  tn_status_format(status, report, sizeof report);
  fprintf(stderr, "%.*s\n%s", (int)printed->length, printed->text, report);
  abort();
}

static void check_artifact(const tn_module_t* module, const buffer_t* printed) {
  buffer_t artifact = {0}, text = {0};
  tn_module_t* again = NULL;
  if (!is_error(tn_module_serialize(module, NULL, append, &artifact))) {
    must(
        tn__bytecode_read(tn_allocator_system(), "written", artifact.text, artifact.length, &again),
        printed);
    must(tn_module_print(again, append, &text), printed);
    if (text.length != printed->length || memcmp(text.text, printed->text, text.length) != 0) {
      fprintf(stderr, "%.*s\nis not\n%.*s\n", (int)text.length, text.text, (int)printed->length,
              printed->text);
      abort();
    }
  }
  tn_module_release(again);
  release(&artifact);
  release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_module_t* module = NULL;
  tn_module_t* again = NULL;
  buffer_t printed = {0};
  if (is_error(tn__bytecode_read(tn_allocator_system(), "fuzz", data, size, &module))) return 0;
  must(tn_module_print(module, append, &printed), &printed);
  must(tn_module_parse(NULL, "printed.mlir", printed.text, printed.length, &again), &printed);
  check_artifact(module, &printed);
  tn_module_release(module);
  tn_module_release(again);
  release(&printed);
  return 0;
}
