// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A block runs on the thread of its stream, one of its threads after the other. One that waits for
// the others stays where it is, on a stack of its own, while a new fibre takes the next.
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "driver.h"

#ifdef __SANITIZE_ADDRESS__
#define HAS_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size);
void __sanitizer_finish_switch_fiber(void* save, const void** old_bottom, size_t* old_size);
#else
static void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size) {
  (void)save;
  (void)bottom;
  (void)size;
}
static void __sanitizer_finish_switch_fiber(void* save, const void** old_bottom, size_t* old_size) {
  (void)save;
  (void)old_bottom;
  (void)old_size;
}
#endif

#ifdef __SANITIZE_THREAD__
#define HAS_TSAN 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#endif
#endif
#ifdef HAS_TSAN
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
#else
static void* __tsan_get_current_fiber(void) {
  return NULL;
}
static void* __tsan_create_fiber(unsigned flags) {
  (void)flags;
  return NULL;
}
static void __tsan_destroy_fiber(void* fiber) {
  (void)fiber;
}
static void __tsan_switch_to_fiber(void* fiber, unsigned flags) {
  (void)fiber;
  (void)flags;
}
#endif

enum { STACK_SIZE = 128 << 10, MOST_FIBRES = 1024 };

typedef struct fibre {
  ucontext_t context;
  void* stack;
  void* sanitizer;
  void* tsan;  // NULL: it has not begun
  bool is_waiting;
} fibre_t;

// Of the thread of a stream.
typedef struct scheduler {
  ucontext_t context;
  const void* stack_bottom;
  size_t stack_size;
  void* sanitizer;
  void* tsan;
  const sim_kernel_t* kernel;
  sim_block_t* block;
  void** parameters;
  fibre_t* current;
} scheduler_t;

static _Thread_local scheduler_t scheduler;

static void leave(fibre_t* fibre, bool comes_back) {
  __sanitizer_start_switch_fiber(comes_back ? &fibre->sanitizer : NULL, scheduler.stack_bottom,
                                 scheduler.stack_size);
  __tsan_switch_to_fiber(scheduler.tsan, 0);
  swapcontext(&fibre->context, &scheduler.context);
  __sanitizer_finish_switch_fiber(fibre->sanitizer, NULL, NULL);
}

static void run_fibre(void) {
  fibre_t* fibre = scheduler.current;
  __sanitizer_finish_switch_fiber(NULL, &scheduler.stack_bottom, &scheduler.stack_size);
  scheduler.kernel->run(scheduler.block, scheduler.parameters);
  fibre->is_waiting = false;
  leave(fibre, false);
}

static void enter(fibre_t* fibre) {
  scheduler.current = fibre;
  __sanitizer_start_switch_fiber(&scheduler.sanitizer, fibre->stack, STACK_SIZE);
  scheduler.tsan = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fibre->tsan, 0);
  swapcontext(&scheduler.context, &fibre->context);
  __sanitizer_finish_switch_fiber(scheduler.sanitizer, NULL, NULL);
}

static void wait_at_barrier(sim_block_t* block) {
  fibre_t* fibre = scheduler.current;
  (void)block;
  fibre->is_waiting = true;
  leave(fibre, true);
}

static void end(fibre_t* fibre) {
  if (fibre->tsan) __tsan_destroy_fiber(fibre->tsan);
  fibre->tsan = NULL;
}

static void start(fibre_t* fibre) {
  if (!fibre->stack) {
    fibre->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fibre->stack == MAP_FAILED) sim_abort("no memory for stacks");
  }
  getcontext(&fibre->context);
  fibre->context.uc_stack.ss_sp = fibre->stack;
  fibre->context.uc_stack.ss_size = STACK_SIZE;
  fibre->context.uc_link = NULL;
  end(fibre);  // what it ran before did not return
  fibre->tsan = __tsan_create_fiber(0);
  makecontext(&fibre->context, run_fibre, 0);
  fibre->is_waiting = false;
  enter(fibre);
}

// One that does not wait takes all threads.
static size_t start_fibres(fibre_t** fibres) {
  size_t count = 0;
  const sim_block_t* block = scheduler.block;
  do {
    if (!fibres[count]) fibres[count] = calloc(1, sizeof **fibres);
    if (!fibres[count]) sim_abort("no memory for fibres");
    start(fibres[count++]);
  } while (!block->has_failed && block->next_thread < block->thread_count);
  return count;
}

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void free_fibres(void* user) {
  fibre_t** fibres = user;
  for (size_t i = 0; i < MOST_FIBRES && fibres[i]; ++i) {
    end(fibres[i]);
    munmap(fibres[i]->stack, STACK_SIZE);
    free(fibres[i]);
  }
  free(fibres);
}

static void make_key(void) {
  if (pthread_key_create(&key, free_fibres)) sim_abort("no key for fibres");
}

// The thread's, which are used again.
static fibre_t** fibres_of_thread(void) {
  pthread_once(&once, make_key);
  fibre_t** fibres = pthread_getspecific(key);
  if (fibres) return fibres;
  fibres = calloc(MOST_FIBRES, sizeof *fibres);
  if (!fibres || pthread_setspecific(key, fibres)) sim_abort("no memory for fibres");
  return fibres;
}

void sim_run_block(const sim_kernel_t* kernel, sim_block_t* block, void** parameters) {
  fibre_t** fibres = fibres_of_thread();
  block->barrier = wait_at_barrier;
  scheduler.kernel = kernel;
  scheduler.block = block;
  scheduler.parameters = parameters;
  const size_t count = start_fibres(fibres);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (size_t i = 0; i < count; ++i) {
      if (fibres[i]->is_waiting) enter(fibres[i]);
      goes_on |= fibres[i]->is_waiting;
    }
  }
}
