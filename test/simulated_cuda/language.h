// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What CUDA's compiler knows by itself, as far as kernels use it; included before a kernel's
// source.
#include "kernel.h"

#define __CUDACC__
#define __global__ __attribute__((sim_kernel))  // which nvrtc.c looks for
#define __device__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __shared__ static __thread  // blocks run one after the other on the thread of a stream

static __thread sim_dims_t threadIdx, blockIdx, blockDim, gridDim;
static __thread sim_block_t* sim_current;

static inline void __syncthreads() {
  const sim_dims_t mine = threadIdx;
  sim_current->barrier(sim_current);
  threadIdx = mine;
}

static inline unsigned __float_as_uint(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float __uint_as_float(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
static inline int __float_as_int(float x) {
  return (int)__float_as_uint(x);
}
static inline long long __double_as_longlong(double x) {
  long long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline double __longlong_as_double(long long bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
static inline int __clz(unsigned x) {
  return x ? __builtin_clz(x) : 32;
}
static inline int __clzll(unsigned long long x) {
  return x ? __builtin_clzll(x) : 64;
}
static inline long long __mul64hi(long long x, long long y) {
  return (long long)((__int128)x * y >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)((unsigned __int128)x * y >> 64);
}

#define SIM_OVERLOAD_1(name)            \
  static inline double name(double x) { \
    return __builtin_##name(x);         \
  }                                     \
  static inline float name(float x) {   \
    return __builtin_##name##f(x);      \
  }
#define SIM_OVERLOAD_2(name)                      \
  static inline double name(double x, double y) { \
    return __builtin_##name(x, y);                \
  }                                               \
  static inline float name(float x, float y) {    \
    return __builtin_##name##f(x, y);             \
  }
SIM_OVERLOAD_1(fabs)
SIM_OVERLOAD_1(acos)
SIM_OVERLOAD_1(acosh)
SIM_OVERLOAD_1(asin)
SIM_OVERLOAD_1(asinh)
SIM_OVERLOAD_1(atan)
SIM_OVERLOAD_1(atanh)
SIM_OVERLOAD_1(cbrt)
SIM_OVERLOAD_1(ceil)
SIM_OVERLOAD_1(cos)
SIM_OVERLOAD_1(cosh)
SIM_OVERLOAD_1(erf)
SIM_OVERLOAD_1(erfc)
SIM_OVERLOAD_1(exp)
SIM_OVERLOAD_1(expm1)
SIM_OVERLOAD_1(floor)
SIM_OVERLOAD_1(lgamma)
SIM_OVERLOAD_1(log)
SIM_OVERLOAD_1(log1p)
SIM_OVERLOAD_1(rint)
SIM_OVERLOAD_1(round)
SIM_OVERLOAD_1(sin)
SIM_OVERLOAD_1(sinh)
SIM_OVERLOAD_1(sqrt)
SIM_OVERLOAD_1(tan)
SIM_OVERLOAD_1(tanh)
SIM_OVERLOAD_1(trunc)
static inline float rintf(float x) {
  return rint(x);
}
SIM_OVERLOAD_2(atan2)
SIM_OVERLOAD_2(copysign)
SIM_OVERLOAD_2(fmod)
SIM_OVERLOAD_2(hypot)
SIM_OVERLOAD_2(pow)
static inline double rsqrt(double x) {
  return 1 / sqrt(x);
}
static inline float rsqrt(float x) {
  return (float)(1 / sqrt((double)x));
}
static inline double fma(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
static inline float fma(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
template <class V>
static inline bool isinf(V x) {
  return __builtin_isinf(x);
}
template <class V>
static inline bool isnan(V x) {
  return x != x;
}
template <class V>
static inline bool signbit(V x) {
  return __builtin_signbit(x);
}
template <class V>
static inline V min(V x, V y) {
  return y < x ? y : x;
}
template <class V>
static inline V max(V x, V y) {
  return x < y ? y : x;
}

// --- from the driver's arguments to a call

template <class V>
struct sim_argument {
  static V read(sim_block_t*, void* place) { return *(V*)place; }
};
template <class V>
struct sim_argument<V*> {
  static V* read(sim_block_t* block, void* place) {
    return (V*)block->translate(block, *(void**)place);
  }
};

template <class... A>
struct sim_list {};

template <auto kernel, class... A>
static void sim_call(sim_block_t* block, void**, sim_list<>, A... arguments) {
  blockIdx = block->block_index;
  blockDim = block->block_dims;
  gridDim = block->grid_dims;
  sim_current = block;
  while (!block->has_failed && block->next_thread < block->thread_count) {
    const uint32_t thread = block->next_thread++;
    threadIdx.x = thread % blockDim.x;
    threadIdx.y = thread / blockDim.x % blockDim.y;
    threadIdx.z = thread / blockDim.x / blockDim.y;
    kernel(arguments...);
  }
}
template <auto kernel, class First, class... Rest, class... A>
static void sim_call(sim_block_t* block, void** parameters, sim_list<First, Rest...>,
                     A... arguments) {
  sim_call<kernel>(block, parameters + 1, sim_list<Rest...>(), arguments...,
                   sim_argument<First>::read(block, *parameters));
}

template <auto kernel, class F = decltype(kernel)>
struct sim_entry;
template <auto kernel, class... A>
struct sim_entry<kernel, void (*)(A...)> {
  static constexpr uint32_t count = sizeof...(A);
  static constexpr uint32_t sizes[] = {sizeof(A)..., 0};
  static void run(sim_block_t* block, void** parameters) {
    sim_call<kernel>(block, parameters, sim_list<A...>());
  }
};

template <auto kernel>
static constexpr sim_kernel_t sim_kernel_of() {
  return {sim_entry<kernel>::count, sim_entry<kernel>::sizes, sim_entry<kernel>::run};
}
