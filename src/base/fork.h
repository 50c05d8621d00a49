// What an object with threads or locks does when the process forks: only the forking thread lives
// on in the child, and a lock that another thread held would stay locked there for ever.
#ifndef TENON_BASE_FORK_H_
#define TENON_BASE_FORK_H_

#include <pthread.h>

#include "base/status.h"

// Embedded in the object. The callbacks run on the forking thread: `prepare` before the fork (take
// the locks), `parent` and `child` after it (give them back; in the child also forget the threads).
// They must not add or remove guards, and no lock that `prepare` takes may be held while doing so.
typedef struct tn_fork_guard {
  void (*prepare)(void* user);
  void (*parent)(void* user);
  void (*child)(void* user);
  void* user;
  struct tn_fork_guard *next, *previous;
} tn_fork_guard_t;

// The guard stays the caller's and must be removed before its memory goes.
TN_MUST_USE tn_status_t tn__fork_guard_add(tn_fork_guard_t* guard);
void tn__fork_guard_remove(tn_fork_guard_t* guard);
// For a mutex that lives as long as the process: a forked child finds it free. Without memory for
// it forks are as dangerous as with any other lock; nothing else fails.
void tn__fork_guard_mutex(tn_fork_guard_t* guard, pthread_mutex_t* mutex);

// How many forks, of processes with guards, lie between the first process and this one.
unsigned tn__fork_generation(void);

#endif  // TENON_BASE_FORK_H_
