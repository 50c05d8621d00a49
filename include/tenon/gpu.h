// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Portable macros for GPU kernels: one source for OpenCL C and CUDA C, compiled by Tenon at the
// first launch or ahead of time by nvcc. The operation's eval_gpu chooses the kernel and binds its
// parameters (<tenon/kernel.h>).
//
//   #include <tenon/gpu.h>
//
//   TN_KERNEL void axpby_float32(TN_GLOBAL const float* x, TN_GLOBAL const float* y,
//                                TN_GLOBAL float* z, float alpha, float beta, tn_i64 size) {
//     const tn_i64 i = tn_item(0);
//     if (i < size) z[i] = alpha * x[i] + beta * y[i];
//   }
//
// The header is built in: a source that Tenon compiles needs no include path.
//
//   TN_KERNEL          a function that is launched; returns void
//   TN_FN              a function that kernels call
//   TN_GLOBAL          before the type that a pointer to the device's memory points to
//   TN_SHARED          before a variable of a kernel's outermost block: one for each group
//   TN_CONSTANT        before a table outside of functions
//
// Items are counted along dimension 0, 1 and 2; x is dimension 0. The last groups of a launch may
// have more items than there are elements: compare with the size.
//
//   tn_item(d)         this item, of all          tn_item_count(d)
//   tn_group(d)        its group                  tn_group_count(d)
//   tn_lane(d)         the item in its group      tn_group_size(d)
//   tn_barrier()       waits for the other items of the group and makes their writes visible; every
//                      item must reach it, so no condition around it may depend on the item
//
// Floats of 16 bits are computed in float: tn_load_f16(p, i), tn_store_f16(p, i, x), tn_load_bf16,
// tn_store_bf16 (rounded to nearest even), and tn_load_f32, tn_store_f32 for macros that are
// written for all. Their elements are tn_f16 and tn_bf16, in pointers only; tn_c64 has `real` and
// `imaginary`.
#ifndef TENON_GPU_H_
#define TENON_GPU_H_

// The highest rank of the arrays whose sizes and strides kernels take.
#define TN_GPU_MAX_RANK 8

// For the host there is nothing more.
#if defined(__OPENCL_VERSION__)

#define TN_KERNEL __kernel
#define TN_FN static inline
#define TN_GLOBAL __global
#define TN_SHARED __local
#define TN_CONSTANT __constant
#define tn_item(d) ((tn_i64)get_global_id(d))
#define tn_item_count(d) ((tn_i64)get_global_size(d))
#define tn_group(d) ((tn_i64)get_group_id(d))
#define tn_group_count(d) ((tn_i64)get_num_groups(d))
#define tn_lane(d) ((tn_i64)get_local_id(d))
#define tn_group_size(d) ((tn_i64)get_local_size(d))
#define tn_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

// Macros: of parameters with names of their own some drivers do not check the size.
#define tn_i8 char
#define tn_i16 short
#define tn_i32 int
#define tn_i64 long
#define tn_u8 uchar
#define tn_u16 ushort
#define tn_u32 uint
#define tn_u64 ulong
typedef half tn_f16;

#define tn_load_f16(p, i) vload_half(i, p)
#define tn_store_f16(p, i, x) vstore_half_rte(x, i, p)
#define tn_float_of_bits(bits) as_float(bits)
#define tn_bits_of_float(x) as_uint(x)

#elif defined(__CUDACC__)

#define TN_KERNEL extern "C" __global__
#define TN_FN static __device__ __forceinline__
#define TN_GLOBAL
#define TN_SHARED __shared__
#define TN_CONSTANT static __constant__
#define TN__AXIS(v, d) ((tn_i64)((d) == 0 ? v.x : (d) == 1 ? v.y : v.z))
#define tn_item(d) (tn_group(d) * tn_group_size(d) + tn_lane(d))
#define tn_item_count(d) (tn_group_count(d) * tn_group_size(d))
#define tn_group(d) TN__AXIS(blockIdx, d)
#define tn_group_count(d) TN__AXIS(gridDim, d)
#define tn_lane(d) TN__AXIS(threadIdx, d)
#define tn_group_size(d) TN__AXIS(blockDim, d)
#define tn_barrier() __syncthreads()

