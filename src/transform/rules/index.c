// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of gather and scatter. Their index vectors count elements, so the dimensions of a batch
// become one more batching dimension on both sides, or one more window dimension where the batch is
// on the side of the operand alone.
#include "transform/rules/index.h"

#include <string.h>

#include "array/common.h"
#include "array/views.h"

// Names of the fields, in the order of the struct.
const char* const tn__gather_names[] = {"offset_dims",           "collapsed_slice_dims",
                                        "operand_batching_dims", "start_indices_batching_dims",
                                        "start_index_map",       "index_vector_dim"};
const char* const tn__scatter_names[] = {
    "update_window_dims",           "inserted_window_dims",
    "input_batching_dims",          "scatter_indices_batching_dims",
    "scatter_dims_to_operand_dims", "index_vector_dim"};
enum { LIST_COUNT = 5 };

typedef struct tn_list_ref {
  size_t* count;
  int64_t* values;
} tn_list_ref_t;

static tn_list_ref_t list_of(tn_index_numbers_t* numbers, size_t which) {
  switch (which) {
    case 0: return (tn_list_ref_t){&numbers->window_count, numbers->window};
    case 1: return (tn_list_ref_t){&numbers->collapsed_count, numbers->collapsed};
    case 2: return (tn_list_ref_t){&numbers->batching_count, numbers->batching};
    case 3: return (tn_list_ref_t){&numbers->index_batching_count, numbers->index_batching};
    default: return (tn_list_ref_t){&numbers->map_count, numbers->map};
  }
}

tn_index_numbers_t tn__index_numbers(const tn_attr_t* attr, const char* const* names) {
  tn_index_numbers_t numbers = {0};
  for (size_t which = 0; which < LIST_COUNT; ++which) {
    const tn_list_ref_t list = list_of(&numbers, which);
    const int64_t* values = tn__attr_get_elements(&attr->dictionary, names[which], list.count);
    if (*list.count) memcpy(list.values, values, *list.count * sizeof *values);
  }
  numbers.vector_dim = tn__attr_get_integer(&attr->dictionary, names[LIST_COUNT], 0);
  return numbers;
}

// The fields of the attribute, which are views of the numbers.
typedef struct tn_index_fields {
  tn_attr_t attrs[LIST_COUNT + 1];
  tn_named_attr_t entries[LIST_COUNT + 1];
} tn_index_fields_t;

static void write_numbers(tn_index_numbers_t* numbers, const char* const* names,
                          tn_index_fields_t* out_fields) {
  for (size_t which = 0; which <= LIST_COUNT; ++which) {
    out_fields->entries[which] = (tn_named_attr_t){tn__sv(names[which]), &out_fields->attrs[which]};
    out_fields->attrs[which] = *TN_I64_ATTR("", numbers->vector_dim).attr;
    if (which == LIST_COUNT) return;
    const tn_list_ref_t list = list_of(numbers, which);
    out_fields->attrs[which] = *TN_I64_LIST_ATTR("", *list.count, list.values).attr;
  }
}

static void shift(size_t count, int64_t* values) {
  for (size_t i = 0; i < count; ++i) ++values[i];
}

static void prepend_zero(size_t* count, int64_t* values) {
  for (size_t i = *count; i-- > 0;) values[i + 1] = values[i];
  values[0] = 0;
  ++*count;
}

void tn__index_add_batch(tn_index_numbers_t* numbers, bool has_operand, bool has_indices) {
  shift(numbers->window_count, numbers->window);
  if (has_operand) {
    shift(numbers->collapsed_count, numbers->collapsed);
    shift(numbers->batching_count, numbers->batching);
    shift(numbers->map_count, numbers->map);
  }
  if (has_indices) {
    shift(numbers->index_batching_count, numbers->index_batching);
    ++numbers->vector_dim;
  }
  if (has_operand && has_indices) {
    prepend_zero(&numbers->batching_count, numbers->batching);
    prepend_zero(&numbers->index_batching_count, numbers->index_batching);
  } else if (has_operand) {
    prepend_zero(&numbers->window_count, numbers->window);
  }
}

// --- gather

tn_array_t* tn__gather_by(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                          tn_index_numbers_t* numbers, const int64_t* sizes,
                          const tn_array_type_t* type) {
  tn_index_fields_t fields;
  write_numbers(numbers, tn__gather_names, &fields);
  const tn_named_attr_t attributes[] = {
      TN_STRUCT_ATTR("dimension_numbers", "gather", LIST_COUNT + 1, fields.entries),
      TN_I64_LIST_ATTR("slice_sizes", x->rank, sizes),
  };
  tn_array_t* operands[] = {x, indices};
  return tn__apply_with(scope, TN__OP(gather), 2, operands, 2, attributes, type->dtype, type->rank,
                        type->dims);
}

