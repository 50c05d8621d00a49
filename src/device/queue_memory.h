// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory that a queue's work needs for a while: scratch of custom calls, temporaries of evals. What
// is given up is used again by work that is encoded behind, and goes back to the device when the
// queue has finished. One thread at a time.
#ifndef TENON_DEVICE_QUEUE_MEMORY_H_
#define TENON_DEVICE_QUEUE_MEMORY_H_

#include "device/device.h"

typedef struct tn_queue_block {
  tn_memory_t memory;
  size_t byte_size;
  bool is_free;
} tn_queue_block_t;

typedef struct tn_queue_memory {
  tn_device_t* device;
  tn_queue_block_t* blocks;
  size_t count, capacity;
} tn_queue_memory_t;

TN_MUST_USE tn_status_t tn__queue_memory_allocate(tn_queue_memory_t* memory, size_t byte_size,
                                                  size_t alignment, void** out_address);
// Whether the address is one that it has given, and has not cleared since.
bool tn__queue_memory_has(const tn_queue_memory_t* memory, const void* address);
void tn__queue_memory_give_up(tn_queue_memory_t* memory, const void* address);
// The queue has finished.
void tn__queue_memory_clear(tn_queue_memory_t* memory);
void tn__queue_memory_deinit(tn_queue_memory_t* memory);

#endif  // TENON_DEVICE_QUEUE_MEMORY_H_
