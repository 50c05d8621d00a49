// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/control/check.h"

#include <math.h>
#include <stdio.h>

#include "base/c_locale.h"
#include "base/float_format.h"
#include "kernel/common/element.h"
#include "kernel/common/site.h"

static const double default_tolerance = 1e-4;

// --- one number: an element, or a part of a complex one

// The dtype of a complex number's parts; any other dtype is its own.
static tn_dtype_t part_dtype(tn_dtype_t dtype) {
  if (dtype == TN_DTYPE_C64) return TN_DTYPE_F32;
  if (dtype == TN_DTYPE_C128) return TN_DTYPE_F64;
  return dtype;
}

static bool is_float(tn_dtype_t dtype) {
  return tn_dtype_kind(dtype) == TN_KIND_FLOAT;
}

static double number_of(tn_dtype_t dtype, const char* element) {
  if (is_float(dtype)) return tn__float_load(dtype, element);
  const int64_t value = tn__element_to_i64(dtype, element);
  return dtype == TN_DTYPE_U64 ? (double)(uint64_t)value : (double)value;
}

static bool number_holds(const tn_check_t* check, tn_dtype_t dtype, const char* actual,
                         const char* expected) {
  if (check->rule == TN_CHECK_EQ) {
    if (is_float(dtype)) return tn__float_load(dtype, actual) == tn__float_load(dtype, expected);
    return tn__element_to_i64(dtype, actual) == tn__element_to_i64(dtype, expected);
  }
  const double a = number_of(dtype, actual), b = number_of(dtype, expected);
  if (check->rule == TN_CHECK_ALMOST_EQ) {
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= check->tolerance;
  }
  const uint64_t ulps = tn_dtype_ulps_between(dtype, actual, expected);
  return ulps >= check->min_ulps && ulps <= check->max_ulps;
}

static bool element_holds(const tn_check_t* check, tn_dtype_t dtype, const char* actual,
                          const char* expected) {
  const tn_dtype_t part = part_dtype(dtype);
  const size_t size = tn_dtype_byte_size(part);
  if (part == dtype) return number_holds(check, dtype, actual, expected);
  if (check->rule == TN_CHECK_CLOSE) {
    // The worse part decides, for the lower bound as well.
    const tn_check_t upper = {.rule = TN_CHECK_CLOSE, .max_ulps = check->max_ulps};
    return number_holds(&upper, part, actual, expected) &&
           number_holds(&upper, part, actual + size, expected + size) &&
           (number_holds(check, part, actual, expected) ||
            number_holds(check, part, actual + size, expected + size));
  }
  return number_holds(check, part, actual, expected) &&
         number_holds(check, part, actual + size, expected + size);
}

// --- messages

typedef struct number_text {
  char text[40];
} number_text_t;

static number_text_t number_text(tn_dtype_t dtype, const char* element) {
  number_text_t out;
  if (dtype == TN_DTYPE_PRED) {
    snprintf(out.text, sizeof out.text, "%s", *element ? "true" : "false");
  } else if (is_float(dtype)) {
    const int digits = dtype == TN_DTYPE_F64 ? 17 : 9;
    tn__c_snprintf(out.text, sizeof out.text, "%.*g", digits, tn__float_load(dtype, element));
  } else if (dtype == TN_DTYPE_U64) {
    snprintf(out.text, sizeof out.text, "%llu",
             (unsigned long long)tn__element_to_i64(dtype, element));
  } else {
    snprintf(out.text, sizeof out.text, "%lld", (long long)tn__element_to_i64(dtype, element));
  }
  return out;
}

typedef struct element_text {
  char text[96];
} element_text_t;

static element_text_t element_text(tn_dtype_t dtype, const char* element) {
  const tn_dtype_t part = part_dtype(dtype);
  element_text_t out;
  if (part == dtype) {
    snprintf(out.text, sizeof out.text, "%s", number_text(dtype, element).text);
  } else {
    snprintf(out.text, sizeof out.text, "(%s, %s)", number_text(part, element).text,
             number_text(part, element + tn_dtype_byte_size(part)).text);
  }
  return out;
}

typedef struct index_text {
  char text[256];
} index_text_t;

// "[0, 3]"; of a scalar nothing.
static index_text_t index_text(const tn_type_t* type, int64_t element) {
  int64_t index[TN_MAX_RANK];
  for (size_t i = type->rank; i-- > 0;) {
    index[i] = element % type->dims[i];
    element /= type->dims[i];
  }
  index_text_t out = {""};
  size_t length = 0;
  for (size_t i = 0; i < type->rank && length < sizeof out.text - 24; ++i) {
    length += (size_t)snprintf(out.text + length, sizeof out.text - length, "%s%lld",
                               i ? ", " : " [", (long long)index[i]);
  }
  if (type->rank) snprintf(out.text + length, sizeof out.text - length, "]");
  return out;
}

typedef struct rule_text {
  char text[80];
} rule_text_t;

