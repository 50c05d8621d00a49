// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Indexing: a[...], a[...] = b, a.at[...].add(b), and iteration.

#include <stdatomic.h>
#include <string.h>

#include "core.h"

enum { MAX_ITEMS = 2 * TN_MAX_RANK + 1 };

typedef struct items {
  size_t count;
  tn_index_t list[MAX_ITEMS];
} items_t;

// --- from objects of Python

static bool refuse(const char* message) {
  PyErr_SetString(PyExc_ValueError, message);
  return false;
}

static bool read_slice(PyObject* slice, tn_index_t* out_item) {
  Py_ssize_t start = 0, stop = 0, step = 1;
  if (PySlice_Unpack(slice, &start, &stop, &step) < 0) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    return refuse("Slice indices must be integers or None.");
  }
  *out_item = TN_SLICE_BY(start, stop, step);
  return true;
}

// Lists and what is like an array: indices, or a mask.
static bool read_array(core_call_t* call, PyObject* object, tn_index_t* out_item) {
  const bool is_empty = PyList_Check(object) && PyList_Size(object) == 0;
  const tn_dtype_t dtype = is_empty ? TN_DTYPE_S32 : TN_DTYPE_INVALID;
  if (PyUnicode_Check(object) || !core_is_like_array(object) || PyFloat_Check(object)) {
    return core_raise_type(PyExc_ValueError, "Cannot index an array with %U", object);
  }
  tn_array_t* array = NULL;
  if (!core_convert_to(call, object, dtype, &array)) return false;
  *out_item = TN_AT_ARRAY(array);
  return true;
}

// Arrays of NumPy have __index__, too, which raises unless they are of one integer.
static bool read_integer(PyObject* object, tn_index_t* out_item, bool* out_is_integer) {
  *out_is_integer = false;
  if (core_is_array(object) || PyBool_Check(object) || !PyIndex_Check(object)) return true;
  PyObject* index = PyNumber_Index(object);
  if (!index) {
    PyErr_Clear();
    return true;
  }
  *out_is_integer = true;
  *out_item = TN_AT(PyLong_AsLongLong(index));
  Py_DECREF(index);
  return out_item->start != -1 || !PyErr_Occurred();
}

static bool read_item(core_call_t* call, PyObject* object, tn_index_t* out_item) {
  bool is_integer = false;
  if (!read_integer(object, out_item, &is_integer)) return false;
  if (is_integer) return true;
  if (PySlice_Check(object)) return read_slice(object, out_item);
  if (object == Py_None) {
    *out_item = TN_NEW_AXIS;
    return true;
  }
  if (object == Py_Ellipsis) {
    *out_item = TN_ELLIPSIS;
    return true;
  }
  return read_array(call, object, out_item);
}

static bool read_items(core_call_t* call, PyObject* key, items_t* items) {
  const bool is_tuple = PyTuple_Check(key);
  const Py_ssize_t count = is_tuple ? PyTuple_Size(key) : 1;
  if (count > MAX_ITEMS) return refuse("Too many indices for an array");
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* object = is_tuple ? PyTuple_GetItem(key, i) : key;
    if (!read_item(call, object, &items->list[i])) return false;
  }
  items->count = (size_t)count;
  return true;
}

// --- reading

PyObject* core_get_item(PyObject* self, PyObject* key) {
  core_call_t call;
  items_t items;
  if (!core_begin(&call, NULL)) return NULL;
  PyObject* result = NULL;
  if (read_items(&call, key, &items)) {
    tn_array_t* array = core_array_borrow(self);
    result = core_array_object(tn_array_index(call.scope, array, items.count, items.list));
    core_array_return(array);
  }
  core_end(&call);
  if (result && !core_record_get_item(self, key, result)) Py_CLEAR(result);
  return result;
}

PyObject* core_get_row(PyObject* self, Py_ssize_t i) {
  PyObject* key = PyLong_FromSsize_t(i);
  PyObject* result = key ? core_get_item(self, key) : NULL;
  Py_XDECREF(key);
  return result;
}

// --- updates

