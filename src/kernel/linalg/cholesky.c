// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The lower factor, in blocks of columns: what earlier columns contribute is a matrix product, then
// the block is factored by itself. An upper factor is the conjugate transpose of the lower one.
//
// A matrix that is not positive definite gives NaN everywhere in its factor, as LAPACK's users
// expect. The other triangle is zero.
#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"
#include "kernel/contraction/gemm.h"
#include "kernel/contraction/product.h"
#include "kernel/linalg/linear.h"

enum { BLOCK = 48, SLOT_LIMIT = 16, SPLIT_ORDER = 256 };

typedef struct cholesky {
  tn_dtype_t dtype, carrier;
  size_t size, carrier_size;
  tn_gemm_type_t gemm_type;
  const tn_field_t* field;
  bool is_upper, is_complex;
  int64_t batch, order;
  tn_strided_copy_t transpose;  // of the result's dtype
  tn_conversion_t load, store;
  int64_t slots;
  size_t matrix_length, product_length, pivot_length, slot_length;
  uint8_t nan[16];
} cholesky_t;

static tn_gemm_t plan_product(const cholesky_t* state, int64_t rows, int64_t columns,
                              int64_t depth) {
  const tn_gemm_shape_t shape = {
      .type = state->gemm_type,
      .rows = rows,
      .columns = columns,
      .depth = depth,
      .lhs_row_stride = state->order,
      .lhs_depth_stride = 1,
      .rhs_depth_stride = 1,
      .rhs_column_stride = depth,
  };
  return tn__gemm_plan(&shape);
}

tn_status_t tn__cpu_cholesky_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = tn__site_result(site, 0);
  cholesky_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  if (tn__type_size(type) == 0) return TN_OK;
  state->dtype = type->dtype;
  state->size = tn_dtype_byte_size(type->dtype);
  state->carrier = tn__field_dtype(type->dtype);
  state->carrier_size = tn_dtype_byte_size(state->carrier);
  state->gemm_type = tn__product_type(state->carrier);
  state->field = tn__field(state->carrier);
  state->load = tn__conversion(state->dtype, state->carrier);
  state->store = tn__conversion(state->carrier, state->dtype);
  state->is_upper = !tn__attr_get_bool(&site->use->attrs, "lower", false);
  state->is_complex = tn_dtype_kind(state->dtype) == TN_KIND_COMPLEX;
  state->order = type->dims[type->rank - 1];
  state->batch = tn__type_size(type) / (state->order * state->order);
  const double nan = __builtin_nan("");
  tn__convert_elements(TN_DTYPE_F64, &nan, state->dtype, state->nan, 1);
  const int64_t size = (int64_t)state->size, order = state->order;
  TN_RETURN_IF_ERROR(tn__strided_copy_prepare(
      site->arena, state->size, 2, (int64_t[]){order, order}, (int64_t[]){order * size, size},
      (int64_t[]){size, order * size}, &state->transpose));
  const size_t wide = state->carrier_size > state->size ? state->carrier_size : state->size;
  state->matrix_length = tn__align_up((size_t)(order * order) * wide, TN_LINE_BYTES);
  state->product_length = tn__align_up((size_t)(order * BLOCK) * wide, TN_LINE_BYTES);
  state->pivot_length = tn__align_up((size_t)(order * BLOCK) * wide, TN_LINE_BYTES);
  // The largest product, however far the factorisation has come.
  size_t gemm_length = 0;
  for (int64_t first = BLOCK; first < order; first += BLOCK) {
    const int64_t count = order - first < BLOCK ? order - first : BLOCK;
    const size_t length = plan_product(state, order - first, count, first).scratch_byte_size;
    if (length > gemm_length) gemm_length = length;
  }
  state->slot_length = 2 * state->matrix_length + state->product_length + state->pivot_length +
                       tn__align_up(gemm_length, TN_LINE_BYTES);
  state->slots = order >= SPLIT_ORDER ? 1 : state->batch < SLOT_LIMIT ? state->batch : SLOT_LIMIT;
  site->scratch_byte_size = state->slot_length * (size_t)state->slots;
  return TN_OK;
}

