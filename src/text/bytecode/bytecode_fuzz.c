// Any bytes as bytecode. What can be read must print, and what is printed must read again.
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

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_module_t* module = NULL;
  tn_module_t* again = NULL;
  buffer_t printed = {0};
  char report[4096];
  tn_status_t status = tn__bytecode_read(tn_allocator_system(), "fuzz", data, size, &module);
  if (status) {
    tn_status_format(status, report, sizeof report);
    tn_status_release(status);
    return 0;
  }
  if (tn_module_print(module, append, &printed)) abort();
  status = tn_module_parse(NULL, "printed.mlir", printed.text, printed.length, &again);
  if (status) {
    tn_status_format(status, report, sizeof report);
    fprintf(stderr, "%.*s\n%s", (int)printed.length, printed.text, report);
    abort();
  }
  tn_module_release(module);
  tn_module_release(again);
  tn__free(tn_allocator_system(), printed.text, printed.capacity);
  return 0;
}
