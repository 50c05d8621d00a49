// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operations of <tenon/builder.h>, each by the name and the attributes that StableHLO gives it.
#include "base/options.h"
#include "ir/builder.h"

static tn_named_attr_t i32(tn_builder_t* builder, const char* name, int64_t value) {
  const tn_attribute_t attribute = {
      .name = name, .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S32, .integer = value};
  return tn__builder_attr(builder, &attribute);
}

static tn_named_attr_t ones(tn_builder_t* builder, const char* name, size_t count) {
  int64_t values[TN_MAX_RANK];
  for (size_t i = 0; i < count; ++i) values[i] = 1;
  return tn__builder_i64_list(builder, name, count, values);
}

// --- any operation

void tn_builder_operation(tn_builder_t* builder, const tn_operation_t* operation,
                          size_t result_count, tn_value_t** out_results) {
  for (size_t i = 0; i < result_count; ++i) out_results[i] = NULL;
  if (!tn__builder_is_good(builder)) return;
  tn_operation_t copy;
  tn_status_t status;
  operation = TN_OPTIONS_READ(tn_operation_t, operation, &copy, &status);
  if (!status && !operation->name) {
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "tn_builder_operation: name is NULL");
  }
  if (status) {
    tn__builder_fail(builder, status);
    return;
  }
  if (!tn__builder_has_list(builder, operation->name, "list of attributes",
                            operation->attribute_count, operation->attributes) ||
      !tn__builder_has_list(builder, operation->name, "list of computations",
                            operation->computation_count, operation->computations)) {
    return;
  }
  const tn_op_t* op = tn__builder_find_op(operation->name);
  tn_arena_t* arena = tn__builder_arena(builder);
  tn_named_attr_t* attrs = NULL;
  status = TN_ARENA_ARRAY(arena, operation->attribute_count, &attrs);
  const tn_type_t** types = NULL;
  if (!status) status = TN_ARENA_ARRAY(arena, result_count, &types);
  if (status) {
    tn__builder_fail(builder, status);
    return;
  }
  for (size_t i = 0; i < operation->attribute_count; ++i) {
    attrs[i] = tn__builder_specified_attr(builder, op, &operation->attributes[i]);
  }
  for (size_t i = 0; operation->result_types && i < result_count; ++i) {
    types[i] = tn__builder_type(builder, operation->result_types[i]);
  }
  tn_node_t* node = tn__builder_add(builder, operation->name, operation->operand_count,
                                    operation->operands, operation->attribute_count, attrs,
                                    operation->computation_count, operation->computations,
                                    result_count, operation->result_types ? types : NULL);
  for (size_t i = 0; node && i < result_count; ++i) out_results[i] = &node->results[i];
}

// --- element-wise

#define TN_BUILDER_UNARY_OPERATION(name)                                \
  tn_value_t* tn_builder_##name(tn_builder_t* builder, tn_value_t* x) { \
    return tn__builder_add_one(builder, #name, 1, &x, 0, NULL);         \
  }
TN_BUILDER_UNARY_OPERATIONS(TN_BUILDER_UNARY_OPERATION)
#undef TN_BUILDER_UNARY_OPERATION

#define TN_BUILDER_BINARY_OPERATION(name)                                              \
  tn_value_t* tn_builder_##name(tn_builder_t* builder, tn_value_t* a, tn_value_t* b) { \
    tn_value_t* operands[] = {a, b};                                                   \
    return tn__builder_add_one(builder, #name, 2, operands, 0, NULL);                  \
  }
TN_BUILDER_BINARY_OPERATIONS(TN_BUILDER_BINARY_OPERATION)
#undef TN_BUILDER_BINARY_OPERATION

tn_value_t* tn_builder_compare(tn_builder_t* builder, tn_value_t* a, tn_value_t* b,
                               const char* direction) {
  tn_value_t* operands[] = {a, b};
  if (!direction) direction = "";
  const tn_attribute_t attribute = {.name = "comparison_direction",
                                    .kind = TN_ATTRIBUTE_STRING,
                                    .data = direction,
                                    .count = strlen(direction)};
  tn_named_attr_t attrs[] = {tn__builder_specified_attr(builder, TN__OP(compare), &attribute)};
  return tn__builder_add_one(builder, "compare", 2, operands, 1, attrs);
}

