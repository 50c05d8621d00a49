// z = alpha * x + beta * y: an operation that lazy arrays, StableHLO programs and JAX can use.
//   cc -O3 -shared -fPIC -I <tenon>/include axpby.c -o libaxpby.so
#include <tenon/custom.h>
#include <tenon/operation.h>

#define AXPBY(ARG, ATTR, RET)               \
  ARG(x, of(f32, f16, bf16, c64), any_rank) \
  ARG(y, dtype_of(x), shape_of(x))          \
  ATTR(alpha, float, 1.0f, "scales x")      \
  ATTR(beta, float, 1.0f, "scales y")       \
  RET(z, dtype_of(x), shape_of(x))

// The kernel, for one dtype: buffers are dense, whatever the strides of the caller's arrays are.
#define AXPBY_LOOP(type, load, store)                                                     \
  {                                                                                       \
    const type *x = call->x.data, *y = call->y.data;                                      \
    type* z = call->z.data;                                                               \
    for (int64_t i = 0; i < n; ++i) z[i] = store(alpha * load(x[i]) + beta * load(y[i])); \
    return TN_OK;                                                                         \
  }
#define SAME(value) (value)

TN_OP(axpby, AXPBY, "z = alpha * x + beta * y, element by element") {
  const int64_t n = tn_size(call->x);
  const float alpha = call->alpha, beta = call->beta;
  switch (call->x.dtype) {
    case TN_FFI_F32: AXPBY_LOOP(float, SAME, SAME)
    case TN_FFI_F16: AXPBY_LOOP(tn_f16_t, tn_f16_to_float, tn_f16_from_float)
    case TN_FFI_BF16: AXPBY_LOOP(tn_bf16_t, tn_bf16_to_float, tn_bf16_from_float)
    default: break;
  }
  const tn_c64_t *x = call->x.data, *y = call->y.data;
  tn_c64_t* z = call->z.data;
  for (int64_t i = 0; i < n; ++i) {
    z[i].real = alpha * x[i].real + beta * y[i].real;
    z[i].imaginary = alpha * x[i].imaginary + beta * y[i].imaginary;
  }
  return TN_OK;
}

// The derivative with respect to operand 0 or 1.
static tn_array_t* scaled(const tn_rule_t* rule, size_t argnum, tn_array_t* t) {
  const double factor = tn_rule_attribute(rule, argnum == 0 ? "alpha" : "beta");
  return tn_rule_multiply(rule, tn_rule_constant(rule, t, factor), t);
}

// alpha * dx + beta * dy, or the requested one of them.
static tn_status_t axpby_jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  if (call->argnum_count == 2) {
    call->out_tangents[0] = tn_rule_rebind(rule, call->tangents);
  } else {
    call->out_tangents[0] = scaled(rule, call->argnums[0], call->tangents[0]);
  }
  return TN_OK;
}

static tn_status_t axpby_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  for (size_t i = 0; i < call->argnum_count; ++i)
    call->out_cotangents[i] = scaled(rule, call->argnums[i], call->cotangents[0]);
  return TN_OK;
}

static size_t axpby_print(const tn_rule_t* rule, char* buffer, size_t capacity) {
  const int length = snprintf(buffer, capacity, "%g * x + %g * y", tn_rule_attribute(rule, "alpha"),
                              tn_rule_attribute(rule, "beta"));
  return length > 0 ? (size_t)length : 0;
}

static bool axpby_equal(const tn_rule_t* a, const tn_rule_t* b) {
  return tn_rule_attribute(a, "alpha") == tn_rule_attribute(b, "alpha") &&
         tn_rule_attribute(a, "beta") == tn_rule_attribute(b, "beta");
}

// Elementwise: promotion, broadcasting, strides, threads and the batching rule follow from it.
TN_DEFINE(axpby, .flags = TN_OP_ELEMENTWISE, .jvp = axpby_jvp, .vjp = axpby_vjp,
          .print = axpby_print, .equal = axpby_equal)
TN_LIBRARY(axpby)
