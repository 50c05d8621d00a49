// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Builds StableHLO programs in C, with an API modelled on XLA's builder.
//
//   tn_builder_t* b = NULL;
//   tn_builder_create(NULL, "axpy", &b);
//   const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 1, (int64_t[]){128});
//   tn_value_t* x = tn_builder_parameter(b, 0, type, "x");
//   tn_value_t* y = tn_builder_parameter(b, 1, type, "y");
//   tn_value_t* sum = tn_builder_add(b, x, y);
//   tn_module_t* module = NULL;
//   tn_status_t status = tn_builder_build(b, 1, &sum, &module);
//   tn_builder_destroy(b);
//
// Errors are recorded and reported once, by tn_builder_build: the first one, with the index and
// name of the operation. A function that fails returns NULL, and NULL operands that result from it
// are not reported again. Result types are inferred as StableHLO specifies. Externally
// synchronised. Values, types and computations live as long as the builder, or the module built
// from it.
#ifndef TENON_BUILDER_H_
#define TENON_BUILDER_H_

#include <tenon/detail/attribute.h>
#include <tenon/detail/call.h>
#include <tenon/detail/module.h>

TN_EXTERN_C_BEGIN

typedef struct tn_builder tn_builder_t;
// A region, open or complete: the body of a reduce, the branches of an if.
typedef struct tn_computation tn_computation_t;

// `name` is the module's name and is copied; NULL: none.
TN_API TN_MUST_USE tn_status_t tn_builder_create(const tn_allocator_t* allocator, const char* name,
                                                 tn_builder_t** out_builder);
// Frees the builder and what has not been built. Accepts NULL.
TN_API void tn_builder_destroy(tn_builder_t* builder);

// Ends the function @main with these results, verifies everything, and returns the module
// (reference counted, see module.h). Afterwards, on success or failure, only tn_builder_destroy may
// be called.
TN_API TN_MUST_USE tn_status_t tn_builder_build(tn_builder_t* builder, size_t result_count,
                                                tn_value_t* const* results,
                                                tn_module_t** out_module);

// --- types (dimensions and lists are copied)

// The type of a tensor, and of a tuple.
TN_API const tn_type_t* tn_builder_tensor_type(tn_builder_t* builder, tn_dtype_t dtype, size_t rank,
                                               const int64_t* dims);
TN_API const tn_type_t* tn_builder_tuple_type(tn_builder_t* builder, size_t count,
                                              const tn_type_t* const* elements);
// The type of tokens, a constant.
TN_API const tn_type_t* tn_type_token(void);
// The inverse of tn_type_serialize. Skips unknown fields. INVALID_ARGUMENT if the bytes do not
// encode a type; UNIMPLEMENTED for a layout that is not row-major.
TN_API TN_MUST_USE tn_status_t tn_type_parse(tn_builder_t* builder, const void* data, size_t length,
                                             const tn_type_t** out_type);
TN_API const tn_type_t* tn_value_type(const tn_value_t* value);  // NULL for NULL

// --- values

// Parameter `number` of the function; `name` may be NULL. When the module is built, the numbers
// must be 0, 1, ... without gaps.
TN_API tn_value_t* tn_builder_parameter(tn_builder_t* builder, int64_t number,
                                        const tn_type_t* type, const char* name);
// `data`: the elements of a tensor type, row-major, as in memory; copied.
TN_API tn_value_t* tn_builder_constant(tn_builder_t* builder, const tn_type_t* type,
                                       const void* data);
// A tensor of `type` with all elements equal to `*element`.
TN_API tn_value_t* tn_builder_splat(tn_builder_t* builder, const tn_type_t* type,
                                    const void* element);
// Constants of rank 0.
TN_API tn_value_t* tn_builder_scalar_f32(tn_builder_t* builder, float value);
TN_API tn_value_t* tn_builder_scalar_s32(tn_builder_t* builder, int32_t value);
// The index of each element along the dimension.
TN_API tn_value_t* tn_builder_iota(tn_builder_t* builder, const tn_type_t* type, int64_t dimension);

// A tuple of the elements, and element `index` of a tuple.
TN_API tn_value_t* tn_builder_tuple(tn_builder_t* builder, size_t count,
                                    tn_value_t* const* elements);
TN_API tn_value_t* tn_builder_get_tuple_element(tn_builder_t* builder, tn_value_t* tuple,
                                                int64_t index);

