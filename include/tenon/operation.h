// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operation definitions: what a custom operation adds to its handler (<tenon/custom.h>) to support
// lazy arrays and their transforms.
//
//   TN_OP(axpby, AXPBY, "z = alpha * x + beta * y") { ... }     // the kernel, dense buffers
//
//   static tn_status_t axpby_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) { ... }
//
//   TN_DEFINE(axpby, .flags = TN_OP_ELEMENTWISE, .vjp = axpby_vjp)
//   TN_LIBRARY(axpby)
//
// Rules call Tenon through a table of functions that is passed to them, so that a library needs no
// symbol of Tenon and JAX can load the same file. Programs that link Tenon use the same table.
//
// This header needs no library. C11 and C++17.
#ifndef TENON_OPERATION_H_
#define TENON_OPERATION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/detail/attribute.h>
#include <tenon/detail/context.h>
#include <tenon/detail/type.h>

TN_EXTERN_C_BEGIN

typedef struct tn_array tn_array_t;
typedef struct tn_scope tn_scope_t;
typedef struct tn_op_def tn_op_def_t;

// --- functions for rules

// Operations on arrays, by the names and with the meaning of <tenon/arrays.h>: tn_rule_exp(rule,
// x), tn_rule_add(rule, a, b).
// clang-format off
#define TN_RULE_UNARY(X)                                                                      \
  X(abs) X(cos) X(exp) X(expm1) X(log) X(log1p) X(negative) X(rsqrt) X(sigmoid) X(sign) X(sin) \
  X(sqrt) X(tan) X(tanh)
#define TN_RULE_BINARY(X)                                                                     \
  X(add) X(subtract) X(multiply) X(divide) X(maximum) X(minimum) X(equal) X(not_equal) X(less) \
  X(less_equal) X(greater) X(greater_equal)
// X(name, parameters, arguments). `axes` NULL: all. `sum` and `max` fold `axis_count` axes; `pad`
// puts low[i] and high[i] copies of the scalar `value` around axis i; `take` reads along an axis.
#define TN_RULE_OTHER(X)                                                                        \
  X(scalar, (tn_dtype_t dtype, double value), (dtype, value))                                   \
  X(astype, (tn_array_t * x, tn_dtype_t dtype), (x, dtype))                                     \
  X(broadcast_to, (tn_array_t * x, size_t rank, const int64_t* dims), (x, rank, dims))          \
  X(reshape, (tn_array_t * x, size_t rank, const int64_t* dims), (x, rank, dims))               \
  X(transpose, (tn_array_t * x, const int64_t* axes), (x, axes))                                \
  X(slice, (tn_array_t * x, const int64_t* starts, const int64_t* stops, const int64_t* strides), \
    (x, starts, stops, strides))                                                                \
  X(sum, (tn_array_t * x, size_t axis_count, const int64_t* axes, bool keepdims),               \
    (x, axis_count, axes, keepdims))
#define TN_RULE_ADDED(X)                                                                        \
  X(erf, (tn_array_t * x), (x))                                                                 \
  X(power, (tn_array_t * a, tn_array_t * b), (a, b))                                            \
  X(matmul, (tn_array_t * a, tn_array_t * b), (a, b))                                           \
  X(where, (tn_array_t * condition, tn_array_t * x, tn_array_t * y), (condition, x, y))         \
  X(concatenate, (size_t count, tn_array_t* const* arrays, int64_t axis), (count, arrays, axis)) \
  X(pad, (tn_array_t * x, const int64_t* low, const int64_t* high, tn_array_t * value),         \
    (x, low, high, value))                                                                      \
  X(max, (tn_array_t * x, size_t axis_count, const int64_t* axes, bool keepdims),               \
    (x, axis_count, axes, keepdims))                                                            \
  X(cumsum, (tn_array_t * x, int64_t axis, bool reverse), (x, axis, reverse))                   \
  X(take, (tn_array_t * x, tn_array_t * indices, int64_t axis), (x, indices, axis))
#define TN_RULE_UNWRAP(...) __VA_ARGS__
// clang-format on

// Shapes and dtypes of arrays; see tn_op_apply.
typedef struct tn_array_type {
  tn_dtype_t dtype;
  size_t rank;
  const int64_t* dims;
} tn_array_type_t;

// An application of a registered operation: see tn_op_apply.
typedef struct tn_application {
  size_t struct_size;  // sizeof(tn_application_t)
  const char* name;
  size_t operand_count;
  tn_array_t* const* operands;
  size_t attribute_count;
  const tn_attribute_t* attributes;
  size_t result_count;
  const tn_array_type_t* result_types;  // NULL: inferred by the operation
} tn_application_t;

struct tn_rule;
struct tn_vmap_call;

