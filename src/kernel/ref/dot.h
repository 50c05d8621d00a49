// dot_general and dot: products over any dimensions, of any dtypes.
#ifndef TENON_KERNEL_REF_DOT_H_
#define TENON_KERNEL_REF_DOT_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__ref_dot_general_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_dot_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__ref_dot_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_REF_DOT_H_
