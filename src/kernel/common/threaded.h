// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Threaded code: how programs run small operations one after the other. A piece of it is a sequence
// of cells, as threaded code of Forth and of virtual machines is: the address of a function, what
// that works on, the address of the next function. Each function calls the next one as the last
// thing that it does, which compilers make a jump.
//
// Along go three registers with the scalars computed last, one of each kind. A function of scalars
// stores its result and leaves it in the register of its kind, where the next ones may find it. So
// a scalar does not wait for memory, which takes longer than most operations on it.
#ifndef TENON_KERNEL_COMMON_THREADED_H_
#define TENON_KERNEL_COMMON_THREADED_H_

#include <stddef.h>
#include <stdint.h>
#include <tenon/detail/dtype.h>
#include <tenon/detail/status.h>

struct tn_kernel_call;
typedef union tn_cell tn_cell_t;

// `cell` has the function's own address. The operands' addresses follow, then the result's, then
// the next function's, unless the function says something else.
typedef void (*tn_threaded_fn)(const tn_cell_t* cell, float f32, double f64, int64_t bits);

// A table of pointers to data may hold cells, too: `data` has its layout.
union tn_cell {
  tn_threaded_fn run;
  void* data;
  const void* operand;
  const tn_cell_t* next;
  size_t count;
  void (*loop)(void);  // any function, of a type that `run` knows
  // Of a kernel that is run as it is.
  tn_status_t (*kernel)(const struct tn_kernel_call* call);
  const struct tn_kernel_call* call;
};

enum { TN_THREADED_LEAD = 2 };

typedef enum tn_register {
  TN_REGISTER_F32,
  TN_REGISTER_F64,
  TN_REGISTER_BITS,  // integers to 64 bits, and truth values
  TN_REGISTER_COUNT,
} tn_register_t;

// TN_REGISTER_COUNT: none holds it.
tn_register_t tn__register_of(tn_dtype_t dtype);

// What a function of scalars is entered by: [m] where bit i of m says that operand i is in the
// register of its kind, else it is in memory. Bit by bit up to the number of operands.
typedef const tn_threaded_fn* tn_threaded_forms_t;

// For functions, whose parameters are named as above. What the register for values like `value`
// holds, and its new value.
#define TN_HELD(value) _Generic((value), float : f32, double : f64, default : bits)
#define TN_HOLD(value)                              \
  (*_Generic((value), float                         \
             : &f32, double                         \
             : &f64, default                        \
             : &bits) = _Generic((value), float     \
                                 : (value), double  \
                                 : (value), default \
                                 : (int64_t)(value)))
#define TN_THREADED(name) \
  static void name(const tn_cell_t* cell, float f32, double f64, int64_t bits)
// The last statement of a function whose next one's address is `offset` cells on.
#define TN_THREADED_NEXT(offset) cell[offset].run(cell + (offset), f32, f64, bits)

// The same of a function after which registers hold nothing: it has called others.
#define TN_THREADED_NEXT_WITHOUT(offset) \
  ((void)f32, (void)f64, (void)bits, cell[offset].run(cell + (offset), 0, 0, 0))

#endif  // TENON_KERNEL_COMMON_THREADED_H_
