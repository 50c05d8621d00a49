// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// As in openblas_dot.c, pieces are cut by shape alone. Sums of bf16 are made in f32 and rounded
// once; the processor's instruction takes subnormal bf16 for zero. Sums of integers are exact.
#include "kernel/lib/onednn_dot.h"

#include "kernel/lib/onednn.h"

#ifdef TENON_ONEDNN
#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/contraction/dot.h"
#include "kernel/lib/openblas_dot.h"

enum {
  LEAST_PRODUCTS = 1 << 15,
  LEAST_SIDE = 8,
  PIECE_ROWS = 256,
  PIECE_COLUMNS = 512,
  PIECE_PRODUCTS = 1 << 22,
  LAST_ROWS = 1,  // which of the four primitives
  LAST_COLUMNS = 2,
};

typedef struct dot {
  const tn_onednn_t* dnn;
  // Where the library has no such product: the kernel that replaces it, and its state.
  tn_kernel_run_fn stand_in;
  const void* stand_in_state;
  tn_dot_plan_t plan;
  size_t element_size, result_size;
  int64_t batch, piece_rows, piece_columns, rows_of_pieces, columns_of_pieces;
  tn_onednn_primitive_t primitives[4];
  int64_t slots;
  size_t slot_offset, slot_length;
} dot_t;

static dnnl_data_type_t type_of(tn_dtype_t dtype) {
  switch (dtype) {
    case TN_DTYPE_BF16: return dnnl_bf16;
    case TN_DTYPE_F32: return dnnl_f32;
    case TN_DTYPE_S8: return dnnl_s8;
    case TN_DTYPE_U8: return dnnl_u8;
    case TN_DTYPE_S32: return dnnl_s32;
    default: return dnnl_data_type_undef;
  }
}

// Which instructions the library needs to be quick, and exact; -1: it has no such product.
static int needed_isa(const tn_op_use_t* use) {
  const tn_dtype_t lhs = use->operand_types[0]->dtype, rhs = use->operand_types[1]->dtype;
  const tn_dtype_t result = use->result_types[0]->dtype;
  if (lhs == TN_DTYPE_BF16 && rhs == TN_DTYPE_BF16) {
    return result == TN_DTYPE_BF16 || result == TN_DTYPE_F32 ? dnnl_cpu_isa_avx512_core_bf16 : -1;
  }
  // Older instructions saturate sums of pairs.
  if ((lhs == TN_DTYPE_S8 || lhs == TN_DTYPE_U8) && rhs == TN_DTYPE_S8) {
    return result == TN_DTYPE_S32 ? dnnl_cpu_isa_avx512_core_vnni : -1;
  }
  return -1;
}

const char* tn__onednn_dot_refuse(const tn_op_use_t* use) {
  const int isa = needed_isa(use);
  tn_dot_extent_t extent;
  const char* reason;
  if (isa < 0) return "onednn has no such element types";
  const tn_status_t status = tn__dot_extent(use, &extent);
  if (status) {
    tn_status_release(status);
    return "the dimensions cannot be read";
  }
  if (extent.rows < LEAST_SIDE || extent.columns < LEAST_SIDE || extent.depth < LEAST_SIDE ||
      (double)extent.rows * (double)extent.columns * (double)extent.depth < LEAST_PRODUCTS) {
    return "too small for onednn";
  }
  const tn_onednn_t* dnn = tn__onednn(&reason);
  if (!dnn) return reason;
  if (((int)dnn->dnnl_get_effective_cpu_isa() & isa) != isa) {
    return "the processor has no instructions for onednn's products of this type";
  }
  return NULL;
}

static tn_status_t make_primitive(const dot_t* state, const tn_op_use_t* use, int64_t rows,
                                  int64_t columns, tn_onednn_primitive_t* out_primitive) {
  const tn_onednn_t* dnn = state->dnn;
  const tn_gemm_shape_t* shape = &state->plan.shape;
  dnnl_memory_desc_t lhs, rhs, result;
  dnnl_matmul_desc_t product;
  const dnnl_dims_t lhs_dims = {rows, shape->depth}, rhs_dims = {shape->depth, columns};
  const dnnl_dims_t result_dims = {rows, columns}, result_strides = {shape->columns, 1};
  const dnnl_dims_t lhs_strides = {shape->lhs_row_stride, shape->lhs_depth_stride};
  const dnnl_dims_t rhs_strides = {shape->rhs_depth_stride, shape->rhs_column_stride};
  dnnl_status_t status = dnn->dnnl_memory_desc_init_by_strides(
      &lhs, 2, lhs_dims, type_of(use->operand_types[0]->dtype), lhs_strides);
  if (status == dnnl_success) {
    status = dnn->dnnl_memory_desc_init_by_strides(
        &rhs, 2, rhs_dims, type_of(use->operand_types[1]->dtype), rhs_strides);
  }
  if (status == dnnl_success) {
    status = dnn->dnnl_memory_desc_init_by_strides(
        &result, 2, result_dims, type_of(use->result_types[0]->dtype), result_strides);
  }
  if (status == dnnl_success) {
    status = dnn->dnnl_matmul_desc_init(&product, &lhs, &rhs, NULL, &result);
  }
  TN_RETURN_IF_ERROR(tn__onednn_status(dnn, status, "no such product"));
  return tn__onednn_create(dnn, &product, out_primitive);
}

