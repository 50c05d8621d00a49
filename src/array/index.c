// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Indexing as NumPy does it: x[1:3, ..., i, None].
#include "array/gather.h"
#include "array/mask.h"

// Items, resolved against the shape of an array.
typedef struct tn_selection {
  // Of each dimension of the array.
  int64_t starts[TN_MAX_RANK], stops[TN_MAX_RANK], steps[TN_MAX_RANK];
  bool is_dropped[TN_MAX_RANK];     // has an integer
  tn_array_t* arrays[TN_MAX_RANK];  // has an array of indices; NULL: none
  size_t array_count;
  bool is_whole;  // every dimension without integer or array is there in full
  // The result's shape before arrays: sizes of kept dimensions and new ones; where arrays come.
  size_t first_array;      // how many entries of `kept` come before the arrays' dimensions
  tn_array_shape_t kept;   // without the arrays' dimensions
  tn_array_shape_t index;  // the arrays', broadcast
} tn_selection_t;

static size_t consumed(const tn_index_t* item) {
  return item->kind == TN_INDEX_INTEGER || item->kind == TN_INDEX_SLICE ||
         item->kind == TN_INDEX_ARRAY;
}

static tn_array_t* keep(tn_scope_t* scope, tn_selection_t* selection, int64_t dim) {
  if (selection->kept.rank < TN_MAX_RANK) {
    selection->kept.dims[selection->kept.rank++] = dim;
    return NULL;
  }
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "the result has more than %d dimensions",
                        TN_MAX_RANK);
}

// Python's rule for the bounds of a slice, and how many elements it has.
static int64_t resolve_slice(const tn_index_t* item, int64_t dim, int64_t* out_start,
                             int64_t* out_stop, int64_t step) {
  const int64_t lowest = step < 0 ? -1 : 0, highest = step < 0 ? dim - 1 : dim;
  int64_t start = item->start, stop = item->stop;
  if (start == TN_INDEX_OPEN) {
    start = step < 0 ? highest : lowest;
  } else {
    if (start < 0) start += dim;
    start = start < lowest ? lowest : start > highest ? highest : start;
  }
  if (stop == TN_INDEX_OPEN) {
    stop = step < 0 ? lowest : highest;
  } else {
    if (stop < 0) stop += dim;
    stop = stop < lowest ? lowest : stop > highest ? highest : stop;
  }
  const int64_t length = step < 0 ? start - stop : stop - start;
  if (length <= 0) {
    *out_start = *out_stop = 0;
    return 0;
  }
  *out_start = start;
  // In the words of tn_array_slice, what is before the first element is below -dim.
  *out_stop = stop < 0 ? -dim - 1 : stop;
  return (length - 1) / (step < 0 ? -step : step) + 1;
}

static tn_array_t* resolve_item(tn_scope_t* scope, const tn_array_t* x, const tn_index_t* item,
                                bool has_arrays, size_t axis, tn_selection_t* selection) {
  const int64_t dim = x->dims[axis];
  if (item->kind == TN_INDEX_SLICE) {
    int64_t step = item->step ? item->step : 1;
    if (step == INT64_MIN) ++step;  // its negative is a number
    const int64_t length =
        resolve_slice(item, dim, &selection->starts[axis], &selection->stops[axis], step);
    selection->steps[axis] = step;
    if (length != dim || step < 0) selection->is_whole = false;
    return keep(scope, selection, length);
  }
  if (item->kind == TN_INDEX_ARRAY) {
    selection->arrays[axis] = item->array;
    return tn__wrap_indices(scope, &selection->arrays[axis], dim);
  }
  if (item->start < -dim || item->start >= dim) {
    return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE,
                          "%lld is outside of axis %zu of the shape %s", (long long)item->start,
                          axis, TN_SHAPE_TEXT(x->rank, x->dims));
  }
  const int64_t at = item->start < 0 ? item->start + dim : item->start;
  if (has_arrays) {  // an integer beside arrays is one of them
    selection->arrays[axis] = tn_array_scalar(scope, TN_DTYPE_S32, (double)at);
    if (at > INT32_MAX) selection->arrays[axis] = tn_array_scalar(scope, TN_DTYPE_S64, (double)at);
    return NULL;
  }
  selection->starts[axis] = at;
  selection->stops[axis] = at + 1;
  selection->is_dropped[axis] = true;
  if (dim != 1) selection->is_whole = false;
  return NULL;
}

