// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays shared between threads: each has a scope of its own, most of them of one graph.
#include <pthread.h>
#include <tenon/custom.h>
#include <tenon/detail/transform.h>

#include "lazy/testing_lazy.h"

enum { THREAD_COUNT = 4, ROUND_COUNT = 50 };

typedef struct tn_shared {
  tn_scope_t* scope;
  bool is_apart;     // a thread has a graph of its own
  tn_array_t* x;     // evaluated
  tn_array_t* step;  // pending, and wanted by all
} tn_shared_t;

static tn_status_t square(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                          size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_sum(s, tn_array_multiply(s, inputs[0], inputs[0]), 0, NULL, false);
  return TN_OK;
}

static void* use(void* user) {
  const tn_shared_t* shared = user;
  const tn_closure_t function = {square, NULL};
  tn_scope_t* s = NULL;
  tn_array_t *x = shared->x, *gradient = NULL;
  if (shared->is_apart) {
    TN_ASSERT_OK(tn_scope_create(tn_scope_device(shared->scope), &s));
  } else {
    TN_ASSERT_OK(tn_scope_create_nested(shared->scope, &s));
  }
  tn_array_t* y = tn_array_add(s, shared->step, x);
  TN_ASSERT_F32(y, TN_LIST(4), 0, 3, 6, 9);
  TN_ASSERT_F32(shared->step, TN_LIST(4), 0, 2, 4, 6);
  TN_ASSERT_OK(tn_grad(s, &function, 1, &x, 1, NULL, &gradient));
  TN_ASSERT_F32(gradient, TN_LIST(4), 0, 2, 4, 6);
  tn_array_t* view = tn_array_slice(s, shared->step, (int64_t[]){1}, (int64_t[]){3}, NULL);
  TN_ASSERT_F32(view, TN_LIST(2), 2, 4);
  tn_scope_destroy(s);
  return NULL;
}

static void share(bool is_apart) {
  tn_scope_t* s = tn__testing_scope();
  for (int round = 0; round < ROUND_COUNT; ++round) {
    pthread_t threads[THREAD_COUNT];
    tn_shared_t shared = {.scope = s, .is_apart = is_apart};
    shared.x = tn__testing_range(s, TN_LIST(4));
    tn_array_t* minus = tn_array_negative(s, shared.x);
    shared.step = tn_array_subtract(s, shared.x, minus);
    for (int i = 0; i < THREAD_COUNT; ++i) {
      assert_int_equal(pthread_create(&threads[i], NULL, use, &shared), 0);
    }
    for (int i = 0; i < THREAD_COUNT; ++i) pthread_join(threads[i], NULL);
    tn_scope_clear(s);
  }
  tn_scope_destroy(s);
}

static void threads_share_arrays_and_what_is_pending(void** state) {
  (void)state;
  share(false);
}

static void threads_with_graphs_of_their_own_share_arrays(void** state) {
  (void)state;
  share(true);
}

static void work_on_streams_is_waited_for_where_it_is_read(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_stream_t *one = NULL, *two = NULL;
  TN_ASSERT_OK(tn_stream_create(tn_scope_device(s), &one));
  TN_ASSERT_OK(tn_stream_create(tn_scope_device(s), &two));
  for (int round = 0; round < ROUND_COUNT; ++round) {
    tn_array_t* x = tn__testing_range(s, TN_LIST(4));
    TN_ASSERT_OK(tn_scope_set_stream(s, one));
    tn_array_t* y = tn_array_add(s, x, x);
    TN_ASSERT_OK(tn_scope_set_stream(s, two));
    tn_array_t* z = tn_array_multiply(s, y, x);
    TN_ASSERT_OK(tn_array_async_eval(1, &z));
    TN_ASSERT_OK(tn_scope_set_stream(s, NULL));
    tn_array_t* w = tn_array_add(s, z, y);
    TN_ASSERT_OK(tn_array_async_eval(1, &w));
    TN_ASSERT_F32(w, TN_LIST(4), 0, 4, 12, 24);
    TN_ASSERT_F32(z, TN_LIST(4), 0, 2, 8, 18);
    TN_ASSERT_OK(tn_scope_synchronize(s));
    tn_scope_clear(s);
  }
  tn_stream_release(one);
  tn_stream_release(two);
  tn_scope_destroy(s);
}

