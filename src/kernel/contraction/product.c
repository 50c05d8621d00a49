// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/contraction/product.h"

enum { GRAIN = 8 << 10 };

tn_dtype_t tn__product_carrier(tn_dtype_t lhs, tn_dtype_t rhs, tn_dtype_t result, int64_t depth) {
  const bool wide = lhs == TN_DTYPE_F64 || rhs == TN_DTYPE_F64 || result == TN_DTYPE_F64 ||
                    lhs == TN_DTYPE_C128 || rhs == TN_DTYPE_C128 || result == TN_DTYPE_C128;
  switch (tn_dtype_kind(result)) {
    case TN_KIND_COMPLEX: return wide ? TN_DTYPE_C128 : TN_DTYPE_C64;
    case TN_KIND_FLOAT: return wide ? TN_DTYPE_F64 : TN_DTYPE_F32;
    // A count of pairs that are both true, which must not wrap to zero.
    case TN_KIND_BOOL: return depth > INT32_MAX ? TN_DTYPE_S64 : TN_DTYPE_S32;
    default: return tn_dtype_bit_width(result) > 32 ? TN_DTYPE_S64 : TN_DTYPE_S32;
  }
}

tn_gemm_type_t tn__product_type(tn_dtype_t carrier) {
  switch (carrier) {
    case TN_DTYPE_F32: return TN_GEMM_F32;
    case TN_DTYPE_F64: return TN_GEMM_F64;
    case TN_DTYPE_S64: return TN_GEMM_I64;
    case TN_DTYPE_C64: return TN_GEMM_C64;
    case TN_DTYPE_C128: return TN_GEMM_C128;
    default: return TN_GEMM_I32;
  }
}

bool tn__product_converts(tn_dtype_t from, tn_dtype_t to) {
  const bool integers = (tn_dtype_kind(from) & TN_KIND_INTEGER) &&
                        (tn_dtype_kind(to) & TN_KIND_INTEGER) &&
                        tn_dtype_bit_width(from) == tn_dtype_bit_width(to);
  return from != to && !integers;
}

tn_conversion_t tn__product_load(tn_dtype_t from, tn_dtype_t to) {
  return tn__product_converts(from, to) ? tn__conversion(from, to) : (tn_conversion_t){0};
}

typedef struct convert_run {
  const tn_conversion_t* conversion;
  const char* source;
  char* target;
} convert_run_t;

static tn_status_t convert_range(int64_t begin, int64_t end, void* user) {
  const convert_run_t* run = user;
  const tn_conversion_t* conversion = run->conversion;
  conversion->run(conversion, run->source + (size_t)begin * tn_dtype_byte_size(conversion->from),
                  run->target + (size_t)begin * tn_dtype_byte_size(conversion->to),
                  (size_t)(end - begin));
  return TN_OK;
}

tn_status_t tn__product_convert(const tn_conversion_t* conversion, tn_pool_t* pool,
                                const void* source, void* target, int64_t count) {
  convert_run_t run = {conversion, source, target};
  return tn__pool_parallel_for(pool, count, GRAIN, convert_range, &run);
}
