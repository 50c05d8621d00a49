// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Slices from places that an operand names.
#include "ops/rules.h"

// gather's constraints by their numbers, and what dynamic_gather calls the same ones: it was
// written down before there were batching dimensions.
static const char* const gather_constraints[] = {
    NULL,  "C1",  "C2",  "C3",  "C4",  "C5",  "C6",  "C7",  "C8",  "C9",  "C10", "C11",
    "C12", "C13", "C14", "C15", "C16", "C17", "C18", "C19", "C20", "C21", "C22", "C23",
};
static const char* const dynamic_gather_constraints[] = {
    [1] = "C1",   [2] = "C2",   [3] = "C3",   [4] = "C4",   [5] = "C5",
    [6] = "C6",   [7] = "C6",   [8] = "C7",   [9] = "C8",   [18] = "C9",
    [19] = "C10", [20] = "C11", [21] = "C12", [22] = "C13", [23] = "C14",
};

// The dimension numbers of a gather.
typedef struct numbers {
  const char* const* constraints;
  tn_i64_list_t offset, collapsed, operand_batching, indices_batching, index_map;
  int64_t index_vector_dim;
  uint64_t offset_set;     // dimensions of the result that hold a slice
  uint64_t collapsed_set;  // dimensions of the operand that the result lacks, batching included
} numbers_t;

static tn_status_t read_numbers(const tn_op_use_t* use, const char* const* constraints,
                                numbers_t* out_numbers) {
  const tn_attr_dictionary_t* attr = tn__rule_struct(use, "dimension_numbers");
  numbers_t* n = out_numbers;
  *n = (numbers_t){.constraints = constraints,
                   .index_vector_dim = tn__attr_get_integer(attr, "index_vector_dim", 0)};
  TN_RETURN_IF_ERROR(tn__rule_list(use, attr, "offset_dims", &n->offset));
  TN_RETURN_IF_ERROR(tn__rule_list(use, attr, "collapsed_slice_dims", &n->collapsed));
  TN_RETURN_IF_ERROR(tn__rule_list(use, attr, "operand_batching_dims", &n->operand_batching));
  TN_RETURN_IF_ERROR(tn__rule_list(use, attr, "start_indices_batching_dims", &n->indices_batching));
  return tn__rule_list(use, attr, "start_index_map", &n->index_map);
}

// What the operand's dimensions are for.
static tn_status_t check_operand_dims(const tn_op_use_t* use, numbers_t* n) {
  size_t rank = use->operand_types[0]->rank;
  size_t used = n->offset.count + n->collapsed.count + n->operand_batching.count;
  TN_CONSTRAINT(use, n->constraints[1], rank == used,  // gather_c1
                "offset_dims, collapsed_slice_dims and operand_batching_dims have %zu entries; "
                "expected %zu, the rank of operand",
                used, rank);
  // gather_c6, gather_c8, gather_c11
  TN_RETURN_IF_ERROR(tn__rule_dims(use, n->constraints[8], n->constraints[6],
                                   "collapsed_slice_dims", n->collapsed, rank, &n->collapsed_set));
  TN_RETURN_IF_ERROR(tn__rule_dims(use, n->constraints[11], n->constraints[6],
                                   "operand_batching_dims", n->operand_batching, rank,
                                   &n->collapsed_set));
  TN_RETURN_IF_ERROR(  // gather_c7
      tn__rule_sorted(use, n->constraints[7], "collapsed_slice_dims", n->collapsed));
  TN_RETURN_IF_ERROR(  // gather_c10
      tn__rule_sorted(use, n->constraints[10], "operand_batching_dims", n->operand_batching));
  uint64_t mapped = 0;  // gather_c18, gather_c19
  TN_RETURN_IF_ERROR(tn__rule_dims(use, n->constraints[19], n->constraints[18], "start_index_map",
                                   n->index_map, rank, &mapped));
  return tn__rule_dims(use, n->constraints[11], n->constraints[18], "operand_batching_dims",
                       n->operand_batching, rank, &mapped);
}