static void deinit(void* user) {
  dot_t* state = user;
  for (size_t i = 0; i < 4; ++i) tn__onednn_destroy(state->dnn, &state->primitives[i]);
}

// The primitives of pieces that there are: those at the end may be smaller.
static tn_status_t make_primitives(dot_t* state, const tn_op_use_t* use) {
  const tn_gemm_shape_t* shape = &state->plan.shape;
  const int64_t last_rows = shape->rows - (state->rows_of_pieces - 1) * state->piece_rows;
  const int64_t last_columns =
      shape->columns - (state->columns_of_pieces - 1) * state->piece_columns;
  for (int i = 0; i < 4; ++i) {
    if (!(i & LAST_ROWS) && state->rows_of_pieces == 1) continue;
    if (!(i & LAST_COLUMNS) && state->columns_of_pieces == 1) continue;
    TN_RETURN_IF_ERROR(make_primitive(state, use, i & LAST_ROWS ? last_rows : state->piece_rows,
                                      i & LAST_COLUMNS ? last_columns : state->piece_columns,
                                      &state->primitives[i]));
  }
  return TN_OK;
}

// UNIMPLEMENTED when the library has no such product. The state has no primitives then.
static tn_status_t prepare_as(tn_kernel_site_t* site, tn_dot_layout_t layout, dot_t* state) {
  TN_RETURN_IF_ERROR(tn__dot_plan(site, layout, &state->plan));
  tn_gemm_shape_t* shape = &state->plan.shape;
  state->element_size = tn_dtype_byte_size(tn__site_operand(site, 0)->dtype);
  state->result_size = tn_dtype_byte_size(tn__site_result(site, 0)->dtype);
  state->batch = 1;
  for (size_t i = 0; i < shape->batch_loop_count; ++i) state->batch *= shape->batch_loops[i].count;
  state->piece_rows = tn__least(shape->rows, PIECE_ROWS);
  state->piece_columns = tn__least(shape->columns, PIECE_COLUMNS);
  while (state->piece_rows < shape->rows &&
         state->piece_rows * state->piece_columns * shape->depth < PIECE_PRODUCTS) {
    state->piece_rows *= 2;
  }
  state->rows_of_pieces = (shape->rows + state->piece_rows - 1) / state->piece_rows;
  state->columns_of_pieces = (shape->columns + state->piece_columns - 1) / state->piece_columns;
  const int threads = tn__onednn_begin(state->dnn);
  const tn_status_t status = make_primitives(state, site->use);
  tn__onednn_end(state->dnn, threads);
  if (status) deinit(state);
  return status;
}

static tn_status_t prepare_stand_in(tn_kernel_site_t* site, dot_t* state) {
  if (tn__kernel_library_refusal(TN_KERNEL_OPENBLAS, site->target->libraries) ||
      tn__openblas_dot_refuse(site->use)) {
    state->stand_in = tn__cpu_dot_run;
    TN_RETURN_IF_ERROR(tn__cpu_dot_prepare(site));
  } else {
    state->stand_in = tn__openblas_dot_run;
    TN_RETURN_IF_ERROR(tn__openblas_dot_prepare(site));
  }
  state->stand_in_state = site->state;
  site->state = state;
  return TN_OK;
}

