#include "device/discrete.h"

static tn_memory_cache_t* memory_of(const tn_device_t* device) {
  return ((const tn_discrete_device_t*)device)->memory;
}

tn_status_t tn__discrete_allocate(tn_device_t* device, size_t byte_size, size_t alignment,
                                  tn_memory_t* out_memory) {
  return tn__memory_cache_allocate(memory_of(device), byte_size, alignment, out_memory);
}

void tn__discrete_free(tn_device_t* device, tn_memory_t memory) {
  tn__memory_cache_free(memory_of(device), memory);
}

void tn__discrete_statistics(const tn_device_t* device, tn_memory_statistics_t* out_statistics) {
  tn__memory_cache_statistics(memory_of(device), out_statistics);
}

void tn__discrete_reset_peak(tn_device_t* device) {
  tn__memory_cache_reset_peak(memory_of(device));
}

void tn__discrete_set_memory_limit(tn_device_t* device, size_t byte_size) {
  tn__memory_cache_set_limit(memory_of(device), byte_size);
}

void tn__discrete_set_cache_limit(tn_device_t* device, size_t byte_size) {
  tn__memory_cache_set_cache_limit(memory_of(device), byte_size);
}

void tn__discrete_trim(tn_device_t* device, size_t keep_byte_size) {
  tn__memory_cache_trim(memory_of(device), keep_byte_size);
}

void* tn__discrete_host_pointer(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
  return NULL;
}

tn_status_t tn__discrete_wrap_host(tn_device_t* device, void* data, size_t byte_size,
                                   tn_memory_t* out_memory) {
  (void)data;
  (void)byte_size;
  *out_memory = (tn_memory_t){NULL, 0};
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "device %s: its memory is not the host's",
                          device->name);
}

void tn__discrete_unwrap_host(tn_device_t* device, tn_memory_t memory) {
  (void)device;
  (void)memory;
}

static tn_status_t copy_in_turn(tn_device_t* device, tn_stream_t* stream, void* to,
                                const void* from, size_t byte_size) {
  const tn_copy_fn copy_now = ((tn_discrete_device_t*)device)->copy_now;
  if (byte_size == 0 || to == from) return TN_OK;
  return tn__copy_in_turn(device, stream, copy_now, to, from, byte_size);
}

tn_status_t tn__discrete_copy_from_host(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                                        const void* from, size_t byte_size) {
  return copy_in_turn(device, stream, tn__memory_address(to), from, byte_size);
}

tn_status_t tn__discrete_copy_to_host(tn_device_t* device, tn_stream_t* stream, void* to,
                                      tn_memory_t from, size_t byte_size) {
  return copy_in_turn(device, stream, to, tn__memory_address(from), byte_size);
}

tn_status_t tn__discrete_copy(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                              tn_memory_t from, size_t byte_size) {
  return copy_in_turn(device, stream, tn__memory_address(to), tn__memory_address(from), byte_size);
}

void* tn__discrete_stream_native(tn_stream_t* stream) {
  (void)stream;
  return NULL;
}
