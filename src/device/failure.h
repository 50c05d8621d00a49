// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// An error on its way from the work that failed to everybody who waits for it.
#ifndef TENON_DEVICE_FAILURE_H_
#define TENON_DEVICE_FAILURE_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "base/allocator.h"

// Reference counted; thread-safe.
typedef struct tn_failure {
  atomic_uint references;  // 0 marks the static one
  const tn_allocator_t* allocator;
  tn_status_t status;
  atomic_bool was_reported;  // some wait has returned it
} tn_failure_t;

// Takes `status`, which is not NULL. Never fails: without memory for it, it is a static failure
// that says so. That one never counts as reported, since it may be that of many streams: a wait for
// the stream ends it.
tn_failure_t* tn__failure_create(const tn_allocator_t* allocator, tn_status_t status);
tn_failure_t* tn__failure_retain(tn_failure_t* failure);
void tn__failure_release(tn_failure_t* failure);

// Its error, a view; OK for NULL.
tn_status_t tn__failure_status(const tn_failure_t* failure);

// For a wait to return: marks the failure as reported. OK for NULL.
tn_status_t tn__failure_report(tn_failure_t* failure);

#endif  // TENON_DEVICE_FAILURE_H_
