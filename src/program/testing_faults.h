// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A device that fails in the middle of a run.
#ifndef TENON_PROGRAM_TESTING_FAULTS_H_
#define TENON_PROGRAM_TESTING_FAULTS_H_

#include <tenon/tenon.h>

// From now on launches of the operation `op` ("exponential") fail when their turn comes, with "the
// device failed". One device at a time, which is not the host.
void tn__testing_fail_launches(tn_device_t* device, const char* op);

#endif  // TENON_PROGRAM_TESTING_FAULTS_H_
