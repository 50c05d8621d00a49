// Operations on lazy arrays, with the names and the meaning of mlx.core's.
//
// All of them take the scope first, and return a view on their result as array.h says. Operands
// broadcast as NumPy's do; dtypes are promoted by tn_promote_types. An `axis` may be negative,
// which counts from the end. Lists are copied.
#ifndef TENON_ARRAY_OPS_H_
#define TENON_ARRAY_OPS_H_

#include <tenon/array.h>

TN_EXTERN_C_BEGIN

// --- element by element

// tn_array_exp(scope, x) and so on. Integers and booleans become float32, other dtypes stay; erf,
// erfinv, expm1 and sigmoid take no complex elements.
// clang-format off
#define TN_ARRAY_FLOAT_UNARY(X)                                                                  \
  X(arccos) X(arccosh) X(arcsin) X(arcsinh) X(arctan) X(arctanh) X(cos) X(cosh) X(degrees)       \
  X(erf) X(erfinv) X(exp) X(expm1) X(log) X(log10) X(log1p) X(log2) X(radians) X(reciprocal)     \
  X(rsqrt) X(sigmoid) X(sin) X(sinh) X(sqrt) X(tan) X(tanh)
// The dtype stays; abs, imag and real of complex elements are real. ceil, floor and trunc take no
// complex elements, negative no booleans, bitwise_invert no floats.
#define TN_ARRAY_UNARY(X)                                                                        \
  X(abs) X(bitwise_invert) X(ceil) X(conjugate) X(floor) X(imag) X(negative) X(positive) X(real) \
  X(sign) X(square) X(trunc)
// The result is boolean.
#define TN_ARRAY_PREDICATE(X) X(isfinite) X(isinf) X(isnan) X(isneginf) X(isposinf) X(logical_not)
// Of two operands. remainder has the sign of the divisor, floor_divide rounds down, right_shift
// keeps the sign; bitwise operations and shifts take integers and booleans, remainder and
// floor_divide no complex elements. Shifts by the width or more leave only the sign. Integers
// divided by 0 are no error; which number comes of it is not promised.
#define TN_ARRAY_BINARY(X)                                                                       \
  X(add) X(bitwise_and) X(bitwise_or) X(bitwise_xor) X(floor_divide) X(left_shift) X(maximum)    \
  X(minimum) X(multiply) X(power) X(remainder) X(right_shift) X(subtract)
// Of two operands; integers and booleans become float32. arctan2 takes no complex elements.
#define TN_ARRAY_FLOAT_BINARY(X) X(arctan2) X(divide) X(logaddexp)
// The result is boolean. Complex numbers are ordered by their real parts, equal ones by their
// imaginary parts.
#define TN_ARRAY_COMPARISON(X)                                                                   \
  X(equal) X(greater) X(greater_equal) X(less) X(less_equal) X(not_equal)
// Of what is not 0; the result is boolean.
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

// The elements as another dtype. Floats to integers cut off what is behind the point; what is too
// large becomes the largest integer, NaN becomes 0. Integers to narrower ones keep their low bits.
// Of complex elements the real part becomes real.
TN_API tn_array_t* tn_array_astype(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype);
// The bytes as another dtype; the last dimension grows or shrinks where the sizes differ.
TN_API tn_array_t* tn_array_view(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype);
// As floats of eight bits (e4m3, without infinities) in uint8, the nearest finite one; and back.
TN_API tn_array_t* tn_array_to_fp8(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_from_fp8(tn_scope_t* scope, tn_array_t* x, tn_dtype_t dtype);
// To whole multiples of 10 to the power -decimals, halves to the even one.
TN_API tn_array_t* tn_array_round(tn_scope_t* scope, tn_array_t* x, int decimals);
// floor_divide and remainder.
TN_API void tn_array_divmod(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                            tn_array_t** out_quotient, tn_array_t** out_remainder);
// Elements of x where the condition is not 0, else of y; x and y are promoted.
TN_API tn_array_t* tn_array_where(tn_scope_t* scope, tn_array_t* condition, tn_array_t* x,
                                  tn_array_t* y);
// Either bound may be NULL: none.
TN_API tn_array_t* tn_array_clip(tn_scope_t* scope, tn_array_t* x, tn_array_t* minimum,
                                 tn_array_t* maximum);
// `posinf` and `neginf` NULL: the largest and smallest finite numbers of the dtype.
TN_API tn_array_t* tn_array_nan_to_num(tn_scope_t* scope, tn_array_t* x, double nan,
                                       const double* posinf, const double* neginf);
// abs(a - b) <= atol + rtol * abs(b), or the same infinity; equal_nan: or both NaN.
TN_API tn_array_t* tn_array_isclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, double rtol,
                                    double atol, bool equal_nan);
