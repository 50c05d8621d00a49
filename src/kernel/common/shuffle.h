// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elements of two vectors by their places, counted through both; `places` is the type of a vector
// of integers of their width. gcc has __builtin_shufflevector only since version 12; its own takes
// the places as a vector.
#ifndef TENON_KERNEL_COMMON_SHUFFLE_H_
#define TENON_KERNEL_COMMON_SHUFFLE_H_

#ifdef __clang__
#define TN_SHUFFLE(places, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define TN_SHUFFLE(places, a, b, ...) __builtin_shuffle(a, b, (places){__VA_ARGS__})
#endif

#endif  // TENON_KERNEL_COMMON_SHUFFLE_H_
