// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every operation on arrays with as many dimensions as there can be, and with one less: what it
// gives, its gradient, and what it is of a batch, for which there may be no room. What comes of it
// is an error or elements; nothing else may happen.
#include <tenon/detail/transform.h>

#include "array/testing_operations.h"
#include "array/testing_weight.h"
#include "lazy/testing_lazy.h"

enum { MOST_ELEMENTS = 1 << 12, ALL_ARRAYS = TN_CASE_LIMIT };

typedef struct application {
  const tn_case_operation_t* operation;
  tn_case_t it;
  size_t variable;  // the array that is an input
} application_t;

// The first result, of which gradients need the sum of the real parts.
static tn_status_t call(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  const application_t* application = user;
  static tn_case_t it;
  (void)input_count, (void)output_count;
  it = application->it;
  it.arrays[application->variable] = inputs[0];
  tn_case_run(application->operation, s, &it);
  out[0] = it.results[0];
  return TN_OK;
}

static tn_status_t call_for_scalar(void* user, tn_scope_t* s, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out) {
  TN_RETURN_IF_ERROR(call(user, s, input_count, inputs, output_count, out));
  if (tn_dtype_kind(tn_array_dtype(out[0])) == TN_KIND_COMPLEX) out[0] = tn_array_real(s, out[0]);
  out[0] = tn_array_sum(s, out[0], 0, NULL, false);
  return TN_OK;
}

static int failure_count;

// How many there were; they are released.
static int elements_count, error_count;

static void settle(const application_t* application, const char* what, tn_status_t status,
                   tn_array_t* result) {
  if (!status && result && tn__testing_is_light(1, &result, MOST_ELEMENTS)) {
    status = tn_array_eval(1, &result);
  }
  if (status) {
    ++error_count;
  } else {
    ++elements_count;
  }
  if (tn_status_code(status) == TN_CODE_INTERNAL) {
    print_error("%s, %s: %s\n", application->operation->name, what, tn_status_message(status));
    ++failure_count;
  }
  tn_status_release(status);
}

// With the dimensions that it has, and ones before them.
static tn_array_t* widen(tn_scope_t* s, tn_array_t* x, size_t rank) {
  int64_t dims[TN_MAX_RANK];
  const size_t lead = rank - tn_array_rank(x);
  for (size_t i = 0; i < rank; ++i) dims[i] = i < lead ? 1 : tn_array_dims(x)[i - lead];
  return tn_array_reshape(s, x, rank, dims);
}

static void transform(tn_scope_t* s, application_t* application) {
  for (size_t i = 0; i < application->it.array_count; ++i) {
    tn_array_t *x = application->it.arrays[i], *result = NULL;
    const tn_closure_t sum = {call_for_scalar, application}, function = {call, application};
    if (!x) continue;
    application->variable = i;
    if (tn_issubdtype(tn_array_dtype(x), TN_CATEGORY_INEXACT)) {
      tn_status_t status = tn_grad(s, &sum, 1, &x, 1, NULL, &result);
      settle(application, "the gradient", status, result);
    }
    if (tn_array_rank(x) == TN_MAX_RANK) continue;
    x = tn_array_stack(s, 2, (tn_array_t*[]){x, x}, 0);
    tn_status_t status = tn_vmap(s, &function, 1, &x, NULL, 1, NULL, &result);
    settle(application, "the batch", status, result);
  }
}

// With array `which`, or all of them, of this rank.
static void check(tn_scope_t* s, const tn_case_operation_t* operation, size_t which, size_t rank) {
  static application_t application;
  application = (application_t){.operation = operation};
  if (!tn_case_example(operation, s, &application.it)) return;
  for (size_t i = 0; i < application.it.array_count; ++i) {
    tn_array_t** x = &application.it.arrays[i];
    if (*x && (which == i || which == ALL_ARRAYS)) *x = widen(s, *x, rank);
  }
  tn_case_t it = application.it;
  tn_case_run(operation, s, &it);
  settle(&application, "the value", TN_OK, it.results[0]);
  transform(s, &application);
  tn_scope_clear(s);
}

