// Devices of OpenCL, with shared virtual memory: a device's memory has addresses, as everywhere.
#include "device/opencl/opencl_device.h"

#include <stdio.h>
#include <string.h>

#include "device/copy.h"
#include "device/cpu/stream.h"
#include "device/driver.h"

enum { PLATFORM_LIMIT = 16, DEVICE_LIMIT = 64, ALIGNMENT = 64 };

static tn_opencl_device_t* cast(tn_device_t* device) {
  return (tn_opencl_device_t*)device;
}

static void close_device(tn_opencl_device_t* device) {
  tn__memory_cache_destroy(device->memory);
  tn__opencl_programs_release(device);
  pthread_mutex_destroy(&device->programs.mutex);
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
                          "device %s: clSVMAlloc gave no memory for %zu bytes", device->base.name,
                          byte_size);
}

static void free_to_driver(void* user, void* address) {
  const tn_opencl_device_t* device = user;
  device->cl->SVMFree(device->context, address);
}

static tn_status_t allocate(tn_device_t* device, size_t byte_size, size_t alignment,
                            tn_memory_t* out_memory) {
  return tn__memory_cache_allocate(cast(device)->memory, byte_size, alignment, out_memory);
}

static void free_memory(tn_device_t* device, tn_memory_t memory) {
  tn__memory_cache_free(cast(device)->memory, memory);
}

static void statistics(const tn_device_t* device, tn_memory_statistics_t* out_statistics) {
  tn__memory_cache_statistics(((const tn_opencl_device_t*)device)->memory, out_statistics);
}

static void reset_peak(tn_device_t* device) {
  tn__memory_cache_reset_peak(cast(device)->memory);
}

static void set_memory_limit(tn_device_t* device, size_t byte_size) {
  tn__memory_cache_set_limit(cast(device)->memory, byte_size);
}

static void set_cache_limit(tn_device_t* device, size_t byte_size) {
  tn__memory_cache_set_cache_limit(cast(device)->memory, byte_size);
}

static void trim(tn_device_t* device, size_t keep_byte_size) {
  tn__memory_cache_trim(cast(device)->memory, keep_byte_size);
}

// Coarse-grained shared memory is the host's only while it is mapped.
static void* host_pointer(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
  return NULL;
}

static tn_status_t wrap_host(tn_device_t* device, void* data, size_t byte_size,
                             tn_memory_t* out_memory) {
  (void)data;
  (void)byte_size;
  *out_memory = (tn_memory_t){NULL, 0};
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "device %s: its memory is not the host's",
                          device->name);
}

static void unwrap_host(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
}

// ---- copies

static tn_status_t copy_now(tn_device_t* device, void* to, const void* from, size_t byte_size) {
  enum { IS_BLOCKING = 1 };
  const tn_opencl_device_t* it = cast(device);
  if (byte_size == 0 || to == from) return TN_OK;
  return TN_OPENCL_CALL(it->cl, EnqueueSVMMemcpy, it->copies, IS_BLOCKING, to, from, byte_size, 0,
                        NULL, NULL);
}

static tn_status_t copy_from_host(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                                  const void* from, size_t byte_size) {
  return tn__copy_in_turn(device, stream, copy_now, tn__memory_address(to), from, byte_size);
}

static tn_status_t copy_to_host(tn_device_t* device, tn_stream_t* stream, void* to,
                                tn_memory_t from, size_t byte_size) {
  return tn__copy_in_turn(device, stream, copy_now, to, tn__memory_address(from), byte_size);
}

static tn_status_t copy(tn_device_t* device, tn_stream_t* stream, tn_memory_t to, tn_memory_t from,
                        size_t byte_size) {
  return tn__copy_in_turn(device, stream, copy_now, tn__memory_address(to),
                          tn__memory_address(from), byte_size);
}

// ---- streams

static void* stream_native(tn_stream_t* stream) {
  (void)stream;
  return NULL;
}

// What takes its turn on a stream is work of the host, as on the CPU.
static const tn_device_vtable_t vtable = {
    .destroy = destroy,
    .allocate = allocate,
    .free = free_memory,
    .statistics = statistics,
    .reset_peak = reset_peak,
    .set_memory_limit = set_memory_limit,
    .set_cache_limit = set_cache_limit,
    .trim = trim,
    .host_pointer = host_pointer,
    .wrap_host = wrap_host,
    .unwrap_host = unwrap_host,
    .copy_from_host = copy_from_host,
    .copy_to_host = copy_to_host,
    .copy = copy,
    .queue_create = tn__opencl_queue_create,
    .queue_destroy = tn__opencl_queue_destroy,
    .launch = tn__opencl_queue_launch,
    .finish = tn__opencl_queue_finish,
    .stream_create = tn__cpu_stream_create,
    .stream_destroy = tn__cpu_stream_destroy,
    .stream_enqueue = tn__cpu_stream_enqueue,
    .stream_record = tn__cpu_stream_record,
    .stream_wait = tn__cpu_stream_wait,
    .stream_synchronize = tn__cpu_stream_synchronize,
    .stream_is_idle = tn__cpu_stream_is_idle,
    .stream_native = stream_native,
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
                            device->base.name);
  }
  const bool is_exact =
      number_of(cl, id, TN_CL_DEVICE_SINGLE_FP_CONFIG) & TN_CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  device->programs.options = is_exact ? "-cl-fp32-correctly-rounded-divide-sqrt" : "";
  device->context = cl->CreateContext(NULL, 1, &id, NULL, NULL, &error);
  TN_RETURN_IF_ERROR(tn__opencl_status("clCreateContext", error));
  device->copies = cl->CreateCommandQueueWithProperties(device->context, id, NULL, &error);
  TN_RETURN_IF_ERROR(tn__opencl_status("clCreateCommandQueueWithProperties", error));
  const tn_memory_source_t source = {allocate_from_driver, free_to_driver, device};
  return tn__memory_cache_create(&source, device->base.name,
                                 number_of(cl, id, TN_CL_DEVICE_GLOBAL_MEM_SIZE), options,
                                 &device->memory);
}

static tn_status_t create_device(const found_t* found, unsigned number,
                                 const tn_device_options_t* options, tn_device_t** out_device) {
  const tn_allocator_t* allocator = options->allocator;
  const tn_pool_config_t pool_config = {.thread_count = options->thread_count};
  tn_pool_t* pool = NULL;
  void* memory = NULL;
  char name[32];
  TN_RETURN_IF_ERROR(tn__pool_create(&pool_config, allocator, &pool));
  tn_status_t status = tn__allocate(allocator, sizeof(tn_opencl_device_t), &memory);
  if (status) {
    tn__pool_release(pool);
    return status;
  }
  tn_opencl_device_t* device = memory;
  snprintf(name, sizeof name, "opencl:%u", number);
  tn__device_init(&device->base, &vtable, name, &tn__compile_target_opencl, options, pool);
  device->base.memory_alignment = ALIGNMENT;
  device->base.ordinal = (int32_t)number;
  device->cl = found->cl;
  device->id = found->devices[number];
  device->base.targets[0].has_lanes =
      !(number_of(found->cl, device->id, TN_CL_DEVICE_TYPE) & TN_CL_TYPE_CPU);
  pthread_mutex_init(&device->programs.mutex, NULL);
  status = open_device(device, options);
  if (status) {
    destroy(&device->base);
    return status;
  }
  *out_device = &device->base;
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
