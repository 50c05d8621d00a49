// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How much an evaluation would compute, so that tests of any arguments end soon.
#ifndef TENON_ARRAY_TESTING_WEIGHT_H_
#define TENON_ARRAY_TESTING_WEIGHT_H_

#include <stdbool.h>
#include <tenon/detail/array.h>

// Whether all that the arrays need, also what is inside of operations that are made of others, has
// no more elements than `most`. Errors are light.
bool tn__testing_is_light(size_t count, tn_array_t* const* arrays, int64_t most);

#endif  // TENON_ARRAY_TESTING_WEIGHT_H_
