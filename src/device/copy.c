// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/copy.h"

typedef struct copy_job {
  tn_device_t* device;  // retained
  tn_copy_fn copy;
  void* to;
  const void* from;
  size_t byte_size;
} copy_job_t;

static tn_status_t work(void* user, tn_status_t poison) {
  copy_job_t* job = user;
  tn_device_t* device = job->device;
  tn_status_t status = poison ? TN_OK : job->copy(device, job->to, job->from, job->byte_size);
  tn__free(device->allocator, job, sizeof *job);
  tn_device_release(device);
  return status;
}

tn_status_t tn__copy_in_turn(tn_device_t* device, tn_stream_t* stream, tn_copy_fn copy, void* to,
                             const void* from, size_t byte_size) {
  void* memory = NULL;
  if (!stream) return copy(device, to, from, byte_size);
  TN_RETURN_IF_ERROR(tn__allocate(device->allocator, sizeof(copy_job_t), &memory));
  copy_job_t* job = memory;
  *job = (copy_job_t){tn_device_retain(device), copy, to, from, byte_size};
  tn_status_t status = tn__stream_enqueue(stream, work, job, 0);
  if (status) {
    tn__free(device->allocator, job, sizeof *job);
    tn_device_release(device);
  }
  return status;
}
