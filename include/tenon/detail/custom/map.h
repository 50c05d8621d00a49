// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elementary functions over arrays: the runtime's where it has them, else loops over those of C.
#ifndef TENON_DETAIL_CUSTOM_MAP_H_
#define TENON_DETAIL_CUSTOM_MAP_H_

#include <tenon/detail/custom/floats.h>

// out[i] = function(x[i]) for n elements of a dtype, f32, f64, f16 or bf16:
//
//   tn_map(call, exp, f32, n, x, out)      exp expm1 log log1p sqrt rsqrt cbrt sin cos tan
//                                          asin acos atan sinh cosh tanh asinh acosh atanh
//                                          logistic (1 / (1 + exp(-x))) erf erfc erf_inv
//   tn_map(call, pow, f32, n, x, y, out)   pow atan2 fmod: out[i] = pow(x[i], y[i])
//
// In Tenon the results are those of the operation (exp: stablehlo.exponential), bit for bit, and as
// fast: in vectors, as exact as docs/accuracy.md says. Elsewhere they are those of the C library
// (link -lm), of floats for f16 and bf16; the source need not know.
// `out` may be x or y; other overlap is not allowed. n below 1 is nothing to do. Any alignment that
// the elements themselves have is good. NaN gives NaN (but pow(1, NaN) and pow(NaN, 0) are 1), and
// so does what is outside the domain. It runs on the calling thread and
// may be called on several: split large arrays with tn_parallel_for, handing on `call->tn`.
#define tn_map(call, function, dtype, ...) \
  (tn__each_##function##_##dtype)((call)->tn->frame->api, __VA_ARGS__)  // known, or an error

// --- what C has no function for

TN__INLINE double tn__one_rsqrt(double x) {
  return 1 / __builtin_sqrt(x);
}
TN__INLINE float tn__one_rsqrtf(float x) {
  return 1 / __builtin_sqrtf(x);
}

// The exponential of what is not positive neither overflows nor loses what is tiny.
TN__INLINE double tn__one_logistic(double x) {
  const double power = __builtin_exp(-__builtin_fabs(x));
  return (x < 0 ? power : 1) / (1 + power);
}
TN__INLINE float tn__one_logisticf(float x) {
  const float power = __builtin_expf(-__builtin_fabsf(x));
  return (x < 0 ? power : 1) / (1 + power);
}

// Winitzki's approximation, good to three digits, then Halley's steps on erf(y) = x, in the tails
// on erfc(y) = 1 - x, which is exact there.
TN__UNUSED double tn__one_erf_inv(double x) {
  const double size = __builtin_fabs(x), half_root_pi = 0.88622692545275801;
  if (!(size < 1)) return size == 1 ? x * __builtin_inf() : __builtin_nan("");
  const double w = __builtin_log((1 - size) * (1 + size)), t = 4.3307 + w / 2;
  double y = __builtin_sqrt(__builtin_sqrt(t * t - w / 0.147) - t);
  for (int step = 0; step < 3; ++step) {
    const double excess = size < 0.5 ? __builtin_erf(y) - size : (1 - size) - __builtin_erfc(y);
    const double newton = excess * half_root_pi * __builtin_exp(y * y);
    y -= newton / (1 + y * newton);
  }
  return __builtin_copysign(y, x);
}
TN__INLINE float tn__one_erf_invf(float x) {
  return (float)tn__one_erf_inv((double)x);
}

// --- the loops

// Whether the runtime has computed it.
TN__APART bool tn__map_by_api(const tn_ffi_api_t* api, int32_t function, tn_ffi_dtype_t dtype,
                              int64_t count, const void* a, const void* b, void* out) {
  for (const tn_ffi_extension_t* at = api->extension_start; at; at = at->next) {
    if (at->type != TN_FFI_MAP || at->struct_size < TN_FFI_MAP_EXTENSION_SIZE) continue;
    return ((const tn_ffi_map_extension_t*)(const void*)at)->map(function, dtype, count, a, b, out);
  }
  return false;
}

#define TN__EACH_1(name, dtype, DTYPE, ctype, value)                                            \
  TN__UNUSED void tn__each_##name##_##dtype(const tn_ffi_api_t* api, int64_t n, const ctype* x, \
                                            ctype* out) {                                       \
    if (tn__map_by_api(api, TN__FUNCTION_##name, TN_FFI_##DTYPE, n, x, NULL, out)) return;      \
    for (int64_t i = 0; i < n; ++i) out[i] = value;                                             \
  }
#define TN__EACH_2(name, dtype, DTYPE, ctype, value)                                            \
  TN__UNUSED void tn__each_##name##_##dtype(const tn_ffi_api_t* api, int64_t n, const ctype* x, \
                                            const ctype* y, ctype* out) {                       \
    if (tn__map_by_api(api, TN__FUNCTION_##name, TN_FFI_##DTYPE, n, x, y, out)) return;         \
    for (int64_t i = 0; i < n; ++i) out[i] = value;                                             \
  }
#define TN__EACH_NARROW_1(name, dtype, DTYPE, function) \
  TN__EACH_1(name, dtype, DTYPE, tn_##dtype##_t,        \
             tn_##dtype##_from_float(function(tn_##dtype##_to_float(x[i]))))
#define TN__EACH_NARROW_2(name, dtype, DTYPE, function) \
  TN__EACH_2(                                           \
      name, dtype, DTYPE, tn_##dtype##_t,               \
      tn_##dtype##_from_float(function(tn_##dtype##_to_float(x[i]), tn_##dtype##_to_float(y[i]))))
#define TN__UNARY_FUNCTION(name, operation, function)  \
  TN__EACH_1(name, f32, F32, float, function##f(x[i])) \
  TN__EACH_1(name, f64, F64, double, function(x[i]))   \
  TN__EACH_NARROW_1(name, f16, F16, function##f)       \
  TN__EACH_NARROW_1(name, bf16, BF16, function##f)
#define TN__BINARY_FUNCTION(name, operation, function)       \
  TN__EACH_2(name, f32, F32, float, function##f(x[i], y[i])) \
  TN__EACH_2(name, f64, F64, double, function(x[i], y[i]))   \
  TN__EACH_NARROW_2(name, f16, F16, function##f)             \
  TN__EACH_NARROW_2(name, bf16, BF16, function##f)
TN_FFI_UNARY_FUNCTIONS(TN__UNARY_FUNCTION)
TN_FFI_BINARY_FUNCTIONS(TN__BINARY_FUNCTION)

#endif  // TENON_DETAIL_CUSTOM_MAP_H_
