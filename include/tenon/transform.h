// Transforms of functions of arrays: derivatives, batches, compilation.
//
// A transform calls the function with arrays that stand for its inputs, and works on the graph that
// comes of it; so functions may be nested in any order: a closure can call a transform itself.
// Results are arrays of `scope`, which are computed when they are needed.
#ifndef TENON_TRANSFORM_H_
#define TENON_TRANSFORM_H_

#include <tenon/array.h>
#include <tenon/module.h>
#include <tenon/operation.h>

TN_EXTERN_C_BEGIN

// A function of arrays. `call` gets a scope for what it makes, which is gone afterwards but for the
// outputs, and which it neither clears nor destroys: that may be the caller's own. It writes all
// outputs, or returns an error. Called on the caller's thread.
typedef struct tn_closure {
  tn_status_t (*call)(void* user, tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                      size_t output_count, tn_array_t** out_outputs);
  void* user;
} tn_closure_t;

// Errors of all transforms: that of the function; UNIMPLEMENTED when an operation has no such rule,
// with its name; INVALID_ARGUMENT for shapes and dtypes that do not go together. Outputs are NULL
// then.

// Outputs, and what a small change of the inputs along `tangents` makes of them. tangents[i] has
// the shape of inputs[i]; NULL is zero. out_tangents[i] is never NULL.
TN_API TN_MUST_USE tn_status_t tn_jvp(tn_scope_t* scope, const tn_closure_t* function,
                                      size_t input_count, tn_array_t* const* inputs,
                                      tn_array_t* const* tangents, size_t output_count,
                                      tn_array_t** out_outputs, tn_array_t** out_tangents);

// Outputs, and the gradient, with respect to each input, of the sum of outputs[i] * cotangents[i].
// cotangents[i] has the shape of output i; NULL is zero. out_gradients[i] is never NULL.
TN_API TN_MUST_USE tn_status_t tn_vjp(tn_scope_t* scope, const tn_closure_t* function,
                                      size_t input_count, tn_array_t* const* inputs,
                                      size_t output_count, tn_array_t* const* cotangents,
                                      tn_array_t** out_outputs, tn_array_t** out_gradients);

// Outputs, and the gradients of output 0, which must be a scalar, with respect to the inputs of the
// numbers `argnums` (NULL: of input 0 alone, and argnum_count is 1). The other outputs are not
// differentiated.
TN_API TN_MUST_USE tn_status_t tn_value_and_grad(tn_scope_t* scope, const tn_closure_t* function,
                                                 size_t input_count, tn_array_t* const* inputs,
                                                 size_t argnum_count, const size_t* argnums,
                                                 size_t output_count, tn_array_t** out_outputs,
                                                 tn_array_t** out_gradients);

// The same without the outputs; the function has one.
TN_API TN_MUST_USE tn_status_t tn_grad(tn_scope_t* scope, const tn_closure_t* function,
                                       size_t input_count, tn_array_t* const* inputs,
                                       size_t argnum_count, const size_t* argnums,
                                       tn_array_t** out_gradients);

// The function of one element of a batch, applied to the whole batch at once. Input i has the batch
// along in_axes[i], or is the same for all (TN_NO_AXIS); `in_axes` NULL: all along axis 0. Outputs
// get it along out_axes[i]; NULL: axis 0. TN_NO_AXIS is for an output that is the same for all.
TN_API TN_MUST_USE tn_status_t tn_vmap(tn_scope_t* scope, const tn_closure_t* function,
                                       size_t input_count, tn_array_t* const* inputs,
                                       const int64_t* in_axes, size_t output_count,
                                       const int64_t* out_axes, tn_array_t** out_outputs);

// x itself, but a constant to derivatives: nothing flows back through it, and no tangent forwards.
TN_API tn_array_t* tn_stop_gradient(tn_scope_t* scope, tn_array_t* x);

