// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calling code of others, which may be C++ and throw. An exception must not pass through Tenon's
// own frames, which know nothing of it: it ends here and becomes an error.
#ifndef TENON_CALL_GUARD_H_
#define TENON_CALL_GUARD_H_

#include "base/visibility.h"
#include "call/abi.h"

// What became of a call: the function's result, or the exception that it threw.
typedef struct tn_guarded {
  tn_status_t result;
  void* exception;  // NULL: none; else the caller's, for tn__guard_error
} tn_guarded_t;

// Costs a nanosecond. Where Tenon does not know how to catch exceptions, they go on their way and
// end the process.
TN_FOR_INSPECT tn_guarded_t tn__guard_call(tn_ffi_handler_t handler, tn_ffi_call_frame_t* frame);

// The exception as an error with its text; takes it.
tn_status_t tn__guard_error(void* exception);

// The same call for those who do not count nanoseconds: an exception is an error that the handler
// returned.
tn_status_t tn__guard_handler(tn_ffi_handler_t handler, tn_ffi_call_frame_t* frame);

#endif  // TENON_CALL_GUARD_H_
