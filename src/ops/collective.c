// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations in which several processes take part. How many there are is known only when a program
// runs: the rules check what holds for any number.
#include "ops/rules.h"

// --- groups of processes

enum { UNKNOWN_SIZE = -1 };

// The attribute replica_groups: rows of process ids, 0, 1, ... each once; with `may_pad`, short
// rows end in -1. Gives the length of a row, 0 when there are no rows (all processes are one
// group); UNKNOWN_SIZE when the groups are written as mesh axes.
static tn_status_t check_groups(const tn_op_use_t* use, const char* unique, const char* in_range,
                                bool may_pad, int64_t* out_size) {
  *out_size = UNKNOWN_SIZE;
  const tn_attr_t* groups = tn__attr_find(&use->attrs, "replica_groups");
  if (groups->kind == TN_ATTR_STRUCT || groups->kind == TN_ATTR_OPAQUE) return TN_OK;
  bool is_table = groups->kind == TN_ATTR_ELEMENTS && groups->elements.type->rank == 2 &&
                  groups->elements.type->dtype == TN_DTYPE_S64;
  TN_CONSTRAINT(use, NULL, is_table,
                "attribute \"replica_groups\" is %s; expected dense<...> of type tensor<NxMxi64> "
                "or mesh axes",
                tn__attr_kind_name(groups->kind));
  tn_i64_list_t ids;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "replica_groups", &ids));
  int64_t count = 0;
  for (size_t i = 0; i < ids.count; ++i) count += !(may_pad && ids.values[i] == -1);
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(use->arena, (size_t)count, &memory));
  bool* seen = memory;
  for (size_t i = 0; i < ids.count; ++i) {
    int64_t id = ids.values[i];
    if (may_pad && id == -1) continue;
    TN_CONSTRAINT(use, in_range, id >= 0 && id < count,
                  "replica_groups has %lld; expected the ids 0 to %lld", (long long)id,
                  (long long)count - 1);
    TN_CONSTRAINT(use, unique, !seen[id], "replica_groups has %lld twice", (long long)id);
    seen[id] = true;
  }
  *out_size = ids.count ? groups->elements.type->dims[1] : 0;
  return TN_OK;
}

// How many processes a row of `row_length` replicas stands for. With a channel but without global
// ids, each replica stands for all its partitions, whose number is not known.
static int64_t process_count(const tn_op_use_t* use, int64_t row_length) {
  bool has_channel = tn__attr_get_integer(tn__rule_struct(use, "channel_handle"), "handle", 0) > 0;
  bool are_global = tn__attr_find(&use->attrs, "use_global_device_ids") != NULL;
  return row_length > 0 && (!has_channel || are_global) ? row_length : UNKNOWN_SIZE;
}

static tn_status_t check_device_ids(const tn_op_use_t* use, const char* constraint) {
  if (!tn__attr_find(&use->attrs, "use_global_device_ids")) return TN_OK;
  int64_t channel = tn__attr_get_integer(tn__rule_struct(use, "channel_handle"), "handle", 0);
  TN_CONSTRAINT(use, constraint, channel > 0,
                "channel_handle has handle %lld; expected one above 0 with use_global_device_ids",
                (long long)channel);
  return TN_OK;
}

// A computation (E, E) -> E that the elements of all these operands promote to.
static tn_status_t check_computation(const tn_op_use_t* use, const char* constraint, size_t count,
                                     tn_dtype_t* out_dtype) {
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(
        tn__rule_folding(use, 0, constraint, "computation", 1, use->operand_types + i, out_dtype));
  }
  return TN_OK;
}

static tn_status_t give_same_shapes(const tn_op_use_t* use, tn_op_results_t* results,
                                    const char* constraint, size_t count, tn_dtype_t dtype) {
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* type = use->operand_types[i];
    TN_RETURN_IF_ERROR(tn__give_tensor(use, results, constraint, dtype, type->rank, type->dims));
  }
  return TN_OK;
}

// --- with a computation

tn_status_t tn__infer_all_reduce(const tn_op_use_t* use, tn_op_results_t* results) {
  int64_t size = 0;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, "I1", "operand"));
  TN_RETURN_IF_ERROR(check_groups(use, "C1", "C3", true, &size));  // all_reduce_c1 to all_reduce_c3
  TN_RETURN_IF_ERROR(check_device_ids(use, "C4"));                 // all_reduce_c4
  TN_RETURN_IF_ERROR(check_computation(use, "C5", use->operand_count, &dtype));  // all_reduce_c5
  return give_same_shapes(use, results, "C6|C7", use->operand_count,
                          dtype);  // all_reduce_c6, all_reduce_c7
}

