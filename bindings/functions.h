// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The array functions of <tenon/arrays.h> as a table: names, parameters with defaults, and a
// uniform way to call them. For bindings to other languages and for tests.
//
// tools/array_functions.py writes the table at build time, from the declarations in
// <tenon/detail/array_*.h>. It is not part of the library.
#ifndef TENON_BINDINGS_FUNCTIONS_H_
#define TENON_BINDINGS_FUNCTIONS_H_

#include <tenon/arrays.h>

typedef enum tn_parameter_kind {
  TN_PARAMETER_ARRAY,
  TN_PARAMETER_ARRAYS,
  TN_PARAMETER_AXIS,  // TN_ALL_AXES: none given
  TN_PARAMETER_INTEGER,
  TN_PARAMETER_INTEGERS,
  TN_PARAMETER_REAL,
  TN_PARAMETER_REAL_OR_NONE,
  TN_PARAMETER_BOOL,
  TN_PARAMETER_DTYPE,  // TN_DTYPE_INVALID: none given
  TN_PARAMETER_CHOICE,
  TN_PARAMETER_TEXT,
} tn_parameter_kind_t;

// The value of one parameter.
typedef struct tn_argument {
  tn_array_t* array;           // ARRAY; NULL: none given
  size_t count;                // ARRAYS, INTEGERS
  tn_array_t* const* arrays;   // ARRAYS
  const int64_t* integers;     // INTEGERS; NULL: none given
  int64_t integer;             // AXIS, INTEGER, BOOL, DTYPE, CHOICE
  double real;                 // REAL
  const double* real_or_null;  // REAL_OR_NONE; NULL: none given
  const char* text;            // TEXT
} tn_argument_t;

// A number of elements or results that follows from the arguments; TN_ANY_COUNT: not known.
#define TN_ANY_COUNT SIZE_MAX
typedef size_t (*tn_count_fn)(const tn_argument_t* arguments);

typedef struct tn_parameter {
  const char* name;
  tn_parameter_kind_t kind;
  bool is_optional;   // has a default: tn_argument_of
  bool is_shape;      // INTEGERS: a shape
  int64_t integer;    // the default of AXIS, INTEGER, BOOL, DTYPE, CHOICE; 0 if there is none
  double real;        // the default of REAL
  tn_count_fn count;  // INTEGERS: how many there must be; NULL: any number
  const char* const* choices;  // CHOICE: the names of the values from 0 on, NULL at the end
} tn_parameter_t;

typedef enum tn_result_kind {
  TN_RESULT_ARRAY,  // one array
  TN_RESULT_TUPLE,  // a fixed number of them
  TN_RESULT_LIST,   // as many as `count` says
} tn_result_kind_t;

typedef struct tn_array_function {
  const char* name;       // as in C without tn_array_: "argmax", "linalg_qr"
  const char* module;     // of mlx.core: "", "linalg", "fft", "random" or "fast"
  const char* attribute;  // the name in that module: "argmax", "qr"
  const char* signature;  // "argmax(a, axis=None, keepdims=False)"
  const char* doc;
  size_t parameter_count;
  const tn_parameter_t* parameters;  // in the order of the signature
  tn_result_kind_t result_kind;
  size_t result_count;  // ARRAY, TUPLE
  tn_count_fn count;    // LIST
  // Lists must have the number of elements that parameters ask for.
  void (*call)(tn_scope_t* scope, const tn_argument_t* arguments, tn_array_t** results);
} tn_array_function_t;

extern const tn_array_function_t tn_array_functions[];
extern const size_t tn_array_function_count;

const tn_array_function_t* tn_array_function_find(const char* name);  // NULL: there is none
// The default; of parameters without one, "none given" or 0.
tn_argument_t tn_argument_default(const tn_parameter_t* parameter);
// How many results there are.
size_t tn_array_function_result_count(const tn_array_function_t* function,
                                      const tn_argument_t* arguments);
// Calls it. A list with a wrong number of elements is an error, as an array in each of the results.
void tn_array_function_call(const tn_array_function_t* function, tn_scope_t* scope,
                            const tn_argument_t* arguments, tn_array_t** results);

#endif  // TENON_BINDINGS_FUNCTIONS_H_
