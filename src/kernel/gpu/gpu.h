// What the kernels of GPUs share. They are source, made when a program is compiled, of the dtypes
// and of how operands are read; sizes and strides are arguments, so that one kernel serves all.
#ifndef TENON_KERNEL_GPU_GPU_H_
#define TENON_KERNEL_GPU_GPU_H_

#include "kernel/encoder.h"
#include "kernel/kernel.h"

enum { TN_GPU_MOST_OPERANDS = 3, TN_GPU_MOST_DIMS = 8 };

// A dtype in the kernels' language.
typedef struct tn_gpu_dtype {
  const char* memory;  // the type of its elements
  const char* value;   // what they are computed in
  const char *unsigned_value, *signed_value;
  int bits;
  const char* suffix;  // of LOAD and STORE
} tn_gpu_dtype_t;
// NULL: GPUs do not compute it.
const tn_gpu_dtype_t* tn__gpu_dtype(tn_dtype_t dtype);

// scalar.c: what the operation computes of the values a, b and c, as source; NULL: it has none.
const char* tn__gpu_expression(const tn_op_use_t* use);

// elementwise.c: operations with a result for each element of their operands, or a copy of one.
bool tn__gpu_map_supports(const tn_op_use_t* use);
bool tn__gpu_view_supports(const tn_op_use_t* use);
bool tn__gpu_map_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
TN_MUST_USE tn_status_t tn__gpu_map_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_view_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__gpu_map_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_GPU_GPU_H_
