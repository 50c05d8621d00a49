// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <string.h>

#include "bindings/functions.h"

const tn_array_function_t* tn_array_function_find(const char* name) {
  for (size_t i = 0; i < tn_array_function_count; ++i) {
    if (strcmp(tn_array_functions[i].name, name) == 0) return &tn_array_functions[i];
  }
  return NULL;
}

tn_argument_t tn_argument_default(const tn_parameter_t* parameter) {
  return (tn_argument_t){.integer = parameter->integer, .real = parameter->real};
}

size_t tn_array_function_result_count(const tn_array_function_t* function,
                                      const tn_argument_t* arguments) {
  return function->count ? function->count(arguments) : function->result_count;
}

static tn_status_t check(const tn_array_function_t* function, const tn_argument_t* arguments) {
  for (size_t i = 0; i < function->parameter_count; ++i) {
    const tn_parameter_t* parameter = &function->parameters[i];
    if (!parameter->count || !arguments[i].integers) continue;
    const size_t expected = parameter->count(arguments), found = arguments[i].count;
    if (expected == TN_ANY_COUNT || expected == found) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %s has %zu elements; expected %zu",
                            function->name, parameter->name, found, expected);
  }
  return TN_OK;
}

void tn_array_function_call(const tn_array_function_t* function, tn_scope_t* scope,
                            const tn_argument_t* arguments, tn_array_t** results) {
  tn_status_t status = check(function, arguments);
  if (!status) {
    function->call(scope, arguments, results);
    return;
  }
  tn_array_t* error = tn_array_error(scope, status);
  const size_t count = tn_array_function_result_count(function, arguments);
  for (size_t i = 0; i < count; ++i) results[i] = error;
}
