// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/lib/cublas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/toolkit.h"

// Of the process: written once.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static tn_cublas_t functions;
static char failure[TN_TOOLKIT_REASON_SIZE];  // empty once it is loaded
static char version[64];

// CUDA's major version that the driver has; 0: there is no driver.
static int driver_major(void) {
  int32_t (*get_version)(int32_t*) = NULL;
  int32_t number = 0;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver) return 0;
  *(void**)&get_version = dlsym(driver, "cuDriverGetVersion");
  if (get_version && get_version(&number)) number = 0;
  return (int)number / 1000;
}

static bool find(void* handle, const char* soname, const char* name, void* place) {
  void* address = dlsym(handle, name);
  if (!address) snprintf(failure, sizeof failure, "%s has no %s", soname, name);
  memcpy(place, &address, sizeof address);
  return address;
}

static void note_version(const char* soname) {
  int32_t numbers[3] = {0};
  for (int32_t i = 0; i < 3; ++i) functions.GetProperty(i, &numbers[i]);
  snprintf(version, sizeof version, "%d.%d.%d (%s)", (int)numbers[0], (int)numbers[1],
           (int)numbers[2], soname);
}

static void load(void) {
  static const tn_toolkit_library_t library = {"cublas", "cublas", "CUDA's matrix products"};
  const int newest = driver_major();
  char soname[TN_TOOLKIT_SONAME_SIZE];
  if (!newest) {
    snprintf(failure, sizeof failure, "no CUDA driver");
    return;
  }
  void* handle = tn__toolkit_load(&library, newest, soname, failure);
  if (!handle) return;
  bool is_complete = true;
#define TN_CUBLAS_FUNCTION(result, name, suffix, ...) \
  is_complete = is_complete && find(handle, soname, "cublas" #name #suffix, &functions.name);
#include "kernel/lib/cublas.def"
#undef TN_CUBLAS_FUNCTION
  if (is_complete) note_version(soname);
}

const tn_cublas_t* tn__cublas(const char** out_reason) {
  pthread_once(&once, load);
  if (out_reason) *out_reason = failure;
  return *failure ? NULL : &functions;
}

const char* tn__cublas_version(const char** out_reason) {
  return tn__cublas(out_reason) ? version : NULL;
}
