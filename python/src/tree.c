// Nested lists, tuples and dicts of arrays.

#include <string.h>

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
  const bool is_done = visit_parts(tree, visit, user);
  Py_LeaveRecursiveCall();
  return is_done;
}

// --- evaluation

typedef struct list {
  size_t count, capacity;
  tn_array_t** arrays;  // retained: another thread may change the tree
} list_t;

static bool append(void* user, PyObject* array) {
  list_t* list = user;
  if (list->count == list->capacity) {
    const size_t capacity = list->capacity ? 2 * list->capacity : 16;
    tn_array_t** arrays = PyMem_Realloc(list->arrays, capacity * sizeof *arrays);
    if (!arrays) {
      PyErr_NoMemory();
      return false;
    }
    list->arrays = arrays;
    list->capacity = capacity;
  }
  list->arrays[list->count++] = tn_array_retain(core_array_value(array));
  return true;
}

static PyObject* evaluate(PyObject* trees, bool is_async) {
  list_t list = {0};
  tn_status_t status = TN_OK;
  const bool is_listed = core_tree_visit(trees, append, &list);
  if (is_listed && list.count) {
    Py_BEGIN_ALLOW_THREADS;
    status = (is_async ? tn_array_async_eval : tn_array_eval)(list.count, list.arrays);
    Py_END_ALLOW_THREADS;
  }
  for (size_t i = 0; i < list.count; ++i) tn_array_release(list.arrays[i]);
  PyMem_Free(list.arrays);
  return is_listed && core_check(status) ? Py_NewRef(Py_None) : NULL;
}

static PyObject* eval(PyObject* module, PyObject* trees) {
  (void)module;
  return evaluate(trees, false);
}

static PyObject* async_eval(PyObject* module, PyObject* trees) {
  (void)module;
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
