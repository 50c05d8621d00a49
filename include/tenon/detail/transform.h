// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transforms of functions of arrays: differentiation, vectorisation, compilation.
//
// A transform calls the function with tracers in place of its inputs, and transforms the graph that
// results. Transforms can therefore be nested in any order: a closure may call a transform itself.
// Results are arrays of `scope`, which are computed when they are needed.
#ifndef TENON_DETAIL_TRANSFORM_H_
#define TENON_DETAIL_TRANSFORM_H_

#include <tenon/detail/array.h>
#include <tenon/detail/module.h>
#include <tenon/operation.h>

TN_EXTERN_C_BEGIN

// A function of arrays. `call` receives a scope for the arrays that it creates, which it must
// neither clear nor destroy (it may be the caller's own); all of them but the outputs are released
// after the call. It writes all outputs, or returns an error. Called on the caller's thread. The
// struct is passed by value and is a part of others: it will not grow.
typedef struct tn_closure {
  tn_status_t (*call)(void* user, tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                      size_t output_count, tn_array_t** out_outputs);
  void* user;
} tn_closure_t;

// Errors of all transforms: that of the function; UNIMPLEMENTED, with the name of the operation, if
// an operation has no rule for the transform; INVALID_ARGUMENT for shapes or dtypes that do not
// match. Outputs are NULL after an error.

// Outputs, and the Jacobian-vector product: their directional derivatives along `tangents`.
// tangents[i] has the shape of inputs[i]; NULL means zeros. out_tangents[i] is never NULL.
TN_API TN_MUST_USE tn_status_t tn_jvp(tn_scope_t* scope, const tn_closure_t* function,
                                      size_t input_count, tn_array_t* const* inputs,
                                      tn_array_t* const* tangents, size_t output_count,
                                      tn_array_t** out_outputs, tn_array_t** out_tangents);

// Outputs, and the vector-Jacobian product: the gradient of the sum of outputs[i] * cotangents[i]
// with respect to each input. cotangents[i] has the shape of output i; NULL means zeros.
// out_gradients[i] is never NULL.
TN_API TN_MUST_USE tn_status_t tn_vjp(tn_scope_t* scope, const tn_closure_t* function,
                                      size_t input_count, tn_array_t* const* inputs,
                                      size_t output_count, tn_array_t* const* cotangents,
                                      tn_array_t** out_outputs, tn_array_t** out_gradients);

// Outputs, and the gradients of output 0, which must be a scalar, with respect to the inputs with
// the indices `argnums` (NULL: input 0 only, and argnum_count is 1). The other outputs are not
// differentiated.
TN_API TN_MUST_USE tn_status_t tn_value_and_grad(tn_scope_t* scope, const tn_closure_t* function,
                                                 size_t input_count, tn_array_t* const* inputs,
                                                 size_t argnum_count, const size_t* argnums,
                                                 size_t output_count, tn_array_t** out_outputs,
                                                 tn_array_t** out_gradients);

// The gradients only, of a function with one output.
TN_API TN_MUST_USE tn_status_t tn_grad(tn_scope_t* scope, const tn_closure_t* function,
                                       size_t input_count, tn_array_t* const* inputs,
                                       size_t argnum_count, const size_t* argnums,
                                       tn_array_t** out_gradients);

// Applies a function of one batch element to a whole batch. Input i has the batch along in_axes[i],
// or is unbatched (TN_NO_AXIS); `in_axes` NULL: axis 0 for all inputs. Output i gets the batch
// along out_axes[i]; NULL: axis 0. TN_NO_AXIS is for an output that does not depend on the batch.
TN_API TN_MUST_USE tn_status_t tn_vmap(tn_scope_t* scope, const tn_closure_t* function,
                                       size_t input_count, tn_array_t* const* inputs,
                                       const int64_t* in_axes, size_t output_count,
                                       const int64_t* out_axes, tn_array_t** out_outputs);

