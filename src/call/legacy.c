// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calls of functions of the conventions before XLA's FFI.
//
// On the host: void f(void* out, const void** in), from version 2 on with a status behind, of
// version 3 with the opaque bytes before it. `in` lists the operands. A tuple is a list of its
// elements, nested as the type is. `out` is the only result if there is one, else the list of all.
//
// On other devices: void f(stream, void** buffers, const char* opaque, size_t opaque_length), from
// version 2 on with a status behind. `buffers` lists the leaves of operands and results, in
// preorder; they are addresses of the device, NULL for tokens.
//
// The lists are in the activation's local memory; a call patches the leaves into them.
#include <stdlib.h>

#include "call/global_xla.h"
#include "call/guard.h"
#include "call/site.h"
#include "kernel/encoder.h"
#include "kernel/target.h"

typedef void (*original_fn)(void* out, const void** in);
typedef void (*status_fn)(void* out, const void** in, struct XlaCustomCallStatus_* status);
typedef void (*opaque_fn)(void* out, const void** in, const char* opaque, size_t opaque_length,
                          struct XlaCustomCallStatus_* status);
typedef void (*stream_fn)(void* stream, void** buffers, const char* opaque, size_t opaque_length);
typedef void (*stream_status_fn)(void* stream, void** buffers, const char* opaque,
                                 size_t opaque_length, struct XlaCustomCallStatus_* status);

// A pointer from one place of the lists to another.
typedef struct link {
  size_t from, to;
} link_t;

typedef struct legacy_state {
  tn_ffi_function_t function;
  size_t operand_count, result_count;  // leaves
  const size_t* places;                // of the leaves, operands first, in the lists
  size_t byte_size;                    // of the lists
  size_t in, out;     // where the lists begin; `out` is a place to read when `out_is_place`
  bool out_is_place;  // the only result
  size_t link_count;
  const link_t* links;
  tn_string_view_t opaque;
  tn_target_t* target;  // retained
} legacy_state_t;

// --- compilation: the layout of the arguments

typedef struct layout {
  size_t place_count, leaf_count, link_count;
  size_t spare;    // a place behind the lists
  size_t* places;  // NULL while counting
  link_t* links;
} layout_t;

// The list of some types: first their places side by side, then the lists of those that are tuples.
// The depth of types is bounded.
static size_t lay_out(layout_t* layout, size_t count, const tn_type_t* const* types) {
  size_t begin = layout->place_count;
  layout->place_count += count;
  for (size_t i = 0; i < count; ++i) {
    if (types[i]->kind != TN_TYPE_TUPLE) {
      if (layout->places) layout->places[layout->leaf_count] = begin + i;
      ++layout->leaf_count;
      continue;
    }
    size_t inner = lay_out(layout, types[i]->element_count, types[i]->elements);
    if (layout->links) layout->links[layout->link_count] = (link_t){begin + i, inner};
    ++layout->link_count;
  }
  return begin;
}

// The list for devices. What is given for tokens goes to the spare place, and their own stay NULL.
static void lay_out_flat(layout_t* layout, size_t count, const tn_type_t* const* types) {
  for (size_t i = 0; i < count; ++i) {
    if (types[i]->kind == TN_TYPE_TUPLE) {
      lay_out_flat(layout, types[i]->element_count, types[i]->elements);
      continue;
    }
    const bool is_token = types[i]->kind == TN_TYPE_TOKEN;
    const size_t place = layout->place_count++;
    if (layout->places) layout->places[layout->leaf_count] = is_token ? layout->spare : place;
    ++layout->leaf_count;
  }
}

static void lay_out_call(layout_t* layout, const tn_kernel_site_t* site, legacy_state_t* state) {
  const tn_op_use_t* use = site->use;
  if (!site->target->is_host) {
    lay_out_flat(layout, use->operand_count, use->operand_types);
    lay_out_flat(layout, use->result_count, use->result_types);
    return;
  }
  state->in = lay_out(layout, use->operand_count, use->operand_types);
  state->out = lay_out(layout, use->result_count, use->result_types);
}

static void clear_state(void* user) {
  legacy_state_t* state = user;
  tn__target_release(state->target);
  state->target = NULL;
}

static tn_status_t init_local(const tn_kernel_call_t* call) {
  const legacy_state_t* state = call->state;
  void** lists = call->local;
  memset(lists, 0, state->byte_size);
  for (size_t i = 0; i < state->link_count; ++i) {
    lists[state->links[i].from] = &lists[state->links[i].to];
  }
  return TN_OK;
}

tn_status_t tn__legacy_prepare(const tn_call_site_t* call, tn_target_t* target) {
  tn_kernel_site_t* site = call->site;
  legacy_state_t* state = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  layout_t layout = {0};
  lay_out_call(&layout, site, state);
  size_t* places = NULL;
  link_t* links = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, layout.leaf_count, &places));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, layout.link_count, &links));
  state->places = places;
  state->links = links;
  layout = (layout_t){.spare = layout.place_count, .places = places, .links = links};
  lay_out_call(&layout, site, state);
  TN_RETURN_IF_ERROR(tn__arena_copy_string(site->arena, call->opaque, &state->opaque));
  state->function = target->function;
  state->operand_count = call->operand_count;
  state->result_count = call->result_count;
  state->link_count = layout.link_count;
  state->out_is_place = site->use->result_count == 1;
  state->target = tn__target_retain(target);
  site->state = state;
  site->state_deinit = clear_state;
  // The spare place, which gives an empty list an address of its own, too.
  site->local_byte_size = state->byte_size = (layout.place_count + 1) * sizeof(void*);
  site->local_init = init_local;
  return TN_OK;
}