// The functions behind them. Append-only: struct_size tells how much of it an older Tenon has.
typedef struct tn_rule_api {
  size_t struct_size;
#define TN_RULE_FUNCTION(name) tn_array_t* (*name)(tn_scope_t * scope, tn_array_t * x);
  TN_RULE_UNARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name) \
  tn_array_t* (*name)(tn_scope_t * scope, tn_array_t * a, tn_array_t * b);
  TN_RULE_BINARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name, parameters, arguments) \
  tn_array_t* (*name)(tn_scope_t * scope, TN_RULE_UNWRAP parameters);
  TN_RULE_OTHER(TN_RULE_FUNCTION)
  void (*apply)(tn_scope_t* scope, const tn_application_t* application, tn_array_t** out_results);
  tn_dtype_t (*dtype)(const tn_array_t* array);
  size_t (*rank)(const tn_array_t* array);
  const int64_t* (*dims)(const tn_array_t* array);
  tn_status_t (*error)(tn_code_t code, const char* message);
  TN_RULE_ADDED(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
  // See TN_VMAP_LEADING and TN_VMAP_SEQUENTIAL.
  tn_status_t (*vmap_leading)(const struct tn_rule* rule, const struct tn_vmap_call* call);
  tn_status_t (*vmap_sequential)(const struct tn_rule* rule, const struct tn_vmap_call* call);
} tn_rule_api_t;

// --- rules

// One use of the operation, as passed to its rules. Rules add operations to the graph: arrays have
// shapes and dtypes, and may have no values yet.
typedef struct tn_rule {
  size_t struct_size;
  const tn_rule_api_t* api;
  tn_scope_t* scope;  // for the arrays of the rule, on the stream of the operation
  const char* name;
  const tn_op_def_t* op;   // its definition; NULL: a built-in operation
  size_t attribute_count;  // including defaults of attributes that were not given
  const tn_attribute_t* attributes;
  size_t operand_count;
  tn_array_t* const* operands;  // the primals; in vmap the batched ones have one more axis
  size_t result_count;
  const tn_array_type_t* result_types;  // without the batch axis
  const void* internal;                 // Tenon's
} tn_rule_t;

// JVP (forward mode): computes out_tangents[r] of each result from tangents[i] of operand
// argnums[i], which has the operand's shape and dtype. The other operands are constant. outputs[r]
// are the results themselves. NULL in out_tangents means zeros.
typedef struct tn_jvp_call {
  size_t struct_size;
  size_t argnum_count;
  const size_t* argnums;
  tn_array_t* const* tangents;
  tn_array_t* const* outputs;
  tn_array_t** out_tangents;  // out
} tn_jvp_call_t;
typedef tn_status_t (*tn_jvp_fn)(const tn_rule_t* rule, const tn_jvp_call_t* call);

// VJP (reverse mode): computes out_cotangents[i] of operand argnums[i] from cotangents[r] of each
// result, none of which is NULL. outputs[r] are the results themselves. NULL in out_cotangents
// means zeros.
typedef struct tn_vjp_call {
  size_t struct_size;
  size_t argnum_count;
  const size_t* argnums;
  tn_array_t* const* cotangents;
  tn_array_t* const* outputs;
  tn_array_t** out_cotangents;  // out
} tn_vjp_call_t;
typedef tn_status_t (*tn_vjp_fn)(const tn_rule_t* rule, const tn_vjp_call_t* call);

#define TN_NO_AXIS INT64_MIN

// Batching: operand i has the batch along axes[i], or is unbatched (TN_NO_AXIS). Computes each
// result and its batch axis.
typedef struct tn_vmap_call {
  size_t struct_size;
  int64_t batch_size;
  const int64_t* axes;
  tn_array_t** out_results;  // out
  int64_t* out_axes;         // out
} tn_vmap_call_t;
typedef tn_status_t (*tn_vmap_fn)(const tn_rule_t* rule, const tn_vmap_call_t* call);

// Batching rules for `.vmap`, for operations that are not elementwise. LEADING is for one that
// takes any leading dimensions: the batch becomes the first, in all operands that may have more
// dimensions (dims(..., n), any_rank, like(x)); unbatched ones are broadcast. Where an operand of
// fixed rank is batched, it does as SEQUENTIAL, which applies the operation to one element after
// the other and stacks the results. That is correct for every operation; time and the size of the
// graph grow with the batch.
#define TN_VMAP_LEADING tn__vmap_leading
#define TN_VMAP_SEQUENTIAL tn__vmap_sequential
static inline tn_status_t tn__vmap_leading(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return rule->api->vmap_leading(rule, call);
}
static inline tn_status_t tn__vmap_sequential(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return rule->api->vmap_sequential(rule, call);
}