tn_value_t* tn_builder_select(tn_builder_t* builder, tn_value_t* predicate, tn_value_t* on_true,
                              tn_value_t* on_false) {
  tn_value_t* operands[] = {predicate, on_true, on_false};
  return tn__builder_add_one(builder, "select", 3, operands, 0, NULL);
}

tn_value_t* tn_builder_clamp(tn_builder_t* builder, tn_value_t* minimum, tn_value_t* x,
                             tn_value_t* maximum) {
  tn_value_t* operands[] = {minimum, x, maximum};
  return tn__builder_add_one(builder, "clamp", 3, operands, 0, NULL);
}

// Operations whose result type is given.
static tn_value_t* typed(tn_builder_t* builder, const char* name, size_t operand_count,
                         tn_value_t* const* operands, size_t attr_count,
                         const tn_named_attr_t* attrs, const tn_type_t* type) {
  if (!type) {
    tn__builder_fail(
        builder, tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the result type is NULL", name));
    return NULL;
  }
  tn_node_t* node =
      tn__builder_add(builder, name, operand_count, operands, attr_count, attrs, 0, NULL, 1, &type);
  return node ? &node->results[0] : NULL;
}

tn_value_t* tn_builder_convert(tn_builder_t* builder, tn_value_t* x, tn_dtype_t dtype) {
  const tn_type_t* from = tn__builder_operand_type(builder, "convert", x, 0);
  if (!from) return NULL;
  return typed(builder, "convert", 1, &x, 0, NULL,
               tn_builder_tensor_type(builder, dtype, from->rank, from->dims));
}

tn_value_t* tn_builder_bitcast_convert(tn_builder_t* builder, tn_value_t* x,
                                       const tn_type_t* type) {
  return typed(builder, "bitcast_convert", 1, &x, 0, NULL, tn__builder_type(builder, type));
}

// --- sources

static tn_value_t* constant(tn_builder_t* builder, const tn_type_t* type, bool splat,
                            const void* data) {
  const tn_attr_t* attr = NULL;
  if (!tn__builder_is_good(builder)) return NULL;
  if (!type || type->kind != TN_TYPE_TENSOR || !tn__type_is_static(type) ||
      (!data && tn__type_size(type))) {
    tn__builder_fail(builder, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                               "constant: needs a tensor type and its elements"));
    return NULL;
  }
  type = tn__builder_type(builder, type);
  if (!type) return NULL;
  tn_status_t status =
      tn__elements_check("constant", type->dtype, data, splat ? 1 : (size_t)tn__type_size(type));
  if (!status) {
    status = tn__attr_elements(tn__builder_arena(builder), type, splat, data, &attr);
  }
  if (status) {
    tn__builder_fail(builder, status);
    return NULL;
  }
  tn_named_attr_t attrs[] = {{TN_SV_LITERAL("value"), attr}};
  return typed(builder, "constant", 0, NULL, 1, attrs, type);
}

tn_value_t* tn_builder_constant(tn_builder_t* builder, const tn_type_t* type, const void* data) {
  return constant(builder, type, false, data);
}

tn_value_t* tn_builder_splat(tn_builder_t* builder, const tn_type_t* type, const void* element) {
  return constant(builder, type, true, element);
}

tn_value_t* tn_builder_scalar_f32(tn_builder_t* builder, float value) {
  return constant(builder, tn__type_scalar(TN_DTYPE_F32), false, &value);
}

tn_value_t* tn_builder_scalar_s32(tn_builder_t* builder, int32_t value) {
  return constant(builder, tn__type_scalar(TN_DTYPE_S32), false, &value);
}

tn_value_t* tn_builder_iota(tn_builder_t* builder, const tn_type_t* type, int64_t dimension) {
  tn_named_attr_t attrs[] = {tn__builder_i64(builder, "iota_dimension", dimension)};
  return typed(builder, "iota", 0, NULL, 1, attrs, tn__builder_type(builder, type));
}

tn_value_t* tn_builder_tuple(tn_builder_t* builder, size_t count, tn_value_t* const* elements) {
  return tn__builder_add_one(builder, "tuple", count, elements, 0, NULL);
}

