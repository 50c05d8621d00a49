#include "device/reference/event.h"

#include <limits.h>

#include "base/linux/futex.h"
#include "device/cpu/stream.h"
#include "device/event.h"

// Only an event that is in a queue can be waited for in another.
enum { UNKNOWN, RECORDED, HAPPENED };

typedef struct native_event {
  atomic_uint state;
  tn_status_t error;  // written before the state becomes HAPPENED; owned
} native_event_t;

tn_status_t tn__reference_event_create(tn_device_t* device, void** out_native) {
  return tn__allocate(device->allocator, sizeof(native_event_t), out_native);
}

void tn__reference_event_destroy(tn_device_t* device, void* native) {
  tn_status_release(((native_event_t*)native)->error);
  tn__free(device->allocator, native, sizeof(native_event_t));
}

// --- in the streams' turns; `user` is the tn_event_t, retained

static native_event_t* native_of(tn_stream_t* stream, tn_event_t* event) {
  return tn__event_native(event, stream->device);
}

typedef struct command {
  tn_stream_t* stream;  // it outlives its work
  tn_event_t* event;    // retained
} command_t;

static void destroy(command_t* command) {
  tn_event_release(command->event);
  tn__free(command->stream->device->allocator, command, sizeof *command);
}

static tn_status_t happen(void* user, tn_status_t poison) {
  command_t* command = user;
  native_event_t* native = native_of(command->stream, command->event);
  native->error = tn_status_retain(poison);
  atomic_store(&native->state, HAPPENED);
  tn__futex_wake(&native->state, INT_MAX);
  destroy(command);
  return TN_OK;
}

static tn_status_t await(void* user, tn_status_t poison) {
  command_t* command = user;
  native_event_t* native = native_of(command->stream, command->event);
  tn_status_t status = TN_OK;
  if (!poison) {
    while (atomic_load(&native->state) != HAPPENED) {
      tn__futex_wait(&native->state, RECORDED, INT64_MAX);
    }
    status = tn_status_retain(native->error);
  }
  destroy(command);
  return status;
}

static tn_status_t create(tn_stream_t* stream, tn_event_t* event, command_t** out_command) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(stream->device->allocator, sizeof(command_t), &memory));
  *out_command = memory;
  **out_command = (command_t){stream, tn_event_retain(event)};
  return TN_OK;
}

static tn_status_t enqueue(command_t* command, tn_stream_work_fn work, unsigned flags) {
  tn_status_t status = tn__stream_enqueue(command->stream, work, command, flags);
  if (status) destroy(command);
  return status;
}

// --- streams

// The host's event first: with it, nothing can fail that a thread waits for.
static tn_status_t record(tn_stream_t* stream, tn_event_t* event, native_event_t* native) {
  command_t* command = NULL;
  unsigned state = UNKNOWN;
  TN_RETURN_IF_ERROR(create(stream, event, &command));
  tn_status_t status = tn__cpu_stream_record(stream, event);
  if (status) {
    destroy(command);
    return status;
  }
  status = enqueue(command, happen, TN_STREAM_MAY_RUN_INLINE);
  if (!status) atomic_compare_exchange_strong(&native->state, &state, RECORDED);
  tn_status_release(status);  // streams wait for the host's event then
  return TN_OK;
}

tn_status_t tn__reference_stream_record(tn_stream_t* stream, tn_event_t* event) {
  native_event_t* native = native_of(stream, event);
  return native ? record(stream, event, native) : tn__cpu_stream_record(stream, event);
}

tn_status_t tn__reference_stream_wait(tn_stream_t* stream, tn_event_t* event) {
  const native_event_t* native = native_of(stream, event);
  const unsigned state = native ? atomic_load(&native->state) : UNKNOWN;
  command_t* command = NULL;
  if (state == UNKNOWN) return tn__cpu_stream_wait(stream, event);
  TN_RETURN_IF_ERROR(create(stream, event, &command));
  return enqueue(command, await, state == HAPPENED ? TN_STREAM_MAY_RUN_INLINE : 0);
}
