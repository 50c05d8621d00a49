// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Devices: memory and an executor. "cpu" is always available.
#ifndef TENON_DETAIL_DEVICE_H_
#define TENON_DETAIL_DEVICE_H_

#include <stdbool.h>
#include <stdint.h>
#include <tenon/detail/allocator.h>
#include <tenon/detail/context.h>
#include <tenon/detail/status.h>

TN_EXTERN_C_BEGIN

// Reference counted; thread-safe. Buffers, streams, events and programs retain their device, so it
// lives as long as the last of them.
typedef struct tn_device tn_device_t;

// Options of a device. Zero always means the default.
typedef struct tn_device_options {
  size_t struct_size;  // sizeof(tn_device_options_t)
  const tn_allocator_t*
      allocator;         // for headers and other metadata; must outlive the device; NULL: malloc
  int32_t thread_count;  // of parallel loops on the CPU; 0: the context's, else the number of cores
                         // that the calling thread may use
  uint64_t memory_limit_byte_size;  // see tn_device_set_memory_limit; 0: the context's, else the
                                    // memory that the machine and the control group allow the
                                    // process
  uint64_t cache_limit_byte_size;   // see tn_device_set_cache_limit
  tn_context_t* context;            // retained
} tn_device_options_t;

// A device of the machine that can be created. Strings are views that live as long as the callback
// runs.
typedef struct tn_device_info {
  size_t struct_size;
  const char* name;           // for tn_device_create: "cpu", "cuda:0"
  const char* platform;       // that custom calls are registered for: "Host", "CUDA", "OpenCL"
  const char* description;    // human-readable: "2 cores, 64-bit x86"
  uint64_t memory_byte_size;  // that the process may use; 0: unknown
  bool is_gpu;                // or another accelerator: not the processor itself
} tn_device_info_t;

// Called on the caller's thread; false ends the enumeration.
typedef bool (*tn_device_visit_fn)(void* user, const tn_device_info_t* info);

// Visits every available device. Loads drivers to find them, which may take a while.
TN_API TN_MUST_USE tn_status_t tn_device_enumerate(tn_device_visit_fn visit, void* user);

// Visits the kinds of devices ("cuda") that this machine has none of, or none that can be used,
// with the reason: the library that was not found, or what its driver says. Both live as long as
// the call.
typedef bool (*tn_device_missing_fn)(void* user, const char* kind, const char* reason);
TN_API TN_MUST_USE tn_status_t tn_device_enumerate_missing(tn_device_missing_fn visit, void* user);

// `name` is "cpu", or another name that tn_device_enumerate reports; "name" and "name:0" are the
// same. `options` may be NULL. NOT_FOUND if the device does not exist; INVALID_ARGUMENT for invalid
// options or an invalid environment. Devices of the same name are separate: each has its own
// memory, limits and threads.
//
// After fork, if the parent had created a device, the child gets FAILED_PRECONDITION here and from
// every function that needs a device's threads; it may read computed values and release objects.
// Fork before you create a device.
TN_API TN_MUST_USE tn_status_t tn_device_create(const char* name,
                                                const tn_device_options_t* options,
                                                tn_device_t** out_device);
TN_API tn_device_t* tn_device_retain(tn_device_t* device);
TN_API void tn_device_release(tn_device_t* device);

// Properties of a device.
TN_API tn_context_t* tn_device_context(const tn_device_t* device);  // view, as long as the device
TN_API const char* tn_device_name(const tn_device_t* device);       // view, as long as the device
TN_API const char* tn_device_platform(const tn_device_t* device);
// The number of threads that a parallel loop may use, including the caller's.
TN_API int32_t tn_device_thread_count(const tn_device_t* device);

// In bytes unless a name states otherwise.
typedef struct tn_memory_statistics {
  size_t struct_size;              // in: sizeof(tn_memory_statistics_t)
  uint64_t in_use_byte_size;       // allocated (rounded up by at most 1/8, or to 64 bytes)
  uint64_t peak_byte_size;         // maximum of bytes in use since creation or the last reset
  uint64_t cached_byte_size;       // freed, and kept for reuse
  uint64_t reserved_byte_size;     // address space taken from the system or driver
  uint64_t limit_byte_size;        // of bytes in use; 0: none
  uint64_t cache_limit_byte_size;  // of cached bytes
  uint64_t allocation_count;       // since creation
  uint64_t free_count;
} tn_memory_statistics_t;

// Fills the struct as far as its `struct_size` covers; members that only the caller knows become 0.
TN_API void tn_device_memory_statistics(const tn_device_t* device,
                                        tn_memory_statistics_t* out_statistics);
TN_API void tn_device_reset_peak(tn_device_t* device);

// Allocations that would bring the bytes in use above the limit fail with RESOURCE_EXHAUSTED;
// memory in use is not affected. 0: no limit. A run fails before it begins if its results and
// temporaries exceed the remaining memory; its error states their sizes.
TN_API void tn_device_set_memory_limit(tn_device_t* device, uint64_t byte_size);

// Freed memory is cached up to this many bytes (by default a quarter of the memory limit that the
// device is created with). 0: no cache.
TN_API void tn_device_set_cache_limit(tn_device_t* device, uint64_t byte_size);

// Returns cached memory to the system until at most `keep_byte_size` bytes are cached; 0: all
// that can be returned.
TN_API void tn_device_trim(tn_device_t* device, uint64_t keep_byte_size);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_DEVICE_H_
