// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/graph.h"

#include "base/process.h"
#include "lazy/eval.h"

// An array that a step makes whose operands from `next` on are still to be visited.
typedef struct tn_graph_frame {
  tn_array_t* array;
  uint32_t next;
} tn_graph_frame_t;

void tn__graph_init(tn_graph_t* graph, tn_evaluator_t* evaluator) {
  *graph = (tn_graph_t){.evaluator = evaluator};
}

void tn__graph_deinit(tn_graph_t* graph) {
  const tn_allocator_t* allocator = graph->evaluator->allocator;
  tn__free(allocator, graph->steps, graph->step_capacity * sizeof *graph->steps);
  tn__free(allocator, graph->values, graph->value_capacity * sizeof *graph->values);
  tn__free(allocator, graph->operands, graph->operand_capacity * sizeof *graph->operands);
  tn__free(allocator, graph->inputs, graph->input_capacity * sizeof *graph->inputs);
  tn__free(allocator, graph->outputs, graph->output_capacity * sizeof *graph->outputs);
  tn__free(allocator, graph->words, graph->word_capacity * sizeof *graph->words);
  tn__free(allocator, graph->lists, graph->list_capacity);
  tn__free(allocator, graph->stack, graph->stack_capacity * sizeof *graph->stack);
}

tn_status_t tn__graph_create(tn_evaluator_t* evaluator, tn_graph_t** out_graph) {
  void* memory = NULL;
  *out_graph = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(evaluator->allocator, sizeof(tn_graph_t), &memory));
  *out_graph = memory;
  tn__graph_init(*out_graph, evaluator);
  return TN_OK;
}

void tn__graph_destroy(tn_graph_t* graph) {
  if (!graph) return;
  const tn_allocator_t* allocator = graph->evaluator->allocator;
  tn__graph_deinit(graph);
  tn__free(allocator, graph, sizeof *graph);
}

// Makes room for one more element of a list of the graph.
#define GROW(graph, list, count, capacity)                                       \
  grow_list((graph), (void**)&(graph)->list, (graph)->count, &(graph)->capacity, \
            sizeof *(graph)->list)
static tn_status_t grow_list(const tn_graph_t* graph, void** list, size_t count, size_t* capacity,
                             size_t element_size) {
  if (__builtin_expect(count < *capacity, 1)) return TN_OK;
  return tn__grow(graph->evaluator->allocator, list, capacity, count + 1, element_size);
}

static tn_status_t add_value(tn_graph_t* graph, tn_array_t* array, uint64_t mark, uint32_t step) {
  TN_RETURN_IF_ERROR(GROW(graph, values, value_count, value_capacity));
  array->mark = mark;
  array->position = (uint32_t)graph->value_count;
  graph->values[graph->value_count++] =
      (tn_graph_value_t){.array = array, .step = step, .index = array->index};
  if (step != TN_GRAPH_INPUT) return TN_OK;
  TN_RETURN_IF_ERROR(GROW(graph, inputs, input_count, input_capacity));
  graph->inputs[graph->input_count++] = array->position;
  if (tn__array_state(array) == TN_ARRAY_FAILED) graph->has_failed_input = true;
  if (array->flags & TN_ARRAY_ABSTRACT) graph->abstract = array;
  return TN_OK;
}

// Whether a step of this graph makes it.
static bool is_made(const tn_array_t* array) {
  return array->step && tn__array_state(array) == TN_ARRAY_PENDING;
}

// One walk.
typedef struct tn_walk {
  uint64_t mark;  // of what it has met
  const void* claimant;
  bool* out_is_claimed;
} tn_walk_t;

// By another evaluation.
static bool is_claimed(const tn_step_t* step, const void* claimant) {
  return step->claimant && step->claimant != claimant;
}

