// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#ifndef TENON_TEST_GROWTH_STEPS_H_
#define TENON_TEST_GROWTH_STEPS_H_

#include <stdint.h>

// Steps of the calling thread since it began: deterministic, unlike time.
uint64_t steps_taken(void);

#endif  // TENON_TEST_GROWTH_STEPS_H_
