// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adapters: new arrays.

#include "adapters.h"

#include <math.h>

// --- ranges

typedef struct range {
  double values[3];  // start, stop, step
  bool has_reals;
  bool is_wide;  // beyond int32
} range_t;

static bool read_bound(PyObject* object, size_t i, range_t* range) {
  if (!object) return true;
  if (PyBool_Check(object)) {
    PyErr_SetString(PyExc_ValueError, "bool not supported for arange.");
    return false;
  }
  range->values[i] = PyFloat_AsDouble(object);
  if (range->values[i] == -1 && PyErr_Occurred()) return false;
  range->has_reals = range->has_reals || !PyIndex_Check(object);
  range->is_wide = range->is_wide || range->values[i] > INT32_MAX || range->values[i] < INT32_MIN;
  return true;
}

// How many numbers there are; -1 with an exception.
static double count_of(const range_t* range) {
  const double start = range->values[0], stop = range->values[1], step = range->values[2];
  const double count =
      isinf(step) ? (double)((stop - start) * step > 0) : ceil((stop - start) / step);
  if (isfinite(start) && isfinite(stop) && step != 0 && !isnan(count)) return fmax(count, 0);
  PyErr_SetString(PyExc_ValueError,
                  "arange: expected finite bounds and a step that is neither 0 nor NaN");
  return -1;
}

// Integers from fractions have the integer parts of the start and the step.
static tn_array_t* integers(core_call_t* call, const range_t* range, tn_dtype_t dtype,
                            double count) {
  const double start = trunc(range->values[0]);
  const double step = isinf(range->values[2]) ? 1 : trunc(range->values[2]);
  if (step != 0) {
    return tn_array_arange(call->scope, dtype, start, start + step * count, step);
  }
  const int64_t size = (int64_t)count;
  return tn_array_full(call->scope, 1, &size, tn_array_scalar(call->scope, dtype, start));
}

static tn_array_t* range_of(core_call_t* call, const range_t* range, tn_dtype_t dtype) {
  const double count = count_of(range);
  if (count < 0) return NULL;
  if (tn_dtype_kind(dtype) & TN_KIND_INTEGER) return integers(call, range, dtype, count);
  const double* values = range->values;
  if (isinf(values[2])) {
    return tn_array_arange(call->scope, dtype, values[0], values[0] + count, 1);
  }
  return tn_array_arange(call->scope, dtype, values[0], values[1], values[2]);
}

// A start alone is the stop, unless it is given by its name. -1: an exception.
static int is_start_named(const core_call_t* call) {
  PyObject* name = call->names ? PyUnicode_FromString("start") : NULL;
  const int is_named = name ? PySequence_Contains(call->names, name) : call->names ? -1 : 0;
  Py_XDECREF(name);
  return is_named;
}

PyObject* core_arange(core_call_t* call, PyObject* const* objects) {
  PyObject *start = objects[0], *stop = objects[1];
  if (!stop) {
    const int is_named = is_start_named(call);
    if (is_named < 0) return NULL;
    if (is_named) start = NULL;
    stop = start;
    start = NULL;
  }
  if (!stop) {
    PyErr_SetString(PyExc_TypeError, "arange() missing required argument 'stop'");
    return NULL;
  }
  range_t range = {.values = {0, 0, 1}};
  if (!read_bound(start, 0, &range) || !read_bound(stop, 1, &range) ||
      !read_bound(objects[2], 2, &range)) {
    return NULL;
  }
  const tn_dtype_t whole = range.is_wide ? TN_DTYPE_S64 : TN_DTYPE_S32;
  tn_dtype_t dtype = range.has_reals ? TN_DTYPE_F32 : whole;
  if (!core_dtype_or(objects[3], dtype, &dtype)) return NULL;
  tn_array_t* result = range_of(call, &range, dtype);
  return result ? core_array_object(result) : NULL;
}

// --- like others

static PyObject* like(core_call_t* call, PyObject* const* objects,
                      tn_array_t* (*create)(tn_scope_t*, tn_dtype_t, size_t, const int64_t*)) {
  tn_array_t* a = NULL;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!core_convert(call, objects[0], TN_DTYPE_INVALID, &a) ||
      !core_dtype_or(objects[1], tn_array_dtype(a), &dtype)) {
    return NULL;
  }
  return core_array_object(create(call->scope, dtype, tn_array_rank(a), tn_array_dims(a)));
}

PyObject* core_zeros_like(core_call_t* call, PyObject* const* objects) {
  return like(call, objects, tn_array_zeros);
}

PyObject* core_ones_like(core_call_t* call, PyObject* const* objects) {
  return like(call, objects, tn_array_ones);
}

// A number keeps its dtype where the dtype that is asked for does not have it, as in mlx.core.
static tn_array_t* values_of(core_call_t* call, PyObject* object, tn_dtype_t dtype) {
  tn_array_t* values = NULL;
  if (!core_convert(call, object, dtype, &values)) return NULL;
  const bool is_kept = dtype == TN_DTYPE_INVALID || core_is_number(object);
  return is_kept ? values : tn_array_astype(call->scope, values, dtype);
}

