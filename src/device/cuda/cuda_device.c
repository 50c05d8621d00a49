// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Devices of CUDA, in the primary context of each.
#include "device/cuda/cuda_device.h"

#include <stdio.h>

#include "device/driver.h"
#include "kernel/lib/cublas.h"

static tn_cuda_device_t* cast(tn_device_t* device) {
  return (tn_cuda_device_t*)device;
}

// ---- the context, and errors that it does not survive

tn_status_t tn__cuda_enter(const tn_cuda_device_t* device) {
  const int32_t lost = atomic_load(&device->lost);
  if (!lost) return TN_CUDA_CALL(device->cuda, CtxPushCurrent, device->context);
  return tn_status_create(TN_CODE_UNAVAILABLE, "device %s can do nothing more since %s",
                          device->discrete.base.name, tn__cuda_error_name(device->cuda, lost));
}

void tn__cuda_leave(const tn_cuda_device_t* device) {
  tn_cu_context_t context = NULL;
  device->cuda->CtxPopCurrent(&context);
}

bool tn__cuda_enter_to_free(const tn_cuda_device_t* device) {
  if (!device->context) return false;
  tn_status_t status = tn__cuda_enter(device);
  tn_status_release(status);
  return !status;
}

void tn__cuda_relax(const tn_cuda_device_t* device, int32_t* mode) {
  device->cuda->ThreadExchangeStreamCaptureMode(mode);
}

static bool is_fatal(int32_t error) {
  enum { FIRST_OF_KERNELS = 714, LAST_OF_KERNELS = 719 };  // illegal instructions, addresses...
  static const int16_t others[] = {4,                      // the driver shuts down
                                   214,                    // uncorrectable memory
                                   220,                    // an uncorrectable connection
                                   700,                    // an illegal address
                                   702,                    // a kernel took too long
                                   709,                    // the context is destroyed
                                   710};                   // a kernel's assertion failed
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    if (error == others[i]) return true;
  }
  return error >= FIRST_OF_KERNELS && error <= LAST_OF_KERNELS;
}

tn_status_t tn__cuda_check(tn_cuda_device_t* device, const char* function, int32_t error) {
  int32_t none = 0;
  tn_status_t status = tn__cuda_status(device->cuda, function, error);
  if (!is_fatal(error)) return status;
  atomic_compare_exchange_strong(&device->lost, &none, error);
  return tn__cuda_note_loss(device, status);
}

tn_status_t tn__cuda_note_loss(const tn_cuda_device_t* device, tn_status_t status) {
  return tn_status_note(status,
                        "a kernel failed; what the memory of device %s held is lost, and the "
                        "device can do nothing more",
                        device->discrete.base.name);
}

// ---- memory and copies

static tn_status_t allocate_from_driver(void* user, size_t byte_size, void** out_address) {
  tn_cuda_device_t* device = user;
  uint64_t address = 0;
  int32_t mode = TN_CU_CAPTURE_RELAXED;
  TN_RETURN_IF_ERROR(tn__cuda_enter(device));
  tn__cuda_relax(device, &mode);
  tn_status_t status = TN_CUDA_CHECK(device, MemAlloc, &address, byte_size);
  tn__cuda_relax(device, &mode);
  tn__cuda_leave(device);
  *out_address = (void*)(uintptr_t)address;
  return status ? tn_status_note(status, "device %s: asked for %zu bytes",
                                 device->discrete.base.name, byte_size)
                : TN_OK;
}

static void free_to_driver(void* user, void* address) {
  const tn_cuda_device_t* device = user;
  int32_t mode = TN_CU_CAPTURE_RELAXED;
  if (!tn__cuda_enter_to_free(device)) return;
  tn__cuda_relax(device, &mode);
  device->cuda->MemFree((uintptr_t)address);
  tn__cuda_relax(device, &mode);
  tn__cuda_leave(device);
}

