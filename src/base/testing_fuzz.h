// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What an x_fuzz.c includes: the function that libFuzzer calls for each input, on one thread. It
// returns 0 and releases whatever it allocated, since leaks count as crashes.
#ifndef TENON_BASE_TESTING_FUZZ_H_
#define TENON_BASE_TESTING_FUZZ_H_

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // TENON_BASE_TESTING_FUZZ_H_
