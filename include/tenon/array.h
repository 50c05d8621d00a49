// Lazy arrays: handles on values that may not be computed yet.
//
//   tn_scope_t* scope = NULL;
//   status = tn_scope_create(device, &scope);
//   tn_array_t* x = tn_array_ones(scope, TN_DTYPE_F32, 2, (int64_t[]){3, 4});
//   tn_array_t* y = tn_array_add(scope, tn_array_multiply(scope, x, x), x);  // nothing is computed
//   status = tn_eval(1, &y);                                                 // now it is
//   tn_scope_destroy(scope);                                                 // x and y are gone
//
// Operations record what is to be done; tn_eval and whatever reads data do it. They never return
// NULL and never fail on the spot: a mistake (shapes that do not broadcast, an axis out of range)
// gives an array that holds the error, and so does everything made of it; it comes out wherever
// such an array is waited for. Arrays are immutable: values, shapes and dtypes never change.
//
// Threads: arrays may be used from any thread. A scope is externally synchronised; threads that
// work at the same time have a scope each (tn_scope_nest).
#ifndef TENON_ARRAY_H_
#define TENON_ARRAY_H_

#include <stdbool.h>
#include <tenon/buffer.h>
#include <tenon/stream.h>

TN_EXTERN_C_BEGIN

typedef struct tn_array tn_array_t;

// Where operations put what they make, and the stream that their work is for. Arrays that
// operations return are views, which live as long as the scope they were made in, or until it is
// cleared; tn_array_retain makes them live longer.
typedef struct tn_scope tn_scope_t;

// --- scopes

// Arrays of this scope and of those nested in it make up one graph. An array of another scope can
// be an operand too, if the devices have one context: it is evaluated when the operation is called,
// and enters with its value, without a copy. To transforms of this scope it is a constant; one that
// depends on an input of a transform that is still under way is an error. Retains the device; NULL:
// the default one (tn_default_device).
TN_API TN_MUST_USE tn_status_t tn_scope_create(tn_device_t* device, tn_scope_t** out_scope);
// A scope for arrays of its own, on the same device and, at first, the same stream. `outer` need
// not outlive it, and may be in use by another thread.
TN_API TN_MUST_USE tn_status_t tn_scope_nest(const tn_scope_t* outer, tn_scope_t** out_scope);
// Releases the arrays that were made in it. NULL is fine.
TN_API void tn_scope_destroy(tn_scope_t* scope);
// The same, and the scope can be used again. A training step clears its scope before it evaluates
// what it has retained: results that nobody can ask for any more are never stored.
TN_API void tn_scope_clear(tn_scope_t* scope);
// Hands an array to the scope, which releases it in the end. Takes `array`; returns it.
TN_API tn_array_t* tn_scope_adopt(tn_scope_t* scope, tn_array_t* array);

// The stream that operations are for from now on, and by that the device which computes them and
// holds their results (tn_to_stream gives the stream of a device). Operands on another device are
// copied to it, behind what computes them. NULL, which is the default: the thread that evaluates,
// on the device that the scope was created for. tn_async_eval then has a stream which all nested
// scopes share, so that one's failing work is an error of the others' behind it; to avoid that,
// give scopes streams of their own. Retains the stream.
TN_API TN_MUST_USE tn_status_t tn_scope_set_stream(tn_scope_t* scope, tn_stream_t* stream);
TN_API tn_stream_t* tn_scope_stream(const tn_scope_t* scope);  // view; NULL: the default
// That of the stream, or else the one that the scope was created for. A view.
TN_API tn_device_t* tn_scope_device(const tn_scope_t* scope);

// Programs for graphs that were seen before are kept, up to a limit. This forgets them all, and the
// memory that they keep.
TN_API void tn_scope_clear_cache(tn_scope_t* scope);

// --- arrays from data

// Copies `byte_length` bytes of row-major elements, which must be what the shape needs.
TN_API tn_array_t* tn_array_from_host(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                      const int64_t* dims, const void* data, size_t byte_length);
// Retains the buffer, which must lie on the scope's device, be no tuple, and not be donated.
TN_API tn_array_t* tn_array_from_buffer(tn_scope_t* scope, tn_buffer_t* buffer);
// One number, converted to `dtype` as tn_dtype_store does.
TN_API tn_array_t* tn_array_scalar(tn_scope_t* scope, tn_dtype_t dtype, double value);
// One element, as it lies in memory.
TN_API tn_array_t* tn_array_scalar_of(tn_scope_t* scope, tn_dtype_t dtype, const void* element);

// --- handles

TN_API tn_array_t* tn_array_retain(tn_array_t* array);
TN_API void tn_array_release(tn_array_t* array);  // NULL is fine

// Views, as long as the array. Of an array that holds an error: INVALID, 0, NULL.
TN_API tn_dtype_t tn_array_dtype(const tn_array_t* array);
TN_API size_t tn_array_rank(const tn_array_t* array);
TN_API const int64_t* tn_array_dims(const tn_array_t* array);
TN_API int64_t tn_array_dim(const tn_array_t* array, int64_t axis);  // negative: from the end; 0
                                                                     // out of range