// Returns x as a constant for differentiation: its gradient and its tangent are zero.
TN_API tn_array_t* tn_array_stop_gradient(tn_scope_t* scope, tn_array_t* x);

// A custom_jvp, custom_vjp or custom_vmap function. Transforms use its rules instead of
// transforming the operations inside. If it has one derivative rule but not the one that a
// transform needs, the transform fails with UNIMPLEMENTED. Rules are called in the same way as
// closures, with the same `user`. Under tn_vmap derivative rules count for each element of the
// batch: they are vmapped, also where `vmap` computes the outputs.
typedef struct tn_custom_function {
  size_t struct_size;  // sizeof(tn_custom_function_t)
  tn_closure_t function;
  // tangents[i] of each input, NULL for zeros; out_tangents[i] of each output, NULL for zeros.
  tn_status_t (*jvp)(void* user, tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                     tn_array_t* const* tangents, size_t output_count, tn_array_t** out_tangents);
  // cotangents[i] of each output; out_gradients[i] of each input, NULL for zeros.
  tn_status_t (*vjp)(void* user, tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                     size_t output_count, tn_array_t* const* cotangents, tn_array_t* const* outputs,
                     tn_array_t** out_gradients);
  // Input i has the batch along axes[i] (TN_NO_AXIS: unbatched).
  tn_status_t (*vmap)(void* user, tn_scope_t* scope, int64_t batch_size, size_t input_count,
                      tn_array_t* const* inputs, const int64_t* axes, size_t output_count,
                      tn_array_t** out_outputs, int64_t* out_axes);
  void (*destroy)(void* user);  // of function.user, when no graph needs the rules; NULL: none
} tn_custom_function_t;

// Calls the function; transforms of the results use its rules. The struct is copied, and the call
// takes function.user: give each call its own, or no `destroy`.
TN_API TN_MUST_USE tn_status_t
tn_custom_function_call(tn_scope_t* scope, const tn_custom_function_t* function, size_t input_count,
                        tn_array_t* const* inputs, size_t output_count, tn_array_t** out_outputs);

// Calls the function; its gradient recomputes intermediate values from the inputs instead of
// storing them. function->user must live as long as transforms may need the gradient.
TN_API TN_MUST_USE tn_status_t tn_checkpoint(tn_scope_t* scope, const tn_closure_t* function,
                                             size_t input_count, tn_array_t* const* inputs,
                                             size_t output_count, tn_array_t** out_outputs);

// --- compiled functions

// A function that takes inputs of any shapes. It is traced and compiled once for each set of input
// shapes and dtypes; later calls run the program, at a cost that does not depend on the number of
// operations. Programs for the 32 most recently used sets are kept. A transform treats it as an
// ordinary function. Reference counted; thread-safe if the function is.
typedef struct tn_compiled tn_compiled_t;

typedef struct tn_compiled_options {
  size_t struct_size;  // sizeof(tn_compiled_options_t)
  // Addresses of arrays that the function reads besides its inputs, and of those that it sets: each
  // call uses the arrays stored there at the time. Otherwise arrays that the function reads are
  // constants, with their values at the time of the trace, and arrays that it sets have no value.
  // During the trace tracers are stored at these addresses. A call stores new, retained arrays at
  // the addresses of the second list and releases the previous ones. Calls must then not overlap.
  size_t captured_input_count;
  tn_array_t** const* captured_inputs;
  size_t captured_output_count;
  tn_array_t** const* captured_outputs;
} tn_compiled_options_t;

// Copies `function`, whose user data must live as long as the compiled function, and the lists of
// `options`, which may be NULL.
TN_API TN_MUST_USE tn_status_t tn_closure_compile(tn_scope_t* scope, const tn_closure_t* function,
                                                  const tn_compiled_options_t* options,
                                                  tn_compiled_t** out_compiled);
