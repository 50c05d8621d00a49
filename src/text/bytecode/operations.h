// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which operation of ours each versioned operation of VHLO is, and what its properties are:
// operations.def as data.
#ifndef TENON_TEXT_BYTECODE_OPERATIONS_H_
#define TENON_TEXT_BYTECODE_OPERATIONS_H_

#include "ops/op.h"
#include "text/bytecode/version.h"

// Which uses of an operation one version of it allows.
typedef enum tn_vhlo_uses {
  TN_VHLO_ANY,
  TN_VHLO_ONE_OPERAND,
  TN_VHLO_NO_REGIONS,
} tn_vhlo_uses_t;

typedef struct tn_vhlo_op {
  const char* name;  // without "vhlo."
  const tn_op_t* op;
  tn_artifact_version_t since;
  tn_vhlo_uses_t uses;
  const char* const* properties;  // names in the order of the file; NULL ends them
} tn_vhlo_op_t;

enum { TN_VHLO_MOST_PROPERTIES = 24 };

// NULL when there is none.
const tn_vhlo_op_t* tn__vhlo_op_find(tn_string_view_t name);
// All of them, in order.
size_t tn__vhlo_op_count(void);
const tn_vhlo_op_t* tn__vhlo_op_at(size_t index);

// Functions, which are no operations of ours, have these properties.
typedef enum tn_vhlo_function_property {
  TN_VHLO_FUNCTION_ARGUMENT_ATTRS,
  TN_VHLO_FUNCTION_TYPE,
  TN_VHLO_FUNCTION_RESULT_ATTRS,
  TN_VHLO_FUNCTION_NAME,
  TN_VHLO_FUNCTION_VISIBILITY,
  TN_VHLO_FUNCTION_PROPERTY_COUNT,
} tn_vhlo_function_property_t;
extern const char* const tn__vhlo_function_properties[];

// Where a property belongs in our operation: to an attribute, or to a field of one that is a
// structure (`*out_field` is NULL otherwise). False: nowhere.
bool tn__vhlo_property_place(const tn_op_t* op, const char* property,
                             const tn_attr_spec_t** out_attr, const tn_attr_spec_t** out_field);

#endif  // TENON_TEXT_BYTECODE_OPERATIONS_H_