TN_API int64_t tn_array_size(const tn_array_t* array);               // elements
TN_API size_t tn_array_byte_length(const tn_array_t* array);         // of all elements

// The device that the elements are on, or will be when they are computed; a view. NULL for an array
// with an error.
TN_API tn_device_t* tn_array_device(const tn_array_t* array);

// The error that the array holds, a new reference; OK when there is none so far. Does not wait.
TN_API TN_MUST_USE tn_status_t tn_array_status(const tn_array_t* array);
// An array that holds `status`, which is taken: what an operation of your own returns. OK becomes
// INTERNAL.
TN_API tn_array_t* tn_array_error(tn_scope_t* scope, tn_status_t status);

// --- computing

// Computes arrays and everything they need, and waits. The error is that of the first array, in the
// order of the list, that has one.
TN_API TN_MUST_USE tn_status_t tn_eval(size_t count, tn_array_t* const* arrays);
// The same without waiting for streams: errors come out where the arrays are waited for.
TN_API TN_MUST_USE tn_status_t tn_async_eval(size_t count, tn_array_t* const* arrays);
// Waits for everything that tn_async_eval has begun on the stream of the scope.
TN_API TN_MUST_USE tn_status_t tn_synchronize(tn_scope_t* scope);
// Whether the value is there, or will be without another tn_eval.
TN_API bool tn_array_is_evaluated(const tn_array_t* array);

// Evaluates, waits and copies all elements in row-major order. `byte_length` must be the array's.
TN_API TN_MUST_USE tn_status_t tn_array_to_host(tn_array_t* array, void* data, size_t byte_length);
// Evaluates and gives the only element, converted as tn_dtype_load does. INVALID_ARGUMENT when the
// array has another number of elements.
TN_API TN_MUST_USE tn_status_t tn_array_item(tn_array_t* array, double* out_value);
// Evaluates and gives a dense buffer of the elements, a new reference: the array's own, or a copy
// when the array is a view on another one.
TN_API TN_MUST_USE tn_status_t tn_array_to_buffer(tn_array_t* array, tn_buffer_t** out_buffer);

// Elements in memory, not copied. Strides are in bytes, may be 0 or negative, and go with dims;
// data is the address of element [0, 0, ...].
typedef struct tn_array_view {
  const void* data;
  tn_dtype_t dtype;
  size_t rank;
  const int64_t* dims;
  const int64_t* strides;
} tn_array_view_t;
// Evaluates, waits, and shows where the elements are, as long as the array lives and has not been
// unmapped. UNIMPLEMENTED when the host does not see the memory.
TN_API TN_MUST_USE tn_status_t tn_array_map(tn_array_t* array, tn_array_view_t* out_view);
TN_API void tn_array_unmap(tn_array_t* array);

// Evaluates and writes the array as NumPy's str() does.
TN_API TN_MUST_USE tn_status_t tn_array_print(tn_array_t* array,
                                              tn_status_t (*write)(void* user, const char* text,
                                                                   size_t length),
                                              void* user);

// --- dtypes

// The dtype of an operation on two: NumPy's lattice without value-based casting, as mlx.core
// documents it. Any integer with a float gives that float; bfloat16 with float16 gives float32.
TN_API tn_dtype_t tn_promote_types(tn_dtype_t a, tn_dtype_t b);

// Kinds of dtypes, which contain one another.
typedef enum tn_dtype_category {
  TN_CATEGORY_GENERIC = 0,  // all
  TN_CATEGORY_NUMBER,
  TN_CATEGORY_INTEGER,
  TN_CATEGORY_SIGNED_INTEGER,
  TN_CATEGORY_UNSIGNED_INTEGER,
  TN_CATEGORY_INEXACT,  // floats and complex ones
  TN_CATEGORY_FLOATING,
  TN_CATEGORY_COMPLEX_FLOATING,
} tn_dtype_category_t;
TN_API bool tn_issubdtype(tn_dtype_t dtype, tn_dtype_category_t category);
// Whether promoting the two gives `to`.
TN_API bool tn_can_cast(tn_dtype_t from, tn_dtype_t to);
// Whether the dtype is of a kind in the array API's words: "bool", "signed integer", "unsigned
// integer", "integral", "real floating", "complex floating", "numeric". False for other words.
TN_API bool tn_isdtype(tn_dtype_t dtype, const char* kind);
// What all of them are promoted to; INVALID when there is none, or no dtype.
TN_API tn_dtype_t tn_result_type(size_t count, const tn_dtype_t* dtypes);
// The shape that arrays of these shapes broadcast to: shapes[i] has ranks[i] dimensions. out_dims
// has room for TN_MAX_RANK. INVALID_ARGUMENT when they do not, or a rank or dimension is
// impossible.
TN_API TN_MUST_USE tn_status_t tn_broadcast_shapes(size_t count, const size_t* ranks,
                                                   const int64_t* const* shapes, size_t* out_rank,
                                                   int64_t* out_dims);

TN_EXTERN_C_END

#endif  // TENON_ARRAY_H_
