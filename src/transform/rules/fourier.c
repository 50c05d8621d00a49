// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of fft. All kinds are linear: a tangent goes the way of its operand, and the matrix of a
// Fourier transform is its own transpose.
#include <string.h>

#include "array/common.h"
#include "transform/rules/rules.h"

static bool is_kind(const tn_rule_t* rule, const char* kind) {
  return tn__sv_is(tn__rule_attribute(rule, "fft_type")->string, kind);
}

// Of another kind, along the same dimensions.
static tn_array_t* transform(const tn_rule_t* rule, const char* kind, tn_array_t* x,
                             tn_dtype_t dtype, const int64_t* dims) {
  const tn_named_attr_t attributes[] = {
      TN_ENUM_ATTR("fft_type", "fft_type", kind),
      {TN_SV_LITERAL("fft_length"), tn__rule_attribute(rule, "fft_length")}};
  return tn__apply_with(rule->scope, TN__OP(fft), 1, &x, 2, attributes, dtype, x->rank, dims);
}

// Elements that RFFT leaves out say nothing.
static tn_array_t* back_from_half(const tn_rule_t* rule, tn_array_t* t) {
  const tn_array_t* x = rule->operands[0];
  int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
  high[x->rank - 1] = x->dims[x->rank - 1] - t->dims[x->rank - 1];
  t = tn_array_pad(rule->scope, t, low, high, TN_PAD_CONSTANT, NULL);
  return tn_array_real(rule->scope, transform(rule, "FFT", t, t->dtype, x->dims));
}

// Along the last dimension an element stands for itself and its conjugate, which IRFFT does not
// get; but the first one, and the last one of an even length, for themselves alone.
static tn_array_t* forth_to_half(const tn_rule_t* rule, tn_array_t* t) {
  tn_scope_t* scope = rule->scope;
  const tn_array_t* x = rule->operands[0];
  const int64_t size = t->dims[t->rank - 1], half = x->dims[x->rank - 1];
  tn_array_t* place = tn__iota(scope, TN_DTYPE_S64, 1, &half, 0);
  tn_array_t* is_alone = tn_array_equal(scope, place, tn_array_scalar(scope, TN_DTYPE_S64, 0));
  if (size % 2 == 0) {
    tn_array_t* end = tn_array_scalar(scope, TN_DTYPE_S64, (double)(half - 1));
    is_alone = tn_array_logical_or(scope, is_alone, tn_array_equal(scope, place, end));
  }
  size_t length_count = 0;
  const int64_t* lengths = tn__rule_list_attribute(rule, "fft_length", &length_count);
  double count = 1;
  for (size_t i = 0; i < length_count; ++i) count *= (double)lengths[i];
  tn_array_t* weights = tn_array_where(scope, is_alone, tn_array_scalar(scope, t->dtype, 1 / count),
                                       tn_array_scalar(scope, t->dtype, 2 / count));
  tn_array_t* spectrum = tn_array_conjugate(scope, transform(rule, "RFFT", t, x->dtype, x->dims));
  return tn_array_multiply(scope, spectrum, tn_array_astype(scope, weights, x->dtype));
}

tn_status_t tn__jvp_fft(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] = tn__rule_apply(rule, call->tangents, rule->result_types);
  return TN_OK;
}

tn_status_t tn__vjp_fft(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const tn_array_t* x = rule->operands[0];
  tn_array_t* t = call->cotangents[0];
  if (is_kind(rule, "RFFT")) {
    call->out_cotangents[0] = back_from_half(rule, t);
  } else if (!is_kind(rule, "IRFFT")) {
    const tn_array_type_t type = {x->dtype, x->rank, x->dims};
    call->out_cotangents[0] = tn__rule_apply(rule, &t, &type);
  } else {
    call->out_cotangents[0] = forth_to_half(rule, t);
  }
  return TN_OK;
}

// The batch goes before the dimensions that are transformed, which are the last ones.
tn_status_t tn__vmap_fft(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn__vmap_elementwise(rule, call);
}
