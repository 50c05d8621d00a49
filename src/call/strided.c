// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calls of operations with an eval (<tenon/detail/eval.h>), which see their operands where they
// are.
//
// What follows the table of an eval is the same code that a library has for hosts that know
// only dense arrays; here its arrays have the strides that the call says, and the results may be
// where an operand was, if the operation says that it can do with that.
#include "call/strided.h"
#include "call/api.h"
#include "call/attributes.h"
#include "call/buffers.h"
#include "call/check.h"
#include "call/context.h"
#include "call/guard.h"
#include "call/handler.h"
#include "call/infer.h"
#include "call/live.h"
#include "call/scratch.h"
#include "call/site.h"
#include "kernel/target.h"

// In the program's arena.
typedef struct strided_state {
  tn_target_t* target;  // retained
  size_t operand_count, result_count;
  tn_call_buffers_t buffers;
  tn_ffi_attrs_t attrs;
  const int64_t** strides;  // by operand, in bytes; NULL: of one that is dense, or of all
  bool is_gpu;
} strided_state_t;

// What an activation has of its own. Behind it: the buffers, the list of pointers to them, and what
// the eval needs.
typedef struct strided_local {
  tn_ffi_call_frame_t frame;  // first: run_eval gets here from it
  struct tn_ffi_context context;
  tn_call_state_t states[3];
  tn_strided_eval_t* eval;
  const void* const* operands;  // while it runs
  tn_encoder_t* encoder;
  tn_ffi_buffer_t buffers[];
} strided_local_t;

bool tn__target_is_strided(const tn_target_t* target) {
  return target->definition.struct_size && target->definition.eval_cpu;
}

bool tn__target_has_eval_gpu(const tn_target_t* target) {
  return target->definition.struct_size && target->definition.eval_gpu;
}

static tn_status_t init_local(const tn_kernel_call_t* call);
static void deinit_local(const tn_kernel_call_t* call);

static void clear_state(void* user) {
  strided_state_t* state = user;
  tn__target_release(state->target);
}

static tn_status_t list_strides(const tn_call_site_t* call, const int64_t*** out_strides) {
  const tn_view_t* views = call->site->views;
  void* memory = NULL;
  *out_strides = NULL;
  if (!views) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(call->site->arena, call->operand_count, sizeof(int64_t*), &memory));
  *out_strides = memory;
  for (size_t i = 0; i < call->operand_count; ++i) (*out_strides)[i] = views[i].strides;
  return TN_OK;
}

// Operands whose memory the first result may have: those that are no other operand as well.
static uint32_t find_in_place(const tn_call_site_t* call, uint32_t donates) {
  const tn_kernel_site_t* site = call->site;
  if (site->use->operand_count != call->operand_count) return 0;  // tuples among them
  return donates & site->single_operands;
}

tn_status_t tn__strided_prepare(const tn_call_site_t* call, tn_target_t* target) {
  tn_kernel_site_t* site = call->site;
  tn_attr_dictionary_t attrs = call->attrs;
  TN_RETURN_IF_ERROR(tn__call_check(target->op, false, call->operand_count, call->operands,
                                    call->result_count, call->results, &call->attrs, site->arena,
                                    &attrs));
  TN_RETURN_IF_ERROR(tn__call_check_inferred(call, target->op, &attrs));
  strided_state_t* state = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  TN_RETURN_IF_ERROR(tn__call_attributes_build(call, &attrs, &state->attrs));
  TN_RETURN_IF_ERROR(tn__call_buffers_make(call, &state->buffers));
  state->operand_count = call->operand_count;
  state->result_count = call->result_count;
  state->is_gpu = !site->target->is_host;
  TN_RETURN_IF_ERROR(list_strides(call, &state->strides));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, call->result_count, &site->in_place));
  if (call->result_count) site->in_place[0] = find_in_place(call, target->definition.donates);
  state->target = tn__target_retain(target);
  site->state = state;
  site->state_deinit = clear_state;
  const size_t count = call->operand_count + call->result_count;
  site->local_byte_size = sizeof(strided_local_t) +
                          count * (sizeof(tn_ffi_buffer_t) + sizeof(void*)) +
                          tn__strided_eval_byte_size(call->operand_count, call->result_count,
                                                     state->buffers.buffers, state->is_gpu);
  site->local_init = init_local;
  site->local_deinit = deinit_local;
  return TN_OK;
}

// --- when it runs

// In the guise of a handler, so that the guard can call it.
static tn_status_t run_eval(tn_ffi_call_frame_t* frame) {
  strided_local_t* local = (strided_local_t*)(void*)frame;  // its first member
  return tn__strided_eval_run(local->eval, local->operands, local->encoder);
}

static tn_status_t init_local(const tn_kernel_call_t* call) {
  const strided_state_t* state = call->state;
  strided_local_t* local = call->local;
  const size_t count = state->operand_count + state->result_count;
  void** values = (void**)(void*)&local->buffers[count];
  for (size_t i = 0; i < count; ++i) {
    local->buffers[i] = state->buffers.buffers[i];
    values[i] = &local->buffers[i];
  }
  for (size_t i = 0; i < 3; ++i) local->context.states[i] = &local->states[i];
  local->frame = (tn_ffi_call_frame_t){
      .struct_size = TN_FFI_CALL_FRAME_SIZE,
      .api = tn__call_api(),
      .context = &local->context,
      .stage = TN_FFI_EXECUTE,
      .args = {.struct_size = TN_FFI_VALUES_SIZE,
               .count = (int64_t)state->operand_count,
               .types = state->buffers.types,
               .values = values},
      .rets = {.struct_size = TN_FFI_VALUES_SIZE,
               .count = (int64_t)state->result_count,
               .types = state->buffers.types + state->operand_count,
               .values = values + state->operand_count},
      .attrs = state->attrs,
  };
  local->eval = (tn_strided_eval_t*)(void*)(values + count);
  tn__strided_eval_init(local->eval, &local->frame, state->target->op, &state->target->definition,
                        state->strides, state->is_gpu);
  return TN_OK;
}

static void clear_local(strided_local_t* local) {
  tn__scratch_free_all(&local->context);
  for (size_t i = 0; i < 3; ++i) tn__call_state_clear(&local->states[i]);
  local->context.is_late = false;
}

static void deinit_local(const tn_kernel_call_t* call) {
  strided_local_t* local = call->local;
  clear_local(local);
  tn__strided_eval_deinit(local->eval);
}

static tn_status_t finish(const strided_state_t* state, strided_local_t* local,
                          tn_guarded_t guarded) {
  tn_status_t error =
      guarded.exception ? tn__error_give(tn__guard_error(guarded.exception)) : guarded.result;
  if (guarded.exception) tn__strided_eval_end(local->eval);
  if (local->frame.future) tn__library_pin(state->target->library);
  tn_status_t status = tn__handler_finish(state->target->name, &local->frame, error);
  if (!local->context.is_late) tn__scratch_free_all(&local->context);
  return status;
}

tn_status_t tn__strided_run(const tn_kernel_call_t* call) {
  const strided_state_t* state = call->state;
  strided_local_t* local = call->local;
  local->operands = call->operands;
  local->encoder = call->context->encoder;
  for (size_t i = 0; i < state->result_count; ++i) {
    local->buffers[state->operand_count + i].data = call->results[i];
  }
  local->context.kernel = call->context;
  tn_guarded_t guarded = tn__guard_call(run_eval, &local->frame);
  const bool is_plain =
      !guarded.result && !guarded.exception && !local->frame.future && !local->context.scratch;
  return __builtin_expect(is_plain, 1) ? TN_OK : finish(state, local, guarded);
}
