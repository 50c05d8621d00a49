// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every problem becomes T x = b with a triangle T and columns b: a right side is the transposed
// problem. Columns are independent; some of them together are a piece of work. In it, blocks of
// rows are reduced by a matrix product with the rows that are solved, and then substituted.
#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"
#include "kernel/contraction/gemm.h"
#include "kernel/contraction/product.h"
#include "kernel/linalg/linear.h"

enum { BLOCK = 32, COLUMNS = 128, SLOT_LIMIT = 16 };

typedef struct solve {
  tn_dtype_t dtype, carrier;
  size_t size, carrier_size;
  tn_gemm_type_t gemm_type;
  const tn_field_t* field;
  bool is_right, is_lower, is_unit, is_transposed, is_conjugated;  // of T
  int64_t batch, order, columns;                                   // T is order x order
  int64_t pieces;                                                  // of columns
  tn_strided_copy_t triangle;                                      // puts T in order
  tn_strided_copy_t in, out;  // a whole piece to rows of columns, and back
  tn_strided_copy_t last_in, last_out;
  int64_t column_stride;  // of a piece, in bytes
  tn_conversion_t load, store;
  int64_t slots;
  size_t triangle_length, rows_length, product_length, slot_length;
} solve_t;

// The copies of pieces with `width` columns.
static tn_status_t plan_piece(tn_kernel_site_t* site, const solve_t* state, int64_t width,
                              tn_strided_copy_t* in, tn_strided_copy_t* out) {
  const int64_t size = (int64_t)state->size;
  const int64_t dims[] = {state->order, width};
  const int64_t ordered[] = {width * size, size};
  const int64_t own[] = {state->is_right ? size : state->columns * size,
                         state->is_right ? state->order * size : size};
  TN_RETURN_IF_ERROR(tn__strided_copy_prepare(site->arena, state->size, 2, dims, ordered, own, in));
  return tn__strided_copy_prepare(site->arena, state->size, 2, dims, own, ordered, out);
}

static tn_gemm_t plan_product(const solve_t* state, int64_t rows, int64_t width, int64_t depth) {
  const tn_gemm_shape_t shape = {
      .type = state->gemm_type,
      .rows = rows,
      .columns = width,
      .depth = depth,
      .lhs_row_stride = state->order,
      .lhs_depth_stride = 1,
      .rhs_depth_stride = width,
      .rhs_column_stride = 1,
  };
  return tn__gemm_plan(&shape);
}

tn_status_t tn__cpu_triangular_solve_prepare(tn_kernel_site_t* site) {
  const tn_type_t *a = tn__site_operand(site, 0), *b = tn__site_operand(site, 1);
  const tn_attr_dictionary_t* attrs = &site->use->attrs;
  solve_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  if (tn__type_size(b) == 0) return TN_OK;
  state->dtype = b->dtype;
  state->size = tn_dtype_byte_size(b->dtype);
  state->carrier = tn__field_dtype(b->dtype);
  state->carrier_size = tn_dtype_byte_size(state->carrier);
  state->gemm_type = tn__product_type(state->carrier);
  state->field = tn__field(state->carrier);
  state->load = tn__conversion(state->dtype, state->carrier);
  state->store = tn__conversion(state->carrier, state->dtype);
  state->is_right = !tn__attr_get_bool(attrs, "left_side", true);
  state->is_unit = tn__attr_get_bool(attrs, "unit_diagonal", false);
  const tn_attr_t* transpose = tn__attr_find(attrs, "transpose_a");
  const bool adjoint = transpose && tn__sv_is(transpose->string, "ADJOINT");
  const bool transposed = adjoint || (transpose && tn__sv_is(transpose->string, "TRANSPOSE"));
  state->is_transposed = transposed != state->is_right;
  state->is_conjugated = adjoint && tn_dtype_kind(state->dtype) == TN_KIND_COMPLEX;
  state->is_lower = tn__attr_get_bool(attrs, "lower", false) != state->is_transposed;
  state->order = a->dims[a->rank - 1];
  state->columns = b->dims[b->rank - (state->is_right ? 2 : 1)];
  state->batch = tn__type_size(b) / (state->order * state->columns);
  const int64_t size = (int64_t)state->size, order = state->order;
  const int64_t ordered[] = {order * size, size};
  const int64_t own[] = {state->is_transposed ? size : order * size,
                         state->is_transposed ? order * size : size};
  TN_RETURN_IF_ERROR(tn__strided_copy_prepare(
      site->arena, state->size, 2, (int64_t[]){order, order}, ordered, own, &state->triangle));
  const int64_t width = state->columns < COLUMNS ? state->columns : COLUMNS;
  state->pieces = tn__ceil_divide(state->columns, COLUMNS);
  const int64_t last = state->columns - (state->pieces - 1) * COLUMNS;
  TN_RETURN_IF_ERROR(plan_piece(site, state, width, &state->in, &state->out));
  TN_RETURN_IF_ERROR(plan_piece(site, state, last, &state->last_in, &state->last_out));
  state->column_stride = state->is_right ? order * size : size;
  const size_t wide = state->carrier_size > state->size ? state->carrier_size : state->size;
  state->triangle_length = tn__align_up((size_t)(order * order) * wide, TN_LINE_BYTES);
  state->rows_length = tn__align_up((size_t)(order * width) * wide, TN_LINE_BYTES);
  state->product_length = tn__align_up((size_t)(BLOCK * width) * wide, TN_LINE_BYTES);
  size_t gemm_length = 0;
  for (int64_t w = last;; w = width) {
    const size_t length = plan_product(state, BLOCK, w, order).scratch_byte_size;
    if (length > gemm_length) gemm_length = length;
    if (w == width) break;
  }
  // Room for what is converted, too.
  state->slot_length = 2 * (state->triangle_length + state->rows_length) + state->product_length +
                       tn__align_up(gemm_length, TN_LINE_BYTES);
  const int64_t units = state->batch * state->pieces;
  state->slots = units < SLOT_LIMIT ? units : SLOT_LIMIT;
  site->scratch_byte_size = state->slot_length * (size_t)state->slots;
  return TN_OK;
}

