// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Captures and graphs: work that streams are given is kept in a list, and done whenever the list is
// launched.
#include <stdlib.h>

#include "driver.h"

typedef struct node {
  size_t use_count;  // lists it is in
  sim_work_t work;
} node_t;

typedef struct list {
  size_t use_count;
  size_t count, capacity;
  node_t** nodes;
} list_t;

struct tn_cu_graph_object {
  tn_cu_context_t context;
  list_t* list;
};

struct tn_cu_graph_exec_object {
  tn_cu_context_t context;
  list_t* list;  // of its own
};

// Under way; in the list of all, under the mutex.
struct sim_capture {
  sim_capture_t* next;
  uint64_t number;
  tn_cu_stream_t origin;
  pthread_t thread;
  bool is_strict;  // what is not safe in a capture breaks it when its thread does it
  bool is_broken;
  list_t* list;
};

enum { GLOBAL, THREAD_LOCAL, RELAXED };  // modes

static _Thread_local int32_t thread_mode = GLOBAL;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sim_capture_t* captures;
static uint64_t last_number;

// --- lists, under the mutex

static list_t* create_list(void) {
  list_t* list = calloc(1, sizeof *list);
  if (!list) sim_abort("no memory for graphs");
  list->use_count = 1;
  return list;
}

static void add_node(list_t* list, node_t* node) {
  if (list->count == list->capacity) {
    list->capacity = list->capacity * 2 + 16;
    list->nodes = realloc(list->nodes, list->capacity * sizeof *list->nodes);
    if (!list->nodes) sim_abort("no memory for graphs");
  }
  ++node->use_count;
  list->nodes[list->count++] = node;
}

static void release_list(list_t* list) {
  if (--list->use_count) return;
  for (size_t i = 0; i < list->count; ++i) {
    node_t* node = list->nodes[i];
    if (--node->use_count) continue;
    node->work.give_up(node->work.user);
    free(node);
  }
  free(list->nodes);
  free(list);
}

// --- what streams and other calls ask

static sim_capture_t* find_capture(uint64_t number) {
  sim_capture_t* it = captures;
  while (it && it->number != number) it = it->next;
  return it;
}

uint64_t sim_capture_of(tn_cu_stream_t stream) {
  pthread_mutex_lock(&mutex);
  const sim_capture_t* capture = find_capture(*sim_stream_capture(stream));
  const uint64_t number = capture ? capture->number : 0;
  pthread_mutex_unlock(&mutex);
  return number;
}

void sim_capture_break(uint64_t number) {
  pthread_mutex_lock(&mutex);
  sim_capture_t* capture = find_capture(number);
  if (capture) capture->is_broken = true;
  pthread_mutex_unlock(&mutex);
}

bool sim_capture_forbids(void) {
  bool forbids = false;
  pthread_mutex_lock(&mutex);
  for (sim_capture_t* it = thread_mode == RELAXED ? NULL : captures; it; it = it->next) {
    if (!it->is_strict || !pthread_equal(it->thread, pthread_self())) continue;
    forbids = it->is_broken = true;
  }
  pthread_mutex_unlock(&mutex);
  return forbids;
}

bool sim_capture_add(tn_cu_stream_t stream, const sim_work_t* work, int32_t* out_error) {
  pthread_mutex_lock(&mutex);
  sim_capture_t* capture = find_capture(*sim_stream_capture(stream));
  *out_error = capture && capture->is_broken ? SIM_CAPTURE_INVALIDATED : SIM_SUCCESS;
  if (capture && !capture->is_broken) {
    node_t* node = calloc(1, sizeof *node);
    if (!node) sim_abort("no memory for graphs");
    node->work = *work;
    add_node(capture->list, node);
    if (capture->origin != stream) *sim_stream_is_unjoined(stream) = true;
  }
  pthread_mutex_unlock(&mutex);
  return capture;
}

// A stream that waits for a place in a captured one is captured from then on; the capture's own
// stream takes the other back.
int32_t sim_capture_wait(tn_cu_stream_t stream, uint64_t number, tn_cu_stream_t from) {
  int32_t error = SIM_SUCCESS;
  pthread_mutex_lock(&mutex);
  sim_capture_t* capture = find_capture(*sim_stream_capture(stream));
  sim_capture_t* other = find_capture(number);
  if (number && !other) {
    error = SIM_CAPTURED_EVENT;
  } else if (capture && capture != other) {
    capture->is_broken = true;
    error = SIM_CAPTURE_ISOLATION;
  } else if (other && !capture) {
    *sim_stream_capture(stream) = number;
    *sim_stream_is_unjoined(stream) = true;
  } else if (other && from != stream) {
    *sim_stream_is_unjoined(from) = false;
  }
  pthread_mutex_unlock(&mutex);
  return error;
}

// --- captures

int32_t cuThreadExchangeStreamCaptureMode(int32_t* mode) {
  const int32_t earlier = thread_mode;
  if (*mode < GLOBAL || *mode > RELAXED) return SIM_INVALID_VALUE;
  thread_mode = *mode;
  *mode = earlier;
  return SIM_SUCCESS;
}

