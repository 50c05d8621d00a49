// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Objects of Python that threads share.
//
// The interpreter's lock (the GIL) lets one thread at a time run what is between two calls of
// Python's code. Free-threaded Python has no such lock: objects that change have one each.
#ifndef TENON_PYTHON_THREADS_H_
#define TENON_PYTHON_THREADS_H_

#include <Python.h>

#ifdef Py_GIL_DISABLED
// Around a few statements that call no code of Python: no other thread is in such a block of the
// object.
#define CORE_BEGIN_EXCLUSIVE(object) Py_BEGIN_CRITICAL_SECTION(object)
#define CORE_END_EXCLUSIVE() Py_END_CRITICAL_SECTION()
// The same for what several objects have together.
typedef PyMutex core_mutex_t;
#define core_mutex_lock(mutex) PyMutex_Lock(mutex)
#define core_mutex_unlock(mutex) PyMutex_Unlock(mutex)
#else
#define CORE_BEGIN_EXCLUSIVE(object) {
#define CORE_END_EXCLUSIVE() }
typedef char core_mutex_t;
#define core_mutex_lock(mutex) (void)(mutex)
#define core_mutex_unlock(mutex) (void)(mutex)
#endif

// What to iterate over in place of a list or dict of the user's, which other threads may change: a
// copy in free-threaded Python, else the object itself. Other objects stay as they are. A new
// reference.
PyObject* core_frozen(PyObject* container);

// A lock that is held while code of Python runs; its owner may take it again. Who waits for it lets
// others have the interpreter's lock.
typedef struct core_lock core_lock_t;
core_lock_t* core_lock_create(void);  // NULL: MemoryError
void core_lock_destroy(core_lock_t* lock);
void core_lock_enter(core_lock_t* lock);
void core_lock_leave(core_lock_t* lock);

#endif  // TENON_PYTHON_THREADS_H_