tn_array_t* tn__scatter_by(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                           tn_array_t* updates, tn_index_numbers_t* numbers,
                           const tn_region_t* body) {
  tn_index_fields_t fields;
  write_numbers(numbers, tn__scatter_names, &fields);
  const tn_named_attr_t attribute =
      TN_STRUCT_ATTR("scatter_dimension_numbers", "scatter", LIST_COUNT + 1, fields.entries);
  tn_array_t* operands[] = {x, indices, updates};
  const tn_array_type_t type = {x->dtype, x->rank, x->dims};
  return tn__apply_body(scope, TN__OP(scatter), 3, operands, 1, &attribute, body, &type);
}

static tn_index_numbers_t gather_numbers(const tn_rule_t* rule) {
  return tn__index_numbers(tn__rule_attribute(rule, "dimension_numbers"), tn__gather_names);
}

tn_status_t tn__jvp_gather(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* operands[] = {call->tangents[0], rule->operands[1]};
  call->out_tangents[0] = tn__rule_apply(rule, operands, rule->result_types);
  return TN_OK;
}

// An element that was read several times gets the sum. What a gather reads is inside of its
// operand; a scatter would leave it where it is.
tn_status_t tn__vjp_gather(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_index_numbers_t numbers = gather_numbers(rule);
  size_t count = 0;
  const int64_t* sizes = tn__rule_list_attribute(rule, "slice_sizes", &count);
  tn_array_t* x = rule->operands[0];
  const tn_region_t* sum = tn__body_of(rule->scope, TN__OP(add), x->dtype);
  tn_array_t* starts = tn__clamp_starts(rule->scope, rule->operands[1], &numbers, x, sizes);
  call->out_cotangents[0] = tn__scatter_by(rule->scope, tn__zeros_like(rule->scope, x), starts,
                                           call->cotangents[0], &numbers, sum);
  return TN_OK;
}

tn_status_t tn__vmap_gather(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_index_numbers_t numbers = gather_numbers(rule);
  const bool has_operand = call->axes[0] != TN_NO_AXIS, has_indices = call->axes[1] != TN_NO_AXIS;
  size_t count = 0;
  const int64_t* inner = tn__rule_list_attribute(rule, "slice_sizes", &count);
  int64_t sizes[TN_MAX_RANK], dims[TN_MAX_RANK];
  tn__index_add_batch(&numbers, has_operand, has_indices);
  if (has_operand) sizes[0] = has_indices ? 1 : call->batch_size;
  memcpy(sizes + has_operand, inner, count * sizeof *sizes);
  const tn_array_type_t type = tn__batched_type(rule, call->batch_size, dims);
  call->out_results[0] = tn__gather_by(
      rule->scope, has_operand ? tn__batched(rule, call, 0) : rule->operands[0],
      has_indices ? tn__batched(rule, call, 1) : rule->operands[1], &numbers, sizes, &type);
  call->out_axes[0] = 0;
  return TN_OK;
}

// --- dynamic_slice and dynamic_update_slice: starts are numbers, the last operands

enum { SLICE_OPERAND_LIMIT = 2 + TN_MAX_RANK };

static tn_array_t* dynamic_slice(tn_scope_t* scope, tn_array_t* x, tn_array_t* const* starts,
                                 const int64_t* sizes) {
  if (x->dtype == TN_DTYPE_INVALID) return x;  // an error has no shape
  tn_array_t* operands[SLICE_OPERAND_LIMIT] = {x};
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("slice_sizes", x->rank, sizes);
  for (size_t d = 0; d < x->rank; ++d) operands[1 + d] = starts[d];
  return tn__apply_with(scope, TN__OP(dynamic_slice), 1u + x->rank, operands, 1, &attribute,
                        x->dtype, x->rank, sizes);
}

static tn_array_t* dynamic_update(tn_scope_t* scope, tn_array_t* x, tn_array_t* update,
                                  tn_array_t* const* starts) {
  if (x->dtype == TN_DTYPE_INVALID) return x;
  tn_array_t* operands[SLICE_OPERAND_LIMIT] = {x, update};
  for (size_t d = 0; d < x->rank; ++d) operands[2 + d] = starts[d];
  return tn__apply(scope, TN__OP(dynamic_update_slice), 2u + x->rank, operands, x->dtype, x->rank,
                   x->dims);
}

tn_status_t tn__jvp_dynamic_slice(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] != 0) continue;
    call->out_tangents[0] = dynamic_slice(rule->scope, call->tangents[i], rule->operands + 1,
                                          rule->result_types[0].dims);
  }
  return TN_OK;
}

tn_status_t tn__vjp_dynamic_slice(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] =
        call->argnums[i] == 0
            ? dynamic_update(rule->scope, tn__zeros_like(rule->scope, rule->operands[0]),
                             call->cotangents[0], rule->operands + 1)
            : NULL;
  }
  return TN_OK;
}

