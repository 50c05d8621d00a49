// The interpreter as threads see it that are not its own: memory of Python is released on any
// thread.

#include <sched.h>
#include <stdatomic.h>

#include "core.h"

static atomic_bool is_ending;
static atomic_int inside;  // threads that use the interpreter now, or wait for it

bool core_interpreter_enter(PyGILState_STATE* out_state) {
  atomic_fetch_add(&inside, 1);
  if (!atomic_load(&is_ending)) {
    *out_state = PyGILState_Ensure();
    return true;
  }
  atomic_fetch_sub(&inside, 1);
  return false;
}

void core_interpreter_leave(PyGILState_STATE state) {
  PyGILState_Release(state);
  atomic_fetch_sub(&inside, 1);
}

// Called while the interpreter still works: from here on other threads cannot use it.
static PyObject* end(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  atomic_store(&is_ending, true);
  Py_BEGIN_ALLOW_THREADS;
  while (atomic_load(&inside)) sched_yield();
  Py_END_ALLOW_THREADS;
  return Py_NewRef(Py_None);
}

static PyMethodDef at_end = {"end", end, METH_NOARGS, NULL};

bool core_add_interpreter(PyObject* core) {
  (void)core;
  PyObject* module = PyImport_ImportModule("atexit");
  PyObject* function = module ? PyCFunction_NewEx(&at_end, NULL, NULL) : NULL;
  PyObject* result = function ? PyObject_CallMethod(module, "register", "O", function) : NULL;
  const bool is_done = result != NULL;
  Py_XDECREF(result);
  Py_XDECREF(function);
  Py_XDECREF(module);
  return is_done;
}
