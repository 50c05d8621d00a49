// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Copies that bring results to where they must be, all at once.
//
// What was not computed in its place is copied there when the region ends. A place that is read by
// one copy and written by another is read first; only where places exchange their contents in a
// circle is one of them saved in a temporary.
#include <stdlib.h>

#include "plan/planner.h"

tn_status_t tn__plan_add_buffer(planner_t* planner, tn_plan_buffer_t buffer,
                                uint32_t occupied_until, uint32_t* out_buffer) {
  tn_plan_t* plan = planner->plan;
  void* buffers = plan->buffers;
  void* places = planner->places;
  TN_RETURN_IF_ERROR(tn__grow(planner->allocator, &buffers, &planner->buffer_capacity,
                              plan->buffer_count + 1, sizeof *plan->buffers));
  plan->buffers = buffers;
  TN_RETURN_IF_ERROR(tn__grow(planner->allocator, &places, &planner->place_capacity,
                              planner->buffer_capacity, sizeof *planner->places));
  planner->places = places;
  *out_buffer = (uint32_t)plan->buffer_count++;
  plan->buffers[*out_buffer] = buffer;
  planner->places[*out_buffer].occupied_until = occupied_until;
  return TN_OK;
}

tn_status_t tn__plan_add_copy(planner_t* planner, copy_t** list, size_t* count, size_t* capacity,
                              copy_t copy) {
  void* copies = *list;
  if (planner->plan->buffers[copy.to].byte_size == 0) return TN_OK;
  TN_RETURN_IF_ERROR(tn__grow(planner->allocator, &copies, capacity, *count + 1, sizeof copy));
  *list = copies;
  (*list)[(*count)++] = copy;
  return TN_OK;
}

typedef struct move {
  uint32_t from, to;
  uint32_t readers;  // moves that still have to read `to`
  bool is_done;
} move_t;

typedef struct mover {
  planner_t* planner;
  block_t* block;
  const tn_node_t* owner;
  size_t count;
  move_t* moves;  // by `to`, which is another buffer in each
  size_t ready_count;
  size_t* ready;  // moves whose target is not read any more
} mover_t;

static int by_target(const void* a, const void* b) {
  const move_t *x = a, *y = b;
  return x->to < y->to ? -1 : x->to > y->to;
}

// The move that overwrites `buffer`; NULL when none does.
static move_t* writer_of(const mover_t* mover, uint32_t buffer) {
  const move_t key = {.to = buffer};
  return mover->count ? bsearch(&key, mover->moves, mover->count, sizeof key, by_target) : NULL;
}

static tn_status_t add(mover_t* mover, copy_t copy) {
  block_t* block = mover->block;
  return tn__plan_add_copy(mover->planner, &block->copies, &block->copy_count,
                           &block->copy_capacity, copy);
}

static void get_ready(mover_t* mover, const move_t* move) {
  mover->ready[mover->ready_count++] = (size_t)(move - mover->moves);
}

static tn_status_t make_ready_moves(mover_t* mover) {
  const char* reason = !mover->owner                    ? "a result needs a buffer of its own"
                       : tn__plan_repeats(mover->owner) ? "next value of a loop carry"
                                                        : "result of a branch";
  while (mover->ready_count) {
    move_t* move = &mover->moves[mover->ready[--mover->ready_count]];
    TN_RETURN_IF_ERROR(add(mover, (copy_t){move->from, move->to, mover->owner, reason}));
    move->is_done = true;
    move_t* next = writer_of(mover, move->from);
    if (next && --next->readers == 0) get_ready(mover, next);
  }
  return TN_OK;
}

// In a circle every place has one reader. It gets the contents of this one from a temporary.
static tn_status_t open_circle(mover_t* mover, move_t* move) {
  planner_t* planner = mover->planner;
  tn_plan_buffer_t saved = planner->plan->buffers[move->to];
  uint32_t buffer = NO_BUFFER, position = mover->block->end;
  const bool is_on_host = saved.kind == TN_PLAN_HOST_TEMPORARY;
  saved = (tn_plan_buffer_t){.kind = is_on_host ? TN_PLAN_HOST_TEMPORARY : TN_PLAN_TEMPORARY,
                             .byte_size = saved.byte_size,
                             .begin = position,
                             .end = position,
                             .parameter = TN_PLAN_NONE,
                             .value = saved.value};
  TN_RETURN_IF_ERROR(tn__plan_add_buffer(planner, saved, position, &buffer));
  TN_RETURN_IF_ERROR(add(mover, (copy_t){move->to, buffer, mover->owner, "results swap"}));
  move_t* reader = move;  // round the circle: who reads move->to?
  while (reader->from != move->to) reader = writer_of(mover, reader->from);
  reader->from = buffer;
  move->readers = 0;
  get_ready(mover, move);
  return make_ready_moves(mover);
}

tn_status_t tn__plan_move_results(planner_t* planner, block_t* block, const uint32_t* targets,
                                  const tn_node_t* owner) {
  void* memory = NULL;
  mover_t mover = {.planner = planner, .block = block, .owner = owner};
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&planner->scratch, block->result_count,
                                              sizeof(move_t) + sizeof(size_t), &memory));
  mover.moves = memory;
  mover.ready = (size_t*)(mover.moves + block->result_count);
  for (size_t i = 0; i < block->result_count; ++i) {
    uint32_t from = planner->leaves[block->results[i]].buffer;
    if (from != targets[i]) mover.moves[mover.count++] = (move_t){.from = from, .to = targets[i]};
  }
  if (mover.count) qsort(mover.moves, mover.count, sizeof(move_t), by_target);
  for (size_t i = 0; i < mover.count; ++i) {
    move_t* writer = writer_of(&mover, mover.moves[i].from);
    if (writer) ++writer->readers;
  }
  for (size_t i = mover.count; i-- > 0;) {
    if (mover.moves[i].readers == 0) get_ready(&mover, &mover.moves[i]);
  }
  TN_RETURN_IF_ERROR(make_ready_moves(&mover));
  for (size_t i = 0; i < mover.count; ++i) {
    if (!mover.moves[i].is_done) TN_RETURN_IF_ERROR(open_circle(&mover, &mover.moves[i]));
  }
  return TN_OK;
}
