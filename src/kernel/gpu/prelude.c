// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The texts are in the language of kernels; only their directives are written as strings.
#include "kernel/gpu/prelude.h"

#define LINE(text) text "\n"
#define CODE(...) #__VA_ARGS__ "\n"

// clang-format off
// a * b + c is two operations.
const char tn__gpu_prelude_opencl[] = LINE("#pragma OPENCL FP_CONTRACT OFF")
    LINE("#define UNROLL")
    LINE("#define RESTRICT restrict");

const char tn__gpu_prelude[] =
    // Elements in memory. f16 and bf16 are computed in float; AS(x) is what memory would give of x.
    LINE("#define LOAD(p, i) ((p)[i])")
    LINE("#define STORE(p, i, x) ((p)[i] = (x))")
    LINE("#define LOAD_F16(p, i) tn_load_f16(p, i)")
    LINE("#define STORE_F16(p, i, x) tn_store_f16(p, i, x)")
    LINE("#define LOAD_BF16(p, i) as_float((uint)(p)[i] << 16)")
    LINE("#define STORE_BF16(p, i, x) ((p)[i] = tn_to_bf16(x))")
    CODE(TN_FN ushort tn_to_bf16(float x) {
      const uint bits = as_uint(x);
      if (x != x) return (ushort)(bits >> 16 | 64);
      return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    })
    CODE(TN_FN float tn_as_f16(float x) {
      ushort bits;
      tn_store_f16((tn_f16*)&bits, 0, x);
      return tn_load_f16((tn_f16*)&bits, 0);
    })
    LINE("#define AS(x) (x)")
    LINE("#define AS_F16(x) tn_as_f16(x)")
    LINE("#define AS_BF16(x) as_float((uint)tn_to_bf16(x) << 16)")

    // Of integers of any dtype. Beyond the largest one it is that.
    LINE("#define INDEX(x) ((long)(x))")
    LINE("#define INDEX_U64(x) ((x) >> 63 ? 0x7fffffffffffffffL : (long)(x))")

    // Integers of T, which is BITS wide, UNSIGNED and SIGNED.
    LINE("#define ALL_ONES (T)(-1)")
    LINE("#define WIDE(x) ((ulong)(x))")
    LINE("#define NOT(x) (BITS == 1 ? !(x) : ~(x))")
    LINE("#define IS_NEGATIVE(x) ((x) < 0)")
    LINE("#define POPCNT(x) popcount((UNSIGNED)(x))")
    LINE("#define LEADING_ZEROS(x) clz((UNSIGNED)(x))")
    LINE("#define IS_MINUS_ONE(x) ((T)(-1) < 0 && (x) == (T)(-1))")
    LINE("#define QUOTIENT(x, y) (IS_MINUS_ONE(y) ? (T)(0 - WIDE(x)) : (T)((x) / (y)))")
    LINE("#define REST(x, y) (IS_MINUS_ONE(y) ? (T)0 : (T)((x) % (y)))")
    LINE("#define UPPER_PRODUCT(x, y) mul_hi(x, y)")
    LINE("#define IS_TOO_FAR(y) ((ulong)(UNSIGNED)(y) >= BITS)")
    LINE("#define SHIFT_LEFT(x, y) "
         "(IS_TOO_FAR(y) ? (UNSIGNED)0 : (UNSIGNED)((UNSIGNED)(x) << (y)))")
    LINE("#define SHIFT_RIGHT_LOGICAL(x, y) "
         "(IS_TOO_FAR(y) ? (UNSIGNED)0 : (UNSIGNED)((UNSIGNED)(x) >> (y)))")
    LINE("#define SHIFT_RIGHT_ARITHMETIC(x, y) ((SIGNED)(x) >> (IS_TOO_FAR(y) ? BITS - 1 : (y)))")
    LINE("#define INTEGER_POWER(x, y) "
         "(T)tn_power(WIDE(x), WIDE(y), (y) < 0, (x) == 1, IS_MINUS_ONE(x))")
    CODE(TN_FN ulong tn_power(ulong x, ulong y, int is_negative, int is_one, int is_minus_one) {
      ulong result = 1;
      if (is_one) return 1;
      if (is_minus_one) return y & 1 ? (ulong)(-1) : 1;
      if (is_negative) return 0;
      for (; y; y >>= 1, x *= x) result *= y & 1 ? x : 1;
      return result;
    })

    // Reals.
    LINE("#define EXACT(x) (x)")
    LINE("#define ABS(x) fabs(x)")
    LINE("#define ACOS(x) acos(x)")
    LINE("#define ACOSH(x) acosh(x)")
    LINE("#define ASIN(x) asin(x)")
    LINE("#define ASINH(x) asinh(x)")
    LINE("#define ATAN(x) atan(x)")
    LINE("#define ATAN2(x, y) atan2(x, y)")
    LINE("#define ATANH(x) atanh(x)")
    LINE("#define CBRT(x) cbrt(x)")
    LINE("#define CEIL(x) ceil(x)")
    LINE("#define COS(x) cos(x)")
    LINE("#define COSH(x) cosh(x)")
    LINE("#define ERF(x) erf(x)")
    // CUDA's erfc is 2 ulp off near 0.
    LINE("#define ERFC(x) (2 * fabs(x) < 1 ? 1 - erf(x) : erfc(x))")
    LINE("#define EXP(x) exp(x)")
    LINE("#define EXPM1(x) expm1(x)")
    LINE("#define FLOOR(x) floor(x)")
    LINE("#define FMOD(x, y) fmod(x, y)")
    LINE("#define LGAMMA(x) lgamma(x)")
    LINE("#define LOG(x) log(x)")
    LINE("#define LOG1P(x) log1p(x)")
    LINE("#define LOGISTIC(x) (1 / (1 + exp(-(x))))")
    LINE("#define POW(x, y) pow(x, y)")
    LINE("#define RINT(x) rint(x)")
    LINE("#define ROUND(x) round(x)")
    // Both are rounded correctly, as rsqrt is not.
    LINE("#define RSQRT(x) (1 / sqrt(x))")
    LINE("#define SIN(x) sin(x)")
    LINE("#define SINH(x) sinh(x)")
    LINE("#define SQRT(x) sqrt(x)")
    LINE("#define TAN(x) tan(x)")
    LINE("#define TANH(x) tanh(x)")

    // NaN wins; -0 is below +0. New GPUs of CUDA have an instruction for floats.
    LINE("#define GREATER(x, y) ((x) != (x) ? (x) : (y) != (y) ? (y) : "
         "(x) == (y) ? (signbit(x) ? (y) : (x)) : (x) > (y) ? (x) : (y))")
    LINE("#define LESSER(x, y) ((x) != (x) ? (x) : (y) != (y) ? (y) : "
         "(x) == (y) ? (signbit(x) ? (x) : (y)) : (x) < (y) ? (x) : (y))")
    LINE("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800")
    LINE("#define MAXIMUM(x, y) tn_maximum(x, y)")
    LINE("#define MINIMUM(x, y) tn_minimum(x, y)")
    LINE("TN_FN double tn_maximum(double x, double y) { return GREATER(x, y); }")
    LINE("TN_FN double tn_minimum(double x, double y) { return LESSER(x, y); }")
    LINE("TN_FN float tn_maximum(float x, float y) {")
    LINE("  asm(\"max.NaN.f32 %0, %1, %2;\" : \"=f\"(x) : \"f\"(x), \"f\"(y));")
    LINE("  return x;\n}")
    LINE("TN_FN float tn_minimum(float x, float y) {")
    LINE("  asm(\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(x) : \"f\"(x), \"f\"(y));")
    LINE("  return x;\n}")
    LINE("#else")
    LINE("#define MAXIMUM(x, y) GREATER(x, y)")
    LINE("#define MINIMUM(x, y) LESSER(x, y)")
    LINE("#endif")

    // Integers in the total order of floats; and where zeros are equal, and NaNs, above all else.
    LINE("#define ORDER_F32(x) (as_int(x) ^ (as_int(x) >> 31 & 0x7fffffff))")
    LINE("#define ORDER_F64(x) (as_long(x) ^ (as_long(x) >> 63 & 0x7fffffffffffffffL))")
    LINE("#define KEY_F32(x) ((x) != (x) ? 0x7fffffff : ORDER_F32((x) == 0 ? (float)0 : (x)))")
    LINE("#define KEY_F64(x) "
         "((x) != (x) ? 0x7fffffffffffffffL : ORDER_F64((x) == 0 ? (double)0 : (x)))")

    // Toward zero, saturating, NaN to 0.
    LINE("#define TO_INTEGER(x, convert) ((x) != (x) ? 0 : convert(x))");
// clang-format on

#undef LINE
#undef CODE
