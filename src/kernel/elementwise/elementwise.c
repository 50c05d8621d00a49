// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/elementwise.h"

#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/common/streaming.h"
#include "kernel/elementwise/map.h"
#include "ops/rule.h"

enum {
  STREAMED_ELEMENTS = 1024,
  QUICK_PART = 16,  // of what is worth a thread's while
};

typedef struct map_state {
  tn_map_t map;
  size_t operand_size, result_size;  // of elements
  int64_t count;
  tn_cell_t lead[TN_THREADED_LEAD];  // of threaded code
} map_state_t;

// Whether result_accuracy asks for less error than the 1 ulp of loops by default. What a tolerance
// allows is the sum of its parts.
static bool is_exact(const tn_op_use_t* use) {
  const tn_attr_dictionary_t* accuracy = tn__rule_struct(use, "result_accuracy");
  const int mode = tn__attr_get_enum(accuracy, "mode", TN_ENUM_result_accuracy_mode_DEFAULT);
  if (mode != TN_ENUM_result_accuracy_mode_TOLERANCE) {
    return mode == TN_ENUM_result_accuracy_mode_HIGHEST;
  }
  // An ulp is at most 2^-23 of an f32 and 2^-52 of an f64.
  const bool is_f64 = use->result_types[0]->dtype == TN_DTYPE_F64;
  return tn__attr_get_integer(accuracy, "ulps", 0) < 1 &&
         tn__attr_get_float(accuracy, "rtol", 0) < (is_f64 ? 0x1p-52 : 0x1p-23);
}

static bool find_unary(const tn_op_use_t* use, tn_map_t* out_map) {
  return (is_exact(use) ? tn__map_unary_exactly : tn__map_unary)(
      tn__op_short_name(use->op), use->operand_types[0]->dtype, use->result_types[0]->dtype,
      out_map);
}

static bool find_binary(const tn_op_use_t* use, tn_map_t* out_map) {
  return tn__map_binary(tn__op_short_name(use->op), use->operand_types[0]->dtype,
                        use->result_types[0]->dtype, out_map);
}

static bool find_compare(const tn_op_use_t* use, tn_map_t* out_map) {
  tn_string_view_t direction = tn__attr_get_string(&use->attrs, "comparison_direction");
  int value = tn__enum_value("comparison_direction", direction);
  if (value < 0 || value >= TN_DIRECTION_COUNT) return false;
  bool total = tn__sv_is(tn__attr_get_string(&use->attrs, "compare_type"), "TOTALORDER");
  return tn__map_compare((tn_direction_t)value, total, use->operand_types[0]->dtype, out_map);
}

typedef bool (*find_fn)(const tn_op_use_t* use, tn_map_t* out_map);

static bool supports(const tn_op_use_t* use, size_t operand_count, find_fn find) {
  tn_map_t map;
  return use->operand_count == operand_count && use->result_count == 1 && find(use, &map);
}

static tn_status_t run_direct_unary(const tn_kernel_call_t* call) {
  const map_state_t* state = call->state;
  state->map.unary(call->operands[0], call->results[0], (size_t)state->count);
  return TN_OK;
}

static tn_status_t run_direct_binary(const tn_kernel_call_t* call) {
  const map_state_t* state = call->state;
  state->map.binary(call->operands[0], call->operands[1], call->results[0], (size_t)state->count);
  return TN_OK;
}

TN_THREADED(run_unary_loop) {
  ((tn_unary_fn)cell[1].loop)(cell[3].operand, cell[4].data, cell[2].count);
  TN_THREADED_NEXT_WITHOUT(5);
}
TN_THREADED(run_binary_loop) {
  ((tn_binary_fn)cell[1].loop)(cell[3].operand, cell[4].operand, cell[5].data, cell[2].count);
  TN_THREADED_NEXT_WITHOUT(6);
}
static const tn_threaded_fn unary_loops[] = {run_unary_loop}, binary_loops[] = {run_binary_loop};