// Meets an array: an input gets its number; a step is traversed when it is met first.
static tn_status_t visit(tn_graph_t* graph, tn_array_t* array, const tn_walk_t* walk) {
  if (array->mark == walk->mark) return TN_OK;
  if (!is_made(array)) return add_value(graph, array, walk->mark, TN_GRAPH_INPUT);
  if (is_claimed(array->step, walk->claimant)) {
    *walk->out_is_claimed = true;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(GROW(graph, stack, stack_count, stack_capacity));
  graph->stack[graph->stack_count++] = (tn_graph_frame_t){.array = array};
  return TN_OK;
}

static void note_stream(tn_graph_t* graph, const tn_step_t* step) {
  if (graph->computed_count++ == 0) {
    graph->stream = step->stream;
    graph->device = tn__step_device(step);
  } else if (graph->stream != step->stream) {
    graph->has_many_streams = true;
  }
}

// All operands of the step that makes `array` have their numbers: now it gets its own, and so do
// those of its results that are still there.
static tn_status_t finish_step(tn_graph_t* graph, tn_array_t* array, uint64_t mark) {
  tn_step_t* step = array->step;
  const uint32_t number = (uint32_t)graph->step_count;
  TN_RETURN_IF_ERROR(GROW(graph, steps, step_count, step_capacity));
  graph->steps[graph->step_count++] = step;
  if (!step->is_view) note_stream(graph, step);
  if (step->program) graph->call = step;
  if (tn__step_is_called(step)) graph->has_calls = true;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    const uint32_t operand = step->operands[i]->position;
    TN_RETURN_IF_ERROR(GROW(graph, operands, operand_count, operand_capacity));
    graph->operands[graph->operand_count++] = operand;
    ++graph->values[operand].use_count;
  }
  if (!step->results) return add_value(graph, array, mark, number);
  for (uint32_t i = 0; i < step->result_count; ++i) {
    if (step->results[i]) TN_RETURN_IF_ERROR(add_value(graph, step->results[i], mark, number));
  }
  return TN_OK;
}

// Depth first, with a stack of its own: graphs are as deep as programs run long.
static tn_status_t walk_from(tn_graph_t* graph, tn_array_t* target, const tn_walk_t* walk) {
  TN_RETURN_IF_ERROR(visit(graph, target, walk));
  while (graph->stack_count && !*walk->out_is_claimed) {
    tn_graph_frame_t* frame = &graph->stack[graph->stack_count - 1];
    tn_array_t* array = frame->array;
    if (array->mark == walk->mark) {  // another result of its step came first
      --graph->stack_count;
    } else if (frame->next < array->step->operand_count) {
      TN_RETURN_IF_ERROR(visit(graph, array->step->operands[frame->next++], walk));
    } else {
      --graph->stack_count;
      TN_RETURN_IF_ERROR(finish_step(graph, array, walk->mark));
    }
  }
  return TN_OK;
}

// What has another reference is still available afterwards; what a view shows is held by
// who holds the view.
static tn_status_t choose_outputs(tn_graph_t* graph) {
  for (size_t i = graph->value_count; i-- > 0;) {
    tn_graph_value_t* value = &graph->values[i];
    tn_array_t* array = value->array;
    const unsigned references = atomic_load(&array->references);
    if (references > value->use_count) value->is_held = true;
    if (references == 0) value->array = NULL;
    if (!value->is_held || value->step == TN_GRAPH_INPUT) continue;
    if (array->flags & TN_ARRAY_VIEW) {
      graph->values[array->step->operands[0]->position].is_held = true;
      continue;
    }
    TN_RETURN_IF_ERROR(GROW(graph, outputs, output_count, output_capacity));
    if (!tn__array_retain_if_alive(array)) {
      value->array = NULL;
      continue;
    }
    graph->outputs[graph->output_count++] = (uint32_t)i;
    if (array->flags & TN_ARRAY_TRACED && atomic_load(&graph->evaluator->transform_count)) {
      graph->keeps_steps = true;
    }
  }
  return TN_OK;
}

void tn__graph_forget(tn_graph_t* graph) {
  while (graph->output_count) {
    tn_array_release(graph->values[graph->outputs[--graph->output_count]].array);
  }
}

tn_status_t tn__graph_collect(tn_graph_t* graph, const void* claimant, size_t target_count,
                              tn_array_t* const* targets, bool* out_is_claimed) {
  const tn_walk_t walk = {.mark = tn__evaluator_next_mark(graph->evaluator),
                          .claimant = claimant,
                          .out_is_claimed = out_is_claimed};
  graph->step_count = graph->value_count = graph->operand_count = graph->input_count = 0;
  graph->computed_count = graph->stack_count = graph->word_count = 0;
  graph->has_many_streams = graph->has_failed_input = graph->keeps_steps = false;
  graph->has_calls = false;
  graph->stream = NULL;
  graph->device = graph->evaluator->device;
  graph->abstract = NULL;
  graph->call = NULL;
  *out_is_claimed = false;
  for (size_t i = 0; i < target_count && !*out_is_claimed; ++i) {
    TN_RETURN_IF_ERROR(walk_from(graph, targets[i], &walk));
  }
  return *out_is_claimed ? TN_OK : choose_outputs(graph);
}

// A result of a step.
static tn_array_t* result_of(const tn_graph_t* graph, const tn_step_t* step) {
  for (size_t i = 0; i < graph->value_count; ++i) {
    const tn_graph_value_t* value = &graph->values[i];
    if (value->step != TN_GRAPH_INPUT && graph->steps[value->step] == step && value->array) {
      return value->array;
    }
  }
  return NULL;
}

