// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations whose shapes and amounts are operands (static_form.h), when these are known only as
// the program runs: the kernel of the static form is chosen, prepared and run each time.
#ifndef TENON_KERNEL_MOVEMENT_DYNAMIC_H_
#define TENON_KERNEL_MOVEMENT_DYNAMIC_H_

#include "kernel/kernel.h"

bool tn__cpu_dynamic_supports(const tn_op_use_t* use);
TN_MUST_USE tn_status_t tn__cpu_dynamic_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_dynamic_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_MOVEMENT_DYNAMIC_H_
