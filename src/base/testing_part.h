// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Long tests that run as several processes side by side (tenon_part_unit_test of TenonTest.cmake).
#ifndef TENON_BASE_TESTING_PART_H_
#define TENON_BASE_TESTING_PART_H_

#include <stddef.h>

// Which cases are wanted: `first`, and every one `distance` behind it.
typedef struct tn_testing_part {
  size_t first, distance;
} tn_testing_part_t;

// TENON_PART=2/4 in the environment: every fourth case from the second on; all without it.
tn_testing_part_t tn__testing_part(void);

#endif  // TENON_BASE_TESTING_PART_H_