tn_status_t tn__graph_collect_whole(tn_graph_t* graph, size_t target_count,
                                    tn_array_t* const* targets) {
  tn_evaluator_t* evaluator = graph->evaluator;
  tn_status_t status = TN_OK;
  tn_array_t* array = NULL;
  TN_RETURN_IF_ERROR(tn__process_check());
  do {
    bool is_claimed = false;
    tn__graph_forget(graph);
    pthread_mutex_lock(&evaluator->mutex);
    for (;;) {
      status = tn__graph_collect(graph, NULL, target_count, targets, &is_claimed);
      if (status || !is_claimed) break;
      ++evaluator->waiting_count;
      pthread_cond_wait(&evaluator->published, &evaluator->mutex);
      --evaluator->waiting_count;
    }
    // What compiled functions give is computed first: it is no operation that could be written
    // down.
    array = !status && graph->call ? tn_array_retain(result_of(graph, graph->call)) : NULL;
    pthread_mutex_unlock(&evaluator->mutex);
    if (array) status = tn__evaluate(1, &array, false, NULL);
    tn_array_release(array);
  } while (array && !status);
  for (size_t i = 0; i < graph->input_count && !status; ++i) {
    status = tn_array_status(graph->values[graph->inputs[i]].array);
  }
  return status;
}

// --- the key

bool tn__graph_may_donate(const tn_graph_t* graph, const tn_graph_value_t* value) {
  const tn_buffer_t* buffer = value->array->buffer;
  return !value->is_held && !graph->keeps_steps && buffer && tn__buffer_is_donatable(buffer);
}

void tn__graph_choose_donors(tn_graph_t* graph) {
  enum { FEWEST_BYTES = 1 << 16 };  // less is not worth a program of its own
  for (size_t i = 0; i < graph->input_count; ++i) {
    tn_graph_value_t* value = &graph->values[graph->inputs[i]];
    value->is_donor = tn__graph_may_donate(graph, value) &&
                      tn_buffer_byte_size(value->array->buffer) >= FEWEST_BYTES;
  }
}

static tn_status_t reserve_words(tn_graph_t* graph, size_t count) {
  void* words = graph->words;
  if (graph->word_count + count <= graph->word_capacity) return TN_OK;
  tn_status_t status = tn__grow(graph->evaluator->allocator, &words, &graph->word_capacity,
                                graph->word_count + count, sizeof *graph->words);
  graph->words = words;
  return status;
}

static void add_word(tn_graph_t* graph, uint64_t word) {
  graph->words[graph->word_count++] = word;
}

static void add_type(tn_graph_t* graph, tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  add_word(graph, (uint64_t)dtype << 32 | rank);
  for (size_t i = 0; i < rank; ++i) add_word(graph, (uint64_t)dims[i]);
}

static tn_status_t add_bytes(tn_graph_t* graph, const void* data, size_t length) {
  const size_t count = (length + sizeof(uint64_t) - 1) / sizeof(uint64_t);
  TN_RETURN_IF_ERROR(reserve_words(graph, 1 + count));
  add_word(graph, length);
  if (length == 0) return TN_OK;
  graph->words[graph->word_count + count - 1] = 0;
  memcpy(graph->words + graph->word_count, data, length);
  graph->word_count += count;
  return TN_OK;
}

static tn_status_t add_whole_type(tn_graph_t* graph, const tn_type_t* type) {
  TN_RETURN_IF_ERROR(reserve_words(graph, 3 + type->rank));
  add_word(graph, type->kind);
  add_type(graph, type->dtype, type->rank, type->dims);
  add_word(graph, type->element_count);
  for (size_t i = 0; i < type->element_count; ++i) {
    TN_RETURN_IF_ERROR(add_whole_type(graph, type->elements[i]));
  }
  return TN_OK;
}

static tn_status_t add_elements(tn_graph_t* graph, const tn_attr_t* attr) {
  const tn_type_t* type = attr->elements.type;
  TN_RETURN_IF_ERROR(reserve_words(graph, 1));
  add_word(graph, attr->elements.splat);
  TN_RETURN_IF_ERROR(add_whole_type(graph, type));
  return add_bytes(
      graph, attr->elements.data,
      attr->elements.splat ? tn_dtype_byte_size(type->dtype) : tn__type_byte_size(type));
}

static tn_status_t add_attribute(tn_graph_t* graph, const tn_attr_t* attr);

static tn_status_t add_dictionary(tn_graph_t* graph, const tn_attr_dictionary_t* dictionary) {
  TN_RETURN_IF_ERROR(reserve_words(graph, 1));
  add_word(graph, dictionary->count);
  for (size_t i = 0; i < dictionary->count; ++i) {
    const tn_named_attr_t* entry = &dictionary->entries[i];
    TN_RETURN_IF_ERROR(add_bytes(graph, entry->name.data, entry->name.length));
    TN_RETURN_IF_ERROR(add_attribute(graph, entry->attr));
  }
  return TN_OK;
}

