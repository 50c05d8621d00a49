// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// CUDA C++ with the words of OpenCL C. It needs none of CUDA's headers.
#include "kernel/gpu/prelude.h"

const char tn__gpu_prelude_cuda[] =
    "typedef unsigned char uchar;\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "typedef tn_f16 half;\n"
    "#define char signed char\n"
    // Before a loop: several loads are then under way.
    "#define UNROLL _Pragma(\"unroll 8\")\n"
    "#define RESTRICT __restrict__\n"
    "TN_FN uint as_uint(float x) { return __float_as_uint(x); }\n"
    "TN_FN int as_int(float x) { return __float_as_int(x); }\n"
    "TN_FN float as_float(uint x) { return __uint_as_float(x); }\n"
    "TN_FN long as_long(double x) { return __double_as_longlong(x); }\n"
    "TN_FN ulong as_ulong(double x) { return (ulong)__double_as_longlong(x); }\n"
    "TN_FN double as_double(ulong x) { return __longlong_as_double((long)x); }\n"
    // Integers.
    "template <class V> TN_FN int popcount(V x) { return sizeof x < 8 ? __popc(x) : __popcll(x); "
    "}\n"
    "template <class V> TN_FN int clz(V x) {\n"
    "  return sizeof x < 8 ? __clz(x) - (32 - 8 * (int)sizeof x) : __clzll(x);\n"
    "}\n"
    "TN_FN long mul_hi(long x, long y) { return __mul64hi(x, y); }\n"
    "TN_FN ulong mul_hi(ulong x, ulong y) { return __umul64hi(x, y); }\n"
    "template <class V> TN_FN V mul_hi(V x, V y) {\n"
    "  return (V)-1 < 0 ? (V)((long)x * y >> 8 * sizeof x) : (V)((ulong)x * y >> 8 * sizeof x);\n"
    "}\n"
    "template <class V> TN_FN V clamp(V x, V low, V high) { return x < low ? low : x > high ? high "
    ": x; }\n"
    // Toward zero.
    "template <class I, class V> TN_FN I tn_saturate(V x, I low, I high) {\n"
    "  return x <= (V)low ? low : x >= (V)high ? high : (I)x;\n"
    "}\n"
    "#define convert_char_sat(x) tn_saturate<char>(x, -128, 127)\n"
    "#define convert_short_sat(x) tn_saturate<short>(x, -32768, 32767)\n"
    "#define convert_int_sat(x) tn_saturate<int>(x, -2147483647 - 1, 2147483647)\n"
    "#define convert_long_sat(x) tn_saturate<long>(x, -9223372036854775807 - 1, "
    "9223372036854775807)\n"
    "#define convert_uchar_sat(x) tn_saturate<uchar>(x, 0, 255)\n"
    "#define convert_ushort_sat(x) tn_saturate<ushort>(x, 0, 65535)\n"
    "#define convert_uint_sat(x) tn_saturate<uint>(x, 0, 4294967295)\n"
    "#define convert_ulong_sat(x) tn_saturate<ulong>(x, 0, 18446744073709551615u)\n";
