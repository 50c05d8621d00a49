// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Evaluation: pending arrays get their values.
#ifndef TENON_LAZY_EVAL_H_
#define TENON_LAZY_EVAL_H_

#include "lazy/array.h"

// Computes what `arrays` need: with one program for all of it if such a graph was seen before, else
// step by step. Errors of the work itself are left in the arrays; the returned one says why nothing
// could be done, and leaves the arrays pending. With `is_async` work without a stream gets one.
// `cancellation` may be NULL; with `is_async` it ends only waits for other threads.
TN_MUST_USE tn_status_t tn__evaluate(size_t count, tn_array_t* const* arrays, bool is_async,
                                     tn_cancellation_t* cancellation);

#endif  // TENON_LAZY_EVAL_H_
