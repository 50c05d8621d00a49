// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What custom.h lets a body ask of the host.
#include "base/testing.h"
#include "call/testing_host.h"

#include <tenon/custom.h>

static tn_testing_host_t host;
static tn_testing_frame_t frame;

static int start(void** state) {
  (void)state;
  static tn_testing_host_t before;  // a host's types stay registered as long as its process lives
  before = host;
  tn__testing_host_init(&host);
  host.type_count = before.type_count;
  memcpy(host.type_names, before.type_names, sizeof host.type_names);
  memcpy(host.type_infos, before.type_infos, sizeof host.type_infos);
  tn__host_frame_init(&frame, &host);
  return 0;
}

static int finish(void** state) {
  (void)state;
  tn__testing_host_deinit(&host);
  return 0;
}

#define NOTHING(ARG, ATTR, RET)
#define SIZE(ARG, ATTR, RET) ATTR(n, int64_t, 0)

// ---- Scratch memory

TN_OP(scratch, SIZE, "writes into memory of its own") {
  for (int i = 1; i <= 3; ++i) {
    unsigned char* memory = (unsigned char*)tn_scratch(call, (size_t)call->n * (size_t)i);
    if (!memory) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory");
    if ((uintptr_t)memory % 64) return TN_ERROR(call, INTERNAL, "not aligned");
    memset(memory, i, (size_t)call->n * (size_t)i);
  }
  if (call->n == 13) return TN_ERROR(call, ABORTED, "with memory in hand");
  return TN_OK;
}

static void scratch_memory_is_given_back(void** state) {
  (void)state;
  int64_t n = 1000;
  tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &n);
  TN_ASSERT_OK(tn__host_call(scratch, &frame));
  assert_int_equal(host.live_blocks, 0);
  n = 13;
  tn__host_frame_init(&frame, &host);
  tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &n);
  TN_ASSERT_CODE(ABORTED, tn__host_call(scratch, &frame));
  assert_int_equal(host.live_blocks, 0);
}

static void scratch_comes_from_malloc_when_the_host_has_none(void** state) {
  (void)state;
  const int64_t n = 1000, too_much = INT64_MAX;
  host.has_memory = false;
  tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &n);
  TN_ASSERT_OK(tn__host_call(scratch, &frame));
  tn__host_frame_init(&frame, &host);
  tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &too_much);
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__host_call(scratch, &frame));
}

// ---- Threads

enum { LIMIT = 10000 };
static unsigned char touched[LIMIT];
static int64_t grain, parts, largest;

static void touch(void* user, int64_t begin, int64_t end) {
  (void)user;
  for (int64_t i = begin; i < end; ++i) ++touched[i];
  ++parts;
  if (end - begin > largest) largest = end - begin;
}

TN_OP(loop, SIZE, "touches n elements") {
  memset(touched, 0, sizeof touched);
  parts = largest = 0;
  tn_parallel_for(call, call->n, grain, touch, NULL);
  return TN_OK;
}

static void touch_all(int64_t n) {
  tn__host_frame_init(&frame, &host);
  tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &n);
  TN_ASSERT_OK(tn__host_call(loop, &frame));
  for (int64_t i = 0; i < LIMIT; ++i) assert_int_equal(touched[i], i < n);
}

static void loops_touch_every_element_once(void** state) {
  (void)state;
  for (grain = 0; grain < 50; grain += 7) {
    for (int64_t n = 0; n < 200; n += 13) touch_all(n);
    touch_all(LIMIT);
    if (grain) assert_true(largest <= grain);
  }
  host.keeps_tasks = true;  // tasks that start when the loop is over find nothing to do
  grain = 100;
  touch_all(LIMIT);
  assert_true(host.task_count == 3 && parts == 100);
  tn__host_run_tasks(&host);
  assert_int_equal(parts, 100);
  host.schedules = false;
  touch_all(LIMIT);
  host.thread_count = 0;
  touch_all(LIMIT);
  assert_int_equal(parts, 1);
}

