// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Steps whose results only the next one reads, joined to chains (elementwise/chain.h): what they
// hand to each other stays in registers.
#include "kernel/fusion/state.h"

#define NONE UINT32_MAX

// What a step is in a chain.
typedef struct member {
  bool is_link;
  bool is_absorbed;    // one of the shifts of another step
  uint32_t shifts[2];  // of SHIFT_BOTH: the steps to the left and to the right; else NONE
  uint32_t previous;   // whose result it goes on with; NONE
  uint32_t next;       // NONE
  uint32_t length;     // links up to it, with its own
  uint32_t value_of;   // which operand the chain's value is
} member_t;

typedef struct joiner {
  const tn_fusion_spec_t* spec;
  tn_arena_t* arena;
  member_t* members;  // by step
  uint32_t* readers;  // by value: how many operands of steps it is, and results
  uint32_t* makers;   // by value: the step; NONE
} joiner_t;

static void count_readers(const joiner_t* joiner) {
  const tn_fusion_spec_t* spec = joiner->spec;
  for (size_t v = 0; v < spec->value_count; ++v) joiner->makers[v] = NONE;
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    for (uint32_t i = 0; i < step->operand_count; ++i) ++joiner->readers[step->operands[i]];
    for (uint32_t r = 0; r < step->result_count; ++r) joiner->makers[step->first_result + r] = s;
  }
  for (size_t r = 0; r < spec->result_count; ++r) ++joiner->readers[spec->results[r]];
  if (spec->last) ++joiner->readers[spec->last->operands[0]];
}

static bool is_square(const tn_fusion_step_t* step) {
  return step->operand_count == 2 && step->operands[0] == step->operands[1];
}

static tn_dtype_t dtype_of(const tn_fusion_step_t* step) {
  return step->use->result_types[0]->dtype;
}

static bool is_map_of(const tn_fusion_step_t* step, const tn_op_t* op) {
  return step->kind == TN_FUSION_MAP && step->use->op == op;
}

// Whether the step can be a link, of all elements.
static bool can_be_link(const tn_fusion_spec_t* spec, const tn_fusion_step_t* step) {
  if (step->kind != TN_FUSION_MAP || step->state_deinit || step->operand_count > 2) return false;
  const tn_link_t link = tn__link_of(step->use->op, dtype_of(step), 0);
  if (!tn__chain_loop(dtype_of(step)) || link == TN_LINK_COUNT ||
      step->use->operand_types[0]->dtype != dtype_of(step) ||
      spec->values[step->first_result].space != TN_FUSION_ALL) {
    return false;
  }
  if (link == TN_LINK_SHIFT_LEFT || link == TN_LINK_SHIFT_RIGHT) return step->repeated == 2;
  return !is_square(step) || link == TN_LINK_MULTIPLY;
}

// The step that shifts all elements by the same amount, for this step alone; NONE.
static uint32_t find_shift(const joiner_t* joiner, uint32_t value, const tn_op_t* op) {
  const uint32_t maker = joiner->makers[value];
  if (maker == NONE || joiner->readers[value] != 1) return NONE;
  return joiner->members[maker].is_link && is_map_of(&joiner->spec->steps[maker], op) ? maker
                                                                                      : NONE;
}

static void find_both_shifts(const joiner_t* joiner, uint32_t index) {
  const tn_fusion_step_t* steps = joiner->spec->steps;
  const tn_fusion_step_t* step = &steps[index];
  if (!is_map_of(step, TN__OP(or)) || step->repeated) return;
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t left = find_shift(joiner, step->operands[i], TN__OP(shift_left));
    const uint32_t right = find_shift(joiner, step->operands[1 - i], TN__OP(shift_right_logical));
    if (left == NONE || right == NONE || steps[left].operands[0] != steps[right].operands[0]) {
      continue;
    }
    member_t* member = &joiner->members[index];
    member->shifts[0] = left;
    member->shifts[1] = right;
    joiner->members[left].is_absorbed = joiner->members[right].is_absorbed = true;
    return;
  }
}

static bool shifts_both(const member_t* member) {
  return member->shifts[0] != NONE;
}

static uint32_t value_read(const joiner_t* joiner, uint32_t index, uint32_t operand) {
  const member_t* member = &joiner->members[index];
  return joiner->spec->steps[shifts_both(member) ? member->shifts[0] : index].operands[operand];
}

