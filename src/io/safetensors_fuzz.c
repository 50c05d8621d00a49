// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as the header of a safetensors file without elements.
#include <stdlib.h>

#include "base/testing_fuzz.h"
#include "io/archive.h"

typedef struct input {
  const uint8_t* data;
  size_t size;
} input_t;

static tn_status_t read_input(void* user, uint64_t offset, void* to, size_t length) {
  const input_t* input = user;
  unsigned char* out = to;
  for (size_t i = 0; i < length; ++i, ++offset) {
    out[i] =
        (unsigned char)(offset < 8 ? (uint64_t)input->size >> 8 * offset : input->data[offset - 8]);
  }
  return TN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  input_t input = {data, size};
  const tn_byte_source_t source = {read_input, &input, size + 8};
  tn_archive_t* archive = NULL;
  tn_status_t status = tn_archive_open_source("fuzz", "safetensors", &source, &archive);
  for (size_t i = 0; !status && i < tn_archive_count(archive); ++i) {
    size_t found = 0;
    status = tn_archive_find(archive, tn_archive_name(archive, i), &found);
    if (status || found != i) __builtin_trap();
  }
  tn_archive_close(archive);
  tn_status_release(status);
  return 0;
}