// Whether that is so of all elements.
TN_API tn_array_t* tn_array_allclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, double rtol,
                                     double atol, bool equal_nan);
// Whether shapes and all elements are equal.
TN_API tn_array_t* tn_array_array_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                        bool equal_nan);

// --- shapes: views on x, without a copy, except where reshape needs one

TN_API tn_array_t* tn_array_broadcast_to(tn_scope_t* scope, tn_array_t* x, size_t rank,
                                         const int64_t* dims);
// To the shape of all of them; out_arrays may be `arrays`.
TN_API void tn_array_broadcast_arrays(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                      tn_array_t** out_arrays);
// One dimension may be -1: what the others leave.
TN_API tn_array_t* tn_array_reshape(tn_scope_t* scope, tn_array_t* x, size_t rank,
                                    const int64_t* dims);
// Dimensions from start_axis to end_axis as one. A number becomes an array of one element.
TN_API tn_array_t* tn_array_flatten(tn_scope_t* scope, tn_array_t* x, int64_t start_axis,
                                    int64_t end_axis);
// One dimension as several; one of them may be -1.
TN_API tn_array_t* tn_array_unflatten(tn_scope_t* scope, tn_array_t* x, int64_t axis, size_t rank,
                                      const int64_t* dims);
// Without dimensions of size 1: those of `axes`, or all of them when `axes` is NULL.
TN_API tn_array_t* tn_array_squeeze(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                    const int64_t* axes);
// With dimensions of size 1, which are `axes` of the result.
TN_API tn_array_t* tn_array_expand_dims(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                        const int64_t* axes);
TN_API tn_array_t* tn_array_atleast_1d(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_atleast_2d(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_atleast_3d(tn_scope_t* scope, tn_array_t* x);
// Dimension i of the result is dimension axes[i] of x; `axes` NULL: all in reverse order.
TN_API tn_array_t* tn_array_transpose(tn_scope_t* scope, tn_array_t* x, const int64_t* axes);
TN_API tn_array_t* tn_array_moveaxis(tn_scope_t* scope, tn_array_t* x, int64_t source,
                                     int64_t destination);
TN_API tn_array_t* tn_array_swapaxes(tn_scope_t* scope, tn_array_t* x, int64_t axis1,
                                     int64_t axis2);
// Of the last two dimensions.
TN_API tn_array_t* tn_array_matrix_transpose(tn_scope_t* scope, tn_array_t* x);
// In reverse order along `axes`, or all when NULL.
TN_API tn_array_t* tn_array_flip(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                 const int64_t* axes);
// x[starts[i] : stops[i] : strides[i]] along each axis, as Python slices: negative numbers count
// from the end, and strides may be negative. `strides` NULL: all 1.
TN_API tn_array_t* tn_array_slice(tn_scope_t* scope, tn_array_t* x, const int64_t* starts,
                                  const int64_t* stops, const int64_t* strides);
// Elements [i, i + offset] of two dimensions, as the last dimension.
TN_API tn_array_t* tn_array_diagonal(tn_scope_t* scope, tn_array_t* x, int64_t offset,
                                     int64_t axis1, int64_t axis2);
// `count` equal parts of an axis.
TN_API void tn_array_split(tn_scope_t* scope, tn_array_t* x, size_t count, int64_t axis,
                           tn_array_t** out_parts);
// The parts before, between and behind `indices`: one more than there are indices.
TN_API void tn_array_split_at(tn_scope_t* scope, tn_array_t* x, size_t index_count,
                              const int64_t* indices, int64_t axis, tn_array_t** out_parts);
// The elements of an axis, of which there are `count`.
TN_API void tn_array_unstack(tn_scope_t* scope, tn_array_t* x, int64_t axis, size_t count,
                             tn_array_t** out_parts);

// --- shapes: copies

// Row-major in memory: x itself if it is.
TN_API tn_array_t* tn_array_contiguous(tn_scope_t* scope, tn_array_t* x);
// Elements at offset + sum of i * strides[i], in elements of x in one line.
TN_API tn_array_t* tn_array_as_strided(tn_scope_t* scope, tn_array_t* x, size_t rank,
                                       const int64_t* dims, const int64_t* strides, int64_t offset);
// Along an axis that they have; dtypes are promoted.
TN_API tn_array_t* tn_array_concatenate(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                        int64_t axis);
// Along a new axis.
TN_API tn_array_t* tn_array_stack(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                  int64_t axis);
// Coordinates from lines. Unless matrix_indexing the first two arrays are columns and rows, in this
// order. sparse: not broadcast.
TN_API void tn_array_meshgrid(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                              bool sparse, bool matrix_indexing, tn_array_t** out_arrays);
// shifts[i] places on along axes[i]; `axes` NULL: all elements in one line, by the sum of shifts.
TN_API tn_array_t* tn_array_roll(tn_scope_t* scope, tn_array_t* x, size_t count,
                                 const int64_t* shifts, const int64_t* axes);
// Each element so many times along an axis; `axis` NULL: all elements in one line.
TN_API tn_array_t* tn_array_repeat(tn_scope_t* scope, tn_array_t* x, int64_t repeats,
                                   const int64_t* axis);
// The whole array, repetitions[i] times along each of the last axes.
TN_API tn_array_t* tn_array_tile(tn_scope_t* scope, tn_array_t* x, size_t count,
                                 const int64_t* repetitions);
typedef enum tn_pad_mode {
  TN_PAD_CONSTANT = 0,
  TN_PAD_EDGE,       // the element at the edge
  TN_PAD_REFLECT,    // the elements behind the one at the edge, in reverse order
  TN_PAD_SYMMETRIC,  // that one, too
} tn_pad_mode_t;
// low[i] elements before axis i and high[i] behind it; `value` (one element, NULL: 0) is for
// TN_PAD_CONSTANT.
TN_API tn_array_t* tn_array_pad(tn_scope_t* scope, tn_array_t* x, const int64_t* low,
                                const int64_t* high, tn_pad_mode_t mode, tn_array_t* value);
// Differences of neighbours along an axis, `order` times.
TN_API tn_array_t* tn_array_diff(tn_scope_t* scope, tn_array_t* x, int64_t order, int64_t axis);
// The lower and upper triangle of the last two dimensions, from diagonal k on.
TN_API tn_array_t* tn_array_tril(tn_scope_t* scope, tn_array_t* x, int64_t k);
TN_API tn_array_t* tn_array_triu(tn_scope_t* scope, tn_array_t* x, int64_t k);
// A matrix with the elements on diagonal k; of a matrix: diagonal k.
TN_API tn_array_t* tn_array_diag(tn_scope_t* scope, tn_array_t* x, int64_t k);

// --- reductions: over `axes`, or over all dimensions when `axes` is NULL

#define TN_ARRAY_DECLARE_REDUCTION(name)                                                  \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* x, size_t axis_count, \
                                     const int64_t* axes, bool keepdims);
// clang-format off
// Sums and products of booleans and narrow integers are int32 or uint32; counts are int32; all and
// any are boolean; logsumexp, mean and median of integers are float32. There is no max, min and
// median of no elements. NaNs spread.
#define TN_ARRAY_REDUCTION(X)                                                                      \
  X(all) X(any) X(count_nonzero) X(logsumexp) X(max) X(mean) X(median) X(min) X(prod) X(sum)
// clang-format on
TN_ARRAY_REDUCTION(TN_ARRAY_DECLARE_REDUCTION)
// Mean squared distance from the mean, of (count - ddof) elements, and its square root.
TN_API tn_array_t* tn_array_var(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                const int64_t* axes, bool keepdims, int64_t ddof);
TN_API tn_array_t* tn_array_std(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                const int64_t* axes, bool keepdims, int64_t ddof);
TN_API void tn_array_minmax(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                            const int64_t* axes, bool keepdims, tn_array_t** out_min,
                            tn_array_t** out_max);
// The first place of the largest or smallest element, uint32; the first NaN if there is one. `axis`
// NULL: of all elements in one line.
TN_API tn_array_t* tn_array_argmax(tn_scope_t* scope, tn_array_t* x, const int64_t* axis,
                                   bool keepdims);
TN_API tn_array_t* tn_array_argmin(tn_scope_t* scope, tn_array_t* x, const int64_t* axis,
                                   bool keepdims);
// exp(x) / sum(exp(x)) over the axes. precise: narrow floats are computed as float32.
TN_API tn_array_t* tn_array_softmax(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                                    const int64_t* axes, bool precise);
// The sum of a diagonal. `dtype` INVALID: that of x.
TN_API tn_array_t* tn_array_trace(tn_scope_t* scope, tn_array_t* x, int64_t offset, int64_t axis1,
                                  int64_t axis2, tn_dtype_t dtype);

// The same for all elements up to each one along an axis (NULL: in one line); reverse: from each
// one on; not inclusive: without itself. Booleans are summed as int32; other dtypes stay, but
// logcumsumexp of integers is float32.
#define TN_ARRAY_DECLARE_CUMULATIVE(name)                                                   \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* x, const int64_t* axis, \
                                     bool reverse, bool inclusive);
