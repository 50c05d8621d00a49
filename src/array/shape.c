// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The same elements in another shape: views, whose strides say where the elements of x are.
#include "array/views.h"

#include "array/common.h"

tn_array_t* tn__view_broadcast(tn_scope_t* scope, tn_array_t* x, const int64_t* dimensions,
                               size_t rank, const int64_t* dims) {
  int64_t strides[TN_MAX_RANK] = {0};
  if (x->dtype == TN_DTYPE_INVALID) return x;
  for (size_t i = 0; i < x->rank; ++i) {
    const size_t d = (size_t)dimensions[i];
    if (x->dims[i] == dims[d]) strides[d] = x->strides[i];
  }
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("broadcast_dimensions", x->rank, dimensions);
  return tn__view(scope, TN__OP(broadcast_in_dim), x, 1, &attribute, rank, dims, strides,
                  x->byte_offset);
}

tn_array_t* tn_array_broadcast_to(tn_scope_t* scope, tn_array_t* a, size_t rank,
                                  const int64_t* dims) {
  TN__OPERATION_ON(scope, "broadcast_to", a);
  int64_t dimensions[TN_MAX_RANK];
  TN__RETURN_IF_FAILED(tn__check_dims(scope, rank, dims));
  bool is_possible = a->rank <= rank, is_same = a->rank == rank;
  for (size_t i = 0; is_possible && i < a->rank; ++i) {
    const size_t d = rank - a->rank + i;
    dimensions[i] = (int64_t)d;
    if (a->dims[i] != 1 && a->dims[i] != dims[d]) is_possible = false;
    if (a->dims[i] != dims[d]) is_same = false;
  }
  if (!is_possible) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "the shape %s does not broadcast to %s",
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(rank, dims));
  }
  return is_same ? a : tn__view_broadcast(scope, a, dimensions, rank, dims);
}

tn_array_t* tn_array_transpose(tn_scope_t* scope, tn_array_t* a, const int64_t* axes) {
  TN__OPERATION_ON(scope, "transpose", a);
  int64_t permutation[TN_MAX_RANK], dims[TN_MAX_RANK], strides[TN_MAX_RANK];
  uint64_t set = 0;
  if (axes) TN__RETURN_IF_FAILED(tn__normalise_axes(scope, a->rank, axes, a->rank, &set));
  bool is_same = true;
  for (size_t i = 0; i < a->rank; ++i) {
    const int64_t axis = axes ? axes[i] : (int64_t)(a->rank - 1 - i);
    permutation[i] = axis < 0 ? axis + (int64_t)a->rank : axis;
    dims[i] = a->dims[permutation[i]];
    strides[i] = a->strides[permutation[i]];
    if (permutation[i] != (int64_t)i) is_same = false;
  }
  if (is_same) return a;
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("permutation", a->rank, permutation);
  return tn__view(scope, TN__OP(transpose), a, 1, &attribute, a->rank, dims, strides,
                  a->byte_offset);
}

// --- slices

// Python's rule for one bound.
static int64_t clip(int64_t bound, int64_t dim, int64_t lowest, int64_t highest) {
  if (bound < 0) bound += dim;
  return bound < lowest ? lowest : bound > highest ? highest : bound;
}

tn_array_t* tn__view_reverse(tn_scope_t* scope, tn_array_t* x, size_t count,
                             const int64_t* dimensions) {
  int64_t strides[TN_MAX_RANK];
  int64_t offset = x->byte_offset;
  if (count == 0 || x->dtype == TN_DTYPE_INVALID) return x;
  memcpy(strides, x->strides, x->rank * sizeof *strides);
  for (size_t i = 0; i < count; ++i) {
    const int64_t axis = dimensions[i];
    if (x->dims[axis]) offset += (x->dims[axis] - 1) * x->strides[axis];
    strides[axis] = -strides[axis];
  }
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("dimensions", count, dimensions);
  return tn__view(scope, TN__OP(reverse), x, 1, &attribute, x->rank, x->dims, strides, offset);
}

tn_array_t* tn__view_slice(tn_scope_t* scope, tn_array_t* x, const int64_t* starts,
                           const int64_t* limits, const int64_t* steps) {
  int64_t strides[TN_MAX_RANK], dims[TN_MAX_RANK];
  int64_t offset = x->byte_offset;
  bool is_same = true;
  if (x->dtype == TN_DTYPE_INVALID) return x;
  for (size_t i = 0; i < x->rank; ++i) {
    dims[i] = limits[i] > starts[i] ? (limits[i] - starts[i] - 1) / steps[i] + 1 : 0;
    strides[i] = dims[i] > 1 ? x->strides[i] * steps[i] : x->strides[i];
    if (dims[i]) offset += x->strides[i] * starts[i];
    if (dims[i] != x->dims[i]) is_same = false;
  }
  if (is_same) return x;
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("start_indices", x->rank, starts),
      TN_I64_LIST_ATTR("limit_indices", x->rank, limits),
      TN_I64_LIST_ATTR("strides", x->rank, steps),
  };
  return tn__view(scope, TN__OP(slice), x, 3, attributes, x->rank, dims, strides, offset);
}

