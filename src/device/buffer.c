// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/buffer.h"

#include "base/type.h"

#define DONATED ((unsigned)1 << 31)

struct tn_buffer {
  atomic_uint references;
  atomic_uint holds;    // how many use the memory now; or DONATED
  tn_device_t* device;  // retained
  tn_memory_t memory;
  tn_event_t* ready;             // retained; NULL: ready from the start
  bool is_wrapped;               // memory of the host, to be unwrapped
  tn_buffer_release_fn release;  // of imported memory; NULL: none
  void* release_user;
  void* release_data;
  tn_buffer_t* parent;       // of an alias: retained and held
  _Atomic(void*) host_copy;  // of memory that the host does not see; NULL: it was not mapped
  size_t byte_size;
  tn_type_t type;          // its dims are those below
  tn_buffer_t** elements;  // of a tuple: retained, in `storage`, behind it the types
  size_t storage_byte_size;
  int64_t storage[];  // a tensor's dims
};

// ---- life

static tn_status_t check_shape(tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  TN_RETURN_IF_ERROR(tn__type_check(dtype, rank, dims));
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] != TN_DIM_DYNAMIC) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "dimension %zu of a buffer is dynamic; expected a number", i);
  }
  return TN_OK;
}

static tn_status_t create_with_storage(tn_device_t* device, size_t storage_byte_size,
                                       tn_buffer_t** out_buffer) {
  void* memory;
  *out_buffer = NULL;
  TN_RETURN_IF_ERROR(
      tn__allocate(device->allocator, sizeof(tn_buffer_t) + storage_byte_size, &memory));
  tn_buffer_t* buffer = memory;
  atomic_init(&buffer->references, 1);
  buffer->storage_byte_size = storage_byte_size;
  buffer->device = tn_device_retain(device);
  *out_buffer = buffer;
  return TN_OK;
}

// A header without memory. The shape has been checked.
static tn_status_t create_header(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                 const int64_t* dims, tn_buffer_t** out_buffer) {
  tn_buffer_t* buffer;
  *out_buffer = NULL;
  TN_RETURN_IF_ERROR(create_with_storage(device, rank * sizeof *dims, &buffer));
  if (rank) memcpy(buffer->storage, dims, rank * sizeof *dims);
  buffer->type =
      (tn_type_t){.kind = TN_TYPE_TENSOR, .dtype = dtype, .rank = rank, .dims = buffer->storage};
  buffer->byte_size = tn__type_byte_size(&buffer->type);
  *out_buffer = buffer;
  return TN_OK;
}

static void free_host_copy(tn_buffer_t* buffer) {
  tn__free(buffer->device->allocator, atomic_exchange(&buffer->host_copy, NULL), buffer->byte_size);
}

static void free_header(tn_buffer_t* buffer) {
  tn_device_t* device = buffer->device;
  free_host_copy(buffer);
  tn_event_release(buffer->ready);
  tn__free(device->allocator, buffer, sizeof *buffer + buffer->storage_byte_size);
  tn_device_release(device);
}

tn_buffer_t* tn_buffer_retain(tn_buffer_t* buffer) {
  if (buffer) atomic_fetch_add(&buffer->references, 1);
  return buffer;
}

void tn_buffer_release(tn_buffer_t* buffer) {
  if (!buffer || atomic_fetch_sub(&buffer->references, 1) != 1) return;
  if (buffer->elements) {
    for (size_t i = 0; i < buffer->type.element_count; ++i) tn_buffer_release(buffer->elements[i]);
  } else if (buffer->parent) {
    tn__buffer_unhold(buffer->parent);
    tn_buffer_release(buffer->parent);
  } else if (buffer->is_wrapped) {
    buffer->device->vtable->unwrap_host(buffer->device, buffer->memory);
    if (buffer->release) buffer->release(buffer->release_user, buffer->release_data);
  } else if (atomic_load(&buffer->holds) != DONATED) {
    tn__device_free(buffer->device, buffer->memory, buffer->ready);
  }
  free_header(buffer);
}

