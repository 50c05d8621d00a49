// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adding steps to the graph.
#include <tenon/detail/program.h>
#include <tenon/detail/transform.h>

#include "base/type.h"
#include "call/fitted.h"
#include "ir/builder.h"
#include "lazy/array.h"

// What the copy of a dictionary takes, roughly: lists are short. Longer ones get a second block.
static size_t room_for(const tn_attr_dictionary_t* dictionary) {
  enum { LIST = 64 };
  size_t size = 0;
  for (size_t i = 0; i < dictionary->count; ++i) {
    const tn_named_attr_t* entry = &dictionary->entries[i];
    size += sizeof(tn_named_attr_t) + sizeof(tn_attr_t) + entry->name.length + LIST;
    if (entry->attr->kind == TN_ATTR_STRUCT) size += room_for(&entry->attr->dictionary);
  }
  return size;
}

// Steps with several results keep their types, since a result may go before the step is evaluated.
static tn_status_t keep_results(tn_step_t* step, const tn_step_spec_t* spec) {
  tn_arena_t* arena = &step->arena;
  if (spec->result_count == 1) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->result_count, &step->results));
  tn_array_type_t* types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->result_count, &types));
  step->result_types = types;
  for (size_t i = 0; i < spec->result_count; ++i) {
    const tn_array_type_t* type = &spec->result_types[i];
    types[i] = (tn_array_type_t){.dtype = type->dtype, .rank = type->rank};
    TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, type->rank, type->dims, &types[i].dims));
  }
  return TN_OK;
}

static tn_status_t keep_attributes(tn_step_t* step, const tn_step_spec_t* spec) {
  if (spec->attributes.count == 0) return TN_OK;
  return tn__attr_dictionary_copy(&step->arena, false, &spec->attributes, &step->attributes);
}

// Most steps have no lists, and their arena stays empty.
static tn_status_t keep_lists(tn_step_t* step, const tn_step_spec_t* spec) {
  enum { RESULT = 64 };
  const size_t result_count = spec->result_count == 1 ? 0 : spec->result_count;
  const size_t size = room_for(&spec->attributes) + result_count * RESULT;
  if (size == 0) return TN_OK;
  TN_RETURN_IF_ERROR(tn__arena_init_sized(&step->arena, step->arena.allocator, size));
  TN_RETURN_IF_ERROR(keep_attributes(step, spec));
  return keep_results(step, spec);
}

static bool lacks_body(const tn_step_spec_t* spec) {
  return spec->op && spec->op->regions > 0 && !spec->excerpt && !spec->body;
}

tn_status_t tn__step_create(tn_evaluator_t* evaluator, tn_stream_t* stream,
                            const tn_step_spec_t* spec, tn_step_t** out_step) {
  void* memory = NULL;
  *out_step = NULL;
  if (lacks_body(spec)) return tn__status_out_of_memory();
  TN_RETURN_IF_ERROR(
      tn__allocate(evaluator->allocator, tn__step_byte_size(spec->operand_count), &memory));
  tn_step_t* step = memory;
  tn__arena_init(&step->arena, evaluator->allocator);
  tn_status_t status = keep_lists(step, spec);
  if (status) {
    tn__arena_deinit(&step->arena);
    tn__free(evaluator->allocator, step, tn__step_byte_size(spec->operand_count));
    return status;
  }
  atomic_init(&step->references, 1);
  step->evaluator = tn__evaluator_retain(evaluator);
  step->op = tn__op_retain(spec->op);
  step->fitted = tn__fitted_retain(spec->fitted);
  if (spec->fitted) step->attributes = spec->fitted->dictionary;
  step->program = tn_program_retain(spec->program);
  step->excerpt = spec->excerpt;
  if (spec->excerpt) tn_module_retain(spec->excerpt->module);
  step->body = spec->body;
  if (spec->body) tn_module_retain(spec->body->function->module);
  step->stream = tn_stream_retain(stream);
  step->operand_count = (uint32_t)spec->operand_count;
  step->result_count = (uint32_t)spec->result_count;
  for (size_t i = 0; i < spec->operand_count && !status; ++i) {
    if (spec->operands[i]->evaluator == evaluator) {
      step->operands[i] = tn_array_retain(spec->operands[i]);
    } else {
      status = tn__array_enter(evaluator, spec->operands[i], &step->operands[i]);
    }
  }
  if (status) {
    tn__step_release(step);
    return status;
  }
  *out_step = step;
  return TN_OK;
}