int32_t cuStreamBeginCapture_v2(tn_cu_stream_t stream, int32_t mode) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  if (!sim_is_stream_of(stream, context)) return SIM_INVALID_HANDLE;
  if (mode < GLOBAL || mode > RELAXED) return SIM_INVALID_VALUE;
  if (sim_capture_of(stream)) return SIM_ILLEGAL_STATE;
  sim_capture_t* capture = calloc(1, sizeof *capture);
  if (!capture) return SIM_OUT_OF_MEMORY;
  pthread_mutex_lock(&mutex);
  capture->number = ++last_number;
  capture->origin = stream;
  capture->thread = pthread_self();
  capture->is_strict = mode != RELAXED;
  capture->list = create_list();
  capture->next = captures;
  captures = capture;
  *sim_stream_capture(stream) = capture->number;
  pthread_mutex_unlock(&mutex);
  return SIM_SUCCESS;
}

int32_t cuStreamEndCapture(tn_cu_stream_t stream, tn_cu_graph_t* out_graph) {
  tn_cu_context_t context = NULL;
  int32_t error = sim_context(&context);
  *out_graph = NULL;
  if (error) return error;
  if (!sim_is_stream_of(stream, context)) return SIM_INVALID_HANDLE;
  pthread_mutex_lock(&mutex);
  const uint64_t number = *sim_stream_capture(stream);
  sim_capture_t** place = &captures;
  while (*place && (!number || (*place)->number != number)) place = &(*place)->next;
  sim_capture_t* capture = *place;
  if (!capture) {
    error = SIM_ILLEGAL_STATE;
  } else if (capture->is_strict && !pthread_equal(capture->thread, pthread_self())) {
    error = SIM_CAPTURE_WRONG_THREAD;
  } else {
    const bool is_unjoined = sim_streams_leave_capture(number, stream);
    *place = capture->next;
    error = capture->is_broken ? SIM_CAPTURE_INVALIDATED
            : is_unjoined      ? SIM_CAPTURE_UNJOINED
                               : SIM_SUCCESS;
    if (error) {
      release_list(capture->list);
    } else {
      *out_graph = calloc(1, sizeof **out_graph);
      if (!*out_graph) sim_abort("no memory for graphs");
      **out_graph = (struct tn_cu_graph_object){context, capture->list};
    }
    free(capture);
  }
  pthread_mutex_unlock(&mutex);
  if (!error) sim_count(context, 1);
  return error;
}

// --- graphs

int32_t cuGraphDestroy(tn_cu_graph_t graph) {
  if (!graph) return SIM_INVALID_VALUE;
  sim_count(graph->context, -1);
  pthread_mutex_lock(&mutex);
  release_list(graph->list);
  pthread_mutex_unlock(&mutex);
  free(graph);
  return SIM_SUCCESS;
}

int32_t cuGraphInstantiateWithFlags(tn_cu_graph_exec_t* out_exec, tn_cu_graph_t graph,
                                    uint64_t flags) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  if (!graph || flags) return SIM_INVALID_VALUE;
  tn_cu_graph_exec_t exec = calloc(1, sizeof *exec);
  if (!exec) return SIM_OUT_OF_MEMORY;
  pthread_mutex_lock(&mutex);
  *exec = (struct tn_cu_graph_exec_object){context, create_list()};
  for (size_t i = 0; i < graph->list->count; ++i) add_node(exec->list, graph->list->nodes[i]);
  pthread_mutex_unlock(&mutex);
  sim_count(context, 1);
  *out_exec = exec;
  return SIM_SUCCESS;
}

// Launches that are under way go on.
int32_t cuGraphExecDestroy(tn_cu_graph_exec_t exec) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  if (error) return error;
  if (!exec || exec->context != context) return SIM_INVALID_HANDLE;
  pthread_mutex_lock(&mutex);
  release_list(exec->list);
  pthread_mutex_unlock(&mutex);
  free(exec);
  sim_count(context, -1);
  return SIM_SUCCESS;
}

static void run_list(tn_cu_context_t context, void* user) {
  const list_t* list = user;
  for (size_t i = 0; i < list->count; ++i) {
    const sim_work_t* work = &list->nodes[i]->work;
    work->run(context, work->user);
  }
}

static void give_up_list(void* user) {
  pthread_mutex_lock(&mutex);
  release_list(user);
  pthread_mutex_unlock(&mutex);
}

int32_t cuGraphLaunch(tn_cu_graph_exec_t exec, tn_cu_stream_t stream) {
  tn_cu_context_t context = NULL;
  int32_t error = sim_context(&context);
  if (error) return error;
  if (!exec || exec->context != context) return SIM_INVALID_HANDLE;
  if (sim_is_stream_of(stream, context) && sim_capture_of(stream)) return SIM_INVALID_VALUE;
  pthread_mutex_lock(&mutex);
  ++exec->list->use_count;
  pthread_mutex_unlock(&mutex);
  error = sim_enqueue(stream, context, &(sim_work_t){run_list, give_up_list, exec->list});
  if (error) give_up_list(exec->list);
  return error;
}
