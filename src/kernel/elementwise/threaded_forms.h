// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What threaded.inc and others make threaded code of, for the dtype that TN_T and TN_NAME say: the
// operation from each place that its operands can be in (kernel/common/threaded.h).
#ifndef TENON_KERNEL_ELEMENTWISE_THREADED_FORMS_H_
#define TENON_KERNEL_ELEMENTWISE_THREADED_FORMS_H_

#include "kernel/common/threaded.h"
#include "kernel/elementwise/scalar_loops.h"

#define TN_IN_MEMORY(i) (*(const TN_T*)cell[1 + (i)].operand)
#define TN_IN_REGISTER ((TN_T)TN_HELD((TN_T)0))
#define TN_HOLD_SAME(value) TN_HOLD(value)
#define TN_HOLD_BOOL(value) TN_HOLD(value)
#define TN_HOLD_PART(value) TN_HOLD(value)
#define TN_HOLD_COMPLEX(value) (void)(value)

// `function` of the operands, each from where it is; `result` as scalar.def has it.
#define TN_FORM_1(form, function, result, operand)      \
  TN_THREADED(TN_PASTE(form, TN_NAME)) {                \
    const TN_RESULT_##result value = function(operand); \
    *(TN_RESULT_##result*)cell[2].data = value;         \
    TN_HOLD_##result(value);                            \
    TN_THREADED_NEXT(3);                                \
  }
#define TN_FORM_2(form, function, result, left, right)      \
  TN_THREADED(TN_PASTE(form, TN_NAME)) {                    \
    const TN_RESULT_##result value = function(left, right); \
    *(TN_RESULT_##result*)cell[3].data = value;             \
    TN_HOLD_##result(value);                                \
    TN_THREADED_NEXT(4);                                    \
  }
#define TN_FORMS_1(name, function, result)                          \
  TN_FORM_1(from_memory_##name, function, result, TN_IN_MEMORY(0))  \
  TN_FORM_1(from_register_##name, function, result, TN_IN_REGISTER) \
  static const tn_threaded_fn TN_PASTE(forms_##name, TN_NAME)[] = { \
      TN_PASTE(from_memory_##name, TN_NAME), TN_PASTE(from_register_##name, TN_NAME)};
#define TN_FORMS_2(name, function, result)                                                \
  TN_FORM_2(memory_memory_##name, function, result, TN_IN_MEMORY(0), TN_IN_MEMORY(1))     \
  TN_FORM_2(register_memory_##name, function, result, TN_IN_REGISTER, TN_IN_MEMORY(1))    \
  TN_FORM_2(memory_register_##name, function, result, TN_IN_MEMORY(0), TN_IN_REGISTER)    \
  TN_FORM_2(register_register_##name, function, result, TN_IN_REGISTER, TN_IN_REGISTER)   \
  static const tn_threaded_fn TN_PASTE(forms_##name, TN_NAME)[] = {                       \
      TN_PASTE(memory_memory_##name, TN_NAME), TN_PASTE(register_memory_##name, TN_NAME), \
      TN_PASTE(memory_register_##name, TN_NAME), TN_PASTE(register_register_##name, TN_NAME)};

// By the column `cost` of scalar.def: `macro`, or nothing.
#define TN_THREADED_ALL(cost) TN_PASTE(TN_THREADED_##cost, TN_HAS_HEAVY)
#define TN_THREADED_LIGHT_0(macro, name, detail, column) TN_COLUMN(macro, name, detail, column)
#define TN_THREADED_LIGHT_1 TN_THREADED_LIGHT_0
#define TN_THREADED_HEAVY_0(macro, name, detail, column)
#define TN_THREADED_HEAVY_1 TN_THREADED_LIGHT_0

// --- functions, by the column of the dtype

#define TN_MAKE_1_NONE(name, result, expression)
#define TN_MAKE_1_SHARED(name, result, expression)
#define TN_MAKE_1_IS(name, result, expression) TN_FORMS_1(name, TN_PASTE(name, TN_NAME), result)
#define TN_MAKE_1_ALONE TN_MAKE_1_IS
#define TN_MAKE_2_NONE(name, result, expression)
#define TN_MAKE_2_SHARED(name, result, expression)
#define TN_MAKE_2_IS(name, result, expression) TN_FORMS_2(name, TN_PASTE(name, TN_NAME), result)
#define TN_MAKE_2_ALONE TN_MAKE_2_IS
#define TN_MAKE_2_APART TN_MAKE_2_IS

#define TN_MAKE_COMPARISON(ordering, name) \
  TN_FORMS_2(ordering##_##name, TN_PASTE(ordering##_is_##name, TN_NAME), BOOL)
#define TN_MAKE_ORDER(ordering)    \
  TN_MAKE_COMPARISON(ordering, ge) \
  TN_MAKE_COMPARISON(ordering, gt) \
  TN_MAKE_COMPARISON(ordering, le) \
  TN_MAKE_COMPARISON(ordering, lt)

// --- entries of a table

#define TN_LIST_NONE(name, ARITY, expression)
#define TN_LIST_SHARED(name, ARITY, expression) \
  [TN_##ARITY##_##name] = TN_PASTE(forms_##name, TN_UNSIGNED_NAME),
#define TN_LIST_IS(name, ARITY, expression) [TN_##ARITY##_##name] = TN_PASTE(forms_##name, TN_NAME),
#define TN_LIST_ALONE TN_LIST_IS
#define TN_LIST_APART TN_LIST_IS
#define TN_LIST_COMPARISON(DIRECTION, name, dtype) \
  [TN_DIRECTION_##DIRECTION] = TN_PASTE(forms_##name, dtype)

#endif  // TENON_KERNEL_ELEMENTWISE_THREADED_FORMS_H_
