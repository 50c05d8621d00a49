// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Lazy arrays: operations, linear algebra, Fourier transforms, random numbers, and transforms of
// functions (gradients, vmap, compilation). Each part has a header of its own in detail/, whose
// annotations such as TN_DEFAULT(x) are for bindings: C passes every argument.
#ifndef TENON_ARRAYS_H_
#define TENON_ARRAYS_H_

#include <tenon/detail/array.h>
#include <tenon/detail/array_fast.h>
#include <tenon/detail/array_fft.h>
#include <tenon/detail/array_linalg.h>
#include <tenon/detail/array_ops.h>
#include <tenon/detail/array_random.h>
#include <tenon/detail/transform.h>

#endif  // TENON_ARRAYS_H_
