// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adapters: shapes, splits and joins.

#include "adapters.h"

#include <string.h>

static bool convert(core_call_t* call, PyObject* object, tn_array_t** out_array) {
  return core_convert(call, object, TN_DTYPE_INVALID, out_array);
}

PyObject* core_as_strided(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  int64_t dims[TN_MAX_RANK], strides[TN_MAX_RANK], offset = 0;
  if (!convert(call, objects[0], &a)) return NULL;
  size_t rank = tn_array_rank(a), stride_count = 0;
  if (rank) memcpy(dims, tn_array_dims(a), rank * sizeof *dims);
  if (objects[1] && !core_integers_from(objects[1], &rank, dims)) return NULL;
  if (objects[2] && !core_integers_from(objects[2], &stride_count, strides)) return NULL;
  if (objects[3] && !core_integer_from(objects[3], &offset)) return NULL;
  if (objects[2] && stride_count != rank) {
    PyErr_Format(PyExc_ValueError, "as_strided: %zu strides for %zu dimensions", stride_count,
                 rank);
    return NULL;
  }
  for (size_t i = rank; !objects[2] && i-- > 0;) {
    strides[i] = i + 1 == rank ? 1 : strides[i + 1] * dims[i + 1];
  }
  return core_array_object(tn_array_as_strided(call->scope, a, rank, dims, strides, offset));
}

// One array for one, otherwise a list.
PyObject* core_atleast(core_call_t* call, PyObject* const* objects) {
  const char* name = core_function_name(call->function);
  const Py_ssize_t count = PyTuple_Size(objects[0]);
  if (count == 1) return CORE_APPLY(call, name, PyTuple_GetItem(objects[0], 0));
  PyObject* list = PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; ++i) {
    PyObject* result = CORE_APPLY(call, name, PyTuple_GetItem(objects[0], i));
    if (result) {
      PyList_SetItem(list, i, result);
    } else {
      Py_CLEAR(list);
    }
  }
  return list;
}

// axis=None: of the flattened arrays.
PyObject* core_concatenate(core_call_t* call, PyObject* const* objects) {
  if (objects[1] != Py_None) return CORE_APPLY(call, "concatenate", objects[0], objects[1]);
  PyObject* arrays = PySequence_List(objects[0]);
  const Py_ssize_t count = arrays ? PyList_Size(arrays) : 0;
  for (Py_ssize_t i = 0; arrays && i < count; ++i) {
    PyObject* flat = CORE_APPLY(call, "flatten", PyList_GetItem(arrays, i));
    if (flat) {
      PyList_SetItem(arrays, i, flat);
    } else {
      Py_CLEAR(arrays);
    }
  }
  PyObject* result = arrays ? CORE_APPLY(call, "concatenate", arrays) : NULL;
  Py_XDECREF(arrays);
  return result;
}

PyObject* core_split(core_call_t* call, PyObject* const* objects) {
  int64_t count = 1;
  const bool is_count = core_is_integer(objects[1]);
  if (is_count && !core_integer_from(objects[1], &count)) return NULL;
  if (count < 1) {
    return PyErr_Format(PyExc_ValueError, "split: expected at least 1 section; found %lld",
                        (long long)count);
  }
  return CORE_APPLY(call, is_count ? "split" : "split_at", objects[0], objects[1], objects[2]);
}

PyObject* core_unstack(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  int64_t axis = 0;
  if (!convert(call, objects[0], &a)) return NULL;
  if (objects[1] && !core_integer_from(objects[1], &axis)) return NULL;
  const int64_t rank = (int64_t)tn_array_rank(a);
  if (axis < -rank || axis >= rank) {
    return core_raise(tn_status_create(TN_CODE_OUT_OF_RANGE,
                                       "unstack: axis %lld is out of range for %lld dimensions",
                                       (long long)axis, (long long)rank));
  }
  PyObject* number = PyLong_FromLongLong(axis);
  PyObject* count = PyLong_FromLongLong(tn_array_dim(a, axis));
  PyObject* list = number && count ? CORE_APPLY(call, "unstack", objects[0], number, count) : NULL;
  PyObject* tuple = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  Py_XDECREF(count);
  Py_XDECREF(number);
  return tuple;
}

// An array for an array, a list for a list.
PyObject* core_depends(core_call_t* call, PyObject* const* objects) {
  const bool is_one = core_is_array(objects[0]), has_one = core_is_array(objects[1]);
  PyObject* inputs = is_one ? PyTuple_Pack(1, objects[0]) : Py_NewRef(objects[0]);
  PyObject* others = has_one ? PyTuple_Pack(1, objects[1]) : Py_NewRef(objects[1]);
  PyObject* list = inputs && others ? CORE_APPLY(call, "depends", inputs, others) : NULL;
  PyObject* result = list && is_one ? Py_NewRef(PyList_GetItem(list, 0)) : Py_XNewRef(list);
  Py_XDECREF(list);
  Py_XDECREF(others);
  Py_XDECREF(inputs);
  return result;
}