const char* tn__step_name(const tn_step_t* step) {
  if (step->excerpt) return step->excerpt->name;
  return step->op ? step->op->name : "a compiled function";
}

static uint8_t inherited_flags(size_t count, tn_array_t* const* operands) {
  unsigned flags = 0;
  for (size_t i = 0; i < count; ++i) flags |= operands[i]->flags;
  return (uint8_t)(flags & TN_ARRAY_TRACED);
}

static void give_errors(tn_scope_t* scope, size_t count, tn_array_t* error,
                        tn_array_t** out_results) {
  for (size_t i = 0; i < count; ++i) {
    out_results[i] = i ? tn__scope_give(scope, tn_array_retain(error)) : error;
  }
}

static const char* name_of(const tn_scope_t* scope, const tn_step_spec_t* spec) {
  if (tn__scope_operation(scope)) return tn__scope_operation(scope);
  if (spec->excerpt) return spec->excerpt->name;
  return spec->op ? tn__op_short_name(spec->op) : "a compiled function";
}

// Types of programs may leave sizes open, those of arrays may not.
static tn_status_t check_type(const tn_array_type_t* type) {
  TN_RETURN_IF_ERROR(tn__type_check(type->dtype, type->rank, type->dims));
  for (size_t i = 0; i < type->rank; ++i) {
    if (type->dims[i] >= 0) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "dimension %zu is %lld; it must be >= 0", i,
                            (long long)type->dims[i]);
  }
  return TN_OK;
}

static tn_array_t* check_spec(tn_scope_t* scope, const tn_step_spec_t* spec) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, spec->operand_count, spec->operands));
  for (size_t i = 0; i < spec->result_count; ++i) {
    tn_status_t status = check_type(&spec->result_types[i]);
    if (status) return tn__scope_refuse(scope, status);
  }
  return NULL;
}

// NULL when it cannot be made; *out_error is the result then.
static tn_step_t* begin_step(tn_scope_t* scope, const tn_step_spec_t* spec,
                             tn_array_t** out_error) {
  TN__OPERATION(scope, name_of(scope, spec));
  tn_step_t* step = NULL;
  *out_error = check_spec(scope, spec);
  if (*out_error) return NULL;
  tn_status_t status =
      tn__step_create(tn__scope_evaluator(scope), tn_scope_stream(scope), spec, &step);
  if (tn_status_code(status) == TN_CODE_RESOURCE_EXHAUSTED) {
    tn_status_release(status);
    *out_error = tn__scope_give(scope, NULL);
  } else if (status) {
    *out_error = tn__scope_refuse(scope, status);
  }
  return step;
}

void tn__step_add(tn_scope_t* scope, const tn_step_spec_t* spec, tn_array_t** out_results) {
  tn_evaluator_t* evaluator = tn__scope_evaluator(scope);
  tn_array_t* error = NULL;
  tn_step_t* step = begin_step(scope, spec, &error);
  if (!step) {
    give_errors(scope, spec->result_count, error, out_results);
    return;
  }
  const uint8_t flags = inherited_flags(spec->operand_count, spec->operands);
  for (size_t i = 0; i < spec->result_count; ++i) {
    const tn_array_type_t* type = &spec->result_types[i];
    tn_array_t* array = tn__array_create(evaluator, type->dtype, type->rank, type->dims);
    if (array) {
      array->flags = flags;
      array->index = (uint32_t)i;
      array->step = tn__step_retain(step);
      if (step->results) step->results[i] = array;
    }
    out_results[i] = tn__scope_give(scope, array);
  }
  tn__step_release(step);
}

