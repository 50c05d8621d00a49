// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Nested lists, tuples and dicts of arrays.

#include "core.h"

static bool visit_sequence(PyObject* tree, bool is_list, core_visit_fn visit, void* user) {
  const Py_ssize_t count = is_list ? PyList_Size(tree) : PyTuple_Size(tree);
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* part = is_list ? PyList_GetItem(tree, i) : PyTuple_GetItem(tree, i);
    if (!part || !core_tree_visit(part, visit, user)) return false;
  }
  return true;
}

static bool visit_parts(PyObject* tree, core_visit_fn visit, void* user) {
  if (PyList_Check(tree)) return visit_sequence(tree, true, visit, user);
  if (PyTuple_Check(tree)) return visit_sequence(tree, false, visit, user);
  if (!PyDict_Check(tree)) return true;
  Py_ssize_t at = 0;
  PyObject* value = NULL;
  while (PyDict_Next(tree, &at, NULL, &value)) {
    if (!core_tree_visit(value, visit, user)) return false;
  }
  return true;
}

bool core_tree_visit(PyObject* tree, core_visit_fn visit, void* user) {
  if (core_is_array(tree)) return visit(user, tree);
  if (Py_EnterRecursiveCall(" in a tree of arrays")) return false;
  PyObject* parts = core_frozen(tree);
  const bool is_done = parts && visit_parts(parts, visit, user);
  Py_XDECREF(parts);
  Py_LeaveRecursiveCall();
  return is_done;
}

// --- leaves

static bool grow(core_leaves_t* leaves) {
  if (leaves->count < leaves->capacity) return true;
  const size_t capacity = leaves->capacity ? 2 * leaves->capacity : 16;
  PyObject** objects = PyMem_Realloc(leaves->objects, capacity * sizeof(PyObject*));
  if (objects) leaves->objects = objects;
  tn_array_t** values =
      objects ? PyMem_Realloc(leaves->values, capacity * sizeof(tn_array_t*)) : NULL;
  if (!values) {
    PyErr_NoMemory();
    return false;
  }
  leaves->values = values;
  leaves->capacity = capacity;
  return true;
}

static bool append(void* user, PyObject* array) {
  core_leaves_t* leaves = user;
  if (!grow(leaves)) return false;
  leaves->objects[leaves->count] = Py_NewRef(array);
  leaves->values[leaves->count++] = core_array_take(array);
  return true;
}

bool core_leaves_copy(const core_leaves_t* leaves, core_leaves_t* out_leaves) {
  for (size_t i = 0; i < leaves->count; ++i) {
    if (!append(out_leaves, leaves->objects[i])) return false;
  }
  return true;
}

void core_leaves_clear(core_leaves_t* leaves) {
  for (size_t i = 0; i < leaves->count; ++i) {
    Py_DECREF(leaves->objects[i]);
    tn_array_release(leaves->values[i]);
  }
  PyMem_Free(leaves->objects);
  PyMem_Free(leaves->values);
  *leaves = (core_leaves_t){0};
}

bool core_tree_flatten(PyObject* tree, core_leaves_t* leaves) {
  return core_tree_visit(tree, append, leaves);
}

static PyObject* take_leaf(void* user, PyObject* leaf) {
  if (core_is_array(leaf)) return append(user, leaf) ? Py_NewRef(leaf) : NULL;
  core_raise_type(PyExc_ValueError,
                  "[tree_flatten] The argument should contain only arrays; found %U", leaf);
  return NULL;
}

PyObject* core_tree_take(PyObject* tree, core_leaves_t* leaves) {
  return core_tree_map(tree, take_leaf, leaves);
}

// --- the same tree with other leaves

typedef struct mapping {
  core_map_fn map;
  void* user;
  bool is_update;
} mapping_t;

static PyObject* map_tree(const mapping_t* mapping, PyObject* tree);

static PyObject* map_list(const mapping_t* mapping, PyObject* list) {
  PyObject* parts = core_frozen(list);
  const Py_ssize_t count = parts ? PyList_Size(parts) : 0;
  PyObject* result = mapping->is_update ? Py_NewRef(list) : PyList_New(count);
  if (!parts) Py_CLEAR(result);
  for (Py_ssize_t i = 0; result && i < count; ++i) {
    PyObject* part = PyList_GetItem(parts, i);
    PyObject* mapped = part ? map_tree(mapping, part) : NULL;
    if (!mapped || PyList_SetItem(result, i, mapped) < 0) Py_CLEAR(result);
  }
  Py_XDECREF(parts);
  return result;
}

// A tuple of the type of another: named ones take their parts as arguments.
static PyObject* tuple_like(PyObject* tuple, PyObject* parts) {
  PyObject* type = (PyObject*)Py_TYPE(tuple);
  if (PyTuple_CheckExact(tuple)) return Py_NewRef(parts);
  if (PyObject_HasAttrString(tuple, "_fields")) return PyObject_Call(type, parts, NULL);
  return PyObject_CallFunctionObjArgs(type, parts, NULL);
}

