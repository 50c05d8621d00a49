// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#ifndef TENON_TEST_GROWTH_MEMORY_H_
#define TENON_TEST_GROWTH_MEMORY_H_

#include <tenon/detail/allocator.h>

// Memory from malloc that is counted. For one thread.
const tn_allocator_t* memory_allocator(void);
// The most bytes that were live at once since the last call, which nothing was when that returned.
size_t memory_most(void);

#endif  // TENON_TEST_GROWTH_MEMORY_H_
