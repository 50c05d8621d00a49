// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/pool.h"

#include <stdio.h>

#include "base/integer.h"
#include "base/linux/clock.h"
#include "base/linux/futex.h"
#include "base/process.h"

enum {
  SLOT_COUNT = 31,  // loops that can have helpers at the same time
  CHUNKS_PER_THREAD =
      8,              // so that a thread which comes late, or is slow, leaves work to the others
  SECTION_LIMIT = 8,  // see unclaimed_t
  SECTION_BITS = 8,
  SECTION_CHUNKS = 255,
  CACHE_LINE = 64,
  SPINS_PER_LOOK = 32,  // pauses between two looks at the clock
  // A loop must have so much left to do before it pays to wake a thread: to wake one costs the
  // caller some 12 us, and it is there after some 60.
  WAKE_PAYS_NS = 80000,
  PROBE_GRAINS = 8,  // loops of fewer grains than this are not probed: a grain may be half of them
};

// The board is one word that says all that a thread needs to know: which slots have chunks that
// are unclaimed (bits 0..30), that the pool is ending (31), how many workers are awake without
// work (32..47) and how many sleep (48..63). As every change is to the same word, who publishes
// work sees the sleepers, or who is about to sleep sees the work.
#define BOARD_STOP ((uint64_t)1 << SLOT_COUNT)
#define BOARD_SLOTS (BOARD_STOP - 1)
#define BOARD_IDLER ((uint64_t)1 << 32)
#define BOARD_SLEEPER ((uint64_t)1 << 48)
#define ALL_SLOTS (((unsigned)1 << SLOT_COUNT) - 1)

static unsigned idlers_of(uint64_t board) {
  return (uint16_t)(board >> 32);
}
static unsigned sleepers_of(uint64_t board) {
  return (uint16_t)(board >> 48);
}

#define CALLER_SLEEPS ((unsigned)1 << 31)

// A loop's chunks are in sections, each for one thread or for some neighbours, which begin there in
// every loop: what one loop has written, the next reads on the same core, from its own cache. Then
// they help where something is left. The word says how many chunks of each section are unclaimed;
// they are the section's last ones.
typedef uint64_t unclaimed_t;
_Static_assert(64 / SECTION_BITS == SECTION_LIMIT && SECTION_CHUNKS < 1 << SECTION_BITS,
               "a byte for each section");

static unsigned sum_of_sections(unclaimed_t word) {
  const uint64_t evens = UINT64_C(0x00ff00ff00ff00ff);
  return (unsigned)(((word & evens) + (word >> SECTION_BITS & evens)) * UINT64_C(0x1000100010001) >>
                    48);
}

// A loop under way. A thread that has claimed a chunk may read the slot until it reports the chunk
// as finished, for the caller waits so long. Slots are never freed before the pool is, so a late
// look at `unclaimed` is harmless, and a claim that succeeds is right, whichever loop it hits.
typedef struct slot {
  _Atomic unclaimed_t unclaimed;
  atomic_uint unfinished;  // chunks, and CALLER_SLEEPS
  unsigned chunk_count;
  unsigned failed_chunk;  // under the pool's error_lock; valid when `error` is set
  tn_status_t error;
  int64_t count, chunk_length;
  tn_parallel_body_fn body;
  void* user;
  const tn_interrupt_t* interrupt;
  char padding[CACHE_LINE];
} slot_t;

typedef struct loop_worker {
  tn_worker_t worker;
  struct tn_pool_threads* pool;
  unsigned index;
  char padding[CACHE_LINE];
} loop_worker_t;

