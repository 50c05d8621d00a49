// gather: windows of the operand, at positions that arrive as data.
#ifndef TENON_KERNEL_GATHER_SCATTER_GATHER_H_
#define TENON_KERNEL_GATHER_SCATTER_GATHER_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_gather_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_gather_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_GATHER_SCATTER_GATHER_H_
