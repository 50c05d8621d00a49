// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adapters: elementwise functions, reductions, sorting, products, linear algebra, layers.

#include "adapters.h"

#include <math.h>
#include <string.h>

PyObject* core_clip(core_call_t* call, PyObject* const* objects) {
  if (objects[1] == Py_None && objects[2] == Py_None) {
    PyErr_SetString(PyExc_ValueError, "At most one of a_min and a_max may be None");
    return NULL;
  }
  return CORE_APPLY(call, "clip", objects[0], objects[1], objects[2]);
}

// The sum or product of nothing in front of those of the elements along an axis. Takes `result`.
static PyObject* add_initial(core_call_t* call, PyObject* result, PyObject* axis_object,
                             double initial) {
  int64_t dims[TN_MAX_RANK], axis = 0;
  tn_array_t* parts[2] = {NULL, core_array_hold(call, result)};
  const int64_t rank = (int64_t)tn_array_rank(parts[1]);
  const bool has_axis = axis_object && axis_object != Py_None;
  Py_DECREF(result);
  if (has_axis && !core_integer_from(axis_object, &axis)) return NULL;
  memcpy(dims, tn_array_dims(parts[1]), (size_t)rank * sizeof *dims);
  dims[axis < 0 ? axis + rank : axis] = 1;  // in range, since there is a result
  tn_array_t* value = tn_array_scalar_like(call->scope, parts[1], initial);
  parts[0] = tn_array_full(call->scope, (size_t)rank, dims, value);
  return core_array_object(tn_array_concatenate(call->scope, 2, parts, axis));
}

// a, axis, reverse, inclusive, dtype, include_initial
PyObject* core_cumulate(core_call_t* call, PyObject* const* objects) {
  const char* name = core_function_name(call->function);
  const int has_initial = core_is_true(objects[5]);
  if (has_initial < 0) return NULL;
  PyObject* a =
      objects[4] ? CORE_APPLY(call, "astype", objects[0], objects[4]) : Py_NewRef(objects[0]);
  PyObject* result = a ? CORE_APPLY(call, name, a, objects[1], objects[2], objects[3]) : NULL;
  Py_XDECREF(a);
  if (!result || !has_initial) return result;
  return add_initial(call, result, objects[1], strcmp(name, "cumprod") == 0);
}

// --- cumulative extremes: of equal elements the last so far gets the gradient, as in mlx.core

typedef tn_array_t* (*cumulative_fn)(tn_scope_t*, tn_array_t*, int64_t, bool, bool);

// The elements themselves, by the indices where each extreme was last. Behind the first NaN all
// are.
static tn_array_t* take_extremes(tn_scope_t* scope, tn_array_t* a, int64_t axis,
                                 cumulative_fn cumulate, bool reverse) {
  int64_t dims[TN_MAX_RANK];
  const size_t rank = tn_array_rank(a);
  const int64_t length = tn_array_dim(a, axis);
  const tn_dtype_t dtype = length > INT32_MAX ? TN_DTYPE_S64 : TN_DTYPE_S32;
  for (size_t i = 0; i < rank; ++i) dims[i] = (int64_t)i == axis ? length : 1;
  tn_array_t* fixed = tn_array_stop_gradient(scope, a);
  tn_array_t* extremes = cumulate(scope, fixed, axis, reverse, true);
  tn_array_t* is_extreme = tn_array_logical_or(scope, tn_array_equal(scope, fixed, extremes),
                                               tn_array_isnan(scope, fixed));
  tn_array_t* places = tn_array_arange(scope, dtype, 0, (double)length, 1);
  places = tn_array_reshape(scope, places, rank, dims);
  tn_array_t* first = tn_array_scalar(scope, dtype, reverse ? (double)length - 1 : 0);
  places = tn_array_where(scope, is_extreme, places, first);
  places = (reverse ? tn_array_cummin : tn_array_cummax)(scope, places, axis, reverse, true);
  return tn_array_take_along_axis(scope, a, places, axis);
}

