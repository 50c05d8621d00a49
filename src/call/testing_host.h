// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A host of custom operations for tests: what calls a handler, built by hand. Its error objects are
// statuses, as in Tenon; everything else it does as plainly as it can, and it counts.
#ifndef TENON_CALL_TESTING_HOST_H_
#define TENON_CALL_TESTING_HOST_H_

#include <tenon/detail/custom/abi.h>

#include <stdbool.h>
#include <tenon/detail/status.h>

enum { TN_TESTING_MAX = 16 };

typedef struct tn_testing_host {
  tn_ffi_api_t api;
  tn_ffi_context_t* context;  // the host itself
  bool has_memory;            // for handlers' scratch
  int64_t live_blocks;
  int64_t thread_count;
  bool schedules;    // false: refuses tasks
  bool keeps_tasks;  // true: does not run them until tn__host_run_tasks
  void (*tasks[TN_TESTING_MAX])(void* data);
  void* task_data[TN_TESTING_MAX];
  int64_t task_count;
  char type_names[TN_TESTING_MAX][128];  // the type with index 0 has id 1
  tn_ffi_type_info_t type_infos[TN_TESTING_MAX];
  int64_t type_count;
  void* states[4];  // by stage
  int64_t state_types[4];
  void (*state_deleters[4])(void* state);
  bool future_is_done;
  tn_status_t future_error;
} tn_testing_host_t;

// A host of the newest version that has everything. Deinit destroys its states and its error.
void tn__testing_host_init(tn_testing_host_t* host);
void tn__testing_host_deinit(tn_testing_host_t* host);
void tn__host_run_tasks(tn_testing_host_t* host);

// Attributes, kept sorted; at most TN_TESTING_MAX. Nothing is copied but the scalars and headers.
typedef struct tn_testing_attrs {
  tn_ffi_attrs_t attrs;
  int32_t types[TN_TESTING_MAX];
  tn_ffi_bytes_t* names[TN_TESTING_MAX];
  void* values[TN_TESTING_MAX];
  tn_ffi_bytes_t name_storage[TN_TESTING_MAX];
  uint64_t scalar_storage[TN_TESTING_MAX];
  union {
    tn_ffi_scalar_t scalar;
    tn_ffi_array_t array;
    tn_ffi_bytes_t string;
  } storage[TN_TESTING_MAX];
} tn_testing_attrs_t;

void tn__host_attrs_init(tn_testing_attrs_t* attrs);
void tn__host_scalar(tn_testing_attrs_t* attrs, const char* name, tn_ffi_dtype_t dtype,
                     const void* value);
void tn__host_array(tn_testing_attrs_t* attrs, const char* name, tn_ffi_dtype_t dtype,
                    const void* data, size_t count);
void tn__host_string(tn_testing_attrs_t* attrs, const char* name, const char* text);
void tn__host_dictionary(tn_testing_attrs_t* attrs, const char* name, tn_testing_attrs_t* nested);

// A call frame. `tn__host_frame_init` makes one of the execute stage without any values.
typedef struct tn_testing_frame {
  tn_ffi_call_frame_t frame;
  tn_testing_attrs_t attrs;
  tn_ffi_buffer_t buffers[2][TN_TESTING_MAX];
  int64_t dims[2][TN_TESTING_MAX][4];
  int32_t types[2][TN_TESTING_MAX];
  void* values[2][TN_TESTING_MAX];
} tn_testing_frame_t;

#define TN_TESTING_DIMS(...)                                                   \
  (int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]) { \
    __VA_ARGS__                                                                \
  }

void tn__host_frame_init(tn_testing_frame_t* frame, tn_testing_host_t* host);
void tn__host_arg(tn_testing_frame_t* frame, tn_ffi_dtype_t dtype, const void* data, int64_t rank,
                  const int64_t* dims);
void tn__host_ret(tn_testing_frame_t* frame, tn_ffi_dtype_t dtype, void* data, int64_t rank,
                  const int64_t* dims);
tn_status_t tn__host_call(tn_ffi_handler_t handler, tn_testing_frame_t* frame);

// Asks the handler what it is, as a host does when it is registered.
tn_status_t tn__host_query(tn_ffi_handler_t handler, tn_testing_host_t* host,
                           tn_ffi_metadata_t* out_metadata);

#endif  // TENON_CALL_TESTING_HOST_H_
