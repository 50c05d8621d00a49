// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Devices of OpenCL, with shared virtual memory: a device's memory has addresses, as everywhere.
#include "device/opencl/opencl_device.h"

#include <stdio.h>
#include <string.h>

#include "device/driver.h"

enum { PLATFORM_LIMIT = 16, DEVICE_LIMIT = 64 };

static tn_opencl_device_t* cast(tn_device_t* device) {
  return (tn_opencl_device_t*)device;
}

static void close_device(tn_opencl_device_t* device) {
  tn__memory_cache_destroy(device->discrete.memory);
  tn__code_cache_deinit(&device->programs);
  if (device->copies) device->cl->ReleaseCommandQueue(device->copies);
  if (device->context) device->cl->ReleaseContext(device->context);
}

static void destroy(tn_device_t* device) {
  const tn_allocator_t* allocator = device->allocator;
  close_device(cast(device));
  tn__device_deinit(device);
  tn__free(allocator, device, sizeof(tn_opencl_device_t));
}

// ---- memory

static tn_status_t allocate_from_driver(void* user, size_t byte_size, void** out_address) {
  const tn_opencl_device_t* device = user;
  *out_address = device->cl->SVMAlloc(device->context, TN_CL_MEM_READ_WRITE, byte_size, 0);
  if (*out_address) return TN_OK;
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                          "device %s: clSVMAlloc gave no memory for %zu bytes",
                          device->discrete.base.name, byte_size);
}

static void free_to_driver(void* user, void* address) {
  const tn_opencl_device_t* device = user;
  device->cl->SVMFree(device->context, address);
}

// ---- copies

static tn_status_t copy_now(tn_device_t* device, void* to, const void* from, size_t byte_size) {
  enum { IS_BLOCKING = 1 };
  const tn_opencl_device_t* it = cast(device);
  return TN_OPENCL_CALL(it->cl, EnqueueSVMMemcpy, it->copies, IS_BLOCKING, to, from, byte_size, 0,
                        NULL, NULL);
}

// What takes its turn on a stream is work of the host, as on the CPU.
static const tn_device_vtable_t vtable = {
    .destroy = destroy,
    TN_DISCRETE_FUNCTIONS,
    .queue_create = tn__opencl_queue_create,
    .queue_destroy = tn__opencl_queue_destroy,
    .launch = tn__opencl_queue_launch,
    .finish = tn__opencl_queue_finish,
    .queue_encoder = tn__discrete_queue_encoder,
    .queue_copy_from_host = tn__discrete_queue_copy_from_host,
    .queue_copy_to_host = tn__discrete_queue_copy_to_host,
    .queue_record = tn__opencl_queue_record,
    .queue_wait = tn__opencl_queue_wait,
    .mark_destroy = tn__opencl_mark_destroy,
};

// ---- driver

typedef struct found {
  const tn_opencl_t* cl;
  size_t count;
  tn_cl_device_t devices[DEVICE_LIMIT];
} found_t;

static tn_status_t add_devices(found_t* found, tn_cl_platform_t platform) {
  uint32_t count = 0;
  const uint32_t room = (uint32_t)(DEVICE_LIMIT - found->count);
  if (room == 0) return TN_OK;
  const int32_t error = found->cl->GetDeviceIDs(platform, TN_CL_DEVICE_TYPE_ALL, room,
                                                found->devices + found->count, &count);
  if (error == TN_CL_DEVICE_NOT_FOUND) return TN_OK;
  TN_RETURN_IF_ERROR(tn__opencl_status("clGetDeviceIDs", error));
  found->count += count < room ? count : room;
  return TN_OK;
}

// None when the library or its drivers are not there.
static tn_status_t find(found_t* found) {
  const char* reason = NULL;
  tn_cl_platform_t platforms[PLATFORM_LIMIT];
  uint32_t count = 0;
  *found = (found_t){.cl = tn__opencl_load(&reason)};
  if (!found->cl) return TN_OK;
  const int32_t error = found->cl->GetPlatformIDs(PLATFORM_LIMIT, platforms, &count);
  if (error == TN_CL_PLATFORM_NOT_FOUND) return TN_OK;
  TN_RETURN_IF_ERROR(tn__opencl_status("clGetPlatformIDs", error));
  for (uint32_t i = 0; i < count && i < PLATFORM_LIMIT; ++i) {
    TN_RETURN_IF_ERROR(add_devices(found, platforms[i]));
  }
  return TN_OK;
}

// 0 when it does not say.
static uint64_t number_of(const tn_opencl_t* cl, tn_cl_device_t device, uint32_t what) {
  uint64_t value = 0;  // little-endian: one of 4 bytes is the same number
  return cl->GetDeviceInfo(device, what, sizeof value, &value, NULL) ? 0 : value;
}