// A function with rules of its own. The rules take the place of what transforms would make of the
// operations inside; a rule that is missing while another derivative rule is there is an error of
// the transform that wants it (UNIMPLEMENTED). All are called as closures are, with the same
// `user`.
typedef struct tn_custom_function {
  size_t struct_size;  // sizeof(tn_custom_function_t)
  tn_closure_t function;
  // tangents[i] of each input, NULL for zero; out_tangents[i] of each output, NULL for zero.
  tn_status_t (*jvp)(void* user, tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                     tn_array_t* const* tangents, size_t output_count, tn_array_t** out_tangents);
  // cotangents[i] of each output; out_gradients[i] of each input, NULL for zero.
  tn_status_t (*vjp)(void* user, tn_scope_t* scope, size_t input_count, tn_array_t* const* inputs,
                     size_t output_count, tn_array_t* const* cotangents, tn_array_t* const* outputs,
                     tn_array_t** out_gradients);
  // Input i has the batch along axes[i] (TN_NO_AXIS: none).
  tn_status_t (*vmap)(void* user, tn_scope_t* scope, int64_t batch_size, size_t input_count,
                      tn_array_t* const* inputs, const int64_t* axes, size_t output_count,
                      tn_array_t** out_outputs, int64_t* out_axes);
  void (*destroy)(void* user);  // function.user, when no graph needs the rules any more; NULL: none
} tn_custom_function_t;

// Calls the function; transforms of what comes of it use its rules. The struct is copied, and
// function.user is the call's from here on: each call needs its own, or no `destroy`.
TN_API TN_MUST_USE tn_status_t
tn_custom_function_call(tn_scope_t* scope, const tn_custom_function_t* function, size_t input_count,
                        tn_array_t* const* inputs, size_t output_count, tn_array_t** out_outputs);

// Calls the function; its gradient computes what is inside again from the inputs, instead of
// keeping it. function->user must live as long as transforms may want the gradient.
TN_API TN_MUST_USE tn_status_t tn_checkpoint(tn_scope_t* scope, const tn_closure_t* function,
                                             size_t input_count, tn_array_t* const* inputs,
                                             size_t output_count, tn_array_t** out_outputs);

// --- compiled functions

// A function that takes inputs of any shapes. It is traced for each set of shapes and dtypes of its
// inputs, and is one program for them from then on: calls cost the same whatever is inside. The
// programs of the last 32 sets are kept. Inside of a transform it is an ordinary function.
// Reference counted; thread-safe, as long as the function is.
typedef struct tn_compiled tn_compiled_t;

typedef struct tn_compiled_options {
  size_t struct_size;  // sizeof(tn_compiled_options_t)
  // Places of arrays that the function reads besides its inputs, and those that it sets: what
  // stands there counts at each call. Without this what it reads is as it was when it was traced,
  // and what it sets has no value. While it is traced, stand-ins are in these places; after a call
  // the ones that it sets hold new arrays, retained, and what was there is released. Calls must not
  // overlap then.
  size_t captured_input_count;
  tn_array_t** const* captured_inputs;
  size_t captured_output_count;
  tn_array_t** const* captured_outputs;
} tn_compiled_options_t;

// Copies `function`, whose user data must live as long as the compiled one, and the lists of
// `options`, which may be NULL.
TN_API TN_MUST_USE tn_status_t tn_compile(tn_scope_t* scope, const tn_closure_t* function,
                                          const tn_compiled_options_t* options,
                                          tn_compiled_t** out_compiled);
TN_API tn_compiled_t* tn_compiled_retain(tn_compiled_t* compiled);
TN_API void tn_compiled_release(tn_compiled_t* compiled);  // NULL is fine
TN_API TN_MUST_USE tn_status_t tn_compiled_call(tn_compiled_t* compiled, tn_scope_t* scope,
                                                size_t input_count, tn_array_t* const* inputs,
                                                size_t output_count, tn_array_t** out_outputs);
// How often the function has been traced: once for each set of shapes and dtypes, and again for a
// set whose program was not kept.
TN_API size_t tn_compiled_trace_count(tn_compiled_t* compiled);