tn_value_t* tn_builder_get_tuple_element(tn_builder_t* builder, tn_value_t* tuple, int64_t index) {
  tn_named_attr_t attrs[] = {i32(builder, "index", index)};
  return tn__builder_add_one(builder, "get_tuple_element", 1, &tuple, 1, attrs);
}

// --- movement

tn_value_t* tn_builder_reshape(tn_builder_t* builder, tn_value_t* x, size_t rank,
                               const int64_t* dims) {
  const tn_type_t* from = tn__builder_operand_type(builder, "reshape", x, 0);
  if (!from) return NULL;
  return typed(builder, "reshape", 1, &x, 0, NULL,
               tn_builder_tensor_type(builder, from->dtype, rank, dims));
}

tn_value_t* tn_builder_broadcast_in_dim(tn_builder_t* builder, tn_value_t* x, size_t rank,
                                        const int64_t* dims, const int64_t* broadcast_dimensions) {
  const tn_type_t* from = tn__builder_operand_type(builder, "broadcast_in_dim", x, 0);
  if (!from) return NULL;
  tn_named_attr_t attrs[] = {
      tn__builder_i64_list(builder, "broadcast_dimensions", from->rank, broadcast_dimensions)};
  return typed(builder, "broadcast_in_dim", 1, &x, 1, attrs,
               tn_builder_tensor_type(builder, from->dtype, rank, dims));
}

tn_value_t* tn_builder_transpose(tn_builder_t* builder, tn_value_t* x, const int64_t* permutation) {
  const tn_type_t* from = tn__builder_operand_type(builder, "transpose", x, 0);
  if (!from) return NULL;
  tn_named_attr_t attrs[] = {tn__builder_i64_list(builder, "permutation", from->rank, permutation)};
  return tn__builder_add_one(builder, "transpose", 1, &x, 1, attrs);
}

tn_value_t* tn_builder_reverse(tn_builder_t* builder, tn_value_t* x, size_t count,
                               const int64_t* dimensions) {
  tn_named_attr_t attrs[] = {tn__builder_i64_list(builder, "dimensions", count, dimensions)};
  return tn__builder_add_one(builder, "reverse", 1, &x, 1, attrs);
}

tn_value_t* tn_builder_slice(tn_builder_t* builder, tn_value_t* x, const int64_t* starts,
                             const int64_t* limits, const int64_t* strides) {
  const tn_type_t* from = tn__builder_operand_type(builder, "slice", x, 0);
  if (!from) return NULL;
  tn_named_attr_t attrs[] = {
      tn__builder_i64_list(builder, "start_indices", from->rank, starts),
      tn__builder_i64_list(builder, "limit_indices", from->rank, limits),
      strides ? tn__builder_i64_list(builder, "strides", from->rank, strides)
              : ones(builder, "strides", from->rank),
  };
  return tn__builder_add_one(builder, "slice", 1, &x, 3, attrs);
}

tn_value_t* tn_builder_dynamic_slice(tn_builder_t* builder, tn_value_t* x,
                                     tn_value_t* const* starts, const int64_t* sizes) {
  const tn_type_t* from = tn__builder_operand_type(builder, "dynamic_slice", x, 0);
  if (!from ||
      !tn__builder_has_list(builder, "dynamic_slice", "list of starts", from->rank, starts))
    return NULL;
  tn_value_t* operands[TN_MAX_RANK + 1] = {x};
  for (size_t i = 0; i < from->rank; ++i) operands[1 + i] = starts[i];
  tn_named_attr_t attrs[] = {tn__builder_i64_list(builder, "slice_sizes", from->rank, sizes)};
  return tn__builder_add_one(builder, "dynamic_slice", 1 + from->rank, operands, 1, attrs);
}

tn_value_t* tn_builder_dynamic_update_slice(tn_builder_t* builder, tn_value_t* x,
                                            tn_value_t* update, tn_value_t* const* starts) {
  const tn_type_t* from = tn__builder_operand_type(builder, "dynamic_update_slice", x, 0);
  if (!from || !tn__builder_has_list(builder, "dynamic_update_slice", "list of starts", from->rank,
                                     starts)) {
    return NULL;
  }
  tn_value_t* operands[TN_MAX_RANK + 2] = {x, update};
  for (size_t i = 0; i < from->rank; ++i) operands[2 + i] = starts[i];
  return tn__builder_add_one(builder, "dynamic_update_slice", 2 + from->rank, operands, 0, NULL);
}

