// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of the dialect chlo, which numbers no constraints.
#include "ops/contract.h"
#include "ops/rules.h"

tn_status_t tn__infer_is_infinite(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "operand", TN_KIND_FLOAT));
  const tn_type_t* operand = use->operand_types[0];
  return tn__give_tensor(use, results, NULL, TN_DTYPE_PRED, operand->rank, operand->dims);
}

tn_status_t tn__infer_top_k(const tn_op_use_t* use, tn_op_results_t* results) {
  enum { ORDERED = TN__BOOL_OR_INTEGER | TN_KIND_FLOAT };
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "operand", ORDERED));
  const tn_type_t* operand = use->operand_types[0];
  TN_CONSTRAINT(use, NULL, operand->rank >= 1, "operand is a scalar; expected a vector at least");
  int64_t k = tn__attr_get_integer(&use->attrs, "k", 0), last = operand->dims[operand->rank - 1];
  TN_CONSTRAINT(use, NULL, k >= 0 && (last == TN_DIM_DYNAMIC || k <= last),
                "k is %lld; expected 0 to %s, the last dimension of operand", (long long)k,
                TN_SHAPE_TEXT(1, &last));
  int64_t dims[TN_MAX_RANK];
  memcpy(dims, operand->dims, operand->rank * sizeof *dims);
  dims[operand->rank - 1] = k;
  TN_RETURN_IF_ERROR(tn__give_tensor(use, results, NULL, operand->dtype, operand->rank, dims));
  return tn__give_tensor(use, results, NULL, TN_DTYPE_S32, operand->rank, dims);
}

// --- ragged_dot

// How a dimension of lhs is ragged: it is one of the result's rows, one that is summed over, or one
// that pairs both operands.
typedef enum ragged_mode { RAGGED_ROWS, RAGGED_CONTRACTING, RAGGED_BATCH } ragged_mode_t;

static size_t index_of(tn_i64_list_t list, int64_t value) {
  size_t i = 0;
  while (i < list.count && list.values[i] != value) ++i;
  return i;
}

// The dimensions of lhs around the ragged one for whose every place there is a list of group sizes.
static size_t group_prefix(const tn_contract_side_t* lhs, int64_t ragged, ragged_mode_t mode,
                           int64_t* dims) {
  size_t count = 0;
  size_t batching = mode == RAGGED_BATCH ? index_of(lhs->batching, ragged) : lhs->batching.count;
  for (size_t i = 0; i < batching; ++i) dims[count++] = lhs->type->dims[lhs->batching.values[i]];
  if (mode == RAGGED_CONTRACTING) {
    for (size_t i = 0; i < index_of(lhs->contracting, ragged); ++i) {
      dims[count++] = lhs->type->dims[lhs->contracting.values[i]];
    }
  }
  for (int64_t i = 0; mode == RAGGED_ROWS && i < ragged; ++i) {
    if (!tn__set_has(lhs->set, (size_t)i)) dims[count++] = lhs->type->dims[i];
  }
  return count;
}

static tn_status_t check_group_sizes(const tn_op_use_t* use, const tn_contract_side_t* lhs,
                                     int64_t ragged, ragged_mode_t mode, int64_t* out_groups) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 2, NULL, "group_sizes", TN_KIND_INTEGER));
  const tn_type_t* sizes = use->operand_types[2];
  TN_CONSTRAINT(use, NULL, sizes->rank >= 1, "group_sizes is a scalar; expected a vector at least");
  *out_groups = sizes->dims[sizes->rank - 1];
  if (sizes->rank == 1) return TN_OK;  // the same groups everywhere
  int64_t prefix[TN_MAX_RANK + 1];
  size_t count = group_prefix(lhs, ragged, mode, prefix);
  bool fits = sizes->rank == count + 1;
  for (size_t i = 0; fits && i < count; ++i) fits = tn__dims_agree(sizes->dims[i], prefix[i]);
  prefix[count] = *out_groups;
  TN_CONSTRAINT(use, NULL, fits, "group_sizes has shape %s; expected %s or a vector",
                TN_SHAPE_TEXT(sizes->rank, sizes->dims), TN_SHAPE_TEXT(count + 1, prefix));
  return TN_OK;
}

tn_status_t tn__infer_ragged_dot(const tn_op_use_t* use, tn_op_results_t* results) {
  const char* numbers_name = "ragged_dot_dimension_numbers";
  const tn_attr_dictionary_t* numbers = tn__rule_struct(use, numbers_name);
  tn_contract_side_t lhs, rhs;
  TN_RETURN_IF_ERROR(tn__contract_sides(use, numbers_name, &lhs, &rhs));
  tn_i64_list_t ragged_dims, group_dims;
  TN_RETURN_IF_ERROR(tn__rule_list(use, numbers, "lhs_ragged_dimensions", &ragged_dims));
  TN_RETURN_IF_ERROR(tn__rule_list(use, numbers, "rhs_group_dimensions", &group_dims));
  TN_RETURN_IF_ERROR(tn__rule_count(use, NULL, "lhs_ragged_dimensions", ragged_dims, 1));
  uint64_t ragged_set = 0, rhs_set = rhs.set;
  TN_RETURN_IF_ERROR(tn__rule_dims(use, NULL, NULL, "lhs_ragged_dimensions", ragged_dims,
                                   lhs.type->rank, &ragged_set));
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, NULL, NULL, "rhs_group_dimensions", group_dims, rhs.type->rank, &rhs_set));
  int64_t ragged = ragged_dims.values[0], groups = 0;
  ragged_mode_t mode = index_of(lhs.batching, ragged) < lhs.batching.count ? RAGGED_BATCH
                       : tn__set_has(lhs.set, (size_t)ragged)              ? RAGGED_CONTRACTING
                                                                           : RAGGED_ROWS;
  TN_RETURN_IF_ERROR(check_group_sizes(use, &lhs, ragged, mode, &groups));
  TN_RETURN_IF_ERROR(
      tn__rule_count(use, NULL, "rhs_group_dimensions", group_dims, mode == RAGGED_ROWS ? 1 : 0));
  if (mode == RAGGED_ROWS) {
    int64_t size = rhs.type->dims[group_dims.values[0]];
    TN_CONSTRAINT(use, NULL, tn__dims_agree(size, groups),
                  "the group dimension of rhs is %lld; expected %lld, the number of groups",
                  (long long)size, (long long)groups);
  }
  int64_t dims[2 * TN_MAX_RANK + 1];
  size_t rank = 0;
  if (mode == RAGGED_CONTRACTING) dims[rank++] = groups;
  tn__contract_dims(&lhs, &rhs, rhs_set, &rank, dims);
  return tn__give_tensor(use, results, NULL, tn__contract_dtype(use, lhs.type->dtype), rank, dims);
}

