// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every operation, with allocations refused: what it gives, its gradient, its tangent, and what it
// is of a batch. A refusal is RESOURCE_EXHAUSTED (or made no difference to the results), leaves
// nothing behind, and the next attempt succeeds. TENON_OPERATION in the environment: the operation
// of this name alone; TENON_PART=2/4: every fourth operation from the second on.
#include <stdlib.h>
#include <tenon/detail/transform.h>

#include "array/testing_operations.h"
#include "base/testing_allocator.h"
#include "base/testing_part.h"
#include "lazy/testing_lazy.h"

typedef enum stage { STAGE_VALUE, STAGE_GRADIENT, STAGE_TANGENT, STAGE_BATCH, STAGE_COUNT } stage_t;
static const char* const stage_names[] = {"the value", "the gradient", "the tangent", "the batch"};

typedef struct application {
  const tn_case_operation_t* operation;
  tn_case_t it;
  size_t variable;  // the array that is differentiated
} application_t;

static bool is_inexact(const tn_array_t* array) {
  return array && tn_issubdtype(tn_array_dtype(array), TN_CATEGORY_INEXACT);
}

// Sums of the parts of complex results are real.
static tn_status_t call(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  application_t* application = user;
  tn_case_t it = application->it;
  (void)input_count, (void)output_count;
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

static size_t variable_of(tn_scope_t* s, const tn_case_operation_t* operation) {
  tn_case_t it;
  size_t variable = 0;
  if (!tn_case_example(operation, s, &it)) fail_msg("%s has no example", operation->name);
  while (variable + 1 < it.array_count && !is_inexact(it.arrays[variable])) ++variable;
  return variable;
}

// The elements of all results, one behind the other.
typedef struct elements {
  size_t length;
  char bytes[1 << 14];
} elements_t;

static tn_status_t read_all(size_t count, tn_array_t* const* arrays, elements_t* out) {
  out->length = 0;
  TN_RETURN_IF_ERROR(tn_array_eval(count, arrays));
  for (size_t i = 0; i < count; ++i) {
    const size_t length = tn_array_byte_size(arrays[i]);
    assert_true(out->length + length <= sizeof out->bytes);
    TN_RETURN_IF_ERROR(tn_array_to_host(arrays[i], out->bytes + out->length, length));
    out->length += length;
  }
  return TN_OK;
}

static tn_status_t attempt(tn_scope_t* s, const tn_case_operation_t* operation, size_t variable,
                           stage_t stage, elements_t* out) {
  static application_t application;
  tn_array_t* outputs[TN_CASE_LIMIT] = {0};
  size_t count = 1;
  (void)tn_case_example(operation, s, &application.it);
  application.operation = operation;
  application.variable = variable;
  tn_array_t* input = application.it.arrays[variable];
  if (stage == STAGE_VALUE) {
    tn_case_run(operation, s, &application.it);
    for (count = 0; application.it.results[count]; ++count) {
      outputs[count] = application.it.results[count];
    }
  } else if (stage == STAGE_GRADIENT) {
    const tn_closure_t function = {call_for_scalar, &application};
    TN_RETURN_IF_ERROR(tn_grad(s, &function, 1, &input, 1, NULL, outputs));
  } else if (stage == STAGE_TANGENT) {
    const tn_closure_t function = {call, &application};
    tn_array_t* value = NULL;
    TN_RETURN_IF_ERROR(tn_jvp(s, &function, 1, &input, &input, 1, &value, outputs));
  } else {
    const tn_closure_t function = {call, &application};
    input = tn_array_stack(s, 2, (tn_array_t*[]){input, input}, 0);
    TN_RETURN_IF_ERROR(tn_vmap(s, &function, 1, &input, NULL, 1, NULL, outputs));
  }
  return read_all(count, outputs, out);
}

// Numbers of allocations to refuse: all of them in long tests, else some that are further and
// further apart.
static size_t next_number(size_t number) {
  return getenv("TENON_LONG_TESTS") ? number + 1 : number + 1 + number / 2;
}

static int failure_count;

// What there is to know about one operation.
typedef struct subject {
  tn_device_t* device;
  const tn_case_operation_t* operation;
  size_t variable;
  stage_t stage;
  elements_t wanted, got;
} subject_t;

static void complain(const subject_t* it, size_t number, bool all_after, tn_status_t status) {
  char report[2048] = "other elements";
  if (status) tn_status_format(status, report, sizeof report);
  print_error("%s, %s, allocation %zu%s refused: got %s\n", it->operation->name,
              stage_names[it->stage], number, all_after ? " and all later ones" : "", report);
  ++failure_count;
}

static bool is_as_wanted(const subject_t* it) {
  return it->got.length == it->wanted.length &&
         memcmp(it->got.bytes, it->wanted.bytes, it->got.length) == 0;
}

static void sweep(subject_t* it, bool all_after) {
  size_t refused = 1, number = 1;
  for (; refused; number = next_number(number)) {
    tn_scope_t* s = NULL;
    TN_ASSERT_OK(tn_scope_create(it->device, &s));
    tn__testing_refuse_allocations(number, all_after);
    tn_status_t status = attempt(s, it->operation, it->variable, it->stage, &it->got);
    refused = tn__testing_refused_allocation_count();
    tn__testing_refuse_allocations(0, false);
    const bool is_refusal = refused && tn_status_code(status) == TN_CODE_RESOURCE_EXHAUSTED;
    if (!is_refusal && (status || !is_as_wanted(it))) complain(it, number, all_after, status);
    tn_status_release(status);
    if (refused && number < 4) {
      TN_ASSERT_OK(attempt(s, it->operation, it->variable, it->stage, &it->got));
      assert_true(is_as_wanted(it));
    }
    tn_scope_destroy(s);
  }
  if (getenv("TENON_PRINT")) {
    print_message("%s, %s: %zu allocations\n", it->operation->name, stage_names[it->stage], number);
  }
}

static void check(const tn_case_operation_t* operation) {
  static subject_t it;
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  const tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = &testing.allocator, .thread_count = 1};
  it.operation = operation;
  TN_ASSERT_OK(tn_device_create("cpu", &options, &it.device));
  for (it.stage = 0; it.stage < STAGE_COUNT; ++it.stage) {
    tn_scope_t* s = NULL;
    TN_ASSERT_OK(tn_scope_create(it.device, &s));
    it.variable = variable_of(s, operation);
    tn_status_t status = attempt(s, operation, it.variable, it.stage, &it.wanted);
    tn_scope_destroy(s);
    if (it.stage == STAGE_VALUE && status) {
      print_error("%s: %s\n", operation->name, tn_status_message(status));
      ++failure_count;
    }
    const bool is_there = !status;  // not all operations have a gradient
    tn_status_release(status);
    for (int all_after = 0; is_there && all_after < 2; ++all_after) sweep(&it, all_after);
  }
  tn_device_release(it.device);
  tn__testing_allocator_assert_empty(&testing);
}

static void every_operation_survives_refused_allocations(void** state) {
  (void)state;
  const char* only = getenv("TENON_OPERATION");
  const tn_testing_part_t part = only ? (tn_testing_part_t){0, 1} : tn__testing_part();
  size_t checked_count = 0;
  for (size_t i = part.first; tn_case_operation_at(i); i += part.distance) {
    if (only && strcmp(only, tn_case_operation_at(i)->name) != 0) continue;
    check(tn_case_operation_at(i));
    ++checked_count;
  }
  assert_int_equal(failure_count, 0);
  assert_int_not_equal(checked_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_operation_survives_refused_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