typedef signed char tn_i8;
typedef short tn_i16;
typedef int tn_i32;
typedef long long tn_i64;
typedef unsigned char tn_u8;
typedef unsigned short tn_u16;
typedef unsigned int tn_u32;
typedef unsigned long long tn_u64;
typedef struct tn_f16 {
  tn_u16 bits;
} tn_f16;

#define tn_float_of_bits(bits) __uint_as_float(bits)
#define tn_bits_of_float(x) __float_as_uint(x)

#ifdef __CUDA_ARCH__
TN_FN float tn_load_f16(const tn_f16* p, tn_i64 i) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(p[i].bits));
  return x;
}
TN_FN void tn_store_f16(tn_f16* p, tn_i64 i, float x) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(p[i].bits) : "f"(x));
}
#else  // the host's part of a compilation, and what takes the place of a GPU
TN_FN float tn_load_f16(const tn_f16* p, tn_i64 i) {
  const tn_u32 x = p[i].bits, sign = (x & 0x8000) << 16, exponent = x >> 10 & 31, digits = x & 1023;
  if (exponent == 31) return tn_float_of_bits(sign | 0x7f800000 | digits << 13);
  if (exponent) return tn_float_of_bits(sign | (exponent + 112) << 23 | digits << 13);
  return tn_float_of_bits(sign | tn_bits_of_float(digits * 5.9604644775390625e-8f));
}
TN_FN void tn_store_f16(tn_f16* p, tn_i64 i, float x) {
  const tn_u32 bits = tn_bits_of_float(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  tn_u32 half = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
  if (size < 0x38800000) half = (tn_u32)rintf(tn_float_of_bits(size) * 16777216.0f);
  if (size >= 0x477ff000) half = 0x7c00;
  if (size > 0x7f800000) half = 0x7e00 | (size >> 13 & 1023);
  p[i].bits = (tn_u16)(sign | half);
}
#endif

#endif

#ifdef TN_KERNEL

typedef struct tn_bf16 {
  tn_u16 bits;
} tn_bf16;
typedef struct tn_c64 {
  float real, imaginary;
} tn_c64;

#define tn_load_f32(p, i) ((p)[i])
#define tn_store_f32(p, i, x) ((p)[i] = (x))
#define tn_load_c64(p, i) ((p)[i])
#define tn_store_c64(p, i, x) ((p)[i] = (x))
#define tn_load_bf16(p, i) tn_float_of_bits((tn_u32)(p)[i].bits << 16)
#define tn_store_bf16(p, i, x) ((p)[i].bits = tn_bf16_bits(x))
TN_FN tn_u16 tn_bf16_bits(float x) {
  const tn_u32 bits = tn_bits_of_float(x);
  if (x != x) return (tn_u16)(bits >> 16 | 64);  // NaN stays NaN
  return (tn_u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Sizes or strides of an array, as tn_eval_set_vector_bytes passes them; what is behind the last
// one is 0.
typedef struct tn_dims {
  tn_i64 at[TN_GPU_MAX_RANK];
} tn_dims;

// Where element `i` of an array is, counted in row-major order, in elements from the first one.
TN_FN tn_i64 tn_elem_to_loc(tn_i64 i, int rank, const tn_dims* dims, const tn_dims* strides) {
  tn_i64 location = 0;
  for (int d = rank - 1; d >= 0; --d) {
    location += i % dims->at[d] * strides->at[d];
    i /= dims->at[d];
  }
  return location;
}

#endif  // TN_KERNEL

#endif  // TENON_GPU_H_