static tn_status_t copy_now(tn_device_t* device, void* to, const void* from, size_t byte_size) {
  tn_cuda_device_t* it = cast(device);
  TN_RETURN_IF_ERROR(tn__cuda_enter(it));
  tn_status_t status =
      TN_CUDA_CHECK(it, MemcpyAsync, (uintptr_t)to, (uintptr_t)from, byte_size, it->copies);
  if (!status) status = TN_CUDA_CHECK(it, StreamSynchronize, it->copies);
  tn__cuda_leave(it);
  return status;
}

// ---- the device

static void destroy(tn_device_t* device) {
  const tn_allocator_t* allocator = device->allocator;
  tn_cuda_device_t* it = cast(device);
  tn__cuda_handles_deinit(it);
  tn__memory_cache_destroy(it->discrete.memory);
  tn__memory_cache_destroy(it->pinned);
  tn__code_cache_deinit(&it->programs);
  if (it->copies && tn__cuda_enter_to_free(it)) {
    it->cuda->StreamDestroy(it->copies);
    tn__cuda_leave(it);
  }
  if (it->context) it->cuda->DevicePrimaryCtxRelease(it->id);
  tn__device_deinit(device);
  tn__free(allocator, device, sizeof(tn_cuda_device_t));
}

static const tn_device_vtable_t vtable = {
    .destroy = destroy,
    TN_DISCRETE_FUNCTIONS,
    .queue_create = tn__cuda_queue_create,
    .queue_destroy = tn__cuda_queue_destroy,
    .launch = tn__cuda_queue_launch,
    .finish = tn__cuda_queue_finish,
    .queue_encoder = tn__discrete_queue_encoder,
    .queue_copy_from_host = tn__cuda_queue_copy_from_host,
    .queue_copy_to_host = tn__cuda_queue_copy_to_host,
    .queue_record = tn__cuda_queue_record,
    .queue_wait = tn__cuda_queue_wait,
    .mark_destroy = tn__cuda_mark_destroy,
    .host_allocate = tn__cuda_host_allocate,
    .host_free = tn__cuda_host_free,
};

static tn_status_t open_context(tn_cuda_device_t* device) {
  TN_RETURN_IF_ERROR(
      TN_CUDA_CALL(device->cuda, DevicePrimaryCtxRetain, &device->context, device->id));
  TN_RETURN_IF_ERROR(tn__cuda_enter(device));
  tn_status_t status =
      TN_CUDA_CHECK(device, StreamCreate, &device->copies, TN_CU_STREAM_NON_BLOCKING);
  tn__cuda_leave(device);
  return status;
}

static tn_status_t open_device(tn_cuda_device_t* device, const tn_device_options_t* options) {
  const tn_cuda_t* cuda = device->cuda;
  const tn_memory_source_t source = {allocate_from_driver, free_to_driver, device};
  size_t byte_size = 0;
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceTotalMem, &byte_size, device->id));
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceGetAttribute, &device->major,
                                  TN_CU_COMPUTE_CAPABILITY_MAJOR, device->id));
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceGetAttribute, &device->minor,
                                  TN_CU_COMPUTE_CAPABILITY_MINOR, device->id));
  TN_RETURN_IF_ERROR(tn__cuda_choose_architecture(device));
  TN_RETURN_IF_ERROR(open_context(device));
  TN_RETURN_IF_ERROR(tn__cuda_pinned_create(device, options));
  return tn__memory_cache_create(&source, device->discrete.base.name, byte_size, options,
                                 &device->discrete.memory);
}