// Makes the step go on with a value that only it reads.
static void go_on(const joiner_t* joiner, uint32_t index) {
  const tn_fusion_step_t* step = &joiner->spec->steps[index];
  member_t* member = &joiner->members[index];
  const uint32_t reads = shifts_both(member) || is_square(step) ? 2 : 1;
  const uint32_t count = reads == 2 ? 1 : step->operand_count;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t value = value_read(joiner, index, i), maker = joiner->makers[value];
    if (maker == NONE || joiner->readers[value] != reads) continue;
    member_t* before = &joiner->members[maker];
    if (!before->is_link || before->is_absorbed || before->length >= TN_LINK_LIMIT) continue;
    member->previous = maker;
    member->length = before->length + 1;
    member->value_of = i;
    before->next = index;
    return;
  }
}

static void join(const joiner_t* joiner) {
  const tn_fusion_spec_t* spec = joiner->spec;
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    joiner->members[s] = (member_t){.is_link = can_be_link(spec, step),
                                    .shifts = {NONE, NONE},
                                    .previous = NONE,
                                    .next = NONE,
                                    .length = 1,
                                    .value_of = step->repeated & 1};
    if (joiner->members[s].is_link) find_both_shifts(joiner, s);
  }
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    if (joiner->members[s].is_link && !joiner->members[s].is_absorbed) go_on(joiner, s);
  }
}

// --- the steps that run

typedef struct maker {
  const joiner_t* joiner;
  tn_fusion_chain_t* chain;
  uint32_t* operands;
  uint32_t operand_count;
} maker_t;

static void add_operand(maker_t* maker, uint32_t value) {
  const tn_fusion_space_t space = maker->joiner->spec->values[value].space;
  maker->operands[maker->operand_count++] = value;
  if (space == TN_FUSION_LINE ||
      (space == TN_FUSION_ROW && maker->chain->segments == TN_FUSION_ALL)) {
    maker->chain->segments = space;
  }
}

static void add_link(maker_t* maker, uint32_t index) {
  const member_t* member = &maker->joiner->members[index];
  const tn_fusion_step_t* steps = maker->joiner->spec->steps;
  const tn_fusion_step_t* step = &steps[index];
  uint8_t* link = &maker->chain->links[maker->chain->link_count++];
  if (shifts_both(member)) {
    *link = TN_LINK_SHIFT_BOTH + TN_LINK_ONE;
    for (size_t i = 0; i < 2; ++i) add_operand(maker, steps[member->shifts[i]].operands[1]);
  } else if (is_square(step)) {
    *link = TN_LINK_SQUARE;
  } else {
    *link = (uint8_t)tn__link_of(step->use->op, dtype_of(step), member->value_of);
    if (step->repeated) *link += TN_LINK_ONE;
    if (step->operand_count == 2) add_operand(maker, step->operands[1 - member->value_of]);
  }
}

// The chain that step `last` ends.
static tn_status_t make_chain(const joiner_t* joiner, uint32_t last, tn_fusion_step_t* out_step) {
  const tn_fusion_step_t* step = &joiner->spec->steps[last];
  const uint32_t length = joiner->members[last].length;
  maker_t maker = {.joiner = joiner};
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(joiner->arena, &maker.chain));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(joiner->arena, length, &maker.chain->links));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(joiner->arena, 2 * (size_t)length + 1, &maker.operands));
  maker.chain->run = tn__chain_loop(dtype_of(step));
  maker.chain->segments = TN_FUSION_ALL;
  uint32_t first = last;
  while (joiner->members[first].previous != NONE) first = joiner->members[first].previous;
  add_operand(&maker, value_read(joiner, first, joiner->members[first].value_of));
  for (uint32_t s = first; s != NONE; s = joiner->members[s].next) add_link(&maker, s);
  *out_step = (tn_fusion_step_t){.kind = TN_FUSION_CHAIN,
                                 .node = step->node,
                                 .chain = maker.chain,
                                 .operand_count = maker.operand_count,
                                 .result_count = 1,
                                 .operands = maker.operands,
                                 .first_result = step->first_result};
  return TN_OK;
}

tn_status_t tn__fusion_join_steps(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  joiner_t joiner = {.spec = spec, .arena = arena};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->step_count, &state->steps));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->step_count, &joiner.members));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &joiner.readers));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &joiner.makers));
  count_readers(&joiner);
  join(&joiner);
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    const member_t* member = &joiner.members[s];
    // A chain stands where its last operation stood.
    if (member->is_absorbed || member->next != NONE) continue;
    tn_fusion_step_t* step = &state->steps[state->step_count++];
    *step = spec->steps[s];
    // Floats of 16 bits go to registers and back at once in a chain, by way of arrays elsewhere.
    const bool is_half = member->is_link && tn_dtype_bit_width(dtype_of(step)) == 16;
    if (member->length > 1 || shifts_both(member) || is_half) {
      TN_RETURN_IF_ERROR(make_chain(&joiner, s, step));
    }
  }
  return TN_OK;
}
