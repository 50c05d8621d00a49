// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs of functions whose arguments have unknown dimensions: compiled anew for each set of
// sizes that a run brings, which costs microseconds, and kept for the next run with the same.
#ifndef TENON_PROGRAM_DYNAMIC_H_
#define TENON_PROGRAM_DYNAMIC_H_

#include "program/program.h"

// Whether a function has an argument with unknown dimensions.
bool tn__function_is_dynamic(const tn_function_t* function);

// Makes `program`, which has nothing but its source, one for any sizes of the arguments of
// `function`, which is of its module. Arguments and results must be tensors.
TN_MUST_USE tn_status_t tn__dynamic_create(tn_program_t* program, const tn_function_t* function,
                                           const tn_compile_options_t* options);
void tn__dynamic_destroy(tn_program_t* program);

// The program for these arguments, retained. INVALID_ARGUMENT for arguments that do not fit.
// `interrupt` (NULL: none) ends its compilation.
TN_MUST_USE tn_status_t tn__dynamic_specialise(tn_program_t* program, size_t argument_count,
                                               tn_buffer_t* const* arguments,
                                               const tn_interrupt_t* interrupt,
                                               tn_program_t** out_program);

// Of dynamic programs and others: the function that it runs.
const tn_function_t* tn__program_function(const tn_program_t* program);

// tn_program_compile for arguments of these types (compile.c; NULL: as the function says), which
// `interrupt` (NULL: none) may end early.
TN_MUST_USE tn_status_t tn__program_compile_for(struct tn_device* device, tn_module_t* module,
                                                const tn_compile_options_t* options,
                                                const tn_type_t* const* argument_types,
                                                const tn_interrupt_t* interrupt,
                                                tn_program_t** out_program);

#endif  // TENON_PROGRAM_DYNAMIC_H_
