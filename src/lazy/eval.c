// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/eval.h"

#include <time.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "device/event.h"
#include "lazy/copies.h"
#include "lazy/graph.h"
#include "program/dynamic.h"

// An evaluation under way. Its address is what steps are claimed with.
typedef struct tn_evaluation {
  tn_evaluator_t* evaluator;
  bool is_async;
  tn_cancellation_t* cancellation;  // NULL: none
  tn_graph_t* graph;                // all of it
  tn_graph_t* piece;                // one step of it, when it is done step by step
  tn_copies_t copies;
} tn_evaluation_t;

// --- memory of the traversal

static tn_status_t take_graph(tn_evaluator_t* evaluator, tn_graph_t** out_graph) {
  *out_graph = atomic_exchange(&evaluator->idle_graph, NULL);
  return *out_graph ? TN_OK : tn__graph_create(evaluator, out_graph);
}

static void give_graph(tn_evaluator_t* evaluator, tn_graph_t* graph) {
  tn__graph_destroy(atomic_exchange(&evaluator->idle_graph, graph));
}

// --- claims

static tn_status_t check_cancellation(tn_cancellation_t* cancellation) {
  const tn_interrupt_t interrupt = {.cancellation = cancellation, .deadline_ns = INT64_MAX};
  return tn__interrupt_check(&interrupt);
}

// Under the mutex, which the check is made without.
static tn_status_t wait_for_others(tn_evaluator_t* evaluator, tn_cancellation_t* cancellation) {
  tn_status_t status = TN_OK;
  ++evaluator->waiting_count;
  if (cancellation) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += TN_INTERRUPT_POLL_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&evaluator->published, &evaluator->mutex, &until);
    pthread_mutex_unlock(&evaluator->mutex);
    status = check_cancellation(cancellation);
    pthread_mutex_lock(&evaluator->mutex);
  } else {
    pthread_cond_wait(&evaluator->published, &evaluator->mutex);
  }
  --evaluator->waiting_count;
  return status;
}

// What others are evaluating is waited for: it is then an input.
static tn_status_t collect_and_claim(tn_evaluation_t* evaluation, size_t count,
                                     tn_array_t* const* arrays) {
  tn_evaluator_t* evaluator = evaluation->evaluator;
  tn_graph_t* graph = evaluation->graph;
  tn_status_t status = TN_OK;
  bool is_claimed = false;
  pthread_mutex_lock(&evaluator->mutex);
  for (;;) {
    status = tn__graph_collect(graph, evaluation, count, arrays, &is_claimed);
    if (status || !is_claimed) break;
    status = wait_for_others(evaluator, evaluation->cancellation);
    if (status) break;
  }
  if (!status && graph->abstract) {
    status = tn_status_create(TN_CODE_FAILED_PRECONDITION,
                              "an array of shape %s depends on an input of a transform, which has "
                              "no value while the function is traced",
                              TN_SHAPE_TEXT(graph->abstract->rank, graph->abstract->dims));
  }
  for (size_t i = 0; !status && i < graph->step_count; ++i) {
    if (!graph->steps[i]->is_view) graph->steps[i]->claimant = evaluation;
  }
  pthread_mutex_unlock(&evaluator->mutex);
  return status;
}

// Under the mutex.
static void give_up_claims(const tn_evaluation_t* evaluation, const tn_graph_t* graph) {
  for (size_t i = 0; i < graph->step_count; ++i) graph->steps[i]->claimant = NULL;
  if (evaluation->evaluator->waiting_count) {
    pthread_cond_broadcast(&evaluation->evaluator->published);
  }
}

// Nothing was done, and nothing is lost: the arrays are pending as before. Takes and returns
// `status`.
static tn_status_t give_up(const tn_evaluation_t* evaluation, const tn_graph_t* graph,
                           tn_status_t status) {
  pthread_mutex_lock(&evaluation->evaluator->mutex);
  give_up_claims(evaluation, graph);
  pthread_mutex_unlock(&evaluation->evaluator->mutex);
  return status;
}

// --- programs

