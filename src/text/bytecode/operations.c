// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/operations.h"

#define PROPERTIES(...)   \
  (const char* const[]) { \
    __VA_ARGS__, NULL     \
  }
#define NO_PROPERTIES     \
  (const char* const[]) { \
    NULL                  \
  }

#define FIRST TN_ARTIFACT_OLDEST
#define SINCE TN_ARTIFACT_VERSION

static const tn_vhlo_op_t operations[] = {
#define TN_VHLO(name, op, since, uses, properties) \
  {name, TN__OP(op), since, TN_VHLO_##uses, properties},
#define TN_VHLO_FUNC(name, op, since, uses, properties) \
  {name, TN__OP_OF(func, op), since, TN_VHLO_##uses, properties},
#include "text/bytecode/operations.def"
#undef TN_VHLO
#undef TN_VHLO_FUNC
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

const char* const tn__vhlo_function_properties[] = {
    [TN_VHLO_FUNCTION_ARGUMENT_ATTRS] = "arg_attrs",  [TN_VHLO_FUNCTION_TYPE] = "function_type",
    [TN_VHLO_FUNCTION_RESULT_ATTRS] = "res_attrs",    [TN_VHLO_FUNCTION_NAME] = "sym_name",
    [TN_VHLO_FUNCTION_VISIBILITY] = "sym_visibility", [TN_VHLO_FUNCTION_PROPERTY_COUNT] = NULL,
};

const tn_vhlo_op_t* tn__vhlo_op_find(tn_string_view_t name) {
  for (size_t i = 0; i < OPERATION_COUNT; ++i) {
    if (tn__sv_is(name, operations[i].name)) return &operations[i];
  }
  return NULL;
}

size_t tn__vhlo_op_count(void) {
  return OPERATION_COUNT;
}

const tn_vhlo_op_t* tn__vhlo_op_at(size_t index) {
  return &operations[index];
}

static const tn_attr_spec_t* find_spec(const tn_attr_spec_t* specs, const char* name) {
  for (; specs && specs->name; ++specs) {
    if (!strcmp(specs->name, name)) return specs;
  }
  return NULL;
}

// Structures are flat among the properties, under the names of their fields; those of a channel
// have longer ones.
bool tn__vhlo_property_place(const tn_op_t* op, const char* property,
                             const tn_attr_spec_t** out_attr, const tn_attr_spec_t** out_field) {
  *out_field = NULL;
  *out_attr = find_spec(op->attrs, property);
  if (*out_attr) return true;
  if (!strcmp(property, "channel_id")) property = "handle";
  if (!strcmp(property, "channel_type")) property = "type";
  for (const tn_attr_spec_t* spec = op->attrs; spec && spec->name; ++spec) {
    if (spec->type != TN_ATTR_TYPE_STRUCT) continue;
    *out_field = find_spec(tn__struct_fields(tn__sv(spec->of)), property);
    if (!*out_field) continue;
    *out_attr = spec;
    return true;
  }
  return false;
}