// Infers the types of the results. `out_types` has room for `result_count` types; their dims point
// into `out_dims`, which has room for TN_MAX_RANK dimensions each. Called when the operation is
// applied to arrays, and when a program that calls it is compiled, with sizes that are all known: a
// result that is stated otherwise is an error. Operands have shapes and dtypes alone, `scope` is
// NULL, and functions that make arrays return NULL.
typedef tn_status_t (*tn_infer_types_fn)(const tn_rule_t* rule, int64_t (*out_dims)[TN_MAX_RANK],
                                         tn_array_type_t* out_types);

// --- the definition

typedef enum tn_op_flag {
  // Element i of each result depends only on element i of each operand. Operands are promoted to a
  // common dtype that the operation accepts (integers and booleans to f32 if necessary) and
  // broadcast; results have their shape. The handler is called on 1-D chunks of any length, on
  // several threads at once, whatever the operands' strides are. The batching rule follows from it.
  TN_OP_ELEMENTWISE = 1 << 0,
  // The eval allocates its outputs itself (<tenon/kernel.h>).
  TN_OP_ALLOCATES = 1 << 1,
  // The operands of the eval are dense and row-major: views are copied before.
  TN_OP_ROW_CONTIGUOUS = 1 << 2,
} tn_op_flag_t;

// A strided kernel: <tenon/kernel.h>.
typedef struct tn_eval_call tn_eval_call_t;
typedef tn_status_t (*tn_eval_fn)(const tn_eval_call_t* eval);

struct tn_ffi_op;  // <tenon/custom.h>: the handler and its signature

struct tn_op_def {
  size_t struct_size;  // sizeof(tn_op_def_t)
  const struct tn_ffi_op* handler;
  uint32_t flags;           // TN_OP_ELEMENTWISE ...
  tn_infer_types_fn infer;  // NULL: from the signature
  tn_jvp_fn jvp;            // NULL: none
  tn_vjp_fn vjp;
  tn_vmap_fn vmap;  // NULL: none, unless the operation is elementwise
  // Formats one use, "axpby(alpha=2)", with snprintf's contract. NULL: the name and the attributes.
  size_t (*print)(const tn_rule_t* rule, char* buffer, size_t capacity);
  // Whether two uses with the same operands compute the same results. NULL: compares attributes.
  bool (*equal)(const tn_rule_t* a, const tn_rule_t* b);
  void* user;                   // for the rules
  void (*destroy)(void* user);  // called when the definition is no longer used; NULL: none
  // Called instead of the handler on the CPU, with strided operands. NULL: the handler is called,
  // with dense operands.
  tn_eval_fn eval_cpu;
  // Bit i: output 0 of the eval may reuse the memory of operand i if the operand has no other user.
  // Without TN_OP_ALLOCATES the output then has that memory from the start.
  uint32_t donates;
  // Called on a GPU, with strided operands in its memory, and launches kernels there. NULL: the
  // host computes the operation, unless a function is registered for the device's platform.
  tn_eval_fn eval_gpu;
};

// At file scope, after the handler TN_OP(op, ...): its definition, tn_definition_of(op), which
// TN_LIBRARY(op) exports with the handler.
#define tn_definition_of(op) (&op##_definition)
#undef TN_DEFINE  // custom.h has one that reports a missing include
#define TN_DEFINE(op, ...)                                                            \
  TN__EXTERN_C TN__HIDDEN const tn_op_def_t op##_definition;                          \
  _Pragma("GCC diagnostic push")                                                      \
      _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"") /* in C++ */ \
      const tn_op_def_t op##_definition = {                                           \
          .struct_size = sizeof(tn_op_def_t), .handler = &op##_op, __VA_ARGS__};      \
  _Pragma("GCC diagnostic pop")

// --- for programs that link Tenon

// Registers an operation with its handler. The definition is copied; `handler` must live as long as
// the process. Errors as tn_target_register; INVALID_ARGUMENT for a definition without a handler,
// or an elementwise one whose handler does not use the typed FFI; ALREADY_EXISTS also for a
// different definition of a registered handler. After an error, `user` is still the caller's.
TN_API TN_MUST_USE tn_status_t tn_context_register_op(tn_context_t* context,
                                                      const tn_op_def_t* definition);
TN_API TN_MUST_USE tn_status_t tn_op_register(const tn_op_def_t* definition);

// Adds one use of a registered operation to the graph. Attributes are checked against the signature
// and completed with its defaults; an untyped function of API version 3 takes one, a string named
// "opaque". An integer for a float attribute must be one that the float represents exactly; a float
// is rounded to the attribute's dtype. Result types that are not given follow from the definition:
// elementwise operations have the operands' broadcast shape and promoted dtype; others use `infer`
// or the signature (like(x), dims(n, k), a named dtype). Results are arrays of the scope; after an
// error each of them carries it.
TN_API void tn_op_apply(tn_scope_t* scope, const tn_application_t* application,
                        tn_array_t** out_results);

