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
  select_fn loop;  // NULL: one predicate for all
  size_t element_size;
  int64_t count;
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

// Scalars.
#define ONE(size, type)                                                                 \
  static tn_status_t select_one_##size(const tn_kernel_call_t* call) {                  \
    const type *yes = call->operands[ON_TRUE], *no = call->operands[ON_FALSE];          \
    *(type*)call->results[0] = *(const uint8_t*)call->operands[PREDICATE] ? *yes : *no; \
    return TN_OK;                                                                       \
  }
ONE(1, uint8_t)
ONE(2, uint16_t)
ONE(4, uint32_t)
ONE(8, uint64_t)
ONE(16, pair_t)
#undef ONE

static tn_kernel_run_fn find_one(size_t element_size) {
  switch (element_size) {
    case 1: return select_one_1;
    case 2: return select_one_2;
    case 4: return select_one_4;
    case 8: return select_one_8;
    default: return select_one_16;
  }
}

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
  if (state->loop && state->count <= QUICK_COUNT) {
    site->run_quick = state->count == 1 ? find_one(state->element_size) : run_loop;
  }
  return TN_OK;
}

tn_status_t tn__cpu_select_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const select_state_t* state = call->state;
  size_t offset = (size_t)begin * state->element_size, count = (size_t)(end - begin);
  const uint8_t* predicate = call->operands[PREDICATE];
  const char* on_true = (const char*)call->operands[ON_TRUE] + offset;
  const char* on_false = (const char*)call->operands[ON_FALSE] + offset;
  char* result = (char*)call->results[0] + offset;
  if (state->loop) {
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
