// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calls of handlers of XLA's FFI.
//
// A frame is built in the local memory of an activation, once for each run; a call then patches the
// pointers to the data, and is one indirect call.
#include <stdio.h>

#include "call/api.h"
#include "call/attributes.h"
#include "call/buffers.h"
#include "call/captured.h"
#include "call/check.h"
#include "call/context.h"
#include "call/guard.h"
#include "call/handler.h"
#include "call/infer.h"
#include "call/live.h"
#include "call/mismatch.h"
#include "call/scratch.h"
#include "call/site.h"
#include "kernel/target.h"

// What all activations share; in the program's arena.
typedef struct tn_typed_state {
  tn_ffi_handler_t execute;
  size_t operand_count, result_count;
  const tn_ffi_buffer_t* buffers;  // operands, then results, without data
  int32_t* types;                  // of the values: all are buffers
  tn_ffi_attrs_t attrs;
  tn_target_t* target;           // retained
  tn_call_state_t instantiated;  // by its instantiate stage
  size_t site_count;             // sites that have this state
  tn_local_share_t local;        // they take turns with one frame
  tn_attr_dictionary_t given;    // attributes as the program gives them
  uint32_t libraries;            // that the call may use
  const tn_type_t** values;      // types: operands, then results
  size_t dim_count;              // of all of them together
  const tn_allocator_t* allocator;
} tn_typed_state_t;

// What an activation has of its own. Behind it: the buffers, the list of pointers to them, and
// their dimensions.
typedef struct typed_local {
  tn_ffi_call_frame_t frame;
  struct tn_ffi_context context;
  tn_call_state_t prepared, initialized;
  int64_t run_id;   // of the run that the frame was built for; 0: none
  bool is_pending;  // a handler completes its future later
  const tn_typed_state_t* state;
  struct typed_local* spare;  // for calls that come meanwhile; owned
  tn_ffi_buffer_t buffers[];
} typed_local_t;

static size_t local_byte_size(const tn_typed_state_t* state) {
  return sizeof(typed_local_t) +
         (state->operand_count + state->result_count) * (sizeof(tn_ffi_buffer_t) + sizeof(void*)) +
         state->dim_count * sizeof(int64_t);
}

static tn_status_t make_buffers(const tn_call_site_t* call, tn_typed_state_t* state) {
  tn_call_buffers_t buffers;
  const size_t count = call->operand_count + call->result_count;
  TN_RETURN_IF_ERROR(tn__call_buffers_make(call, &buffers));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(call->site->arena, count, &state->values));
  for (size_t i = 0; i < count; ++i) {
    state->values[i] = tn__call_value_type(call, i);
    state->dim_count += (size_t)buffers.buffers[i].rank;
  }
  state->buffers = buffers.buffers;
  state->types = buffers.types;
  state->operand_count = call->operand_count;
  state->result_count = call->result_count;
  return TN_OK;
}

static void init_frame(const tn_typed_state_t* state, tn_ffi_context_t* context,
                       tn_ffi_call_frame_t* frame) {
  context->libraries = state->libraries;
  *frame = (tn_ffi_call_frame_t){
      .struct_size = TN_FFI_CALL_FRAME_SIZE,
      .api = tn__call_api(),
      .context = context,
      .args.struct_size = TN_FFI_VALUES_SIZE,
      .rets.struct_size = TN_FFI_VALUES_SIZE,
      .attrs = state->attrs,
  };
}

// --- when the program is compiled

static void clear_state(void* user) {
  tn_typed_state_t* state = user;
  if (--state->site_count) return;
  tn__call_state_clear(&state->instantiated);
  tn__target_release(state->target);
  state->target = NULL;
}

// What an instantiate stage sees, which lives on when its handler is late.
typedef struct instantiation {
  tn_call_lifetime_t lifetime;
  tn_arena_t arena;     // of the attributes
  tn_target_t* target;  // retained
  tn_ffi_call_frame_t frame;
  tn_ffi_context_t context;
  tn_call_state_t made;
} instantiation_t;

static void destroy_instantiation(tn_call_lifetime_t* lifetime) {
  instantiation_t* self = (instantiation_t*)(void*)lifetime;  // its first member
  const tn_allocator_t* allocator = self->arena.allocator;
  tn__scratch_free_all(&self->context);
  tn__call_state_clear(&self->made);
  tn__target_release(self->target);
  tn__arena_deinit(&self->arena);
  tn__free(allocator, self, sizeof *self);
}