tn_value_t* tn_builder_concatenate(tn_builder_t* builder, size_t count, tn_value_t* const* values,
                                   int64_t dimension) {
  tn_named_attr_t attrs[] = {tn__builder_i64(builder, "dimension", dimension)};
  return tn__builder_add_one(builder, "concatenate", count, values, 1, attrs);
}

tn_value_t* tn_builder_pad(tn_builder_t* builder, tn_value_t* x, tn_value_t* padding,
                           const int64_t* low, const int64_t* high, const int64_t* interior) {
  const tn_type_t* from = tn__builder_operand_type(builder, "pad", x, 0);
  if (!from) return NULL;
  tn_value_t* operands[] = {x, padding};
  tn_named_attr_t attrs[] = {
      tn__builder_i64_list(builder, "edge_padding_low", from->rank, low),
      tn__builder_i64_list(builder, "edge_padding_high", from->rank, high),
      tn__builder_i64_list(builder, "interior_padding", from->rank, interior),
  };
  return tn__builder_add_one(builder, "pad", 2, operands, 3, attrs);
}

// --- contraction

// The rule for dot_general's result, as StableHLO states it: batching, then lhs's, then rhs's
// remaining dimensions.
static const tn_type_t* dot_type(tn_builder_t* builder, const tn_type_t* lhs, const tn_type_t* rhs,
                                 size_t batching_count, const int64_t* lhs_batching,
                                 const int64_t* rhs_batching, size_t contracting_count,
                                 const int64_t* lhs_contracting, const int64_t* rhs_contracting) {
  int64_t dims[2 * TN_MAX_RANK];
  size_t rank = 0;
  bool are_there =
      tn__builder_has_list(builder, "dot_general", "lhs_batching", batching_count, lhs_batching) &&
      tn__builder_has_list(builder, "dot_general", "rhs_batching", batching_count, rhs_batching) &&
      tn__builder_has_list(builder, "dot_general", "lhs_contracting", contracting_count,
                           lhs_contracting) &&
      tn__builder_has_list(builder, "dot_general", "rhs_contracting", contracting_count,
                           rhs_contracting);
  if (!are_there) return NULL;
  bool lhs_used[TN_MAX_RANK] = {false}, rhs_used[TN_MAX_RANK] = {false};
  for (size_t i = 0; i < batching_count + contracting_count; ++i) {
    bool batching = i < batching_count;
    int64_t l = batching ? lhs_batching[i] : lhs_contracting[i - batching_count];
    int64_t r = batching ? rhs_batching[i] : rhs_contracting[i - batching_count];
    if (l < 0 || (size_t)l >= lhs->rank || r < 0 || (size_t)r >= rhs->rank) {
      tn__builder_fail(builder,
                       tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                        "dot_general: dimensions %lld and %lld are outside "
                                        "ranks %zu and %zu",
                                        (long long)l, (long long)r, lhs->rank, rhs->rank));
      return NULL;
    }
    if (lhs_used[l] || rhs_used[r]) {
      tn__builder_fail(
          builder, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                    "dot_general: dimension %lld of %s is named twice",
                                    (long long)(lhs_used[l] ? l : r), lhs_used[l] ? "lhs" : "rhs"));
      return NULL;
    }
    lhs_used[l] = rhs_used[r] = true;
    if (batching) dims[rank++] = lhs->dims[l];
  }
  for (size_t i = 0; i < lhs->rank; ++i) {
    if (!lhs_used[i]) dims[rank++] = lhs->dims[i];
  }
  for (size_t i = 0; i < rhs->rank; ++i) {
    if (!rhs_used[i]) dims[rank++] = rhs->dims[i];
  }
  return tn_builder_tensor_type(builder, lhs->dtype, rank, dims);
}