TN_API tn_compiled_t* tn_compiled_retain(tn_compiled_t* compiled);
TN_API void tn_compiled_release(tn_compiled_t* compiled);  // accepts NULL
TN_API TN_MUST_USE tn_status_t tn_compiled_call(tn_compiled_t* compiled, tn_scope_t* scope,
                                                size_t input_count, tn_array_t* const* inputs,
                                                size_t output_count, tn_array_t** out_outputs);
// The number of times that the function has been traced: once for each set of shapes and dtypes,
// and again for a set whose program was evicted.
TN_API size_t tn_compiled_trace_count(const tn_compiled_t* compiled);

// --- programs

// Exports the function as a module with one function, @main, whose inputs and outputs are those of
// the closure; only the shapes and dtypes of the inputs matter. Arrays that the
// function uses besides its inputs become constants. Custom operations become typed custom calls.
// The module can be compiled for any device (program.h); its text (tn_module_print) is StableHLO,
// which XLA reads as well.
TN_API TN_MUST_USE tn_status_t tn_export_function(tn_scope_t* scope, const tn_closure_t* function,
                                                  size_t input_count, tn_array_t* const* inputs,
                                                  size_t output_count, tn_module_t** out_module);

// A function, or one specialisation of it for given shapes, of a module with several. An element
// of a list: the struct will not grow.
typedef struct tn_export {
  const char* name;  // in the module, without "@"; "main" is what programs run by default
  tn_closure_t function;
  size_t input_count;
  tn_array_t* const* inputs;
  size_t output_count;
} tn_export_t;
// The same for one or more functions with different names (ALREADY_EXISTS).
TN_API TN_MUST_USE tn_status_t tn_export_functions(tn_scope_t* scope, size_t count,
                                                   const tn_export_t* exports,
                                                   tn_module_t** out_module);

// Functions of a module as functions of arrays: the inverse of tn_export_function. The module may
// be parsed from text or a portable artifact (tn_module_parse), come from StableHLO's tools or from
// JAX (jax.export), or be built. Reference counted, immutable, thread-safe.
typedef struct tn_imported tn_imported_t;

// `function` names the function to import; NULL: all public ones. A call then selects the first
// that matches its inputs' shapes and dtypes, so that one module can hold several specialisations.
// The module is retained. Functions that the function calls are inlined.
//
// Calls add the function's operations to the graph: they are lazy, and transforms treat them as
// operations on arrays. Typed custom calls of operations with a definition use its rules.
// Operations without rules (loops, branches, sorts with a comparator, other custom calls) are
// computed, and a transform that needs a rule of one fails and names it; differentiation ignores
// those without floating-point results. Compiler hints (precision, accuracy) are dropped.
// Operations without used results are eliminated, side effects or not.
//
// Errors: NOT_FOUND if the function does not exist; UNIMPLEMENTED, with its location in the text,
// for values that are not arrays (tuples, tokens, dynamic shapes); INVALID_ARGUMENT for recursion.
TN_API TN_MUST_USE tn_status_t tn_import_function(tn_scope_t* scope, tn_module_t* module,
                                                  const char* function,
                                                  tn_imported_t** out_imported);
TN_API tn_imported_t* tn_imported_retain(tn_imported_t* imported);
TN_API void tn_imported_release(tn_imported_t* imported);  // accepts NULL
// `scope` belongs to the same nest of scopes as that of the import. INVALID_ARGUMENT, with the
// input, the expected type and the one found, if no function takes such inputs: inputs are neither
// promoted nor broadcast.
TN_API TN_MUST_USE tn_status_t tn_imported_call(tn_imported_t* imported, tn_scope_t* scope,
                                                size_t input_count, tn_array_t* const* inputs,
                                                size_t output_count, tn_array_t** out_outputs);
// The same as a closure, for transforms: a view, valid as long as `imported`.
TN_API tn_closure_t tn_imported_closure(tn_imported_t* imported);

// --- functions that the caller calls

