#include "base/fork.h"

#include <string.h>

// A fact about the process, like its threads themselves: there is one list.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tn_fork_guard_t* guards;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int registration_error;
static unsigned generation;  // written when there is one thread

static void prepare(void) {
  pthread_mutex_lock(&lock);
  for (tn_fork_guard_t* guard = guards; guard; guard = guard->next) guard->prepare(guard->user);
}

static void parent(void) {
  for (tn_fork_guard_t* guard = guards; guard; guard = guard->next) guard->parent(guard->user);
  pthread_mutex_unlock(&lock);
}

static void child(void) {
  ++generation;
  for (tn_fork_guard_t* guard = guards; guard; guard = guard->next) guard->child(guard->user);
  pthread_mutex_unlock(&lock);
}

static void register_handlers(void) {
  registration_error = pthread_atfork(prepare, parent, child);
}

unsigned tn__fork_generation(void) {
  return generation;
}

tn_status_t tn__fork_guard_add(tn_fork_guard_t* guard) {
  pthread_once(&once, register_handlers);
  if (registration_error) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "pthread_atfork: %s",
                            strerror(registration_error));
  }
  pthread_mutex_lock(&lock);
  guard->previous = NULL;
  guard->next = guards;
  if (guards) guards->previous = guard;
  guards = guard;
  pthread_mutex_unlock(&lock);
  return TN_OK;
}

void tn__fork_guard_remove(tn_fork_guard_t* guard) {
  pthread_mutex_lock(&lock);
  if (guard->previous) guard->previous->next = guard->next;
  if (guard->next) guard->next->previous = guard->previous;
  if (guards == guard) guards = guard->next;
  pthread_mutex_unlock(&lock);
}

static void take(void* mutex) {
  pthread_mutex_lock(mutex);
}

static void give(void* mutex) {
  pthread_mutex_unlock(mutex);
}

void tn__fork_guard_mutex(tn_fork_guard_t* guard, pthread_mutex_t* mutex) {
  *guard = (tn_fork_guard_t){.prepare = take, .parent = give, .child = give, .user = mutex};
  tn_status_release(tn__fork_guard_add(guard));
}
