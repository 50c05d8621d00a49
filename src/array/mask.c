// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a mask selects has a shape that follows from its values, so reading it evaluates the mask.
// Updates need no values: each element finds out which of the updates is its own by counting.
#include "array/mask.h"

#include "array/gather.h"

static bool is_mask(const tn_index_t* item) {
  return item->kind == TN_INDEX_ARRAY && item->array && item->array->dtype == TN_DTYPE_PRED;
}

bool tn__has_masks(size_t count, const tn_index_t* items) {
  for (size_t i = 0; i < count; ++i) {
    if (is_mask(&items[i])) return true;
  }
  return false;
}

// --- reading

static tn_array_t* misfit(tn_scope_t* scope, const tn_array_t* x, size_t axis,
                          const tn_array_t* mask) {
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "a mask of shape %s does not fit the shape %s from dimension %zu on",
                        TN_SHAPE_TEXT(mask->rank, mask->dims), TN_SHAPE_TEXT(x->rank, x->dims),
                        axis);
}

static bool fits(const tn_array_t* x, size_t axis, const tn_array_t* mask) {
  return axis + mask->rank <= x->rank &&
         (mask->rank == 0 ||
          memcmp(x->dims + axis, mask->dims, mask->rank * sizeof *mask->dims) == 0);
}

static tn_status_t add_item(tn_items_t* items, const tn_index_t* item) {
  void* memory = items->items;
  tn_status_t status =
      tn__grow(items->allocator, &memory, &items->capacity, items->count + 1, sizeof *items->items);
  items->items = memory;
  if (!status) items->items[items->count++] = *item;
  return status;
}

void tn__items_free(tn_items_t* items) {
  tn__free(items->allocator, items->items, items->capacity * sizeof *items->items);
}

// One array of the coordinates along dimension `axis` of what is true.
static tn_status_t list_places(tn_scope_t* scope, const tn_array_t* mask, const char* values,
                               size_t axis, int64_t true_count, int64_t* places,
                               tn_array_t** out_array) {
  const int64_t size = tn_array_size(mask);
  int64_t inner = 1, next = 0;
  for (size_t d = axis + 1; d < mask->rank; ++d) inner *= mask->dims[d];
  for (int64_t i = 0; i < size; ++i) {
    if (values[i]) places[next++] = i / inner % mask->dims[axis];
  }
  *out_array = tn_array_from_host(scope, TN_DTYPE_S64, 1, &true_count, places,
                                  (size_t)true_count * sizeof *places);
  return tn_array_status(*out_array);
}

static tn_status_t add_places(tn_scope_t* scope, const tn_array_t* mask, const char* values,
                              tn_items_t* items) {
  const int64_t size = tn_array_size(mask);
  int64_t true_count = 0;
  void* memory = NULL;
  tn_status_t status = TN_OK;
  for (int64_t i = 0; i < size; ++i) true_count += values[i] != 0;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(items->allocator, (size_t)true_count, sizeof(int64_t), &memory));
  for (size_t axis = 0; axis < mask->rank && !status; ++axis) {
    tn_array_t* places = NULL;
    status = list_places(scope, mask, values, axis, true_count, memory, &places);
    const tn_index_t item = TN_AT_ARRAY(places);
    if (!status) status = add_item(items, &item);
  }
  tn__free(items->allocator, memory, (size_t)true_count * sizeof(int64_t));
  return status;
}

static tn_status_t add_masked(tn_scope_t* scope, tn_array_t* mask, tn_items_t* items) {
  const size_t byte_size = tn_array_byte_size(mask);
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(items->allocator, byte_size, &memory));
  tn_status_t status =
      tn_status_prefix(tn_array_to_host(mask, memory, byte_size),
                       "the shape of what a mask selects follows from the mask's values");
  if (!status) status = add_places(scope, mask, memory, items);
  tn__free(items->allocator, memory, byte_size);
  return status;
}

static size_t consumed(const tn_index_t* item) {
  if (is_mask(item)) return item->array->rank;
  return item->kind == TN_INDEX_INTEGER || item->kind == TN_INDEX_SLICE ||
         item->kind == TN_INDEX_ARRAY;
}

tn_array_t* tn__find_masked(tn_scope_t* scope, tn_array_t* x, size_t count, const tn_index_t* items,
                            tn_items_t* out_items) {
  size_t needed = 0, axis = 0;
  *out_items = (tn_items_t){.allocator = tn__scope_evaluator(scope)->allocator};
  for (size_t i = 0; i < count; ++i) needed += consumed(&items[i]);
  for (size_t i = 0; i < count; ++i) {
    tn_status_t status = TN_OK;
    if (is_mask(&items[i])) {
      tn_array_t* mask = items[i].array;
      TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &mask));
      if (mask->rank == 0 || !fits(x, axis, mask)) return misfit(scope, x, axis, mask);
      status = add_masked(scope, mask, out_items);
    } else {
      status = add_item(out_items, &items[i]);
    }
    if (status) return tn__scope_refuse(scope, status);
    axis += consumed(&items[i]);
    if (items[i].kind == TN_INDEX_ELLIPSIS && needed < x->rank) axis += x->rank - needed;
  }
  return NULL;
}

