// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/body.h"

#include <math.h>

#include "ir/builder.h"

// --- what they compute

static tn_value_t* compare(tn_builder_t* builder, tn_value_t* a, tn_value_t* b,
                           const char* direction, const char* type) {
  const tn_attribute_t attributes[] = {
      tn_attribute_string("comparison_direction", direction, strlen(direction)),
      tn_attribute_string("compare_type", type, strlen(type)),
  };
  const tn_operation_t operation = {
      .struct_size = sizeof operation,
      .name = "compare",
      .operand_count = 2,
      .operands = (tn_value_t*[]){a, b},
      .attribute_count = *type ? 2 : 1,
      .attributes = attributes,
  };
  tn_value_t* result = NULL;
  tn_builder_operation(builder, &operation, 1, &result);
  return result;
}

static tn_value_t* number(tn_builder_t* builder, tn_dtype_t dtype, double value) {
  char element[16] = {0};
  tn_dtype_store(dtype, value, element);
  return tn_builder_constant(builder, tn_builder_tensor_type(builder, dtype, 0, NULL), element);
}

// A float as sorting sees it: all zeros are equal, and all NaNs.
static tn_value_t* sort_key(tn_builder_t* builder, tn_dtype_t dtype, tn_value_t* x) {
  tn_value_t* zero = number(builder, dtype, 0);
  tn_value_t* is_zero = compare(builder, x, zero, "EQ", "");
  tn_value_t* key = tn_builder_select(builder, is_zero, zero, x);
  return tn_builder_select(builder, compare(builder, x, x, "NE", ""),
                           number(builder, dtype, (double)NAN), key);
}

// Complex elements go by their real parts, equal ones by the imaginary parts.
static tn_value_t* complex_before(tn_builder_t* builder, tn_dtype_t dtype, tn_value_t* const* x) {
  const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  tn_value_t* real[2];
  tn_value_t* imaginary[2];
  for (int i = 0; i < 2; ++i) {
    real[i] = sort_key(builder, part, tn_builder_real(builder, x[i]));
    imaginary[i] = sort_key(builder, part, tn_builder_imag(builder, x[i]));
  }
  tn_value_t* same = compare(builder, real[0], real[1], "EQ", "TOTALORDER");
  tn_value_t* rest = compare(builder, imaginary[0], imaginary[1], "LT", "TOTALORDER");
  return tn_builder_or(builder, compare(builder, real[0], real[1], "LT", "TOTALORDER"),
                       tn_builder_and(builder, same, rest));
}

static tn_value_t* before(tn_builder_t* builder, tn_dtype_t dtype, tn_value_t* const* x) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_COMPLEX: return complex_before(builder, dtype, x);
    case TN_KIND_FLOAT:
      return compare(builder, sort_key(builder, dtype, x[0]), sort_key(builder, dtype, x[1]), "LT",
                     "TOTALORDER");
    default: return compare(builder, x[0], x[1], "LT", "");
  }
}

// --- made once

// The operations that own a region of another kind stand for it.
#define REPLACING TN__OP(scatter)
#define BEFORE TN__OP(sort)

struct tn_body_cache {
  tn_body_cache_t* next;
  const tn_allocator_t* allocator;
  const tn_op_t* op;
  tn_dtype_t dtype;
  const tn_region_t* region;  // of a module that this retains
};

void tn__body_cache_destroy(tn_body_cache_t* cache) {
  while (cache) {
    tn_body_cache_t* entry = cache;
    cache = entry->next;
    tn_module_release(entry->region->function->module);
    tn__free(entry->allocator, entry, sizeof *entry);
  }
}

static const tn_region_t* find(const tn_body_cache_t* entry, const tn_op_t* op, tn_dtype_t dtype) {
  while (entry && (entry->op != op || entry->dtype != dtype)) entry = entry->next;
  return entry ? entry->region : NULL;
}

static tn_value_t* result_of(tn_builder_t* builder, const tn_op_t* op, tn_dtype_t dtype,
                             tn_value_t* const* arguments) {
  if (op == REPLACING) return arguments[1];
  if (op == BEFORE) return before(builder, dtype, arguments);
  return tn__builder_add_one(builder, op->name, 2, arguments, 0, NULL);
}

