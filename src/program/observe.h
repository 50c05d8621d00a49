// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What an observer of a run sees of each instruction.
#ifndef TENON_PROGRAM_OBSERVE_H_
#define TENON_PROGRAM_OBSERVE_H_

#include "program/activation.h"

// One instruction under way: what tn__observe_begin gives and the functions below take.
typedef struct tn_observation {
  tn_observer_t* observer;  // NULL: none
  uint32_t depth;
  int64_t begin_ns;
} tn_observation_t;

// Before an instruction. The regions of kernels run once an element and are not observed: their
// time is the kernel's. Those of control flow are, and so are functions that are called.
tn_observation_t tn__observe_begin(tn_activation_t* activation, uint32_t instruction);
// After it has returned.
void tn__observe_end(tn_activation_t* activation, tn_observation_t observation);
// When it is complete.
void tn__observe_report(const tn_activation_t* activation, uint32_t index,
                        tn_observation_t observation, bool is_asynchronous);

#endif  // TENON_PROGRAM_OBSERVE_H_
