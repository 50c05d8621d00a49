// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// stablehlo.select: whatever the dtype, by the size of its elements.
#include <string.h>

#include "base/pool.h"
#include "kernel/common/isa.h"
#include "kernel/common/loop.h"
#include "kernel/common/site.h"
#include "kernel/elementwise/elementwise.h"

enum { GRAIN = 65536, QUICK_COUNT = 4096, PREDICATE = 0, ON_TRUE = 1, ON_FALSE = 2 };

typedef void (*select_fn)(const uint8_t* predicate, const void* on_true, const void* on_false,
                          void* out, size_t count);

typedef struct select_state {
  select_fn loop;       // NULL: one predicate for all
  select_fn of_one[2];  // with one element for all on the true side, on the false one; or NULL
  size_t element_size;
  int64_t count;
  tn_cell_t lead[TN_THREADED_LEAD];
} select_state_t;

typedef struct pair {
  uint64_t parts[2];
} pair_t;

#define LOOPS select_base
#define TARGET
#include "kernel/elementwise/select.inc"
#if TN_ISA_X86
#define LOOPS select_avx2
#define TARGET TN_ISA_TARGET_AVX2
#include "kernel/elementwise/select.inc"
#define LOOPS select_avx512
#define TARGET TN_ISA_TARGET_AVX512
#include "kernel/elementwise/select.inc"
#endif

static select_fn find_loop(size_t element_size) {
  static select_fn (*const sets[])(size_t element_size) =
      TN_ISA_SETS(select_base_of, select_avx2_of, select_avx512_of);
  return sets[tn__isa_best(TN_ISA_AVX512)](element_size);
}

// By side, and whether elements have 8 bytes.
static const select_fn (*find_loops_of_one(void))[2] {
  static const select_fn(*const sets[])[2] =
      TN_ISA_SETS(select_base_of_one, select_avx2_of_one, select_avx512_of_one);
  return sets[tn__isa_best(TN_ISA_AVX512)];
}

// --- scalars, as threaded code

#define CHOICE(form, type, predicate, on_true, on_false) \
  TN_THREADED(form##_##type) {                           \
    const uint8_t truth = predicate;                     \
    const type yes = on_true, no = on_false;             \
    const type value = truth ? yes : no;                 \
    *(type*)cell[4].data = value;                        \
    TN_HOLD(value);                                      \
    TN_THREADED_NEXT(5);                                 \
  }
#define TRUTH (*(const uint8_t*)cell[1].operand)
#define HELD_TRUTH ((uint8_t)bits)
#define YES(type) (*(const type*)cell[2].operand)
#define NO(type) (*(const type*)cell[3].operand)
#define HELD(type) ((type)TN_HELD((type)0))
#define CHOICES(type)                                                        \
  CHOICE(choose, type, TRUTH, YES(type), NO(type))                           \
  CHOICE(choose_p, type, HELD_TRUTH, YES(type), NO(type))                    \
  CHOICE(choose_y, type, TRUTH, HELD(type), NO(type))                        \
  CHOICE(choose_py, type, HELD_TRUTH, HELD(type), NO(type))                  \
  CHOICE(choose_n, type, TRUTH, YES(type), HELD(type))                       \
  CHOICE(choose_pn, type, HELD_TRUTH, YES(type), HELD(type))                 \
  CHOICE(choose_yn, type, TRUTH, HELD(type), HELD(type))                     \
  static const tn_threaded_fn choices_##type[] = {                           \
      choose_##type,   choose_p_##type,  choose_y_##type,  choose_py_##type, \
      choose_n_##type, choose_pn_##type, choose_yn_##type, choose_yn_##type};
CHOICES(uint8_t)
CHOICES(uint16_t)
CHOICES(uint32_t)
CHOICES(uint64_t)
CHOICES(float)
CHOICES(double)

static tn_threaded_forms_t find_choices(tn_dtype_t dtype) {
  switch (tn__register_of(dtype)) {
    case TN_REGISTER_F32: return choices_float;
    case TN_REGISTER_F64: return choices_double;
    case TN_REGISTER_BITS: break;
    default: return NULL;
  }
  switch (tn_dtype_byte_size(dtype)) {
    case 1: return choices_uint8_t;
    case 2: return choices_uint16_t;
    case 4: return choices_uint32_t;
    default: return choices_uint64_t;
  }
}

TN_THREADED(choose_by_loop) {
  ((select_fn)cell[1].loop)(cell[3].operand, cell[4].operand, cell[5].operand, cell[6].data,
                            cell[2].count);
  TN_THREADED_NEXT_WITHOUT(7);
}
static const tn_threaded_fn choice_loops[] = {choose_by_loop};

static tn_status_t run_loop(const tn_kernel_call_t* call) {
  const select_state_t* state = call->state;
  state->loop(call->operands[PREDICATE], call->operands[ON_TRUE], call->operands[ON_FALSE],
              call->results[0], (size_t)state->count);
  return TN_OK;
}

tn_status_t tn__cpu_select_prepare(tn_kernel_site_t* site) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(select_state_t), &memory));
  select_state_t* state = memory;
  const tn_type_t* result = tn__site_result(site, 0);
  state->element_size = tn_dtype_byte_size(result->dtype);
  state->count = tn__type_size(result);
  bool one_for_all = tn__site_operand(site, PREDICATE)->rank == 0 && result->rank != 0;
  state->loop = one_for_all ? NULL : find_loop(state->element_size);
  for (size_t side = 0; side < 2 && state->loop; ++side) {
    const bool is_native = state->element_size == 4 || state->element_size == 8;
    if (is_native) state->of_one[side] = find_loops_of_one()[side][state->element_size == 8];
  }
  if (state->loop && state->count <= QUICK_COUNT) site->run_quick = run_loop;
  if (site->run_quick && state->count == 1) site->threaded = find_choices(result->dtype);
  if (site->run_quick && !site->threaded) {
    site->threaded = choice_loops;
    state->lead[0].loop = (void (*)(void))state->loop;
    state->lead[1].count = (size_t)state->count;
    site->threaded_lead = state->lead;
  }
  return TN_OK;
}

bool tn__cpu_select_takes_repeated(const void* state, uint32_t operand) {
  return operand != PREDICATE && ((const select_state_t*)state)->of_one[operand - ON_TRUE];
}

tn_status_t tn__cpu_select_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const select_state_t* state = call->state;
  size_t offset = (size_t)begin * state->element_size, count = (size_t)(end - begin);
  const uint8_t* predicate = call->operands[PREDICATE];
  const bool one_true = call->repeated >> ON_TRUE & 1, one_false = call->repeated >> ON_FALSE & 1;
  const char* on_true = (const char*)call->operands[ON_TRUE] + (one_true ? 0 : offset);
  const char* on_false = (const char*)call->operands[ON_FALSE] + (one_false ? 0 : offset);
  char* result = (char*)call->results[0] + offset;
  if (call->repeated) {
    state->of_one[one_false](predicate + begin, on_true, on_false, result, count);
  } else if (state->loop) {
    state->loop(predicate + begin, on_true, on_false, result, count);
  } else {
    const char* chosen = *predicate ? on_true : on_false;
    if (chosen != result) memcpy(result, chosen, count * state->element_size);
  }
  return TN_OK;
}

tn_status_t tn__cpu_select_run(const tn_kernel_call_t* call) {
  const select_state_t* state = call->state;
  return tn__pool_parallel_for(call->context->pool, state->count, GRAIN, tn__cpu_select_range,
                               (void*)call);
}
