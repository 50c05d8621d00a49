// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Uses of operations that authors define.
#ifndef TENON_ARRAY_DEFINITION_H_
#define TENON_ARRAY_DEFINITION_H_

#include "lazy/array.h"

// tn_op_apply of this operation, which custom calls name, whatever the name in `application` is.
void tn__apply_op(tn_scope_t* scope, const tn_op_t* op, const tn_application_t* application,
                  tn_array_t** out_results);

#endif  // TENON_ARRAY_DEFINITION_H_
