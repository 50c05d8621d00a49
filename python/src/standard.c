// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adapters: what the array API standard has besides mlx.core.

#include <float.h>
#include <math.h>
#include <string.h>

#include "adapters.h"

static bool convert(core_call_t* call, PyObject* object, tn_array_t** out_array) {
  return core_convert(call, object, TN_DTYPE_INVALID, out_array);
}

static bool integer_or(PyObject* object, int64_t otherwise, int64_t* out_integer) {
  *out_integer = otherwise;
  return !object || core_integer_from(object, out_integer);
}

// --- linalg: stacks of matrices in the last two dimensions

// a, offset
PyObject* core_last_diagonal(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  int64_t offset = 0;
  if (!convert(call, objects[0], &a) || !integer_or(objects[1], 0, &offset)) return NULL;
  return core_array_object(tn_array_diagonal(call->scope, a, offset, -2, -1));
}

// a, offset, dtype
PyObject* core_last_trace(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  int64_t offset = 0;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  if (!convert(call, objects[0], &a) || !integer_or(objects[1], 0, &offset) ||
      !core_dtype_or(objects[2], TN_DTYPE_INVALID, &dtype)) {
    return NULL;
  }
  return core_array_object(tn_array_trace(call->scope, a, offset, -2, -1, dtype));
}

// a, keepdims, ord
PyObject* core_last_norm(core_call_t* call, PyObject* const* objects) {
  PyObject* order = objects[2] ? Py_NewRef(objects[2]) : PyUnicode_FromString("fro");
  PyObject* axes = Py_BuildValue("(ii)", -2, -1);
  PyObject* const all[] = {objects[0], order, axes, objects[1]};
  PyObject* result = order && axes ? core_norm(call, all) : NULL;
  Py_XDECREF(axes);
  Py_XDECREF(order);
  return result;
}

// The p-norm of the elements along axes. `magnitudes` >= 0.
static tn_array_t* norm_of(tn_scope_t* scope, tn_array_t* magnitudes, double order, size_t count,
                           const int64_t* axes, bool keepdims) {
  if (order == INFINITY) return tn_array_max(scope, magnitudes, count, axes, keepdims);
  if (order == -INFINITY) return tn_array_min(scope, magnitudes, count, axes, keepdims);
  tn_array_t* zero = tn_array_scalar_like(scope, magnitudes, 0);
  if (order == 0) {
    tn_array_t* is_there = tn_array_not_equal(scope, magnitudes, zero);
    tn_array_t* ones = tn_array_astype(scope, is_there, tn_array_dtype(magnitudes));
    return tn_array_sum(scope, ones, count, axes, keepdims);
  }
  if (order == 2) {
    tn_array_t* squares = tn_array_square(scope, magnitudes);
    return tn_array_sqrt(scope, tn_array_sum(scope, squares, count, axes, keepdims));
  }
  tn_array_t* exponent = tn_array_scalar_like(scope, magnitudes, order);
  tn_array_t* root = tn_array_scalar_like(scope, magnitudes, 1 / order);
  tn_array_t* powers = tn_array_power(scope, magnitudes, exponent);
  return tn_array_power(scope, tn_array_sum(scope, powers, count, axes, keepdims), root);
}

// a, axis, keepdims, ord
PyObject* core_vector_norm(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  int64_t axes[TN_MAX_RANK];
  size_t count = 0;
  const bool has_axes = objects[1] && objects[1] != Py_None;
  const double order = objects[3] ? PyFloat_AsDouble(objects[3]) : 2;
  const int keepdims = core_is_true(objects[2]);
  if ((order == -1 && PyErr_Occurred()) || keepdims < 0 || !convert(call, objects[0], &a) ||
      (has_axes && !core_integers_from(objects[1], &count, axes))) {
    return NULL;
  }
  tn_array_t* magnitudes = tn_array_abs(call->scope, a);
  return core_array_object(
      norm_of(call->scope, magnitudes, order, count, has_axes ? axes : NULL, keepdims != 0));
}

PyObject* core_singular_values(core_call_t* call, PyObject* const* objects) {
  PyObject* const all[] = {objects[0], Py_False, NULL};
  return core_svd(call, all);
}

