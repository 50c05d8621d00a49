// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The global sequence of random keys: random.seed, random.state.

#include <time.h>

#include "core.h"

// A list of one array, the key: trees of arrays that compile captures can have it among them.
static PyObject* state;

static core_mutex_t mutex;  // threads that take keys at once get different ones

static bool set_key(tn_array_t* array) {
  PyObject* key = core_array_object(array);
  return key && PyList_SetItem(state, 0, key) == 0;
}

static bool seed(uint64_t value) {
  core_call_t call;
  if (!core_begin(&call, NULL)) return false;
  core_mutex_lock(&mutex);
  PyObject* before = PySequence_GetItem(state, 0);  // goes when other threads can have the mutex
  const bool is_set = before && set_key(tn_array_random_key(call.scope, value));
  core_mutex_unlock(&mutex);
  Py_XDECREF(before);
  core_end(&call);
  return is_set;
}

// The key falls into two: the next one, and one to use.
static tn_array_t* next_of(core_call_t* call, PyObject* key) {
  if (!key || !core_is_array(key)) {
    PyErr_SetString(PyExc_TypeError, "random.state: expected a list of one array, a key");
    return NULL;
  }
  core_record_state();
  tn_array_t* keys = tn_array_random_split(call->scope, core_array_hold(call, key), 2);
  const tn_index_t second = TN_AT(1), first = TN_AT(0);
  if (!set_key(tn_array_index(call->scope, keys, 1, &first))) return NULL;
  return tn_array_index(call->scope, keys, 1, &second);
}

tn_array_t* core_random_next(core_call_t* call) {
  core_mutex_lock(&mutex);
  PyObject* key = PyList_Size(state) == 1 ? PySequence_GetItem(state, 0) : NULL;
  tn_array_t* next = next_of(call, key);
  core_mutex_unlock(&mutex);
  Py_XDECREF(key);
  return next;
}

static PyObject* random_seed(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  static char* names[] = {"seed", NULL};
  unsigned long long value = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "K:seed", names, &value)) return NULL;
  return seed(value) ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef functions[] = {
    {"seed", (PyCFunction)(void (*)(void))random_seed, METH_VARARGS | METH_KEYWORDS,
     "seed(seed)\n--\n\nRestarts the global sequence of random numbers."},
    {NULL, NULL, 0, NULL},
};

// The sequence of a process begins with the time.
bool core_add_random(PyObject* core) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  PyObject* module = PyObject_GetAttrString(core, "random");
  state = Py_BuildValue("[O]", Py_None);
  const bool is_added = module && state &&
                        seed((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) &&
                        PyModule_AddFunctions(module, functions) == 0 &&
                        PyModule_AddObjectRef(module, "state", state) == 0;
  Py_XDECREF(module);
  return is_added;
}
