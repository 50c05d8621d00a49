#include "kernel/contraction/dot_rows.h"

#include "base/integer.h"
#include "kernel/common/site.h"

bool tn__dot_rows_fit(const tn_op_use_t* use) {
  const tn_dtype_t dtype = use->result_types[0]->dtype;
  return (use->op == TN__OP(dot_general) || use->op == TN__OP(dot)) &&
         (dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_F64) &&
         use->operand_types[0]->dtype == dtype && use->operand_types[1]->dtype == dtype;
}

tn_status_t tn__dot_rows_prepare(tn_kernel_site_t* site, tn_dot_rows_t* out_rows) {
  TN_RETURN_IF_ERROR(tn__dot_plan(site, TN_DOT_ANY_STRIDES, &out_rows->plan));
  out_rows->gemm = tn__gemm_plan(&out_rows->plan.shape);
  out_rows->packed_offset = tn__site_reserve(site, tn__gemm_packed_byte_size(&out_rows->gemm));
  return TN_OK;
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
  const int64_t size = (int64_t)gemm->element_size;
  const char* given = lhs;
  char* target = result;
  for (int64_t done = 0, rows; done < count; done += rows) {
    const int64_t matrix = (first + done) / shape->rows, row = (first + done) % shape->rows;
    int64_t lhs_matrix, rhs_matrix;
    rows = tn__least(count - done, shape->rows - row);
    tn__gemm_batch_offsets(shape, matrix, &lhs_matrix, &rhs_matrix);
    const char* source = run->lhs ? run->lhs + (lhs_matrix + row * shape->lhs_row_stride) * size
                                  : given + done * shape->depth * size;
    tn__gemm_rows(gemm, run->packed, matrix, source, rows, target + done * shape->columns * size,
                  scratch);
  }
}
