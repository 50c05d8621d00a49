// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The graph: arrays, and the steps that will make their values.
//
// A step applies an operation of the IR to arrays; its results are arrays that refer to it. Once
// evaluated, a result has a buffer and lets go of its step, and the step of its operands: what
// has no reference any more is gone.
//
// What never changes (shape, dtype, strides, operands) is read without a lock. What evaluation
// changes (state, step, buffer) is changed under the evaluator's mutex, and `state` last.
#ifndef TENON_LAZY_ARRAY_H_
#define TENON_LAZY_ARRAY_H_

#include <stdatomic.h>
#include <tenon/builder.h>
#include <tenon/detail/array.h>
#include <tenon/operation.h>

#include "call/array.h"
#include "device/buffer.h"
#include "device/failure.h"
#include "ir/ir.h"
#include "lazy/evaluator.h"

// Operations of the graph alone: their results are their first operands (TN_IDENTITY), and only
// their rules tell them apart (transform/rules/rules.def).
#define TN_IDENTITIES(X)                                                            \
  X(identity)                                                                       \
  X(stop_gradient) /* a constant to derivatives */                                  \
  /* What was made of a matrix by several steps; the matrix is the last operand. */ \
  X(determinant)                                                                    \
  X(pseudoinverse)                                                                  \
  X(qr)
// Numbered behind those of ops.def.
enum {
  TN_IDENTITIES_BEFORE = TN_OP_ID_COUNT - 1,
#define TN_IDENTITY_ID(name) TN_OP_ID_lazy_##name,
  TN_IDENTITIES(TN_IDENTITY_ID)
#undef TN_IDENTITY_ID
      TN_STEP_OP_COUNT
};
extern const tn_op_t tn__identities[TN_STEP_OP_COUNT - TN_OP_ID_COUNT];
#define TN__IDENTITY(name) (&tn__identities[TN_OP_ID_lazy_##name - TN_OP_ID_COUNT])

// A node of a module as it is in its module, with its attributes and regions. Lives in the module.
typedef struct tn_excerpt {
  tn_module_t* module;  // a view: who holds the excerpt holds this
  const tn_node_t* node;
  const char* name;  // for messages
  tn_captured_values_t captured;
} tn_excerpt_t;

// One application of an operation. Immutable, but for `claim`. Reference counted: its pending
// results hold it.
struct tn_step {
  atomic_uint references;
  uint32_t operand_count, result_count;
  tn_evaluator_t* evaluator;   // retained
  const tn_op_t* op;           // retained; NULL: a call of `program`
  struct tn_program* program;  // of a compiled function; retained
  // What the operation is in the place of attributes and body; its operands are those of the node,
  // then what its regions use from outside. Its module is retained. NULL: none.
  const tn_excerpt_t* excerpt;
  tn_attr_dictionary_t attributes;
  struct tn_fitted* fitted;  // what they are of, of a called operation; retained
  const tn_region_t* body;   // lazy/body.h; its module is retained. NULL: none
  tn_stream_t* stream;       // retained; NULL: the thread that evaluates
  bool is_view;  // its result has the elements of its operand, and is never computed by itself
  const void* claimant;  // the evaluation under way that has it; NULL: none. Under the mutex
  uint32_t position;
  uint64_t mark;
  tn_step_t* next_dead;                 // while it is released
  tn_array_t** results;                 // views, NULL for those that are gone; under the mutex
  const tn_array_type_t* result_types;  // of steps with several results, else NULL
  tn_arena_t arena;                     // of its attributes and result types
  tn_array_t* operands[];               // retained
};

static inline size_t tn__step_byte_size(size_t operand_count) {
  return sizeof(tn_step_t) + operand_count * sizeof(tn_array_t*);
}