static tn_status_t create_device(const tn_cuda_t* cuda, const tn_nvrtc_t* nvrtc, unsigned number,
                                 const tn_device_options_t* options, tn_device_t** out_device) {
  tn_discrete_device_t* discrete = NULL;
  TN_RETURN_IF_ERROR(tn__discrete_create(sizeof(tn_cuda_device_t), &vtable,
                                         &tn__compile_target_cuda, &tn__cuda_driver, number,
                                         options, copy_now, &discrete));
  tn_cuda_device_t* device = cast(&discrete->base);
  device->cuda = cuda;
  device->nvrtc = nvrtc;
  device->discrete.base.targets[0].has_graphs = cuda->GraphInstantiateWithFlags;
  atomic_init(&device->lost, 0);
  tn__cuda_handles_init(&device->handles);
  tn__code_cache_init(&device->programs,
                      &(tn_code_compiler_t){tn__cuda_compile, tn__cuda_release, device},
                      options->allocator);
  tn_status_t status = TN_CUDA_CALL(cuda, DeviceGet, &device->id, (int32_t)number);
  if (!status) status = open_device(device, options);
  if (status) {
    destroy(&device->discrete.base);
    return status;
  }
  *out_device = &device->discrete.base;
  return TN_OK;
}

// ---- driver

static tn_status_t visit_device(const tn_cuda_t* cuda, int32_t number, tn_device_visit_fn visit,
                                void* user, bool* out_go_on) {
  char name[32], title[128] = "", description[192];
  int32_t id = 0, major = 0, minor = 0;
  size_t byte_size = 0;
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceGet, &id, number));
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceGetName, title, (int32_t)sizeof title - 1, id));
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceTotalMem, &byte_size, id));
  TN_RETURN_IF_ERROR(
      TN_CUDA_CALL(cuda, DeviceGetAttribute, &major, TN_CU_COMPUTE_CAPABILITY_MAJOR, id));
  TN_RETURN_IF_ERROR(
      TN_CUDA_CALL(cuda, DeviceGetAttribute, &minor, TN_CU_COMPUTE_CAPABILITY_MINOR, id));
  snprintf(name, sizeof name, "cuda:%d", (int)number);
  const char* cublas = tn__cublas_version(NULL);
  snprintf(description, sizeof description, "%s, compute capability %d.%d, %s%s", title, (int)major,
           (int)minor, cublas ? "cuBLAS " : "no cuBLAS", cublas ? cublas : "");
  const tn_device_info_t info = {
      .struct_size = sizeof info,
      .name = name,
      .platform = tn__compile_target_cuda.platform,
      .description = description,
      .memory_byte_size = byte_size,
      .is_gpu = true,
  };
  *out_go_on = visit(user, &info);
  return TN_OK;
}

// None where there is no driver.
static tn_status_t enumerate(tn_device_visit_fn visit, void* user, bool* out_go_on) {
  const char* reason = NULL;
  const tn_cuda_t* cuda = tn__cuda_load(&reason);
  int32_t count = 0;
  *out_go_on = true;
  if (!cuda) return TN_OK;
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceGetCount, &count));
  for (int32_t i = 0; i < count && *out_go_on; ++i) {
    TN_RETURN_IF_ERROR(visit_device(cuda, i, visit, user, out_go_on));
  }
  return TN_OK;
}

static const char* find_refusal(void) {
  const char* reason = NULL;
  return tn__cuda_load(&reason) && tn__nvrtc_load(&reason) ? NULL : reason;
}

static tn_status_t create(unsigned number, const tn_device_options_t* options,
                          tn_device_t** out_device) {
  const char* reason = NULL;
  int32_t count = 0;
  *out_device = NULL;
  const tn_cuda_t* cuda = tn__cuda_load(&reason);
  if (!cuda) return tn_status_create(TN_CODE_NOT_FOUND, "%s", reason);
  TN_RETURN_IF_ERROR(TN_CUDA_CALL(cuda, DeviceGetCount, &count));
  if (number >= (unsigned)count) {
    return tn_status_create(TN_CODE_NOT_FOUND, "CUDA's driver has %d device%s", (int)count,
                            count == 1 ? "" : "s");
  }
  const tn_nvrtc_t* nvrtc = tn__nvrtc_load(&reason);
  if (!nvrtc) return tn_status_create(TN_CODE_UNAVAILABLE, "%s", reason);
  return create_device(cuda, nvrtc, number, options, out_device);
}

const tn_device_driver_t tn__cuda_driver = {
    .name = "cuda", .enumerate = enumerate, .create = create, .refusal = find_refusal};
