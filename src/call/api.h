// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The table of functions that every call frame points to: what Tenon does for handlers.
#ifndef TENON_CALL_API_H_
#define TENON_CALL_API_H_

#include "base/visibility.h"
#include "call/abi.h"

// Static. Its functions are thread-safe, but for one context: a handler uses its context from one
// thread at a time, except for the thread pool's functions.
TN_FOR_INSPECT const tn_ffi_api_t* tn__call_api(void);

#endif  // TENON_CALL_API_H_