static tn_status_t compile(const tn_graph_t* graph, tn_graph_key_t key,
                           tn_cancellation_t* cancellation, tn_program_t** out_program) {
  const tn_interrupt_t interrupt = {.cancellation = cancellation, .deadline_ns = INT64_MAX};
  tn_module_t* module = NULL;
  tn_evaluator_t* evaluator = graph->evaluator;
  const tn_compile_options_t options = {.struct_size = sizeof options,
                                        .allocator = evaluator->allocator};
  *out_program = NULL;
  TN_RETURN_IF_ERROR(tn__graph_emit(graph, &module));
  tn_status_t status =
      tn__program_compile_for(graph->device, module, &options, NULL, &interrupt, out_program);
  tn_module_release(module);
  if (!status) status = tn__graph_cache_put(evaluator->cache, key, *out_program);
  if (status) {
    tn_program_release(*out_program);
    *out_program = NULL;
  }
  return status;
}

// A program of several steps that fails does not tell which: done one by one, only what depends on
// the failed one fails. Handlers are called again then, so the inputs are kept. On a stream no one
// is there to do it.
static bool is_divisible(const tn_evaluation_t* evaluation, const tn_graph_t* graph) {
  return graph == evaluation->graph && graph->computed_count > 1 && graph->has_calls &&
         !graph->call && !evaluation->is_async && !graph->stream;
}

// NULL, without an error, for several steps that were not seen together before.
static tn_status_t find_program(const tn_evaluation_t* evaluation, tn_graph_t* graph,
                                tn_program_t** out_program) {
  tn_graph_key_t key;
  bool was_seen = false;
  *out_program = NULL;
  if (graph->call) {
    if (graph->computed_count == 1) *out_program = tn_program_retain(graph->call->program);
    return TN_OK;
  }
  if (!is_divisible(evaluation, graph)) tn__graph_choose_donors(graph);
  TN_RETURN_IF_ERROR(tn__graph_key(graph, &key));
  TN_RETURN_IF_ERROR(tn__graph_cache_find(graph->evaluator->cache, key, &was_seen, out_program));
  if (*out_program || (!was_seen && graph->computed_count > 1)) return TN_OK;
  return compile(graph, key, evaluation->cancellation, out_program);
}

// --- running

// The lists of one run, in memory that the graph keeps.
typedef struct tn_graph_run {
  size_t argument_count;
  const uint32_t* numbers;  // of the arguments' values
  tn_buffer_t** arguments;
  tn_buffer_t** results;
  tn_step_t** steps;  // of the results, to be released
  bool* donated;
} tn_graph_run_t;

static tn_status_t run_init(tn_graph_run_t* run, tn_graph_t* graph) {
  // A compiled function has its operands for arguments, and they are no views.
  const size_t argument_count = graph->call ? graph->call->operand_count : graph->input_count;
  const size_t pointer_count = argument_count + 2 * graph->output_count;
  const size_t byte_size = pointer_count * sizeof(void*) + argument_count;
  TN_RETURN_IF_ERROR(
      tn__grow(graph->evaluator->allocator, &graph->lists, &graph->list_capacity, byte_size, 1));
  run->argument_count = argument_count;
  run->numbers = graph->call ? graph->operands : graph->inputs;
  run->arguments = graph->lists;
  run->results = run->arguments + argument_count;
  run->steps = (tn_step_t**)(run->results + graph->output_count);
  run->donated = (bool*)(run->steps + graph->output_count);
  return TN_OK;
}

static void set_arguments(const tn_graph_t* graph, tn_graph_run_t* run) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    const tn_graph_value_t* value = &graph->values[run->numbers[i]];
    run->arguments[i] = value->array->buffer;
    run->donated[i] = tn__graph_may_donate(graph, value);
  }
}

// Outputs get their buffers, or the error. Takes `status`. Nothing here can fail.
static void publish(const tn_evaluation_t* evaluation, tn_graph_t* graph, tn_graph_run_t* run,
                    tn_failure_t* failure) {
  tn_evaluator_t* evaluator = evaluation->evaluator;
  const size_t output_count = graph->output_count;
  pthread_mutex_lock(&evaluator->mutex);
  give_up_claims(evaluation, graph);
  const bool has_transforms = atomic_load(&evaluator->transform_count) != 0;
  for (size_t i = 0; i < output_count; ++i) {
    tn_array_t* array = graph->values[graph->outputs[i]].array;
    array->buffer = failure ? NULL : run->results[i];
    array->failure = tn__failure_retain(failure);
    atomic_store_explicit(&array->state, failure ? TN_ARRAY_FAILED : TN_ARRAY_READY,
                          memory_order_release);
    const bool keeps_step = has_transforms && array->flags & TN_ARRAY_TRACED;
    run->steps[i] = keeps_step ? NULL : tn__array_detach(array);
  }
  pthread_mutex_unlock(&evaluator->mutex);
  for (size_t i = 0; i < output_count; ++i) tn__step_release(run->steps[i]);
}

