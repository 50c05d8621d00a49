// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The device that is always there: the host itself.
#ifndef TENON_DEVICE_CPU_CPU_DEVICE_H_
#define TENON_DEVICE_CPU_CPU_DEVICE_H_

#include "device/cpu/host_memory.h"
#include "device/device.h"

// NULL unless it is a CPU device. As long as the device.
tn_host_memory_t* tn__cpu_device_memory(tn_device_t* device);

#endif  // TENON_DEVICE_CPU_CPU_DEVICE_H_