// Any operation by its StableHLO name ("stablehlo.add", or "add"). `attributes`: enumerators are
// STRINGs, lists of integers are ARRAYs of S64. `result_types` NULL: inferred. `computations` are
// its regions. Writes `result_count` results to out_results, or NULLs after an error.
typedef struct tn_operation {
  size_t struct_size;  // sizeof(tn_operation_t)
  const char* name;
  size_t operand_count;
  tn_value_t* const* operands;
  size_t attribute_count;
  const tn_attribute_t* attributes;
  size_t computation_count;
  tn_computation_t* const* computations;
  const tn_type_t* const* result_types;
} tn_operation_t;
TN_API void tn_builder_operation(tn_builder_t* builder, const tn_operation_t* operation,
                                 size_t result_count, tn_value_t** out_results);

// tn_builder_abs(builder, x) and so on: elementwise operations of one operand, as StableHLO defines
// them.
// clang-format off
#define TN_BUILDER_UNARY_OPERATIONS(X)                                                              \
  X(abs) X(cbrt) X(ceil) X(cosine) X(count_leading_zeros) X(exponential)                    \
  X(exponential_minus_one) X(floor) X(imag) X(is_finite) X(log) X(log_plus_one) X(logistic) \
  X(negate) X(not) X(popcnt) X(real) X(round_nearest_afz) X(round_nearest_even) X(rsqrt)    \
  X(sign) X(sine) X(sqrt) X(tan) X(tanh)
// clang-format on
#define TN_BUILDER_UNARY_OPERATION(name) \
  TN_API tn_value_t* tn_builder_##name(tn_builder_t* builder, tn_value_t* x);
TN_BUILDER_UNARY_OPERATIONS(TN_BUILDER_UNARY_OPERATION)
#undef TN_BUILDER_UNARY_OPERATION

// tn_builder_add(builder, a, b) and so on. The operands have the same type.
// clang-format off
#define TN_BUILDER_BINARY_OPERATIONS(X)                                                                \
  X(add) X(and) X(atan2) X(complex) X(divide) X(maximum) X(minimum) X(multiply) X(or) X(power) \
  X(remainder) X(shift_left) X(shift_right_arithmetic) X(shift_right_logical) X(subtract)      \
  X(xor)
// clang-format on
#define TN_BUILDER_BINARY_OPERATION(name) \
  TN_API tn_value_t* tn_builder_##name(tn_builder_t* builder, tn_value_t* a, tn_value_t* b);
TN_BUILDER_BINARY_OPERATIONS(TN_BUILDER_BINARY_OPERATION)
#undef TN_BUILDER_BINARY_OPERATION

// `direction`: "EQ", "NE", "GE", "GT", "LE", "LT".
TN_API tn_value_t* tn_builder_compare(tn_builder_t* builder, tn_value_t* a, tn_value_t* b,
                                      const char* direction);
// Elements of `on_true` where the predicate is true, otherwise of `on_false`.
TN_API tn_value_t* tn_builder_select(tn_builder_t* builder, tn_value_t* predicate,
                                     tn_value_t* on_true, tn_value_t* on_false);
// Limits elements to [minimum, maximum]; the bounds have the type of x or are scalars.
TN_API tn_value_t* tn_builder_clamp(tn_builder_t* builder, tn_value_t* minimum, tn_value_t* x,
                                    tn_value_t* maximum);
// Converts elements to another dtype; bitcast_convert reinterprets their bits as another type.
TN_API tn_value_t* tn_builder_convert(tn_builder_t* builder, tn_value_t* x, tn_dtype_t dtype);
TN_API tn_value_t* tn_builder_bitcast_convert(tn_builder_t* builder, tn_value_t* x,
                                              const tn_type_t* type);

// The same elements with another shape.
TN_API tn_value_t* tn_builder_reshape(tn_builder_t* builder, tn_value_t* x, size_t rank,
                                      const int64_t* dims);
// Dimension i of x becomes dimension broadcast_dimensions[i] of the result.
TN_API tn_value_t* tn_builder_broadcast_in_dim(tn_builder_t* builder, tn_value_t* x, size_t rank,
                                               const int64_t* dims,
                                               const int64_t* broadcast_dimensions);
// Dimension i of the result is dimension permutation[i] of x.
TN_API tn_value_t* tn_builder_transpose(tn_builder_t* builder, tn_value_t* x,
                                        const int64_t* permutation);
// Reverses the order of elements along the dimensions.
TN_API tn_value_t* tn_builder_reverse(tn_builder_t* builder, tn_value_t* x, size_t count,
                                      const int64_t* dimensions);
// `strides` NULL: all 1.
TN_API tn_value_t* tn_builder_slice(tn_builder_t* builder, tn_value_t* x, const int64_t* starts,
                                    const int64_t* limits, const int64_t* strides);
// `starts`: one scalar for each dimension.
TN_API tn_value_t* tn_builder_dynamic_slice(tn_builder_t* builder, tn_value_t* x,
                                            tn_value_t* const* starts, const int64_t* sizes);