// For callers that learn how many outputs a function has when it returns, as bindings to other
// languages do. tn_trace_begin gives tracers; the caller calls the function with them, and gives
// the outputs to one of the functions below, once or several times. Traces of one thread nest: the
// last that has begun ends first. Externally synchronised.
typedef struct tn_trace tn_trace_t;

typedef enum tn_trace_kind {
  TN_TRACE_DERIVATIVE = 0,  // for tn_trace_jvp, tn_trace_vjp: the tracers have the inputs' values
  TN_TRACE_BATCH = 1,       // for tn_trace_vmap: each tracer is one element of the batch
  TN_TRACE_TYPES = 2,       // for tn_trace_compile, tn_trace_export: only types are known
} tn_trace_kind_t;

// Retains the inputs. `in_axes` is for BATCH, as in tn_vmap, and copied. The tracers are views,
// valid until the end of the trace; functions may be called in any scope of the same nest.
TN_API TN_MUST_USE tn_status_t tn_trace_begin(tn_scope_t* scope, tn_trace_kind_t kind,
                                              size_t input_count, tn_array_t* const* inputs,
                                              const int64_t* in_axes, tn_trace_t** out_trace,
                                              tn_array_t** out_tracers);
TN_API void tn_trace_end(tn_trace_t* trace);  // accepts NULL

// As the functions of the same name without trace_, with results in `scope`, which is of the same
// nest as that of the trace. `outputs` are those of the function. out_outputs of the vjp may be
// NULL. INVALID_ARGUMENT if the trace is of another kind.
TN_API TN_MUST_USE tn_status_t tn_trace_jvp(tn_trace_t* trace, tn_scope_t* scope,
                                            tn_array_t* const* tangents, size_t output_count,
                                            tn_array_t* const* outputs, tn_array_t** out_outputs,
                                            tn_array_t** out_tangents);
TN_API TN_MUST_USE tn_status_t tn_trace_vjp(tn_trace_t* trace, tn_scope_t* scope,
                                            size_t output_count, tn_array_t* const* outputs,
                                            tn_array_t* const* cotangents, tn_array_t** out_outputs,
                                            tn_array_t** out_gradients);
TN_API TN_MUST_USE tn_status_t tn_trace_vmap(tn_trace_t* trace, tn_scope_t* scope,
                                             size_t output_count, tn_array_t* const* outputs,
                                             const int64_t* out_axes, tn_array_t** out_outputs);
// The compiled function is for inputs with the shapes and dtypes of the trace's; others, and inputs
// of a transform, are UNIMPLEMENTED.
TN_API TN_MUST_USE tn_status_t tn_trace_compile(tn_trace_t* trace, tn_scope_t* scope,
                                                size_t output_count, tn_array_t* const* outputs,
                                                tn_compiled_t** out_compiled);
TN_API TN_MUST_USE tn_status_t tn_trace_export(tn_trace_t* trace, tn_scope_t* scope,
                                               size_t output_count, tn_array_t* const* outputs,
                                               tn_module_t** out_module);

// The operations that the arrays still depend on, as a module with one function, @main: arrays
// that have been computed are its inputs, and `arrays` its outputs. Results of compiled functions
// are computed first. Inputs of a transform are inputs as well.
TN_API TN_MUST_USE tn_status_t tn_array_graph(tn_scope_t* scope, size_t count,
                                              tn_array_t* const* arrays, tn_module_t** out_module);

// --- the producer of an array

// Formats the operation that produces the array, with snprintf's contract: its name and its
// attributes, sorted by name, "add" or "reduce(dimensions=[0])" (the first 8 elements of arrays),
// or the text that `print` of a custom operation writes; "" if the value has been computed.
TN_API size_t tn_array_describe(const tn_array_t* array, char* buffer, size_t capacity);
// Whether two pending arrays are results of the same operation with equal attributes and the same
// operands. An evaluated array is equivalent only to itself.
TN_API bool tn_array_is_equivalent(const tn_array_t* a, const tn_array_t* b);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_TRANSFORM_H_
