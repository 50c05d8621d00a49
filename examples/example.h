// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the example programs share: run a module once, and say what went wrong.
#ifndef TENON_EXAMPLE_H_
#define TENON_EXAMPLE_H_

#include <tenon/builder.h>
#include <tenon/tenon.h>

// Loads the library of custom calls that the program's only argument names. Without it, or when it
// does not load, says so and ends the program.
void example_load(int argc, char** argv);

// Compiles `module` for the CPU and runs it: `arguments` are the elements of its array arguments,
// `results` where those of its array results go. Takes the module. NULL for none.
TN_MUST_USE tn_status_t example_run(tn_module_t* module, const void* const* arguments,
                                    void* const* results);

// Ends a builder with one result, and runs what it made. Takes the builder.
TN_MUST_USE tn_status_t example_build_and_run(tn_builder_t* builder, tn_value_t* result,
                                              const void* const* arguments, void* const* results);

// The same for StableHLO text.
TN_MUST_USE tn_status_t example_run_text(const char* text, const void* const* arguments,
                                         void* const* results);

// Prints the error, if there is one, and releases it: true when there was none.
bool example_succeeded(tn_status_t status);

// Prints the error, and releases it: true when it is there, has the code, and its report the text.
bool example_failed_with(tn_status_t status, tn_code_t code, const char* text);

#endif  // TENON_EXAMPLE_H_
