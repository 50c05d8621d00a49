// Operations on lazy arrays, with the names and semantics of mlx.core.
//
// Each takes the scope as its first parameter and returns a view that the scope owns (array.h).
// Operands broadcast as in NumPy; dtypes are promoted by tn_promote_types. A negative `axis` counts
// from the end. Lists are copied.
#ifndef TENON_DETAIL_ARRAY_OPS_H_
#define TENON_DETAIL_ARRAY_OPS_H_

#include <tenon/detail/array.h>

TN_EXTERN_C_BEGIN

// As the `axis` of repeat, argmax, cumsum, sort, take and so on: the array is flattened first.
#define TN_ALL_AXES INT64_MAX

// --- elementwise

// tn_array_exp(scope, x) and so on. Integers and booleans are converted to float32, other dtypes
// are kept; erf, erfinv, expm1 and sigmoid do not support complex dtypes.
// clang-format off
#define TN_ARRAY_FLOAT_UNARY(X)                                                                  \
  X(arccos) X(arccosh) X(arcsin) X(arcsinh) X(arctan) X(arctanh) X(cos) X(cosh) X(degrees)       \
  X(erf) X(erfinv) X(exp) X(expm1) X(log) X(log10) X(log1p) X(log2) X(radians) X(reciprocal)     \
  X(rsqrt) X(sigmoid) X(sin) X(sinh) X(sqrt) X(tan) X(tanh)
// The dtype is kept, except that abs, imag and real of complex arrays are real. ceil, floor and
// trunc do not support complex dtypes, negative no booleans, bitwise_invert no floats.
#define TN_ARRAY_UNARY(X)                                                                        \
  X(abs) X(bitwise_invert) X(ceil) X(conjugate) X(floor) X(imag) X(negative) X(positive) X(real) \
  X(sign) X(square) X(trunc)
// The result is boolean.
#define TN_ARRAY_PREDICATE(X) X(isfinite) X(isinf) X(isnan) X(isneginf) X(isposinf) X(logical_not)
// Binary operations. remainder has the sign of the divisor, floor_divide rounds down, right_shift
// is arithmetic for signed dtypes; bitwise operations and shifts take integers and booleans,
// remainder and floor_divide no complex dtypes. Shifts by the bit width or more keep only the sign.
// Integer division by 0 is not an error; its result is unspecified.
#define TN_ARRAY_BINARY(X)                                                                       \
  X(add) X(bitwise_and) X(bitwise_or) X(bitwise_xor) X(floor_divide) X(left_shift) X(maximum)    \
  X(minimum) X(multiply) X(power) X(remainder) X(right_shift) X(subtract)
// Binary operations; integers and booleans are converted to float32. arctan2 does not support
// complex dtypes.
#define TN_ARRAY_FLOAT_BINARY(X) X(arctan2) X(divide) X(logaddexp)
// The result is boolean. Complex numbers are ordered lexicographically: by real part, then by
// imaginary part.
#define TN_ARRAY_COMPARISON(X)                                                                   \
  X(equal) X(greater) X(greater_equal) X(less) X(less_equal) X(not_equal)
// Nonzero elements are true; the result is boolean.
#define TN_ARRAY_LOGICAL(X) X(logical_and) X(logical_or) X(logical_xor)
// clang-format on

#define TN_ARRAY_DECLARE_UNARY(name) \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* x);
#define TN_ARRAY_DECLARE_BINARY(name) \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
TN_ARRAY_FLOAT_UNARY(TN_ARRAY_DECLARE_UNARY)
TN_ARRAY_UNARY(TN_ARRAY_DECLARE_UNARY)
TN_ARRAY_PREDICATE(TN_ARRAY_DECLARE_UNARY)
TN_ARRAY_BINARY(TN_ARRAY_DECLARE_BINARY)
TN_ARRAY_FLOAT_BINARY(TN_ARRAY_DECLARE_BINARY)
TN_ARRAY_COMPARISON(TN_ARRAY_DECLARE_BINARY)
TN_ARRAY_LOGICAL(TN_ARRAY_DECLARE_BINARY)

