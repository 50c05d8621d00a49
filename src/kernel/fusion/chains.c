// Steps whose results only the next one reads, joined to chains (elementwise/chain.h): what they
// hand to each other stays in registers.
#include "kernel/fusion/state.h"

#define NONE UINT32_MAX

typedef struct joiner {
  const tn_fusion_spec_t* spec;
  tn_arena_t* arena;
  uint32_t* readers;   // by value: how many operands of steps it is, and results
  uint32_t* makers;    // by value: the step; NONE
  uint32_t* previous;  // by step: that whose result it goes on with; NONE
  uint32_t* next;      // by step; NONE
  uint32_t* lengths;   // by step: links up to it, with its own
} joiner_t;

static void count_readers(const joiner_t* joiner) {
  const tn_fusion_spec_t* spec = joiner->spec;
  for (size_t v = 0; v < spec->value_count; ++v) joiner->makers[v] = NONE;
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    joiner->previous[s] = joiner->next[s] = NONE;
    joiner->lengths[s] = 1;
    for (uint32_t i = 0; i < step->operand_count; ++i) ++joiner->readers[step->operands[i]];
    for (uint32_t r = 0; r < step->result_count; ++r) joiner->makers[step->first_result + r] = s;
  }
  for (size_t r = 0; r < spec->result_count; ++r) ++joiner->readers[spec->results[r]];
  if (spec->last) ++joiner->readers[spec->last->operands[0]];
}

static bool is_square(const tn_fusion_step_t* step) {
  return step->use->op == TN__OP(multiply) && step->operands[0] == step->operands[1];
}

// Whether the step can be a link, of all elements.
static bool is_link(const tn_fusion_spec_t* spec, const tn_fusion_step_t* step) {
  if (step->kind != TN_FUSION_MAP || step->state_deinit || step->operand_count > 2) return false;
  const tn_dtype_t dtype = step->use->result_types[0]->dtype;
  return tn__chain_loop(dtype) && step->use->operand_types[0]->dtype == dtype &&
         tn__link_of(step->use->op, 0) != TN_LINK_COUNT &&
         spec->values[step->first_result].space == TN_FUSION_ALL &&
         (step->operand_count == 1 || step->operands[0] != step->operands[1] || is_square(step));
}

// By which operand the step goes on with a value that only it reads; NONE.
static uint32_t goes_on(const joiner_t* joiner, uint32_t index) {
  const tn_fusion_step_t* step = &joiner->spec->steps[index];
  const uint32_t reads = step->operand_count == 2 && is_square(step) ? 2 : 1;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    const uint32_t value = step->operands[i], maker = joiner->makers[value];
    if (maker == NONE || joiner->readers[value] != reads) continue;
    if (is_link(joiner->spec, &joiner->spec->steps[maker]) &&
        joiner->lengths[maker] < TN_LINK_LIMIT) {
      return i;
    }
  }
  return NONE;
}

static void join(const joiner_t* joiner) {
  for (uint32_t s = 0; s < joiner->spec->step_count; ++s) {
    const tn_fusion_step_t* step = &joiner->spec->steps[s];
    if (!is_link(joiner->spec, step)) continue;
    const uint32_t operand = goes_on(joiner, s);
    if (operand == NONE) continue;
    const uint32_t before = joiner->makers[step->operands[operand]];
    joiner->previous[s] = before;
    joiner->next[before] = s;
    joiner->lengths[s] = joiner->lengths[before] + 1;
  }
}

// Which operand of a chain's step is the chain's value.
static uint32_t operand_of_value(const joiner_t* joiner, uint32_t index) {
  const tn_fusion_step_t* step = &joiner->spec->steps[index];
  const uint32_t before = joiner->previous[index];
  if (before == NONE) return step->repeated & 1;  // the first one: what has all elements
  return step->operands[0] == joiner->spec->steps[before].first_result ? 0 : 1;
}

static uint8_t link_of(const tn_fusion_step_t* step, uint32_t operand) {
  if (step->operand_count == 2 && is_square(step)) return TN_LINK_SQUARE;
  return (uint8_t)(tn__link_of(step->use->op, operand) + (step->repeated ? TN_LINK_ONE : 0));
}

// The chain that step `last` ends.
static tn_status_t make_chain(const joiner_t* joiner, uint32_t last, tn_fusion_step_t* out_step) {
  const tn_fusion_spec_t* spec = joiner->spec;
  const uint32_t length = joiner->lengths[last];
  uint32_t* operands = NULL;
  tn_fusion_chain_t* chain = NULL;
  uint8_t* links = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(joiner->arena, length + 1, &operands));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(joiner->arena, length, &links));
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(joiner->arena, &chain));
  uint32_t first = last, count = 1;
  while (joiner->previous[first] != NONE) first = joiner->previous[first];
  operands[0] = spec->steps[first].operands[operand_of_value(joiner, first)];
  *chain = (tn_fusion_chain_t){.links = links,
                               .run = tn__chain_loop(spec->steps[last].use->result_types[0]->dtype),
                               .segments = TN_FUSION_ALL};
  for (uint32_t s = first; s != NONE; s = joiner->next[s]) {
    const tn_fusion_step_t* step = &spec->steps[s];
    const uint32_t value = operand_of_value(joiner, s);
    const uint8_t link = links[chain->link_count++] = link_of(step, value);
    if (!tn__link_has_operand(link)) continue;
    const tn_fusion_space_t space = spec->values[step->operands[1 - value]].space;
    operands[count++] = step->operands[1 - value];
    if (space == TN_FUSION_LINE || (space == TN_FUSION_ROW && chain->segments == TN_FUSION_ALL)) {
      chain->segments = space;
    }
  }
  *out_step = (tn_fusion_step_t){.kind = TN_FUSION_CHAIN,
                                 .node = spec->steps[last].node,
                                 .chain = chain,
                                 .operand_count = count,
                                 .result_count = 1,
                                 .operands = operands,
                                 .first_result = spec->steps[last].first_result};
  return TN_OK;
}

tn_status_t tn__fusion_join_steps(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  joiner_t joiner = {.spec = spec, .arena = arena};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->step_count, &state->steps));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &joiner.readers));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &joiner.makers));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->step_count, &joiner.previous));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->step_count, &joiner.next));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->step_count, &joiner.lengths));
  count_readers(&joiner);
  join(&joiner);
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    if (joiner.next[s] != NONE) continue;  // a chain stands where its last operation stood
    tn_fusion_step_t* step = &state->steps[state->step_count++];
    *step = spec->steps[s];
    if (joiner.lengths[s] > 1) TN_RETURN_IF_ERROR(make_chain(&joiner, s, step));
  }
  return TN_OK;
}
