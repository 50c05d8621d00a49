// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Updates combined into places that an operand names.
#include "ops/rules.h"

// The dimension numbers of a scatter, and what they are about.
typedef struct numbers {
  size_t count;  // inputs, and as many updates
  const tn_type_t *input, *indices, *update;
  tn_i64_list_t window, inserted, input_batching, indices_batching, index_map;
  int64_t index_vector_dim;
  uint64_t window_set;    // dimensions of the updates that hold a window
  uint64_t inserted_set;  // dimensions of the inputs that windows lack, batching included
} numbers_t;

static tn_status_t check_operands(const tn_op_use_t* use, numbers_t* n) {
  // inputs, indices, updates
  TN_CONSTRAINT(use, "C5", use->operand_count % 2 == 1,  // scatter_c5
                "has %zu operands; expected as many updates as inputs and one tensor of indices",
                use->operand_count);
  n->count = use->operand_count / 2;
  const tn_type_t *const *inputs = use->operand_types, *const *updates = inputs + n->count + 1;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, n->count, "I1", "input"));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, n->count, "I2", "scatter_indices", TN_KIND_INTEGER));
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, n->count + 1, n->count, "I3", "update"));
  n->input = inputs[0];
  n->indices = use->operand_types[n->count];
  n->update = updates[0];
  for (size_t i = 0; i < n->count; ++i) {
    TN_CONSTRAINT(use, "C1", tn__shapes_agree(inputs[i], n->input),  // scatter_c1
                  "input %zu has shape %s; expected %s", i,
                  TN_SHAPE_TEXT(inputs[i]->rank, inputs[i]->dims),
                  TN_SHAPE_TEXT(n->input->rank, n->input->dims));
    TN_CONSTRAINT(use, "C3", tn__shapes_agree(updates[i], n->update),  // scatter_c3
                  "update %zu has shape %s; expected %s", i,
                  TN_SHAPE_TEXT(updates[i]->rank, updates[i]->dims),
                  TN_SHAPE_TEXT(n->update->rank, n->update->dims));
    TN_CONSTRAINT(use, "C6", inputs[i]->dtype == updates[i]->dtype,  // scatter_c6
                  "update %zu has elements of type %s; expected %s", i,
                  tn_dtype_name(updates[i]->dtype), tn_dtype_name(inputs[i]->dtype));
  }
  return TN_OK;
}

static tn_status_t read_numbers(const tn_op_use_t* use, numbers_t* n) {
  const tn_attr_dictionary_t* attr = tn__rule_struct(use, "scatter_dimension_numbers");
  n->index_vector_dim = tn__attr_get_integer(attr, "index_vector_dim", 0);
  TN_RETURN_IF_ERROR(tn__rule_list(use, attr, "update_window_dims", &n->window));
  TN_RETURN_IF_ERROR(tn__rule_list(use, attr, "inserted_window_dims", &n->inserted));
  TN_RETURN_IF_ERROR(tn__rule_list(use, attr, "input_batching_dims", &n->input_batching));
  TN_RETURN_IF_ERROR(
      tn__rule_list(use, attr, "scatter_indices_batching_dims", &n->indices_batching));
  return tn__rule_list(use, attr, "scatter_dims_to_operand_dims", &n->index_map);
}

// What the inputs' dimensions are for.
static tn_status_t check_input_dims(const tn_op_use_t* use, numbers_t* n) {
  size_t rank = n->input->rank;
  size_t used = n->window.count + n->inserted.count + n->input_batching.count;
  TN_CONSTRAINT(use, "C2", rank == used,  // scatter_c2
                "update_window_dims, inserted_window_dims and input_batching_dims have %zu "
                "entries; expected %zu, the rank of the inputs",
                used, rank);
  // scatter_c9, scatter_c11, scatter_c13
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C11", "C9", "inserted_window_dims", n->inserted, rank, &n->inserted_set));
  TN_RETURN_IF_ERROR(tn__rule_dims(use, "C13", "C9", "input_batching_dims", n->input_batching, rank,
                                   &n->inserted_set));
  TN_RETURN_IF_ERROR(  // scatter_c10
      tn__rule_sorted(use, "C10", "inserted_window_dims", n->inserted));
  TN_RETURN_IF_ERROR(  // scatter_c12
      tn__rule_sorted(use, "C12", "input_batching_dims", n->input_batching));
  uint64_t mapped = 0;  // scatter_c20, scatter_c21
  TN_RETURN_IF_ERROR(tn__rule_dims(use, "C21", "C20", "scatter_dims_to_operand_dims", n->index_map,
                                   rank, &mapped));
  return tn__rule_dims(use, "C13", "C20", "input_batching_dims", n->input_batching, rank, &mapped);
}

