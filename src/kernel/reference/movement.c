// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every element of the result is one of an operand, or a padding value: which one is said by a
// function of its coordinates.
#include "kernel/reference/kernels.h"

enum { LIST_COUNT = 6 };

typedef struct move {
  const tn_kernel_call_t* call;
  tn_reference_list_t lists[LIST_COUNT];  // what the operation's attributes say
} move_t;

// Where the element of the result at these coordinates comes from.
typedef const void* (*source_fn)(const move_t* move, const int64_t* coordinates);

static tn_status_t run(const move_t* move, source_fn source) {
  const tn_type_t* result = tn__reference_result(move->call, 0);
  for (int64_t i = 0; i < tn__type_size(result); ++i) {
    int64_t coordinates[TN_MAX_RANK];
    tn__reference_split(result->rank, result->dims, i, coordinates);
    tn__reference_copy(result, source(move, coordinates), move->call->results[0], i);
  }
  return TN_OK;
}

static tn_status_t read(move_t* move, size_t list, const char* name) {
  return tn__reference_list(&tn__reference_use(move->call)->attrs, name, 0, 0, &move->lists[list]);
}

static const void* element(const move_t* move, size_t operand, const int64_t* coordinates) {
  const tn_type_t* type = tn__reference_operand(move->call, operand);
  return tn__reference_element(type, move->call->operands[operand],
                               tn__reference_join(type->rank, type->dims, coordinates));
}

// --- without lists of their own

tn_status_t tn__reference_copy_run(const tn_kernel_call_t* call) {
  const size_t byte_size = tn__type_byte_size(tn__reference_result(call, 0));
  if (byte_size) memcpy(call->results[0], call->operands[0], byte_size);
  return TN_OK;
}

tn_status_t tn__reference_iota_run(const tn_kernel_call_t* call) {
  const tn_type_t* result = tn__reference_result(call, 0);
  const int64_t dimension =
      tn__attr_get_integer(&tn__reference_use(call)->attrs, "iota_dimension", 0);
  for (int64_t i = 0; i < tn__type_size(result); ++i) {
    int64_t coordinates[TN_MAX_RANK];
    tn__reference_split(result->rank, result->dims, i, coordinates);
    const tn_number_t number =
        tn__number_convert(TN_DTYPE_S64, result->dtype, tn__number_integer(coordinates[dimension]));
    tn__number_put(result->dtype, number, call->results[0], i);
  }
  return TN_OK;
}

static const void* broadcast(const move_t* move, const int64_t* at) {
  const size_t operand_rank = tn__reference_operand(move->call, 0)->rank;
  return element(move, 0, at + (tn__reference_result(move->call, 0)->rank - operand_rank));
}
tn_status_t tn__reference_broadcast_run(const tn_kernel_call_t* call) {
  return run(&(move_t){.call = call}, broadcast);
}

static const void* concatenate(const move_t* move, const int64_t* at) {
  const int64_t dimension =
      tn__attr_get_integer(&tn__reference_use(move->call)->attrs, "dimension", 0);
  int64_t place[TN_MAX_RANK];
  memcpy(place, at, sizeof place);
  size_t operand = 0;
  for (; place[dimension] >= tn__reference_operand(move->call, operand)->dims[dimension];
       ++operand) {
    place[dimension] -= tn__reference_operand(move->call, operand)->dims[dimension];
  }
  return element(move, operand, place);
}
tn_status_t tn__reference_concatenate_run(const tn_kernel_call_t* call) {
  return run(&(move_t){.call = call}, concatenate);
}

// --- with one list

static const void* broadcast_in_dim(const move_t* move, const int64_t* at) {
  const tn_type_t* operand = tn__reference_operand(move->call, 0);
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < operand->rank; ++d) {
    place[d] = operand->dims[d] == 1 ? 0 : at[move->lists[0].values[d]];
  }
  return element(move, 0, place);
}
tn_status_t tn__reference_broadcast_in_dim_run(const tn_kernel_call_t* call) {
  move_t move = {.call = call};
  TN_RETURN_IF_ERROR(read(&move, 0, "broadcast_dimensions"));
  return run(&move, broadcast_in_dim);
}

static const void* transpose(const move_t* move, const int64_t* at) {
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < move->lists[0].count; ++d) place[move->lists[0].values[d]] = at[d];
  return element(move, 0, place);
}
tn_status_t tn__reference_transpose_run(const tn_kernel_call_t* call) {
  move_t move = {.call = call};
  TN_RETURN_IF_ERROR(read(&move, 0, "permutation"));
  return run(&move, transpose);
}

static const void* reverse(const move_t* move, const int64_t* at) {
  const tn_type_t* operand = tn__reference_operand(move->call, 0);
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < operand->rank; ++d) {
    const bool is_reversed = tn__reference_index_in(&move->lists[0], (int64_t)d) >= 0;
    place[d] = is_reversed ? operand->dims[d] - 1 - at[d] : at[d];
  }
  return element(move, 0, place);
}
tn_status_t tn__reference_reverse_run(const tn_kernel_call_t* call) {
  move_t move = {.call = call};
  TN_RETURN_IF_ERROR(read(&move, 0, "dimensions"));
  return run(&move, reverse);
}

// --- windows

static const void* slice(const move_t* move, const int64_t* at) {
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < move->lists[0].count; ++d) {
    place[d] = move->lists[0].values[d] + at[d] * move->lists[1].values[d];
  }
  return element(move, 0, place);
}
tn_status_t tn__reference_slice_run(const tn_kernel_call_t* call) {
  move_t move = {.call = call};
  TN_RETURN_IF_ERROR(read(&move, 0, "start_indices"));
  TN_RETURN_IF_ERROR(read(&move, 1, "strides"));
  return run(&move, slice);
}

