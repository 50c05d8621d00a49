// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// z = alpha * x + beta * y: an operation that lazy arrays, StableHLO programs and JAX can use.
//   cc -O3 -shared -fPIC -I <tenon>/include axpby.c -o libaxpby.so
#include <tenon/kernel.h>

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

// The kernels for a GPU: for dense arrays, and for arrays of any strides.
#define AXPBY_KERNELS(name, type, load, store, sum)                                            \
  TN_KERNEL void axpby_contiguous_##name(TN_GLOBAL const type* x, TN_GLOBAL const type* y,     \
                                         TN_GLOBAL type* z, float alpha, float beta,           \
                                         tn_i64 size) {                                        \
    const tn_i64 i = tn_item(0);                                                               \
    if (i < size) store(z, i, sum(alpha, load(x, i), beta, load(y, i)));                       \
  }                                                                                            \
  TN_KERNEL void axpby_general_##name(                                                         \
      TN_GLOBAL const type* x, TN_GLOBAL const type* y, TN_GLOBAL type* z, float alpha,        \
      float beta, tn_i64 size, int rank, tn_dims dims, tn_dims x_strides, tn_dims y_strides) { \
    const tn_i64 i = tn_item(0);                                                               \
    if (i >= size) return;                                                                     \
    const tn_i64 at_x = tn_elem_to_loc(i, rank, &dims, &x_strides);                            \
    const tn_i64 at_y = tn_elem_to_loc(i, rank, &dims, &y_strides);                            \
    store(z, i, sum(alpha, load(x, at_x), beta, load(y, at_y)));                               \
  }

#define AXPBY_SUMS                                                   \
  TN_FN float axpby_reals(float a, float x, float b, float y) {      \
    return a * x + b * y;                                            \
  }                                                                  \
  TN_FN tn_c64 axpby_complex(float a, tn_c64 x, float b, tn_c64 y) { \
    x.real = a * x.real + b * y.real;                                \
    x.imaginary = a * x.imaginary + b * y.imaginary;                 \
    return x;                                                        \
  }

// clang-format off
static const char axpby_source[] =
    TN_GPU_SOURCE(AXPBY_SUMS)
    TN_GPU_SOURCE(AXPBY_KERNELS(f32, float, tn_load_f32, tn_store_f32, axpby_reals))
    TN_GPU_SOURCE(AXPBY_KERNELS(f16, tn_f16, tn_load_f16, tn_store_f16, axpby_reals))
    TN_GPU_SOURCE(AXPBY_KERNELS(bf16, tn_bf16, tn_load_bf16, tn_store_bf16, axpby_reals))
    TN_GPU_SOURCE(AXPBY_KERNELS(c64, tn_c64, tn_load_c64, tn_store_c64, axpby_complex));
// clang-format on
static const tn_kernel_library_t axpby_kernels = TN_KERNEL_LIBRARY("axpby_kernels", axpby_source);

TN_EVAL_GPU(axpby) {
  const tn_strided_t *x = eval->operands[0], *y = eval->operands[1], *z = eval->outputs[0];
  const bool is_contiguous = x->flags & y->flags & TN_ROW_CONTIGUOUS;
  char name[64];
  snprintf(name, sizeof name, "axpby_%s_%s", is_contiguous ? "contiguous" : "general",
           tn_ffi_dtype_name(x->dtype));
  TN_TRY(tn_eval_set_kernel(eval, &axpby_kernels, name));
  TN_TRY(tn_eval_set_input_array(eval, x));
  TN_TRY(tn_eval_set_input_array(eval, y));
  TN_TRY(tn_eval_set_output_array(eval, z));
  TN_TRY(tn_eval_set_bytes(eval, &call->alpha, sizeof call->alpha));
  TN_TRY(tn_eval_set_bytes(eval, &call->beta, sizeof call->beta));
  TN_TRY(tn_eval_set_bytes(eval, &z->element_count, sizeof z->element_count));
  if (!is_contiguous) {
    const int rank = (int)z->rank;
    TN_TRY(tn_eval_set_bytes(eval, &rank, sizeof rank));
    TN_TRY(tn_eval_set_vector_bytes(eval, z->dims, z->rank));
    TN_TRY(tn_eval_set_vector_bytes(eval, x->strides, x->rank));
    TN_TRY(tn_eval_set_vector_bytes(eval, y->strides, y->rank));
  }
  return tn_eval_dispatch_threads(eval, (int64_t[]){z->element_count, 1, 1}, NULL);
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
          .print = axpby_print, .equal = axpby_equal, .eval_gpu = axpby_eval_gpu)
TN_LIBRARY(axpby)
