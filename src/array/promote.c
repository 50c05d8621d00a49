// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Promotion of dtypes: mlx.core's table, and what continues it for dtypes that MLX does not have.
#include <string.h>

#include <tenon/detail/array.h>

#include "base/type.h"

static bool is_number(tn_dtype_t dtype) {
  return tn_dtype_is_valid((int)dtype) && dtype != TN_DTYPE_INDEX &&
         tn_dtype_kind(dtype) != TN_KIND_TOKEN;
}

static tn_dtype_t signed_of_width(uint32_t bits) {
  switch (bits) {
    case 2: return TN_DTYPE_S2;
    case 4: return TN_DTYPE_S4;
    case 8: return TN_DTYPE_S8;
    case 16: return TN_DTYPE_S16;
    case 32: return TN_DTYPE_S32;
    default: return TN_DTYPE_S64;
  }
}

// The narrowest signed type that holds both; there is none for 64 unsigned bits.
static tn_dtype_t promote_integers(tn_dtype_t a, tn_dtype_t b) {
  const uint32_t a_bits = tn_dtype_bit_width(a), b_bits = tn_dtype_bit_width(b);
  if (tn_dtype_kind(a) == tn_dtype_kind(b)) return a_bits >= b_bits ? a : b;
  const bool a_is_signed = tn_dtype_kind(a) == TN_KIND_SIGNED;
  const tn_dtype_t with_sign = a_is_signed ? a : b;
  const uint32_t sign_bits = a_is_signed ? a_bits : b_bits;
  const uint32_t other_bits = a_is_signed ? b_bits : a_bits;
  if (other_bits >= 64) return TN_DTYPE_F32;
  return sign_bits > other_bits ? with_sign : signed_of_width(2 * other_bits);
}

// Of two formats of which neither holds the other it is f32.
static tn_dtype_t promote_floats(tn_dtype_t a, tn_dtype_t b) {
  const uint32_t a_bits = tn_dtype_bit_width(a), b_bits = tn_dtype_bit_width(b);
  if (a == b) return a;
  if (a_bits == b_bits) return TN_DTYPE_F32;
  return a_bits > b_bits ? a : b;
}

tn_dtype_t tn_promote_types(tn_dtype_t a, tn_dtype_t b) {
  if (!is_number(a) || !is_number(b)) return TN_DTYPE_INVALID;
  if (a == b) return a;
  const tn_kind_t a_kind = tn_dtype_kind(a), b_kind = tn_dtype_kind(b);
  if (a_kind == TN_KIND_BOOL) return b;
  if (b_kind == TN_KIND_BOOL) return a;
  if (a == TN_DTYPE_C128 || b == TN_DTYPE_C128) return TN_DTYPE_C128;
  if (a_kind == TN_KIND_COMPLEX) return a;
  if (b_kind == TN_KIND_COMPLEX) return b;
  if (a_kind == TN_KIND_FLOAT && b_kind == TN_KIND_FLOAT) return promote_floats(a, b);
  if (a_kind == TN_KIND_FLOAT) return a;
  if (b_kind == TN_KIND_FLOAT) return b;
  return promote_integers(a, b);
}

bool tn_issubdtype(tn_dtype_t dtype, tn_dtype_category_t category) {
  static const unsigned kinds[] = {
      [TN_CATEGORY_GENERIC] = TN_KIND_BOOL | TN_KIND_INTEGER | TN_KIND_FLOAT | TN_KIND_COMPLEX,
      [TN_CATEGORY_NUMBER] = TN_KIND_INTEGER | TN_KIND_FLOAT | TN_KIND_COMPLEX,
      [TN_CATEGORY_INTEGER] = TN_KIND_INTEGER,
      [TN_CATEGORY_SIGNED_INTEGER] = TN_KIND_SIGNED,
      [TN_CATEGORY_UNSIGNED_INTEGER] = TN_KIND_UNSIGNED,
      [TN_CATEGORY_INEXACT] = TN_KIND_FLOAT | TN_KIND_COMPLEX,
      [TN_CATEGORY_FLOATING] = TN_KIND_FLOAT,
      [TN_CATEGORY_COMPLEX_FLOATING] = TN_KIND_COMPLEX,
  };
  if (!is_number(dtype) || (size_t)category >= sizeof kinds / sizeof *kinds) return false;
  return (kinds[category] & (unsigned)tn_dtype_kind(dtype)) != 0;
}

bool tn_can_cast(tn_dtype_t from, tn_dtype_t to) {
  return is_number(to) && tn_promote_types(from, to) == to;
}

bool tn_isdtype(tn_dtype_t dtype, const char* kind) {
  static const struct {
    const char* name;
    unsigned kinds;
  } names[] = {
      {"bool", TN_KIND_BOOL},
      {"complex floating", TN_KIND_COMPLEX},
      {"integral", TN_KIND_INTEGER},
      {"numeric", TN_KIND_INTEGER | TN_KIND_FLOAT | TN_KIND_COMPLEX},
      {"real floating", TN_KIND_FLOAT},
      {"signed integer", TN_KIND_SIGNED},
      {"unsigned integer", TN_KIND_UNSIGNED},
  };
  for (size_t i = 0; kind && is_number(dtype) && i < sizeof names / sizeof *names; ++i) {
    if (strcmp(names[i].name, kind) == 0) return names[i].kinds & (unsigned)tn_dtype_kind(dtype);
  }
  return false;
}

tn_dtype_t tn_result_type(size_t count, const tn_dtype_t* dtypes) {
  tn_dtype_t dtype = count && is_number(dtypes[0]) ? dtypes[0] : TN_DTYPE_INVALID;
  for (size_t i = 1; i < count && dtype != TN_DTYPE_INVALID; ++i) {
    dtype = tn_promote_types(dtype, dtypes[i]);
  }
  return dtype;
}

tn_status_t tn_broadcast_shapes(size_t count, const size_t* ranks, const int64_t* const* shapes,
                                size_t* out_rank, int64_t* out_dims) {
  size_t rank = 0;
  *out_rank = 0;
  if (count) TN_RETURN_IF_NULL(ranks);
  if (count) TN_RETURN_IF_NULL(shapes);
  for (size_t i = 0; i < count; ++i) {
    if (ranks[i] > TN_MAX_RANK) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "tn_broadcast_shapes: shape %zu has %zu dimensions; at most %d", i,
                              ranks[i], TN_MAX_RANK);
    }
    if (ranks[i] > rank) rank = ranks[i];
  }
  for (size_t d = 0; d < rank; ++d) out_dims[d] = 1;
  for (size_t i = 0; i < count; ++i) {
    for (size_t d = 0; d < ranks[i]; ++d) {
      int64_t* dim = &out_dims[rank - ranks[i] + d];
      if (shapes[i][d] == 1 || shapes[i][d] == *dim) continue;
      if (*dim != 1 || shapes[i][d] < 0) {
        return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                "tn_broadcast_shapes: shape %zu is %s, and does not broadcast "
                                "against those before it (dimension %zu)",
                                i, TN_SHAPE_TEXT(ranks[i], shapes[i]), d);
      }
      *dim = shapes[i][d];
    }
  }
  *out_rank = rank;
  return TN_OK;
}