#define TN_ARRAY_CUMULATIVE(X) X(cummax) X(cummin) X(cumprod) X(cumsum) X(logcumsumexp)
TN_ARRAY_CUMULATIVE(TN_ARRAY_DECLARE_CUMULATIVE)

// --- order: along an axis (NULL: all elements in one line), NaNs behind all numbers

TN_API tn_array_t* tn_array_sort(tn_scope_t* scope, tn_array_t* x, const int64_t* axis);
// The places of the elements in order, uint32; equal elements keep theirs.
TN_API tn_array_t* tn_array_argsort(tn_scope_t* scope, tn_array_t* x, const int64_t* axis);
// An order in which nothing before place k is larger, and nothing behind it smaller.
TN_API tn_array_t* tn_array_partition(tn_scope_t* scope, tn_array_t* x, int64_t k,
                                      const int64_t* axis);
TN_API tn_array_t* tn_array_argpartition(tn_scope_t* scope, tn_array_t* x, int64_t k,
                                         const int64_t* axis);
// The k largest elements, in no order that is promised.
TN_API tn_array_t* tn_array_topk(tn_scope_t* scope, tn_array_t* x, int64_t k, const int64_t* axis);
// Where values would be put into a sorted array of one dimension, uint32: before equal elements, or
// behind them (right).
TN_API tn_array_t* tn_array_searchsorted(tn_scope_t* scope, tn_array_t* sorted, tn_array_t* values,
                                         bool right);