static tn_array_t* resolve(tn_scope_t* scope, tn_array_t* x, size_t count, const tn_index_t* items,
                           tn_selection_t* selection) {
  size_t needed = 0, ellipses = 0, axis = 0;
  bool has_arrays = false, is_in_arrays = false, is_apart = false;
  *selection = (tn_selection_t){.is_whole = true};
  for (size_t i = 0; i < count; ++i) {
    needed += consumed(&items[i]);
    if (items[i].kind == TN_INDEX_ELLIPSIS) ++ellipses;
    if (items[i].kind == TN_INDEX_ARRAY) has_arrays = true;
  }
  if (needed > x->rank || ellipses > 1) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%zu indices and %zu ellipses for an array of %zu "
                          "dimensions",
                          needed, ellipses, (size_t)x->rank);
  }
  for (size_t i = 0; i < x->rank; ++i) {
    selection->stops[i] = x->dims[i];
    selection->steps[i] = 1;
  }
  for (size_t i = 0; i < count; ++i) {
    const tn_index_t* item = &items[i];
    const bool is_array =
        has_arrays && (item->kind == TN_INDEX_ARRAY || item->kind == TN_INDEX_INTEGER);
    if (is_array && !is_in_arrays && selection->array_count) is_apart = true;
    if (is_array && selection->array_count++ == 0) selection->first_array = selection->kept.rank;
    is_in_arrays = is_array;
    if (item->kind == TN_INDEX_NEW_AXIS) {
      TN__RETURN_IF_FAILED(keep(scope, selection, 1));
    } else if (item->kind == TN_INDEX_ELLIPSIS) {
      for (size_t rest = x->rank - needed; rest > 0; --rest) {
        TN__RETURN_IF_FAILED(keep(scope, selection, x->dims[axis++]));
      }
    } else
      TN__RETURN_IF_FAILED(resolve_item(scope, x, item, has_arrays, axis++, selection));
  }
  for (; axis < x->rank; ++axis) {
    TN__RETURN_IF_FAILED(keep(scope, selection, x->dims[axis]));
  }
  // Arrays that have other dimensions between them put theirs first.
  if (is_apart) selection->first_array = 0;
  return NULL;
}

// The arrays in one: along its last dimension, an index for each dimension that has one.
static tn_array_t* join_arrays(tn_scope_t* scope, size_t rank, tn_selection_t* selection,
                               tn_indexed_t* indexed) {
  tn_array_t* parts[TN_MAX_RANK];
  size_t count = 0;
  bool is_wide = false;
  for (size_t i = 0; i < rank; ++i) {
    if (!selection->arrays[i]) continue;
    indexed->indexed[count] = (int64_t)i;
    parts[count++] = selection->arrays[i];
    if (tn_dtype_bit_width(selection->arrays[i]->dtype) > 32 ||
        selection->arrays[i]->dtype == TN_DTYPE_U32) {
      is_wide = true;
    }
  }
  indexed->indexed_count = count;
  TN__RETURN_IF_FAILED(tn__broadcast_shapes(scope, count, parts, &selection->index));
  if (selection->index.rank + selection->kept.rank > TN_MAX_RANK ||
      selection->index.rank + 1 > TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "the result has more than %d dimensions",
                          TN_MAX_RANK);
  }
  for (size_t i = 0; i < count; ++i) {
    parts[i] = tn_array_astype(scope, parts[i], is_wide ? TN_DTYPE_S64 : TN_DTYPE_S32);
    parts[i] = tn_array_broadcast_to(scope, parts[i], selection->index.rank, selection->index.dims);
  }
  return tn_array_stack(scope, count, parts, -1);
}

