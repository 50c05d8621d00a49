// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdlib.h>

#include "call/strided_eval.h"
#include "kernel/common/rows.h"

// --- rows

enum { PART_COUNT = 32 };

typedef struct rows_loop {
  const tn_eval_call_t* eval;
  tn_rows_t rows;
  void* data[TN_LOOP_NEST_ARRAY_LIMIT];
  tn_eval_row_fn function;
  void* user;
} rows_loop_t;

static tn_status_t run_rows(void* user, int64_t begin, int64_t end) {
  const rows_loop_t* loop = user;
  _Alignas(64) char small[1024];
  const size_t byte_size = (loop->rows.memory_byte_size + 63) / 64 * 64;
  void* large = byte_size > sizeof small ? aligned_alloc(64, byte_size) : NULL;
  if (byte_size > sizeof small && !large) {
    return tn__eval_no_memory(tn__eval_state_of(loop->eval));
  }
  const tn_status_t status = tn__rows_run(&loop->rows, loop->data, large ? large : small, begin,
                                          end, loop->function, loop->user);
  free(large);
  return status;
}

static tn_status_t for_rows(const tn_eval_call_t* eval, size_t array_count,
                            const tn_strided_t* const* arrays, size_t written_count,
                            tn_eval_row_fn function, void* user) {
  tn_loop_nest_t nest;
  tn_row_path_t paths[TN_LOOP_NEST_ARRAY_LIMIT];
  int64_t dims[TN_NEST_RANK_LIMIT], strides[TN_LOOP_NEST_ARRAY_LIMIT][TN_NEST_RANK_LIMIT];
  rows_loop_t loop = {.eval = eval, .function = function, .user = user};
  TN_TRY(tn__eval_nest(eval, array_count, arrays, &nest));
  if (nest.element_count == 0) return TN_OK;
  const size_t rank = nest.loop_count + 1;
  for (size_t k = 0; k < array_count; ++k) {
    const int64_t size = (int64_t)tn_ffi_dtype_size(arrays[k]->dtype);
    for (size_t l = 0; l + 1 < rank; ++l) strides[k][l] = nest.loop_strides[k][l] * size;
    strides[k][rank - 1] = nest.row_length > 1 ? nest.strides[k] * size : size;
    paths[k] = (tn_row_path_t){
        .element_size = (size_t)size, .is_written = k < written_count, .strides = strides[k]};
    loop.data[k] = arrays[k]->data;
  }
  memcpy(dims, nest.loop_counts, nest.loop_count * sizeof *dims);
  dims[rank - 1] = nest.row_length;
  tn__rows_init(&loop.rows, rank, dims, array_count, paths);
  // Few parts: each gets memory of its own.
  int64_t grain = loop.rows.unit_count / PART_COUNT + 1;
  if (grain < loop.rows.grain) grain = loop.rows.grain;
  return tn__eval_parallel_for(eval, loop.rows.unit_count, grain, run_rows, &loop);
}

// --- an activation's

size_t tn__strided_eval_byte_size(size_t operand_count, size_t result_count,
                                  const tn_ffi_buffer_t* buffers, bool is_gpu) {
  size_t byte_size = sizeof(tn_strided_eval_t) + (is_gpu ? tn__strided_gpu_byte_size() : 0);
  // One value at a time, since there is no frame yet.
  for (size_t i = 0; i < operand_count + result_count; ++i) {
    void* value = (void*)(uintptr_t)&buffers[i];
    tn_ffi_call_frame_t frame = {0};
    *(i < operand_count ? &frame.args : &frame.rets) =
        (tn_ffi_values_t){.count = 1, .values = &value};
    byte_size += tn__eval_byte_size(&frame);
  }
  return byte_size;
}

void tn__strided_eval_init(tn_strided_eval_t* eval, tn_ffi_call_frame_t* frame,
                           const tn_ffi_op_t* op, const tn_op_def_t* definition,
                           const int64_t* const* strides, bool is_gpu) {
  void* memory = eval + 1;
  eval->gpu = NULL;
  eval->api = is_gpu ? tn__strided_gpu_api : tn__eval_api;
  eval->function = is_gpu ? definition->eval_gpu : definition->eval_cpu;
  if (is_gpu) {
    eval->gpu = memory;
    tn__strided_gpu_init(eval->gpu);
    memory = (char*)memory + tn__strided_gpu_byte_size();
  } else {
    eval->api.for_rows = for_rows;
  }
  tn__eval_init(&eval->state, memory, frame, op, definition->flags, definition->donates);
  eval->state.eval.api = &eval->api;
  for (size_t i = 0; strides && i < eval->state.eval.operand_count; ++i) {
    if (!strides[i]) continue;
    tn_strided_t* array = eval->state.arrays[i];
    const int64_t element_size = (int64_t)tn_ffi_dtype_size(array->dtype);
    int64_t* own = (int64_t*)(uintptr_t)array->strides;  // in the memory behind
    for (size_t d = 0; d < array->rank; ++d) own[d] = strides[i][d] / element_size;
    tn__eval_measure(array);
  }
}

void tn__strided_eval_deinit(tn_strided_eval_t* eval) {
  if (eval->gpu) tn__strided_gpu_deinit(eval->gpu);
}

tn_status_t tn__strided_eval_run(tn_strided_eval_t* eval, const void* const* operands,
                                 tn_encoder_t* encoder) {
  for (size_t i = 0; i < eval->state.eval.operand_count; ++i) {
    eval->state.arrays[i]->data = (void*)(uintptr_t)operands[i];
  }
  return eval->gpu ? tn__strided_gpu_run(eval, encoder)
                   : tn__eval_run(&eval->state, eval->function);
}

void tn__strided_eval_end(tn_strided_eval_t* eval) {
  tn__eval_end(&eval->state);
}
