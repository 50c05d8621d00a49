#include "base/worker.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/limits.h"

enum { AWAKE = 0, ASLEEP = 1, CLAIMED = 2 };

void tn__cores_init(tn_cores_t* cores) {
  *cores = (tn_cores_t){.count = 1};
  if (sched_getaffinity(0, sizeof cores->set, &cores->set) == 0) {
    cores->is_exact = true;
    cores->count = CPU_COUNT(&cores->set);
  } else {
    // More cores than a cpu_set_t holds, or a sandbox that does not answer.
    CPU_ZERO(&cores->set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online > 1) cores->count = online < 1024 ? (int)online : 1024;
  }
  if (cores->count < 1) cores->count = 1;
}

// The core that the calling thread runs on; -1 when it is none of `cores` or there is no other.
static int current_core(const tn_cores_t* cores) {
  int core = cores->is_exact && cores->count > 1 ? sched_getcpu() : -1;
  return core >= 0 && core < CPU_SETSIZE && CPU_ISSET((size_t)core, &cores->set) ? core : -1;
}

// Lets a thread (0: the calling one) run on all cores but one. A refusal (a sandbox, a cpuset that
// shrank) only costs the speed that this is for.
static void exclude(const tn_cores_t* cores, pid_t thread_id, int core) {
  if (core < 0) return;
  cpu_set_t others = cores->set;
  CPU_CLR((size_t)core, &others);
  sched_setaffinity(thread_id, sizeof others, &others);
}

static void* thread_main(void* argument) {
  tn_worker_t* worker = argument;
  pthread_setname_np(pthread_self(), worker->name);
  worker->thread_id = (pid_t)syscall(SYS_gettid);
  worker->main(worker->user);
  return NULL;
}

// Runs and handlers find enough where the system's default is small, as with musl.
static int grow_stack(pthread_attr_t* attributes) {
  const size_t wanted = 2 * (size_t)TN_LIMIT_RUN_STACK_BYTES;
  size_t size = 0;
  int error = pthread_attr_getstacksize(attributes, &size);
  return error || size >= wanted ? error : pthread_attr_setstacksize(attributes, wanted);
}

tn_status_t tn__worker_start(tn_worker_t* worker, const tn_cores_t* cores, const char* name,
                             void (*main)(void* user), void* user) {
  *worker = (tn_worker_t){.cores = cores, .main = main, .user = user};
  atomic_store(&worker->waker_core, current_core(cores));
  strncpy(worker->name, name, sizeof worker->name - 1);

  // The faults of a kernel must reach a handler on the thread that has them, and profilers count on
  // their own signal.
  sigset_t blocked, previous;
  sigfillset(&blocked);
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) sigdelset(&blocked, own[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &previous);
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (!error) {
    error = grow_stack(&attributes);
    if (!error) error = pthread_create(&worker->thread, &attributes, thread_main, worker);
    pthread_attr_destroy(&attributes);
  }
  pthread_sigmask(SIG_SETMASK, &previous, NULL);
  if (!error) return TN_OK;
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "starting a thread: %s", strerror(error));
}

bool tn__worker_is_current(const tn_worker_t* worker) {
  return pthread_equal(worker->thread, pthread_self());
}

void tn__worker_join(tn_worker_t* worker) {
  if (tn__worker_is_current(worker)) {
    pthread_detach(worker->thread);
  } else {
    pthread_join(worker->thread, NULL);
  }
}

void tn__worker_announce_sleep(tn_worker_t* worker) {
  atomic_store(&worker->state, ASLEEP);
}

bool tn__worker_withdraw_sleep(tn_worker_t* worker) {
  unsigned expected = ASLEEP;
  return atomic_compare_exchange_strong(&worker->state, &expected, AWAKE);
}

void tn__worker_sleep(tn_worker_t* worker) {
  if (atomic_load(&worker->state) == ASLEEP) {
    exclude(worker->cores, 0, atomic_load(&worker->waker_core));
  }
  unsigned state;
  while ((state = atomic_load(&worker->state)) != AWAKE) {
    tn__futex_wait(&worker->state, state, INT64_MAX);
  }
  worker->is_narrowed = atomic_load(&worker->waker_core) >= 0;
}

void tn__worker_widen(tn_worker_t* worker) {
  if (!worker->is_narrowed) return;
  worker->is_narrowed = false;
  sched_setaffinity(0, sizeof worker->cores->set, &worker->cores->set);
}

bool tn__worker_claim(tn_worker_t* worker) {
  unsigned expected = ASLEEP;
  return atomic_load_explicit(&worker->state, memory_order_relaxed) == ASLEEP &&
         atomic_compare_exchange_strong(&worker->state, &expected, CLAIMED);
}

void tn__worker_rouse(tn_worker_t* worker) {
  int core = current_core(worker->cores);
  if (core >= 0 && core != atomic_load(&worker->waker_core)) {
    exclude(worker->cores, worker->thread_id, core);
    atomic_store(&worker->waker_core, core);
  }
  atomic_store(&worker->state, AWAKE);
  tn__futex_wake(&worker->state, 1);
}
