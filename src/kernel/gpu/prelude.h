// What stands before the source of every kernel of a GPU: the words of its language that differ,
// and those of ops/scalar.def.
#ifndef TENON_KERNEL_GPU_PRELUDE_H_
#define TENON_KERNEL_GPU_PRELUDE_H_

extern const char tn__gpu_prelude_opencl[];

#endif  // TENON_KERNEL_GPU_PRELUDE_H_
