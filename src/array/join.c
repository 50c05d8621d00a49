// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays joined, cut, repeated and padded.
#include "array/common.h"

// --- joining

static tn_array_t* refuse_shape(tn_scope_t* scope, size_t index, const tn_array_t* array,
                                const tn_array_t* first, size_t axis) {
  if (array->rank != first->rank) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "array %zu has shape %s; expected rank %u, as array 0 (%s)", index,
                          TN_SHAPE_TEXT(array->rank, array->dims), first->rank,
                          TN_SHAPE_TEXT(first->rank, first->dims));
  }
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "array %zu has shape %s; expected that of array 0 (%s), but for axis %zu",
                        index, TN_SHAPE_TEXT(array->rank, array->dims),
                        TN_SHAPE_TEXT(first->rank, first->dims), axis);
}

tn_array_t* tn_array_concatenate(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                 int64_t axis) {
  TN__OPERATION(scope, "concatenate");
  tn_array_t* few[16];
  size_t at = 0;
  tn_array_shape_t shape;
  if (count == 0) return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "no arrays");
  TN__RETURN_IF_FAILED(tn__check_operands(scope, count, arrays));
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, count, arrays, &dtype));
  const tn_array_t* first = arrays[0];
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, first->rank, &at));
  shape.rank = first->rank;
  memcpy(shape.dims, first->dims, first->rank * sizeof *shape.dims);
  shape.dims[at] = 0;
  for (size_t i = 0; i < count; ++i) {
    bool fits = arrays[i]->rank == first->rank;
    for (size_t d = 0; fits && d < first->rank; ++d) {
      if (d != at && arrays[i]->dims[d] != first->dims[d]) fits = false;
    }
    if (!fits || __builtin_add_overflow(shape.dims[at], arrays[i]->dims[at], &shape.dims[at])) {
      return refuse_shape(scope, i, arrays[i], first, at);
    }
  }
  if (count == 1) return arrays[0];
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  void* memory = few;
  if (count > sizeof few / sizeof *few) {
    tn_status_t status = tn__allocate_array(allocator, count, sizeof(tn_array_t*), &memory);
    if (status) return tn_array_error(scope, status);
  }
  tn_array_t** operands = memory;
  for (size_t i = 0; i < count; ++i) operands[i] = tn_array_astype(scope, arrays[i], dtype);
  const tn_named_attr_t attribute = TN_I64_ATTR("dimension", (int64_t)at);
  tn_array_t* result = tn__apply_with(scope, TN__OP(concatenate), count, operands, 1, &attribute,
                                      dtype, shape.rank, shape.dims);
  if (memory != few) tn__free(allocator, memory, count * sizeof(tn_array_t*));
  return result;
}

tn_array_t* tn_array_stack(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                           int64_t axis) {
  TN__OPERATION(scope, "stack");
  if (count == 0) return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "no arrays");
  TN__RETURN_IF_FAILED(tn__check_operands(scope, count, arrays));
  const tn_array_t* first = arrays[0];
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  void* memory = NULL;
  tn_status_t status = tn__allocate_array(allocator, count, sizeof(tn_array_t*), &memory);
  if (status) return tn_array_error(scope, status);
  tn_array_t** operands = memory;
  tn_array_t* result = NULL;
  for (size_t i = 0; i < count && !result; ++i) {
    const bool fits = arrays[i]->rank == first->rank &&
                      (!first->rank || memcmp(arrays[i]->dims, first->dims,
                                              first->rank * sizeof *first->dims) == 0);
    if (!fits) {
      result = tn__scope_fail(
          scope, TN_CODE_INVALID_ARGUMENT, "array %zu has shape %s; expected %s", i,
          TN_SHAPE_TEXT(arrays[i]->rank, arrays[i]->dims), TN_SHAPE_TEXT(first->rank, first->dims));
    }
    operands[i] = tn_array_expand_dims(scope, arrays[i], 1, &axis);
  }
  if (!result) result = tn_array_concatenate(scope, count, operands, axis);
  tn__free(allocator, memory, count * sizeof(tn_array_t*));
  return result;
}