// Without each one's own element: the others one place on, behind what has no effect.
static tn_array_t* exclude(tn_scope_t* scope, tn_array_t* a, int64_t axis, double nothing,
                           bool reverse) {
  int64_t starts[TN_MAX_RANK] = {0}, stops[TN_MAX_RANK] = {0}, dims[TN_MAX_RANK];
  const size_t rank = tn_array_rank(a);
  for (size_t i = 0; i < rank; ++i) dims[i] = stops[i] = tn_array_dims(a)[i];
  dims[axis] = 1;
  if (reverse) {
    starts[axis] = 1;
  } else {
    --stops[axis];
  }
  tn_array_t* others = tn_array_slice(scope, a, starts, stops, NULL);
  tn_array_t* edge =
      tn_array_full(scope, rank, dims, tn_array_scalar(scope, tn_array_dtype(a), nothing));
  tn_array_t* parts[] = {reverse ? others : edge, reverse ? edge : others};
  return tn_array_concatenate(scope, 2, parts, axis);
}

// a, axis, reverse, inclusive
PyObject* core_extremes(core_call_t* call, PyObject* const* objects) {
  const char* name = core_function_name(call->function);
  const bool is_maximum = strcmp(name, "cummax") == 0;
  tn_array_t* a = NULL;
  int64_t axis = 0;
  const int reverse = core_is_true(objects[2]);
  const int inclusive = objects[3] ? PyObject_IsTrue(objects[3]) : 1;
  if (reverse < 0 || inclusive < 0 || !core_convert(call, objects[0], TN_DTYPE_INVALID, &a)) {
    return NULL;
  }
  const bool has_axis = objects[1] && objects[1] != Py_None;
  if (has_axis && !core_integer_from(objects[1], &axis)) return NULL;
  const int64_t rank = (int64_t)tn_array_rank(a);
  const bool is_in_range = !has_axis || (axis >= -rank && axis < rank);
  const bool is_plain = !core_is_tracing() || !is_in_range || tn_array_size(a) == 0 ||
                        tn_dtype_kind(tn_array_dtype(a)) != TN_KIND_FLOAT;
  if (is_plain) return CORE_APPLY(call, name, objects[0], objects[1], objects[2], objects[3]);
  if (!has_axis) a = tn_array_flatten(call->scope, a, 0, -1);
  if (axis < 0) axis += rank;
  a = take_extremes(call->scope, a, axis, is_maximum ? tn_array_cummax : tn_array_cummin, reverse);
  if (!inclusive) a = exclude(call->scope, a, axis, is_maximum ? -INFINITY : INFINITY, reverse);
  return core_array_object(a);
}

// a, axis, keepdims, ddof, correction: another name of ddof
PyObject* core_deviation(core_call_t* call, PyObject* const* objects) {
  if (objects[4] && PyFloat_Check(objects[4])) return core_corrected(call, objects);
  return CORE_APPLY(call, core_function_name(call->function), objects[0], objects[1], objects[2],
                    objects[4] ? objects[4] : objects[3]);
}

PyObject* core_searchsorted(core_call_t* call, PyObject* const* objects) {
  bool is_right = false;
  if (!core_choose(objects[2], "side", "left", "right", &is_right)) return NULL;
  return CORE_APPLY(call, "searchsorted", objects[0], objects[1], is_right ? Py_True : Py_False);
}

