// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/opencl/opencl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/linux/cores.h"

static const char soname[] = "libOpenCL.so.1";

// Of the process: written once.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static tn_opencl_t functions;
static char reason[96];

static bool find(void* handle, const char* name, void* place) {
  void* address = dlsym(handle, name);
  if (!address) snprintf(reason, sizeof reason, "%s has no %s", soname, name);
  memcpy(place, &address, sizeof address);
  return address;
}

static void load(void) {
  if (!tn__cores_are_described()) {  // PoCL ends the process then
    snprintf(reason, sizeof reason, "/sys is not mounted, which drivers of OpenCL need");
    return;
  }
  void* handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(reason, sizeof reason, "%s was not found (Debian: ocl-icd-libopencl1)", soname);
    return;
  }
  bool is_complete = true;
#define TN_OPENCL_FUNCTION(result, name, ...) \
  is_complete = is_complete && find(handle, "cl" #name, &functions.name);
#include "device/opencl/functions.def"
#undef TN_OPENCL_FUNCTION
  if (!is_complete) dlclose(handle);
}

const tn_opencl_t* tn__opencl_load(const char** out_reason) {
  pthread_once(&once, load);
  *out_reason = reason;
  return *reason ? NULL : &functions;
}

static const char* name_of(int32_t error) {
  switch (error) {
#define TN_OPENCL_ERROR(number, name) \
  case number:                        \
    return #name;
#include "device/opencl/errors.def"
#undef TN_OPENCL_ERROR
    default: return "an unknown error";
  }
}

tn_status_t tn__opencl_status(const char* function, int32_t error) {
  const bool is_memory = error == -4 || error == -5 || error == -6;
  if (error == TN_CL_SUCCESS) return TN_OK;
  return tn_status_create(is_memory ? TN_CODE_RESOURCE_EXHAUSTED : TN_CODE_INTERNAL, "%s: %s (%d)",
                          function, name_of(error), (int)error);
}