PyObject* core_full(core_call_t* call, PyObject* const* objects) {
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!core_integers_from(objects[0], &rank, dims) ||
      !core_dtype_or(objects[2], TN_DTYPE_INVALID, &dtype)) {
    return NULL;
  }
  tn_array_t* values = values_of(call, objects[1], dtype);
  return values ? core_array_object(tn_array_full(call->scope, rank, dims, values)) : NULL;
}

PyObject* core_full_like(core_call_t* call, PyObject* const* objects) {
  tn_array_t *a = NULL, *values = NULL;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!core_convert(call, objects[0], TN_DTYPE_INVALID, &a) ||
      !core_dtype_or(objects[2], tn_array_dtype(a), &dtype) ||
      !core_convert(call, objects[1], dtype, &values)) {
    return NULL;
  }
  values = tn_array_astype(call->scope, values, dtype);
  return core_array_object(tn_array_full(call->scope, tn_array_rank(a), tn_array_dims(a), values));
}

// --- matrices: as many columns as rows, unless told otherwise

static PyObject* square(core_call_t* call, PyObject* const* objects, const char* name) {
  return CORE_APPLY(call, name, objects[0], objects[1] ? objects[1] : objects[0], objects[2],
                    objects[3]);
}

PyObject* core_eye(core_call_t* call, PyObject* const* objects) {
  return square(call, objects, "eye");
}

PyObject* core_tri(core_call_t* call, PyObject* const* objects) {
  return square(call, objects, "tri");
}

PyObject* core_meshgrid(core_call_t* call, PyObject* const* objects) {
  bool is_matrix = false;
  if (!core_choose(objects[2], "indexing", "xy", "ij", &is_matrix)) return NULL;
  PyObject* list =
      CORE_APPLY(call, "meshgrid", objects[0], objects[1], is_matrix ? Py_True : Py_False);
  PyObject* tuple = list ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  return tuple;
}

// --- random numbers

PyObject* core_categorical(core_call_t* call, PyObject* const* objects) {
  if (!objects[3]) {
    return CORE_APPLY(call, "random_categorical", objects[0], objects[1], objects[2], objects[4]);
  }
  if (objects[2]) {
    PyErr_SetString(PyExc_ValueError, "categorical: expected one of shape and num_samples");
    return NULL;
  }
  return CORE_APPLY(call, "random_categorical_samples", objects[0], objects[3], objects[1],
                    objects[4]);
}

PyObject* core_permutation(core_call_t* call, PyObject* const* objects) {
  if (PyLong_Check(objects[0])) {
    return CORE_APPLY(call, "random_permutation", objects[0], objects[2]);
  }
  return CORE_APPLY(call, "random_permute", objects[0], objects[1], objects[2]);
}

// The shape that operands broadcast to, a tuple.
static PyObject* shape_together(core_call_t* call, size_t count, PyObject* const* operands) {
  size_t ranks[2], rank = 0;
  const int64_t* shapes[2];
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < count; ++i) {
    tn_array_t* operand = NULL;
    if (!core_convert(call, operands[i], TN_DTYPE_INVALID, &operand)) return NULL;
    ranks[i] = tn_array_rank(operand);
    shapes[i] = tn_array_dims(operand);
  }
  if (!core_check(tn_broadcast_shapes(count, ranks, shapes, &rank, dims))) return NULL;
  return core_integers(rank, dims);
}

// p, shape, key
PyObject* core_bernoulli(core_call_t* call, PyObject* const* objects) {
  const bool has_shape = objects[1] || !objects[0];
  PyObject* shape = has_shape ? Py_XNewRef(objects[1]) : shape_together(call, 1, objects);
  if (!shape && !has_shape) return NULL;
  PyObject* result = CORE_APPLY(call, "random_bernoulli", objects[0], shape, objects[2]);
  Py_XDECREF(shape);
  return result;
}

// lower, upper, shape, dtype, key
PyObject* core_truncated_normal(core_call_t* call, PyObject* const* objects) {
  PyObject* shape = objects[2] ? Py_NewRef(objects[2]) : shape_together(call, 2, objects);
  PyObject* result = shape ? CORE_APPLY(call, "random_truncated_normal", objects[0], objects[1],
                                        shape, objects[3], objects[4])
                           : NULL;
  Py_XDECREF(shape);
  return result;
}

// mean, cov, shape, dtype, key
PyObject* core_multivariate_normal(core_call_t* call, PyObject* const* objects) {
  tn_dtype_t dtype = TN_DTYPE_F32;
  if (!core_dtype_or(objects[3], dtype, &dtype)) return NULL;
  if (dtype != TN_DTYPE_F32) {
    PyErr_SetString(PyExc_ValueError, "multivariate_normal: expected dtype float32");
    return NULL;
  }
  return CORE_APPLY(call, "random_multivariate_normal", objects[0], objects[1], objects[2],
                    objects[4]);
}