// The values, and those of index, inverse and counts that are asked for.
PyObject* core_unique(core_call_t* call, PyObject* const* objects) {
  PyObject* all = CORE_APPLY(call, "unique", objects[0], objects[1], objects[5]);
  PyObject* list = all ? PyList_New(0) : NULL;
  for (Py_ssize_t i = 0; list && i < 4; ++i) {
    const int is_wanted = i == 0 ? 1 : core_is_true(objects[1 + i]);
    if (is_wanted < 0 || (is_wanted && PyList_Append(list, PyTuple_GetItem(all, i)) < 0)) {
      Py_CLEAR(list);
    }
  }
  Py_XDECREF(all);
  PyObject* result = NULL;
  if (list) {
    result = PyList_Size(list) == 1 ? Py_NewRef(PyList_GetItem(list, 0)) : PyList_AsTuple(list);
  }
  Py_XDECREF(list);
  return result;
}

// --- products

PyObject* core_kron(core_call_t* call, PyObject* const* objects) {
  for (size_t i = 0; i < 2; ++i) {
    tn_array_t* operand = NULL;
    if (!core_convert(call, objects[i], TN_DTYPE_INVALID, &operand)) return NULL;
    if (tn_array_size(operand) == 0) {
      return PyErr_Format(PyExc_ValueError, "kron: %c has no elements; expected at least one",
                          i ? 'b' : 'a');
    }
  }
  return CORE_APPLY(call, "kron", objects[0], objects[1]);
}

static PyObject* tensordot_last(core_call_t* call, PyObject* const* objects) {
  int64_t count = 2;
  tn_array_t *a = NULL, *b = NULL;
  int64_t a_axes[TN_MAX_RANK], b_axes[TN_MAX_RANK];
  if ((objects[2] && !core_integer_from(objects[2], &count)) ||
      !core_convert(call, objects[0], TN_DTYPE_INVALID, &a) ||
      !core_convert(call, objects[1], TN_DTYPE_INVALID, &b)) {
    return NULL;
  }
  const int64_t rank = (int64_t)tn_array_rank(a);
  if (count < 0 || count > rank || count > (int64_t)tn_array_rank(b)) {
    PyErr_Format(PyExc_ValueError,
                 "tensordot: cannot contract %lld axes of %lld and %zu dimensions",
                 (long long)count, (long long)rank, tn_array_rank(b));
    return NULL;
  }
  for (int64_t i = 0; i < count; ++i) {
    a_axes[i] = rank - count + i;
    b_axes[i] = i;
  }
  return core_array_object(tn_array_tensordot(call->scope, a, b, (size_t)count, a_axes, b_axes));
}

PyObject* core_tensordot(core_call_t* call, PyObject* const* objects) {
  PyObject* axes = objects[2];
  if (!axes || core_is_integer(axes)) return tensordot_last(call, objects);
  PyObject* pair = PySequence_Tuple(axes);
  PyObject* result = NULL;
  if (pair && PyTuple_Size(pair) == 2) {
    result = CORE_APPLY(call, "tensordot", objects[0], objects[1], PyTuple_GetItem(pair, 0),
                        PyTuple_GetItem(pair, 1));
  } else if (pair) {
    PyErr_SetString(PyExc_ValueError,
                    "tensordot: axes is a number of axes, or two lists: those of a and of b");
  }
  Py_XDECREF(pair);
  return result;
}

// input, weight, stride, padding, dilation, groups. The numbers are for all dimensions if there are
// more than one, as in mlx.core.
PyObject* core_conv1d(core_call_t* call, PyObject* const* objects) {
  tn_array_t* input = NULL;
  if (!core_convert(call, objects[0], TN_DTYPE_INVALID, &input)) return NULL;
  if (tn_array_rank(input) > 3) {
    return CORE_APPLY(call, "conv_general", objects[0], objects[1], objects[2], objects[3], NULL,
                      objects[4], NULL, objects[5]);
  }
  return CORE_APPLY(call, "conv1d", objects[0], objects[1], objects[2], objects[3], objects[4],
                    objects[5]);
}

