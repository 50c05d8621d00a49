// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels that are right unless they are asked to access one more element, `at`, of an array.
#include <pthread.h>
#include <tenon/kernel.h>
#include <unistd.h>

enum { READ_X = 1, WRITE_X, READ_Y, WRITE_Y, NOWHERE };

static void access_one(int64_t how, float* x, float* y, int64_t at) {
  volatile float* data = how == READ_X || how == WRITE_X ? x : y;
  if (how == READ_X || how == READ_Y) (void)data[at];
  if (how == WRITE_X || how == WRITE_Y) data[at] = 1;
}

#define STRAY(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  ATTR(how, int64_t, 0)       \
  ATTR(at, int64_t, 0)        \
  RET(y, f32, like(x))

TN_OP(stray, STRAY, "y = x + 1") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->x.data[i] + 1;
  access_one(call->how, (float*)(uintptr_t)call->x.data, call->y.data, call->at);
  if (call->how == NOWHERE) *(volatile float*)(uintptr_t)(64 + call->at) = 1;
  return TN_OK;
}

TN_OP(stray_elements, STRAY, "y = x + 1") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = call->x.data[i] + 1;
  access_one(call->how, (float*)(uintptr_t)call->x.data, call->y.data, call->at);
  return TN_OK;
}
TN_DEFINE(stray_elements, .flags = TN_OP_ELEMENTWISE)

static tn_status_t add_one(void* user, int64_t count, void* const* rows) {
  (void)user;
  for (int64_t i = 0; i < count; ++i) ((float*)rows[0])[i] = ((const float*)rows[1])[i] + 1;
  return TN_OK;
}

TN_EVAL_OP(stray_strides, STRAY, "y = x + 1") {
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  TN_TRY(tn_eval_for_rows(eval, 2, (const tn_strided_t*[]){y, x}, 1, add_one, NULL));
  access_one(call->how, (float*)x->data, (float*)y->data, call->at);
  return TN_OK;
}
TN_DEFINE(stray_strides, .eval_cpu = stray_strides_eval)

// In place, where the call says so.
TN_UNTYPED(stray_untyped, "out = in + 1, of 6 elements")
void stray_untyped(void* out, const void** in) {
  for (int i = 0; i < 6; ++i) ((float*)out)[i] = ((const float*)in[0])[i] + 1;
}

// ---- One that finishes later

typedef struct job {
  tn_future_t future;
  const float* x;
  float* y;
  int64_t wait_us;
} job_t;
static job_t job;

static void* finish(void* user) {
  usleep((useconds_t)job.wait_us);
  for (int i = 0; i < 16; ++i) job.y[i] = job.x[i] + 1;
  tn_finish(job.future);
  return user;
}

TN_OP(later, STRAY, "y = x + 1, of 16 elements") {
  pthread_t thread;
  TN_TRY(tn_defer(call, &job.future));
  job.x = call->x.data;
  job.y = call->y.data;
  job.wait_us = call->at;
  if (pthread_create(&thread, NULL, finish, NULL)) tn_fail(job.future, INTERNAL, "no thread");
  pthread_detach(thread);
  return TN_OK;
}

TN_LIBRARY(stray, stray_elements, stray_strides, stray_untyped, later)
