// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "array/gather.h"
#include "lazy/body.h"

tn_array_t* tn__wrap_indices(tn_scope_t* scope, tn_array_t** indices, int64_t size) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, indices));
  if (tn_array_size(*indices) == 0) {  // of any dtype, as an empty list has none of its own
    *indices = tn_array_astype(scope, *indices, TN_DTYPE_S32);
    return tn__check_operands(scope, 1, indices);
  }
  const tn_dtype_t dtype = (*indices)->dtype;
  const tn_kind_t kind = tn_dtype_kind(dtype);
  if (!(kind & TN_KIND_INTEGER)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "indices are %s; expected integers",
                          tn_dtype_name(dtype));
  }
  if (kind == TN_KIND_UNSIGNED) return NULL;
  const bool is_wide = tn_dtype_bit_width(dtype) > 32 || size > INT32_MAX;
  tn_array_t* places = tn_array_astype(scope, *indices, is_wide ? TN_DTYPE_S64 : TN_DTYPE_S32);
  tn_array_t* from_end = tn_array_add(scope, places, tn__number_like(scope, places, (double)size));
  *indices = tn_array_where(scope, tn_array_less(scope, places, tn__number_like(scope, places, 0)),
                            from_end, places);
  return tn__check_operands(scope, 1, indices);
}

tn_array_t* tn__gather(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices, size_t vector_dim,
                       const tn_indexed_t* indexed, size_t rank, const int64_t* dims) {
  int64_t sizes[TN_MAX_RANK];
  tn_array_t* operands[] = {x, indices};
  for (size_t i = 0; i < rank; ++i) {  // of nothing, even where there is nothing to take it from
    if (dims[i] == 0) return tn_array_zeros(scope, x->dtype, rank, dims);
  }
  for (size_t i = 0; i < x->rank; ++i) sizes[i] = x->dims[i];
  for (size_t i = 0; i < indexed->indexed_count; ++i) sizes[indexed->indexed[i]] = 1;
  for (size_t i = 0; i < indexed->batch_count; ++i) sizes[indexed->batch[i]] = 1;
  const tn_named_attr_t fields[] = {
      TN_I64_LIST_ATTR("offset_dims", indexed->window_count, indexed->window),
      TN_I64_LIST_ATTR("collapsed_slice_dims", indexed->indexed_count, indexed->indexed),
      TN_I64_LIST_ATTR("operand_batching_dims", indexed->batch_count, indexed->batch),
      TN_I64_LIST_ATTR("start_indices_batching_dims", indexed->batch_count, indexed->index_batch),
      TN_I64_LIST_ATTR("start_index_map", indexed->indexed_count, indexed->indexed),
      TN_I64_ATTR("index_vector_dim", (int64_t)vector_dim),
  };
  const tn_named_attr_t attributes[] = {
      TN_STRUCT_ATTR("dimension_numbers", "gather", 6, fields),
      TN_I64_LIST_ATTR("slice_sizes", x->rank, sizes),
  };
  return tn__apply_with(scope, TN__OP(gather), 2, operands, 2, attributes, x->dtype, rank, dims);
}

tn_array_t* tn__scatter(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices, size_t vector_dim,
                        tn_array_t* updates, const tn_indexed_t* indexed, const tn_region_t* body) {
  tn_array_t* operands[] = {x, indices, updates};
  const tn_named_attr_t fields[] = {
      TN_I64_LIST_ATTR("update_window_dims", indexed->window_count, indexed->window),
      TN_I64_LIST_ATTR("inserted_window_dims", indexed->indexed_count, indexed->indexed),
      TN_I64_LIST_ATTR("input_batching_dims", indexed->batch_count, indexed->batch),
      TN_I64_LIST_ATTR("scatter_indices_batching_dims", indexed->batch_count, indexed->index_batch),
      TN_I64_LIST_ATTR("scatter_dims_to_operand_dims", indexed->indexed_count, indexed->indexed),
      TN_I64_ATTR("index_vector_dim", (int64_t)vector_dim),
  };
  const tn_named_attr_t attribute =
      TN_STRUCT_ATTR("scatter_dimension_numbers", "scatter", 6, fields);
  const tn_array_type_t type = {x->dtype, x->rank, x->dims};
  return tn__apply_body(scope, TN__OP(scatter), 3, operands, 1, &attribute, body, &type);
}

const tn_region_t* tn__scatter_body(tn_scope_t* scope, tn_scatter_mode_t mode, tn_dtype_t dtype) {
  switch (mode) {
    case TN_SCATTER_SET: break;
    case TN_SCATTER_ADD:
    case TN_SCATTER_SUBTRACT: return tn__body_of(scope, TN__OP(add), dtype);
    case TN_SCATTER_MULTIPLY:
    case TN_SCATTER_DIVIDE: return tn__body_of(scope, TN__OP(multiply), dtype);
    case TN_SCATTER_MAXIMUM: return tn__body_of(scope, TN__OP(maximum), dtype);
    case TN_SCATTER_MINIMUM: return tn__body_of(scope, TN__OP(minimum), dtype);
  }
  return tn__body_replacing(scope, dtype);
}