// a, rtol: singular values beyond that part of the largest one.
PyObject* core_matrix_rank(core_call_t* call, PyObject* const* objects) {
  tn_array_t *a = NULL, *values = NULL;
  tn_scope_t* scope = call->scope;
  const int64_t last = -1;
  if (!convert(call, objects[0], &a)) return NULL;
  tn_array_linalg_svd(scope, a, NULL, &values, NULL);
  const double epsilon = tn_array_dtype(values) == TN_DTYPE_F64 ? DBL_EPSILON : FLT_EPSILON;
  const int64_t rows = tn_array_dim(a, -2), columns = tn_array_dim(a, -1);
  tn_array_t* part =
      tn_array_scalar_like(scope, values, epsilon * (double)(rows > columns ? rows : columns));
  if (objects[1] && !core_convert(call, objects[1], tn_array_dtype(values), &part)) return NULL;
  if (tn_array_rank(part)) part = tn_array_expand_dims(scope, part, 1, &last);
  tn_array_t* limit = tn_array_multiply(scope, tn_array_max(scope, values, 1, &last, true), part);
  tn_array_t* is_beyond = tn_array_greater(scope, values, limit);
  return core_array_object(tn_array_count_nonzero(scope, is_beyond, 1, &last, false));
}

// a, n
PyObject* core_matrix_power(core_call_t* call, PyObject* const* objects) {
  tn_array_t *a = NULL, *result = NULL;
  tn_scope_t* scope = call->scope;
  int64_t exponent = 0;
  if (!convert(call, objects[0], &a) || !core_integer_from(objects[1], &exponent)) return NULL;
  const size_t rank = tn_array_rank(a);
  if (rank < 2 || tn_array_dim(a, -1) != tn_array_dim(a, -2)) {
    PyErr_SetString(PyExc_ValueError, "matrix_power: expected square matrices");
    return NULL;
  }
  if (exponent == 0) {
    tn_array_t* one = tn_array_identity(scope, tn_array_dtype(a), tn_array_dim(a, -1));
    return core_array_object(tn_array_broadcast_to(scope, one, rank, tn_array_dims(a)));
  }
  tn_array_t* square = exponent < 0 ? tn_array_linalg_inv(scope, a) : a;
  uint64_t rest = exponent < 0 ? -(uint64_t)exponent : (uint64_t)exponent;
  while (true) {
    if (rest & 1) result = result ? tn_array_matmul(scope, result, square) : square;
    rest >>= 1;
    if (!rest) return core_array_object(result);
    square = tn_array_matmul(scope, square, square);
  }
}

// --- fft

// The transform the other way round is scaled where this one is not.
static PyObject* other_norm(PyObject* norm) {
  const char* text = norm ? PyUnicode_AsUTF8AndSize(norm, NULL) : "backward";
  if (!text) return NULL;
  if (strcmp(text, "backward") == 0) return PyUnicode_FromString("forward");
  if (strcmp(text, "forward") == 0) return PyUnicode_FromString("backward");
  return Py_NewRef(norm);
}

// a, n, axis, norm: real transforms of Hermitian halves.
PyObject* core_hfft(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  PyObject* norm = other_norm(objects[3]);
  if (!norm || !convert(call, objects[0], &a)) {
    Py_XDECREF(norm);
    return NULL;
  }
  PyObject* conjugate = core_array_object(tn_array_conjugate(call->scope, a));
  PyObject* result =
      conjugate ? CORE_APPLY(call, "irfft", conjugate, objects[1], objects[2], norm) : NULL;
  Py_XDECREF(conjugate);
  Py_DECREF(norm);
  return result;
}

PyObject* core_ihfft(core_call_t* call, PyObject* const* objects) {
  PyObject* norm = other_norm(objects[3]);
  PyObject* half = norm ? CORE_APPLY(call, "rfft", objects[0], objects[1], objects[2], norm) : NULL;
  PyObject* result =
      half ? core_array_object(tn_array_conjugate(call->scope, core_array_hold(call, half))) : NULL;
  Py_XDECREF(half);
  Py_XDECREF(norm);
  return result;
}

