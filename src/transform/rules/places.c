// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Where the updates of a scatter go, and what goes to the same place.
#include <string.h>

#include "array/common.h"
#include "array/views.h"
#include "transform/rules/index.h"

// Sizes of windows along each dimension of the operand.
void tn__window_sizes(const tn_index_numbers_t* numbers, const tn_array_t* x,
                      const tn_array_t* updates, int64_t* out_sizes) {
  uint64_t without = 0;
  size_t next = 0;
  for (size_t i = 0; i < numbers->collapsed_count; ++i) {
    without |= UINT64_C(1) << numbers->collapsed[i];
  }
  for (size_t i = 0; i < numbers->batching_count; ++i) {
    without |= UINT64_C(1) << numbers->batching[i];
  }
  for (size_t d = 0; d < x->rank; ++d) {
    out_sizes[d] = without >> d & 1 ? 1 : updates->dims[numbers->window[next++]];
  }
}

// --- starts

static bool has_vector(const tn_index_numbers_t* numbers, const tn_array_t* indices) {
  return numbers->vector_dim < (int64_t)indices->rank;
}

// A number for each component of an index vector, to go with all of them.
static tn_array_t* for_components(tn_scope_t* scope, const tn_index_numbers_t* numbers,
                                  const tn_array_t* indices, const int64_t* values) {
  int64_t dims[TN_MAX_RANK];
  if (!has_vector(numbers, indices) || numbers->map_count == 0) {
    return tn_array_scalar(scope, TN_DTYPE_S64, numbers->map_count ? (double)values[0] : 0);
  }
  for (size_t d = 0; d < indices->rank; ++d) dims[d] = 1;
  dims[numbers->vector_dim] = (int64_t)numbers->map_count;
  return tn_array_from_host(scope, TN_DTYPE_S64, indices->rank, dims, values,
                            numbers->map_count * sizeof *values);
}

tn_array_t* tn__clamp_starts(tn_scope_t* scope, tn_array_t* indices,
                             const tn_index_numbers_t* numbers, const tn_array_t* x,
                             const int64_t* sizes) {
  int64_t limits[TN_MAX_RANK];
  for (size_t k = 0; k < numbers->map_count; ++k) {
    const int64_t d = numbers->map[k];
    limits[k] = x->dims[d] - sizes[d];
  }
  indices = tn_array_astype(scope, indices, TN_DTYPE_S64);
  return tn_array_clip(scope, indices, tn_array_scalar(scope, TN_DTYPE_S64, 0),
                       for_components(scope, numbers, indices, limits));
}

// --- indices of updates

typedef struct tn_updates {
  tn_scope_t* scope;
  const tn_index_numbers_t* numbers;
  const tn_array_t* x;
  tn_array_t* indices;
  const tn_array_t* updates;
  int64_t scattered[TN_MAX_RANK];  // dimensions of the updates that are those of the indices
} tn_updates_t;

static void find_scattered(tn_updates_t* u) {
  uint64_t windows = 0;
  size_t count = 0;
  for (size_t i = 0; i < u->numbers->window_count; ++i) {
    windows |= UINT64_C(1) << u->numbers->window[i];
  }
  for (size_t d = 0; d < u->updates->rank; ++d) {
    if (!(windows >> d & 1)) u->scattered[count++] = (int64_t)d;
  }
}

// Component k of all index vectors, to go with the updates.
static tn_array_t* component(const tn_updates_t* u, size_t k) {
  int64_t starts[TN_MAX_RANK] = {0}, limits[TN_MAX_RANK], steps[TN_MAX_RANK], dims[TN_MAX_RANK];
  tn_array_t* part = u->indices;
  size_t count = 0;
  for (size_t d = 0; d < part->rank; ++d) {
    limits[d] = part->dims[d];
    steps[d] = 1;
  }
  if (has_vector(u->numbers, part)) {
    const size_t at = (size_t)u->numbers->vector_dim;
    starts[at] = (int64_t)k;
    limits[at] = (int64_t)k + 1;
    part = tn__view_slice(u->scope, part, starts, limits, steps);
  }
  for (size_t d = 0; d < u->updates->rank; ++d) dims[d] = 1;
  for (size_t d = 0; d < u->indices->rank; ++d) {
    if ((int64_t)d != u->numbers->vector_dim) dims[u->scattered[count++]] = u->indices->dims[d];
  }
  part = tn_array_reshape(u->scope, part, u->updates->rank, dims);
  return tn_array_astype(u->scope, part, TN_DTYPE_S64);
}

// 0, 1, ... along one dimension of the updates.
static tn_array_t* count_along(const tn_updates_t* u, int64_t dimension) {
  int64_t dims[TN_MAX_RANK];
  for (size_t d = 0; d < u->updates->rank; ++d) dims[d] = 1;
  dims[dimension] = u->updates->dims[dimension];
  return tn__iota(u->scope, TN_DTYPE_S64, u->updates->rank, dims, (size_t)dimension);
}

