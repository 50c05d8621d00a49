// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The loops over arrays of native dtypes, as tables by operation. Made from templates: integer.inc,
// float.inc, complex.inc.
#ifndef TENON_KERNEL_COMMON_LOOPS_H_
#define TENON_KERNEL_COMMON_LOOPS_H_

#include "kernel/common/element.h"
#include "kernel/common/isa.h"
#include "kernel/common/loop.h"
#include "kernel/common/native.h"
#include "kernel/common/threaded.h"

// out[i] = op a[i]. `out` may be `a` itself; other overlap is not allowed.
typedef void (*tn_unary_fn)(const void* a, void* out, size_t count);
// out[i] = a[i] op b[i]. `out` may be `a` or `b` itself.
typedef void (*tn_binary_fn)(const void* a, const void* b, void* out, size_t count);
// By which operand is a single element that stands for all: *a op b[i], a[i] op *b.
typedef enum tn_side { TN_LEFT_REPEATED, TN_RIGHT_REPEATED, TN_SIDE_COUNT } tn_side_t;
// *accumulator = *accumulator op values[0] op ...; see tn__binary_fold.
typedef void (*tn_fold_fn)(void* accumulator, const void* values, size_t count);
// target[places[i]] = target[places[i]] op values[i], one after the other. Places below 0 are none.
typedef void (*tn_at_fn)(void* target, const int64_t* places, const void* values, size_t count);

// sums[i] = sums[i] + rows[0][i] + rows[1][i] ..., one after the other, of TN_ROWS_ADDED rows:
// memory gives several of them sooner than one.
typedef void (*tn_add_rows_fn)(void* sums, const void* const* rows, size_t count);
enum { TN_ROWS_ADDED = 4 };

typedef enum tn_unary_op {
#define TN_UNARY(dialect, name, ...) TN_UNARY_##name,
#define TN_BINARY(...)
#include "ops/scalar.def"
  TN_UNARY_COUNT
} tn_unary_op_t;

typedef enum tn_binary_op {
#define TN_UNARY(...)
#define TN_BINARY(dialect, name, ...) TN_BINARY_##name,
#include "ops/scalar.def"
  TN_BINARY_COUNT
} tn_binary_op_t;

// In the order of the enumerators of comparison_direction.
typedef enum tn_direction {
  TN_DIRECTION_EQ,
  TN_DIRECTION_NE,
  TN_DIRECTION_GE,
  TN_DIRECTION_GT,
  TN_DIRECTION_LE,
  TN_DIRECTION_LT,
  TN_DIRECTION_COUNT,
} tn_direction_t;

// NULL where the dtype does not have the operation. Results are of the operands' dtype, except:
// abs, real and imag of complex give reals, complex gives complex, is_finite and compare i1.
typedef struct tn_loops {
  tn_unary_fn unary[TN_UNARY_COUNT];
  tn_binary_fn binary[TN_BINARY_COUNT];
  tn_binary_fn repeating[TN_SIDE_COUNT][TN_BINARY_COUNT];  // NULL also where it would gain nothing
  tn_fold_fn fold[TN_BINARY_COUNT];
  tn_at_fn at[TN_BINARY_COUNT];
  // *out = the fold of the squares of `values`, at least one, by add: the first with the others.
  tn_fold_fn fold_squares;
  tn_add_rows_fn add_rows;  // floats
  tn_binary_fn compare[TN_DIRECTION_COUNT];
  tn_binary_fn compare_total[TN_DIRECTION_COUNT];  // by totalOrder; floats
  tn_binary_fn compare_to_one[TN_DIRECTION_COUNT], compare_total_to_one[TN_DIRECTION_COUNT];  // *b
} tn_loops_t;

// The same of one element as threaded code. NULL also where instruction sets differ in their bits.
typedef struct tn_threaded_table {
  tn_threaded_forms_t unary[TN_UNARY_COUNT];
  tn_threaded_forms_t binary[TN_BINARY_COUNT];
  tn_threaded_forms_t compare[TN_DIRECTION_COUNT];
  tn_threaded_forms_t compare_total[TN_DIRECTION_COUNT];
} tn_threaded_table_t;

// They are there for each instruction set. All do the same operations on each element, but for the
// functions of vector_math.inc, which need fused multiply-add: the base has the C library's, which
// are rounded correctly.
#define TN_NATIVE(NAME, name, type) \
  extern const tn_loops_t tn__loops_##name, tn__loops_##name##_avx2;
TN_NATIVE_INTEGERS(TN_NATIVE)
#undef TN_NATIVE
#define TN_NATIVE(NAME, name, type) \
  extern const tn_loops_t tn__loops_##name, tn__loops_##name##_fma, tn__loops_##name##_avx512;
TN_NATIVE_FLOATS(TN_NATIVE)
#undef TN_NATIVE
extern const tn_loops_t tn__loops_pred, tn__loops_pred_avx2;
extern const tn_loops_t tn__loops_c64, tn__loops_c64_avx2;
extern const tn_loops_t tn__loops_c128, tn__loops_c128_avx2;

#define TN_NATIVE(NAME, name, type) extern const tn_threaded_table_t tn__threaded_##name;
TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
extern const tn_threaded_table_t tn__threaded_pred;

// The best that this processor can do. `native` is below TN_NATIVE_COUNT.
const tn_loops_t* tn__loops(tn_native_t native);

// NULL of complex dtypes.
const tn_threaded_table_t* tn__threaded(tn_native_t native);

// For tests: those of one instruction set; NULL when the processor has not got it, or there are
// none.
const tn_loops_t* tn__loops_of(tn_isa_t isa, tn_native_t native);

#endif  // TENON_KERNEL_COMMON_LOOPS_H_
