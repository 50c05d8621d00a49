// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Control flow: loops and branches over the instruction's regions.
#ifndef TENON_KERNEL_CONTROL_CONTROL_H_
#define TENON_KERNEL_CONTROL_CONTROL_H_

#include "kernel/kernel.h"

tn_status_t tn__cpu_while_run(const tn_kernel_call_t* call);
tn_status_t tn__cpu_if_run(const tn_kernel_call_t* call);
tn_status_t tn__cpu_case_prepare(tn_kernel_site_t* site);
tn_status_t tn__cpu_case_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_CONTROL_CONTROL_H_
