// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Sums of products.
#include "array/common.h"

// Dimensions of two arrays that go together.
typedef struct tn_pairing {
  size_t batch_count, contracted_count;
  int64_t left_batch[TN_MAX_RANK], right_batch[TN_MAX_RANK];
  int64_t left_contracted[TN_MAX_RANK], right_contracted[TN_MAX_RANK];
} tn_pairing_t;

static bool holds(size_t count, const int64_t* list, size_t value) {
  for (size_t i = 0; i < count; ++i) {
    if (list[i] == (int64_t)value) return true;
  }
  return false;
}

// The result has the batch dimensions, then those of `a` alone, then those of `b` alone.
static tn_array_t* dot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                       const tn_pairing_t* pairing) {
  tn_array_t* operands[] = {a, b};
  int64_t dims[2 * TN_MAX_RANK];
  size_t rank = 0;
  for (size_t i = 0; i < pairing->batch_count; ++i) dims[rank++] = a->dims[pairing->left_batch[i]];
  for (size_t i = 0; i < a->rank; ++i) {
    if (!holds(pairing->batch_count, pairing->left_batch, i) &&
        !holds(pairing->contracted_count, pairing->left_contracted, i)) {
      dims[rank++] = a->dims[i];
    }
  }
  for (size_t i = 0; i < b->rank; ++i) {
    if (!holds(pairing->batch_count, pairing->right_batch, i) &&
        !holds(pairing->contracted_count, pairing->right_contracted, i)) {
      dims[rank++] = b->dims[i];
    }
  }
  if (rank > TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the result would have %zu dimensions; at most %d", rank, TN_MAX_RANK);
  }
  const tn_named_attr_t fields[] = {
      TN_I64_LIST_ATTR("lhs_batching_dimensions", pairing->batch_count, pairing->left_batch),
      TN_I64_LIST_ATTR("rhs_batching_dimensions", pairing->batch_count, pairing->right_batch),
      TN_I64_LIST_ATTR("lhs_contracting_dimensions", pairing->contracted_count,
                       pairing->left_contracted),
      TN_I64_LIST_ATTR("rhs_contracting_dimensions", pairing->contracted_count,
                       pairing->right_contracted),
  };
  const tn_named_attr_t attribute = TN_STRUCT_ATTR("dot_dimension_numbers", "dot", 4, fields);
  return tn__apply_with(scope, TN__OP(dot_general), 2, operands, 1, &attribute, a->dtype, rank,
                        dims);
}

// Both of the dtype that they are promoted to.
static tn_array_t* promote(tn_scope_t* scope, tn_array_t** operands) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, 2, operands, &dtype));
  for (size_t i = 0; i < 2; ++i) operands[i] = tn_array_astype(scope, operands[i], dtype);
  return tn__check_operands(scope, 2, operands);
}

// Dimensions `left` of a and `right` of b, which are summed over, differ.
static tn_array_t* mismatch(tn_scope_t* scope, const tn_array_t* a, size_t left,
                            const tn_array_t* b, size_t right) {
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "operands have shapes %s and %s; contracting dimensions %zu of the "
                        "first and %zu of the second have sizes %lld and %lld; expected equal ones",
                        TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims), left,
                        right, (long long)a->dims[left], (long long)b->dims[right]);
}

// Of matrices with leading dimensions that broadcast. `a` and `b` have two dimensions at least.
static tn_array_t* multiply_matrices(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  tn_pairing_t pairing = {.contracted_count = 1};
  if (a->dims[a->rank - 1] != b->dims[b->rank - 2]) {
    return mismatch(scope, a, a->rank - 1, b, b->rank - 2);
  }
  if (b->rank == 2) {
    pairing.left_contracted[0] = (int64_t)a->rank - 1;
    return dot(scope, a, b, &pairing);
  }
  int64_t a_tail[] = {a->dims[a->rank - 2], a->dims[a->rank - 1]};
  int64_t b_tail[] = {b->dims[b->rank - 2], b->dims[b->rank - 1]};
  int64_t dims[TN_MAX_RANK];
  const size_t rank = a->rank > b->rank ? a->rank : b->rank;
  for (size_t i = 0; i + 2 < rank; ++i) {
    const int64_t from_a = i + a->rank < rank ? 1 : a->dims[i + a->rank - rank];
    const int64_t from_b = i + b->rank < rank ? 1 : b->dims[i + b->rank - rank];
    dims[i] = from_a == 1 ? from_b : from_a;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                            "shapes %s and %s do not broadcast (dimension %zu)",
                            TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims), i);
    }
    pairing.left_batch[i] = pairing.right_batch[i] = (int64_t)i;
  }
  pairing.batch_count = rank - 2;
  memcpy(dims + rank - 2, a_tail, sizeof a_tail);
  a = tn_array_broadcast_to(scope, a, rank, dims);
  memcpy(dims + rank - 2, b_tail, sizeof b_tail);
  b = tn_array_broadcast_to(scope, b, rank, dims);
  if (a->dtype == TN_DTYPE_INVALID) return a;
  if (b->dtype == TN_DTYPE_INVALID) return b;
  pairing.left_contracted[0] = (int64_t)rank - 1;
  pairing.right_contracted[0] = (int64_t)rank - 2;
  return dot(scope, a, b, &pairing);
}

