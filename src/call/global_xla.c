// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/global_xla.h"

#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))

static _Atomic(const void*) current_api;

EXPORT void tn__global_set_api(const void* api) {
  atomic_store(&current_api, api);
}

EXPORT const void* XLA_FFI_GetApi(void) {
  return atomic_load(&current_api);
}

// xla::ffi::GetXlaFfiApi(), by which C++ calls the same.
EXPORT const void* tn__global_get_xla_ffi_api(void) __asm__("_ZN3xla3ffi12GetXlaFfiApiEv");
EXPORT const void* tn__global_get_xla_ffi_api(void) {
  return XLA_FFI_GetApi();
}

// Loaded kernels look for the setters of custom_call_status.c, too. Of an archive only those files
// are linked that others refer to.
__attribute__((used)) static void (*const kept)(XlaCustomCallStatus*) =
    XlaCustomCallStatusSetSuccess;

static _Atomic(tn_global_register_fn) current_register;

EXPORT void tn__global_set_register(tn_global_register_fn function) {
  atomic_store(&current_register, function);
}

// A program that links Tenon statically has registry.c's.
#ifndef TN_STATIC
EXPORT void tn_target_register_at_start(const char* name, const char* platform,
                                        tn_target_function_t function) {
  tn_global_register_fn add = atomic_load(&current_register);
  if (add) add(name, platform, function);
}
#endif