// The dimensions of `x` that have no array, and where they come: the arrays' are first or between.
static void place_windows(const tn_array_t* x, const tn_selection_t* selection,
                          tn_indexed_t* indexed, tn_array_shape_t* out_shape) {
  size_t before = 0;  // kept dimensions of x in front of the first array, new ones not counted
  if (selection->first_array > 0) {
    while (!selection->arrays[before]) ++before;
  }
  *out_shape = (tn_array_shape_t){0};
  bool is_placed = false;
  for (size_t i = 0; i <= x->rank; ++i) {
    for (size_t d = 0; indexed->window_count == before && !is_placed; ++d) {
      is_placed = d == selection->index.rank;
      if (!is_placed) out_shape->dims[out_shape->rank++] = selection->index.dims[d];
    }
    if (i == x->rank || selection->arrays[i]) continue;
    indexed->window[indexed->window_count++] = (int64_t)out_shape->rank;
    out_shape->dims[out_shape->rank++] = x->dims[i];
  }
}

// With new dimensions, and without those of integers.
static tn_array_t* reshape_result(tn_scope_t* scope, const tn_selection_t* selection,
                                  tn_array_t* x) {
  tn_array_shape_t shape = {0};
  for (size_t i = 0; i <= selection->kept.rank; ++i) {
    if (i == selection->first_array && selection->array_count) {
      for (size_t d = 0; d < selection->index.rank; ++d) {
        shape.dims[shape.rank++] = selection->index.dims[d];
      }
    }
    if (i < selection->kept.rank) shape.dims[shape.rank++] = selection->kept.dims[i];
  }
  return tn_array_reshape(scope, x, shape.rank, shape.dims);
}

// Nothing can be taken of an axis without elements, but nothing.
static tn_array_t* check_empty(tn_scope_t* scope, const tn_array_t* x,
                               const tn_selection_t* selection, const tn_array_t* indices) {
  for (size_t i = 0; i < x->rank; ++i) {
    if (!selection->arrays[i] || x->dims[i] || tn_array_size(indices) == 0) continue;
    return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE, "axis %zu of the shape %s is empty", i,
                          TN_SHAPE_TEXT(x->rank, x->dims));
  }
  return NULL;
}

static tn_array_t* check_items(tn_scope_t* scope, size_t count, const tn_index_t* items) {
  TN__RETURN_IF_FAILED(tn__check_list(scope, "items", count, items));
  for (size_t i = 0; i < count; ++i) {
    TN__RETURN_IF_FAILED(
        tn__check_choice(scope, "kind of an item", (int)items[i].kind, TN_INDEX_ARRAY));
  }
  return NULL;
}

// A mask without dimensions selects all of the array or nothing, along a new first dimension: the
// array with that dimension, and the mask of it. False for other items.
static bool spread_scalar_mask(tn_scope_t* scope, size_t count, const tn_index_t* items,
                               tn_array_t** array, tn_index_t* out_item) {
  static const int64_t first = 0, one = 1;
  if (!tn__is_mask_alone(count, items)) return false;
  tn_array_t* mask = items[0].array;  // NOLINT(clang-analyzer-core.CallAndMessage): there is one
  if (mask->rank) return false;
  *array = tn_array_expand_dims(scope, *array, 1, &first);
  *out_item = TN_AT_ARRAY(tn_array_reshape(scope, mask, 1, &one));
  return true;
}