// What a decoder refused that was not asked before.
static tn_status_t explain(tn_status_t status, const tn_typed_state_t* state) {
  const tn_refused_call_t call = {.operand_count = state->operand_count,
                                  .result_count = state->result_count,
                                  .types = state->values,
                                  .attrs = &state->attrs,
                                  .given = &state->given};
  return tn__mismatch_explain(status, &call);
}

// Runs the stage. Its caller says which call it is.
static tn_status_t instantiate(tn_typed_state_t* state, const tn_attr_dictionary_t* attrs,
                               const tn_kernel_site_t* site, const tn_handler_facts_t* facts) {
  const tn_allocator_t* allocator = site->arena->allocator;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, sizeof(instantiation_t), &memory));
  instantiation_t* self = memory;
  tn__lifetime_init(&self->lifetime, destroy_instantiation);
  tn__arena_init(&self->arena, allocator);
  self->target = tn__target_retain(state->target);
  init_frame(state, &self->context, &self->frame);
  self->frame.stage = TN_FFI_INSTANTIATE;
  self->context.states[TN_FFI_INSTANTIATE] = &self->made;
  self->context.lifetime = &self->lifetime;
  self->context.owner = site->target->context;
  self->context.brings_deleters = facts->instantiate_minor < TN_FFI_API_MINOR_TYPE_INFO;
  tn_status_t status = tn__attributes_build(&self->arena, NULL, attrs, &self->frame.attrs);
  if (!status) {
    tn_status_t error = tn__guard_handler(self->target->bundle.instantiate, &self->frame);
    if (self->frame.future) tn__library_pin(self->target->library);
    status = tn__handler_finish((tn_string_view_t){0}, &self->frame, error);
    if (status) status = explain(status, state);
  }
  if (!self->context.is_late) {
    state->instantiated = self->made;
    self->made = (tn_call_state_t){0};
  }
  tn__lifetime_release(&self->lifetime);
  if (status || !facts->state_type_id || state->instantiated.type_id == facts->state_type_id) {
    return status;
  }
  return tn_status_create(TN_CODE_INTERNAL,
                          "the instantiate stage says that its state has the type id %lld, but it "
                          "set %s",
                          (long long)facts->state_type_id,
                          state->instantiated.deleter ? "one of another type" : "none");
}

// What the handler says of itself; asked now if registering could not ask.
static tn_status_t find_facts(const tn_call_site_t* call, const tn_target_t* target,
                              tn_handler_facts_t* out_facts) {
  *out_facts = target->facts;
  if (target->facts.minor >= 0) return TN_OK;
  const tn_target_spec_t spec = {
      .versions = TN_TARGET_TYPED,
      .bundle = target->bundle,
      .library = target->library,
  };
  return tn__handler_ask(call->site->target->context, &spec, out_facts);
}

static tn_status_t init_local(const tn_kernel_call_t* call);
static void deinit_local(const tn_kernel_call_t* call);
// Makes the site one of those that have the state.
static void attach(tn_typed_state_t* state, tn_kernel_site_t* site) {
  ++state->site_count;
  site->state = state;
  site->state_deinit = clear_state;
  site->local_byte_size = local_byte_size(state);
  site->local_share = &state->local;
  site->local_init = init_local;
  site->local_deinit = deinit_local;
}

static bool is_alike(const tn_typed_state_t* state, const tn_call_site_t* call,
                     const tn_target_t* target) {
  if (state->target != target || state->operand_count != call->operand_count ||
      state->result_count != call->result_count) {
    return false;
  }
  for (size_t i = 0; i < call->operand_count; ++i) {
    if (!tn_type_equal(state->values[i], call->operands[i])) return false;
  }
  for (size_t i = 0; i < call->result_count; ++i) {
    if (!tn_type_equal(state->values[call->operand_count + i], call->results[i])) return false;
  }
  return tn__attr_dictionary_equal(&state->given, &call->attrs);
}

// The state of a call of the same program that is like this one; NULL when there is none at hand.
static tn_typed_state_t* find_alike(const tn_call_site_t* call, const tn_target_t* target) {
  tn_call_cache_t* cache = call->site->calls;
  for (size_t i = 0; cache && i < cache->count; ++i) {
    const tn_typed_state_t* state = cache->recent[i];
    if (!is_alike(state, call, target)) continue;
    memmove(&cache->recent[1], &cache->recent[0], i * sizeof *cache->recent);
    cache->recent[0] = state;
    return (tn_typed_state_t*)state;
  }
  return NULL;
}

