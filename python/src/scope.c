// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The scopes of threads.

#include <pthread.h>

#include "core.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t of_thread;
static tn_scope_t* root;
static tn_status_t failure;
static _Thread_local tn_scope_t* own;      // of the thread
static _Thread_local tn_scope_t* current;  // that of a transform; NULL: `own`
static _Thread_local size_t depth;         // of calls: objects that a call converts may call others

static void destroy(void* scope) {
  core_forget_streams();
  tn_scope_destroy(scope);
  own = NULL;
}

static void create_root(void) {
  failure = tn_scope_create(core_cpu(), &root);
  if (!failure && pthread_key_create(&of_thread, destroy)) {
    failure = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "too many keys of threads");
  }
}

static bool create_own(void) {
  pthread_once(&once, create_root);
  tn_status_t status = tn_status_retain(failure);
  if (!status) status = tn_scope_create_nested(root, &own);
  if (!status) pthread_setspecific(of_thread, own);
  return core_check(status);
}

static bool set_stream(core_call_t* call, PyObject* object) {
  tn_stream_t* stream = NULL;
  if (!core_stream_from(object, &stream)) return false;
  call->stream = tn_stream_retain(tn_scope_stream(call->scope));
  call->has_stream = true;
  tn_status_t status = tn_scope_set_stream(call->scope, stream);
  tn_stream_release(stream);
  return core_check(status);
}

// Calls that name no stream have the thread's. Around a call in another one is that one's.
static bool use_default(core_call_t* call) {
  tn_stream_t *stream = core_thread_stream(), *before = tn_scope_stream(call->scope);
  if (before == stream) return true;
  if (call->is_nested) {
    call->stream = tn_stream_retain(before);
    call->has_stream = true;
  }
  return core_check(tn_scope_set_stream(call->scope, stream));
}

bool core_begin(core_call_t* call, PyObject* stream) {
  if (!own && !create_own()) return false;
  *call = (core_call_t){.scope = current ? current : own, .is_nested = current || depth};
  ++depth;
  if (!stream || stream == Py_None ? use_default(call) : set_stream(call, stream)) return true;
  core_end(call);
  return false;
}

void core_end(core_call_t* call) {
  if (call->has_stream) {
    tn_status_release(tn_scope_set_stream(call->scope, call->stream));  // it has been its stream
    tn_stream_release(call->stream);
  }
  --depth;
  if (!call->is_nested) tn_scope_clear(call->scope);
}

tn_status_t core_synchronize_thread(tn_cancellation_t* cancellation) {
  return own ? tn_scope_synchronize_until(own, cancellation) : TN_OK;
}

tn_scope_t* core_enter(tn_scope_t* scope) {
  tn_scope_t* previous = current;
  current = scope;
  return previous;
}

void core_leave(tn_scope_t* previous) {
  current = previous;
}
