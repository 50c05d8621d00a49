// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The declaration of an operation (<tenon/custom.h>), as text.
#ifndef TENON_CALL_SIGNATURE_H_
#define TENON_CALL_SIGNATURE_H_

#include <tenon/detail/call.h>

#include "base/arena.h"
#include "call/abi.h"

// Parameter `index` of the operation, whatever size its library's structs have.
static inline const tn_ffi_param_t* tn__op_param(const tn_ffi_op_t* op, size_t index) {
  return (const void*)((const char*)op->params + index * op->param_size);
}
// The named dimensions of a parameter of the operation, "n, k + 1"; NULL: none, or its library is
// older than they are. Without a signature there is no parameter.
static inline const char* tn__param_dims(const tn_ffi_op_t* op, const tn_ffi_param_t* param) {
  const bool has_dims = op && param && op->param_size >= TN_FFI_END_OF(tn_ffi_param_t, dims);
  return has_dims ? param->dims : NULL;
}
// Field `index` of a record.
static inline const tn_ffi_param_t* tn__param_field(const tn_ffi_op_t* op,
                                                    const tn_ffi_param_t* param, size_t index) {
  return (const void*)((const char*)param->fields + index * op->param_size);
}

// The parameter of operand (TN_FFI_PARAM_ARG) or result (TN_FFI_PARAM_RET) `index`, a leaf; NULL:
// there is none.
const tn_ffi_param_t* tn__op_value_param(const tn_ffi_op_t* op, int32_t kind, size_t index);
// Which leaf the operand of that name is; SIZE_MAX: there is none.
size_t tn__op_operand_index(const tn_ffi_op_t* op, const char* name);

typedef struct tn_signature {
  tn_arena_t arena;
  const char* text;  // all of it in one line; NULL before init
  size_t parameter_count;
  const tn_target_parameter_t* parameters;
} tn_signature_t;

// The strings of `parameters` are partly the operation's own.
TN_MUST_USE tn_status_t tn__signature_init(tn_signature_t* out_signature, const tn_ffi_op_t* op,
                                           tn_string_view_t name);
// A zeroed one is fine.
void tn__signature_deinit(tn_signature_t* signature);

// "f32 or f64"; "any dtype".
typedef struct tn_dtypes_text {
  char text[160];
} tn_dtypes_text_t;
tn_dtypes_text_t tn__dtypes_text(uint64_t dtypes);
#define TN_DTYPES_TEXT(dtypes) tn__dtypes_text(dtypes).text
bool tn__dtypes_are_all(uint64_t dtypes);
// The dtype of a set of one; INVALID for other sets.
static inline tn_dtype_t tn__dtypes_only(uint64_t dtypes) {
  const bool is_one = dtypes && !(dtypes & (dtypes - 1));
  return is_one ? (tn_dtype_t)__builtin_ctzll(dtypes) : TN_DTYPE_INVALID;
}

#endif  // TENON_CALL_SIGNATURE_H_