// Behind every tn_pool_t of the same threads.
typedef struct tn_pool_threads {
  tn_pool_t pool;  // the one that tn__pool_create gave, whose loops nothing ends
  atomic_uint references;
  const tn_allocator_t* allocator;
  tn_cores_t cores;
  int thread_count;
  int64_t spin_ns;
  tn_task_queue_t* tasks;
  pthread_mutex_t error_lock;
  pthread_mutex_t start_lock;  // held while a thread is started
  atomic_int worker_limit;     // workers that exist or could be started
  atomic_int worker_count;     // workers that exist
  _Atomic int64_t alone_ns;    // work that callers have done alone for want of an idle thread...
  _Atomic int64_t alone_until_ns;  // ...and when the last of that was
  char padding_before_free[CACHE_LINE];
  atomic_uint free_slots;
  char padding_before_board[CACHE_LINE];
  _Atomic uint64_t board;
  char padding_before_slots[CACHE_LINE];
  slot_t slots[SLOT_COUNT];
  loop_worker_t workers[];
} threads_t;

static size_t pool_size(int thread_count) {
  return sizeof(threads_t) + (size_t)(thread_count - 1) * sizeof(loop_worker_t);
}

// ---- chunks

static unsigned section_count(const threads_t* pool) {
  return pool->thread_count < SECTION_LIMIT ? (unsigned)pool->thread_count : SECTION_LIMIT;
}

static unsigned section_begin(const threads_t* pool, const slot_t* slot, unsigned section) {
  return slot->chunk_count * section / section_count(pool);
}

static void take_off_board(threads_t* pool, const slot_t* slot) {
  atomic_fetch_and(&pool->board, ~((uint64_t)1 << (slot - pool->slots)));
}

// The claimed chunk's number: the next of the section `home`, else of one behind it, else of the
// first that has one; -1 when none is left.
static int64_t claim_chunk(threads_t* pool, slot_t* slot, unsigned home) {
  unclaimed_t before = atomic_load_explicit(&slot->unclaimed, memory_order_relaxed), after;
  unsigned section, left;
  do {
    if (before == 0) return -1;
    const unclaimed_t ahead = before >> home * SECTION_BITS << home * SECTION_BITS;
    section = (unsigned)__builtin_ctzll(ahead ? ahead : before) / SECTION_BITS;
    after = before - ((unclaimed_t)1 << section * SECTION_BITS);
    left = before >> section * SECTION_BITS & SECTION_CHUNKS;
  } while (!atomic_compare_exchange_weak_explicit(&slot->unclaimed, &before, after,
                                                  memory_order_acquire, memory_order_relaxed));
  // The slot is ours to touch until our chunk is finished, so its bit goes before that.
  if (after == 0) take_off_board(pool, slot);
  return (int64_t)(section_begin(pool, slot, section + 1) - left);
}

// What is behind the failed chunk is called off; what is before it is not. So the lowest chunk that
// fails is always done, and it is its error that stays.
static void fail_chunk(threads_t* pool, slot_t* slot, unsigned chunk, tn_status_t error) {
  unsigned section = 0;
  while (section_begin(pool, slot, section + 1) <= chunk) ++section;
  const unclaimed_t kept = ((unclaimed_t)1 << section * SECTION_BITS) - 1;
  const unclaimed_t before = atomic_fetch_and(&slot->unclaimed, kept);
  const unsigned left_out = sum_of_sections(before & ~kept);
  if (left_out) {
    if (!(before & kept)) take_off_board(pool, slot);
    atomic_fetch_sub(&slot->unfinished, left_out);  // never to 0: our own is not finished
  }
  pthread_mutex_lock(&pool->error_lock);
  bool is_first = !slot->error || chunk < slot->failed_chunk;
  tn_status_t loser = is_first ? slot->error : error;
  if (is_first) {
    slot->error = error;
    slot->failed_chunk = chunk;
  }
  pthread_mutex_unlock(&pool->error_lock);
  tn_status_release(loser);
}

static tn_status_t run_chunk(const slot_t* slot, int64_t chunk) {
  if (slot->interrupt) TN_RETURN_IF_ERROR(tn__interrupt_check(slot->interrupt));
  int64_t begin = chunk * slot->chunk_length;
  int64_t left = slot->count - begin;
  int64_t length = left < slot->chunk_length ? left : slot->chunk_length;
  return slot->body(begin, begin + length, slot->user);
}

static void finish_chunks(slot_t* slot, unsigned count) {
  unsigned before = atomic_fetch_sub(&slot->unfinished, count);
  if (before == (count | CALLER_SLEEPS)) tn__futex_wake(&slot->unfinished, 1);
}

