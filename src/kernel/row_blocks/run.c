// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Blocks of rows, on all threads.
#include <stdlib.h>

#include "base/pool.h"
#include "kernel/fusion/state.h"
#include "kernel/row_blocks/state.h"

typedef struct run {
  const tn_row_blocks_state_t* state;
  const tn_kernel_call_t* call;
  tn_dot_rows_run_t before, after;
} run_t;

// What one thread works with.
typedef struct worker {
  const run_t* run;
  char *read, *given, *panels;
  const void** operands;  // of the fusion
  void** results;
} worker_t;

// Where element `first` of a result is: in the region's, if it is one, else in the block.
static char* place_of(const worker_t* worker, uint32_t result, size_t size, int64_t first,
                      char* block) {
  if (result == TN_ROW_BLOCKS_NONE) return block;
  return (char*)worker->run->call->results[result] + (size_t)first * size;
}

static tn_status_t run_fusion(const worker_t* worker, int64_t first, int64_t count,
                              const char* read, char* given) {
  const tn_row_blocks_state_t* state = worker->run->state;
  const tn_kernel_call_t* call = worker->run->call;
  const tn_row_chain_t* chain = &state->chain;
  tn_fusion_part_t part = {
      .first = first, .count = count, .operand_blocks = UINT32_C(1) << chain->read};
  for (uint32_t i = 0; i < chain->fusion->operand_count; ++i) {
    const uint32_t argument = state->fusion.arguments[i];
    worker->operands[i] = argument == TN_ROW_BLOCKS_NONE ? read : call->operands[argument];
  }
  for (uint32_t r = 0; r < chain->fusion->result_count; ++r) {
    const uint32_t result = state->fusion.results[r];
    worker->results[r] = result == TN_ROW_BLOCKS_NONE ? given : call->results[result];
    if (result == TN_ROW_BLOCKS_NONE) part.result_blocks |= UINT32_C(1) << r;
  }
  const tn_kernel_call_t own = {.operands = worker->operands,
                                .results = worker->results,
                                .state = state->fusion_state,
                                .context = call->context};
  return tn__cpu_fusion_run_part(&own, &part);
}

static tn_status_t run_block(const worker_t* worker, int64_t row, int64_t rows) {
  const run_t* run = worker->run;
  const tn_row_blocks_state_t* state = run->state;
  const tn_row_chain_t* chain = &state->chain;
  const size_t read_size = state->before_rows.result_size;
  const int64_t first = row * chain->row_length, count = rows * chain->row_length;
  char* read = place_of(worker, state->before.results[0], read_size, first, worker->read);
  tn__dot_rows_compute(&run->before, row, rows, NULL, read, worker->panels);
  TN_RETURN_IF_ERROR(run_fusion(worker, first, count, read, worker->given));
  if (!chain->after) return TN_OK;
  const tn_gemm_t* after = &state->after_rows.gemm;
  const char* given =
      place_of(worker, state->fusion.results[chain->given], after->lhs.size, first, worker->given);
  const int64_t given_row = first / chain->given_length;
  char* result = place_of(worker, state->after.results[0], state->after_rows.result_size,
                          given_row * after->shape.columns, NULL);
  tn__dot_rows_compute(&run->after, given_row, count / chain->given_length, given, result,
                       worker->panels);
  return TN_OK;
}

static tn_status_t run_blocks(int64_t begin, int64_t end, void* user) {
  const run_t* run = user;
  const tn_row_blocks_state_t* state = run->state;
  const tn_node_t* fusion = state->chain.fusion;
  const int64_t matrix_rows = state->before_rows.gemm.shape.rows;
  const size_t pointers = ((size_t)fusion->operand_count + fusion->result_count) * sizeof(void*);
  char* memory = malloc(state->thread_byte_size + TN_FUSION_ALIGNMENT + pointers);
  if (!memory) return tn__status_out_of_memory();
  char* blocks = memory + pointers;
  blocks += -(uintptr_t)blocks % TN_FUSION_ALIGNMENT;
  const worker_t worker = {.run = run,
                           .read = blocks,
                           .given = blocks + state->given_offset,
                           .panels = blocks + state->panels_offset,
                           .operands = (const void**)(void*)memory,
                           .results = (void**)(void*)memory + fusion->operand_count};
  tn_status_t status = TN_OK;
  for (int64_t i = begin; i < end && !status; ++i) {
    const int64_t row = i % state->blocks_per_matrix * state->block_rows;
    const int64_t left = matrix_rows - row;
    status = run_block(&worker, i / state->blocks_per_matrix * matrix_rows + row,
                       left < state->block_rows ? left : state->block_rows);
  }
  free(memory);
  return status;
}

// The operands of a product that are outside of the chain.
static tn_status_t begin_product(const tn_dot_rows_t* rows, const tn_row_node_t* node,
                                 const tn_kernel_call_t* call, tn_dot_rows_run_t* out_run) {
  const void* operands[2] = {NULL, call->operands[node->arguments[1]]};
  if (node->arguments[0] != TN_ROW_BLOCKS_NONE) operands[0] = call->operands[node->arguments[0]];
  const tn_kernel_call_t own = {
      .operands = operands, .scratch = call->scratch, .context = call->context};
  return tn__dot_rows_begin(rows, &own, out_run);
}

tn_status_t tn__cpu_row_blocks_run(const tn_kernel_call_t* call) {
  const tn_row_blocks_state_t* state = call->state;
  run_t run = {.state = state, .call = call};
  if (state->runs_region) return tn__cpu_region_run(call, state->use, state->views);
  TN_RETURN_IF_ERROR(begin_product(&state->before_rows, &state->before, call, &run.before));
  if (state->chain.after) {
    TN_RETURN_IF_ERROR(begin_product(&state->after_rows, &state->after, call, &run.after));
  }
  return tn__pool_parallel_for(call->context->pool, state->block_count, 1, run_blocks, &run);
}