tn_status_t tn__onednn_dot_prepare(tn_kernel_site_t* site) {
  const char* reason;
  dot_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->dnn = tn__onednn(&reason);
  if (!state->dnn) return tn_status_create(TN_CODE_UNAVAILABLE, "onednn: %s", reason);
  static const tn_dot_layout_t layouts[] = {TN_DOT_UNIT_STRIDE, TN_DOT_DENSE};
  tn_status_t status = TN_OK;
  for (size_t i = 0; i < 2; ++i) {
    tn_status_release(status);
    site->scratch_byte_size = 0;
    status = prepare_as(site, layouts[i], state);
    if (!status || tn_status_code(status) != TN_CODE_UNIMPLEMENTED) break;
  }
  if (status) {
    if (tn_status_code(status) != TN_CODE_UNIMPLEMENTED) return status;
    tn_status_release(status);
    site->scratch_byte_size = 0;
    return prepare_stand_in(site, state);
  }
  for (size_t i = 0; i < 4; ++i) {
    const size_t length = (state->primitives[i].scratch_byte_size + 63) / 64 * 64;
    if (length > state->slot_length) state->slot_length = length;
  }
  state->slots = tn__onednn_slots(site->target,
                                  state->batch * state->rows_of_pieces * state->columns_of_pieces);
  state->slot_offset = site->scratch_byte_size;
  site->scratch_byte_size += state->slot_length * (size_t)state->slots;
  site->state_deinit = deinit;
  return TN_OK;
}

typedef struct dot_run {
  const dot_t* state;
  const char *lhs, *rhs;
  char *result, *slots;
} dot_run_t;

static tn_status_t run_piece(const dot_run_t* run, int64_t piece, dnnl_stream_t stream,
                             void* scratch) {
  const dot_t* state = run->state;
  const tn_gemm_shape_t* shape = &state->plan.shape;
  const int64_t row = piece % state->rows_of_pieces;
  const int64_t rest = piece / state->rows_of_pieces;
  const int64_t column = rest % state->columns_of_pieces;
  const int64_t matrix = rest / state->columns_of_pieces;
  int64_t lhs, rhs;
  tn__gemm_batch_offsets(shape, matrix, &lhs, &rhs);
  lhs += row * state->piece_rows * shape->lhs_row_stride;
  rhs += column * state->piece_columns * shape->rhs_column_stride;
  const int64_t result = (matrix * shape->rows + row * state->piece_rows) * shape->columns +
                         column * state->piece_columns;
  const int which = (row + 1 == state->rows_of_pieces ? LAST_ROWS : 0) |
                    (column + 1 == state->columns_of_pieces ? LAST_COLUMNS : 0);
  return tn__onednn_execute(state->dnn, &state->primitives[which], stream,
                            run->lhs + lhs * (int64_t)state->element_size,
                            run->rhs + rhs * (int64_t)state->element_size,
                            run->result + result * (int64_t)state->result_size, scratch);
}

static tn_status_t run_slots(int64_t begin, int64_t end, void* user) {
  const dot_run_t* run = user;
  const dot_t* state = run->state;
  const int64_t pieces = state->batch * state->rows_of_pieces * state->columns_of_pieces;
  tn_onednn_session_t session;
  TN_RETURN_IF_ERROR(tn__onednn_open(state->dnn, &session));
  tn_status_t status = TN_OK;
  for (int64_t slot = begin; slot < end && !status; ++slot) {
    const int64_t last = pieces * (slot + 1) / state->slots;
    void* scratch = run->slots ? run->slots + (size_t)slot * state->slot_length : NULL;
    for (int64_t i = pieces * slot / state->slots; i < last && !status; ++i) {
      status = run_piece(run, i, session.stream, scratch);
    }
  }
  tn__onednn_close(&session);
  return status;
}

tn_status_t tn__onednn_dot_run(const tn_kernel_call_t* call) {
  const dot_t* state = call->state;
  const tn_gemm_shape_t* shape = &state->plan.shape;
  const void *lhs, *rhs;
  if (state->stand_in) {
    tn_kernel_call_t inner = *call;
    inner.state = state->stand_in_state;
    return state->stand_in(&inner);
  }
  TN_RETURN_IF_ERROR(tn__dot_fetch(&state->plan.lhs, call, 0, &lhs));
  TN_RETURN_IF_ERROR(tn__dot_fetch(&state->plan.rhs, call, 1, &rhs));
  dot_run_t run = {state, lhs, rhs, call->results[0], NULL};
  if (call->scratch) run.slots = (char*)call->scratch + state->slot_offset;
  const bool is_small = state->batch * shape->rows * shape->columns * shape->depth < PIECE_PRODUCTS;
  return tn__pool_parallel_for(is_small ? NULL : call->context->pool, state->slots, 1, run_slots,
                               &run);
}

#else

const char* tn__onednn_dot_refuse(const tn_op_use_t* use) {
  (void)use;
  return tn__kernel_library_refusal(TN_KERNEL_ONEDNN, 0);
}
tn_status_t tn__onednn_dot_prepare(tn_kernel_site_t* site) {
  (void)site;
  return tn_status_create(TN_CODE_INTERNAL, "onednn is not there");
}
tn_status_t tn__onednn_dot_run(const tn_kernel_call_t* call) {
  (void)call;
  return tn_status_create(TN_CODE_INTERNAL, "onednn is not there");
}

#endif
