#include "call/lock.h"

#include "base/fork.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void guard_forks(void) {
  static tn_fork_guard_t guard;
  tn__fork_guard_mutex(&guard, &mutex);
}

void tn__call_lock(void) {
  pthread_once(&once, guard_forks);
  pthread_mutex_lock(&mutex);
}

void tn__call_unlock(void) {
  pthread_mutex_unlock(&mutex);
}
