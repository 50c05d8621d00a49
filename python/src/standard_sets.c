// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adapters: functions of the array API standard whose results have shapes that depend on values;
// and devices.

#include <string.h>

#include "adapters.h"

static bool convert(core_call_t* call, PyObject* object, tn_array_t** out_array) {
  return core_convert(call, object, TN_DTYPE_INVALID, out_array);
}

static tn_array_t* flatten(tn_scope_t* scope, tn_array_t* a) {
  return tn_array_flatten(scope, a, 0, -1);
}

// The elements of a 1-D array where `mask` is true: evaluates the mask.
static tn_array_t* select_elements(tn_scope_t* scope, tn_array_t* a, tn_array_t* mask) {
  const tn_index_t item = TN_AT_ARRAY(mask);
  return tn_array_index(scope, a, 1, &item);
}

// Elements [start, stop) of a 1-D array.
static tn_array_t* part_of(tn_scope_t* scope, tn_array_t* a, int64_t start, int64_t stop) {
  return tn_array_slice(scope, a, &start, &stop, NULL);
}

// 0, 1, ..., count - 1, of a dtype that has indices into so many elements.
static tn_array_t* indices_below(tn_scope_t* scope, int64_t count) {
  const tn_dtype_t dtype = count > INT32_MAX ? TN_DTYPE_S64 : TN_DTYPE_S32;
  return tn_array_arange(scope, dtype, 0, (double)count, 1);
}

// --- distinct elements

enum { VALUES, INDICES, INVERSE, COUNTS, PART_COUNT };

// Whether each element of a sorted array is the first of its equals. NaN equals nothing.
static tn_array_t* are_first(tn_scope_t* scope, tn_array_t* sorted, int64_t count) {
  const int64_t one = 1;
  tn_array_t* parts[] = {tn_array_ones(scope, TN_DTYPE_PRED, 1, &one),
                         tn_array_not_equal(scope, part_of(scope, sorted, 1, count),
                                            part_of(scope, sorted, 0, count - 1))};
  return tn_array_concatenate(scope, 2, parts, 0);
}

static void find_distinct(tn_scope_t* scope, tn_array_t* a, tn_array_t* parts[PART_COUNT]) {
  const int64_t count = tn_array_size(a), zero = 0;
  tn_array_t* flat = flatten(scope, a);
  if (!count) {
    parts[VALUES] = flat;
    parts[INDICES] = parts[COUNTS] = tn_array_zeros(scope, TN_DTYPE_S32, 1, &zero);
    parts[INVERSE] = tn_array_zeros(scope, TN_DTYPE_S32, tn_array_rank(a), tn_array_dims(a));
    return;
  }
  tn_array_t* places = indices_below(scope, count);
  const tn_dtype_t dtype = tn_array_dtype(places);
  tn_array_t* order = tn_array_argsort(scope, flat, 0);
  tn_array_t* sorted = tn_array_take(scope, flat, order, 0);
  tn_array_t* is_first = are_first(scope, sorted, count);
  parts[VALUES] = select_elements(scope, sorted, is_first);
  parts[INDICES] = tn_array_astype(scope, select_elements(scope, order, is_first), dtype);
  tn_array_t* starts = select_elements(scope, places, is_first);
  const int64_t distinct = tn_array_size(starts);
  tn_array_t* end =
      tn_array_full(scope, 1, (int64_t[]){1}, tn_array_scalar(scope, dtype, (double)count));
  tn_array_t* bounds = tn_array_concatenate(scope, 2, (tn_array_t*[]){starts, end}, 0);
  parts[COUNTS] = tn_array_subtract(scope, part_of(scope, bounds, 1, distinct + 1), starts);
  tn_array_t* groups =
      tn_array_cumsum(scope, tn_array_astype(scope, is_first, dtype), 0, false, true);
  groups = tn_array_subtract(scope, groups, tn_array_scalar(scope, dtype, 1));
  parts[INVERSE] =
      tn_array_reshape(scope, tn_array_take(scope, groups, tn_array_argsort(scope, order, 0), 0),
                       tn_array_rank(a), tn_array_dims(a));
}

