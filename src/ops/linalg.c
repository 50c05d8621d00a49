// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Linear algebra over the last two dimensions, Fourier transforms over the last few.
#include "ops/rules.h"

static bool is_square(const tn_type_t* type) {
  return tn__dims_agree(type->dims[type->rank - 2], type->dims[type->rank - 1]);
}

tn_status_t tn__infer_cholesky(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "a", TN__FLOAT_OR_COMPLEX));
  const tn_type_t* a = use->operand_types[0];
  TN_CONSTRAINT(use, "C2", a->rank >= 2, "a has rank %zu; expected at least 2",  // cholesky_c2
                a->rank);
  TN_CONSTRAINT(use, "C3", is_square(a), "a has shape %s; expected square matrices",  // cholesky_c3
                TN_SHAPE_TEXT(a->rank, a->dims));
  return tn__give(use, results, "C1", a);  // cholesky_c1
}

tn_status_t tn__infer_triangular_solve(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "a", TN__FLOAT_OR_COMPLEX));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, "I2", "b", TN__FLOAT_OR_COMPLEX));
  const tn_type_t *a = use->operand_types[0], *b = use->operand_types[1];
  TN_CONSTRAINT(use, "C1", a->dtype == b->dtype,  // triangular_solve_c1
                "b has elements of type %s; expected %s, as a", tn_dtype_name(b->dtype),
                tn_dtype_name(a->dtype));
  TN_CONSTRAINT(use, "C2", a->rank >= 2 && a->rank == b->rank,  // triangular_solve_c2
                "operands have ranks %zu and %zu; expected equal ranks from 2 on", a->rank,
                b->rank);
  // triangular_solve_c3
  size_t rank = a->rank;
  bool left_side = tn__attr_get_bool(&use->attrs, "left_side", false);
  int64_t order = b->dims[left_side ? rank - 2 : rank - 1];
  bool fits = is_square(a) && tn__dims_agree(a->dims[rank - 1], order);
  for (size_t i = 0; fits && i + 2 < rank; ++i) fits = tn__dims_agree(a->dims[i], b->dims[i]);
  TN_CONSTRAINT(use, "C3", fits,
                "operands have shapes %s and %s; expected square matrices that fit %s side of b",
                TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims),
                left_side ? "the left" : "the right");
  int transpose = tn__attr_get_enum(&use->attrs, "transpose_a", TN_ENUM_transpose_NO_TRANSPOSE);
  TN_CONSTRAINT(use, "I6", transpose != TN_ENUM_transpose_TRANSPOSE_INVALID,
                "transpose_a is TRANSPOSE_INVALID");
  return tn__give(use, results, "C4", b);  // triangular_solve_c4
}

// The last dimensions of a tensor are these.
static bool ends_with(const tn_type_t* type, size_t count, const int64_t* sizes) {
  for (size_t i = 0; i < count; ++i) {
    if (!tn__dims_agree(type->dims[type->rank - count + i], sizes[i])) return false;
  }
  return true;
}

// Of a real signal's transform, the half that is not redundant.
static int64_t half(int64_t size) {
  return size == 0 || size == TN_DIM_DYNAMIC ? size : size / 2 + 1;
}

tn_status_t tn__infer_fft(const tn_op_use_t* use, tn_op_results_t* results) {
  int type = tn__attr_get_enum(&use->attrs, "fft_type", TN_ENUM_fft_type_FFT);
  const char* type_name = tn__enum_name("fft_type", type);
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__FLOAT_OR_COMPLEX));
  const tn_type_t* operand = use->operand_types[0];
  tn_i64_list_t lengths;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "fft_length", &lengths));
  TN_CONSTRAINT(use, "C3", lengths.count >= 1 && lengths.count <= 3,  // fft_c3
                "fft_length has %zu entries; expected 1 to 3", lengths.count);
  TN_CONSTRAINT(use, "C1", lengths.count <= operand->rank,  // fft_c1
                "fft_length has %zu entries; expected at most %zu, the rank of operand",
                lengths.count, operand->rank);
  TN_RETURN_IF_ERROR(tn__rule_at_least(use, "C4", "fft_length", lengths, 0));
  // fft_c2
  bool from_real = type == TN_ENUM_fft_type_RFFT, to_real = type == TN_ENUM_fft_type_IRFFT;
  tn_dtype_t dtype = from_real ? tn__dtype_complex_of(operand->dtype)
                     : to_real ? tn__dtype_real_of(operand->dtype)
                               : operand->dtype;
  bool is_complex = tn_dtype_kind(operand->dtype) == TN_KIND_COMPLEX;
  TN_CONSTRAINT(use, "C2", dtype != TN_DTYPE_INVALID && is_complex == !from_real,
                "operand has elements of type %s; expected %s for %s",
                tn_dtype_name(operand->dtype), from_real ? "f32 or f64" : "complex ones",
                type_name);
  // fft_c4, of the transform's lengths in all types
  const int64_t* sizes = lengths.values;
  size_t count = lengths.count;
  int64_t last = to_real ? half(sizes[count - 1]) : sizes[count - 1];
  int64_t operand_sizes[3];
  memcpy(operand_sizes, sizes, count * sizeof *sizes);
  operand_sizes[count - 1] = last;
  TN_CONSTRAINT(use, to_real ? "C5" : "C4", ends_with(operand, count, operand_sizes),
                "operand has shape %s; expected the last dimensions %s for fft_length %s",
                TN_SHAPE_TEXT(operand->rank, operand->dims), TN_SHAPE_TEXT(count, operand_sizes),
                TN_LIST_TEXT(lengths));
  // fft_c5
  int64_t dims[TN_MAX_RANK];
  memcpy(dims, operand->dims, operand->rank * sizeof *dims);
  int64_t* result_last = &dims[operand->rank - 1];
  if (from_real) *result_last = half(*result_last);
  if (to_real) *result_last = sizes[count - 1];
  return tn__give_tensor(use, results, "C5|C2", dtype, operand->rank, dims);
}
