// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations of <tenon/custom.h> for tests of custom calls. In a file of their own, since authors'
// names and the runtime's do not mix.
#ifndef TENON_CALL_TESTING_OPERATIONS_H_
#define TENON_CALL_TESTING_OPERATIONS_H_

#include "call/abi.h"

extern const tn_ffi_op_t scale_op;

#endif  // TENON_CALL_TESTING_OPERATIONS_H_
