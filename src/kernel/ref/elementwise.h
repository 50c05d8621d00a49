// Kernels whose result element i depends on element i of the operands alone. Columns of
// kernels.def.
#ifndef TENON_KERNEL_REF_ELEMENTWISE_H_
#define TENON_KERNEL_REF_ELEMENTWISE_H_

#include "kernel/kernel.h"

bool tn__k_convert_supports(const tn_op_use_t* use);
tn_status_t tn__k_convert_prepare(tn_kernel_site_t* site);
tn_status_t tn__k_convert_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_REF_ELEMENTWISE_H_