// The first `size` elements of x without repetition, in order; what is beyond them is `fill_value`
// (NULL: the smallest element). Where each was first (uint32), the place of each element of x among
// them (uint32, of the shape of x), and how often each is there (int32); all three may be NULL.
TN_API void tn_array_unique(tn_scope_t* scope, tn_array_t* x, int64_t size, tn_array_t* fill_value,
                            tn_array_t** out_values, tn_array_t** out_index,
                            tn_array_t** out_inverse, tn_array_t** out_counts);

// --- indices: integers; negative ones count from the end
//
// An index in an array that is outside is no error, as values are not looked at before they are
// computed: what is taken is the nearest element, and an update goes nowhere.

// Elements of an axis (NULL: of all in one line), in its place a dimension for each of `indices`.
TN_API tn_array_t* tn_array_take(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                                 const int64_t* axis);
// For each index the element that it says along the axis, at its own place in the others.
TN_API tn_array_t* tn_array_take_along_axis(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                                            const int64_t* axis);
// How elements that are there and elements that come are combined.
typedef enum tn_scatter_mode {
  TN_SCATTER_SET = 0,  // of several for one place, any
  TN_SCATTER_ADD,
  TN_SCATTER_SUBTRACT,
  TN_SCATTER_MULTIPLY,
  TN_SCATTER_DIVIDE,
  TN_SCATTER_MAXIMUM,
  TN_SCATTER_MINIMUM,
} tn_scatter_mode_t;
// x with values put at the places that take_along_axis would take.
TN_API tn_array_t* tn_array_put_along_axis(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                                           tn_array_t* values, const int64_t* axis,
                                           tn_scatter_mode_t mode);

