// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The rows of scalar.def as functions of one element, and loops around them, for the dtype that
// TN_T and TN_NAME say:
//
//   #define TN_UNARY(dialect, name, ...columns) TN_UNARY_LOOP(name, result, reals)
//
// gives name_f32(a), and map_name_f32(operand, result, count) where there is such a loop. Where
// TN_BITS_FORM is SHARED, what is BITS has none; the table points to those of TN_UNSIGNED_NAME.
//
// A file includes the loops once for each instruction set: TN_TARGET is the attribute of functions,
// TN_VARIANT(f32) the name by which they and their tables differ (float_fma.c).
#ifndef TENON_KERNEL_ELEMENTWISE_SCALAR_LOOPS_H_
#define TENON_KERNEL_ELEMENTWISE_SCALAR_LOOPS_H_

#include "kernel/common/loops.h"
#include "ops/scalar.h"

// The type of the result, by the column: TN_T, or as the including file defines.
#define TN_RESULT_SAME TN_T
#define TN_RESULT_BOOL uint8_t

#define TN_ELEMENT_1(name, result, expression)                             \
  static inline TN_RESULT_##result TN_PASTE(name, TN_NAME)(const TN_T a) { \
    (void)a;                                                               \
    return (TN_RESULT_##result)expression;                                 \
  }
#define TN_ELEMENT_2(name, result, expression)                                           \
  static inline TN_RESULT_##result TN_PASTE(name, TN_NAME)(const TN_T a, const TN_T b) { \
    return (TN_RESULT_##result)expression;                                               \
  }

// --- one operand

#define TN_UNARY_LOOP(name, result, column) TN_COLUMN(TN_UNARY_LOOP, name, result, column)
#define TN_UNARY_LOOP_ALONE TN_UNARY_LOOP_IS
#define TN_UNARY_LOOP_NONE(name, result, expression)
#define TN_UNARY_LOOP_SHARED(name, result, expression)
#define TN_UNARY_LOOP_IS(name, result, expression)                                              \
  TN_ELEMENT_1(name, result, expression)                                                        \
  static TN_TARGET void TN_PASTE(map_##name, TN_NAME)(const void* a, void* out, size_t count) { \
    const TN_T* operand = a;                                                                    \
    TN_RESULT_##result* results = out;                                                          \
    TN_INDEPENDENT                                                                              \
    for (size_t i = 0; i < count; ++i) results[i] = TN_PASTE(name, TN_NAME)(operand[i]);        \
  }
