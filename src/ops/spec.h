// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How rows of ops.def and structs.def write attribute specifications. Included where they become
// data.
#ifndef TENON_OPS_SPEC_H_
#define TENON_OPS_SPEC_H_

#include "ops/op.h"

// Braces around each entry, a NULL name at the end; at file scope the list is static.
#define TN_ATTRS(...)                     \
  (const tn_attr_spec_t[]) {              \
    __VA_ARGS__, {                        \
      NULL, TN_ATTR_TYPE_ANY, NULL, false \
    }                                     \
  }
#define TN_REQUIRES(attr, kind) \
  { #attr, TN_ATTR_TYPE_##kind, NULL, false }
#define TN_OPTIONAL(attr, kind) \
  { #attr, TN_ATTR_TYPE_##kind, NULL, true }
#define TN_REQUIRED_OF(attr, kind, what) \
  { #attr, TN_ATTR_TYPE_##kind, #what, false }
#define TN_OPTIONAL_OF(attr, kind, what) \
  { #attr, TN_ATTR_TYPE_##kind, #what, true }

#endif  // TENON_OPS_SPEC_H_
