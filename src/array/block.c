// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of matrices in parts, Hadamard's transform, and floats of eight bits.
#include <math.h>

#include "array/common.h"
#include "base/integer.h"

tn_array_t* tn_array_segmented_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                  tn_array_t* segments) {
  TN__OPERATION_ON(scope, "segmented_mm", a, b, segments);
  int64_t dims[TN_MAX_RANK];
  const size_t rank = segments->rank;
  if (a->rank != 2 || b->rank != 2 || a->dims[1] != b->dims[0] || rank < 1 || rank >= TN_MAX_RANK ||
      segments->dims[rank - 1] != 2 || !tn_issubdtype(segments->dtype, TN_CATEGORY_INTEGER)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "matrices of shapes %s and %s, segments %s of shape %s; expected "
                          "pairs of integers",
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims),
                          tn_dtype_name(segments->dtype), TN_SHAPE_TEXT(rank, segments->dims));
  }
  // Of each segment [..., 1, 2]: which of the summed places are in it.
  memcpy(dims, segments->dims, rank * sizeof *dims);
  segments = tn_array_expand_dims(scope, tn_array_astype(scope, segments, TN_DTYPE_S64), 1,
                                  (const int64_t[]){-2});
  tn_array_t* bounds[2];
  tn_array_split(scope, segments, 2, -1, bounds);
  tn_array_t* places = tn__iota(scope, TN_DTYPE_S64, 1, &a->dims[1], 0);
  tn_array_t* is_inside = tn_array_logical_and(scope, tn_array_less_equal(scope, bounds[0], places),
                                               tn_array_less(scope, places, bounds[1]));
  return tn_array_matmul(scope, tn_array_where(scope, is_inside, a, tn__number_like(scope, a, 0)),
                         b);
}

// Each element of the mask for a block of x; booleans choose, numbers are multiplied.
static tn_array_t* mask_blocks(tn_scope_t* scope, tn_array_t* x, tn_array_t* mask,
                               int64_t block_size) {
  tn_array_t* operands[] = {x, mask};
  if (!mask) return x;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  const int64_t rows = x->dims[x->rank - 2], columns = x->dims[x->rank - 1];
  if (mask->rank < 2 || mask->dims[mask->rank - 2] != tn__ceil_divide(rows, block_size) ||
      mask->dims[mask->rank - 1] != tn__ceil_divide(columns, block_size)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "a mask of shape %s for matrices of shape %s; expected %lldx%lld, "
                          "an element for each block of size %lld",
                          TN_SHAPE_TEXT(mask->rank, mask->dims), TN_SHAPE_TEXT(x->rank, x->dims),
                          (long long)(tn__ceil_divide(rows, block_size)),
                          (long long)(tn__ceil_divide(columns, block_size)), (long long)block_size);
  }
  for (int64_t axis = -2; axis < 0; ++axis) {
    mask = tn_array_repeat(scope, mask, block_size, axis);
  }
  const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(0, rows), TN_SLICE(0, columns)};
  mask = tn_array_index(scope, mask, 3, items);
  if (mask->dtype == TN_DTYPE_PRED) {
    return tn_array_where(scope, mask, x, tn__number_like(scope, x, 0));
  }
  return tn_array_multiply(scope, x, tn_array_astype(scope, mask, x->dtype));
}

tn_array_t* tn_array_block_masked_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                     int64_t block_size, tn_array_t* mask_out, tn_array_t* mask_lhs,
                                     tn_array_t* mask_rhs) {
  TN__OPERATION_ON(scope, "block_masked_mm", a, b);
  if (a->rank < 2 || b->rank < 2 || block_size < 1 || block_size > INT32_MAX) {
    return tn__scope_fail(
        scope, TN_CODE_INVALID_ARGUMENT, "shapes %s and %s in blocks of %lld; expected matrices",
        TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims), (long long)block_size);
  }
  a = mask_blocks(scope, a, mask_lhs, block_size);
  b = mask_blocks(scope, b, mask_rhs, block_size);
  return mask_blocks(scope, tn_array_matmul(scope, a, b), mask_out, block_size);
}

// --- Hadamard's transform

// Matrices that are no products of smaller ones: bit j of row i says whether element (i, j) is -1.
static const uint32_t rows_of_12[] = {0x002, 0xaab, 0x3c8, 0x96e, 0xf20, 0x5ba,
                                      0xc8c, 0x6e6, 0x23c, 0xb96, 0x8f0, 0xe5a};
static const uint32_t rows_of_20[] = {0x933de, 0x2e3bd, 0x5477b, 0xa0ef7, 0x499ef, 0x637c1, 0xc6ba2,
                                      0x8d764, 0x1aee8, 0x359f0, 0x0fa53, 0x174a7, 0x26d4e, 0x45e9c,
                                      0x83d39, 0xf7a6d, 0xef4fa, 0xdedd5, 0xbdf8b, 0x7bf36};
