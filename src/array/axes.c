// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Dimensions that come, go and change places. All of these are views where a reshape is one.
#include "array/common.h"

tn_array_t* tn_array_squeeze(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                             const int64_t* axes) {
  TN__OPERATION_ON(scope, "squeeze", a);
  uint64_t set = 0;
  tn_array_shape_t shape = {0};
  TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, a->rank, &set));
  for (size_t i = 0; i < a->rank; ++i) {
    const bool is_chosen = set >> i & 1;
    if (is_chosen && axes && a->dims[i] != 1) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                            "axis %zu of the shape %s has size %lld; expected 1", i,
                            TN_SHAPE_TEXT(a->rank, a->dims), (long long)a->dims[i]);
    }
    if (!is_chosen || a->dims[i] != 1) shape.dims[shape.rank++] = a->dims[i];
  }
  return tn_array_reshape(scope, a, shape.rank, shape.dims);
}

tn_array_t* tn_array_expand_dims(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                 const int64_t* axes) {
  TN__OPERATION_ON(scope, "expand_dims", a);
  uint64_t set = 0;
  int64_t dims[TN_MAX_RANK];
  const size_t rank = a->rank + axis_count;
  if (rank > TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%zu dimensions and %zu more; at most %d are possible", (size_t)a->rank,
                          axis_count, TN_MAX_RANK);
  }
  if (axis_count == 0) return a;
  TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, rank, &set));
  for (size_t i = 0, from = 0; i < rank; ++i) dims[i] = set >> i & 1 ? 1 : a->dims[from++];
  return tn_array_reshape(scope, a, rank, dims);
}

tn_array_t* tn_array_moveaxis(tn_scope_t* scope, tn_array_t* a, int64_t source,
                              int64_t destination) {
  TN__OPERATION_ON(scope, "moveaxis", a);
  int64_t axes[TN_MAX_RANK];
  size_t from = 0, to = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, source, a->rank, &from));
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, destination, a->rank, &to));
  for (size_t i = 0, rest = 0; i < a->rank; ++i) {
    if (rest == from) ++rest;
    axes[i] = (int64_t)(i == to ? from : rest++);
  }
  return tn_array_transpose(scope, a, axes);
}

tn_array_t* tn_array_swapaxes(tn_scope_t* scope, tn_array_t* a, int64_t axis1, int64_t axis2) {
  TN__OPERATION_ON(scope, "swapaxes", a);
  int64_t axes[TN_MAX_RANK];
  size_t first = 0, second = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis1, a->rank, &first));
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis2, a->rank, &second));
  for (size_t i = 0; i < a->rank; ++i) axes[i] = (int64_t)i;
  axes[first] = (int64_t)second;
  axes[second] = (int64_t)first;
  return tn_array_transpose(scope, a, axes);
}

tn_array_t* tn_array_matrix_transpose(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "matrix_transpose", a);
  if (a->rank < 2) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "an array of %zu dimensions; expected at least 2", (size_t)a->rank);
  }
  return tn_array_swapaxes(scope, a, -1, -2);
}

tn_array_t* tn_array_flatten(tn_scope_t* scope, tn_array_t* a, int64_t start_axis,
                             int64_t end_axis) {
  TN__OPERATION_ON(scope, "flatten", a);
  tn_array_shape_t shape = {0};
  size_t start = 0, end = 0;
  if (a->rank == 0) return tn_array_reshape(scope, a, 1, (const int64_t[]){1});
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, start_axis, a->rank, &start));
  if (end_axis >= (int64_t)a->rank) end_axis = -1;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, end_axis, a->rank, &end));
  if (end < start) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the last axis (%lld) is before the first (%lld)", (long long)end_axis,
                          (long long)start_axis);
  }
  for (size_t i = 0; i < a->rank; ++i) {
    if (i > start && i <= end) {
      shape.dims[shape.rank - 1] *= a->dims[i];
    } else {
      shape.dims[shape.rank++] = a->dims[i];
    }
  }
  return tn_array_reshape(scope, a, shape.rank, shape.dims);
}

