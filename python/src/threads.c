// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Objects of Python that threads share.

#include <stdatomic.h>

#include "core.h"

PyObject* core_frozen(PyObject* container) {
#ifdef Py_GIL_DISABLED
  if (PyList_Check(container)) return PyList_GetSlice(container, 0, PY_SSIZE_T_MAX);
  if (PyDict_Check(container)) return PyDict_Copy(container);
#endif
  return Py_NewRef(container);
}

struct core_lock {
  PyThread_type_lock lock;
  _Atomic unsigned long owner;  // 0: none
  size_t depth;                 // the owner's
};

core_lock_t* core_lock_create(void) {
  core_lock_t* lock = PyMem_Calloc(1, sizeof *lock);
  if (lock) lock->lock = PyThread_allocate_lock();
  if (lock && lock->lock) return lock;
  PyMem_Free(lock);
  PyErr_NoMemory();
  return NULL;
}

void core_lock_destroy(core_lock_t* lock) {
  PyThread_free_lock(lock->lock);
  PyMem_Free(lock);
}

void core_lock_enter(core_lock_t* lock) {
  const unsigned long thread = PyThread_get_thread_ident();
  if (atomic_load(&lock->owner) != thread) {
    if (!PyThread_acquire_lock(lock->lock, NOWAIT_LOCK)) {
      Py_BEGIN_ALLOW_THREADS;
      PyThread_acquire_lock(lock->lock, WAIT_LOCK);
      Py_END_ALLOW_THREADS;
    }
    atomic_store(&lock->owner, thread);
  }
  ++lock->depth;
}

void core_lock_leave(core_lock_t* lock) {
  if (--lock->depth) return;
  atomic_store(&lock->owner, 0);
  PyThread_release_lock(lock->lock);
}
