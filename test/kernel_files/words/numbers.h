// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Read by both compilers; there is no guard, as a library has each file once.
enum { FACTOR = 3, SHIFT = 1 };