// --- compiled functions, operations that are registered anew, programs that are forgotten

#define TWICE(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  RET(y, f32, shape_of(x))

TN_OP(twice, TWICE, "y = 2 x") {
  const int64_t n = tn_size(call->x);
  for (int64_t i = 0; i < n; ++i) call->y.data[i] = 2 * call->x.data[i];
  return TN_OK;
}

TN_DEFINE(twice, .flags = TN_OP_ELEMENTWISE)

static tn_array_t* apply_twice(tn_scope_t* s, tn_array_t* x) {
  tn_array_t* y = NULL;
  const tn_application_t application = {.struct_size = sizeof application,
                                        .name = "twice",
                                        .operand_count = 1,
                                        .operands = &x,
                                        .result_count = 1};
  tn_op_apply(s, &application, &y);
  return y;
}

typedef struct tn_at_once {
  tn_scope_t* scope;
  tn_compiled_t* compiled;
  tn_array_t* parts[2];  // of one step, pending
  int number;
} tn_at_once_t;

static void* do_all_at_once(void* user) {
  const tn_at_once_t* it = user;
  tn_scope_t* s = NULL;
  TN_ASSERT_OK(tn_scope_create_nested(it->scope, &s));
  for (int round = 0; round < 10; ++round) {
    tn_array_t *x = tn__testing_range(s, TN_LIST(4)), *sum = NULL;
    TN_ASSERT_OK(tn_compiled_call(it->compiled, s, 1, &x, 1, &sum));
    TN_ASSERT_F32(sum, TN_NO_DIMS, 14);
    if (it->number == 0) TN_ASSERT_OK(tn_op_register(tn_definition_of(twice)));
    if (it->number == 1) tn_scope_clear_cache(s);
    TN_ASSERT_F32(apply_twice(s, x), TN_LIST(4), 0, 2, 4, 6);
    tn_array_t* both = tn_array_add(s, it->parts[0], it->parts[1]);
    TN_ASSERT_F32(both, TN_LIST(2), 2, 4);
    tn_scope_clear(s);
  }
  tn_scope_destroy(s);
  return NULL;
}

static void threads_compile_register_and_forget_at_once(void** state) {
  (void)state;
  const tn_closure_t function = {square, NULL};
  tn_scope_t* s = tn__testing_scope();
  TN_ASSERT_OK(tn_op_register(tn_definition_of(twice)));
  for (int round = 0; round < 5; ++round) {
    pthread_t threads[THREAD_COUNT];
    tn_at_once_t shared[THREAD_COUNT] = {{.scope = s}};
    TN_ASSERT_OK(tn_closure_compile(s, &function, NULL, &shared[0].compiled));
    tn_array_split(s, apply_twice(s, tn__testing_range(s, TN_LIST(4))), 2, 0, shared[0].parts);
    shared[0].parts[0] =
        tn_array_multiply(s, shared[0].parts[0], tn_array_scalar(s, TN_DTYPE_F32, 0));
    shared[0].parts[1] =
        tn_array_subtract(s, shared[0].parts[1], tn_array_scalar(s, TN_DTYPE_F32, 2));
    for (int i = 0; i < THREAD_COUNT; ++i) {
      shared[i] = shared[0];
      shared[i].number = i;
      assert_int_equal(pthread_create(&threads[i], NULL, do_all_at_once, &shared[i]), 0);
    }
    for (int i = 0; i < THREAD_COUNT; ++i) pthread_join(threads[i], NULL);
    tn_compiled_release(shared[0].compiled);
    tn_scope_clear(s);
  }
  tn_scope_destroy(s);
}

static void a_process_may_end_with_work_under_way(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn_array_full(s, TN_LIST(512, 512), tn_array_scalar(s, TN_DTYPE_F32, 1));
  for (int i = 0; i < 20; ++i) x = tn_array_exp(s, tn_array_negative(s, x));
  TN_ASSERT_OK(tn_array_async_eval(1, &x));
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_share_arrays_and_what_is_pending),
      cmocka_unit_test(threads_with_graphs_of_their_own_share_arrays),
      cmocka_unit_test(work_on_streams_is_waited_for_where_it_is_read),
      cmocka_unit_test(threads_compile_register_and_forget_at_once),
      cmocka_unit_test(a_process_may_end_with_work_under_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