tn_status_t tn_buffer_create(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                             const int64_t* dims, void** out_data, tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  if (out_data) *out_data = NULL;
  TN_RETURN_IF_NULL(device);
  if (rank) TN_RETURN_IF_NULL(dims);
  TN_RETURN_IF_ERROR(check_shape(dtype, rank, dims));
  tn_buffer_t* buffer;
  TN_RETURN_IF_ERROR(create_header(device, dtype, rank, dims, &buffer));
  tn_status_t status = device->vtable->allocate(device, buffer->byte_size, 0, &buffer->memory);
  if (status) {
    free_header(buffer);
    return status;
  }
  if (out_data) *out_data = device->vtable->host_pointer(device, buffer->memory);
  *out_buffer = buffer;
  return TN_OK;
}

static tn_status_t check_byte_size(tn_dtype_t dtype, size_t rank, const int64_t* dims,
                                   size_t byte_size) {
  TN_RETURN_IF_ERROR(check_shape(dtype, rank, dims));
  tn_type_t type = {.kind = TN_TYPE_TENSOR, .dtype = dtype, .rank = rank, .dims = dims};
  size_t needed = tn__type_byte_size(&type);
  if (byte_size != needed) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%zu bytes for a buffer %s; it has %zu",
                            byte_size, TN_TYPE_TEXT(&type), needed);
  }
  return TN_OK;
}

tn_status_t tn__buffer_create_written(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                      const int64_t* dims,
                                      tn_status_t (*write)(void* user, void* data), void* user,
                                      tn_buffer_t** out_buffer) {
  tn_status_t status = TN_OK;
  void *data = NULL, *staging = NULL;
  tn_buffer_t* buffer = NULL;
  *out_buffer = NULL;
  TN_RETURN_IF_ERROR(tn_buffer_create(device, dtype, rank, dims, &data, &buffer));
  const size_t byte_size = buffer->byte_size;
  if (!data) TN_DONE_IF_ERROR(tn__allocate(device->allocator, byte_size, &staging));
  TN_DONE_IF_ERROR(write(user, data ? data : staging));
  tn_dtype_make_values(dtype, data ? data : staging, byte_size);
  if (!data) {
    TN_DONE_IF_ERROR(
        device->vtable->copy_from_host(device, NULL, buffer->memory, staging, byte_size));
  }
  *out_buffer = tn_buffer_retain(buffer);
done:
  tn__free(device->allocator, staging, byte_size);
  tn_buffer_release(buffer);
  return status;
}

// From bytes that are not all values of the dtype, which has a byte an element then.
typedef struct bytes {
  const void* data;
  size_t byte_size;
} host_bytes_t;

static tn_status_t copy_bytes(void* user, void* to) {
  const host_bytes_t* bytes = user;
  memcpy(to, bytes->data, bytes->byte_size);
  return TN_OK;
}

static tn_status_t create_of_values(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                    const int64_t* dims, const void* data, size_t byte_size,
                                    tn_buffer_t** out_buffer) {
  host_bytes_t bytes = {data, byte_size};
  return tn__buffer_create_written(device, dtype, rank, dims, copy_bytes, &bytes, out_buffer);
}

tn_status_t tn_buffer_create_from_host(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                       const int64_t* dims, const void* data, size_t byte_size,
                                       tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(device);
  if (rank) TN_RETURN_IF_NULL(dims);
  if (byte_size) TN_RETURN_IF_NULL(data);
  TN_RETURN_IF_ERROR(check_byte_size(dtype, rank, dims, byte_size));
  tn_buffer_t* buffer;
  if (!tn_dtype_are_values(dtype, data, byte_size)) {
    return create_of_values(device, dtype, rank, dims, data, byte_size, out_buffer);
  }
  TN_RETURN_IF_ERROR(tn_buffer_create(device, dtype, rank, dims, NULL, &buffer));
  tn_status_t status =
      device->vtable->copy_from_host(device, NULL, buffer->memory, data, byte_size);
  if (status) {
    tn_buffer_release(buffer);
    return status;
  }
  *out_buffer = buffer;
  return TN_OK;
}

