// What stands before the source of kernels of GPUs.
#ifndef TENON_KERNEL_GPU_PRELUDE_H_
#define TENON_KERNEL_GPU_PRELUDE_H_

// <tenon/gpu.h>: before all. Made of the file when Tenon is built.
extern const char tn__gpu_words[];
// The words of ops/scalar.def: behind it, before Tenon's own kernels.
extern const char tn__gpu_prelude_opencl[];

#endif  // TENON_KERNEL_GPU_PRELUDE_H_
