// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The error idiom inside Tenon; the type itself is public, in <tenon/detail/status.h>.
#ifndef TENON_BASE_STATUS_H_
#define TENON_BASE_STATUS_H_

#include <stdbool.h>
#include <tenon/detail/status.h>

// Static: costs no memory.
tn_status_t tn__status_out_of_memory(void);

// Not an error: what an instruction returns whose work goes on; see tn_kernel_pending_t. Static.
tn_status_t tn__status_pending(void);

#ifdef __clang_analyzer__
// The analyzer does not look into other files: an error that was just made is not TN_OK.
#define TN__NEVER_OK(expression) __extension__((expression) ?: (tn_status_t)1)
#define tn_status_create(...) TN__NEVER_OK(tn_status_create(__VA_ARGS__))
#define tn__status_out_of_memory() TN__NEVER_OK(tn__status_out_of_memory())
#endif

// Before a function has acquired anything: hand the error to the caller.
#define TN_RETURN_IF_ERROR(expression)                         \
  do {                                                         \
    tn_status_t status_ = (expression);                        \
    if (__builtin_expect(status_ != TN_OK, 0)) return status_; \
  } while (0)

// For what a caller passes to a public function, after the outputs have been set.
#define TN_RETURN_IF_NULL(argument)                                                             \
  do {                                                                                          \
    if (__builtin_expect(!(argument), 0)) {                                                     \
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %s is NULL", __func__, #argument); \
    }                                                                                           \
  } while (0)

// After it: keep the error in the local `status` and go to the label `done`, which releases
// unconditionally.
#define TN_DONE_IF_ERROR(expression)                     \
  do {                                                   \
    status = (expression);                               \
    if (__builtin_expect(status != TN_OK, 0)) goto done; \
  } while (0)

#endif  // TENON_BASE_STATUS_H_
