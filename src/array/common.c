// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "array/common.h"

tn_array_t* tn__broadcast_shapes(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                                 tn_array_shape_t* out_shape) {
  out_shape->rank = 0;
  for (size_t i = 0; i < count; ++i) {
    if (arrays[i]->rank > out_shape->rank) out_shape->rank = arrays[i]->rank;
  }
  for (size_t d = 0; d < out_shape->rank; ++d) out_shape->dims[d] = 1;
  for (size_t i = 0; i < count; ++i) {
    const tn_array_t* array = arrays[i];
    const size_t lead = out_shape->rank - array->rank;
    for (size_t d = 0; d < array->rank; ++d) {
      int64_t* dim = &out_shape->dims[lead + d];
      if (array->dims[d] == *dim || array->dims[d] == 1) continue;
      if (*dim != 1) {
        return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                              "shapes %s and %s do not broadcast (dimension %zu)",
                              TN_SHAPE_TEXT(out_shape->rank, out_shape->dims),
                              TN_SHAPE_TEXT(array->rank, array->dims), lead + d);
      }
      *dim = array->dims[d];
    }
  }
  return NULL;
}

tn_array_t* tn__result_type(tn_scope_t* scope, size_t count, tn_array_t* const* arrays,
                            tn_dtype_t* out_dtype) {
  *out_dtype = count ? arrays[0]->dtype : TN_DTYPE_INVALID;
  for (size_t i = 1; i < count; ++i) {
    const tn_dtype_t promoted = tn_promote_types(*out_dtype, arrays[i]->dtype);
    if (promoted == TN_DTYPE_INVALID) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "there is no dtype for both %s and %s",
                            tn_dtype_name(*out_dtype), tn_dtype_name(arrays[i]->dtype));
    }
    *out_dtype = promoted;
  }
  return NULL;
}

tn_dtype_t tn__at_least_float(tn_dtype_t dtype) {
  return tn_issubdtype(dtype, TN_CATEGORY_INEXACT) ? dtype : TN_DTYPE_F32;
}

// --- parameters besides arrays

tn_array_t* tn__check_list(tn_scope_t* scope, const char* what, size_t count, const void* list) {
  if (list || count == 0) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%s is NULL; expected a list of %zu", what,
                        count);
}

tn_array_t* tn__check_dims(tn_scope_t* scope, size_t rank, const int64_t* dims) {
  if (rank > TN_MAX_RANK) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "%zu dimensions; at most %d are possible", rank, TN_MAX_RANK);
  }
  return tn__check_list(scope, "dims", rank, dims);
}

tn_array_t* tn__check_choice(tn_scope_t* scope, const char* what, int choice, int last) {
  if (choice >= 0 && choice <= last) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "the %s is %d; expected 0 to %d", what,
                        choice, last);
}

tn_array_t* tn__check_dtype(tn_scope_t* scope, tn_dtype_t dtype) {
  if (tn_promote_types(dtype, dtype) != TN_DTYPE_INVALID) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                        "the dtype is %d (%s); expected one that arrays can have", (int)dtype,
                        tn_dtype_name(dtype));
}

// --- axes

tn_array_t* tn__normalise_axis(tn_scope_t* scope, int64_t axis, size_t rank, size_t* out_axis) {
  const int64_t count = (int64_t)rank;
  if (axis < -count || axis >= count) {
    return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE,
                          "axis %lld is out of range for an array of %zu dimensions",
                          (long long)axis, rank);
  }
  *out_axis = (size_t)(axis < 0 ? axis + count : axis);
  return NULL;
}

tn_array_t* tn__axis_or_all(tn_scope_t* scope, tn_array_t** x, int64_t axis, size_t* out_axis) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, x));
  *out_axis = 0;
  if (axis != TN_ALL_AXES) return tn__normalise_axis(scope, axis, (*x)->rank, out_axis);
  *x = tn_array_flatten(scope, *x, 0, -1);
  return tn__check_operands(scope, 1, x);
}