tn_status_t tn__jvp_dynamic_update_slice(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* tangents[2] = {NULL, NULL};
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] < 2) tangents[call->argnums[i]] = call->tangents[i];
  }
  for (size_t i = 0; i < 2; ++i) {
    if (!tangents[i]) tangents[i] = tn__zeros_like(rule->scope, rule->operands[i]);
  }
  call->out_tangents[0] = dynamic_update(rule->scope, tangents[0], tangents[1], rule->operands + 2);
  return TN_OK;
}

tn_status_t tn__vjp_dynamic_update_slice(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t* t = call->cotangents[0];
  const tn_array_t* update = rule->operands[1];
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = NULL;
    if (call->argnums[i] == 0) {
      call->out_cotangents[i] =
          dynamic_update(rule->scope, t, tn__zeros_like(rule->scope, update), rule->operands + 2);
    } else if (call->argnums[i] == 1) {
      call->out_cotangents[i] = dynamic_slice(rule->scope, t, rule->operands + 2, update->dims);
    }
  }
  return TN_OK;
}

static bool have_batch(const tn_rule_t* rule, const tn_vmap_call_t* call, size_t first) {
  for (size_t i = first; i < rule->operand_count; ++i) {
    if (call->axes[i] != TN_NO_AXIS) return true;
  }
  return false;
}

// Starts that are the same for the whole batch, with that of the batch before them.
static void prepend_start(const tn_rule_t* rule, size_t first, tn_array_t** out_starts) {
  const size_t rank = rule->operand_count - first;
  const tn_dtype_t dtype = rank ? rule->operands[first]->dtype : TN_DTYPE_S64;
  out_starts[0] = tn_array_scalar(rule->scope, dtype, 0);
  for (size_t d = 0; d < rank; ++d) out_starts[1 + d] = rule->operands[first + d];
}

// Starts of each element of the batch, as a vector for each, where slices of these sizes fit.
// `dims` and `sizes` are without the batch.
static tn_array_t* stack_starts(const tn_rule_t* rule, const tn_vmap_call_t* call, size_t first,
                                const int64_t* dims, const int64_t* sizes) {
  tn_scope_t* scope = rule->scope;
  tn_array_t* starts[TN_MAX_RANK];
  const size_t rank = rule->operand_count - first;
  for (size_t d = 0; d < rank; ++d) {
    tn_array_t* start = tn__batched(rule, call, first + d);
    start = tn_array_astype(scope, start, TN_DTYPE_S64);
    starts[d] = tn_array_clip(scope, start, tn_array_scalar(scope, TN_DTYPE_S64, 0),
                              tn_array_scalar(scope, TN_DTYPE_S64, (double)(dims[d] - sizes[d])));
  }
  return tn_array_stack(scope, rank, starts, 1);
}

// One window for each element of the batch, of all dimensions.
static tn_index_numbers_t numbers_of_slices(size_t rank) {
  tn_index_numbers_t numbers = {.window_count = rank,
                                .map_count = rank,
                                .batching_count = 1,
                                .index_batching_count = 1,
                                .vector_dim = 1};
  for (size_t d = 0; d < rank; ++d) numbers.window[d] = numbers.map[d] = (int64_t)d + 1;
  return numbers;
}

tn_status_t tn__vmap_dynamic_slice(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  const tn_array_type_t* type = rule->result_types;
  tn_array_t* x = tn__batched(rule, call, 0);
  tn_array_t* starts[TN_MAX_RANK + 1] = {NULL};
  int64_t dims[TN_MAX_RANK];
  const tn_array_type_t batched = tn__batched_type(rule, call->batch_size, dims);
  call->out_axes[0] = 0;
  if (!have_batch(rule, call, 1)) {
    prepend_start(rule, 1, starts);
    call->out_results[0] = dynamic_slice(rule->scope, x, starts, batched.dims);
    return TN_OK;
  }
  tn_index_numbers_t numbers = numbers_of_slices(type->rank);
  int64_t sizes[TN_MAX_RANK];
  memcpy(sizes, dims, batched.rank * sizeof *sizes);
  sizes[0] = 1;
  call->out_results[0] =
      tn__gather_by(rule->scope, x, stack_starts(rule, call, 1, x->dims + 1, type->dims), &numbers,
                    sizes, &batched);
  return TN_OK;
}

tn_status_t tn__vmap_dynamic_update_slice(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_array_t* x = tn__batched(rule, call, 0);
  tn_array_t* update = tn__batched(rule, call, 1);
  tn_array_t* starts[TN_MAX_RANK + 1] = {NULL};
  call->out_axes[0] = 0;
  if (!have_batch(rule, call, 2)) {
    prepend_start(rule, 2, starts);
    call->out_results[0] = dynamic_update(rule->scope, x, update, starts);
    return TN_OK;
  }
  tn_index_numbers_t numbers = numbers_of_slices(rule->result_types[0].rank);
  const tn_region_t* replace = tn__body_replacing(rule->scope, x->dtype);
  call->out_results[0] =
      tn__scatter_by(rule->scope, x, stack_starts(rule, call, 2, x->dims + 1, update->dims + 1),
                     update, &numbers, replace);
  return TN_OK;
}
