// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What VHLO spells out where our operations leave an attribute out. The reader leaves it out, the
// writer spells it out.
#ifndef TENON_TEXT_BYTECODE_DEFAULTS_H_
#define TENON_TEXT_BYTECODE_DEFAULTS_H_

#include "ops/op.h"

// The number that an absent attribute, or each element of an absent list, stands for.
int64_t tn__vhlo_default_number(const char* name);
// Whether an absent list of this name has a number for each dimension of a window; other absent
// lists are empty.
bool tn__vhlo_is_window_list(const char* name);

// Whether an attribute says no more than its absence.
bool tn__vhlo_is_default(const tn_attr_spec_t* spec, const tn_attr_t* attr);
// The same of a field: of structures other than a convolution's, those that are empty or 0.
bool tn__vhlo_is_default_field(const tn_attr_spec_t* structure, const tn_attr_t* attr);

#endif  // TENON_TEXT_BYTECODE_DEFAULTS_H_
