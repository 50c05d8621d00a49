// From source to modules.
#include <stdio.h>
#include <stdlib.h>

#include "device/code_text.h"
#include "device/cuda/cuda_device.h"
#include "kernel/gpu/prelude.h"

static tn_status_t nvrtc_status(const tn_cuda_device_t* device, const char* function,
                                int32_t error) {
  if (error == TN_CU_SUCCESS) return TN_OK;
  return tn_status_create(TN_CODE_INTERNAL, "%s: %s (%d)", function,
                          device->nvrtc->GetErrorString(error), (int)error);
}
#define NVRTC_CALL(device, function, ...) \
  nvrtc_status(device, "nvrtc" #function, (device)->nvrtc->function(__VA_ARGS__))

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

static tn_status_t translate(const tn_cuda_device_t* device, const tn_device_code_t* code,
                             tn_nvrtc_program_t program) {
  char architecture[48];
  // a * b + c is two operations.
  const char* const options[] = {architecture, "--fmad=false", "--disable-warnings"};
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d", (int)device->major,
           (int)device->minor);
  const int32_t error =
      device->nvrtc->CompileProgram(program, (int32_t)(sizeof options / sizeof *options), options);
  return error == TN_NVRTC_COMPILATION ? explain(device, program, code)
                                       : nvrtc_status(device, "nvrtcCompileProgram", error);
}

static tn_status_t read_binary(const tn_cuda_device_t* device, tn_nvrtc_program_t program,
                               char** out_binary) {
  size_t size = 0;
  TN_RETURN_IF_ERROR(NVRTC_CALL(device, GetCUBINSize, program, &size));
  *out_binary = malloc(size + 1);
  if (!*out_binary) return tn__status_out_of_memory();
  return NVRTC_CALL(device, GetCUBIN, program, *out_binary);
}

// The caller frees the binary, also after an error.
static tn_status_t make_binary(const tn_cuda_device_t* device, const tn_device_code_t* code,
                               char** out_binary) {
  tn_nvrtc_program_t program = NULL;
  char* text = NULL;
  TN_RETURN_IF_ERROR(tn__code_text(code, tn__gpu_prelude_cuda, &text));
  tn_status_t status =
      NVRTC_CALL(device, CreateProgram, &program, text, code->operation, 0, NULL, NULL);
  if (!status) status = translate(device, code, program);
  if (!status) status = read_binary(device, program, out_binary);
  if (program) device->nvrtc->DestroyProgram(&program);
  free(text);
  return status;
}

tn_status_t tn__cuda_compile(void* user, const tn_device_code_t* code, void** out_program) {
  tn_cuda_device_t* device = user;
  tn_cu_module_t module = NULL;
  char* binary = NULL;
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