// What is between the brackets of x[...] in NumPy.
typedef enum tn_index_kind {
  TN_INDEX_INTEGER,
  TN_INDEX_SLICE,
  TN_INDEX_NEW_AXIS,
  TN_INDEX_ELLIPSIS,
  TN_INDEX_ARRAY,  // of integers, or of booleans: a mask
} tn_index_kind_t;
#define TN_INDEX_OPEN INT64_MIN  // a bound of a slice that is not given
typedef struct tn_index {
  tn_index_kind_t kind;
  int64_t start;  // INTEGER: the index; SLICE: TN_INDEX_OPEN, or where it begins
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
// x[items], by NumPy's rules; a view unless there are arrays. An integer beside arrays counts as
// one of them. A mask stands for as many dimensions of x as it has, with their sizes, and selects
// the places where it is true; how many there are decides the shape, so the mask is evaluated, and
// one that depends on an input that has no value (tn_vmap, tn_compile, tn_export_function) is an
// error.
TN_API tn_array_t* tn_array_index(tn_scope_t* scope, tn_array_t* x, size_t count,
                                  const tn_index_t* items);
// x with x[items] combined with updates, which broadcast to its shape and take its dtype. One mask
// of the first dimensions is not evaluated: the updates broadcast to what stands at each place, or
// are a list with one for each place that is true, in order; places beyond its end stay as they
// are, and updates beyond the last place are left out. Other masks are as above.
TN_API tn_array_t* tn_array_index_update(tn_scope_t* scope, tn_array_t* x, size_t count,
                                         const tn_index_t* items, tn_array_t* updates,
                                         tn_scatter_mode_t mode);
// The same for a slice, as tn_array_slice has it.
TN_API tn_array_t* tn_array_slice_update(tn_scope_t* scope, tn_array_t* x, tn_array_t* updates,
                                         const int64_t* starts, const int64_t* stops,
                                         const int64_t* strides, tn_scatter_mode_t mode);

// The same with places along `axes` that are in an array, moved so that the slice fits; the slice
// has `sizes` along all axes, or those of the update.
TN_API tn_array_t* tn_array_slice_at(tn_scope_t* scope, tn_array_t* x, tn_array_t* starts,
                                     size_t axis_count, const int64_t* axes, const int64_t* sizes);
TN_API tn_array_t* tn_array_slice_update_at(tn_scope_t* scope, tn_array_t* x, tn_array_t* update,
                                            tn_array_t* starts, size_t axis_count,
                                            const int64_t* axes);

// --- products

// Of matrices, whose leading dimensions broadcast; a vector counts as a row (a) or a column (b).
TN_API tn_array_t* tn_array_matmul(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// alpha * (a @ b) + beta * c, of the shape of a @ b.
TN_API tn_array_t* tn_array_addmm(tn_scope_t* scope, tn_array_t* c, tn_array_t* a, tn_array_t* b,
                                  double alpha, double beta);
// Of matrices a[a_places] and b[b_places], places counted over all leading dimensions; NULL: all in
// order.
TN_API tn_array_t* tn_array_gather_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                      tn_array_t* a_places, tn_array_t* b_places);
// a @ b for each pair [start, end) of segments, summed over those places alone.
TN_API tn_array_t* tn_array_segmented_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                         tn_array_t* segments);
// a @ b, where masks have an element for each block of the result, of a and of b: booleans, or
// factors; NULL: none.
TN_API tn_array_t* tn_array_block_masked_mm(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                            int64_t block_size, tn_array_t* mask_out,
                                            tn_array_t* mask_a, tn_array_t* mask_b);
// By Hadamard's matrix along the last axis, whose size is a power of 2, or that times 12, 20 or 28;
// `scale` NULL: 1 / sqrt(size). Of integers in float32.
TN_API tn_array_t* tn_array_hadamard_transform(tn_scope_t* scope, tn_array_t* x,
                                               const double* scale);
// Over pairs of axes; NULL: the last ones of a and the first ones of b.
TN_API tn_array_t* tn_array_tensordot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                      size_t axis_count, const int64_t* a_axes,
                                      const int64_t* b_axes);