// --- scan

// The type without one of its dimensions.
static tn_status_t without_dimension(const tn_op_use_t* use, const tn_type_t* type,
                                     size_t dimension, const tn_type_t** out_type) {
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  for (size_t i = 0; i < type->rank; ++i) {
    if (i != dimension) dims[rank++] = type->dims[i];
  }
  return tn__type_tensor(use->arena, type->dtype, rank, dims, out_type);
}

static tn_status_t give_with_dimension(const tn_op_use_t* use, tn_op_results_t* results,
                                       const tn_type_t* type, size_t dimension, int64_t size) {
  int64_t dims[TN_MAX_RANK + 1];
  for (size_t i = 0; i <= type->rank; ++i) {
    dims[i] = i < dimension ? type->dims[i] : i == dimension ? size : type->dims[i - 1];
  }
  return tn__give_tensor(use, results, NULL, type->dtype, type->rank + 1, dims);
}

// How many of the operands are scanned; the others are initial carries.
static tn_status_t input_count(const tn_op_use_t* use, size_t* out_count) {
  tn_i64_list_t sizes;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "operandSegmentSizes", &sizes));
  bool fits = sizes.count == 2 && sizes.values[0] >= 0 && sizes.values[1] >= 0 &&
              sizes.values[0] <= (int64_t)use->operand_count &&
              sizes.values[1] == (int64_t)use->operand_count - sizes.values[0];
  TN_CONSTRAINT(use, NULL, fits,
                "operandSegmentSizes is %s; expected the numbers of inputs and "
                "inits, %zu together",
                TN_LIST_TEXT(sizes), use->operand_count);
  *out_count = (size_t)sizes.values[0];
  return TN_OK;
}

tn_status_t tn__infer_scan(const tn_op_use_t* use, tn_op_results_t* results) {
  size_t inputs = 0;
  TN_RETURN_IF_ERROR(input_count(use, &inputs));
  size_t carries = use->operand_count - inputs;
  int64_t dimension = tn__attr_get_integer(&use->attrs, "dimension", 0);
  int64_t size = tn__attr_get_integer(&use->attrs, "scan_dim_size", TN_DIM_DYNAMIC);
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, NULL, "operand"));
  const tn_type_t** arguments = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, use->operand_count, &arguments));
  for (size_t i = 0; i < use->operand_count; ++i) {
    const tn_type_t* type = use->operand_types[i];
    arguments[i] = type;
    if (i >= inputs) continue;
    uint64_t set = 0;
    TN_RETURN_IF_ERROR(tn__rule_dim(use, NULL, NULL, "dimension", dimension, type->rank, &set));
    int64_t own = type->dims[dimension];
    TN_CONSTRAINT(use, NULL, tn__dims_agree(size, own),
                  "dimension %lld of input %zu is %lld; expected %lld", (long long)dimension, i,
                  (long long)own, (long long)size);
    if (size == TN_DIM_DYNAMIC) size = own;
    TN_RETURN_IF_ERROR(without_dimension(use, type, (size_t)dimension, &arguments[i]));
  }
  // The body gives outputs, then carries; the carries have the types they began with.
  const tn_region_signature_t* body = &use->regions[0];
  TN_CONSTRAINT(use, NULL, body->result_count >= carries && body->result_count + inputs > carries,
                "body gives %zu results; expected %zu carries after outputs", body->result_count,
                carries);
  size_t outputs = body->result_count - carries;
  const tn_type_t** wanted = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, body->result_count, &wanted));
  for (size_t i = 0; i < body->result_count; ++i) {
    wanted[i] = i < outputs ? body->result_types[i] : arguments[inputs + i - outputs];
  }
  TN_RETURN_IF_ERROR(tn__rule_region(use, 0, NULL, "body", use->operand_count, arguments,
                                     body->result_count, wanted));
  for (size_t i = 0; i < outputs; ++i) {
    const tn_type_t* output = wanted[i];
    TN_CONSTRAINT(
        use, NULL,
        tn__type_is_tensor(output) && dimension >= 0 && dimension <= (int64_t)output->rank,
        "output %zu of body has type %s; expected a tensor that takes dimension %lld", i,
        TN_TYPE_TEXT(output), (long long)dimension);
    TN_RETURN_IF_ERROR(give_with_dimension(use, results, output, (size_t)dimension, size));
  }
  for (size_t i = 0; i < carries; ++i) {
    TN_RETURN_IF_ERROR(tn__give(use, results, NULL, wanted[outputs + i]));
  }
  return TN_OK;
}