// n, d, dtype: the frequencies 0, 1, ... / (n d), with `negative` of them behind, in that dtype.
static PyObject* frequencies(core_call_t* call, PyObject* const* objects, bool has_negative) {
  int64_t n = 0;
  tn_dtype_t dtype = TN_DTYPE_F32;
  const double d = objects[1] ? PyFloat_AsDouble(objects[1]) : 1;
  if ((d == -1 && PyErr_Occurred()) || !core_integer_from(objects[0], &n) ||
      !core_dtype_or(objects[2], dtype, &dtype)) {
    return NULL;
  }
  tn_scope_t* scope = call->scope;
  const int64_t low = has_negative ? -(n / 2) : 0;
  const int64_t high = has_negative ? (n + 1) / 2 : n / 2 + 1;
  tn_array_t* counts = tn_array_arange(scope, dtype, (double)low, (double)high, 1);
  if (has_negative) counts = tn_array_ifftshift(scope, counts, 0, NULL);
  tn_array_t* length = tn_array_scalar(scope, dtype, (double)n * d);
  return core_array_object(tn_array_divide(scope, counts, length));
}

PyObject* core_fftfreq(core_call_t* call, PyObject* const* objects) {
  return objects[2] ? frequencies(call, objects, true)
                    : CORE_APPLY(call, "fftfreq", objects[0], objects[1]);
}

PyObject* core_rfftfreq(core_call_t* call, PyObject* const* objects) {
  return objects[2] ? frequencies(call, objects, false)
                    : CORE_APPLY(call, "rfftfreq", objects[0], objects[1]);
}

// --- sorting, differences

// a, axis, descending, stable. The sort is stable.
PyObject* core_sort(core_call_t* call, PyObject* const* objects) {
  PyObject* sorted = CORE_APPLY(call, "sort", objects[0], objects[1]);
  const int is_descending = core_is_true(objects[2]);
  if (!sorted || !is_descending) return sorted;
  int64_t axis = -1;
  PyObject* result = NULL;
  if (is_descending > 0 && integer_or(objects[1] == Py_None ? NULL : objects[1], -1, &axis)) {
    result = core_array_object(tn_array_flip(call->scope, core_array_hold(call, sorted), 1, &axis));
  }
  Py_DECREF(sorted);
  return result;
}

// Equal elements keep their order: those of the reversed array, counted from the end.
static PyObject* sort_down(core_call_t* call, tn_array_t* a, int64_t axis) {
  tn_scope_t* scope = call->scope;
  tn_array_t* order = tn_array_argsort(scope, tn_array_flip(scope, a, 1, &axis), axis);
  tn_array_t* last = tn_array_scalar_like(scope, order, (double)(tn_array_dim(a, axis) - 1));
  order = tn_array_subtract(scope, last, tn_array_flip(scope, order, 1, &axis));
  return core_array_object(order);
}

PyObject* core_argsort(core_call_t* call, PyObject* const* objects) {
  const int is_descending = core_is_true(objects[2]);
  if (is_descending < 0) return NULL;
  if (!is_descending) return CORE_APPLY(call, "argsort", objects[0], objects[1]);
  tn_array_t* a = NULL;
  int64_t axis = -1;
  const bool is_flat = objects[1] == Py_None;
  if (!convert(call, objects[0], &a) || !integer_or(is_flat ? NULL : objects[1], -1, &axis)) {
    return NULL;
  }
  if (is_flat) a = tn_array_flatten(call->scope, a, 0, -1);
  return sort_down(call, a, axis);
}

// a, n, axis, prepend, append
PyObject* core_diff(core_call_t* call, PyObject* const* objects) {
  if (!objects[3] && !objects[4]) {
    return CORE_APPLY(call, "diff", objects[0], objects[1], objects[2]);
  }
  int64_t n = 1, axis = -1;
  if (!integer_or(objects[1], 1, &n) || !integer_or(objects[2], -1, &axis)) return NULL;
  PyObject* const parts[] = {objects[3], objects[0], objects[4]};
  tn_array_t* arrays[3];
  size_t count = 0;
  for (size_t i = 0; i < 3; ++i) {
    if (parts[i] && !convert(call, parts[i], &arrays[count++])) return NULL;
  }
  tn_array_t* whole = tn_array_concatenate(call->scope, count, arrays, axis);
  return core_array_object(tn_array_diff(call->scope, whole, n, axis));
}

