// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// JAX's linear algebra: handlers under the names of jaxlib's, lapack_spotrf_ffi and so on, written
// with <tenon/custom.h> over LAPACK: OpenBLAS's, or the routines of plain/. They are found like any
// other target, without being registered; what is registered under their names comes first.
//
// As JAX calls them, matrices are column-major (it says so with layouts), the dimensions before
// the last two are a batch, and `info` tells of numbers that cannot be factored: that is no error.
#ifndef TENON_CALL_LAPACK_LAPACK_H_
#define TENON_CALL_LAPACK_LAPACK_H_

#include "base/interrupt.h"
#include "base/view.h"
#include "call/abi.h"

// How many names there are.
enum { TN_LAPACK_COUNT = 61 };

// NULL when there is none of that name.
const tn_ffi_op_t* tn__lapack_find(tn_string_view_t name);
// Whether the call may use OpenBLAS, if that is there.
bool tn__lapack_allows_openblas(const tn_ffi_context_t* context);
// What ends the run of the call early; NULL: nothing does. The run then fails by itself.
const tn_interrupt_t* tn__lapack_interrupt(const tn_ffi_context_t* context);

#endif  // TENON_CALL_LAPACK_LAPACK_H_