void tn_array_meshgrid(tn_scope_t* scope, size_t count, tn_array_t* const* arrays, bool sparse,
                       bool matrix_indexing, tn_array_t** out_arrays) {
  TN__OPERATION(scope, "meshgrid");
  int64_t dims[TN_MAX_RANK];
  tn_array_t* error = tn__check_operands(scope, count > TN_MAX_RANK ? 0 : count, arrays);
  if (count > TN_MAX_RANK) {
    error = tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%zu arrays; at most %d", count,
                           TN_MAX_RANK);
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t d = 0; d < count && !error; ++d) dims[d] = 1;
    // The first two change places unless they index a matrix.
    const size_t at = matrix_indexing || count < 2 || i > 1 ? i : 1 - i;
    if (!error) dims[at] = -1;
    out_arrays[i] = error ? error : tn_array_reshape(scope, arrays[i], count, dims);
  }
  if (!sparse && !error) tn_array_broadcast_arrays(scope, count, out_arrays, out_arrays);
}

// --- cutting

// x[start:stop] on one axis.
static tn_array_t* cut(tn_scope_t* scope, tn_array_t* x, size_t axis, int64_t start, int64_t stop) {
  int64_t starts[TN_MAX_RANK] = {0}, stops[TN_MAX_RANK];
  for (size_t i = 0; i < x->rank; ++i) stops[i] = x->dims[i];
  starts[axis] = start;
  stops[axis] = stop;
  return tn_array_slice(scope, x, starts, stops, NULL);
}

void tn_array_split(tn_scope_t* scope, tn_array_t* a, size_t sections, int64_t axis,
                    tn_array_t** out_parts) {
  TN__OPERATION(scope, "split");
  size_t at = 0;
  int64_t length = 0;
  tn_array_t* error = tn__check_operands(scope, 1, &a);
  if (!error) error = tn__normalise_axis(scope, axis, a->rank, &at);
  if (!error) {
    if (sections) length = a->dims[at] / (int64_t)sections;
    if (sections == 0 || a->dims[at] % (int64_t)sections) {
      error = tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                             "axis %lld of size %lld does not make %zu equal parts",
                             (long long)axis, (long long)a->dims[at], sections);
    }
  }
  for (size_t i = 0; i < sections; ++i) {
    const int64_t start = (int64_t)i * length;
    out_parts[i] = error ? error : cut(scope, a, at, start, start + length);
  }
}

void tn_array_split_at(tn_scope_t* scope, tn_array_t* a, size_t index_count, const int64_t* indices,
                       int64_t axis, tn_array_t** out_parts) {
  TN__OPERATION(scope, "split_at");
  size_t at = 0;
  tn_array_t* error = tn__check_operands(scope, 1, &a);
  if (!error) error = tn__normalise_axis(scope, axis, a->rank, &at);
  if (!error) error = tn__check_list(scope, "indices", index_count, indices);
  for (size_t i = 0; i <= index_count; ++i) {
    out_parts[i] = error;
    if (error) continue;
    const int64_t start = i ? indices[i - 1] : 0;
    out_parts[i] = cut(scope, a, at, start, i < index_count ? indices[i] : a->dims[at]);
  }
}

void tn_array_unstack(tn_scope_t* scope, tn_array_t* a, int64_t axis, size_t count,
                      tn_array_t** out_parts) {
  TN__OPERATION(scope, "unstack");
  size_t at = 0;
  tn_array_t* error = tn__check_operands(scope, 1, &a);
  if (!error) error = tn__normalise_axis(scope, axis, a->rank, &at);
  if (!error && a->dims[at] != (int64_t)count) {
    error = tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "axis %lld has size %lld; expected %zu",
                           (long long)axis, (long long)a->dims[at], count);
  }
  for (size_t i = 0; i < count; ++i) {
    out_parts[i] = error;
    if (error) continue;
    const int64_t where = (int64_t)at;
    tn_array_t* part = cut(scope, a, at, (int64_t)i, (int64_t)i + 1);
    out_parts[i] = tn_array_squeeze(scope, part, 1, &where);
  }
}