// --- several axes, real corrections

// Moves axes[0][i] to axes[1][i]; the others stay in order.
static tn_array_t* move_axes(tn_scope_t* scope, tn_array_t* a, size_t count,
                             int64_t axes[2][TN_MAX_RANK]) {
  const int64_t rank = (int64_t)tn_array_rank(a);
  int64_t order[TN_MAX_RANK];
  bool is_moved[TN_MAX_RANK] = {false};
  for (int64_t i = 0; i < rank; ++i) order[i] = -1;
  for (size_t i = 0; i < count; ++i) {
    for (size_t side = 0; side < 2; ++side) {
      int64_t* axis = &axes[side][i];
      if (*axis < -rank || *axis >= rank) {
        return tn_array_error(
            scope, tn_status_create(TN_CODE_OUT_OF_RANGE,
                                    "moveaxis: axis %lld is out of range for %lld dimensions",
                                    (long long)*axis, (long long)rank));
      }
      *axis += *axis < 0 ? rank : 0;
    }
    if (is_moved[axes[0][i]] || order[axes[1][i]] >= 0) {
      return tn_array_error(
          scope, tn_status_create(TN_CODE_INVALID_ARGUMENT, "moveaxis: an axis is named twice"));
    }
    is_moved[axes[0][i]] = true;
    order[axes[1][i]] = axes[0][i];
  }
  int64_t next = 0;
  for (int64_t i = 0; i < rank; ++i) {
    if (order[i] >= 0) continue;
    while (is_moved[next]) ++next;
    order[i] = next++;
  }
  return tn_array_transpose(scope, a, order);
}

// a, source, destination: an axis, or as many of both
PyObject* core_moveaxis(core_call_t* call, PyObject* const* objects) {
  if (core_is_integer(objects[1]) && core_is_integer(objects[2])) {
    return CORE_APPLY(call, "moveaxis", objects[0], objects[1], objects[2]);
  }
  tn_array_t* a = NULL;
  int64_t axes[2][TN_MAX_RANK];
  size_t counts[2] = {0, 0};
  if (!convert(call, objects[0], &a) || !core_integers_from(objects[1], &counts[0], axes[0]) ||
      !core_integers_from(objects[2], &counts[1], axes[1])) {
    return NULL;
  }
  if (counts[0] != counts[1]) {
    return PyErr_Format(PyExc_ValueError, "moveaxis: %zu sources and %zu destinations", counts[0],
                        counts[1]);
  }
  return core_array_object(move_axes(call->scope, a, counts[0], axes));
}

// How many elements go into each result.
static double count_along(tn_array_t* a, size_t count, const int64_t* axes) {
  double product = 1;
  if (!axes) return (double)tn_array_size(a);
  for (size_t i = 0; i < count; ++i) product *= (double)tn_array_dim(a, axes[i]);
  return product;
}

// a, axis, keepdims, ddof, correction
PyObject* core_corrected(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  int64_t axes[TN_MAX_RANK];
  size_t count = 0;
  const bool has_axes = objects[1] && objects[1] != Py_None;
  const double correction = PyFloat_AsDouble(objects[4]);
  if (!convert(call, objects[0], &a) ||
      (has_axes && !core_integers_from(objects[1], &count, axes))) {
    return NULL;
  }
  PyObject* plain =
      CORE_APPLY(call, core_function_name(call->function), objects[0], objects[1], objects[2]);
  if (!plain) return NULL;
  const double n = count_along(a, count, has_axes ? axes : NULL);
  const double factor = n / fmax(n - correction, 0);
  const bool is_root = strcmp(core_function_name(call->function), "std") == 0;
  tn_array_t* value = core_array_hold(call, plain);
  tn_array_t* scale = tn_array_scalar_like(call->scope, value, is_root ? sqrt(factor) : factor);
  PyObject* result = core_array_object(tn_array_multiply(call->scope, value, scale));
  Py_DECREF(plain);
  return result;
}