tn_array_t* tn__scatter_updates(tn_scope_t* scope, tn_scatter_mode_t mode, tn_array_t* updates) {
  if (mode == TN_SCATTER_SUBTRACT) return tn_array_negative(scope, updates);
  if (mode == TN_SCATTER_DIVIDE) {
    const tn_dtype_t dtype = updates->dtype;
    if (dtype == TN_DTYPE_INVALID) return updates;
    return tn_array_astype(scope, tn_array_reciprocal(scope, updates), dtype);
  }
  return updates;
}

tn_array_t* tn__scatter_combine(tn_scope_t* scope, tn_scatter_mode_t mode, tn_array_t* there,
                                tn_array_t* updates) {
  switch (mode) {
    case TN_SCATTER_SET: break;
    case TN_SCATTER_ADD: return tn_array_add(scope, there, updates);
    case TN_SCATTER_SUBTRACT: return tn_array_subtract(scope, there, updates);
    case TN_SCATTER_MULTIPLY: return tn_array_multiply(scope, there, updates);
    case TN_SCATTER_DIVIDE:
      return tn_array_multiply(scope, there, tn__scatter_updates(scope, mode, updates));
    case TN_SCATTER_MAXIMUM: return tn_array_maximum(scope, there, updates);
    case TN_SCATTER_MINIMUM: return tn_array_minimum(scope, there, updates);
  }
  return updates;
}

// --- along one axis

tn_array_t* tn_array_take(tn_scope_t* scope, tn_array_t* a, tn_array_t* indices, int64_t axis) {
  TN__OPERATION_ON(scope, "take", a, indices);
  tn_indexed_t indexed = {.indexed_count = 1};
  tn_array_shape_t shape = {0};
  size_t at = 0;
  if (axis == TN_ALL_AXES) {
    a = tn_array_flatten(scope, a, 0, -1);
    if (a->dtype == TN_DTYPE_INVALID) return a;
  } else {
    TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, a->rank, &at));
  }
  TN__RETURN_IF_FAILED(tn__wrap_indices(scope, &indices, a->dims[at]));
  if (a->rank - 1 + indices->rank > TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%zu dimensions at indices of %zu are too many", (size_t)a->rank,
                          (size_t)indices->rank);
  }
  if (a->dims[at] == 0 && tn_array_size(indices) != 0) {
    return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE, "axis %zu of the shape %s is empty", at,
                          TN_SHAPE_TEXT(a->rank, a->dims));
  }
  indexed.indexed[0] = (int64_t)at;
  for (size_t i = 0; i < a->rank; ++i) {
    if (i == at) {
      for (size_t d = 0; d < indices->rank; ++d) shape.dims[shape.rank++] = indices->dims[d];
    } else {
      indexed.window[indexed.window_count++] = (int64_t)shape.rank;
      shape.dims[shape.rank++] = a->dims[i];
    }
  }
  if (tn_array_size(a) == 0) return tn_array_zeros(scope, a->dtype, shape.rank, shape.dims);
  return tn__gather(scope, a, indices, indices->rank, &indexed, shape.rank, shape.dims);
}

// `x` and the indices of one rank, which go along in all dimensions but the axis.
static tn_array_t* prepare_along(tn_scope_t* scope, tn_array_t** x, tn_array_t** indices,
                                 int64_t axis, tn_indexed_t* out_indexed) {
  tn_array_t* operands[] = {*x, *indices};
  size_t at = 0;
  tn_array_shape_t shape = {0}, index_shape = {0};
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  if (axis == TN_ALL_AXES) {
    *x = tn_array_flatten(scope, *x, 0, -1);
    *indices = tn_array_flatten(scope, *indices, 0, -1);
    operands[0] = *x;
    operands[1] = *indices;
    TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  } else {
    TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, (*x)->rank, &at));
  }
  if ((*x)->rank != (*indices)->rank) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the array has shape %s and the indices %s; expected as many "
                          "dimensions",
                          TN_SHAPE_TEXT((*x)->rank, (*x)->dims),
                          TN_SHAPE_TEXT((*indices)->rank, (*indices)->dims));
  }
  TN__RETURN_IF_FAILED(tn__wrap_indices(scope, indices, (*x)->dims[at]));
  const size_t rank = (*x)->rank;
  shape.rank = index_shape.rank = rank;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t a = (*x)->dims[i], b = (*indices)->dims[i];
    shape.dims[i] = index_shape.dims[i] = a == 1 ? b : a;
    if (i == at) {
      shape.dims[i] = a;
      index_shape.dims[i] = b;
    } else if (a != b && a != 1 && b != 1) {
      return tn__scope_fail(
          scope, TN_CODE_INVALID_ARGUMENT, "shapes %s and %s do not broadcast (dimension %zu)",
          TN_SHAPE_TEXT(rank, (*x)->dims), TN_SHAPE_TEXT(rank, (*indices)->dims), i);
    }
  }
  operands[0] = *x = tn_array_broadcast_to(scope, *x, rank, shape.dims);
  operands[1] = *indices = tn_array_broadcast_to(scope, *indices, rank, index_shape.dims);
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  *out_indexed = (tn_indexed_t){.indexed_count = 1, .indexed = {(int64_t)at}};
  for (size_t i = 0; i < rank; ++i) {
    if (i == at) continue;
    out_indexed->batch[out_indexed->batch_count] = (int64_t)i;
    out_indexed->index_batch[out_indexed->batch_count++] = (int64_t)i;
  }
  return NULL;
}