tn_array_t* tn_array_roll(tn_scope_t* scope, tn_array_t* a, size_t count, const int64_t* shift,
                          const int64_t* axes) {
  TN__OPERATION_ON(scope, "roll", a);
  TN__RETURN_IF_FAILED(tn__check_list(scope, "shift", count, shift));
  if (!axes) {
    const int64_t size = tn_array_size(a);
    int64_t total = 0;
    if (size == 0) return a;
    for (size_t i = 0; i < count; ++i) total = (total % size + shift[i] % size) % size;
    tn_array_t* line = tn_array_flatten(scope, a, 0, -1);
    line = tn_array_roll(scope, line, 1, &total, (const int64_t[]){0});
    return tn_array_reshape(scope, line, a->rank, a->dims);
  }
  for (size_t i = 0; i < count; ++i) {
    size_t at = 0;
    TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axes[i], a->rank, &at));
    const int64_t size = a->dims[at];
    if (size == 0 || shift[i] % size == 0) continue;
    const int64_t point = shift[i] > 0 ? size - shift[i] % size : -(shift[i] % size);
    tn_array_t* parts[] = {cut(scope, a, at, point, size), cut(scope, a, at, 0, point)};
    a = tn_array_concatenate(scope, 2, parts, (int64_t)at);
    if (a->dtype == TN_DTYPE_INVALID) return a;
  }
  return a;
}

tn_array_t* tn_array_diff(tn_scope_t* scope, tn_array_t* a, int64_t n, int64_t axis) {
  TN__OPERATION_ON(scope, "diff", a);
  size_t at = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, a->rank, &at));
  if (n < 0) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "n is %lld; expected at least 0",
                          (long long)n);
  }
  for (int64_t i = 0; i < n && a->dims[at]; ++i) {
    const int64_t size = a->dims[at];
    a = tn_array_subtract(scope, cut(scope, a, at, 1, size), cut(scope, a, at, 0, size - 1));
    if (a->dtype == TN_DTYPE_INVALID) return a;
  }
  return a;
}

// --- repeating

// Repeats each element of an axis, or the whole axis, by way of a dimension of its own.
static tn_array_t* repeat_axis(tn_scope_t* scope, tn_array_t* x, size_t axis, int64_t times,
                               bool whole) {
  int64_t dims[TN_MAX_RANK + 1];
  if (times == 1 || x->dtype == TN_DTYPE_INVALID) return x;
  const size_t rank = x->rank, at = whole ? axis : axis + 1;
  tn_array_shape_t flat = {.rank = rank};
  memcpy(flat.dims, x->dims, rank * sizeof *flat.dims);
  if (__builtin_mul_overflow(flat.dims[axis], times, &flat.dims[axis])) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "axis %zu of size %lld, %lld times, is too long", axis,
                          (long long)x->dims[axis], (long long)times);
  }
  for (size_t i = 0, from = 0; i <= rank; ++i) dims[i] = i == at ? times : x->dims[from++];
  x = tn_array_expand_dims(scope, x, 1, (const int64_t[]){(int64_t)at});
  x = tn_array_broadcast_to(scope, x, rank + 1, dims);
  return tn_array_reshape(scope, x, flat.rank, flat.dims);
}

tn_array_t* tn_array_repeat(tn_scope_t* scope, tn_array_t* array, int64_t repeats, int64_t axis) {
  TN__OPERATION_ON(scope, "repeat", array);
  size_t at = 0;
  if (repeats < 0) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%lld repeats; expected at least 0",
                          (long long)repeats);
  }
  TN__RETURN_IF_FAILED(tn__axis_or_all(scope, &array, axis, &at));
  return repeat_axis(scope, array, at, repeats, false);
}

tn_array_t* tn_array_tile(tn_scope_t* scope, tn_array_t* a, size_t count, const int64_t* reps) {
  TN__OPERATION_ON(scope, "tile", a);
  int64_t dims[TN_MAX_RANK];
  if (count > TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "reps has %zu elements; at most %d",
                          count, TN_MAX_RANK);
  }
  TN__RETURN_IF_FAILED(tn__check_list(scope, "reps", count, reps));
  if (count > a->rank) {
    for (size_t i = 0; i < count; ++i)
      dims[i] = i < count - a->rank ? 1 : a->dims[i - (count - a->rank)];
    a = tn_array_reshape(scope, a, count, dims);
    if (a->dtype == TN_DTYPE_INVALID) return a;
  }
  const size_t lead = a->rank - count;
  for (size_t i = 0; i < count; ++i) {
    if (reps[i] < 0) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                            "repetition %zu is %lld; expected at least 0", i, (long long)reps[i]);
    }
    a = repeat_axis(scope, a, lead + i, reps[i], true);
  }
  return a;
}

