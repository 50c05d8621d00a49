// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A kind of device: how to find those of a machine and how to create one.
#ifndef TENON_DEVICE_DRIVER_H_
#define TENON_DEVICE_DRIVER_H_

#include "device/device.h"

typedef struct tn_device_driver {
  const char* name;  // "cpu": devices are called "cpu:0"...
  // Calls `visit` for each device that is there, in the order of their numbers, until it returns
  // false; `*out_go_on` says whether it never did. No device is no error.
  tn_status_t (*enumerate)(tn_device_visit_fn visit, void* user, bool* out_go_on);
  // `options` is complete (fields that the caller's did not have are zero), its allocator and
  // context not NULL.
  // NOT_FOUND when there are not so many devices.
  tn_status_t (*create)(unsigned number, const tn_device_options_t* options,
                        tn_device_t** out_device);
  // Why none of the devices that are there can be used; NULL: they can be. NULL: there is no more
  // to it than enumerate.
  const char* (*refusal)(void);
} tn_device_driver_t;

#define TN_DEVICE_DRIVER(name) extern const tn_device_driver_t tn__##name##_driver;
#include "device/drivers.def"
#undef TN_DEVICE_DRIVER

#endif  // TENON_DEVICE_DRIVER_H_
