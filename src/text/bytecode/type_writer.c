// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Types as the dialects vhlo and builtin encode them.
#include "text/bytecode/artifact.h"
#include "text/bytecode/codes.h"

static uint64_t end_type(tn_artifact_t* artifact) {
  return tn__artifact_end(artifact, &artifact->types);
}

uint64_t tn__artifact_plain_type(tn_artifact_t* artifact, uint64_t code) {
  tn__bytes_varint(tn__artifact_begin(artifact, TN_ENCODING_VHLO), code);
  return end_type(artifact);
}

// --- elements

static uint64_t complex_type(tn_artifact_t* artifact, bool is_builtin, tn_dtype_t dtype) {
  const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  const uint64_t number = tn__artifact_element(artifact, is_builtin, part);
  tn_bytes_t* out =
      tn__artifact_begin(artifact, is_builtin ? TN_ENCODING_BUILTIN : TN_ENCODING_VHLO);
  tn__bytes_varint(out, is_builtin ? (uint64_t)TN_BUILTIN_COMPLEX : (uint64_t)TN_VHLO_COMPLEX);
  tn__bytes_varint(out, number);
  return end_type(artifact);
}

// What builtin has no encoding for is text.
static uint64_t builtin_element(tn_artifact_t* artifact, tn_dtype_t dtype) {
  const tn_builtin_element_t* element = tn__builtin_element(dtype);
  if (!element) {
    tn__bytes_text(tn__artifact_begin(artifact, TN_ENCODING_TEXT), tn__sv(tn_dtype_name(dtype)));
    return end_type(artifact);
  }
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_BUILTIN);
  tn__bytes_varint(out, element->code);
  if (element->code == TN_BUILTIN_INTEGER) tn__bytes_varint(out, element->detail);
  return end_type(artifact);
}

uint64_t tn__artifact_element(tn_artifact_t* artifact, bool is_builtin, tn_dtype_t dtype) {
  if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX) return complex_type(artifact, is_builtin, dtype);
  if (is_builtin) return builtin_element(artifact, dtype);
  const tn_vhlo_element_t* element = tn__vhlo_element(dtype);
  if (!element) {
    tn__artifact_fail(artifact, "artifacts of StableHLO have no type %s", tn_dtype_name(dtype));
    return 0;
  }
  tn__artifact_need(artifact, element->since, tn_dtype_name(dtype));
  return tn__artifact_plain_type(artifact, element->code);
}

// --- values

// The attribute with the bounds of dynamic dimensions.
static uint64_t bounds(tn_artifact_t* artifact, const tn_type_t* type) {
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, TN_VHLO_TYPE_EXTENSIONS);
  tn__bytes_varint(out, type->rank);
  for (size_t i = 0; i < type->rank; ++i) tn__bytes_signed_varint(out, type->bounds[i]);
  return tn__artifact_end(artifact, &artifact->attrs);
}

uint64_t tn__artifact_tensor(tn_artifact_t* artifact, bool is_builtin, tn_dtype_t dtype,
                             size_t rank, const int64_t* dims) {
  const uint64_t element = tn__artifact_element(artifact, is_builtin, dtype);
  tn_bytes_t* out =
      tn__artifact_begin(artifact, is_builtin ? TN_ENCODING_BUILTIN : TN_ENCODING_VHLO);
  tn__bytes_varint(out, is_builtin ? (uint64_t)TN_BUILTIN_TENSOR : (uint64_t)TN_VHLO_TENSOR);
  tn__bytes_varint(out, rank);
  for (size_t i = 0; i < rank; ++i) tn__bytes_signed_varint(out, dims[i]);
  tn__bytes_varint(out, element);
  return end_type(artifact);
}

static uint64_t bounded_tensor(tn_artifact_t* artifact, const tn_type_t* type) {
  const uint64_t encoding = bounds(artifact, type);
  const uint64_t element = tn__artifact_element(artifact, false, type->dtype);
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, TN_VHLO_ENCODED_TENSOR);
  tn__bytes_varint(out, encoding);
  tn__bytes_varint(out, type->rank);
  for (size_t i = 0; i < type->rank; ++i) tn__bytes_signed_varint(out, type->dims[i]);
  tn__bytes_varint(out, element);
  return end_type(artifact);
}

