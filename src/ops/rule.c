// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/rule.h"

#include <stdarg.h>
#include <stdio.h>

tn_status_t tn__rule_error(const tn_op_use_t* use, const char* constraint, const char* format,
                           ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  const char* name = tn__op_short_name(use->op);
  return constraint
             ? tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s (%s): %s", name, constraint, message)
             : tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %s", name, message);
}

// --- types

bool tn__shapes_agree(const tn_type_t* a, const tn_type_t* b) {
  if (a->rank != b->rank) return false;
  for (size_t i = 0; i < a->rank; ++i) {
    if (!tn__dims_agree(a->dims[i], b->dims[i])) return false;
  }
  return true;
}

bool tn__types_agree(const tn_type_t* a, const tn_type_t* b) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case TN_TYPE_TOKEN: return true;
    case TN_TYPE_TENSOR: return a->dtype == b->dtype && tn__shapes_agree(a, b);
    case TN_TYPE_TUPLE:
    case TN_TYPE_FUTURE: break;
  }
  if (a->element_count != b->element_count) return false;
  for (size_t i = 0; i < a->element_count; ++i) {
    if (!tn__types_agree(a->elements[i], b->elements[i])) return false;
  }
  return true;
}

bool tn__is_scalar_of(const tn_type_t* type, uint32_t kinds) {
  return tn__type_is_tensor(type) && type->rank == 0 && (tn_dtype_kind(type->dtype) & kinds);
}

tn_dtype_t tn__dtype_complex_of(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_F32   ? TN_DTYPE_C64
         : dtype == TN_DTYPE_F64 ? TN_DTYPE_C128
                                 : TN_DTYPE_INVALID;
}

tn_dtype_t tn__dtype_real_of(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_C64    ? TN_DTYPE_F32
         : dtype == TN_DTYPE_C128 ? TN_DTYPE_F64
                                  : TN_DTYPE_INVALID;
}

bool tn__dtype_promotes(tn_dtype_t from, tn_dtype_t to) {
  tn_kind_t a = tn_dtype_kind(from), b = tn_dtype_kind(to);
  bool same_kind = a == b || ((a & TN_KIND_INTEGER) && (b & TN_KIND_INTEGER));
  return same_kind && tn_dtype_bit_width(from) <= tn_dtype_bit_width(to);
}

// "a tensor of floats or complex numbers"
static void describe_kinds(uint32_t kinds, size_t capacity, char* text) {
  static const struct {
    uint32_t kinds;
    const char* plural;
  } names[] = {
      {TN_KIND_BOOL, "booleans"},          {TN_KIND_INTEGER, "integers"},
      {TN_KIND_SIGNED, "signed integers"}, {TN_KIND_UNSIGNED, "unsigned integers"},
      {TN_KIND_FLOAT, "floats"},           {TN_KIND_COMPLEX, "complex numbers"},
  };
  size_t length = (size_t)snprintf(text, capacity, "a tensor");
  if ((kinds & TN__ANY_KIND) == TN__ANY_KIND) return;
  uint32_t said = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    uint32_t these = names[i].kinds;
    if ((kinds & these) != these || (said & these) || length >= capacity) continue;
    uint32_t left = kinds & ~(said | these);
    const char* joint = !said ? " of " : left ? ", " : " or ";
    length += (size_t)snprintf(text + length, capacity - length, "%s%s", joint, names[i].plural);
    said |= these;
  }
}

tn_status_t tn__rule_tensor(const tn_op_use_t* use, const tn_type_t* type, const char* constraint,
                            const char* role, uint32_t kinds) {
  if (tn__type_is_tensor(type) && (tn_dtype_kind(type->dtype) & kinds)) return TN_OK;
  char wanted[128];
  describe_kinds(kinds, sizeof wanted, wanted);
  return tn__rule_error(use, constraint, "%s has type %s; expected %s", role, TN_TYPE_TEXT(type),
                        wanted);
}

tn_status_t tn__rule_operand(const tn_op_use_t* use, size_t index, const char* constraint,
                             const char* role, uint32_t kinds) {
  return tn__rule_tensor(use, use->operand_types[index], constraint, role, kinds);
}

tn_status_t tn__rule_result(const tn_op_use_t* use, size_t index, const char* constraint,
                            const char* role, uint32_t kinds) {
  return tn__rule_tensor(use, use->result_types[index], constraint, role, kinds);
}

tn_status_t tn__rule_tensors(const tn_op_use_t* use, size_t first, size_t count,
                             const char* constraint, const char* role) {
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* type = use->operand_types[first + i];
    TN_CONSTRAINT(use, constraint, tn__type_is_tensor(type),
                  "%s %zu has type %s; expected a tensor", role, i, TN_TYPE_TEXT(type));
  }
  return TN_OK;
}

// --- lists of dimensions