// What few elements need: no question where they are, and how many.
static void make_quick(map_state_t* state, tn_kernel_site_t* site) {
  const tn_map_t* map = &state->map;
  if (state->count > map->grain / QUICK_PART || !tn__map_is_direct(map)) return;
  site->run_quick = map->unary ? run_direct_unary : run_direct_binary;
  if (state->count == 1 && map->threaded) {
    site->threaded = map->threaded;
    return;
  }
  site->threaded = map->unary ? unary_loops : binary_loops;
  state->lead[0].loop = map->unary ? (void (*)(void))map->unary : (void (*)(void))map->binary;
  state->lead[1].count = (size_t)state->count;
  site->threaded_lead = state->lead;
}

static tn_status_t prepare(tn_kernel_site_t* site, find_fn find) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(map_state_t), &memory));
  map_state_t* state = memory;
  state->count = tn__type_size(tn__site_result(site, 0));
  if (!find(site->use, &state->map)) {
    return tn_status_create(TN_CODE_INTERNAL, "%s: no loop for %s",
                            tn__op_short_name(site->use->op),
                            TN_TYPE_TEXT(tn__site_operand(site, 0)));
  }
  state->operand_size = tn_dtype_byte_size(state->map.load.from);
  state->result_size = tn_dtype_byte_size(state->map.store.to);
  make_quick(state, site);
  return TN_OK;
}

bool tn__cpu_unary_supports(const tn_op_use_t* use) {
  return supports(use, 1, find_unary);
}
tn_status_t tn__cpu_unary_prepare(tn_kernel_site_t* site) {
  return prepare(site, find_unary);
}
bool tn__cpu_binary_supports(const tn_op_use_t* use) {
  return supports(use, 2, find_binary);
}
tn_status_t tn__cpu_binary_prepare(tn_kernel_site_t* site) {
  return prepare(site, find_binary);
}
bool tn__cpu_compare_supports(const tn_op_use_t* use) {
  return supports(use, 2, find_compare);
}
tn_status_t tn__cpu_compare_prepare(tn_kernel_site_t* site) {
  return prepare(site, find_compare);
}

bool tn__cpu_map_takes_repeated(const void* state, uint32_t operand) {
  return operand < TN_SIDE_COUNT &&
         tn__map_repeats(&((const map_state_t*)state)->map, (tn_side_t)operand);
}

tn_status_t tn__cpu_map_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const map_state_t* state = call->state;
  const size_t offset = (size_t)begin * state->operand_size, count = (size_t)(end - begin);
  char* out = (char*)call->results[0] + (size_t)begin * state->result_size;
  const char* a = (const char*)call->operands[0] + (call->repeated & 1 ? 0 : offset);
  const char* b = NULL;
  if (state->map.binary) b = (const char*)call->operands[1] + (call->repeated & 2 ? 0 : offset);
  if (call->repeated) {
    const tn_side_t side = call->repeated & 1 ? TN_LEFT_REPEATED : TN_RIGHT_REPEATED;
    tn__map_run_repeated(&state->map, side, a, b, out, count);
  } else {
    tn__map_run(&state->map, a, b, out, count);
  }
  return TN_OK;
}

// By way of a buffer in the first-level cache.
static tn_status_t stream_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const map_state_t* state = call->state;
  _Alignas(64) char buffer[STREAMED_ELEMENTS * sizeof(double)];
  for (int64_t i = begin; i < end; i += STREAMED_ELEMENTS) {
    const size_t count = (size_t)(end - i < STREAMED_ELEMENTS ? end - i : STREAMED_ELEMENTS);
    const char* a = (const char*)call->operands[0] + (size_t)i * state->operand_size;
    const char* b = NULL;
    if (state->map.binary) b = (const char*)call->operands[1] + (size_t)i * state->operand_size;
    tn__map_run(&state->map, a, b, buffer, count);
    tn__stream_bytes((char*)call->results[0] + (size_t)i * state->result_size, buffer,
                     count * state->result_size);
  }
  tn__stream_end();
  return TN_OK;
}

static bool is_streamed(const map_state_t* state) {
  return state->result_size <= sizeof(double) &&
         (uint64_t)state->count * state->result_size >= TN_STREAMED_BYTES;
}

tn_status_t tn__cpu_map_run(const tn_kernel_call_t* call) {
  const map_state_t* state = call->state;
  if (state->count <= state->map.grain) return tn__cpu_map_range(0, state->count, (void*)call);
  return tn__pool_parallel_for(call->context->pool, state->count, state->map.grain,
                               is_streamed(state) ? stream_range : tn__cpu_map_range, (void*)call);
}
