// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of complex numbers and their parts. A cotangent goes the way that JAX's does: the gradient
// of a real function with respect to z is that of its parts, d/dx - i d/dy.
#include "transform/rules/rules.h"

static tn_array_t* part(tn_scope_t* scope, const tn_op_t* op, tn_array_t* z) {
  const tn_dtype_t dtype = z->dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  return tn__apply(scope, op, 1, &z, dtype, z->rank, z->dims);
}

static tn_array_t* join(tn_scope_t* scope, tn_array_t* real, tn_array_t* imaginary) {
  tn_array_t* operands[] = {real, imaginary};
  const tn_dtype_t dtype = real->dtype == TN_DTYPE_F32 ? TN_DTYPE_C64 : TN_DTYPE_C128;
  return tn__apply(scope, TN__OP(complex), 2, operands, dtype, real->rank, real->dims);
}

tn_status_t tn__jvp_complex(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* tangents[2] = {NULL, NULL};
  for (size_t i = 0; i < call->argnum_count; ++i) tangents[call->argnums[i]] = call->tangents[i];
  for (size_t i = 0; i < 2; ++i) {
    if (!tangents[i]) tangents[i] = tn__zeros_like(rule->scope, rule->operands[i]);
  }
  call->out_tangents[0] = join(rule->scope, tangents[0], tangents[1]);
  return TN_OK;
}

tn_status_t tn__vjp_complex(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* t = call->cotangents[0];
    call->out_cotangents[i] = call->argnums[i] == 0
                                  ? part(scope, TN__OP(real), t)
                                  : tn_array_negative(scope, part(scope, TN__OP(imag), t));
  }
  return TN_OK;
}

tn_status_t tn__vmap_complex(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn__vmap_elementwise(rule, call);
}

// Of real operands, real is the identity and imag is zero.
static bool is_real(const tn_rule_t* rule) {
  return !tn_issubdtype(rule->operands[0]->dtype, TN_CATEGORY_COMPLEX_FLOATING);
}

tn_status_t tn__jvp_real(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* t = call->tangents[0];
  call->out_tangents[0] = is_real(rule) ? t : part(rule->scope, TN__OP(real), t);
  return TN_OK;
}

tn_status_t tn__vjp_real(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t* t = call->cotangents[0];
  call->out_cotangents[0] =
      is_real(rule) ? t : join(rule->scope, t, tn__zeros_like(rule->scope, t));
  return TN_OK;
}

tn_status_t tn__vmap_real(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn__vmap_elementwise(rule, call);
}

tn_status_t tn__jvp_imag(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] = is_real(rule) ? NULL : part(rule->scope, TN__OP(imag), call->tangents[0]);
  return TN_OK;
}

tn_status_t tn__vjp_imag(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  tn_array_t* t = call->cotangents[0];
  call->out_cotangents[0] =
      is_real(rule) ? NULL : join(scope, tn__zeros_like(scope, t), tn_array_negative(scope, t));
  return TN_OK;
}

tn_status_t tn__vmap_imag(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn__vmap_elementwise(rule, call);
}

// --- abs

// Of a complex number the direction is z / |z|, and nowhere at 0.
static tn_array_t* direction(const tn_rule_t* rule, tn_array_t* modulus) {
  tn_scope_t* scope = rule->scope;
  tn_array_t* is_zero = tn_array_equal(scope, modulus, tn_array_scalar(scope, modulus->dtype, 0));
  tn_array_t* one = tn_array_scalar(scope, modulus->dtype, 1);
  tn_array_t* operands[] = {is_zero, tn_array_full(scope, modulus->rank, modulus->dims, one),
                            modulus};
  tn_array_t* divisor =
      tn__apply(scope, TN__OP(select), 3, operands, modulus->dtype, modulus->rank, modulus->dims);
  return tn_array_divide(scope, rule->operands[0], divisor);
}

tn_status_t tn__jvp_abs(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  if (is_real(rule)) return tn__jvp_partial(rule, call);
  tn_array_t *z = direction(rule, call->outputs[0]), *t = call->tangents[0];
  tn_array_t* along =
      tn_array_multiply(scope, part(scope, TN__OP(real), z), part(scope, TN__OP(real), t));
  tn_array_t* across =
      tn_array_multiply(scope, part(scope, TN__OP(imag), z), part(scope, TN__OP(imag), t));
  call->out_tangents[0] = tn_array_add(scope, along, across);
  return TN_OK;
}

tn_status_t tn__vjp_abs(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  if (is_real(rule)) return tn__vjp_partial(rule, call);
  tn_array_t *z = direction(rule, call->outputs[0]), *t = call->cotangents[0];
  tn_array_t* imaginary = tn_array_multiply(scope, t, part(scope, TN__OP(imag), z));
  call->out_cotangents[0] = join(scope, tn_array_multiply(scope, t, part(scope, TN__OP(real), z)),
                                 tn_array_negative(scope, imaginary));
  return TN_OK;
}

tn_status_t tn__vmap_abs(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn__vmap_elementwise(rule, call);
}
