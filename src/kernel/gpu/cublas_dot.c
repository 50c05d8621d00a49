// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of matrices by cuBLAS. Each side is read where it is, transposed or not; where its
// dimensions do not join to rows and columns, our own kernel computes the product.
#include "kernel/common/site.h"
#include "kernel/gpu/dot.h"
#include "kernel/kernel_set.h"
#include "kernel/lib/cublas.h"

enum { MOST_CALLS = 256 };  // for batches that do not join

typedef struct loop {
  int64_t count, strides[3];  // in bytes: of lhs, rhs and the result
} loop_t;

typedef struct dot {
  tn_product_t product;
  size_t loop_count;  // around it, the outermost first
  loop_t loops[TN_MAX_RANK];
  int64_t call_count;
} dot_t;

// --- which products

// Both sides have one dtype, and so has the result; of half precision it may be f32.
static bool has_dtypes(const tn_op_use_t* use) {
  const tn_dtype_t dtype = use->operand_types[0]->dtype, result = use->result_types[0]->dtype;
  if (use->operand_types[1]->dtype != dtype) return false;
  switch (dtype) {
    case TN_DTYPE_F16:
    case TN_DTYPE_BF16: return result == dtype || result == TN_DTYPE_F32;
    case TN_DTYPE_F32:
    case TN_DTYPE_F64:
    case TN_DTYPE_C64:
    case TN_DTYPE_C128: return result == dtype;
    default: return false;
  }
}

// Rows or columns that follow each other in memory, at a distance.
static bool has_lines(const tn_gpu_axis_t* across, const tn_gpu_axis_t* along, size_t side,
                      int32_t* out_stride) {
  const int64_t stride = across->count ? across->strides[side][0] : along->size;
  *out_stride = (int32_t)stride;
  return (!along->count || along->strides[side][0] == 1) && stride >= along->size &&
         stride <= INT32_MAX;
}

// Whether the side is such matrices: lhs has rows of the depth, rhs has columns of it.
static bool read_matrix(const tn_gpu_dot_t* dot, size_t side, tn_product_matrix_t* out_matrix) {
  const tn_gpu_axes_t axes = tn__gpu_dot_axes(dot, side, side);
  const tn_gpu_axis_t* rows = side ? &axes.depth : &axes.free[0];
  const tn_gpu_axis_t* columns = side ? &axes.free[1] : &axes.depth;
  *out_matrix = (tn_product_matrix_t){.is_transposed = false};
  for (size_t k = 0; k < axes.batch.count; ++k) {
    if (axes.batch.strides[0][k] < 0) return false;
  }
  if (rows->count > 1 || columns->count > 1) return false;
  if (has_lines(rows, columns, side, &out_matrix->stride)) return true;
  out_matrix->is_transposed = true;
  return has_lines(columns, rows, side, &out_matrix->stride);
}

// The longest dimension of the batch is that of the library's; the others are loops around it.
static size_t longest(const tn_gpu_axis_t* axis) {
  size_t k = 0;
  for (size_t d = 1; d < axis->count; ++d) {
    if (axis->dims[d] > axis->dims[k]) k = d;
  }
  return k;
}

// Views make no more calls than this: they can keep dimensions of the batch from being joined.
static int64_t most_calls(const tn_gpu_dot_t* dot) {
  const int64_t* dims = dot->use->operand_types[0]->dims;
  int64_t count = 1, most = 1;
  for (size_t k = 0; k < dot->batching[0].count; ++k) {
    const int64_t dim = dims[dot->batching[0].values[k]];
    count *= dim;
    if (dim > most) most = dim;
  }
  return count / most;
}

static const char* refuse_shape(const tn_op_use_t* use) {
  tn_gpu_dot_t dot;
  tn_product_matrix_t matrix;
  const tn_status_t status = tn__gpu_dot_read(use, NULL, use->arena, &dot);
  if (status) {
    tn_status_release(status);
    return "the dimensions cannot be read";
  }
  const tn_gpu_axes_t axes = tn__gpu_dot_axes(&dot, 0, 1);
  const tn_gpu_axis_t* const all[] = {&axes.batch, &axes.free[0], &axes.free[1], &axes.depth};
  for (size_t i = 0; i < 4; ++i) {
    if (all[i]->size == 0) return "there is nothing to multiply";
    if (all[i]->size > INT32_MAX) return "too large for cublas";
  }
  if (!read_matrix(&dot, 0, &matrix) || !read_matrix(&dot, 1, &matrix)) {
    return "the dimensions do not join to matrices";
  }
  return most_calls(&dot) > MOST_CALLS ? "the batch takes too many calls" : NULL;
}

static const char* refuse(const tn_op_use_t* use) {
  const char* reason = NULL;
  if (!has_dtypes(use)) return "cublas has no such element types";
  const char* refusal = refuse_shape(use);
  if (refusal) return refusal;
  return tn__cublas(&reason) ? NULL : reason;
}

static bool takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  tn_gpu_dot_t dot;
  tn_product_matrix_t matrix;
  if (!tn__gpu_takes_view(use, operand, view)) return false;
  const tn_status_t status = tn__gpu_dot_read(use, NULL, use->arena, &dot);
  tn_status_release(status);
  if (status) return false;
  tn__gpu_element_strides(view, use->operand_types[operand], dot.strides[operand]);
  return read_matrix(&dot, operand, &matrix);
}