// Where the updates are along dimension d of the operand without their starts; NULL: at 0.
static tn_array_t* offset_along(const tn_updates_t* u, const int64_t* sizes, size_t d) {
  size_t window = 0;
  for (size_t i = 0; i < u->numbers->batching_count; ++i) {
    if (u->numbers->batching[i] != (int64_t)d) continue;
    const int64_t at = u->numbers->index_batching[i];
    return count_along(u, u->scattered[at - (at > u->numbers->vector_dim)]);
  }
  if (sizes[d] == 1) return NULL;
  for (size_t before = 0; before < d; ++before) {
    bool is_window = true;
    for (size_t i = 0; i < u->numbers->collapsed_count; ++i) {
      if (u->numbers->collapsed[i] == (int64_t)before) is_window = false;
    }
    for (size_t i = 0; i < u->numbers->batching_count; ++i) {
      if (u->numbers->batching[i] == (int64_t)before) is_window = false;
    }
    window += is_window;
  }
  return count_along(u, u->numbers->window[window]);
}

static tn_array_t* sum_of(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  if (!a || !b) return a ? a : b;
  return tn_array_add(scope, a, b);
}

tn_places_t tn__places_of_updates(tn_scope_t* scope, const tn_array_t* x, tn_array_t* indices,
                                  const tn_array_t* updates, const tn_index_numbers_t* numbers) {
  tn_updates_t u = {scope, numbers, x, indices, updates, {0}};
  tn_places_t places = {NULL, NULL};
  int64_t sizes[TN_MAX_RANK], stride = 1;
  if (indices->dtype == TN_DTYPE_INVALID) return (tn_places_t){indices, NULL};
  find_scattered(&u);
  tn__window_sizes(numbers, x, updates, sizes);
  for (size_t d = x->rank; d-- > 0;) {
    tn_array_t *at = offset_along(&u, sizes, d), *start = NULL;
    for (size_t k = 0; k < numbers->map_count; ++k) {
      if (numbers->map[k] == (int64_t)d) start = component(&u, k);
    }
    at = sum_of(scope, at, start);
    if (start) {
      tn_array_t* is_inside = tn_array_logical_and(
          scope, tn_array_greater_equal(scope, at, tn__number_like(scope, at, 0)),
          tn_array_less(scope, at, tn__number_like(scope, at, (double)x->dims[d])));
      places.is_inside =
          places.is_inside ? tn_array_logical_and(scope, places.is_inside, is_inside) : is_inside;
    }
    if (at) at = tn_array_multiply(scope, at, tn__number_like(scope, at, (double)stride));
    places.numbers = sum_of(scope, places.numbers, at);
    stride *= x->dims[d];
  }
  return places;
}

// --- products

// `count` elements of a line.
static tn_array_t* part_of(tn_scope_t* scope, tn_array_t* line, int64_t start, int64_t count) {
  const tn_index_t item = TN_SLICE(start, start + count);
  return tn_array_index(scope, line, 1, &item);
}

// The product of the elements before each one that are at the same place; `places` are in order.
// Each round makes the products twice as long.
static tn_array_t* products_before(tn_scope_t* scope, tn_array_t* places, tn_array_t* line) {
  if (line->dtype == TN_DTYPE_INVALID) return line;
  const int64_t count = line->dims[0];
  tn_array_t* one = tn__number_like(scope, line, 1);
  for (int64_t distance = 1; distance < count; distance *= 2) {
    const int64_t rest = count - distance;
    tn_array_t* is_same = tn_array_equal(scope, part_of(scope, places, 0, rest),
                                         part_of(scope, places, distance, rest));
    tn_array_t* before = tn_array_where(scope, is_same, part_of(scope, line, 0, rest), one);
    tn_array_t* parts[] = {part_of(scope, line, 0, distance),
                           tn_array_multiply(scope, part_of(scope, line, distance, rest), before)};
    line = tn_array_concatenate(scope, 2, parts, 0);
  }
  tn_array_t* is_same = tn_array_equal(scope, part_of(scope, places, 0, count - 1),
                                       part_of(scope, places, 1, count - 1));
  tn_array_t* parts[] = {tn_array_reshape(scope, one, 1, (int64_t[]){1}),
                         tn_array_where(scope, is_same, part_of(scope, line, 0, count - 1), one)};
  return tn_array_concatenate(scope, 2, parts, 0);
}

tn_array_t* tn__products_of_others(tn_scope_t* scope, tn_array_t* places, tn_array_t* updates) {
  static const int64_t axis[] = {0};
  const size_t rank = updates->rank;
  int64_t dims[TN_MAX_RANK];
  if (updates->dtype == TN_DTYPE_INVALID || tn_array_size(updates) < 2) {
    return tn__number_like(scope, updates, 1);
  }
  memcpy(dims, updates->dims, rank * sizeof *dims);
  places = tn_array_flatten(scope, tn_array_broadcast_to(scope, places, rank, dims), 0, -1);
  tn_array_t* order = tn_array_argsort(scope, places, 0);
  tn_array_t* line = tn_array_take(scope, tn_array_flatten(scope, updates, 0, -1), order, 0);
  places = tn_array_take(scope, places, order, 0);
  tn_array_t* before = products_before(scope, places, line);
  tn_array_t* behind = products_before(scope, tn__view_reverse(scope, places, 1, axis),
                                       tn__view_reverse(scope, line, 1, axis));
  line = tn_array_multiply(scope, before, tn__view_reverse(scope, behind, 1, axis));
  line = tn_array_take(scope, line, tn_array_argsort(scope, order, 0), 0);
  return tn_array_reshape(scope, line, rank, dims);
}
