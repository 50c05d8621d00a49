// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One kernel for several dtypes: functions defined once for each, and the choice between them.
#ifndef TENON_DETAIL_CUSTOM_DISPATCH_H_
#define TENON_DETAIL_CUSTOM_DISPATCH_H_

#include <tenon/detail/custom/define.h>

// TN_FOR_DTYPES(DEFINE, f32, f64, s32) expands DEFINE(dtype, type) for each dtype, with the C type
// of its elements: DEFINE(f32, float) DEFINE(f64, double) DEFINE(s32, int32_t).
//
// TN_DISPATCH(call, x, function, (arguments), f32, f64, s32) ends a kernel body: it returns
// function_f32(arguments), function_f64(arguments) or function_s32(arguments), selected by the
// dtype of the operand or result x. The functions return tn_status_t. Another dtype is the error
// UNIMPLEMENTED, which names x. A macro can name the dtypes once, for the signature list as well:
//
//   #define NUMBERS f32, f64, s32
//   #define SQUARE(ARG, ATTR, RET) ARG(x, of(NUMBERS), any_rank) RET(y, dtype_of(x), shape_of(x))
//
//   TN_OP(square, SQUARE, "y = x * x") {
//     TN_DISPATCH(call, x, square, (tn_size(call->x), call->x.data, call->y.data), NUMBERS);
//   }
#define TN_FOR_DTYPES(DEFINE, ...) TN__EACH(TN__DEFINE_FOR, DEFINE, __VA_ARGS__)
#define TN_DISPATCH(call, x, function, arguments, ...)                            \
  switch ((call)->x.dtype) {                                                      \
    TN__EACH(TN__CASE_OF, (function, arguments), __VA_ARGS__)                     \
    default:                                                                      \
      return TN_ERROR(call, UNIMPLEMENTED,                                        \
                      #x " has dtype %s; expected one of " TN__TEXT(__VA_ARGS__), \
                      tn_ffi_dtype_name((call)->x.dtype));                        \
  }

#define TN__CTYPE_OF(word, NAME, number, ctype) typedef ctype tn__ctype_##word;
TN_FFI_DTYPES(TN__CTYPE_OF)
#define TN__DEFINE_FOR(DEFINE, word) DEFINE(word, tn__ctype_##word)
#define TN__CASE_OF(context, word) TN__CASE_AS(word, TN__PLAIN context)
#define TN__CASE_AS(...) TN__CASE(__VA_ARGS__)
#define TN__CASE(word, function, arguments) \
  case tn_element_##word:                   \
    return function##_##word arguments;
#define TN__TEXT(...) TN__TEXT_OF(__VA_ARGS__)
#define TN__TEXT_OF(...) #__VA_ARGS__

#endif  // TENON_DETAIL_CUSTOM_DISPATCH_H_
