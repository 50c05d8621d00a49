// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs as graphs of the device: a program that launches the same work in every run is captured when
// it has run twice with the same addresses, and from then on launched as one graph, until an
// address changes.
#ifndef TENON_PROGRAM_GRAPH_H_
#define TENON_PROGRAM_GRAPH_H_

#include "program/program.h"

typedef struct tn_activation tn_activation_t;  // activation.h

// Of an activation, for one set of addresses.
typedef struct tn_run_graph {
  void** pointers;        // NULL: it is of none yet
  uint64_t last_use;      // larger than that of those used before
  uint32_t repeat_count;  // runs with these addresses, but for the first
  void* graph;            // the device's (kernel/encoder.h); NULL: it is not captured
  uint32_t first_suspect, suspect_count;  // of its launches, as in activation.h
} tn_run_graph_t;

// Arrays take turns with few addresses.
enum { TN_RUN_GRAPH_LIMIT = 4 };
typedef struct tn_run_graphs {
  tn_run_graph_t list[TN_RUN_GRAPH_LIMIT];
  tn_run_graph_t* current;  // of this run
  uint64_t use_count;
  bool is_refused;  // a capture failed, and none is tried again
} tn_run_graphs_t;

// Whether runs of the program launch the same work: on a device with graphs, many kernels, nothing
// of the host's, no predicate.
bool tn__graph_is_possible(const tn_program_t* program);

typedef enum tn_graph_use { TN_GRAPH_NONE, TN_GRAPH_CAPTURE, TN_GRAPH_LAUNCH } tn_graph_use_t;
// What to do in this run, whose arguments and results are bound.
tn_graph_use_t tn__graph_choose(tn_activation_t* activation);
// Begins to capture what is launched. False where that cannot be.
bool tn__graph_begin(tn_activation_t* activation);
// Takes `status`, what came of the launches. True: there is a graph. Otherwise nothing was
// launched.
bool tn__graph_end(tn_activation_t* activation, tn_status_t status);
TN_MUST_USE tn_status_t tn__graph_launch(tn_activation_t* activation);
// The queue has finished.
void tn__graph_release(tn_activation_t* activation);

#endif  // TENON_PROGRAM_GRAPH_H_