// Solves rows of `width` columns in place.
static tn_status_t solve_rows(const solve_t* state, const char* triangle, char* rows, int64_t width,
                              char* product, char* gemm_scratch) {
  const int64_t order = state->order;
  const size_t size = state->carrier_size;
  const int64_t blocks = tn__ceil_divide(order, BLOCK);
  for (int64_t step = 0; step < blocks; ++step) {
    const int64_t block = state->is_lower ? step : blocks - 1 - step;
    const int64_t first = block * BLOCK;
    const int64_t count = order - first < BLOCK ? order - first : BLOCK;
    // What is solved is before the block, or behind it.
    const int64_t solved = state->is_lower ? 0 : first + count;
    const int64_t depth = state->is_lower ? first : order - solved;
    char* target = rows + (size_t)(first * width) * size;
    if (depth) {
      const tn_gemm_t gemm = plan_product(state, count, width, depth);
      TN_RETURN_IF_ERROR(
          tn__gemm_run(&gemm, NULL, triangle + (size_t)(first * order + solved) * size,
                       rows + (size_t)(solved * width) * size, product, gemm_scratch));
      state->field->subtract(count, width, product, target, width);
    }
    state->field->substitute(count, width, triangle + (size_t)(first * order + first) * size, order,
                             state->is_lower, state->is_unit, target, width);
  }
  return TN_OK;
}

static tn_status_t solve_unit(const tn_kernel_call_t* call, int64_t unit, char* slot) {
  const solve_t* state = call->state;
  const int64_t batch = unit / state->pieces, piece = unit % state->pieces;
  const bool is_last = piece + 1 == state->pieces;
  const int64_t width = is_last ? state->columns - piece * COLUMNS : COLUMNS;
  char* triangle = slot;
  char* rows = triangle + state->triangle_length;
  char* product = rows + state->rows_length;
  char* raw_triangle = product + state->product_length;
  char* raw_rows = raw_triangle + state->triangle_length;
  char* gemm_scratch = raw_rows + state->rows_length;
  const bool converts = state->dtype != state->carrier;
  const size_t matrix = (size_t)(state->order * state->order) * state->size;
  TN_RETURN_IF_ERROR(tn__strided_copy_run(&state->triangle, NULL,
                                          converts ? raw_triangle : triangle,
                                          (const char*)call->operands[0] + (size_t)batch * matrix));
  const int64_t offset = batch * state->order * state->columns * (int64_t)state->size +
                         piece * COLUMNS * state->column_stride;
  TN_RETURN_IF_ERROR(tn__strided_copy_run(is_last ? &state->last_in : &state->in, NULL,
                                          converts ? raw_rows : rows,
                                          (const char*)call->operands[1] + offset));
  if (converts) {
    state->load.run(&state->load, raw_triangle, triangle, (size_t)(state->order * state->order));
    state->load.run(&state->load, raw_rows, rows, (size_t)(state->order * width));
  }
  if (state->is_conjugated) state->field->conjugate(state->order * state->order, triangle);
  TN_RETURN_IF_ERROR(solve_rows(state, triangle, rows, width, product, gemm_scratch));
  if (converts) {
    state->store.run(&state->store, rows, raw_rows, (size_t)(state->order * width));
  }
  return tn__strided_copy_run(is_last ? &state->last_out : &state->out, NULL,
                              (char*)call->results[0] + offset, converts ? raw_rows : rows);
}

static tn_status_t solve_slots(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const solve_t* state = call->state;
  const int64_t units = state->batch * state->pieces;
  for (int64_t slot = begin; slot < end; ++slot) {
    const int64_t last = units * (slot + 1) / state->slots;
    for (int64_t unit = units * slot / state->slots; unit < last; ++unit) {
      TN_RETURN_IF_ERROR(
          solve_unit(call, unit, (char*)call->scratch + (size_t)slot * state->slot_length));
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_triangular_solve_run(const tn_kernel_call_t* call) {
  const solve_t* state = call->state;
  if (state->slots == 0) return TN_OK;
  return tn__pool_parallel_for(call->context->pool, state->slots, 1, solve_slots,
                               (void*)(uintptr_t)call);
}
