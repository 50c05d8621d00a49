// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/contraction/dot_rows.h"

#include "base/integer.h"
#include "kernel/common/site.h"
#include "kernel/contraction/product.h"

enum { ALIGNMENT = 64 };

static bool has_rows(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_F64 || dtype == TN_DTYPE_F16 ||
         dtype == TN_DTYPE_BF16;
}

bool tn__dot_rows_fit(const tn_op_use_t* use) {
  return (use->op == TN__OP(dot_general) || use->op == TN__OP(dot)) &&
         has_rows(use->result_types[0]->dtype) && has_rows(use->operand_types[0]->dtype) &&
         has_rows(use->operand_types[1]->dtype);
}

tn_status_t tn__dot_rows_prepare(tn_kernel_site_t* site, tn_dot_rows_t* out_rows) {
  const tn_dtype_t lhs = tn__site_operand(site, 0)->dtype, rhs = tn__site_operand(site, 1)->dtype;
  const tn_dtype_t result = tn__site_result(site, 0)->dtype;
  const tn_dtype_t compute = tn__product_carrier(lhs, rhs, result, 0);
  const bool loads = tn__product_converts(lhs, compute) || tn__product_converts(rhs, compute);
  TN_RETURN_IF_ERROR(
      tn__dot_plan(site, loads ? TN_DOT_UNIT_STRIDE : TN_DOT_ANY_STRIDES, &out_rows->plan));
  out_rows->plan.shape.lhs_load = tn__product_load(lhs, compute);
  out_rows->plan.shape.rhs_load = tn__product_load(rhs, compute);
  out_rows->store = tn__product_load(compute, result);
  out_rows->result_size = tn_dtype_byte_size(result);
  out_rows->gemm = tn__gemm_plan(&out_rows->plan.shape);
  out_rows->packed_offset = tn__site_reserve(site, tn__gemm_packed_byte_size(&out_rows->gemm));
  return TN_OK;
}

// Sums that are converted stand before the panels.
static size_t sums_byte_size(const tn_dot_rows_t* rows, int64_t count) {
  if (!rows->store.run) return 0;
  const tn_gemm_t* gemm = &rows->gemm;
  return tn__align_up((size_t)(count * gemm->shape.columns) * gemm->element_size, ALIGNMENT);
}

size_t tn__dot_rows_scratch(const tn_dot_rows_t* rows, int64_t count) {
  return sums_byte_size(rows, count) + tn__gemm_rows_scratch(&rows->gemm, count);
}

tn_status_t tn__dot_rows_begin(const tn_dot_rows_t* rows, const tn_kernel_call_t* call,
                               tn_dot_rows_run_t* out_run) {
  char* packed = (char*)call->scratch + rows->packed_offset;
  const void *lhs = NULL, *rhs = NULL;
  if (call->operands[0]) TN_RETURN_IF_ERROR(tn__dot_fetch(&rows->plan.lhs, call, 0, &lhs));
  TN_RETURN_IF_ERROR(tn__dot_fetch(&rows->plan.rhs, call, 1, &rhs));
  TN_RETURN_IF_ERROR(tn__gemm_pack(&rows->gemm, call->context->pool, rhs, packed));
  *out_run = (tn_dot_rows_run_t){rows, lhs, packed};
  return TN_OK;
}

void tn__dot_rows_compute(const tn_dot_rows_run_t* run, int64_t first, int64_t count,
                          const void* lhs, void* result, void* scratch) {
  const tn_gemm_t* gemm = &run->rows->gemm;
  const tn_gemm_shape_t* shape = &gemm->shape;
  const tn_conversion_t* store = &run->rows->store;
  const int64_t lhs_size = (int64_t)gemm->lhs.size;
  const char* given = lhs;
  for (int64_t done = 0, rows; done < count; done += rows) {
    const int64_t matrix = (first + done) / shape->rows, row = (first + done) % shape->rows;
    int64_t lhs_matrix, rhs_matrix;
    rows = tn__least(count - done, shape->rows - row);
    tn__gemm_batch_offsets(shape, matrix, &lhs_matrix, &rhs_matrix);
    const char* source = run->lhs ? run->lhs + (lhs_matrix + row * shape->lhs_row_stride) * lhs_size
                                  : given + done * shape->depth * lhs_size;
    char* target = (char*)result + (size_t)(done * shape->columns) * run->rows->result_size;
    tn__gemm_rows(gemm, run->packed, matrix, source, rows, store->run ? scratch : target,
                  (char*)scratch + sums_byte_size(run->rows, rows));
    if (store->run) store->run(store, scratch, target, (size_t)(rows * shape->columns));
  }
}
