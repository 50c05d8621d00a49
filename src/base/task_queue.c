// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/task_queue.h"

#include <stdio.h>

#include "base/process.h"

typedef struct task {
  struct task* next;
  tn_task_fn run;
  void* user;
} task_t;

typedef struct task_worker {
  tn_worker_t worker;
  tn_task_queue_t* queue;
} task_worker_t;

struct tn_task_queue {
  const tn_allocator_t* allocator;
  tn_cores_t cores;
  pthread_mutex_t lock;  // protects what follows
  task_t *first, *last;
  bool is_stopping;
  task_worker_t* destroyer;  // frees the queue at its end: the worker that called destroy
  int thread_limit;
  int thread_count;
  task_worker_t workers[];
};

static size_t queue_size(int thread_limit) {
  return sizeof(tn_task_queue_t) + (size_t)thread_limit * sizeof(task_worker_t);
}

static void free_queue(tn_task_queue_t* queue) {
  pthread_mutex_destroy(&queue->lock);
  tn__free(queue->allocator, queue, queue_size(queue->thread_limit));
}

// Under the lock.
static task_t* take_first(tn_task_queue_t* queue) {
  task_t* task = queue->first;
  if (!task) return NULL;
  queue->first = task->next;
  if (!queue->first) queue->last = NULL;
  return task;
}

static void worker_main(void* user) {
  task_worker_t* self = user;
  tn_task_queue_t* queue = self->queue;
  pthread_mutex_lock(&queue->lock);
  while (!tn__process_is_forked()) {  // a task may fork, and return in the child
    task_t* task = take_first(queue);
    if (task) {
      pthread_mutex_unlock(&queue->lock);
      task->run(task->user);
      tn__free(queue->allocator, task, sizeof *task);
      pthread_mutex_lock(&queue->lock);
    } else if (queue->is_stopping) {
      break;
    } else {
      tn__worker_announce_sleep(&self->worker);
      pthread_mutex_unlock(&queue->lock);
      tn__worker_widen(&self->worker);
      tn__worker_sleep(&self->worker);
      pthread_mutex_lock(&queue->lock);
    }
  }
  bool is_destroyer = queue->destroyer == self;
  pthread_mutex_unlock(&queue->lock);
  if (is_destroyer) free_queue(queue);
}

tn_status_t tn__task_queue_create(const tn_cores_t* cores, int thread_limit,
                                  const tn_allocator_t* allocator, tn_task_queue_t** out_queue) {
  void* memory;
  *out_queue = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, queue_size(thread_limit), &memory));
  tn_task_queue_t* queue = memory;
  queue->allocator = allocator;
  queue->cores = *cores;
  queue->thread_limit = thread_limit;
  pthread_mutex_init(&queue->lock, NULL);
  *out_queue = queue;
  return TN_OK;
}

void tn__task_queue_destroy(tn_task_queue_t* queue) {
  if (!queue) return;
  task_worker_t* destroyer = NULL;
  pthread_mutex_lock(&queue->lock);
  queue->is_stopping = true;
  int thread_count = queue->thread_count;
  for (int i = 0; i < thread_count; ++i) {
    if (tn__worker_is_current(&queue->workers[i].worker)) destroyer = &queue->workers[i];
  }
  queue->destroyer = destroyer;
  pthread_mutex_unlock(&queue->lock);
  for (int i = 0; i < thread_count; ++i) {
    if (tn__worker_claim(&queue->workers[i].worker)) tn__worker_rouse(&queue->workers[i].worker);
  }
  for (int i = 0; i < thread_count; ++i) tn__worker_join(&queue->workers[i].worker);
  if (!destroyer) free_queue(queue);
}

// Under the lock. The worker's first look at the queue waits for it.
static tn_status_t start_worker(tn_task_queue_t* queue) {
  task_worker_t* fresh = &queue->workers[queue->thread_count];
  char name[24];
  snprintf(name, sizeof name, "tenon-task-%d", queue->thread_count);
  fresh->queue = queue;
  TN_RETURN_IF_ERROR(tn__worker_start(&fresh->worker, &queue->cores, name, worker_main, fresh));
  ++queue->thread_count;
  return TN_OK;
}

tn_status_t tn__task_queue_add(tn_task_queue_t* queue, tn_task_fn run, void* user) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__allocate(queue->allocator, sizeof(task_t), &memory));
  task_t* task = memory;
  *task = (task_t){.run = run, .user = user};

  tn_worker_t* sleeper = NULL;
  pthread_mutex_lock(&queue->lock);
  for (int i = 0; i < queue->thread_count && !sleeper; ++i) {
    if (tn__worker_claim(&queue->workers[i].worker)) sleeper = &queue->workers[i].worker;
  }
  tn_status_t status = TN_OK;
  if (!sleeper && queue->thread_count < queue->thread_limit) status = start_worker(queue);
  if (status && queue->thread_count > 0) {
    tn_status_release(status);  // those that run will come to it
    status = TN_OK;
  }
  if (!status) {
    if (queue->last) {
      queue->last->next = task;
    } else {
      queue->first = task;
    }
    queue->last = task;
  }
  pthread_mutex_unlock(&queue->lock);
  if (sleeper) tn__worker_rouse(sleeper);
  if (status) tn__free(queue->allocator, task, sizeof *task);
  return status;
}