tn_array_t* tn__apply_body(tn_scope_t* scope, const tn_op_t* op, size_t operand_count,
                           tn_array_t* const* operands, size_t attribute_count,
                           const tn_named_attr_t* attributes, const tn_region_t* body,
                           const tn_array_type_t* type) {
  const tn_step_spec_t spec = {
      .op = op,
      .operand_count = operand_count,
      .operands = operands,
      .attributes = {attribute_count, attributes},
      .body = body,
      .result_count = 1,
      .result_types = type,
  };
  tn_array_t* result = NULL;
  tn__step_add(scope, &spec, &result);
  return result;
}

tn_array_t* tn__apply_with(tn_scope_t* scope, const tn_op_t* op, size_t operand_count,
                           tn_array_t* const* operands, size_t attribute_count,
                           const tn_named_attr_t* attributes, tn_dtype_t dtype, size_t rank,
                           const int64_t* dims) {
  const tn_array_type_t type = {dtype, rank, dims};
  return tn__apply_body(scope, op, operand_count, operands, attribute_count, attributes, NULL,
                        &type);
}

tn_array_t* tn__apply(tn_scope_t* scope, const tn_op_t* op, size_t operand_count,
                      tn_array_t* const* operands, tn_dtype_t dtype, size_t rank,
                      const int64_t* dims) {
  return tn__apply_with(scope, op, operand_count, operands, 0, NULL, dtype, rank, dims);
}

tn_array_t* tn__view_create(tn_step_t* step, const tn_array_type_t* type, const int64_t* strides,
                            int64_t byte_offset) {
  tn_array_t* array = tn__array_create(step->evaluator, type->dtype, type->rank, type->dims);
  if (!array) return NULL;
  step->is_view = true;
  array->flags = inherited_flags(1, step->operands) | TN_ARRAY_VIEW;
  array->step = tn__step_retain(step);
  array->byte_offset = byte_offset;
  if (type->rank) memcpy(array->strides, strides, type->rank * sizeof *strides);
  return array;
}

tn_array_t* tn__view(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, size_t attribute_count,
                     const tn_named_attr_t* attributes, size_t rank, const int64_t* dims,
                     const int64_t* strides, int64_t byte_offset) {
  const tn_array_type_t type = {x->dtype, rank, dims};
  const tn_step_spec_t spec = {
      .op = op,
      .operand_count = 1,
      .operands = &x,
      .attributes = {attribute_count, attributes},
      .result_count = 1,
      .result_types = &type,
  };
  tn_array_t* error = NULL;
  tn_step_t* step = begin_step(scope, &spec, &error);
  if (!step) return error;
  tn_array_t* array = tn__view_create(step, &type, strides, byte_offset);
  tn__step_release(step);
  return tn__scope_give(scope, array);
}

const tn_op_t tn__identities[] = {
#define TN_IDENTITY_OP(text) \
  {.name = #text, .operands = TN_VARIADIC, .results = TN_VARIADIC, .traits = TN_IDENTITY},
    TN_IDENTITIES(TN_IDENTITY_OP)
#undef TN_IDENTITY_OP
};

static tn_array_t* apply_identity(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x) {
  TN__OPERATION_ON(scope, op->name, x);
  return tn__view(scope, op, x, 0, NULL, x->rank, x->dims, x->strides, x->byte_offset);
}

tn_array_t* tn__identity(tn_scope_t* scope, tn_array_t* x, uint8_t flags) {
  tn_array_t* array = apply_identity(scope, TN__IDENTITY(identity), x);
  if (tn__array_state(array) != TN_ARRAY_FAILED) array->flags |= flags;
  return array;
}

tn_array_t* tn_array_stop_gradient(tn_scope_t* scope, tn_array_t* x) {
  return apply_identity(scope, TN__IDENTITY(stop_gradient), x);
}

tn_array_t* tn__abstract(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims) {
  tn_array_t* array = tn__array_create(tn__scope_evaluator(scope), dtype, rank, dims);
  if (array) array->flags = TN_ARRAY_ABSTRACT | TN_ARRAY_TRACED;
  return tn__scope_give(scope, array);
}
