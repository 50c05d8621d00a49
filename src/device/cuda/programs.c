// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From source to modules.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/code_text.h"
#include "device/cuda/cuda_device.h"
#include "device/disk_cache.h"
#include "device/kernel_file.h"
#include "kernel/gpu/prelude.h"

static tn_status_t nvrtc_status(const tn_cuda_device_t* device, const char* function,
                                int32_t error) {
  if (error == TN_CU_SUCCESS) return TN_OK;
  return tn_status_create(TN_CODE_INTERNAL, "%s: %s (%d)", function,
                          device->nvrtc->GetErrorString(error), (int)error);
}
#define NVRTC_CALL(device, function, ...) \
  nvrtc_status(device, "nvrtc" #function, (device)->nvrtc->function(__VA_ARGS__))

// A compiler that does not know the GPU makes PTX for the newest that it knows, from which the
// driver compiles.
tn_status_t tn__cuda_choose_architecture(tn_cuda_device_t* device) {
  const int32_t here = device->major * 10 + device->minor;
  int32_t count = 0, best = 0, known[128];
  TN_RETURN_IF_ERROR(NVRTC_CALL(device, GetNumSupportedArchs, &count));
  if (count > (int32_t)(sizeof known / sizeof *known)) {
    return tn_status_create(TN_CODE_INTERNAL, "NVRTC knows %d architectures", (int)count);
  }
  TN_RETURN_IF_ERROR(NVRTC_CALL(device, GetSupportedArchs, known));
  for (int32_t i = 0; i < count; ++i) {
    if (known[i] <= here && known[i] > best) best = known[i];
  }
  if (!best) {
    int32_t major = 0, minor = 0;
    device->nvrtc->Version(&major, &minor);
    return tn_status_create(TN_CODE_UNAVAILABLE,
                            "device %s has compute capability %d.%d; NVRTC %d.%d compiles for no "
                            "such device",
                            device->discrete.base.name, (int)device->major, (int)device->minor,
                            (int)major, (int)minor);
  }
  snprintf(device->architecture, sizeof device->architecture, "%s_%d",
           best == here ? "sm" : "compute", (int)best);
  return TN_OK;
}

static bool makes_ptx(const tn_cuda_device_t* device) {
  return *device->architecture == 'c';
}

// With what the compiler said.
static tn_status_t explain(const tn_cuda_device_t* device, tn_nvrtc_program_t program,
                           const tn_device_code_t* code) {
  size_t size = 0;
  device->nvrtc->GetProgramLogSize(program, &size);
  char* log = calloc(1, size + 1);
  if (log) device->nvrtc->GetProgramLog(program, log);
  tn_status_t status = tn__code_error(code, device->discrete.base.name, log);
  free(log);
  return status;
}

// a * b + c is two operations.
#define OPTIONS "--fmad=false", "--disable-warnings"

static tn_status_t translate(const tn_cuda_device_t* device, const tn_device_code_t* code,
                             tn_nvrtc_program_t program) {
  char architecture[48];
  const char* const options[] = {architecture, OPTIONS};
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", device->architecture);
  const int32_t error =
      device->nvrtc->CompileProgram(program, (int32_t)(sizeof options / sizeof *options), options);
  return error == TN_NVRTC_COMPILATION ? explain(device, program, code)
                                       : nvrtc_status(device, "nvrtcCompileProgram", error);
}

// The caller frees the binary, also after an error.
static tn_status_t read_binary(const tn_cuda_device_t* device, tn_nvrtc_program_t program,
                               char** out_binary, size_t* out_size) {
  const bool is_ptx = makes_ptx(device);
  TN_RETURN_IF_ERROR(is_ptx ? NVRTC_CALL(device, GetPTXSize, program, out_size)
                            : NVRTC_CALL(device, GetCUBINSize, program, out_size));
  *out_binary = malloc(*out_size + 1);
  if (!*out_binary) return tn__status_out_of_memory();
  return is_ptx ? NVRTC_CALL(device, GetPTX, program, *out_binary)
                : NVRTC_CALL(device, GetCUBIN, program, *out_binary);
}

static tn_status_t compile_text(const tn_cuda_device_t* device, const tn_device_code_t* code,
                                const char* text, char** out_binary, size_t* out_size) {
  tn_nvrtc_program_t program = NULL;
  TN_RETURN_IF_ERROR(
      NVRTC_CALL(device, CreateProgram, &program, text, code->operation, 0, NULL, NULL));
  tn_status_t status = translate(device, code, program);
  if (!status) status = read_binary(device, program, out_binary, out_size);
  device->nvrtc->DestroyProgram(&program);
  return status;
}

// All that the binary depends on, in front of the text.
static char* key_of(const tn_cuda_device_t* device, const char* text) {
  static const char* const options[] = {OPTIONS};
  const size_t size = strlen(text) + 160;
  int32_t major = 0, minor = 0, driver = 0;
  char* key = malloc(size);
  device->nvrtc->Version(&major, &minor);
  device->cuda->DriverGetVersion(&driver);
  if (key) {
    snprintf(key, size, "%s %s %s nvrtc %d.%d driver %d\n%s", device->architecture, options[0],
             options[1], (int)major, (int)minor, (int)driver, text);
  }
  return key;
}

static tn_status_t make_binary(const tn_cuda_device_t* device, const tn_device_code_t* code,
                               char** out_binary) {
  const char* folder = device->discrete.base.context->environment.cache_folder;
  tn_status_t status = TN_OK;
  char* text = NULL;
  size_t size = 0;
  TN_RETURN_IF_ERROR(tn__code_text(code, tn__gpu_prelude_cuda, &text));
  char* key = key_of(device, text);
  if (!key || !tn__disk_cache_read(folder, key, out_binary, &size)) {
    status = compile_text(device, code, text, out_binary, &size);
    if (!status && key) tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, key, *out_binary, size);
  }
  free(key);
  free(text);
  return status;
}

// What nvcc made of a library, where it did. NULL: it is not there, is for other GPUs, or the
// driver does not take it; the source is then.
static tn_cu_module_t load_file(tn_cuda_device_t* device, const char* file) {
  tn_cu_module_t module = NULL;
  char* binary = NULL;
  size_t size = 0;
  tn_status_t status = tn__kernel_file_read(file, TN_KERNEL_FILE_CUDA, &binary, &size);
  if (!status) status = TN_CUDA_CHECK(device, ModuleLoadDataEx, &module, binary, 0, NULL, NULL);
  free(binary);
  tn_status_release(status);
  return module;
}

tn_status_t tn__cuda_compile(void* user, const tn_device_code_t* code, void** out_program) {
  tn_cuda_device_t* device = user;
  tn_cu_module_t module = code->file ? load_file(device, code->file) : NULL;
  char* binary = NULL;
  *out_program = module;
  if (module) return TN_OK;
  tn_status_t status = make_binary(device, code, &binary);
  if (!status) status = TN_CUDA_CHECK(device, ModuleLoadDataEx, &module, binary, 0, NULL, NULL);
  free(binary);
  *out_program = module;
  return status;
}

void tn__cuda_release(void* user, void* program) {
  const tn_cuda_device_t* device = user;
  if (!tn__cuda_enter_to_free(device)) return;
  device->cuda->ModuleUnload(program);
  tn__cuda_leave(device);
}

#undef NVRTC_CALL
#undef OPTIONS