tn_value_t* tn_builder_dot_general(tn_builder_t* builder, tn_value_t* lhs, tn_value_t* rhs,
                                   size_t batching_count, const int64_t* lhs_batching,
                                   const int64_t* rhs_batching, size_t contracting_count,
                                   const int64_t* lhs_contracting, const int64_t* rhs_contracting) {
  const tn_type_t* lhs_type = tn__builder_operand_type(builder, "dot_general", lhs, 0);
  const tn_type_t* rhs_type = tn__builder_operand_type(builder, "dot_general", rhs, 1);
  if (!lhs_type || !rhs_type) return NULL;
  const tn_type_t* type =
      dot_type(builder, lhs_type, rhs_type, batching_count, lhs_batching, rhs_batching,
               contracting_count, lhs_contracting, rhs_contracting);
  tn_named_attr_t fields[] = {
      tn__builder_i64_list(builder, "lhs_contracting_dimensions", contracting_count,
                           lhs_contracting),
      tn__builder_i64_list(builder, "rhs_contracting_dimensions", contracting_count,
                           rhs_contracting),
      tn__builder_i64_list(builder, "lhs_batching_dimensions", batching_count, lhs_batching),
      tn__builder_i64_list(builder, "rhs_batching_dimensions", batching_count, rhs_batching),
  };
  size_t field_count = batching_count ? 4 : 2;  // without batching it is not spoken of
  if (!tn__builder_is_good(builder)) return NULL;
  const tn_attr_t* numbers = NULL;
  tn_status_t status = tn__attr_dictionary(tn__builder_arena(builder), TN_ATTR_STRUCT,
                                           TN_SV_LITERAL("dot"), field_count, fields, &numbers);
  if (status) {
    tn__builder_fail(builder, status);
    return NULL;
  }
  tn_value_t* operands[] = {lhs, rhs};
  tn_named_attr_t attrs[] = {{TN_SV_LITERAL("dot_dimension_numbers"), numbers}};
  return typed(builder, "dot_general", 2, operands, 1, attrs, type);
}

tn_value_t* tn_builder_dot(tn_builder_t* builder, tn_value_t* lhs, tn_value_t* rhs) {
  const tn_type_t* type = tn__builder_operand_type(builder, "dot", lhs, 0);
  if (!type) return NULL;
  int64_t lhs_dimension = (int64_t)type->rank - 1, rhs_dimension = 0;
  return tn_builder_dot_general(builder, lhs, rhs, 0, NULL, NULL, 1, &lhs_dimension,
                                &rhs_dimension);
}

// --- regions

static void give_results(tn_node_t* node, size_t count, tn_value_t** out_results) {
  for (size_t i = 0; i < count; ++i) out_results[i] = node ? &node->results[i] : NULL;
}

void tn_builder_reduce(tn_builder_t* builder, size_t count, tn_value_t* const* inputs,
                       tn_value_t* const* initial_values, tn_computation_t* computation,
                       size_t dimension_count, const int64_t* dimensions,
                       tn_value_t** out_results) {
  void* memory = NULL;
  give_results(NULL, count, out_results);
  if (!tn__builder_has_list(builder, "reduce", "list of inputs", count, inputs) ||
      !tn__builder_has_list(builder, "reduce", "list of initial values", count, initial_values)) {
    return;
  }
  tn_status_t status =
      tn__arena_allocate_array(tn__builder_arena(builder), 2 * count, sizeof(tn_value_t*), &memory);
  if (status) {
    tn__builder_fail(builder, status);
    return;
  }
  tn_value_t** operands = memory;
  for (size_t i = 0; i < count; ++i) {
    operands[i] = inputs[i];
    operands[count + i] = initial_values[i];
  }
  tn_named_attr_t attrs[] = {
      tn__builder_i64_list(builder, "dimensions", dimension_count, dimensions)};
  give_results(tn__builder_add(builder, "reduce", 2 * count, operands, 1, attrs, 1, &computation,
                               count, NULL),
               count, out_results);
}

void tn_builder_while(tn_builder_t* builder, tn_computation_t* condition, tn_computation_t* body,
                      size_t count, tn_value_t* const* initial_values, tn_value_t** out_results) {
  tn_computation_t* computations[] = {condition, body};
  give_results(tn__builder_add(builder, "while", count, initial_values, 0, NULL, 2, computations,
                               count, NULL),
               count, out_results);
}

void tn_builder_if(tn_builder_t* builder, tn_value_t* predicate, tn_computation_t* on_true,
                   tn_computation_t* on_false, size_t result_count, tn_value_t** out_results) {
  tn_computation_t* computations[] = {on_true, on_false};
  give_results(
      tn__builder_add(builder, "if", 1, &predicate, 0, NULL, 2, computations, result_count, NULL),
      result_count, out_results);
}
