// Inside of a device of OpenCL.
#ifndef TENON_DEVICE_OPENCL_OPENCL_DEVICE_H_
#define TENON_DEVICE_OPENCL_OPENCL_DEVICE_H_

#include <pthread.h>

#include "device/memory_cache.h"
#include "device/opencl/opencl.h"
#include "kernel/encoder.h"

typedef struct tn_opencl_program tn_opencl_program_t;

// Kernels that were compiled, kept as long as the device.
typedef struct tn_opencl_programs {
  pthread_mutex_t mutex;
  tn_opencl_program_t* first;
  const char* options;  // of the compiler
} tn_opencl_programs_t;

typedef struct tn_opencl_device {
  tn_device_t base;
  const tn_opencl_t* cl;
  tn_cl_device_t id;
  tn_cl_context_t context;
  tn_cl_queue_t copies;  // in order; every copy is waited for
  tn_memory_cache_t* memory;
  tn_opencl_programs_t programs;
} tn_opencl_device_t;

// programs.c: a kernel of the calling thread's own, which it releases.
TN_MUST_USE tn_status_t tn__opencl_kernel_create(tn_opencl_device_t* device,
                                                 const tn_device_code_t* code,
                                                 tn_cl_kernel_t* out_kernel,
                                                 uint32_t* out_parameter_count);
void tn__opencl_programs_release(tn_opencl_device_t* device);

// queue.c: the vtable's functions.
TN_MUST_USE tn_status_t tn__opencl_queue_create(tn_device_t* device, tn_queue_t** out_queue);
void tn__opencl_queue_destroy(tn_queue_t* queue);
TN_MUST_USE tn_status_t tn__opencl_queue_launch(tn_queue_t* queue, const tn_launch_t* launch);
TN_MUST_USE tn_status_t tn__opencl_queue_finish(tn_queue_t* queue, uint32_t* out_tag);

#endif  // TENON_DEVICE_OPENCL_OPENCL_DEVICE_H_