static void remember(tn_call_cache_t* cache, const tn_typed_state_t* state) {
  if (!cache) return;
  if (cache->count < TN_CALL_CACHE_SIZE) ++cache->count;
  memmove(&cache->recent[1], &cache->recent[0], (cache->count - 1) * sizeof *cache->recent);
  cache->recent[0] = state;
}

// A handler that does not ask for attributes by their names cannot refuse one that is misspelt.
static tn_status_t warn_of_attributes(const tn_call_site_t* call, const tn_target_t* target) {
  char text[512];
  tn_string_view_t copy;
  if (!call->attrs.count || !target->probed->takes_any_attributes) return TN_OK;
  snprintf(text, sizeof text,
           "custom call @%s: attribute %s: the handler takes any attributes, and may look at none",
           TN_NAME_TEXT(target->name), TN_NAME_TEXT(call->attrs.entries[0].name));
  TN_RETURN_IF_ERROR(tn__arena_copy_string(call->site->arena, tn__sv(text), &copy));
  call->site->warning = copy.data;
  return TN_OK;
}

tn_status_t tn__typed_prepare(const tn_call_site_t* call, tn_target_t* target) {
  tn_kernel_site_t* site = call->site;
  tn_typed_state_t* alike = find_alike(call, target);
  if (alike) {
    attach(alike, site);
    return TN_OK;
  }
  tn_handler_facts_t facts;
  TN_RETURN_IF_ERROR(find_facts(call, target, &facts));
  tn_typed_state_t* state = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  tn_attr_dictionary_t attrs = call->attrs;
  const tn_ffi_op_t* op = target->op ? target->op : facts.op;
  const bool is_probed = !op && target->probed;
  if (is_probed) op = target->probed->op;
  if (op) {
    TN_RETURN_IF_ERROR(tn__call_check(op, is_probed, call->operand_count, call->operands,
                                      call->result_count, call->results, &call->attrs, site->arena,
                                      &attrs));
    if (is_probed) TN_RETURN_IF_ERROR(warn_of_attributes(call, target));
  }
  if (!is_probed) TN_RETURN_IF_ERROR(tn__call_check_inferred(call, op, &attrs));
  TN_RETURN_IF_ERROR(tn__call_attributes_build(call, &attrs, &state->attrs));
  TN_RETURN_IF_ERROR(make_buffers(call, state));
  state->execute = target->bundle.execute;
  state->given = call->attrs;
  state->libraries = site->target->libraries;
  state->allocator = site->arena->allocator;
  state->target = tn__target_retain(target);
  attach(state, site);
  if (!target->bundle.instantiate) {
    remember(site->calls, state);
    return TN_OK;
  }
  // What the stage makes may differ from call to call, and is this one's alone.
  tn_status_t status = instantiate(state, &attrs, site, &facts);
  if (status) {
    clear_state(state);
    site->state = NULL;
  }
  return status;
}

// --- when it runs

static void make_frame(const tn_typed_state_t* state, typed_local_t* local) {
  size_t count = state->operand_count + state->result_count;
  void** values = (void**)(void*)&local->buffers[count];
  int64_t* dims = (int64_t*)(void*)&values[count];
  for (size_t i = 0; i < count; ++i) {
    const tn_ffi_buffer_t* buffer = &state->buffers[i];
    const size_t rank = (size_t)buffer->rank;
    local->buffers[i] = *buffer;
    local->buffers[i].dims = dims;
    if (rank) memcpy(dims, buffer->dims, rank * sizeof *dims);
    dims += rank;
    values[i] = &local->buffers[i];
  }
  local->state = state;
  init_frame(state, &local->context, &local->frame);
  local->frame.stage = TN_FFI_EXECUTE;
  local->frame.args.count = (int64_t)state->operand_count;
  local->frame.args.types = state->types;
  local->frame.args.values = values;
  local->frame.rets.count = (int64_t)state->result_count;
  local->frame.rets.types = state->types + state->operand_count;
  local->frame.rets.values = values + state->operand_count;
  // The stage set it once and for all, before there was any activation.
  local->context.states[TN_FFI_INSTANTIATE] = (tn_call_state_t*)&state->instantiated;
  local->context.states[TN_FFI_PREPARE] = &local->prepared;
  local->context.states[TN_FFI_INITIALIZE] = &local->initialized;
}