// What the dimensions of start_indices are for.
static tn_status_t check_indices_dims(const tn_op_use_t* use, const numbers_t* n) {
  const tn_type_t *operand = use->operand_types[0], *indices = use->operand_types[1];
  TN_CONSTRAINT(use, n->constraints[2],  // gather_c2
                n->index_vector_dim >= 0 && n->index_vector_dim <= (int64_t)indices->rank,
                "index_vector_dim is %lld; expected 0 to %zu, the rank of start_indices",
                (long long)n->index_vector_dim, indices->rank);
  int64_t length =
      n->index_vector_dim < (int64_t)indices->rank ? indices->dims[n->index_vector_dim] : 1;
  TN_CONSTRAINT(use, n->constraints[3],
                tn__dims_agree(length, (int64_t)n->index_map.count),  // gather_c3
                "start_index_map has %zu entries; expected %lld, the length of an index vector",
                n->index_map.count, (long long)length);
  uint64_t batching = 0;  // gather_c13, gather_c14
  TN_RETURN_IF_ERROR(tn__rule_dims(use, n->constraints[14], n->constraints[13],
                                   "start_indices_batching_dims", n->indices_batching,
                                   indices->rank, &batching));
  TN_CONSTRAINT(use, n->constraints[15],  // gather_c15
                n->index_vector_dim == (int64_t)indices->rank ||
                    !tn__set_has(batching, (size_t)n->index_vector_dim),
                "start_indices_batching_dims has index_vector_dim, %lld",
                (long long)n->index_vector_dim);
  TN_CONSTRAINT(use, n->constraints[16],  // gather_c16
                n->operand_batching.count == n->indices_batching.count,
                "start_indices_batching_dims has %zu entries; expected %zu, as "
                "operand_batching_dims",
                n->indices_batching.count, n->operand_batching.count);
  for (size_t i = 0; i < n->operand_batching.count; ++i) {
    int64_t a = operand->dims[n->operand_batching.values[i]];
    int64_t b = indices->dims[n->indices_batching.values[i]];
    TN_CONSTRAINT(use, n->constraints[17], tn__dims_agree(a, b),  // gather_c17
                  "batching dimension %lld of start_indices has size %lld; expected %lld, as "
                  "dimension %lld of operand",
                  (long long)n->indices_batching.values[i], (long long)b, (long long)a,
                  (long long)n->operand_batching.values[i]);
  }
  return TN_OK;
}

// The result's rank, and which of its dimensions hold slices.
static tn_status_t check_result_dims(const tn_op_use_t* use, numbers_t* n, size_t* out_rank) {
  const tn_type_t* indices = use->operand_types[1];
  size_t batch_rank = indices->rank - (n->index_vector_dim < (int64_t)indices->rank);
  *out_rank = batch_rank + n->offset.count;
  TN_CONSTRAINT(use, n->constraints[22], *out_rank <= TN_MAX_RANK,
                "the result has rank %zu; the largest rank is %d", *out_rank, TN_MAX_RANK);
  // gather_c4, gather_c5
  TN_RETURN_IF_ERROR(tn__rule_dims(use, n->constraints[5], n->constraints[4], "offset_dims",
                                   n->offset, *out_rank, &n->offset_set));
  return tn__rule_sorted(use, n->constraints[4], "offset_dims", n->offset);
}

