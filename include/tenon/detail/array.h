// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Lazy arrays: handles on values that may not be computed yet.
//
//   tn_scope_t* scope = NULL;
//   status = tn_scope_create(device, &scope);
//   tn_array_t* x = tn_array_ones(scope, TN_DTYPE_F32, 2, (int64_t[]){3, 4});
//   tn_array_t* y = tn_array_add(scope, tn_array_multiply(scope, x, x), x);  // nothing is computed
//   status = tn_array_eval(1, &y);                                                 // now it is
//   tn_scope_destroy(scope);                                                 // x and y are gone
//
// Operations only record work; tn_array_eval and every function that reads data perform it.
// Operations never return NULL and never fail immediately: an error (shapes that do not broadcast,
// an axis out of range) results in an error-carrying array, and so does every operation on it; the
// next function that waits for such an array reports the error. Arrays are immutable: values,
// shapes and dtypes never change.
//
// Threads: arrays may be used from any thread. A scope is externally synchronised; give each thread
// its own (tn_scope_create_nested).
#ifndef TENON_DETAIL_ARRAY_H_
#define TENON_DETAIL_ARRAY_H_

#include <stdbool.h>
#include <tenon/detail/buffer.h>
#include <tenon/detail/cancellation.h>
#include <tenon/stream.h>

// Annotations of the parameters of array functions, for languages with keyword arguments: the
// default, which C passes explicitly; the keyword, if it is not the parameter's name; for a bool
// the keyword that means the opposite; the number of elements of a list, which is also the number
// of results; and after the parameters the order of keywords. In C they expand to nothing.
#define TN_DEFAULT(value)
#define TN_NAMED(keyword)
#define TN_NOT(keyword)
#define TN_COUNT(count)
#define TN_ORDER(...)

TN_EXTERN_C_BEGIN

typedef struct tn_array tn_array_t;

// Owns the arrays that operations create, and selects the stream that they run on. Arrays returned
// by operations are views, valid until the scope is cleared or destroyed; tn_array_retain extends
// their lifetime.
typedef struct tn_scope tn_scope_t;

// --- scopes

// Arrays of a scope and of those nested in it form one graph. An array of another scope can be an
// operand, too, if their devices have the same context: it is evaluated when the operation is
// called, and its value is used without a copy. Transforms of this scope treat it as a constant;
// one that depends on an input of a transform in progress is an error. Retains the device; NULL:
// the default device (tn_default_device).
TN_API TN_MUST_USE tn_status_t tn_scope_create(tn_device_t* device, tn_scope_t** out_scope);
// A scope with its own arrays, on the same device and, initially, the same stream. `outer` need not
// outlive it, and may be in use by another thread.
TN_API TN_MUST_USE tn_status_t tn_scope_create_nested(const tn_scope_t* outer,
                                                      tn_scope_t** out_scope);
// Releases the arrays created in it. Accepts NULL.
TN_API void tn_scope_destroy(tn_scope_t* scope);
// Releases the arrays created in it; the scope remains usable. A training step should clear its
// scope before it evaluates the arrays that it has retained: results without other references are
// then never stored.
TN_API void tn_scope_clear(tn_scope_t* scope);
// Gives an array to the scope, which releases it when it is cleared. Takes `array`; returns it.
TN_API tn_array_t* tn_scope_adopt(tn_scope_t* scope, tn_array_t* array);

// Sets the stream of subsequent operations, and with it the device that computes them and holds
// their results (tn_to_stream returns the stream of a device). Operands on another device are
// copied to it once they are computed. NULL, the default: the evaluating thread, on the device that
// the scope was created for. tn_array_async_eval then uses a stream that all nested scopes share,
// so that an error of one scope also affects later work of the others; give scopes their own
// streams to avoid that. Retains the stream.
TN_API TN_MUST_USE tn_status_t tn_scope_set_stream(tn_scope_t* scope, tn_stream_t* stream);
TN_API tn_stream_t* tn_scope_stream(const tn_scope_t* scope);  // view; NULL: the default
// The device of the stream, or else the one that the scope was created for. A view.
TN_API tn_device_t* tn_scope_device(const tn_scope_t* scope);

