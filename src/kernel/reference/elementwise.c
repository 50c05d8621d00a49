// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One result for each element of the operands, of which scalars stand for as many elements.
#include <math.h>

#include "base/float_format.h"
#include "kernel/reference/kernels.h"
#include "kernel/reference/scalar.h"

enum { MOST_OPERANDS = 3 };

typedef tn_number_t (*compute_fn)(const tn_op_use_t* use, const tn_number_t* operands);

static tn_status_t run(const tn_kernel_call_t* call, compute_fn compute) {
  const tn_op_use_t* use = tn__reference_use(call);
  const tn_type_t* result = use->result_types[0];
  for (int64_t i = 0; i < tn__type_size(result); ++i) {
    tn_number_t operands[MOST_OPERANDS] = {{0}};
    for (size_t k = 0; k < use->operand_count; ++k) {
      const tn_type_t* type = use->operand_types[k];
      operands[k] = tn__number_at(type->dtype, call->operands[k], type->rank ? i : 0);
    }
    tn__number_put(result->dtype, compute(use, operands), call->results[0], i);
  }
  return TN_OK;
}

// --- ops/scalar.def

bool tn__reference_scalar_supports(const tn_op_use_t* use) {
  return use->operand_types[0]->kind == TN_TYPE_TENSOR &&
         tn__scalar_find(use->op, use->operand_types[0]->dtype) != NULL;
}

static tn_number_t compute_scalar(const tn_op_use_t* use, const tn_number_t* operands) {
  const tn_dtype_t dtype = use->operand_types[0]->dtype;
  return tn__scalar_find(use->op, dtype)(operands, tn_dtype_bit_width(dtype));
}
tn_status_t tn__reference_scalar_run(const tn_kernel_call_t* call) {
  return run(call, compute_scalar);
}

// --- those with attributes, or with operands of several dtypes

static int compare_integers(tn_wide_t a, tn_wide_t b) {
  return (a > b) - (a < b);
}

// -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN
static int compare_totally(long double a, long double b) {
  const int a_rank = isnan(a) ? (signbit(a) ? -1 : 1) : 0;
  const int b_rank = isnan(b) ? (signbit(b) ? -1 : 1) : 0;
  if (a_rank || b_rank) return compare_integers(a_rank, b_rank);
  if (a == 0 && b == 0) return compare_integers(!signbit(a), !signbit(b));
  return (a > b) - (a < b);
}

static tn_number_t compute_compare(const tn_op_use_t* use, const tn_number_t* x) {
  enum { EQ, NE, GE, GT, LE, LT, TOTALORDER = 2 };
  const tn_kind_t kind = tn_dtype_kind(use->operand_types[0]->dtype);
  const int direction =
      tn__reference_enum(&use->attrs, "comparison_direction", "comparison_direction", EQ);
  const int type = tn__reference_enum(&use->attrs, "compare_type", "comparison_type", 0);
  int order = 0;
  if (kind == TN_KIND_COMPLEX) {
    // The real parts, and where they are equal the imaginary ones.
    const bool by_imaginary = x[0].re == x[1].re;
    const long double a = by_imaginary ? x[0].im : x[0].re, b = by_imaginary ? x[1].im : x[1].re;
    if (isnan(a) || isnan(b)) return tn__number_integer(direction == NE);
    order = (a > b) - (a < b);
  } else if (kind != TN_KIND_FLOAT) {
    order = compare_integers(x[0].integer, x[1].integer);
  } else if (type == TOTALORDER) {
    order = compare_totally(x[0].re, x[1].re);
  } else if (isnan(x[0].re) || isnan(x[1].re)) {
    return tn__number_integer(direction == NE);
  } else {
    order = (x[0].re > x[1].re) - (x[0].re < x[1].re);
  }
  const bool answers[] = {order == 0, order != 0, order >= 0, order > 0, order <= 0, order < 0};
  return tn__number_integer(answers[direction]);
}
tn_status_t tn__reference_compare_run(const tn_kernel_call_t* call) {
  return run(call, compute_compare);
}

static tn_number_t compute_select(const tn_op_use_t* use, const tn_number_t* x) {
  (void)use;
  return x[0].integer ? x[1] : x[2];
}
tn_status_t tn__reference_select_run(const tn_kernel_call_t* call) {
  return run(call, compute_select);
}

// min, operand, max: minimum(maximum(operand, min), max)
bool tn__reference_clamp_supports(const tn_op_use_t* use) {
  return tn_dtype_kind(use->operand_types[0]->dtype) != TN_KIND_COMPLEX;
}
static tn_number_t compute_clamp(const tn_op_use_t* use, const tn_number_t* x) {
  const tn_dtype_t dtype = use->operand_types[1]->dtype;
  const tn_number_t low[] = {x[1], x[0]};
  const tn_number_t high[] = {tn__scalar_find(TN__OP(maximum), dtype)(low, 0), x[2]};
  return tn__scalar_find(TN__OP(minimum), dtype)(high, 0);
}
tn_status_t tn__reference_clamp_run(const tn_kernel_call_t* call) {
  return run(call, compute_clamp);
}

static tn_number_t compute_convert(const tn_op_use_t* use, const tn_number_t* x) {
  return tn__number_convert(use->operand_types[0]->dtype, use->result_types[0]->dtype, x[0]);
}
tn_status_t tn__reference_convert_run(const tn_kernel_call_t* call) {
  return run(call, compute_convert);
}

// Rounded to a mantissa of so many bits; then what is too large is infinite, and what would be
// subnormal is zero.
bool tn__reference_reduce_precision_supports(const tn_op_use_t* use) {
  const tn_float_format_t* format = tn__float_format(use->operand_types[0]->dtype);
  return format && format->specials == TN_FLOAT_IEEE &&
         tn__attr_get_integer(&use->attrs, "mantissa_bits", 0) > 0;
}
static tn_number_t compute_reduce_precision(const tn_op_use_t* use, const tn_number_t* x) {
  const tn_float_format_t* format = tn__float_format(use->operand_types[0]->dtype);
  const int64_t mantissa_bits = tn__attr_get_integer(&use->attrs, "mantissa_bits", 0);
  const int64_t exponent_bits = tn__attr_get_integer(&use->attrs, "exponent_bits", 0);
  long double value = x[0].re;
  int exponent = 0;
  if (!isfinite(value) || value == 0) return x[0];
  if (mantissa_bits < format->mantissa_bits) {
    frexpl(value, &exponent);
    const int least = 2 - format->bias;  // subnormal numbers have fewer bits
    const int last = (exponent > least ? exponent : least) - 1 - (int)mantissa_bits;
    value = ldexpl(rintl(ldexpl(value, -last)), last);
  }
  if (exponent_bits < format->exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (fabsl(value) >= ldexpl(1, bias + 1)) value = copysignl(INFINITY, value);
    if (fabsl(value) < ldexpl(1, 1 - bias)) value = copysignl(0, value);
  }
  return tn__number_real(value);
}
tn_status_t tn__reference_reduce_precision_run(const tn_kernel_call_t* call) {
  return run(call, compute_reduce_precision);
}

// --- bits

bool tn__reference_bitcast_supports(const tn_op_use_t* use) {
  return tn_dtype_bit_width(use->operand_types[0]->dtype) >= 8 &&
         tn_dtype_bit_width(use->result_types[0]->dtype) >= 8;
}
// The same bytes: a smaller dtype has one more dimension.
tn_status_t tn__reference_bitcast_run(const tn_kernel_call_t* call) {
  memmove(call->results[0], call->operands[0], tn__type_byte_size(tn__reference_result(call, 0)));
  return TN_OK;
}
