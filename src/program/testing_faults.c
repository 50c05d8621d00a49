// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/testing_faults.h"

#include "device/device.h"
#include "kernel/kernel.h"

static struct {
  const tn_device_vtable_t* original;
  tn_device_vtable_t vtable;
  const char* op;
  tn_kernel_t failing;
} faults;

static tn_status_t fail(const tn_kernel_call_t* call) {
  (void)call;
  return tn_status_create(TN_CODE_DATA_LOSS, "the device failed");
}

static tn_status_t launch(tn_queue_t* queue, const tn_launch_t* given) {
  tn_launch_t changed = *given;
  if (strcmp(given->kernel->op, faults.op) == 0) {
    faults.failing = *given->kernel;
    faults.failing.run = fail;
    changed.kernel = &faults.failing;
  }
  return faults.original->launch(queue, &changed);
}

void tn__testing_fail_launches(tn_device_t* device, const char* op) {
  faults.original = device->vtable;
  faults.op = op;
  faults.vtable = *device->vtable;
  faults.vtable.launch = launch;
  device->vtable = &faults.vtable;
}
