// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Expressions of operations.
#include <stdio.h>
#include <string.h>

#include "kernel/gpu/gpu.h"
#include "ops/scalar.h"

const tn_gpu_dtype_t* tn__gpu_dtype(tn_dtype_t dtype) {
  static const tn_gpu_dtype_t dtypes[] = {
#define TN_GPU_DTYPE(NAME, memory, value, unsigned_value, signed_value, bits, suffix) \
  [TN_DTYPE_##NAME] = {#memory, #value, #unsigned_value, #signed_value, bits, #suffix},
#include "kernel/gpu/dtypes.def"
#undef TN_GPU_DTYPE
  };
  const bool is_there = dtype < sizeof dtypes / sizeof *dtypes && dtypes[dtype].memory;
  return is_there ? &dtypes[dtype] : NULL;
}

// --- ops/scalar.def

typedef struct row {
  const char* operation;                     // without its dialect
  const char *integers, *reals, *complexes;  // NULL: it is not defined there
} row_t;

#define TEXT_NONE(name, detail, expression) NULL
#define TEXT_ALONE(name, detail, expression) NULL
#define TEXT_APART(name, detail, expression) #expression
#define TEXT_BY_PARTS(name, detail, expression) "C_" #name "(a, b)"
#define TEXT_IS(name, detail, expression) #expression
#define ROW(name, integers, reals, complexes)                                  \
  {#name, TN_COLUMN(TEXT, name, 0, integers), TN_COLUMN(TEXT, name, 0, reals), \
   TN_COLUMN(TEXT, name, 0, complexes)},
static const row_t rows[] = {
#define TN_UNARY(dialect, name, carrier, cost, result, integers, reals, complexes, ...) \
  ROW(name, integers, reals, complexes)
#define TN_BINARY(dialect, name, carrier, cost, result, order, integers, reals, complexes, ...) \
  ROW(name, integers, reals, complexes)
#include "ops/scalar.def"
};

// What the prelude has no words for.
static bool is_left_out(const char* expression, tn_dtype_t dtype) {
  if (strstr(expression, "BESSEL")) return true;
  return dtype == TN_DTYPE_F64 && (strstr(expression, "ERF_INV") || strstr(expression, "COMPLEX"));
}

// What it has words for, of complex numbers (helpers.c).
static bool has_words(const char* expression) {
  static const char* const words[] = {"(C_",    "C_",     "(CREAL(",    "(CIMAG(",
                                      "(CONJ(", "(CABS(", "(CMULTIPLY("};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (strncmp(expression, words[i], strlen(words[i])) == 0) return true;
  }
  return false;
}

const char* tn__gpu_scalar_expression(const tn_op_t* op, tn_dtype_t dtype) {
  const tn_kind_t kind = tn_dtype_kind(dtype);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (strcmp(rows[i].operation, tn__op_short_name(op)) != 0) continue;
    if (kind == TN_KIND_COMPLEX) {
      return rows[i].complexes && has_words(rows[i].complexes) ? rows[i].complexes : NULL;
    }
    const char* text = kind == TN_KIND_FLOAT ? rows[i].reals : rows[i].integers;
    return text && !is_left_out(text, dtype) ? text : NULL;
  }
  return NULL;
}

// --- others

static bool is_complex(tn_dtype_t dtype) {
  return tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
}

static const char* compare_expression(const tn_op_use_t* use) {
#define ALL(A, B) \
  { A " == " B, A " != " B, A " >= " B, A " > " B, A " <= " B, A " < " B }
  static const char* const texts[3][6] = {ALL("a", "b"), ALL("ORDER_F32(a)", "ORDER_F32(b)"),
                                          ALL("ORDER_F64(a)", "ORDER_F64(b)")};
#undef ALL
  const tn_attr_t* type = tn__attr_find(&use->attrs, "compare_type");
  const tn_attr_t* direction = tn__attr_find(&use->attrs, "comparison_direction");
  if (is_complex(use->operand_types[0]->dtype)) {
    const int64_t which = direction ? tn__enum_value("comparison_direction", direction->string) : 0;
    return which == 0 ? "C_EQUAL(a, b)" : which == 1 ? "!C_EQUAL(a, b)" : NULL;
  }
  const bool is_total = type && tn__sv_equal(type->string, tn__sv("TOTALORDER"));
  const int order = !is_total ? 0 : use->operand_types[0]->dtype == TN_DTYPE_F64 ? 2 : 1;
  return texts[order][direction ? tn__enum_value("comparison_direction", direction->string) : 0];
}