// --- programs

// The function as a module with one function, @main, whose parameters are the inputs and whose
// results are the outputs: of the inputs only shapes and dtypes matter. Arrays that the function
// uses besides its inputs become constants. Operations of authors are typed custom calls. The
// module compiles for any device (program.h), and its text (tn_module_print) is StableHLO, which
// XLA reads as well.
TN_API TN_MUST_USE tn_status_t tn_export_function(tn_scope_t* scope, const tn_closure_t* function,
                                                  size_t input_count, tn_array_t* const* inputs,
                                                  size_t output_count, tn_module_t** out_module);

// Several functions, or one for several shapes, in one module.
typedef struct tn_export {
  const char* name;  // in the module, without "@"; "main" is what programs run by default
  tn_closure_t function;
  size_t input_count;
  tn_array_t* const* inputs;
  size_t output_count;
} tn_export_t;
// The same for `count` functions, at least one, whose names differ (ALREADY_EXISTS).
TN_API TN_MUST_USE tn_status_t tn_export_functions(tn_scope_t* scope, size_t count,
                                                   const tn_export_t* exports,
                                                   tn_module_t** out_module);

// Functions of a module as functions of arrays: the counterpart of tn_export_function. The module
// may be read from text or from a portable artifact (tn_module_parse), be StableHLO's or JAX's
// (jax.export), or built. Reference counted, immutable, thread-safe.
typedef struct tn_imported tn_imported_t;

// `function` is the function to import; NULL: all public ones, of which a call takes the first that
// has its inputs' shapes and dtypes, so that one module can hold a function for several. The
// module is retained. What the function calls becomes part of it.
//
// Calls add the function's operations to the graph: they are lazy, and inside of transforms they
// are what the operations on arrays are. Typed custom calls of operations that authors have
// defined have their rules. Operations that Tenon has no rule for (loops, branches, sorts by
// comparisons of their own, foreign custom calls) compute, and a transform that needs a rule of one
// is refused with its name; derivatives pass by those that give no floats. Hints for compilers
// (precision, accuracy) are dropped. Operations take place for their results: what has none is
// left out, whatever its side effects.
//
// Errors: NOT_FOUND when there is no such function; UNIMPLEMENTED, with its place in the text, for
// values that are no arrays (tuples, tokens, dynamic shapes); INVALID_ARGUMENT for recursion.
TN_API TN_MUST_USE tn_status_t tn_import_function(tn_scope_t* scope, tn_module_t* module,
                                                  const char* function,
                                                  tn_imported_t** out_imported);
TN_API tn_imported_t* tn_imported_retain(tn_imported_t* imported);
TN_API void tn_imported_release(tn_imported_t* imported);  // NULL is fine
// `scope` is nested with that of the import. INVALID_ARGUMENT, with the input, what it is and what
// was expected, when no function takes such inputs: nothing is promoted, and nothing broadcast.
TN_API TN_MUST_USE tn_status_t tn_imported_call(tn_imported_t* imported, tn_scope_t* scope,
                                                size_t input_count, tn_array_t* const* inputs,
                                                size_t output_count, tn_array_t** out_outputs);
// The same as a closure, for transforms: a view, as long as `imported` lives.
TN_API tn_closure_t tn_imported_closure(tn_imported_t* imported);

// --- what an array is made by

// The operation that will make the array, as text with snprintf's contract: its name and its
// attributes, sorted by name, "add" or "reduce(dimensions=[0])" (of an array the first 8 elements),
// or what the author of an operation prints; "" when the value exists already.
TN_API size_t tn_array_describe(const tn_array_t* array, char* buffer, size_t capacity);
// Whether two pending arrays are results of the same operation with equal attributes on the same
// operands. Arrays that are evaluated are equivalent to themselves alone.
TN_API bool tn_array_is_equivalent(const tn_array_t* a, const tn_array_t* b);

TN_EXTERN_C_END

#endif  // TENON_TRANSFORM_H_