static const uint32_t rows_of_28[] = {
    0xcd69e7e, 0x9ad7c7d, 0x37ab8fb, 0x6d571f7, 0xd8ae3ef, 0xb3587df, 0x66b4f3f,
    0xb467f43, 0x6acbe87, 0xd593d8e, 0xab27b9c, 0x564f7b8, 0xac9aff0, 0x5b31fe1,
    0x87fb325, 0x0ff66ca, 0x1decd95, 0x39ddb2a, 0x71bf654, 0xe17eca9, 0xc2fd9d2,
    0xfcf1299, 0xfbe2532, 0xf7c4ae4, 0xef8d549, 0xdf1ea13, 0xbe3d4a6, 0x7e7a94c};

// The matrix of `order`; NULL when there is none here.
static tn_array_t* hadamard_matrix(tn_scope_t* scope, int64_t order, tn_dtype_t dtype) {
  enum { LARGEST = 28 };
  float elements[LARGEST * LARGEST];
  const uint32_t* rows = order == 12   ? rows_of_12
                         : order == 20 ? rows_of_20
                         : order == 28 ? rows_of_28
                                       : NULL;
  if (!rows) return NULL;
  for (int64_t i = 0; i < order; ++i) {
    for (int64_t j = 0; j < order; ++j) elements[i * order + j] = rows[i] >> j & 1 ? -1.0F : 1.0F;
  }
  const int64_t dims[] = {order, order};
  tn_array_t* matrix = tn_array_from_host(scope, TN_DTYPE_F32, 2, dims, elements,
                                          (size_t)(order * order) * sizeof *elements);
  return tn_array_astype(scope, matrix, dtype);
}

// A transform of m * 2^k elements is that of the m parts, and that of each part.
tn_array_t* tn_array_hadamard_transform(tn_scope_t* scope, tn_array_t* a, const double* scale) {
  TN__OPERATION_ON(scope, "hadamard_transform", a);
  // Sums of many 16-bit floats are rounded once.
  const tn_dtype_t result_dtype = tn__at_least_float(a->dtype);
  const tn_dtype_t dtype = tn_promote_types(result_dtype, TN_DTYPE_F32);
  const int64_t size = a->rank ? a->dims[a->rank - 1] : 1;
  int64_t power = size > 0 ? size & -size : 1;  // the largest power of 2 in it
  int64_t order = size > 0 ? size / power : 0;
  if (order > 1 && power >= 4) {
    order *= 4;
    power /= 4;
  }
  tn_array_t* matrix = order == 1 ? NULL : hadamard_matrix(scope, order, dtype);
  if (order != 1 && !matrix) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the last axis of the shape %s; expected first power of 2, or that times "
                          "12, 20 or 28",
                          TN_SHAPE_TEXT(a->rank, a->dims));
  }
  tn_array_t* y = tn_array_astype(scope, a, dtype);
  for (int64_t half = 1; half < power; half *= 2) {
    const tn_index_t low[] = {TN_ALL, TN_AT(0)}, high[] = {TN_ALL, TN_AT(1)};
    const int64_t pairs = tn_array_size(a) / (2 * half);
    y = tn_array_reshape(scope, y, 3, (const int64_t[]){pairs, 2, half});
    tn_array_t* first = tn_array_index(scope, y, 2, low);
    tn_array_t* second = tn_array_index(scope, y, 2, high);
    tn_array_t* parts[] = {tn_array_add(scope, first, second),
                           tn_array_subtract(scope, first, second)};
    y = tn_array_stack(scope, 2, parts, 1);
  }
  if (matrix) {
    y = tn_array_reshape(scope, y, 3,
                         (const int64_t[]){tn_array_size(a) / (order * power), order, power});
    y = tn_array_matmul(scope, matrix, y);
  }
  y = tn_array_reshape(scope, y, a->rank, a->dims);
  y = tn_array_multiply(scope, y,
                        tn__number_like(scope, y, scale ? *scale : 1 / sqrt((double)size)));
  return tn_array_astype(scope, y, result_dtype);
}

// --- floats of eight bits: four of exponent, three of mantissa, no infinities

tn_array_t* tn_array_to_fp8(tn_scope_t* scope, tn_array_t* x) {
  TN__OPERATION_ON(scope, "to_fp8", x);
  enum { LARGEST = 448 };
  x = tn_array_astype(scope, x, TN_DTYPE_F32);
  x = tn_array_clip(scope, x, tn__number_like(scope, x, -LARGEST),
                    tn__number_like(scope, x, LARGEST));
  return tn_array_view(scope, tn_array_astype(scope, x, TN_DTYPE_F8E4M3FN), TN_DTYPE_U8);
}

tn_array_t* tn_array_from_fp8(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype) {
  TN__OPERATION_ON(scope, "from_fp8", x);
  if (x->dtype != TN_DTYPE_U8) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%s; expected ui8",
                          tn_dtype_name(x->dtype));
  }
  return tn_array_astype(scope, tn_array_view(scope, x, TN_DTYPE_F8E4M3FN), dtype);
}