static tn_status_t touch_below(void* user, int64_t begin, int64_t end) {
  touch(NULL, begin, end);
  return end > 500 ? TN_ERROR((const tn_call_t*)user, OUT_OF_RANGE, "%d is too much", (int)end)
                   : TN_OK;
}

TN_OP(try_loop, SIZE, "touches n elements, if they are few") {
  memset(touched, 0, sizeof touched);
  parts = largest = 0;
  return tn_try_parallel_for(call, call->n, grain, touch_below, call->tn);
}

static void a_loop_ends_with_the_first_error(void** state) {
  (void)state;
  int64_t n = 500;
  grain = 100;
  tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &n);
  TN_ASSERT_OK(tn__host_call(try_loop, &frame));
  assert_int_equal(parts, 5);
  for (host.thread_count = 4; host.thread_count; host.thread_count -= 3) {
    n = LIMIT;
    tn__host_frame_init(&frame, &host);
    tn__host_scalar(&frame.attrs, "n", TN_FFI_S64, &n);
    TN_ASSERT_REPORT("is too much", tn__host_call(try_loop, &frame));
    assert_true(parts <= 6);
    if (host.thread_count == 1) break;
  }
}

#define AXES(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, s64, rank(1))
TN_OP(axes, AXES, "dimensions, from both ends and beyond") {
  for (int64_t i = -3; i < 3; ++i) call->y.data[i + 3] = tn_dim(call->x, i);
  return TN_OK;
}

static void axes_count_from_the_end_too(void** state) {
  (void)state;
  int64_t y[6] = {0};
  tn__host_arg(&frame, TN_FFI_F32, touched, TN_TESTING_DIMS(5, 7));
  tn__host_ret(&frame, TN_FFI_S64, y, TN_TESTING_DIMS(6));
  TN_ASSERT_OK(tn__host_call(axes, &frame));
  assert_true(y[0] == 0 && y[1] == 5 && y[2] == 7 && y[3] == 5 && y[4] == 7 && y[5] == 0);
}