// What the dimensions of scatter_indices are for.
static tn_status_t check_indices_dims(const tn_op_use_t* use, const numbers_t* n) {
  size_t rank = n->indices->rank;
  TN_CONSTRAINT(use, "C22",  // scatter_c22
                n->index_vector_dim >= 0 && n->index_vector_dim <= (int64_t)rank,
                "index_vector_dim is %lld; expected 0 to %zu, the rank of scatter_indices",
                (long long)n->index_vector_dim, rank);
  int64_t length = n->index_vector_dim < (int64_t)rank ? n->indices->dims[n->index_vector_dim] : 1;
  TN_CONSTRAINT(use, "C19", tn__dims_agree(length, (int64_t)n->index_map.count),  // scatter_c19
                "scatter_dims_to_operand_dims has %zu entries; expected %lld, the length of an "
                "index vector",
                n->index_map.count, (long long)length);
  uint64_t batching = 0;  // scatter_c14, scatter_c15
  TN_RETURN_IF_ERROR(tn__rule_dims(use, "C15", "C14", "scatter_indices_batching_dims",
                                   n->indices_batching, rank, &batching));
  TN_CONSTRAINT(
      use, "C16",  // scatter_c16
      n->index_vector_dim == (int64_t)rank || !tn__set_has(batching, (size_t)n->index_vector_dim),
      "scatter_indices_batching_dims has index_vector_dim, %lld", (long long)n->index_vector_dim);
  TN_CONSTRAINT(use, "C17", n->input_batching.count == n->indices_batching.count,  // scatter_c17
                "scatter_indices_batching_dims has %zu entries; expected %zu, as "
                "input_batching_dims",
                n->indices_batching.count, n->input_batching.count);
  for (size_t i = 0; i < n->input_batching.count; ++i) {
    int64_t a = n->input->dims[n->input_batching.values[i]];
    int64_t b = n->indices->dims[n->indices_batching.values[i]];
    TN_CONSTRAINT(use, "C18", tn__dims_agree(a, b),  // scatter_c18
                  "batching dimension %lld of scatter_indices has size %lld; expected %lld, as "
                  "dimension %lld of the inputs",
                  (long long)n->indices_batching.values[i], (long long)b, (long long)a,
                  (long long)n->input_batching.values[i]);
  }
  return TN_OK;
}

// The updates have the shape of scatter_indices, without index vectors, outside of their windows,
// which fit into the inputs.
static tn_status_t check_update_dims(const tn_op_use_t* use, numbers_t* n) {
  size_t rank = n->update->rank;
  // scatter_c7, scatter_c8
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C8", "C7", "update_window_dims", n->window, rank, &n->window_set));
  TN_RETURN_IF_ERROR(tn__rule_sorted(use, "C7", "update_window_dims", n->window));
  // scatter_c4
  size_t scatter_rank = n->indices->rank - (n->index_vector_dim < (int64_t)n->indices->rank);
  TN_CONSTRAINT(
      use, "C4", rank == scatter_rank + n->window.count,
      "the updates have rank %zu; expected %zu, %zu of scatter_indices and %zu of windows", rank,
      scatter_rank + n->window.count, scatter_rank, n->window.count);
  size_t of_indices = 0, of_input = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (tn__set_has(n->window_set, i)) {
      while (tn__set_has(n->inserted_set, of_input)) ++of_input;
      int64_t room = n->input->dims[of_input++], size = n->update->dims[i];
      TN_CONSTRAINT(use, "C4", room == TN_DIM_DYNAMIC || size <= room,
                    "dimension %zu of the updates is %lld; expected at most %lld, the inputs' "
                    "dimension %zu",
                    i, (long long)size, (long long)room, of_input - 1);
    } else {
      if ((int64_t)of_indices == n->index_vector_dim) ++of_indices;
      int64_t wanted = n->indices->dims[of_indices++];
      TN_CONSTRAINT(use, "C4", tn__dims_agree(wanted, n->update->dims[i]),
                    "dimension %zu of the updates is %lld; expected %lld, dimension %zu of "
                    "scatter_indices",
                    i, (long long)n->update->dims[i], (long long)wanted, of_indices - 1);
    }
  }
  return TN_OK;
}

tn_status_t tn__infer_scatter(const tn_op_use_t* use, tn_op_results_t* results) {
  numbers_t n = {0};
  TN_RETURN_IF_ERROR(check_operands(use, &n));
  TN_RETURN_IF_ERROR(read_numbers(use, &n));
  TN_RETURN_IF_ERROR(check_input_dims(use, &n));
  TN_RETURN_IF_ERROR(check_indices_dims(use, &n));
  TN_RETURN_IF_ERROR(check_update_dims(use, &n));
  tn_dtype_t* dtypes = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, n.count, &dtypes));
  TN_RETURN_IF_ERROR(tn__rule_folding(use, 0, "C23", "update_computation", n.count,  // scatter_c23
                                      use->operand_types, dtypes));
  for (size_t i = 0; i < n.count; ++i) {  // scatter_c24, scatter_c25
    TN_RETURN_IF_ERROR(
        tn__give_tensor(use, results, "C24|C25", dtypes[i], n.input->rank, n.input->dims));
  }
  return TN_OK;
}
