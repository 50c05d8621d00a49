// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// fft: the four kinds, over any number of dimensions.
#ifndef TENON_KERNEL_FOURIER_FFT_H_
#define TENON_KERNEL_FOURIER_FFT_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_fft_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_fft_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_FOURIER_FFT_H_
