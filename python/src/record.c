// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Recordings: the calls of array functions that a function of Python makes while it is traced, to
// make them again with arrays of other shapes.

#include <string.h>

#include "core.h"

static _Thread_local core_recorder_t* active;

// A copy of lists and dicts, with an object of its own for each array: arrays may be set later.
static PyObject* copy_leaf(void* unused, PyObject* leaf) {
  (void)unused;
  return core_is_array(leaf) ? core_array_copy(leaf, NULL) : Py_NewRef(leaf);
}

// --- while a function is traced

bool core_record_begin(core_recorder_t* recorder, PyObject* inputs) {
  *recorder = (core_recorder_t){.previous = active, .depth = core_trace_depth()};
  recorder->calls = PyList_New(0);
  recorder->inputs = core_tree_map(inputs, copy_leaf, NULL);
  active = recorder;  // in any case, until the end
  return recorder->calls && recorder->inputs;
}

bool core_is_recording(void) {
  return active && active->depth == core_trace_depth();
}

void core_record_state(void) {
  for (core_recorder_t* recorder = active; recorder; recorder = recorder->previous) {
    recorder->is_partial = true;
  }
}

// Takes the tuple of arguments.
static bool add_call(PyObject* name, PyObject* arguments, PyObject* names, PyObject* result) {
  PyObject* copy = arguments ? core_tree_map(arguments, copy_leaf, NULL) : NULL;
  PyObject* results = copy ? core_tree_map(result, copy_leaf, NULL) : NULL;
  PyObject* call =
      results && name ? PyTuple_Pack(4, name, copy, names ? names : Py_None, results) : NULL;
  const bool is_added = call && PyList_Append(active->calls, call) == 0;
  Py_XDECREF(call);
  Py_XDECREF(results);
  Py_XDECREF(copy);
  Py_XDECREF(arguments);
  Py_XDECREF(name);
  return is_added;
}

bool core_record_call(const core_function_t* function, PyObject* first, PyObject* const* arguments,
                      Py_ssize_t count, PyObject* names, PyObject* result) {
  if (!core_is_recording()) return true;
  const Py_ssize_t offset = first != NULL;
  const Py_ssize_t all = count + (names ? PyTuple_Size(names) : 0);
  PyObject* tuple = PyTuple_New(offset + all);
  if (tuple && first) PyTuple_SetItem(tuple, 0, Py_NewRef(first));
  for (Py_ssize_t i = 0; tuple && i < all; ++i) {
    PyTuple_SetItem(tuple, offset + i, Py_NewRef(arguments[i]));
  }
  return add_call(core_function_full_name(function), tuple, names, result);
}

// Names of what is no function: reading and setting elements, and updates, such as array.at.add.
static const char get_item[] = "array.__getitem__", set_item[] = "array.__setitem__";
static const char at[] = "array.at.";

bool core_record_get_item(PyObject* array, PyObject* key, PyObject* result) {
  if (!core_is_recording()) return true;
  return add_call(PyUnicode_FromString(get_item), PyTuple_Pack(2, array, key), NULL, result);
}

bool core_record_update(const char* update, PyObject* before, PyObject* key, PyObject* value,
                        PyObject* after) {
  PyObject* name =
      update ? PyUnicode_FromFormat("%s%s", at, update) : PyUnicode_FromString(set_item);
  return add_call(name, PyTuple_Pack(3, before, key, value), NULL, after);
}

// --- what has been recorded

// The arrays of a recording are alive, and have different addresses.
PyObject* core_value_id(PyObject* object) {
  tn_array_t* array = core_array_borrow(object);
  PyObject* key = PyLong_FromVoidPtr(array);
  core_array_return(array);
  return key;
}

// Arrays that no call has given are constants, unless they depend on an input in a way that was not
// recorded: then they have no value.
static bool note_constant(void* known, PyObject* object) {
  PyObject* key = core_value_id(object);
  const int is_known = key ? PySet_Contains(known, key) : -1;
  Py_XDECREF(key);
  if (is_known != 0) return is_known > 0;
  tn_array_t* array = core_array_take(object);
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  Py_END_ALLOW_THREADS;
  tn_array_release(array);
  const bool has_value = !status;
  tn_status_release(status);
  return has_value;
}

static bool note_known(void* known, PyObject* object) {
  PyObject* key = core_value_id(object);
  const bool is_noted = key && PySet_Add(known, key) == 0;
  Py_XDECREF(key);
  return is_noted;
}

static bool is_whole(PyObject* known, PyObject* calls, PyObject* inputs, PyObject* outputs) {
  bool is_good = core_tree_visit(inputs, note_known, known);
  for (Py_ssize_t i = 0; is_good && i < PyList_Size(calls); ++i) {
    PyObject* call = PyList_GetItem(calls, i);
    is_good = core_tree_visit(PyTuple_GetItem(call, 1), note_constant, known) &&
              core_tree_visit(PyTuple_GetItem(call, 3), note_known, known);
  }
  return is_good && core_tree_visit(outputs, note_constant, known);
}

PyObject* core_record_end(core_recorder_t* recorder, PyObject* result) {
  PyObject *type, *value, *traceback, *recording = NULL;
  active = recorder->previous;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* known = result && !recorder->is_partial ? PySet_New(NULL) : NULL;
  PyObject* outputs = known ? core_tree_map(result, copy_leaf, NULL) : NULL;
  if (outputs && is_whole(known, recorder->calls, recorder->inputs, outputs)) {
    recording = PyTuple_Pack(3, recorder->calls, recorder->inputs, outputs);
  }
  if (type) {
    PyErr_Restore(type, value, traceback);
  } else if (!recording && !PyErr_Occurred()) {
    recording = Py_NewRef(Py_None);
  }
  Py_XDECREF(outputs);
  Py_XDECREF(known);
  Py_CLEAR(recorder->inputs);
  Py_CLEAR(recorder->calls);
  return recording;
}