tn_array_t* tn_array_take_along_axis(tn_scope_t* scope, tn_array_t* a, tn_array_t* indices,
                                     int64_t axis) {
  TN__OPERATION(scope, "take_along_axis");
  tn_indexed_t indexed;
  TN__RETURN_IF_FAILED(prepare_along(scope, &a, &indices, axis, &indexed));
  if (tn_array_size(a) == 0 && tn_array_size(indices) != 0) {
    return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE, "the array of shape %s is empty",
                          TN_SHAPE_TEXT(a->rank, a->dims));
  }
  // Sizes of 1 would not fit an array without elements.
  if (tn_array_size(indices) == 0) {
    return tn_array_zeros(scope, a->dtype, indices->rank, indices->dims);
  }
  return tn__gather(scope, a, indices, indices->rank, &indexed, indices->rank, indices->dims);
}

tn_array_t* tn_array_put_along_axis(tn_scope_t* scope, tn_array_t* a, tn_array_t* indices,
                                    tn_array_t* values, int64_t axis, tn_scatter_mode_t mode) {
  TN__OPERATION_ON(scope, "put_along_axis", a);
  tn_array_shape_t shape;
  tn_indexed_t indexed;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &values));
  TN__RETURN_IF_FAILED(tn__check_choice(scope, "mode", (int)mode, TN_SCATTER_MINIMUM));
  shape.rank = a->rank;
  if (a->rank) memcpy(shape.dims, a->dims, a->rank * sizeof *shape.dims);
  TN__RETURN_IF_FAILED(prepare_along(scope, &a, &indices, axis, &indexed));
  values = tn_array_astype(scope, values, a->dtype);
  if (axis == TN_ALL_AXES && values->rank > 1) values = tn_array_flatten(scope, values, 0, -1);
  values = tn_array_broadcast_to(scope, values, indices->rank, indices->dims);
  values = tn__scatter_updates(scope, mode, values);
  a = tn__scatter(scope, a, indices, indices->rank, values, &indexed,
                  tn__scatter_body(scope, mode, a->dtype));
  return axis == TN_ALL_AXES ? tn_array_reshape(scope, a, shape.rank, shape.dims) : a;
}

// --- strides over memory that is not there

tn_array_t* tn_array_as_strided(tn_scope_t* scope, tn_array_t* a, size_t rank, const int64_t* dims,
                                const int64_t* strides, int64_t offset) {
  TN__OPERATION_ON(scope, "as_strided", a);
  int64_t low = offset, high = offset;
  bool is_empty = false;
  TN__RETURN_IF_FAILED(tn__check_dims(scope, rank, dims));
  TN__RETURN_IF_FAILED(tn__check_list(scope, "strides", rank, strides));
  tn_array_t* places =
      tn_array_full(scope, rank, dims, tn_array_scalar(scope, TN_DTYPE_S64, (double)offset));
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = 0;
    if (dims[i] == 0) is_empty = true;
    if (dims[i] < 1) continue;
    int64_t* end = strides[i] < 0 ? &low : &high;
    if (__builtin_mul_overflow(dims[i] - 1, strides[i], &extent) ||
        __builtin_add_overflow(*end, extent, end)) {
      return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE, "stride %lld of axis %zu is too large",
                            (long long)strides[i], i);
    }
    tn_array_t* count = tn__iota(scope, TN_DTYPE_S64, rank, dims, i);
    places = tn_array_add(
        scope, places,
        tn_array_multiply(scope, count, tn__number_like(scope, count, (double)strides[i])));
  }
  if (!is_empty && (low < 0 || high >= tn_array_size(a))) {
    return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE,
                          "the strides reach from element %lld to %lld; the array has %lld",
                          (long long)low, (long long)high, (long long)tn_array_size(a));
  }
  return tn_array_take(scope, tn_array_flatten(scope, a, 0, -1), places, 0);
}
