// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Order between arrays that do not need one another.
#include "array/common.h"

// All of them pass one barrier; the results for the dependencies are unused.
static tn_status_t pass_barrier(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                size_t dependency_count, tn_array_t* const* dependencies,
                                tn_array_t** out_arrays) {
  const tn_allocator_t* allocator = tn__scope_evaluator(scope)->allocator;
  const size_t all_count = count + dependency_count;
  const size_t byte_size = all_count * (sizeof(tn_array_type_t) + 2 * sizeof(tn_array_t*));
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, byte_size, &memory));
  tn_array_type_t* types = memory;
  tn_array_t** operands = (tn_array_t**)(types + all_count);
  tn_array_t** results = operands + all_count;
  for (size_t i = 0; i < all_count; ++i) {
    operands[i] = i < count ? arrays[i] : dependencies[i - count];
    types[i] = (tn_array_type_t){operands[i]->dtype, operands[i]->rank, operands[i]->dims};
  }
  const tn_step_spec_t spec = {
      .op = TN__OP(optimization_barrier),
      .operand_count = all_count,
      .operands = operands,
      .result_count = all_count,
      .result_types = types,
  };
  tn__step_add(scope, &spec, results);
  for (size_t i = 0; i < count; ++i) out_arrays[i] = results[i];
  tn__free(allocator, memory, byte_size);
  return TN_OK;
}

void tn_array_depends(tn_scope_t* scope, size_t count, tn_array_t* const* inputs,
                      size_t dependency_count, tn_array_t* const* dependencies,
                      tn_array_t** out_arrays) {
  TN__OPERATION(scope, "depends");
  tn_array_t* error = tn__check_operands(scope, count, inputs);
  if (!error) error = tn__check_operands(scope, dependency_count, dependencies);
  if (count == 0) return;
  if (!error) {
    tn_status_t status =
        pass_barrier(scope, count, inputs, dependency_count, dependencies, out_arrays);
    if (!status) return;
    error = tn_array_error(scope, status);
  }
  for (size_t i = 0; i < count; ++i) out_arrays[i] = error;
}