// Which enumeration or structure it is, is said by the operation and its attribute's name.
static tn_status_t add_attribute(tn_graph_t* graph, const tn_attr_t* attr) {
  uint64_t bits = 0;
  TN_RETURN_IF_ERROR(reserve_words(graph, 2));
  add_word(graph, (uint64_t)attr->kind << 32 | (uint32_t)attr->dtype);
  switch (attr->kind) {
    case TN_ATTR_UNIT: return TN_OK;
    case TN_ATTR_BOOL: add_word(graph, attr->boolean); return TN_OK;
    case TN_ATTR_INTEGER: add_word(graph, (uint64_t)attr->integer); return TN_OK;
    case TN_ATTR_FLOAT:
      memcpy(&bits, &attr->real, sizeof bits);
      add_word(graph, bits);
      return TN_OK;
    case TN_ATTR_STRING:
    case TN_ATTR_SYMBOL:
    case TN_ATTR_ENUM:
    case TN_ATTR_OPAQUE: return add_bytes(graph, attr->string.data, attr->string.length);
    case TN_ATTR_TYPE:
      add_word(graph, attr->type.element_type);
      return add_whole_type(graph, attr->type.type);
    case TN_ATTR_ARRAY:
      add_word(graph, attr->array.count);
      for (size_t i = 0; i < attr->array.count; ++i) {
        TN_RETURN_IF_ERROR(add_attribute(graph, attr->array.items[i]));
      }
      return TN_OK;
    case TN_ATTR_DICTIONARY:
    case TN_ATTR_STRUCT: return add_dictionary(graph, &attr->dictionary);
    case TN_ATTR_DENSE_ARRAY:
      return add_bytes(graph, attr->dense_array.data,
                       (size_t)attr->dense_array.count * tn_dtype_byte_size(attr->dtype));
    case TN_ATTR_ELEMENTS: return add_elements(graph, attr);
  }
  return TN_OK;
}

// `operands` are the numbers of the step's operands, `result` its result if there is only one.
static tn_status_t add_step(tn_graph_t* graph, const tn_step_t* step, const uint32_t* operands,
                            const tn_array_t* result) {
  size_t word_count = 6 + step->operand_count;
  for (uint32_t i = 0; i < step->result_count; ++i) {
    word_count += 1 + (step->result_types ? step->result_types[i].rank : result->rank);
  }
  TN_RETURN_IF_ERROR(reserve_words(graph, word_count));
  add_word(graph, (uint64_t)(uintptr_t)step->op);
  add_word(graph, (uint64_t)(uintptr_t)step->excerpt);
  add_word(graph, (uint64_t)step->operand_count << 32 | step->result_count);
  add_word(graph, (uint64_t)(uintptr_t)step->body);
  for (uint32_t i = 0; i < step->operand_count; ++i) add_word(graph, operands[i]);
  if (!step->result_types) add_type(graph, result->dtype, result->rank, result->dims);
  for (uint32_t i = 0; step->result_types && i < step->result_count; ++i) {
    const tn_array_type_t* type = &step->result_types[i];
    add_type(graph, type->dtype, type->rank, type->dims);
  }
  return add_dictionary(graph, &step->attributes);
}

// Values are numbered in the order of the walk, so the numbers in equal keys mean the same.
tn_status_t tn__graph_key(tn_graph_t* graph, tn_graph_key_t* out_key) {
  const uint32_t* operands = graph->operands;
  graph->word_count = 0;
  for (size_t i = 0; i < graph->value_count; ++i) {
    const tn_graph_value_t* value = &graph->values[i];
    const tn_array_t* array = value->array;
    if (value->step == TN_GRAPH_INPUT) {
      TN_RETURN_IF_ERROR(reserve_words(graph, array->rank + 2));
      add_word(graph, UINT64_MAX - value->is_donor);
      add_type(graph, array->dtype, array->rank, array->dims);
    } else if (i == 0 || graph->values[i - 1].step != value->step) {
      const tn_step_t* step = graph->steps[value->step];
      TN_RETURN_IF_ERROR(add_step(graph, step, operands, array));
      if (step->operand_count) operands += step->operand_count;  // NULL when no step has any
    }
  }
  TN_RETURN_IF_ERROR(reserve_words(graph, 1 + graph->output_count * 2));
  add_word(graph, (uint64_t)(uintptr_t)graph->device);
  for (size_t i = 0; i < graph->output_count; ++i) {
    add_word(graph, graph->outputs[i]);
    add_word(graph, graph->values[graph->outputs[i]].index);
  }
  *out_key = (tn_graph_key_t){graph->words, graph->word_count};
  return TN_OK;
}