// In place, if the device can: otherwise an error with the code UNIMPLEMENTED.
static tn_status_t wrap(tn_device_t* device, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                        void* data, tn_buffer_t** out_buffer) {
  tn_buffer_t* buffer;
  TN_RETURN_IF_ERROR(create_header(device, dtype, rank, dims, &buffer));
  tn_status_t status = device->vtable->wrap_host(device, data, buffer->byte_size, &buffer->memory);
  if (status) {
    free_header(buffer);
    return status;
  }
  buffer->is_wrapped = true;
  *out_buffer = buffer;
  return TN_OK;
}

tn_status_t tn_buffer_import(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                             const int64_t* dims, void* data, size_t byte_size,
                             tn_buffer_release_fn release, void* user, tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  tn_buffer_t* buffer = NULL;
  TN_RETURN_IF_NULL(device);
  if (rank) TN_RETURN_IF_NULL(dims);
  if (byte_size) TN_RETURN_IF_NULL(data);
  tn_status_t status = check_byte_size(dtype, rank, dims, byte_size);
  if (!status && byte_size > 0 && tn_dtype_are_values(dtype, data, byte_size)) {
    status = wrap(device, dtype, rank, dims, data, &buffer);
    if (!status) {
      buffer->release = release;
      buffer->release_user = user;
      buffer->release_data = data;
      *out_buffer = buffer;
      return TN_OK;
    }
  }
  if (!status || tn_status_code(status) == TN_CODE_UNIMPLEMENTED) {
    tn_status_release(status);
    status = tn_buffer_create_from_host(device, dtype, rank, dims, data, byte_size, out_buffer);
  }
  if (release) release(user, data);
  return status;
}

tn_status_t tn__buffer_create_without_memory(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                             const int64_t* dims, tn_event_t* ready,
                                             tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_ERROR(check_shape(dtype, rank, dims));
  TN_RETURN_IF_ERROR(create_header(device, dtype, rank, dims, out_buffer));
  (*out_buffer)->ready = tn_event_retain(ready);
  atomic_store_explicit(&(*out_buffer)->holds, DONATED, memory_order_relaxed);
  return TN_OK;
}

tn_status_t tn__buffer_create_over(tn_device_t* device, tn_dtype_t dtype, size_t rank,
                                   const int64_t* dims, tn_memory_t memory, tn_event_t* ready,
                                   tn_buffer_t** out_buffer) {
  tn_status_t status =
      tn__buffer_create_without_memory(device, dtype, rank, dims, ready, out_buffer);
  if (status) {
    device->vtable->free(device, memory);
  } else {
    tn__buffer_put_memory(*out_buffer, memory);
  }
  return status;
}

tn_status_t tn__buffer_create_alias(tn_buffer_t* parent, tn_dtype_t dtype, size_t rank,
                                    const int64_t* dims, size_t byte_offset,
                                    tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_ERROR(check_shape(dtype, rank, dims));
  tn_buffer_t* buffer;
  TN_RETURN_IF_ERROR(create_header(parent->device, dtype, rank, dims, &buffer));
  tn_status_t status = TN_OK;
  tn_memory_t memory;
  if (byte_offset > parent->byte_size || buffer->byte_size > parent->byte_size - byte_offset ||
      byte_offset % parent->device->memory_alignment != 0) {
    status = tn_status_create(
        TN_CODE_INVALID_ARGUMENT,
        "%s at byte %zu of a buffer %s; expected a multiple of %zu, and all of it inside",
        TN_TYPE_TEXT(&buffer->type), byte_offset, TN_TYPE_TEXT(&parent->type),
        parent->device->memory_alignment);
  }
  if (!status) status = tn__buffer_hold(parent, &memory);
  if (status) {
    free_header(buffer);
    return status;
  }
  buffer->memory = tn__memory_at(memory, byte_offset);
  buffer->parent = tn_buffer_retain(parent);
  buffer->ready = tn_event_retain(parent->ready);
  *out_buffer = buffer;
  return TN_OK;
}