// A block with a large operand is left to C: the functions of vector_math.inc are for others.
#define TN_UNARY_LOOP_PERIODIC(name, result, expression)                                          \
  TN_ELEMENT_1(name, result, expression)                                                          \
  static TN_TARGET void TN_PASTE(map_##name, TN_NAME)(const void* a, void* out, size_t count) {   \
    const TN_T* operand = a;                                                                      \
    TN_T* results = out;                                                                          \
    for (size_t begin = 0; begin < count; begin += TN_PERIODIC_BLOCK) {                           \
      const size_t rest = count - begin;                                                          \
      const size_t end = begin + (rest < TN_PERIODIC_BLOCK ? rest : TN_PERIODIC_BLOCK);           \
      TN_BITS_T large = 0;                                                                        \
      for (size_t i = begin; i < end; ++i) large |= TN_PASTE(is_large, TN_NAME)(operand[i]);      \
      if (!large) {                                                                               \
        TN_INDEPENDENT                                                                            \
        for (size_t i = begin; i < end; ++i) results[i] = TN_PASTE(name, TN_NAME)(operand[i]);    \
        continue;                                                                                 \
      }                                                                                           \
      for (size_t i = begin; i < end; ++i) {                                                      \
        if (TN_PASTE(is_large, TN_NAME)(operand[i])) {                                            \
          TN_PASTE(tn__loops, TN_EXACT_NAME).unary[TN_UNARY_##name](&operand[i], &results[i], 1); \
        } else {                                                                                  \
          results[i] = TN_PASTE(name, TN_NAME)(operand[i]);                                       \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
enum { TN_PERIODIC_BLOCK = 256 };
// As the loop of reals does it.
#define TN_UNARY_LOOP_BY_PARTS(name, result, expression)                              \
  static void TN_PASTE(map_##name, TN_NAME)(const void* a, void* out, size_t count) { \
    tn__loops(TN_PARTS)->unary[TN_UNARY_##name](a, out, 2 * count);                   \
  }

// --- two operands

#define TN_BINARY_LOOP(name, cost, result, order, column) \
  TN_COLUMN(TN_BINARY_LOOP, name, result, column)         \
  TN_REPEATED_##cost(name, result, column) TN_COLUMN(TN_FOLD_##order, name, result, column)
#define TN_BINARY_LOOP_ALONE TN_BINARY_LOOP_IS
#define TN_BINARY_LOOP_NONE(name, result, expression)
#define TN_BINARY_LOOP_SHARED(name, result, expression)
#define TN_BINARY_LOOP_IS(name, result, expression)                                            \
  TN_ELEMENT_2(name, result, expression)                                                       \
  static TN_TARGET void TN_PASTE(map_##name, TN_NAME)(const void* a, const void* b, void* out, \
                                                      size_t count) {                          \
    const TN_T *left = a, *right = b;                                                          \
    TN_RESULT_##result* results = out;                                                         \
    TN_INDEPENDENT                                                                             \
    for (size_t i = 0; i < count; ++i) {                                                       \
      results[i] = TN_PASTE(name, TN_NAME)(left[i], right[i]);                                 \
    }                                                                                          \
  }
#define TN_BINARY_LOOP_APART(name, result, expression) TN_ELEMENT_2(name, result, expression)
#define TN_BINARY_LOOP_BY_PARTS(name, result, expression)                            \
  static void TN_PASTE(map_##name, TN_NAME)(const void* a, const void* b, void* out, \
                                            size_t count) {                          \
    tn__loops(TN_PARTS)->binary[TN_BINARY_##name](a, b, out, 2 * count);             \
  }

// --- one of two operands is a single element: the operation is so light that loads count. Where
// TN_REPEATS is 1.

#define TN_REPEATED_HEAVY(name, result, column)
#define TN_REPEATED_LIGHT(name, result, column) TN_COLUMN(TN_REPEATED, name, result, column)
#define TN_REPEATED_ALONE(name, result, expression)
#define TN_REPEATED_NONE(name, result, expression)
#define TN_REPEATED_SHARED(name, result, expression)
#define TN_REPEATED_IS(name, result, expression) \
  TN_PASTE(TN_REPEATED_LOOPS, TN_REPEATS)(name, result)
#define TN_REPEATED_LOOPS_0(name, result)
#define TN_REPEATED_LOOPS_1(name, result)                                  \
  TN_REPEATED_LOOP(repeated_left_##name, name, result, left_one, right[i]) \
  TN_REPEATED_LOOP(repeated_right_##name, name, result, left[i], right_one)
#define TN_REPEATED_LOOP(loop, name, result, first, second)                                 \
  static TN_TARGET void TN_PASTE(loop, TN_NAME)(const void* a, const void* b, void* out,    \
                                                size_t count) {                             \
    const TN_T *left = a, *right = b;                                                       \
    const TN_T left_one = *left, right_one = *right;                                        \
    TN_RESULT_##result* results = out;                                                      \
    (void)left_one, (void)right_one;                                                        \
    TN_INDEPENDENT                                                                          \
    for (size_t i = 0; i < count; ++i) results[i] = TN_PASTE(name, TN_NAME)(first, second); \
  }

// --- folds of two operands

#define TN_FOLD_LEFT_ALONE TN_FOLD_LEFT_IS
#define TN_FOLD_LEFT_NONE(name, result, expression)
#define TN_FOLD_LEFT_SHARED(name, result, expression)
#define TN_FOLD_LEFT_IS(name, result, expression)
#define TN_FOLD_LEFT_APART(name, result, expression)
#define TN_FOLD_LEFT_BY_PARTS(name, result, expression)
#define TN_FOLD_ANY_ALONE TN_FOLD_ANY_IS
#define TN_FOLD_ANY_NONE(name, result, expression)
#define TN_FOLD_ANY_SHARED(name, result, expression)
#define TN_FOLD_ANY_IS(name, result, expression) TN_FOLD_LOOPS(name)
#define TN_FOLD_ANY_APART(name, result, expression) TN_FOLD_LOOPS(name)
#define TN_FOLD_ANY_BY_PARTS(name, result, expression) TN_FOLD_LOOPS(name)
#define TN_FOLD_EXTREME_ALONE TN_FOLD_EXTREME_IS
#define TN_FOLD_EXTREME_IS(name, result, expression) TN_EXTREME_LOOPS(name)
// Unless the including file has better ones.
#define TN_EXTREME_LOOPS TN_FOLD_LOOPS

// The fold, and what the operation does to scattered elements. Long folds run in lanes, and in
// halves above a block: quick, accurate in floats, and in an order that depends on the count alone.
#define TN_FOLD_LOOPS(name) \
  TN_FOLD_TREE(name)        \
  TN_FOLD_AND_AT(name, tree_##name)
#define TN_FOLD_TREE(name) TN_FOLD_TREE_OF(tree_##name, name, TN_AS_IT_IS)
#define TN_AS_IT_IS(value) (value)
// Said for each number of lanes: compilers keep all of them in registers then.
_Static_assert(TN_FOLD_LANES == 32, "the halves below");
#define TN_FOLD_HALF(name, width)                                            \
  for (size_t lane = 0; lane < (width); ++lane) {                            \
    lanes[lane] = TN_PASTE(name, TN_NAME)(lanes[lane], lanes[lane + width]); \
  }
// `tree` folds what `element` makes of each value.
#define TN_FOLD_TREE_OF(tree, name, element)                                                 \
  static TN_TARGET TN_T TN_PASTE(tree, TN_NAME)(const TN_T* values, size_t count) {          \
    if (count > TN_FOLD_BLOCK) {                                                             \
      const size_t half = count / 2 / TN_FOLD_LANES * TN_FOLD_LANES;                         \
      const TN_T left = TN_PASTE(tree, TN_NAME)(values, half);                               \
      const TN_T right = TN_PASTE(tree, TN_NAME)(values + half, count - half);               \
      return TN_PASTE(name, TN_NAME)(left, right);                                           \
    }                                                                                        \
    TN_T lanes[TN_FOLD_LANES];                                                               \
    for (size_t lane = 0; lane < TN_FOLD_LANES; ++lane) lanes[lane] = element(values[lane]); \
    size_t i = TN_FOLD_LANES;                                                                \
    for (; i + TN_FOLD_LANES <= count; i += TN_FOLD_LANES) {                                 \
      for (size_t lane = 0; lane < TN_FOLD_LANES; ++lane) {                                  \
        lanes[lane] = TN_PASTE(name, TN_NAME)(lanes[lane], element(values[i + lane]));       \
      }                                                                                      \
    }                                                                                        \
    for (size_t lane = 0; i < count; ++i, ++lane) {                                          \
      lanes[lane] = TN_PASTE(name, TN_NAME)(lanes[lane], element(values[i]));                \
    }                                                                                        \
    TN_FOLD_HALF(name, 16)                                                                   \
    TN_FOLD_HALF(name, 8)                                                                    \
    TN_FOLD_HALF(name, 4)                                                                    \
    TN_FOLD_HALF(name, 2)                                                                    \
    return TN_PASTE(name, TN_NAME)(lanes[0], lanes[1]);                                      \
  }
// `tree` folds more than TN_FOLD_SEQUENTIAL values.
#define TN_FOLD_AND_AT(name, tree)                                                               \
  static TN_TARGET void TN_PASTE(fold_##name, TN_NAME)(void* accumulator, const void* values,    \
                                                       size_t count) {                           \
    const TN_T* value = values;                                                                  \
    TN_T total = *(TN_T*)accumulator;                                                            \
    if (count <= TN_FOLD_SEQUENTIAL) {                                                           \
      for (size_t i = 0; i < count; ++i) total = TN_PASTE(name, TN_NAME)(total, value[i]);       \
    } else {                                                                                     \
      const TN_T rest = TN_PASTE(tree, TN_NAME)(value, count);                                   \
      total = TN_PASTE(name, TN_NAME)(total, rest);                                              \
    }                                                                                            \
    *(TN_T*)accumulator = total;                                                                 \
  }                                                                                              \
  static TN_TARGET void TN_PASTE(at_##name, TN_NAME)(void* target, const int64_t* places,        \
                                                     const void* values, size_t count) {         \
    TN_T* elements = target;                                                                     \
    const TN_T* value = values;                                                                  \
    /* An element that comes several times in a row, as sorted places have it, is in a register. \
     */                                                                                          \
    int64_t current = -1;                                                                        \
    TN_T element = 0;                                                                            \
    for (size_t i = 0; i < count; ++i) {                                                         \
      if (places[i] < 0) continue;                                                               \
      if (places[i] != current) {                                                                \
        current = places[i];                                                                     \
        element = elements[current];                                                             \
      }                                                                                          \
      element = TN_PASTE(name, TN_NAME)(element, value[i]);                                      \
      elements[current] = element;                                                               \
    }                                                                                            \
  }

// --- rows of the table of loops (tn_loops_t)

#define TN_UNARY_ENTRY(name, column) TN_COLUMN(TN_UNARY_ENTRY, name, SAME, column)
#define TN_UNARY_ENTRY_NONE(name, result, expression)
#define TN_UNARY_ENTRY_IS(name, result, expression) \
  [TN_UNARY_##name] = TN_PASTE(map_##name, TN_NAME),
#define TN_UNARY_ENTRY_SHARED(name, result, expression) \
  [TN_UNARY_##name] = TN_PASTE(map_##name, TN_UNSIGNED_NAME),
#define TN_UNARY_ENTRY_ALONE TN_UNARY_ENTRY_IS
#define TN_UNARY_ENTRY_PERIODIC TN_UNARY_ENTRY_IS
#define TN_UNARY_ENTRY_BY_PARTS TN_UNARY_ENTRY_IS

#define TN_BINARY_ENTRY(name, column) TN_COLUMN(TN_BINARY_ENTRY, name, SAME, column)
#define TN_BINARY_ENTRY_NONE(name, result, expression)
#define TN_BINARY_ENTRY_IS(name, result, expression) \
  [TN_BINARY_##name] = TN_PASTE(map_##name, TN_NAME),
#define TN_BINARY_ENTRY_SHARED(name, result, expression) \
  [TN_BINARY_##name] = TN_PASTE(map_##name, TN_UNSIGNED_NAME),
#define TN_BINARY_ENTRY_ALONE TN_BINARY_ENTRY_IS
#define TN_BINARY_ENTRY_APART TN_BINARY_ENTRY_IS
#define TN_BINARY_ENTRY_BY_PARTS TN_BINARY_ENTRY_IS

// Where TN_REPEATS is 1; `side` is repeated_left or repeated_right.
#define TN_REPEATED_ENTRY(side, name, cost, column) TN_REPEATED_ENTRY_##cost(side, name, column)
#define TN_REPEATED_ENTRY_HEAVY(side, name, column)
#define TN_REPEATED_ENTRY_LIGHT(side, name, column) TN_COLUMN(TN_REPEATED_ENTRY, name, side, column)
#define TN_REPEATED_ENTRY_ALONE(name, side, expression)
#define TN_REPEATED_ENTRY_NONE(name, side, expression)
#define TN_REPEATED_ENTRY_SHARED(name, side, expression) \
  [TN_BINARY_##name] = TN_PASTE(side##_##name, TN_UNSIGNED_NAME),
#define TN_REPEATED_ENTRY_IS(name, side, expression) \
  [TN_BINARY_##name] = TN_PASTE(side##_##name, TN_NAME),

// `loop` is fold or at.
#define TN_FOLD_ENTRY(loop, name, order, column) \
  TN_COLUMN(TN_FOLD_ENTRY_##order, name, loop, column)
#define TN_FOLD_ENTRY_LEFT_ALONE TN_FOLD_ENTRY_LEFT_IS
#define TN_FOLD_ENTRY_LEFT_NONE(name, loop, expression)
#define TN_FOLD_ENTRY_LEFT_SHARED(name, loop, expression)
#define TN_FOLD_ENTRY_LEFT_IS(name, loop, expression)
#define TN_FOLD_ENTRY_LEFT_APART(name, loop, expression)
#define TN_FOLD_ENTRY_LEFT_BY_PARTS(name, loop, expression)
#define TN_FOLD_ENTRY_ANY_NONE(name, loop, expression)
#define TN_FOLD_ENTRY_ANY_IS(name, loop, expression) \
  [TN_BINARY_##name] = TN_PASTE(loop##_##name, TN_NAME),
#define TN_FOLD_ENTRY_ANY_SHARED(name, loop, expression) \
  [TN_BINARY_##name] = TN_PASTE(loop##_##name, TN_UNSIGNED_NAME),
#define TN_FOLD_ENTRY_ANY_ALONE TN_FOLD_ENTRY_ANY_IS
#define TN_FOLD_ENTRY_ANY_APART TN_FOLD_ENTRY_ANY_IS
#define TN_FOLD_ENTRY_ANY_BY_PARTS TN_FOLD_ENTRY_ANY_IS
#define TN_FOLD_ENTRY_EXTREME_IS TN_FOLD_ENTRY_ANY_IS
#define TN_FOLD_ENTRY_EXTREME_ALONE TN_FOLD_ENTRY_ANY_IS

#endif  // TENON_KERNEL_ELEMENTWISE_SCALAR_LOOPS_H_