// Converts to another dtype. Floats are truncated to integers; values out of range saturate, and
// NaN becomes 0. Conversions to narrower integers keep the low bits. Complex to real takes the real
// part.
TN_API tn_array_t* tn_array_astype(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype);
// Reinterprets the bytes as another dtype; the last dimension grows or shrinks if the sizes differ.
TN_API tn_array_t* tn_array_view(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype);
// Converts to 8-bit floats (e4m3, finite, saturating) stored as uint8, and back.
TN_API tn_array_t* tn_array_to_fp8(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_from_fp8(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype);
// Rounds to multiples of 10^-decimals, ties to even.
TN_API tn_array_t* tn_array_round(tn_scope_t* scope, tn_array_t* x, int decimals);
// Quotient (floor_divide) and remainder.
TN_API void tn_array_divmod(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                            tn_array_t** out_quotient, tn_array_t** out_remainder);
// Elements of x where the condition is nonzero, otherwise elements of y; x and y are promoted.
TN_API tn_array_t* tn_array_where(tn_scope_t* scope, tn_array_t* condition, tn_array_t* x,
                                  tn_array_t* y);
// Limits elements to [minimum, maximum]; either bound may be NULL (unbounded).
TN_API tn_array_t* tn_array_clip(tn_scope_t* scope, tn_array_t* x, tn_array_t* minimum,
                                 tn_array_t* maximum);
// Replaces NaN and infinities. `posinf` and `neginf` NULL: the largest and smallest finite values
// of the dtype.
TN_API tn_array_t* tn_array_nan_to_num(tn_scope_t* scope, tn_array_t* x, double nan,
                                       const double* posinf, const double* neginf);
// abs(a - b) <= atol + rtol * abs(b), or equal infinities; with equal_nan NaNs compare equal.
TN_API tn_array_t* tn_array_isclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, double rtol,
                                    double atol, bool equal_nan);
// Whether all elements are close (isclose).
TN_API tn_array_t* tn_array_allclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, double rtol,
                                     double atol, bool equal_nan);
// Whether shapes and all elements are equal.
TN_API tn_array_t* tn_array_array_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                        bool equal_nan);

// --- shape manipulation without copies (reshape copies if no view is possible)

TN_API tn_array_t* tn_array_broadcast_to(tn_scope_t* scope, tn_array_t* x, size_t rank,
                                         const int64_t* dims);
// Broadcasts all arrays to their common shape; out_arrays may be `arrays`.
TN_API void tn_array_broadcast_arrays(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                      tn_array_t** out_arrays);
// One dimension may be -1: it is inferred from the others.
TN_API tn_array_t* tn_array_reshape(tn_scope_t* scope, tn_array_t* x, size_t rank,
                                    const int64_t* dims);
// Merges the dimensions from start_axis to end_axis. A 0-d array becomes 1-d.
TN_API tn_array_t* tn_array_flatten(tn_scope_t* scope, tn_array_t* x, int64_t start_axis,
                                    int64_t end_axis);
// Splits one dimension into several; one of them may be -1.
TN_API tn_array_t* tn_array_unflatten(tn_scope_t* scope, tn_array_t* x, int64_t axis, size_t rank,
                                      const int64_t* dims);