tn_status_t tn__rule_list(const tn_op_use_t* use, const tn_attr_dictionary_t* dictionary,
                          const char* name, tn_i64_list_t* out_list) {
  return tn_status_prefix(tn__attr_get_i64_list(dictionary, name, use->arena, out_list), "%s",
                          tn__op_short_name(use->op));
}

const tn_attr_dictionary_t* tn__rule_struct(const tn_op_use_t* use, const char* name) {
  static const tn_attr_dictionary_t none = {0, NULL};
  const tn_attr_t* attr = tn__attr_find(&use->attrs, name);
  return attr && attr->kind == TN_ATTR_STRUCT ? &attr->dictionary : &none;
}

tn_status_t tn__rule_dim(const tn_op_use_t* use, const char* in_range, const char* unique,
                         const char* name, int64_t dimension, size_t rank, uint64_t* set) {
  TN_CONSTRAINT(use, in_range, dimension >= 0 && dimension < (int64_t)rank,
                "%s is %lld; expected a dimension of a tensor of rank %zu", name,
                (long long)dimension, rank);
  TN_CONSTRAINT(use, unique, !tn__set_has(*set, (size_t)dimension),
                "%s: dimension %lld is there twice", name, (long long)dimension);
  *set |= (uint64_t)1 << dimension;
  return TN_OK;
}

tn_status_t tn__rule_dims(const tn_op_use_t* use, const char* in_range, const char* unique,
                          const char* name, tn_i64_list_t list, size_t rank, uint64_t* set) {
  for (size_t i = 0; i < list.count; ++i) {  // ends by the 65th: one of them comes again
    int64_t dimension = list.values[i];
    TN_CONSTRAINT(use, in_range, dimension >= 0 && dimension < (int64_t)rank,
                  "%s has %lld; expected dimensions of a tensor of rank %zu", name,
                  (long long)dimension, rank);
    TN_RETURN_IF_ERROR(tn__rule_dim(use, in_range, unique, name, dimension, rank, set));
  }
  return TN_OK;
}

tn_status_t tn__rule_sorted(const tn_op_use_t* use, const char* constraint, const char* name,
                            tn_i64_list_t list) {
  for (size_t i = 1; i < list.count; ++i) {
    TN_CONSTRAINT(use, constraint, list.values[i - 1] <= list.values[i],
                  "%s is %s; expected ascending order", name, TN_LIST_TEXT(list));
  }
  return TN_OK;
}

tn_status_t tn__rule_count(const tn_op_use_t* use, const char* constraint, const char* name,
                           tn_i64_list_t list, size_t count) {
  TN_CONSTRAINT(use, constraint, list.count == count, "%s has %zu entries; expected %zu", name,
                list.count, count);
  return TN_OK;
}

tn_status_t tn__rule_at_least(const tn_op_use_t* use, const char* constraint, const char* name,
                              tn_i64_list_t list, int64_t minimum) {
  for (size_t i = 0; i < list.count; ++i) {
    TN_CONSTRAINT(use, constraint, list.values[i] >= minimum,
                  "%s is %s; expected entries of at least %lld", name, TN_LIST_TEXT(list),
                  (long long)minimum);
  }
  return TN_OK;
}

tn_type_text_t tn__list_text(tn_i64_list_t list) {
  tn_type_text_t out;
  size_t capacity = sizeof out.text - sizeof "...]";
  size_t length = (size_t)snprintf(out.text, capacity, "[");
  for (size_t i = 0; i < list.count; ++i) {
    char number[32];
    size_t width =
        (size_t)snprintf(number, sizeof number, "%s%lld", i ? ", " : "", (long long)list.values[i]);
    if (length + width >= capacity) {
      length += (size_t)snprintf(out.text + length, 4, "...");
      break;
    }
    memcpy(out.text + length, number, width);
    length += width;
  }
  memcpy(out.text + length, "]", 2);
  return out;
}

// --- regions

// "(tensor<f32>, tensor<f32>) -> tensor<f32>", cut off where it gets long.
static void describe_signature(size_t argument_count, const tn_type_t* const* arguments,
                               size_t result_count, const tn_type_t* const* results,
                               size_t capacity, char* text) {
  size_t length = (size_t)snprintf(text, capacity, "(");
  for (size_t i = 0; i < argument_count && length < capacity; ++i) {
    length += (size_t)snprintf(text + length, capacity - length, "%s%s", i ? ", " : "",
                               TN_TYPE_TEXT(arguments[i]));
  }
  if (length < capacity) length += (size_t)snprintf(text + length, capacity - length, ") -> (");
  for (size_t i = 0; i < result_count && length < capacity; ++i) {
    length += (size_t)snprintf(text + length, capacity - length, "%s%s", i ? ", " : "",
                               TN_TYPE_TEXT(results[i]));
  }
  if (length < capacity) length += (size_t)snprintf(text + length, capacity - length, ")");
  if (length >= capacity) memcpy(text + capacity - 4, "...", 4);
}

