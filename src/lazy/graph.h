// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The part of the graph that some arrays still need: steps in an order in which they can be done,
// the arrays that go in, and those that come out.
#ifndef TENON_LAZY_GRAPH_H_
#define TENON_LAZY_GRAPH_H_

#include "lazy/array.h"
#include "lazy/cache.h"

// An array that takes part: an input, or a result that is still there.
typedef struct tn_graph_value {
  tn_array_t* array;   // outputs: retained. NULL: its last reference was just released
  uint32_t use_count;  // by steps of the graph
  uint32_t step;       // that makes it; TN_GRAPH_INPUT
  uint32_t index;      // which of its results
  bool is_held;        // has a reference from outside of the graph
  bool is_donor;       // an input whose memory a result may take: see tn__graph_choose_donors
} tn_graph_value_t;
#define TN_GRAPH_INPUT UINT32_MAX

typedef struct tn_graph {
  tn_evaluator_t* evaluator;
  size_t step_count, step_capacity;
  tn_step_t** steps;      // operands before their uses; views among them
  size_t computed_count;  // those that are no views
  size_t value_count, value_capacity;
  tn_graph_value_t* values;
  // Numbers of values: in the order in which the walk meets them.
  size_t operand_count, operand_capacity;
  uint32_t* operands;  // of all steps, one behind the other
  size_t input_count, input_capacity;
  uint32_t* inputs;
  size_t output_count, output_capacity;
  uint32_t* outputs;
  tn_stream_t* stream;    // of all steps that are no views
  bool has_many_streams;  // or there is no such one
  tn_device_t* device;    // that the steps are computed on; a view
  bool has_failed_input;
  bool has_calls;         // some step is a custom operation, which may fail
  const tn_step_t* call;  // a step that is a call of a compiled function; NULL: there is none
  bool keeps_steps;       // some output is traced: what it was made from is needed again
  tn_array_t* abstract;   // some input that has no value; NULL
  size_t word_count, word_capacity;
  uint64_t* words;
  size_t list_capacity;  // bytes
  void* lists;           // of the run under way (eval.c)
  // while walking
  size_t stack_count, stack_capacity;
  struct tn_graph_frame* stack;
} tn_graph_t;

void tn__graph_init(tn_graph_t* graph, tn_evaluator_t* evaluator);
void tn__graph_deinit(tn_graph_t* graph);
// The same in memory of its own. NULL is fine.
TN_MUST_USE tn_status_t tn__graph_create(tn_evaluator_t* evaluator, tn_graph_t** out_graph);
void tn__graph_destroy(tn_graph_t* graph);

// Collects what `targets` need, again and again with the same memory. Under the evaluator's mutex.
// *out_is_claimed: an evaluation other than `claimant` has some step, and nothing was collected.
// Everything else here needs no lock: what was collected stays as it is until tn__graph_forget.
TN_MUST_USE tn_status_t tn__graph_collect(tn_graph_t* graph, const void* claimant,
                                          size_t target_count, tn_array_t* const* targets,
                                          bool* out_is_claimed);
// The same without the mutex, for who writes the graph down: waits for what others evaluate, and
// computes what compiled functions give. An input with an error is an error.
TN_MUST_USE tn_status_t tn__graph_collect_whole(tn_graph_t* graph, size_t target_count,
                                                tn_array_t* const* targets);
// Gives up the outputs.
void tn__graph_forget(tn_graph_t* graph);

// A value that a step gives which is no view.
typedef struct tn_graph_part {
  tn_array_t* array;  // retained
  tn_step_t* step;    // retained
  uint32_t group;     // of steps that can be computed by one program
  bool is_needed;     // outside of the group
} tn_graph_part_t;

// Divides the steps of a graph by their streams, into as few groups as their order allows
// (split.c). The parts stand in the order in which to compute them, groups next to each other.
TN_MUST_USE tn_status_t tn__graph_split(const tn_graph_t* graph, tn_graph_part_t** out_parts,
                                        size_t* out_count);
// Releases what the part holds.
void tn__graph_part_release(tn_graph_part_t* part);
// Frees the list. The parts have been released.
void tn__graph_parts_free(const tn_graph_t* graph, tn_graph_part_t* parts, size_t count);

// Whether an input goes with the run: it has no other reference, and nothing of the graph stays.
bool tn__graph_may_donate(const tn_graph_t* graph, const tn_graph_value_t* value);
// Marks those of them whose memory a result may take. Part of the key, and what is marked must be
// donated.
void tn__graph_choose_donors(tn_graph_t* graph);

// What is equal for graphs that compute alike; a view until the next collect.
TN_MUST_USE tn_status_t tn__graph_key(tn_graph_t* graph, tn_graph_key_t* out_key);

// The graph as a program's module: a parameter for each input, a result for each output.
TN_MUST_USE tn_status_t tn__graph_emit(const tn_graph_t* graph, tn_module_t** out_module);
// The same as a function: the parameters are `parameters`, in this order, other inputs are
// constants, and the results are `results`, which the graph was collected for. Waits for the
// constants. `is_portable`: for others to read, with nothing that only Tenon understands.
TN_MUST_USE tn_status_t tn__graph_export(const tn_graph_t* graph, bool is_portable,
                                         size_t parameter_count, tn_array_t* const* parameters,
                                         size_t result_count, tn_array_t* const* results,
                                         tn_module_t** out_module);

#endif  // TENON_LAZY_GRAPH_H_