// A compiled function gives all its results; those without a reference are released at once.
static tn_status_t run_call(const tn_graph_t* graph, tn_program_t* program,
                            const tn_run_options_t* options, const tn_graph_run_t* run) {
  const tn_allocator_t* allocator = graph->evaluator->allocator;
  const size_t count = graph->call->result_count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, count, sizeof(tn_buffer_t*), &memory));
  tn_buffer_t** results = memory;
  tn_status_t status =
      tn_program_run(program, run->argument_count, run->arguments, options, count, results);
  for (size_t i = 0; i < graph->output_count && !status; ++i) {
    const uint32_t index = graph->values[graph->outputs[i]].index;
    run->results[i] = tn_buffer_retain(results[index]);
  }
  for (size_t i = 0; i < count; ++i) tn_buffer_release(results[i]);
  tn__free(allocator, results, count * sizeof *results);
  return status;
}

// A copy for one argument, which may be donated in its place.
static tn_status_t copy_argument(tn_evaluation_t* evaluation, const tn_graph_t* graph,
                                 tn_stream_t* stream, bool is_donated, tn_buffer_t** argument) {
  tn_buffer_t *buffer = *argument, *copy = NULL;
  TN_RETURN_IF_ERROR(tn_buffer_to_device(buffer, graph->device, stream, &copy));
  *argument = copy;
  if (is_donated) return TN_OK;
  return tn__copies_add(&evaluation->copies, graph->evaluator->allocator, buffer, copy);
}

// What is on another device is copied, in the stream's turn. Released by release_copies.
static tn_status_t bring_arguments(tn_evaluation_t* evaluation, const tn_graph_t* graph,
                                   tn_stream_t* stream, tn_graph_run_t* run) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_buffer_t** argument = &run->arguments[i];
    if (tn_buffer_device(*argument) == graph->device) continue;
    tn_buffer_t* copy = tn__copies_find(&evaluation->copies, *argument, graph->device);
    if (copy) {
      *argument = tn_buffer_retain(copy);
    } else {
      TN_RETURN_IF_ERROR(copy_argument(evaluation, graph, stream, run->donated[i], argument));
    }
  }
  return TN_OK;
}

// Copies of what nothing else refers to are not read again.
static void release_copies(tn_evaluation_t* evaluation, const tn_graph_t* graph,
                           const tn_graph_run_t* run) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    const tn_graph_value_t* value = &graph->values[run->numbers[i]];
    if (run->arguments[i] == value->array->buffer) continue;
    tn_buffer_release(run->arguments[i]);
    if (!value->is_held) tn__copies_forget(&evaluation->copies, value->array->buffer);
  }
}

static tn_status_t run_program(tn_evaluation_t* evaluation, tn_graph_t* graph,
                               tn_program_t* program, tn_graph_run_t* run) {
  tn_run_options_t options = {.struct_size = sizeof options,
                              .stream = graph->stream,
                              .cancellation = evaluation->cancellation};
  if (evaluation->is_async && !options.stream) {
    TN_RETURN_IF_ERROR(tn__evaluator_stream(evaluation->evaluator, &options.stream));
  }
  set_arguments(graph, run);
  if (!is_divisible(evaluation, graph)) options.donated = run->donated;
  tn_status_t status = bring_arguments(evaluation, graph, options.stream, run);
  if (!status && graph->call) {
    status = run_call(graph, program, &options, run);
  } else if (!status) {
    status = tn_program_run(program, run->argument_count, run->arguments, &options,
                            graph->output_count, run->results);
  }
  release_copies(evaluation, graph, run);
  return status;
}

static tn_failure_t* failure_of_inputs(const tn_graph_t* graph) {
  for (size_t i = 0; i < graph->input_count; ++i) {
    const tn_array_t* array = graph->values[graph->inputs[i]].array;
    if (tn__array_state(array) == TN_ARRAY_FAILED) return tn__failure_retain(array->failure);
  }
  return NULL;
}