// --- when it runs

// What a call passes on.
typedef struct passed {
  const legacy_state_t* state;
  void* stream;
  void** buffers;
  void* out;
  const void** in;
  struct XlaCustomCallStatus_ status;
} passed_t;

static inline passed_t patch(const tn_kernel_call_t* call) {
  const legacy_state_t* state = call->state;
  void** lists = call->local;
  const size_t* place = state->places;
  for (size_t i = 0; i < state->operand_count; ++i) {
    lists[*place++] = (void*)call->operands[i];  // read as const through `in`
  }
  for (size_t i = 0; i < state->result_count; ++i) lists[*place++] = call->results[i];
  const tn_encoder_t* encoder = call->context->encoder;
  return (passed_t){
      .state = state,
      .stream = encoder ? encoder->stream : NULL,
      .buffers = lists,
      .in = (const void**)&lists[state->in],
      .out = state->out_is_place ? lists[state->out] : (void*)&lists[state->out],
  };
}

// The text that the function gave, with \00 for each NUL in it: texts of statuses end at a NUL.
static tn_status_t make_error(const char* target, const char* text, size_t length) {
  tn_status_t error = NULL;
  size_t capacity = 1;
  for (size_t i = 0; i < length; ++i) capacity += text[i] ? 1 : 3;
  char* copy = malloc(capacity);
  if (!copy) return tn__status_out_of_memory();
  char* end = copy;
  for (size_t i = 0; i < length; ++i) {
    if (text[i]) {
      *end++ = text[i];
    } else {
      memcpy(end, "\\00", 3);
      end += 3;
    }
  }
  *end = 0;
  error = tn_status_create(TN_CODE_INTERNAL, "custom call @%s: INTERNAL: %s", target, copy);
  free(copy);
  return error;
}

__attribute__((noinline, cold)) static tn_status_t fail(passed_t* passed, void* exception) {
  const tn_name_text_t name = tn__name_text(passed->state->target->name);
  struct XlaCustomCallStatus_* status = &passed->status;
  tn_status_t error =
      exception
          ? tn_status_prefix(tn__guard_error(exception), "custom call @%s: UNKNOWN", name.text)
          : make_error(name.text, status->message, status->message ? status->message_length : 0);
  free(status->message);
  return error;
}

// `thunk` unpacks what it gets as a frame, so that one guard serves all conventions.
static inline tn_status_t run(const tn_kernel_call_t* call, tn_ffi_handler_t thunk) {
  passed_t passed = patch(call);
  tn_guarded_t guarded = tn__guard_call(thunk, (tn_ffi_call_frame_t*)(void*)&passed);
  bool is_plain = !guarded.exception && !passed.status.has_failed;
  return __builtin_expect(is_plain, 1) ? TN_OK : fail(&passed, guarded.exception);
}

static tn_status_t call_original(tn_ffi_call_frame_t* frame) {
  const passed_t* passed = (const void*)frame;
  ((original_fn)passed->state->function)(passed->out, passed->in);
  return TN_OK;
}
static tn_status_t call_status(tn_ffi_call_frame_t* frame) {
  passed_t* passed = (void*)frame;
  ((status_fn)passed->state->function)(passed->out, passed->in, &passed->status);
  return TN_OK;
}
static tn_status_t call_opaque(tn_ffi_call_frame_t* frame) {
  passed_t* passed = (void*)frame;
  tn_string_view_t opaque = passed->state->opaque;
  ((opaque_fn)passed->state->function)(passed->out, passed->in, opaque.data, opaque.length,
                                       &passed->status);
  return TN_OK;
}
static tn_status_t call_stream(tn_ffi_call_frame_t* frame) {
  const passed_t* passed = (const void*)frame;
  const tn_string_view_t opaque = passed->state->opaque;
  ((stream_fn)passed->state->function)(passed->stream, passed->buffers, opaque.data, opaque.length);
  return TN_OK;
}
static tn_status_t call_stream_status(tn_ffi_call_frame_t* frame) {
  passed_t* passed = (void*)frame;
  const tn_string_view_t opaque = passed->state->opaque;
  ((stream_status_fn)passed->state->function)(passed->stream, passed->buffers, opaque.data,
                                              opaque.length, &passed->status);
  return TN_OK;
}

tn_status_t tn__legacy_run_original(const tn_kernel_call_t* call) {
  return run(call, call_original);
}
tn_status_t tn__legacy_run_status(const tn_kernel_call_t* call) {
  return run(call, call_status);
}
tn_status_t tn__legacy_run_opaque(const tn_kernel_call_t* call) {
  return run(call, call_opaque);
}
tn_status_t tn__legacy_run_stream(const tn_kernel_call_t* call) {
  return run(call, call_stream);
}
tn_status_t tn__legacy_run_stream_status(const tn_kernel_call_t* call) {
  return run(call, call_stream_status);
}
