// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Regions of operations on arrays: of reductions, scatters and sorts. An operation that is imported
// has the region of its module; the others share those that are made here, once for each dtype.
#ifndef TENON_LAZY_BODY_H_
#define TENON_LAZY_BODY_H_

#include "lazy/array.h"

// `op` of an accumulator and an element. NULL when there is no memory, here and below.
const tn_region_t* tn__body_of(tn_scope_t* scope, const tn_op_t* op, tn_dtype_t dtype);
// The second argument: updates that replace.
const tn_region_t* tn__body_replacing(tn_scope_t* scope, tn_dtype_t dtype);
// Whether the first argument comes before the second, NaNs behind all. A sort may have more
// operands than its region has arguments for: they are moved along.
const tn_region_t* tn__body_before(tn_scope_t* scope, tn_dtype_t dtype);

// The operation of a region that applies it to its two arguments, in their order or, where that is
// the same, in the other; NULL when the region is anything else.
const tn_op_t* tn__body_op(const tn_region_t* region);
bool tn__body_replaces(const tn_region_t* region);

typedef struct tn_body_cache tn_body_cache_t;
void tn__body_cache_destroy(tn_body_cache_t* cache);  // NULL is fine

#endif  // TENON_LAZY_BODY_H_