tn_array_t* tn_array_matmul(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "matmul");
  tn_array_t* operands[] = {a, b};
  int64_t axes[2];
  size_t count = 0;
  TN__RETURN_IF_FAILED(promote(scope, operands));
  const bool is_row = operands[0]->rank == 1, is_column = operands[1]->rank == 1;
  if (operands[0]->rank == 0 || operands[1]->rank == 0) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "shapes %s and %s; expected at least one dimension each",
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims));
  }
  if (is_row) operands[0] = tn_array_expand_dims(scope, operands[0], 1, (const int64_t[]){0});
  if (is_column) operands[1] = tn_array_expand_dims(scope, operands[1], 1, (const int64_t[]){1});
  tn_array_t* product = multiply_matrices(scope, operands[0], operands[1]);
  if (is_row) axes[count++] = -2;
  if (is_column) axes[count++] = -1;
  return count ? tn_array_squeeze(scope, product, count, axes) : product;
}

tn_array_t* tn_array_addmm(tn_scope_t* scope, tn_array_t* c, tn_array_t* a, tn_array_t* b,
                           double alpha, double beta) {
  TN__OPERATION_ON(scope, "addmm", c, a, b);
  tn_array_t* operands[] = {c, a, b};
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, 3, operands, &dtype));
  for (size_t i = 0; i < 3; ++i) operands[i] = tn_array_astype(scope, operands[i], dtype);
  tn_array_t* product = tn_array_matmul(scope, operands[1], operands[2]);
  if (product->dtype == TN_DTYPE_INVALID) return product;
  if (alpha != 1) {
    product = tn_array_multiply(scope, product, tn_array_scalar(scope, dtype, alpha));
  }
  if (beta != 1) {
    operands[0] = tn_array_multiply(scope, operands[0], tn_array_scalar(scope, dtype, beta));
  }
  operands[0] = tn_array_broadcast_to(scope, operands[0], product->rank, product->dims);
  return tn_array_add(scope, product, operands[0]);
}

tn_array_t* tn_array_tensordot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, size_t axis_count,
                               const int64_t* a_axes, const int64_t* b_axes) {
  TN__OPERATION(scope, "tensordot");
  tn_array_t* operands[] = {a, b};
  tn_pairing_t pairing = {.contracted_count = axis_count};
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(promote(scope, operands));
  a = operands[0];
  b = operands[1];
  if (axis_count > a->rank || axis_count > b->rank) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%zu axes of the shapes %s and %s, which have fewer", axis_count,
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims));
  }
  if (a_axes) TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, a_axes, a->rank, &set));
  if (b_axes) TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, b_axes, b->rank, &set));
  for (size_t i = 0; i < axis_count; ++i) {
    const int64_t left = a_axes ? a_axes[i] : (int64_t)(a->rank - axis_count + i);
    const int64_t right = b_axes ? b_axes[i] : (int64_t)i;
    pairing.left_contracted[i] = left < 0 ? left + (int64_t)a->rank : left;
    pairing.right_contracted[i] = right < 0 ? right + (int64_t)b->rank : right;
    if (a->dims[pairing.left_contracted[i]] != b->dims[pairing.right_contracted[i]]) {
      return mismatch(scope, a, (size_t)pairing.left_contracted[i], b,
                      (size_t)pairing.right_contracted[i]);
    }
  }
  return dot(scope, a, b, &pairing);
}

tn_array_t* tn_array_inner(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION_ON(scope, "inner", a, b);
  static const int64_t last[] = {-1};
  if (a->rank == 0 || b->rank == 0) return tn_array_multiply(scope, a, b);
  return tn_array_tensordot(scope, a, b, 1, last, last);
}

