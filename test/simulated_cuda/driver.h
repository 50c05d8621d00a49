// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of the driver that is simulated.
#ifndef SIMULATED_CUDA_DRIVER_H_
#define SIMULATED_CUDA_DRIVER_H_

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

// The API, declared from the table of what Tenon loads.
typedef struct tn_cu_context_object* tn_cu_context_t;
typedef struct tn_cu_stream_object* tn_cu_stream_t;
typedef struct tn_cu_event_object* tn_cu_event_t;
typedef struct tn_cu_graph_object* tn_cu_graph_t;
typedef struct tn_cu_graph_exec_object* tn_cu_graph_exec_t;
typedef struct tn_cu_module_object* tn_cu_module_t;
typedef struct tn_cu_function_object* tn_cu_function_t;
#define TN_CUDA_FUNCTION(name, suffix, ...) \
  __attribute__((visibility("default"))) int32_t cu##name##suffix(__VA_ARGS__);
#include "device/cuda/driver.def"
#undef TN_CUDA_FUNCTION
#define TN_CUDA_FUNCTION(name, suffix, ...) \
  __attribute__((visibility("default"))) int32_t cu##name##suffix(__VA_ARGS__);
#include "examples.def"
#undef TN_CUDA_FUNCTION

enum {
  SIM_SUCCESS = 0,
  SIM_INVALID_VALUE = 1,
  SIM_OUT_OF_MEMORY = 2,
  SIM_NOT_INITIALIZED = 3,
  SIM_INVALID_DEVICE = 101,
  SIM_INVALID_IMAGE = 200,
  SIM_INVALID_CONTEXT = 201,
  SIM_NO_BINARY_FOR_GPU = 209,
  SIM_INVALID_PTX = 218,
  SIM_INVALID_HANDLE = 400,
  SIM_ILLEGAL_STATE = 401,
  SIM_NOT_FOUND = 500,
  SIM_ILLEGAL_ADDRESS = 700,
  SIM_CAPTURE_UNSUPPORTED = 900,
  SIM_CAPTURE_INVALIDATED = 901,
  SIM_CAPTURE_UNJOINED = 904,
  SIM_CAPTURE_ISOLATION = 905,
  SIM_CAPTURED_EVENT = 907,
  SIM_CAPTURE_WRONG_THREAD = 908,

  SIM_DEVICE_COUNT = 2,
};

// One of each device: the primary one.
struct tn_cu_context_object {
  int32_t use_count;
  int32_t error;      // that it does not survive
  size_t live_count;  // streams, modules and allocations
};

struct tn_cu_function_object {
  tn_cu_function_t next;
  const sim_kernel_t* kernel;
  tn_cu_module_t module;
};

struct tn_cu_module_object {
  tn_cu_context_t context;  // NULL: of a library, which is in all of them
  tn_cu_module_t next;
  void* library;
  tn_cu_function_t functions;  // that were asked for
};

// What the simulated cuBLAS, another library, calls.
#define SIM_SHARED __attribute__((visibility("default")))

// All state: contexts, allocations, modules, the list of streams.
SIM_SHARED extern pthread_mutex_t sim_mutex;

// The calling thread's context, or why a call is refused.
SIM_SHARED int32_t sim_context(tn_cu_context_t* out_context);
// The same for calls that may wait for streams: what the thread captures does not survive them.
int32_t sim_context_to_wait(tn_cu_context_t* out_context);
SIM_SHARED int32_t sim_context_error(tn_cu_context_t context);
// 90 is sm_90; SIMULATED_CUDA_ARCHITECTURE names another one.
uint32_t sim_architecture(void);
SIM_SHARED void sim_set_error(tn_cu_context_t context, int32_t error);
void sim_count(tn_cu_context_t context, int change);
// Ends the process: the caller has done what is wrong without a doubt.
SIM_SHARED __attribute__((noreturn, format(printf, 1, 2))) void sim_abort(const char* format, ...);

// memory.c. Whether an address is in the range of devices.
bool sim_is_device_address(uint64_t address);
// Where the bytes are in the process; NULL when they are not in an allocation that is alive.
SIM_SHARED void* sim_find_bytes(uint64_t address, size_t byte_size);

// stream.c. Work in the stream's turn; `user` is given up after it, and stays the caller's where it
// is refused.
typedef struct sim_work {
  void (*run)(tn_cu_context_t context, void* user);
  void (*give_up)(void* user);
  void* user;
} sim_work_t;
SIM_SHARED int32_t sim_enqueue(tn_cu_stream_t stream, tn_cu_context_t context,
                               const sim_work_t* work);
void sim_wait_for_all(tn_cu_context_t context);
bool sim_is_stream_of(tn_cu_stream_t stream, tn_cu_context_t context);
// Of a stream, under the mutex of graph.c: the number of the capture it is in (0: none), and
// whether it was given work there for which the capture's own stream does not wait yet.
uint64_t* sim_stream_capture(tn_cu_stream_t stream);
bool* sim_stream_is_unjoined(tn_cu_stream_t stream);
// Takes all streams out of a capture. Whether one but `origin` has work that is not waited for.
bool sim_streams_leave_capture(uint64_t number, tn_cu_stream_t origin);

// graph.c. Captures have numbers, from 1; one that is over is unknown.
typedef struct sim_capture sim_capture_t;
uint64_t sim_capture_of(tn_cu_stream_t stream);  // 0: none
void sim_capture_break(uint64_t number);
// Whether the calling thread captures, in a mode that forbids what may wait: that breaks it.
bool sim_capture_forbids(void);
// Whether the stream is captured: then the work is taken, but for an error.
bool sim_capture_add(tn_cu_stream_t stream, const sim_work_t* work, int32_t* out_error);
// The stream waits for a place in another, which was recorded in the capture `number`; 0: in none.
int32_t sim_capture_wait(tn_cu_stream_t stream, uint64_t number, tn_cu_stream_t from);

// blocks.c: runs a block, whose threads may wait for each other.
void sim_run_block(const sim_kernel_t* kernel, sim_block_t* block, void** parameters);

#endif  // SIMULATED_CUDA_DRIVER_H_
