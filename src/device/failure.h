// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// An error on its way from the task that failed to everything that waits for it.
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
// that says so. That one never counts as reported, since events and arrays share it; streams, which
// must know what has been reported, reserve theirs.
tn_failure_t* tn__failure_create(const tn_allocator_t* allocator, tn_status_t status);

// The same in two steps, of which only the first needs memory. A reserved
// failure is released like any other.
TN_MUST_USE tn_status_t tn__failure_reserve(const tn_allocator_t* allocator,
                                            tn_failure_t** out_failure);
tn_failure_t* tn__failure_fill(tn_failure_t* reserved, tn_status_t status);  // takes `status`

tn_failure_t* tn__failure_retain(tn_failure_t* failure);
void tn__failure_release(tn_failure_t* failure);

// Its error, a view; OK for NULL.
tn_status_t tn__failure_status(const tn_failure_t* failure);

// For a wait to return: marks the failure as reported. OK for NULL.
tn_status_t tn__failure_report(tn_failure_t* failure);

#endif  // TENON_DEVICE_FAILURE_H_