// The array with an update. NULL: an exception is set.
static tn_array_t* apply(core_call_t* call, tn_array_t* array, const items_t* items,
                         tn_array_t* updates, tn_scatter_mode_t mode) {
  tn_array_t* result =
      tn_array_index_update(call->scope, array, items->count, items->list, updates, mode);
  if (tn_array_dtype(result) != TN_DTYPE_INVALID) return result;
  core_raise(tn_array_status(result));
  return NULL;
}

// The object gets another array: names of it see the change, views of its elements do not. If the
// object has got one meanwhile, that one is updated: no update is lost.
static bool update_in_place(core_call_t* call, PyObject* self, PyObject* key, PyObject* value) {
  items_t items;
  tn_array_t* updates = NULL;
  if (!read_items(call, key, &items) ||
      !core_convert(call, value, core_array_dtype(self), &updates)) {
    return false;
  }
  for (;;) {
    tn_array_t* old = core_array_hold(call, self);
    tn_array_t* result = apply(call, old, &items, updates, TN_SCATTER_SET);
    if (!result) return false;
    if (core_array_replace(self, old, result)) return true;
  }
}

static int set_item(PyObject* self, PyObject* key, PyObject* value) {
  core_call_t call;
  if (!core_begin(&call, NULL)) return -1;
  const bool is_done = update_in_place(&call, self, key, value);
  core_end(&call);
  return is_done ? 0 : -1;
}

int core_set_item(PyObject* self, PyObject* key, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
    return -1;
  }
  if (!core_is_recording()) return set_item(self, key, value);
  PyObject* before = core_array_copy(self, NULL);
  const bool is_set = before && set_item(self, key, value) == 0 &&
                      core_record_update(NULL, before, key, value, self);
  Py_XDECREF(before);
  return is_set ? 0 : -1;
}

// --- a.at[...]

typedef struct at {
  PyObject_HEAD PyObject* array;  // owned
  PyObject* key;                  // owned; NULL: none so far
} at_t;

static PyTypeObject* at_type;

static PyObject* create_at(PyObject* array, PyObject* key) {
  at_t* at = PyObject_New(at_t, at_type);
  if (!at) return NULL;
  at->array = Py_NewRef(array);
  at->key = Py_XNewRef(key);
  return (PyObject*)at;
}

PyObject* core_get_at(PyObject* self, void* unused) {
  (void)unused;
  return create_at(self, NULL);
}

static void at_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_DECREF(((at_t*)self)->array);
  Py_XDECREF(((at_t*)self)->key);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* at_get_item(PyObject* self, PyObject* key) {
  return create_at(((at_t*)self)->array, key);
}

static PyObject* at_update(PyObject* self, PyObject* arguments, PyObject* keywords,
                           const char* update, tn_scatter_mode_t mode) {
  static char* names[] = {"value", NULL};
  const at_t* at = (const at_t*)self;
  PyObject* value = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O", names, &value)) return NULL;
  if (!at->key) {
    PyErr_SetString(PyExc_ValueError, "expected indices, as in x.at[0].add(4)");
    return NULL;
  }
  core_call_t call;
  if (!core_begin(&call, NULL)) return NULL;
  items_t items;
  tn_array_t *array = core_array_hold(&call, at->array), *updates = NULL, *result = NULL;
  if (read_items(&call, at->key, &items) &&
      core_convert(&call, value, tn_array_dtype(array), &updates)) {
    result = apply(&call, array, &items, updates, mode);
  }
  PyObject* object = result ? core_array_object(result) : NULL;
  if (object && core_is_recording()) {
    PyObject* before = core_array_object(array);
    if (!before || !core_record_update(update, before, at->key, value, object)) Py_CLEAR(object);
    Py_XDECREF(before);
  }
  core_end(&call);
  return object;
}