// Removes dimensions of size 1: those in `axes`, or all of them if `axes` is NULL.
TN_API tn_array_t* tn_array_squeeze(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                    const int64_t* axes);
// Inserts dimensions of size 1 at `axes` of the result.
TN_API tn_array_t* tn_array_expand_dims(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                        const int64_t* axes);
TN_API tn_array_t* tn_array_atleast_1d(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_atleast_2d(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_atleast_3d(tn_scope_t* scope, tn_array_t* x);
// Dimension i of the result is dimension axes[i] of x; `axes` NULL reverses the dimensions.
TN_API tn_array_t* tn_array_transpose(tn_scope_t* scope, tn_array_t* x, const int64_t* axes);
TN_API tn_array_t* tn_array_moveaxis(tn_scope_t* scope, tn_array_t* x, int64_t source,
                                     int64_t destination);
TN_API tn_array_t* tn_array_swapaxes(tn_scope_t* scope, tn_array_t* x, int64_t axis1,
                                     int64_t axis2);
// Swaps the last two dimensions.
TN_API tn_array_t* tn_array_matrix_transpose(tn_scope_t* scope, tn_array_t* x);
// Reverses the order of elements along `axes`, or along all axes if NULL.
TN_API tn_array_t* tn_array_flip(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                 const int64_t* axes);
// x[starts[i] : stops[i] : strides[i]] along each axis, with Python's slice semantics: negative
// indices count from the end, and strides may be negative. `strides` NULL: all 1.
TN_API tn_array_t* tn_array_slice(tn_scope_t* scope, tn_array_t* x, const int64_t* starts,
                                  const int64_t* stops, const int64_t* strides);
// The diagonal [i, i + offset] of two dimensions, as the last dimension of the result.
TN_API tn_array_t* tn_array_diagonal(tn_scope_t* scope, tn_array_t* x, int64_t offset,
                                     int64_t axis1, int64_t axis2);
// Splits an axis into `count` equal parts.
TN_API void tn_array_split(tn_scope_t* scope, tn_array_t* x, size_t count, int64_t axis,
                           tn_array_t** out_parts);
// Splits an axis at `indices` into index_count + 1 parts.
TN_API void tn_array_split_at(tn_scope_t* scope, tn_array_t* x, size_t index_count,
                              const int64_t* indices, int64_t axis, tn_array_t** out_parts);
// Splits an axis of size `count` into its elements.
TN_API void tn_array_unstack(tn_scope_t* scope, tn_array_t* x, int64_t axis, size_t count,
                             tn_array_t** out_parts);

// --- shape manipulation with copies

// A row-major copy, or x itself if it is row-major already.
TN_API tn_array_t* tn_array_contiguous(tn_scope_t* scope, tn_array_t* x);
// Element [i, j, ...] of the result is element offset + i * strides[0] + j * strides[1] + ... of
// the flattened x. Strides and offset are in elements.
TN_API tn_array_t* tn_array_as_strided(tn_scope_t* scope, tn_array_t* x, size_t rank,
                                       const int64_t* dims, const int64_t* strides, int64_t offset);
// Joins arrays along an existing axis; dtypes are promoted.
TN_API tn_array_t* tn_array_concatenate(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                        int64_t axis);
// Joins arrays along a new axis.
TN_API tn_array_t* tn_array_stack(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                  int64_t axis);
// Coordinate grids from 1-D arrays, with "xy" indexing, or "ij" if matrix_indexing is set. sparse:
// the results are not broadcast.
TN_API void tn_array_meshgrid(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                              bool sparse, bool matrix_indexing, tn_array_t** out_arrays);
// Rotates by shifts[i] along axes[i]; `axes` NULL: the flattened array, by the sum of the shifts.
TN_API tn_array_t* tn_array_roll(tn_scope_t* scope, tn_array_t* x, size_t count,
                                 const int64_t* shifts, const int64_t* axes);
// Repeats each element along an axis, or of the flattened array (TN_ALL_AXES).
TN_API tn_array_t* tn_array_repeat(tn_scope_t* scope, tn_array_t* x, int64_t repeats, int64_t axis);
// Repeats the whole array, repetitions[i] times along each of the last axes.
TN_API tn_array_t* tn_array_tile(tn_scope_t* scope, tn_array_t* x, size_t count,
                                 const int64_t* repetitions);
typedef enum tn_pad_mode {
  TN_PAD_CONSTANT = 0,
  TN_PAD_EDGE,       // repeats the edge element
  TN_PAD_REFLECT,    // mirrors without repeating the edge element
  TN_PAD_SYMMETRIC,  // mirrors and repeats the edge element
} tn_pad_mode_t;
// Adds low[i] elements before and high[i] elements after axis i; `value` (a scalar, NULL: 0) is
// for TN_PAD_CONSTANT.
TN_API tn_array_t* tn_array_pad(tn_scope_t* scope, tn_array_t* x, const int64_t* low,
                                const int64_t* high, tn_pad_mode_t mode, tn_array_t* value);
// The `order`-th discrete difference along an axis.
TN_API tn_array_t* tn_array_diff(tn_scope_t* scope, tn_array_t* x, int64_t order, int64_t axis);
// The lower or upper triangle of the last two dimensions, up to or from diagonal k.
TN_API tn_array_t* tn_array_tril(tn_scope_t* scope, tn_array_t* x, int64_t k);
TN_API tn_array_t* tn_array_triu(tn_scope_t* scope, tn_array_t* x, int64_t k);
// Of a 1-D array: a matrix with these elements on diagonal k; of a matrix: its diagonal k.
TN_API tn_array_t* tn_array_diag(tn_scope_t* scope, tn_array_t* x, int64_t k);

// --- reductions: over `axes`, or over all dimensions when `axes` is NULL

#define TN_ARRAY_DECLARE_REDUCTION(name)                                                  \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* x, size_t axis_count, \
                                     const int64_t* axes, bool keepdims);
// clang-format off
// Sums and products of booleans and narrow integers are int32 or uint32; counts are int32; all and
// any are boolean; logsumexp, mean and median of integers are float32. max, min and median of no
// elements are errors. NaNs propagate.
#define TN_ARRAY_REDUCTION(X)                                                                      \
  X(all) X(any) X(count_nonzero) X(logsumexp) X(max) X(mean) X(median) X(min) X(prod) X(sum)
// clang-format on
TN_ARRAY_REDUCTION(TN_ARRAY_DECLARE_REDUCTION)
// Variance, with divisor count - ddof, and standard deviation.
TN_API tn_array_t* tn_array_var(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                const int64_t* axes, bool keepdims, int64_t ddof);
TN_API tn_array_t* tn_array_std(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                const int64_t* axes, bool keepdims, int64_t ddof);
TN_API void tn_array_minmax(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                            const int64_t* axes, bool keepdims, tn_array_t** out_min,
                            tn_array_t** out_max);
// The index (uint32) of the first largest or smallest element, or of the first NaN; TN_ALL_AXES: of
// the flattened array.
TN_API tn_array_t* tn_array_argmax(tn_scope_t* scope, tn_array_t* x, int64_t axis, bool keepdims);
TN_API tn_array_t* tn_array_argmin(tn_scope_t* scope, tn_array_t* x, int64_t axis, bool keepdims);
// exp(x) / sum(exp(x)) over the axes. precise: 16-bit floats are computed in float32.
TN_API tn_array_t* tn_array_softmax(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                    const int64_t* axes, bool precise);
// The sum of a diagonal. `dtype` TN_DTYPE_INVALID: the dtype of x.
TN_API tn_array_t* tn_array_trace(tn_scope_t* scope, tn_array_t* x, int64_t offset, int64_t axis1,
                                  int64_t axis2, tn_dtype_t dtype);

// Cumulative reductions along an axis (TN_ALL_AXES: of the flattened array); reverse: from the end;
// inclusive: each result includes its own element. Booleans are summed as int32; other dtypes are
// kept, except that logcumsumexp of integers is float32.
#define TN_ARRAY_DECLARE_CUMULATIVE(name)                                                          \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* x, int64_t axis, bool reverse, \
                                     bool inclusive);