tn_array_t* tn_array_index(tn_scope_t* scope, tn_array_t* a, size_t count,
                           const tn_index_t* items) {
  TN__OPERATION_ON(scope, "index", a);
  tn_selection_t selection;
  tn_indexed_t indexed = {0};
  tn_array_shape_t shape;
  TN__RETURN_IF_FAILED(check_items(scope, count, items));
  tn_index_t only;
  if (spread_scalar_mask(scope, count, items, &a, &only)) {
    return tn_array_index(scope, a, 1, &only);
  }
  if (tn__has_masks(count, items)) {
    tn_items_t found;
    tn_array_t* result = tn__find_masked(scope, a, count, items, &found);
    if (!result) result = tn_array_index(scope, a, found.count, found.items);
    tn__items_free(&found);
    return result;
  }
  TN__RETURN_IF_FAILED(resolve(scope, a, count, items, &selection));
  tn_array_t* part = tn_array_slice(scope, a, selection.starts, selection.stops, selection.steps);
  if (part->dtype == TN_DTYPE_INVALID) return part;
  if (selection.array_count == 0) return reshape_result(scope, &selection, part);
  tn_array_t* indices = join_arrays(scope, a->rank, &selection, &indexed);
  if (indices->dtype == TN_DTYPE_INVALID) return indices;
  place_windows(part, &selection, &indexed, &shape);
  if (tn_array_size(part) == 0) {
    TN__RETURN_IF_FAILED(check_empty(scope, a, &selection, indices));
    part = tn_array_zeros(scope, a->dtype, shape.rank, shape.dims);
    return reshape_result(scope, &selection, part);
  }
  part = tn__gather(scope, part, indices, indices->rank - 1, &indexed, shape.rank, shape.dims);
  return reshape_result(scope, &selection, part);
}

// --- updates

// Updates as the indexed part has its elements: of the same dtype and shape.
static tn_array_t* fit_updates(tn_scope_t* scope, tn_array_t* updates, tn_dtype_t dtype,
                               size_t rank, const int64_t* dims) {
  size_t lead = 0;
  while (updates->rank - lead > rank && updates->dims[lead] == 1) ++lead;
  updates = tn_array_reshape(scope, updates, updates->rank - lead, updates->dims + lead);
  return tn_array_broadcast_to(scope, tn_array_astype(scope, updates, dtype), rank, dims);
}

// What is between elements of a slice with steps keeps its values.
static tn_array_t* put_slice(tn_scope_t* scope, tn_array_t* x, const tn_selection_t* selection,
                             tn_array_t* updates) {
  tn_array_t* operands[2 + TN_MAX_RANK] = {x, updates};
  int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], between[TN_MAX_RANK], flipped[TN_MAX_RANK];
  size_t flipped_count = 0;
  bool is_dense = true;
  for (size_t i = 0; i < x->rank; ++i) {
    const int64_t step = selection->steps[i], count = updates->dims[i];
    const int64_t size = step < 0 ? -step : step;
    if (step < 0) flipped[flipped_count++] = (int64_t)i;
    low[i] = step < 0 ? selection->starts[i] - (count - 1) * size : selection->starts[i];
    between[i] = size - 1;
    if (size != 1 && count > 1) is_dense = false;
    const int64_t span = (count - 1) * size + 1;
    high[i] = x->dims[i] - low[i] - span;
  }
  if (flipped_count) updates = tn_array_flip(scope, updates, flipped_count, flipped);
  if (is_dense) {
    operands[1] = updates;
    for (size_t i = 0; i < x->rank; ++i) {
      operands[2 + i] = tn_array_scalar(scope, TN_DTYPE_S64, (double)low[i]);
    }
    return tn__apply(scope, TN__OP(dynamic_update_slice), 2 + x->rank, operands, x->dtype, x->rank,
                     x->dims);
  }
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("edge_padding_low", x->rank, low),
      TN_I64_LIST_ATTR("edge_padding_high", x->rank, high),
      TN_I64_LIST_ATTR("interior_padding", x->rank, between),
  };
  tn_array_t* yes = tn_array_scalar(scope, TN_DTYPE_PRED, 1);
  tn_array_t* mask[] = {tn_array_full(scope, updates->rank, updates->dims, yes),
                        tn_array_scalar(scope, TN_DTYPE_PRED, 0)};
  tn_array_t* padded[] = {updates, tn__number_like(scope, updates, 0)};
  return tn_array_where(
      scope,
      tn__apply_with(scope, TN__OP(pad), 2, mask, 3, attributes, TN_DTYPE_PRED, x->rank, x->dims),
      tn__apply_with(scope, TN__OP(pad), 2, padded, 3, attributes, x->dtype, x->rank, x->dims), x);
}