// --- again

static PyObject* replace(void* values, PyObject* leaf) {
  if (!core_is_array(leaf)) return Py_NewRef(leaf);
  PyObject* key = core_value_id(leaf);
  PyObject* found = key ? PyDict_GetItemWithError(values, key) : NULL;
  Py_XDECREF(key);
  if (!found && PyErr_Occurred()) return NULL;
  return Py_NewRef(found ? found : leaf);
}

// The arrays of `now` take the places of those of `before`.
static bool add_values(PyObject* values, const char* name, PyObject* before, PyObject* now) {
  core_leaves_t old = {0}, new = {0};
  bool is_added = core_tree_flatten(before, &old) && core_tree_flatten(now, &new);
  if (is_added && old.count != new.count) {
    PyErr_Format(PyExc_ValueError,
                 "%s gave %zu arrays when it was traced, and %zu for these shapes", name, old.count,
                 new.count);
    is_added = false;
  }
  for (size_t i = 0; is_added && i < old.count; ++i) {
    PyObject* key = core_value_id(old.objects[i]);
    is_added = key && PyDict_SetItem(values, key, new.objects[i]) == 0;
    Py_XDECREF(key);
  }
  core_leaves_clear(&new);
  core_leaves_clear(&old);
  return is_added;
}

static PyObject* update(const char* method, PyObject* array, PyObject* key, PyObject* value) {
  for (const char* letter = method; *letter; ++letter) {
    if (*letter < 'a' || *letter > 'z')
      return PyErr_Format(PyExc_ValueError, "no update %s", method);
  }
  PyObject* place = PyObject_GetAttrString(array, "at");
  PyObject* selected = place ? PyObject_GetItem(place, key) : NULL;
  PyObject* result = selected ? PyObject_CallMethod(selected, method, "O", value) : NULL;
  Py_XDECREF(selected);
  Py_XDECREF(place);
  return result;
}

static PyObject* assign(PyObject* array, PyObject* key, PyObject* value) {
  PyObject* copy = core_array_copy(array, NULL);
  if (copy && PyObject_SetItem(copy, key, value) < 0) Py_CLEAR(copy);
  return copy;
}

// `arguments`: an array, a key and, unless elements are read, a value.
static PyObject* call_on_elements(const char* name, PyObject* arguments) {
  const bool is_get = strcmp(name, get_item) == 0;
  if (PyTuple_Size(arguments) != (is_get ? 2 : 3) ||
      !core_is_array(PyTuple_GetItem(arguments, 0))) {
    return PyErr_Format(PyExc_ValueError, "%s: expected an array, a key and a value", name);
  }
  PyObject *array = PyTuple_GetItem(arguments, 0), *key = PyTuple_GetItem(arguments, 1);
  if (is_get) return PyObject_GetItem(array, key);
  PyObject* value = PyTuple_GetItem(arguments, 2);
  return strcmp(name, set_item) == 0 ? assign(array, key, value)
                                     : update(name + strlen(at), array, key, value);
}

PyObject* core_call_by_name(const char* name, PyObject* arguments, PyObject* names) {
  const Py_ssize_t count = PyTuple_Size(arguments), named = names ? PyTuple_Size(names) : 0;
  if (strcmp(name, get_item) == 0 || strcmp(name, set_item) == 0 ||
      strncmp(name, at, strlen(at)) == 0) {
    return call_on_elements(name, arguments);
  }
  const core_function_t* function = core_function_search(name);
  for (Py_ssize_t i = 0; i < named; ++i) {
    if (!PyUnicode_Check(PyTuple_GetItem(names, i))) function = NULL;
  }
  if (!function || named > count) {
    return PyErr_Format(PyExc_ValueError, "there is no function %s of arrays", name);
  }
  core_pool_t pool = {0};
  PyObject** objects = core_allocate(&pool, (size_t)count, sizeof(PyObject*));
  for (Py_ssize_t i = 0; objects && i < count; ++i) objects[i] = PyTuple_GetItem(arguments, i);
  PyObject* result =
      objects ? core_function_call(function, NULL, objects, count - named, names) : NULL;
  core_free(&pool);
  return result;
}

static bool call_again(PyObject* values, PyObject* call) {
  PyObject* names = PyTuple_GetItem(call, 2);
  const char* name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(call, 0), NULL);
  PyObject* arguments = name ? core_tree_map(PyTuple_GetItem(call, 1), replace, values) : NULL;
  PyObject* result =
      arguments ? core_call_by_name(name, arguments, names == Py_None ? NULL : names) : NULL;
  const bool is_done = result && add_values(values, name, PyTuple_GetItem(call, 3), result);
  Py_XDECREF(result);
  Py_XDECREF(arguments);
  return is_done;
}

PyObject* core_record_replay(PyObject* recording, PyObject* inputs) {
  PyObject *calls = PyTuple_GetItem(recording, 0), *values = PyDict_New(), *result = NULL;
  bool is_done =
      values && add_values(values, "the function", PyTuple_GetItem(recording, 1), inputs);
  for (Py_ssize_t i = 0; is_done && i < PyList_Size(calls); ++i) {
    is_done = call_again(values, PyList_GetItem(calls, i));
  }
  if (is_done) result = core_tree_map(PyTuple_GetItem(recording, 2), replace, values);
  Py_XDECREF(values);
  return result;
}