// Whether the graph is as it was before the run that `status` ended: it was cancelled, and its
// operands are still there.
static bool is_undone(const tn_graph_t* graph, const tn_graph_run_t* run, tn_status_t status) {
  if (tn_status_code(status) != TN_CODE_CANCELLED) return false;
  for (size_t i = 0; i < run->argument_count; ++i) {
    if (tn_buffer_is_donated(graph->values[run->numbers[i]].array->buffer)) return false;
  }
  return true;
}

static tn_status_t finish_in_parts(tn_evaluation_t* evaluation);

// Runs the graph and publishes what comes of it. Takes the program; without one the outputs fail
// with `status`, which is taken, or as the inputs did.
static tn_status_t finish(tn_evaluation_t* evaluation, tn_graph_t* graph, tn_program_t* program,
                          tn_status_t status) {
  tn_graph_run_t run;
  tn_status_t memory_status = run_init(&run, graph);
  if (memory_status) {
    tn_status_release(status);
    tn_program_release(program);
    return give_up(evaluation, graph, memory_status);
  }
  tn_failure_t* failure = program || status ? NULL : failure_of_inputs(graph);
  if (program && !status) status = run_program(evaluation, graph, program, &run);
  if (status && evaluation->cancellation && is_undone(graph, &run, status)) {
    tn_program_release(program);
    return give_up(evaluation, graph, status);
  }
  if (program && status && tn_status_code(status) != TN_CODE_RESOURCE_EXHAUSTED &&
      is_divisible(evaluation, graph)) {
    tn_status_release(status);
    tn_program_release(program);
    return finish_in_parts(evaluation);
  }
  if (status) failure = tn__failure_create(evaluation->evaluator->allocator, status);
  publish(evaluation, graph, &run, failure);
  tn__failure_release(failure);
  tn_program_release(program);
  return TN_OK;
}

// --- step by step

static tn_status_t finish_step(tn_evaluation_t* evaluation, tn_array_t* array) {
  tn_evaluator_t* evaluator = evaluation->evaluator;
  tn_graph_t* piece = evaluation->piece;
  tn_program_t* program = NULL;
  bool is_claimed = false;
  pthread_mutex_lock(&evaluator->mutex);
  tn_status_t status = tn__graph_collect(piece, evaluation, 1, &array, &is_claimed);
  pthread_mutex_unlock(&evaluator->mutex);
  if (!status && piece->computed_count && !is_claimed) {
    tn_status_t error = piece->has_failed_input ? TN_OK : find_program(evaluation, piece, &program);
    status = tn_status_code(error) == TN_CODE_RESOURCE_EXHAUSTED
                 ? error
                 : finish(evaluation, piece, program, error);
  }
  tn__graph_forget(piece);
  return status;
}

// After an error nothing more is done for the part, and what it needs is pending again.
static void release_part(const tn_evaluation_t* evaluation, tn_graph_part_t* part,
                         tn_status_t status) {
  tn_evaluator_t* evaluator = evaluation->evaluator;
  if (status) {
    pthread_mutex_lock(&evaluator->mutex);
    if (part->step->claimant == evaluation) part->step->claimant = NULL;
    if (evaluator->waiting_count) pthread_cond_broadcast(&evaluator->published);
    pthread_mutex_unlock(&evaluator->mutex);
  }
  tn__graph_part_release(part);
}

// Steps one by one, by the first result of each. Releases the parts: steps end as they are done.
static tn_status_t finish_each(tn_evaluation_t* evaluation, size_t count, tn_graph_part_t* parts) {
  const tn_step_t* done = NULL;
  tn_status_t status = TN_OK;
  for (size_t i = 0; i < count; ++i) {
    const bool is_first = parts[i].step != done;
    done = parts[i].step;
    if (!status && is_first) status = finish_step(evaluation, parts[i].array);
    release_part(evaluation, &parts[i], status);
  }
  return status;
}

// Makes `piece` what the group gives. References that the parts hold would make results of what is
// only needed inside. Where handlers may fail, they are called one by one, so that nothing but what
// depends on their results is lost.
static tn_status_t collect_group(tn_evaluation_t* evaluation, size_t count, tn_graph_part_t* parts,
                                 tn_array_t** targets, bool* out_is_program) {
  tn_evaluator_t* evaluator = evaluation->evaluator;
  tn_graph_t* piece = evaluation->piece;
  size_t target_count = 0;
  bool is_claimed = false;
  for (size_t i = 0; i < count; ++i) {
    if (parts[i].is_needed) {
      targets[target_count++] = parts[i].array;
    } else {
      tn_array_release(parts[i].array);
      parts[i].array = NULL;
    }
  }
  pthread_mutex_lock(&evaluator->mutex);
  tn_status_t status = tn__graph_collect(piece, evaluation, target_count, targets, &is_claimed);
  pthread_mutex_unlock(&evaluator->mutex);
  const bool is_precise = piece->has_calls && !piece->stream && !evaluation->is_async;
  *out_is_program = !piece->has_failed_input && !is_precise;
  return status;
}