// ---- workers

static void worker_main(void* user);

static void wake_one(threads_t* pool) {
  int worker_count = atomic_load(&pool->worker_count);
  for (int i = 0; i < worker_count; ++i) {
    tn_worker_t* worker = &pool->workers[i].worker;
    if (!tn__worker_claim(worker)) continue;
    atomic_fetch_sub(&pool->board, BOARD_SLEEPER);
    tn__worker_rouse(worker);
    return;
  }
}

// When the system refuses a thread, the pool goes on with those it has.
static void start_one(threads_t* pool) {
  if (pthread_mutex_trylock(&pool->start_lock) != 0) return;  // another thread does it
  int index = atomic_load(&pool->worker_count);
  if (index < atomic_load(&pool->worker_limit)) {
    loop_worker_t* fresh = &pool->workers[index];
    char name[24];
    snprintf(name, sizeof name, "tenon-pool-%d", index + 1);
    fresh->pool = pool;
    fresh->index = (unsigned)index;
    tn_status_t status = tn__worker_start(&fresh->worker, &pool->cores, name, worker_main, fresh);
    if (status) {
      atomic_store(&pool->worker_limit, index);
      tn_status_release(status);
    } else {
      atomic_store(&pool->worker_count, index + 1);
    }
  }
  pthread_mutex_unlock(&pool->start_lock);
}

// Whether fewer threads than `wanted` look at the board and there is one more to be had.
static bool can_recruit(threads_t* pool, uint64_t board, unsigned wanted) {
  return idlers_of(board) < wanted &&
         (sleepers_of(board) > 0 ||
          atomic_load_explicit(&pool->worker_count, memory_order_relaxed) <
              atomic_load_explicit(&pool->worker_limit, memory_order_relaxed));
}

static void recruit(threads_t* pool, uint64_t board) {
  if (sleepers_of(board) > 0) {
    wake_one(pool);
  } else {
    start_one(pool);
  }
}

// A worker's part of a loop.
static void help(threads_t* pool, slot_t* slot, unsigned home) {
  int64_t chunk = claim_chunk(pool, slot, home);
  if (chunk < 0) return;
  // Each newcomer brings two more while there is enough to do: the caller pays for one wake-up, and
  // all are up after a time that grows with the logarithm of their number.
  for (int i = 0; i < 2; ++i) {
    unsigned wanted = sum_of_sections(atomic_load_explicit(&slot->unclaimed, memory_order_relaxed));
    uint64_t board = atomic_load(&pool->board);
    if (wanted == 0 || !can_recruit(pool, board, wanted)) break;
    recruit(pool, board);
  }
  for (; chunk >= 0; chunk = claim_chunk(pool, slot, home)) {
    tn_status_t status = run_chunk(slot, chunk);
    if (tn__process_is_forked()) {
      tn_status_release(status);
      return;
    }
    if (status) fail_chunk(pool, slot, (unsigned)chunk, status);
    // One by one, since after the last of them the slot may be another loop's.
    finish_chunks(slot, 1);
  }
}

// Looks at the board for a while. False: it stayed empty.
static bool spin(threads_t* pool) {
  if (pool->spin_ns <= 0) return false;
  int64_t deadline_ns = tn__clock_ns() + pool->spin_ns;
  do {
    for (int i = 0; i < SPINS_PER_LOOK; ++i) {
      if ((uint32_t)atomic_load_explicit(&pool->board, memory_order_relaxed)) return true;
      tn__cpu_relax();
    }
  } while (tn__clock_ns() < deadline_ns);
  return false;
}

// Waits until there is something on the board, as an idler first, asleep then.
static void idle(threads_t* pool, loop_worker_t* self) {
  atomic_fetch_add(&pool->board, BOARD_IDLER);
  tn__worker_widen(&self->worker);
  if (spin(pool)) {
    atomic_fetch_sub(&pool->board, BOARD_IDLER);
    return;
  }
  tn__worker_announce_sleep(&self->worker);
  uint64_t board = atomic_fetch_add(&pool->board, BOARD_SLEEPER - BOARD_IDLER);
  if ((uint32_t)board && tn__worker_withdraw_sleep(&self->worker)) {
    atomic_fetch_sub(&pool->board, BOARD_SLEEPER);
    return;
  }
  tn__worker_sleep(&self->worker);
}

