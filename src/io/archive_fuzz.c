// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as a .npz archive; what it has is read.
#include "base/testing_fuzz.h"
#include "io/archive.h"

typedef struct input {
  const uint8_t* data;
  size_t size;
} input_t;

static tn_status_t read_input(void* user, uint64_t offset, void* to, size_t length) {
  const input_t* input = user;
  if (offset > input->size || length > input->size - offset) __builtin_trap();
  memcpy(to, input->data + offset, length);
  return TN_OK;
}

static void read_all(tn_archive_t* archive, tn_device_t* device) {
  for (size_t i = 0; i < tn_archive_count(archive); ++i) {
    tn_buffer_t* buffer = NULL;
    tn_status_t status = tn_archive_read(archive, i, device, NULL, &buffer);
    if (!status != !!buffer) __builtin_trap();
    tn_status_release(status);
    tn_buffer_release(buffer);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tn_device_t* device;
  const tn_device_options_t options = {.struct_size = sizeof options,
                                       .memory_limit_byte_size = 1 << 24};
  if (!device) tn_status_release(tn_device_create("cpu", &options, &device));
  input_t input = {data, size};
  const tn_byte_source_t source = {read_input, &input, size};
  tn_archive_t* archive = NULL;
  tn_status_release(tn_archive_open_source("fuzz", "npz", &source, &archive));
  if (archive) read_all(archive, device);
  tn_archive_close(archive);
  return 0;
}
