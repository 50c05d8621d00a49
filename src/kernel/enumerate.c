// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The table of operations and the tables of kernels side by side, for users of the library.
#include <stdio.h>
#include <tenon/detail/ops.h>

#include "kernel/kernel.h"
#include "kernel/target.h"

enum { MOST_ATTRIBUTES = 32, TYPE_TEXT_SIZE = 256 };

typedef struct attributes {
  size_t count;
  tn_op_attribute_t rows[MOST_ATTRIBUTES];
  char types[MOST_ATTRIBUTES][TYPE_TEXT_SIZE];
} attributes_t;

// "one of EQ, NE, GE, GT, LE, LT"
static void list_enumerators(const char* of, size_t capacity, char* out) {
  size_t length = (size_t)snprintf(out, capacity, "one of");
  const char* separator = " ";
  for (int value = 0; value < 64; ++value) {
    const char* name = tn__enum_name(of, value);
    if (!name || length >= capacity) continue;
    length += (size_t)snprintf(out + length, capacity - length, "%s%s", separator, name);
    separator = ", ";
  }
}

static void describe(const tn_attr_spec_t* spec, size_t capacity, char* out) {
  char enumerators[TYPE_TEXT_SIZE - 16];
  switch (spec->type) {
    case TN_ATTR_TYPE_ENUM: list_enumerators(spec->of, capacity, out); break;
    case TN_ATTR_TYPE_ENUM_LIST:
      list_enumerators(spec->of, sizeof enumerators, enumerators);
      snprintf(out, capacity, "a list, each %s", enumerators);
      break;
    case TN_ATTR_TYPE_STRUCT: snprintf(out, capacity, "#stablehlo.%s<...>", spec->of); break;
    case TN_ATTR_TYPE_STRUCT_LIST:
      snprintf(out, capacity, "a list of #stablehlo.%s<...>", spec->of);
      break;
    default: snprintf(out, capacity, "%s", tn__attr_wanted(spec->type));
  }
}

static void list_attributes(const tn_op_t* op, attributes_t* out) {
  out->count = 0;
  for (const tn_attr_spec_t* spec = op->attrs; spec && spec->name; ++spec) {
    if (out->count == MOST_ATTRIBUTES) return;
    char* type = out->types[out->count];
    describe(spec, TYPE_TEXT_SIZE, type);
    out->rows[out->count++] =
        (tn_op_attribute_t){.name = spec->name, .type = type, .is_required = !spec->optional};
  }
}

// Operations that the plan and the program see to themselves.
static bool needs_no_kernel(const tn_op_t* op) {
  const uint32_t own = TN_FORWARDS | TN_TERMINATOR | TN_REPLACED;
  return (op->traits & own) || op == TN__OP(constant) || op == TN__OP_OF(func, call);
}

// The last is the one that is always there.
static const char* kernel_of(const tn_op_t* op) {
  const char* name = NULL;
  for (size_t i = 0; i < tn__kernel_count(&tn__compile_target_host); ++i) {
    const tn_kernel_t* kernel = tn__kernel_at(&tn__compile_target_host, i);
    bool is_short = strchr(kernel->op, '.') == NULL;
    if (strcmp(kernel->op, is_short ? tn__op_short_name(op) : op->name) != 0) continue;
    if (!is_short || strncmp(op->name, "stablehlo.", 10) == 0) name = kernel->name;
  }
  return name;
}

static bool visit_op(const tn_op_t* op, tn_op_visit_fn visit, void* user) {
  attributes_t attributes;
  char dialect[32];
  const char* short_name = tn__op_short_name(op);
  snprintf(dialect, sizeof dialect, "%.*s", (int)strcspn(op->name, "."), op->name);
  list_attributes(op, &attributes);
  const char* kernel = kernel_of(op);
  const tn_op_info_t info = {
      .struct_size = sizeof info,
      .name = op->name,
      .dialect = dialect,
      .short_name = short_name,
      .operand_count = op->operands,
      .minimum_operand_count = op->operands == TN_VARIADIC ? op->minimum_operands : op->operands,
      .result_count = op->results,
      .region_count = op->regions,
      .is_pure = tn__op_has(op, TN_PURE),
      .is_elementwise = tn__op_has(op, TN_ELEMENTWISE),
      .is_deprecated = tn__op_has(op, TN_DEPRECATED),
      .attribute_count = attributes.count,
      .attributes = attributes.rows,
      .doc = op->doc,
      .is_supported = kernel || needs_no_kernel(op),
      .kernel = kernel,
  };
  return visit(user, &info);
}

void tn_op_enumerate(tn_op_visit_fn visit, void* user) {
  for (size_t i = 0; i < tn__op_count(); ++i) {
    if (!visit_op(tn__op_at(i), visit, user)) return;
  }
}

const char* tn_op_suggest(const char* name) {
  char full[128];
  const tn_op_t* op = NULL;
  if (strchr(name, '.')) {
    op = tn__op_suggest(tn__sv(name));
  } else {
    snprintf(full, sizeof full, "stablehlo.%.100s", name);
    op = tn__op_suggest(tn__sv(full));
  }
  return op ? op->name : NULL;
}