// What a step is made of. Everything is copied or retained.
typedef struct tn_step_spec {
  const tn_op_t* op;
  struct tn_program* program;
  const tn_excerpt_t* excerpt;
  size_t operand_count;
  tn_array_t* const* operands;
  tn_attr_dictionary_t attributes;  // in any order
  struct tn_fitted* fitted;         // in the place of `attributes`, of a called operation
  const tn_region_t* body;  // of an operation with a region; NULL: there was no memory for it
  size_t result_count;
  const tn_array_type_t* result_types;
} tn_step_spec_t;

// Whether its results are its first operands, for a reader that has no use for its rules.
static inline bool tn__step_is_identity(const tn_step_t* step) {
  return step->op && tn__op_has(step->op, TN_IDENTITY);
}
// Whether it applies an operation that custom calls name, and that is all of it.
static inline bool tn__step_is_called(const tn_step_t* step) {
  return step->op && tn__op_is_called(step->op) && !step->excerpt;
}
// Where it is computed. A view, as long as the step.
static inline tn_device_t* tn__step_device(const tn_step_t* step) {
  return step->stream ? tn_stream_device(step->stream) : step->evaluator->device;
}
// "stablehlo.add", or the name of a custom operation.
const char* tn__step_name(const tn_step_t* step);

// Adds a step and gives its results to the scope. An operand that holds an error hands it on. The
// shapes agree with the operation: that is the business of who calls.
void tn__step_add(tn_scope_t* scope, const tn_step_spec_t* spec, tn_array_t** out_results);

// The parts of it: a step without results, and a view by a step (NULL when there is no memory).
TN_MUST_USE tn_status_t tn__step_create(tn_evaluator_t* evaluator, tn_stream_t* stream,
                                        const tn_step_spec_t* spec, tn_step_t** out_step);
tn_array_t* tn__view_create(tn_step_t* step, const tn_array_type_t* type, const int64_t* strides,
                            int64_t byte_offset);

// An array of another graph as an input of this one: evaluated, and with the same views (enter.c).
TN_MUST_USE tn_status_t tn__array_enter(tn_evaluator_t* evaluator, tn_array_t* array,
                                        tn_array_t** out_own);

// One result, no more to it.
tn_array_t* tn__apply(tn_scope_t* scope, const tn_op_t* op, size_t operand_count,
                      tn_array_t* const* operands, tn_dtype_t dtype, size_t rank,
                      const int64_t* dims);
// The same with attributes.
tn_array_t* tn__apply_with(tn_scope_t* scope, const tn_op_t* op, size_t operand_count,
                           tn_array_t* const* operands, size_t attribute_count,
                           const tn_named_attr_t* attributes, tn_dtype_t dtype, size_t rank,
                           const int64_t* dims);
// The same with a region, which is NULL or that of a step.
tn_array_t* tn__apply_body(tn_scope_t* scope, const tn_op_t* op, size_t operand_count,
                           tn_array_t* const* operands, size_t attribute_count,
                           const tn_named_attr_t* attributes, const tn_region_t* body,
                           const tn_array_type_t* type);

// The same elements in other places: `strides` in bytes and `byte_offset` are relative to the root
// of `x`. `op` with its attributes is what computes the view in a program.
tn_array_t* tn__view(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, size_t attribute_count,
                     const tn_named_attr_t* attributes, size_t rank, const int64_t* dims,
                     const int64_t* strides, int64_t byte_offset);

// Another handle on the value of `x`, which transforms can tell from it. `flags` are added.
tn_array_t* tn__identity(tn_scope_t* scope, tn_array_t* x, uint8_t flags);
// An input without a value, for what is traced.
tn_array_t* tn__abstract(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims);

// Whether arrays can be operands in this scope: not NULL, of its context, without error.
TN_MUST_USE tn_status_t tn__scope_check(const tn_scope_t* scope, const char* operation,
                                        size_t count, tn_array_t* const* arrays);

// Operations are made of others. To the end of the block errors begin with the name of the
// outermost one, whose caller knows no other, and then of the innermost.
#define TN__OPERATION(scope, name)                                                            \
  __attribute__((cleanup(tn__operation_leave), unused)) const tn_operation_frame_t entered_ = \
      tn__operation_enter((scope), (name))
