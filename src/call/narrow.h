// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls with results of less than a byte an element, booleans above all: a handler may write
// any byte, and everything that reads the result expects a value of the dtype.
#ifndef TENON_CALL_NARROW_H_
#define TENON_CALL_NARROW_H_

#include "kernel/kernel.h"

// Whether the use has such a result.
bool tn__call_is_narrow(const tn_op_use_t* use);
// A kernel around the one that the use has otherwise (tn__call_own_kernel), that makes its results
// values. It waits for handlers that finish later: kernel.may_pend is false. Only for devices whose
// memory is the host's.
TN_MUST_USE tn_status_t tn__narrow_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__narrow_run(const tn_kernel_call_t* call);

#endif  // TENON_CALL_NARROW_H_