static PyObject* map_tuple(const mapping_t* mapping, PyObject* tuple) {
  const Py_ssize_t count = PyTuple_Size(tuple);
  bool has_changed = !mapping->is_update;
  PyObject* parts = PyTuple_New(count);
  for (Py_ssize_t i = 0; parts && i < count; ++i) {
    PyObject* part = PyTuple_GetItem(tuple, i);
    PyObject* mapped = map_tree(mapping, part);
    has_changed = has_changed || mapped != part;
    if (!mapped || PyTuple_SetItem(parts, i, mapped) < 0) Py_CLEAR(parts);
  }
  if (!parts) return NULL;
  PyObject* result = has_changed ? tuple_like(tuple, parts) : Py_NewRef(tuple);
  Py_DECREF(parts);
  return result;
}

static PyObject* map_dict(const mapping_t* mapping, PyObject* dict) {
  PyObject* result = mapping->is_update ? Py_NewRef(dict) : PyDict_New();
  PyObject* parts = core_frozen(dict);
  PyObject* keys = parts ? PyDict_Keys(parts) : NULL;
  const Py_ssize_t count = keys ? PyList_Size(keys) : 0;
  if (!keys) Py_CLEAR(result);
  for (Py_ssize_t i = 0; result && i < count; ++i) {
    PyObject* key = PyList_GetItem(keys, i);
    PyObject* part = PyDict_GetItemWithError(parts, key);
    PyObject* mapped = part ? map_tree(mapping, part) : NULL;
    if (!part && !PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, key);
    if (!mapped ||
        ((mapped != part || !mapping->is_update) && PyDict_SetItem(result, key, mapped) < 0)) {
      Py_CLEAR(result);
    }
    Py_XDECREF(mapped);
  }
  Py_XDECREF(keys);
  Py_XDECREF(parts);
  return result;
}

static PyObject* map_tree(const mapping_t* mapping, PyObject* tree) {
  PyObject* result = NULL;
  if (core_is_array(tree)) return mapping->map(mapping->user, tree);
  if (Py_EnterRecursiveCall(" in a tree of arrays")) return NULL;
  if (PyList_Check(tree)) {
    result = map_list(mapping, tree);
  } else if (PyTuple_Check(tree)) {
    result = map_tuple(mapping, tree);
  } else if (PyDict_Check(tree)) {
    result = map_dict(mapping, tree);
  } else {
    result = mapping->map(mapping->user, tree);
  }
  Py_LeaveRecursiveCall();
  return result;
}

PyObject* core_tree_map(PyObject* tree, core_map_fn map, void* user) {
  const mapping_t mapping = {map, user, false};
  return map_tree(&mapping, tree);
}

PyObject* core_tree_update(PyObject* tree, core_map_fn map, void* user) {
  const mapping_t mapping = {map, user, true};
  return map_tree(&mapping, tree);
}

PyObject* core_fill_next(void* user, PyObject* leaf) {
  core_fill_t* fill = user;
  if (!core_is_array(leaf)) return Py_NewRef(leaf);
  PyObject* object = PyList_GetItem(fill->objects, fill->next++);
  if (!object) PyErr_SetString(PyExc_ValueError, "a tree of arrays has changed meanwhile");
  return Py_XNewRef(object);
}

PyObject* core_objects_of(size_t count, tn_array_t* const* values) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject* object = core_array_object(values[i]);
    if (!object || PyList_SetItem(list, (Py_ssize_t)i, object) < 0) Py_CLEAR(list);
  }
  return list;
}

PyObject* core_tuple_of(size_t count, tn_array_t* const* values) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; ++i) {
    PyObject* object = core_array_object(values[i]);
    if (!object || PyTuple_SetItem(tuple, (Py_ssize_t)i, object) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

// --- evaluation

static PyObject* evaluate(PyObject* trees, bool is_async) {
  core_leaves_t list = {0};  // retained: another thread may change the tree
  tn_status_t status = TN_OK;
  const bool is_listed = core_tree_visit(trees, append, &list);
  if (is_listed && list.count) {
    Py_BEGIN_ALLOW_THREADS;
    status = (is_async ? core_async_evaluate : core_evaluate)(list.count, list.values);
    Py_END_ALLOW_THREADS;
  }
  core_leaves_clear(&list);
  return is_listed && core_check(status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject* eval(PyObject* module, PyObject* trees) {
  (void)module;
  return evaluate(trees, false);
}

static PyObject* async_eval(PyObject* module, PyObject* trees) {
  (void)module;
  if (core_is_tracing()) {
    PyErr_SetString(PyExc_ValueError, "[async_eval] Not allowed inside a graph transformation.");
    return NULL;
  }
  return evaluate(trees, true);
}

static PyMethodDef functions[] = {
    {"eval", eval, METH_VARARGS,
     "eval(*args)\n--\n\nComputes arrays, or trees of arrays (lists, tuples, dicts), and waits."},
    {"async_eval", async_eval, METH_VARARGS,
     "async_eval(*args)\n--\n\nThe same without waiting: errors are raised by what waits for the "
     "arrays."},
    {NULL, NULL, 0, NULL},
};

bool core_add_evaluation(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