// ---- tuples

tn_status_t tn_buffer_create_tuple(tn_device_t* device, size_t count, tn_buffer_t* const* elements,
                                   tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  size_t depth = 1, part_count = 1;
  TN_RETURN_IF_NULL(device);
  if (count) TN_RETURN_IF_NULL(elements);
  for (size_t i = 0; i < count; ++i) {
    if (!elements[i]) {
      ++part_count;
      continue;
    }
    const tn_type_t* type = &elements[i]->type;
    bool is_tuple = type->kind == TN_TYPE_TUPLE;
    if (is_tuple && type->depth >= depth) depth = type->depth + 1;
    part_count += is_tuple ? type->part_count : 1;
    if (depth > TN_MAX_TYPE_DEPTH || part_count > TN_MAX_TYPE_PARTS) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "a tuple nests deeper than %d levels, or has more than %d parts",
                              TN_MAX_TYPE_DEPTH, TN_MAX_TYPE_PARTS);
    }
    if (elements[i]->device != device) {
      tn_status_t status =
          tn_status_create(TN_CODE_INVALID_ARGUMENT,
                           "element %zu of a tuple is on another device than the tuple", i);
      return tn__device_explain(status, elements[i]->device, device);
    }
  }
  tn_buffer_t* buffer;
  // One pointer more, so that a tuple of nothing is known by its elements, too.
  TN_RETURN_IF_ERROR(create_with_storage(device, (2 * count + 1) * sizeof(void*), &buffer));
  buffer->elements = (tn_buffer_t**)(void*)buffer->storage;
  const tn_type_t** types = (const tn_type_t**)(buffer->elements + count);
  for (size_t i = 0; i < count; ++i) {
    buffer->elements[i] = tn_buffer_retain(elements[i]);
    types[i] = elements[i] ? &elements[i]->type : tn__type_token();
  }
  buffer->type = (tn_type_t){.kind = TN_TYPE_TUPLE,
                             .element_count = count,
                             .elements = types,
                             .depth = depth,
                             .part_count = part_count};
  *out_buffer = buffer;
  return TN_OK;
}

tn_buffer_t* tn_buffer_element(const tn_buffer_t* buffer, size_t index) {
  return buffer->elements && index < buffer->type.element_count ? buffer->elements[index] : NULL;
}

// ---- what it is

tn_device_t* tn_buffer_device(const tn_buffer_t* buffer) {
  return buffer->device;
}
const tn_type_t* tn_buffer_type(const tn_buffer_t* buffer) {
  return &buffer->type;
}
tn_dtype_t tn_buffer_dtype(const tn_buffer_t* buffer) {
  return buffer->type.dtype;
}
size_t tn_buffer_rank(const tn_buffer_t* buffer) {
  return buffer->type.rank;
}
const int64_t* tn_buffer_dims(const tn_buffer_t* buffer) {
  return buffer->type.dims;
}
int64_t tn_buffer_size(const tn_buffer_t* buffer) {
  return buffer->elements ? 0 : tn__type_size(&buffer->type);
}
size_t tn_buffer_byte_size(const tn_buffer_t* buffer) {
  return buffer->byte_size;
}
tn_event_t* tn_buffer_ready_event(const tn_buffer_t* buffer) {
  return buffer->ready;
}
bool tn_buffer_is_donated(const tn_buffer_t* buffer) {
  return atomic_load(&buffer->holds) == DONATED;
}
static bool is_own(const tn_buffer_t* buffer) {
  return !buffer->is_wrapped && !buffer->parent && !buffer->elements;
}
bool tn__buffer_is_donatable(const tn_buffer_t* buffer) {
  return atomic_load(&buffer->references) == 1 && atomic_load(&buffer->holds) == 0 &&
         is_own(buffer);
}

// ---- use

