// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/graph.h"

#include "program/activation.h"

enum {
  FEWEST_LAUNCHES = 8,  // a graph costs as much as some hundred launches to make
  REPEATS = 2,          // of the same addresses, before they are captured
};

static tn_encoder_t* encoder_of(const tn_activation_t* activation) {
  return activation->program->device->vtable->queue_encoder(activation->queue);
}

bool tn__graph_is_possible(const tn_program_t* program) {
  if (!program->device->target->has_graphs || program->guarded[0].guards_calls ||
      program->unit_count != 1 || program->instruction_count < FEWEST_LAUNCHES) {
    return false;
  }
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_instruction_t* instruction = &program->instructions[i];
    if (instruction->kind != TN_LAUNCH_KERNEL || instruction->block_count ||
        instruction->kernel->varies) {
      return false;
    }
  }
  return true;
}

static void drop(tn_activation_t* activation, tn_run_graph_t* graph) {
  if (graph->graph) {
    tn_encoder_t* encoder = encoder_of(activation);
    encoder->destroy_graph(encoder, graph->graph);
  }
  graph->graph = NULL;
  graph->repeat_count = 0;
}

// The one of the run's addresses, or in the place of the one that was used longest ago. NULL: there
// is no memory for it.
static tn_run_graph_t* find(tn_activation_t* activation) {
  const tn_program_t* program = activation->program;
  tn_run_graph_t* list = activation->graphs.list;
  tn_run_graph_t* oldest = &list[0];
  const size_t byte_size = program->pointer_count * sizeof(void*);
  for (size_t i = 0; i < TN_RUN_GRAPH_LIMIT; ++i) {
    if (list[i].pointers && memcmp(list[i].pointers, activation->pointers, byte_size) == 0) {
      ++list[i].repeat_count;
      return &list[i];
    }
    if (list[i].last_use < oldest->last_use) oldest = &list[i];
  }
  void* memory = oldest->pointers;
  if (!memory) {
    tn_status_release(
        tn__allocate_array(program->allocator, program->pointer_count, sizeof(void*), &memory));
    if (!memory) return NULL;
  }
  drop(activation, oldest);
  oldest->pointers = memory;
  memcpy(memory, activation->pointers, byte_size);
  return oldest;
}

tn_graph_use_t tn__graph_choose(tn_activation_t* activation) {
  tn_run_graphs_t* graphs = &activation->graphs;
  // Kernels that are measured are launched one by one.
  if (!activation->program->has_graph || graphs->is_refused || activation->observer) {
    return TN_GRAPH_NONE;
  }
  graphs->current = find(activation);
  if (!graphs->current) return TN_GRAPH_NONE;
  graphs->current->last_use = ++graphs->use_count;
  if (graphs->current->graph) return TN_GRAPH_LAUNCH;
  return graphs->current->repeat_count < REPEATS ? TN_GRAPH_NONE : TN_GRAPH_CAPTURE;
}

bool tn__graph_begin(tn_activation_t* activation) {
  tn_encoder_t* encoder = encoder_of(activation);
  tn_status_t status = encoder->begin_capture(encoder);
  activation->graphs.is_refused = status;
  tn_status_release(status);
  return !activation->graphs.is_refused;
}

bool tn__graph_end(tn_activation_t* activation, tn_status_t status) {
  tn_run_graphs_t* graphs = &activation->graphs;
  tn_run_graph_t* graph = graphs->current;
  tn_encoder_t* encoder = encoder_of(activation);
  tn_status_t broken = encoder->end_capture(encoder, &graph->graph);
  graphs->is_refused = status || broken;
  if (graphs->is_refused) drop(activation, graph);
  tn_status_release(status);
  tn_status_release(broken);
  graph->first_suspect = activation->first_suspect;
  graph->suspect_count = activation->suspect_count;
  activation->suspect_count = 0;
  return !graphs->is_refused;
}

tn_status_t tn__graph_launch(tn_activation_t* activation) {
  const tn_run_graph_t* graph = activation->graphs.current;
  tn_encoder_t* encoder = encoder_of(activation);
  activation->is_behind = true;
  activation->first_suspect = graph->first_suspect;
  activation->suspect_count = graph->suspect_count;
  activation->last_launch = (uint32_t)activation->program->instruction_count - 1;
  return encoder->launch_graph(encoder, graph->graph);
}

void tn__graph_release(tn_activation_t* activation) {
  const tn_program_t* program = activation->program;
  for (size_t i = 0; i < TN_RUN_GRAPH_LIMIT; ++i) {
    tn_run_graph_t* graph = &activation->graphs.list[i];
    drop(activation, graph);
    tn__free(program->allocator, graph->pointers, program->pointer_count * sizeof(void*));
  }
}
