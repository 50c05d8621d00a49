// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Input/output aliasing, and a layout other than row-major.
#include <tenon/custom.h>

#define ADD_ONE(ARG, ATTR, RET) \
  ARG(x, f32, rank(1))          \
  RET(y, f32, like(x))          \
  RET(in_place, pred, rank(0), "whether y lies in the place of x")

TN_OP(add_one, ADD_ONE, "y = x + 1") {
  *call->in_place.data = (const void*)call->x.data == (const void*)call->y.data;
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->x.data[i] + 1;
  return TN_OK;
}

#define COLUMN_SUMS(ARG, ATTR, RET)       \
  ARG(x, f32, rank(2), "is column-major") \
  RET(sums, f32, rank(1))

TN_OP(column_sums, COLUMN_SUMS, "the sums of the columns of x") {
  const int64_t rows = tn_dim(call->x, 0), columns = tn_dim(call->x, 1);
  if (tn_size(call->sums) != columns) {
    return TN_ERROR(call, INVALID_ARGUMENT, "%d columns, %d sums", (int)columns,
                    (int)tn_size(call->sums));
  }
  for (int64_t k = 0; k < columns; ++k) {
    const float* column = call->x.data + k * rows;
    call->sums.data[k] = 0;
    for (int64_t i = 0; i < rows; ++i) call->sums.data[k] += column[i];
  }
  return TN_OK;
}

TN_LIBRARY(add_one, column_sums)
