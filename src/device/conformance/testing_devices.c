// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/conformance/testing_devices.h"

#include "base/testing.h"

typedef struct known_failure {
  const char* platform;
  const char* test;
  const char* reason;
} known_failure_t;

static const known_failure_t known_failures[] = {
    {NULL, NULL, NULL},
};

enum { DEVICE_LIMIT = 16 };

typedef struct device_list {
  char names[DEVICE_LIMIT][32];
  size_t count;
} device_list_t;

static bool add_device(void* user, const tn_device_info_t* info) {
  device_list_t* list = user;
  assert_true(list->count < DEVICE_LIMIT);
  snprintf(list->names[list->count++], sizeof *list->names, "%s", info->name);
  return true;
}

typedef struct run {
  char title[128];
  const tn_device_test_t* test;
  const char* device_name;
} run_t;

static void run_on_device(void** state) {
  const run_t* run = *state;
  tn_device_t* device;
  TN_ASSERT_OK(tn_device_create(run->device_name, NULL, &device));
  for (const known_failure_t* known = known_failures; known->test; ++known) {
    if (strcmp(known->platform, tn_device_platform(device)) != 0) continue;
    if (strcmp(known->test, run->test->name) != 0) continue;
    print_message("known failure: %s\n", known->reason);
    tn_device_release(device);
    skip();
  }
  run->test->run(device);
  tn_device_release(device);
}

int tn__run_device_tests(const tn_device_test_t* tests, size_t test_count) {
  device_list_t devices = {.count = 0};
  tn_status_t status = tn_device_enumerate(add_device, &devices);
  size_t count = devices.count * test_count;
  run_t* runs = calloc(count + 1, sizeof *runs);
  struct CMUnitTest* list = calloc(count + 1, sizeof *list);
  if (status || !runs || !list) {
    fprintf(stderr, "no tests: %s\n", tn_status_message(status));
    tn_status_release(status);
    free(runs);
    free(list);
    return 1;
  }
  for (size_t d = 0; d < devices.count; ++d) {
    for (size_t t = 0; t < test_count; ++t) {
      run_t* run = &runs[d * test_count + t];
      *run = (run_t){.test = &tests[t], .device_name = devices.names[d]};
      snprintf(run->title, sizeof run->title, "%s: %s", devices.names[d], tests[t].name);
      list[d * test_count + t] =
          (struct CMUnitTest){.name = run->title, .test_func = run_on_device, .initial_state = run};
    }
  }
  int failed = _cmocka_run_group_tests("device", list, count, NULL, NULL);
  free(runs);
  free(list);
  return failed;
}