// Programs of evaluated graphs are cached, up to a limit. Removes all of them and frees their
// memory.
TN_API void tn_scope_clear_cache(tn_scope_t* scope);

// --- arrays from data

// Copies `byte_size` bytes of row-major elements, which must match the shape.
TN_API tn_array_t* tn_array_from_host(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                      const int64_t* dims, const void* data, size_t byte_size);
// Retains the buffer, which must be on the scope's device, and be neither a tuple nor donated.
TN_API tn_array_t* tn_array_from_buffer(tn_scope_t* scope, tn_buffer_t* buffer);
// A scalar, converted to `dtype` as tn_dtype_store does.
TN_API tn_array_t* tn_array_scalar(tn_scope_t* scope, tn_dtype_t dtype, double value);
// The same with the dtype of `like`.
TN_API tn_array_t* tn_array_scalar_like(tn_scope_t* scope, const tn_array_t* like, double value);
// A scalar with the value of the element in memory.
TN_API tn_array_t* tn_array_scalar_of(tn_scope_t* scope, tn_dtype_t dtype, const void* element);

// --- handles

// Adds a reference; returns `array`.
TN_API tn_array_t* tn_array_retain(tn_array_t* array);
TN_API void tn_array_release(tn_array_t* array);  // accepts NULL
// Stores a new reference to `array` in *variable, and releases the one that was there. Accepts NULL
// for either array.
TN_API void tn_array_assign(tn_array_t** variable, tn_array_t* array);

// Views, valid as long as the array. For error-carrying arrays: INVALID, 0, NULL.
TN_API tn_dtype_t tn_array_dtype(const tn_array_t* array);
TN_API size_t tn_array_rank(const tn_array_t* array);
TN_API const int64_t* tn_array_dims(const tn_array_t* array);
TN_API int64_t tn_array_dim(const tn_array_t* array, int64_t axis);  // negative: from the end; 0 if
                                                                     // out of range
TN_API int64_t tn_array_size(const tn_array_t* array);               // elements
TN_API size_t tn_array_byte_size(const tn_array_t* array);           // of all elements

// The device that holds the elements, or will hold them once they are computed; a view. NULL for an
// error-carrying array.
TN_API tn_device_t* tn_array_device(const tn_array_t* array);

// The error that the array carries, a new reference; OK if there is none so far. Does not wait.
TN_API TN_MUST_USE tn_status_t tn_array_status(const tn_array_t* array);
// An array that carries `status`, which is taken: for operations composed of others. OK becomes
// INTERNAL.
TN_API tn_array_t* tn_array_error(tn_scope_t* scope, tn_status_t status);

// --- evaluation

// Computes the arrays and everything they depend on, and waits. Returns the error of the first
// array in the list that has one.
TN_API TN_MUST_USE tn_status_t tn_array_eval(size_t count, tn_array_t* const* arrays);
// The same until the flag is cancelled: then it returns CANCELLED. Arrays that were not computed
// are pending as before, or, where the work that was given up had begun to overwrite its operands
// or a stream did it, carry that error.
TN_API TN_MUST_USE tn_status_t tn_array_eval_until(size_t count, tn_array_t* const* arrays,
                                                   tn_cancellation_t* cancellation);
// As tn_array_eval without waiting for streams: errors are reported by functions that wait for the
// arrays.
TN_API TN_MUST_USE tn_status_t tn_array_async_eval(size_t count, tn_array_t* const* arrays);
// The same until the flag is cancelled: then it returns CANCELLED, and the arrays are pending as
// before. It waits only for arrays that another thread computes.
TN_API TN_MUST_USE tn_status_t tn_array_async_eval_until(size_t count, tn_array_t* const* arrays,
                                                         tn_cancellation_t* cancellation);
// Waits for all work that tn_array_async_eval has enqueued on the stream of the scope.
TN_API TN_MUST_USE tn_status_t tn_scope_synchronize(tn_scope_t* scope);
// The same until the flag is cancelled: then it returns CANCELLED, and the work goes on.
TN_API TN_MUST_USE tn_status_t tn_scope_synchronize_until(tn_scope_t* scope,
                                                          tn_cancellation_t* cancellation);
