// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calls of operations that are element by element (TN_OP_ELEMENTWISE).
//
// The handler sees pieces of one dimension, one after the other, on all threads: so it may be as
// simple as a loop, and its operands may have any strides (kernel/common/rows.h).
#include <stdlib.h>
#include <tenon/detail/strided.h>

#include "base/pool.h"
#include "call/api.h"
#include "call/attributes.h"
#include "call/check.h"
#include "call/context.h"
#include "call/guard.h"
#include "call/handler.h"
#include "call/infer.h"
#include "call/live.h"
#include "call/scratch.h"
#include "call/site.h"
#include "kernel/common/rows.h"

typedef struct elementwise_state {
  tn_target_t* target;  // retained
  tn_ffi_attrs_t attrs;
  size_t operand_count, value_count;
  tn_ffi_dtype_t* dtypes;  // of operands, then results
  tn_row_path_t* paths;
  int32_t* types;
  int64_t element_count;
  tn_rows_t rows;
} elementwise_state_t;

bool tn__target_is_elementwise(const tn_target_t* target) {
  const tn_ffi_bundle_t* bundle = &target->bundle;
  return target->definition.struct_size && target->definition.flags & TN_OP_ELEMENTWISE &&
         !target->definition.eval_cpu && !bundle->instantiate && !bundle->prepare &&
         !bundle->initialize;
}

// --- when the program is compiled

static tn_status_t make_rows(const tn_call_site_t* call, elementwise_state_t* state) {
  const tn_type_t* shape = call->results[0];
  const size_t rank = shape->rank;
  int64_t* dims = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(call->site->arena, (state->value_count + 1) * rank, &dims));
  int64_t** lists = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(call->site->arena, state->value_count, &lists));
  if (rank) memcpy(dims, shape->dims, rank * sizeof *dims);
  for (size_t v = 0; v < state->value_count; ++v) {
    const tn_view_t* views = call->site->views;
    const bool is_operand = v < state->operand_count;
    const tn_type_t* type =
        is_operand ? call->operands[v] : call->results[v - state->operand_count];
    lists[v] = state->paths[v].strides = dims + (v + 1) * rank;
    tn__view_strides(views && is_operand ? &views[v] : NULL, type, lists[v]);
  }
  const size_t count = tn_collapse_contiguous_dims(rank, dims, state->value_count, lists);
  tn__rows_init(&state->rows, count, dims, state->value_count, state->paths);
  return TN_OK;
}

static tn_status_t describe_values(const tn_call_site_t* call, elementwise_state_t* state) {
  for (size_t v = 0; v < state->value_count; ++v) {
    const bool is_operand = v < state->operand_count;
    const tn_type_t* type =
        is_operand ? call->operands[v] : call->results[v - state->operand_count];
    if (!tn__type_is_tensor(type) || !tn__type_same_shape(type, call->results[0])) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s %zu has type %s; an elementwise operation has one shape, here %s",
                              is_operand ? "operand" : "result",
                              is_operand ? v : v - state->operand_count, TN_TYPE_TEXT(type),
                              TN_TYPE_TEXT(call->results[0]));
    }
    state->dtypes[v] = tn__ffi_dtype(type->dtype);
    state->paths[v] =
        (tn_row_path_t){.element_size = tn_dtype_byte_size(type->dtype), .is_written = !is_operand};
    state->types[v] = TN_FFI_BUFFER;
  }
  return TN_OK;
}

static void clear_state(void* user) {
  elementwise_state_t* state = user;
  tn__target_release(state->target);
}

tn_status_t tn__elementwise_prepare(const tn_call_site_t* call, tn_target_t* target) {
  tn_arena_t* arena = call->site->arena;
  tn_attr_dictionary_t attrs = call->attrs;
  if (call->result_count == 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "an elementwise operation has a result");
  }
  TN_RETURN_IF_ERROR(tn__call_check(target->op, false, call->operand_count, call->operands,
                                    call->result_count, call->results, &call->attrs, arena,
                                    &attrs));
  TN_RETURN_IF_ERROR(tn__call_check_inferred(call, target->op, &attrs));
  elementwise_state_t* state = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &state));
  state->operand_count = call->operand_count;
  state->value_count = call->operand_count + call->result_count;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->value_count, &state->paths));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->value_count, &state->dtypes));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->value_count, &state->types));
  TN_RETURN_IF_ERROR(describe_values(call, state));
  TN_RETURN_IF_ERROR(tn__call_attributes_build(call, &attrs, &state->attrs));
  state->element_count = tn__type_size(call->results[0]);
  if (state->element_count) TN_RETURN_IF_ERROR(make_rows(call, state));
  state->target = tn__target_retain(target);
  call->site->state = state;
  call->site->state_deinit = clear_state;
  return TN_OK;
}

// --- when it runs

// What one thread works with. Behind it: the pointers, the buffers, and the memory of rows.
typedef struct piece_call {
  const elementwise_state_t* state;
  const tn_kernel_call_t* call;
  tn_ffi_call_frame_t frame;
  struct tn_ffi_context context;
  int64_t length;  // of the piece
  tn_ffi_buffer_t* buffers;
  void** data;  // of the values, at their first elements
  char* memory;
} piece_call_t;