#define UPDATES(UPDATE)                                                                         \
  UPDATE(add, TN_SCATTER_ADD,                                                                   \
         "The array with `value` added to the elements, once for each index.")                  \
  UPDATE(subtract, TN_SCATTER_SUBTRACT, "The array with `value` subtracted from the elements.") \
  UPDATE(multiply, TN_SCATTER_MULTIPLY, "The array with the elements multiplied by `value`.")   \
  UPDATE(divide, TN_SCATTER_DIVIDE, "The array with the elements divided by `value`.")          \
  UPDATE(maximum, TN_SCATTER_MAXIMUM,                                                           \
         "The array with the larger ones of the elements and `value`.")                         \
  UPDATE(minimum, TN_SCATTER_MINIMUM,                                                           \
         "The array with the smaller ones of the elements and `value`.")
#define UPDATE(name, mode, doc)                                                         \
  static PyObject* at_##name(PyObject* self, PyObject* arguments, PyObject* keywords) { \
    return at_update(self, arguments, keywords, #name, mode);                           \
  }
UPDATES(UPDATE)
#undef UPDATE

static PyMethodDef at_methods[] = {
#define UPDATE(name, mode, doc)                                                 \
  {#name, (PyCFunction)(void (*)(void))at_##name, METH_VARARGS | METH_KEYWORDS, \
   #name "($self, value)\n--\n\n" doc},
    UPDATES(UPDATE)
#undef UPDATE
        {NULL, NULL, 0, NULL},
};
static PyType_Slot at_slots[] = {
    CORE_SLOT(Py_tp_dealloc, at_dealloc),
    CORE_SLOT(Py_mp_subscript, at_get_item),
    CORE_SLOT(Py_tp_methods, at_methods),
    {Py_tp_doc, "Updates of an array: x.at[indices].add(value)."},
    {0, NULL},
};
static PyType_Spec at_spec = {
    .name = "tenon.core.ArrayAt",
    .basicsize = sizeof(at_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = at_slots,
};

// --- iteration along the first axis

typedef struct iterator {
  PyObject_HEAD tn_array_t* array;  // owned
  _Atomic int64_t next;             // threads that share the iterator may get the same element
} iterator_t;

static PyTypeObject* iterator_type;

PyObject* core_array_iterate(PyObject* self) {
  tn_array_t* array = core_array_take(self);
  iterator_t* iterator = NULL;
  if (!tn_array_rank(array)) {
    PyErr_SetString(PyExc_TypeError, "iter() 0-dimensional array.");
  } else {
    iterator = PyObject_New(iterator_t, iterator_type);
  }
  if (!iterator) {
    tn_array_release(array);
    return NULL;
  }
  iterator->array = array;
  atomic_init(&iterator->next, 0);
  return (PyObject*)iterator;
}

static void iterator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  tn_array_release(((iterator_t*)self)->array);
  PyObject_Free(self);
  Py_DECREF(type);
}

static PyObject* iterator_next(PyObject* self) {
  iterator_t* iterator = (iterator_t*)self;
  const int64_t i = atomic_load_explicit(&iterator->next, memory_order_relaxed);
  if (i >= tn_array_dim(iterator->array, 0)) return NULL;
  core_call_t call;
  if (!core_begin(&call, NULL)) return NULL;
  atomic_store_explicit(&iterator->next, i + 1, memory_order_relaxed);
  const tn_index_t item = TN_AT(i);
  PyObject* result = core_array_object(tn_array_index(call.scope, iterator->array, 1, &item));
  core_end(&call);
  return result;
}

static PyType_Slot iterator_slots[] = {
    CORE_SLOT(Py_tp_dealloc, iterator_dealloc),
    CORE_SLOT(Py_tp_iter, PyObject_SelfIter),
    CORE_SLOT(Py_tp_iternext, iterator_next),
    {0, NULL},
};
static PyType_Spec iterator_spec = {
    .name = "tenon.core.ArrayIterator",
    .basicsize = sizeof(iterator_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = iterator_slots,
};

bool core_add_indexing(PyObject* module) {
  at_type = (PyTypeObject*)PyType_FromSpec(&at_spec);
  iterator_type = (PyTypeObject*)PyType_FromSpec(&iterator_spec);
  return at_type && iterator_type && PyModule_AddType(module, at_type) == 0 &&
         PyModule_AddType(module, iterator_type) == 0;
}
