// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Execution-context services: streams, scratch memory, threads, futures.
#ifndef TENON_DETAIL_CUSTOM_SERVICES_H_
#define TENON_DETAIL_CUSTOM_SERVICES_H_

#include <tenon/detail/custom/error.h>

#define TN__HAS(api, slot) ((api)->struct_size >= TN_FFI_END_OF(tn_ffi_api_t, slot))

#define tn_stream(call, out) tn__stream((call)->tn, out)                  // void*
#define tn_device_ordinal(call, out) tn__device_ordinal((call)->tn, out)  // int32_t
#define tn_run_id(call, out) tn__run_id((call)->tn, out)                  // int64_t
#define TN__ASK(function, slot, SIZE, ctype, field)                              \
  TN__UNUSED tn_status_t function(const tn_call_t* call, ctype* out) {           \
    tn_ffi_##slot##_t request = {SIZE, NULL, call->frame->context, 0};           \
    if (!TN__HAS(call->frame->api, slot))                                        \
      return tn__error(call, TN_FFI_UNIMPLEMENTED, "the runtime has no " #slot); \
    TN_TRY(call->frame->api->slot(&request));                                    \
    *out = request.field;                                                        \
    return TN_OK;                                                                \
  }
TN__ASK(tn__stream, stream_get, TN_FFI_STREAM_GET_SIZE, void*, stream)
TN__ASK(tn__device_ordinal, device_ordinal_get, TN_FFI_DEVICE_ORDINAL_GET_SIZE, int32_t,
        device_ordinal)
TN__ASK(tn__run_id, run_id_get, TN_FFI_RUN_ID_GET_SIZE, int64_t, run_id)

// The object that the caller of the program attached to the run under this type id.
#define tn_user_data(call, type_id, out) tn__user_data((call)->tn, type_id, out)
TN__UNUSED tn_status_t tn__user_data(const tn_call_t* call, tn_ffi_type_id_t type_id, void** out) {
  tn_ffi_context_get_t get = {TN_FFI_CONTEXT_GET_SIZE, NULL, call->frame->context, &type_id, NULL};
  TN_TRY(call->frame->api->context_get(&get));
  *out = get.data;
  return TN_OK;
}

typedef struct tn__block {
  struct tn__block* next;
  void* data;
  size_t size;
  bool from_runtime;
} tn__block_t;

TN__UNUSED void tn__free_block(const tn_call_t* call, void* data, size_t size) {
  tn_ffi_memory_free_t release = {TN_FFI_MEMORY_FREE_SIZE, NULL, call->frame->context, size, data};
  tn__drop_error(call->frame->api, call->frame->api->memory_free(&release));
}

TN__APART void tn__free_blocks(tn_call_t* call) {
  while (call->blocks) {
    tn__block_t* block = call->blocks;
    call->blocks = block->next;
    if (block->from_runtime) tn__free_block(call, block->data, block->size);
    free(block);
  }
}

// Memory on the operation's device until the handler returns; NULL if there is not enough. On the
// CPU it is aligned to 64 bytes, and allocated by malloc if the runtime has no memory for handlers.
#define tn_scratch(call, size) tn__scratch((call)->tn, size)
TN__UNUSED void* tn__scratch(tn_call_t* call, size_t size) {
  const bool on_cpu = !strcmp(call->op->platform, "Host");
  const size_t alignment = on_cpu ? 64 : 16;
  tn_ffi_memory_allocate_t allocate = {
      TN_FFI_MEMORY_ALLOCATE_SIZE, NULL, call->frame->context, size, alignment, NULL};
  tn__drop_error(call->frame->api, call->frame->api->memory_allocate(&allocate));
  const bool from_runtime = allocate.data != NULL;
  if (!from_runtime && (!on_cpu || size > SIZE_MAX / 4)) return NULL;
  tn__block_t* block = (tn__block_t*)malloc(sizeof *block + (from_runtime ? 0 : size + alignment));
  if (!block) {
    if (from_runtime) tn__free_block(call, allocate.data, size);
    return NULL;
  }
  block->next = call->blocks;
  block->data =
      from_runtime
          ? allocate.data
          : (void*)(((uintptr_t)(block + 1) + alignment - 1) & ~(uintptr_t)(alignment - 1));
  block->size = size;
  block->from_runtime = from_runtime;
  call->blocks = block;
  return block->data;
}

// The number of threads that tn_parallel_for can use, including the caller's; at least 1.
#define tn_thread_count(call) tn__thread_count((call)->tn)
TN__UNUSED int64_t tn__thread_count(const tn_call_t* call) {
  int64_t count = 1;
  tn_ffi_thread_count_t request = {TN_FFI_THREAD_COUNT_SIZE, NULL, call->frame->context, &count};
  tn__drop_error(call->frame->api, call->frame->api->thread_count(&request));
  return count < 1 ? 1 : count;
}

// A loop in progress. Its memory is shared by all threads that work on it, since a task may start
// after the end of the loop.
typedef struct tn__loop {
  void (*function)(void* user, int64_t begin, int64_t end);
  void* user;
  int64_t count, grain, next, done, owners;
} tn__loop_t;

TN__UNUSED void tn__loop_work(void* data) {
  tn__loop_t* loop = (tn__loop_t*)data;
  for (;;) {
    const int64_t begin = __atomic_fetch_add(&loop->next, loop->grain, __ATOMIC_RELAXED);
    if (begin >= loop->count) break;
    const int64_t end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
    loop->function(loop->user, begin, end);
    __atomic_fetch_add(&loop->done, end - begin, __ATOMIC_RELEASE);
  }
}

TN__UNUSED void tn__loop_release(tn__loop_t* loop) {
  if (__atomic_sub_fetch(&loop->owners, 1, __ATOMIC_ACQ_REL) == 0) free(loop);
}

TN__UNUSED void tn__loop_task(void* data) {
  tn__loop_work(data);
  tn__loop_release((tn__loop_t*)data);
}

// Calls function(user, begin, end) on ranges of [0, count) of at most `grain` elements (0: chosen
// automatically), on the runtime's threads and the current one, and returns when all are complete.
// It completes even if no other thread is available, so that calls may be nested.
#define tn_parallel_for(call, count, grain, function, user) \
  tn__parallel_for((call)->tn, count, grain, function, user)
TN__UNUSED void tn__parallel_for(const tn_call_t* call, int64_t count, int64_t grain,
                                 void (*function)(void* user, int64_t begin, int64_t end),
                                 void* user) {
  const int64_t threads = count > 1 && count != grain ? tn__thread_count(call) : 1;
  if (grain < 1) grain = count / (4 * threads) + 1;
  const int64_t parts = count / grain + (count % grain != 0);
  tn__loop_t* loop = threads > 1 && parts > 1 ? (tn__loop_t*)malloc(sizeof *loop) : NULL;
  if (!loop) {
    if (count > 0) function(user, 0, count);
    return;
  }
  const tn__loop_t start = {function, user, count, grain, 0, 0, 1};
  *loop = start;
  for (int64_t i = 1; i < threads && i < parts; ++i) {
    tn_ffi_schedule_t schedule = {TN_FFI_SCHEDULE_SIZE, NULL, call->frame->context, tn__loop_task,
                                  loop};
    __atomic_add_fetch(&loop->owners, 1, __ATOMIC_RELAXED);
    const tn_status_t error = call->frame->api->schedule(&schedule);
    if (error == TN_OK) continue;
    tn__drop_error(call->frame->api, error);
    __atomic_sub_fetch(&loop->owners, 1, __ATOMIC_RELAXED);
    break;
  }
  tn__loop_work(loop);
  for (int64_t turn = 0; __atomic_load_n(&loop->done, __ATOMIC_ACQUIRE) != count; ++turn) {
    if (turn > 1000) TN__YIELD();
  }
  tn__loop_release(loop);
}

// The same for a function that can fail, tn_status_t function(user, begin, end): after an error no
// other range begins, and the first error is returned.
#define tn_try_parallel_for(call, count, grain, function, user) \
  tn__try_parallel_for((call)->tn, count, grain, function, user)
typedef struct tn__try_loop {
  tn_status_t (*function)(void* user, int64_t begin, int64_t end);
  void* user;
  const tn_ffi_api_t* api;
  tn_status_t error;
} tn__try_loop_t;

TN__UNUSED void tn__try_range(void* data, int64_t begin, int64_t end) {
  tn__try_loop_t* loop = (tn__try_loop_t*)data;
  if (__atomic_load_n(&loop->error, __ATOMIC_RELAXED) != TN_OK) return;
  const tn_status_t error = loop->function(loop->user, begin, end);
  tn_status_t none = TN_OK;
  if (error == TN_OK || __atomic_compare_exchange_n(&loop->error, &none, error, false,
                                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  tn__drop_error(loop->api, error);
}

TN__UNUSED tn_status_t tn__try_parallel_for(const tn_call_t* call, int64_t count, int64_t grain,
                                            tn_status_t (*function)(void* user, int64_t begin,
                                                                    int64_t end),
                                            void* user) {
  tn__try_loop_t loop = {function, user, call->frame->api, TN_OK};
  tn__parallel_for(call, count, grain, tn__try_range, &loop);
  return loop.error;
}

// Asynchronous calls: after tn_defer(call, &future) the handler returns TN_OK, and any thread calls
// tn_finish or tn_fail, once. Until then the runtime keeps the buffers and attributes of the frame,
// but `call` and its scratch memory are valid only until the handler returns.
typedef struct tn_future {
  const tn_ffi_api_t* api;
  tn_ffi_future_t* future;
} tn_future_t;
#define tn_defer(call, out) tn__defer((call)->tn, out)
TN__UNUSED tn_status_t tn__defer(const tn_call_t* call, tn_future_t* out) {
  tn_ffi_future_create_t create = {TN_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  out->api = call->frame->api;
  if (!TN__HAS(out->api, future_fail))
    return tn__error(call, TN_FFI_UNIMPLEMENTED, "the runtime has no futures");
  TN_TRY(out->api->future_create(&create));
  out->future = call->frame->future = create.future;
  return TN_OK;
}
// Completes the future of a call: its results are written.
TN__UNUSED void tn_finish(tn_future_t future) {
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, future.future};
  tn__drop_error(future.api, future.api->future_finish(&finish));
}
#define tn_fail(future, CODE, ...)                                                                 \
  __extension__({                                                                                  \
    TN__STATIC_ASSERT(TN__KNOWN(TN__CODE_##CODE), "tn_fail(" #future ", " #CODE TN__CODE_CHOICES); \
    tn__fail(future, TN__CODE_NUMBER(TN__CODE_##CODE), __VA_ARGS__);                               \
  })
TN__PRINTF(3, 4)
TN__UNUSED void tn__fail(tn_future_t future, int32_t code, const char* format, ...) {
  tn__text_t text = {0, ""};
  va_list values;
  va_start(values, format);
  tn__vprint(&text, format, values);
  va_end(values);
  tn_ffi_future_fail_t fail = {TN_FFI_FUTURE_FAIL_SIZE, NULL, future.future,
                               tn__create_error(future.api, code, text.data)};
  tn__drop_error(future.api, future.api->future_fail(&fail));
}

#endif  // TENON_DETAIL_CUSTOM_SERVICES_H_