// The same for an operation with one result whose type follows from the definition.
static inline tn_array_t* tn_op_apply_one(tn_scope_t* scope, const char* name, size_t operand_count,
                                          tn_array_t* const* operands, size_t attribute_count,
                                          const tn_attribute_t* attributes) {
  const tn_application_t application = {
      sizeof application, name, operand_count, operands, attribute_count, attributes, 1, NULL};
  tn_array_t* result = NULL;
  tn_op_apply(scope, &application, &result);
  return result;
}

// --- for rules: shorthands for the table

// Members are called in parentheses: <tgmath.h> has macros of some of these names.

#define TN_RULE_FUNCTION(name)                                                     \
  static inline tn_array_t* tn_rule_##name(const tn_rule_t* rule, tn_array_t* x) { \
    return (rule->api->name)(rule->scope, x);                                      \
  }
TN_RULE_UNARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name)                                                                    \
  static inline tn_array_t* tn_rule_##name(const tn_rule_t* rule, tn_array_t* a, tn_array_t* b) { \
    return (rule->api->name)(rule->scope, a, b);                                                  \
  }
TN_RULE_BINARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name, parameters, arguments)                                          \
  static inline tn_array_t* tn_rule_##name(const tn_rule_t* rule, TN_RULE_UNWRAP parameters) { \
    return (rule->api->name)(rule->scope, TN_RULE_UNWRAP arguments);                           \
  }
TN_RULE_OTHER(TN_RULE_FUNCTION)
TN_RULE_ADDED(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION

// Applies an operation to arrays of the rule's scope. `out_results` has room for the results of the
// application; errors are results that carry them, as everywhere in rules.
static inline void tn_rule_apply(const tn_rule_t* rule, const tn_application_t* application,
                                 tn_array_t** out_results) {
  rule->api->apply(rule->scope, application, out_results);
}

// The dtype, rank and dimensions of an array, which may be abstract. The dimensions are a view that
// lives as long as the array does; NULL if it has none.
static inline tn_dtype_t tn_rule_dtype(const tn_rule_t* rule, const tn_array_t* x) {
  return rule->api->dtype(x);
}
// See tn_rule_dtype.
static inline size_t tn_rule_rank(const tn_rule_t* rule, const tn_array_t* x) {
  return rule->api->rank(x);
}
// See tn_rule_dtype.
static inline const int64_t* tn_rule_dims(const tn_rule_t* rule, const tn_array_t* x) {
  return rule->api->dims(x);
}
// Axis -1 is the last one; 0 for an axis that the array does not have.
static inline int64_t tn_rule_dim(const tn_rule_t* rule, const tn_array_t* x, int64_t axis) {
  const int64_t rank = (int64_t)rule->api->rank(x);
  if (axis < 0) axis += rank;
  return axis >= 0 && axis < rank ? rule->api->dims(x)[axis] : 0;
}
static inline tn_status_t tn_rule_error(const tn_rule_t* rule, tn_code_t code,
                                        const char* message) {
  return rule->api->error(code, message);
}

// A scalar of the dtype of `like`.
static inline tn_array_t* tn_rule_constant(const tn_rule_t* rule, const tn_array_t* like,
                                           double value) {
  return rule->api->scalar(rule->scope, rule->api->dtype(like), value);
}

// The value of a numeric attribute, or 0 if there is none of that name.
static inline double tn_rule_attribute(const tn_rule_t* rule, const char* name) {
  for (size_t i = 0; i < rule->attribute_count; ++i) {
    const tn_attribute_t* attribute = &rule->attributes[i];
    const char *a = attribute->name, *b = name;
    while (*a && *a == *b) ++a, ++b;
    if (*a != *b) continue;
    return attribute->kind == TN_ATTRIBUTE_FLOAT ? attribute->real : (double)attribute->integer;
  }
  return 0;
}

// Applies the rule's own operation to other operands, with the same attributes.
static inline tn_array_t* tn_rule_rebind(const tn_rule_t* rule, tn_array_t* const* operands) {
  tn_array_t* result = NULL;
  tn_application_t application = {sizeof application,
                                  rule->name,
                                  rule->operand_count,
                                  operands,
                                  rule->attribute_count,
                                  rule->attributes,
                                  1,
                                  NULL};
  rule->api->apply(rule->scope, &application, &result);
  return result;
}

TN_EXTERN_C_END

#endif  // TENON_OPERATION_H_
