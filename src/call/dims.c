// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/dims.h"

#include "base/type.h"
#include "call/line.h"
#include "call/signature.h"

// --- what is known

static bool has_name(const tn_ffi_op_t* op, const char* name) {
  for (size_t i = 0; i < op->param_count; ++i) {
    const char* dims = tn__param_dims(op, tn__op_param(op, i));
    if (dims && tn__dims_have_name(dims, name)) return true;
  }
  return false;
}

static void take_attributes(const tn_inference_t* inference, tn__sizes_t* sizes) {
  for (size_t i = 0; i < inference->attribute_count; ++i) {
    const tn_attribute_t* attribute = &inference->attributes[i];
    if (attribute->kind != TN_ATTRIBUTE_INTEGER) continue;
    if (!has_name(inference->signature, attribute->name)) continue;
    tn__set_size(sizes, attribute->name, (int)strlen(attribute->name), attribute->integer);
  }
}

// " where n is 3 and k is 4", of the names in the list.
static void print_sizes(tn_line_t* line, const char* dims, const tn__sizes_t* sizes) {
  const char* between = " where ";
  tn__dim_t dim;
  if (tn__read_leading(&dims) && sizes->leading_rank >= 0) {
    tn__line_print(line, "%s... is %s", between,
                   TN_SHAPE_TEXT((size_t)sizes->leading_rank, sizes->leading));
    between = " and ";
  }
  while (*dims && tn__read_dim(&dims, &dim)) {
    for (int i = 0; i < dim.term_count; ++i) {
      const int64_t size = tn__size_of(sizes, dim.terms[i].name, dim.terms[i].length);
      if (size == TN__UNKNOWN_SIZE) continue;
      tn__line_print(line, "%s%.*s is %lld", between, dim.terms[i].length, dim.terms[i].name,
                     (long long)size);
      between = " and ";
    }
  }
}

static tn_status_t refuse(const tn_ffi_param_t* param, size_t index, const char* dims,
                          const tn__sizes_t* sizes, const tn_type_t* found) {
  tn_line_t line = {0};
  const char* what = param->kind == TN_FFI_PARAM_ARG ? "operand" : "result";
  if (tn__count_dims(dims) < 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s %zu (%s): the signature has dims(%s); expected names, numbers and "
                            "their sums",
                            what, index, param->name, dims);
  }
  print_sizes(&line, dims, sizes);
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s %zu (%s): expected dims(%s)%s; found %s",
                          what, index, param->name, dims, line.text, TN_TYPE_TEXT(found));
}

// --- matching

static tn_status_t match_all(const tn_inference_t* inference, int32_t kind, size_t count,
                             const tn_type_t* const* types, tn__sizes_t* sizes) {
  const tn_ffi_op_t* op = inference->signature;
  for (size_t i = 0; i < count; ++i) {
    const tn_ffi_param_t* param = tn__op_value_param(op, kind, i);
    const char* dims = tn__param_dims(op, param);
    const tn__sizes_t before = *sizes;
    if (!dims) continue;
    if (!tn__match_dims(dims, tn_type_dims(types[i]), (int64_t)tn_type_rank(types[i]), sizes)) {
      return refuse(param, i, dims, &before, types[i]);
    }
  }
  return TN_OK;
}

tn_status_t tn__dims_learn(const tn_inference_t* inference, const tn_type_t* const* results,
                           tn__sizes_t* out_sizes) {
  tn__forget_sizes(out_sizes);
  if (!inference->signature) return TN_OK;
  take_attributes(inference, out_sizes);
  // Sums may be known only after other shapes.
  for (int again = 0; again < 2; ++again) {
    TN_RETURN_IF_ERROR(match_all(inference, TN_FFI_PARAM_ARG, inference->operand_count,
                                 inference->operands, out_sizes));
    if (!results) continue;
    TN_RETURN_IF_ERROR(
        match_all(inference, TN_FFI_PARAM_RET, inference->result_count, results, out_sizes));
  }
  return TN_OK;
}

// --- results

tn_status_t tn__dims_infer(const tn_inference_t* inference, const char* dims,
                           const tn__sizes_t* sizes, tn_inferred_t* out) {
  int64_t* list = NULL;
  tn__dim_t dim;
  int open = 0;
  const char* next = dims;
  const int64_t count = tn__count_dims(dims);
  size_t rank = tn__read_leading(&next) ? (size_t)sizes->leading_rank : 0;
  if (count < 0 || rank == SIZE_MAX) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(inference->arena, rank + (size_t)count, &list));
  if (rank) memcpy(list, sizes->leading, rank * sizeof *list);
  for (; *next && tn__read_dim(&next, &dim); ++rank) {
    const int64_t size = tn__sum_dim(&dim, sizes, &open);
    list[rank] = open == -2 ? size : TN_DIM_DYNAMIC;
    if (open != -2 || size >= 0) continue;
    tn_line_t line = {0};
    print_sizes(&line, dims, sizes);
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "a result has dims(%s)%s; expected no "
                            "negative size",
                            dims, line.text);
  }
  out->has_shape = rank <= TN_MAX_RANK;
  out->rank = rank;
  out->dims = list;
  return TN_OK;
}