static void describe(const tn_opencl_t* cl, tn_cl_device_t device, char* out, size_t capacity) {
  char name[128] = "";
  cl->GetDeviceInfo(device, TN_CL_DEVICE_NAME, sizeof name - 1, name, NULL);
  snprintf(out, capacity, "%s, %llu compute units", name,
           (unsigned long long)number_of(cl, device, TN_CL_DEVICE_MAX_COMPUTE_UNITS));
}

static tn_status_t enumerate(tn_device_visit_fn visit, void* user, bool* out_go_on) {
  found_t found;
  *out_go_on = true;
  TN_RETURN_IF_ERROR(find(&found));
  for (size_t i = 0; i < found.count && *out_go_on; ++i) {
    char name[32], description[192];
    snprintf(name, sizeof name, "opencl:%zu", i);
    describe(found.cl, found.devices[i], description, sizeof description);
    const tn_device_info_t info = {
        .struct_size = sizeof info,
        .name = name,
        .platform = tn__compile_target_opencl.platform,
        .description = description,
        .memory_byte_size = number_of(found.cl, found.devices[i], TN_CL_DEVICE_GLOBAL_MEM_SIZE),
        .is_gpu = !(number_of(found.cl, found.devices[i], TN_CL_DEVICE_TYPE) & TN_CL_TYPE_CPU),
    };
    *out_go_on = visit(user, &info);
  }
  return TN_OK;
}

static tn_status_t open_device(tn_opencl_device_t* device, const tn_device_options_t* options) {
  const tn_opencl_t* cl = device->cl;
  const tn_cl_device_t id = device->id;
  const uint64_t shared = number_of(cl, id, TN_CL_DEVICE_SVM_CAPABILITIES);
  int32_t error = TN_CL_SUCCESS;
  if (!(shared & TN_CL_SVM_BUFFERS)) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "device %s has no shared virtual memory, which Tenon needs",
                            device->discrete.base.name);
  }
  const bool is_exact =
      number_of(cl, id, TN_CL_DEVICE_SINGLE_FP_CONFIG) & TN_CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  device->options = is_exact ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
  device->context = cl->CreateContext(NULL, 1, &id, NULL, NULL, &error);
  TN_RETURN_IF_ERROR(tn__opencl_status("clCreateContext", error));
  device->copies = cl->CreateCommandQueueWithProperties(device->context, id, NULL, &error);
  TN_RETURN_IF_ERROR(tn__opencl_status("clCreateCommandQueueWithProperties", error));
  const tn_memory_source_t source = {allocate_from_driver, free_to_driver, device};
  return tn__memory_cache_create(&source, device->discrete.base.name,
                                 number_of(cl, id, TN_CL_DEVICE_GLOBAL_MEM_SIZE), options,
                                 &device->discrete.memory);
}

static tn_status_t create_device(const found_t* found, unsigned number,
                                 const tn_device_options_t* options, tn_device_t** out_device) {
  tn_discrete_device_t* discrete = NULL;
  TN_RETURN_IF_ERROR(tn__discrete_create(sizeof(tn_opencl_device_t), &vtable,
                                         &tn__compile_target_opencl, &tn__opencl_driver, number,
                                         options, copy_now, &discrete));
  tn_opencl_device_t* device = cast(&discrete->base);
  device->cl = found->cl;
  device->id = found->devices[number];
  device->discrete.base.targets[0].has_lanes =
      !(number_of(found->cl, device->id, TN_CL_DEVICE_TYPE) & TN_CL_TYPE_CPU);
  tn__code_cache_init(&device->programs,
                      &(tn_code_compiler_t){tn__opencl_compile, tn__opencl_release, device},
                      options->allocator);
  tn_status_t status = open_device(device, options);
  if (status) {
    destroy(&device->discrete.base);
    return status;
  }
  *out_device = &device->discrete.base;
  return TN_OK;
}

static tn_status_t create(unsigned number, const tn_device_options_t* options,
                          tn_device_t** out_device) {
  found_t found;
  const char* reason = NULL;
  *out_device = NULL;
  TN_RETURN_IF_ERROR(find(&found));
  if (number < found.count) return create_device(&found, number, options, out_device);
  if (!found.cl) (void)tn__opencl_load(&reason);
  if (reason) return tn_status_create(TN_CODE_NOT_FOUND, "%s", reason);
  return tn_status_create(TN_CODE_NOT_FOUND,
                          "the drivers of OpenCL (/etc/OpenCL/vendors) have %zu device%s",
                          found.count, found.count == 1 ? "" : "s");
}

const tn_device_driver_t tn__opencl_driver = {
    .name = "opencl", .enumerate = enumerate, .create = create};
