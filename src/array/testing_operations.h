// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every operation on arrays by name, with its arguments as lists of numbers: for tests that go
// through all of them.
#ifndef TENON_ARRAY_TESTING_OPERATIONS_H_
#define TENON_ARRAY_TESTING_OPERATIONS_H_

#include <tenon/arrays.h>
#include <tenon/tenon.h>

#include <tenon/detail/array_ops.h>

enum { TN_CASE_LIMIT = 16, TN_CASE_LIST_LIMIT = 256, TN_CASE_RANK_LIMIT = 16 };

typedef struct tn_case_list {
  size_t count;
  const int64_t* values;  // NULL: not given
  int64_t numbers[TN_CASE_LIST_LIMIT];
} tn_case_list_t;

typedef struct tn_case {
  size_t array_count, list_count, real_count;
  tn_array_t* arrays[TN_CASE_LIMIT];  // NULL: not given
  tn_case_list_t lists[TN_CASE_LIMIT];
  double reals[TN_CASE_LIMIT];
  tn_array_t* results[TN_CASE_LIMIT];
} tn_case_t;

typedef struct tn_case_operation {
  const char* name;
  size_t array_count, list_count, real_count;  // that `run` reads at least
  const struct tn_array_function* function;    // of the table, or NULL: `run`
  void (*run)(tn_scope_t* scope, tn_case_t* it);
} tn_case_operation_t;

const tn_case_operation_t* tn_case_operation(const char* name);  // NULL: none
const tn_case_operation_t* tn_case_operation_at(size_t index);   // NULL: that was the last one

// Takes the arrays, lists and numbers of the case in the order of the parameters: lists are axes,
// integers, booleans, dtypes, choices and characters, too.
void tn_case_run(const tn_case_operation_t* operation, tn_scope_t* scope, tn_case_t* it);
// Whether the parameter that this list is for may be left out.
bool tn_case_list_is_optional(const tn_case_operation_t* operation, size_t index);

// The function in a module's bytes, which are the first array, of the others (testing_imports.c).
// List 0 says what is wanted: 0 its output, 1 the gradient of the output's sum, 2 its outputs over
// a batch.
tn_array_t* tn_case_imported(tn_scope_t* scope, tn_case_t* it);

// Arguments that the operation takes, its arrays in the scope; testing_examples.c has them. False:
// there are none for it.
bool tn_case_example(const tn_case_operation_t* operation, tn_scope_t* scope, tn_case_t* out_case);

// Changes numbers that tell the operation how many results the case has room for, or how many
// arrays it has: a caller says what is true.
void tn_case_keep_within(const tn_case_operation_t* operation, tn_case_t* it);

#endif  // TENON_ARRAY_TESTING_OPERATIONS_H_
