// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Each result is its own sum of products, in the widest dtype of its kind. What is in no group is
// zero.
#include "kernel/contraction/ragged_dot.h"

#include <string.h>

#include "base/pool.h"
#include "kernel/common/index.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"
#include "kernel/contraction/product.h"

enum { GRAIN = 1 << 14, AXIS_LIMIT = 2 * TN_MAX_RANK + 1 };

// One dimension of the result or of the sum; strides in elements. `sizes` is the stride in the
// array of group sizes, of which the last dimension is the list.
typedef struct axis {
  int64_t count, lhs, rhs, sizes;
  bool is_ragged;  // the groups are ranges of its indices
  bool is_group;   // its index is the group
} axis_t;

typedef struct axes {
  size_t count;
  axis_t axes[AXIS_LIMIT];
  int64_t size;
} axes_t;

typedef struct ragged_dot {
  axes_t outer, inner;
  int64_t group_count, rhs_group_stride;
  bool sums_a_group;  // the ragged dimension is summed over
  tn_dtype_t sizes_dtype, carrier;
  tn_conversion_t load_lhs, load_rhs, store;
  int64_t lhs_count, rhs_count;
  size_t rhs_offset, sums_offset;  // in scratch, in which lhs is first
} ragged_dot_t;

// --- preparing

typedef struct numbers {
  tn_i64_list_t lhs_batching, rhs_batching, lhs_contracting, rhs_contracting, ragged, group;
  int64_t lhs_strides[TN_MAX_RANK], rhs_strides[TN_MAX_RANK], sizes_strides[TN_MAX_RANK];
  size_t sizes_rank, prefix;  // dimensions of the sizes: all, and those that have their axis
} numbers_t;

static tn_status_t read_numbers(tn_kernel_site_t* site, numbers_t* out) {
  const tn_attr_t* attr = tn__attr_find(&site->use->attrs, "ragged_dot_dimension_numbers");
  if (!attr || attr->kind != TN_ATTR_STRUCT) {
    return tn_status_create(TN_CODE_INTERNAL, "ragged_dot: no dimension numbers");
  }
  const struct {
    const char* name;
    tn_i64_list_t* list;
  } fields[] = {
      {"lhs_batching_dimensions", &out->lhs_batching},
      {"rhs_batching_dimensions", &out->rhs_batching},
      {"lhs_contracting_dimensions", &out->lhs_contracting},
      {"rhs_contracting_dimensions", &out->rhs_contracting},
      {"lhs_ragged_dimensions", &out->ragged},
      {"rhs_group_dimensions", &out->group},
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    TN_RETURN_IF_ERROR(
        tn__attr_get_i64_list(&attr->dictionary, fields[i].name, site->arena, fields[i].list));
  }
  const tn_type_t* lhs = tn__site_operand(site, 0);
  const tn_type_t* rhs = tn__site_operand(site, 1);
  const tn_type_t* sizes = tn__site_operand(site, 2);
  tn__dense_strides(lhs->rank, lhs->dims, 1, out->lhs_strides);
  tn__dense_strides(rhs->rank, rhs->dims, 1, out->rhs_strides);
  tn__dense_strides(sizes->rank, sizes->dims, 1, out->sizes_strides);
  out->sizes_rank = sizes->rank;
  return TN_OK;
}

static axis_t* add_axis(axes_t* axes, int64_t count) {
  axis_t* axis = &axes->axes[axes->count++];
  axis->count = count;
  axes->size *= count;
  return axis;
}

// Adds an axis of lhs, at the next dimension of the group sizes where it is one of theirs.
static axis_t* add_lhs_axis(axes_t* axes, const tn_type_t* lhs, numbers_t* numbers,
                            int64_t dimension, bool has_sizes) {
  axis_t* axis = add_axis(axes, lhs->dims[dimension]);
  axis->lhs = numbers->lhs_strides[dimension];
  axis->is_ragged = dimension == numbers->ragged.values[0];
  if (has_sizes && numbers->sizes_rank > 1) {
    axis->sizes = numbers->sizes_strides[numbers->prefix++];
  }
  return axis;
}

