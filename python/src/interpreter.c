// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The interpreter as threads see it that are not its own: memory of Python is released on any
// thread.

#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// --- signals, which the main thread handles

static bool is_main_thread(void) {
  static _Thread_local enum { UNKNOWN, MAIN, OTHER } kind;
  if (kind == UNKNOWN) kind = syscall(SYS_gettid) == getpid() ? MAIN : OTHER;
  return kind == MAIN;
}

// Whether a handler has raised an exception.
static bool handle_signals(void* user) {
  PyGILState_STATE state;
  (void)user;
  if (!core_interpreter_enter(&state)) return false;
  const bool has_raised = PyErr_CheckSignals() < 0;
  core_interpreter_leave(state);
  return has_raised;
}

static tn_cancellation_t* spare;  // of the main thread; handlers may evaluate as well

tn_status_t core_take_cancellation(tn_cancellation_t** out_cancellation) {
  *out_cancellation = NULL;
  if (!is_main_thread()) return TN_OK;
  *out_cancellation = spare;
  spare = NULL;
  if (*out_cancellation) return TN_OK;
  tn_status_t status = tn_cancellation_create(NULL, out_cancellation);
  if (!status) tn_cancellation_set_poll(*out_cancellation, handle_signals, NULL);
  return status;
}

void core_give_cancellation(tn_cancellation_t* cancellation) {
  if (!cancellation) return;
  if (spare || tn_cancellation_is_cancelled(cancellation)) {
    tn_cancellation_release(cancellation);
  } else {
    spare = cancellation;
  }
}

typedef tn_status_t (*eval_fn)(size_t count, tn_array_t* const* arrays,
                               tn_cancellation_t* cancellation);

static tn_status_t evaluate(eval_fn eval, size_t count, tn_array_t* const* arrays) {
  tn_cancellation_t* cancellation = NULL;
  tn_status_t status = core_take_cancellation(&cancellation);
  if (status) return status;
  status = eval(count, arrays, cancellation);
  core_give_cancellation(cancellation);
  return status;
}

tn_status_t core_evaluate(size_t count, tn_array_t* const* arrays) {
  return evaluate(tn_array_eval_until, count, arrays);
}

tn_status_t core_async_evaluate(size_t count, tn_array_t* const* arrays) {
  return evaluate(tn_array_async_eval_until, count, arrays);
}

tn_status_t core_map(tn_array_t* array, tn_mapped_array_t* out_view) {
  tn_status_t status = core_evaluate(1, &array);
  return status ? status : tn_array_map(array, out_view);
}

tn_status_t core_synchronize(tn_stream_t* stream) {
  tn_cancellation_t* cancellation = NULL;
  tn_status_t status = core_take_cancellation(&cancellation);
  if (status) return status;
  status = stream ? tn_stream_synchronize_until(stream, cancellation)
                  : core_synchronize_thread(cancellation);
  core_give_cancellation(cancellation);
  return status;
}

// --- the end

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
