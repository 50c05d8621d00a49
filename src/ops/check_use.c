// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The whole check of one use of an operation.
#include <stdio.h>

#include "ops/rule.h"

tn_status_t tn__op_check_count(const char* what, size_t found, size_t minimum, size_t maximum) {
  if (found >= minimum && found <= maximum) return TN_OK;
  char wanted[64];
  if (maximum == SIZE_MAX) {
    snprintf(wanted, sizeof wanted, "at least %zu", minimum);
  } else if (maximum > minimum) {
    snprintf(wanted, sizeof wanted, "%zu to %zu", minimum, maximum);
  } else {
    snprintf(wanted, sizeof wanted, "%zu", minimum);
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "has %zu %s%s; expected %s", found, what,
                          found == 1 ? "" : "s", wanted);
}

// As the table says it: a number, or TN_VARIADIC.
static tn_status_t check_count(const char* what, int wanted, int minimum, size_t found) {
  const bool is_open = wanted == TN_VARIADIC;
  return tn__op_check_count(what, found, (size_t)(is_open ? minimum : wanted),
                            is_open ? SIZE_MAX : (size_t)wanted);
}

// An attribute that is not the operation's own is discardable, unless it looks like a misspelling
// of one that the use lacks.
static tn_status_t check_foreign(const tn_op_use_t* use, tn_string_view_t name) {
  tn_spelling_t search = {.word = name};
  if (name.length && memchr(name.data, '.', name.length)) return TN_OK;
  for (const tn_attr_spec_t* spec = use->op->attrs; spec && spec->name; ++spec) {
    if (tn__attr_find(&use->attrs, spec->name)) continue;
    (void)tn__spelling_consider(&search, tn__sv(spec->name));
  }
  return search.nearest.data ? tn__attr_unknown(&search) : TN_OK;
}

static tn_status_t check_attrs(const tn_op_use_t* use) {
  for (size_t i = 0; i < use->attrs.count; ++i) {
    const tn_named_attr_t* entry = &use->attrs.entries[i];
    const tn_attr_spec_t* spec = use->op->attrs;
    while (spec && spec->name && !tn__sv_is(entry->name, spec->name)) ++spec;
    const bool is_own = spec && spec->name;
    TN_RETURN_IF_ERROR(is_own ? tn__attr_check(spec, entry->attr)
                              : check_foreign(use, entry->name));
  }
  for (const tn_attr_spec_t* spec = use->op->attrs; spec && spec->name; ++spec) {
    if (!spec->optional && !tn__attr_find(&use->attrs, spec->name)) {
      return tn__attr_missing(spec->name, tn__attr_wanted(spec->type));
    }
  }
  return TN_OK;
}

static tn_status_t check_form(const tn_op_use_t* use) {
  const tn_op_t* op = use->op;
  TN_RETURN_IF_ERROR(
      check_count("operand", op->operands, op->minimum_operands, use->operand_count));
  TN_RETURN_IF_ERROR(check_count("region", op->regions, 0, use->region_count));
  return check_attrs(use);
}

typedef struct constraint_text {
  char text[16];
} constraint_text_t;

// Part `index` of "C7|C8|C9", the last when there are fewer.
static constraint_text_t part_of(const char* constraints, size_t index) {
  constraint_text_t part = {""};
  const char* begin = constraints;
  for (size_t i = 0; i < index && strchr(begin, '|'); ++i) begin = strchr(begin, '|') + 1;
  snprintf(part.text, sizeof part.text, "%.*s", (int)strcspn(begin, "|"), begin);
  return part;
}

// Which of the constraints a type that differs breaks.
static size_t broken_part(const tn_type_t* stated, const tn_type_t* inferred,
                          const char* constraints) {
  enum { SHAPE, ELEMENT, RANK };
  if (!tn__type_is_tensor(stated) || !tn__type_is_tensor(inferred)) return SHAPE;
  const char* second = strchr(constraints, '|');
  const bool has_rank = second && strchr(second + 1, '|');
  if (stated->rank != inferred->rank) return has_rank ? RANK : SHAPE;
  return tn__shapes_agree(stated, inferred) ? ELEMENT : SHAPE;
}

