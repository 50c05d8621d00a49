// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#ifndef TENON_TEST_GROWTH_ARRAYS_H_
#define TENON_TEST_GROWTH_ARRAYS_H_

#include <tenon/arrays.h>
#include <tenon/tenon.h>

// Lazy arrays whose operations grow in number with `n`: made and evaluated.
typedef struct arrays_shape {
  const char* name;
  tn_status_t (*work)(tn_scope_t* scope, int n);
  int n;
} arrays_shape_t;

extern const arrays_shape_t arrays_shapes[];  // ends with a NULL name

#endif  // TENON_TEST_GROWTH_ARRAYS_H_
