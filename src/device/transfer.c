// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Buffers from one device to another.
#include "device/buffer.h"
#include "device/event.h"

typedef struct transfer {
  tn_buffer_t* from;  // retained and held
  tn_buffer_t* to;    // retained
  tn_memory_t from_memory, to_memory;
  size_t byte_size;
} transfer_t;

// Through memory of the host that neither device has.
static tn_status_t copy_staged(const transfer_t* self) {
  tn_device_t *source = tn_buffer_device(self->from), *target = tn_buffer_device(self->to);
  tn_host_block_t staging;
  TN_RETURN_IF_ERROR(tn__device_take_host(target, target->allocator, self->byte_size, &staging));
  tn_status_t status =
      source->vtable->copy_to_host(source, NULL, staging.data, self->from_memory, self->byte_size);
  if (!status) {
    status = target->vtable->copy_from_host(target, NULL, self->to_memory, staging.data,
                                            self->byte_size);
  }
  tn__device_give_host(target, target->allocator, staging);
  return status;
}

static tn_status_t copy(const transfer_t* self) {
  tn_device_t *source = tn_buffer_device(self->from), *target = tn_buffer_device(self->to);
  if (self->byte_size == 0) return TN_OK;
  if (source == target) {
    return source->vtable->copy(source, NULL, self->to_memory, self->from_memory, self->byte_size);
  }
  const void* from = source->vtable->host_pointer(source, self->from_memory);
  if (from) {
    return target->vtable->copy_from_host(target, NULL, self->to_memory, from, self->byte_size);
  }
  void* to = target->vtable->host_pointer(target, self->to_memory);
  if (to) {
    return source->vtable->copy_to_host(source, NULL, to, self->from_memory, self->byte_size);
  }
  return copy_staged(self);
}

static void end(const transfer_t* self) {
  tn__buffer_unhold(self->from);
  tn_buffer_release(self->from);
  tn_buffer_release(self->to);
}

// In a stream's turn, behind what makes the contents.
static tn_status_t work(void* user, tn_status_t poison) {
  transfer_t* self = user;
  const tn_allocator_t* allocator = tn_buffer_device(self->to)->allocator;
  tn_status_t status = poison ? TN_OK : copy(self);
  end(self);
  tn__free(allocator, self, sizeof *self);
  return status;
}

static tn_status_t create_target(const tn_buffer_t* from, tn_device_t* device, tn_event_t* ready,
                                 tn_memory_t* out_memory, tn_buffer_t** out_buffer) {
  const tn_type_t* type = tn_buffer_type(from);
  TN_RETURN_IF_ERROR(device->vtable->allocate(device, tn_buffer_byte_size(from), 0, out_memory));
  return tn__buffer_create_over(device, type->dtype, type->rank, type->dims, *out_memory, ready,
                                out_buffer);
}

static tn_status_t begin(tn_buffer_t* from, tn_device_t* device, tn_event_t* ready,
                         transfer_t* out_self) {
  *out_self = (transfer_t){.byte_size = tn_buffer_byte_size(from)};
  TN_RETURN_IF_ERROR(tn__buffer_hold(from, &out_self->from_memory));
  tn_status_t status = create_target(from, device, ready, &out_self->to_memory, &out_self->to);
  if (status) {
    tn__buffer_unhold(from);
    return status;
  }
  out_self->from = tn_buffer_retain(from);
  return TN_OK;
}

static tn_status_t copy_now(tn_buffer_t* from, tn_device_t* device, tn_buffer_t** out_buffer) {
  transfer_t self;
  tn_event_t* written = tn_buffer_ready_event(from);
  if (written) TN_RETURN_IF_ERROR(tn_event_wait(written, -1));
  TN_RETURN_IF_ERROR(begin(from, device, NULL, &self));
  tn_status_t status = copy(&self);
  if (!status) *out_buffer = tn_buffer_retain(self.to);
  end(&self);
  return status;
}

// What fails before the work is enqueued leaves nothing behind.
static tn_status_t enqueue(tn_buffer_t* from, tn_stream_t* stream, tn_event_t* ready,
                           tn_buffer_t** out_buffer) {
  void* memory = NULL;
  tn_device_t* device = tn_stream_device(stream);
  tn_event_t* written = tn_buffer_ready_event(from);
  if (!tn__event_is_settled(written)) TN_RETURN_IF_ERROR(tn_stream_wait_event(stream, written));
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(transfer_t), &memory));
  transfer_t* self = memory;
  tn_status_t status = begin(from, device, ready, self);
  if (status) {
    tn__free(device->allocator, self, sizeof *self);
    return status;
  }
  tn_buffer_t* to = tn_buffer_retain(self->to);
  status = tn__stream_enqueue(stream, work, self, TN_STREAM_MAY_RUN_INLINE);
  if (status) {
    end(self);
    tn__free(device->allocator, self, sizeof *self);
  } else {
    status = tn_stream_record_event(stream, ready);
  }
  if (status) {
    tn_buffer_release(to);
    return status;
  }
  *out_buffer = to;
  return TN_OK;
}

tn_status_t tn_buffer_to_device(tn_buffer_t* buffer, tn_device_t* device, tn_stream_t* stream,
                                tn_buffer_t** out_buffer) {
  tn_event_t* ready = NULL;
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(buffer);
  TN_RETURN_IF_NULL(device);
  if (tn_type_kind(tn_buffer_type(buffer)) != TN_TYPE_TENSOR) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_buffer_to_device: the buffer is a tuple; expected an array");
  }
  if (!stream) return copy_now(buffer, device, out_buffer);
  if (tn_stream_device(stream) != device) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_buffer_to_device: the stream belongs to another device (%s) than "
                            "the one named (%s)",
                            tn_device_name(tn_stream_device(stream)), tn_device_name(device));
  }
  TN_RETURN_IF_ERROR(tn_event_create(device, &ready));
  tn_status_t status = enqueue(buffer, stream, ready, out_buffer);
  tn_event_release(ready);
  return status;
}
