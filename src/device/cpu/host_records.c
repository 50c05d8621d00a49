// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/host_records.h"

#include <string.h>

#include "device/cpu/host_mapping.h"

enum { CHUNK_SIZE = 64 << 10 };

void tn__records_deinit(tn_records_t* records) {
  for (char* chunk = records->chunks; chunk;) {
    char* next = *(char**)chunk;
    tn__host_unmap(chunk, CHUNK_SIZE);
    chunk = next;
  }
  *records = (tn_records_t){0};
}

void* tn__record_take(tn_records_t* records) {
  void* record = records->unused;
  if (record) {
    records->unused = *(void**)record;
    return memset(record, 0, TN_RECORD_SIZE);
  }
  if (!records->chunks || records->chunk_used + TN_RECORD_SIZE > CHUNK_SIZE) {
    char* chunk = tn__host_map(CHUNK_SIZE, TN_SYSTEM_PAGE_SIZE, false);
    if (!chunk) return NULL;
    *(char**)chunk = records->chunks;
    records->chunks = chunk;
    records->chunk_used = TN_RECORD_SIZE;  // the first place holds the link
  }
  record = records->chunks + records->chunk_used;
  records->chunk_used += TN_RECORD_SIZE;
  return record;
}

void tn__record_give_back(tn_records_t* records, void* record) {
  *(void**)record = records->unused;
  records->unused = record;
}

static size_t array_size(size_t capacity, size_t element_size) {
  return (capacity * element_size + TN_SYSTEM_PAGE_SIZE - 1) / TN_SYSTEM_PAGE_SIZE *
         TN_SYSTEM_PAGE_SIZE;
}

bool tn__host_array_grow(void** array, size_t* capacity, size_t needed, size_t element_size) {
  if (needed <= *capacity) return true;
  size_t grown = *capacity ? *capacity * 2 : TN_SYSTEM_PAGE_SIZE / element_size;
  while (grown < needed) grown *= 2;
  void* fresh = tn__host_map(array_size(grown, element_size), TN_SYSTEM_PAGE_SIZE, false);
  if (!fresh) return false;
  if (*array) memcpy(fresh, *array, *capacity * element_size);
  tn__host_array_free(*array, *capacity, element_size);
  *array = fresh;
  *capacity = grown;
  return true;
}

void tn__host_array_free(void* array, size_t capacity, size_t element_size) {
  if (array) tn__host_unmap(array, array_size(capacity, element_size));
}