tn_array_t* tn_array_unflatten(tn_scope_t* scope, tn_array_t* a, int64_t axis, size_t rank,
                               const int64_t* dims) {
  TN__OPERATION_ON(scope, "unflatten", a);
  tn_array_shape_t shape = {0};
  size_t at = 0, unknown = SIZE_MAX;
  int64_t known = 1;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, a->rank, &at));
  TN__RETURN_IF_FAILED(tn__check_dims(scope, rank, dims));
  bool is_possible = rank > 0 && a->rank - 1 + rank <= TN_MAX_RANK;
  for (size_t i = 0; i < at; ++i) shape.dims[shape.rank++] = a->dims[i];
  for (size_t i = 0; is_possible && i < rank; ++i) {
    if (dims[i] == -1 && unknown == SIZE_MAX) {
      unknown = shape.rank;
    } else if (dims[i] < 0 || __builtin_mul_overflow(known, dims[i], &known)) {
      is_possible = false;
    }
    shape.dims[shape.rank++] = dims[i];
  }
  if (unknown != SIZE_MAX && known && a->dims[at] % known == 0) {
    shape.dims[unknown] = a->dims[at] / known;
    known = a->dims[at];
  }
  if (!is_possible || known != a->dims[at]) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "axis %lld of size %lld has no shape %s",
                          (long long)axis, (long long)a->dims[at], TN_SHAPE_TEXT(rank, dims));
  }
  for (size_t i = at + 1; i < a->rank; ++i) shape.dims[shape.rank++] = a->dims[i];
  return tn_array_reshape(scope, a, shape.rank, shape.dims);
}

tn_array_t* tn_array_flip(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                          const int64_t* axes) {
  TN__OPERATION_ON(scope, "flip", a);
  int64_t starts[TN_MAX_RANK], stops[TN_MAX_RANK], steps[TN_MAX_RANK];
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, a->rank, &set));
  for (size_t i = 0; i < a->rank; ++i) {
    const bool is_chosen = set >> i & 1;
    starts[i] = is_chosen ? -1 : 0;
    stops[i] = is_chosen ? -a->dims[i] - 1 : a->dims[i];
    steps[i] = is_chosen ? -1 : 1;
  }
  return tn_array_slice(scope, a, starts, stops, steps);
}

tn_array_t* tn_array_atleast_1d(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "atleast_1d", a);
  return a->rank ? a : tn_array_reshape(scope, a, 1, (const int64_t[]){1});
}

tn_array_t* tn_array_atleast_2d(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "atleast_2d");
  a = tn_array_atleast_1d(scope, a);
  if (a->rank != 1) return a;
  return tn_array_expand_dims(scope, a, 1, (const int64_t[]){0});
}

tn_array_t* tn_array_atleast_3d(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "atleast_3d");
  a = tn_array_atleast_2d(scope, a);
  if (a->rank != 2) return a;
  return tn_array_expand_dims(scope, a, 1, (const int64_t[]){2});
}

void tn_array_broadcast_arrays(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                               tn_array_t** out_arrays) {
  TN__OPERATION(scope, "broadcast_arrays");
  tn_array_shape_t shape;
  tn_array_t* error = tn__check_operands(scope, count, arrays);
  if (!error) error = tn__broadcast_shapes(scope, count, arrays, &shape);
  for (size_t i = 0; i < count; ++i) {
    out_arrays[i] = error ? error : tn_array_broadcast_to(scope, arrays[i], shape.rank, shape.dims);
  }
}

// --- the same bytes

