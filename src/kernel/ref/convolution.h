// convolution, with everything that it can have.
#ifndef TENON_KERNEL_REF_CONVOLUTION_H_
#define TENON_KERNEL_REF_CONVOLUTION_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__ref_convolution_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_convolution_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_REF_CONVOLUTION_H_