#define TN_ARRAY_CUMULATIVE(X) X(cummax) X(cummin) X(cumprod) X(cumsum) X(logcumsumexp)
TN_ARRAY_CUMULATIVE(TN_ARRAY_DECLARE_CUMULATIVE)

// --- sorting: along an axis (TN_ALL_AXES: of the flattened array); NaNs sort to the end

TN_API tn_array_t* tn_array_sort(tn_scope_t* scope, tn_array_t* x, int64_t axis);
// The indices (uint32) that would sort the array; stable.
TN_API tn_array_t* tn_array_argsort(tn_scope_t* scope, tn_array_t* x, int64_t axis);
// Partially sorts: element k is in its sorted position, no element before it is larger, and none
// after it is smaller.
TN_API tn_array_t* tn_array_partition(tn_scope_t* scope, tn_array_t* x, int64_t k, int64_t axis);
TN_API tn_array_t* tn_array_argpartition(tn_scope_t* scope, tn_array_t* x, int64_t k, int64_t axis);
// The k largest elements, in unspecified order.
TN_API tn_array_t* tn_array_topk(tn_scope_t* scope, tn_array_t* x, int64_t k, int64_t axis);
// The indices (uint32) at which to insert values into a sorted 1-D array: before equal elements, or
// after them (right).
TN_API tn_array_t* tn_array_searchsorted(tn_scope_t* scope, tn_array_t* sorted, tn_array_t* values,
                                         bool right);

