// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What stands before the source of kernels of GPUs. Tenon's own are OpenCL C in these words; CUDA
// C++ gets OpenCL's types and functions.
#ifndef TENON_KERNEL_GPU_PRELUDE_H_
#define TENON_KERNEL_GPU_PRELUDE_H_

// <tenon/gpu.h>: before all. Made of the file when Tenon is built.
extern const char tn__gpu_words[];
// Before Tenon's own kernels: what one of the languages needs, and then the words of
// ops/scalar.def.
extern const char tn__gpu_prelude_opencl[];
extern const char tn__gpu_prelude_cuda[];  // prelude_cuda.c
extern const char tn__gpu_prelude[];

#endif  // TENON_KERNEL_GPU_PRELUDE_H_