// A frame that no handler uses: the activation's, or a spare one. NULL: there is no memory for it.
static typed_local_t* find_idle(const tn_typed_state_t* state, typed_local_t* local) {
  void* memory = NULL;
  for (; local->is_pending; local = local->spare) {
    if (local->spare) continue;
    tn_status_release(tn__allocate(state->allocator, local_byte_size(state), &memory));
    local->spare = memory;
    if (!memory) return NULL;
  }
  return local;
}

// The handler of an earlier run may have changed the frame, or one of this run is still at it.
static typed_local_t* begin_run(const tn_kernel_call_t* call) {
  const tn_call_environment_t* environment = call->context->environment;
  typed_local_t* local = find_idle(call->state, call->local);
  if (!local) return NULL;
  make_frame(call->state, local);
  local->run_id = environment->run_id;
  return local;
}

static tn_status_t init_local(const tn_kernel_call_t* call) {
  typed_local_t* local = call->local;
  make_frame(call->state, local);
  local->run_id = 0;
  return TN_OK;
}

// Also what a handler that was late has left.
static void clear_local(typed_local_t* local) {
  tn__scratch_free_all(&local->context);
  tn__call_state_clear(&local->initialized);
  tn__call_state_clear(&local->prepared);
  local->context.is_late = false;
}

static void deinit_local(const tn_kernel_call_t* call) {
  const tn_typed_state_t* state = call->state;
  typed_local_t* local = call->local;
  clear_local(local);
  for (typed_local_t *spare = local->spare, *next = NULL; spare; spare = next) {
    next = spare->spare;
    clear_local(spare);
    tn__free(state->allocator, spare, local_byte_size(state));
  }
  local->spare = NULL;
}

// Whether the handler left alone what its frame says of the operands and results.
static bool is_intact(const tn_typed_state_t* state, const typed_local_t* local) {
  const size_t count = state->operand_count + state->result_count;
  const int64_t* dims = (const int64_t*)(const void*)((void* const*)&local->buffers[count] + count);
  const tn_ffi_call_frame_t* frame = &local->frame;
  if (frame->args.count != (int64_t)state->operand_count ||
      frame->rets.count != (int64_t)state->result_count) {
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    const tn_ffi_buffer_t *is = &local->buffers[i], *was = &state->buffers[i];
    const size_t rank = (size_t)was->rank;
    if (is->rank != was->rank || is->dtype != was->dtype || is->dims != dims ||
        (rank && memcmp(dims, was->dims, rank * sizeof *dims) != 0)) {
      return false;
    }
    dims += rank;
  }
  return true;
}

// A call that failed: the error, and whether the frame may be the cause. The frame is made anew.
static tn_status_t explain_failure(tn_status_t status, const tn_typed_state_t* state,
                                   typed_local_t* local) {
  if (!is_intact(state, local)) {
    status = tn_status_note(
        status,
        "the handler changed the counts, dtypes or shapes in its call frame, in this call or in "
        "an earlier one of the run; a handler must not write there");
  }
  make_frame(state, local);
  return explain(status, state);
}

// The call is over, or given up.
static tn_status_t end_call(const tn_typed_state_t* state, typed_local_t* local,
                            tn_status_t error) {
  tn_status_t status = tn__handler_finish(state->target->name, &local->frame, error);
  if (!local->context.is_late) tn__scratch_free_all(&local->context);
  if (!status) return TN_OK;
  return local->context.is_late ? explain(status, state) : explain_failure(status, state, local);
}

static tn_status_t finish_pending(void* user) {
  typed_local_t* local = user;
  tn_status_t status = end_call(local->state, local, TN_OK);
  if (!local->context.is_late) clear_local(local);
  local->is_pending = false;
  return status;
}

// Leaves the call to a handler that completes its future later, and the frame to the handler. False
// when the run does not go on without it, or the future needs no waiting.
static bool leave(typed_local_t* local) {
  tn_kernel_pending_t* pending = local->context.kernel->pending;
  const tn_ffi_call_frame_t* frame = &local->frame;
  if (!pending || !frame->future || frame->stage != TN_FFI_EXECUTE) return false;
  if (!tn__future_begin(frame->future)) return false;
  *pending = (tn_kernel_pending_t){finish_pending, local};
  local->is_pending = true;
  local->run_id = 0;
  return true;
}