// The operands that hold data: with a dynamic root, all but the last one.
static tn_status_t data_count(const tn_op_use_t* use, const char* constraint, size_t* out_count) {
  *out_count = use->operand_count;
  if (!tn__attr_find(&use->attrs, "has_dynamic_root")) return TN_OK;
  const tn_type_t* root = use->operand_types[use->operand_count - 1];
  size_t count = use->operand_count - 1;
  TN_CONSTRAINT(use, constraint, count >= 1,
                "has 1 operand; expected data and the roots with has_dynamic_root");
  TN_CONSTRAINT(use, constraint,
                tn__type_is_tensor(root) && root->rank == 1 && root->dtype == TN_DTYPE_S32 &&
                    tn__dims_agree(root->dims[0], (int64_t)count),
                "the roots have type %s; expected tensor<%zuxi32>", TN_TYPE_TEXT(root), count);
  *out_count = count;
  return TN_OK;
}

tn_status_t tn__infer_collective_reduce(const tn_op_use_t* use, tn_op_results_t* results) {
  int64_t size = 0;
  size_t count = 0;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, "I1", "operand"));
  TN_RETURN_IF_ERROR(check_groups(use, "C1", "C2", true, &size));  // collective_reduce_c1, _c2
  TN_RETURN_IF_ERROR(check_device_ids(use, NULL));
  TN_RETURN_IF_ERROR(data_count(use, "C3", &count));                // collective_reduce_c3
  TN_RETURN_IF_ERROR(check_computation(use, "C4", count, &dtype));  // collective_reduce_c4
  return give_same_shapes(use, results, "C3", count, dtype);
}

tn_status_t tn__verify_reduce_scatter(const tn_op_use_t* use) {
  int64_t size = 0;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  int64_t dimension = tn__attr_get_integer(&use->attrs, "scatter_dimension", 0);
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(  // reduce_scatter_c2
      tn__rule_dim(use, "C2", "C2", "scatter_dimension", dimension, operand->rank, &set));
  TN_RETURN_IF_ERROR(  // reduce_scatter_c3 to reduce_scatter_c5
      check_groups(use, "C3", "C5", false, &size));
  TN_RETURN_IF_ERROR(check_device_ids(use, "C6"));              // reduce_scatter_c6
  TN_RETURN_IF_ERROR(check_computation(use, "C7", 1, &dtype));  // reduce_scatter_c7
  int64_t whole = operand->dims[dimension];
  size = process_count(use, size);
  TN_CONSTRAINT(use, "C1",  // reduce_scatter_c1
                size <= 0 || whole == TN_DIM_DYNAMIC || whole % size == 0,
                "dimension %lld of operand is %lld; expected a multiple of the group size, %lld",
                (long long)dimension, (long long)whole, (long long)size);
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C8", "result", TN__ANY_KIND));
  bool fits = result->rank == operand->rank;
  for (size_t i = 0; fits && i < operand->rank; ++i) {
    int64_t from = operand->dims[i], to = result->dims[i];
    if ((int64_t)i != dimension) {
      fits = tn__dims_agree(from, to);
    } else if (from != TN_DIM_DYNAMIC && to != TN_DIM_DYNAMIC) {
      fits = size > 0 ? to == from / size : to == 0 ? from == 0 : from % to == 0;
    }
  }
  TN_CONSTRAINT(use, "C8", fits,  // reduce_scatter_c8
                "result has shape %s; expected %s with dimension %lld by the group size",
                TN_SHAPE_TEXT(result->rank, result->dims),
                TN_SHAPE_TEXT(operand->rank, operand->dims), (long long)dimension);
  TN_CONSTRAINT(use, "C9", result->dtype == dtype,  // reduce_scatter_c9
                "result has elements of type %s; expected %s", tn_dtype_name(result->dtype),
                tn_dtype_name(dtype));
  return TN_OK;
}

tn_status_t tn__infer_cross_replica_sum(const tn_op_use_t* use, tn_op_results_t* results) {
  int64_t size = 0;
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(check_groups(use, NULL, NULL, true, &size));
  return tn__give(use, results, NULL, use->operand_types[0]);
}

// --- without