static tn_status_t check_slice_sizes(const tn_op_use_t* use, const numbers_t* n,
                                     tn_i64_list_t sizes) {
  const tn_type_t* operand = use->operand_types[0];
  TN_RETURN_IF_ERROR(  // gather_c20
      tn__rule_count(use, n->constraints[20], "slice_sizes", sizes, operand->rank));
  for (size_t i = 0; i < operand->rank; ++i) {
    int64_t size = operand->dims[i];
    TN_CONSTRAINT(use, n->constraints[21],  // gather_c21
                  sizes.values[i] >= 0 && (size == TN_DIM_DYNAMIC || sizes.values[i] <= size),
                  "slice_sizes is %s; expected sizes within the operand's shape %s",
                  TN_LIST_TEXT(sizes), TN_SHAPE_TEXT(operand->rank, operand->dims));
  }
  for (size_t i = 0; i < n->collapsed.count; ++i) {
    TN_CONSTRAINT(use, n->constraints[9], sizes.values[n->collapsed.values[i]] <= 1,  // gather_c9
                  "slice_sizes is %s; expected at most 1 for collapsed dimension %lld",
                  TN_LIST_TEXT(sizes), (long long)n->collapsed.values[i]);
  }
  for (size_t i = 0; i < n->operand_batching.count; ++i) {
    TN_CONSTRAINT(use, n->constraints[12],
                  sizes.values[n->operand_batching.values[i]] <= 1,  // gather_c12
                  "slice_sizes is %s; expected at most 1 for batching dimension %lld",
                  TN_LIST_TEXT(sizes), (long long)n->operand_batching.values[i]);
  }
  return TN_OK;
}

// gather_c22: slice sizes at offset_dims, the shape of start_indices elsewhere, both in order.
static void result_dims(const tn_op_use_t* use, const numbers_t* n, const int64_t* slice_sizes,
                        size_t rank, int64_t* dims) {
  const tn_type_t* indices = use->operand_types[1];
  size_t of_indices = 0, of_operand = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (tn__set_has(n->offset_set, i)) {
      while (tn__set_has(n->collapsed_set, of_operand)) ++of_operand;
      dims[i] = slice_sizes ? slice_sizes[of_operand] : TN_DIM_DYNAMIC;
      ++of_operand;
    } else {
      if ((int64_t)of_indices == n->index_vector_dim) ++of_indices;
      dims[i] = indices->dims[of_indices++];
    }
  }
}

// What does not need the slice sizes.
static tn_status_t check_gather(const tn_op_use_t* use, const char* const* constraints,
                                numbers_t* n, size_t* out_rank) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "start_indices", TN_KIND_INTEGER));
  TN_RETURN_IF_ERROR(read_numbers(use, constraints, n));
  TN_RETURN_IF_ERROR(check_operand_dims(use, n));
  TN_RETURN_IF_ERROR(check_indices_dims(use, n));
  return check_result_dims(use, n, out_rank);
}

// A dimension that collapses to one place has a place, unless there is nothing to fetch: what the
// specification leaves open when a slice of no elements is to give some.
static tn_status_t check_places(const tn_op_use_t* use, const numbers_t* n, tn_i64_list_t sizes,
                                size_t rank, const int64_t* dims) {
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] == 0) return TN_OK;
  }
  for (size_t i = 0; i < sizes.count; ++i) {
    TN_CONSTRAINT(use, NULL, sizes.values[i] != 0 || !tn__set_has(n->collapsed_set, i),
                  "slice_sizes is %s; expected 1 for dimension %zu, since the result has elements",
                  TN_LIST_TEXT(sizes), i);
  }
  return TN_OK;
}

tn_status_t tn__infer_gather(const tn_op_use_t* use, tn_op_results_t* results) {
  numbers_t n;
  size_t rank = 0;
  TN_RETURN_IF_ERROR(check_gather(use, gather_constraints, &n, &rank));
  tn_i64_list_t sizes;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "slice_sizes", &sizes));
  TN_RETURN_IF_ERROR(check_slice_sizes(use, &n, sizes));
  int64_t dims[TN_MAX_RANK];
  result_dims(use, &n, sizes.values, rank, dims);
  TN_RETURN_IF_ERROR(check_places(use, &n, sizes, rank, dims));
  return tn__give_tensor(use, results, "C22|C23", use->operand_types[0]->dtype, rank,
                         dims);  // gather_c23
}