tn_array_t* tn__normalise_axes(tn_scope_t* scope, size_t count, const int64_t* axes, size_t rank,
                               uint64_t* out_set) {
  *out_set = 0;
  if (!axes) {
    *out_set = rank == TN_MAX_RANK ? UINT64_MAX : (UINT64_C(1) << rank) - 1;
    return NULL;
  }
  for (size_t i = 0; i < count; ++i) {
    size_t axis = 0;
    TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axes[i], rank, &axis));
    if (*out_set >> axis & 1) {
      return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "axis %lld is given twice",
                            (long long)axes[i]);
    }
    *out_set |= UINT64_C(1) << axis;
  }
  return NULL;
}

// --- elements

tn_dtype_t tn__real_dtype(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : dtype == TN_DTYPE_C128 ? TN_DTYPE_F64 : dtype;
}

// What the promoted dtype must not be; NULL when it is fine.
static const char* refuse(tn_dtype_t dtype, unsigned rules) {
  const tn_kind_t kind = tn_dtype_kind(dtype);
  if (rules & TN_OPERANDS_REAL && kind == TN_KIND_COMPLEX) return "no complex elements";
  if (rules & TN_OPERANDS_NUMBER && kind == TN_KIND_BOOL) return "no booleans";
  if (rules & TN_OPERANDS_INTEGER && !(kind == TN_KIND_BOOL || kind & TN_KIND_INTEGER)) {
    return "only integers and booleans";
  }
  return NULL;
}

tn_array_t* tn__prepare(tn_scope_t* scope, size_t count, tn_array_t** operands, unsigned rules,
                        tn_array_shape_t* out_shape, tn_dtype_t* out_dtype) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, count, operands));
  TN__RETURN_IF_FAILED(tn__result_type(scope, count, operands, out_dtype));
  const char* refusal = refuse(*out_dtype, rules);
  if (refusal) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "takes %s; got %s", refusal,
                          tn_dtype_name(*out_dtype));
  }
  if (rules & TN_OPERANDS_FLOAT) *out_dtype = tn__at_least_float(*out_dtype);
  if (rules & TN_OPERANDS_BOOL) *out_dtype = TN_DTYPE_PRED;
  TN__RETURN_IF_FAILED(tn__broadcast_shapes(scope, count, operands, out_shape));
  for (size_t i = 0; i < count; ++i) {
    if (operands[i]->dtype != *out_dtype) {
      operands[i] = tn_array_astype(scope, operands[i], *out_dtype);
    }
    operands[i] = tn_array_broadcast_to(scope, operands[i], out_shape->rank, out_shape->dims);
  }
  return NULL;
}

tn_array_t* tn__elementwise(tn_scope_t* scope, const char* name, const tn_op_t* op, size_t count,
                            tn_array_t** operands, unsigned rules) {
  TN__OPERATION(scope, name);
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  shape.rank = 0;
  TN__RETURN_IF_FAILED(tn__prepare(scope, count, operands, rules, &shape, &dtype));
  return tn__apply(scope, op, count, operands, dtype, shape.rank, shape.dims);
}

tn_array_t* tn__map(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, tn_dtype_t dtype) {
  return tn__apply(scope, op, 1, &x, dtype, x->rank, x->dims);
}

tn_array_t* tn__number_like(tn_scope_t* scope, tn_array_t* x, double value) {
  if (x->dtype == TN_DTYPE_INVALID) return x;
  return tn_array_scalar(scope, x->dtype, value);
}

tn_array_t* tn__iota(tn_scope_t* scope, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                     size_t axis) {
  const tn_named_attr_t attribute = TN_I64_ATTR("iota_dimension", (int64_t)axis);
  return tn__apply_with(scope, TN__OP(iota), 0, NULL, 1, &attribute, dtype, rank, dims);
}
