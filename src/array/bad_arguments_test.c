// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every operation with arguments that it does not take: each of them is changed in turn. What comes
// of it is an error that begins with the operation's name, or elements; nothing else may happen.
// TENON_PRINT in the environment prints all messages, for reading.
#include <math.h>

#include "array/testing_operations.h"
#include "array/testing_weight.h"
#include "base/testing_allocator.h"
#include "lazy/testing_lazy.h"

enum { MOST_ELEMENTS = 1 << 16 };

static tn_scope_t* other_scope;
static char changed[256];  // what is wrong with the arguments

// Names of linear algebra, and of tests that apply two operations, have more to them; functions of
// modules say what is wrong with the text.
static bool begins_with_name(const char* message, const char* name) {
  static const char* const inner[][2] = {
      {"partition_place", "partition:"},  {"topk_sorted", "topk:"},
      {"linalg_eigh_again", "eigh:"},     {"linalg_eig_again", "eig:"},
      {"linalg_eigvals_sum", "eigvals:"}, {"linalg_svd_again", "svd:"},
      {"random_default", "random_bits:"}, {"index_update", "index:"},
      {"linalg_eig_again", "matmul:"},    {"linalg_eigvalsh", "eigvalsh:"},
  };
  const size_t length = strlen(name);
  if (strcmp(name, "imported") == 0) return true;
  if (strncmp(message, "tn_", 3) == 0) message += 3;
  for (size_t i = 0; i < sizeof inner / sizeof *inner; ++i) {
    if (strcmp(inner[i][0], name) == 0 && strncmp(message, inner[i][1], strlen(inner[i][1])) == 0) {
      return true;
    }
  }
  if (strncmp(name, "linalg_", 7) == 0) return begins_with_name(message, name + 7);
  return strncmp(message, name, length) == 0 && message[length] == ':';
}

static int failure_count;

static void check_error(const tn_case_operation_t* operation, tn_status_t status) {
  const tn_code_t code = tn_status_code(status);
  const char* message = tn_status_message(status);
  const bool is_fine = code == TN_CODE_INVALID_ARGUMENT || code == TN_CODE_OUT_OF_RANGE ||
                       code == TN_CODE_UNIMPLEMENTED || code == TN_CODE_NOT_FOUND ||
                       code == TN_CODE_RESOURCE_EXHAUSTED;
  if (getenv("TENON_PRINT")) {
    print_message("%-28s %-44s %s: %s\n", operation->name, changed, tn_code_name(code), message);
  }
  if (code == TN_CODE_RESOURCE_EXHAUSTED) return;
  // Without OpenBLAS the call that it serves is what is missing.
  if (code == TN_CODE_NOT_FOUND && strncmp(message, "custom call @lapack_", 20) == 0) return;
  if (is_fine && begins_with_name(message, operation->name)) return;
  print_error("%s, %s: %s: %s\n", operation->name, changed, tn_code_name(code), message);
  ++failure_count;
}

static void run(tn_scope_t* s, const tn_case_operation_t* operation, tn_case_t* it) {
  tn_case_keep_within(operation, it);
  tn_case_run(operation, s, it);
  for (size_t i = 0; i < TN_CASE_LIMIT && it->results[i]; ++i) {
    if (!tn__testing_is_light(1, &it->results[i], MOST_ELEMENTS)) continue;
    tn_status_t status = tn_array_eval(1, &it->results[i]);
    if (status) check_error(operation, status);
    tn_status_release(status);
  }
}

// --- arrays

typedef struct substitute {
  const char* what;
  tn_dtype_t dtype;
  size_t rank;
  int64_t dims[5];
} substitute_t;

static const substitute_t substitutes[] = {
    {"a number", TN_DTYPE_F32, 0, {0}},
    {"an empty line", TN_DTYPE_F32, 1, {0}},
    {"a line of 7", TN_DTYPE_F32, 1, {7}},
    {"an empty matrix", TN_DTYPE_F32, 2, {0, 3}},
    {"five dimensions", TN_DTYPE_F32, 5, {1, 2, 3, 1, 2}},
    {"booleans 2x3", TN_DTYPE_PRED, 2, {2, 3}},
    {"integers 2x3", TN_DTYPE_S64, 2, {2, 3}},
    {"complex numbers 2x3", TN_DTYPE_C64, 2, {2, 3}},
    {"integers of four bits 2x3", TN_DTYPE_S4, 2, {2, 3}},
    {"floats of eight bits 2x3", TN_DTYPE_F8E4M3FN, 2, {2, 3}},
    {"2^62 numbers", TN_DTYPE_U8, 2, {INT64_C(1) << 31, INT64_C(1) << 31}},
};

