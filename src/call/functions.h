// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elementary functions over arrays for handlers: what tn_map of <tenon/custom.h> calls.
#ifndef TENON_CALL_FUNCTIONS_H_
#define TENON_CALL_FUNCTIONS_H_

#include "call/abi.h"

// In the list of the extensions of tn__call_api.
extern const tn_ffi_map_extension_t tn__call_functions;

#endif  // TENON_CALL_FUNCTIONS_H_