static rule_text_t rule_text(const tn_check_t* check) {
  rule_text_t out = {""};
  if (check->rule == TN_CHECK_ALMOST_EQ) {
    tn__c_snprintf(out.text, sizeof out.text, " within %g", check->tolerance);
  } else if (check->rule == TN_CHECK_CLOSE) {
    snprintf(out.text, sizeof out.text, " within %llu to %llu ulp",
             (unsigned long long)check->min_ulps, (unsigned long long)check->max_ulps);
  }
  return out;
}

// --- arrays

// `expected_step` is 0 when one element stands for all.
static tn_status_t compare(const tn_check_t* check, const tn_type_t* type, const char* actual,
                           const char* expected, size_t expected_step) {
  const size_t size = tn_dtype_byte_size(type->dtype);
  const int64_t count = tn__type_size(type);
  int64_t first = -1, differing = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (element_holds(check, type->dtype, actual + (size_t)i * size,
                      expected + (size_t)i * expected_step)) {
      continue;
    }
    if (first < 0) first = i;
    ++differing;
  }
  if (first < 0) return TN_OK;
  return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                          "%s: element%s of %s is %s; expected %s%s (%lld of %lld elements differ)",
                          check->name, index_text(type, first).text, TN_TYPE_TEXT(type),
                          element_text(type->dtype, actual + (size_t)first * size).text,
                          element_text(type->dtype, expected + (size_t)first * expected_step).text,
                          rule_text(check).text, (long long)differing, (long long)count);
}

tn_status_t tn__check_compare(const tn_check_t* check, const tn_type_t* type, const void* actual,
                              const void* expected) {
  return compare(check, type, actual, expected, tn_dtype_byte_size(type->dtype));
}

bool tn__check_holds(const tn_check_t* check, const tn_type_t* type, const void* actual,
                     const void* expected) {
  const size_t size = tn_dtype_byte_size(type->dtype);
  const size_t length = tn__type_byte_size(type);
  for (size_t at = 0; at < length; at += size) {
    if (!element_holds(check, type->dtype, (const char*)actual + at, (const char*)expected + at)) {
      return false;
    }
  }
  return true;
}

bool tn__check_find(tn_string_view_t target, const tn_type_t* type, tn_check_t* out_check,
                    bool* out_returns_boolean) {
  static const tn_check_t targets[] = {
      {.name = "check.expect_eq", .rule = TN_CHECK_EQ},
      {.name = "check.expect_almost_eq", .rule = TN_CHECK_ALMOST_EQ, .tolerance = 1e-3},
      {.name = "check.expect_close", .rule = TN_CHECK_CLOSE, .max_ulps = 3},
      {.name = "check.eq", .rule = TN_CHECK_ALMOST_EQ, .tolerance = 1e-4},
  };
  enum { TARGET_COUNT = sizeof targets / sizeof *targets };
  for (size_t i = 0; i < TARGET_COUNT; ++i) {
    if (!tn__sv_is(target, targets[i].name)) continue;
    *out_check = targets[i];
    *out_returns_boolean = i == TARGET_COUNT - 1;
    const tn_kind_t kind = tn_dtype_kind(type->dtype);
    if (*out_returns_boolean && (kind & (TN_KIND_INTEGER | TN_KIND_BOOL))) {
      out_check->rule = TN_CHECK_EQ;
    }
    return true;
  }
  return false;
}

// --- operations of the check dialect

typedef struct check_state {
  tn_check_t check;
  const tn_type_t* type;
  const char* constant;  // NULL: what is expected is the second operand
  size_t constant_step;
} check_state_t;

tn_status_t tn__cpu_check_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_attr_dictionary_t* attrs = &use->attrs;
  check_state_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->type = tn__site_operand(site, 0);
  state->check.name = use->op->name;
  if (use->op == TN__OP_OF(check, expect_almost_eq) ||
      use->op == TN__OP_OF(check, expect_almost_eq_const)) {
    state->check.rule = TN_CHECK_ALMOST_EQ;
    state->check.tolerance = tn__attr_get_float(attrs, "tolerance", default_tolerance);
  } else if (use->op == TN__OP_OF(check, expect_close)) {
    state->check.rule = TN_CHECK_CLOSE;
    state->check.max_ulps = (uint64_t)tn__attr_get_integer(attrs, "max_ulp_difference", 1);
    state->check.min_ulps = (uint64_t)tn__attr_get_integer(attrs, "min_ulp_difference", 0);
  }
  const tn_attr_t* value = tn__attr_find(attrs, "value");
  if (use->operand_count == 1) {
    if (!value || value->kind != TN_ATTR_ELEMENTS) {
      return tn_status_create(TN_CODE_INTERNAL, "%s: no value", use->op->name);
    }
    state->constant = value->elements.data;
    state->constant_step = value->elements.splat ? 0 : tn_dtype_byte_size(state->type->dtype);
  }
  return TN_OK;
}

tn_status_t tn__cpu_check_run(const tn_kernel_call_t* call) {
  const check_state_t* state = call->state;
  if (state->constant) {
    return compare(&state->check, state->type, call->operands[0], state->constant,
                   state->constant_step);
  }
  return tn__check_compare(&state->check, state->type, call->operands[0], call->operands[1]);
}