tn_array_t* tn_array_slice(tn_scope_t* scope, tn_array_t* a, const int64_t* starts,
                           const int64_t* stops, const int64_t* strides) {
  TN__OPERATION_ON(scope, "slice", a);
  int64_t first[TN_MAX_RANK] = {0}, limits[TN_MAX_RANK] = {0}, steps[TN_MAX_RANK] = {0};
  int64_t backward[TN_MAX_RANK];
  size_t backward_count = 0;
  TN__RETURN_IF_FAILED(tn__check_list(scope, "starts", a->rank, starts));
  TN__RETURN_IF_FAILED(tn__check_list(scope, "stops", a->rank, stops));
  for (size_t i = 0; i < a->rank; ++i) {
    const int64_t dim = a->dims[i];
    int64_t step = strides ? strides[i] : 1;
    if (step == 0) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                            "the stride of axis %zu is 0; it must not be 0", i);
    }
    if (step == INT64_MIN) ++step;  // its negative is a number
    steps[i] = step < 0 ? -step : step;
    int64_t start = clip(starts[i], dim, step < 0 ? -1 : 0, step < 0 ? dim - 1 : dim);
    // Backwards, a stop before the first element says so by being below -dim.
    int64_t stop = clip(stops[i], dim, step < 0 ? -1 : 0, step < 0 ? dim - 1 : dim);
    if (step < 0) {
      backward[backward_count++] = (int64_t)i;
      start = dim - 1 - start;
      stop = dim - 1 - stop;
    }
    first[i] = stop > start ? start : 0;
    limits[i] = stop > start ? stop : 0;
  }
  a = tn__view_reverse(scope, a, backward_count, backward);
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &a));
  return tn__view_slice(scope, a, first, limits, steps);
}

// --- reshape

// Strides of the new shape over the same elements: each group of old dimensions that makes a group
// of new ones must be evenly spaced. False when the elements must be moved.
static bool find_strides(const tn_array_t* x, size_t rank, const int64_t* dims,
                         int64_t* out_strides) {
  size_t old = 0, new = 0;
  while (new < rank) {
    size_t old_end = old, new_end = new;
    int64_t old_size = 1, new_size = 1;
    if (dims[new] == 1) {
      out_strides[new ++] = (int64_t)tn_dtype_byte_size(x->dtype);
      continue;
    }
    while (old_end < x->rank && x->dims[old_end] == 1) ++old_end;
    old = old_end;
    if (old == x->rank) return false;
    old_size = x->dims[old_end++];
    new_size = dims[new_end++];
    while (old_size != new_size) {
      if (old_size < new_size) {
        old_size *= x->dims[old_end++];
      } else {
        new_size *= dims[new_end++];
      }
    }
    int64_t inner = 0, stride = 0;  // of the last old dimension in the group
    for (size_t i = old_end; i-- > old;) {
      if (x->dims[i] == 1) continue;
      if (inner && x->strides[i] != inner) return false;
      if (!inner) stride = x->strides[i];
      inner = x->strides[i] * x->dims[i];
      if (inner == 0) inner = INT64_MIN;  // broadcast: nothing may follow
    }
    for (size_t i = new_end; i-- > new;) {
      out_strides[i] = stride;
      stride *= dims[i];
    }
    old = old_end;
    new = new_end;
  }
  return true;
}

// Puts the number in the place of -1; false when the sizes do not agree.
static bool resolve_dims(const tn_array_t* x, size_t rank, const int64_t* wanted, int64_t* dims) {
  int64_t known = 1;
  size_t unknown = SIZE_MAX;
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = wanted[i];
    if (wanted[i] == -1 && unknown == SIZE_MAX) {
      unknown = i;
    } else if (wanted[i] < 0 || __builtin_mul_overflow(known, wanted[i], &known)) {
      return false;
    }
  }
  const int64_t size = tn_array_size(x);
  if (unknown == SIZE_MAX) return known == size;
  if (known == 0 || size % known) return false;
  dims[unknown] = size / known;
  return true;
}

tn_array_t* tn_array_reshape(tn_scope_t* scope, tn_array_t* a, size_t rank, const int64_t* dims) {
  TN__OPERATION_ON(scope, "reshape", a);
  int64_t resolved[TN_MAX_RANK] = {0}, strides[TN_MAX_RANK];
  TN__RETURN_IF_FAILED(tn__check_dims(scope, rank, dims));
  if (!resolve_dims(a, rank, dims, resolved)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "an array of %lld elements has no shape %s", (long long)tn_array_size(a),
                          TN_SHAPE_TEXT(rank, dims));
  }
  if (rank == a->rank && memcmp(resolved, a->dims, rank * sizeof *resolved) == 0) return a;
  if (tn_array_size(a) == 0 || !find_strides(a, rank, resolved, strides)) {
    return tn__apply(scope, TN__OP(reshape), 1, &a, a->dtype, rank, resolved);
  }
  return tn__view(scope, TN__OP(reshape), a, 0, NULL, rank, resolved, strides, a->byte_offset);
}
