// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Guarded calls: a debug mode of custom calls, of any kind.
//
// The kernel works on copies. Each operand and result has pages of its own, between inaccessible
// ones, and ends where they begin, as nearly as the alignment of its memory allows. Operands are
// read-only. The bytes before and behind a result have a pattern, which is checked after the call.
//
// Only for devices whose memory is the host's.
#ifndef TENON_CALL_GUARDED_H_
#define TENON_CALL_GUARDED_H_

#include "kernel/kernel.h"

// A kernel around the one that the use has otherwise (tn__call_plain_kernel). It waits for handlers
// that finish later: kernel.may_pend is false.
TN_MUST_USE tn_status_t tn__guarded_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__guarded_run(const tn_kernel_call_t* call);

#endif  // TENON_CALL_GUARDED_H_