static void worker_main(void* user) {
  loop_worker_t* self = user;
  threads_t* pool = self->pool;
  // Callers are at home in the first section.
  const unsigned home = (self->index + 1) * section_count(pool) / (unsigned)pool->thread_count;
  while (!tn__process_is_forked()) {  // a body may fork, and return in the child
    uint64_t board = atomic_load(&pool->board);
    if (board & BOARD_STOP) break;
    unsigned open = (unsigned)(board & BOARD_SLOTS);
    if (!open) {
      idle(pool, self);
      continue;
    }
    // With several loops under way, workers begin with different ones.
    unsigned turn = self->index % SLOT_COUNT;
    unsigned ahead = open >> turn << turn;
    help(pool, &pool->slots[__builtin_ctz(ahead ? ahead : open)], home);
  }
}

// ---- life

tn_status_t tn__pool_create(const tn_pool_config_t* config, const tn_allocator_t* allocator,
                            tn_pool_t** out_pool) {
  *out_pool = NULL;
  int thread_count = config ? config->thread_count : 0;
  tn_cores_t cores;
  tn__cores_init(&cores);
  if (thread_count == 0) thread_count = cores.count;
  if (thread_count < 1 || thread_count > TN_POOL_THREAD_LIMIT) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "thread count is %d; expected 1 to %d",
                            thread_count, TN_POOL_THREAD_LIMIT);
  }
  void* memory;
  TN_RETURN_IF_ERROR(tn__process_start());
  TN_RETURN_IF_ERROR(tn__allocate(allocator, pool_size(thread_count), &memory));
  threads_t* pool = memory;
  pool->pool.threads = pool;
  atomic_init(&pool->references, 1);
  pool->allocator = allocator;
  pool->cores = cores;
  pool->thread_count = thread_count;
  pool->spin_ns = config && config->spin_ns ? config->spin_ns : 50000;
  // Threads that take turns on a core must not spin for each other.
  if (thread_count > pool->cores.count) pool->spin_ns = -1;
  pthread_mutex_init(&pool->error_lock, NULL);
  pthread_mutex_init(&pool->start_lock, NULL);
  atomic_init(&pool->worker_limit, thread_count - 1);
  atomic_init(&pool->free_slots, ALL_SLOTS);
  tn_status_t status = tn__task_queue_create(&pool->cores, thread_count, allocator, &pool->tasks);
  if (status) {
    tn__free(allocator, pool, pool_size(thread_count));
  } else {
    *out_pool = &pool->pool;
  }
  return status;
}

tn_pool_t* tn__pool_retain(tn_pool_t* pool) {
  if (pool) atomic_fetch_add(&pool->threads->references, 1);
  return pool;
}

void tn__pool_release(tn_pool_t* pool) {
  threads_t* threads = pool ? pool->threads : NULL;
  if (!threads || atomic_fetch_sub(&threads->references, 1) != 1 || tn__process_is_forked()) return;
  // No thread may be started between the count here and the join: loops are over by contract, but
  // a worker that was recruiting when the last one ended may still be starting another.
  pthread_mutex_lock(&threads->start_lock);
  atomic_store(&threads->worker_limit, 0);
  int worker_count = atomic_load(&threads->worker_count);
  pthread_mutex_unlock(&threads->start_lock);
  atomic_fetch_or(&threads->board, BOARD_STOP);
  for (int i = 0; i < worker_count; ++i) {
    tn_worker_t* worker = &threads->workers[i].worker;
    if (!tn__worker_claim(worker)) continue;
    atomic_fetch_sub(&threads->board, BOARD_SLEEPER);
    tn__worker_rouse(worker);
  }
  for (int i = 0; i < worker_count; ++i) tn__worker_join(&threads->workers[i].worker);
  tn__task_queue_destroy(threads->tasks);
  pthread_mutex_destroy(&threads->error_lock);
  pthread_mutex_destroy(&threads->start_lock);
  tn__free(threads->allocator, threads, pool_size(threads->thread_count));
}