static bool same_types(size_t count, const tn_type_t* const* a, size_t other_count,
                       const tn_type_t* const* b) {
  if (count != other_count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!tn__types_agree(a[i], b[i])) return false;
  }
  return true;
}

tn_status_t tn__rule_region(const tn_op_use_t* use, size_t region, const char* constraint,
                            const char* role, size_t argument_count,
                            const tn_type_t* const* arguments, size_t result_count,
                            const tn_type_t* const* results) {
  const tn_region_signature_t* found = &use->regions[region];
  if (same_types(found->argument_count, found->argument_types, argument_count, arguments) &&
      same_types(found->result_count, found->result_types, result_count, results)) {
    return TN_OK;
  }
  char found_text[320], wanted_text[320];
  describe_signature(found->argument_count, found->argument_types, found->result_count,
                     found->result_types, sizeof found_text, found_text);
  describe_signature(argument_count, arguments, result_count, results, sizeof wanted_text,
                     wanted_text);
  return tn__rule_error(use, constraint, "%s has type %s; expected %s", role, found_text,
                        wanted_text);
}

tn_status_t tn__rule_folded(const tn_op_use_t* use, const char* count_constraint,
                            const char* shape_constraint, const char* dtype_constraint,
                            size_t* out_count) {
  TN_CONSTRAINT(use, count_constraint, use->operand_count % 2 == 0,
                "has %zu operands; expected as many init values as inputs", use->operand_count);
  size_t count = use->operand_count / 2;
  const tn_type_t *const *inputs = use->operand_types, *const *inits = use->operand_types + count;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, count, "I1", "input"));
  for (size_t i = 0; i < count; ++i) {
    TN_CONSTRAINT(use, "I2", tn__is_scalar_of(inits[i], TN__ANY_KIND),
                  "init value %zu has type %s; expected a scalar", i, TN_TYPE_TEXT(inits[i]));
    TN_CONSTRAINT(use, shape_constraint, tn__shapes_agree(inputs[i], inputs[0]),
                  "input %zu has shape %s; expected %s", i,
                  TN_SHAPE_TEXT(inputs[i]->rank, inputs[i]->dims),
                  TN_SHAPE_TEXT(inputs[0]->rank, inputs[0]->dims));
    TN_CONSTRAINT(use, dtype_constraint, inputs[i]->dtype == inits[i]->dtype,
                  "init value %zu has type %s; expected tensor<%s>", i, TN_TYPE_TEXT(inits[i]),
                  tn_dtype_name(inputs[i]->dtype));
  }
  *out_count = count;
  return TN_OK;
}

tn_status_t tn__rule_folding(const tn_op_use_t* use, size_t region, const char* constraint,
                             const char* role, size_t count, const tn_type_t* const* operands,
                             tn_dtype_t* out_dtypes) {
  const tn_region_signature_t* found = &use->regions[region];
  TN_CONSTRAINT(use, constraint, found->result_count == count, "%s gives %zu results; expected %zu",
                role, found->result_count, count);
  const tn_type_t** wanted = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, 2 * count, &wanted));
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t* result = found->result_types[i];
    TN_CONSTRAINT(use, constraint,
                  tn__is_scalar_of(result, TN__ANY_KIND) &&
                      tn__dtype_promotes(operands[i]->dtype, result->dtype),
                  "result %zu of %s has type %s; expected tensor<%s> or what that promotes to", i,
                  role, TN_TYPE_TEXT(result), tn_dtype_name(operands[i]->dtype));
    wanted[i] = wanted[count + i] = result;
    out_dtypes[i] = result->dtype;
  }
  return tn__rule_region(use, region, constraint, role, 2 * count, wanted, count, wanted);
}

// --- results

tn_status_t tn__give(const tn_op_use_t* use, tn_op_results_t* results, const char* constraint,
                     const tn_type_t* type) {
  if (results->count == results->capacity) {
    return tn_status_create(TN_CODE_INTERNAL, "%s: more results than there is room for",
                            tn__op_short_name(use->op));
  }
  results->types[results->count] = type;
  results->constraints[results->count] = constraint;
  ++results->count;
  return TN_OK;
}

tn_status_t tn__give_tensor(const tn_op_use_t* use, tn_op_results_t* results,
                            const char* constraint, tn_dtype_t dtype, size_t rank,
                            const int64_t* dims) {
  const tn_type_t* type = NULL;
  const char* name = tn__op_short_name(use->op);
  tn_status_t status = tn__type_tensor(use->arena, dtype, rank, dims, &type);
  if (status) {
    return constraint ? tn_status_prefix(status, "%s (%s): result", name, constraint)
                      : tn_status_prefix(status, "%s: result", name);
  }
  return tn__give(use, results, constraint, type);
}
