// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/queue_memory.h"

static bool fits(const tn_queue_block_t* block, size_t byte_size, size_t alignment) {
  return block->is_free && block->byte_size >= byte_size && block->byte_size / 2 <= byte_size &&
         (uintptr_t)tn__memory_address(block->memory) % (alignment ? alignment : 1) == 0;
}

tn_status_t tn__queue_memory_allocate(tn_queue_memory_t* memory, size_t byte_size, size_t alignment,
                                      void** out_address) {
  tn_device_t* device = memory->device;
  tn_queue_block_t* block = memory->blocks;
  void* list = memory->blocks;
  *out_address = NULL;
  for (size_t i = 0; i < memory->count; ++i, ++block) {
    if (!fits(block, byte_size, alignment)) continue;
    block->is_free = false;
    *out_address = tn__memory_address(block->memory);
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__grow(device->allocator, &list, &memory->capacity, memory->count + 1,
                              sizeof *memory->blocks));
  memory->blocks = list;
  block = &memory->blocks[memory->count];
  *block = (tn_queue_block_t){.byte_size = byte_size};
  TN_RETURN_IF_ERROR(device->vtable->allocate(device, byte_size, alignment, &block->memory));
  ++memory->count;
  *out_address = tn__memory_address(block->memory);
  return TN_OK;
}

bool tn__queue_memory_has(const tn_queue_memory_t* memory, const void* address) {
  for (size_t i = 0; i < memory->count; ++i) {
    if (tn__memory_address(memory->blocks[i].memory) == address) return true;
  }
  return false;
}

void tn__queue_memory_give_up(tn_queue_memory_t* memory, const void* address) {
  for (size_t i = 0; i < memory->count; ++i) {
    if (tn__memory_address(memory->blocks[i].memory) == address) memory->blocks[i].is_free = true;
  }
}

void tn__queue_memory_clear(tn_queue_memory_t* memory) {
  tn_device_t* device = memory->device;
  while (memory->count) device->vtable->free(device, memory->blocks[--memory->count].memory);
}

void tn__queue_memory_deinit(tn_queue_memory_t* memory) {
  tn__queue_memory_clear(memory);
  tn__free(memory->device->allocator, memory->blocks, memory->capacity * sizeof *memory->blocks);
}
