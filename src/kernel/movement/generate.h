// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels whose results come from the program itself rather than from data: iota, constants of the
// one device, tokens.
#ifndef TENON_KERNEL_MOVEMENT_GENERATE_H_
#define TENON_KERNEL_MOVEMENT_GENERATE_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_iota_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_iota_run(const tn_kernel_call_t* call);

// One number that is known when the program is compiled. Also the replica and the partition id: a
// process is the only one of its group.
TN_MUST_USE tn_status_t tn__cpu_get_dimension_size_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_process_id_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_number_run(const tn_kernel_call_t* call);

// A token is nothing but the order of the instructions.
TN_MUST_USE tn_status_t tn__cpu_token_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_MOVEMENT_GENERATE_H_