static void arrays_of_all_dimensions_are_computed_or_refused(void** state) {
  (void)state;
  const char* only = getenv("TENON_OPERATION");
  tn_scope_t* s = tn__testing_scope();
  for (size_t i = 0; tn_case_operation_at(i); ++i) {
    const tn_case_operation_t* operation = tn_case_operation_at(i);
    if (only && strcmp(only, operation->name) != 0) continue;
    for (size_t rank = TN_MAX_RANK; rank + 1 >= TN_MAX_RANK; --rank) {
      for (size_t which = 0; which < operation->array_count; ++which) {
        check(s, operation, which, rank);
      }
      if (operation->array_count > 1) check(s, operation, ALL_ARRAYS, rank);
    }
    tn_scope_clear_cache(s);
  }
  tn_scope_destroy(s);
  if (getenv("TENON_PRINT")) print_message("%d fine, %d errors\n", elements_count, error_count);
  assert_int_equal(failure_count, 0);
  assert_true(only || (elements_count > 500 && error_count > 500));
}

// --- batches of arrays of the highest rank

typedef struct growth {
  const char* name;
  tn_array_t* (*grow)(tn_scope_t* s, tn_array_t* const* x);
} growth_t;

static const int64_t ones[TN_MAX_RANK] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t zeros[TN_MAX_RANK], one_before[TN_MAX_RANK] = {1};

// x[0] is one element of a batch of numbers; x[1] has all dimensions.
static tn_array_t* broadcast(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_broadcast_to(s, x[0], TN_MAX_RANK, ones);
}
static tn_array_t* reshape(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_reshape(s, x[0], TN_MAX_RANK, ones);
}
static tn_array_t* pad(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_pad(s, x[1], one_before, zeros, TN_PAD_CONSTANT, x[0]);
}
static tn_array_t* add(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_add(s, x[0], x[1]);
}
static tn_array_t* start_of(tn_scope_t* s, tn_array_t* x) {
  return tn_array_reshape(s, tn_array_astype(s, x, TN_DTYPE_S32), 1, ones);
}
static tn_array_t* slice_at(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_slice_at(s, x[1], start_of(s, x[0]), 1, zeros, ones);
}
static tn_array_t* slice_update_at(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_slice_update_at(s, x[1], x[1], start_of(s, x[0]), 1, zeros);
}
static tn_array_t* take(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_take(s, x[1], start_of(s, x[0]), 0);
}
static tn_array_t* multiply_matrices(tn_scope_t* s, tn_array_t* const* x) {
  return tn_array_matmul(s, tn_array_reshape(s, x[0], 2, ones), x[1]);
}
static tn_array_t* concatenate(tn_scope_t* s, tn_array_t* const* x) {
  tn_array_t* parts[] = {x[1], tn_array_add(s, x[1], x[0])};
  return tn_array_concatenate(s, 2, parts, 0);
}

static const growth_t growths[] = {
    {"broadcast", broadcast},
    {"reshape", reshape},
    {"pad", pad},
    {"add", add},
    {"slice_at", slice_at},
    {"slice_update_at", slice_update_at},
    {"take", take},
    {"multiply_matrices", multiply_matrices},
    {"concatenate", concatenate},
};

typedef struct growing {
  const growth_t* growth;
  tn_array_t* full;
} growing_t;

static tn_status_t grow(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  const growing_t* growing = user;
  (void)input_count, (void)output_count;
  out[0] = growing->growth->grow(s, (tn_array_t*[]){inputs[0], growing->full});
  return TN_OK;
}

static void a_batch_of_what_has_all_dimensions_is_refused(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *batch = tn__testing_range(s, TN_LIST(2)), *result = NULL;
  growing_t growing = {.full = tn_array_ones(s, TN_DTYPE_F32, TN_MAX_RANK, ones)};
  const tn_closure_t function = {grow, &growing};
  for (size_t i = 0; i < sizeof growths / sizeof *growths; ++i) {
    growing.growth = &growths[i];
    TN_ASSERT_REPORT("no room for the batch",
                     tn_vmap(s, &function, 1, &batch, NULL, 1, NULL, &result));
    assert_null(result);
  }
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_of_all_dimensions_are_computed_or_refused),
      cmocka_unit_test(a_batch_of_what_has_all_dimensions_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
