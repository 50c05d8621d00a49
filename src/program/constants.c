// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Constants in the memory of a device that is not the host.
#include "base/integer.h"
#include "program/program.h"

static bool is_devices(const tn_plan_buffer_t* buffer) {
  return buffer->kind == TN_PLAN_CONSTANT && buffer->byte_size > 0;
}

// Gives each its offset.
static tn_status_t lay_out(const tn_program_t* program, size_t* out_byte_size) {
  size_t end = 0;
  for (size_t u = 0; u < program->unit_count; ++u) {
    const tn_plan_t* plan = program->units[u].plan;
    for (size_t b = 0; b < plan->buffer_count; ++b) {
      tn_plan_buffer_t* buffer = &plan->buffers[b];
      if (!is_devices(buffer)) continue;
      end = tn__align_up(end, TN_PLAN_ALIGNMENT);
      buffer->offset = end;
      if (__builtin_add_overflow(end, buffer->byte_size, &end) ||
          end > PTRDIFF_MAX - TN_PLAN_ALIGNMENT) {
        return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                                "the program's constants exceed the address space");
      }
    }
  }
  *out_byte_size = end;
  return TN_OK;
}

tn_status_t tn__program_place_constants(tn_program_t* program) {
  tn_device_t* device = program->device;
  size_t byte_size = 0;
  if (device->target->is_host) return TN_OK;
  TN_RETURN_IF_ERROR(lay_out(program, &byte_size));
  TN_RETURN_IF_ERROR(
      device->vtable->allocate(device, byte_size, TN_PLAN_ALIGNMENT, &program->constant_memory));
  program->has_constant_memory = true;
  for (size_t u = 0; u < program->unit_count; ++u) {
    const tn_plan_t* plan = program->units[u].plan;
    for (size_t b = 0; b < plan->buffer_count; ++b) {
      const tn_plan_buffer_t* buffer = &plan->buffers[b];
      if (!is_devices(buffer)) continue;
      const tn_memory_t to = tn__memory_at(program->constant_memory, buffer->offset);
      TN_RETURN_IF_ERROR(
          device->vtable->copy_from_host(device, NULL, to, buffer->data, buffer->byte_size));
    }
  }
  return TN_OK;
}