static tn_status_t compare_results(const tn_op_use_t* use, const tn_op_results_t* inferred) {
  if (use->result_count != inferred->count) {
    return tn__rule_error(use, inferred->count_constraint, "has %zu result%s; expected %zu",
                          use->result_count, use->result_count == 1 ? "" : "s", inferred->count);
  }
  for (size_t i = 0; i < inferred->count; ++i) {
    if (tn__types_agree(use->result_types[i], inferred->types[i])) continue;
    char number[24] = "";
    if (inferred->count > 1) snprintf(number, sizeof number, " %zu", i);
    const char* constraints = inferred->constraints[i];
    constraint_text_t part = {""};
    if (constraints) {
      part =
          part_of(constraints, broken_part(use->result_types[i], inferred->types[i], constraints));
    }
    return tn__rule_error(use, constraints ? part.text : NULL, "result%s has type %s; expected %s",
                          number, TN_TYPE_TEXT(use->result_types[i]),
                          TN_TYPE_TEXT(inferred->types[i]));
  }
  return TN_OK;
}

// Room for as many results as the operation can have.
static tn_status_t infer(const tn_op_use_t* use, tn_op_results_t* out_results) {
  size_t capacity = use->op->results == TN_VARIADIC ? use->operand_count + use->result_count
                                                    : (size_t)use->op->results;
  for (size_t i = 0; i < use->region_count; ++i) capacity += use->regions[i].result_count;
  *out_results = (tn_op_results_t){.capacity = capacity};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, capacity, &out_results->types));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, capacity, &out_results->constraints));
  return use->op->infer(use, out_results);
}

tn_status_t tn__op_check(const tn_op_use_t* use) {
  const tn_op_t* op = use->op;
  TN_RETURN_IF_ERROR(tn_status_prefix(check_form(use), "%s", tn__op_short_name(op)));
  TN_RETURN_IF_ERROR(tn_status_prefix(check_count("result", op->results, 0, use->result_count),
                                      "%s", tn__op_short_name(op)));
  if (op->infer) {
    tn_op_results_t inferred;
    TN_RETURN_IF_ERROR(infer(use, &inferred));
    TN_RETURN_IF_ERROR(compare_results(use, &inferred));
  }
  return op->verify ? op->verify(use) : TN_OK;
}

tn_status_t tn__op_infer(const tn_op_use_t* use, size_t capacity, const tn_type_t** out_types,
                         size_t* out_count) {
  *out_count = 0;
  const tn_op_t* op = use->op;
  tn_op_use_t stated = *use;
  if (op->infer) {
    TN_RETURN_IF_ERROR(tn_status_prefix(check_form(use), "%s", tn__op_short_name(op)));
    tn_op_results_t inferred;
    TN_RETURN_IF_ERROR(infer(use, &inferred));
    if (use->result_count) TN_RETURN_IF_ERROR(compare_results(use, &inferred));
    stated.result_count = inferred.count;
    stated.result_types = inferred.types;
    TN_RETURN_IF_ERROR(op->verify ? op->verify(&stated) : TN_OK);
  } else if (use->result_count == 0 && op->results != 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the result's type does not follow from the operands; state it",
                            tn__op_short_name(op));
  } else {
    TN_RETURN_IF_ERROR(tn__op_check(use));
  }
  if (stated.result_count > capacity) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "%s: %zu results; there is room for %zu",
                            tn__op_short_name(op), stated.result_count, capacity);
  }
  if (stated.result_count) {
    memcpy(out_types, stated.result_types, stated.result_count * sizeof *out_types);
  }
  *out_count = stated.result_count;
  return TN_OK;
}
