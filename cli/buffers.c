// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Buffers: one from elements in a text, and the end of a list of them.
#include <stdlib.h>

#include "cli.h"

tn_status_t cli_make_buffer(tn_device_t* device, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                            cli_elements_fn write, void* user, tn_buffer_t** out_buffer) {
  void *place = NULL, *memory = NULL;
  tn_buffer_t* buffer = NULL;
  *out_buffer = NULL;
  tn_status_t status = tn_buffer_create(device, dtype, rank, dims, &place, &buffer);
  if (status) return status;
  size_t byte_size = tn_buffer_byte_size(buffer);
  if (!place) memory = malloc(byte_size + 1);  // the host does not see the device's memory
  if (!place && !memory) {
    status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "no memory for %zu bytes", byte_size);
    goto done;
  }
  status = write(user, (size_t)tn_buffer_size(buffer), place ? place : memory);
  if (status) goto done;
  if (!place) {
    tn_buffer_release(buffer);
    buffer = NULL;
    status = tn_buffer_create_from_host(device, dtype, rank, dims, memory, byte_size, &buffer);
    if (status) goto done;
  }
  *out_buffer = buffer;
  buffer = NULL;
done:
  free(memory);
  tn_buffer_release(buffer);
  return status;
}

void cli_release_buffers(tn_buffer_t** buffers, size_t count) {
  if (!buffers) return;
  for (size_t i = 0; i < count; ++i) tn_buffer_release(buffers[i]);
  free(buffers);
}