// input, weight, stride, padding, kernel_dilation, input_dilation, groups, flip: padding is a
// number, a list, or a list for the low ends and one for the high ends.
PyObject* core_conv_general(core_call_t* call, PyObject* const* objects) {
  PyObject *low = objects[3], *high = NULL, *pair = NULL;
  if (low && !core_is_integer(low)) {
    pair = PySequence_Tuple(low);
    if (!pair) return NULL;
    const bool is_pair = PyTuple_Size(pair) == 2 && !core_is_integer(PyTuple_GetItem(pair, 0));
    if (is_pair) {
      low = PyTuple_GetItem(pair, 0);
      high = PyTuple_GetItem(pair, 1);
    }
  }
  PyObject* result = CORE_APPLY(call, "conv_general", objects[0], objects[1], objects[2], low, high,
                                objects[4], objects[5], objects[6], objects[7]);
  Py_XDECREF(pair);
  return result;
}

// --- the order of einsum

static PyObject* path_of(const char* subscripts, size_t count, size_t (*pairs)[2]) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject* pair = Py_BuildValue("(nn)", (Py_ssize_t)pairs[i][0], (Py_ssize_t)pairs[i][1]);
    if (pair) {
      PyList_SetItem(list, (Py_ssize_t)i, pair);
    } else {
      Py_CLEAR(list);
    }
  }
  PyObject* text =
      list ? PyUnicode_FromFormat("einsum %s in the order %R", subscripts, list) : NULL;
  PyObject* result = text ? PyTuple_Pack(2, list, text) : NULL;
  Py_XDECREF(text);
  Py_XDECREF(list);
  return result;
}

static PyObject* path_of_one(const char* subscripts) {
  return Py_BuildValue("([(i)]N)", 0, PyUnicode_FromFormat("einsum %s", subscripts));
}

PyObject* core_einsum_path(core_call_t* call, PyObject* const* objects) {
  enum { LIMIT = 64 };
  tn_array_t* operands[LIMIT];
  size_t pairs[LIMIT][2];
  const char* subscripts = PyUnicode_AsUTF8AndSize(objects[0], NULL);
  const size_t count = (size_t)PyTuple_Size(objects[1]);
  if (!subscripts) return NULL;
  if (count > LIMIT) {
    return PyErr_Format(PyExc_ValueError, "einsum_path: %zu operands; at most %d", count, LIMIT);
  }
  for (size_t i = 0; i < count; ++i) {
    PyObject* operand = PyTuple_GetItem(objects[1], (Py_ssize_t)i);
    if (!core_convert(call, operand, TN_DTYPE_INVALID, &operands[i])) return NULL;
  }
  tn_status_t status = tn_array_einsum_path(call->scope, subscripts, count, operands, pairs);
  if (!core_check(status)) return NULL;
  return count == 1 ? path_of_one(subscripts) : path_of(subscripts, count - 1, pairs);
}

// --- linear algebra

static PyObject* norm(core_call_t* call, PyObject* const* objects, const char* kind,
                      PyObject* order) {
  PyObject* name = PyUnicode_FromString(kind);
  PyObject* result =
      name ? CORE_APPLY(call, "linalg_norm", objects[0], name, order, objects[2], objects[3])
           : NULL;
  Py_XDECREF(name);
  return result;
}

// a, ord, axis, keepdims
PyObject* core_norm(core_call_t* call, PyObject* const* objects) {
  PyObject* order = objects[1];
  PyObject* axis = objects[2] == Py_None ? NULL : objects[2];
  PyObject* const given[] = {objects[0], order, axis, objects[3]};
  if (!order) return norm(call, given, "default", NULL);
  if (!PyUnicode_Check(order)) return norm(call, given, "order", order);
  const char* text = PyUnicode_AsUTF8AndSize(order, NULL);
  if (!text) return NULL;
  if (strcmp(text, "fro") == 0 || strcmp(text, "f") == 0) {
    return norm(call, given, "frobenius", NULL);
  }
  if (strcmp(text, "nuc") == 0) return norm(call, given, "nuclear", NULL);
  return PyErr_Format(PyExc_ValueError, "norm: expected a number, 'fro' or 'nuc'; found %R", order);
}

