// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Whether a function of unknown kind is a handler of XLA's FFI.
#ifndef TENON_CALL_SCAN_H_
#define TENON_CALL_SCAN_H_

#include "base/status.h"
#include "call/abi.h"

// Calls it in a confined child, with the question for metadata that nothing but a handler answers.
// UNIMPLEMENTED where the system cannot confine a child.
TN_MUST_USE tn_status_t tn__scan_function(tn_ffi_handler_t function, bool* out_is_handler);

#endif  // TENON_CALL_SCAN_H_