tn_status_t tn__verify_dynamic_gather(const tn_op_use_t* use) {
  numbers_t n;
  size_t rank = 0;  // dynamic_gather_c1 to dynamic_gather_c7, dynamic_gather_c9, _c10
  TN_RETURN_IF_ERROR(check_gather(use, dynamic_gather_constraints, &n, &rank));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 2, "I3", "slice_sizes", TN_KIND_INTEGER));
  const tn_type_t *operand = use->operand_types[0], *sizes = use->operand_types[2];
  TN_CONSTRAINT(use, "C11",  // dynamic_gather_c11
                sizes->rank == 1 && tn__dims_agree(sizes->dims[0], (int64_t)operand->rank),
                "slice_sizes has shape %s; expected %zu, the rank of operand",
                TN_SHAPE_TEXT(sizes->rank, sizes->dims), operand->rank);
  TN_RETURN_IF_ERROR(tn__rule_result(use, 0, "C14", "result", TN__ANY_KIND));
  const tn_type_t* result = use->result_types[0];
  TN_CONSTRAINT(use, "C14", result->dtype == operand->dtype,  // dynamic_gather_c14
                "result has elements of type %s; expected %s", tn_dtype_name(result->dtype),
                tn_dtype_name(operand->dtype));
  int64_t dims[TN_MAX_RANK];
  result_dims(use, &n, NULL, rank, dims);
  bool fits = result->rank == rank;
  for (size_t i = 0; fits && i < rank; ++i) fits = tn__dims_agree(result->dims[i], dims[i]);
  TN_CONSTRAINT(use, "C13", fits, "result has shape %s; expected %s",  // dynamic_gather_c13
                TN_SHAPE_TEXT(result->rank, result->dims), TN_SHAPE_TEXT(rank, dims));
  return TN_OK;
}

// The result has operand's dimensions before `dim`, index's from `batch_dims` on, operand's after
// `dim`; the first `batch_dims` dimensions of both are paired.
tn_status_t tn__infer_torch_index_select(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "operand", TN__ANY_KIND));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, NULL, "index", TN_KIND_INTEGER));
  const tn_type_t *operand = use->operand_types[0], *index = use->operand_types[1];
  int64_t dim = tn__attr_get_integer(&use->attrs, "dim", 0);
  int64_t batch = tn__attr_get_integer(&use->attrs, "batch_dims", 0);
  uint64_t set = 0;
  TN_RETURN_IF_ERROR(tn__rule_dim(use, NULL, NULL, "dim", dim, operand->rank, &set));
  TN_CONSTRAINT(use, NULL, batch >= 0 && batch <= dim && batch <= (int64_t)index->rank,
                "batch_dims is %lld; expected 0 to dim, %lld, and at most %zu, the rank of index",
                (long long)batch, (long long)dim, index->rank);
  TN_CONSTRAINT(use, NULL, operand->dims[dim] != 0,
                "dimension %lld of operand is 0; expected places to take from", (long long)dim);
  int64_t dims[2 * TN_MAX_RANK];
  size_t rank = 0;
  for (int64_t i = 0; i < dim; ++i) {
    dims[rank++] = operand->dims[i];
    TN_CONSTRAINT(use, NULL, i >= batch || tn__dims_agree(operand->dims[i], index->dims[i]),
                  "index has shape %s; expected the first %lld dimensions of %s",
                  TN_SHAPE_TEXT(index->rank, index->dims), (long long)batch,
                  TN_SHAPE_TEXT(operand->rank, operand->dims));
  }
  for (size_t i = (size_t)batch; i < index->rank; ++i) dims[rank++] = index->dims[i];
  for (size_t i = (size_t)dim + 1; i < operand->rank; ++i) dims[rank++] = operand->dims[i];
  return tn__give_tensor(use, results, NULL, operand->dtype, rank, dims);
}
