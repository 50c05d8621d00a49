// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// For tests of custom calls: programs from text, run on the host.
#ifndef TENON_CALL_TESTING_CALL_H_
#define TENON_CALL_TESTING_CALL_H_

#include <tenon/tenon.h>

#include "base/testing.h"

// Compiles `main` of the text.
TN_MUST_USE tn_status_t tn__testing_compile(const char* text, tn_program_t** out_program);

// One array, of any dtype; `data` has its bytes.
typedef struct tn_testing_array {
  tn_dtype_t dtype;
  size_t rank;
  int64_t dims[4];
  const void* data;
} tn_testing_array_t;

// Runs the program once and copies its results, dense, to `out_data`, one pointer for each.
TN_MUST_USE tn_status_t tn__testing_run(tn_program_t* program, size_t argument_count,
                                        const tn_testing_array_t* arguments, size_t result_count,
                                        void* const* out_data);

// Both: text in, results out.
TN_MUST_USE tn_status_t tn__testing_call(const char* text, size_t argument_count,
                                         const tn_testing_array_t* arguments, size_t result_count,
                                         void* const* out_data);

// Unregisters everything: the setup of a test.
int tn__testing_unregister_all(void** state);

#endif  // TENON_CALL_TESTING_CALL_H_