// x with `update` written at `starts`.
TN_API tn_value_t* tn_builder_dynamic_update_slice(tn_builder_t* builder, tn_value_t* x,
                                                   tn_value_t* update, tn_value_t* const* starts);
// The values one after the other along the dimension.
TN_API tn_value_t* tn_builder_concatenate(tn_builder_t* builder, size_t count,
                                          tn_value_t* const* values, int64_t dimension);
// Adds low[i] elements before, high[i] after and interior[i] between the elements of dimension i.
TN_API tn_value_t* tn_builder_pad(tn_builder_t* builder, tn_value_t* x, tn_value_t* padding,
                                  const int64_t* low, const int64_t* high, const int64_t* interior);

// Batching and contracting dimensions come in pairs, left and right.
TN_API tn_value_t* tn_builder_dot_general(tn_builder_t* builder, tn_value_t* lhs, tn_value_t* rhs,
                                          size_t batching_count, const int64_t* lhs_batching,
                                          const int64_t* rhs_batching, size_t contracting_count,
                                          const int64_t* lhs_contracting,
                                          const int64_t* rhs_contracting);
// Matrix product of the last dimension of lhs with the first of rhs.
TN_API tn_value_t* tn_builder_dot(tn_builder_t* builder, tn_value_t* lhs, tn_value_t* rhs);

// --- regions

// Opens a computation: subsequent operations are added to it until tn_computation_end. Writes
// `count` values to out_arguments. A computation may use values from outside; its own values cannot
// be used outside.
TN_API tn_computation_t* tn_computation_begin(tn_builder_t* builder, size_t count,
                                              const tn_type_t* const* types,
                                              tn_value_t** out_arguments);
TN_API void tn_computation_end(tn_builder_t* builder, tn_computation_t* computation, size_t count,
                               tn_value_t* const* results);
// A computation of two scalars with a single operation, for reduce: "add", "maximum"...
TN_API tn_computation_t* tn_builder_binary_computation(tn_builder_t* builder, const char* name,
                                                       tn_dtype_t dtype);

// The computation takes one accumulator and one element for each input, all accumulators first.
TN_API void tn_builder_reduce(tn_builder_t* builder, size_t count, tn_value_t* const* inputs,
                              tn_value_t* const* initial_values, tn_computation_t* computation,
                              size_t dimension_count, const int64_t* dimensions,
                              tn_value_t** out_results);
TN_API void tn_builder_while(tn_builder_t* builder, tn_computation_t* condition,
                             tn_computation_t* body, size_t count,
                             tn_value_t* const* initial_values, tn_value_t** out_results);
TN_API void tn_builder_if(tn_builder_t* builder, tn_value_t* predicate, tn_computation_t* on_true,
                          tn_computation_t* on_false, size_t result_count,
                          tn_value_t** out_results);

// --- custom calls

typedef enum tn_custom_call_schedule {
  TN_SCHEDULE_NONE = 0,
  TN_SCHEDULE_LATEST = 1,
  TN_SCHEDULE_EARLIEST = 2,
} tn_custom_call_schedule_t;

// The result (at `output_path` inside the result tuple; empty: the whole result) aliases the
// storage of an operand. An element of a list: the struct will not grow.
typedef struct tn_output_operand_alias {
  size_t output_path_length;
  const int64_t* output_path;
  int64_t operand;
  size_t operand_path_length;
  const int64_t* operand_path;
} tn_output_operand_alias_t;

// Zero means: opaque empty, no side effect, no aliases, no literal, schedule none, API version
// original.
typedef struct tn_custom_call_options {
  size_t struct_size;  // sizeof(tn_custom_call_options_t)
  const char* opaque;  // any bytes
  size_t opaque_length;
  bool has_side_effect;
  size_t alias_count;
  const tn_output_operand_alias_t* aliases;
  const tn_type_t* literal_type;  // NULL: no literal
  const void* literal_data;
  tn_custom_call_schedule_t schedule;
  tn_api_version_t api_version;
  size_t called_computation_count;
  const char* const* called_computations;  // names of functions of the module
  // Minor-to-major, one list for each operand and each array of the result (NULL: row-major); both
  // or neither.
  const int64_t* const* operand_layouts;
  const int64_t* const* result_layouts;
  size_t attribute_count;  // of a typed call: its dictionary
  const tn_attribute_t* attributes;
} tn_custom_call_options_t;

// Calls a registered function or handler (call.h) with these operands. `options` may be NULL.
TN_API tn_value_t* tn_builder_custom_call(tn_builder_t* builder, const char* target,
                                          size_t operand_count, tn_value_t* const* operands,
                                          const tn_type_t* result_type,
                                          const tn_custom_call_options_t* options);

TN_EXTERN_C_END

#endif  // TENON_BUILDER_H_