// Complex elements are pairs: views of them and on them go by way of their parts.
static tn_array_t* view_complex(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype, size_t rank,
                                const int64_t* dims) {
  if (tn_dtype_kind(x->dtype) == TN_KIND_COMPLEX) {
    tn_array_t* parts[] = {tn_array_real(scope, x), tn_array_imag(scope, x)};
    x = tn_array_stack(scope, 2, parts, -1);
    if (rank) x = tn_array_flatten(scope, x, -2, -1);
    return tn_array_reshape(scope, tn_array_view(scope, x, dtype), rank, dims);
  }
  int64_t pairs[TN_MAX_RANK + 1], starts[TN_MAX_RANK + 1] = {0};
  tn_array_t* parts[2];
  if (tn_dtype_byte_size(x->dtype) == tn_dtype_byte_size(dtype)) {
    x = tn_array_expand_dims(scope, x, 1, (const int64_t[]){-1});
  }
  if (rank) memcpy(pairs, dims, rank * sizeof *pairs);
  pairs[rank] = 2;
  x = tn_array_reshape(scope, tn_array_view(scope, x, tn__real_dtype(dtype)), rank + 1, pairs);
  for (int i = 0; i < 2; ++i) {
    starts[rank] = i;
    pairs[rank] = i + 1;
    parts[i] = tn_array_slice(scope, x, starts, pairs, NULL);
    parts[i] = tn_array_reshape(scope, parts[i], rank, dims);
  }
  return tn__apply(scope, TN__OP(complex), 2, parts, dtype, rank, dims);
}

tn_array_t* tn_array_view(tn_scope_t* scope, tn_array_t* a, tn_dtype_t dtype) {
  TN__OPERATION_ON(scope, "view", a);
  int64_t dims[TN_MAX_RANK + 1];  // with that of the parts of an element
  if (a->dtype == dtype) return a;
  const int64_t from = (int64_t)tn_dtype_byte_size(a->dtype),
                to = (int64_t)tn_dtype_byte_size(dtype);
  TN__RETURN_IF_FAILED(tn__check_dtype(scope, dtype));
  const int64_t last = a->rank ? a->dims[a->rank - 1] : 1;
  if (from != to && (a->rank == 0 || (from < to && last % (to / from)))) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the last axis of %s elements of shape %s makes no whole number of "
                          "%s",
                          tn_dtype_name(a->dtype), TN_SHAPE_TEXT(a->rank, a->dims),
                          tn_dtype_name(dtype));
  }
  const bool is_narrow = tn_dtype_bit_width(a->dtype) % 8 || tn_dtype_bit_width(dtype) % 8;
  if (is_narrow && a->dtype != TN_DTYPE_PRED && dtype != TN_DTYPE_PRED) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%s elements as %s: those of less than eight bits have no bytes of "
                          "their own",
                          tn_dtype_name(a->dtype), tn_dtype_name(dtype));
  }
  // Booleans are bytes, but StableHLO counts them as bits.
  if (a->dtype == TN_DTYPE_PRED) {
    return tn_array_view(scope, tn_array_astype(scope, a, TN_DTYPE_U8), dtype);
  }
  if (dtype == TN_DTYPE_PRED) {
    return tn_array_astype(scope, tn_array_view(scope, a, TN_DTYPE_U8), dtype);
  }
  size_t rank = a->rank;
  if (rank) memcpy(dims, a->dims, rank * sizeof *dims);
  if (tn_dtype_kind(a->dtype) == TN_KIND_COMPLEX || tn_dtype_kind(dtype) == TN_KIND_COMPLEX) {
    if (rank) dims[rank - 1] = from < to ? last / (to / from) : last * (from / to);
    return view_complex(scope, a, dtype, rank, dims);
  }
  if (from < to) {
    dims[rank - 1] = last / (to / from);
    dims[rank++] = to / from;
    a = tn_array_reshape(scope, a, rank, dims);
    return tn__apply(scope, TN__OP(bitcast_convert), 1, &a, dtype, rank - 1, dims);
  }
  if (from > to) dims[rank++] = from / to;
  a = tn__apply(scope, TN__OP(bitcast_convert), 1, &a, dtype, rank, dims);
  return from > to ? tn_array_flatten(scope, a, -2, -1) : a;
}

tn_array_t* tn_array_contiguous(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "contiguous", a);
  return tn__array_is_dense(a) ? a : tn__map(scope, TN__OP(reshape), a, a->dtype);
}