// --- padding

// Which element of an axis is at a place around it.
static int64_t padded_place(tn_pad_mode_t mode, int64_t place, int64_t size) {
  if (mode == TN_PAD_EDGE) return place < 0 ? 0 : place >= size ? size - 1 : place;
  const int64_t repeated = mode == TN_PAD_SYMMETRIC;  // the element at the edge comes twice
  const int64_t period = 2 * (size - 1 + repeated);
  if (period == 0) return 0;
  int64_t at = place % period;
  if (at < 0) at += period;
  return at < size ? at : period - repeated - at;
}

static tn_array_t* pad_axis(tn_scope_t* scope, tn_array_t* x, size_t axis, int64_t low,
                            int64_t high, tn_pad_mode_t mode) {
  if ((low == 0 && high == 0) || x->dtype == TN_DTYPE_INVALID) return x;
  const int64_t size = x->dims[axis], count = low + size + high;
  void* memory = NULL;
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  tn_status_t status = tn__allocate_array(allocator, (size_t)count, sizeof(int32_t), &memory);
  if (status) return tn_array_error(scope, status);
  int32_t* places = memory;
  for (int64_t i = 0; i < count; ++i) places[i] = (int32_t)padded_place(mode, i - low, size);
  tn_array_t* indices =
      tn_array_from_host(scope, TN_DTYPE_S32, 1, &count, places, (size_t)count * sizeof *places);
  tn__free(allocator, memory, (size_t)count * sizeof *places);
  const int64_t at = (int64_t)axis;
  return tn_array_take(scope, x, indices, at);
}

tn_array_t* tn_array_pad(tn_scope_t* scope, tn_array_t* a, const int64_t* low, const int64_t* high,
                         tn_pad_mode_t mode, tn_array_t* constant_values) {
  TN__OPERATION(scope, "pad");
  int64_t dims[TN_MAX_RANK], none[TN_MAX_RANK] = {0};
  tn_array_t* operands[] = {a, constant_values};
  TN__RETURN_IF_FAILED(tn__check_operands(scope, constant_values ? 2 : 1, operands));
  TN__RETURN_IF_FAILED(tn__check_choice(scope, "mode", (int)mode, TN_PAD_SYMMETRIC));
  TN__RETURN_IF_FAILED(tn__check_list(scope, "low", a->rank, low));
  TN__RETURN_IF_FAILED(tn__check_list(scope, "high", a->rank, high));
  for (size_t i = 0; i < a->rank; ++i) {
    dims[i] = a->dims[i];
    const bool is_bad =
        low[i] < 0 || high[i] < 0 || __builtin_add_overflow(dims[i], low[i], &dims[i]) ||
        __builtin_add_overflow(dims[i], high[i], &dims[i]) ||
        (mode != TN_PAD_CONSTANT && ((a->dims[i] == 0 && dims[i] > 0) || dims[i] > INT32_MAX));
    if (!is_bad) continue;
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "axis %zu of size %lld cannot have %lld elements before and %lld "
                          "after",
                          i, (long long)a->dims[i], (long long)low[i], (long long)high[i]);
  }
  if (mode != TN_PAD_CONSTANT) {
    for (size_t i = 0; i < (size_t)operands[0]->rank; ++i)
      a = pad_axis(scope, a, i, low[i], high[i], mode);
    return a;
  }
  constant_values = constant_values ? tn_array_astype(scope, constant_values, a->dtype)
                                    : tn__number_like(scope, a, 0);
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &constant_values));
  if (tn_array_size(constant_values) != 1) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "constant_values has shape %s; expected one element",
                          TN_SHAPE_TEXT(constant_values->rank, constant_values->dims));
  }
  operands[1] = tn_array_reshape(scope, constant_values, 0, NULL);
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("edge_padding_low", a->rank, low),
      TN_I64_LIST_ATTR("edge_padding_high", a->rank, high),
      TN_I64_LIST_ATTR("interior_padding", a->rank, none),
  };
  return tn__apply_with(scope, TN__OP(pad), 2, operands, 3, attributes, a->dtype, a->rank, dims);
}
