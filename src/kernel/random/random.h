// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random numbers: rng_bit_generator, whose counter-based generators are XLA's bit for bit, and rng.
#ifndef TENON_KERNEL_RANDOM_RANDOM_H_
#define TENON_KERNEL_RANDOM_RANDOM_H_

#include "kernel/kernel.h"

// Threefry 2x32, 20 rounds, and Philox 4x32, 10 rounds, of Salmon, Moraes, Dror and Shaw, "Parallel
// random numbers: as easy as 1, 2, 3" (2011).
void tn__threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out_words[2]);
void tn__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out_words[4]);

TN_MUST_USE tn_status_t tn__cpu_rng_bit_generator_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_rng_bit_generator_run(const tn_kernel_call_t* call);

// Element i of the n-th drawing of a run depends on the run's id, n and i, whatever the number of
// threads.
TN_MUST_USE tn_status_t tn__cpu_rng_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_rng_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_RANDOM_RANDOM_H_