int tn__pool_thread_count(const tn_pool_t* pool) {
  return pool ? pool->threads->thread_count : 1;
}

const tn_cores_t* tn__pool_cores(const tn_pool_t* pool) {
  return &pool->threads->cores;
}

tn_status_t tn__pool_schedule(tn_pool_t* pool, tn_task_fn task, void* user) {
  TN_RETURN_IF_ERROR(tn__process_check());
  return tn__task_queue_add(pool->threads->tasks, task, user);
}

// ---- loops

// NULL when so many loops are under way that another would find no helper anyway.
static slot_t* take_slot(threads_t* pool) {
  unsigned free_slots = atomic_load_explicit(&pool->free_slots, memory_order_relaxed);
  do {
    if (free_slots == 0) return NULL;
  } while (!atomic_compare_exchange_weak_explicit(&pool->free_slots, &free_slots,
                                                  free_slots & (free_slots - 1),
                                                  memory_order_acquire, memory_order_relaxed));
  return &pool->slots[__builtin_ctz(free_slots)];
}

static void give_slot_back(threads_t* pool, slot_t* slot) {
  atomic_fetch_or_explicit(&pool->free_slots, (unsigned)1 << (slot - pool->slots),
                           memory_order_release);
}

// Few enough chunks that claiming them costs little, and whole grains.
static void cut(const threads_t* pool, slot_t* slot, int64_t count, int64_t grain) {
  int64_t grains = count / grain + (count % grain != 0);
  int64_t wanted = tn__least((int64_t)pool->thread_count * CHUNKS_PER_THREAD,
                             (int64_t)section_count(pool) * SECTION_CHUNKS);
  int64_t grains_per_chunk = grains / wanted + (grains % wanted != 0);
  slot->chunk_length = grains_per_chunk * grain;
  slot->chunk_count = (unsigned)(grains / grains_per_chunk + (grains % grains_per_chunk != 0));
  slot->count = count;
}

static unclaimed_t all_of(const threads_t* pool, const slot_t* slot) {
  unclaimed_t all = 0;
  for (unsigned i = section_count(pool); i-- > 0;) {
    all = all << SECTION_BITS | (section_begin(pool, slot, i + 1) - section_begin(pool, slot, i));
  }
  return all;
}

// Waits for the chunks that workers have claimed. They take about as long as the caller's own last
// one did, so it is worth staying awake for a moment.
static void await_chunks(threads_t* pool, slot_t* slot) {
  if (atomic_load(&slot->unfinished) == 0) return;
  if (pool->spin_ns > 0) {
    int64_t deadline_ns = tn__clock_ns() + pool->spin_ns;
    do {
      for (int i = 0; i < SPINS_PER_LOOK; ++i) {
        if (atomic_load(&slot->unfinished) == 0) return;
        tn__cpu_relax();
      }
    } while (tn__clock_ns() < deadline_ns);
  }
  unsigned unfinished = atomic_fetch_or(&slot->unfinished, CALLER_SLEEPS) | CALLER_SLEEPS;
  while (unfinished != CALLER_SLEEPS) {
    tn__futex_wait(&slot->unfinished, unfinished, INT64_MAX);
    unfinished = atomic_load(&slot->unfinished);
  }
}

// Whether a loop that has `left_ns` of work left should have a thread woken for it. Short loops in
// close succession add up: the thread that is woken for one is awake for the next.
static bool wake_pays(threads_t* pool, int64_t now_ns, int64_t left_ns) {
  bool is_succession =
      now_ns - atomic_load_explicit(&pool->alone_until_ns, memory_order_relaxed) < pool->spin_ns;
  int64_t before_ns =
      is_succession ? atomic_load_explicit(&pool->alone_ns, memory_order_relaxed) : 0;
  int64_t alone_ns = left_ns < WAKE_PAYS_NS ? before_ns + left_ns : WAKE_PAYS_NS;
  bool pays = alone_ns >= WAKE_PAYS_NS;
  atomic_store_explicit(&pool->alone_ns, pays ? 0 : alone_ns, memory_order_relaxed);
  atomic_store_explicit(&pool->alone_until_ns, now_ns + (pays ? 0 : left_ns), memory_order_relaxed);
  return pays;
}