TN_API tn_array_t* tn_array_inner(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
TN_API tn_array_t* tn_array_outer(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Of the conjugate of a with b, along an axis of both.
TN_API tn_array_t* tn_array_vecdot(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, int64_t axis);
// "ij,jk->ik": products of elements whose letters agree, summed over the letters that are not
// behind the arrow. "..." stands for dimensions that broadcast. Without an arrow the result has the
// letters that come once, in the order of the alphabet.
TN_API tn_array_t* tn_array_einsum(tn_scope_t* scope, const char* subscripts, size_t count,
                                   tn_array_t* const* arrays);
// In which order the operands are multiplied: the pair that leaves fewest elements, again and
// again. Writes count - 1 pairs of places in the list of what is left, first the lower one; both
// are taken from it, and their product is put to its end. The error is that of the sum.
TN_API TN_MUST_USE tn_status_t tn_array_einsum_path(tn_scope_t* scope, const char* subscripts,
                                                    size_t count, tn_array_t* const* arrays,
                                                    size_t (*out_pairs)[2]);
TN_API tn_array_t* tn_array_kron(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);

// The same arrays, `count` of them, which are computed after `dependencies`: whoever needs one of
// them has those computed as well. Derivatives and batches are the arrays' own.
TN_API void tn_array_depends(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                             size_t dependency_count, tn_array_t* const* dependencies,
                             tn_array_t** out_arrays);

// --- convolutions: of [batch, spatial..., channel] with [output channel, spatial..., channel]

// Lists have an entry for each spatial dimension; NULL: 1 for strides and dilations, 0 for padding,
// padding_low for padding_high.
typedef struct tn_convolution {
  const int64_t* strides;
  const int64_t* padding_low;  // may be negative
  const int64_t* padding_high;
  const int64_t* kernel_dilations;
  const int64_t* input_dilations;
  int64_t groups;  // of channels, each with its own part of the output channels; 0: 1
  bool flip;       // the kernel is reversed
} tn_convolution_t;
// `how` NULL: all defaults.
TN_API tn_array_t* tn_array_conv_general(tn_scope_t* scope, tn_array_t* x, tn_array_t* kernel,
                                         const tn_convolution_t* how);
// tn_array_conv2d(scope, x, kernel, strides, padding, dilations, groups), and the map that is
// transposed to it, whose output has output_padding more elements at the end.
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
// Of two lines of numbers.
TN_API tn_array_t* tn_array_convolve(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                     tn_convolve_mode_t mode);

// --- filled arrays

TN_API tn_array_t* tn_array_full(tn_scope_t* scope, size_t rank, const int64_t* dims,
                                 tn_array_t* value);
TN_API tn_array_t* tn_array_zeros(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                  const int64_t* dims);
TN_API tn_array_t* tn_array_ones(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                 const int64_t* dims);
// What is in it is nobody's business; it is zeros.
TN_API tn_array_t* tn_array_empty(tn_scope_t* scope, tn_dtype_t dtype, size_t rank,
                                  const int64_t* dims);
// Of the shape and dtype of x.
TN_API tn_array_t* tn_array_empty_like(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_full_like(tn_scope_t* scope, tn_array_t* x, tn_array_t* value);
TN_API tn_array_t* tn_array_zeros_like(tn_scope_t* scope, tn_array_t* x);
TN_API tn_array_t* tn_array_ones_like(tn_scope_t* scope, tn_array_t* x);
// start, start + step... before stop.
TN_API tn_array_t* tn_array_arange(tn_scope_t* scope, tn_dtype_t dtype, double start, double stop,
                                   double step);
// `count` numbers from start to stop, which is the last one (endpoint) or would be the next.
TN_API tn_array_t* tn_array_linspace(tn_scope_t* scope, tn_dtype_t dtype, double start, double stop,
                                     int64_t count, bool endpoint);
// Ones on diagonal k.
TN_API tn_array_t* tn_array_eye(tn_scope_t* scope, tn_dtype_t dtype, int64_t rows, int64_t columns,
                                int64_t k);
TN_API tn_array_t* tn_array_identity(tn_scope_t* scope, tn_dtype_t dtype, int64_t size);
// Ones on diagonal k and below it.
TN_API tn_array_t* tn_array_tri(tn_scope_t* scope, tn_dtype_t dtype, int64_t rows, int64_t columns,
                                int64_t k);
// Windows of signal processing, float32: tn_array_hanning(scope, length) and so on.
#define TN_ARRAY_WINDOW(X) X(bartlett) X(blackman) X(hamming) X(hanning)
#define TN_ARRAY_DECLARE_WINDOW(name) \
  TN_API tn_array_t* tn_array_##name(tn_scope_t* scope, int64_t length);
TN_ARRAY_WINDOW(TN_ARRAY_DECLARE_WINDOW)

TN_EXTERN_C_END

#endif  // TENON_ARRAY_OPS_H_
