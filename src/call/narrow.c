// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/narrow.h"

#include "base/type.h"
#include "call/operation.h"
#include "call/site.h"
#include "kernel/target.h"

typedef struct narrow_result {
  uint32_t index;
  tn_dtype_t dtype;
  size_t count;
} narrow_result_t;

// In the program's arena.
typedef struct narrow_state {
  const tn_kernel_t* kernel;
  tn_kernel_site_t site;  // as the kernel has prepared it
  size_t result_count;
  narrow_result_t* results;
} narrow_state_t;

static bool is_narrow(const tn_type_t* type) {
  if (!tn__type_is_tensor(type)) {
    for (size_t i = 0; type->kind == TN_TYPE_TUPLE && i < type->element_count; ++i) {
      if (is_narrow(type->elements[i])) return true;
    }
    return false;
  }
  const uint32_t width = tn_dtype_bit_width(type->dtype);
  return width > 0 && width < 8;
}

bool tn__call_is_narrow(const tn_op_use_t* use) {
  for (size_t i = 0; i < use->result_count; ++i) {
    if (is_narrow(use->result_types[i])) return true;
  }
  return false;
}

static tn_kernel_call_t call_inside(const tn_kernel_call_t* call) {
  const narrow_state_t* state = call->state;
  tn_kernel_call_t inside = *call;
  inside.state = state->site.state;
  return inside;
}

static tn_status_t init_local(const tn_kernel_call_t* call) {
  const narrow_state_t* state = call->state;
  const tn_kernel_call_t inside = call_inside(call);
  return state->site.local_init(&inside);
}

static void deinit_local(const tn_kernel_call_t* call) {
  const narrow_state_t* state = call->state;
  const tn_kernel_call_t inside = call_inside(call);
  state->site.local_deinit(&inside);
}

static void clear_state(void* user) {
  const narrow_state_t* state = user;
  state->site.state_deinit(state->site.state);
}

static tn_status_t list_results(tn_kernel_site_t* site, narrow_state_t* state) {
  tn_call_site_t call;
  TN_RETURN_IF_ERROR(tn__call_site_read(site, &call));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, call.result_count, &state->results));
  for (size_t i = 0; i < call.result_count; ++i) {
    const tn_type_t* type = call.results[i];
    if (!is_narrow(type)) continue;
    state->results[state->result_count++] =
        (narrow_result_t){(uint32_t)i, type->dtype, (size_t)tn__type_size(type)};
  }
  return TN_OK;
}

tn_status_t tn__narrow_prepare(tn_kernel_site_t* site) {
  narrow_state_t* state = NULL;
  const tn_kernel_t* kernel = tn__call_own_kernel(site->target, site->use);
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  TN_RETURN_IF_ERROR(list_results(site, state));
  TN_RETURN_IF_ERROR(kernel->prepare(site));
  state->kernel = kernel;
  state->site = *site;
  site->state = state;
  site->state_deinit = state->site.state_deinit ? clear_state : NULL;
  site->local_init = state->site.local_init ? init_local : NULL;
  site->local_deinit = state->site.local_deinit ? deinit_local : NULL;
  return TN_OK;
}

tn_status_t tn__narrow_run(const tn_kernel_call_t* call) {
  const narrow_state_t* state = call->state;
  tn_kernel_call_t inside = call_inside(call);
  tn_kernel_context_t context = *call->context;
  context.pending = NULL;
  inside.context = &context;
  TN_RETURN_IF_ERROR(state->kernel->run(&inside));
  for (size_t i = 0; i < state->result_count; ++i) {
    const narrow_result_t* result = &state->results[i];
    tn_dtype_make_values(result->dtype, call->results[result->index], result->count);
  }
  return TN_OK;
}