// --- updates

bool tn__is_mask_alone(size_t count, const tn_index_t* items) {
  if (count == 0 || !is_mask(&items[0])) return false;
  for (size_t i = 1; i < count; ++i) {
    const bool is_whole = items[i].kind == TN_INDEX_SLICE && items[i].start == TN_INDEX_OPEN &&
                          items[i].stop == TN_INDEX_OPEN && items[i].step >= 0 &&
                          items[i].step <= 1;
    if (!is_whole && items[i].kind != TN_INDEX_ELLIPSIS) return false;
  }
  return true;
}

// The mask with dimensions of size 1 for those of x that it does not have.
static tn_array_t* widen(tn_scope_t* scope, const tn_array_t* x, tn_array_t* mask) {
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < x->rank; ++i) dims[i] = i < mask->rank ? mask->dims[i] : 1;
  return tn_array_reshape(scope, mask, x->rank, dims);
}

// For each place of the mask the update that is its own, were it true: the first update goes to the
// first true place. *mask loses the places for which there is none.
static tn_array_t* deal(tn_scope_t* scope, const tn_array_t* x, tn_array_t** mask,
                        tn_array_t* updates) {
  int64_t dims[TN_MAX_RANK];
  const int64_t count = updates->dims[0];
  const tn_dtype_t dtype = tn_array_size(*mask) > INT32_MAX ? TN_DTYPE_S64 : TN_DTYPE_S32;
  tn_array_t* line = tn_array_flatten(scope, *mask, 0, -1);
  tn_array_t* places = tn_array_astype(scope, line, dtype);
  places = tn_array_cumsum(scope, places, 0, false, true);
  places = tn_array_subtract(scope, places, tn__number_like(scope, places, 1));
  tn_array_t* is_there =
      tn_array_less(scope, places, tn__number_like(scope, places, (double)count));
  is_there = tn_array_reshape(scope, is_there, (*mask)->rank, (*mask)->dims);
  *mask = tn_array_logical_and(scope, *mask, is_there);
  places = tn_array_clip(scope, places, tn__number_like(scope, places, 0),
                         tn__number_like(scope, places, (double)(count - 1)));
  tn_array_t* dealt = tn_array_take(scope, updates, places, 0);
  for (size_t i = 0; i < x->rank; ++i) dims[i] = x->dims[i];
  return tn_array_reshape(scope, dealt, x->rank, dims);
}

tn_array_t* tn__update_masked(tn_scope_t* scope, tn_array_t* x, tn_array_t* mask,
                              tn_array_t* updates, tn_scatter_mode_t mode) {
  tn_array_t* operands[] = {x, mask, updates};
  int64_t dims[TN_MAX_RANK];
  size_t lead = 0;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 3, operands));
  if (!fits(x, 0, mask)) return misfit(scope, x, 0, mask);
  const size_t rest = x->rank - mask->rank;  // dimensions of what each place of the mask holds
  updates = tn_array_astype(scope, updates, x->dtype);
  while (updates->rank - lead > rest && updates->dims[lead] == 1) ++lead;
  updates = tn_array_reshape(scope, updates, updates->rank - lead, updates->dims + lead);
  if (updates->rank > rest + 1) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "updates of shape %s for what a mask of shape %s selects of %s",
                          TN_SHAPE_TEXT(updates->rank, updates->dims),
                          TN_SHAPE_TEXT(mask->rank, mask->dims), TN_SHAPE_TEXT(x->rank, x->dims));
  }
  if (updates->rank == rest + 1) {
    if (updates->dims[0] == 0 || tn_array_size(x) == 0) return x;
    dims[0] = updates->dims[0];
    for (size_t i = 0; i < rest; ++i) dims[i + 1] = x->dims[mask->rank + i];
    updates = tn_array_broadcast_to(scope, updates, rest + 1, dims);
    TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &updates));
    updates = deal(scope, x, &mask, updates);
  } else {
    updates = tn_array_broadcast_to(scope, updates, x->rank, x->dims);
  }
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &updates));
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &mask));
  return tn_array_where(scope, widen(scope, x, mask), tn__scatter_combine(scope, mode, x, updates),
                        x);
}