static const char* clamp_expression(const tn_op_use_t* use) {
  if (is_complex(use->operand_types[1]->dtype)) return NULL;
  return tn_dtype_kind(use->operand_types[1]->dtype) == TN_KIND_FLOAT
             ? "MINIMUM(MAXIMUM(b, a), c)"
             : "(b < a ? a : b) > c ? c : (b < a ? a : b)";
}

static const char* convert_expression(const tn_op_use_t* use) {
  const tn_dtype_t from = use->operand_types[0]->dtype, to = use->result_types[0]->dtype;
  const bool is_real = tn_dtype_kind(from) == TN_KIND_FLOAT;
  const bool is_narrow = to == TN_DTYPE_F16 || to == TN_DTYPE_BF16;
  if (is_complex(from)) {
    if (is_complex(to)) return "a";
    if (to == TN_DTYPE_PRED) return "CREAL(a) != 0 || CIMAG(a) != 0";
    return tn_dtype_kind(to) == TN_KIND_FLOAT ? "CREAL(a)" : NULL;
  }
  if (is_complex(to)) return "C_MAKE((float)(a), 0)";
  // What would be rounded to float first.
  if (is_narrow && (from == TN_DTYPE_F64 || (!is_real && tn_dtype_bit_width(from) > 16))) {
    return NULL;
  }
  if (!is_real || tn_dtype_kind(to) == TN_KIND_FLOAT) return to == TN_DTYPE_PRED ? "a != 0" : "a";
  switch (to) {
    case TN_DTYPE_PRED: return "a != 0";
    case TN_DTYPE_S8: return "TO_INTEGER(a, convert_char_sat)";
    case TN_DTYPE_S16: return "TO_INTEGER(a, convert_short_sat)";
    case TN_DTYPE_S32: return "TO_INTEGER(a, convert_int_sat)";
    case TN_DTYPE_S64: return "TO_INTEGER(a, convert_long_sat)";
    case TN_DTYPE_U8: return "TO_INTEGER(a, convert_uchar_sat)";
    case TN_DTYPE_U16: return "TO_INTEGER(a, convert_ushort_sat)";
    case TN_DTYPE_U32: return "TO_INTEGER(a, convert_uint_sat)";
    case TN_DTYPE_U64: return "TO_INTEGER(a, convert_ulong_sat)";
    default: return NULL;
  }
}

static const char* bitcast_expression(const tn_op_use_t* use) {
  const tn_dtype_t from = use->operand_types[0]->dtype, to = use->result_types[0]->dtype;
  const uint32_t width = tn_dtype_bit_width(from);
  const bool is_real = tn_dtype_kind(from) == TN_KIND_FLOAT;
  if (width != tn_dtype_bit_width(to) || width < 32 || is_complex(from)) return NULL;
  switch (to) {
    case TN_DTYPE_F32: return is_real ? "a" : "as_float((uint)(a))";
    case TN_DTYPE_F64: return is_real ? "a" : "as_double((ulong)(a))";
    default: return !is_real ? "a" : width == 32 ? "as_uint(a)" : "as_ulong(a)";
  }
}

const char* tn__gpu_expression(const tn_op_use_t* use) {
  if (use->op == TN__OP(compare)) return compare_expression(use);
  if (use->op == TN__OP(select)) return "a ? b : c";
  if (use->op == TN__OP(clamp)) return clamp_expression(use);
  if (use->op == TN__OP(bitcast_convert)) return bitcast_expression(use);
  if (use->op == TN__OP(convert)) return convert_expression(use);
  return tn__gpu_scalar_expression(use->op, use->operand_types[0]->dtype);
}