// The first `size` distinct elements of x in sorted order, padded with `fill_value` (NULL: the
// smallest element). Also the index of their first occurrence (uint32), the index of each element
// of x among them (uint32, with the shape of x), and their counts (int32); these three may be NULL.
TN_API void tn_array_unique(tn_scope_t* scope, tn_array_t* x, int64_t size, tn_array_t* fill_value,
                            tn_array_t** out_values, tn_array_t** out_index,
                            tn_array_t** out_inverse, tn_array_t** out_counts);

// --- indexing: by integers; negative indices count from the end
//
// An out-of-bounds index in an array is not an error, since elements are not known when the graph
// is built: reads clamp the index, and updates are dropped.

// Elements along an axis (TN_ALL_AXES: of the flattened array), which the dimensions of `indices`
// replace.
TN_API tn_array_t* tn_array_take(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                                 int64_t axis);
// Element [i, indices[i, j], ...]: an index along one axis, the element's own indices along the
// others.
TN_API tn_array_t* tn_array_take_along_axis(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                                            int64_t axis);
// How existing elements and updates are combined.
typedef enum tn_scatter_mode {
  TN_SCATTER_SET = 0,  // for duplicate indices, any of the updates
  TN_SCATTER_ADD,
  TN_SCATTER_SUBTRACT,
  TN_SCATTER_MULTIPLY,
  TN_SCATTER_DIVIDE,
  TN_SCATTER_MAXIMUM,
  TN_SCATTER_MINIMUM,
} tn_scatter_mode_t;
// x with `values` combined at the indices that take_along_axis would read.
TN_API tn_array_t* tn_array_put_along_axis(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                                           tn_array_t* values, int64_t axis,
                                           tn_scatter_mode_t mode);

// One item of a NumPy indexing expression x[...], an element of a list: the struct will not grow.
typedef enum tn_index_kind {
  TN_INDEX_INTEGER,
  TN_INDEX_SLICE,
  TN_INDEX_NEW_AXIS,
  TN_INDEX_ELLIPSIS,
  TN_INDEX_ARRAY,  // of integers, or of booleans: a mask
} tn_index_kind_t;
#define TN_INDEX_OPEN INT64_MIN  // an omitted bound of a slice
typedef struct tn_index {
  tn_index_kind_t kind;
  int64_t start;  // INTEGER: the index; SLICE: the first index, or TN_INDEX_OPEN
  int64_t stop;   // SLICE
  int64_t step;   // SLICE; 0: 1
  tn_array_t* array;
} tn_index_t;
#define TN_AT(i) ((tn_index_t){.kind = TN_INDEX_INTEGER, .start = (i)})
#define TN_AT_ARRAY(indices) ((tn_index_t){.kind = TN_INDEX_ARRAY, .array = (indices)})
#define TN_SLICE(from, to) TN_SLICE_BY(from, to, 1)
#define TN_SLICE_BY(from, to, by) \
  ((tn_index_t){.kind = TN_INDEX_SLICE, .start = (from), .stop = (to), .step = (by)})
#define TN_ALL TN_SLICE(TN_INDEX_OPEN, TN_INDEX_OPEN)
#define TN_NEW_AXIS ((tn_index_t){.kind = TN_INDEX_NEW_AXIS})
#define TN_ELLIPSIS ((tn_index_t){.kind = TN_INDEX_ELLIPSIS})
// x[items] with NumPy's rules; a view unless an item is an array. An integer beside arrays is
// treated as an array. A boolean mask covers as many dimensions of x as it has, with equal sizes,
// and selects the elements where it is true. The number of these decides the result's shape, so the
// mask is evaluated; a mask that depends on a tracer (tn_vmap, tn_closure_compile,
// tn_export_function) is an error.
TN_API tn_array_t* tn_array_index(tn_scope_t* scope, tn_array_t* x, size_t count,
                                  const tn_index_t* items);
// x with x[items] combined with updates, which broadcast to its shape and are converted to its
// dtype. A single mask over the first dimensions is not evaluated: the updates broadcast to each
// selected element, or are a list with one update for each selected element, in order; selected
// elements beyond its end are unchanged, and surplus updates are dropped. Other masks are as above.
TN_API tn_array_t* tn_array_index_update(tn_scope_t* scope, tn_array_t* x, size_t count,
                                         const tn_index_t* items, tn_array_t* updates,
                                         tn_scatter_mode_t mode);