// Whether the value is available, or will be without another evaluation.
TN_API bool tn_array_is_evaluated(const tn_array_t* array);

// Evaluates, waits and copies all elements in row-major order. `byte_size` must be the array's.
TN_API TN_MUST_USE tn_status_t tn_array_to_host(tn_array_t* array, void* data, size_t byte_size);
// Evaluates and returns the only element, converted as tn_dtype_load does. INVALID_ARGUMENT if the
// array does not have exactly one element.
TN_API TN_MUST_USE tn_status_t tn_array_item(tn_array_t* array, double* out_value);
// The same as an element of `dtype` in memory (int64_t for TN_DTYPE_S64, two floats for
// TN_DTYPE_C64), converted as by tn_array_astype; exact if `dtype` is the array's.
TN_API TN_MUST_USE tn_status_t tn_array_item_as(tn_array_t* array, tn_dtype_t dtype,
                                                void* out_element);
// Evaluates and returns a dense buffer of the elements, a new reference: the array's own, or a copy
// if the array is a view of another one.
TN_API TN_MUST_USE tn_status_t tn_array_to_buffer(tn_array_t* array, tn_buffer_t** out_buffer);

// Elements in memory, not copied. `data` is the address of element [0, 0, ...]. Strides are in
// elements, may be 0 or negative, and there is one for each dimension. The members are DLPack's:
// the struct will not grow.
typedef struct tn_mapped_array {
  const void* data;
  tn_dtype_t dtype;
  size_t rank;
  const int64_t* dims;
  int64_t strides[TN_MAX_RANK];
} tn_mapped_array_t;
// Evaluates, waits, and returns the address of the elements, valid until the array is unmapped or
// destroyed. UNIMPLEMENTED if the CPU cannot access the memory.
TN_API TN_MUST_USE tn_status_t tn_array_map(tn_array_t* array, tn_mapped_array_t* out_view);
TN_API void tn_array_unmap(tn_array_t* array);

// Evaluates and prints the array as NumPy's str() does.
TN_API TN_MUST_USE tn_status_t tn_array_print(tn_array_t* array, tn_write_fn write, void* user);

// --- dtypes

// The result dtype of an operation on two dtypes: NumPy's promotion without value-based casting, as
// mlx.core documents it. An integer and a float give that float; bfloat16 and float16 give float32.
TN_API tn_dtype_t tn_promote_types(tn_dtype_t a, tn_dtype_t b);

// Categories of dtypes, which form a hierarchy.
typedef enum tn_dtype_category {
  TN_CATEGORY_GENERIC = 0,  // all
  TN_CATEGORY_NUMBER,
  TN_CATEGORY_INTEGER,
  TN_CATEGORY_SIGNED_INTEGER,
  TN_CATEGORY_UNSIGNED_INTEGER,
  TN_CATEGORY_INEXACT,  // floating and complex
  TN_CATEGORY_FLOATING,
  TN_CATEGORY_COMPLEX_FLOATING,
} tn_dtype_category_t;
TN_API bool tn_issubdtype(tn_dtype_t dtype, tn_dtype_category_t category);
// Whether the two are promoted to `to`.
TN_API bool tn_can_cast(tn_dtype_t from, tn_dtype_t to);
// Whether the dtype is of a kind of the array API standard: "bool", "signed integer", "unsigned
// integer", "integral", "real floating", "complex floating", "numeric". False for other kinds.
TN_API bool tn_isdtype(tn_dtype_t dtype, const char* kind);
// The dtype that all of them are promoted to; INVALID if there is none, or the list is empty.
TN_API tn_dtype_t tn_result_type(size_t count, const tn_dtype_t* dtypes);
// The shape that arrays of these shapes broadcast to: shapes[i] has ranks[i] dimensions. out_dims
// has room for TN_MAX_RANK. INVALID_ARGUMENT if they do not broadcast, or a rank or dimension is
// invalid.
TN_API TN_MUST_USE tn_status_t tn_broadcast_shapes(size_t count, const size_t* ranks,
                                                   const int64_t* const* shapes, size_t* out_rank,
                                                   int64_t* out_dims);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_H_
