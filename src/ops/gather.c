// Slices from places that an operand names.
#include "ops/rules.h"

// The dimension numbers of a gather.
typedef struct numbers {
  tn_i64_list_t offset, collapsed, operand_batching, indices_batching, index_map;
  int64_t index_vector_dim;
  uint64_t offset_set;     // dimensions of the result that hold a slice
  uint64_t collapsed_set;  // dimensions of the operand that the result lacks, batching included
} numbers_t;

static tn_status_t read_numbers(const tn_op_use_t* use, numbers_t* out_numbers) {
  const tn_attr_dictionary_t* attr = tn__rule_struct(use, "dimension_numbers");
  numbers_t* n = out_numbers;
  *n = (numbers_t){.index_vector_dim = tn__attr_get_integer(attr, "index_vector_dim", 0)};
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
  TN_CONSTRAINT(use, "C1", rank == used,  // gather_c1
                "offset_dims, collapsed_slice_dims and operand_batching_dims have %zu entries; "
                "expected %zu, the rank of operand",
                used, rank);
  // gather_c6, gather_c8, gather_c11
  TN_RETURN_IF_ERROR(tn__rule_dims(use, "C8", "C6", "collapsed_slice_dims", n->collapsed, rank,
                                   &n->collapsed_set));
  TN_RETURN_IF_ERROR(tn__rule_dims(use, "C11", "C6", "operand_batching_dims", n->operand_batching,
                                   rank, &n->collapsed_set));
  TN_RETURN_IF_ERROR(  // gather_c7
      tn__rule_sorted(use, "C7", "collapsed_slice_dims", n->collapsed));
  TN_RETURN_IF_ERROR(  // gather_c10
      tn__rule_sorted(use, "C10", "operand_batching_dims", n->operand_batching));
  uint64_t mapped = 0;  // gather_c18, gather_c19
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C19", "C18", "start_index_map", n->index_map, rank, &mapped));
  return tn__rule_dims(use, "C11", "C18", "operand_batching_dims", n->operand_batching, rank,
                       &mapped);
}

// What the dimensions of start_indices are for.
static tn_status_t check_indices_dims(const tn_op_use_t* use, const numbers_t* n) {
  const tn_type_t *operand = use->operand_types[0], *indices = use->operand_types[1];
  TN_CONSTRAINT(use, "C2",  // gather_c2
                n->index_vector_dim >= 0 && n->index_vector_dim <= (int64_t)indices->rank,
                "index_vector_dim is %lld; expected 0 to %zu, the rank of start_indices",
                (long long)n->index_vector_dim, indices->rank);
  int64_t length =
      n->index_vector_dim < (int64_t)indices->rank ? indices->dims[n->index_vector_dim] : 1;
  TN_CONSTRAINT(use, "C3", tn__dims_agree(length, (int64_t)n->index_map.count),  // gather_c3
                "start_index_map has %zu entries; expected %lld, the length of an index vector",
                n->index_map.count, (long long)length);
  uint64_t batching = 0;  // gather_c13, gather_c14
  TN_RETURN_IF_ERROR(tn__rule_dims(use, "C14", "C13", "start_indices_batching_dims",
                                   n->indices_batching, indices->rank, &batching));
  TN_CONSTRAINT(use, "C15",  // gather_c15
                n->index_vector_dim == (int64_t)indices->rank ||
                    !tn__set_has(batching, (size_t)n->index_vector_dim),
                "start_indices_batching_dims has index_vector_dim, %lld",
                (long long)n->index_vector_dim);
  TN_CONSTRAINT(use, "C16",  // gather_c16
                n->operand_batching.count == n->indices_batching.count,
                "start_indices_batching_dims has %zu entries; expected %zu, as "
                "operand_batching_dims",
                n->indices_batching.count, n->operand_batching.count);
  for (size_t i = 0; i < n->operand_batching.count; ++i) {
    int64_t a = operand->dims[n->operand_batching.values[i]];
    int64_t b = indices->dims[n->indices_batching.values[i]];
    TN_CONSTRAINT(use, "C17", tn__dims_agree(a, b),  // gather_c17
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
  TN_CONSTRAINT(use, "C22", *out_rank <= TN_MAX_RANK,
                "the result has rank %zu; the largest rank is %d", *out_rank, TN_MAX_RANK);
  // gather_c4, gather_c5
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C5", "C4", "offset_dims", n->offset, *out_rank, &n->offset_set));
  return tn__rule_sorted(use, "C4", "offset_dims", n->offset);
}

static tn_status_t check_slice_sizes(const tn_op_use_t* use, const numbers_t* n,
                                     tn_i64_list_t sizes) {
  const tn_type_t* operand = use->operand_types[0];
  TN_RETURN_IF_ERROR(  // gather_c20
      tn__rule_count(use, "C20", "slice_sizes", sizes, operand->rank));
  for (size_t i = 0; i < operand->rank; ++i) {
    int64_t size = operand->dims[i];
    TN_CONSTRAINT(use, "C21",  // gather_c21
                  sizes.values[i] >= 0 && (size == TN_DIM_DYNAMIC || sizes.values[i] <= size),
                  "slice_sizes is %s; expected sizes within the operand's shape %s",
                  TN_LIST_TEXT(sizes), TN_SHAPE_TEXT(operand->rank, operand->dims));
  }
  for (size_t i = 0; i < n->collapsed.count; ++i) {
    TN_CONSTRAINT(use, "C9", sizes.values[n->collapsed.values[i]] <= 1,  // gather_c9
                  "slice_sizes is %s; expected at most 1 for collapsed dimension %lld",
                  TN_LIST_TEXT(sizes), (long long)n->collapsed.values[i]);
  }
  for (size_t i = 0; i < n->operand_batching.count; ++i) {
    TN_CONSTRAINT(use, "C12", sizes.values[n->operand_batching.values[i]] <= 1,  // gather_c12
                  "slice_sizes is %s; expected at most 1 for batching dimension %lld",
                  TN_LIST_TEXT(sizes), (long long)n->operand_batching.values[i]);
  }
  return TN_OK;
}

tn_status_t tn__infer_gather(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "start_indices", TN_KIND_INTEGER));
  const tn_type_t *operand = use->operand_types[0], *indices = use->operand_types[1];
  numbers_t n;
  TN_RETURN_IF_ERROR(read_numbers(use, &n));
  tn_i64_list_t sizes;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "slice_sizes", &sizes));
  size_t rank = 0;
  TN_RETURN_IF_ERROR(check_operand_dims(use, &n));
  TN_RETURN_IF_ERROR(check_indices_dims(use, &n));
  TN_RETURN_IF_ERROR(check_result_dims(use, &n, &rank));
  TN_RETURN_IF_ERROR(check_slice_sizes(use, &n, sizes));
  // gather_c22: slice sizes at offset_dims, the shape of start_indices elsewhere, both in order.
  int64_t dims[TN_MAX_RANK];
  size_t of_indices = 0, of_operand = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (tn__set_has(n.offset_set, i)) {
      while (tn__set_has(n.collapsed_set, of_operand)) ++of_operand;
      dims[i] = sizes.values[of_operand++];
    } else {
      if ((int64_t)of_indices == n.index_vector_dim) ++of_indices;
      dims[i] = indices->dims[of_indices++];
    }
  }
  return tn__give_tensor(use, results, "C22", operand->dtype, rank, dims);  // gather_c23
}