// The same for a slice (tn_array_slice).
TN_API tn_array_t* tn_array_slice_update(tn_scope_t* scope, tn_array_t* x, tn_array_t* updates,
                                         const int64_t* starts, const int64_t* stops,
                                         const int64_t* strides, tn_scatter_mode_t mode);

// Slices that start at indices in an array, one for each of `axes`, clamped so that the slice is in
// bounds; the slice has `sizes` along all axes, or the shape of the update.
TN_API tn_array_t* tn_array_slice_at(tn_scope_t* scope, tn_array_t* x, tn_array_t* starts,
                                     size_t axis_count, const int64_t* axes, const int64_t* sizes);
TN_API tn_array_t* tn_array_slice_update_at(tn_scope_t* scope, tn_array_t* x, tn_array_t* update,
                                            tn_array_t* starts, size_t axis_count,
                                            const int64_t* axes);

// --- products

// Matrix product; leading dimensions broadcast, and a 1-D operand is a row (a) or a column (b).
TN_API tn_array_t* tn_array_matmul(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// alpha * (a @ b) + beta * c, with the shape of a @ b.
TN_API tn_array_t* tn_array_addmm(tn_scope_t* scope, tn_array_t* c, tn_array_t* a, tn_array_t* b,
                                  double alpha, double beta);
// Products of the matrices a[lhs_indices] and b[rhs_indices], with indices into the flattened
// leading dimensions; NULL: all, in order.
TN_API tn_array_t* tn_array_gather_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                      tn_array_t* lhs_indices, tn_array_t* rhs_indices);
// a @ b for each pair [start, end) of segments, contracted over that range only.
TN_API tn_array_t* tn_array_segmented_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                         tn_array_t* segments);
// a @ b with block masks: each mask has one element (boolean, or a factor) for each block of the
// result, of a or of b; NULL: no mask.
TN_API tn_array_t* tn_array_block_masked_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                            int64_t block_size, tn_array_t* mask_out,
                                            tn_array_t* mask_a, tn_array_t* mask_b);
// Hadamard transform along the last axis, whose size is a power of 2, optionally times 12, 20 or
// 28; `scale` NULL: 1 / sqrt(size). Integers are converted to float32.
TN_API tn_array_t* tn_array_hadamard_transform(tn_scope_t* scope, tn_array_t* x,
                                               const double* scale);
// Contraction over pairs of axes; NULL: the last axes of a and the first axes of b.
TN_API tn_array_t* tn_array_tensordot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                      size_t axis_count, const int64_t* a_axes,
                                      const int64_t* b_axes);
