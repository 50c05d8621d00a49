// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A graph of several streams, and of several devices, in parts.
//
// A step's level is how often the way to it, from the inputs of the graph, goes from one stream to
// another, at most. Steps of one stream and level need no others in between: they are a group.
#include <stdlib.h>

#include "lazy/graph.h"

typedef struct splitter {
  const tn_graph_t* graph;
  uint32_t* levels;   // by step; views have none
  uint32_t* streams;  // by step: the first step of its stream
  uint32_t stream_count;
  uint32_t* firsts;  // the first steps of all streams
  uint32_t* roots;   // by value: the value whose elements it has
  bool* is_needed;   // by value: outside of its group
} splitter_t;

static uint32_t first_of_stream(splitter_t* self, uint32_t step) {
  tn_step_t* const* steps = self->graph->steps;
  for (uint32_t i = 0; i < self->stream_count; ++i) {
    if (steps[self->firsts[i]]->stream == steps[step]->stream) return self->firsts[i];
  }
  self->firsts[self->stream_count++] = step;
  return step;
}

// The step that gives the elements of a value; TN_GRAPH_INPUT: none.
static uint32_t maker_of(const splitter_t* self, uint32_t value) {
  return self->graph->values[self->roots[value]].step;
}

static bool are_together(const splitter_t* self, uint32_t a, uint32_t b) {
  return self->levels[a] == self->levels[b] && self->streams[a] == self->streams[b];
}

// Its operands are those of the graph from `first` on.
static void place(splitter_t* self, uint32_t step, size_t first) {
  const uint32_t* operands = self->graph->operands;
  const size_t end = first + self->graph->steps[step]->operand_count;
  self->streams[step] = first_of_stream(self, step);
  for (size_t i = first; i < end; ++i) {
    const uint32_t maker = maker_of(self, operands[i]);
    if (maker == TN_GRAPH_INPUT) continue;
    const uint32_t level =
        self->levels[maker] + (self->streams[maker] != self->streams[step] ? 1 : 0);
    if (level > self->levels[step]) self->levels[step] = level;
  }
  for (size_t i = first; i < end; ++i) {
    const uint32_t maker = maker_of(self, operands[i]);
    if (maker == TN_GRAPH_INPUT || are_together(self, maker, step)) continue;
    self->is_needed[self->roots[operands[i]]] = true;
  }
}

// Values come in the order of the steps that make them.
static void place_all(splitter_t* self) {
  const tn_graph_t* graph = self->graph;
  size_t operand = 0;
  for (uint32_t v = 0; v < graph->value_count; ++v) {
    const uint32_t step = graph->values[v].step;
    self->roots[v] = v;
    if (step == TN_GRAPH_INPUT) continue;
    const bool is_first = v == 0 || graph->values[v - 1].step != step;
    if (graph->steps[step]->is_view) {
      self->roots[v] = self->roots[graph->operands[operand]];
    } else if (is_first) {
      place(self, step, operand);
    }
    const bool is_last = v + 1 == graph->value_count || graph->values[v + 1].step != step;
    if (is_last) operand += graph->steps[step]->operand_count;
  }
}

// --- the list

typedef struct entry {
  uint32_t level, stream, value;
} entry_t;

static int by_turn(const void* a, const void* b) {
  const entry_t *x = a, *y = b;
  if (x->level != y->level) return x->level < y->level ? -1 : 1;
  if (x->stream != y->stream) return x->stream < y->stream ? -1 : 1;
  return x->value < y->value ? -1 : x->value > y->value;
}

static size_t list_entries(const splitter_t* self, entry_t* entries) {
  const tn_graph_t* graph = self->graph;
  size_t count = 0;
  for (uint32_t v = 0; v < graph->value_count; ++v) {
    const tn_graph_value_t* value = &graph->values[v];
    if (value->step == TN_GRAPH_INPUT || !value->array) continue;
    if (graph->steps[value->step]->is_view) continue;
    entries[count++] = (entry_t){self->levels[value->step], self->streams[value->step], v};
  }
  qsort(entries, count, sizeof *entries, by_turn);
  return count;
}

static tn_status_t make_parts(const splitter_t* self, const entry_t* entries, size_t count,
                              tn_graph_part_t** out_parts) {
  const tn_graph_t* graph = self->graph;
  void* memory = NULL;
  uint32_t group = 0;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(graph->evaluator->allocator, count, sizeof **out_parts, &memory));
  tn_graph_part_t* parts = memory;
  for (size_t i = 0; i < count; ++i) {
    const tn_graph_value_t* value = &graph->values[entries[i].value];
    if (i &&
        (entries[i].level != entries[i - 1].level || entries[i].stream != entries[i - 1].stream)) {
      ++group;
    }
    parts[i] = (tn_graph_part_t){
        .array = tn_array_retain(value->array),
        .step = tn__step_retain(graph->steps[value->step]),
        .group = group,
        .is_needed = value->is_held || self->is_needed[entries[i].value],
    };
  }
  *out_parts = parts;
  return TN_OK;
}

tn_status_t tn__graph_split(const tn_graph_t* graph, tn_graph_part_t** out_parts,
                            size_t* out_count) {
  tn_status_t status = TN_OK;
  void* memory = NULL;
  size_t count = 0;
  tn_arena_t arena;
  splitter_t self = {.graph = graph};
  *out_parts = NULL;
  *out_count = 0;
  tn__arena_init(&arena, graph->evaluator->allocator);
  TN_DONE_IF_ERROR(
      tn__arena_allocate_array(&arena, graph->step_count, 3 * sizeof(uint32_t), &memory));
  self.levels = memory;
  self.streams = self.levels + graph->step_count;
  self.firsts = self.streams + graph->step_count;
  TN_DONE_IF_ERROR(tn__arena_allocate_array(&arena, graph->value_count,
                                            sizeof(uint32_t) + sizeof(bool), &memory));
  self.roots = memory;
  self.is_needed = (bool*)(self.roots + graph->value_count);
  place_all(&self);
  TN_DONE_IF_ERROR(tn__arena_allocate_array(&arena, graph->value_count, sizeof(entry_t), &memory));
  count = list_entries(&self, memory);
  TN_DONE_IF_ERROR(make_parts(&self, memory, count, out_parts));
  *out_count = count;
done:
  tn__arena_deinit(&arena);
  return status;
}

void tn__graph_part_release(tn_graph_part_t* part) {
  tn_array_release(part->array);
  tn__step_release(part->step);
  part->array = NULL;
  part->step = NULL;
}

void tn__graph_parts_free(const tn_graph_t* graph, tn_graph_part_t* parts, size_t count) {
  tn__free(graph->evaluator->allocator, parts, count * sizeof *parts);
}