PyObject* core_eigh(core_call_t* call, PyObject* const* objects) {
  bool is_upper = false;
  if (!core_choose(objects[1], "UPLO", "L", "U", &is_upper)) return NULL;
  const bool has_vectors = strcmp(core_function_name(call->function), "eigh") == 0;
  return CORE_APPLY(call, has_vectors ? "linalg_eigh" : "linalg_eigvalsh", objects[0],
                    is_upper ? Py_True : Py_False);
}

// a, mode: the columns of the identity behind those of the matrix complete its basis.
PyObject* core_qr(core_call_t* call, PyObject* const* objects) {
  bool is_complete = false;
  tn_array_t *a = NULL, *parts[2] = {NULL, NULL};
  tn_scope_t* scope = call->scope;
  if (!core_choose(objects[1], "mode", "reduced", "complete", &is_complete)) return NULL;
  if (!is_complete) return CORE_APPLY(call, "linalg_qr", objects[0]);
  if (!core_convert(call, objects[0], TN_DTYPE_INVALID, &a)) return NULL;
  const size_t rank = tn_array_rank(a);
  const int64_t rows = tn_array_dim(a, -2), columns = tn_array_dim(a, -1);
  if (rank < 2 || rows <= columns) return CORE_APPLY(call, "linalg_qr", objects[0]);
  int64_t starts[TN_MAX_RANK] = {0}, stops[TN_MAX_RANK];
  memcpy(stops, tn_array_dims(a), rank * sizeof *stops);
  stops[rank - 1] = rows;
  tn_array_t* one = tn_array_identity(scope, tn_array_dtype(a), rows);
  tn_array_t* both[] = {a, tn_array_broadcast_to(scope, one, rank, stops)};
  tn_array_linalg_qr(scope, tn_array_concatenate(scope, 2, both, -1), &parts[0], &parts[1]);
  stops[rank - 1] = columns;
  parts[1] = tn_array_slice(scope, parts[1], starts, stops, NULL);
  return core_named_tuple("linalg_qr", 2, parts);
}

// The first `count` columns of matrices; or, if `is_rows`, rows.
static tn_array_t* first_of(tn_scope_t* scope, tn_array_t* a, bool is_rows, int64_t count) {
  int64_t starts[TN_MAX_RANK] = {0}, stops[TN_MAX_RANK];
  const size_t rank = tn_array_rank(a);
  memcpy(stops, tn_array_dims(a), rank * sizeof *stops);
  stops[rank - (is_rows ? 2 : 1)] = count;
  return tn_array_slice(scope, a, starts, stops, NULL);
}

// There is no QR of complex matrices.
static PyObject* cut_svd(core_call_t* call, tn_array_t* a) {
  tn_array_t* parts[3];
  tn_array_linalg_svd(call->scope, a, &parts[0], &parts[1], &parts[2]);
  if (tn_array_dtype(parts[1]) == TN_DTYPE_INVALID) return core_array_object(parts[1]);
  const int64_t count = tn_array_dim(parts[1], -1);
  parts[0] = first_of(call->scope, parts[0], false, count);
  parts[2] = first_of(call->scope, parts[2], true, count);
  return core_named_tuple("linalg_svd", 3, parts);
}

// Only as many singular vectors as values, without the others ever being computed: of R, where the
// matrix A with more rows than columns is Q R; of a matrix with more columns those of its
// transpose.
static PyObject* reduced_svd(core_call_t* call, tn_array_t* a) {
  tn_scope_t* scope = call->scope;
  if (tn_dtype_kind(tn_array_dtype(a)) == TN_KIND_COMPLEX) return cut_svd(call, a);
  tn_array_t *q = NULL, *r = NULL, *parts[3] = {NULL, NULL, NULL};
  const bool is_wide = tn_array_dim(a, -1) > tn_array_dim(a, -2);
  tn_array_linalg_qr(scope, is_wide ? tn_array_matrix_transpose(scope, a) : a, &q, &r);
  tn_array_linalg_svd(scope, r, &parts[0], &parts[1], &parts[2]);
  parts[0] = tn_array_matmul(scope, q, parts[0]);
  if (is_wide) {
    tn_array_t* rows = tn_array_matrix_transpose(scope, parts[0]);
    parts[0] = tn_array_matrix_transpose(scope, parts[2]);
    parts[2] = rows;
  }
  return core_named_tuple("linalg_svd", 3, parts);
}

