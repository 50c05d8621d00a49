// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations that every Tenon has, for custom calls: comparing results with what was expected, as
// StableHLO's own test programs do, the markers of partitioning, which on one device change
// nothing, what JAX writes for approximate searches and unknown dimensions, which passes replace,
// and the random words of lazy arrays.
#include <stdio.h>

#include "call/operation.h"
#include "call/registry.h"
#include "call/site.h"
#include "kernel/control/check.h"
#include "kernel/target.h"
#include "ops/rules.h"

static tn_status_t check_counts(const tn_call_site_t* call, size_t operands, size_t results) {
  if (call->operand_count == operands && call->result_count == results) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "%zu operands and %zu results; expected %zu and %zu", call->operand_count,
                          call->result_count, operands, results);
}

// --- comparisons

typedef struct comparison {
  tn_check_t check;
  const tn_type_t* type;
} comparison_t;

static tn_status_t make_comparison(const tn_call_site_t* call, bool returns_boolean) {
  TN_RETURN_IF_ERROR(check_counts(call, 2, returns_boolean ? 1 : 0));
  const tn_type_t* type = call->operands[0];
  if (!tn__type_is_tensor(type) || !tn_type_equal(type, call->operands[1])) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the operands have types %s and %s; expected two equal tensors",
                            TN_TYPE_TEXT(type), TN_TYPE_TEXT(call->operands[1]));
  }
  if (returns_boolean && !tn_type_equal(call->results[0], tn__type_scalar(TN_DTYPE_PRED))) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "the result has type %s; expected tensor<i1>",
                            TN_TYPE_TEXT(call->results[0]));
  }
  comparison_t* comparison = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(call->site->arena, &comparison));
  comparison->type = type;
  bool is_boolean = false;
  if (!tn__check_find(call->name, type, &comparison->check, &is_boolean) ||
      is_boolean != returns_boolean) {
    return tn_status_create(TN_CODE_INTERNAL, "there is no such comparison");
  }
  call->site->state = comparison;
  return TN_OK;
}

static tn_status_t prepare_comparison(tn_kernel_site_t* site, bool returns_boolean) {
  tn_call_site_t call;
  TN_RETURN_IF_ERROR(tn__call_site_read(site, &call));
  return tn_status_prefix(make_comparison(&call, returns_boolean), "custom call @%s",
                          TN_NAME_TEXT(call.name));
}

static tn_status_t prepare_expectation(tn_kernel_site_t* site) {
  return prepare_comparison(site, false);
}
static tn_status_t prepare_question(tn_kernel_site_t* site) {
  return prepare_comparison(site, true);
}

static tn_status_t run_expectation(const tn_kernel_call_t* call) {
  const comparison_t* comparison = call->state;
  return tn__check_compare(&comparison->check, comparison->type, call->operands[0],
                           call->operands[1]);
}
static tn_status_t run_question(const tn_kernel_call_t* call) {
  const comparison_t* comparison = call->state;
  *(bool*)call->results[0] =
      tn__check_holds(&comparison->check, comparison->type, call->operands[0], call->operands[1]);
  return TN_OK;
}

// --- identities

static tn_status_t verify_identity(const tn_op_use_t* use) {
  if (use->operand_count == 0 || use->operand_count != use->result_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "custom call @%s: %zu operands and %zu results; expected as many "
                            "results as operands",
                            use->op->name, use->operand_count, use->result_count);
  }
  for (size_t i = 0; i < use->operand_count; ++i) {
    if (tn_type_equal(use->operand_types[i], use->result_types[i])) continue;
    return tn_status_create(
        TN_CODE_UNIMPLEMENTED,
        "custom call @%s: the operand has type %s and the result %s: values that are divided "
        "between several devices are not supported",
        use->op->name, TN_TYPE_TEXT(use->operand_types[i]), TN_TYPE_TEXT(use->result_types[i]));
  }
  return TN_OK;
}

// --- calls that nothing is registered for

typedef struct missing {
  tn_context_t* context;
  tn_string_view_t name;
  const char* platform;
} missing_t;

static tn_status_t prepare_missing(tn_kernel_site_t* site) {
  missing_t* missing = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &missing));
  *missing = (missing_t){.context = site->target->context,
                         .name = tn__attr_get_string(&site->use->attrs, "call_target_name"),
                         .platform = site->target->platform};
  site->state = missing;
  return TN_OK;
}

// In a branch of no platform, the name may be misspelt.
static tn_status_t prepare_unavailable(tn_kernel_site_t* site) {
  static const char text[] =
      "custom call @%s: nothing is registered for platform %s; a run that "
      "takes this branch fails";
  TN_RETURN_IF_ERROR(prepare_missing(site));
  const missing_t* missing = site->state;
  char warning[512];
  tn_string_view_t copy = {0};
  snprintf(warning, sizeof warning, text, TN_NAME_TEXT(missing->name), missing->platform);
  TN_RETURN_IF_ERROR(tn__arena_copy_string(site->arena, tn__sv(warning), &copy));
  site->warning = copy.data;
  return TN_OK;
}

