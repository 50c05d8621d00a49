// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// y = x * sigmoid(beta * x), for StableHLO programs, lazy arrays and JAX
// (docs/write-an-operation.md).
#include <math.h>
#include <tenon/custom.h>
#include <tenon/operation.h>

#define SWISH(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  ATTR(beta, float, 1.0f)     \
  RET(y, f32, like(x))

TN_OP(swish, SWISH, "y = x * sigmoid(beta * x)") {
  const float* x = call->x.data;
  for (int64_t i = 0; i < tn_size(call->x); ++i)
    call->y.data[i] = x[i] / (1 + expf(-call->beta * x[i]));
  return TN_OK;
}

// dy/dx = s + beta * y * (1 - s), where s = sigmoid(beta * x).
static tn_status_t swish_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t *x = rule->operands[0], *y = call->outputs[0];
  tn_array_t* beta = tn_rule_constant(rule, x, tn_rule_attribute(rule, "beta"));
  tn_array_t* s = tn_rule_sigmoid(rule, tn_rule_multiply(rule, beta, x));
  tn_array_t* rest = tn_rule_subtract(rule, tn_rule_constant(rule, x, 1), s);
  tn_array_t* slope = tn_rule_multiply(rule, beta, tn_rule_multiply(rule, y, rest));
  slope = tn_rule_add(rule, s, slope);
  call->out_cotangents[0] = tn_rule_multiply(rule, slope, call->cotangents[0]);
  return TN_OK;
}

TN_DEFINE(swish, .flags = TN_OP_ELEMENTWISE, .vjp = swish_vjp)
TN_LIBRARY(swish)