// The same in a function of arrays, whose result is an error when one of them cannot be an operand.
#define TN__OPERATION_ON(scope, name, ...)                                                    \
  TN__OPERATION(scope, name);                                                                 \
  TN__RETURN_IF_FAILED(                                                                       \
      tn__check_operands((scope), sizeof((tn_array_t*[]){__VA_ARGS__}) / sizeof(tn_array_t*), \
                         (tn_array_t*[]){__VA_ARGS__}))
// Checks return NULL, or the array with the error that is the result of the operation.
#define TN__RETURN_IF_FAILED(check)      \
  do {                                   \
    tn_array_t* const failed_ = (check); \
    if (failed_) return failed_;         \
  } while (0)
typedef struct tn_operation_frame {
  tn_scope_t* scope;
  const char* previous;  // NULL: none
} tn_operation_frame_t;
tn_operation_frame_t tn__operation_enter(tn_scope_t* scope, const char* name);
void tn__operation_leave(const tn_operation_frame_t* entered);
const char* tn__scope_operation(const tn_scope_t* scope);  // the outermost; NULL: none
tn_array_t* tn__check_operands(tn_scope_t* scope, size_t count, tn_array_t* const* arrays);

// The array itself, or, if it is of another graph, an input of this one that the scope holds.
tn_array_t* tn__scope_own(tn_scope_t* scope, const char* operation, tn_array_t* array);

// Takes a key from the scope's own sequence of keys for random numbers.
void tn__scope_next_key(tn_scope_t* scope, uint32_t out_key[2]);

// Gives an array that was just made to the scope. Takes it; NULL, when there was no memory for it,
// gives an array with that error.
tn_array_t* tn__scope_give(tn_scope_t* scope, tn_array_t* array);
tn_evaluator_t* tn__scope_evaluator(const tn_scope_t* scope);
// An array with an error, which begins with the operation's name. When memory has run out, that is
// the error: what is wrong then comes of it.
tn_array_t* tn__scope_refuse(tn_scope_t* scope, tn_status_t status);  // takes `status`
tn_array_t* tn__scope_fail(tn_scope_t* scope, tn_code_t code, const char* format, ...)
    TN_PRINTF(3, 4);

// An array of its own, dense and without a value; NULL when there is no memory.
tn_array_t* tn__array_create(tn_evaluator_t* evaluator, tn_dtype_t dtype, size_t rank,
                             const int64_t* dims);
// One with a value; retains the buffer.
tn_array_t* tn__array_create_ready(tn_evaluator_t* evaluator, tn_buffer_t* buffer);

// An array with an error, which is taken; NULL when there is no memory. Operations that are made of
// others find out about errors of the inner ones at their end, and look at shapes before: this one
// has dimensions of 1, TN_FAILED_RANK of them, and any other can be read as well.
enum { TN_FAILED_RANK = 8 };
tn_array_t* tn__array_create_failed(tn_evaluator_t* evaluator, tn_failure_t* failure);

// The array whose buffer holds the elements: itself unless it is a view.
tn_array_t* tn__array_root(tn_array_t* array);
bool tn__array_is_dense(
    const tn_array_t* array);  // row-major, beginning at its root's first element
// Whether elements of a view may share memory with each other, as those of a broadcast do.
bool tn__array_overlaps_itself(const tn_array_t* array);

static inline tn_array_state_t tn__array_state(const tn_array_t* array) {
  return (tn_array_state_t)atomic_load_explicit(&array->state, memory_order_acquire);
}

// A reference to an array that a step or a walk knows; false when another thread is just giving up
// the last one. Under the mutex, which keeps it from being gone.
bool tn__array_retain_if_alive(tn_array_t* array);

// The array has its value: the step is no longer needed. Under the mutex; the caller releases what
// it returns (NULL: nothing) after it.
tn_step_t* tn__array_detach(tn_array_t* array);
tn_step_t* tn__step_retain(tn_step_t* step);
void tn__step_release(tn_step_t* step);

#endif  // TENON_LAZY_ARRAY_H_
