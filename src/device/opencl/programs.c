// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From source to programs.
#include <stdlib.h>
#include <string.h>

#include "device/code_text.h"
#include "device/opencl/opencl_device.h"
#include "kernel/gpu/prelude.h"

// With what the compiler said.
static tn_status_t explain(const tn_opencl_device_t* device, tn_cl_program_t program,
                           const tn_device_code_t* code) {
  const tn_opencl_t* cl = device->cl;
  size_t size = 0;
  cl->GetProgramBuildInfo(program, device->id, TN_CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char* log = calloc(1, size + 1);
  if (log) {
    cl->GetProgramBuildInfo(program, device->id, TN_CL_PROGRAM_BUILD_LOG, size, log, NULL);
  }
  tn_status_t status = tn__code_error(code, device->discrete.base.name, log);
  free(log);
  return status;
}

static tn_status_t build(const tn_opencl_device_t* device, const tn_device_code_t* code,
                         const char* text, tn_cl_program_t* out_program) {
  const tn_opencl_t* cl = device->cl;
  int32_t error = TN_CL_SUCCESS;
  tn_cl_program_t program = cl->CreateProgramWithSource(device->context, 1, &text, NULL, &error);
  TN_RETURN_IF_ERROR(tn__opencl_status("clCreateProgramWithSource", error));
  error = cl->BuildProgram(program, 1, &device->id, device->options, NULL, NULL);
  if (error == TN_CL_SUCCESS) {
    *out_program = program;
    return TN_OK;
  }
  tn_status_t status = error == TN_CL_BUILD_PROGRAM_FAILURE
                           ? explain(device, program, code)
                           : tn__opencl_status("clBuildProgram", error);
  cl->ReleaseProgram(program);
  return status;
}

tn_status_t tn__opencl_compile(void* user, const tn_device_code_t* code, void** out_program) {
  tn_cl_program_t program = NULL;
  char* text = NULL;
  TN_RETURN_IF_ERROR(tn__code_text(code, tn__gpu_prelude_opencl, &text));
  tn_status_t status = build(user, code, text, &program);
  free(text);
  *out_program = program;
  return status;
}

void tn__opencl_release(void* user, void* program) {
  const tn_opencl_device_t* device = user;
  device->cl->ReleaseProgram(program);
}
