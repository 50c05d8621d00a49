#include "call/lock.h"

#include <pthread.h>

#include "base/fork.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take(void* user) {
  (void)user;
  pthread_mutex_lock(&mutex);
}

static void give(void* user) {
  (void)user;
  pthread_mutex_unlock(&mutex);
}

static void guard_forks(void) {
  static tn_fork_guard_t guard = {.prepare = take, .parent = give, .child = give};
  // Without memory for it forks are as dangerous as with any other lock; nothing else fails.
  tn_status_release(tn__fork_guard_add(&guard));
}

void tn__call_lock(void) {
  pthread_once(&once, guard_forks);
  pthread_mutex_lock(&mutex);
}

void tn__call_unlock(void) {
  pthread_mutex_unlock(&mutex);
}
