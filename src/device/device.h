// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Inside of tn_device_t (public in <tenon/detail/device.h>): what a device is to the components
// above.
#ifndef TENON_DEVICE_DEVICE_H_
#define TENON_DEVICE_DEVICE_H_

#include <stdatomic.h>
#include <tenon/detail/device.h>
#include <tenon/stream.h>

#include "base/allocator.h"
#include "base/pool.h"
#include "device/context.h"
#include "kernel/encoder.h"
#include "kernel/target.h"

typedef struct tn_device_vtable tn_device_vtable_t;

// A place in a device's memory: what the device allocated, and an offset into it. A value without
// an owner. The handle is an address of the device: on the CPU and with CUDA the real one,
// elsewhere one from a range that the device deals out itself, and knows the object behind.
typedef struct tn_memory {
  void* handle;
  size_t byte_offset;
} tn_memory_t;

static inline tn_memory_t tn__memory_at(tn_memory_t memory, size_t byte_offset) {
  return (tn_memory_t){memory.handle, memory.byte_offset + byte_offset};
}

// What the device's kernels take for it. The host may look there only if host_pointer says so.
static inline void* tn__memory_address(tn_memory_t memory) {
  return (char*)memory.handle + memory.byte_offset;
}

struct tn_device {
  const tn_device_vtable_t* vtable;
  atomic_uint references;
  const tn_allocator_t* allocator;
  tn_context_t* context;              // held
  const tn_compile_target_t* target;  // what programs for it are compiled for: the first of these
  tn_compile_target_t targets[2];     // its own, and what the host computes for it
  size_t memory_alignment;            // of every allocation, at least
  tn_pool_t* pool;                    // for parallel loops on the host; never NULL
  _Atomic(tn_stream_t*) own_stream;   // the default one; NULL: it was not needed yet
  tn_stream_t* chosen_stream;         // that was set in its place; retained; see defaults.c
  tn_device_t* next_chosen;           // the next of the context's devices that have one
  int32_t ordinal;                    // among the devices of its kind
  char name[32];
};

// How long a thread that waits for work of the device looks again and again before it sleeps. Of a
// GPU it is worth a millisecond, as the driver thinks too.
static inline int64_t tn__device_spin_ns(const tn_device_t* device, int64_t of_host_ns) {
  enum { OF_GPU_NS = 1000000 };
  return device->target->has_lanes ? OF_GPU_NS : of_host_ns;
}

// Work on the host that a stream does in its turn. Called exactly once after a successful enqueue,
// under no lock. `poison` NULL: do the work; its error poisons the stream. Otherwise something
// before failed: do nothing but give up what `user` owns (the return value then has no meaning;
// return OK). `poison` is a view.
typedef tn_status_t (*tn_stream_work_fn)(void* user, tn_status_t poison);

typedef enum tn_stream_flags {
  // When nothing is under way on the stream, the work is done on the calling thread before enqueue
  // returns. Costs some ten nanoseconds, where handing it to another thread costs microseconds.
  TN_STREAM_MAY_RUN_INLINE = 1 << 0,
} tn_stream_flags_t;

// What a device that is not the host runs, one kernel after the other, beside the host. Made and
// used by one thread at a time.
typedef struct tn_queue tn_queue_t;

// An instruction for a queue. Read before the launch returns; what state, local, bodies and context
// of the call point to stays as it is until the queue has finished.
typedef struct tn_launch {
  const tn_kernel_t* kernel;     // of the device's target
  const tn_kernel_call_t* call;  // operands, results and scratch are addresses of the device
  uint32_t operand_count, result_count;
  uint32_t tag;  // what finish calls it by
} tn_launch_t;
#define TN_LAUNCH_UNKNOWN UINT32_MAX

// Common part of every device's streams.
struct tn_stream {
  atomic_uint references;
  tn_device_t* device;  // retained
  // The device's own: it lives as long as the device, whose references count for it.
  bool is_own;
};

// Every function is thread-safe unless its comment says otherwise.
struct tn_device_vtable {
  // Frees the device; no buffer, stream or event of it is left.
  void (*destroy)(tn_device_t* device);

  // ---- memory

  // Contents are undefined. `alignment` 0 is memory_alignment. A length of 0 gives memory, too.
  tn_status_t (*allocate)(tn_device_t* device, size_t byte_size, size_t alignment,
                          tn_memory_t* out_memory);
  // `memory` as allocate gave it. Work on streams that uses it must be over; see tn__device_free.
  void (*free)(tn_device_t* device, tn_memory_t memory);
  void (*statistics)(const tn_device_t* device, tn_memory_statistics_t* out_statistics);
  void (*reset_peak)(tn_device_t* device);
  void (*set_memory_limit)(tn_device_t* device, size_t byte_size);
  void (*set_cache_limit)(tn_device_t* device, size_t byte_size);
  void (*trim)(tn_device_t* device, size_t keep_byte_size);
  // Where the host sees the memory; NULL when it does not.
  void* (*host_pointer)(tn_device_t* device, tn_memory_t memory);
  // Memory of the host as the device's, without a copy; it stays the caller's. UNIMPLEMENTED when
  // the device cannot, or not with this address.
  tn_status_t (*wrap_host)(tn_device_t* device, void* data, size_t byte_size,
                           tn_memory_t* out_memory);
  void (*unwrap_host)(tn_device_t* device, tn_memory_t memory);

