// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/movement/dynamic.h"

#include "kernel/common/site.h"
#include "kernel/static_form.h"
#include "kernel/target.h"

typedef struct dynamic {
  const tn_compile_target_t* target;
  const tn_static_form_t* form;
  tn_op_use_t use;
  const tn_allocator_t* allocator;
} dynamic_t;

// Whether the elements can be computed does not depend on the operands that are not known yet.
bool tn__cpu_dynamic_supports(const tn_op_use_t* use) {
  const tn_static_form_t* form = tn__static_form_of(use->op);
  const tn_op_use_t fixed = {
      .op = form->fixed,
      .operand_count = form->data_count,
      .operand_types = use->operand_types,
      .result_count = use->result_count,
      .result_types = use->result_types,
      .attrs = use->attrs,
      .arena = use->arena,
  };
  return tn__kernel_find(&tn__compile_target_host, &fixed) != NULL;
}

static tn_status_t copy_types(tn_arena_t* arena, size_t count, const tn_type_t* const* types,
                              const tn_type_t* const** out_types) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, sizeof(const tn_type_t*), &memory));
  if (count) memcpy(memory, types, count * sizeof *types);
  *out_types = memory;
  return TN_OK;
}

tn_status_t tn__cpu_dynamic_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  dynamic_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->target = site->target;
  state->form = tn__static_form_of(use->op);
  state->use = *use;
  state->allocator = site->arena->allocator;
  TN_RETURN_IF_ERROR(
      copy_types(site->arena, use->operand_count, use->operand_types, &state->use.operand_types));
  return copy_types(site->arena, use->result_count, use->result_types, &state->use.result_types);
}

static tn_status_t run_once(const tn_kernel_t* kernel, const tn_kernel_site_t* site,
                            const tn_kernel_call_t* call, tn_arena_t* arena) {
  tn_kernel_call_t once = *call;
  once.state = site->state;
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, site->scratch_byte_size, 64, &once.scratch));
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, site->local_byte_size, 64, &once.local));
  if (site->local_init) TN_RETURN_IF_ERROR(site->local_init(&once));
  tn_status_t status = kernel->run(&once);
  if (site->local_deinit) site->local_deinit(&once);
  return status;
}

// Everything that is made on the way lives in `arena`, and goes with it.
static tn_status_t run(const tn_kernel_call_t* call, tn_arena_t* arena) {
  const dynamic_t* state = call->state;
  const int64_t* values[3];
  const size_t first = state->form->data_count;
  for (size_t i = first; i < state->use.operand_count; ++i) {
    TN_RETURN_IF_ERROR(tn__static_form_read(arena, state->use.operand_types[i], call->operands[i],
                                            false, &values[i - first]));
  }
  tn_op_use_t use;
  TN_RETURN_IF_ERROR(tn__static_form_use(state->form, &state->use, values, arena, &use));
  const tn_kernel_t* kernel = tn__kernel_find(state->target, &use);
  tn_kernel_site_t site = {.use = &use, .arena = arena, .target = state->target};
  if (kernel->prepare) TN_RETURN_IF_ERROR(kernel->prepare(&site));
  tn_status_t status = run_once(kernel, &site, call, arena);
  if (site.state_deinit) site.state_deinit(site.state);
  return status;
}

tn_status_t tn__cpu_dynamic_run(const tn_kernel_call_t* call) {
  const dynamic_t* state = call->state;
  tn_arena_t arena;
  tn__arena_init(&arena, state->allocator);
  tn_status_t status = run(call, &arena);
  tn__arena_deinit(&arena);
  return status;
}
