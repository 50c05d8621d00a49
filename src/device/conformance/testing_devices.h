// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs tests on every device of the machine. What one device is known not to do is listed with its
// reason in testing_devices.c, and nowhere else.
#ifndef TENON_DEVICE_CONFORMANCE_TESTING_DEVICES_H_
#define TENON_DEVICE_CONFORMANCE_TESTING_DEVICES_H_

#include "device/device.h"

// Each test gets a device of its own.
typedef struct tn_device_test {
  const char* name;
  void (*run)(tn_device_t* device);
} tn_device_test_t;

#define TN_DEVICE_TEST(function) \
  { #function, function }

// The program's exit status: how many tests failed.
int tn__run_device_tests(const tn_device_test_t* tests, size_t test_count);

#endif  // TENON_DEVICE_CONFORMANCE_TESTING_DEVICES_H_