// A handler that finishes later is waited for: what it sees is this thread's.
static tn_status_t finish_call(piece_call_t* piece, tn_guarded_t guarded) {
  bool is_late = false;
  tn_status_t status =
      guarded.exception ? tn__error_give(tn__guard_error(guarded.exception)) : guarded.result;
  if (piece->frame.future) {
    tn_status_t late = tn__future_wait(piece->frame.future, -1, NULL, NULL, &is_late);
    piece->frame.future = NULL;
    if (!status) status = tn__error_give(late);
  }
  status = tn__handler_finish(piece->state->target->name, &piece->frame, status);
  tn__scratch_free_all(&piece->context);
  return status;
}

static tn_status_t call_handler(piece_call_t* piece) {
  tn_guarded_t guarded = tn__guard_call(piece->state->target->bundle.execute, &piece->frame);
  if (!guarded.result && !guarded.exception && !piece->frame.future && !piece->context.scratch) {
    return TN_OK;
  }
  return finish_call(piece, guarded);
}

static tn_status_t call_with_row(void* user, int64_t count, void* const* starts) {
  piece_call_t* piece = user;
  piece->length = count;
  for (size_t v = 0; v < piece->state->value_count; ++v) piece->buffers[v].data = starts[v];
  return call_handler(piece);
}

static void init_piece(piece_call_t* piece, const tn_kernel_call_t* call, void* memory) {
  const elementwise_state_t* state = call->state;
  void** pointers = memory;
  *piece = (piece_call_t){.state = state, .call = call};
  piece->data = pointers + state->value_count;
  piece->buffers = (tn_ffi_buffer_t*)(void*)(piece->data + state->value_count);
  piece->memory = (char*)(piece->buffers + state->value_count);
  piece->memory += -(uintptr_t)piece->memory % 64;
  for (size_t v = 0; v < state->value_count; ++v) {
    piece->buffers[v] = (tn_ffi_buffer_t){.struct_size = TN_FFI_BUFFER_SIZE,
                                          .dtype = state->dtypes[v],
                                          .rank = 1,
                                          .dims = &piece->length};
    pointers[v] = &piece->buffers[v];
  }
  piece->context.kernel = call->context;
  piece->frame = (tn_ffi_call_frame_t){
      .struct_size = TN_FFI_CALL_FRAME_SIZE,
      .api = tn__call_api(),
      .context = &piece->context,
      .stage = TN_FFI_EXECUTE,
      .args = {.struct_size = TN_FFI_VALUES_SIZE,
               .count = (int64_t)state->operand_count,
               .types = state->types,
               .values = pointers},
      .rets = {.struct_size = TN_FFI_VALUES_SIZE,
               .count = (int64_t)(state->value_count - state->operand_count),
               .types = state->types + state->operand_count,
               .values = pointers + state->operand_count},
      .attrs = state->attrs,
  };
}

// What a thread works with, on the stack where that is enough.
enum { SMALL_BYTES = 1024 };

// Calls with the elements [begin, end) of every value, dense, or with the units of that name.
static tn_status_t run_part(const tn_kernel_call_t* call, bool in_units, int64_t begin,
                            int64_t end) {
  const elementwise_state_t* state = call->state;
  const size_t byte_size = state->value_count * (2 * sizeof(void*) + sizeof(tn_ffi_buffer_t)) + 64 +
                           (in_units ? state->rows.memory_byte_size : 0);
  _Alignas(64) char small[SMALL_BYTES];
  void* large = byte_size > SMALL_BYTES ? malloc(byte_size) : NULL;
  if (byte_size > SMALL_BYTES && !large) return tn__status_out_of_memory();
  piece_call_t piece;
  init_piece(&piece, call, large ? large : small);
  tn_call_state_t none[3] = {{0}};
  for (size_t i = 0; i < 3; ++i) piece.context.states[i] = &none[i];
  for (size_t v = 0; v < state->value_count; ++v) {
    const void* base =
        v < state->operand_count ? call->operands[v] : call->results[v - state->operand_count];
    const int64_t first = in_units ? 0 : begin;
    piece.data[v] = (char*)base + first * (int64_t)state->paths[v].element_size;
  }
  tn_status_t status = in_units ? tn__rows_run(&state->rows, piece.data, piece.memory, begin, end,
                                               call_with_row, &piece)
                                : call_with_row(&piece, end - begin, piece.data);
  free(large);
  return status;
}

static tn_status_t run_units(int64_t begin, int64_t end, void* user) {
  return run_part(user, true, begin, end);
}

// In a fusion everything is dense, and the part is a piece as it is.
tn_status_t tn__elementwise_run_range(int64_t begin, int64_t end, void* user) {
  return run_part(user, false, begin, end);
}

tn_status_t tn__elementwise_run(const tn_kernel_call_t* call) {
  const elementwise_state_t* state = call->state;
  if (state->element_count == 0) return TN_OK;
  return tn__pool_parallel_for(call->context->pool, state->rows.unit_count, state->rows.grain,
                               run_units, (void*)call);
}