static void list_axes(const tn_kernel_site_t* site, numbers_t* numbers, ragged_dot_t* state) {
  const tn_type_t *lhs = tn__site_operand(site, 0), *rhs = tn__site_operand(site, 1);
  const int64_t ragged = numbers->ragged.values[0];
  axes_t *outer = &state->outer, *inner = &state->inner;
  size_t place = 0;
  const bool in_batch = tn__list_has(&numbers->lhs_batching, ragged, &place);
  const size_t batch_end = in_batch ? place : numbers->lhs_batching.count;
  state->sums_a_group = tn__list_has(&numbers->lhs_contracting, ragged, &place);
  if (state->sums_a_group) add_axis(outer, state->group_count)->is_group = true;
  for (size_t i = 0; i < numbers->lhs_batching.count; ++i) {
    axis_t* axis =
        add_lhs_axis(outer, lhs, numbers, numbers->lhs_batching.values[i], i < batch_end);
    axis->rhs = numbers->rhs_strides[numbers->rhs_batching.values[i]];
  }
  for (size_t i = 0; i < numbers->lhs_contracting.count; ++i) {
    axis_t* axis = add_lhs_axis(inner, lhs, numbers, numbers->lhs_contracting.values[i],
                                state->sums_a_group && i < place);
    axis->rhs = numbers->rhs_strides[numbers->rhs_contracting.values[i]];
  }
  const bool in_rows = !in_batch && !state->sums_a_group;
  for (int64_t i = 0; i < (int64_t)lhs->rank; ++i) {
    if (tn__list_has(&numbers->lhs_batching, i, NULL)) continue;
    if (tn__list_has(&numbers->lhs_contracting, i, NULL)) continue;
    add_lhs_axis(outer, lhs, numbers, i, in_rows && i < ragged);
  }
  for (int64_t i = 0; i < (int64_t)rhs->rank; ++i) {
    if (tn__list_has(&numbers->rhs_batching, i, NULL)) continue;
    if (tn__list_has(&numbers->rhs_contracting, i, NULL)) continue;
    if (tn__list_has(&numbers->group, i, NULL)) continue;
    add_axis(outer, rhs->dims[i])->rhs = numbers->rhs_strides[i];
  }
}

static tn_dtype_t carrier_of(tn_dtype_t dtype) {
  if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX) return TN_DTYPE_C128;
  return tn_dtype_kind(dtype) == TN_KIND_FLOAT ? TN_DTYPE_F64 : TN_DTYPE_S64;
}

static size_t reserve(tn_kernel_site_t* site, int64_t count, tn_dtype_t dtype) {
  const size_t offset = site->scratch_byte_size;
  site->scratch_byte_size += ((size_t)count * tn_dtype_byte_size(dtype) + 63) / 64 * 64;
  return offset;
}

tn_status_t tn__cpu_ragged_dot_prepare(tn_kernel_site_t* site) {
  ragged_dot_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  numbers_t numbers = {0};
  TN_RETURN_IF_ERROR(read_numbers(site, &numbers));
  const tn_type_t *lhs = tn__site_operand(site, 0), *rhs = tn__site_operand(site, 1);
  const tn_type_t* sizes = tn__site_operand(site, 2);
  const tn_dtype_t result = tn__site_result(site, 0)->dtype;
  state->outer.size = state->inner.size = 1;
  state->sizes_dtype = sizes->dtype;
  state->group_count = sizes->dims[sizes->rank - 1];
  list_axes(site, &numbers, state);
  if (numbers.group.count) state->rhs_group_stride = numbers.rhs_strides[numbers.group.values[0]];
  state->carrier = carrier_of(result);
  state->load_lhs = tn__conversion(lhs->dtype, state->carrier);
  state->load_rhs = tn__conversion(rhs->dtype, state->carrier);
  state->store = tn__conversion(state->carrier, result);
  state->lhs_count = tn__type_size(lhs);
  state->rhs_count = tn__type_size(rhs);
  reserve(site, state->lhs_count, state->carrier);
  state->rhs_offset = reserve(site, state->rhs_count, state->carrier);
  state->sums_offset = reserve(site, state->outer.size, state->carrier);
  return TN_OK;
}

