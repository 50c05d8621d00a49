// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/failure.h"

static tn_failure_t out_of_memory;

tn_status_t tn__failure_reserve(const tn_allocator_t* allocator, tn_failure_t** out_failure) {
  void* memory;
  *out_failure = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(tn_failure_t), &memory));
  tn_failure_t* failure = memory;
  atomic_init(&failure->references, 1);
  failure->allocator = allocator;
  *out_failure = failure;
  return TN_OK;
}

tn_failure_t* tn__failure_fill(tn_failure_t* reserved, tn_status_t status) {
  reserved->status = status;
  return reserved;
}

tn_failure_t* tn__failure_create(const tn_allocator_t* allocator, tn_status_t status) {
  tn_failure_t* failure;
  if (status == tn__status_out_of_memory()) return &out_of_memory;
  tn_status_t refusal = tn__failure_reserve(allocator, &failure);
  if (!refusal) return tn__failure_fill(failure, status);
  tn_status_release(refusal);
  tn_status_release(status);
  return &out_of_memory;
}

tn_failure_t* tn__failure_retain(tn_failure_t* failure) {
  if (failure && failure != &out_of_memory) atomic_fetch_add(&failure->references, 1);
  return failure;
}

void tn__failure_release(tn_failure_t* failure) {
  if (!failure || failure == &out_of_memory) return;
  if (atomic_fetch_sub(&failure->references, 1) != 1) return;
  tn_status_release(failure->status);
  tn__free(failure->allocator, failure, sizeof *failure);
}

tn_status_t tn__failure_status(const tn_failure_t* failure) {
  if (!failure) return TN_OK;
  return failure == &out_of_memory ? tn__status_out_of_memory() : failure->status;
}

tn_status_t tn__failure_report(tn_failure_t* failure) {
  if (!failure) return TN_OK;
  if (failure != &out_of_memory) atomic_store(&failure->was_reported, true);
  return tn_status_retain(tn__failure_status(failure));
}
