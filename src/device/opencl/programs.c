// From source to kernels.
#include <stdio.h>
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
  while (start && start > log && start[-1] != '\n') --start;  // where it is
  tn_status_t status =
      tn_status_create(TN_CODE_INTERNAL, "device %s: %s%s does not compile: %.*s",
                       device->base.name, code->library ? "kernel library " : "the kernel of ",
                       code->library ? code->library : code->operation, LONGEST,
                       start ? start
                       : log ? log
                             : "");
  free(log);
  return status;
}

// What a program is made of, one text behind the other.
typedef struct parts {
  uint32_t count;
  const char* texts[4];
  size_t lengths[4];
} parts_t;

// OpenCL reads a length of 0 as "to the NUL".
static void add_part(parts_t* parts, const char* text, size_t length) {
  if (!length) return;
  parts->texts[parts->count] = text;
  parts->lengths[parts->count++] = length;
}

// An author's library, whose include of the words is left out: they stand before it. `line` makes
// errors count from its first line.
static void add_library_parts(parts_t* parts, const char* line, const char* text) {
  static const char include[] = "#include <tenon/gpu.h>";
  const char* at = strstr(text, include);
  add_part(parts, line, strlen(line));
  if (at) {
    add_part(parts, text, (size_t)(at - text));
    text = at + strlen(include);
  }
  add_part(parts, text, strlen(text));
}

static tn_status_t build(const tn_opencl_device_t* device, const tn_device_code_t* code,
                         tn_cl_program_t* out_program) {
  const tn_opencl_t* cl = device->cl;
  char line[128];
  parts_t parts = {0};
  int32_t error = TN_CL_SUCCESS;
  add_part(&parts, tn__gpu_words, strlen(tn__gpu_words));
  if (code->library) {
    snprintf(line, sizeof line, "#line 1 \"%.100s\"\n", code->library);
    add_library_parts(&parts, line, code->text);
  } else {
    add_part(&parts, tn__gpu_prelude_opencl, strlen(tn__gpu_prelude_opencl));
    add_part(&parts, code->text, strlen(code->text));
  }
  tn_cl_program_t program =
      cl->CreateProgramWithSource(device->context, parts.count, parts.texts, parts.lengths, &error);
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
                                     tn_cl_kernel_t* out_kernel, uint32_t* out_parameter_count) {
  tn_opencl_programs_t* programs = &device->programs;
  const char* entry = code->entry ? code->entry : TN_ENTRY;
  tn_status_t status = TN_OK;
  int32_t error = TN_CL_SUCCESS;
  pthread_mutex_lock(&programs->mutex);  // compilers do one thing at a time anyway
  tn_opencl_program_t* program = find(programs, code->text);
  if (!program) status = add(device, code, &program);
  if (!status) *out_kernel = device->cl->CreateKernel(program->program, entry, &error);
  pthread_mutex_unlock(&programs->mutex);
  if (error == TN_CL_INVALID_KERNEL_NAME) {
    return tn_status_create(TN_CODE_NOT_FOUND, "kernel library %s has no kernel \"%s\"",
                            code->library ? code->library : "", entry);
  }
  if (!status) status = tn__opencl_status("clCreateKernel", error);
  if (status) return status;
  return TN_OPENCL_CALL(device->cl, GetKernelInfo, *out_kernel, TN_CL_KERNEL_NUM_ARGS,
                        sizeof *out_parameter_count, out_parameter_count, NULL);
}

void tn__opencl_programs_release(tn_opencl_device_t* device) {
  while (device->programs.first) {
    tn_opencl_program_t* it = device->programs.first;
    device->programs.first = it->next;
    device->cl->ReleaseProgram(it->program);
    tn__free(device->base.allocator, it, sizeof *it + it->length);
  }
}