static tn_status_t split_and_finish_each(tn_evaluation_t* evaluation, tn_graph_t* graph) {
  tn_graph_part_t* parts = NULL;
  size_t count = 0;
  tn_status_t status = tn__graph_split(graph, &parts, &count);
  if (status) return give_up(evaluation, graph, status);
  tn__graph_forget(graph);
  status = finish_each(evaluation, count, parts);
  tn__graph_parts_free(evaluation->graph, parts, count);
  return status;
}

// A group as one program, if it was seen before. Releases the parts.
static tn_status_t finish_group(tn_evaluation_t* evaluation, size_t count, tn_graph_part_t* parts,
                                tn_array_t** targets) {
  tn_graph_t* piece = evaluation->piece;
  tn_program_t* program = NULL;
  bool is_program = false;
  tn_status_t error = TN_OK;
  tn_status_t status = collect_group(evaluation, count, parts, targets, &is_program);
  if (!status && piece->computed_count && is_program) {
    error = find_program(evaluation, piece, &program);
  }
  if (tn_status_code(error) == TN_CODE_RESOURCE_EXHAUSTED) {
    status = error;
  } else {
    tn_status_release(error);  // it comes up again, where it belongs
    if (!status && program) {
      status = finish(evaluation, piece, program, TN_OK);
    } else if (!status) {
      status = split_and_finish_each(evaluation, piece);
    }
  }
  tn__graph_forget(piece);
  for (size_t i = 0; i < count; ++i) release_part(evaluation, &parts[i], status);
  return status;
}

static size_t end_of_group(const tn_graph_part_t* parts, size_t first, size_t count) {
  size_t end = first + 1;
  while (end < count && parts[end].group == parts[first].group) ++end;
  return end;
}

// A graph of several streams, group by group.
static tn_status_t finish_by_groups(tn_evaluation_t* evaluation) {
  tn_graph_t* graph = evaluation->graph;
  const tn_allocator_t* allocator = evaluation->evaluator->allocator;
  tn_graph_part_t* parts = NULL;
  void* targets = NULL;
  const size_t target_limit = graph->value_count;
  size_t count = 0;
  tn_status_t status = tn__allocate_array(allocator, target_limit, sizeof(tn_array_t*), &targets);
  if (!status) status = tn__graph_split(graph, &parts, &count);
  if (status) {
    tn__free(allocator, targets, target_limit * sizeof(tn_array_t*));
    return give_up(evaluation, graph, status);
  }
  tn__graph_forget(graph);
  for (size_t i = 0, end = 0; i < count; i = end) {
    end = end_of_group(parts, i, count);
    if (!status) {
      status = finish_group(evaluation, end - i, &parts[i], targets);
      continue;
    }
    for (size_t k = i; k < end; ++k) release_part(evaluation, &parts[k], status);
  }
  tn__graph_parts_free(graph, parts, count);
  tn__free(allocator, targets, target_limit * sizeof(tn_array_t*));
  return status;
}

// What is no single program.
static tn_status_t finish_in_parts(tn_evaluation_t* evaluation) {
  tn_graph_t* graph = evaluation->graph;
  tn_graph_t piece;
  tn__graph_init(&piece, evaluation->evaluator);
  evaluation->piece = &piece;
  tn_status_t status = graph->has_many_streams ? finish_by_groups(evaluation)
                                               : split_and_finish_each(evaluation, graph);
  tn__graph_deinit(&piece);
  evaluation->piece = NULL;
  return status;
}

// --- all of it

// Takes the claims.
static tn_status_t finish_graph(tn_evaluation_t* evaluation) {
  tn_graph_t* graph = evaluation->graph;
  tn_program_t* program = NULL;
  if (!graph->has_many_streams && !graph->has_failed_input) {
    tn_status_t status = find_program(evaluation, graph, &program);
    if (tn_status_code(status) == TN_CODE_RESOURCE_EXHAUSTED) {
      return give_up(evaluation, graph, status);
    }
    if (status && graph->computed_count == 1) return finish(evaluation, graph, NULL, status);
    // What cannot be compiled at once is done step by step, so that the error is where it belongs.
    tn_status_release(status);
  }
  if (program) return finish(evaluation, graph, program, TN_OK);
  return finish_in_parts(evaluation);
}