static tn_array_t* make(tn_scope_t* s, const substitute_t* it) {
  return tn_array_zeros(s, it->dtype, it->rank, it->dims);
}

static void change_arrays(tn_scope_t* s, const tn_case_operation_t* operation) {
  static tn_case_t it;
  (void)tn_case_example(operation, s, &it);
  const size_t count = it.array_count;
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < sizeof substitutes / sizeof *substitutes; ++i) {
      (void)tn_case_example(operation, s, &it);
      it.arrays[k] = make(s, &substitutes[i]);
      snprintf(changed, sizeof changed, "operand %zu is %s", k, substitutes[i].what);
      run(s, operation, &it);
    }
    (void)tn_case_example(operation, s, &it);
    it.arrays[k] = NULL;
    snprintf(changed, sizeof changed, "operand %zu is NULL", k);
    run(s, operation, &it);
    it.arrays[k] = tn_array_zeros(other_scope, TN_DTYPE_F32, 2, (const int64_t[]){2, 3});
    snprintf(changed, sizeof changed, "operand %zu is of another scope", k);
    run(s, operation, &it);
    // An error is handed on as it is.
    it.arrays[k] = tn_array_error(s, tn_status_create(TN_CODE_ABORTED, "on purpose"));
    tn_case_run(operation, s, &it);
    tn_status_t status = tn_array_eval(1, &it.results[0]);
    if (tn_status_code(status) != TN_CODE_ABORTED) {
      print_error("%s: operand %zu is an error; the result is %s\n", operation->name, k,
                  status ? tn_status_message(status) : "fine");
      ++failure_count;
    }
    tn_status_release(status);
    tn_scope_clear(s);
    tn_scope_clear(other_scope);
  }
}

// --- lists and numbers

static void change_lists(tn_scope_t* s, const tn_case_operation_t* operation) {
  static const int64_t odd[] = {INT64_MAX, INT64_MIN, INT64_C(1) << 32, 1000, -1000, -1, 0, 99};
  static tn_case_t it;
  (void)tn_case_example(operation, s, &it);
  const tn_case_t example = it;
  for (size_t k = 0; k < example.list_count; ++k) {
    for (size_t i = 0; i < example.lists[k].count; ++i) {
      for (size_t j = 0; j < sizeof odd / sizeof *odd; ++j) {
        (void)tn_case_example(operation, s, &it);
        it.lists[k].numbers[i] = odd[j];
        snprintf(changed, sizeof changed, "number %zu of list %zu is %lld", i, k,
                 (long long)odd[j]);
        run(s, operation, &it);
        tn_scope_clear(s);
      }
    }
    (void)tn_case_example(operation, s, &it);
    it.lists[k].count = 0;
    if (tn_case_list_is_optional(operation, k)) it.lists[k].values = NULL;
    snprintf(changed, sizeof changed, "list %zu is empty or not given", k);
    run(s, operation, &it);
    (void)tn_case_example(operation, s, &it);
    it.lists[k].count = TN_MAX_RANK + 1;
    snprintf(changed, sizeof changed, "list %zu has %d numbers", k, TN_MAX_RANK + 1);
    run(s, operation, &it);
    tn_scope_clear(s);
  }
}

static void change_reals(tn_scope_t* s, const tn_case_operation_t* operation) {
  static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e300};
  static tn_case_t it;
  (void)tn_case_example(operation, s, &it);
  const size_t count = it.real_count;
  for (size_t k = 0; k < count; ++k) {
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
      (void)tn_case_example(operation, s, &it);
      it.reals[k] = odd[i];
      snprintf(changed, sizeof changed, "number %zu is %g", k, odd[i]);
      run(s, operation, &it);
      tn_scope_clear(s);
    }
  }
}

static void wrong_arguments_are_errors_with_the_name_of_the_operation(void** state) {
  (void)state;
  const char* only = getenv("TENON_OPERATION");
  tn_scope_t* s = tn__testing_scope();
  other_scope = tn__testing_scope();
  for (size_t i = 0; tn_case_operation_at(i); ++i) {
    const tn_case_operation_t* operation = tn_case_operation_at(i);
    if (only && strcmp(only, operation->name) != 0) continue;
    change_arrays(s, operation);
    change_lists(s, operation);
    change_reals(s, operation);
    tn_scope_clear_cache(s);
  }
  tn_scope_destroy(other_scope);
  tn_scope_destroy(s);
  assert_int_equal(failure_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_arguments_are_errors_with_the_name_of_the_operation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