static tn_status_t factor(const cholesky_t* state, tn_pool_t* pool, char* matrix, char* product,
                          char* pivot, char* gemm_scratch, bool* out_is_definite) {
  const int64_t order = state->order;
  const size_t size = state->carrier_size;
  *out_is_definite = true;
  for (int64_t first = 0; first < order && *out_is_definite; first += BLOCK) {
    const int64_t count = order - first < BLOCK ? order - first : BLOCK;
    char* rows = matrix + (size_t)(first * order) * size;
    char* block = rows + (size_t)first * size;
    if (first) {
      // The conjugates of the block's own rows, as far as they are done.
      for (int64_t i = 0; i < count; ++i) {
        memcpy(pivot + (size_t)(i * first) * size, rows + (size_t)(i * order) * size,
               (size_t)first * size);
      }
      if (state->is_complex) state->field->conjugate(count * first, pivot);
      const tn_gemm_t gemm = plan_product(state, order - first, count, first);
      TN_RETURN_IF_ERROR(tn__gemm_run(&gemm, pool, rows, pivot, product, gemm_scratch));
      state->field->subtract(order - first, count, product, block, order);
    }
    *out_is_definite = state->field->factor(count, order - first, block, order);
  }
  return TN_OK;
}

static void clear_upper(const cholesky_t* state, char* matrix, size_t size) {
  for (int64_t i = 0; i < state->order; ++i) {
    memset(matrix + (size_t)(i * state->order + i + 1) * size, 0,
           (size_t)(state->order - i - 1) * size);
  }
}

static tn_status_t factor_matrix(const tn_kernel_call_t* call, tn_pool_t* pool, int64_t index,
                                 char* slot) {
  const cholesky_t* state = call->state;
  const size_t count = (size_t)(state->order * state->order), length = count * state->size;
  char* matrix = slot;
  char* raw = matrix + state->matrix_length;
  char* product = raw + state->matrix_length;
  char* pivot = product + state->product_length;
  char* gemm_scratch = pivot + state->pivot_length;
  const char* operand = (const char*)call->operands[0] + (size_t)index * length;
  char* result = (char*)call->results[0] + (size_t)index * length;
  // The lower triangle is what is read; of an upper one, its conjugate transpose.
  const char* source = operand;
  if (state->is_upper) {
    TN_RETURN_IF_ERROR(tn__strided_copy_run(&state->transpose, pool, raw, operand));
    source = raw;
  }
  state->load.run(&state->load, source, matrix, count);
  if (state->is_upper && state->is_complex) {
    state->field->conjugate((int64_t)count, matrix);
  }
  bool is_definite;
  TN_RETURN_IF_ERROR(factor(state, pool, matrix, product, pivot, gemm_scratch, &is_definite));
  char* target = state->is_upper ? raw : result;
  if (is_definite) {
    if (state->is_upper && state->is_complex) {
      state->field->conjugate((int64_t)count, matrix);
    }
    state->store.run(&state->store, matrix, target, count);
  } else {
    TN_RETURN_IF_ERROR(tn__fill(pool, target, state->nan, state->size, (int64_t)count));
  }
  clear_upper(state, target, state->size);
  if (!state->is_upper) return TN_OK;
  return tn__strided_copy_run(&state->transpose, pool, result, raw);
}

static tn_status_t factor_slots(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const cholesky_t* state = call->state;
  for (int64_t slot = begin; slot < end; ++slot) {
    const int64_t last = state->batch * (slot + 1) / state->slots;
    for (int64_t i = state->batch * slot / state->slots; i < last; ++i) {
      TN_RETURN_IF_ERROR(
          factor_matrix(call, NULL, i, (char*)call->scratch + (size_t)slot * state->slot_length));
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_cholesky_run(const tn_kernel_call_t* call) {
  const cholesky_t* state = call->state;
  if (state->slots == 0) return TN_OK;
  tn_pool_t* pool = call->context->pool;
  if (state->slots > 1) {
    return tn__pool_parallel_for(pool, state->slots, 1, factor_slots, (void*)(uintptr_t)call);
  }
  // One after another, each by all threads.
  for (int64_t i = 0; i < state->batch; ++i) {
    TN_RETURN_IF_ERROR(factor_matrix(call, pool, i, call->scratch));
  }
  return TN_OK;
}