static tn_evaluator_t* evaluator_of(size_t count, tn_array_t* const* arrays) {
  for (size_t i = 0; i < count; ++i) {
    if (!tn_array_is_evaluated(arrays[i])) return arrays[i]->evaluator;
  }
  return NULL;
}

static tn_status_t check_arrays(const char* function, size_t count, tn_array_t* const* arrays) {
  for (size_t i = 0; i < count; ++i) {
    if (!arrays[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: array %zu is NULL", function, i);
    }
  }
  return TN_OK;
}

// Arrays of one graph.
static tn_status_t evaluate(size_t count, tn_array_t* const* arrays, bool is_async,
                            tn_cancellation_t* cancellation) {
  tn_evaluation_t evaluation = {
      .evaluator = evaluator_of(count, arrays), .is_async = is_async, .cancellation = cancellation};
  tn_evaluator_t* evaluator = evaluation.evaluator;
  if (!evaluator) return TN_OK;
  TN_RETURN_IF_ERROR(tn__process_check());
  TN_RETURN_IF_ERROR(take_graph(evaluator, &evaluation.graph));
  tn_status_t status = collect_and_claim(&evaluation, count, arrays);
  if (is_async) evaluation.cancellation = NULL;  // what is enqueued is no longer given up
  if (!status && evaluation.graph->computed_count) status = finish_graph(&evaluation);
  tn__graph_forget(evaluation.graph);
  give_graph(evaluator, evaluation.graph);
  tn__copies_deinit(&evaluation.copies, evaluator->allocator);
  return status;
}

static size_t end_of_graph(tn_array_t* const* arrays, size_t first, size_t count) {
  size_t end = first + 1;
  while (end < count && arrays[end]->evaluator == arrays[first]->evaluator) ++end;
  return end;
}

tn_status_t tn__evaluate(size_t count, tn_array_t* const* arrays, bool is_async,
                         tn_cancellation_t* cancellation) {
  TN_RETURN_IF_ERROR(
      check_arrays(is_async ? "tn_array_async_eval" : "tn_array_eval", count, arrays));
  for (size_t i = 0, end = 0; i < count; i = end) {
    end = end_of_graph(arrays, i, count);
    TN_RETURN_IF_ERROR(evaluate(end - i, arrays + i, is_async, cancellation));
  }
  return TN_OK;
}

static tn_status_t wait_for(tn_array_t* array, tn_cancellation_t* cancellation) {
  const tn_array_t* root = tn__array_root(array);
  if (tn__array_state(root) == TN_ARRAY_FAILED) return tn__failure_report(root->failure);
  tn_event_t* ready = root->buffer ? tn_buffer_ready_event(root->buffer) : NULL;
  const tn_interrupt_t interrupt = {.cancellation = cancellation, .deadline_ns = INT64_MAX};
  return ready ? tn__event_wait_until(ready, cancellation ? &interrupt : NULL) : TN_OK;
}

tn_status_t tn_array_eval(size_t count, tn_array_t* const* arrays) {
  return tn_array_eval_until(count, arrays, NULL);
}

tn_status_t tn_array_eval_until(size_t count, tn_array_t* const* arrays,
                                tn_cancellation_t* cancellation) {
  if (count) TN_RETURN_IF_NULL(arrays);
  TN_RETURN_IF_ERROR(tn__evaluate(count, arrays, false, cancellation));
  tn_status_t first = TN_OK;
  for (size_t i = 0; i < count; ++i) {
    tn_status_t status = wait_for(arrays[i], cancellation);
    if (first) {
      tn_status_release(status);
    } else {
      first = status;
    }
  }
  return first;
}

tn_status_t tn_array_async_eval(size_t count, tn_array_t* const* arrays) {
  return tn_array_async_eval_until(count, arrays, NULL);
}

tn_status_t tn_array_async_eval_until(size_t count, tn_array_t* const* arrays,
                                      tn_cancellation_t* cancellation) {
  if (count) TN_RETURN_IF_NULL(arrays);
  return tn__evaluate(count, arrays, true, cancellation);
}
