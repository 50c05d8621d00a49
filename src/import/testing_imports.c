// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions of modules as operations.
#include <stdlib.h>
#include <tenon/detail/transform.h>

#include "array/testing_operations.h"

enum { CALL, GRADIENT, BATCH };

static tn_status_t sum_of(void* user, tn_scope_t* scope, size_t input_count,
                          tn_array_t* const* inputs, size_t output_count,
                          tn_array_t** out_outputs) {
  tn_status_t status =
      tn_imported_call((tn_imported_t*)user, scope, input_count, inputs, output_count, out_outputs);
  if (!status) out_outputs[0] = tn_array_sum(scope, out_outputs[0], 0, NULL, false);
  return status;
}

static tn_status_t run(tn_scope_t* scope, tn_imported_t* imported, int64_t mode, size_t count,
                       tn_array_t* const* inputs, tn_array_t** out_output) {
  const tn_closure_t closure = tn_imported_closure(imported), sum = {sum_of, imported};
  if (mode == GRADIENT) return tn_grad(scope, &sum, count, inputs, 1, NULL, out_output);
  if (mode == BATCH) return tn_vmap(scope, &closure, count, inputs, NULL, 1, NULL, out_output);
  return tn_imported_call(imported, scope, count, inputs, 1, out_output);
}

tn_array_t* tn_case_imported(tn_scope_t* scope, tn_case_t* it) {
  tn_module_t* module = NULL;
  tn_imported_t* imported = NULL;
  tn_array_t* output = NULL;
  const size_t length = tn_array_byte_size(it->arrays[0]);
  char* bytes = length < 1 << 20 ? malloc(length + 1) : NULL;
  tn_status_t status = bytes ? tn_array_to_host(it->arrays[0], bytes, length)
                             : tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "imported");
  if (!status) status = tn_module_parse(NULL, NULL, bytes, length, &module);
  free(bytes);
  if (!status) status = tn_import_function(scope, module, NULL, &imported);
  if (!status) {
    status =
        run(scope, imported, it->lists[0].numbers[0], it->array_count - 1, it->arrays + 1, &output);
  }
  tn_imported_release(imported);
  tn_module_release(module);
  return status ? tn_array_error(scope, status) : output;
}