// A node holds the region, so that its values are numbered as those of any other.
static tn_status_t make_region(tn_builder_t* builder, const tn_op_t* op, tn_dtype_t dtype,
                               const tn_region_t** out_region) {
  const tn_type_t* types[] = {tn__type_scalar(dtype), tn__type_scalar(dtype)};
  tn_value_t* arguments[2] = {NULL};
  tn_node_t* holder = NULL;
  tn_computation_t* computation = tn_computation_begin(builder, 2, types, arguments);
  tn_value_t* result = result_of(builder, op, dtype, arguments);
  tn_computation_end(builder, computation, 1, &result);
  if (builder->status) {
    tn_status_t status = builder->status;
    builder->status = TN_OK;
    return status;
  }
  const tn_node_spec_t spec = {
      .op = TN__OP(reduce), .region_count = 1, .regions = &computation->region};
  TN_RETURN_IF_ERROR(tn__node_append(builder->function->body, &spec, &holder));
  tn__function_number(builder->function);
  *out_region = computation->region;
  return TN_OK;
}

static tn_status_t make(const tn_allocator_t* allocator, const tn_op_t* op, tn_dtype_t dtype,
                        tn_body_cache_t** out_entry) {
  tn_status_t status = TN_OK;
  tn_builder_t* builder = NULL;
  const tn_region_t* region = NULL;
  void* memory = NULL;
  *out_entry = NULL;
  TN_DONE_IF_ERROR(tn_builder_create(allocator, NULL, &builder));
  TN_DONE_IF_ERROR(make_region(builder, op, dtype, &region));
  TN_DONE_IF_ERROR(tn__allocate(allocator, sizeof(tn_body_cache_t), &memory));
  *out_entry = memory;
  **out_entry =
      (tn_body_cache_t){.allocator = allocator, .op = op, .dtype = dtype, .region = region};
  tn_module_retain(builder->module);
done:
  tn_builder_destroy(builder);
  return status;
}

const tn_region_t* tn__body_of(tn_scope_t* scope, const tn_op_t* op, tn_dtype_t dtype) {
  tn_evaluator_t* evaluator = tn__scope_evaluator(scope);
  tn_body_cache_t* made = NULL;
  pthread_mutex_lock(&evaluator->mutex);
  const tn_region_t* region = find(evaluator->bodies, op, dtype);
  pthread_mutex_unlock(&evaluator->mutex);
  if (region) return region;
  tn_status_t status = make(evaluator->allocator, op, dtype, &made);
  if (status) {
    tn_status_release(status);
    return NULL;
  }
  pthread_mutex_lock(&evaluator->mutex);
  region = find(evaluator->bodies, op, dtype);  // another thread may have been faster
  if (!region) {
    region = made->region;
    made->next = evaluator->bodies;
    evaluator->bodies = made;
    made = NULL;
  }
  pthread_mutex_unlock(&evaluator->mutex);
  tn__body_cache_destroy(made);
  return region;
}

const tn_region_t* tn__body_replacing(tn_scope_t* scope, tn_dtype_t dtype) {
  return tn__body_of(scope, REPLACING, dtype);
}

const tn_region_t* tn__body_before(tn_scope_t* scope, tn_dtype_t dtype) {
  return tn__body_of(scope, BEFORE, dtype);
}

// --- read

bool tn__body_replaces(const tn_region_t* region) {
  return region->argument_count == 2 && region->first == region->last &&
         region->last->operand_count == 1 && region->last->operands[0] == &region->arguments[1];
}

const tn_op_t* tn__body_op(const tn_region_t* region) {
  const tn_node_t *first = region->first, *last = region->last;
  if (region->argument_count != 2 || first == last || first->next != last ||
      last->operand_count != 1 || first->operand_count != 2 || first->result_count != 1 ||
      last->operands[0] != &first->results[0]) {
    return NULL;
  }
  tn_value_t* const arguments[] = {&region->arguments[0], &region->arguments[1]};
  const bool is_forward = first->operands[0] == arguments[0] && first->operands[1] == arguments[1];
  const bool is_back = first->operands[0] == arguments[1] && first->operands[1] == arguments[0];
  return is_forward || (is_back && tn__op_has(first->op, TN_COMMUTATIVE)) ? first->op : NULL;
}
