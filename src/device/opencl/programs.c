// From source to kernels.
#include <stdlib.h>
#include <string.h>

#include "device/opencl/opencl_device.h"
#include "kernel/gpu/prelude.h"

struct tn_opencl_program {
  tn_opencl_program_t* next;
  tn_cl_program_t program;
  size_t length;
  char text[];  // which it was made of
};

static tn_opencl_program_t* find(const tn_opencl_programs_t* programs, const char* text) {
  const size_t length = strlen(text);
  tn_opencl_program_t* it = programs->first;
  while (it && (it->length != length || memcmp(it->text, text, length) != 0)) it = it->next;
  return it;
}

// With what the compiler said, from its first error on.
static tn_status_t explain(const tn_opencl_device_t* device, tn_cl_program_t program,
                           const tn_device_code_t* code) {
  enum { LONGEST = 1500 };
  const tn_opencl_t* cl = device->cl;
  size_t size = 0;
  cl->GetProgramBuildInfo(program, device->id, TN_CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char* log = calloc(1, size + 1);
  if (log) {
    cl->GetProgramBuildInfo(program, device->id, TN_CL_PROGRAM_BUILD_LOG, size, log, NULL);
  }
  const char* start = log ? strstr(log, "error:") : NULL;
  tn_status_t status =
      tn_status_create(TN_CODE_INTERNAL, "device %s: the kernel of %s does not compile: %.*s",
                       device->base.name, code->operation, LONGEST,
                       start ? start
                       : log ? log
                             : "");
  free(log);
  return status;
}

static tn_status_t build(const tn_opencl_device_t* device, const tn_device_code_t* code,
                         tn_cl_program_t* out_program) {
  const tn_opencl_t* cl = device->cl;
  const char* texts[] = {tn__gpu_prelude_opencl, code->text};
  int32_t error = TN_CL_SUCCESS;
  tn_cl_program_t program = cl->CreateProgramWithSource(device->context, 2, texts, NULL, &error);
  TN_RETURN_IF_ERROR(tn__opencl_status("clCreateProgramWithSource", error));
  error = cl->BuildProgram(program, 1, &device->id, device->programs.options, NULL, NULL);
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

static tn_status_t add(tn_opencl_device_t* device, const tn_device_code_t* code,
                       tn_opencl_program_t** out_program) {
  const size_t length = strlen(code->text);
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__allocate(device->base.allocator, sizeof(tn_opencl_program_t) + length, &memory));
  tn_opencl_program_t* it = memory;
  tn_status_t status = build(device, code, &it->program);
  if (status) {
    tn__free(device->base.allocator, it, sizeof *it + length);
    return status;
  }
  it->length = length;
  memcpy(it->text, code->text, length);
  it->next = device->programs.first;
  device->programs.first = it;
  *out_program = it;
  return TN_OK;
}

tn_status_t tn__opencl_kernel_create(tn_opencl_device_t* device, const tn_device_code_t* code,
                                     tn_cl_kernel_t* out_kernel) {
  tn_opencl_programs_t* programs = &device->programs;
  tn_status_t status = TN_OK;
  int32_t error = TN_CL_SUCCESS;
  pthread_mutex_lock(&programs->mutex);  // compilers do one thing at a time anyway
  tn_opencl_program_t* program = find(programs, code->text);
  if (!program) status = add(device, code, &program);
  if (!status) {
    const char* entry = code->entry ? code->entry : TN_ENTRY;
    *out_kernel = device->cl->CreateKernel(program->program, entry, &error);
  }
  pthread_mutex_unlock(&programs->mutex);
  return status ? status : tn__opencl_status("clCreateKernel", error);
}

void tn__opencl_programs_release(tn_opencl_device_t* device) {
  while (device->programs.first) {
    tn_opencl_program_t* it = device->programs.first;
    device->programs.first = it->next;
    device->cl->ReleaseProgram(it->program);
    tn__free(device->base.allocator, it, sizeof *it + it->length);
  }
}
