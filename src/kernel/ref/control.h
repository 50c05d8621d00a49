// Control flow: loops and branches over the instruction's regions.
#ifndef TENON_KERNEL_REF_CONTROL_H_
#define TENON_KERNEL_REF_CONTROL_H_

#include "kernel/kernel.h"

tn_status_t tn__k_while_run(const tn_kernel_call_t* call);
tn_status_t tn__k_if_run(const tn_kernel_call_t* call);
tn_status_t tn__k_case_prepare(tn_kernel_site_t* site);
tn_status_t tn__k_case_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_REF_CONTROL_H_