static void every_code_has_its_name(void** state) {
  (void)state;
  const tn_call_t call = {NULL, &frame.frame, &loop_op, NULL};
  const struct { const tn_call_t* tn; } in_body = {&call};
#define TEST_CODE(name)                                             \
  TN_ASSERT_CODE(name, TN_ERROR(&in_body, name, "%s", "its text")); \
  assert_non_null(strstr(TN__CODE_CHOICES, #name));
  TN_FFI_ERRORS(TEST_CODE)
#undef TEST_CODE
}

// ---- The context

static tn_ffi_type_id_t user_type = {77};
TN_OP(context, NOTHING, "asks who and where it is") {
  void *stream = NULL, *user = NULL;
  int32_t ordinal = 0;
  int64_t run_id = 0;
  TN_TRY(tn_stream(call, &stream));
  TN_TRY(tn_device_ordinal(call, &ordinal));
  TN_TRY(tn_run_id(call, &run_id));
  TN_TRY(tn_user_data(call, user_type, &user));
  const bool same = stream == &host && user == &host && ordinal == 3 && run_id == -42;
  return same && tn_thread_count(call) == 4 ? TN_OK : TN_ERROR(call, INTERNAL, "other answers");
}

static void the_context_is_asked(void** state) {
  (void)state;
  TN_ASSERT_OK(tn__host_call(context, &frame));
  user_type.id = 78;
  TN_ASSERT_CODE(NOT_FOUND, tn__host_call(context, &frame));
  user_type.id = 77;
}

static void older_hosts_are_told_what_they_lack(void** state) {
  (void)state;
  host.api.struct_size = offsetof(tn_ffi_api_t, run_id_get);
  TN_ASSERT_REPORT("context: the runtime has no device_ordinal_get",
                   tn__host_call(context, &frame));
}

// ---- States

typedef struct counter {
  int64_t count;
} counter_t;
static int64_t live_counters;

static void counter_destroy(void* counter) {
  --live_counters;
  free(counter);
}

TN_STATE(counter_t, counter_destroy)

#define COUNT(ARG, ATTR, RET) ATTR(first, int64_t, TN_REQUIRED) RET(y, s64, rank(0))
TN_STATEFUL_OP(count, COUNT, counter_t, "counts its calls") {
  call->y.data[0] = call->state->count++;
  return TN_OK;
}
TN_INSTANTIATE(count) {
  if (call->first < 0) return TN_ERROR(call, OUT_OF_RANGE, "first is %d", (int)call->first);
  *state = (counter_t*)malloc(sizeof **state);
  if (!*state) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory");
  (*state)->count = call->first;
  ++live_counters;
  return TN_OK;
}

TN_STAGED_OP("Host", "staged", 0, staged, COUNT, counter_t, "has every stage") {
  counter_t* prepared = NULL;
  TN_TRY(tn_get_state(call, PREPARE, counter_t, &prepared));
  call->y.data[0] = call->state->count + prepared->count;
  return TN_OK;
}
TN_INSTANTIATE(staged) {
  return count_instantiate_body((const struct count_call*)call, state);
}
TN_PREPARE(staged) {
  counter_t* prepared = (counter_t*)malloc(sizeof *prepared);
  if (!prepared) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory");
  prepared->count = 1000;
  ++live_counters;
  return tn_set_state(call, counter_t, prepared);
}
TN_INITIALIZE(staged) {
  return call->y.data ? TN_OK : TN_ERROR(call, INTERNAL, "no address");
}

static tn_status_t run_stage(tn_ffi_handler_t handler, int32_t stage, int64_t* out) {
  const int64_t first = 5;
  tn__host_frame_init(&frame, &host);
  frame.frame.stage = stage;
  tn__host_scalar(&frame.attrs, "first", TN_FFI_S64, &first);
  if (out) tn__host_ret(&frame, TN_FFI_S64, out, 0, NULL);
  return tn__host_call(handler, &frame);
}

static void states_live_from_instantiate_on(void** state) {
  (void)state;
  int64_t y = 0;
  tn_ffi_metadata_t metadata;
  TN_ASSERT_OK(tn__host_query(count_instantiate, &host, &metadata));
  assert_int_equal(metadata.api_version.minor, 3);
  assert_true(metadata.state_type_id.id > 0);
  TN_ASSERT_REPORT("no state of that type", run_stage(count, TN_FFI_EXECUTE, &y));
  TN_ASSERT_OK(run_stage(count_instantiate, TN_FFI_INSTANTIATE, NULL));
  TN_ASSERT_OK(run_stage(count, TN_FFI_EXECUTE, &y));
  assert_int_equal(y, 5);
  TN_ASSERT_OK(run_stage(count, TN_FFI_EXECUTE, &y));
  assert_int_equal(y, 6);
  // A state that the host does not take is destroyed.
  TN_ASSERT_REPORT("set already", run_stage(count_instantiate, TN_FFI_INSTANTIATE, NULL));
  assert_int_equal(live_counters, 1);
  TN_ASSERT_REPORT("count: expected stage instantiate, found execute",
                   run_stage(count_instantiate, TN_FFI_EXECUTE, NULL));
}

static void older_hosts_are_not_written_beyond_their_struct(void** state) {
  (void)state;
  tn_ffi_metadata_t metadata;
  host.api.api_version.minor = 1;
  TN_ASSERT_OK(tn__host_query(count_instantiate, &host, &metadata));
  assert_int_equal(metadata.state_type_id.id, 0);
}

static void every_host_has_its_own_type_ids(void** state) {
  (void)state;
  tn_testing_host_t other;
  tn_testing_frame_t others;
  tn_ffi_metadata_t metadata, again;
  int64_t y = 0;
  const int64_t first = 9;
  tn__testing_host_init(&other);
  other.type_count = 4;  // its next id is another one
  TN_ASSERT_OK(tn__host_query(count_instantiate, &host, &metadata));
  TN_ASSERT_OK(tn__host_query(count_instantiate, &host, &again));
  assert_int_equal(metadata.state_type_id.id, again.state_type_id.id);
  TN_ASSERT_OK(tn__host_query(count_instantiate, &other, &again));
  assert_int_not_equal(metadata.state_type_id.id, again.state_type_id.id);
  TN_ASSERT_OK(run_stage(count_instantiate, TN_FFI_INSTANTIATE, NULL));
  tn__host_frame_init(&others, &other);
  others.frame.stage = TN_FFI_INSTANTIATE;
  tn__host_scalar(&others.attrs, "first", TN_FFI_S64, &first);
  TN_ASSERT_OK(tn__host_call(count_instantiate, &others));
  others.frame.stage = TN_FFI_EXECUTE;
  tn__host_ret(&others, TN_FFI_S64, &y, 0, NULL);
  TN_ASSERT_OK(tn__host_call(count, &others));
  assert_int_equal(y, 9);
  TN_ASSERT_OK(run_stage(count, TN_FFI_EXECUTE, &y));
  assert_int_equal(y, 5);
  tn__testing_host_deinit(&other);
}

static void every_stage_has_its_body(void** state) {
  (void)state;
  int64_t y = 0;
  TN_ASSERT_OK(run_stage(staged_instantiate, TN_FFI_INSTANTIATE, NULL));
  TN_ASSERT_OK(run_stage(staged_prepare, TN_FFI_PREPARE, &y));
  TN_ASSERT_OK(run_stage(staged_initialize, TN_FFI_INITIALIZE, &y));
  TN_ASSERT_OK(run_stage(staged, TN_FFI_EXECUTE, &y));
  assert_int_equal(y, 1005);
  const tn_ffi_bundle_t* bundle = &staged_op.bundle;
  assert_true(bundle->instantiate == staged_instantiate && bundle->prepare == staged_prepare &&
              bundle->initialize == staged_initialize && bundle->execute == staged);
}

// ---- Operations that finish later

static tn_future_t future;
TN_OP(later, NOTHING, "leaves its work for later") {
  return tn_defer(call, &future);
}

static void futures_finish_and_fail(void** state) {
  (void)state;
  TN_ASSERT_OK(tn__host_call(later, &frame));
  assert_non_null(frame.frame.future);
  assert_false(host.future_is_done);
  tn_finish(future);
  assert_true(host.future_is_done && !host.future_error);
  TN_ASSERT_OK(tn__host_call(later, &frame));
  tn_fail(future, DATA_LOSS, "lost %d bytes", 3);
  assert_int_equal(tn_status_code(host.future_error), TN_CODE_DATA_LOSS);
  assert_string_equal(tn_status_message(host.future_error), "lost 3 bytes");
  host.api.struct_size = offsetof(tn_ffi_api_t, future_create);
  TN_ASSERT_REPORT("later: the runtime has no futures", tn__host_call(later, &frame));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)
  const struct CMUnitTest tests[] = {
      TEST(scratch_memory_is_given_back),
      TEST(scratch_comes_from_malloc_when_the_host_has_none),
      TEST(loops_touch_every_element_once),
      TEST(a_loop_ends_with_the_first_error),
      TEST(axes_count_from_the_end_too),
      TEST(every_code_has_its_name),
      TEST(the_context_is_asked),
      TEST(older_hosts_are_told_what_they_lack),
      TEST(states_live_from_instantiate_on),
      TEST(older_hosts_are_not_written_beyond_their_struct),
      TEST(every_host_has_its_own_type_ids),
      TEST(every_stage_has_its_body),
      TEST(futures_finish_and_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