static tn_status_t run_missing(const tn_kernel_call_t* call) {
  const missing_t* missing = call->state;
  return tn__registry_miss(missing->context, missing->name, missing->platform);
}

// --- the table

typedef struct builtin {
  tn_op_t op;  // first: what nodes point to
  tn_kernel_t kernel;
} builtin_t;

static const tn_kernel_t* find_kernel(const tn_compile_target_t* target, const tn_op_use_t* use) {
  const builtin_t* builtin = (const builtin_t*)(const void*)use->op;
  const bool is_there =
      builtin->kernel.run && strcmp(target->platform, tn__compile_target_host.platform) == 0;
  return is_there ? &builtin->kernel : NULL;
}

#define OPERATION(text, which, check) \
  .op = {.name = (text),              \
         .operands = TN_VARIADIC,     \
         .results = TN_VARIADIC,      \
         .traits = (which),           \
         .verify = (check),           \
         .find_kernel = find_kernel}
#define IDENTITY(text) \
  { OPERATION(text, TN_PURE | TN_FORWARDS | TN_IDENTITY, verify_identity) }
#define REPLACED(text) \
  { OPERATION(text, TN_FOREIGN | TN_REPLACED, NULL) }
#define MISSING(text, prepare_missing_call)        \
  {                                                \
    OPERATION(text, TN_FOREIGN, NULL), .kernel = { \
      .op = "custom_call",                         \
      .name = "call.missing",                      \
      .prepare = prepare_missing_call,             \
      .run = run_missing                           \
    }                                              \
  }
#define COMPARISON(text, kind)                     \
  {                                                \
    OPERATION(text, TN_FOREIGN, NULL), .kernel = { \
      .op = "custom_call",                         \
      .name = "call." #kind,                       \
      .prepare = prepare_##kind,                   \
      .run = run_##kind                            \
    }                                              \
  }

enum {
  APPROX_TOP_K,
  DYNAMIC_APPROX_TOP_K,
  DYNAMIC_REDUCE_WINDOW,
  DYNAMIC_RNG_BIT_GENERATOR,
  DYNAMIC_TOP_K,
  SHAPE_ASSERTION,
  RANDOM_WORDS,
  UNAVAILABLE,
  OTHER_PLATFORM
};

static const builtin_t builtins[] = {
    [APPROX_TOP_K] = REPLACED("ApproxTopK"),
    [DYNAMIC_APPROX_TOP_K] = REPLACED("stablehlo.dynamic_approx_top_k"),
    [DYNAMIC_REDUCE_WINDOW] = REPLACED("stablehlo.dynamic_reduce_window"),
    [DYNAMIC_RNG_BIT_GENERATOR] = REPLACED("stablehlo.dynamic_rng_bit_generator"),
    [DYNAMIC_TOP_K] = REPLACED("stablehlo.dynamic_top_k"),
    [SHAPE_ASSERTION] = REPLACED("shape_assertion"),
    [RANDOM_WORDS] = {OPERATION(TN_RANDOM_WORDS, TN_FOREIGN, NULL),
                      .kernel = {.op = "custom_call",
                                 .name = "call.random_words",
                                 .prepare = tn__random_words_prepare,
                                 .run = tn__random_words_run}},
    [UNAVAILABLE] = MISSING("tenon.unavailable", prepare_unavailable),
    [OTHER_PLATFORM] = MISSING("tenon.other_platform", prepare_missing),
    IDENTITY("annotate_device_placement"),
    IDENTITY("Sharding"),
    IDENTITY("SPMDFullToShardShape"),
    IDENTITY("SPMDShardToFullShape"),
    IDENTITY("xla.sdy.FuncResultSharding"),
    IDENTITY("xla.sdy.GlobalToLocalShape"),
    IDENTITY("xla.sdy.LocalToGlobalShape"),
    COMPARISON("check.eq", question),
    COMPARISON("check.expect_eq", expectation),
    COMPARISON("check.expect_almost_eq", expectation),
    COMPARISON("check.expect_close", expectation),
};

const tn_op_t* const tn__op_approx_top_k = &builtins[APPROX_TOP_K].op;
const tn_op_t* const tn__op_dynamic_approx_top_k = &builtins[DYNAMIC_APPROX_TOP_K].op;
const tn_op_t* const tn__op_dynamic_reduce_window = &builtins[DYNAMIC_REDUCE_WINDOW].op;
const tn_op_t* const tn__op_dynamic_rng_bit_generator = &builtins[DYNAMIC_RNG_BIT_GENERATOR].op;
const tn_op_t* const tn__op_dynamic_top_k = &builtins[DYNAMIC_TOP_K].op;
const tn_op_t* const tn__op_shape_assertion = &builtins[SHAPE_ASSERTION].op;
const tn_op_t* const tn__op_unavailable = &builtins[UNAVAILABLE].op;
const tn_op_t* const tn__op_other_platform = &builtins[OTHER_PLATFORM].op;
const tn_op_t* const tn__op_random_words = &builtins[RANDOM_WORDS].op;

const tn_op_t* tn__builtin_find(tn_string_view_t name) {
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; ++i) {
    if (tn__sv_is(name, builtins[i].op.name)) return &builtins[i].op;
  }
  return NULL;
}
