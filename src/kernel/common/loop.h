// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Helpers of the loop templates (*.inc): one file of functions, included once for each type.
#ifndef TENON_KERNEL_COMMON_LOOP_H_
#define TENON_KERNEL_COMMON_LOOP_H_

#include <stddef.h>
#include <stdint.h>
#include <tenon/detail/dtype.h>

#define TN_PASTE_(a, b) a##_##b
#define TN_PASTE(a, b) TN_PASTE_(a, b)

// Before a loop whose iterations do not depend on each other even when result and operand are the
// same array, so that compilers need not prove it.
#if defined(__GNUC__) && !defined(__clang__)
#define TN_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TN_INDEPENDENT
#endif

// CASE(size) for every size that elements have whose dtype C has.
#define TN_ELEMENT_SIZES(CASE) CASE(1) CASE(2) CASE(4) CASE(8) CASE(16)

// Elements that are converted at a time when a dtype is not computed in directly.
enum { TN_CHUNK = 512 };

// Folds: up to SEQUENTIAL values one after the other; else in LANES, and in halves above a BLOCK.
enum { TN_FOLD_LANES = 32, TN_FOLD_SEQUENTIAL = 32, TN_FOLD_BLOCK = 1024 };

#endif  // TENON_KERNEL_COMMON_LOOP_H_