// x: unique_values, unique_counts, unique_inverse, unique_all
PyObject* core_unique_part(core_call_t* call, PyObject* const* objects) {
  const char* name = core_function_name(call->function);
  tn_array_t *a = NULL, *parts[PART_COUNT];
  if (!convert(call, objects[0], &a)) return NULL;
  find_distinct(call->scope, a, parts);
  if (strcmp(name, "unique_values") == 0) return core_array_object(parts[VALUES]);
  if (strcmp(name, "unique_all") == 0) return core_named_tuple(name, PART_COUNT, parts);
  tn_array_t* other = parts[strcmp(name, "unique_counts") == 0 ? COUNTS : INVERSE];
  return core_named_tuple(name, 2, (tn_array_t*[]){parts[VALUES], other});
}

// x1, x2, invert: by a search in the sorted x2.
PyObject* core_isin(core_call_t* call, PyObject* const* objects) {
  tn_array_t *a = NULL, *among = NULL;
  tn_scope_t* scope = call->scope;
  const int is_inverted = core_is_true(objects[2]);
  if (is_inverted < 0 || !convert(call, objects[0], &a) || !convert(call, objects[1], &among)) {
    return NULL;
  }
  const int64_t count = tn_array_size(among);
  tn_array_t* is_in = tn_array_zeros(scope, TN_DTYPE_PRED, tn_array_rank(a), tn_array_dims(a));
  if (count) {
    tn_array_t* sorted = tn_array_sort(scope, flatten(scope, among), 0);
    tn_array_t* places = tn_array_searchsorted(scope, sorted, a, false);
    tn_array_t* last = tn_array_scalar_like(scope, places, (double)(count - 1));
    tn_array_t* nearest = tn_array_take(scope, sorted, tn_array_minimum(scope, places, last), 0);
    is_in = tn_array_equal(scope, nearest, a);
  }
  return core_array_object(is_inverted ? tn_array_logical_not(scope, is_in) : is_in);
}

// x
PyObject* core_nonzero(core_call_t* call, PyObject* const* objects) {
  tn_array_t *a = NULL, *parts[TN_MAX_RANK];
  tn_scope_t* scope = call->scope;
  if (!convert(call, objects[0], &a)) return NULL;
  const size_t rank = tn_array_rank(a);
  if (!rank) {
    PyErr_SetString(PyExc_ValueError, "nonzero: expected at least one dimension; found none");
    return NULL;
  }
  tn_array_t* is_there =
      tn_array_not_equal(scope, flatten(scope, a), tn_array_scalar_like(scope, a, 0));
  tn_array_t* rest = select_elements(scope, indices_below(scope, tn_array_size(a)), is_there);
  for (size_t i = rank; i-- > 0;) {
    tn_array_t* size = tn_array_scalar_like(scope, rest, (double)tn_array_dims(a)[i]);
    parts[i] = tn_array_remainder(scope, rest, size);
    rest = tn_array_floor_divide(scope, rest, size);
  }
  return core_tuple_of(rank, parts);
}

// --- devices

tn_array_t* core_bring(core_call_t* call, tn_array_t* a) {
  tn_scope_t* scope = call->scope;
  tn_stream_t* stream = tn_scope_stream(scope);
  const tn_device_t* device = stream ? tn_stream_device(stream) : tn_scope_device(scope);
  if (tn_array_device(a) == device || tn_array_dtype(a) == TN_DTYPE_INVALID) return a;
  // An operation that gives the same bits, on the device of the stream.
  return tn_array_where(scope, tn_array_scalar(scope, TN_DTYPE_PRED, 1), a, a);
}

// x, device
PyObject* core_to_device(core_call_t* call, PyObject* const* objects) {
  core_call_t there;
  tn_array_t* a = NULL;
  if (!convert(call, objects[0], &a) || !core_begin(&there, objects[1])) return NULL;
  PyObject* result = core_array_object(core_bring(&there, a));
  core_end(&there);
  return result;
}