static tn_array_t* update_slice(tn_scope_t* scope, tn_array_t* x, const tn_selection_t* selection,
                                tn_array_t* updates, tn_scatter_mode_t mode) {
  tn_array_t* part =
      tn_array_slice(scope, x, selection->starts, selection->stops, selection->steps);
  if (part->dtype == TN_DTYPE_INVALID || tn_array_size(part) == 0) {
    return part->dtype == TN_DTYPE_INVALID ? part : x;
  }
  updates = fit_updates(scope, updates, x->dtype, selection->kept.rank, selection->kept.dims);
  updates = tn_array_reshape(scope, updates, part->rank, part->dims);
  updates = tn__scatter_combine(scope, mode, part, updates);
  return updates->dtype == TN_DTYPE_INVALID ? updates : put_slice(scope, x, selection, updates);
}

// An index of an axis that has one place more at each end, which stands for all beyond it.
static tn_array_t* index_with_margin(tn_scope_t* scope, tn_array_t* index, int64_t size) {
  if (tn_dtype_kind(index->dtype) == TN_KIND_SIGNED) {
    index = tn_array_maximum(scope, index, tn__number_like(scope, index, -1));
  }
  index = tn_array_minimum(scope, index, tn__number_like(scope, index, (double)size));
  index = tn_array_astype(scope, index, size < INT32_MAX ? TN_DTYPE_S32 : TN_DTYPE_S64);
  return tn_array_add(scope, index, tn__number_like(scope, index, 1));
}

// The place in one line that each update belongs to; for those outside of x one behind the last.
static tn_array_t* find_places(tn_scope_t* scope, tn_array_t* x, size_t count,
                               const tn_index_t* items, const tn_selection_t* selection) {
  const int64_t size = tn_array_size(x);
  const tn_dtype_t dtype = size >= INT32_MAX ? TN_DTYPE_S64 : TN_DTYPE_S32;
  int64_t margins[TN_MAX_RANK] = {0};
  tn_index_t moved[2 * TN_MAX_RANK + 1];  // new dimensions, those of x, and an ellipsis
  size_t needed = 0, axis = 0;
  for (size_t i = 0; i < count; ++i) needed += consumed(&items[i]);
  for (size_t i = 0; i < count; ++i) {
    moved[i] = items[i];
    if (items[i].kind == TN_INDEX_ELLIPSIS) axis += x->rank - needed;
    if (!consumed(&items[i])) continue;
    tn_array_t* index = selection->arrays[axis];
    if (index) {
      moved[i] = TN_AT_ARRAY(index_with_margin(scope, index, x->dims[axis]));
      margins[axis] = 1;
    }
    ++axis;
  }
  tn_array_t* places =
      tn_array_reshape(scope, tn__iota(scope, dtype, 1, &size, 0), x->rank, x->dims);
  if (size == 0) return tn_array_index(scope, places, count, items);
  tn_array_t* outside = tn__number_like(scope, places, (double)size);
  places = tn_array_pad(scope, places, margins, margins, TN_PAD_CONSTANT, outside);
  return tn_array_index(scope, places, count, moved);
}

// Through the places of the elements in one line: for slices beside arrays.
static tn_array_t* update_places(tn_scope_t* scope, tn_array_t* x, size_t count,
                                 const tn_index_t* items, const tn_selection_t* selection,
                                 tn_array_t* updates, tn_scatter_mode_t mode) {
  const tn_indexed_t indexed = {.indexed_count = 1};
  tn_array_t* places = find_places(scope, x, count, items, selection);
  if (places->dtype == TN_DTYPE_INVALID) return places;
  updates = fit_updates(scope, updates, x->dtype, places->rank, places->dims);
  updates = tn__scatter_updates(scope, mode, tn_array_flatten(scope, updates, 0, -1));
  places = tn_array_flatten(scope, places, 0, -1);
  tn_array_t* result = tn__scatter(scope, tn_array_flatten(scope, x, 0, -1), places, 1, updates,
                                   &indexed, tn__scatter_body(scope, mode, x->dtype));
  return tn_array_reshape(scope, result, x->rank, x->dims);
}