__attribute__((noinline, cold)) static tn_status_t finish(const tn_typed_state_t* state,
                                                          typed_local_t* local,
                                                          tn_guarded_t guarded) {
  tn_status_t error =
      guarded.exception ? tn__error_give(tn__guard_error(guarded.exception)) : guarded.result;
  if (local->frame.future) tn__library_pin(state->target->library);
  if (!error && leave(local)) return tn__status_pending();
  return end_call(state, local, error);
}

static inline tn_status_t run_stage(const tn_typed_state_t* state, typed_local_t* local,
                                    tn_ffi_handler_t handler) {
  tn_guarded_t guarded = tn__guard_call(handler, &local->frame);
  bool is_plain =
      !guarded.result && !guarded.exception && !local->frame.future && !local->context.scratch;
  return __builtin_expect(is_plain, 1) ? TN_OK : finish(state, local, guarded);
}

// Whether the call's frame is another run's, or in use.
static inline bool is_stale(const tn_kernel_call_t* call, const typed_local_t* local) {
  const tn_call_environment_t* environment = call->context->environment;
  return environment && environment->run_id != local->run_id;
}

static inline void patch(const tn_kernel_call_t* call, const tn_typed_state_t* state,
                         typed_local_t* local) {
  tn_ffi_buffer_t* buffer = local->buffers;
  for (size_t i = 0; i < state->operand_count; ++i, ++buffer) {
    buffer->data = (void*)call->operands[i];  // the ABI has no const
  }
  for (size_t i = 0; i < state->result_count; ++i, ++buffer) buffer->data = call->results[i];
  local->context.kernel = call->context;
}

static inline tn_status_t run_execute(const tn_kernel_call_t* call, typed_local_t* local) {
  const tn_typed_state_t* state = call->state;
  patch(call, state, local);
  return run_stage(state, local, state->execute);
}

__attribute__((noinline, cold)) static tn_status_t run_afresh(const tn_kernel_call_t* call) {
  typed_local_t* local = begin_run(call);
  return local ? run_execute(call, local) : tn__status_out_of_memory();
}

// Aligned, since where it begins in a cache line decides over half a nanosecond of the four to
// seven that a call costs.
__attribute__((aligned(64))) tn_status_t tn__typed_run(const tn_kernel_call_t* call) {
  if (__builtin_expect(is_stale(call, call->local), 0)) return run_afresh(call);
  return run_execute(call, call->local);
}

// Twice, where it is checked.
typedef struct execution {
  const tn_typed_state_t* state;
  typed_local_t* local;
} execution_t;

static tn_status_t execute(void* user) {
  const execution_t* it = user;
  return run_stage(it->state, it->local, it->state->execute);
}

// States of prepare and initialize live for one run.
static inline tn_status_t run_stages(const tn_kernel_call_t* call, bool is_captured) {
  const tn_typed_state_t* state = call->state;
  typed_local_t* local = call->local;
  const tn_ffi_bundle_t* bundle = &state->target->bundle;
  if (is_stale(call, local)) {
    local = begin_run(call);
    if (!local) return tn__status_out_of_memory();
  }
  clear_local(local);
  patch(call, state, local);
  tn_status_t status = TN_OK;
  if (bundle->prepare) {
    local->frame.stage = TN_FFI_PREPARE;
    status = run_stage(state, local, bundle->prepare);
  }
  if (!status && bundle->initialize) {
    local->frame.stage = TN_FFI_INITIALIZE;
    status = run_stage(state, local, bundle->initialize);
  }
  local->frame.stage = TN_FFI_EXECUTE;
  execution_t execution = {state, local};
  if (!status && is_captured) {
    status = tn__captured_run(&(tn_captured_call_t){.call = call,
                                                    .operand_count = state->operand_count,
                                                    .result_count = state->result_count,
                                                    .types = state->values,
                                                    .name = state->target->name,
                                                    .execute = execute,
                                                    .user = &execution});
  } else if (!status) {
    status = execute(&execution);
  }
  if (!local->is_pending && !local->context.is_late) clear_local(local);
  return status;
}

tn_status_t tn__typed_run_stages(const tn_kernel_call_t* call) {
  return run_stages(call, false);
}

// Nothing is pending: the call is over when it has been compared.
tn_status_t tn__typed_run_captured(const tn_kernel_call_t* call) {
  tn_kernel_context_t context = *call->context;
  tn_kernel_call_t inside = *call;
  context.pending = NULL;
  inside.context = &context;
  return run_stages(&inside, true);
}
