// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "array/testing_weight.h"

#include "lazy/graph.h"

static int64_t size_of(const tn_array_t* array) {
  int64_t size = 1;
  for (uint32_t i = 0; i < array->rank; ++i) {
    if (__builtin_mul_overflow(size, array->dims[i], &size)) return INT64_MAX;
  }
  return size;
}

static bool is_light(const tn_graph_t* graph, int64_t most) {
  int64_t total = 0;
  for (size_t i = 0; i < graph->value_count && total <= most; ++i) {
    const tn_array_t* array = graph->values[i].array;
    const int64_t size = array ? size_of(array) : 0;
    total = size > most ? size : total + size;
  }
  return total <= most;
}

bool tn__testing_is_light(size_t count, tn_array_t* const* arrays, int64_t most) {
  tn_graph_t graph;
  bool is_claimed = false;
  for (size_t i = 0; i < count; ++i) {
    if (!arrays[i] || arrays[i]->evaluator != arrays[0]->evaluator) return true;
  }
  if (!count) return true;
  tn_evaluator_t* evaluator = arrays[0]->evaluator;
  tn__graph_init(&graph, evaluator);
  pthread_mutex_lock(&evaluator->mutex);
  tn_status_t status = tn__graph_collect(&graph, NULL, count, arrays, &is_claimed);
  pthread_mutex_unlock(&evaluator->mutex);
  const bool result = !status && is_light(&graph, most);
  tn__graph_forget(&graph);
  tn__graph_deinit(&graph);
  tn_status_release(status);
  return result;
}