static const void* pad(const move_t* move, const int64_t* at) {
  const tn_type_t* operand = tn__reference_operand(move->call, 0);
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < operand->rank; ++d) {
    const int64_t inside = at[d] - move->lists[0].values[d];
    const int64_t step = move->lists[1].values[d] + 1;
    if (inside < 0 || inside % step != 0 || inside / step >= operand->dims[d]) {
      return move->call->operands[1];
    }
    place[d] = inside / step;
  }
  return element(move, 0, place);
}
tn_status_t tn__reference_pad_run(const tn_kernel_call_t* call) {
  move_t move = {.call = call};
  TN_RETURN_IF_ERROR(read(&move, 0, "edge_padding_low"));
  TN_RETURN_IF_ERROR(read(&move, 1, "interior_padding"));
  return run(&move, pad);
}

static int64_t limited(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

// Scalar operands from `first` on, so that a window of `sizes` stays inside of operand 0.
static void read_starts(move_t* move, size_t first, const int64_t* sizes) {
  const tn_type_t* operand = tn__reference_operand(move->call, 0);
  for (size_t d = 0; d < operand->rank; ++d) {
    const tn_type_t* type = tn__reference_operand(move->call, first + d);
    const tn_wide_t start = tn__number_at(type->dtype, move->call->operands[first + d], 0).integer;
    const int64_t most = operand->dims[d] - sizes[d];
    move->lists[0].values[d] = start > most ? most : limited((int64_t)start, 0, most);
  }
}

static const void* dynamic_slice(const move_t* move, const int64_t* at) {
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < tn__reference_operand(move->call, 0)->rank; ++d) {
    place[d] = move->lists[0].values[d] + at[d];
  }
  return element(move, 0, place);
}
tn_status_t tn__reference_dynamic_slice_run(const tn_kernel_call_t* call) {
  move_t move = {.call = call};
  read_starts(&move, 1, tn__reference_result(call, 0)->dims);
  return run(&move, dynamic_slice);
}

static const void* dynamic_update_slice(const move_t* move, const int64_t* at) {
  const tn_type_t* update = tn__reference_operand(move->call, 1);
  int64_t place[TN_MAX_RANK];
  for (size_t d = 0; d < update->rank; ++d) place[d] = at[d] - move->lists[0].values[d];
  const bool is_updated = tn__reference_join(update->rank, update->dims, place) >= 0;
  return is_updated ? element(move, 1, place) : element(move, 0, at);
}
tn_status_t tn__reference_dynamic_update_slice_run(const tn_kernel_call_t* call) {
  move_t move = {.call = call};
  read_starts(&move, 2, tn__reference_operand(call, 1)->dims);
  return run(&move, dynamic_update_slice);
}

// --- gather

enum { OFFSET_DIMS, COLLAPSED, BATCHING, INDEX_BATCHING, START_MAP, SLICE_SIZES };

static const void* gather(const move_t* move, const int64_t* at) {
  const tn_type_t *operand = tn__reference_operand(move->call, 0),
                  *indices = tn__reference_operand(move->call, 1);
  const tn_attr_dictionary_t* numbers =
      tn__reference_struct(tn__reference_use(move->call), "dimension_numbers");
  const size_t vector_dim = (size_t)tn__attr_get_integer(numbers, "index_vector_dim", 0);
  const tn_reference_list_t* lists = move->lists;
  int64_t index_place[TN_MAX_RANK] = {0}, place[TN_MAX_RANK] = {0};
  // The coordinates that are no offsets are those in the start indices, but for the vector's.
  size_t index_dim = 0;
  for (size_t d = 0; d < tn__reference_result(move->call, 0)->rank; ++d) {
    if (tn__reference_index_in(&lists[OFFSET_DIMS], (int64_t)d) >= 0) continue;
    if (index_dim == vector_dim) ++index_dim;
    index_place[index_dim++] = at[d];
  }
  for (size_t k = 0; k < lists[START_MAP].count; ++k) {
    const int64_t d = lists[START_MAP].values[k];
    if (vector_dim < indices->rank) index_place[vector_dim] = (int64_t)k;
    const tn_wide_t start = tn__number_load(indices->dtype, element(move, 1, index_place)).integer;
    const int64_t most = operand->dims[d] - lists[SLICE_SIZES].values[d];
    place[d] = start > most ? most : limited((int64_t)start, 0, most);
  }
  for (size_t k = 0; k < lists[BATCHING].count; ++k) {
    place[lists[BATCHING].values[k]] = index_place[lists[INDEX_BATCHING].values[k]];
  }
  size_t offset = 0;
  for (size_t d = 0; d < operand->rank; ++d) {
    if (tn__reference_index_in(&lists[COLLAPSED], (int64_t)d) >= 0) continue;
    if (tn__reference_index_in(&lists[BATCHING], (int64_t)d) >= 0) continue;
    place[d] += at[lists[OFFSET_DIMS].values[offset++]];
  }
  return element(move, 0, place);
}

tn_status_t tn__reference_gather_run(const tn_kernel_call_t* call) {
  static const char* const names[] = {"offset_dims", "collapsed_slice_dims",
                                      "operand_batching_dims", "start_indices_batching_dims",
                                      "start_index_map"};
  const tn_op_use_t* use = tn__reference_use(call);
  const tn_attr_dictionary_t* numbers = tn__reference_struct(use, "dimension_numbers");
  move_t move = {.call = call};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    TN_RETURN_IF_ERROR(tn__reference_list(numbers, names[i], 0, 0, &move.lists[i]));
  }
  TN_RETURN_IF_ERROR(read(&move, SLICE_SIZES, "slice_sizes"));
  return run(&move, gather);
}
