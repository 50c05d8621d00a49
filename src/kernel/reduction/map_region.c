// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/reduction/map_region.h"

#include "base/pool.h"
#include "kernel/common/body.h"
#include "kernel/common/site.h"
#include "kernel/elementwise/map.h"

enum { GRAIN = 16 << 10 };

typedef struct map_region {
  int64_t count;
  size_t operand_count;
  const size_t* sizes;  // of the operands' elements
  size_t result_size;
  bool is_known;  // one binary operation
  tn_map_t known;
} map_region_t;

tn_status_t tn__cpu_map_region_prepare(tn_kernel_site_t* site) {
  map_region_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const tn_type_t* result = tn__site_result(site, 0);
  state->count = tn__type_size(result);
  state->operand_count = site->use->operand_count;
  state->result_size = tn_dtype_byte_size(result->dtype);
  size_t* sizes;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, state->operand_count, &sizes));
  for (size_t i = 0; i < state->operand_count; ++i) {
    sizes[i] = tn_dtype_byte_size(tn__site_operand(site, i)->dtype);
  }
  state->sizes = sizes;
  const tn_op_t* op = state->operand_count == 2 ? site->bodies[0].binary : NULL;
  const tn_dtype_t dtype = tn__site_operand(site, 0)->dtype;
  // A comparison's direction is an attribute of the operation in the region: left to the body.
  state->is_known = op && op != TN__OP(compare) && dtype == tn__site_operand(site, 1)->dtype &&
                    tn__map_binary(tn__op_short_name(op), dtype, result->dtype, &state->known);
  return TN_OK;
}

static tn_status_t map_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const map_region_t* state = call->state;
  tn__map_run(&state->known, (const char*)call->operands[0] + (size_t)begin * state->sizes[0],
              (const char*)call->operands[1] + (size_t)begin * state->sizes[1],
              (char*)call->results[0] + (size_t)begin * state->result_size, (size_t)(end - begin));
  return TN_OK;
}

tn_status_t tn__cpu_map_region_run(const tn_kernel_call_t* call) {
  const map_region_t* state = call->state;
  if (state->is_known) {
    return tn__pool_parallel_for(call->context->pool, state->count, GRAIN, map_range,
                                 (void*)(uintptr_t)call);
  }
  const tn_body_t* body = &call->bodies[0];
  for (int64_t i = 0; i < state->count; ++i) {
    for (size_t k = 0; k < state->operand_count; ++k) {
      const size_t size = state->sizes[k];
      tn__element_copy(size, body->arguments[k], (const char*)call->operands[k] + (size_t)i * size);
    }
    TN_RETURN_IF_ERROR(body->run(body));
    tn__element_copy(state->result_size, (char*)call->results[0] + (size_t)i * state->result_size,
                     body->results[0]);
  }
  return TN_OK;
}