static uint64_t list_type(tn_artifact_t* artifact, uint64_t code, const tn_type_t* type,
                          bool is_builtin) {
  const size_t mark = tn__artifact_mark(artifact);
  for (size_t i = 0; i < type->element_count; ++i) {
    tn__artifact_push(artifact, is_builtin ? tn__artifact_builtin_type(artifact, type->elements[i])
                                           : tn__artifact_type(artifact, type->elements[i]));
  }
  tn_bytes_t* out =
      tn__artifact_begin(artifact, is_builtin ? TN_ENCODING_BUILTIN : TN_ENCODING_VHLO);
  tn__bytes_varint(out, code);
  tn__bytes_varint(out, type->element_count);
  tn__artifact_pop(artifact, mark, out);
  return end_type(artifact);
}

static uint64_t write_type(tn_artifact_t* artifact, const tn_type_t* type) {
  switch (type->kind) {
    case TN_TYPE_TENSOR:
      if (type->bounds) return bounded_tensor(artifact, type);
      return tn__artifact_tensor(artifact, false, type->dtype, type->rank, type->dims);
    case TN_TYPE_TUPLE: return list_type(artifact, TN_VHLO_TUPLE, type, false);
    case TN_TYPE_FUTURE:
      tn__artifact_need(artifact, TN_ARTIFACT_VERSION(1, 15), "the type future");
      return list_type(artifact, TN_VHLO_FUTURE, type, false);
    case TN_TYPE_TOKEN: break;
  }
  return tn__artifact_plain_type(artifact, TN_VHLO_TOKEN);
}

enum { FORM_VHLO, FORM_BUILTIN };

uint64_t tn__artifact_type(tn_artifact_t* artifact, const tn_type_t* type) {
  uint64_t number = 0;
  if (tn__artifact_recall(&artifact->known_types, type, FORM_VHLO, &number)) return number;
  number = write_type(artifact, type);
  tn__artifact_note(artifact, &artifact->known_types, type, FORM_VHLO, number);
  return number;
}

uint64_t tn__artifact_builtin_type(tn_artifact_t* artifact, const tn_type_t* type) {
  uint64_t number = 0;
  if (type->kind == TN_TYPE_TENSOR && !type->bounds) {
    return tn__artifact_tensor(artifact, true, type->dtype, type->rank, type->dims);
  }
  if (type->kind != TN_TYPE_TUPLE) return tn__artifact_type(artifact, type);
  if (tn__artifact_recall(&artifact->known_types, type, FORM_BUILTIN, &number)) return number;
  number = list_type(artifact, TN_BUILTIN_TUPLE, type, true);
  tn__artifact_note(artifact, &artifact->known_types, type, FORM_BUILTIN, number);
  return number;
}

uint64_t tn__artifact_function_type(tn_artifact_t* artifact, const tn_function_t* function) {
  const size_t arguments = tn__artifact_mark(artifact);
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    tn__artifact_push(artifact, tn__artifact_type(artifact, function->argument_types[i]));
  }
  const size_t results = tn__artifact_mark(artifact);
  for (uint32_t i = 0; i < function->result_count; ++i) {
    tn__artifact_push(artifact, tn__artifact_type(artifact, function->result_types[i]));
  }
  // The results are on top of the arguments, and come behind them.
  tn_bytes_t* out = tn__artifact_begin(artifact, TN_ENCODING_VHLO);
  tn__bytes_varint(out, TN_VHLO_FUNCTION);
  tn__bytes_varint(out, function->argument_count);
  tn__artifact_put_numbers(artifact, arguments, results, out);
  tn__bytes_varint(out, function->result_count);
  tn__artifact_pop(artifact, results, out);
  artifact->numbers.length = arguments;
  return end_type(artifact);
}