  // ---- copies. Any part of an allocation will do. `stream` NULL: done when the function returns.
  // Otherwise in the stream's turn; the memory on both sides must live until then.
  tn_status_t (*copy_from_host)(tn_device_t* device, tn_stream_t* stream, tn_memory_t to,
                                const void* from, size_t byte_size);
  tn_status_t (*copy_to_host)(tn_device_t* device, tn_stream_t* stream, void* to, tn_memory_t from,
                              size_t byte_size);
  tn_status_t (*copy)(tn_device_t* device, tn_stream_t* stream, tn_memory_t to, tn_memory_t from,
                      size_t byte_size);

  // ---- kernels; NULL where the target's kernels are called, on the host

  // The device outlives the queue.
  tn_status_t (*queue_create)(tn_device_t* device, tn_queue_t** out_queue);
  // It has finished.
  void (*queue_destroy)(tn_queue_t* queue);
  // Starts a kernel behind those that were launched before, and does not wait for it.
  tn_status_t (*launch)(tn_queue_t* queue, const tn_launch_t* launch);
  // Waits for all that was launched. Returns the first error of it, and the tag of the launch that
  // had it, or TN_LAUNCH_UNKNOWN; what came behind that was not run. Then the queue is as new.
  tn_status_t (*finish)(tn_queue_t* queue, uint32_t* out_tag);
  // A view, for graphs; NULL where kernels encode nothing.
  tn_encoder_t* (*queue_encoder)(tn_queue_t* queue);
  // Copies behind what was launched, and do not wait. The host's memory stays as it is until the
  // queue has finished; what comes from the device is there then.
  tn_status_t (*queue_copy_from_host)(tn_queue_t* queue, tn_memory_t to, const void* from,
                                      size_t byte_size);
  tn_status_t (*queue_copy_to_host)(tn_queue_t* queue, void* to, tn_memory_t from,
                                    size_t byte_size);
  // Marks the place behind what was launched: from then on other queues of the device may wait for
  // it, with the order made by the device.
  tn_status_t (*queue_record)(tn_queue_t* queue, void** out_mark);
  // What is launched later waits for it. It lives until the queue has finished.
  tn_status_t (*queue_wait)(tn_queue_t* queue, void* mark);
  void (*mark_destroy)(tn_device_t* device, void* mark);

  // ---- memory of the host that the device copies from and to fastest (pinned, locked in place);
  // NULL where any memory is as good. RESOURCE_EXHAUSTED when there is enough of it: any memory
  // will do then.
  tn_status_t (*host_allocate)(tn_device_t* device, size_t byte_size, void** out_data);
  void (*host_free)(tn_device_t* device, void* data);

  // ---- streams; see <tenon/stream.h> for what they promise

  // The device retains itself for the stream.
  tn_status_t (*stream_create)(tn_device_t* device, tn_stream_t** out_stream);
  // After the last release: waits for the stream's work, and frees it.
  void (*stream_destroy)(tn_stream_t* stream);
  tn_status_t (*stream_enqueue)(tn_stream_t* stream, tn_stream_work_fn work, void* user,
                                unsigned flags);
  tn_status_t (*stream_record)(tn_stream_t* stream, tn_event_t* event);
  tn_status_t (*stream_wait)(tn_stream_t* stream, tn_event_t* event);
  tn_status_t (*stream_synchronize)(tn_stream_t* stream);
  bool (*stream_is_idle)(const tn_stream_t* stream);
  // What a handler gets as the platform's stream (a CUstream...); NULL when there is none.
  void* (*stream_native)(tn_stream_t* stream);
};

// Memory of the host for copies, zeroed: the device's pinned memory, or the allocator's.
typedef struct tn_host_block {
  void* data;
  size_t byte_size;
  bool is_pinned;
} tn_host_block_t;

TN_MUST_USE tn_status_t tn__device_take_host(tn_device_t* device, const tn_allocator_t* allocator,
                                             size_t byte_size, tn_host_block_t* out_block);
void tn__device_give_host(tn_device_t* device, const tn_allocator_t* allocator,
                          tn_host_block_t block);

// For the implementation of a device: fills the common part, with one reference. `vtable` and
// `target`, which says what devices of the kind are, are static; `options` are complete, as
// tn_device_driver_t.create gets them; `pool` is taken.
void tn__device_init(tn_device_t* device, const tn_device_vtable_t* vtable, const char* name,
                     const tn_compile_target_t* target, const tn_device_options_t* options,
                     tn_pool_t* pool);
// Gives up what tn__device_init took; the last thing before the device's memory goes.
void tn__device_deinit(tn_device_t* device);

// Takes and returns the error of something of `a` that was given where something of `b` belongs:
// adds which devices they are, and what tells them apart.
tn_status_t tn__device_explain(tn_status_t status, const tn_device_t* a, const tn_device_t* b);

// Gives memory back when the event has happened, well or with an error; NULL: now. Never waits, but
// where there is no memory to note it.
void tn__device_free(tn_device_t* device, tn_memory_t memory, tn_event_t* after);

// tn_stream_create's counterpart below the public functions; see tn_stream_work_fn.
TN_MUST_USE tn_status_t tn__stream_enqueue(tn_stream_t* stream, tn_stream_work_fn work, void* user,
                                           unsigned flags);

#endif  // TENON_DEVICE_DEVICE_H_
