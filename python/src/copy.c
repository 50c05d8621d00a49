// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Copies and pickles of arrays, and the memory that they take.

#include "adapters.h"

// Copies share the elements, which never change: operations in place give an object another array.
PyObject* core_array_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  tn_array_t* array = core_array_borrow(self);
  PyObject* object = core_array_object(array);
  core_array_return(array);
  return object;
}

// What pickle calls again: array._from_bytes(dtype, shape, bytes).
PyObject* core_array_reduce(PyObject* self, PyObject* unused) {
  PyObject* restore = PyObject_GetAttrString((PyObject*)Py_TYPE(self), "_from_bytes");
  PyObject* dtype = PyObject_GetAttrString(self, "dtype");
  PyObject* shape = PyObject_GetAttrString(self, "shape");
  PyObject* bytes = core_to_bytes(self, unused);
  PyObject* result = NULL;
  if (restore && dtype && shape && bytes) {
    result = Py_BuildValue("O(OOO)", restore, dtype, shape, bytes);
  }
  Py_XDECREF(bytes);
  Py_XDECREF(shape);
  Py_XDECREF(dtype);
  Py_XDECREF(restore);
  return result;
}

static bool read_dims(PyObject* shape, size_t* out_rank, int64_t* out_dims) {
  const Py_ssize_t rank = PyTuple_Size(shape);
  if (rank < 0 || rank > TN_MAX_RANK) {
    PyErr_SetString(PyExc_ValueError, "the shape has too many dimensions");
    return false;
  }
  for (Py_ssize_t i = 0; i < rank; ++i) {
    out_dims[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    if (out_dims[i] == -1 && PyErr_Occurred()) return false;
  }
  *out_rank = (size_t)rank;
  return true;
}

PyObject* core_array_from_bytes(PyObject* type, PyObject* arguments) {
  (void)type;
  PyObject *dtype_object = NULL, *shape = NULL;
  const char* data = NULL;
  Py_ssize_t size = 0;
  size_t rank = 0;
  int64_t dims[TN_MAX_RANK];
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  core_call_t call;
  if (!PyArg_ParseTuple(arguments, "OO!y#", &dtype_object, &PyTuple_Type, &shape, &data, &size) ||
      !core_dtype_from(dtype_object, &dtype) || !read_dims(shape, &rank, dims) ||
      !core_begin(&call, NULL)) {
    return NULL;
  }
  PyObject* array =
      core_array_object(tn_array_from_host(call.scope, dtype, rank, dims, data, (size_t)size));
  core_end(&call);
  return array;
}

// --- the memory of arrays

typedef struct memory {
  PyObject* addresses;  // a set
  size_t byte_size;
} memory_t;

static bool add_array(memory_t* memory, tn_array_t* array) {
  tn_mapped_array_t view;
  if (!tn_array_is_evaluated(array)) {
    PyErr_SetString(PyExc_ValueError, "get_array_buffer_size: an array is not computed yet");
    return false;
  }
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_map(array, &view);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) return false;
  PyObject* address = PyLong_FromVoidPtr((void*)(uintptr_t)view.data);
  tn_array_unmap(array);
  const Py_ssize_t count = PySet_Size(memory->addresses);
  const bool is_added = address && PySet_Add(memory->addresses, address) == 0;
  Py_XDECREF(address);
  if (PySet_Size(memory->addresses) > count) memory->byte_size += tn_array_byte_size(array);
  return is_added;
}

static bool add_memory(void* user, PyObject* object) {
  tn_array_t* array = core_array_take(object);
  const bool is_added = add_array(user, array);
  tn_array_release(array);
  return is_added;
}

PyObject* core_buffer_size(core_call_t* call, PyObject* const* objects) {
  (void)call;
  memory_t memory = {.addresses = PySet_New(NULL)};
  const bool is_done = memory.addresses && core_tree_visit(objects[0], add_memory, &memory);
  Py_XDECREF(memory.addresses);
  return is_done ? PyLong_FromSize_t(memory.byte_size) : NULL;
}