// --- preparation

static bool is_tf32_of(const tn_attr_dictionary_t* algorithm, const char* type, const char* count) {
  const tn_attr_t* it = tn__attr_find(algorithm, type);
  return it && it->kind == TN_ATTR_OPAQUE && tn__sv_is(it->string, "tf32") &&
         tn__attr_get_integer(algorithm, count, 0) == 1;
}

// Whether one product of sides in tf32 is what is asked for, and f32 is enough for its sums.
static bool may_be_tf32(const tn_op_use_t* use) {
  const tn_attr_t* attr = tn__attr_find(&use->attrs, "algorithm");
  const tn_dtype_t dtype = use->operand_types[0]->dtype;
  if (!attr || (dtype != TN_DTYPE_F32 && dtype != TN_DTYPE_C64)) return false;
  const tn_attr_dictionary_t* algorithm = &attr->dictionary;
  const tn_attr_t* sums = tn__attr_find(algorithm, "accumulation_type");
  return is_tf32_of(algorithm, "lhs_precision_type", "lhs_component_count") &&
         is_tf32_of(algorithm, "rhs_precision_type", "rhs_component_count") &&
         tn__attr_get_integer(algorithm, "num_primitive_operations", 0) == 1 &&
         (!sums || sums->kind != TN_ATTR_TYPE || sums->type.type->dtype != TN_DTYPE_F64);
}

static void add_batch(dot_t* state, const tn_op_use_t* use, const tn_gpu_axis_t* batch) {
  tn_product_t* product = &state->product;
  const tn_dtype_t dtypes[] = {product->dtype, product->dtype, use->result_types[0]->dtype};
  const size_t inner = longest(batch);
  int64_t stride = (int64_t)product->rows * product->columns;
  size_t place = batch->count ? batch->count - 1 : 0;
  product->batch = 1;
  state->call_count = 1;
  state->loop_count = place;
  for (size_t k = batch->count; k-- > 0; stride *= batch->dims[k]) {
    const int64_t strides[] = {batch->strides[0][k], batch->strides[1][k], stride};
    if (k == inner) {
      product->batch = (int32_t)batch->dims[k];
      product->lhs.batch_stride = strides[0];
      product->rhs.batch_stride = strides[1];
      product->result.batch_stride = strides[2];
      continue;
    }
    loop_t* loop = &state->loops[--place];
    loop->count = batch->dims[k];
    state->call_count *= loop->count;
    for (size_t i = 0; i < 3; ++i) {
      loop->strides[i] = strides[i] * (int64_t)tn_dtype_byte_size(dtypes[i]);
    }
  }
}

static tn_status_t prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  dot_t* state = NULL;
  tn_gpu_dot_t dot;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  TN_RETURN_IF_ERROR(tn__gpu_dot_read(use, site->views, site->arena, &dot));
  const tn_gpu_axes_t axes = tn__gpu_dot_axes(&dot, 0, 1);
  tn_product_t* product = &state->product;
  *product = (tn_product_t){
      .dtype = use->operand_types[0]->dtype,
      .result_dtype = use->result_types[0]->dtype,
      .is_tf32 = may_be_tf32(use),
      .rows = (int32_t)axes.free[0].size,
      .columns = (int32_t)axes.free[1].size,
      .depth = (int32_t)axes.depth.size,
      .result = {.stride = (int32_t)axes.free[1].size},
  };
  if (!read_matrix(&dot, 0, &product->lhs) || !read_matrix(&dot, 1, &product->rhs)) {
    return tn_status_create(TN_CODE_INTERNAL, "%s: a side is no matrix", use->op->name);
  }
  add_batch(state, use, &axes.batch);
  return TN_OK;
}

static tn_status_t run(const tn_kernel_call_t* call) {
  const dot_t* state = call->state;
  tn_encoder_t* encoder = call->context->encoder;
  for (int64_t i = 0; i < state->call_count; ++i) {
    int64_t offsets[3] = {0}, rest = i;
    for (size_t k = state->loop_count; k-- > 0; rest /= state->loops[k].count) {
      const loop_t* loop = &state->loops[k];
      for (size_t side = 0; side < 3; ++side) {
        offsets[side] += rest % loop->count * loop->strides[side];
      }
    }
    TN_RETURN_IF_ERROR(encoder->multiply(
        encoder, &state->product, (const char*)call->operands[0] + offsets[0],
        (const char*)call->operands[1] + offsets[1], (char*)call->results[0] + offsets[2]));
  }
  return TN_OK;
}

#define ROW(operation)                                                           \
  {                                                                              \
    .op = operation, .name = "cublas." operation, .tier = "library cublas",      \
    .library = TN_KERNEL_CUBLAS + 1, .refuse = refuse, .takes_view = takes_view, \
    .prepare = prepare, .run = run                                               \
  }
static const tn_kernel_t rows[] = {ROW("dot_general"), ROW("dot")};
#undef ROW

static uint16_t first[TN_OP_ID_COUNT], next[sizeof rows / sizeof *rows];
const tn_kernel_set_t tn__kernel_set_cublas = {rows, sizeof rows / sizeof *rows, first, next};