// --- running

// Where an index of the axes is.
typedef struct place {
  int64_t lhs, rhs, sizes, ragged, group;
} place_t;

static place_t place_of(const axes_t* axes, int64_t index, place_t from) {
  for (size_t i = axes->count; i-- > 0;) {
    const axis_t* axis = &axes->axes[i];
    const int64_t at = index % axis->count;
    index /= axis->count;
    from.lhs += at * axis->lhs;
    from.rhs += at * axis->rhs;
    from.sizes += at * axis->sizes;
    if (axis->is_ragged) from.ragged = at;
    if (axis->is_group) from.group = at;
  }
  return from;
}

// The group that an index of the ragged dimension is in; group_count: none.
static int64_t group_of(const ragged_dot_t* state, const char* sizes, const place_t* place) {
  const size_t size = tn_dtype_byte_size(state->sizes_dtype);
  int64_t rest = place->ragged, group = 0;
  for (; group < state->group_count; ++group) {
    const char* element = sizes + (size_t)(place->sizes + group) * size;
    const int64_t length = tn__index_load(state->sizes_dtype, element);
    if (length > rest) break;
    if (length > 0) rest -= length;
  }
  return group;
}

typedef struct dot_run {
  const ragged_dot_t* state;
  const char *lhs, *rhs, *sizes;
  char* sums;
} dot_run_t;

// Adds one product.
static void accumulate(const dot_run_t* run, const place_t* place, void* sum) {
  if (run->state->carrier == TN_DTYPE_F64) {
    *(double*)sum += ((const double*)run->lhs)[place->lhs] * ((const double*)run->rhs)[place->rhs];
  } else if (run->state->carrier == TN_DTYPE_S64) {
    *(uint64_t*)sum +=
        ((const uint64_t*)run->lhs)[place->lhs] * ((const uint64_t*)run->rhs)[place->rhs];
  } else {
    const double* a = (const double*)run->lhs + 2 * place->lhs;
    const double* b = (const double*)run->rhs + 2 * place->rhs;
    ((double*)sum)[0] += a[0] * b[0] - a[1] * b[1];
    ((double*)sum)[1] += a[0] * b[1] + a[1] * b[0];
  }
}

static void sum_one(const dot_run_t* run, int64_t index) {
  const ragged_dot_t* state = run->state;
  const size_t size = tn_dtype_byte_size(state->carrier);
  void* sum = run->sums + (size_t)index * size;
  memset(sum, 0, size);
  place_t start = place_of(&state->outer, index, (place_t){0});
  if (!state->sums_a_group) {
    const int64_t group = group_of(state, run->sizes, &start);
    if (group == state->group_count) return;
    start.rhs += group * state->rhs_group_stride;
  }
  for (int64_t i = 0; i < state->inner.size; ++i) {
    const place_t place = place_of(&state->inner, i, start);
    if (state->sums_a_group && group_of(state, run->sizes, &place) != start.group) continue;
    accumulate(run, &place, sum);
  }
}

static tn_status_t run_range(int64_t begin, int64_t end, void* user) {
  for (int64_t i = begin; i < end; ++i) sum_one(user, i);
  return TN_OK;
}

tn_status_t tn__cpu_ragged_dot_run(const tn_kernel_call_t* call) {
  const ragged_dot_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  char* scratch = call->scratch;
  dot_run_t run = {
      .state = state,
      .lhs = scratch,
      .rhs = scratch + state->rhs_offset,
      .sizes = call->operands[2],
      .sums = scratch + state->sums_offset,
  };
  if (state->outer.size == 0) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__product_convert(&state->load_lhs, pool, call->operands[0], scratch, state->lhs_count));
  TN_RETURN_IF_ERROR(tn__product_convert(&state->load_rhs, pool, call->operands[1],
                                         scratch + state->rhs_offset, state->rhs_count));
  const int64_t grain = state->inner.size < GRAIN ? GRAIN / (state->inner.size + 1) : 1;
  TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, state->outer.size, grain, run_range, &run));
  return tn__product_convert(&state->store, pool, run.sums, call->results[0], state->outer.size);
}
