// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory for the bookkeeping of host memory: small records and growing arrays, straight from the
// system, since no allocator of the application may be called under the lock. Externally
// synchronised.
#ifndef TENON_DEVICE_CPU_HOST_RECORDS_H_
#define TENON_DEVICE_CPU_HOST_RECORDS_H_

#include <stdbool.h>
#include <stddef.h>

enum { TN_RECORD_SIZE = 96 };  // of every record

typedef struct tn_records {
  void* unused;  // a list
  char* chunks;  // a list; the first one is filled up to `chunk_used`
  size_t chunk_used;
} tn_records_t;

// A zeroed tn_records_t is ready for use.
void tn__records_deinit(tn_records_t* records);

// Zeroed; NULL when the system refuses.
void* tn__record_take(tn_records_t* records);
void tn__record_give_back(tn_records_t* records, void* record);

// As tn__grow. False when the system refuses; then nothing has changed.
bool tn__host_array_grow(void** array, size_t* capacity, size_t needed, size_t element_size);
void tn__host_array_free(void* array, size_t capacity, size_t element_size);

#endif  // TENON_DEVICE_CPU_HOST_RECORDS_H_