tn_array_t* tn_array_index_update(tn_scope_t* scope, tn_array_t* a, size_t count,
                                  const tn_index_t* items, tn_array_t* updates,
                                  tn_scatter_mode_t mode) {
  TN__OPERATION_ON(scope, "index_update", a, updates);
  tn_selection_t selection;
  tn_indexed_t indexed = {0};
  tn_array_shape_t shape;
  TN__RETURN_IF_FAILED(check_items(scope, count, items));
  TN__RETURN_IF_FAILED(tn__check_choice(scope, "mode", (int)mode, TN_SCATTER_MINIMUM));
  tn_index_t only;
  tn_array_t* spread = a;
  if (spread_scalar_mask(scope, count, items, &spread, &only)) {
    tn_array_t* result = tn_array_index_update(scope, spread, 1, &only, updates, mode);
    return tn_array_reshape(scope, result, a->rank, a->dims);
  }
  if (tn__is_mask_alone(count, items)) {
    // There is one. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
    return tn__update_masked(scope, a, items[0].array, updates, mode);
  }
  if (tn__has_masks(count, items)) {
    tn_items_t found;
    tn_array_t* result = tn__find_masked(scope, a, count, items, &found);
    if (!result) result = tn_array_index_update(scope, a, found.count, found.items, updates, mode);
    tn__items_free(&found);
    return result;
  }
  TN__RETURN_IF_FAILED(resolve(scope, a, count, items, &selection));
  if (selection.array_count == 0) return update_slice(scope, a, &selection, updates, mode);
  if (!selection.is_whole) {
    return update_places(scope, a, count, items, &selection, updates, mode);
  }
  tn_array_t* indices = join_arrays(scope, a->rank, &selection, &indexed);
  if (indices->dtype == TN_DTYPE_INVALID) return indices;
  place_windows(a, &selection, &indexed, &shape);
  // The updates' shape is that of the result, in which new dimensions may occur.
  tn_array_shape_t full = {0};
  for (size_t i = 0; i <= selection.kept.rank; ++i) {
    if (i == selection.first_array) {
      for (size_t d = 0; d < selection.index.rank; ++d) {
        full.dims[full.rank++] = selection.index.dims[d];
      }
    }
    if (i < selection.kept.rank) full.dims[full.rank++] = selection.kept.dims[i];
  }
  updates = fit_updates(scope, updates, a->dtype, full.rank, full.dims);
  updates = tn_array_reshape(scope, updates, shape.rank, shape.dims);
  updates = tn__scatter_updates(scope, mode, updates);
  return tn__scatter(scope, a, indices, indices->rank - 1, updates, &indexed,
                     tn__scatter_body(scope, mode, a->dtype));
}

tn_array_t* tn_array_slice_update(tn_scope_t* scope, tn_array_t* a, tn_array_t* updates,
                                  const int64_t* starts, const int64_t* stops,
                                  const int64_t* strides, tn_scatter_mode_t mode) {
  TN__OPERATION_ON(scope, "slice_update", a);
  tn_index_t items[TN_MAX_RANK];
  TN__RETURN_IF_FAILED(tn__check_list(scope, "starts", a->rank, starts));
  TN__RETURN_IF_FAILED(tn__check_list(scope, "stops", a->rank, stops));
  for (size_t i = 0; i < a->rank; ++i) {
    items[i] = (tn_index_t){.kind = TN_INDEX_SLICE,
                            .start = starts[i],
                            .stop = stops[i],
                            .step = strides ? strides[i] : 1};
  }
  return tn_array_index_update(scope, a, a->rank, items, updates, mode);
}
