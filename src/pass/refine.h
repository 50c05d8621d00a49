// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions with unknown dimensions, made for arguments that are there.
#ifndef TENON_PASS_REFINE_H_
#define TENON_PASS_REFINE_H_

#include "ir/ir.h"

// Rewrites `entry` for arguments of these types, which agree with its own and have no unknown
// dimensions; all calls are inlined. UNIMPLEMENTED where sizes depend on data, INVALID_ARGUMENT
// where they contradict each other; with the place.
TN_MUST_USE tn_status_t tn__pass_refine(tn_module_t* module, tn_function_t* entry,
                                        const tn_type_t* const* argument_types);
// Resolves the custom calls that `entry` reaches, and checks them against their signatures as far
// as sizes are known. Errors have the place.
TN_MUST_USE tn_status_t tn__pass_check_calls(tn_module_t* module, tn_function_t* entry);
// Whether some value inside has a type with unknown dimensions.
bool tn__pass_must_refine(const tn_module_t* module);

#endif  // TENON_PASS_REFINE_H_
