// Targets that every Tenon has: comparing results with what was expected, as StableHLO's own test
// programs do, the markers of partitioning, which on one device change nothing, and the random
// words of lazy arrays.
#include "call/site.h"
#include "kernel/control/check.h"

struct tn_builtin {
  const char* name;
  tn_status_t (*prepare)(const tn_call_site_t* call);
  tn_kernel_t kernel;
};

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
  void* memory = NULL;
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
  TN_RETURN_IF_ERROR(tn__arena_allocate(call->site->arena, sizeof(comparison_t), &memory));
  comparison_t* comparison = memory;
  comparison->type = type;
  bool is_boolean = false;
  if (!tn__check_find(call->name, type, &comparison->check, &is_boolean) ||
      is_boolean != returns_boolean) {
    return tn_status_create(TN_CODE_INTERNAL, "there is no such comparison");
  }
  call->site->state = comparison;
  return TN_OK;
}

static tn_status_t prepare_expectation(const tn_call_site_t* call) {
  return make_comparison(call, false);
}
static tn_status_t prepare_question(const tn_call_site_t* call) {
  return make_comparison(call, true);
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

static tn_status_t prepare_identity(const tn_call_site_t* call) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(check_counts(call, 1, 1));
  if (!tn_type_equal(call->operands[0], call->results[0])) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "the operand has type %s and the result %s: partitions of a value over "
                            "several devices are not supported",
                            TN_TYPE_TEXT(call->operands[0]), TN_TYPE_TEXT(call->results[0]));
  }
  TN_RETURN_IF_ERROR(tn__arena_allocate(call->site->arena, sizeof(size_t), &memory));
  *(size_t*)memory = tn__type_byte_length(call->results[0]);
  call->site->state = memory;
  return TN_OK;
}

static tn_status_t run_identity(const tn_kernel_call_t* call) {
  if (call->results[0] != call->operands[0]) {
    memcpy(call->results[0], call->operands[0], *(const size_t*)call->state);
  }
  return TN_OK;
}

#define IDENTITY \
  { .op = "custom_call", .name = "call.identity", .run = run_identity, .in_place = 1 }
#define EXPECTATION \
  { .op = "custom_call", .name = "call.expectation", .run = run_expectation }
#define QUESTION \
  { .op = "custom_call", .name = "call.question", .run = run_question }

#define WORDS \
  { .op = "custom_call", .name = "call.random_words", .run = tn__random_words_run }

static const tn_builtin_t builtins[] = {
    {"Sharding", prepare_identity, IDENTITY},
    {"SPMDFullToShardShape", prepare_identity, IDENTITY},
    {"SPMDShardToFullShape", prepare_identity, IDENTITY},
    {"check.eq", prepare_question, QUESTION},
    {"check.expect_eq", prepare_expectation, EXPECTATION},
    {"check.expect_almost_eq", prepare_expectation, EXPECTATION},
    {"check.expect_close", prepare_expectation, EXPECTATION},
    {TN_RANDOM_WORDS, tn__random_words_prepare, WORDS},
};

const tn_builtin_t* tn__builtin_find(tn_string_view_t name) {
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; ++i) {
    if (tn__sv_is(name, builtins[i].name)) return &builtins[i];
  }
  return NULL;
}

tn_status_t tn__builtin_prepare(const tn_call_site_t* call, const tn_builtin_t* builtin,
                                const tn_kernel_t** out_kernel) {
  TN_RETURN_IF_ERROR(builtin->prepare(call));
  *out_kernel = &builtin->kernel;
  return TN_OK;
}
