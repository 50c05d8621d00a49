// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Squares that only a fold reads: the fold makes them itself, so that they are nowhere. Sums of
// squares, variances and norms have them.
#include "kernel/fusion/state.h"

// Whether the value is that of all elements in memory, or of a step.
static bool can_be_folded(const tn_fusion_spec_t* spec, uint32_t value) {
  for (size_t i = 0; i < spec->read_count; ++i) {
    if (spec->reads[i].value == value && !spec->reads[i].is_dense) return false;
  }
  return spec->values[value].space == TN_FUSION_ALL;
}

static size_t count_reads(const tn_fusion_spec_t* spec, uint32_t value) {
  size_t count = spec->last && spec->last->operands[0] == value;
  for (size_t r = 0; r < spec->result_count; ++r) count += spec->results[r] == value;
  for (size_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    for (uint32_t i = 0; i < step->operand_count; ++i) count += step->operands[i] == value;
  }
  return count;
}

// The step that makes `value`, which one step reads, of one other value by squaring it; NULL.
static tn_fusion_step_t* find_square(const tn_fusion_spec_t* spec, uint32_t value) {
  for (size_t s = 0; s < spec->step_count; ++s) {
    tn_fusion_step_t* step = &spec->steps[s];
    if (step->first_result != value || step->kind != TN_FUSION_MAP) continue;
    const bool is_square = step->use->op == TN__OP(multiply) && !step->repeated &&
                           step->operands[0] == step->operands[1];
    return is_square && can_be_folded(spec, step->operands[0]) && count_reads(spec, value) == 1
               ? step
               : NULL;
  }
  return NULL;
}

// *out_removed: one step less than before.
static tn_status_t fold_squares(tn_fusion_spec_t* spec, tn_fusion_step_t* fold, tn_arena_t* arena,
                                bool* out_removed) {
  tn_fusion_step_t* square = find_square(spec, fold->operands[0]);
  uint32_t* operands = NULL;
  *out_removed = false;
  if (!square || !fold->kernel->fold_squares || !fold->kernel->fold_squares(fold->state)) {
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, fold->operand_count, fold->operands, &operands));
  operands[0] = square->operands[0];
  fold->operands = operands;
  if (square->state_deinit) square->state_deinit(square->state);
  const size_t after = (size_t)(spec->steps + spec->step_count - square) - 1;
  memmove(square, square + 1, after * sizeof *square);
  --spec->step_count;
  *out_removed = true;
  return TN_OK;
}

tn_status_t tn__fusion_fold_squares(tn_fusion_spec_t* spec, tn_arena_t* arena) {
  bool removed = false;
  for (size_t s = 0; s < spec->step_count; s += !removed) {
    removed = false;
    if (spec->steps[s].kind != TN_FUSION_FOLD) continue;
    TN_RETURN_IF_ERROR(fold_squares(spec, &spec->steps[s], arena, &removed));
  }
  return spec->last ? fold_squares(spec, spec->last, arena, &removed) : TN_OK;
}