tn_status_t tn__buffer_hold(tn_buffer_t* buffer, tn_memory_t* out_memory) {
  *out_memory = (tn_memory_t){NULL, 0};
  if (buffer->elements) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the buffer is a tuple, which has no bytes of its own; take its %zu "
                            "elements",
                            buffer->type.element_count);
  }
  unsigned holds = atomic_load(&buffer->holds);
  while (holds != DONATED) {
    if (!atomic_compare_exchange_weak(&buffer->holds, &holds, holds + 1)) continue;
    *out_memory = buffer->memory;
    return TN_OK;
  }
  return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                          "the buffer %s was donated to a run; its contents are gone",
                          TN_TYPE_TEXT(&buffer->type));
}

void tn__buffer_unhold(tn_buffer_t* buffer) {
  atomic_fetch_sub(&buffer->holds, 1);
}

bool tn__buffer_take_memory(tn_buffer_t* buffer, tn_memory_t* out_memory) {
  unsigned holds = 0;
  *out_memory = (tn_memory_t){NULL, 0};
  if (!is_own(buffer)) return false;
  if (!atomic_compare_exchange_strong(&buffer->holds, &holds, DONATED)) return false;
  *out_memory = buffer->memory;
  free_host_copy(buffer);
  return true;
}

void tn__buffer_put_memory(tn_buffer_t* buffer, tn_memory_t memory) {
  buffer->memory = memory;
  atomic_store(&buffer->holds, 0);
}

void tn__buffer_put_wrapped(tn_buffer_t* buffer, tn_memory_t memory) {
  buffer->is_wrapped = true;
  tn__buffer_put_memory(buffer, memory);
}

// Waits for the contents, and holds them.
static tn_status_t hold_contents(tn_buffer_t* buffer, tn_memory_t* out_memory) {
  TN_RETURN_IF_ERROR(tn__buffer_hold(buffer, out_memory));
  tn_status_t status = buffer->ready ? tn_event_wait(buffer->ready, -1) : TN_OK;
  if (status) tn__buffer_unhold(buffer);
  return status;
}

tn_status_t tn_buffer_to_host(tn_buffer_t* buffer, void* data, size_t byte_size) {
  TN_RETURN_IF_NULL(buffer);
  if (byte_size) TN_RETURN_IF_NULL(data);
  if (byte_size != buffer->byte_size) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%zu bytes for the contents of a %s of %zu",
                            byte_size, TN_TYPE_TEXT(&buffer->type), buffer->byte_size);
  }
  tn_memory_t memory;
  TN_RETURN_IF_ERROR(hold_contents(buffer, &memory));
  tn_status_t status =
      buffer->device->vtable->copy_to_host(buffer->device, NULL, data, memory, byte_size);
  tn__buffer_unhold(buffer);
  return status;
}

// The bytes are immutable, so threads that come at once make the same copy.
static tn_status_t copy_for_host(tn_buffer_t* buffer, tn_memory_t memory, const void** out_data) {
  tn_device_t* device = buffer->device;
  void *copy = NULL, *other = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, buffer->byte_size, &copy));
  tn_status_t status = device->vtable->copy_to_host(device, NULL, copy, memory, buffer->byte_size);
  const bool is_kept = !status && atomic_compare_exchange_strong(&buffer->host_copy, &other, copy);
  if (!is_kept) tn__free(device->allocator, copy, buffer->byte_size);
  *out_data = is_kept ? copy : other;
  return status;
}

tn_status_t tn_buffer_map(tn_buffer_t* buffer, const void** out_data) {
  tn_memory_t memory;
  *out_data = NULL;
  TN_RETURN_IF_NULL(buffer);
  TN_RETURN_IF_ERROR(hold_contents(buffer, &memory));
  *out_data = buffer->device->vtable->host_pointer(buffer->device, memory);
  if (!*out_data) *out_data = atomic_load(&buffer->host_copy);
  if (*out_data || buffer->byte_size == 0) return TN_OK;
  tn_status_t status = copy_for_host(buffer, memory, out_data);
  if (status) tn__buffer_unhold(buffer);
  return status;
}

void tn_buffer_unmap(tn_buffer_t* buffer) {
  tn__buffer_unhold(buffer);
}
