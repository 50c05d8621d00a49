// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/scratch.h"

#include <stdlib.h>

#include "device/device.h"
#include "kernel/encoder.h"

struct tn_call_scratch {
  tn_call_scratch_t* next;
  void* data;
  tn_encoder_t* encoder;  // whose memory it is; NULL: the device's
  tn_device_t* device;    // NULL as well: malloc's
  tn_memory_t memory;
};

enum { LARGEST_ALIGNMENT = 4096 };

// While a program is compiled no run says whose memory to take.
static tn_status_t take(tn_call_scratch_t* block, size_t byte_size, size_t alignment) {
  tn_device_t* device = block->device;
  if (block->encoder) {
    return block->encoder->allocate(block->encoder, byte_size, alignment, &block->data);
  }
  if (device) {
    TN_RETURN_IF_ERROR(device->vtable->allocate(device, byte_size, alignment, &block->memory));
    block->data = device->vtable->host_pointer(device, block->memory);
    return TN_OK;
  }
  if (!posix_memalign(&block->data, alignment, byte_size ? byte_size : 1)) return TN_OK;
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "no %zu bytes are left", byte_size);
}

static void give(tn_call_scratch_t* block) {
  if (block->encoder) {
    block->encoder->give_up(block->encoder, block->data);
  } else if (block->device) {
    block->device->vtable->free(block->device, block->memory);
  } else {
    free(block->data);
  }
  free(block);
}

tn_status_t tn__scratch_allocate(tn_ffi_context_t* context, size_t byte_size, size_t alignment,
                                 void** out_data) {
  *out_data = NULL;
  if (alignment & (alignment - 1) || alignment > LARGEST_ALIGNMENT) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "scratch memory: the alignment is %zu; expected a power of two up to "
                            "%d",
                            alignment, LARGEST_ALIGNMENT);
  }
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  tn_call_scratch_t* block = malloc(sizeof *block);
  if (!block) return tn__status_out_of_memory();
  const tn_call_environment_t* environment = tn__context_environment(context);
  *block = (tn_call_scratch_t){.next = context->scratch,
                               .encoder = context->kernel ? context->kernel->encoder : NULL,
                               .device = environment ? environment->device : NULL};
  tn_status_t status = take(block, byte_size, alignment);
  if (status) {
    free(block);
    return tn_status_prefix(status, "scratch memory");
  }
  context->scratch = block;
  *out_data = block->data;
  return TN_OK;
}

tn_status_t tn__scratch_free(tn_ffi_context_t* context, const void* data) {
  if (!data) return TN_OK;
  for (tn_call_scratch_t** link = &context->scratch; *link; link = &(*link)->next) {
    tn_call_scratch_t* block = *link;
    if (block->data != data) continue;
    *link = block->next;
    give(block);
    return TN_OK;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "scratch memory: %p was not allocated by this call, or is freed already",
                          data);
}

void tn__scratch_free_all(tn_ffi_context_t* context) {
  while (context->scratch) {
    tn_call_scratch_t* block = context->scratch;
    context->scratch = block->next;
    give(block);
  }
}
