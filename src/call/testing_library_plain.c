// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A library without a table: handlers and functions that are loaded by their symbols. Handlers that
// no header wrote.
#include <tenon/detail/custom/abi.h>

#define EXPORT __attribute__((visibility("default")))

static tn_ffi_type_id_t counter_id;
static int live_counters;

EXPORT tn_ffi_type_id_t* counter_type_id(void);
EXPORT const tn_ffi_type_info_t* counter_type_info(void);
EXPORT int* plain_live_counters(void);
EXPORT tn_status_t plain_instantiate(tn_ffi_call_frame_t* frame);
EXPORT tn_status_t plain_execute(tn_ffi_call_frame_t* frame);
EXPORT tn_status_t plain_too_new(tn_ffi_call_frame_t* frame);
EXPORT tn_status_t plain_silent(tn_ffi_call_frame_t* frame);
EXPORT void plain_double(void* out, const void** in);

typedef struct counter {
  int64_t calls;
} counter_t;

static counter_t the_counter;

int* plain_live_counters(void) {
  return &live_counters;
}

static void destroy_counter(void* counter) {
  ((counter_t*)counter)->calls = 0;
  --live_counters;
}

tn_ffi_type_id_t* counter_type_id(void) {
  return &counter_id;
}
const tn_ffi_type_info_t* counter_type_info(void) {
  static const tn_ffi_type_info_t info = {TN_FFI_TYPE_INFO_SIZE, NULL, destroy_counter};
  return &info;
}

static int answer(tn_ffi_call_frame_t* frame, int32_t minor, int64_t state) {
  if (!frame->extension_start || frame->extension_start->type != TN_FFI_METADATA) return 0;
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  metadata->api_version.major = 0;
  metadata->api_version.minor = minor;
  metadata->state_type_id.id = state;
  return 1;
}

// The state counts the calls of execute.
tn_status_t plain_instantiate(tn_ffi_call_frame_t* frame) {
  if (answer(frame, 3, counter_id.id)) return TN_OK;
  tn_ffi_state_set_t set = {TN_FFI_STATE_SET_SIZE, NULL,        frame->context,
                            TN_FFI_INSTANTIATE,    &counter_id, &the_counter};
  ++live_counters;
  return frame->api->state_set(&set);
}

// y = x + number of calls before
tn_status_t plain_execute(tn_ffi_call_frame_t* frame) {
  if (answer(frame, 3, 0)) return TN_OK;
  tn_ffi_state_get_t get = {TN_FFI_STATE_GET_SIZE, NULL,        frame->context,
                            TN_FFI_INSTANTIATE,    &counter_id, NULL};
  tn_status_t error = frame->api->state_get(&get);
  if (error) return error;
  counter_t* counter = get.state;
  const tn_ffi_buffer_t* x = frame->args.values[0];
  const tn_ffi_buffer_t* y = frame->rets.values[0];
  for (int64_t i = 0; i < x->dims[0]; ++i) {
    ((float*)y->data)[i] = ((const float*)x->data)[i] + (float)counter->calls;
  }
  ++counter->calls;
  return TN_OK;
}

tn_status_t plain_too_new(tn_ffi_call_frame_t* frame) {
  answer(frame, 99, 0);
  return TN_OK;
}

tn_status_t plain_silent(tn_ffi_call_frame_t* frame) {
  (void)frame;
  return TN_OK;
}

void plain_double(void* out, const void** in) {
  for (int i = 0; i < 4; ++i) ((float*)out)[i] = 2 * ((const float*)in[0])[i];
}