// One shift stands for one along each axis.
PyObject* core_roll(core_call_t* call, PyObject* const* objects) {
  int64_t shifts[TN_MAX_RANK];
  PyObject* axes = objects[2] == Py_None ? NULL : objects[2];
  const bool is_list = axes && !core_is_integer(axes) && PySequence_Check(axes);
  const Py_ssize_t count = is_list ? PySequence_Size(axes) : 0;
  if (!is_list || count > TN_MAX_RANK || !core_is_integer(objects[1])) {
    return CORE_APPLY(call, "roll", objects[0], objects[1], axes);
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!core_integer_from(objects[1], &shifts[i])) return NULL;
  }
  PyObject* list = core_integers((size_t)count, shifts);
  PyObject* result = list ? CORE_APPLY(call, "roll", objects[0], list, axes) : NULL;
  Py_XDECREF(list);
  return result;
}

// --- padding

typedef struct widths {
  size_t rank;
  int64_t low[TN_MAX_RANK], high[TN_MAX_RANK];
} widths_t;

static bool refuse_widths(void) {
  PyErr_SetString(PyExc_ValueError,
                  "pad: expected a width, (before, after), or a pair for each axis");
  return false;
}

// (width,), (before, after)
static bool read_pair(PyObject* object, int64_t* out_low, int64_t* out_high) {
  int64_t pair[TN_MAX_RANK];
  size_t count = 0;
  if (!core_integers_from(object, &count, pair)) return false;
  if (count != 1 && count != 2) return refuse_widths();
  *out_low = pair[0];
  *out_high = pair[count - 1];
  return true;
}

static bool read_same(PyObject* pair, widths_t* widths) {
  if (!read_pair(pair, &widths->low[0], &widths->high[0])) return false;
  for (size_t i = 1; i < widths->rank; ++i) {
    widths->low[i] = widths->low[0];
    widths->high[i] = widths->high[0];
  }
  return true;
}

// One pair stands for one along each axis.
static bool read_pairs(PyObject* tuple, widths_t* widths) {
  if (PyTuple_Size(tuple) == 1) return read_same(PyTuple_GetItem(tuple, 0), widths);
  if ((size_t)PyTuple_Size(tuple) != widths->rank) {
    PyErr_Format(PyExc_ValueError, "pad: %zd pairs of widths for %zu dimensions",
                 PyTuple_Size(tuple), widths->rank);
    return false;
  }
  for (size_t i = 0; i < widths->rank; ++i) {
    if (!read_pair(PyTuple_GetItem(tuple, (Py_ssize_t)i), &widths->low[i], &widths->high[i])) {
      return false;
    }
  }
  return true;
}

static bool read_widths(PyObject* object, widths_t* widths) {
  PyObject* tuple = core_is_integer(object) ? PyTuple_Pack(1, object) : PySequence_Tuple(object);
  if (!tuple) return false;
  PyObject* first = PyTuple_Size(tuple) ? PyTuple_GetItem(tuple, 0) : NULL;
  bool is_done = false;
  if (first && core_is_integer(first)) {
    is_done = read_same(tuple, widths);
  } else {
    is_done = read_pairs(tuple, widths);
  }
  Py_DECREF(tuple);
  return is_done;
}

PyObject* core_pad(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  if (!convert(call, objects[0], &a)) return NULL;
  widths_t widths = {.rank = tn_array_rank(a)};
  if (!read_widths(objects[1], &widths)) return NULL;
  PyObject* low = core_integers(widths.rank, widths.low);
  PyObject* high = core_integers(widths.rank, widths.high);
  PyObject* result =
      low && high ? CORE_APPLY(call, "pad", objects[0], low, high, objects[2], objects[3]) : NULL;
  Py_XDECREF(high);
  Py_XDECREF(low);
  return result;
}

// --- methods: a sequence, or one argument for each element

static PyObject* elements(PyObject* rest) {
  PyObject* first = PyTuple_Size(rest) == 1 ? PyTuple_GetItem(rest, 0) : NULL;
  return first && (PySequence_Check(first) || first == Py_None) ? first : rest;
}

PyObject* core_method_reshape(core_call_t* call, PyObject* const* objects) {
  return CORE_APPLY(call, "reshape", objects[0], elements(objects[1]));
}

PyObject* core_method_transpose(core_call_t* call, PyObject* const* objects) {
  PyObject* axes = elements(objects[1]);
  const bool is_given = axes == Py_None || PyTuple_Size(objects[1]);
  return CORE_APPLY(call, "transpose", objects[0], is_given ? axes : NULL);
}

// --- shapes without arrays

PyObject* core_broadcast_shapes(core_call_t* call, PyObject* const* objects) {
  (void)call;
  const Py_ssize_t count = PyTuple_Size(objects[0]);
  size_t rank = 0;
  int64_t dims[TN_MAX_RANK];
  if (!count) {
    PyErr_SetString(PyExc_ValueError, "broadcast_shapes: expected at least one shape");
    return NULL;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    int64_t shape[TN_MAX_RANK], before[TN_MAX_RANK];
    size_t ranks[2] = {rank, 0};
    memcpy(before, dims, rank * sizeof *before);
    if (!core_integers_from(PyTuple_GetItem(objects[0], i), &ranks[1], shape)) return NULL;
    const int64_t* const both[] = {before, shape};
    if (!core_check(tn_broadcast_shapes(2, ranks, both, &rank, dims))) return NULL;
  }
  return core_integers(rank, dims);
}