tn_array_t* tn_array_outer(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "outer");
  tn_array_t* column = tn_array_reshape(scope, tn_array_flatten(scope, a, 0, -1), 2,
                                        (const int64_t[]){tn_array_size(a), 1});
  return tn_array_multiply(scope, column, tn_array_flatten(scope, b, 0, -1));
}

tn_array_t* tn_array_vecdot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, int64_t axis) {
  TN__OPERATION_ON(scope, "vecdot", a, b);
  size_t left = 0, right = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, a->rank, &left));
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, b->rank, &right));
  if (a->dims[left] != b->dims[right]) return mismatch(scope, a, left, b, right);
  tn_array_t* product = tn_array_multiply(scope, tn_array_conjugate(scope, a), b);
  return tn_array_sum(scope, product, 1, &axis, false);
}

tn_array_t* tn_array_kron(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION_ON(scope, "kron", a, b);
  tn_array_t* operands[] = {a, b};
  tn_array_shape_t shape = {0};
  const size_t rank = a->rank > b->rank ? a->rank : b->rank;
  if (2 * rank > TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%zu dimensions; at most %d", rank,
                          TN_MAX_RANK / 2);
  }
  for (size_t k = 0; k < 2; ++k) {
    int64_t dims[TN_MAX_RANK];
    for (size_t i = 0; i < rank; ++i) {
      const tn_array_t* x = k ? b : a;
      const int64_t dim = i + x->rank < rank ? 1 : x->dims[i + x->rank - rank];
      dims[2 * i + k] = dim;
      dims[2 * i + 1 - k] = 1;
      if (k == 0) {
        shape.dims[i] = dim;
      } else if (__builtin_mul_overflow(shape.dims[i], dim, &shape.dims[i])) {
        return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "dimension %zu is too large", i);
      }
    }
    operands[k] = tn_array_reshape(scope, operands[k], 2 * rank, dims);
  }
  tn_array_t* product = tn_array_multiply(scope, operands[0], operands[1]);
  return tn_array_reshape(scope, product, rank, shape.dims);
}

// The indices of matrices in the flattened leading dimensions: 0, 1, 2... of this shape.
static tn_array_t* default_indices(tn_scope_t* scope, const tn_array_t* x) {
  int64_t count = 1;
  for (size_t i = 0; i + 2 < x->rank; ++i) count *= x->dims[i];
  return tn_array_reshape(scope, tn__iota(scope, TN_DTYPE_S32, 1, &count, 0), x->rank - 2, x->dims);
}

static tn_array_t* gather_matrices(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices) {
  const int64_t axis = 0;
  tn_array_t* line =
      x->rank == 2 ? tn_array_expand_dims(scope, x, 1, &axis) : tn_array_flatten(scope, x, 0, -3);
  return tn_array_take(scope, line, indices, axis);
}

tn_array_t* tn_array_gather_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                               tn_array_t* lhs_indices, tn_array_t* rhs_indices) {
  TN__OPERATION(scope, "gather_mm");
  tn_array_t* operands[] = {a, b};
  int64_t axes[2];
  size_t count = 0;
  if (!lhs_indices && !rhs_indices) return tn_array_matmul(scope, a, b);
  TN__RETURN_IF_FAILED(promote(scope, operands));
  const bool is_row = operands[0]->rank == 1, is_column = operands[1]->rank == 1;
  if (is_row) operands[0] = tn_array_expand_dims(scope, operands[0], 1, (const int64_t[]){0});
  if (is_column) operands[1] = tn_array_expand_dims(scope, operands[1], 1, (const int64_t[]){1});
  if (operands[0]->rank < 2 || operands[1]->rank < 2) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "shapes %s and %s; expected at least one dimension each",
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims));
  }
  tn_array_t* indices[] = {lhs_indices ? lhs_indices : default_indices(scope, operands[0]),
                           rhs_indices ? rhs_indices : default_indices(scope, operands[1])};
  tn_array_broadcast_arrays(scope, 2, indices, indices);
  a = gather_matrices(scope, operands[0], indices[0]);
  b = gather_matrices(scope, operands[1], indices[1]);
  if (a->dtype == TN_DTYPE_INVALID) return a;
  if (b->dtype == TN_DTYPE_INVALID) return b;
  tn_array_t* product = multiply_matrices(scope, a, b);
  if (is_row) axes[count++] = -2;
  if (is_column) axes[count++] = -1;
  return count ? tn_array_squeeze(scope, product, count, axes) : product;
}
