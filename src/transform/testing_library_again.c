// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// `add` and `negate` as an author of another library writes them.
#include <tenon/custom.h>
#include <tenon/operation.h>

#define ADD_AGAIN(ARG, ATTR, RET)  \
  ARG(x, of(f32), any_rank)        \
  ARG(y, dtype_of(x), shape_of(x)) \
  ATTR(fails_at, float, -1e30f)    \
  RET(z, dtype_of(x), shape_of(x))

TN_OP(add_again, ADD_AGAIN, "z = x + y") {
  const int64_t n = tn_size(call->x);
  const float *x = call->x.data, *y = call->y.data;
  float* z = call->z.data;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] == call->fails_at) return TN_ERROR(call, OUT_OF_RANGE, "x is %g", (double)x[i]);
    z[i] = x[i] + y[i];
  }
  return TN_OK;
}

static tn_status_t add_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  (void)rule;
  for (size_t i = 0; i < call->argnum_count; ++i) call->out_cotangents[i] = call->cotangents[0];
  return TN_OK;
}

static tn_status_t add_jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] =
      call->argnum_count == 2 ? tn_rule_rebind(rule, call->tangents) : call->tangents[0];
  return TN_OK;
}

TN_DEFINE(add_again, .flags = TN_OP_ELEMENTWISE, .vjp = add_vjp, .jvp = add_jvp)

#define NEGATE_AGAIN(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))

// Without a definition.
TN_OP(negate_again, NEGATE_AGAIN, "y = -x") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = -call->x.data[i];
  return TN_OK;
}

TN_LIBRARY(add_again, negate_again)
