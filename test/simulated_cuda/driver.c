// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Devices, and their contexts.
#include "driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t sim_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_initialized;
static struct tn_cu_context_object contexts[SIM_DEVICE_COUNT];

enum { DEEPEST = 32 };
static _Thread_local tn_cu_context_t stack[DEEPEST];
static _Thread_local size_t depth;

void sim_abort(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("simulated CUDA: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

int32_t cuInit(uint32_t flags) {
  if (flags) return SIM_INVALID_VALUE;
  pthread_mutex_lock(&sim_mutex);
  is_initialized = true;
  pthread_mutex_unlock(&sim_mutex);
  return SIM_SUCCESS;
}

int32_t cuDriverGetVersion(int32_t* out_version) {
  *out_version = 12040;
  return SIM_SUCCESS;
}

int32_t cuGetErrorName(int32_t error, const char** out_name) {
  static const struct {
    int32_t error;
    const char* name;
  } names[] = {{SIM_SUCCESS, "CUDA_SUCCESS"},
               {SIM_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
               {SIM_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
               {SIM_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
               {SIM_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
               {SIM_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
               {SIM_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
               {SIM_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
               {SIM_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
               {SIM_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
               {SIM_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
               {SIM_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE"},
               {SIM_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
               {SIM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
               {SIM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
               {SIM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
               {SIM_CAPTURE_ISOLATION, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"},
               {SIM_CAPTURED_EVENT, "CUDA_ERROR_CAPTURED_EVENT"},
               {SIM_CAPTURE_WRONG_THREAD, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"}};
  *out_name = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (names[i].error == error) *out_name = names[i].name;
  }
  return *out_name ? SIM_SUCCESS : SIM_INVALID_VALUE;
}

// --- devices

uint32_t sim_architecture(void) {
  const char* text = getenv("SIMULATED_CUDA_ARCHITECTURE");
  return text ? (uint32_t)strtoul(text, NULL, 10) : 90;
}

static int32_t check_device(int32_t device) {
  if (!is_initialized) return SIM_NOT_INITIALIZED;
  return device >= 0 && device < SIM_DEVICE_COUNT ? SIM_SUCCESS : SIM_INVALID_DEVICE;
}

int32_t cuDeviceGetCount(int32_t* out_count) {
  *out_count = SIM_DEVICE_COUNT;
  return is_initialized ? SIM_SUCCESS : SIM_NOT_INITIALIZED;
}

int32_t cuDeviceGet(int32_t* out_device, int32_t number) {
  *out_device = number;
  return check_device(number);
}

int32_t cuDeviceGetName(char* out_name, int32_t byte_size, int32_t device) {
  const int32_t error = check_device(device);
  if (!error) snprintf(out_name, (size_t)byte_size, "simulated GPU %d of Tenon's tests", device);
  return error;
}

int32_t cuDeviceGetAttribute(int32_t* out_value, int32_t attribute, int32_t device) {
  enum { MAJOR = 75, MINOR = 76 };
  const int32_t error = check_device(device);
  if (error) return error;
  if (attribute != MAJOR && attribute != MINOR) return SIM_INVALID_VALUE;
  const int32_t architecture = (int32_t)sim_architecture();
  *out_value = attribute == MAJOR ? architecture / 10 : architecture % 10;
  return SIM_SUCCESS;
}

int32_t cuDeviceTotalMem_v2(size_t* out_byte_size, int32_t device) {
  *out_byte_size = (size_t)1 << 30;
  return check_device(device);
}

// --- contexts

int32_t cuDevicePrimaryCtxRetain(tn_cu_context_t* out_context, int32_t device) {
  const int32_t error = check_device(device);
  if (error) return error;
  pthread_mutex_lock(&sim_mutex);
  ++contexts[device].use_count;
  pthread_mutex_unlock(&sim_mutex);
  *out_context = &contexts[device];
  return SIM_SUCCESS;
}

// The last one destroys it.
int32_t cuDevicePrimaryCtxRelease_v2(int32_t device) {
  const int32_t error = check_device(device);
  if (error) return error;
  tn_cu_context_t context = &contexts[device];
  pthread_mutex_lock(&sim_mutex);
  if (context->use_count == 0) sim_abort("a primary context is released that nobody has");
  const bool is_last = --context->use_count == 0;
  if (is_last && context->live_count && !context->error) {
    sim_abort("a context is destroyed with %zu streams, modules and allocations in it",
              context->live_count);
  }
  if (is_last) *context = (struct tn_cu_context_object){.use_count = 0};
  pthread_mutex_unlock(&sim_mutex);
  return SIM_SUCCESS;
}

int32_t cuCtxPushCurrent_v2(tn_cu_context_t context) {
  const bool is_one = context >= contexts && context < contexts + SIM_DEVICE_COUNT;
  if (!is_initialized) return SIM_NOT_INITIALIZED;
  if (!is_one || context->use_count == 0) return SIM_INVALID_CONTEXT;
  if (depth == DEEPEST) sim_abort("contexts are pushed and not popped");
  stack[depth++] = context;
  return SIM_SUCCESS;
}

int32_t cuCtxPopCurrent_v2(tn_cu_context_t* out_context) {
  if (depth == 0) return SIM_INVALID_CONTEXT;
  *out_context = stack[--depth];
  return SIM_SUCCESS;
}

int32_t sim_context_error(tn_cu_context_t context) {
  pthread_mutex_lock(&sim_mutex);
  const int32_t error = context->error;
  pthread_mutex_unlock(&sim_mutex);
  return error;
}

int32_t sim_context(tn_cu_context_t* out_context) {
  if (!is_initialized) return SIM_NOT_INITIALIZED;
  if (depth == 0) return SIM_INVALID_CONTEXT;
  *out_context = stack[depth - 1];
  return sim_context_error(*out_context);
}

int32_t sim_context_to_wait(tn_cu_context_t* out_context) {
  const int32_t error = sim_context(out_context);
  return error ? error : sim_capture_forbids() ? SIM_CAPTURE_UNSUPPORTED : SIM_SUCCESS;
}

void sim_set_error(tn_cu_context_t context, int32_t error) {
  pthread_mutex_lock(&sim_mutex);
  if (!context->error) context->error = error;
  pthread_mutex_unlock(&sim_mutex);
}

void sim_count(tn_cu_context_t context, int change) {
  pthread_mutex_lock(&sim_mutex);
  context->live_count += (size_t)(ptrdiff_t)change;
  pthread_mutex_unlock(&sim_mutex);
}