TN_API tn_array_t* tn_array_inner(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
TN_API tn_array_t* tn_array_outer(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Dot product of conj(a) with b along an axis.
TN_API tn_array_t* tn_array_vecdot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, int64_t axis);
// Einstein summation: "ij,jk->ik" sums over the letters that are not in the output. "..." stands
// for broadcast dimensions. Without an arrow the output has the letters that appear once, in
// alphabetical order.
TN_API tn_array_t* tn_array_einsum(tn_scope_t* scope, const char* subscripts, size_t count,
                                   tn_array_t* const* arrays);
// The contraction order that einsum uses: greedily the pair with the smallest product. Writes count
// - 1 pairs of indices into the list of remaining operands, the lower index first; both operands
// are removed from the list, and their product is appended. Errors are those of tn_array_einsum.
TN_API TN_MUST_USE tn_status_t tn_array_einsum_path(tn_scope_t* scope, const char* subscripts,
                                                    size_t count, tn_array_t* const* arrays,
                                                    size_t (*out_pairs)[2]);
TN_API tn_array_t* tn_array_kron(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);

// The same `count` arrays, with added dependencies: evaluating one of them evaluates `dependencies`
// first. Differentiation and vmap see the arrays only.
TN_API void tn_array_depends(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                             size_t dependency_count, tn_array_t* const* dependencies,
                             tn_array_t** out_arrays);

// --- convolutions: [batch, spatial..., channel] with [output channel, spatial..., channel]

// Lists have one entry for each spatial dimension; NULL: 1 for strides and dilations, 0 for
// padding, padding_low for padding_high.
typedef struct tn_convolution {
  size_t struct_size;  // sizeof(tn_convolution_t)
  const int64_t* strides;
  const int64_t* padding_low;  // may be negative
  const int64_t* padding_high;
  const int64_t* kernel_dilations;
  const int64_t* input_dilations;
  int64_t groups;  // feature groups; 0: 1
  bool flip;       // reverse the kernel
} tn_convolution_t;
// `options` NULL: all defaults.
TN_API tn_array_t* tn_array_conv_general(tn_scope_t* scope, tn_array_t* x, tn_array_t* kernel,
                                         const tn_convolution_t* options);
// tn_array_conv2d(scope, x, kernel, strides, padding, dilations, groups) and so on, and transposed
// convolutions, whose output has output_padding additional elements at the end.
#define TN_ARRAY_CONVOLUTION(X) X(1) X(2) X(3)
#define TN_ARRAY_DECLARE_CONVOLUTION(count)                                                        \
  TN_API tn_array_t* tn_array_conv##count##d(tn_scope_t* scope, tn_array_t* x, tn_array_t* kernel, \
                                             const int64_t* strides, const int64_t* padding,       \
                                             const int64_t* dilations, int64_t groups);            \
  TN_API tn_array_t* tn_array_conv_transpose##count##d(                                            \
      tn_scope_t* scope, tn_array_t* x, tn_array_t* kernel, const int64_t* strides,                \
      const int64_t* padding, const int64_t* dilations, const int64_t* output_padding,             \
      int64_t groups);
TN_ARRAY_CONVOLUTION(TN_ARRAY_DECLARE_CONVOLUTION)
typedef enum tn_convolve_mode {
  TN_CONVOLVE_FULL = 0,
  TN_CONVOLVE_SAME,
  TN_CONVOLVE_VALID,
} tn_convolve_mode_t;
// Discrete convolution of two 1-D arrays.
TN_API tn_array_t* tn_array_convolve(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                     tn_convolve_mode_t mode);

// --- creation

TN_API tn_array_t* tn_array_full(tn_scope_t* scope, size_t rank, const int64_t* dims,
                                 tn_array_t* value);
TN_API tn_array_t* tn_array_zeros(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                  const int64_t* dims);
TN_API tn_array_t* tn_array_ones(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                 const int64_t* dims);
// Contents are unspecified (currently zeros).
TN_API tn_array_t* tn_array_empty(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                  const int64_t* dims);
// With the shape and dtype of x.
TN_API tn_array_t* tn_array_empty_like(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_full_like(tn_scope_t* scope, tn_array_t* x, tn_array_t* value);
TN_API tn_array_t* tn_array_zeros_like(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_ones_like(tn_scope_t* scope, tn_array_t* x);
// start, start + step, ... up to but excluding stop.
TN_API tn_array_t* tn_array_arange(tn_scope_t* scope, tn_dtype_t dtype, double start, double stop,
                                   double step);
// `count` evenly spaced numbers from start to stop, which is included if endpoint is set.
TN_API tn_array_t* tn_array_linspace(tn_scope_t* scope, tn_dtype_t dtype, double start, double stop,
                                     int64_t count, bool endpoint);
// Ones on diagonal k, zeros elsewhere.
TN_API tn_array_t* tn_array_eye(tn_scope_t* scope, tn_dtype_t dtype, int64_t rows, int64_t columns,
                                int64_t k);
TN_API tn_array_t* tn_array_identity(tn_scope_t* scope, tn_dtype_t dtype, int64_t size);
// Ones on and below diagonal k, zeros elsewhere.
TN_API tn_array_t* tn_array_tri(tn_scope_t* scope, tn_dtype_t dtype, int64_t rows, int64_t columns,
                                int64_t k);
// Window functions, float32: tn_array_hanning(scope, length) and so on.
#define TN_ARRAY_WINDOW(X) X(bartlett) X(blackman) X(hamming) X(hanning)
#define TN_ARRAY_DECLARE_WINDOW(name) \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, int64_t length);
TN_ARRAY_WINDOW(TN_ARRAY_DECLARE_WINDOW)

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_OPS_H_