// a, compute_uv, full_matrices
PyObject* core_svd(core_call_t* call, PyObject* const* objects) {
  const int has_vectors = objects[1] ? PyObject_IsTrue(objects[1]) : 1;
  const int is_full = objects[2] ? PyObject_IsTrue(objects[2]) : 1;
  tn_array_t *a = NULL, *values = NULL;
  if (has_vectors < 0 || is_full < 0) return NULL;
  if (has_vectors && is_full) return CORE_APPLY(call, "linalg_svd", objects[0]);
  if (!core_convert(call, objects[0], TN_DTYPE_INVALID, &a)) return NULL;
  const bool is_square = tn_array_dim(a, -1) == tn_array_dim(a, -2);
  if (has_vectors && (is_square || tn_array_rank(a) < 2)) {
    return CORE_APPLY(call, "linalg_svd", objects[0]);
  }
  if (has_vectors) return reduced_svd(call, a);
  tn_array_linalg_svd(call->scope, a, NULL, &values, NULL);
  return core_array_object(values);
}

// a, s, axes, norm. axes=None: all of them.
PyObject* core_fft2(core_call_t* call, PyObject* const* objects) {
  char name[16];
  const char* given = core_function_name(call->function);
  snprintf(name, sizeof name, "%.*s%c", (int)strlen(given) - 1, given,
           objects[2] == Py_None ? 'n' : '2');
  return CORE_APPLY(call, name, objects[0], objects[1], objects[2], objects[3]);
}

// --- layers: q, k, v, scale, mask, sinks, force_fused

// Sinks have to fit into the dtype of the result.
static bool check_sinks(core_call_t* call, PyObject* const* objects) {
  tn_array_t* arrays[4];
  PyObject* const given[] = {objects[0], objects[1], objects[2], objects[5]};
  if (!objects[5]) return true;
  for (size_t i = 0; i < 4; ++i) {
    if (!core_convert(call, given[i], TN_DTYPE_INVALID, &arrays[i])) return false;
  }
  const tn_dtype_t keys = tn_promote_types(tn_array_dtype(arrays[0]), tn_array_dtype(arrays[1]));
  const tn_dtype_t dtype = tn_promote_types(keys, tn_array_dtype(arrays[2]));
  const tn_dtype_t sinks = tn_array_dtype(arrays[3]);
  if (tn_promote_types(dtype, sinks) == dtype) return true;
  PyErr_Format(PyExc_ValueError,
               "scaled_dot_product_attention: sinks of %s; expected a dtype that promotes to %s",
               tn_dtype_numpy_name(sinks), tn_dtype_numpy_name(dtype));
  return false;
}

PyObject* core_attention(core_call_t* call, PyObject* const* objects) {
  PyObject* mask = objects[4];
  if (!check_sinks(call, objects)) return NULL;
  const bool is_text = mask && PyUnicode_Check(mask);
  if (is_text && PyUnicode_CompareWithASCIIString(mask, "causal") != 0) {
    return PyErr_Format(PyExc_ValueError,
                        "scaled_dot_product_attention: the mask is 'causal' or an array; found %R",
                        mask);
  }
  return CORE_APPLY(call, "scaled_dot_product_attention", objects[0], objects[1], objects[2],
                    objects[3], is_text ? NULL : mask, is_text ? Py_True : NULL, objects[5]);
}