// The first chunk of a loop for which everybody sleeps: does one grain of it, looks at the clock,
// and wakes a worker if what is left is worth it.
static tn_status_t run_probe(threads_t* pool, slot_t* slot, int64_t grain, uint64_t board) {
  int64_t start_ns = tn__clock_ns();
  TN_RETURN_IF_ERROR(slot->body(0, grain, slot->user));
  int64_t now_ns = tn__clock_ns(), left_ns;
  if (__builtin_mul_overflow(now_ns - start_ns, slot->count / grain, &left_ns)) left_ns = INT64_MAX;
  if (wake_pays(pool, now_ns, left_ns)) recruit(pool, board);
  if (grain == slot->chunk_length) return TN_OK;
  return slot->body(grain, slot->chunk_length, slot->user);
}

// On the calling thread, in as few chunks as let an interrupt end the loop early.
static tn_status_t run_alone(const tn_interrupt_t* interrupt, int64_t count, int64_t grain,
                             tn_parallel_body_fn body, void* user) {
  if (!interrupt) return body(0, count, user);
  const int64_t grains = count / grain + (count % grain != 0);
  const int64_t length = (grains / CHUNKS_PER_THREAD + (grains % CHUNKS_PER_THREAD != 0)) * grain;
  for (int64_t begin = 0, next; begin < count; begin = next) {
    next = begin + tn__least(length, count - begin);
    TN_RETURN_IF_ERROR(tn__interrupt_check(interrupt));
    TN_RETURN_IF_ERROR(body(begin, next, user));
  }
  return TN_OK;
}

tn_status_t tn__pool_parallel_for(const tn_pool_t* pool, int64_t count, int64_t grain,
                                  tn_parallel_body_fn body, void* user) {
  if (count <= 0) return TN_OK;
  if (grain < 1) grain = 1;
  if (!pool || count <= grain) return body(0, count, user);
  threads_t* threads = pool->threads;
  slot_t* slot = threads->thread_count > 1 ? take_slot(threads) : NULL;
  if (!slot) return run_alone(pool->interrupt, count, grain, body, user);

  cut(threads, slot, count, grain);
  slot->body = body;
  slot->user = user;
  slot->interrupt = pool->interrupt;
  slot->error = TN_OK;
  unsigned chunk_count = slot->chunk_count;
  atomic_store_explicit(&slot->unfinished, chunk_count, memory_order_relaxed);
  // First the bit, then the chunks: the other way round a late worker could claim them all and
  // clear the bit before it is set.
  uint64_t board = atomic_fetch_or(&threads->board, (uint64_t)1 << (slot - threads->slots));
  atomic_store_explicit(&slot->unclaimed, all_of(threads, slot), memory_order_release);
  bool may_recruit = can_recruit(threads, board, chunk_count - 1);
  bool may_probe = may_recruit && count / grain >= PROBE_GRAINS;
  if (may_recruit && !may_probe) recruit(threads, board);

  unsigned finished = 0;
  for (int64_t chunk; (chunk = claim_chunk(threads, slot, 0)) >= 0; ++finished) {
    tn_status_t status =
        may_probe && chunk == 0 ? run_probe(threads, slot, grain, board) : run_chunk(slot, chunk);
    if (tn__process_is_forked()) {  // the body has forked, and the others' chunks are not done here
      tn_status_release(status);
      return tn__process_forked_error();
    }
    if (status) fail_chunk(threads, slot, (unsigned)chunk, status);
  }
  if (finished) finish_chunks(slot, finished);
  await_chunks(threads, slot);
  tn_status_t error = slot->error;
  give_slot_back(threads, slot);
  return error;
}
