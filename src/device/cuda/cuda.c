// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cuda/cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/toolkit.h"

// Of the process: written once.
static pthread_once_t once = PTHREAD_ONCE_INIT, nvrtc_once = PTHREAD_ONCE_INIT;
static tn_cuda_t functions;
static tn_nvrtc_t nvrtc_functions;
static char reason[128], nvrtc_reason[TN_TOOLKIT_REASON_SIZE];
static int32_t version;  // of CUDA that the driver has: 12040 is 12.4

// The first function that is missing is the reason.
static bool find(void* handle, const char* library, const char* name, void* place, char* why) {
  void* address = dlsym(handle, name);
  if (!address) snprintf(why, sizeof reason, "%s has no %s", library, name);
  memcpy(place, &address, sizeof address);
  return address;
}

static void start(void) {
  int32_t error = functions.Init(0);
  const char* function = "cuInit";
  if (error == TN_CU_SUCCESS) {
    error = functions.DriverGetVersion(&version);
    function = "cuDriverGetVersion";
  }
  if (error == TN_CU_SUCCESS) return;
  snprintf(reason, sizeof reason, "%s: %s (%d)", function, tn__cuda_error_name(&functions, error),
           (int)error);
}

static void load(void) {
  static const char soname[] = "libcuda.so.1";
  void* handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(reason, sizeof reason, "the CUDA driver, %s, was not found", soname);
    return;
  }
  char ignored[sizeof reason];
  bool is_complete = true;
#define TN_CUDA_FUNCTION(name, suffix, ...) \
  is_complete = is_complete && find(handle, soname, "cu" #name #suffix, &functions.name, reason);
#define TN_CUDA_OPTIONAL(name, suffix, ...) \
  (void)find(handle, soname, "cu" #name #suffix, &functions.name, ignored);
#include "device/cuda/driver.def"
#undef TN_CUDA_FUNCTION
  if (is_complete) start();
}

const tn_cuda_t* tn__cuda_load(const char** out_reason) {
  pthread_once(&once, load);
  *out_reason = reason;
  return *reason ? NULL : &functions;
}

static void load_nvrtc(void) {
  static const tn_toolkit_library_t library = {"nvrtc", "cuda_nvrtc", "CUDA's compiler"};
  char soname[TN_TOOLKIT_SONAME_SIZE];
  void* handle = tn__toolkit_load(&library, (int)version / 1000, soname, nvrtc_reason);
  if (!handle) return;
  bool is_complete = true;
#define TN_NVRTC_FUNCTION(result, name, ...) \
  is_complete =                              \
      is_complete && find(handle, soname, "nvrtc" #name, &nvrtc_functions.name, nvrtc_reason);
#include "device/cuda/nvrtc.def"
#undef TN_NVRTC_FUNCTION
}

const tn_nvrtc_t* tn__nvrtc_load(const char** out_reason) {
  pthread_once(&nvrtc_once, load_nvrtc);
  *out_reason = nvrtc_reason;
  return *nvrtc_reason ? NULL : &nvrtc_functions;
}

const char* tn__cuda_error_name(const tn_cuda_t* cuda, int32_t error) {
  const char* name = NULL;
  return cuda->GetErrorName(error, &name) == TN_CU_SUCCESS && name ? name : "an unknown error";
}

tn_status_t tn__cuda_status(const tn_cuda_t* cuda, const char* function, int32_t error) {
  if (error == TN_CU_SUCCESS) return TN_OK;
  return tn_status_create(
      error == TN_CU_OUT_OF_MEMORY ? TN_CODE_RESOURCE_EXHAUSTED : TN_CODE_INTERNAL, "%s: %s (%d)",
      function, tn__cuda_error_name(cuda, error), (int)error);
}