tn_status_t tn__verify_all_gather(const tn_op_use_t* use) {
  int64_t size = 0, dimension = tn__attr_get_integer(&use->attrs, "all_gather_dim", 0);
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, "I1", "operand"));
  TN_RETURN_IF_ERROR(  // all_gather_c2 to all_gather_c4
      check_groups(use, "C2", "C4", false, &size));
  TN_RETURN_IF_ERROR(check_device_ids(use, "C5"));  // all_gather_c5
  size = process_count(use, size);
  TN_CONSTRAINT(use, "C6", use->result_count == use->operand_count, "has %zu results; expected %zu",
                use->result_count, use->operand_count);
  for (size_t i = 0; i < use->operand_count; ++i) {
    const tn_type_t *operand = use->operand_types[i], *result = use->result_types[i];
    uint64_t set = 0;
    TN_RETURN_IF_ERROR(  // all_gather_c1
        tn__rule_dim(use, "C1", "C1", "all_gather_dim", dimension, operand->rank, &set));
    bool fits = tn__type_is_tensor(result) && result->dtype == operand->dtype &&
                result->rank == operand->rank;
    for (size_t d = 0; fits && d < operand->rank; ++d) {
      int64_t from = operand->dims[d], to = result->dims[d], product = 0;
      if ((int64_t)d != dimension) {
        fits = tn__dims_agree(from, to);
      } else if (from != TN_DIM_DYNAMIC && to != TN_DIM_DYNAMIC) {
        fits = size > 0    ? !__builtin_mul_overflow(from, size, &product) && product == to
               : from == 0 ? to == 0
                           : to % from == 0;
      }
    }
    TN_CONSTRAINT(use, "C6", fits,  // all_gather_c6
                  "result %zu has type %s; expected %s with dimension %lld times the group size", i,
                  TN_TYPE_TEXT(result), TN_TYPE_TEXT(operand), (long long)dimension);
  }
  return TN_OK;
}

tn_status_t tn__infer_all_to_all(const tn_op_use_t* use, tn_op_results_t* results) {
  int64_t size = 0;
  int64_t split = tn__attr_get_integer(&use->attrs, "split_dimension", 0);
  int64_t concat = tn__attr_get_integer(&use->attrs, "concat_dimension", 0);
  int64_t count = tn__attr_get_integer(&use->attrs, "split_count", 0);
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, "I1", "operand"));
  TN_CONSTRAINT(use, "C4", count > 0,  // all_to_all_c4
                "split_count is %lld; expected at least 1", (long long)count);
  TN_RETURN_IF_ERROR(  // all_to_all_c5 to all_to_all_c7
      check_groups(use, "C5", "C7", false, &size));
  TN_CONSTRAINT(use, "C8", size == UNKNOWN_SIZE || size == count,  // all_to_all_c8
                "groups have %lld members; expected %lld, split_count", (long long)size,
                (long long)count);
  for (size_t i = 0; i < use->operand_count; ++i) {
    const tn_type_t* operand = use->operand_types[i];
    uint64_t splits = 0, concats = 0;
    TN_RETURN_IF_ERROR(  // all_to_all_c1
        tn__rule_dim(use, "C1", "C1", "split_dimension", split, operand->rank, &splits));
    TN_RETURN_IF_ERROR(  // all_to_all_c3
        tn__rule_dim(use, "C3", "C3", "concat_dimension", concat, operand->rank, &concats));
    int64_t whole = operand->dims[split];
    TN_CONSTRAINT(use, "C2", whole == TN_DIM_DYNAMIC || whole % count == 0,  // all_to_all_c2
                  "dimension %lld of operand %zu is %lld; expected a multiple of split_count, %lld",
                  (long long)split, i, (long long)whole, (long long)count);
    int64_t dims[TN_MAX_RANK];
    memcpy(dims, operand->dims, operand->rank * sizeof *dims);
    if (split != concat) {
      if (whole != TN_DIM_DYNAMIC) dims[split] = whole / count;
      TN_CONSTRAINT(use, "C9",
                    dims[concat] == TN_DIM_DYNAMIC ||
                        !__builtin_mul_overflow(dims[concat], count, &dims[concat]),
                    "dimension %lld of result %zu overflows 64 bits", (long long)concat, i);
    }
    TN_RETURN_IF_ERROR(tn__give_tensor(use, results, "C9", operand->dtype, operand->rank,
                                       dims));  // all_to_all_c9
  }
  return TN_OK;
}

tn_status_t tn__infer_collective_broadcast(const tn_op_use_t* use, tn_op_results_t* results) {
  int64_t size = 0;
  size_t count = 0;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, "I1", "operand"));
  TN_RETURN_IF_ERROR(check_groups(use, "C1", "C2", true, &size));  // collective_broadcast_c1, _c2
  TN_RETURN_IF_ERROR(data_count(use, "C4", &count));               // collective_broadcast_c4
  results->count_constraint = "C5";                                // collective_broadcast_c5
  for (size_t i = 0; i < count; ++i) {  // collective_broadcast_c3, collective_broadcast_c5
    TN_RETURN_IF_ERROR(tn__give(use, results, "C3", use->operand_types[i]));
  }
  return TN_OK;
}
